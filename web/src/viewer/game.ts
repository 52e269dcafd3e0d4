// What a game brings to be seen and played in the page: one module, `games/<id>/viewer/index.ts`, whose default export is a
// GameViewer. It draws and speaks; it holds no rules. Everything it shows comes from frames, the setup and the options.

import type { Eye, Film, Lang, Moment, Seat, Text } from "./film";

/** A place on the board: column and row from the top left, from 0. */
export interface Place {
  col: number;
  row: number;
}

/** What a side looks like. The letter and the pattern carry the same meaning as the colour. */
export interface SeatLook {
  name: Text;
  letter: string;
  color: { light: string; dark: string };
  /** For letters on the page, where the colour itself is not legible on it. */
  ink?: { light: string; dark: string };
}

export type MarkKind = "split" | "eaten" | "solid" | "death" | "mine" | "fault" | "ray" | "other";

/** A sign on the timeline. */
export interface Mark {
  kind: MarkKind;
  /** One character. */
  glyph: string;
  seat: Seat | null;
  text: Text;
}

/** A word about a side's piece, beside the board. */
export interface Chip {
  text: string;
  title?: string;
  /** It acts now. */
  active?: boolean;
  /** It is out. */
  faded?: boolean;
  at?: Place | null;
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

/** What is drawn: the way from one view to the next. */
export interface Scene<View, Setup> {
  ctx: CanvasRenderingContext2D;
  /** Width and height of a cell, in CSS pixels; the origin is the board's top left. */
  size: number;
  setup: Setup;
  moment: Moment<View>;
  /** 0 is the view before, 1 the moment's own view. */
  t: number;
  /** Milliseconds, for things that pulse; stands still where motion is not wanted. */
  now: number;
  palette: Palette;
  eye: Eye;
  lang: Lang;
  /** Whose seat the reader has, if they play. */
  you: Seat | null;
  /** What the person is asked, with the composer's state. */
  ask: Ask | null;
  draft: unknown;
}

/** One thing that a person may say. */
export interface Choice {
  action: string;
  keys: string[];
  label: Text;
  legal: boolean;
  why: string | Text | null;
}

/** A question to a person. */
export interface Ask {
  leg: number;
  step: number;
  seat: Seat;
  left_ms: number;
  budget_ms: number;
  choices: Choice[];
  options: unknown;
}

/** A button of a composer's panel. */
export interface Button {
  id: string;
  text: string;
  title?: string;
  pressed?: boolean;
  legal: boolean;
  why?: string | null;
}

/** A line of a composer's panel: a piece, what it is told, and what else it could be told. */
export interface Row {
  id: string;
  text: string;
  detail: string;
  selected: boolean;
  disabled: boolean;
  buttons: Button[];
}

/** What is on a composer's panel. */
export interface Panel {
  title: string;
  help: string;
  rows: Row[];
  done: string;
}

/** Puts an answer together, where one key or button cannot say it. Pure: every method gives the next state. */
export interface Composer<View> {
  start(ask: Ask, view: View, before: unknown): unknown;
  /** A key as `KeyboardEvent.key`; null if it means nothing here, a text if it cannot be done. */
  key(draft: unknown, key: string, ask: Ask, view: View): unknown | { refused: Text } | null;
  click(draft: unknown, place: Place, ask: Ask, view: View): unknown | { refused: Text } | null;
  press(draft: unknown, row: string, button: string | null, ask: Ask, view: View): unknown;
  panel(draft: unknown, ask: Ask, view: View, lang: Lang): Panel;
  /** The answer as it would be given now. */
  action(draft: unknown, ask: Ask): string;
}

/** A second, small picture beside the board, with a round that can be dragged. */
export interface SmallMap<View, Setup> {
  title: Text;
  /** Whether a reader can look ahead with a bar; the text beneath it. */
  ahead?: (setup: Setup, round: number, lang: Lang) => string;
  rounds?: (setup: Setup) => number;
  draw(scene: Scene<View, Setup>, round: number): void;
}

/** What a game brings. Places and cells are counted from the top left; `cellName` says them as the game's README does. */
export interface GameViewer<View = unknown, Setup = unknown> {
  id: string;
  seats: Record<Seat, SeatLook>;
  /** Milliseconds of a step at speed 1. */
  pace: number;
  /** Whether an eye sees less than everything. */
  fog: boolean;
  size(film: Film): { cols: number; rows: number };
  columnName(col: number, setup: Setup): string;
  rowName(row: number, setup: Setup): string;
  cellName(place: Place, setup: Setup): string;
  draw(scene: Scene<View, Setup>): void;
  small?: SmallMap<View, Setup>;
  /** What is on a cell, line by line. */
  inspect(moment: Moment<View>, place: Place, setup: Setup, lang: Lang): string[];
  marks(moment: Moment<View>, setup: Setup): Mark[];
  /** What happened in the step, as a sentence without its round; empty if nothing is worth saying. */
  sentence(moment: Moment<View>, setup: Setup, you: Seat | null, lang: Lang): string;
  chips(moment: Moment<View>, setup: Setup, seat: Seat, lang: Lang): Chip[];
  /** Where an action of the question would lead, to be highlighted and clicked. */
  target?(view: View, ask: Ask, action: string): Place | null;
  /** What the person is asked, as a short sentence: "Snake 4 acts". */
  question?(view: View, ask: Ask, lang: Lang): string;
  /** Why a choice cannot be made, for somebody who has not made it yet; `why` is the server's English. */
  why?(why: string, lang: Lang): string | null;
  composer?: Composer<View>;
  /** Reasons of legs and matches by their id, as the game's rules name them. */
  words?: Partial<Record<string, Text>>;
}

/** Why something cannot be chosen. */
export function because(
  viewer: GameViewer | null,
  why: string | Text | null | undefined,
  lang: Lang,
): string {
  const english = typeof why === "string" ? why : why?.en;
  return (english && viewer?.why?.(english, lang)) || say(why, lang);
}

/** Which language's text. */
export function say(text: string | Text | null | undefined, lang: Lang): string {
  return text == null ? "" : typeof text === "string" ? text : text[lang];
}
