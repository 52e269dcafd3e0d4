// SnakeGo in the page.

import type { LocalizedText } from "$viewer/leg_frames";
import type { Question, GameViewer } from "$viewer/game_viewer";
import { draw, drawSmall } from "./draw";
import {
  SIDE,
  type Cell,
  type Setup,
  type View,
  cellName,
  itemWords,
  itemsAt,
  place,
} from "./view";
import { chips, inspect, marks, sentence } from "./describe";

/** Where the actions 1 to 4 lead. */
const WAYS: Record<string, Cell> = { "1": [1, 0], "2": [0, 1], "3": [-1, 0], "4": [0, -1] };

/** Beginnings of the engine's reasons (`src/action.rs`), for somebody who has not done it yet. */
const WHY: [string, LocalizedText][] = [
  ["turned back", { en: "no turning back into the own neck", zh: "不能掉头撞自己的颈部" }],
  ["fired a ray it does not hold", { en: "holds no ray", zh: "没有融化射线" }],
  [
    "fired a ray with length 1",
    { en: "length 2 is needed for a direction", zh: "长度至少 2 才能发射" },
  ],
  ["split although", { en: "there are four snakes already", zh: "已有四条蛇" }],
  ["split with length 1", { en: "length 2 is needed", zh: "长度至少为 2" }],
];

const viewer: GameViewer<View, Setup> = {
  id: "snakego",
  seats: {
    first: {
      name: { en: "yellow", zh: "黄方" },
      letter: "Y",
      color: { light: "#e0a100", dark: "#f0b92b" },
      ink: { light: "#8a6100", dark: "#f0b92b" },
    },
    second: {
      name: { en: "blue", zh: "蓝方" },
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
  drawBoard: draw,
  overview: {
    title: { en: "Items to come", zh: "未来道具" },
    lastRound: (setup) => setup.max_round,
    describeRound(setup, round, lang) {
      const row = setup.items.find(([, , time]) => time === round);
      if (!row) return lang === "zh" ? `第 ${round} 回合` : `round ${round}`;
      const [what, where] = [itemWords(row[3], row[4], lang), cellName(place([row[0], row[1]]))];
      return lang === "zh"
        ? `第 ${round} 回合：${where} 出现${what}`
        : `round ${round}: ${what} appears at ${where}`;
    },
    drawOverview: (scene, round) =>
      drawSmall(scene, itemsAt(scene.moment.view, scene.setup, round), round),
  },
  describeCell: inspect,
  findMarks: marks,
  describeStep: sentence,
  summaryChips: (moment, _setup, seat, lang) => chips(moment, seat, lang),
  targetCell(view: View, _ask: Question, action) {
    const head = view.snakes.find((snake) => snake.id === view.snake)?.cells[0];
    const way = WAYS[action];
    return head && way ? place([head[0] + way[0], head[1] + way[1]]) : null;
  },
  reasons: {
    cells: { en: "by more cells", zh: "占据格数更多" },
    "equal-cells": { en: "with equal cells, as the first player", zh: "格数相同，先手胜" },
    "leg-wins": { en: "by legs won", zh: "半场胜场数" },
    "total-score": { en: "by total score", zh: "上下半场总得分" },
    "first-item": { en: "by the first item of leg 1", zh: "上半场先吃到道具" },
    "second-in-first-leg": { en: "as second player of leg 1", zh: "上半场后手" },
  },
  explainIllegal: (why, lang) => WHY.find(([start]) => why.startsWith(start))?.[1][lang] ?? null,
  describeQuestion: (view, _ask, lang) =>
    lang === "zh" ? `轮到蛇 ${view.snake}` : `Snake ${view.snake} acts`,
};

export default viewer;
