// Which pictures a clip has, and for how long each is seen. Pure.

export type ClipKind = "gif" | "webm";

/** A picture: the transition to a step; `t` is 1 at its end. */
export interface ClipFrame {
  step: number;
  t: number;
  millis: number;
}

/** The steps of a clip, both included, and the milliseconds of each. */
export interface ClipSpan {
  first: number;
  last: number;
  stepMillis: number;
}

/** Pictures a second of a WebM. */
export const VIDEO_RATE = 30;
/** Browsers show a picture of a GIF no shorter; they slow down GIFs that ask for less. */
const SHORTEST_GIF_MILLIS = 20;
/** Milliseconds for which the last picture stays. */
export const END_MILLIS = 1500;
/** The most pictures of a clip; more would fill the memory of a phone. */
export const MOST_FRAMES: Record<ClipKind, number> = { gif: 4000, webm: 20_000 };

/** The number of pictures, without making them. */
export function countFrames(kind: ClipKind, span: ClipSpan): number {
  const steps = span.last - span.first;
  if (kind === "gif") return 1 + Math.ceil(steps / stride(span));
  return Math.round(((steps * span.stepMillis + END_MILLIS) * VIDEO_RATE) / 1000);
}

export function planFrames(kind: ClipKind, span: ClipSpan): ClipFrame[] {
  return kind === "gif" ? planGif(span) : planVideo(span);
}

/** Steps between two pictures of a GIF: 1 unless they would be too short. */
function stride({ stepMillis }: ClipSpan): number {
  return Math.ceil(SHORTEST_GIF_MILLIS / stepMillis);
}

/** A GIF shows positions, because every picture costs bytes. */
function planGif(span: ClipSpan): ClipFrame[] {
  const { first, last, stepMillis } = span;
  const by = stride(span);
  // GIFs count hundredths of a second.
  const millis = Math.max(SHORTEST_GIF_MILLIS, Math.round((by * stepMillis) / 10) * 10);
  return Array.from({ length: countFrames("gif", span) }, (_, at) => {
    const step = Math.min(last, first + at * by);
    return { step, t: 1, millis: step === last ? Math.max(millis, END_MILLIS) : millis };
  });
}

/** A video shows the transitions, too. */
function planVideo(span: ClipSpan): ClipFrame[] {
  const { first, last, stepMillis } = span;
  return Array.from({ length: countFrames("webm", span) }, (_, at) => {
    const past = (at * 1000) / VIDEO_RATE / stepMillis;
    const steps = Math.min(last - first, Math.ceil(past));
    const t = steps === 0 ? 1 : Math.min(1, past - (steps - 1));
    return { step: first + steps, t, millis: 1000 / VIDEO_RATE };
  });
}
