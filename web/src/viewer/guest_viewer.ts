// The viewer of a game that brings none: it draws what the view declares (docs/game-files.md), a
// board of pieces and numbers, else the view as text. The view comes from a stranger's rules, so
// every part is read with care: what has another shape is left out. Nothing of it becomes HTML.

import { localizedMessage, m } from "$lib/messages";
import { drawCells, drawLabel, hatchPattern, inkOnColor, traceDisc } from "./canvas";
import type { Moment } from "./frame_buffer";
import type { BoardCell, GameViewer, Palette, Scene, SummaryChip } from "./game_viewer";
import { type Lang, type LocalizedText, SEATS, type Seat } from "./leg_frames";
import type { StrangeBoard } from "./strange_board.svelte";

/** The most columns and rows that are drawn. */
const MOST_CELLS = 64;
/** The most signs of a piece, a name, a line of text. */
const [MOST_SIGNS, MOST_NAME, MOST_LINE] = [4, 60, 400];
/** The columns and rows of a view that is text. */
const TEXT_SIZE = { cols: 32, rows: 20 };
const MOST_LINES = 200;

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** Only what the object has itself: a key may be called `constructor`. */
const memberOf = (of: unknown, key: string): unknown =>
  isObject(of) && Object.hasOwn(of, key) ? of[key] : undefined;

/** A text of the view, in one language; null if it is none. */
function textOf(value: unknown, lang: Lang, most = MOST_NAME): string | null {
  if (typeof value === "number") return String(value);
  const text = isObject(value) ? (value[lang] ?? value.en ?? value.zh) : value;
  return typeof text === "string" ? [...text].slice(0, most).join("") : null;
}

const seatOf = (value: unknown): Seat | null => SEATS.find((seat) => seat === value) ?? null;

function cellOf(value: unknown): BoardCell | null {
  const [col, row] = listOf(value);
  return Number.isInteger(col) && Number.isInteger(row)
    ? { col: col as number, row: row as number }
    : null;
}

/** The rows of the board, each a list of signs; null if the view has no board. */
export function boardOf(view: unknown): string[][] | null {
  const rows = listOf(memberOf(view, "board")).slice(0, MOST_CELLS);
  const read = rows.map((row) => {
    const cells = typeof row === "string" ? [...row] : listOf(row);
    return cells
      .slice(0, MOST_CELLS)
      .map((cell) => [...(textOf(cell, "en") ?? "")].slice(0, MOST_SIGNS).join(""));
  });
  return read.some((row) => row.length > 0) ? read : null;
}

const isEmpty = (sign: string) => sign.trim() === "" || sign === ".";

interface Piece {
  seat: Seat | null;
  shape: "disc" | "square" | "sign";
  color: string | null;
  sign: string;
  name: LocalizedText | null;
}

/** Without a list of pieces X and O belong to the seats, as on paper. */
const usualSeat = (sign: string): Seat | null =>
  /^x$/i.test(sign) ? "first" : /^o$/i.test(sign) ? "second" : null;

/** What the view says of a sign of its board. */
function pieceOf(view: unknown, sign: string): Piece {
  const said = objectOf(memberOf(memberOf(view, "pieces"), sign));
  const seat = seatOf(said.seat) ?? (isObject(memberOf(view, "pieces")) ? null : usualSeat(sign));
  const color = typeof said.color === "string" && /^#[0-9a-f]{6}$/i.test(said.color);
  const shapes = ["disc", "square", "sign"] as const;
  const [en, zh] = [textOf(said.name, "en"), textOf(said.name, "zh")];
  return {
    seat,
    shape: shapes.find((shape) => shape === said.shape) ?? (seat ? "disc" : "sign"),
    color: color ? (said.color as string) : null,
    sign: [...(textOf(said.sign, "en") ?? sign)].slice(0, MOST_SIGNS).join(""),
    name: en === null || zh === null ? null : { en, zh },
  };
}

/** The lines of a view without a board: its member `text`, else all of it as JSON. */
export function textLines(view: unknown, lang: Lang): string[] {
  const said = memberOf(view, "text");
  const text = isObject(said) || typeof said === "string" ? textOf(said, lang, 20_000) : null;
  const lines = (text ?? writeJson(view)).split("\n", MOST_LINES);
  return lines.map((line) => line.replace(/[\p{Cc}\p{Bidi_C}]/gu, " ").slice(0, MOST_LINE));
}

/** JSON in which short lists stand on one line. */
function writeJson(value: unknown, indent = ""): string {
  const short = JSON.stringify(value) ?? "";
  if (short.length <= 48 || typeof value !== "object" || value === null) return short;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => inner + writeJson(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}: ${writeJson(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

function drawPiece(ctx: CanvasRenderingContext2D, at: BoardCell, size: number, of: Look): void {
  const { piece, palette } = of;
  const [x, y] = [(at.col + 0.5) * size, (at.row + 0.5) * size];
  const color = piece.color ?? (piece.seat ? palette[piece.seat] : palette.ink);
  // A sign on a cell of the page is as legible as text; a colour of its own lies behind it.
  const isBare = piece.shape === "sign" && piece.color === null;
  const signs = [...piece.sign].length;
  const text = size * (signs > 2 ? 0.3 : signs > 1 ? 0.4 : 0.5);
  if (isBare) {
    return drawLabel(ctx, piece.sign, x, y, text, piece.seat ? color : palette.ink, 700);
  }
  const ink = inkOnColor(color);
  ctx.fillStyle = piece.seat === "second" ? hatchPattern(ctx, "dots", color, palette.line) : color;
  ctx.strokeStyle = palette.ink;
  ctx.lineWidth = Math.max(1, Math.min(2.5, size * 0.03));
  ctx.beginPath();
  if (piece.shape === "disc") traceDisc(ctx, x, y, size * 0.4);
  else ctx.rect(x - size * 0.4, y - size * 0.4, size * 0.8, size * 0.8);
  ctx.fill();
  ctx.stroke();
  drawLabel(ctx, piece.sign, x, y, text, ink, 800);
}

interface Look {
  piece: Piece;
  palette: Palette;
}

function drawBoard(scene: Scene<unknown, unknown>): void {
  const { ctx, size, palette, moment, lang } = scene;
  const board = boardOf(moment.view);
  if (!board) return drawText(scene, textLines(moment.view, lang));
  const before = moment.before === null ? null : boardOf(moment.before);
  drawCells(ctx, Math.max(...board.map((row) => row.length)), board.length, size, palette);
  board.forEach((signs, row) =>
    signs.forEach((sign, col) => {
      if (isEmpty(sign)) return;
      // A piece that is new comes into sight.
      ctx.globalAlpha = before && before[row]?.[col] !== sign ? 0.25 + 0.75 * scene.t : 1;
      drawPiece(ctx, { col, row }, size, { piece: pieceOf(moment.view, sign), palette });
      ctx.globalAlpha = 1;
    }),
  );
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = Math.max(2, Math.min(4, size * 0.07));
  for (const mark of listOf(memberOf(moment.view, "marks")).slice(0, 100)) {
    const cell = cellOf(mark);
    if (cell)
      ctx.strokeRect((cell.col + 0.06) * size, (cell.row + 0.06) * size, size * 0.88, size * 0.88);
  }
}

/** Text from the top left, as large as its longest line and its number of lines allow. */
function drawText({ ctx, size, palette }: Scene<unknown, unknown>, lines: string[]): void {
  const [wide, high] = [TEXT_SIZE.cols * size, TEXT_SIZE.rows * size];
  ctx.fillStyle = palette.paper;
  ctx.fillRect(0, 0, wide, high);
  const longest = Math.max(16, ...lines.map((line) => line.length));
  const px = Math.max(
    5,
    Math.min(20, (wide * 0.94) / (longest * 0.61), (high * 0.96) / (lines.length * 1.35)),
  );
  ctx.fillStyle = palette.ink;
  ctx.font = `${px}px ui-monospace, monospace`;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  lines.forEach((line, at) => ctx.fillText(line, wide * 0.03, high * 0.02 + at * px * 1.35));
}

function describeCell(
  { view }: Moment,
  { col, row }: BoardCell,
  _setup: unknown,
  lang: Lang,
): string[] {
  const sign = boardOf(view)?.[row]?.[col];
  if (sign === undefined) return [];
  if (isEmpty(sign)) return [m.guest_empty({}, { locale: lang })];
  const piece = pieceOf(view, sign);
  const owner = piece.seat && SEAT_NAMES[piece.seat][lang];
  return [[piece.name?.[lang] ?? piece.sign, owner].filter(Boolean).join(", ")];
}

/** The replies of the step, as they were said. */
function describeStep(
  { view, frame }: Moment,
  _setup: unknown,
  _you: Seat | null,
  lang: Lang,
): string {
  const told = textOf(memberOf(view, "told"), lang, MOST_LINE);
  return told ?? (frame.token ? m.guest_played({ what: frame.token }, { locale: lang }) : "");
}

function summaryChips({ view }: Moment, _setup: unknown, seat: Seat, lang: Lang): SummaryChip[] {
  return listOf(memberOf(view, "facts"))
    .slice(0, 12)
    .map(objectOf)
    .filter((fact) => fact.seat === undefined || fact.seat === seat)
    .flatMap((fact) => {
      const [name, value] = [textOf(fact.name, lang), textOf(fact.value, lang)];
      return name === null || value === null ? [] : [{ text: `${name}: ${value}` }];
    });
}

/** The cells that an action is chosen by: one, `[column, row]`, or a list of them. */
function targetsOf(view: unknown, action: string): BoardCell[] {
  const said = memberOf(memberOf(view, "targets"), action);
  const one = cellOf(said);
  const cells = one ? [one] : listOf(said).map(cellOf);
  return cells.slice(0, MOST_CELLS).filter((cell) => cell !== null);
}

const SEAT_NAMES: Record<Seat, LocalizedText> = {
  first: localizedMessage(m.guest_first),
  second: localizedMessage(m.guest_second),
};

/**
 * The viewer of a guest game. It remembers the names of columns and rows from the last board. A
 * script of the game's own draws the board where a page is looked at, and names actions' cells.
 */
export function guestViewer(id: string, strange?: StrangeBoard): GameViewer {
  const cellsOf = (view: unknown, action: string) =>
    strange?.cellsOf(view, action) ?? targetsOf(view, action);
  let names: { columns: unknown[]; rows: unknown[] } | null = null;
  let declared = TEXT_SIZE;
  const nameOf = (of: "columns" | "rows", at: number) =>
    names === null ? "" : (textOf(names[of][at], "en", 3) ?? `${at + 1}`);
  // The script's board may have other cells than the declared one, whose names would mislead.
  const isOther = () =>
    !!strange?.size && (strange.size.cols !== declared.cols || strange.size.rows !== declared.rows);
  const axisName = (of: "columns" | "rows", at: number) => (isOther() ? "" : nameOf(of, at));
  return {
    id,
    strange,
    seats: {
      first: {
        name: SEAT_NAMES.first,
        letter: "1",
        color: { light: "#0068a8", dark: "#56a8e6" },
      },
      second: {
        name: SEAT_NAMES.second,
        letter: "2",
        color: { light: "#c8431a", dark: "#ee7a4c" },
      },
    },
    stepMillis: 600,
    fog: true,
    boardSize({ frames }) {
      const view = frames[0]?.view;
      const board = boardOf(view);
      names = null;
      if (!board) return TEXT_SIZE;
      names = { columns: listOf(memberOf(view, "columns")), rows: listOf(memberOf(view, "rows")) };
      declared = { cols: Math.max(...board.map((row) => row.length)), rows: board.length };
      return declared;
    },
    columnName: (col) => axisName("columns", col),
    rowName: (row) => axisName("rows", row),
    cellName: ({ col, row }) =>
      isOther() ? `${col + 1}, ${row + 1}` : `${nameOf("columns", col)}, ${nameOf("rows", row)}`,
    drawBoard,
    describeCell,
    findMarks: () => [],
    describeStep,
    summaryChips,
    targetCell: (view, _question, action) => cellsOf(view, action)[0] ?? null,
    isTarget: (view, action, { col, row }) =>
      cellsOf(view, action).some((cell) => cell.col === col && cell.row === row),
    describeQuestion: (view, _question, lang) =>
      textOf(memberOf(view, "question"), lang, MOST_LINE) ?? m.guest_choose({}, { locale: lang }),
  };
}
