// The marks of a leg, found as it grows, and where they lie on the timeline.

import type { Film, Frame, Lang, Moment, Seat } from "./film";
import { SEATS, type Reel } from "./film";
import { type GameViewer, type Mark, type MarkKind, say } from "./game";
import { FAULTS, faultCode } from "./texts";

export interface Placed extends Mark {
  step: number;
  round: number;
}

/** What matters more is drawn rather than what matters less, where both do not fit. */
const WEIGHT: Record<MarkKind, number> = {
  fault: 0,
  death: 1,
  solid: 2,
  mine: 3,
  ray: 4,
  split: 5,
  eaten: 6,
  other: 7,
};

/** All marks of a leg in order. Call `grow` when the reel has grown. */
export class Story {
  readonly marks: Placed[] = [];
  private told: number;

  constructor(
    private readonly viewer: GameViewer,
    private readonly film: Film,
    private readonly reel: Reel,
  ) {
    this.told = reel.first;
    this.grow();
  }

  grow(): void {
    for (; this.told < this.reel.frames.length; this.told++) {
      const moment = this.reel.moment(this.told);
      const round = roundOf(this.reel, this.told);
      for (const mark of [
        ...this.viewer.marks(moment, this.film.setup),
        ...faults(moment.frame, this.viewer),
      ])
        this.marks.push({ ...mark, step: this.told, round });
    }
  }

  /** The nearest step with a mark before or after this one. */
  near(step: number, by: 1 | -1): number | null {
    const steps = this.marks.map((mark) => mark.step);
    const found = by > 0 ? steps.find((at) => at > step) : steps.findLast((at) => at < step);
    return found ?? null;
  }

  /** Some marks around a step: those before (its own included) and those after. */
  around(step: number, before: number, after: number): Placed[] {
    let at = this.marks.findIndex((mark) => mark.step > step);
    if (at < 0) at = this.marks.length;
    return this.marks.slice(Math.max(0, at - before), at + after);
  }
}

/** The round in which the step was played that led to this moment. */
export function roundOf(reel: Reel, step: number): number {
  return reel.frame(Math.max(0, reel.within(step) - 1)).round;
}

/** Faults are the house's and not a game's. */
function faults(frame: Frame, viewer: GameViewer): Mark[] {
  const codes = frame.outcome?.faults ?? [null, null];
  return SEATS.flatMap((seat, index): Mark[] => {
    const code = codes[index];
    if (!code) return [];
    const what = FAULTS[faultCode(code)]?.what;
    const text = (lang: Lang) =>
      `${viewer.seats[seat].name[lang]}${lang === "zh" ? "" : " "}${say(what, lang) || code}`;
    return [{ kind: "fault", glyph: "!", seat, text: { en: text("en"), zh: text("zh") } }];
  });
}

/** "Round 37: your snake 4 moves up and eats +3" */
export function spoken(
  viewer: GameViewer,
  film: Film,
  reel: Reel,
  step: number,
  you: Seat | null,
  lang: Lang,
): string {
  const moment: Moment = reel.moment(step);
  if (step === 0) return opening(viewer, film, lang);
  const said = viewer.sentence(moment, film.setup, you, lang);
  const fault = faults(moment.frame, viewer).map((mark) => mark.text[lang]);
  const all = [said, ...fault].filter(Boolean).join(lang === "zh" ? "；" : "; ");
  const round = roundOf(reel, step);
  return lang === "zh" ? `第 ${round} 回合：${all || "—"}` : `Round ${round}: ${all || "—"}`;
}

/** Before the first step: who plays which side. */
function opening({ seats }: GameViewer, film: Film, lang: Lang): string {
  const sides = SEATS.map((seat) => {
    const side = seats[seat].name[lang];
    const name = film.entrants[film.seats[seat] === "a" ? 0 : 1];
    return lang === "zh" ? `${name}（${side}）` : `${name} (${side})`;
  });
  return lang === "zh" ? `开局：${sides.join("对")}` : `The start: ${sides.join(" against ")}`;
}

export interface Sign {
  /** In pixels from the timeline's left end. */
  x: number;
  lane: 0 | 1;
  mark: Placed;
  /** A line where there is no room for the character. */
  thin: boolean;
}

/** Lays the marks out on a timeline: first player above, second below; less weighty ones give way and become lines. */
export function layOut(marks: readonly Placed[], last: number, width: number, glyph = 9): Sign[] {
  const taken: number[][] = [[], []];
  const signs: Sign[] = marks.map((mark) => ({
    x: last > 0 ? (mark.step / last) * width : 0,
    lane: mark.seat === "second" ? 1 : 0,
    mark,
    thin: true,
  }));
  const weighty = signs.slice().sort((a, b) => WEIGHT[a.mark.kind] - WEIGHT[b.mark.kind]);
  for (const sign of weighty) {
    const lane = taken[sign.lane]!;
    if (lane.some((x) => Math.abs(x - sign.x) < glyph)) continue;
    lane.push(sign.x);
    sign.thin = false;
  }
  return signs;
}

/** The marks near a point of the timeline, the most weighty first. */
export function marksAt(signs: readonly Sign[], x: number, reach = 5): Placed[] {
  const near = signs.filter((sign) => Math.abs(sign.x - x) <= reach);
  near.sort(
    (a, b) => WEIGHT[a.mark.kind] - WEIGHT[b.mark.kind] || Math.abs(a.x - x) - Math.abs(b.x - x),
  );
  return near.map((sign) => sign.mark);
}
