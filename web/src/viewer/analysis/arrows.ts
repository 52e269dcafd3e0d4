// Arrows on the board: the action that was played, the best line, and what a person has planned.

import { cellCenter, drawBadge, interpolate } from "../canvas";
import type { BoardArrow, Scene } from "../game_viewer";
import type { Grade } from "./analysis_types";
import { GRADE_SIGNS } from "./words";

/** A line of actions, and what it is. */
export interface DrawnLine {
  kind: "best" | "played" | "reply" | "planned";
  /** What was played, where something better is known. */
  grade?: Grade;
  arrows: readonly BoardArrow[];
}

/** The sign at the first arrow of a line, so that the colour is not the only difference. */
const SIGNS: Record<DrawnLine["kind"], string> = {
  best: "✓",
  played: "·",
  reply: "!",
  planned: "1",
};

/** Draws lines over the board, the most important one last. */
export function drawLines(scene: Scene<unknown, unknown>, lines: readonly DrawnLine[]): void {
  const { ctx } = scene;
  ctx.save();
  ctx.lineCap = ctx.lineJoin = "round";
  for (const line of lines) drawLine(scene, line);
  ctx.restore();
}

function drawLine(scene: Scene<unknown, unknown>, { kind, grade, arrows }: DrawnLine): void {
  const { ctx, palette } = scene;
  // Only a mistake is red; the sign is that of the list.
  const isRed = grade === "mistake" || grade === "blunder";
  const sign = (grade && GRADE_SIGNS[grade]) || SIGNS[kind];
  const color = {
    best: palette.good,
    played: isRed ? palette.bad : palette.soft,
    reply: palette.accent,
    planned: palette.accent,
  }[kind];
  arrows.forEach((arrow, at) => {
    // Later actions of a line are paler: they are less certain.
    ctx.globalAlpha = Math.max(0.35, 0.95 - 0.1 * arrow.order);
    drawArrow(scene, arrow, color, kind === "played");
    ctx.globalAlpha = 1;
    const next = arrows[at - 1];
    if (arrow.order === 0 || next?.order !== arrow.order) drawSign(scene, kind, sign, arrow, color);
  });
}

function drawArrow(
  { ctx, size, palette }: Scene<unknown, unknown>,
  { from, to, kind }: BoardArrow,
  color: string,
  dashed: boolean,
): void {
  const [x1, y1] = cellCenter(from, size);
  const [x2, y2] = cellCenter(to, size);
  const width = Math.max(2, size * 0.16);
  ctx.setLineDash(dashed || kind === "fire" ? [width * 1.1, width * 1.6] : []);
  for (const [ink, wide] of [
    [palette.paper, width + 2],
    [color, width],
  ] as const) {
    ctx.strokeStyle = ctx.fillStyle = ink;
    ctx.lineWidth = wide;
    ctx.beginPath();
    if (kind === "stay") ctx.arc(x1, y1, size * 0.42, 0, 7);
    else {
      ctx.moveTo(x1, y1);
      ctx.lineTo(x2, y2);
    }
    ctx.stroke();
  }
  ctx.setLineDash([]);
  if (kind === "move") drawPoint(ctx, [x1, y1], [x2, y2], width * 1.9);
  if (kind === "fire") drawTarget(ctx, x2, y2, size * 0.3);
}

function drawPoint(
  ctx: CanvasRenderingContext2D,
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  length: number,
): void {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  ctx.beginPath();
  ctx.moveTo(x2 + Math.cos(angle) * length * 0.6, y2 + Math.sin(angle) * length * 0.6);
  for (const turn of [2.4, -2.4])
    ctx.lineTo(x2 + Math.cos(angle + turn) * length, y2 + Math.sin(angle + turn) * length);
  ctx.fill();
}

function drawTarget(ctx: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 7);
  ctx.moveTo(x - radius, y);
  ctx.lineTo(x + radius, y);
  ctx.moveTo(x, y - radius);
  ctx.lineTo(x, y + radius);
  ctx.stroke();
}

/** The kind of the line, or the number of the action in it. */
function drawSign(
  { ctx, size, palette }: Scene<unknown, unknown>,
  kind: DrawnLine["kind"],
  first: string,
  { from, to, sign, order }: BoardArrow,
  color: string,
): void {
  const [x1, y1] = cellCenter(from, size);
  const [x2, y2] = cellCenter(to, size);
  const own = order === 0 ? first : `${order + 1}`;
  const text = sign ? `${own} ${sign}` : own;
  const px = Math.max(9, size * (order === 0 ? 0.42 : 0.34));
  const [x, y] = [interpolate(x1, x2, 0.6), interpolate(y1, y2, 0.6)];
  const aside = kind === "played" ? size * 0.3 : 0;
  drawBadge(ctx, text, x + aside, y - aside, px, color, palette.dark ? "#15130c" : "#ffffff");
}
