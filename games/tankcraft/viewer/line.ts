// Orders as signs and as arrows on the board.

import type { ActionLine, BoardArrow } from "$viewer/game_viewer";
import type { Lang, Seat } from "$viewer/leg_frames";
import {
  type Cell,
  type Setup,
  type TankType,
  type View,
  boardCell,
  sideOf,
  typeName,
} from "./view";

const WAYS: Record<string, { step: Cell; sign: string }> = {
  GOUP: { step: [-1, 0], sign: "↑" },
  GODOWN: { step: [1, 0], sign: "↓" },
  GOLEFT: { step: [0, -1], sign: "←" },
  GORIGHT: { step: [0, 1], sign: "→" },
};

/** The first tank of a seat. */
const firstTank = (seat: Seat) => (seat === "first" ? 0 : 5);

const targetOf = (order: string): Cell | null => {
  const fire = /^FIRE:(-?\d+):(-?\d+)$/.exec(order);
  return fire && [Number(fire[1]), Number(fire[2])];
};

/** `0↑ 1✹(3,4)`: the tanks that do something; a team as its types, `3 × Striker, 2 × Sniper`. */
export function actionSigns(action: string, seat: Seat, locale: Lang): string {
  const [first, ...rest] = action.split(";");
  if (first === "Team") return nameTeam(rest as TankType[], locale);
  const signs = [first!, ...rest].flatMap((order, at) => {
    const target = targetOf(order);
    const sign = WAYS[order]?.sign ?? (target ? `✹(${target.join(",")})` : null);
    return sign === null ? [] : [`${firstTank(seat) + at}${sign}`];
  });
  return signs.length > 0 ? signs.join(" ") : "•";
}

function nameTeam(types: TankType[], locale: Lang): string {
  const counted = [...new Set(types)].map((type) => {
    const count = types.filter((one) => one === type).length;
    return `${count} × ${typeName(type, locale)}`;
  });
  return counted.join(", ");
}

/** The ways and shots of a side's tanks, as far as its own orders tell. */
export function lineArrows({ view, seat, actions }: ActionLine<View, Setup>): BoardArrow[] {
  const cells = new Map<number, Cell>();
  for (const { id, cell } of view.tanks) if (cell && sideOf(id) === seat) cells.set(id, cell);
  return actions.flatMap((action, order) =>
    action.split(";").flatMap((word, at): BoardArrow[] => {
      const tank = firstTank(seat) + at;
      const cell = cells.get(tank);
      if (!cell) return [];
      const from = boardCell(cell);
      const target = targetOf(word);
      if (target) return [{ from, to: boardCell(target), kind: "fire", order }];
      const way = WAYS[word]?.step;
      if (!way) return [];
      const to: Cell = [cell[0] + way[0], cell[1] + way[1]];
      cells.set(tank, to);
      return [{ from, to: boardCell(to), kind: "move", order }];
    }),
  );
}
