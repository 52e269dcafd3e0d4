// The question to a person who plays, and the answer before it is sent.

import type { DraftStore } from "$lib/drafts";
import { m } from "$lib/messages";
import {
  type ActionChoice,
  type BoardCell,
  type DraftChange,
  type Question,
  explainIllegalAction,
} from "./game_viewer";
import { type Direction, choiceForKey, directionOf } from "./keys";
import type { Lang, LocalizedText } from "./leg_frames";
import type { Playback } from "./playback.svelte";
import { playTurnSound } from "./turn_sound.svelte";

/** Sends an action; false if there is no connection. */
export type SendAction = (leg: number, step: number, action: string) => boolean;

export class HumanTurn {
  /** Whether this reader holds a seat. */
  hasSeat = $state(false);
  /** `deadline` is on the clock of `performance.now()`; null without a clock. */
  question: (Question & { deadline: number | null }) | null = $state.raw(null);
  /** The state of the game's order builder. */
  draft: unknown = $state.raw(null);
  /** The last question, which stays visible while the person waits for the next one. */
  lastQuestion: Question | null = $state.raw(null);
  /** The action that was sent. */
  sentAction: string | null = $state(null);
  /** Why the last action is not possible. */
  refusal: string | null = $state(null);
  /** Keeps the draft over a reload of the page. */
  drafts: DraftStore | null = null;

  constructor(
    private readonly playback: Playback,
    private readonly sendToServer: SendAction,
    private readonly lang: () => Lang,
  ) {}

  /** Shows a question; the draft of the question before it may be kept by the game. */
  startQuestion(question: Question): void {
    const { viewer, buffer } = this.playback;
    const before = this.draft ?? this.drafts?.load(question.leg) ?? null;
    const { left_ms } = question;
    this.question = {
      ...question,
      deadline: left_ms === null ? null : performance.now() + left_ms,
    };
    this.lastQuestion = question;
    this.sentAction = this.refusal = null;
    playTurnSound();
    const view = buffer.views[buffer.lastStep];
    this.draft = viewer?.orderBuilder?.startDraft(question, view, before) ?? null;
    if (view !== undefined) this.keepDraft();
    this.playback.followLive();
  }

  endQuestion(): void {
    this.question = null;
    this.sentAction = null;
  }

  /** Ends a question that a later frame answers. */
  endAnsweredQuestion(): void {
    if (this.question && this.question.step < this.playback.buffer.lastStep) this.endQuestion();
  }

  sendAction(action: string): void {
    if (!this.question) return;
    if (!this.sendToServer(this.question.leg, this.question.step, action)) {
      this.refusal = m.viewer_cut_off();
      return;
    }
    this.sentAction = action;
    this.refusal = null;
  }

  /** Sends a choice, or shows why it is not possible. */
  chooseAction(choice: ActionChoice): void {
    if (choice.legal) this.sendAction(choice.action);
    else this.refuseAction(choice.why);
  }

  refuseAction(why: string | LocalizedText | null): void {
    this.refusal = explainIllegalAction(this.playback.viewer, why, this.lang());
  }

  /** Sends the action of the order builder. */
  submitDraft(): void {
    const builder = this.playback.viewer?.orderBuilder;
    if (this.question && builder) this.sendAction(builder.draftAction(this.draft, this.question));
  }

  /** Handles a key of an asked person; false if it has no meaning in the game. */
  handleKey(key: string): boolean {
    const { question } = this;
    const builder = this.playback.viewer?.orderBuilder;
    if (!question) return false;
    if (builder) {
      const change = builder.handleKey(this.draft, key, question, this.lastView());
      if (this.applyChange(change)) return true;
      if (key === "Enter") this.submitDraft();
      return key === "Enter";
    }
    const choice = choiceForKey(question.choices, key);
    if (choice) this.chooseAction(choice);
    return choice !== null;
  }

  /** A click on a cell of the board. */
  handleCell(cell: BoardCell): void {
    const { question } = this;
    const { viewer } = this.playback;
    if (!question || !viewer) return;
    const view = this.lastView();
    if (viewer.orderBuilder) {
      this.applyChange(viewer.orderBuilder.handleClick(this.draft, cell, question, view));
      return;
    }
    const choice = question.choices.find(({ action }) => {
      const target = viewer.targetCell?.(view, question, action);
      return target?.col === cell.col && target.row === cell.row;
    });
    if (choice) this.chooseAction(choice);
  }

  /** A swipe over the board chooses the direction. */
  handleSwipe(direction: Direction): void {
    const choice = this.question?.choices.find((choice) => directionOf(choice) === direction);
    if (choice) this.chooseAction(choice);
  }

  /** Why an action kills, as far as the shown position tells. */
  warnAbout(action: string): string | null {
    const { viewer } = this.playback;
    if (!this.question || !viewer?.warnAbout) return null;
    return viewer.warnAbout(this.lastView(), this.question, action, this.lang());
  }

  /** A button of the order builder's panel. */
  handleButton(row: string, button: string | null): void {
    const builder = this.playback.viewer?.orderBuilder;
    if (!this.question || !builder) return;
    this.applyChange(builder.handleButton(this.draft, row, button, this.question, this.lastView()));
  }

  private lastView(): unknown {
    return this.playback.buffer.views[this.playback.lastStep];
  }

  /** Uses the order builder's answer to a key or a click; false if there is none. */
  private applyChange(change: DraftChange): boolean {
    if (change === null) return false;
    if ("refused" in change) this.refusal = change.refused[this.lang()];
    else {
      this.draft = change.draft;
      this.refusal = null;
      this.keepDraft();
    }
    return true;
  }

  private keepDraft(): void {
    if (this.question && this.draft !== null) this.drafts?.save(this.question.leg, this.draft);
  }
}
