// What the viewer of games without a viewer makes of a stranger's views.

import { expect, test } from "vitest";
import type { Question } from "./game_viewer";
import { boardOf, guestViewer, textLines } from "./guest_viewer";
import type { LegFrames } from "./leg_frames";

const viewer = guestViewer("three");
const moment = (view: unknown) => ({ frame: { token: "a1" }, view, before: null }) as never;
const sizeOf = (view: unknown) => viewer.boardSize({ frames: [{ view }] } as LegFrames);
const question = {} as Question;

test("a board is rows of signs, or of cells", () => {
  for (const [view, board] of [
    [
      { board: ["X.", ".O"] },
      [
        ["X", "."],
        [".", "O"],
      ],
    ],
    [
      {
        board: [
          [12, null],
          ["ab", "abcdef"],
        ],
      },
      [
        ["12", ""],
        ["ab", "abcd"],
      ],
    ],
    [{ board: ["🂡"] }, [["🂡"]]],
    [{ board: [[{}]] }, [[""]]],
    [{ board: [] }, null],
    [{ board: "X" }, null],
    [{ board: 7 }, null],
    [{}, null],
    [null, null],
  ] as const)
    expect(boardOf(view)).toEqual(board);
});

test("what a stranger's view says is read with care", () => {
  for (const view of [
    null,
    1,
    "x",
    [],
    {},
    { board: [[[]]], pieces: [1], facts: {}, targets: 3 },
  ]) {
    expect(sizeOf(view).cols).toBeGreaterThan(0);
    expect(viewer.summaryChips(moment(view), null, "first", "en")).toEqual([]);
    expect(viewer.targetCell?.(view, question, "constructor")).toBeNull();
    expect(viewer.describeCell(moment(view), { col: 0, row: 0 }, null, "en")).toBeInstanceOf(Array);
  }
  const huge = { board: Array.from({ length: 5000 }, () => "x".repeat(5000)) };
  expect(sizeOf(huge)).toEqual({ cols: 64, rows: 64 });
});

test("cells, facts and names are those of the view", () => {
  const view = {
    board: ["X.", ".."],
    columns: ["a", "b"],
    rows: [2, 1],
    pieces: { X: { seat: "first", sign: "✕", name: { en: "cross", zh: "叉" } } },
    targets: {
      b2: [1, 0],
      column: [
        [0, 0],
        [0, 1],
      ],
    },
    facts: [
      { seat: "first", name: { en: "coins", zh: "硬币" }, value: 3 },
      { seat: "second", name: "coins", value: 4 },
      { name: "pot", value: "7" },
      { name: 5 },
    ],
  };
  sizeOf(view);
  expect(viewer.cellName({ col: 1, row: 0 }, null)).toBe("b, 2");
  expect(viewer.targetCell?.(view, question, "b2")).toEqual({ col: 1, row: 0 });
  expect(viewer.isTarget?.(view, "column", { col: 0, row: 1 })).toBe(true);
  expect(viewer.isTarget?.(view, "column", { col: 1, row: 1 })).toBe(false);
  expect(viewer.describeCell(moment(view), { col: 0, row: 0 }, null, "zh")).toEqual(["叉, 先手"]);
  const chips = viewer.summaryChips(moment(view), null, "first", "en").map(({ text }) => text);
  expect(chips).toEqual(["coins: 3", "pot: 7"]);
});

test("a view without a board is text", () => {
  sizeOf({ n: 1 });
  expect(viewer.columnName(0, null)).toBe("");
  expect(textLines({ text: "one\ntwo" }, "en")).toEqual(["one", "two"]);
  expect(textLines({ text: { en: "one", zh: "一" } }, "zh")).toEqual(["一"]);
  expect(textLines({ n: 1 }, "en")).toEqual(['{"n":1}']);
  expect(textLines({ text: "a\u202eb\u0007c" }, "en")).toEqual(["a b c"]);
  expect(textLines({ list: Array.from({ length: 90 }, (_, n) => n) }, "en").length).toBe(94);
});

test("names of the declared board do not stand beside a board of another size", () => {
  const view = { board: ["XO", "OX"], columns: ["a", "b"], rows: ["x", "y"] };
  const namesOf = (size: { cols: number; rows: number } | null) => {
    const strange = { size, cellsOf: () => null } as never;
    const viewer = guestViewer("three", strange);
    viewer.boardSize({ frames: [{ view }] } as LegFrames);
    return [
      viewer.columnName(1, null),
      viewer.rowName(1, null),
      viewer.cellName({ col: 1, row: 0 }, null),
    ];
  };
  expect(namesOf(null)).toEqual(["b", "y", "b, x"]);
  expect(namesOf({ cols: 2, rows: 2 })).toEqual(["b", "y", "b, x"]);
  expect(namesOf({ cols: 5, rows: 5 })).toEqual(["", "", "2, 1"]);
});
