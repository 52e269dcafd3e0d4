import { expect, test, vi } from "vitest";
import { FrameBuffer } from "./frame_buffer";
import { sampleFrame } from "./frame_sample";
import type { GameViewer, OrderBuilder, Question, Steering } from "./game_viewer";
import { HumanTurn } from "./human_turn.svelte";
import type { Playback } from "./playback.svelte";

const question: Question = {
  leg: 1,
  step: 0,
  seat: "first",
  left_ms: 5000,
  budget_ms: 5000,
  choices: [
    { action: "0", keys: ["w"], label: { en: "up", zh: "上" }, legal: true, why: null },
    { action: "1", keys: ["s"], label: { en: "down", zh: "下" }, legal: false, why: "blocked" },
  ],
  options: null,
};

/** A builder that uses Enter itself while its draft is "aiming". */
const orderBuilder: OrderBuilder<unknown> = {
  startDraft: () => "aiming",
  handleKey: (draft, key) => (draft === "aiming" && key === "Enter" ? { draft: "fire" } : null),
  handleClick: (_draft, { col }) =>
    col > 0 ? { draft: `go ${col}` } : { refused: { en: "too far", zh: "太远" } },
  handleButton: (_draft, row) => ({ draft: row }),
  describePanel: () => ({ title: "", help: "", rows: [], done: "" }),
  draftAction: (draft) => `action ${draft}`,
};

function turnOf(viewer: Partial<GameViewer>, line = { connected: true }) {
  const sent: string[] = [];
  const buffer = new FrameBuffer([sampleFrame(0, 1, { view: {} })]);
  const playback = { viewer, buffer, lastStep: 0, followLive: () => {} } as unknown as Playback;
  const send = (_leg: number, _step: number, action: string) => {
    if (line.connected) sent.push(action);
    return line.connected;
  };
  const turn = new HumanTurn(playback, send, () => "en");
  turn.startQuestion(question);
  return { turn, sent };
}

test("the game's order builder gets Enter first; the page submits on the next one", () => {
  const { turn, sent } = turnOf({ orderBuilder });
  expect([turn.handleKey("Enter"), sent]).toEqual([true, []]);
  expect([turn.handleKey("Enter"), sent]).toEqual([true, ["action fire"]]);
  expect(turn.handleKey("q")).toBe(false);
});

test("clicks change the draft or are refused with a reason", () => {
  const { turn } = turnOf({ orderBuilder });
  turn.handleCell({ col: 0, row: 0 });
  expect([turn.draft, turn.refusal]).toEqual(["aiming", "too far"]);
  turn.handleCell({ col: 2, row: 0 });
  expect([turn.draft, turn.refusal]).toEqual(["go 2", null]);
});

test("a draft is kept for the same leg of the match, also over a reload", () => {
  const kept = new Map<number, unknown>();
  const drafts = {
    load: (leg: number) => kept.get(leg) ?? null,
    save: (leg: number, draft: unknown) => void kept.set(leg, draft),
  };
  const begun: unknown[] = [];
  const remembering = {
    ...orderBuilder,
    startDraft: (_question: Question, _view: unknown, before: unknown) => {
      begun.push(before);
      return before ?? "aiming";
    },
  };
  const { turn } = turnOf({ orderBuilder: remembering });
  turn.drafts = drafts;
  turn.handleCell({ col: 2, row: 0 });
  const again = turnOf({ orderBuilder: remembering }).turn;
  again.draft = null;
  again.drafts = drafts;
  again.startQuestion({ ...question, step: 1 });
  expect(again.draft).toBe("go 2");
  again.draft = null;
  again.startQuestion({ ...question, leg: 2 });
  expect([again.draft, kept.get(1)]).toEqual(["aiming", "go 2"]);
  expect(begun).toEqual([null, null, "go 2", null]);
});

test("a key sends a legal choice and explains an illegal one", () => {
  const { turn, sent } = turnOf({});
  turn.handleKey("s");
  expect([turn.refusal, sent]).toEqual(["blocked", []]);
  turn.handleKey("ArrowUp");
  expect([turn.refusal, turn.sentAction, sent]).toEqual([null, "0", ["0"]]);
});

test("what is chosen without a connection is sent when the question comes again", () => {
  const line = { connected: false };
  const { turn, sent } = turnOf({}, line);
  turn.handleKey("w");
  expect([sent, turn.refusal]).toEqual([[], expect.stringContaining("Connection")]);
  line.connected = true;
  turn.startQuestion(question);
  expect([sent, turn.sentAction, turn.refusal]).toEqual([["0"], "0", null]);
  turn.startQuestion({ ...question, step: 1 });
  expect([sent, turn.sentAction]).toEqual([["0"], null]);
});

const choice = (action: string, keys: string[], legal = true) => ({
  action,
  keys,
  label: { en: action, zh: action },
  legal,
  why: legal ? null : "blocked",
});
const asks = (step: number, illegal?: string): Question => ({
  ...question,
  step,
  choices: ["0", "1", "2"].map((action, at) =>
    choice(action, ["w", "s", "d"].slice(at, at + 1), action !== illegal),
  ),
});

/** A turn of a game that plans ahead; each question comes with its frame. */
function planning(warnAbout: (action: string) => string | null = () => null) {
  const sent: string[] = [];
  const buffer = new FrameBuffer([sampleFrame(0, 1, { view: {} })]);
  const viewer = {
    plansAhead: true,
    warnAbout: (_view: unknown, _question: Question, action: string) => warnAbout(action),
  };
  const playback = {
    viewer,
    buffer,
    get lastStep() {
      return buffer.lastStep;
    },
    followLive: () => {},
  } as unknown as Playback;
  const turn = new HumanTurn(
    playback,
    (_leg, _step, action) => !!sent.push(action),
    () => "en",
  );
  turn.hasSeat = true;
  const showFrame = () => {
    buffer.appendFrames([sampleFrame(buffer.lastStep + 1, 1, { view: {} })]);
    turn.endAnsweredQuestion();
  };
  return { turn, sent, showFrame };
}

test("directions are planned with Shift and while waiting, and sent turn by turn", () => {
  const { turn, sent, showFrame } = planning();
  turn.startQuestion(asks(0));
  turn.handleKey("W", true); // Nothing is chosen for this turn yet: it is this turn's.
  turn.handleKey("D", true);
  expect([sent, turn.plan]).toEqual([["0"], ["2"]]);
  showFrame();
  turn.handleKey("s");
  expect([sent, turn.plan]).toEqual([["0"], ["2", "1"]]);
  turn.startQuestion(asks(1));
  expect([sent, turn.plan]).toEqual([["0", "2"], ["1"]]);
  showFrame();
  turn.startQuestion(asks(2));
  expect([sent, turn.plan]).toEqual([["0", "2", "1"], []]);
});

test("a planned action waits for the frame of its turn", () => {
  const { turn, sent, showFrame } = planning();
  turn.startQuestion(asks(0));
  turn.handleKey("w");
  turn.handleKey("D", true);
  turn.startQuestion(asks(1));
  expect(sent).toEqual(["0"]);
  showFrame();
  expect(sent).toEqual(["0", "2"]);
});

test("a plan whose next step is deadly or impossible is dropped, and the person chooses", () => {
  const deadly = planning((action) => (action === "2" ? "a wall" : null));
  deadly.turn.startQuestion(asks(0));
  for (const key of ["w", "D", "S"]) deadly.turn.handleKey(key, key !== "w");
  deadly.showFrame();
  deadly.turn.startQuestion(asks(1));
  expect([deadly.sent, deadly.turn.plan]).toEqual([["0"], []]);
  expect(deadly.turn.refusal).toContain("a wall");

  const illegal = planning();
  illegal.turn.startQuestion(asks(0));
  for (const key of ["w", "D", "S"]) illegal.turn.handleKey(key, key !== "w");
  illegal.showFrame();
  illegal.turn.startQuestion(asks(1, "2"));
  expect([illegal.sent, illegal.turn.plan]).toEqual([["0"], []]);
});

test("another choice for this turn, Escape, Backspace and a new leg change the plan", () => {
  const { turn, sent, showFrame } = planning();
  turn.startQuestion(asks(0));
  turn.handleKey("w");
  for (const key of ["D", "S"]) turn.handleKey(key, true);
  turn.handleKey("Backspace", true);
  expect(turn.plan).toEqual(["2"]);
  turn.handleKey("Escape");
  expect(turn.plan).toEqual([]);
  turn.handleKey("D", true);
  turn.handleKey("s");
  expect([sent, turn.plan]).toEqual([["0", "1"], []]);
  turn.plansNext = true;
  turn.pressChoice(asks(0).choices[2]!);
  turn.handleSwipe("up");
  expect(turn.plan).toEqual(["2", "0"]);
  showFrame();
  turn.startQuestion({ ...asks(1), leg: 2 });
  expect([sent, turn.plan]).toEqual([["0", "1"], []]);
});

test("a piece goes on by itself until something comes near, and to where it is sent", () => {
  vi.useFakeTimers();
  let near: string[] = [];
  const steering: Steering<unknown> = {
    piece: () => "1",
    towards: (_view, _question, { col }) => (col > 0 ? "0" : null),
    straight: () => ({ action: "0", notices: near }),
  };
  const { turn, sent } = turnOf({ steering });
  const ask = (step: number) => {
    turn.endQuestion();
    turn.startQuestion({ ...question, step });
    vi.runAllTimers();
    return sent.length;
  };
  // The piece is asked once, and again for what is new.
  expect(ask(0)).toBe(0);
  turn.chooseAction(question.choices[0]!);
  expect([ask(0), ask(0)]).toEqual([2, 3]);
  near = ["item 7"];
  expect(ask(0)).toBe(3);
  turn.chooseAction(question.choices[0]!);
  expect(ask(0)).toBe(5);
  near = ["item 7", "head 2"];
  expect(ask(0)).toBe(5);
  turn.handleCell({ col: 0, row: 3 });
  expect([turn.refusal, sent.length]).toEqual(["no free way leads there", 5]);
  turn.handleCell({ col: 4, row: 3 });
  near = ["item 8"];
  expect([ask(0), turn.autopilot.targets]).toEqual([7, { "1": { col: 4, row: 3 } }]);
  // A tap between two questions stops it.
  turn.endQuestion();
  turn.handleCell({ col: 4, row: 3 });
  expect([ask(0), turn.autopilot.targets]).toEqual([7, {}]);
  // What was known stays known.
  turn.chooseAction(question.choices[0]!);
  turn.autopilot.switchStraight();
  expect(ask(0)).toBe(8);
  vi.useRealTimers();
});
