import { expect, test } from "vitest";
import { segmentsOf } from "./similar";
import type { SimilarPair } from "./types";

test("a file is cut where regions begin and end", () => {
  const side = (text: string) => ({
    entry: 1,
    name: "viper",
    version: 1,
    cut: false,
    files: [{ name: "bot.py", text }],
  });
  const lines = (from: number, to: number, file = 0) => ({ file, from, to });
  const pair: SimilarPair = {
    sides: [side("a\nb\nc\nd\ne"), side("x")],
    similarity: 0.5,
    parts: [0.5, 0.5],
    regions: [
      { lines: [lines(2, 3), lines(1, 1)], tokens: 30 },
      { lines: [lines(3, 4), lines(1, 9)], tokens: 30 },
      { lines: [lines(5, 5, 1), lines(1, 1)], tokens: 30 },
    ],
  };
  expect(segmentsOf(pair, 0, 0)).toEqual([
    { text: "a", from: 1, region: null },
    { text: "b\nc", from: 2, region: 0 },
    { text: "d", from: 4, region: 1 },
    { text: "e", from: 5, region: null },
  ]);
  expect(segmentsOf(pair, 1, 0)).toEqual([{ text: "x", from: 1, region: 0 }]);
});
