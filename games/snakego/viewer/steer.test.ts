import { expect, test } from "vitest";
import type { Question } from "$viewer/game_viewer";
import { steering } from "./steer";
import type { Cell, View } from "./view";

const question = {
  choices: ["1", "2", "3", "4"].map((action) => ({ action, legal: true })),
} as unknown as Question;

function viewOf(cells: Cell[], more: Partial<View> = {}): View {
  const own = { id: 0, seat: "first" as const, bank: 0, ray: false, cells };
  const { snakes = [], ...rest } = more;
  const empty = { round: 1, rounds: 9, to_move: "first" as const, you: null, snake: 0 };
  const board: Omit<View, "snakes"> = { ...empty, scores: [1, 1], walls: [[], []], items: [] };
  return { ...board, ...rest, snakes: [own, ...snakes] };
}

const other = (cells: Cell[]) => ({ id: 1, seat: "second" as const, bank: 0, ray: false, cells });
const item = (x: number, y: number) => ({ id: 7, x, y, type: 0, param: 2, expires: 20 });
/** A cell of the rules as one of the board. */
const at = (x: number, y: number) => ({ col: x, row: 15 - y });

test.each<[string, View, string | null, ReturnType<typeof steering.straight>]>([
  [
    "on a free board",
    viewOf([
      [5, 5],
      [4, 5],
    ]),
    null,
    { action: "1", notices: [] },
  ],
  ["a snake of length 1 as before", viewOf([[5, 5]]), "2", { action: "2", notices: [] }],
  ["a snake of length 1 that never moved", viewOf([[5, 5]]), null, null],
  [
    "two cells before the edge",
    viewOf([
      [14, 5],
      [13, 5],
    ]),
    null,
    null,
  ],
  [
    "two cells before a wall",
    viewOf(
      [
        [5, 5],
        [4, 5],
      ],
      { walls: [[[7, 5]], []] },
    ),
    null,
    null,
  ],
  [
    "an item and a head that are near",
    viewOf(
      [
        [5, 5],
        [4, 5],
      ],
      { items: [item(8, 5)], snakes: [other([[5, 8]])] },
    ),
    null,
    { action: "1", notices: ["item 7", "head 1 4"] },
  ],
])("straight on: %s", (_name, view, last, expected) => {
  expect(steering.straight(view, question, last)).toEqual(expected);
});

test.each<[string, View, [number, number], string | null]>([
  [
    "the way around a wall",
    viewOf([[5, 5]], {
      walls: [
        [
          [6, 5],
          [6, 4],
        ],
        [],
      ],
    }),
    [7, 5],
    "2",
  ],
  [
    "not through its own body",
    viewOf([
      [5, 5],
      [6, 5],
    ]),
    [8, 5],
    "2",
  ],
  [
    "into its own body, to enclose",
    viewOf([
      [5, 5],
      [5, 6],
      [6, 6],
      [6, 5],
    ]),
    [6, 5],
    "1",
  ],
  [
    "not where no way leads",
    viewOf([[0, 0]], {
      walls: [
        [
          [1, 0],
          [0, 1],
        ],
        [],
      ],
    }),
    [5, 5],
    null,
  ],
  ["not when it is there", viewOf([[5, 5]]), [5, 5], null],
])("sent to a cell: %s", (_name, view, [x, y], expected) => {
  expect(steering.towards(view, question, at(x, y))).toBe(expected);
});
