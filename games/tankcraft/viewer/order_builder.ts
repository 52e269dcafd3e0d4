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
import { type March, isBrick, isEnemy, planMarch } from "./march";
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
      round: number;
      /** The orders of this round by tank; a tank without one follows its standing order. */
      orders: Record<number, string>;
      /** The standing orders by tank; a tank without any order stops. */
      marches: Record<number, March>;
      /** What the tanks were told in the round before. */
      last: Record<number, string>;
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
const NO_WAY = localizedMessage(m.tankcraft_no_way);
const NOTHING_TO_REPEAT = localizedMessage(m.tankcraft_nothing_to_repeat);
const STOP = "STOP";
const NO_ENEMY = localizedMessage(m.tankcraft_no_enemy);
/** The button with which all tanks fire at the enemies in range. */
const VOLLEY = "VOLLEY";
/** The button that repeats the orders of the last round. */
const REPEAT = "REPEAT";

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

function startDraft(question: Question, view: View | null, before: unknown): Draft | null {
  const options = question.options as Options | null;
  if (options?.choose === "team") {
    const first = options.types[0]!.type;
    return { ...options, team: options.tanks.map(() => first), selected: options.tanks[0]! };
  }
  if (options?.choose !== "orders") return null;
  return startOrders(options.tanks, view, before as Draft | null);
}

/** The draft of a round: tanks that have not arrived keep their standing orders. */
function startOrders(tanks: OrderTank[], view: View | null, before: Draft | null): Orders {
  const round = view?.round ?? 0;
  const draft: Orders = {
    choose: "orders",
    tanks,
    round,
    orders: {},
    marches: {},
    last: {},
    selected: (tanks.find(({ cell }) => cell) ?? tanks[0]!).id,
    aim: null,
  };
  const isSameSide = before?.choose === "orders" && before.tanks[0]?.id === tanks[0]?.id;
  if (!view || !isSameSide || before.round > round) return draft;
  // After a lost connection the same question comes again.
  if (before.round === round) return { ...before, tanks };
  draft.last = Object.fromEntries(tanks.map(({ id }) => [id, orderOf(before, id)]));
  for (const tank of tanks) {
    const target = before.marches[tank.id]?.target;
    const march = target && !sameCell(target, tank.cell) && planMarch(tank, target, view);
    if (march) draft.marches[tank.id] = march;
  }
  return fireByItself({ ...draft, selected: nextIdleTank(draft, before.selected) }, view);
}

/** Tanks without an order fire at the nearest enemy in range, unless they are told otherwise. */
function fireByItself(draft: Orders, view: View): Orders {
  const idle = draft.tanks.filter(({ id }) => !draft.marches[id]);
  const orders = { ...draft.orders };
  for (const tank of idle) {
    const enemy = tank.cell && nearestEnemy(tank, view);
    if (enemy) orders[tank.id] = `FIRE:${enemy[0]}:${enemy[1]}`;
  }
  return { ...draft, orders };
}

/** The tank that is told what to do next: the same one, but rather one that has no order. */
function nextIdleTank({ tanks, marches }: Orders, selected: number): number {
  const living = tanks.filter(({ cell }) => cell);
  const idle = living.filter(({ id }) => !marches[id]);
  const wanted = idle.length > 0 ? idle : living.length > 0 ? living : tanks;
  return (wanted.find(({ id }) => id === selected) ?? wanted[0]!).id;
}

/** The order of a tank in this round. */
function orderOf({ orders, marches }: Orders, tank: number): string {
  return orders[tank] ?? marches[tank]?.order ?? STOP;
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
  const marches = { ...draft.marches };
  if (said === null) delete orders[tank];
  else orders[tank] = said;
  // A shot interrupts a standing order, every other order ends it.
  if (!said?.startsWith("FIRE")) delete marches[tank];
  return { ...draft, orders, marches, selected: tank, aim: null };
}

/** Gives a standing order: the tank goes to a far cell. */
function marchTo(draft: Orders, tank: OrderTank, target: Cell, view: View): NextDraft {
  const march = planMarch(tank, target, view);
  if (!march) return { refused: NO_WAY };
  const orders = { ...draft.orders };
  delete orders[tank.id];
  return { ...draft, orders, marches: { ...draft.marches, [tank.id]: march }, aim: null };
}

/** The orders of the last round again, as far as they are possible. */
function repeatOrders(draft: Orders): NextDraft {
  const again = draft.tanks.filter((tank) => isPossible(tank, draft.last[tank.id]));
  if (again.length === 0) return { refused: NOTHING_TO_REPEAT };
  const orders = { ...draft.orders };
  for (const { id } of again) orders[id] = draft.last[id]!;
  return { ...draft, orders, aim: null };
}

function isPossible(tank: OrderTank, order: string | undefined): boolean {
  if (!tank.cell || order === undefined || order === STOP) return false;
  const target = targetOf(order);
  if (target) return tank.targets.some((cell) => sameCell(cell, target));
  return tank.go.some((way) => way.order === order && way.legal);
}

/** The cell at which an order fires. */
export function targetOf(order: string): Cell | null {
  const found = /^FIRE:(-?\d+):(-?\d+)$/.exec(order);
  return found && [Number(found[1]), Number(found[2])];
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

/** The nearest enemy in range. */
function nearestEnemy(tank: OrderTank, view: View): Cell | undefined {
  const own = tank.cell!;
  const distance = (cell: Cell) => Math.abs(cell[0] - own[0]) + Math.abs(cell[1] - own[1]);
  const seen = view.tanks
    .filter(({ id, cell }) => cell && sideOf(id) !== sideOf(tank.id))
    .map(({ cell }) => cell!);
  const near = seen.filter((cell) => tank.targets.some((target) => sameCell(target, cell)));
  near.sort((a, b) => distance(a) - distance(b));
  return near[0];
}

/** Every tank with an enemy in range fires at the nearest one. */
function fireAll(draft: Orders, view: View): NextDraft {
  const orders = { ...draft.orders };
  for (const tank of draft.tanks) {
    const enemy = tank.cell && nearestEnemy(tank, view);
    if (enemy) orders[tank.id] = `FIRE:${enemy[0]}:${enemy[1]}`;
  }
  if (!canFireAll(draft, view)) return { refused: NO_ENEMY };
  return { ...draft, orders, aim: null };
}

const canFireAll = (draft: Orders, view: View): boolean =>
  draft.tanks.some((tank) => tank.cell && nearestEnemy(tank, view));

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
    case "g":
      return fireAll(draft, view);
    case "r":
      return repeatOrders(draft);
    case "f":
      return tank?.cell
        ? { ...draft, aim: nearestEnemy(tank, view) ?? tank.cell }
        : { refused: DEAD };
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
 * Handles a click: an own tank is selected, an enemy or a brick in range is fired at, and every
 * other cell is gone to. A second click on a cell in range fires at it instead.
 */
function handleOrderClick(draft: Orders, at: Cell, view: View): NextDraft {
  const own = draft.tanks.find((tank) => sameCell(tank.cell, at));
  if (own)
    return own.id === draft.selected ? setOrder(draft, own.id, STOP) : selectTank(draft, own);
  const tank = tankOf(draft, draft.selected);
  if (!tank?.cell) return { refused: DEAD };
  const way = tank.go.find(({ cell }) => sameCell(cell, at));
  if (way)
    return way.legal && draft.orders[tank.id] !== way.order
      ? moveTank(draft, way)
      : fireAt(draft, at);
  const isAimed =
    sameCell(draft.marches[tank.id]?.target, at) && draft.orders[tank.id] === undefined;
  const isInRange = tank.targets.some((target) => sameCell(target, at));
  return isInRange && (isAimed || isBrick(at, view) || isEnemy(at, tank.id, view))
    ? fireAt(draft, at)
    : marchTo(draft, tank, at, view);
}

function describeOrder(order: string, locale: Lang): string {
  if (order === STOP) return m.tankcraft_stop({}, { locale });
  const target = targetOf(order);
  if (!target) return `${ARROWS[order] ?? ""} ${ORDER_NAMES[order]?.({}, { locale }) ?? order}`;
  return m.tankcraft_fire_at({ cell: cellName(target) }, { locale });
}

/** The order of a tank in this round, or where it is going. */
function describeOrderOf(draft: Orders, tank: number, locale: Lang): string {
  const march = draft.marches[tank];
  if (!march || draft.orders[tank] !== undefined)
    return describeOrder(orderOf(draft, tank), locale);
  return m.tankcraft_march({ cell: cellName(march.target), steps: march.path.length }, { locale });
}

function describeOrderPanel(draft: Orders, view: View, locale: Lang): OrderPanel {
  return {
    title: draft.aim
      ? m.tankcraft_aim_title({ cell: cellName(draft.aim) }, { locale })
      : m.tankcraft_orders_title({}, { locale }),
    help: m.tankcraft_orders_help(labelRange(draft.tanks.map(({ id }) => id)), { locale }),
    done: m.tankcraft_orders_send({}, { locale }),
    rows: draft.tanks.map((tank) =>
      tank.cell
        ? describeTankRow(draft, tank, cellName(tank.cell), locale)
        : describeDeadRow(tank, draft.marches[tank.id], locale),
    ),
    common: [
      {
        id: VOLLEY,
        text: m.tankcraft_volley_button({}, { locale }),
        title: m.tankcraft_volley_title({}, { locale }),
        legal: canFireAll(draft, view),
        why: m.tankcraft_no_enemy({}, { locale }),
      },
      {
        id: REPEAT,
        text: m.tankcraft_repeat_button({}, { locale }),
        title: m.tankcraft_repeat_title({}, { locale }),
        legal: draft.tanks.some((tank) => isPossible(tank, draft.last[tank.id])),
      },
    ],
  };
}

function describeTankRow(draft: Orders, tank: OrderTank, cell: string, locale: Lang): PanelRow {
  const selected = tank.id === draft.selected;
  return {
    id: `${tank.id}`,
    text: `${describeTank(tank, locale)} ♥${tank.life} ${cell}`,
    detail: describeOrderOf(draft, tank.id, locale),
    selected,
    disabled: false,
    buttons: selected ? orderButtons(draft, tank, locale) : [],
  };
}

function describeDeadRow(tank: OrderTank, march: March | undefined, locale: Lang): PanelRow {
  const back = m.tankcraft_dead_until({ round: tank.revive ?? 0 }, { locale });
  const then = march && m.tankcraft_march_dead({ cell: cellName(march.target) }, { locale });
  return {
    id: `${tank.id}`,
    text: describeTank(tank, locale),
    detail: [back, then].filter(Boolean).join(m.tankcraft_list_separator({}, { locale })),
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
  const current = draft.marches[tank.id] ? draft.orders[tank.id] : orderOf(draft, tank.id);
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
  if (button === VOLLEY) return fireAll(draft, view);
  if (button === REPEAT) return repeatOrders(draft);
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
  handleClick(state, cell, _question, view) {
    const draft = state as Draft | null;
    return draft?.choose === "orders"
      ? asDraftChange(handleOrderClick(draft, cellOf(cell), view))
      : null;
  },
  handleButton: (state, row, button, _question, view) =>
    asDraftChange(pressButton(state as Draft, row, button, view)),
  describePanel: (state, _question, view, lang) =>
    (state as Draft).choose === "team"
      ? describeTeamPanel(state as Team, lang)
      : describeOrderPanel(state as Orders, view, lang),
  draftAction(state) {
    const draft = state as Draft;
    if (draft.choose === "team") return ["Team", ...draft.team].join(";");
    return draft.tanks.map(({ id }) => orderOf(draft, id)).join(";");
  },
};
