// What of a stranger's answer is believed.

import { expect, test } from "vitest";
import { readTargets } from "./strange_board.svelte";

const SIZE = { cols: 3, rows: 2 };

test("cells of actions lie on the board, and other shapes are left out", () => {
  for (const [said, read] of [
    [null, null],
    ["a1", null],
    [{}, {}],
    [{ a: [[2, 1]] }, { a: [{ col: 2, row: 1 }] }],
    [{ a: [[3, 1], [0, -1], [0.5, 0], {}, null, [1e9, {}]] }, { a: [] }],
    [
      { a: 7, b: "00", c: [[0, 0]] },
      { a: [], b: [], c: [{ col: 0, row: 0 }] },
    ],
  ] as const)
    expect(readTargets(said, SIZE)).toEqual(read);
});

test("what is named is bounded", () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`a${at}`, []]));
  expect(Object.keys(readTargets(many, SIZE)!)).toHaveLength(500);
  const cells = Array.from({ length: 2000 }, () => [0, 0]);
  expect(readTargets({ a: cells }, SIZE)!.a).toHaveLength(64);
});
