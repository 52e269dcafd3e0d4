import { expect, test } from "vitest";
import { readAddress, stepOf, writeAddress } from "./address";
import { Reel } from "./film";
import { frame } from "./film.sample";

/** Three steps a round. */
const reel = new Reel(
  Array.from({ length: 31 }, (_, step) => frame(step, 1 + Math.floor(step / 3), { view: step })),
);

test.each([
  ["", 0],
  ["round=4", 9],
  ["round=4&step=2", 11],
  ["round=4&step=99999999", 9],
  ["round=999", 30],
  ["round=-1", 0],
  ["round=x&step=2", 2],
  ["at=13", 13],
  ["at=13&round=4", 13],
  ["at=999999", 30],
])("the address %s opens step %i", (query, step) => {
  expect(stepOf(reel, readAddress(new URLSearchParams(query)))).toBe(step);
});

test.each([0, 1, 2, 3, 11, 30])("the address of step %i opens it again", (step) => {
  for (const [leg, eye] of [
    [1, "all"],
    [2, "second"],
  ] as const) {
    const query = writeAddress(new URLSearchParams("lang=zh&step=7"), reel, step, leg, eye);
    const read = readAddress(query);
    expect([stepOf(reel, read), read.leg ?? 1, read.eye ?? "all", query.get("lang")]).toEqual([
      step,
      leg,
      eye,
      "zh",
    ]);
  }
});

test("what is not an eye or a leg is passed over", () => {
  expect(readAddress(new URLSearchParams("eye=third&leg=0"))).toMatchObject({ eye: null, leg: 1 });
});
