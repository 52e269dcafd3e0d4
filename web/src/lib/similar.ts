import type { SimilarPair } from "./types";

/** Lines of a file that belong to the same region, or to none. */
export type Segment = { text: string; from: number; region: number | null };

/**
 * A file as segments. A line in two regions belongs to the one that begins first; regions count
 * from 0.
 */
export function segmentsOf(pair: SimilarPair, side: 0 | 1, file: number): Segment[] {
  const lines = (pair.sides[side].files[file]?.text ?? "").split("\n");
  const owner: (number | null)[] = lines.map(() => null);
  pair.regions.forEach(({ lines: own }, region) => {
    const { file: of, from, to } = own[side];
    if (of !== file) return;
    for (let line = from - 1; line < Math.min(to, lines.length); line++) owner[line] ??= region;
  });
  const segments: Segment[] = [];
  lines.forEach((text, line) => {
    const region = owner[line] ?? null;
    const last = segments.at(-1);
    if (last?.region === region) last.text += `\n${text}`;
    else segments.push({ text, from: line + 1, region });
  });
  return segments;
}
