import { expect, test } from "vitest";
import type { Figure, LegAnalysis, SideAnalysis, WayOfLosing } from "./analysis_types";
import { formatFigure, gradualLosses } from "./gradual_loss";

const text = { en: "", zh: "" };
const figure = (kind: Figure["kind"]): Figure => ({
  key: kind,
  name: text,
  advice: text,
  kind,
  strong: [1, 2, 3],
  phases: [
    [1, 0, 0],
    [4, 5, 6],
  ],
  course: [[], []],
  whole: [1, 15],
});
const side = (way: WayOfLosing) =>
  ({
    entrant: "A",
    lost: { way, phase: "middle", decision: null, slip: null, lack: 0 },
  }) as unknown as SideAnalysis;
const leg = (sides: LegAnalysis["sides"]): LegAnalysis => ({
  leg: 1,
  rounds: 30,
  sides,
  decisions: [],
  figures: [figure("sum"), figure("mean")],
});

test("a loss without a decisive move is explained from the loser's side", () => {
  const [found] = gradualLosses(leg([null, side("outplayed")]));
  expect(found?.seat).toBe("second");
  expect(found?.lack?.key).toBe("sum");
  expect(
    found?.rows.map(({ own, other, strong }) => [own.whole, other.whole, strong.whole]),
  ).toEqual([
    [15, 1, 6],
    [15, 1, 2],
  ]);
});

test("a blunder explains itself", () => {
  expect(gradualLosses(leg([side("blunder"), null]))).toEqual([]);
});

test.each([
  [0, "0"],
  [1.54, "1.5"],
  [12.6, "13"],
])("%f is shown as %s", (value, shown) => expect(formatFigure(value)).toBe(shown));
