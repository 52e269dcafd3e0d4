// SnakeGo in the page.

import { type Message, localizedMessage, m } from "$lib/messages";
import type { ActionLine, BoardArrow, Question, GameViewer } from "$viewer/game_viewer";
import type { Lang } from "$viewer/leg_frames";
import { drawBoard, drawOverview } from "./draw";
import {
  SIDE,
  type Cell,
  type Setup,
  type View,
  cellName,
  describeItem,
  itemsAt,
  boardCell,
} from "./view";
import { DIRECTIONS, steering } from "./steer";
import { describeCell, describeStep, findMarks, summaryChips } from "./describe";

/**
 * The beginnings of the engine's reasons (`src/action.rs`), and the texts that a person reads
 * before the action.
 */
const ILLEGAL: [start: string, message: Message][] = [
  ["turned back", m.snakego_why_reverse],
  ["fired a ray it does not hold", m.snakego_why_no_ray],
  ["fired a ray with length 1", m.snakego_why_ray_length],
  ["split although", m.snakego_why_four_snakes],
  ["split with length 1", m.snakego_why_split_length],
];

/** The cell to which the acting snake's head moves. */
function targetOf(view: View, action: string): Cell | null {
  const head = view.snakes.find((snake) => snake.id === view.snake)?.cells[0];
  const way = DIRECTIONS[action];
  return head && way ? [head[0] + way[0], head[1] + way[1]] : null;
}

/** Why a move kills the acting snake: its own body does not, that is how it encloses. */
function warnAbout(view: View, _question: Question, action: string, locale: Lang): string | null {
  const cell = targetOf(view, action);
  if (!cell) return null;
  const [x, y] = cell;
  const covers = (cells: readonly Cell[]) => cells.some((own) => own[0] === x && own[1] === y);
  if (x < 0 || y < 0 || x >= SIDE || y >= SIDE) return m.snakego_deadly_edge({}, { locale });
  if (view.walls.some(covers)) return m.snakego_deadly_wall({}, { locale });
  const others = view.snakes.filter((snake) => snake.id !== view.snake);
  return others.some(({ cells }) => covers(cells)) ? m.snakego_deadly_snake({}, { locale }) : null;
}

const SIGNS: Record<string, string> = {
  "1": "→",
  "2": "↑",
  "3": "←",
  "4": "↓",
  "5": "⚡",
  "6": "s",
};

/** Actions that a sign alone does not say. */
const WORDS: Record<string, Message> = {
  "5": m.snakego_action_ray,
  "6": m.snakego_action_split,
};

/** Every action belongs to the snake that the view before it names. */
function lineArrows({ view, actions, views }: ActionLine<View, Setup>): BoardArrow[] {
  return actions.flatMap((action, order): BoardArrow[] => {
    const now = order === 0 ? view : views[order - 1];
    const head = now?.snakes.find((snake) => snake.id === now.snake)?.cells[0];
    if (!now || !head) return [];
    const to = targetOf(now, action);
    const from = boardCell(head);
    if (!to) return [{ from, to: from, kind: "stay", order, sign: SIGNS[action] ?? action }];
    return [{ from, to: boardCell(to), kind: "move", order }];
  });
}

const viewer: GameViewer<View, Setup> = {
  id: "snakego",
  seats: {
    first: {
      name: localizedMessage(m.snakego_first),
      letter: "Y",
      color: { light: "#e0a100", dark: "#f0b92b" },
      ink: { light: "#8a6100", dark: "#f0b92b" },
    },
    second: {
      name: localizedMessage(m.snakego_second),
      letter: "B",
      color: { light: "#0068a8", dark: "#56a8e6" },
    },
  },
  stepMillis: 240,
  fog: false,
  boardSize: () => ({ cols: SIDE, rows: SIDE }),
  columnName: (col) => `${col}`,
  rowName: (row) => `${SIDE - 1 - row}`,
  cellName: (at) => cellName(at),
  drawBoard,
  overview: {
    title: localizedMessage(m.snakego_items_to_come),
    lastRound: (setup) => setup.max_round,
    describeRound(setup, round, locale) {
      const row = setup.items.find(([, , time]) => time === round);
      if (!row) return m.snakego_round_n({ round }, { locale });
      const item = describeItem(row[3], row[4], locale);
      const cell = cellName(boardCell([row[0], row[1]]));
      return m.snakego_round_item({ round, item, cell }, { locale });
    },
    drawOverview: (scene, round) =>
      drawOverview(scene, itemsAt(scene.moment.view, scene.setup, round), round),
  },
  describeCell,
  findMarks,
  describeStep,
  summaryChips: (moment, _setup, seat, locale) => summaryChips(moment, seat, locale),
  targetCell(view: View, _question: Question, action) {
    const cell = targetOf(view, action);
    return cell && boardCell(cell);
  },
  warnAbout,
  steering,
  actionSigns: (action, _seat, locale) =>
    WORDS[action]?.({}, { locale }) ?? SIGNS[action] ?? action,
  lineArrows,
  describeGoal(_setup, seat, rounds, locale) {
    const other = (seat === "first" ? m.snakego_second : m.snakego_first)({}, { locale });
    return m.snakego_goal({ other, rounds }, { locale });
  },
  legend: [
    { sign: "s", text: localizedMessage(m.snakego_legend_split) },
    { sign: "e", text: localizedMessage(m.snakego_legend_eat) },
    { sign: "S", text: localizedMessage(m.snakego_legend_solidify) },
    { sign: "r", text: localizedMessage(m.snakego_legend_ray) },
    { sign: "✕", text: localizedMessage(m.snakego_legend_death) },
    { sign: "0–9", text: localizedMessage(m.snakego_legend_head) },
    { sign: "①", text: localizedMessage(m.snakego_legend_order) },
    { sign: "+2", text: localizedMessage(m.snakego_legend_bank) },
    { sign: "⚡", text: localizedMessage(m.snakego_legend_held) },
    { sign: "◯", text: localizedMessage(m.snakego_legend_item) },
    { sign: "▢", text: localizedMessage(m.snakego_legend_coming) },
  ],
  reasons: {
    cells: localizedMessage(m.snakego_reason_cells),
    "equal-cells": localizedMessage(m.snakego_reason_equal_cells),
    decided: localizedMessage(m.snakego_reason_decided),
    "leg-wins": localizedMessage(m.snakego_reason_leg_wins),
    "total-score": localizedMessage(m.snakego_reason_total_score),
    "first-item": localizedMessage(m.snakego_reason_first_item),
    "second-in-first-leg": localizedMessage(m.snakego_reason_second_in_first_leg),
  },
  describeMargin(reason, count, locale) {
    if (!["cells", "decided", "total-score"].includes(reason)) return null;
    const message = count === 1 ? m.snakego_margin_one : m.snakego_margin;
    return message({ count }, { locale });
  },
  explainIllegal: (why, locale) =>
    ILLEGAL.find(([start]) => why.startsWith(start))?.[1]({}, { locale }) ?? null,
  describeQuestion: (view, _question, locale) =>
    m.snakego_question({ snake: view.snake ?? "" }, { locale }),
};

export default viewer;
