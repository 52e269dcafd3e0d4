// Answers for a person where there is nothing to decide: a piece goes to the cell it was sent to,
// or straight on until something comes near.

import type { BoardCell, Question, Steering } from "./game_viewer";

const KEY = "leitai.straight";
/** Milliseconds before it answers, so that every step is seen and a tap is in time. */
const PAUSE_MILLIS = 150;

type Send = (action: string, question: Question) => void;

export class Autopilot {
  /** Whether pieces go straight on by themselves. */
  goesStraight = $state(isOn());
  /** Where pieces were sent. */
  targets: Readonly<Record<string, BoardCell>> = $state.raw({});
  /** What was near a piece when the person last decided for it, as far as it still is. */
  private known: Record<string, readonly string[]> = {};
  private last: Record<string, string> = {};
  /** The person wants to be asked. */
  private holds = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly steering: () => Steering<unknown> | null) {}

  get isPossible(): boolean {
    return this.steering() !== null;
  }

  /** Another leg begins. */
  reset(): void {
    clearTimeout(this.timer);
    this.targets = {};
    this.known = this.last = {};
    this.holds = false;
  }

  switchStraight(): void {
    this.goesStraight = !this.goesStraight;
    try {
      localStorage.setItem(KEY, this.goesStraight ? "on" : "off");
    } catch {
      // Storage is not allowed: the choice is forgotten.
    }
  }

  /** The person is asked next, whatever was planned. */
  hold(): void {
    this.holds = true;
    this.targets = {};
  }

  /** Sends the answer to a question a little later, if it needs no person. */
  answer(view: unknown, question: Question, send: Send): void {
    clearTimeout(this.timer);
    const action = this.find(view, question);
    if (action !== null) this.timer = setTimeout(() => send(action, question), PAUSE_MILLIS);
  }

  /** The action that needs no person; null where there is none. */
  private find(view: unknown, question: Question): string | null {
    const steering = this.steering();
    if (!steering || view == null) return null;
    const piece = steering.piece(view, question);
    const straight = steering.straight(view, question, this.last[piece] ?? null);
    const near = straight?.notices ?? [];
    const isNew = near.some((one) => !this.known[piece]?.includes(one));
    if (this.holds) {
      this.holds = false;
      return null;
    }
    const target = this.targets[piece];
    if (target) {
      const action = steering.towards(view, question, target);
      if (action !== null) return this.note(piece, action, near);
      this.forget(piece);
    }
    // Each piece is asked once before it goes on by itself.
    if (!this.goesStraight || !straight || !this.known[piece] || isNew) return null;
    return this.note(piece, straight.action, near);
  }

  private note(piece: string, action: string, near: readonly string[]): string {
    this.last = { ...this.last, [piece]: action };
    this.known = { ...this.known, [piece]: near };
    return action;
  }

  private forget(piece: string): void {
    const { [piece]: _gone, ...rest } = this.targets;
    this.targets = rest;
  }

  /** The person decides for the asked piece. */
  takeOver(view: unknown, question: Question, action: string | null): void {
    clearTimeout(this.timer);
    const steering = this.steering();
    if (!steering || view == null || action === null) return;
    const piece = steering.piece(view, question);
    this.forget(piece);
    this.note(piece, action, steering.straight(view, question, action)?.notices ?? []);
  }

  /** Sends the asked piece to a cell: the first action, or null if no way leads there. */
  sendTo(view: unknown, question: Question, cell: BoardCell): string | null {
    const steering = this.steering();
    const action = view == null ? null : (steering?.towards(view, question, cell) ?? null);
    if (!steering || action === null) return null;
    const piece = steering.piece(view, question);
    this.takeOver(view, question, action);
    this.targets = { ...this.targets, [piece]: cell };
    return action;
  }
}

function isOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true; // Storage is not allowed.
  }
}
