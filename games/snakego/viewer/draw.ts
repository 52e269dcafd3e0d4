// SnakeGo's board: walls with a pattern for each side, snakes as ribbons, items with their
// remaining rounds.

import type { Seat } from "$viewer/leg_frames";
import type { Palette, Scene } from "$viewer/game_viewer";
import {
  type Ctx,
  drawBadge,
  traceDisc,
  easeOut,
  hatchPattern,
  drawLabel,
  cellCenter,
  interpolate,
  inkOnColor,
  tracePolyline,
  drawCells,
} from "$viewer/canvas";
import {
  type Cell,
  type Item,
  LASTS,
  LENGTH,
  SIDE,
  type Setup,
  type Snake,
  type View,
  coming,
  itemName,
  boardCell,
  snakesOf,
} from "./view";

type Point = readonly [number, number];
type SnakeScene = Scene<View, Setup>;

/** The rounds in which coming items are marked on the board. */
const AHEAD = 12;

export function drawBoard(scene: SnakeScene): void {
  const { ctx, size, palette, moment, setup } = scene;
  drawCells(ctx, SIDE, SIDE, size, palette);
  drawWalls(scene);
  for (const { row, wait } of coming(moment.view, setup, AHEAD))
    drawComing(scene, row[0], row[1], row[3], row[4], wait);
  for (const item of moment.view.items) drawItem(scene, item, moment.view.round);
  for (const gone of vanished(scene))
    fade(ctx, 1 - easeOut(scene.t), () => drawSnake(scene, gone, null));
  const before = new Map(moment.before?.snakes.map((snake) => [snake.id, snake]));
  for (const snake of moment.view.snakes) drawSnake(scene, snake, before.get(snake.id) ?? null);
  drawRay(scene);
  for (const snake of moment.view.snakes) drawHead(scene, snake, before.get(snake.id) ?? null);
  drawDeaths(scene);
}

/** The small map: walls and snakes of the current round, items of the chosen one. */
export function drawOverview(scene: SnakeScene, items: Item[], round: number): void {
  const { ctx, size, palette, moment } = scene;
  drawCells(ctx, SIDE, SIDE, size, palette);
  (["first", "second"] as const).forEach((seat, index) => {
    ctx.fillStyle = ctx.strokeStyle = palette[seat];
    fade(ctx, 0.35, () => cellsPath(ctx, moment.view.walls[index]!, size, 1));
    ctx.lineCap = ctx.lineJoin = "round";
    ctx.lineWidth = size * 0.5;
    for (const snake of snakesOf(moment.view, seat)) {
      tracePolyline(
        ctx,
        snake.cells.map((cell) => cellCenter(boardCell(cell), size)),
      );
      fade(ctx, 0.55, () => ctx.stroke());
    }
  });
  for (const item of items) drawItem(scene, item, round);
}

function fade(ctx: Ctx, alpha: number, paint: () => void): void {
  if (alpha <= 0) return;
  const old = ctx.globalAlpha;
  ctx.globalAlpha = old * alpha;
  paint();
  ctx.globalAlpha = old;
}

const sets = new WeakMap<Cell[], Set<number>>();

function setOf(cells: Cell[]): Set<number> {
  let set = sets.get(cells);
  if (!set) sets.set(cells, (set = new Set(cells.map(([x, y]) => x * SIDE + y))));
  return set;
}

function cellsPath(ctx: Ctx, cells: readonly Cell[], size: number, scale: number): void {
  const pad = ((1 - scale) * size) / 2;
  ctx.beginPath();
  for (const cell of cells) {
    const { col, row } = boardCell(cell);
    ctx.rect(col * size + pad, row * size + pad, size * scale, size * scale);
  }
  ctx.fill();
}

/** Existing walls, new ones (they fill their cells), and vanishing ones. */
function drawWalls({ ctx, size, palette, moment, t }: SnakeScene): void {
  (["first", "second"] as const).forEach((seat, index) => {
    const now = moment.view.walls[index]!;
    const then = moment.before?.walls[index] ?? now;
    ctx.fillStyle = wallPaint(ctx, palette, seat);
    if (now === then) {
      cellsPath(ctx, now, size, 1);
    } else {
      const [old, fresh] = [setOf(then), setOf(now)];
      cellsPath(
        ctx,
        now.filter(([x, y]) => old.has(x * SIDE + y)),
        size,
        1,
      );
      cellsPath(
        ctx,
        now.filter(([x, y]) => !old.has(x * SIDE + y)),
        size,
        0.2 + 0.8 * easeOut(t),
      );
      fade(ctx, 1 - easeOut(t), () =>
        cellsPath(
          ctx,
          then.filter(([x, y]) => !fresh.has(x * SIDE + y)),
          size,
          1,
        ),
      );
    }
    outline(ctx, now, size, palette[seat]);
  });
}

function wallPaint(ctx: Ctx, palette: Palette, seat: Seat): CanvasPattern | string {
  const papers = palette.dark
    ? { first: "#5c4a12", second: "#173f5e" }
    : { first: "#f5dc97", second: "#abd0ea" };
  return hatchPattern(ctx, seat === "first" ? "rising" : "dots", papers[seat], palette[seat]);
}

/** The edge of an area. */
function outline(ctx: Ctx, cells: Cell[], size: number, color: string): void {
  const set = setOf(cells);
  ctx.strokeStyle = color;
  ctx.lineWidth = Math.max(1, size * 0.06);
  ctx.lineCap = "square";
  ctx.beginPath();
  for (const cell of cells) {
    const [x, y] = cell;
    const { col, row } = boardCell(cell);
    const edge = (has: boolean, x1: number, y1: number, x2: number, y2: number) => {
      if (has) return;
      ctx.moveTo((col + x1) * size, (row + y1) * size);
      ctx.lineTo((col + x2) * size, (row + y2) * size);
    };
    edge(x > 0 && set.has((x - 1) * SIDE + y), 0, 0, 0, 1);
    edge(x < SIDE - 1 && set.has((x + 1) * SIDE + y), 1, 0, 1, 1);
    edge(y > 0 && set.has(x * SIDE + y - 1), 0, 1, 1, 1);
    edge(y < SIDE - 1 && set.has(x * SIDE + y + 1), 0, 0, 1, 0);
  }
  ctx.stroke();
}

function itemColor(type: number, palette: Palette): string {
  return type === LENGTH ? palette.good : palette.accent;
}

/** An item, with a ring for its remaining time. */
function drawItem({ ctx, size, palette }: SnakeScene, item: Item, round: number): void {
  const [x, y] = cellCenter(boardCell([item.x, item.y]), size);
  const color = itemColor(item.type, palette);
  const left = Math.max(0, Math.min(1, (item.expires - round + 1) / LASTS));
  ctx.fillStyle = palette.paper;
  traceDisc(ctx, x, y, size * 0.4);
  ctx.fill();
  ctx.strokeStyle = color;
  ctx.lineCap = "butt";
  ctx.lineWidth = Math.max(1.5, size * 0.09);
  ctx.beginPath();
  ctx.arc(x, y, size * 0.37, -Math.PI / 2, -Math.PI / 2 + left * 2 * Math.PI);
  ctx.stroke();
  if (item.type === LENGTH) {
    if (size > 11) return drawLabel(ctx, `+${item.param}`, x, y, size * 0.4, color, 750);
    ctx.fillStyle = color;
    traceDisc(ctx, x, y, size * 0.18);
    return ctx.fill();
  }
  bolt(ctx, x, y, size * (size > 11 ? 0.5 : 0.7), color);
}

/** A flash, drawn because fonts differ. */
function bolt(ctx: Ctx, x: number, y: number, size: number, color: string): void {
  ctx.fillStyle = color;
  ctx.beginPath();
  for (const [dx, dy] of [
    [0.12, -0.5],
    [-0.3, 0.1],
    [-0.02, 0.1],
    [-0.12, 0.5],
    [0.3, -0.1],
    [0.02, -0.1],
  ] as const)
    ctx.lineTo(x + dx * size, y + dy * size);
  ctx.closePath();
  ctx.fill();
}

/** An item that will appear: its kind, and the rounds until then. */
function drawComing(
  { ctx, size, palette }: SnakeScene,
  x: number,
  y: number,
  type: number,
  param: number,
  wait: number,
): void {
  const [px, py] = cellCenter(boardCell([x, y]), size);
  const color = itemColor(type, palette);
  fade(ctx, wait < 4 ? 0.95 : 0.65, () => {
    ctx.strokeStyle = color;
    ctx.lineWidth = Math.max(1, size * 0.05);
    ctx.setLineDash([size * 0.12, size * 0.1]);
    ctx.strokeRect(px - size * 0.4, py - size * 0.4, size * 0.8, size * 0.8);
    ctx.setLineDash([]);
    if (size < 13) return;
    drawLabel(ctx, `${wait}`, px, py + size * 0.17, size * 0.36, color);
    if (type === LENGTH)
      drawLabel(ctx, itemName(type, param), px, py - size * 0.2, size * 0.26, color, 500);
    else bolt(ctx, px, py - size * 0.2, size * 0.28, color);
  });
}

/** Snakes of the view before that have died. */
function vanished({ moment, t }: SnakeScene): Snake[] {
  if (!moment.before || t >= 1) return [];
  const alive = new Set(moment.view.snakes.map((snake) => snake.id));
  return moment.before.snakes.filter((snake) => !alive.has(snake.id));
}

function equal(a: Cell | undefined, b: Cell | undefined): boolean {
  return !!a && !!b && a[0] === b[0] && a[1] === b[1];
}

/** The middle line of a snake during a transition, from head to tail. */
function spine(snake: Snake, before: Snake | null, t: number, size: number): Point[] {
  const points: Point[] = snake.cells.map((cell) => cellCenter(boardCell(cell), size));
  const moved =
    before &&
    !equal(before.cells[0], snake.cells[0]) &&
    (snake.cells.length === 1 || equal(before.cells[0], snake.cells[1]));
  if (!moved || t >= 1) return points;
  const between = (from: Cell, to: Point): Point => {
    const [x, y] = cellCenter(boardCell(from), size);
    return [interpolate(x, to[0], t), interpolate(y, to[1], t)];
  };
  const tail = points[points.length - 1]!;
  const stays = snake.cells.length > before.cells.length;
  if (!stays && points.length > 1)
    points.push(between(before.cells[before.cells.length - 1]!, tail));
  points[0] = between(before.cells[0]!, points[0]!);
  return points;
}

function drawSnake(scene: SnakeScene, snake: Snake, before: Snake | null): void {
  const { ctx, size, palette, t } = scene;
  const points = spine(snake, before, t, size);
  const color = palette[snake.seat];
  ctx.lineCap = ctx.lineJoin = "round";
  tracePolyline(ctx, points);
  ctx.strokeStyle = palette.dark ? "#000000" : "#3a3424";
  ctx.lineWidth = size * 0.68;
  ctx.stroke();
  ctx.strokeStyle = color;
  ctx.lineWidth = size * 0.58;
  ctx.stroke();
  if (snake.seat === "second") ladder(ctx, size, inkOnColor(color));
}

/** The second player's snakes have rungs. */
function ladder(ctx: Ctx, size: number, color: string): void {
  ctx.strokeStyle = color;
  ctx.lineCap = "butt";
  ctx.lineWidth = size * 0.26;
  ctx.setLineDash([size * 0.09, size * 0.25]);
  fade(ctx, 0.75, () => ctx.stroke());
  ctx.setLineDash([]);
}

/** The head: the snake's id, its direction, its ray, and its place in the order of moves. */
function drawHead(scene: SnakeScene, snake: Snake, before: Snake | null): void {
  const { ctx, size, palette, moment, t, now } = scene;
  const points = spine(snake, before, t, size);
  const [x, y] = points[0]!;
  const color = palette[snake.seat];
  const acts = moment.view.snake === snake.id && moment.view.to_move === snake.seat;
  if (acts) {
    ctx.strokeStyle = palette.ink;
    ctx.lineWidth = size * 0.07;
    traceDisc(ctx, x, y, size * (0.5 + 0.05 * Math.sin(now / 200)));
    ctx.stroke();
  }
  nose(ctx, x, y, points[1], size, palette.ink);
  ctx.fillStyle = palette.ink;
  traceDisc(ctx, x, y, size * 0.38);
  ctx.fill();
  ctx.fillStyle = color;
  traceDisc(ctx, x, y, size * 0.32);
  ctx.fill();
  if (size > 12)
    drawLabel(
      ctx,
      `${snake.id}`,
      x,
      y,
      size * (snake.id > 99 ? 0.28 : snake.id > 9 ? 0.36 : 0.44),
      inkOnColor(color),
      750,
    );
  if (size > 16) carried(scene, snake, points);
}

function nose(
  ctx: Ctx,
  x: number,
  y: number,
  behind: Point | undefined,
  size: number,
  color: string,
): void {
  if (!behind) return;
  const angle = Math.atan2(y - behind[1], x - behind[0]);
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(angle);
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(size * 0.56, 0);
  ctx.lineTo(size * 0.27, size * 0.26);
  ctx.lineTo(size * 0.27, -size * 0.26);
  ctx.fill();
  ctx.restore();
}

/** Bank, ray, and the place in the order of moves if there are several snakes. */
function carried({ ctx, size, palette, moment }: SnakeScene, snake: Snake, points: Point[]): void {
  const [x, y] = points[0]!;
  const px = size * 0.3;
  if (snake.bank > 0)
    drawBadge(
      ctx,
      `+${snake.bank}`,
      x + size * 0.36,
      y - size * 0.36,
      px,
      palette.good,
      palette.dark ? "#06211a" : "#ffffff",
    );
  if (snake.ray) {
    ctx.fillStyle = palette.accent;
    traceDisc(ctx, x - size * 0.36, y - size * 0.36, size * 0.22);
    ctx.fill();
    bolt(ctx, x - size * 0.36, y - size * 0.36, size * 0.34, palette.dark ? "#241033" : "#ffffff");
  }
  const team = snakesOf(moment.view, snake.seat);
  if (team.length > 1 && points.length > 1) {
    const [bx, by] = points[1]!;
    ctx.fillStyle = palette[snake.seat];
    ctx.strokeStyle = inkOnColor(palette[snake.seat]);
    ctx.lineWidth = 1;
    traceDisc(ctx, bx, by, size * 0.21);
    ctx.fill();
    ctx.stroke();
    drawLabel(
      ctx,
      `${team.indexOf(snake) + 1}`,
      bx,
      by,
      size * 0.28,
      inkOnColor(palette[snake.seat]),
      600,
    );
  }
}

/** A melting ray, along the walls that it melted. */
function drawRay({ ctx, size, palette, moment, t }: SnakeScene): void {
  for (const event of moment.frame.events ?? []) {
    if (event.event !== "fired") continue;
    const snake = moment.view.snakes.find((snake) => snake.id === event.snake);
    const [head, neck] = snake?.cells ?? [];
    if (!head || !neck) continue;
    const [x, y] = cellCenter(boardCell(head), size);
    const far = size * SIDE * 2;
    const end: Point = [x + (head[0] - neck[0]) * far, y - (head[1] - neck[1]) * far];
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, 0, SIDE * size, SIDE * size);
    ctx.clip();
    ctx.strokeStyle = palette.accent;
    ctx.lineCap = "round";
    for (const [width, alpha] of [
      [0.5, 0.25],
      [0.16, 0.9],
    ] as const) {
      ctx.lineWidth = size * width;
      tracePolyline(ctx, [[x, y], end]);
      fade(ctx, alpha * (1 - 0.75 * t), () => ctx.stroke());
    }
    ctx.restore();
  }
}

/** A cross on the last cell of a head. */
function drawDeaths({ ctx, size, palette, moment, t }: SnakeScene): void {
  for (const event of moment.frame.events ?? []) {
    const cell =
      event.event === "died" &&
      moment.before?.snakes.find((snake) => snake.id === event.snake)?.cells[0];
    if (!cell) continue;
    const [x, y] = cellCenter(boardCell(cell), size);
    const arm = size * 0.3;
    ctx.strokeStyle = palette.bad;
    ctx.lineCap = "round";
    ctx.lineWidth = size * 0.13;
    ctx.beginPath();
    ctx.moveTo(x - arm, y - arm);
    ctx.lineTo(x + arm, y + arm);
    ctx.moveTo(x + arm, y - arm);
    ctx.lineTo(x - arm, y + arm);
    fade(ctx, easeOut(t * 1.5), () => ctx.stroke());
  }
}
