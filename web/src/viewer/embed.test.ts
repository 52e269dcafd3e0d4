import { expect, test } from "vitest";
import { readEmbedCommand } from "./embed_messages";
import {
  type EmbedOptions,
  embeddedSteps,
  readEmbedOptions,
  writeEmbedOptions,
} from "./embed_options";
import { FrameBuffer } from "./frame_buffer";
import { sampleFrame } from "./frame_sample";

const PLAIN: EmbedOptions = {
  autoplay: false,
  loop: false,
  speed: 1,
  theme: null,
  from: null,
  to: null,
  leg: null,
};

const read = (query: string) => readEmbedOptions(new URLSearchParams(query));

test.each([
  ["", {}],
  ["autoplay=1&loop=1", { autoplay: true, loop: true }],
  ["autoplay&loop=true", { autoplay: true, loop: true }],
  ["autoplay=0&loop=false", {}],
  ["speed=8", { speed: 8 }],
  ["speed=0.5", { speed: 0.5 }],
  ["speed=1000000", { speed: 128 }],
  ["speed=0.001", { speed: 0.25 }],
  ["speed=-3", {}],
  ["speed=fast", {}],
  ["theme=dark", { theme: "dark" }],
  ["theme=contrast", { theme: "contrast" }],
  ["theme=pink", {}],
  ["from=20&to=40&leg=2", { from: 20, to: 40, leg: 2 }],
  ["from=40&to=20", { from: 40 }],
  ["from=-1&to=1e9&leg=0", {}],
])("the address %s asks for its options", (query, options) => {
  expect(read(query)).toEqual({ ...PLAIN, ...options });
});

test("what is written is read again", () => {
  const options: EmbedOptions = {
    autoplay: true,
    loop: true,
    speed: 8,
    theme: "light",
    from: 3,
    to: 9,
    leg: 2,
  };
  expect(readEmbedOptions(writeEmbedOptions(options))).toEqual(options);
  expect(writeEmbedOptions(PLAIN).toString()).toBe("");
});

/** Three steps a round: rounds 1 to 10, and the last position. */
const buffer = new FrameBuffer(
  Array.from({ length: 31 }, (_, step) =>
    sampleFrame(step, 1 + Math.floor(step / 3), { view: step }),
  ),
);

test.each([
  [null, null, 0, 30],
  [4, null, 9, 30],
  [null, 4, 0, 12],
  [4, 4, 9, 12],
  [4, 10, 9, 30],
  [99, null, 30, 30],
])("rounds %s to %s are the steps %i to %i", (from, to, first, last) => {
  expect(embeddedSteps(buffer, { from, to })).toEqual({ first, last });
});

test.each([
  [{ type: "play" }, { type: "play" }],
  [{ type: "pause", extra: 1 }, { type: "pause" }],
  [
    { type: "seek", round: 7 },
    { type: "seek", leg: null, round: 7, step: null },
  ],
  [
    { type: "seek", leg: 2, round: 0, step: 3 },
    { type: "seek", leg: 2, round: 0, step: 3 },
  ],
  [{ type: "seek" }, null],
  [{ type: "seek", round: -1 }, null],
  [{ type: "seek", round: "7" }, null],
  [{ type: "shout" }, null],
  ["play", null],
  [null, null],
  [42, null],
])("the message %j is read", (data, command) => {
  expect(readEmbedCommand(data)).toEqual(command);
});
