// King of Bots in the page: two snakes that move at once. Frames: `src/view.rs`, `src/position.rs`
// (events).

import { type Message, inBothLanguages, localizedMessage, m } from "$lib/messages";
import type { Moment } from "$viewer/frame_buffer";
import type { GameEvent, Lang, LocalizedText, Seat } from "$viewer/leg_frames";
import type {
  ActionLine,
  BoardArrow,
  Question,
  SummaryChip,
  GameViewer,
  TimelineMark,
  BoardCell,
  Scene,
} from "$viewer/game_viewer";
import {
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

type Cell = [row: number, col: number];

export interface Snake {
  seat: Seat;
  facing: number | null;
  /** The cells from head to tail. */
  cells: Cell[];
}

export interface View {
  round: number;
  rounds: number;
  rows: number;
  cols: number;
  you: Seat | null;
  grows: boolean;
  length: number;
  map: string[];
  snakes: [Snake, Snake];
}

type Point = readonly [number, number];
type WhoMessage = Message<{ who: string }>;
type KobScene = Scene<View, unknown>;

const LETTER: Record<Seat, string> = { first: "A", second: "B" };

/** Up, right, down, left: the directions 0 to 3. */
const DIRECTIONS: readonly { step: Cell; name: Message }[] = [
  { step: [-1, 0], name: m.kob_up },
  { step: [0, 1], name: m.kob_right },
  { step: [1, 0], name: m.kob_down },
  { step: [0, -1], name: m.kob_left },
];

const cellAt = ([row, col]: Cell): BoardCell => ({ row, col });
const sameCell = (a: Cell | undefined, b: Cell | undefined) =>
  !!a && !!b && a[0] === b[0] && a[1] === b[1];
const indexOf = (seat: Seat) => (seat === "first" ? 0 : 1);

function drawBoard(scene: KobScene): void {
  const { moment, palette } = scene;
  drawCells(scene.ctx, moment.view.cols, moment.view.rows, scene.size, palette);
  drawObstacles(scene);
  moment.view.snakes.forEach((snake, at) =>
    drawBody(scene, snake, moment.before?.snakes[at] ?? null),
  );
  moment.view.snakes.forEach((snake, at) =>
    drawHead(scene, snake, moment.before?.snakes[at] ?? null),
  );
}

function drawObstacles({ ctx, size, palette, moment }: KobScene): void {
  ctx.fillStyle = hatchPattern(
    ctx,
    "bricks",
    palette.dark ? "#4a4a44" : "#b9b4a4",
    palette.dark ? "#34342f" : "#98927f",
  );
  ctx.beginPath();
  moment.view.map.forEach((line, row) => {
    for (let col = 0; col < line.length; col++)
      if (line[col] === "1") ctx.rect(col * size, row * size, size, size);
  });
  ctx.fill();
}

/** The middle line of a snake during the transition from the view before, from head to tail. */
function spineOf(snake: Snake, before: Snake | null, t: number, size: number): Point[] {
  const points: Point[] = snake.cells.map((cell) => cellCenter(cellAt(cell), size));
  const head = before?.cells[0];
  if (!before || !head || t >= 1 || sameCell(head, snake.cells[0])) return points;
  const between = (from: Cell, to: Point): Point => {
    const [x, y] = cellCenter(cellAt(from), size);
    return [interpolate(x, to[0], t), interpolate(y, to[1], t)];
  };
  if (snake.cells.length === before.cells.length && points.length > 1)
    points.push(between(before.cells[before.cells.length - 1]!, points[points.length - 1]!));
  points[0] = between(head, points[0]!);
  return points;
}

function drawBody({ ctx, size, palette, t }: KobScene, snake: Snake, before: Snake | null): void {
  const color = palette[snake.seat];
  tracePolyline(ctx, spineOf(snake, before, t, size));
  ctx.lineCap = ctx.lineJoin = "round";
  ctx.strokeStyle = palette.dark ? "#000000" : "#33302a";
  ctx.lineWidth = size * 0.74;
  ctx.stroke();
  ctx.strokeStyle = color;
  ctx.lineWidth = size * 0.64;
  ctx.stroke();
  if (snake.seat === "first") return;
  ctx.strokeStyle = inkOnColor(color);
  ctx.globalAlpha = 0.75;
  ctx.lineCap = "butt";
  ctx.lineWidth = size * 0.3;
  ctx.setLineDash([size * 0.1, size * 0.25]);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

function drawHead(scene: KobScene, snake: Snake, before: Snake | null): void {
  const { ctx, size, palette, moment, t } = scene;
  const [x, y] = spineOf(snake, before, t, size)[0]!;
  if (snake.facing !== null) {
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(((snake.facing - 1) * Math.PI) / 2);
    ctx.fillStyle = palette.ink;
    ctx.beginPath();
    ctx.moveTo(size * 0.62, 0);
    ctx.lineTo(size * 0.28, size * 0.3);
    ctx.lineTo(size * 0.28, -size * 0.3);
    ctx.fill();
    ctx.restore();
  }
  ctx.fillStyle = palette.ink;
  traceDisc(ctx, x, y, size * 0.42);
  ctx.fill();
  ctx.fillStyle = palette[snake.seat];
  traceDisc(ctx, x, y, size * 0.35);
  ctx.fill();
  drawLabel(ctx, LETTER[snake.seat], x, y, size * 0.46, inkOnColor(palette[snake.seat]), 800);
  const dead = (moment.frame.events ?? []).some(
    ({ event, seat }) => event === "died" && seat === snake.seat,
  );
  if (dead) drawCross(scene, x, y, easeOut(t * 2 - 1));
}

function drawCross({ ctx, size, palette }: KobScene, x: number, y: number, alpha: number): void {
  const arm = size * 0.42;
  ctx.globalAlpha = alpha;
  for (const [color, width] of [
    [palette.paper, 0.3],
    [palette.bad, 0.17],
  ] as const) {
    ctx.strokeStyle = color;
    ctx.lineCap = "round";
    ctx.lineWidth = size * width;
    ctx.beginPath();
    ctx.moveTo(x - arm, y - arm);
    ctx.lineTo(x + arm, y + arm);
    ctx.moveTo(x + arm, y - arm);
    ctx.lineTo(x - arm, y + arm);
    ctx.stroke();
  }
  if (alpha > 0)
    drawBadge(
      ctx,
      "✕",
      x,
      y - size * 0.75,
      size * 0.34,
      palette.bad,
      palette.dark ? "#2b0a07" : "#ffffff",
    );
  ctx.globalAlpha = 1;
}

/** The text of an event, for a snake and for the reader's own snake. */
const DEATHS: Record<string, { own: Message; other: WhoMessage }> = {
  wall: { own: m.kob_you_die_wall, other: m.kob_dies_wall },
  self: { own: m.kob_you_die_self, other: m.kob_dies_self },
  opponent: { own: m.kob_you_die_opponent, other: m.kob_dies_opponent },
};

/** The text of one event; null for events that are not about one snake. */
function describeEvent(event: GameEvent, you: Seat | null, locale: Lang): string | null {
  const own = event.seat === you;
  const who = LETTER[event.seat as Seat] ?? "?";
  switch (event.event) {
    case "moved": {
      const direction = DIRECTIONS[Number(event.direction)]?.name({}, { locale }) ?? "?";
      return own
        ? m.kob_you_move({ direction }, { locale })
        : m.kob_moves({ who, direction }, { locale });
    }
    case "died": {
      const death = DEATHS[String(event.cause)];
      if (!death) return null;
      return own ? death.own({}, { locale }) : death.other({ who }, { locale });
    }
    case "failed":
      return own ? m.kob_you_fail({}, { locale }) : m.kob_fails({ who }, { locale });
    case "grew":
      return m.kob_both_grow({ length: Number(event.length) }, { locale });
    default:
      return null;
  }
}

function describeStep(
  { frame }: Moment<View>,
  _setup: unknown,
  you: Seat | null,
  locale: Lang,
): string {
  const texts = (frame.events ?? []).map((event) => describeEvent(event, you, locale));
  return texts.filter(Boolean).join(m.separator({}, { locale }));
}

function findMarks({ frame }: Moment<View>): TimelineMark[] {
  return (frame.events ?? []).flatMap((event): TimelineMark[] => {
    if (event.event !== "died") return [];
    const text = inBothLanguages((locale) => describeEvent(event, null, locale) ?? "");
    return [{ weight: "loss", glyph: "✕", seat: event.seat as Seat, text }];
  });
}

function partName(part: number, length: number, locale: Lang): string {
  if (part === 0) return m.kob_head({}, { locale });
  if (part === length - 1) return m.kob_tail({}, { locale });
  return m.kob_body_cell({ number: part + 1 }, { locale });
}

function describeCell(
  { view }: Moment<View>,
  at: BoardCell,
  _setup: unknown,
  locale: Lang,
): string[] {
  const lines: string[] = [];
  for (const { seat, cells } of view.snakes) {
    const index = cells.findIndex(([row, col]) => row === at.row && col === at.col);
    if (index < 0) continue;
    const part = partName(index, cells.length, locale);
    lines.push(m.kob_part_of({ part, who: LETTER[seat], length: cells.length }, { locale }));
  }
  if (view.map[at.row]?.[at.col] === "1") lines.push(m.kob_obstacle({}, { locale }));
  return lines.length ? lines : [m.kob_empty({}, { locale })];
}

function summaryChips(
  { view, frame }: Moment<View>,
  _setup: unknown,
  seat: Seat,
  locale: Lang,
): SummaryChip[] {
  const head = view.snakes[indexOf(seat)].cells[0];
  const length: SummaryChip = {
    text: m.kob_length({ length: view.length }, { locale }),
    at: head ? cellAt(head) : null,
  };
  if (frame.outcome) return [length];
  const growth = view.grows ? m.kob_grows_now : m.kob_stays_now;
  return [length, { text: growth({}, { locale }), faded: !view.grows }];
}

/** The bodies' cells that still are there after this round's tails have left. */
function bodyCells({ snakes, grows }: View): Set<string> {
  const cells = snakes.flatMap(({ cells }) => (grows ? cells : cells.slice(0, -1)));
  return new Set(cells.map(([row, col]) => `${row} ${col}`));
}

const standings = new WeakMap<View, [number, number]>();

/** The free cells that each head reaches before the other. */
function reachableCells(view: View): [number, number] {
  const known = standings.get(view);
  if (known) return known;
  const taken = bodyCells(view);
  const owner = new Map<string, number>();
  let fronts: Cell[][] = view.snakes.map(({ cells }) => cells.slice(0, 1));
  const counts: [number, number] = [0, 0];
  const isFree = ([row, col]: Cell) =>
    view.map[row]?.[col] === "0" && !taken.has(`${row} ${col}`) && !owner.has(`${row} ${col}`);
  while (fronts.some((front) => front.length > 0)) {
    const reached = new Map<string, { cell: Cell; by: Set<number> }>();
    fronts.forEach((front, seat) =>
      front.forEach(([row, col]) =>
        DIRECTIONS.forEach(({ step }) => {
          const cell: Cell = [row + step[0], col + step[1]];
          if (!isFree(cell)) return;
          const found = reached.get(`${cell[0]} ${cell[1]}`) ?? { cell, by: new Set<number>() };
          found.by.add(seat);
          reached.set(`${cell[0]} ${cell[1]}`, found);
        }),
      ),
    );
    fronts = [[], []];
    for (const [name, { cell, by }] of reached) {
      owner.set(name, by.size === 1 ? [...by][0]! : -1);
      if (by.size > 1) continue;
      const [seat] = by as Set<0 | 1>;
      counts[seat!]++;
      fronts[seat!]!.push(cell);
    }
  }
  standings.set(view, counts);
  return counts;
}

/** The cell to which a direction leads. */
function targetOf(view: View, seat: Seat, action: string): Cell | null {
  const head = view.snakes[indexOf(seat)].cells[0];
  const way = DIRECTIONS[Number(action)]?.step;
  return head && way ? [head[0] + way[0], head[1] + way[1]] : null;
}

function warnAbout(view: View, question: Question, action: string, locale: Lang): string | null {
  const cell = targetOf(view, question.seat, action);
  if (!cell) return null;
  if (view.map[cell[0]]?.[cell[1]] !== "0") return m.kob_deadly_wall({}, { locale });
  return bodyCells(view).has(`${cell[0]} ${cell[1]}`) ? m.kob_deadly_body({}, { locale }) : null;
}

const SIGNS = ["↑", "→", "↓", "←"];

/** The way of one head: its own actions, whatever the other snake does. */
function lineArrows({ view, seat, actions }: ActionLine<View, unknown>): BoardArrow[] {
  let from = view.snakes[indexOf(seat)].cells[0];
  const arrows: BoardArrow[] = [];
  actions.forEach((action, order) => {
    const way = DIRECTIONS[Number(action)]?.step;
    if (!from || !way) return;
    const to: Cell = [from[0] + way[0], from[1] + way[1]];
    arrows.push({ from: cellAt(from), to: cellAt(to), kind: "move", order });
    from = to;
  });
  return arrows;
}

/** The reasons of legs and matches, by the ids of the rules. */
const REASONS: Record<string, LocalizedText> = {
  wall: localizedMessage(m.kob_reason_wall),
  self: localizedMessage(m.kob_reason_self),
  opponent: localizedMessage(m.kob_reason_opponent),
  "both-died": localizedMessage(m.kob_reason_both_died),
  "both-failed": localizedMessage(m.kob_reason_both_failed),
  malformed: localizedMessage(m.kob_reason_malformed),
  crashed: localizedMessage(m.kob_reason_crashed),
  timeout: localizedMessage(m.kob_reason_timeout),
  memory: localizedMessage(m.kob_reason_memory),
  output: localizedMessage(m.kob_reason_output),
  exited: localizedMessage(m.kob_reason_exited),
  compile: localizedMessage(m.kob_reason_compile),
  "leg-wins": localizedMessage(m.kob_reason_leg_wins),
  "equal-legs": localizedMessage(m.kob_reason_equal_legs),
};

const viewer: GameViewer<View, unknown> = {
  id: "kob",
  seats: {
    first: {
      name: localizedMessage(m.kob_first),
      letter: "A",
      color: { light: "#0068a8", dark: "#56a8e6" },
    },
    second: {
      name: localizedMessage(m.kob_second),
      letter: "B",
      color: { light: "#c8431a", dark: "#ee7a4c" },
    },
  },
  stepMillis: 420,
  fog: false,
  boardSize(legFrames) {
    const view = legFrames.frames[0]?.view as View | undefined;
    return { cols: view?.cols ?? 14, rows: view?.rows ?? 13 };
  },
  columnName: (col) => `${col}`,
  rowName: (row) => `${row}`,
  cellName: ({ row, col }) => `(${row}, ${col})`,
  drawBoard,
  describeCell,
  findMarks,
  describeStep,
  summaryChips,
  targetCell(view: View, question: Question, action) {
    const cell = targetOf(view, question.seat, action);
    return cell && cellAt(cell);
  },
  warnAbout,
  actionSigns: (action) => SIGNS[Number(action)] ?? action,
  lineArrows,
  plansAhead: true,
  describeGoal: (_setup, _seat, _rounds, locale) => m.kob_goal({}, { locale }),
  standing: { name: localizedMessage(m.kob_standing), measure: reachableCells },
  legend: [
    { sign: "A B", text: localizedMessage(m.kob_legend_heads) },
    { sign: "▩", text: localizedMessage(m.kob_obstacle) },
    { sign: "✕", text: localizedMessage(m.kob_legend_death) },
  ],
  reasons: REASONS,
  losses: {
    wall: m.kob_loss_wall,
    self: m.kob_loss_self,
    opponent: m.kob_loss_opponent,
    malformed: m.kob_loss_malformed,
  },
  describeQuestion: (_view, _question, locale) => m.kob_choose_direction({}, { locale }),
};

export default viewer;
