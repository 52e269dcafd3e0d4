// What a bot says to the viewer: lines of its log that begin with `#leitai ` and a JSON object. The
// lines were written by a program: everything is bounded and cleaned here, and what cannot be read
// is reported to the author and otherwise left out.

import type { LogEntry } from "$lib/types";
import type { Entrant } from "../leg_frames";

/** A cell as the game's rules number it. */
export type RuleCell = readonly [number, number];

/** One line to the viewer. */
export interface Remark {
  entrant: Entrant;
  period: number;
  marks: RuleCell[];
  line: RuleCell[];
  text: string;
  tags: string[];
  values: [name: string, value: number][];
  tone: (typeof TONES)[number];
}

/** A line that could not be read. */
export interface RemarkProblem {
  entrant: Entrant;
  period: number;
  why: "json" | "object" | "key" | "value" | "long";
  /** The line, or the key. */
  what: string;
}

/** All remarks of a leg. */
export interface Remarks {
  all: Remark[];
  problems: RemarkProblem[];
  /** How many lines were left out because there were too many. */
  leftOut: number;
}

const PREFIX = "#leitai ";
/** The tones of marks and lines; the page chooses the colours. */
export const TONES = ["accent", "good", "bad"] as const;
/** Lines of a leg, and of one period. */
export const MOST_LINES = 4000;
export const MOST_OF_PERIOD = 64;
/** Characters of a line, of a text, and of a name or tag. */
const LONGEST_LINE = 4000;
const LONGEST_TEXT = 200;
const LONGEST_NAME = 40;
/** Cells of one mark or line. */
const MOST_CELLS = 256;
/** Values, and tags, of one line. */
const MOST_NAMES = 8;
const MOST_PROBLEMS = 20;

/** Reads the remarks in the logs of a leg. */
export function readRemarks(logs: readonly LogEntry[]): Remarks {
  const found: Remarks = { all: [], problems: [], leftOut: 0 };
  const counts = new Map<string, number>();
  for (const { entrant, period, text } of logLines(logs)) {
    if (!text.startsWith(PREFIX)) continue;
    const key = `${entrant} ${period}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > MOST_OF_PERIOD || found.all.length >= MOST_LINES) found.leftOut += 1;
    else readLine(found, entrant, period, text);
  }
  return found;
}

/** The lines of the logs: one that was written in two periods belongs to the first. */
function logLines(logs: readonly LogEntry[]): LogEntry[] {
  const lines: LogEntry[] = [];
  const open: Partial<Record<Entrant, LogEntry>> = {};
  for (const { entrant, period, text } of logs) {
    const parts = text.split("\n");
    parts.forEach((part, at) => {
      const before = open[entrant];
      const line = { entrant, period: before?.period ?? period, text: (before?.text ?? "") + part };
      if (at < parts.length - 1) lines.push(line);
      if (at < parts.length - 1 || line.text === "") delete open[entrant];
      else open[entrant] = line;
    });
  }
  return [...lines, ...Object.values(open)];
}

function readLine(found: Remarks, entrant: Entrant, period: number, text: string): void {
  const report = (why: RemarkProblem["why"], what: string) => {
    if (found.problems.length < MOST_PROBLEMS)
      found.problems.push({ entrant, period, why, what: cleanText(what, 80) });
  };
  if (text.length > LONGEST_LINE) return report("long", text);
  let said: unknown;
  try {
    said = JSON.parse(text.slice(PREFIX.length));
  } catch {
    return report("json", text);
  }
  if (typeof said !== "object" || said === null || Array.isArray(said))
    return report("object", text);
  const remark: Remark = {
    entrant,
    period,
    marks: [],
    line: [],
    text: "",
    tags: [],
    values: [],
    tone: "accent",
  };
  for (const [key, value] of Object.entries(said)) {
    const read = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
    if (!read) report("key", key);
    else if (!read(remark, value)) report("value", `${key}: ${JSON.stringify(value)}`);
  }
  found.all.push(remark);
}

/** Puts a value into a remark; false if it is not what the key wants. */
const READERS: Partial<Record<string, (remark: Remark, value: unknown) => boolean>> = {
  mark: (remark, value) => (remark.marks = readCells(value)).length > 0,
  line: (remark, value) => (remark.line = readCells(value)).length > 1,
  text: (remark, value) => {
    if (typeof value !== "string") return false;
    remark.text = cleanText(value, LONGEST_TEXT);
    return true;
  },
  tag: (remark, value) => {
    const tags = (Array.isArray(value) ? value : [value]).slice(0, MOST_NAMES);
    remark.tags = tags
      .filter((tag) => typeof tag === "string")
      .map((tag) => cleanText(tag, LONGEST_NAME))
      .filter((tag) => tag !== "");
    return remark.tags.length === tags.length && tags.length > 0;
  },
  value: (remark, value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const pairs = Object.entries(value).slice(0, MOST_NAMES);
    remark.values = pairs
      .filter(([, number]) => typeof number === "number" && Number.isFinite(number))
      .map(([name, number]) => [cleanText(name, LONGEST_NAME), number as number]);
    return remark.values.length === pairs.length && pairs.length > 0;
  },
  tone: (remark, value) => {
    const tone = TONES.find((tone) => tone === value);
    remark.tone = tone ?? "accent";
    return tone !== undefined;
  },
};

/** One cell or a list of cells; empty if it is neither. */
function readCells(value: unknown): RuleCell[] {
  if (isCell(value)) return [value];
  const isList = Array.isArray(value) && value.length <= MOST_CELLS && value.every(isCell);
  return isList ? value : [];
}

function isCell(value: unknown): value is RuleCell {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}

/** Without control and direction characters, and not longer than this. */
function cleanText(text: string, most: number): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const letters = Array.from(clean);
  return letters.length > most ? `${letters.slice(0, most).join("")}…` : clean;
}

/** The values of one name over the periods, in order. */
export function valueSeries(remarks: Remarks, name: string): [period: number, value: number][] {
  return remarks.all.flatMap(({ period, values }) =>
    values
      .filter(([other]) => other === name)
      .map(([, value]): [number, number] => [period, value]),
  );
}

/** The names of all values, in the order in which they appear; a few at most. */
export function valueNames(remarks: Remarks): string[] {
  const names = new Set(remarks.all.flatMap(({ values }) => values.map(([name]) => name)));
  return [...names].slice(0, MOST_NAMES);
}

/** The remarks that have a tag, or a text or value, with this part. */
export function searchRemarks(remarks: Remarks, part: string): Remark[] {
  const wanted = part.trim().toLowerCase();
  if (!wanted) return remarks.all.filter(({ tags }) => tags.length > 0);
  return remarks.all.filter(({ tags, text }) =>
    [...tags, text].some((word) => word.toLowerCase().includes(wanted)),
  );
}
