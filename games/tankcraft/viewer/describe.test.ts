import { expect, test } from "vitest";
import type { Moment } from "$viewer/frame_buffer";
import type { GameEvent } from "$viewer/leg_frames";
import type { Setup, Tank, View } from "./view";
import { minesOf, spawnOf } from "./view";
import { describeCell, describeStep, findMarks } from "./describe";

const setup: Setup = { goal: 1000, rounds: 400, map: ["r.#A2", "..n..", "....b"] };
const tank = (id: number, more: Partial<Tank> = {}): Tank => ({
  id,
  type: "Striker",
  cell: null,
  life: null,
  noharm: null,
  revive: null,
  ...more,
});
const view = (tanks: Tank[], owners = "RNB", you: View["you"] = null): View => ({
  round: 12,
  you,
  gold: [0, 0],
  kills: [0, 0],
  terrain: ["..#.2", ".....", "....."],
  owners,
  seen: you ? ["....?", ".....", "....."] : null,
  tanks,
});
const moment = (before: View, after: View, events: GameEvent[] = []): Moment<View> => ({
  frame: { step: 3, round: 12, period: 13, to_move: [], scores: [0, 0], events },
  view: after,
  before,
});

test("mines and spawns come from the setup", () => {
  expect(minesOf(setup)).toEqual([
    [1, 1],
    [2, 3],
    [3, 5],
  ]);
  expect(spawnOf(setup, 0)).toEqual([1, 4]);
  expect(spawnOf(setup, 7)).toBeNull();
});

test("a round as a sentence, and its marks", () => {
  const still = view([]);
  const events = [
    { event: "fired", tank: 1, row: 2, col: 2 },
    { event: "died", tank: 7, cause: "fire", kill: true, at: [2, 2] },
    { event: "captured", mine: 1, seat: "first", tank: 3, at: [2, 3] },
  ];
  const it = moment(still, still, events);
  expect(describeStep(it, setup, "first", "en")).toBe(
    "blue tank 7 is shot; your tank 3 takes the mine at (2,3)",
  );
  expect(findMarks(it).map(({ glyph, seat }) => glyph + seat)).toEqual(["✕second", "⚑first"]);
  expect(
    describeStep(
      moment(still, still, [{ event: "moved", tank: 1, cell: [1, 2] }]),
      setup,
      null,
      "en",
    ),
  ).toBe("tanks moving: 1, firing: 0");
});

test("under fog the differences of views are described", () => {
  const before = view(
    [tank(0, { cell: [1, 4], life: 3 }), tank(1, { cell: [2, 2], life: 3 }), tank(5)],
    "RNB",
    "first",
  );
  const after = view(
    [tank(0, { cell: [1, 4], life: 1 }), tank(1, { life: 0, revive: 14 }), { ...tank(2), id: 2 }]
      .slice(0, 2)
      .concat(tank(5)),
    "RRB",
    "first",
  );
  before.tanks[5] = tank(5);
  after.tanks[5] = tank(5, { cell: [3, 1], life: 3 });
  after.tanks.splice(2, 3, ...[2, 3, 4].map((id) => tank(id)));
  expect(describeStep(moment(before, after), setup, "first", "en")).toBe(
    "your tank 0 has 1 left; your tank 1 dies; blue tank 5 comes into sight at (3,1); a mine changes hands",
  );
  expect(
    findMarks(moment(before, after)).map(({ glyph, seat, text }) => glyph + seat + text.en),
  ).toEqual(["✕firstred tank 1 dies", "⚑firstred takes mine 1"]);
  expect(describeStep(moment(before, before), setup, "first", "zh")).toBe("没有新情况");
});

test("the text of a cell", () => {
  const it = moment(
    view([]),
    view([tank(0, { cell: [1, 1], life: 2, noharm: 1 })], "RNB", "first"),
  );
  const words = (row: number, col: number) =>
    describeCell(it, { row: row - 1, col: col - 1 }, setup, "en");
  expect(words(1, 1)).toEqual(["red 0 Striker, life 2, invincible 1", "red’s mine 0"]);
  expect(words(1, 3)).toEqual(["stone"]);
  expect(words(1, 5)).toEqual(["brick, 2 HP left", "out of sight: an enemy may be here"]);
  expect(words(1, 4)).toEqual(["spawn of tank 0"]);
});
