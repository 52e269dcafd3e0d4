// The board that the script of a stranger's game draws (`viewer.js`, docs/game-files.md). It
// runs in a worker inside a frame of an origin of its own (viewer-frame.html): without
// network, storage, session, and without the thread of this page. It is asked for one picture at a
// time, and only while a board is looked at. What it answers is a stranger's: everything else ends
// it, and the plain board is drawn in its place.

import { get } from "$lib/api";
import { keptScript } from "$lib/engine/kept_games";
import type { BoardCell, Scene } from "./game_viewer";
import frameAddress from "./viewer-frame.html?url";

/** Milliseconds between two questions, until an answer must be there, until a quiet one ends. */
const [PAUSE, PATIENCE, QUIET] = [33, 5000, 5000];
/** The most columns and rows, pixels of a side, actions with cells, cells of an action. */
const [MOST_CELLS, MOST_PIXELS, MOST_ACTIONS, MOST_TARGETS] = [64, 4096, 500, 64];
/** The most pixels for a pixel of the page: pictures are sent. */
const MOST_RATIO = 2;

export interface BoardSize {
  cols: number;
  rows: number;
}

/** Why the script draws no more: its own words, or null if it did not answer. */
export interface Trouble {
  why: string | null;
}

type Targets = Record<string, BoardCell[]>;
type AnyScene = Scene<unknown, unknown>;

interface Question {
  scene: AnyScene;
  size: BoardSize;
  ratio: number;
}

const isWhole = (value: unknown, most: number): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;

/** The cells of the actions, as far as they have the right shape. */
export function readTargets(said: unknown, { cols, rows }: BoardSize): Targets | null {
  if (typeof said !== "object" || said === null) return null;
  const cellOf = (at: unknown): BoardCell[] => {
    const [col, row] = Array.isArray(at) ? (at as unknown[]) : [];
    return isWhole(Number(col) + 1, cols) && isWhole(Number(row) + 1, rows)
      ? [{ col: Number(col), row: Number(row) }]
      : [];
  };
  const cells = (of: unknown) =>
    Array.isArray(of) ? of.slice(0, MOST_TARGETS).flatMap(cellOf) : [];
  const all = Object.entries(said).slice(0, MOST_ACTIONS);
  return Object.fromEntries(all.map(([action, of]) => [action, cells(of)]));
}

/** An answer of the script; null if it is none. */
export function readAnswer(
  said: unknown,
): { size: BoardSize; targets: Targets | null; picture: ImageBitmap } | null {
  const { cols, rows, targets, picture } = Object(said) as Record<string, unknown>;
  if (!isWhole(cols, MOST_CELLS) || !isWhole(rows, MOST_CELLS)) return null;
  if (!(picture instanceof ImageBitmap)) return null;
  if (picture.width > MOST_PIXELS || picture.height > MOST_PIXELS) return null;
  return { size: { cols, rows }, targets: readTargets(targets, { cols, rows }), picture };
}

const isSame = (one: Question | null, other: Question) =>
  one !== null &&
  one.size.cols === other.size.cols &&
  one.ratio === other.ratio &&
  one.scene.moment.view === other.scene.moment.view &&
  (["size", "t", "lang", "perspective", "you", "question"] as const).every(
    (key) => one.scene[key] === other.scene[key],
  ) &&
  one.scene.palette.dark === other.scene.palette.dark;

/** What the script learns. */
function wordsOf({ scene, size, ratio }: Question): unknown {
  const { moment, setup, t, perspective, lang, you, palette, question } = scene;
  return {
    ...size,
    ratio,
    cell: scene.size,
    view: moment.view,
    before: moment.before,
    step: moment.frame.step,
    setup,
    t,
    perspective,
    lang,
    you,
    colors: { ...palette },
    actions: question?.choices.filter(({ legal }) => legal).map(({ action }) => action) ?? [],
  };
}

export class StrangeBoard {
  /** Its columns and rows, once it has drawn. */
  size: BoardSize | null = $state.raw(null);
  trouble: Trouble | null = $state.raw(null);
  /** Counts its pictures: a board is drawn again. */
  painted = $state(0);

  private readonly game: string;
  private script: Promise<string | null> | null = null;
  private hasScript = true;
  private frame: HTMLIFrameElement | null = null;
  private port: MessagePort | null = null;
  private picture: ImageBitmap | null = null;
  private targets: { view: unknown; cells: Targets } | null = null;
  private asked: Question | null = null;
  private next: Question | null = null;
  private isBusy = false;
  private lastAsked = 0;
  private deadline: ReturnType<typeof setTimeout> | undefined;
  private pump: ReturnType<typeof setTimeout> | undefined;

  constructor(game: string) {
    this.game = game;
  }

  /** Draws its newest picture and asks for one of this scene; false: draw the plain board. */
  draw(scene: AnyScene, rules: string, size: BoardSize, ratio: number): boolean {
    if (!this.hasScript || this.trouble) return false;
    const wanted = { scene, size: this.size ?? size, ratio: Math.min(MOST_RATIO, ratio) };
    if (!isSame(this.next ?? this.asked, wanted)) {
      this.next = wanted;
      void this.ask(rules);
    }
    const { cols, rows } = this.size ?? size;
    if (this.picture) scene.ctx.drawImage(this.picture, 0, 0, cols * scene.size, rows * scene.size);
    return true;
  }

  /** The cells of an action, if the script named them for this view; null otherwise. */
  cellsOf(view: unknown, action: string): BoardCell[] | null {
    void this.painted;
    const { targets } = this;
    if (this.trouble || !targets || targets.view !== view) return null;
    return Object.hasOwn(targets.cells, action) ? targets.cells[action]! : [];
  }

  /** Ends the script. The next drawing starts it anew. */
  close(): void {
    clearTimeout(this.deadline);
    clearTimeout(this.pump);
    this.port?.close();
    this.frame?.remove();
    this.port = this.frame = this.asked = this.next = null;
    this.pump = undefined;
    this.isBusy = false;
  }

  private async ask(rules: string): Promise<void> {
    if (this.isBusy || this.pump !== undefined) return;
    const wait = this.lastAsked + PAUSE - performance.now();
    if (wait > 0) {
      this.pump = setTimeout(() => {
        this.pump = undefined;
        void this.ask(rules);
      }, wait);
      return;
    }
    this.isBusy = true;
    const port = this.port ?? (await this.open(rules));
    if (!port || !this.next) {
      this.isBusy = false;
      return;
    }
    const question = (this.asked = this.next);
    this.next = null;
    this.lastAsked = performance.now();
    this.waitFor(PATIENCE, () => this.fail(null));
    port.onmessage = ({ data }) => this.hear(data, question, rules);
    port.postMessage(wordsOf(question));
  }

  /** In parts: a page that stood still for a while takes that time for one of them. */
  private waitFor(millis: number, then: () => void, parts = 10): void {
    clearTimeout(this.deadline);
    const goOn = () => (parts > 1 ? this.waitFor(millis, then, parts - 1) : then());
    this.deadline = setTimeout(goOn, millis / 10);
  }

  private async open(rules: string): Promise<MessagePort | null> {
    const path = `/games/${encodeURIComponent(this.game)}/viewer`;
    this.script ??= get<{ script: string | null }>(path, { rules }).then(
      ({ script }) => script,
      (error) => keptScript(this.game, rules, error),
    );
    const script = await this.script;
    if (script === null) {
      this.hasScript = false;
      this.painted++;
      return null;
    }
    const frame = document.createElement("iframe");
    frame.sandbox.add("allow-scripts");
    frame.title = this.game;
    frame.ariaHidden = "true";
    frame.tabIndex = -1;
    frame.style.cssText = "position:fixed;width:0;height:0;border:0;visibility:hidden";
    // A service worker sees nothing of such a frame: without the server it comes from the browser's
    // own cache, where a file of assets/ stays with its headers.
    frame.src = frameAddress;
    this.frame = frame;
    const isLoaded = new Promise((done) => (frame.onload = () => done(true)));
    const isLate = new Promise((done) => setTimeout(() => done(false), PATIENCE));
    document.body.append(frame);
    if (!(await Promise.race([isLoaded, isLate]))) {
      this.fail(null);
      return null;
    }
    const { port1, port2 } = new MessageChannel();
    // The frame has no origin that could be named.
    frame.contentWindow?.postMessage(script, "*", [port2]);
    return (this.port = port1);
  }

  private hear(said: unknown, question: Question, rules: string): void {
    if (!this.isBusy) return this.fail("an answer without a question");
    const answer = readAnswer(said);
    if (!answer) {
      const { why } = Object(said) as { why?: unknown };
      return this.fail(typeof why === "string" ? why.slice(0, 200) : "an answer of another shape");
    }
    this.isBusy = false;
    this.picture?.close();
    this.picture = answer.picture;
    const view = question.scene.moment.view;
    this.targets = answer.targets && { view, cells: answer.targets };
    const { cols, rows } = answer.size;
    if (this.size?.cols !== cols || this.size.rows !== rows) this.size = answer.size;
    this.painted++;
    this.waitFor(QUIET, () => this.close());
    if (this.next) void this.ask(rules);
  }

  private fail(why: string | null): void {
    this.close();
    this.size = null;
    this.trouble = { why };
    this.painted++;
  }
}
