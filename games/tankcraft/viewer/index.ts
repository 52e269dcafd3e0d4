// TankCraft in the page.

import { localizedMessage, m } from "$lib/messages";
import type { GameViewer } from "$viewer/game_viewer";
import { actionSigns, lineArrows } from "./line";
import { orderBuilder } from "./order_builder";
import { drawBoard, drawOverview } from "./draw";
import { SIDE, type Setup, type View, cellName, cellOf } from "./view";
import { describeCell, describeStep, findMarks, summaryChips } from "./describe";

const viewer: GameViewer<View, Setup> = {
  id: "tankcraft",
  seats: {
    first: {
      name: localizedMessage(m.tankcraft_first),
      letter: "R",
      color: { light: "#c8431a", dark: "#ee7a4c" },
    },
    second: {
      name: localizedMessage(m.tankcraft_second),
      letter: "B",
      color: { light: "#0068a8", dark: "#56a8e6" },
    },
  },
  stepMillis: 800,
  fog: true,
  boardSize: () => ({ cols: SIDE, rows: SIDE }),
  columnName: (col) => `${col + 1}`,
  rowName: (row) => `${row + 1}`,
  cellName: (at) => cellName(cellOf(at)),
  drawBoard,
  overview: { title: localizedMessage(m.tankcraft_mines_and_tanks), drawOverview },
  describeCell,
  findMarks,
  describeStep,
  summaryChips: (moment, _setup, seat, locale) => summaryChips(moment, seat, locale),
  reasons: {
    goal: localizedMessage(m.tankcraft_reason_goal),
    rounds: localizedMessage(m.tankcraft_reason_rounds),
    decided: localizedMessage(m.tankcraft_reason_decided),
    "leg-wins": localizedMessage(m.tankcraft_reason_leg_wins),
    resources: localizedMessage(m.tankcraft_reason_resources),
    equal: localizedMessage(m.tankcraft_reason_equal),
  },
  describeMargin: (reason, count, locale) =>
    ["goal", "rounds", "decided", "resources"].includes(reason)
      ? m.tankcraft_margin({ count }, { locale })
      : null,
  describeQuestion: (view, _question, locale) =>
    (view.round === 0 ? m.tankcraft_choose_team : m.tankcraft_give_orders)({}, { locale }),
  describeGoal: ({ goal, rounds }, _seat, _rounds, locale) =>
    m.tankcraft_goal({ goal, rounds }, { locale }),
  legend: [
    { sign: "⚑", text: localizedMessage(m.tankcraft_legend_mine) },
    { sign: "✕", text: localizedMessage(m.tankcraft_legend_death) },
    { sign: "♥", text: localizedMessage(m.tankcraft_legend_life) },
  ],
  actionSigns,
  lineArrows,
  orderBuilder,
};

export default viewer;
