// Functions for drawing boards.

import type { Palette, BoardCell, SeatLook } from "./game_viewer";
import type { Seat } from "./leg_frames";

export type Ctx = CanvasRenderingContext2D;

const LIGHT = {
  dark: false,
  paper: "#ffffff",
  board: "#f3f1ea",
  cell: "#faf9f5",
  line: "#dcd8cc",
  ink: "#1d1c19",
  soft: "#6b675d",
  accent: "#7b3fb3",
  good: "#0b7a5b",
  bad: "#b3261e",
};

const DARK = {
  dark: true,
  paper: "#16171a",
  board: "#1b1d21",
  cell: "#202328",
  line: "#31353c",
  ink: "#eceae4",
  soft: "#a09c92",
  accent: "#c99bf2",
  good: "#4fd1a5",
  bad: "#ff8a80",
};

export function paletteFor(dark: boolean, seats: Record<Seat, SeatLook>): Palette {
  const side = (seat: Seat) => seats[seat].color[dark ? "dark" : "light"];
  return { ...(dark ? DARK : LIGHT), first: side("first"), second: side("second") };
}

/** Interpolates between a and b. */
export function interpolate(a: number, b: number, t: number): number {
  return a + (b - a) * t;
}

/** Easing: fast at first, slow at the end. */
export function easeOut(t: number): number {
  return t < 0 ? 0 : t > 1 ? 1 : 1 - (1 - t) * (1 - t);
}

/** The centre of a cell in pixels. */
export function cellCenter(place: BoardCell, size: number): [number, number] {
  return [(place.col + 0.5) * size, (place.row + 0.5) * size];
}

/** All cells of the board as a checkerboard. */
export function drawCells(
  ctx: Ctx,
  cols: number,
  rows: number,
  size: number,
  colors: Palette,
): void {
  ctx.fillStyle = colors.cell;
  ctx.fillRect(0, 0, cols * size, rows * size);
  ctx.fillStyle = colors.board;
  ctx.beginPath();
  for (let row = 0; row < rows; row++)
    for (let col = row % 2; col < cols; col += 2) ctx.rect(col * size, row * size, size, size);
  ctx.fill();
}

const patterns = new Map<string, CanvasPattern | null>();

export type Hatch = "rising" | "falling" | "dots" | "bricks";

/** A pattern of strokes or dots, so that colour is not the only difference between the sides. */
export function hatchPattern(
  ctx: Ctx,
  kind: Hatch,
  paper: string,
  ink: string,
): CanvasPattern | string {
  const scale = ctx.getTransform().a || 1;
  const key = `${kind} ${paper} ${ink} ${scale}`;
  let pattern = patterns.get(key);
  if (pattern === undefined) {
    pattern = ctx.createPattern(patternTile(kind, paper, ink, scale), "repeat");
    pattern?.setTransform(new DOMMatrix().scale(1 / scale));
    if (patterns.size > 64) patterns.clear();
    patterns.set(key, pattern);
  }
  return pattern ?? paper;
}

function patternTile(kind: Hatch, paper: string, ink: string, scale: number): HTMLCanvasElement {
  const side = Math.round(8 * scale);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const ctx = canvas.getContext("2d")!;
  ctx.fillStyle = paper;
  ctx.fillRect(0, 0, side, side);
  ctx.strokeStyle = ctx.fillStyle = ink;
  ctx.lineWidth = 1.6 * scale;
  ctx.beginPath();
  if (kind === "dots") {
    for (const [x, y] of [
      [0.25, 0.25],
      [0.75, 0.75],
    ] as const) {
      ctx.moveTo(x * side, y * side);
      ctx.arc(x * side, y * side, 0.17 * side, 0, 7);
    }
    ctx.fill();
    return canvas;
  }
  if (kind === "bricks") {
    for (const [x1, y1, x2, y2] of [
      [0, 0, 1, 0],
      [0, 0.5, 1, 0.5],
      [0.25, 0, 0.25, 0.5],
      [0.75, 0.5, 0.75, 1],
    ] as const) {
      ctx.moveTo(x1 * side, y1 * side);
      ctx.lineTo(x2 * side, y2 * side);
    }
  } else {
    for (const shift of [-1, 0, 1]) {
      ctx.moveTo((shift - 0.1) * side, (kind === "rising" ? 1.1 : -0.1) * side);
      ctx.lineTo((shift + 1.1) * side, (kind === "rising" ? -0.1 : 1.1) * side);
    }
  }
  ctx.stroke();
  return canvas;
}

/** A line through points, rounded. */
export function tracePolyline(ctx: Ctx, points: readonly (readonly [number, number])[]): void {
  ctx.beginPath();
  ctx.moveTo(...points[0]!);
  if (points.length === 1) ctx.lineTo(points[0]![0] + 0.01, points[0]![1]);
  for (let at = 1; at < points.length; at++) ctx.lineTo(...points[at]!);
}

export function traceDisc(ctx: Ctx, x: number, y: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, Math.max(0, radius), 0, Math.PI * 2);
}

export function drawLabel(
  ctx: Ctx,
  text: string,
  x: number,
  y: number,
  px: number,
  color: string,
  weight = 600,
): void {
  ctx.font = `${weight} ${px}px system-ui, "Noto Sans CJK SC", sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = color;
  ctx.fillText(text, x, y + px * 0.06);
}

/** A text on a small background, legible on every colour. */
export function drawBadge(
  ctx: Ctx,
  text: string,
  x: number,
  y: number,
  px: number,
  paper: string,
  ink: string,
): void {
  ctx.font = `700 ${px}px system-ui, "Noto Sans CJK SC", sans-serif`;
  const wide = Math.max(px * 1.25, ctx.measureText(text).width + px * 0.5);
  ctx.fillStyle = paper;
  ctx.beginPath();
  ctx.roundRect(x - wide / 2, y - px * 0.65, wide, px * 1.3, px * 0.4);
  ctx.fill();
  drawLabel(ctx, text, x, y, px, ink, 700);
}

/** Black or white, whichever is legible on the colour `#rrggbb`. */
export function inkOnColor(color: string): string {
  const part = (at: number) => parseInt(color.slice(at, at + 2), 16);
  return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5) > 150 ? "#15130c" : "#ffffff";
}

/** The cell under a point of the board; null outside. */
export function cellAtPoint(
  x: number,
  y: number,
  size: number,
  cols: number,
  rows: number,
): BoardCell | null {
  const place = { col: Math.floor(x / size), row: Math.floor(y / size) };
  return place.col >= 0 && place.row >= 0 && place.col < cols && place.row < rows ? place : null;
}

export function sameCell(
  a: BoardCell | null | undefined,
  b: BoardCell | null | undefined,
): boolean {
  return !!a && !!b && a.col === b.col && a.row === b.row;
}
