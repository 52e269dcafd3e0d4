// The frames of one leg with the view of every step.

import { type Frame, applyChange } from "./leg_frames";

/** A step of a leg. `before` is the view one step earlier, null at the start. */
export interface Moment<View = unknown> {
  frame: Frame;
  view: View;
  before: View | null;
}

/**
 * The frames of a leg with their views. Of a live leg, frames are appended. Frames and views have
 * the index of their step; before `firstStep` there are none.
 */
export class FrameBuffer {
  readonly frames: Frame[] = [];
  readonly views: unknown[] = [];
  /** The first step that is known. The earlier frames of a live leg can arrive later. */
  readonly firstStep: number;
  /** By round: its first step. */
  private readonly roundStarts: number[] = [];

  constructor(frames: Frame[] = []) {
    this.firstStep = frames[0]?.step ?? 0;
    this.frames.length = this.views.length = this.firstStep;
    this.appendFrames(frames);
  }

  /** The same leg with earlier frames in front. They must reach the first known step. */
  prependFrames(earlier: readonly Frame[]): FrameBuffer {
    return new FrameBuffer([
      ...earlier.slice(0, this.firstStep),
      ...this.frames.slice(this.firstStep),
    ]);
  }

  /** Appends frames. Ignores those that are known already; throws FrameGap if some are missing. */
  appendFrames(frames: Frame[]): void {
    for (const frame of frames) {
      if (frame.step < this.frames.length) continue;
      if (frame.step > this.frames.length) throw new FrameGap(this.frames.length, frame.step);
      const last = this.views[this.views.length - 1];
      this.views.push(
        frame.view !== undefined
          ? frame.view
          : frame.change
            ? applyChange(last, frame.change)
            : last,
      );
      this.frames.push(frame);
      this.roundStarts[frame.round] ??= frame.step;
    }
  }

  get lastStep(): number {
    return this.frames.length - 1;
  }

  /** The frame of this step, or the nearest known one. */
  frameAt(step: number): Frame {
    return this.frames[this.clampStep(step)]!;
  }

  momentAt<View>(step: number): Moment<View> {
    const at = this.clampStep(step);
    return {
      frame: this.frames[at]!,
      view: this.views[at] as View,
      before: at > this.firstStep ? (this.views[at - 1] as View) : null,
    };
  }

  clampStep(step: number): number {
    return Math.max(this.firstStep, Math.min(this.lastStep, Math.round(step)));
  }

  /**
   * The first step of this round, or of the next one that was played; the last step if there is
   * none.
   */
  firstStepOfRound(round: number): number {
    for (let at = Math.max(0, round); at < this.roundStarts.length; at++) {
      const step = this.roundStarts[at];
      if (step !== undefined) return step;
    }
    return this.lastStep;
  }

  /**
   * The first step of the next or the previous round; from within a round, back means its own first
   * step.
   */
  adjacentRoundStep(step: number, by: 1 | -1): number {
    const { round } = this.frameAt(step);
    if (by > 0) return this.firstStepOfRound(round + 1);
    const own = this.firstStepOfRound(round);
    if (own < step) return own;
    for (let at = round - 1; at >= 0; at--)
      if (this.roundStarts[at] !== undefined) return this.roundStarts[at]!;
    return this.firstStep;
  }
}

/** Frames are missing between the known ones and those that arrived. */
export class FrameGap extends Error {
  constructor(have: number, got: number) {
    super(`the next frame should be that of step ${have}, but it is that of step ${got}`);
  }
}
