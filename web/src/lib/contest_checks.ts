// What the server says of a contest's file before it is published.

import type { LocalizedText } from "./types";

/** How much a result says. */
export interface DryRunQuality {
  "best-wins": number;
  "ranking-error": number;
}

/** A change of the contest, and what it brings. */
export interface DryRunAdvice {
  change: LocalizedText;
  matches: number;
  quality: DryRunQuality;
}

/** A stage on paper; times are in seconds since 1970. */
export interface DryRunStage {
  name: LocalizedText;
  entrants: number;
  matches: [number, number];
  begins: number;
  ends: number;
  "ends-at-the-latest": number;
}

/** A contest that was played on paper. */
export interface DryRunResult {
  assumptions: { entrants: number; workers: number; "match-seconds": number };
  stages: DryRunStage[];
  matches: [number, number];
  "cpu-hours": number;
  quality: DryRunQuality;
  "halves-wrong-winner": DryRunAdvice | null;
  "halves-ranking-error": DryRunAdvice | null;
  warnings: LocalizedText[];
}

/** The answer to a file without problems. */
export interface ContestCheckResult {
  measured: number;
  dry_run: DryRunResult;
}

/** Seconds with as many digits as a reader needs. */
export function formatSeconds(seconds: number): string {
  return seconds.toFixed(seconds < 10 ? 1 : 0);
}
