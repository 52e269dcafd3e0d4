import { expect, test } from "vitest";
import type { Question } from "$viewer/game_viewer";
import type { Moment } from "$viewer/frame_buffer";
import viewer, { type View } from "./index";

const view: View = {
  round: 3,
  rounds: 148,
  rows: 13,
  cols: 14,
  you: null,
  grows: true,
  length: 2,
  map: ["11111111111111", ...Array.from({ length: 11 }, () => "10000000000001"), "11111111111111"],
  snakes: [
    {
      seat: "first",
      facing: 0,
      cells: [
        [10, 1],
        [11, 1],
      ],
    },
    {
      seat: "second",
      facing: 2,
      cells: [
        [2, 12],
        [1, 12],
      ],
    },
  ],
};
const moment = (...events: { event: string; [member: string]: unknown }[]): Moment<View> => ({
  frame: { step: 1, round: 3, period: 3, to_move: [], scores: [0, 0], events },
  view,
  before: view,
});

test("a round as a sentence", () => {
  const round = moment(
    { event: "moved", seat: "first", direction: 0 },
    { event: "moved", seat: "second", direction: 3 },
    { event: "grew", length: 3 },
  );
  expect(viewer.describeStep(round, null, "first", "en")).toBe(
    "you move up; B moves left; both grow to 3",
  );
  expect(viewer.describeStep(round, null, null, "zh")).toBe("A 向上；B 向左；双方变长到 3");
  const dead = moment({ event: "died", seat: "second", cause: "self" });
  expect(viewer.describeStep(dead, null, null, "en")).toBe("B dies: its head runs into itself");
  expect(viewer.findMarks(dead, null).map(({ glyph, seat }) => glyph + seat)).toEqual(["✕second"]);
});

test("cells and directions", () => {
  expect(viewer.describeCell(moment(), { row: 10, col: 1 }, null, "en")).toEqual([
    "head of A, length 2",
  ]);
  expect(viewer.describeCell(moment(), { row: 0, col: 0 }, null, "en")).toEqual(["wall"]);
  expect(viewer.targetCell?.(view, { seat: "second" } as Question, "1")).toEqual({
    row: 2,
    col: 13,
  });
  expect(viewer.targetCell?.(view, { seat: "first" } as Question, "0")).toEqual({ row: 9, col: 1 });
});

test("the standing is the free cells that each head reaches first", () => {
  expect(viewer.standing?.measure(view)).toEqual([64, 64]);
  const walls = { ...view, map: view.map.map((row) => row.replaceAll("0", "1")) };
  expect(viewer.standing?.measure(walls)).toEqual([0, 0]);
});
