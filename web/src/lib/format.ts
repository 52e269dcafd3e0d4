import { m } from "../paraglide/messages";
import { locale } from "./locale.svelte";

/** The tag of the page's language for `Intl`. */
function languageTag(): string {
  return locale() === "zh" ? "zh-CN" : "en-GB";
}

/** A whole number with separators of thousands. */
export function formatCount(value: number): string {
  return new Intl.NumberFormat(languageTag()).format(value);
}

/** A rating or its error, without decimals. */
export function formatRating(value: number): string {
  return new Intl.NumberFormat(languageTag(), {
    maximumFractionDigits: 0,
    useGrouping: false,
  }).format(value);
}

/** A change with its sign; the minus is as wide as the plus. */
export function formatChange(value: number): string {
  const rounded = Math.round(value);
  if (rounded === 0) return "±0";
  return rounded > 0 ? `+${formatRating(rounded)}` : `−${formatRating(-rounded)}`;
}

/** A share of games, in percent. */
export function formatShare(part: number, whole: number): string {
  return whole === 0 ? "–" : `${Math.round((100 * part) / whole)}%`;
}

/** A rank, or the interval of ranks: `3` or `3–7`. */
export function formatRank([best, worst]: [number, number]): string {
  return best === worst ? String(best) : `${best}–${worst}`;
}

/** Microseconds with a fitting unit. */
export function formatMicros(us: number): string {
  if (us < 1000) return `${Math.round(us)} µs`;
  if (us < 1_000_000) return `${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms`;
  return `${(us / 1_000_000).toFixed(us < 10_000_000 ? 2 : 1)} s`;
}

/** Bytes with a fitting unit. */
export function formatBytes(size: number): string {
  if (size < 1024) return `${size} B`;
  const kib = size / 1024;
  return kib < 1024 ? `${kib.toFixed(kib < 10 ? 1 : 0)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
}

/** A time in the reader's time zone, with date and seconds. */
export function formatTime(iso: string): string {
  return new Intl.DateTimeFormat(languageTag(), {
    dateStyle: "medium",
    timeStyle: "medium",
  }).format(new Date(iso));
}

/** A time in the reader's time zone, with date and minutes: for what people plan. */
export function formatMinute(iso: string): string {
  return new Intl.DateTimeFormat(languageTag(), {
    dateStyle: "medium",
    timeStyle: "short",
  }).format(new Date(iso));
}

/** A day such as `2026-11-27`, without its year. */
export function localizedDay(day: string): string {
  const form = { day: "numeric", month: "long", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(languageTag(), form).format(new Date(`${day}T00:00:00Z`));
}

/** The matches after which the place of a bot says something: its rating moves with each before. */
const PLACED = 10;

/** How many more matches a bot needs before its place says something; 0 once it has them. */
export function matchesUntilPlaced(games: number): number {
  return Math.max(0, PLACED - games);
}

/** That a bot with so few matches is not placed yet. */
export function describePlaced(games: number): string {
  const count = matchesUntilPlaced(games);
  return count === 1 ? m.placed_after_one() : m.placed_after({ count });
}

/** The label of a tick on a time axis with ticks `step` seconds apart: the day, or the hour. */
export function formatTick(ms: number, step: number): string {
  const at = new Date(ms);
  const day = step >= 86_400 || (at.getHours() === 0 && at.getMinutes() === 0);
  const style = day
    ? ({ day: "numeric", month: "short" } as const)
    : ({ hour: "2-digit", minute: "2-digit" } as const);
  return new Intl.DateTimeFormat(languageTag(), style).format(at);
}

const SPANS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** The age of a time up to a week, the date of older ones. `now` is in milliseconds since 1970. */
export function formatAge(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  if (seconds < -7 * 86_400)
    return new Intl.DateTimeFormat(languageTag(), { dateStyle: "medium" }).format(new Date(iso));
  const relative = new Intl.RelativeTimeFormat(languageTag(), { numeric: "auto", style: "short" });
  for (const [unit, long] of SPANS) {
    if (Math.abs(seconds) >= long) return relative.format(Math.trunc(seconds / long), unit);
  }
  return m.just_now();
}
