// The viewer of a game: one module, `games/<id>/viewer/index.ts`, whose default export is a
// GameViewer. It draws and describes; it contains no rules. Everything that it shows comes from the
// frames, the setup and the options of a question.

import type { Message } from "$lib/messages";
import type { Moment } from "./frame_buffer";
import type { Lang, LegFrames, LocalizedText, Perspective, Seat } from "./leg_frames";

/** A cell of the board: column and row from the top left, from 0. */
export interface BoardCell {
  col: number;
  row: number;
}

/** A script that draws in place of a viewer; `draw` says false if it drew nothing. */
export interface BoardScript {
  readonly size: { cols: number; rows: number } | null;
  readonly trouble: { why: string | null } | null;
  readonly painted: number;
  draw(
    scene: Scene<unknown, unknown>,
    rules: string,
    size: { cols: number; rows: number },
    ratio: number,
  ): boolean;
}

/** The style of a seat. The letter and the pattern have the same meaning as the colour. */
export interface SeatLook {
  name: LocalizedText;
  letter: string;
  color: { light: string; dark: string };
  /** For letters on the page, if the colour itself is not legible. */
  ink?: { light: string; dark: string };
}

/**
 * How much a mark matters, most first. Where two marks do not both fit on the timeline, the one
 * that matters more is drawn. Faults and losses have the colour of errors.
 */
export const MARK_WEIGHTS = ["fault", "loss", "major", "notable", "minor"] as const;
export type MarkWeight = (typeof MARK_WEIGHTS)[number];

/** A notable moment on the timeline. */
export interface TimelineMark {
  weight: MarkWeight;
  /** One character. */
  glyph: string;
  seat: Seat | null;
  text: LocalizedText;
}

/** A short text about one piece of a seat, above the board. */
export interface SummaryChip {
  text: string;
  title?: string;
  /** The piece acts now. */
  active?: boolean;
  /** The piece is lost or out of sight. */
  faded?: boolean;
  at?: BoardCell | null;
}

/** The colours of the page that a drawing needs. */
export interface Palette {
  dark: boolean;
  paper: string;
  board: string;
  cell: string;
  line: string;
  ink: string;
  soft: string;
  first: string;
  second: string;
  accent: string;
  good: string;
  bad: string;
}

/** The content of a drawing: the transition from one view to the next. */
export interface Scene<View, Setup> {
  ctx: CanvasRenderingContext2D;
  /** Width and height of a cell, in CSS pixels; the origin is the board's top left. */
  size: number;
  setup: Setup;
  moment: Moment<View>;
  /** 0 is the view before, 1 the current view. */
  t: number;
  /** Milliseconds, for pulsing parts; 0 if the reader wants no motion. */
  now: number;
  palette: Palette;
  perspective: Perspective;
  lang: Lang;
  /** The reader's own seat. */
  you: Seat | null;
  /** The question to the reader, and the state of the order builder. */
  question: Question | null;
  draft: unknown;
}

/** An action that a person may choose. */
export interface ActionChoice {
  action: string;
  keys: string[];
  label: LocalizedText;
  legal: boolean;
  why: string | LocalizedText | null;
}

/** A question to a person. */
export interface Question {
  leg: number;
  step: number;
  seat: Seat;
  /** Milliseconds that are left, and that the turn has; null without a clock. */
  left_ms: number | null;
  budget_ms: number | null;
  choices: ActionChoice[];
  options: unknown;
}

/** A button of an order builder's panel. */
export interface PanelButton {
  id: string;
  text: string;
  title?: string;
  pressed?: boolean;
  legal: boolean;
  why?: string | null;
}

/** A row of an order builder's panel: a piece, its order, and the orders it could get. */
export interface PanelRow {
  id: string;
  text: string;
  detail: string;
  selected: boolean;
  disabled: boolean;
  buttons: PanelButton[];
}

/** The panel of an order builder. */
export interface OrderPanel {
  title: string;
  help: string;
  rows: PanelRow[];
  /** Buttons for all pieces at once; `handleButton` gets them with an empty row. */
  common?: PanelButton[];
  done: string;
}

/** The effect of a key or a click: the next draft, a refusal, or null if it has no meaning. */
export type DraftChange = { draft: unknown } | { refused: LocalizedText } | null;

/**
 * Builds an action that takes more than one key or button. Its functions are pure: the state is the
 * draft, and each of them returns the next one.
 */
export interface OrderBuilder<View> {
  startDraft(question: Question, view: View, before: unknown): unknown;
  /** A key, as `KeyboardEvent.key`. If this returns null for Enter, the page submits the draft. */
  handleKey(draft: unknown, key: string, question: Question, view: View): DraftChange;
  handleClick(draft: unknown, cell: BoardCell, question: Question, view: View): DraftChange;
  handleButton(
    draft: unknown,
    row: string,
    button: string | null,
    question: Question,
    view: View,
  ): DraftChange;
  describePanel(draft: unknown, question: Question, view: View, lang: Lang): OrderPanel;
  /** The action as it would be sent now. */
  draftAction(draft: unknown, question: Question): string;
}

/** A second, small drawing beside the board. */
export interface Overview<View, Setup> {
  title: LocalizedText;
  /** The known part of a later round. If present, the reader can choose the round with a slider. */
  describeRound?: (setup: Setup, round: number, lang: Lang) => string;
  lastRound?: (setup: Setup) => number;
  drawOverview(scene: Scene<View, Setup>, round: number): void;
}

/**
 * Leads a person's pieces where there is nothing to decide: to a far cell, or straight on. For
 * games in which one piece after the other is asked.
 */
export interface Steering<View> {
  /** The piece that is asked. */
  piece(view: View, question: Question): string;
  /** The next action on the way to a cell; null if no safe way leads there. */
  towards(view: View, question: Question, target: BoardCell): string | null;
  /**
   * The action that goes on as before, and what is near: a person is asked when something comes
   * near. Null where the way needs a decision. `last` is what the piece did last.
   */
  straight(
    view: View,
    question: Question,
    last: string | null,
  ): { action: string; notices: readonly string[] } | null;
}

/** One action, or a part of one, as an arrow on the board. */
export interface BoardArrow {
  from: BoardCell;
  to: BoardCell;
  kind: "move" | "fire" | "stay";
  /** The place of the action in its line, from 0. */
  order: number;
  /** What an arrow cannot show, such as a ray. */
  sign?: string;
}

/** Actions that follow each other from a view on. */
export interface ActionLine<View, Setup> {
  view: View;
  setup: Setup;
  /** The seat that takes them; in a game of turns the one that takes the first. */
  seat: Seat;
  actions: readonly string[];
  /** In a game of turns: the views after each action, as far as they are known. */
  views: readonly View[];
}

/** A sign of the board, the timeline or the panels, and its meaning. */
export interface LegendEntry {
  sign: string;
  text: LocalizedText;
}

/** What counts while a leg has no score yet. */
export interface Standing<View> {
  name: LocalizedText;
  measure(view: View): [number, number];
}

/** The viewer of a game. Cells count from the top left; `cellName` numbers them as the rules do. */
export interface GameViewer<View = unknown, Setup = unknown> {
  id: string;
  seats: Record<Seat, SeatLook>;
  /** Milliseconds of a step at speed 1. */
  stepMillis: number;
  /** Whether a perspective can show less than everything. */
  fog: boolean;
  boardSize(legFrames: LegFrames): { cols: number; rows: number };
  columnName(col: number, setup: Setup): string;
  rowName(row: number, setup: Setup): string;
  cellName(cell: BoardCell, setup: Setup): string;
  drawBoard(scene: Scene<View, Setup>): void;
  overview?: Overview<View, Setup>;
  /** The content of a cell, line by line. */
  describeCell(moment: Moment<View>, cell: BoardCell, setup: Setup, lang: Lang): string[];
  findMarks(moment: Moment<View>, setup: Setup): TimelineMark[];
  /** The events of the step, as a sentence without its round; empty if nothing notable happened. */
  describeStep(moment: Moment<View>, setup: Setup, you: Seat | null, lang: Lang): string;
  summaryChips(moment: Moment<View>, setup: Setup, seat: Seat, lang: Lang): SummaryChip[];
  /** The cell to which an action leads: it is highlighted and can be clicked. */
  targetCell?(view: View, question: Question, action: string): BoardCell | null;
  /** Whether a click on this cell chooses the action, where it leads to more cells than one. */
  isTarget?(view: View, action: string, cell: BoardCell): boolean;
  /** The question as a short sentence, such as "Snake 4 acts". */
  describeQuestion?(view: View, question: Question, lang: Lang): string;
  /** Why an action is not possible, before it is chosen; `why` is the server's English text. */
  explainIllegal?(why: string, lang: Lang): string | null;
  /** How a person who plays this seat wins, as a sentence. */
  describeGoal?(setup: Setup, seat: Seat, rounds: number, lang: Lang): string;
  /** Why an action kills the acting piece, as far as the view shows it; null if it does not. */
  warnAbout?(view: View, question: Question, action: string, lang: Lang): string | null;
  /** An action in a few signs, without words. */
  actionSigns?(action: string, seat: Seat, lang: Lang): string;
  /** A line of actions as arrows on the board. */
  lineArrows?(line: ActionLine<View, Setup>): BoardArrow[];
  standing?: Standing<View>;
  legend?: readonly LegendEntry[];
  orderBuilder?: OrderBuilder<View>;
  /** Whether a person may choose the actions of later turns beforehand; needs `lineArrows`. */
  plansAhead?: boolean;
  steering?: Steering<View>;
  /** The reasons of outcomes and verdicts by their id. */
  reasons?: Partial<Record<string, LocalizedText>>;
  /** What the side did that lost, by the id of the reason: "{who} ran into {whose} own tail". */
  losses?: Partial<Record<string, Message<{ who: string; whose: string }>>>;
  /** A stranger's script that draws in place of `drawBoard` where a page is looked at. */
  strange?: BoardScript | undefined;
  /** By how much a side won that had the higher score, such as "12 cells". */
  describeMargin?(reason: string, count: number, lang: Lang): string | null;
}

/** Why an action is not possible. */
export function explainIllegalAction(
  viewer: GameViewer | null,
  why: string | LocalizedText | null | undefined,
  lang: Lang,
): string {
  const english = typeof why === "string" ? why : why?.en;
  return (english && viewer?.explainIllegal?.(english, lang)) || localizedText(why, lang);
}

/** The text in a language. */
export function localizedText(text: string | LocalizedText | null | undefined, lang: Lang): string {
  return text == null ? "" : typeof text === "string" ? text : text[lang];
}
