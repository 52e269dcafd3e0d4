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
import type { FirstChoices } from "./live_connection";
import { Autopilot } from "./autopilot.svelte";
import type { Playback } from "./playback.svelte";
import { playTurnSound } from "./turn_sound.svelte";

/** Sends an action; false if there is no connection: the question comes again with the next one. */
export type SendAction = (leg: number, step: number, action: string) => boolean;

/** The most turns that are planned ahead. */
const MOST_PLANNED = 12;

export class HumanTurn {
  /** Whether this reader holds a seat. */
  hasSeat = $state(false);
  /** `deadline` is on the clock of `performance.now()`; null without a clock. */
  question: (Question & { deadline: number | null }) | null = $state.raw(null);
  /** The state of the game's order builder. */
  draft: unknown = $state.raw(null);
  /** The last question, which stays visible while the person waits for the next one. */
  lastQuestion: Question | null = $state.raw(null);
  /** The action that was chosen: sent, or to be sent when the question comes again. */
  sentAction: string | null = $state(null);
  /** Why the last action is not possible. */
  refusal: string | null = $state(null);
  /** The actions of later turns, in their order: each is sent as soon as its turn comes. */
  plan: readonly string[] = $state.raw([]);
  /** Whether buttons and swipes choose for later turns, although this one can still be changed. */
  plansNext = $state(false);
  /** Leads pieces by itself, in games that can. */
  readonly autopilot: Autopilot;
  /** Keeps the draft over a reload of the page. */
  drafts: DraftStore | null = null;

  constructor(
    private readonly playback: Playback,
    private readonly sendToServer: SendAction,
    private readonly lang: () => Lang,
  ) {
    this.autopilot = new Autopilot(() => this.playback.viewer?.steering ?? null);
  }

  /** Shows a question; the draft of the question before it may be kept by the game. */
  startQuestion(question: Question): void {
    const { viewer, buffer } = this.playback;
    const before = this.draft ?? this.drafts?.load(question.leg) ?? null;
    const { left_ms } = question;
    const last = this.lastQuestion;
    // Of a connection that was lost, with which the answer may have been lost, too.
    const isAgain = this.question?.leg === question.leg && this.question.step === question.step;
    const chosen = isAgain ? this.sentAction : null;
    if (last?.leg !== question.leg || last.seat !== question.seat) {
      this.clearPlan();
      this.autopilot.reset();
    }
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
    if (chosen !== null) this.sendAction(chosen);
    else this.takePlanned();
  }

  /** Shows what can be chosen first, before the first question of a leg. */
  showFirstChoices({ leg, seat, choices }: FirstChoices): void {
    if (!choices || this.question) return;
    const { leg: last, seat: lastSeat } = this.lastQuestion ?? {};
    if (last === leg && lastSeat === seat) return;
    this.clearPlan();
    this.lastQuestion = {
      leg,
      step: 0,
      seat,
      choices,
      options: null,
      left_ms: null,
      budget_ms: null,
    };
  }

  endQuestion(): void {
    this.question = null;
    this.sentAction = null;
  }

  /** After new frames: ends a question that a later one answers. */
  endAnsweredQuestion(): void {
    if (this.question && this.question.step < this.playback.buffer.lastStep) this.endQuestion();
    this.takePlanned();
  }

  /** Whether the actions of later turns can be chosen. */
  get plansAhead(): boolean {
    return this.hasSeat && this.lastQuestion !== null && !!this.playback.viewer?.plansAhead;
  }

  /** Forgets the actions of later turns. */
  clearPlan(): void {
    this.plan = [];
  }

  /** Chooses an action for the first turn that has none. */
  private planAction(choice: ActionChoice): void {
    this.refusal = null;
    if (this.question && this.sentAction === null) this.chooseAction(choice);
    else if (this.plan.length < MOST_PLANNED) this.plan = [...this.plan, choice.action];
  }

  /**
   * Sends the planned action of the turn that has come. If it is not possible any more, or would
   * kill, the rest of the plan is dropped and the person chooses.
   */
  private takePlanned(): void {
    const { question, plan } = this;
    const [next] = plan;
    const isShown = question !== null && question.step <= this.playback.buffer.lastStep;
    if (!isShown || this.sentAction !== null) return;
    if (next === undefined) return this.autopilot.answer(this.lastView(), question, this.steer);
    const choice = question.choices.find(({ action }) => action === next);
    const why = choice?.legal
      ? this.warnAbout(next)
      : explainIllegalAction(this.playback.viewer, choice?.why ?? null, this.lang());
    if (why !== null) {
      this.clearPlan();
      this.refusal = m.plan_dropped({ why });
    } else {
      this.sendAction(next);
      if (this.sentAction === next) this.plan = plan.slice(1);
    }
  }

  /** Sends what the autopilot does, unless the person was quicker. */
  private readonly steer = (action: string, asked: Question): void => {
    if (this.question?.step === asked.step && this.sentAction === null) this.sendAction(action);
  };

  sendAction(action: string): void {
    if (!this.question) return;
    const { leg, step } = this.question;
    this.sentAction = action;
    this.refusal = this.sendToServer(leg, step, action) ? null : m.viewer_cut_off();
  }

  /** Sends a choice, or shows why it is not possible. What was planned after it is dropped. */
  chooseAction(choice: ActionChoice): void {
    if (!this.question) return;
    this.clearPlan();
    this.autopilot.takeOver(this.lastView(), this.question, choice.legal ? choice.action : null);
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

  /** A button or a swipe: the action of this turn, or of a later one. */
  pressChoice(choice: ActionChoice): void {
    if (this.plansAhead && (!this.question || this.plansNext)) this.planAction(choice);
    else this.chooseAction(choice);
  }

  /** Handles a key of a person; false if it has no meaning in the game. */
  handleKey(key: string, shift = false): boolean {
    const { question } = this;
    const builder = this.playback.viewer?.orderBuilder;
    if (this.plansAhead && (shift || !question)) return this.handlePlanKey(key);
    if (!question) return false;
    if (key === "Escape" && this.plan.length > 0) {
      this.clearPlan();
      return true;
    }
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

  /** A key while no turn is open, or with Shift: it is about later turns. */
  private handlePlanKey(key: string): boolean {
    const choice = choiceForKey(this.lastQuestion?.choices ?? [], key);
    if (choice) this.planAction(choice);
    else if (this.plan.length > 0 && key === "Escape") this.clearPlan();
    else if (this.plan.length > 0 && key === "Backspace") this.plan = this.plan.slice(0, -1);
    else return false;
    return true;
  }

  /** A click on a cell of the board. */
  handleCell(cell: BoardCell): void {
    const { question } = this;
    const { viewer } = this.playback;
    if (!question) this.autopilot.hold();
    if (!question || !viewer) return;
    const view = this.lastView();
    if (viewer.orderBuilder) {
      this.applyChange(viewer.orderBuilder.handleClick(this.draft, cell, question, view));
      return;
    }
    const choice = question.choices.find(({ action }) => {
      if (viewer.isTarget) return viewer.isTarget(view, action, cell);
      const target = viewer.targetCell?.(view, question, action);
      return target?.col === cell.col && target.row === cell.row;
    });
    if (choice) this.chooseAction(choice);
    else if (viewer.steering) this.sendTo(cell, question);
  }

  /** Sends the asked piece to a far cell. */
  private sendTo(cell: BoardCell, question: Question): void {
    if (this.sentAction !== null) return;
    const action = this.autopilot.sendTo(this.lastView(), question, cell);
    if (action === null) this.refusal = m.steer_no_way();
    else this.sendAction(action);
  }

  /** A swipe over the board chooses the direction. */
  handleSwipe(direction: Direction): void {
    const question = this.question ?? (this.plansAhead ? this.lastQuestion : null);
    const choice = question?.choices.find((choice) => directionOf(choice) === direction);
    if (choice) this.pressChoice(choice);
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
