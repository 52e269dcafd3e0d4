// The moment of a leg that is shown, and its movement.

import { type Address, addressedStep } from "./address";
import { FrameBuffer, type Moment } from "./frame_buffer";
import type { GameViewer } from "./game_viewer";
import { loadGameViewer } from "./game_viewers";
import type { Frame, Lang, LegFrames, Outcome, Perspective, Seat } from "./leg_frames";
import { LegMarks, type PlacedMark, describeMoment, nearestMark } from "./leg_marks";
import { type Pace, SPEEDS, advanceHead, moveHead } from "./pace";

/** Milliseconds between two updates of the page while a leg runs. */
const PAGE_UPDATE_MILLIS = 90;

/** Milliseconds of a step if the viewer of the game is not loaded. */
const DEFAULT_STEP_MILLIS = 300;

/** The steps that are still played when a live match ends before its last moves were shown. */
export const CLOSING_STEPS = 3;

export class Playback {
  legFrames: LegFrames | null = $state.raw(null);
  viewer: GameViewer | null = $state.raw(null);
  buffer = $state.raw(new FrameBuffer());
  marks: LegMarks | null = $state.raw(null);
  /** Marks that an analysis adds to those of the game. */
  extraMarks: readonly PlacedMark[] = $state.raw([]);
  /** Grows with every frame, so that drawings from the buffer are repeated. */
  length = $state(0);
  leg = $state(1);
  perspective: Perspective = $state("all");

  /**
   * The step that the page shows. While a leg runs, it follows `head` several times a second:
   * drawing a board is cheap, laying out a page is not.
   */
  step = $state(0);
  playing = $state(false);
  speed = $state(1);
  /** The steps that are played, if not the whole leg: playing stops at its end. */
  section: { first: number; last: number } | null = $state.raw(null);
  /** Whether frames still arrive. */
  live = $state(false);
  /** Whether the newest frame of a live leg is shown. */
  following = $state(false);

  /**
   * The step that the board shows, and the part of the way to it. Drawn every frame, so not state.
   */
  head = 0;
  t = 1;
  private lastPageUpdate = 0;

  /** The shown step as a sentence. */
  readonly sentence = $derived.by(() => {
    const { legFrames, viewer, buffer } = this;
    if (!legFrames || !viewer || this.length === 0) return "";
    return describeMoment({ viewer, legFrames, buffer }, this.step, this.ownSeat(), this.lang());
  });

  /** The moment that the page shows; null before there are frames. */
  readonly moment: Moment | null = $derived(
    this.length > 0 ? this.buffer.momentAt(this.step) : null,
  );

  /** The round of the moment that the page shows. */
  readonly round = $derived(this.moment?.frame.round ?? 0);

  /** How the leg ended; null while it is played. */
  readonly outcome: Outcome | null = $derived(
    this.legFrames?.outcome ??
      (this.length > 0 ? this.buffer.frameAt(this.lastStep).outcome : null) ??
      null,
  );

  constructor(
    private readonly ownSeat: () => Seat | null,
    private readonly lang: () => Lang,
  ) {}

  get lastStep(): number {
    return Math.max(0, this.length - 1);
  }

  /** The step at which playing stops. */
  get lastPlayedStep(): number {
    return this.section?.last ?? this.lastStep;
  }

  get stepMillis(): number {
    return this.viewer?.stepMillis ?? DEFAULT_STEP_MILLIS;
  }

  reset(): void {
    this.legFrames = null;
    this.live = this.following = this.playing = false;
    this.section = null;
    this.length = 0;
  }

  /** Shows a leg from the moment of an address, or from its newest frame. */
  async showLeg(legFrames: LegFrames, address: Address): Promise<void> {
    const known = this.viewer?.id === legFrames.game ? this.viewer : null;
    const viewer = known ?? (await loadGameViewer(legFrames.game));
    const buffer = new FrameBuffer(legFrames.frames);
    this.buffer = buffer;
    this.viewer = viewer;
    this.legFrames = legFrames;
    this.leg = legFrames.leg;
    // The frames of a person have that person's perspective, also in a game without fog.
    this.perspective = viewer?.fog ? legFrames.perspective : "all";
    this.marks = viewer && new LegMarks(viewer, legFrames, buffer);
    this.length = buffer.frames.length;
    this.t = 1;
    this.head = this.step = this.following ? buffer.lastStep : addressedStep(buffer, address);
  }

  /** Adds the frames before the first known one. */
  prependFrames(earlier: readonly Frame[]): void {
    const { viewer, legFrames } = this;
    this.buffer = this.buffer.prependFrames(earlier);
    this.marks = viewer && legFrames && new LegMarks(viewer, legFrames, this.buffer);
  }

  /** Adds new frames of a live leg; throws FrameGap if some are missing. */
  appendFrames(frames: Frame[]): void {
    this.buffer.appendFrames(frames);
    this.marks?.readNewFrames();
    this.length = this.buffer.frames.length;
  }

  /** Goes to a step; a live match is followed from its last step on. */
  goToStep(step: number): void {
    this.following = this.live && step >= this.lastStep;
    this.moveToStep(step);
  }

  /** Goes to a step and stops there. */
  stopAtStep(step: number): void {
    this.playing = false;
    this.goToStep(step);
  }

  stepBy(by: 1 | -1): void {
    this.stopAtStep(this.head + by);
  }

  roundBy(by: 1 | -1): void {
    this.stopAtStep(this.buffer.adjacentRoundStep(this.head, by));
  }

  markBy(by: 1 | -1): void {
    const step = nearestMark([...(this.marks?.marks ?? []), ...this.extraMarks], this.head, by);
    if (step !== null) this.stopAtStep(step);
  }

  togglePlaying(): void {
    if (!this.playing && this.head >= this.lastPlayedStep && !this.live)
      this.moveToStep(this.section?.first ?? 0);
    this.playing = !this.playing;
    this.step = this.head;
    if (this.live && !this.playing) this.following = false;
  }

  /** Goes to the newest frame of a live match and follows it. */
  followLive(): void {
    this.following = true;
    this.moveToStep(this.lastStep);
  }

  /** Plays the last steps from a step on. */
  playClosingSteps(from: number): void {
    this.head = this.step = Math.min(this.lastStep, Math.max(from, this.lastStep - CLOSING_STEPS));
    this.t = 1;
    this.playing = this.head < this.lastStep;
  }

  moveToStep(step: number): void {
    const to = moveHead({ step: this.head, t: this.t }, this.buffer.clampStep(step));
    this.t = to.t;
    this.head = this.step = to.step;
  }

  setSpeed(index: number): void {
    this.speed = SPEEDS[index] ?? this.speed;
  }

  /** Advances by some milliseconds; true if the board has to be drawn again. */
  advanceTime(millis: number): boolean {
    const { head: step, t } = this;
    if (this.buffer.lastStep < 0 || (t >= 1 && !this.playing && !this.following)) return false;
    const pace = this.currentPace();
    const head = advanceHead({ step, t }, millis, pace);
    this.t = head.t;
    this.head = head.step;
    const ended = head.step >= pace.last;
    if (head.step !== this.step) this.updatePage(ended);
    if (this.playing && !this.live && ended && head.t >= 1) this.playing = false;
    return head.t !== t || head.step !== step;
  }

  private currentPace(): Pace {
    return {
      step: this.stepMillis / this.speed,
      playing: this.playing,
      last: this.playing ? this.lastPlayedStep : this.buffer.lastStep,
      following: this.following,
    };
  }

  /** Lets the page follow the board: at once, or if enough time has passed. */
  private updatePage(atOnce: boolean): void {
    const now = performance.now();
    if (!atOnce && now - this.lastPageUpdate < PAGE_UPDATE_MILLIS) return;
    this.lastPageUpdate = now;
    this.step = this.head;
  }
}
