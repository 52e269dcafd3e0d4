// A person's team and orders, put together by clicks, buttons and keys. It knows what the question's options say, no more.

import type { Lang, LocalizedText } from "$viewer/leg_frames";
import type {
  DraftChange,
  Question,
  PanelButton,
  OrderBuilder,
  OrderPanel,
  BoardCell,
  PanelRow,
} from "$viewer/game_viewer";
import {
  type Cell,
  type Options,
  TYPES,
  type TankType,
  type TypeNumbers,
  type View,
  type Way,
  cellOf,
  name,
  same,
  sideOf,
} from "./view";

type OrderTank = Extract<Options, { choose: "orders" }>["tanks"][number];

export type Draft =
  | { choose: "team"; types: TypeNumbers[]; tanks: number[]; team: TankType[]; selected: number }
  | {
      choose: "orders";
      tanks: OrderTank[];
      /** By tank; one without an order stops. */
      orders: Record<number, string>;
      selected: number;
      /** The cell aimed at, while a target is chosen by keys. */
      aim: Cell | null;
    };

type Orders = Extract<Draft, { choose: "orders" }>;
type Team = Extract<Draft, { choose: "team" }>;
type Made = Draft | { refused: LocalizedText } | null;

const DEAD: LocalizedText = { en: "this tank is dead", zh: "该坦克已阵亡" };
const FAR: LocalizedText = { en: "that cell is out of range", zh: "超出射程" };
const STOP = "STOP";

const WAYS: Record<string, string> = {
  ArrowUp: "GOUP",
  ArrowDown: "GODOWN",
  ArrowLeft: "GOLEFT",
  ArrowRight: "GORIGHT",
  w: "GOUP",
  s: "GODOWN",
  a: "GOLEFT",
  d: "GORIGHT",
};
const STEPS: Record<string, Cell> = {
  GOUP: [-1, 0],
  GODOWN: [1, 0],
  GOLEFT: [0, -1],
  GORIGHT: [0, 1],
};
const ARROWS: Record<string, string> = { GOUP: "↑", GODOWN: "↓", GOLEFT: "←", GORIGHT: "→" };
const GO: Record<string, LocalizedText> = {
  GOUP: { en: "go up", zh: "向上" },
  GODOWN: { en: "go down", zh: "向下" },
  GOLEFT: { en: "go left", zh: "向左" },
  GORIGHT: { en: "go right", zh: "向右" },
};

function startDraft(question: Question): Draft | null {
  const options = question.options as Options | null;
  if (options?.choose === "team") {
    const first = options.types[0]!.type;
    return { ...options, team: options.tanks.map(() => first), selected: options.tanks[0]! };
  }
  if (options?.choose !== "orders") return null;
  const alive = options.tanks.find((tank) => tank.cell);
  return {
    choose: "orders",
    tanks: options.tanks,
    orders: {},
    selected: alive?.id ?? options.tanks[0]!.id,
    aim: null,
  };
}

// ---- the team

function handleTeamKey(draft: Team, key: string): Made {
  const at = draft.tanks.indexOf(draft.selected);
  const selectBy = (by: number): Made => ({
    ...draft,
    selected: draft.tanks[(at + by + draft.tanks.length) % draft.tanks.length]!,
  });
  if (/^[1-5]$/.test(key)) return { ...draft, selected: draft.tanks[Number(key) - 1]! };
  const letters: Record<string, TankType> = { s: "Striker", p: "Pioneer", n: "Sniper" };
  const type = letters[key.toLowerCase()];
  if (type) return withType(draft, draft.selected, type);
  const turnBy = (by: number) => {
    const types = draft.types.map(({ type }) => type);
    return withType(
      draft,
      draft.selected,
      types[(types.indexOf(draft.team[at]!) + by + types.length) % types.length]!,
    );
  };
  switch (key) {
    case "ArrowDown":
      return selectBy(1);
    case "ArrowUp":
      return selectBy(-1);
    case "ArrowRight":
      return turnBy(1);
    case "ArrowLeft":
      return turnBy(-1);
    default:
      return null;
  }
}

function withType(draft: Team, tank: number, type: TankType): Team {
  const at = draft.tanks.indexOf(tank);
  return {
    ...draft,
    selected: tank,
    team: draft.team.map((old, place) => (place === at ? type : old)),
  };
}

function describeTeamPanel(draft: Team, lang: Lang): OrderPanel {
  const zh = lang === "zh";
  const numbers = (type: TankType) => {
    const { attack, life, range } = draft.types.find((numbers) => numbers.type === type)!;
    return zh
      ? `攻 ${attack} 命 ${life} 射程 ${range}`
      : `attack ${attack}, life ${life}, range ${range}`;
  };
  return {
    title: zh
      ? "选择五辆坦克的类型，第一回合后不能更改。"
      : "Choose five types; they can never be changed.",
    help: zh ? "1-5 ↑↓ 选坦克，s p n 或 ←→ 选类型" : "1-5 ↑↓ tank, s p n or ←→ type",
    done: zh ? "提交阵容 ⏎" : "Send the team ⏎",
    rows: draft.tanks.map((tank, at): PanelRow => ({
      id: `${tank}`,
      text: zh ? `坦克 ${tank}` : `Tank ${tank}`,
      detail: numbers(draft.team[at]!),
      selected: tank === draft.selected,
      disabled: false,
      buttons: draft.types.map(({ type }): PanelButton => ({
        id: type,
        text: TYPES[type][lang],
        title: `${TYPES[type][lang]}: ${numbers(type)}`,
        pressed: draft.team[at] === type,
        legal: true,
      })),
    })),
  };
}

// ---- the orders

function tankOf(draft: Orders, id: number): OrderTank | undefined {
  return draft.tanks.find((tank) => tank.id === id);
}

function setOrder(draft: Orders, tank: number, said: string | null): Orders {
  const orders = { ...draft.orders };
  if (said === null) delete orders[tank];
  else orders[tank] = said;
  return { ...draft, orders, selected: tank, aim: null };
}

function selectTank(draft: Orders, tank: OrderTank | undefined): Made {
  if (!tank?.cell) return { refused: DEAD };
  return { ...draft, selected: tank.id, aim: null };
}

function nextTank(draft: Orders, id: number): number {
  const living = draft.tanks.filter((tank) => tank.cell);
  const at = living.findIndex((tank) => tank.id === id);
  return living[(at + 1) % Math.max(1, living.length)]?.id ?? id;
}

function moveTank(draft: Orders, way: Way | undefined): Made {
  if (!way) return { refused: DEAD };
  if (!way.legal) return { refused: way.why ?? FAR };
  return setOrder(draft, draft.selected, way.order);
}

function fireAt(draft: Orders, at: Cell): Made {
  const tank = tankOf(draft, draft.selected);
  if (!tank?.cell) return { refused: DEAD };
  if (!tank.targets.some((target) => same(target, at))) return { refused: FAR };
  return setOrder(draft, draft.selected, `FIRE:${at[0]}:${at[1]}`);
}

/** The enemy in range that is nearest, else the tank's own cell. */
function firstAim(tank: OrderTank, view: View): Cell {
  const own = tank.cell!;
  const distance = (cell: Cell) => Math.abs(cell[0] - own[0]) + Math.abs(cell[1] - own[1]);
  const seen = view.tanks
    .filter(({ id, cell }) => cell && sideOf(id) !== sideOf(tank.id))
    .map(({ cell }) => cell!);
  const near = seen.filter((cell) => tank.targets.some((target) => same(target, cell)));
  near.sort((a, b) => distance(a) - distance(b));
  return near[0] ?? own;
}

function handleOrderKey(draft: Orders, key: string, view: View): Made {
  const tank = tankOf(draft, draft.selected);
  const way = WAYS[key.length === 1 ? key.toLowerCase() : key];
  if (draft.aim) return handleAimKey(draft, draft.aim, key, way);
  if (/^[1-5]$/.test(key)) return selectTank(draft, draft.tanks[Number(key) - 1]);
  if (way)
    return moveTank(
      draft,
      tank?.go.find(({ order }) => order === way),
    );
  switch (key) {
    case "n":
      return { ...draft, selected: nextTank(draft, draft.selected) };
    case "x":
      return setOrder(draft, draft.selected, STOP);
    case "Backspace":
      return setOrder(draft, draft.selected, null);
    case "f":
      return tank?.cell ? { ...draft, aim: firstAim(tank, view) } : { refused: DEAD };
    default:
      return null;
  }
}

function handleAimKey(draft: Orders, aim: Cell, key: string, way: string | undefined): Made {
  if (way) {
    const [down, right] = STEPS[way]!;
    const to: Cell = [aim[0] + down, aim[1] + right];
    return tankOf(draft, draft.selected)!.targets.some((target) => same(target, to))
      ? { ...draft, aim: to }
      : { refused: FAR };
  }
  if (key === "Enter" || key === "f") return fireAt(draft, aim);
  if (key === "Escape" || key === "Backspace") return { ...draft, aim: null };
  return null;
}

/** A click: an own tank is selected, the next cell is gone to, a cell in range is fired at. */
function handleOrderClick(draft: Orders, at: Cell): Made {
  const own = draft.tanks.find((tank) => same(tank.cell, at));
  if (own)
    return own.id === draft.selected ? setOrder(draft, own.id, STOP) : selectTank(draft, own);
  const tank = tankOf(draft, draft.selected);
  if (!tank?.cell) return { refused: DEAD };
  const way = tank.go.find(({ cell }) => same(cell, at));
  // A second click on the next cell fires at it instead of going there.
  return way && way.legal && draft.orders[tank.id] !== way.order
    ? moveTank(draft, way)
    : fireAt(draft, at);
}

function orderText(said: string | undefined, lang: Lang): string {
  const zh = lang === "zh";
  if (said === undefined || said === STOP) return zh ? "原地不动" : "stop";
  const target = /^FIRE:(-?\d+):(-?\d+)$/.exec(said);
  if (target) return `${zh ? "开火" : "fire at"} ${name([Number(target[1]), Number(target[2])])}`;
  return `${ARROWS[said] ?? ""} ${GO[said]?.[lang] ?? said}`;
}

function describeOrderPanel(draft: Orders, lang: Lang): OrderPanel {
  const zh = lang === "zh";
  const row = (tank: OrderTank): PanelRow => {
    const type = tank.type ? TYPES[tank.type][lang] : "?";
    const said = draft.orders[tank.id];
    if (!tank.cell) {
      const back = zh ? `阵亡，第 ${tank.revive} 回合复活` : `dead, back in round ${tank.revive}`;
      return {
        id: `${tank.id}`,
        text: `${tank.id} ${type}`,
        detail: back,
        selected: false,
        disabled: true,
        buttons: [],
      };
    }
    const ways = tank.go.map(({ order, legal, why }): PanelButton => ({
      id: order,
      text: ARROWS[order] ?? order,
      title: GO[order]?.[lang] ?? order,
      pressed: said === order,
      legal,
      why: why?.[lang] ?? null,
    }));
    const selected = tank.id === draft.selected;
    const fires = said?.startsWith("FIRE") ?? false;
    const more: PanelButton[] = [
      {
        id: "AIM",
        text: zh ? "开火 F" : "fire F",
        title: zh ? "选择开火的格子" : "choose a cell to fire at",
        pressed: fires || (selected && draft.aim !== null),
        legal: true,
      },
      { id: STOP, text: zh ? "停 X" : "stop X", pressed: said === STOP, legal: true },
    ];
    return {
      id: `${tank.id}`,
      text: `${tank.id} ${type} ♥${tank.life} ${name(tank.cell)}`,
      detail: orderText(said, lang),
      selected,
      disabled: false,
      buttons: selected ? [...ways, ...more] : [],
    };
  };
  return {
    title: draft.aim
      ? zh
        ? `目标 ${name(draft.aim)}：方向键移动，回车开火，Esc 取消`
        : `target ${name(draft.aim)}: arrows move it, enter fires, esc cancels`
      : zh
        ? "点击己方坦克，再点相邻格移动，或点射程内的格子开火。"
        : "Click a tank of yours, then the next cell to go, or a cell in range to fire.",
    help: zh
      ? "1-5 n 选坦克，方向键移动，f 开火，x 停；未下令者停"
      : "1-5 n tank, arrows go, f fire, x stop; no order means stop",
    done: zh ? "提交 ⏎" : "Done ⏎",
    rows: draft.tanks.map(row),
  };
}

function pressButton(draft: Draft, row: string, button: string | null, view: View): Made {
  const tank = Number(row);
  if (draft.choose === "team")
    return button ? withType(draft, tank, button as TankType) : { ...draft, selected: tank };
  if (button === null) return selectTank(draft, tankOf(draft, tank));
  const chosen = { ...draft, selected: tank, aim: null };
  if (button === STOP) return setOrder(chosen, tank, STOP);
  if (button === "AIM") return handleOrderKey(chosen, "f", view);
  return moveTank(
    chosen,
    tankOf(draft, tank)?.go.find(({ order }) => order === button),
  );
}

function asDraftChange(made: Made): DraftChange {
  return made === null || "refused" in made ? made : { draft: made };
}

export const orderBuilder: OrderBuilder<View> = {
  startDraft,
  handleKey(state, key, _question, view) {
    const draft = state as Draft | null;
    if (!draft) return null;
    return asDraftChange(
      draft.choose === "team" ? handleTeamKey(draft, key) : handleOrderKey(draft, key, view),
    );
  },
  handleClick(state, cell) {
    const draft = state as Draft | null;
    return draft?.choose === "orders" ? asDraftChange(handleOrderClick(draft, cellOf(cell))) : null;
  },
  handleButton: (state, row, button, _question, view) =>
    asDraftChange(pressButton(state as Draft, row, button, view)),
  describePanel: (state, _question, _view, lang) =>
    (state as Draft).choose === "team"
      ? describeTeamPanel(state as Team, lang)
      : describeOrderPanel(state as Orders, lang),
  draftAction(state) {
    const draft = state as Draft;
    if (draft.choose === "team") return ["Team", ...draft.team].join(";");
    return draft.tanks.map(({ id }) => draft.orders[id] ?? STOP).join(";");
  },
};
