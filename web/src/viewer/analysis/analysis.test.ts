import { describe, expect, test } from "vitest";
import kob from "../../../../games/kob/viewer/index";
import snakego from "../../../../games/snakego/viewer/index";
import tankcraft from "../../../../games/tankcraft/viewer/index";
import type { GameViewer } from "../game_viewer";
import type { Seat } from "../leg_frames";
import type { Decision, Grade, SideAnalysis } from "./analysis_types";
import { curvePath, curvePoints, fittingSigns, valueAt, withSketch } from "./curve";
import { decisionAt, keyMoments, mistakeMarks } from "./key_moments";
import { inTruth, sideSoFar } from "./so_far";
import { actionText, decisionLabel, formatSure, gradeOfLoss, isAsGood } from "./words";

function decision(step: number, seat: Seat, before: number, loss = 0): Decision {
  const grade: Grade = loss >= 0.2 ? "blunder" : loss >= 0.1 ? "mistake" : "best";
  return {
    step,
    round: step + 1,
    seat,
    entrant: seat === "first" ? "A" : "B",
    played: "0",
    best: loss > 0 ? "1" : "0",
    before,
    after: before - loss,
    loss,
    grade,
    line: ["1", "1"],
    choices: 3,
    only_move: false,
  };
}

const side = (more: Partial<SideAnalysis>): SideAnalysis => ({
  entrant: "A",
  decisions: 1,
  accuracy: 50,
  grades: { best: 0, good: 0, inaccuracy: 0, mistake: 0, blunder: 1 },
  last_held: null,
  forced_loss: null,
  only_moves_missed: [],
  worst: null,
  lost: null,
  ...more,
});

test("a first look stands where no decision is known yet", () => {
  const at = (step: number) => ({ step, value: 0.5 });
  expect(withSketch([at(0), at(3)], [at(0), at(4), at(8)])).toEqual([at(0), at(3), at(4), at(8)]);
  expect(withSketch([], [at(0)])).toEqual([at(0)]);
});

describe("the evaluation curve", () => {
  test("is the probability of the first seat, the mean where both decide", () => {
    const decisions = [
      decision(0, "first", 0.6),
      decision(0, "second", 0.6),
      decision(1, "second", 0.2),
    ];
    const end = {
      step: 2,
      outcome: { winner: "first" as const, scores: [1, 0] as [number, number], reason: "x" },
    };
    const points = curvePoints(decisions, "known", end);
    expect(points).toEqual([
      { step: 0, value: 0.5 },
      { step: 1, value: 0.8 },
      { step: 2, value: 1 },
    ]);
    expect(valueAt(points, 1)).toBe(0.8);
    expect(valueAt([], 1)).toBe(null);
    expect(curvePath(points, 2, 100, 10)).toBe("M0.0 5.0L50.0 2.0L100.0 0.0");
  });

  test("shows the real position where that is asked for", () => {
    const one = {
      ...decision(0, "first", 0.6),
      truth: { best: "1", before: 0.1, after: 0.1, loss: 0 },
    };
    expect(curvePoints([one], "truth", null)).toEqual([{ step: 0, value: 0.1 }]);
  });
});

test("a probability says how sure it is where that is known", () => {
  expect(formatSure(0.523, undefined)).toBe("52%");
  expect(formatSure(0.523, 0.024)).toBe("52% ± 5%");
});

describe("key moments", () => {
  test("join the reasons of one decision and keep the order of the leg", () => {
    const decisions = [
      decision(0, "first", 0.6, 0.15),
      decision(1, "first", 0.5, 0.4),
      decision(2, "first", 0),
    ];
    const lost = { way: "blunder" as const, phase: "middle", decision: 1, slip: null, lack: null };
    const forced_loss = { decision: 2, round: 3, rounds: 5 };
    const moments = keyMoments(decisions, [side({ lost, last_held: 1, forced_loss }), null]);
    expect(moments.map(({ decision, kinds }) => [decision.step, ...kinds])).toEqual([
      [0, "mistake"],
      [1, "decisive", "last-held", "blunder"],
      [2, "forced-loss"],
    ]);
    expect(moments[2]!.lostIn).toBe(5);
    const last = { ...forced_loss, rounds: 1 };
    expect(keyMoments(decisions, [side({ forced_loss: last }), null])).toHaveLength(2);
  });

  test("the decision of a step is that of the chosen seat, else the worst one", () => {
    const decisions = [decision(0, "first", 0.5), decision(0, "second", 0.5, 0.3)];
    expect(decisionAt(decisions, 0, "first")?.seat).toBe("first");
    expect(decisionAt(decisions, 0, null)?.seat).toBe("second");
    expect(decisionAt(decisions, 1, null)).toBe(null);
  });

  test("marks tell the grade by a sign and in words", () => {
    const marks = mistakeMarks([decision(0, "second", 0.5, 0.3)], kob as GameViewer);
    expect(marks).toHaveLength(1);
    expect(marks[0]!.glyph).toBe("??");
    expect(marks[0]!.text.en).toBe("B, red: blunder, ↑ instead of → (−30%)");
  });
});

describe("one label for a move", () => {
  const label = (one: Decision, sides: SideAnalysis | null = null) =>
    decisionLabel(one, keyMoments([one], [sides, null])[0], "en");
  const blunder = decision(0, "first", 0.5, 0.4);
  const lost = { way: "blunder" as const, phase: "middle", decision: 0, slip: null, lack: null };

  test.each([
    ["best", decision(0, "first", 0.5), null],
    ["as good as the best", { ...decision(0, "first", 0.5, 0.01), grade: "good" }, null],
    ["good", { ...decision(0, "first", 0.5, 0.03), grade: "good" }, null],
    ["blunder", blunder, null],
    ["blunder", blunder, side({ last_held: 0 })],
    ["decisive mistake", blunder, side({ lost, last_held: 0, only_moves_missed: [0] })],
    ["missed the only move", blunder, side({ last_held: 0, only_moves_missed: [0] })],
    ["last moment to hold", decision(0, "first", 0.5), side({ last_held: 0 })],
    [
      "lost in 3 whatever it did",
      decision(0, "first", 0),
      side({ forced_loss: { decision: 0, round: 1, rounds: 3 }, last_held: 0 }),
    ],
    ["best", decision(0, "first", 0.5), side({ lost })],
  ] as [string, Decision, SideAnalysis | null][])("%s", (text, one, sides) => {
    expect(label(one, sides)).toBe(text);
    // "best" is never said of a move that has a better one beside it.
    expect(/best/.test(text)).toBe(isAsGood(one) && /best/.test(text));
  });

  test("the real position judges by its own loss", () => {
    const truth = { best: "3", before: 0.5, after: 0.5, loss: 0 };
    const seen = inTruth({ ...blunder, truth });
    expect([seen.grade, seen.best, seen.line, label(seen)]).toEqual([
      "best",
      "3",
      ["3"],
      "as good as the best",
    ]);
    expect(inTruth(blunder)).toBe(blunder);
    expect([0.2, 0.1, 0.05, 0.005, 0].map(gradeOfLoss)).toEqual([
      "blunder",
      "mistake",
      "inaccuracy",
      "good",
      "best",
    ]);
  });

  test("the accuracy so far is that of the decisions with a choice", () => {
    const forced = { ...blunder, choices: 1 };
    expect(sideSoFar([])).toBe(null);
    expect(sideSoFar([forced])?.accuracy).toBe(null);
    const both = sideSoFar([decision(0, "first", 0.5), decision(1, "first", 0.5, 0.1), forced]);
    expect(both?.accuracy).toBe(81.8);
    expect(both?.grades).toMatchObject({ best: 1, mistake: 1, blunder: 1 });
  });
});

describe("lines as arrows", () => {
  const arrows = (viewer: unknown, line: object) =>
    (viewer as GameViewer).lineArrows!({ setup: null, views: [], ...line } as never);

  test("King of Bots: the way of one head", () => {
    const view = { snakes: [{ cells: [[5, 5]] }, { cells: [[1, 1]] }] };
    const found = arrows(kob, { view, seat: "first", actions: ["0", "1"] });
    expect(found.map(({ from, to }) => [from, to])).toEqual([
      [
        { row: 5, col: 5 },
        { row: 4, col: 5 },
      ],
      [
        { row: 4, col: 5 },
        { row: 4, col: 6 },
      ],
    ]);
  });

  test("SnakeGo: the snake that the view names acts", () => {
    const at = (snake: number) => ({
      snake,
      snakes: [
        { id: 1, cells: [[3, 3]] },
        { id: 2, cells: [[8, 8]] },
      ],
    });
    const line = { view: at(1), seat: "first", actions: ["1", "5"], views: [at(2)] };
    const found = arrows(snakego, line);
    expect(found[0]).toMatchObject({ from: { col: 3, row: 12 }, to: { col: 4, row: 12 } });
    expect(found[1]).toMatchObject({ kind: "stay", sign: "⚡", from: { col: 8, row: 7 } });
  });

  test("TankCraft: the ways and shots of a side", () => {
    const view = {
      tanks: [
        { id: 5, cell: [3, 4] },
        { id: 6, cell: [9, 9] },
      ],
    };
    const actions = ["GOUP;FIRE:9:12;STOP;STOP;?"];
    const found = arrows(tankcraft, { view, seat: "second", actions });
    expect(found.map(({ kind, to }) => [kind, to.row, to.col])).toEqual([
      ["move", 1, 3],
      ["fire", 8, 11],
    ]);
  });

  test.each<[GameViewer, string, string, string]>([
    [tankcraft as GameViewer, "GOUP;FIRE:9:12;STOP;STOP;?", "5↑ 6✹(9,12)", "5↑ 6✹(9,12)"],
    [
      tankcraft as GameViewer,
      "Team;Striker;Striker;Sniper",
      "2 × Striker, 1 × Sniper",
      "2 × 突击 Striker, 1 × 狙击 Sniper",
    ],
    [snakego as GameViewer, "4", "↓", "↓"],
    [snakego as GameViewer, "5", "ray", "射线"],
    [snakego as GameViewer, "6", "split", "分裂"],
    [kob as GameViewer, "0", "↑", "↑"],
  ])("an action is told in signs that all read, or in words", (viewer, action, en, zh) => {
    expect(actionText(viewer, action, "second", "en")).toBe(en);
    expect(actionText(viewer, action, "second", "zh")).toBe(zh);
  });
});

test("of signs that would cover each other, the blunder stays", () => {
  const sign = (x: number, y: number, isHeavy = false) => ({ x, y, isHeavy });
  const signs = [sign(10, 20), sign(18, 22, true), sign(18, 40), sign(40, 20), sign(45, 20)];
  const kept = fittingSigns(signs);
  expect(signs.map((one) => kept.has(one))).toEqual([false, true, true, true, false]);
});
