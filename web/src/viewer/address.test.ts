import { expect, test } from "vitest";
import { readAddress, addressedStep, writeAddress } from "./address";
import { FrameBuffer } from "./frame_buffer";
import { sampleFrame } from "./frame_sample";

/** Three steps a round. */
const buffer = new FrameBuffer(
  Array.from({ length: 31 }, (_, step) =>
    sampleFrame(step, 1 + Math.floor(step / 3), { view: step }),
  ),
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
  expect(addressedStep(buffer, readAddress(new URLSearchParams(query)))).toBe(step);
});

test.each([0, 1, 2, 3, 11, 30])("the address of step %i opens it again", (step) => {
  for (const [leg, perspective] of [
    [1, "all"],
    [2, "second"],
  ] as const) {
    const query = writeAddress(
      new URLSearchParams("lang=zh&step=7"),
      buffer,
      step,
      leg,
      perspective,
    );
    const read = readAddress(query);
    expect([
      addressedStep(buffer, read),
      read.leg ?? 1,
      read.perspective ?? "all",
      query.get("lang"),
    ]).toEqual([step, leg, perspective, "zh"]);
  }
});

test("an unknown perspective or leg is ignored", () => {
  expect(readAddress(new URLSearchParams("perspective=third&leg=0"))).toMatchObject({
    perspective: null,
    leg: 1,
  });
});

test("the older name of the perspective is read, and replaced", () => {
  const query = new URLSearchParams("eye=second");
  expect(readAddress(query).perspective).toBe("second");
  expect(writeAddress(query, buffer, 0, 1, "second").toString()).toBe("round=1&perspective=second");
});
