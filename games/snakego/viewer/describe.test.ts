import { expect, test } from "vitest";
import type { Moment } from "$viewer/frame_buffer";
import type { Frame } from "$viewer/leg_frames";
import viewer from "./index";
import { type Setup, type View, itemsAt } from "./view";
import { describeCell, describeStep, findMarks } from "./describe";

const setup: Setup = {
  max_round: 512,
  items: [
    [6, 8, 1, 0, 3],
    [9, 6, 30, 2, 512],
    [1, 1, 45, 0, 2],
  ],
};

const view: View = {
  round: 37,
  rounds: 512,
  to_move: "first",
  you: null,
  snake: 4,
  scores: [3, 1],
  snakes: [
    {
      id: 4,
      seat: "first",
      bank: 2,
      ray: true,
      cells: [
        [6, 7],
        [6, 6],
        [6, 5],
      ],
    },
    { id: 1, seat: "second", bank: 0, ray: false, cells: [[3, 3]] },
  ],
  walls: [[[0, 0]], []],
  items: [{ id: 1, x: 9, y: 6, type: 2, param: 512, expires: 45 }],
};

const moment = (...events: Frame["events"] & object): Moment<View> => ({
  frame: { step: 5, round: 37, period: 9, to_move: [], scores: [3, 1], events },
  view,
  before: view,
});

test("a turn as a sentence", () => {
  const eats = moment(
    { event: "moved", snake: 4, x: 6, y: 8 },
    { event: "ate", snake: 4, item: 0, bank: 5 },
    { event: "turn", seat: "second" },
  );
  expect(describeStep(eats, setup, "first", "en")).toBe("your snake 4 moves up and eats +3");
  expect(describeStep(eats, setup, "second", "zh")).toBe("黄方蛇 4 向上移动并吃到 +3");
  const dies = moment(
    { event: "died", snake: 1, cause: "edge" },
    { event: "round", round: 38 },
    { event: "appeared", item: 2 },
  );
  expect(describeStep(dies, setup, null, "en")).toBe(
    "blue snake 1 leaves the map and dies; length +2 appears at (1, 1)",
  );
  expect(describeStep(moment(), setup, null, "en")).toBe("");
});

test("marks of the timeline", () => {
  const events = ["split", "ate", "solidified", "died", "fired", "moved", "round"].map((event) => ({
    event,
    snake: 4,
    item: 0,
    cause: "wall",
    tail: 7,
    cells: 9,
    walls: 3,
  }));
  expect(findMarks(moment(...events), setup).map(({ glyph, seat }) => glyph + seat)).toEqual([
    "sfirst",
    "efirst",
    "Sfirst",
    "✕first",
    "rfirst",
  ]);
});

test("the text of a cell", () => {
  const words = (x: number, y: number) =>
    describeCell(moment(), { col: x, row: 15 - y }, setup, "en");
  expect(words(6, 7)).toEqual(["head of yellow snake 4, length 3, 2 still to grow, holds a ray"]);
  expect(words(6, 5)[0]).toMatch(/^tail/);
  expect(words(9, 6)).toEqual(["a melting ray, until round 45"]);
  expect(words(1, 1)).toEqual(["length +2 appears in round 45 (in 8)"]);
  expect(words(0, 0)).toEqual(["yellow wall"]);
  expect(words(12, 12)).toEqual(["empty"]);
});

test("the items of any round: those on the map and coming ones", () => {
  const ids = (round: number) => itemsAt(view, setup, round).map(({ id }) => id);
  expect([37, 44, 45, 46, 60, 61].map(ids)).toEqual([[1], [1], [1, 2], [2], [2], []]);
});

test("an action leads to the cell beside the head that acts", () => {
  const target = (action: string) => viewer.targetCell?.(view, {} as never, action);
  expect(target("2")).toEqual({ col: 6, row: 7 });
  expect(target("3")).toEqual({ col: 5, row: 8 });
  expect(target("5")).toBeNull();
  expect(viewer.cellName({ col: 6, row: 7 }, setup)).toBe("(6, 8)");
});
