// Draws what a bot says to the viewer: marked cells and lines over the board.

import { cellCenter } from "../canvas";
import type { BoardCell, GameViewer, Scene } from "../game_viewer";
import type { Remark, RuleCell } from "./remarks";

/** Finds the cell of the board for a cell as the rules number it. */
export type CellFinder = (cell: RuleCell) => BoardCell | undefined;

/** The finder of a leg: every game's viewer names the cells as its rules do. */
export function makeCellFinder(
  viewer: Pick<GameViewer, "cellName">,
  { cols, rows }: { cols: number; rows: number },
  setup: unknown,
): CellFinder {
  const cells = new Map<string, BoardCell>();
  for (let row = 0; row < rows; row++)
    for (let col = 0; col < cols; col++)
      cells.set(numbersOf(viewer.cellName({ row, col }, setup)), { row, col });
  return (cell) => cells.get(cell.join());
}

function numbersOf(name: string): string {
  return (name.match(/-?\d+/g) ?? []).join();
}

/** Draws marks and lines. A mark is a double frame, so that it is more than a colour. */
export function drawRemarks(
  { ctx, size, palette }: Scene<unknown, unknown>,
  remarks: readonly Remark[],
  find: CellFinder,
): void {
  ctx.save();
  ctx.lineCap = ctx.lineJoin = "round";
  for (const { marks, line, tone } of remarks) {
    ctx.strokeStyle = palette[tone];
    for (const cell of marks) {
      const at = find(cell);
      if (!at) continue;
      ctx.lineWidth = Math.max(1.5, size * 0.07);
      for (const gap of [size * 0.08, size * 0.24])
        ctx.strokeRect(at.col * size + gap, at.row * size + gap, size - 2 * gap, size - 2 * gap);
    }
    const points = line.map(find).filter((cell) => cell !== undefined);
    if (points.length < 2) continue;
    ctx.lineWidth = Math.max(2, size * 0.12);
    ctx.setLineDash([size * 0.3, size * 0.25]);
    ctx.beginPath();
    for (const cell of points) ctx.lineTo(...cellCenter(cell, size));
    ctx.stroke();
    ctx.setLineDash([]);
  }
  ctx.restore();
}
