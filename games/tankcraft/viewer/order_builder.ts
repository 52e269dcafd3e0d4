// Builds a person's team and orders from clicks, buttons and keys. It knows the rules only through
// the options of the question.

import { type Message, localizedMessage, m } from "$lib/messages";
import type { Lang, LocalizedText } from "$viewer/leg_frames";
import type {
  DraftChange,
  Question,
  PanelButton,
  OrderBuilder,
  OrderPanel,
  PanelRow,
} from "$viewer/game_viewer";
import {
  type Cell,
  type Options,
  type TankType,
  type TypeNumbers,
  type View,
  type Way,
  cellName,
  cellOf,
  sameCell,
  sideOf,
  typeName,
} from "./view";

type OrderTank = Extract<Options, { choose: "orders" }>["tanks"][number];

export type Draft =
  | { choose: "team"; types: TypeNumbers[]; tanks: number[]; team: TankType[]; selected: number }
  | {
      choose: "orders";
      tanks: OrderTank[];
      /** The orders by tank; a tank without an order stops. */
      orders: Record<number, string>;
      selected: number;
      /** The current target, while a target is chosen by keys. */
      aim: Cell | null;
    };

type Orders = Extract<Draft, { choose: "orders" }>;
type Team = Extract<Draft, { choose: "team" }>;
/** The next draft, a refusal, or null if a key or click has no meaning. */
type NextDraft = Draft | { refused: LocalizedText } | null;

const DEAD = localizedMessage(m.tankcraft_is_dead);
const OUT_OF_RANGE = localizedMessage(m.tankcraft_out_of_range);
const STOP = "STOP";

/** The orders to which keys are bound. */
const KEY_ORDERS: Record<string, string> = {
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
const ORDER_NAMES: Record<string, Message> = {
  GOUP: m.tankcraft_go_up,
  GODOWN: m.tankcraft_go_down,
  GOLEFT: m.tankcraft_go_left,
  GORIGHT: m.tankcraft_go_right,
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

/** The tank that a digit names, as its label does; NaN for other keys. */
function digitOf(key: string): number {
  return /^\d$/.test(key) ? Number(key) : NaN;
}

function handleTeamKey(draft: Team, key: string): NextDraft {
  const at = draft.tanks.indexOf(draft.selected);
  const selectBy = (by: number): NextDraft => ({
    ...draft,
    selected: draft.tanks[(at + by + draft.tanks.length) % draft.tanks.length]!,
  });
  if (draft.tanks.includes(digitOf(key))) return { ...draft, selected: digitOf(key) };
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

/** The first and the last label of a side's tanks. */
function labelRange(tanks: readonly number[]): { from: number; to: number } {
  return { from: tanks[0] ?? 0, to: tanks[tanks.length - 1] ?? 0 };
}

function withType(draft: Team, tank: number, type: TankType): Team {
  const at = draft.tanks.indexOf(tank);
  return {
    ...draft,
    selected: tank,
    team: draft.team.map((old, place) => (place === at ? type : old)),
  };
}

function describeNumbers(draft: Team, type: TankType, locale: Lang): string {
  const { attack, life, range } = draft.types.find((numbers) => numbers.type === type)!;
  return m.tankcraft_numbers({ attack, life, range }, { locale });
}

function describeTeamPanel(draft: Team, locale: Lang): OrderPanel {
  return {
    title: m.tankcraft_team_title({}, { locale }),
    help: m.tankcraft_team_help(labelRange(draft.tanks), { locale }),
    done: m.tankcraft_team_send({}, { locale }),
    rows: draft.tanks.map((tank, at) => describeTeamRow(draft, tank, draft.team[at]!, locale)),
  };
}

function describeTeamRow(draft: Team, tank: number, chosen: TankType, locale: Lang): PanelRow {
  return {
    id: `${tank}`,
    text: m.tankcraft_tank({ tank }, { locale }),
    detail: describeNumbers(draft, chosen, locale),
    selected: tank === draft.selected,
    disabled: false,
    buttons: draft.types.map(({ type }): PanelButton => ({
      id: type,
      text: typeName(type, locale),
      title: `${typeName(type, locale)}: ${describeNumbers(draft, type, locale)}`,
      pressed: chosen === type,
      legal: true,
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

function selectTank(draft: Orders, tank: OrderTank | undefined): NextDraft {
  if (!tank?.cell) return { refused: DEAD };
  return { ...draft, selected: tank.id, aim: null };
}

function nextTank(draft: Orders, id: number): number {
  const living = draft.tanks.filter((tank) => tank.cell);
  const at = living.findIndex((tank) => tank.id === id);
  return living[(at + 1) % Math.max(1, living.length)]?.id ?? id;
}

function moveTank(draft: Orders, way: Way | undefined): NextDraft {
  if (!way) return { refused: DEAD };
  if (!way.legal) return { refused: way.why ?? OUT_OF_RANGE };
  return setOrder(draft, draft.selected, way.order);
}

function fireAt(draft: Orders, at: Cell): NextDraft {
  const tank = tankOf(draft, draft.selected);
  if (!tank?.cell) return { refused: DEAD };
  if (!tank.targets.some((target) => sameCell(target, at))) return { refused: OUT_OF_RANGE };
  return setOrder(draft, draft.selected, `FIRE:${at[0]}:${at[1]}`);
}

/** The nearest enemy in range, else the tank's own cell. */
function firstAim(tank: OrderTank, view: View): Cell {
  const own = tank.cell!;
  const distance = (cell: Cell) => Math.abs(cell[0] - own[0]) + Math.abs(cell[1] - own[1]);
  const seen = view.tanks
    .filter(({ id, cell }) => cell && sideOf(id) !== sideOf(tank.id))
    .map(({ cell }) => cell!);
  const near = seen.filter((cell) => tank.targets.some((target) => sameCell(target, cell)));
  near.sort((a, b) => distance(a) - distance(b));
  return near[0] ?? own;
}

function handleOrderKey(draft: Orders, key: string, view: View): NextDraft {
  const tank = tankOf(draft, draft.selected);
  const way = KEY_ORDERS[key.length === 1 ? key.toLowerCase() : key];
  if (draft.aim) return handleAimKey(draft, draft.aim, key, way);
  const named = tankOf(draft, digitOf(key));
  if (named) return selectTank(draft, named);
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

function handleAimKey(draft: Orders, aim: Cell, key: string, way: string | undefined): NextDraft {
  if (way) {
    const [down, right] = STEPS[way]!;
    const to: Cell = [aim[0] + down, aim[1] + right];
    return tankOf(draft, draft.selected)!.targets.some((target) => sameCell(target, to))
      ? { ...draft, aim: to }
      : { refused: OUT_OF_RANGE };
  }
  if (key === "Enter" || key === "f") return fireAt(draft, aim);
  if (key === "Escape" || key === "Backspace") return { ...draft, aim: null };
  return null;
}

/**
 * Handles a click: an own tank is selected, a neighbouring cell is moved to, a cell in range is
 * fired at.
 */
function handleOrderClick(draft: Orders, at: Cell): NextDraft {
  const own = draft.tanks.find((tank) => sameCell(tank.cell, at));
  if (own)
    return own.id === draft.selected ? setOrder(draft, own.id, STOP) : selectTank(draft, own);
  const tank = tankOf(draft, draft.selected);
  if (!tank?.cell) return { refused: DEAD };
  const way = tank.go.find(({ cell }) => sameCell(cell, at));
  // A second click on the next cell fires at it instead of going there.
  return way && way.legal && draft.orders[tank.id] !== way.order
    ? moveTank(draft, way)
    : fireAt(draft, at);
}

function describeOrder(order: string | undefined, locale: Lang): string {
  if (order === undefined || order === STOP) return m.tankcraft_stop({}, { locale });
  const target = /^FIRE:(-?\d+):(-?\d+)$/.exec(order);
  if (!target) return `${ARROWS[order] ?? ""} ${ORDER_NAMES[order]?.({}, { locale }) ?? order}`;
  const cell = cellName([Number(target[1]), Number(target[2])]);
  return m.tankcraft_fire_at({ cell }, { locale });
}

function describeOrderPanel(draft: Orders, locale: Lang): OrderPanel {
  return {
    title: draft.aim
      ? m.tankcraft_aim_title({ cell: cellName(draft.aim) }, { locale })
      : m.tankcraft_orders_title({}, { locale }),
    help: m.tankcraft_orders_help(labelRange(draft.tanks.map(({ id }) => id)), { locale }),
    done: m.tankcraft_orders_send({}, { locale }),
    rows: draft.tanks.map((tank) =>
      tank.cell
        ? describeTankRow(draft, tank, cellName(tank.cell), locale)
        : describeDeadRow(tank, locale),
    ),
  };
}

function describeTankRow(draft: Orders, tank: OrderTank, cell: string, locale: Lang): PanelRow {
  const selected = tank.id === draft.selected;
  return {
    id: `${tank.id}`,
    text: `${describeTank(tank, locale)} ♥${tank.life} ${cell}`,
    detail: describeOrder(draft.orders[tank.id], locale),
    selected,
    disabled: false,
    buttons: selected ? orderButtons(draft, tank, locale) : [],
  };
}

function describeDeadRow(tank: OrderTank, locale: Lang): PanelRow {
  return {
    id: `${tank.id}`,
    text: describeTank(tank, locale),
    detail: m.tankcraft_dead_until({ round: tank.revive ?? 0 }, { locale }),
    selected: false,
    disabled: true,
    buttons: [],
  };
}

function describeTank({ id, type }: OrderTank, locale: Lang): string {
  return `${id} ${type ? typeName(type, locale) : "?"}`;
}

/** The orders that the selected tank can get. */
function orderButtons(draft: Orders, tank: OrderTank, locale: Lang): PanelButton[] {
  const current = draft.orders[tank.id];
  const ways = tank.go.map(({ order, legal, why }): PanelButton => ({
    id: order,
    text: ARROWS[order] ?? order,
    title: ORDER_NAMES[order]?.({}, { locale }) ?? order,
    pressed: current === order,
    legal,
    why: why?.[locale] ?? null,
  }));
  return [
    ...ways,
    {
      id: "AIM",
      text: m.tankcraft_fire_button({}, { locale }),
      title: m.tankcraft_fire_title({}, { locale }),
      pressed: current?.startsWith("FIRE") || draft.aim !== null,
      legal: true,
    },
    {
      id: STOP,
      text: m.tankcraft_stop_button({}, { locale }),
      pressed: current === STOP,
      legal: true,
    },
  ];
}

function pressButton(draft: Draft, row: string, button: string | null, view: View): NextDraft {
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

function asDraftChange(next: NextDraft): DraftChange {
  return next === null || "refused" in next ? next : { draft: next };
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
