// TankCraft in the page.

import type { GameViewer } from "$viewer/game_viewer";
import { orderBuilder } from "./order_builder";
import { draw, drawSmall } from "./draw";
import { SIDE, type Setup, type View, cellOf, name } from "./view";
import { chips, inspect, marks, sentence } from "./describe";

const viewer: GameViewer<View, Setup> = {
  id: "tankcraft",
  seats: {
    first: {
      name: { en: "red", zh: "红方" },
      letter: "R",
      color: { light: "#c8431a", dark: "#ee7a4c" },
    },
    second: {
      name: { en: "blue", zh: "蓝方" },
      letter: "B",
      color: { light: "#0068a8", dark: "#56a8e6" },
    },
  },
  stepMillis: 800,
  fog: true,
  boardSize: () => ({ cols: SIDE, rows: SIDE }),
  columnName: (col) => `${col + 1}`,
  rowName: (row) => `${row + 1}`,
  cellName: (at) => name(cellOf(at)),
  drawBoard: draw,
  overview: { title: { en: "Mines and tanks", zh: "矿点与坦克" }, drawOverview: drawSmall },
  describeCell: inspect,
  findMarks: marks,
  describeStep: sentence,
  summaryChips: (moment, _setup, seat, lang) => chips(moment, seat, lang),
  reasons: {
    goal: { en: "by resources, the goal reached", zh: "资源达到目标" },
    rounds: { en: "by resources after the last round", zh: "回合用尽，比较资源" },
    "leg-wins": { en: "by legs won", zh: "胜局数" },
    resources: { en: "by resources over all legs", zh: "各局资源总和" },
    equal: { en: "with everything equal", zh: "全部相同" },
  },
  describeQuestion: (view, _ask, lang) =>
    view.round === 0
      ? lang === "zh"
        ? "选择阵容"
        : "Choose your team"
      : lang === "zh"
        ? "给坦克下令"
        : "Give your orders",
  orderBuilder,
};

export default viewer;
