// Texts of SnakeGo: sentences, marks, chips, and the content of a cell.

import { type Message, inBothLanguages, m } from "$lib/messages";
import type { Moment } from "$viewer/frame_buffer";
import type { BoardCell, SummaryChip, TimelineMark } from "$viewer/game_viewer";
import type { GameEvent, Lang, Seat } from "$viewer/leg_frames";
import {
  LENGTH,
  type Setup,
  type Snake,
  type View,
  boardCell,
  cellName,
  coming,
  describeItem,
  snakesOf,
} from "./view";

const SIDES: Record<Seat, Message> = { first: m.snakego_first, second: m.snakego_second };

const DEATHS: Record<string, Message> = {
  edge: m.snakego_dies_edge,
  wall: m.snakego_dies_wall,
  snake: m.snakego_dies_snake,
  enclosed: m.snakego_dies_enclosed,
};

function findSnake(moment: Moment<View>, id: unknown): Snake | undefined {
  const has = (snake: Snake) => snake.id === id;
  return moment.before?.snakes.find(has) ?? moment.view.snakes.find(has);
}

function snakeName(moment: Moment<View>, id: unknown, you: Seat | null, locale: Lang): string {
  const seat = findSnake(moment, id)?.seat;
  const snake = String(id);
  if (seat === undefined) return m.snakego_the_snake({ snake }, { locale });
  if (seat === you) return m.snakego_your_snake({ snake }, { locale });
  return m.snakego_side_snake({ side: SIDES[seat]({}, { locale }), snake }, { locale });
}

function directionOf(moment: Moment<View>, event: GameEvent): Message {
  const from = findSnake(moment, event.snake)?.cells[0];
  const [dx, dy] = from ? [Number(event.x) - from[0], Number(event.y) - from[1]] : [0, 0];
  if (dx > 0) return m.snakego_right;
  if (dx < 0) return m.snakego_left;
  return dy > 0 ? m.snakego_up : m.snakego_down;
}

/** The action of a snake in an event; null for events that are not about a snake. */
function describeSnakeEvent(
  moment: Moment<View>,
  event: GameEvent,
  setup: Setup,
  locale: Lang,
): string | null {
  switch (event.event) {
    case "moved":
      return m.snakego_moves({ direction: directionOf(moment, event)({}, { locale }) }, { locale });
    case "ate": {
      const [, , , type, amount] = setup.items[Number(event.item)] ?? [0, 0, 0, 0, 0];
      if (type === LENGTH) return m.snakego_eats({ amount }, { locale });
      return m.snakego_gets_ray({}, { locale });
    }
    case "split":
      return m.snakego_splits({ tail: String(event.tail) }, { locale });
    case "fired":
      return m.snakego_fires({ walls: String(event.walls) }, { locale });
    case "solidified":
      return m.snakego_solidifies({ cells: String(event.cells) }, { locale });
    case "died":
      return (DEATHS[String(event.cause)] ?? m.snakego_dies)({}, { locale });
    default:
      return null;
  }
}

function describeAppearance(event: GameEvent, setup: Setup, locale: Lang): string[] {
  const row = event.event === "appeared" ? setup.items[Number(event.item)] : undefined;
  if (!row) return [];
  const item = describeItem(row[3], row[4], locale);
  const cell = cellName(boardCell([row[0], row[1]]));
  return [m.snakego_appears({ item, cell }, { locale })];
}

export function describeStep(
  moment: Moment<View>,
  setup: Setup,
  you: Seat | null,
  locale: Lang,
): string {
  const bySnake: { snake: unknown; texts: string[] }[] = [];
  const appearances: string[] = [];
  for (const event of moment.frame.events ?? []) {
    const text = describeSnakeEvent(moment, event, setup, locale);
    const last = bySnake[bySnake.length - 1];
    if (text === null) appearances.push(...describeAppearance(event, setup, locale));
    else if (last && last.snake === event.snake) last.texts.push(text);
    else bySnake.push({ snake: event.snake, texts: [text] });
  }
  const actions = bySnake.map(({ snake, texts }) => {
    const who = snakeName(moment, snake, you, locale);
    return m.snakego_does({ who, what: texts.join(m.snakego_and({}, { locale })) }, { locale });
  });
  return [...actions, ...appearances].join(m.separator({}, { locale }));
}

const SIGNS: Record<string, Pick<TimelineMark, "weight" | "glyph">> = {
  split: { weight: "notable", glyph: "s" },
  ate: { weight: "minor", glyph: "e" },
  solidified: { weight: "major", glyph: "S" },
  died: { weight: "loss", glyph: "✕" },
  fired: { weight: "notable", glyph: "r" },
};

export function findMarks(moment: Moment<View>, setup: Setup): TimelineMark[] {
  return (moment.frame.events ?? []).flatMap((event): TimelineMark[] => {
    const sign = SIGNS[event.event];
    if (!sign) return [];
    const text = inBothLanguages((locale) =>
      m.snakego_does(
        {
          who: snakeName(moment, event.snake, null, locale),
          what: describeSnakeEvent(moment, event, setup, locale) ?? "",
        },
        { locale },
      ),
    );
    return [{ ...sign, seat: findSnake(moment, event.snake)?.seat ?? null, text }];
  });
}

/** The bank and the ray of a snake, to be put after its length. */
function describeHoldings({ bank, ray }: Snake, locale: Lang): string {
  const inBank = bank ? m.snakego_in_bank({ amount: bank }, { locale }) : "";
  return inBank + (ray ? m.snakego_holds_ray({}, { locale }) : "");
}

/** What a snake holds, in the width of a column. */
function abbreviateHoldings({ bank, ray }: Snake, locale: Lang): string {
  const inBank = bank ? m.snakego_chip_bank({ amount: bank }, { locale }) : "";
  return inBank + (ray ? m.snakego_chip_ray({}, { locale }) : "");
}

export function summaryChips({ view }: Moment<View>, seat: Seat, locale: Lang): SummaryChip[] {
  const chipOf = (snake: Snake): SummaryChip => {
    const length = snake.cells.length;
    const held = abbreviateHoldings(snake, locale);
    const more = describeHoldings(snake, locale);
    return {
      text: m.snakego_chip_short({ snake: snake.id, length, more: held }, { locale }),
      title: m.snakego_chip({ snake: snake.id, length, more }, { locale }),
      active: view.to_move === seat && view.snake === snake.id,
      at: boardCell(snake.cells[0]!),
    };
  };
  const snakes = snakesOf(view, seat);
  return snakes.length
    ? snakes.map(chipOf)
    : [{ text: m.snakego_no_snakes({}, { locale }), faded: true }];
}

export function describeCell(
  { view }: Moment<View>,
  at: BoardCell,
  setup: Setup,
  locale: Lang,
): string[] {
  const isHere = ([x, y]: readonly [number, number]) => {
    const cell = boardCell([x, y]);
    return cell.col === at.col && cell.row === at.row;
  };
  const lines = [
    ...describeSnakes(view, isHere, locale),
    ...describeWalls(view, isHere, locale),
    ...describeItems(view, setup, isHere, locale),
  ];
  return lines.length ? lines : [m.snakego_empty({}, { locale })];
}

type IsHere = (cell: readonly [number, number]) => boolean;

function describeSnakes(view: View, isHere: IsHere, locale: Lang): string[] {
  return view.snakes.flatMap((snake) => {
    const index = snake.cells.findIndex(isHere);
    return index < 0 ? [] : [describePart(snake, index, locale)];
  });
}

function describeWalls(view: View, isHere: IsHere, locale: Lang): string[] {
  return view.walls.flatMap((walls, seat) => {
    const side = SIDES[seat === 0 ? "first" : "second"]({}, { locale });
    return walls.some(isHere) ? [m.snakego_wall_of({ side }, { locale })] : [];
  });
}

function describeItems(view: View, setup: Setup, isHere: IsHere, locale: Lang): string[] {
  const present = view.items
    .filter(({ x, y }) => isHere([x, y]))
    .map(({ type, param, expires }) => {
      const item = describeItem(type, param, locale);
      return m.snakego_item_until({ item, round: expires }, { locale });
    });
  const later = coming(view, setup, 64)
    .filter(({ row }) => isHere([row[0], row[1]]))
    .map(({ row, wait }) => {
      const item = describeItem(row[3], row[4], locale);
      return m.snakego_item_in({ item, round: row[2], wait }, { locale });
    });
  return [...present, ...later];
}

function describePart(snake: Snake, index: number, locale: Lang): string {
  const { id, seat, cells } = snake;
  return m.snakego_part_of(
    {
      part: partName(index, cells.length, locale),
      side: SIDES[seat]({}, { locale }),
      snake: id,
      length: cells.length,
      more: describeHoldings(snake, locale),
    },
    { locale },
  );
}

function partName(index: number, length: number, locale: Lang): string {
  if (index === 0) return m.snakego_head({}, { locale });
  if (index === length - 1) return m.snakego_tail({}, { locale });
  return m.snakego_body_cell({ number: index + 1 }, { locale });
}
