// The notable moments of a leg, their places on the timeline, and moments as sentences.

import { m } from "$lib/messages";
import { faultLabel } from "$lib/faults";
import { inBothLanguages } from "$lib/messages";
import type { FrameBuffer } from "./frame_buffer";
import { type GameViewer, MARK_WEIGHTS, type TimelineMark } from "./game_viewer";
import {
  type Frame,
  type Lang,
  type LegFrames,
  SEATS,
  type Seat,
  entrantNameOf,
} from "./leg_frames";

export interface PlacedMark extends TimelineMark {
  step: number;
  round: number;
}

/** All marks of a leg in order. Call `readNewFrames` when the buffer has got frames. */
export class LegMarks {
  readonly marks: PlacedMark[] = [];
  private framesRead: number;

  constructor(
    private readonly viewer: GameViewer,
    private readonly legFrames: LegFrames,
    private readonly buffer: FrameBuffer,
  ) {
    this.framesRead = buffer.firstStep;
    this.readNewFrames();
  }

  readNewFrames(): void {
    for (; this.framesRead < this.buffer.frames.length; this.framesRead++) {
      const moment = this.buffer.momentAt(this.framesRead);
      const placed = { step: this.framesRead, round: roundOfStep(this.buffer, this.framesRead) };
      const marks = [
        ...this.viewer.findMarks(moment, this.legFrames.setup),
        ...faultMarks(moment.frame, this.viewer),
        ...strikeMarks(this.legFrames, moment.frame, this.viewer),
      ];
      for (const mark of marks) this.marks.push({ ...mark, ...placed });
    }
  }

  /** The marks around a step: this many before it (including its own) and this many after it. */
  marksAround(step: number, before: number, after: number): PlacedMark[] {
    let at = this.marks.findIndex((mark) => mark.step > step);
    if (at < 0) at = this.marks.length;
    return this.marks.slice(Math.max(0, at - before), at + after);
  }
}

/** The nearest step with one of these marks, before or after this step. */
export function nearestMark(marks: readonly PlacedMark[], step: number, by: 1 | -1): number | null {
  const steps = marks.map((mark) => mark.step).filter((at) => (at - step) * by > 0);
  return steps.length === 0 ? null : by > 0 ? Math.min(...steps) : Math.max(...steps);
}

/** The round of the step that led to this moment. */
export function roundOfStep(buffer: FrameBuffer, step: number): number {
  return buffer.frameAt(Math.max(0, buffer.clampStep(step) - 1)).round;
}

/** The period of the last turn that a seat took before this step; null if it took none. */
export function lastOwnPeriod(buffer: FrameBuffer, step: number, seat: Seat): number | null {
  for (let at = buffer.clampStep(step) - 1; at >= buffer.firstStep; at--) {
    const { to_move, period } = buffer.frameAt(at);
    if (to_move.includes(seat)) return period;
  }
  return null;
}

/** Every game has the same faults, so the marks for them do not come from the game. */
function faultMarks(frame: Frame, viewer: GameViewer): TimelineMark[] {
  const faults = frame.outcome?.faults ?? [null, null];
  return SEATS.flatMap((seat, index): TimelineMark[] => {
    const fault = faults[index];
    if (!fault) return [];
    const text = inBothLanguages((locale) =>
      m.viewer_fault_of(
        { side: viewer.seats[seat].name[locale], fault: faultLabel(fault, locale) },
        { locale },
      ),
    );
    return [{ weight: "fault", glyph: "!", seat, text }];
  });
}

/** Late answers that counted, a strike each; of every game, like faults. */
function strikeMarks(legFrames: LegFrames, frame: Frame, viewer: GameViewer): TimelineMark[] {
  const own = (legFrames.strikes ?? []).filter((one) => one.step === frame.step - 1);
  return own.map(({ seat, late_us }): TimelineMark => {
    const late = `${Math.ceil(late_us / 1000)} ms`;
    const text = inBothLanguages((locale) =>
      m.viewer_strike_of({ side: viewer.seats[seat].name[locale], late }, { locale }),
    );
    return { weight: "minor", glyph: "⏱", seat, text };
  });
}

/** A leg that is shown. */
interface ShownLeg {
  viewer: GameViewer;
  legFrames: LegFrames;
  buffer: FrameBuffer;
}

/** "Round 37: your snake 4 moves up and eats +3" */
export function describeMoment(leg: ShownLeg, step: number, you: Seat | null, lang: Lang): string {
  const { viewer, legFrames, buffer } = leg;
  if (step === 0) return describeStart(viewer, legFrames, lang);
  const moment = buffer.momentAt(step);
  const events = viewer.describeStep(moment, legFrames.setup, you, lang);
  const judged = [
    ...strikeMarks(legFrames, moment.frame, viewer),
    ...faultMarks(moment.frame, viewer),
  ].map((mark) => mark.text[lang]);
  const all = [events, ...judged].filter(Boolean).join(m.separator({}, { locale: lang }));
  const round = roundOfStep(buffer, step);
  return m.viewer_moment({ round, events: all || "—" }, { locale: lang });
}

/** The players and their sides, before the first step. */
function describeStart({ seats }: GameViewer, legFrames: LegFrames, locale: Lang): string {
  const [first, second] = SEATS.map((seat) =>
    m.viewer_side(
      { name: entrantNameOf(legFrames, seat), side: seats[seat].name[locale] },
      { locale },
    ),
  );
  return m.viewer_start({ first: first!, second: second! }, { locale });
}

export interface TimelineSign {
  /** In pixels from the timeline's left end. */
  x: number;
  /** 0 above the line, for the first seat; 1 below it. */
  row: 0 | 1;
  mark: PlacedMark;
  /** A line, if there is no space for the character. */
  thin: boolean;
}

/** Pixels that a character of a mark takes on the timeline. */
const GLYPH_WIDTH = 9;

const widthOf = ({ mark }: TimelineSign) => Math.max(1, mark.glyph.length) * GLYPH_WIDTH;

/**
 * Lays the marks out on a timeline: those of the first seat above, of the second below. Where two
 * do not fit, the one that matters less becomes a line.
 */
export function layOutMarks(
  marks: readonly PlacedMark[],
  last: number,
  width: number,
): TimelineSign[] {
  const taken: TimelineSign[][] = [[], []];
  const signs: TimelineSign[] = marks.map((mark) => ({
    x: last > 0 ? (mark.step / last) * width : 0,
    row: mark.seat === "second" ? 1 : 0,
    mark,
    thin: true,
  }));
  for (const sign of signs.slice().sort(compareWeights)) {
    const row = taken[sign.row]!;
    const covers = (other: TimelineSign) =>
      Math.abs(other.x - sign.x) < (widthOf(other) + widthOf(sign)) / 2;
    if (row.some(covers)) continue;
    row.push(sign);
    sign.thin = false;
  }
  return signs;
}

/** The marks near a point of the timeline, the most important first. */
export function marksNear(signs: readonly TimelineSign[], x: number, reach = 5): PlacedMark[] {
  const near = signs.filter((sign) => Math.abs(sign.x - x) <= reach);
  near.sort((a, b) => compareWeights(a, b) || Math.abs(a.x - x) - Math.abs(b.x - x));
  return near.map((sign) => sign.mark);
}

function compareWeights(a: TimelineSign, b: TimelineSign): number {
  return MARK_WEIGHTS.indexOf(a.mark.weight) - MARK_WEIGHTS.indexOf(b.mark.weight);
}
