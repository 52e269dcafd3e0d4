// TankCraft's board. Red tanks are square, blue ones round; the figure on a tank is its number, the
// shape of its gun its type: a thick gun for attack (Striker), a ram instead of a gun (Pioneer), a
// long gun for range (Sniper).

import type { Scene } from "$viewer/game_viewer";
import {
  drawBadge,
  traceDisc,
  easeOut,
  hatchPattern,
  drawLabel,
  cellCenter,
  interpolate,
  inkOnColor,
  drawCells,
} from "$viewer/canvas";
import { type Draft, targetOf } from "./order_builder";
import {
  type Cell,
  LETTERS,
  SIDE,
  type Setup,
  type Tank,
  type View,
  minesOf,
  boardCell,
  sameCell,
  sideOf,
  spawnOf,
} from "./view";

export type TankScene = Scene<View, Setup>;

/** Shells fly in the first part of a step, tanks drive in the second, as in the rules. */
const FLIGHT = 0.45;

export function drawBoard(scene: TankScene): void {
  const { ctx, size, palette } = scene;
  drawCells(ctx, SIDE, SIDE, size, palette);
  drawTerrain(scene);
  drawSpawns(scene);
  minesOf(scene.setup).forEach((cell, mine) =>
    drawMine(scene, cell, scene.moment.view.owners[mine] ?? "N"),
  );
  drawDark(scene);
  drawPlan(scene);
  for (const tank of scene.moment.view.tanks) drawTank(scene, tank);
  drawLost(scene);
  drawShots(scene);
  drawAim(scene);
}

/** Mines and tanks only, for an overview of ownership. */
export function drawOverview(scene: TankScene): void {
  const { ctx, size, palette, setup, moment } = scene;
  ctx.fillStyle = palette.board;
  ctx.fillRect(0, 0, SIDE * size, SIDE * size);
  ctx.fillStyle = palette.line;
  moment.view.terrain.forEach((line, row) => {
    for (let col = 0; col < SIDE; col++)
      if (line[col] === "#") ctx.fillRect(col * size, row * size, size, size);
  });
  drawDark(scene);
  minesOf(setup).forEach((cell, mine) => {
    const owner = moment.view.owners[mine] ?? "N";
    const inside = (at: number) => Math.max(size * 0.75, Math.min((SIDE - 0.75) * size, at));
    const [x, y] = cellCenter(boardCell(cell), size).map(inside) as [number, number];
    const color = owner === "R" ? palette.first : owner === "B" ? palette.second : palette.soft;
    ctx.fillStyle = color;
    ctx.beginPath();
    ctx.roundRect(x - size * 0.75, y - size * 0.75, size * 1.5, size * 1.5, size * 0.3);
    ctx.fill();
    drawLabel(ctx, owner === "N" ? "–" : owner, x, y, size, inkOnColor(color), 800);
  });
  for (const { id, cell } of moment.view.tanks) {
    if (!cell) continue;
    const [x, y] = cellCenter(boardCell(cell), size);
    ctx.fillStyle = palette[sideOf(id)];
    ctx.strokeStyle = palette.ink;
    ctx.lineWidth = 1;
    if (sideOf(id) === "second") traceDisc(ctx, x, y, size * 0.5);
    else {
      ctx.beginPath();
      ctx.rect(x - size * 0.45, y - size * 0.45, size * 0.9, size * 0.9);
    }
    ctx.fill();
    ctx.stroke();
  }
}

function drawTerrain({ ctx, size, palette, moment }: TankScene): void {
  const stone = palette.dark ? "#5c6068" : "#8f939b";
  const [clay, joint] = palette.dark ? ["#6d4635", "#3e271d"] : ["#d9a88e", "#a8745a"];
  const path = (glyphs: string, inset: number) => {
    ctx.beginPath();
    moment.view.terrain.forEach((line, row) => {
      for (let col = 0; col < SIDE; col++)
        if (glyphs.includes(line[col]!))
          ctx.rect(
            (col + inset) * size,
            (row + inset) * size,
            size * (1 - 2 * inset),
            size * (1 - 2 * inset),
          );
    });
    ctx.fill();
  };
  ctx.fillStyle = stone;
  path("#", 0);
  ctx.fillStyle = palette.dark ? "#787d86" : "#a9adb5";
  path("#", 0.14);
  ctx.fillStyle = hatchPattern(ctx, "bricks", clay, joint);
  path("2", 0.02);
  path("1", 0.2);
  crumbs(moment.view.terrain, ctx, size, joint);
}

/** A brick with 1 HP left is small and cracked. */
function crumbs(
  terrain: string[],
  ctx: CanvasRenderingContext2D,
  size: number,
  color: string,
): void {
  ctx.strokeStyle = color;
  ctx.lineWidth = Math.max(1, size * 0.06);
  ctx.beginPath();
  terrain.forEach((line, row) => {
    for (let col = 0; col < SIDE; col++) {
      if (line[col] !== "1") continue;
      ctx.moveTo((col + 0.2) * size, (row + 0.35) * size);
      ctx.lineTo((col + 0.45) * size, (row + 0.5) * size);
      ctx.lineTo((col + 0.4) * size, (row + 0.65) * size);
      ctx.lineTo((col + 0.7) * size, (row + 0.8) * size);
    }
  });
  ctx.stroke();
}

function drawSpawns({ ctx, size, palette, setup, moment }: TankScene): void {
  for (const { id, revive } of moment.view.tanks) {
    const cell = spawnOf(setup, id);
    if (!cell) continue;
    const [x, y] = cellCenter(boardCell(cell), size);
    ctx.strokeStyle = palette[sideOf(id)];
    ctx.lineWidth = 1;
    ctx.setLineDash([2, 2]);
    ctx.strokeRect(x - size * 0.44, y - size * 0.44, size * 0.88, size * 0.88);
    ctx.setLineDash([]);
    // The cell of a dead tank, with the rounds until its revival.
    if (revive !== null && size > 11)
      drawLabel(
        ctx,
        `${id}↻${Math.max(0, revive - moment.view.round)}`,
        x,
        y,
        size * 0.36,
        palette[sideOf(id)],
        700,
      );
  }
}

/** A flag on a pole, with the owner's letter. */
function drawMine({ ctx, size, palette }: TankScene, cell: Cell, owner: string): void {
  const [x, y] = cellCenter(boardCell(cell), size);
  const color = owner === "R" ? palette.first : owner === "B" ? palette.second : palette.soft;
  ctx.fillStyle = color;
  ctx.globalAlpha = 0.22;
  ctx.fillRect(x - size / 2, y - size / 2, size, size);
  ctx.globalAlpha = 1;
  ctx.fillRect(x - size * 0.4, y - size * 0.42, size * 0.08, size * 0.86);
  ctx.fillRect(x - size * 0.4, y - size * 0.42, size * 0.76, size * 0.5);
  if (size > 10)
    drawLabel(
      ctx,
      owner === "N" ? "–" : owner,
      x + size * 0.02,
      y - size * 0.17,
      size * 0.42,
      inkOnColor(color),
      800,
    );
}

/** Cells that the side does not see. */
function drawDark({ ctx, size, palette, moment }: TankScene): void {
  const { seen } = moment.view;
  if (!seen) return;
  ctx.fillStyle = hatchPattern(
    ctx,
    "rising",
    palette.dark ? "rgb(0 0 0 / 55%)" : "rgb(60 58 50 / 26%)",
    palette.dark ? "rgb(0 0 0 / 25%)" : "rgb(60 58 50 / 22%)",
  );
  ctx.beginPath();
  seen.forEach((line, row) => {
    for (let col = 0; col < SIDE; col++)
      if (line[col] === "?") ctx.rect(col * size, row * size, size, size);
  });
  ctx.fill();
}

function drawTank(scene: TankScene, tank: Tank): void {
  const { ctx, size, moment, t } = scene;
  if (!tank.cell) return;
  const from = moment.before?.tanks[tank.id]?.cell ?? null;
  const part = easeOut((t - FLIGHT) / (1 - FLIGHT));
  const [tx, ty] = cellCenter(boardCell(tank.cell), size);
  const [fx, fy] = from ? cellCenter(boardCell(from), size) : [tx, ty];
  const appears = moment.before !== null && !from;
  ctx.globalAlpha = appears ? 0.15 + 0.85 * part : 1;
  const [x, y] =
    from && far(from, tank.cell)
      ? [tx, ty]
      : [interpolate(fx, tx, part), interpolate(fy, ty, part)];
  if (from && !sameCell(from, tank.cell) && t >= 1) trail(scene, fx, fy, tx, ty, tank.id);
  hull(scene, tank, x, y);
  ctx.globalAlpha = 1;
}

/** A tank that died and revived did not drive to its cell. */
const far = (a: Cell, b: Cell) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) > 1;

/** The cell before the step. */
function trail(
  { ctx, size, palette }: TankScene,
  fx: number,
  fy: number,
  tx: number,
  ty: number,
  id: number,
): void {
  ctx.strokeStyle = palette[sideOf(id)];
  ctx.globalAlpha = 0.45;
  ctx.lineWidth = size * 0.16;
  ctx.lineCap = "round";
  ctx.beginPath();
  ctx.moveTo(interpolate(fx, tx, 0.15), interpolate(fy, ty, 0.15));
  ctx.lineTo(tx, ty);
  ctx.stroke();
  ctx.globalAlpha = 1;
}

function hull({ ctx, size, palette }: TankScene, tank: Tank, x: number, y: number): void {
  const seat = sideOf(tank.id);
  const color = palette[seat];
  const r = size * 0.36;
  gun(ctx, tank, x, y, size, palette.ink, seat === "first" ? 1 : -1);
  ctx.fillStyle = color;
  ctx.strokeStyle = palette.ink;
  ctx.lineWidth = Math.max(1, size * 0.06);
  ctx.beginPath();
  if (seat === "first") ctx.roundRect(x - r, y - r, 2 * r, 2 * r, size * 0.08);
  else ctx.arc(x, y, r * 1.06, 0, Math.PI * 2);
  ctx.fill();
  ctx.stroke();
  if (size > 10)
    drawLabel(
      ctx,
      `${tank.id}${tank.type ? LETTERS[tank.type] : ""}`,
      x,
      y,
      size * (tank.type ? 0.38 : 0.46),
      inkOnColor(color),
      800,
    );
  if (tank.noharm) {
    ctx.strokeStyle = palette.accent;
    ctx.lineWidth = Math.max(1.5, size * 0.09);
    traceDisc(ctx, x, y, size * 0.47);
    ctx.stroke();
    if (size > 14)
      drawBadge(
        ctx,
        `${tank.noharm}`,
        x + size * 0.4,
        y - size * 0.4,
        size * 0.28,
        palette.accent,
        palette.dark ? "#241033" : "#ffffff",
      );
  }
  if (tank.life !== null)
    lifeBar(
      ctx,
      tank.life,
      x,
      y + size * (seat === "first" ? -0.4 : 0.4),
      size,
      palette.paper,
      palette.ink,
    );
}

/** One block for each HP. */
function lifeBar(
  ctx: CanvasRenderingContext2D,
  life: number,
  x: number,
  y: number,
  size: number,
  paper: string,
  ink: string,
): void {
  const wide = Math.min(size * 0.16, (size * 0.86) / Math.max(1, life));
  const left = x - (wide * life) / 2;
  ctx.fillStyle = ink;
  ctx.fillRect(left - 1, y - size * 0.08 - 1, wide * life + 2, size * 0.16 + 2);
  ctx.fillStyle = paper;
  for (let at = 0; at < life; at++)
    ctx.fillRect(left + at * wide + 0.5, y - size * 0.08, Math.max(1, wide - 1), size * 0.16);
}

/** The gun shows the type, and points to the other side's edge. */
function gun(
  ctx: CanvasRenderingContext2D,
  tank: Tank,
  x: number,
  y: number,
  size: number,
  color: string,
  down: 1 | -1,
): void {
  ctx.fillStyle = color;
  const bar = (wide: number, long: number) =>
    ctx.fillRect(x - (wide * size) / 2, down > 0 ? y : y - long * size, wide * size, long * size);
  if (tank.type === "Striker") bar(0.3, 0.5);
  if (tank.type === "Sniper") bar(0.12, 0.62);
  if (tank.type === "Pioneer") bar(0.86, 0.44);
}

/** Tanks that died in this step, fading, with a cross. */
function drawLost(scene: TankScene): void {
  const { ctx, size, palette, moment, t } = scene;
  for (const event of moment.frame.events ?? []) {
    if (event.event !== "died") continue;
    const [x, y] = cellCenter(boardCell(event.at as Cell), size);
    const before = moment.before?.tanks[Number(event.tank)];
    if (before?.cell && t < 1) {
      ctx.globalAlpha = Math.max(0, 1 - t * 1.2);
      const [bx, by] = cellCenter(boardCell(before.cell), size);
      hull(scene, before, interpolate(bx, x, easeOut(t)), interpolate(by, y, easeOut(t)));
    }
    ctx.globalAlpha = easeOut(t * 2 - 0.6);
    ctx.strokeStyle = palette.bad;
    ctx.lineWidth = size * 0.14;
    ctx.lineCap = "round";
    ctx.beginPath();
    for (const slope of [1, -1]) {
      ctx.moveTo(x - size * 0.34, y - slope * size * 0.34);
      ctx.lineTo(x + size * 0.34, y + slope * size * 0.34);
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
}

/** Shells: in flight, then at their targets; the line stays as long as the moment. */
function drawShots({ ctx, size, palette, moment, t }: TankScene): void {
  for (const event of moment.frame.events ?? []) {
    if (event.event !== "fired") continue;
    const tank = Number(event.tank);
    const from = moment.before?.tanks[tank]?.cell;
    if (!from) continue;
    const [fx, fy] = cellCenter(boardCell(from), size);
    const [tx, ty] = cellCenter(boardCell([Number(event.row), Number(event.col)]), size);
    const flown = Math.min(1, t / FLIGHT);
    ctx.strokeStyle = ctx.fillStyle = palette[sideOf(tank)];
    ctx.lineWidth = Math.max(1, size * 0.07);
    ctx.setLineDash([size * 0.16, size * 0.14]);
    ctx.globalAlpha = 0.8;
    ctx.beginPath();
    ctx.moveTo(fx, fy);
    ctx.lineTo(interpolate(fx, tx, flown), interpolate(fy, ty, flown));
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    if (flown < 1) {
      traceDisc(ctx, interpolate(fx, tx, flown), interpolate(fy, ty, flown), size * 0.15);
      ctx.fill();
      continue;
    }
    burst(ctx, tx, ty, size, Math.min(1, (t - FLIGHT) / 0.3), palette.ink);
  }
}

function burst(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  size: number,
  part: number,
  ink: string,
): void {
  const reach = size * (0.16 + 0.2 * easeOut(part));
  ctx.strokeStyle = ink;
  ctx.lineWidth = Math.max(1, size * 0.06);
  ctx.beginPath();
  for (let ray = 0; ray < 8; ray++) {
    const angle = (ray * Math.PI) / 4 + 0.39;
    ctx.moveTo(x + Math.cos(angle) * reach * 0.45, y + Math.sin(angle) * reach * 0.45);
    ctx.lineTo(x + Math.cos(angle) * reach, y + Math.sin(angle) * reach);
  }
  ctx.stroke();
}

/**
 * The draft of the orders: moves as arrows, targets as crosses, and the range of the selected tank.
 */
function drawPlan({ ctx, size, palette, question, draft }: TankScene): void {
  const plan = draft as Draft | null;
  if (!question || plan?.choose !== "orders") return;
  for (const tank of plan.tanks) {
    if (!tank.cell) continue;
    const [x, y] = cellCenter(boardCell(tank.cell), size);
    const chosen = tank.id === plan.selected;
    if (chosen) {
      ctx.fillStyle = palette.accent;
      ctx.globalAlpha = 0.16;
      ctx.beginPath();
      for (const target of tank.targets)
        ctx.rect((target[1] - 1) * size, (target[0] - 1) * size, size, size);
      ctx.fill();
      ctx.globalAlpha = 1;
      ctx.strokeStyle = palette.accent;
      ctx.lineWidth = 2.5;
      ctx.strokeRect(x - size / 2 + 1, y - size / 2 + 1, size - 2, size - 2);
      for (const way of tank.go) {
        const to = boardCell(way.cell);
        ctx.strokeStyle = way.legal ? palette.ink : palette.soft;
        ctx.lineWidth = way.legal ? 1.5 : 1;
        ctx.setLineDash(way.legal ? [size * 0.16, size * 0.12] : [1, 4]);
        ctx.strokeRect(to.col * size + 2, to.row * size + 2, size - 4, size - 4);
        ctx.setLineDash([]);
      }
    }
    const march = plan.marches[tank.id];
    if (march) drawMarch({ ctx, size, palette }, [tank.cell, ...march.path]);
    const order = plan.orders[tank.id] ?? march?.order;
    const way = tank.go.find((way) => way.order === order);
    const target = order === undefined ? null : targetOf(order);
    const to = way ? way.cell : target;
    if (!to) continue;
    const [tx, ty] = cellCenter(boardCell(to), size);
    ctx.strokeStyle = ctx.fillStyle = palette.ink;
    ctx.lineWidth = size * 0.1;
    ctx.setLineDash(target ? [size * 0.18, size * 0.12] : []);
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(tx, ty);
    ctx.stroke();
    ctx.setLineDash([]);
    if (way) arrow(ctx, x, y, tx, ty, size);
    else cross(ctx, tx, ty, size);
  }
}

/** The way of a standing order, with a ring around its target. */
function drawMarch(
  { ctx, size, palette }: Pick<TankScene, "ctx" | "size" | "palette">,
  path: Cell[],
): void {
  const points = path.map((cell) => cellCenter(boardCell(cell), size));
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = size * 0.12;
  ctx.setLineDash([size * 0.22, size * 0.16]);
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.stroke();
  ctx.setLineDash([]);
  const [x, y] = points[points.length - 1]!;
  traceDisc(ctx, x, y, size * 0.36);
  ctx.stroke();
}

/** The target cell being chosen, drawn over everything. */
function drawAim({ ctx, size, palette, question, draft }: TankScene): void {
  const plan = draft as Draft | null;
  if (!question || plan?.choose !== "orders") return;
  if (plan.aim) {
    const [x, y] = cellCenter(boardCell(plan.aim), size);
    ctx.strokeStyle = palette.bad;
    ctx.lineWidth = 2.5;
    traceDisc(ctx, x, y, size * 0.42);
    ctx.stroke();
    cross(ctx, x, y, size);
  }
}

function arrow(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  tx: number,
  ty: number,
  size: number,
): void {
  ctx.save();
  ctx.translate(tx, ty);
  ctx.rotate(Math.atan2(ty - y, tx - x));
  ctx.beginPath();
  ctx.moveTo(size * 0.3, 0);
  ctx.lineTo(-size * 0.1, size * 0.25);
  ctx.lineTo(-size * 0.1, -size * 0.25);
  ctx.fill();
  ctx.restore();
}

function cross(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  const arm = size * 0.3;
  ctx.lineWidth = Math.max(1.5, size * 0.09);
  ctx.beginPath();
  ctx.moveTo(x - arm, y);
  ctx.lineTo(x + arm, y);
  ctx.moveTo(x, y - arm);
  ctx.lineTo(x, y + arm);
  ctx.stroke();
}
