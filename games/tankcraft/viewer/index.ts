// TankCraft in the page.

import type { GameViewer } from "../../../web/src/viewer/game";
import { composer } from "./compose";
import { draw, drawSmall } from "./draw";
import { SIDE, type Setup, type View, cellOf, name } from "./view";
import { chips, inspect, marks, sentence } from "./words";

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
  pace: 800,
  fog: true,
  size: () => ({ cols: SIDE, rows: SIDE }),
  columnName: (col) => `${col + 1}`,
  rowName: (row) => `${row + 1}`,
  cellName: (at) => name(cellOf(at)),
  draw,
  small: { title: { en: "Mines and tanks", zh: "矿点与坦克" }, draw: drawSmall },
  inspect,
  marks,
  sentence,
  chips: (moment, _setup, seat, lang) => chips(moment, seat, lang),
  words: {
    goal: { en: "by resources, the goal reached", zh: "资源达到目标" },
    rounds: { en: "by resources after the last round", zh: "回合用尽，比较资源" },
    "leg-wins": { en: "by legs won", zh: "胜局数" },
    resources: { en: "by resources over all legs", zh: "各局资源总和" },
    equal: { en: "with everything equal", zh: "全部相同" },
  },
  question: (view, _ask, lang) =>
    view.round === 0
      ? lang === "zh"
        ? "选择阵容"
        : "Choose your team"
      : lang === "zh"
        ? "给坦克下令"
        : "Give your orders",
  composer,
};

export default viewer;
