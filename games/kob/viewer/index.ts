// King of Bots in the page: two snakes that move at once. Frames: `src/view.rs`, `src/position.rs` (events).

import type { Moment } from "$viewer/frame_buffer";
import type { GameEvent, Lang, LocalizedText, Seat } from "$viewer/leg_frames";
import type {
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
  /** From head to tail. */
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
type KobScene = Scene<View, unknown>;

const LETTER: Record<Seat, string> = { first: "A", second: "B" };

/** Up, right, down, left: the directions 0 to 3. */
const WAYS: readonly { step: Cell; text: LocalizedText }[] = [
  { step: [-1, 0], text: { en: "up", zh: "上" } },
  { step: [0, 1], text: { en: "right", zh: "右" } },
  { step: [1, 0], text: { en: "down", zh: "下" } },
  { step: [0, -1], text: { en: "left", zh: "左" } },
];

const place = ([row, col]: Cell): BoardCell => ({ row, col });
const same = (a: Cell | undefined, b: Cell | undefined) =>
  !!a && !!b && a[0] === b[0] && a[1] === b[1];
const index = (seat: Seat) => (seat === "first" ? 0 : 1);

function draw(scene: KobScene): void {
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

/** The middle line on the way from the view before, from head to tail. */
function spine(snake: Snake, before: Snake | null, t: number, size: number): Point[] {
  const points: Point[] = snake.cells.map((cell) => cellCenter(place(cell), size));
  const head = before?.cells[0];
  if (!before || !head || t >= 1 || same(head, snake.cells[0])) return points;
  const between = (from: Cell, to: Point): Point => {
    const [x, y] = cellCenter(place(from), size);
    return [interpolate(x, to[0], t), interpolate(y, to[1], t)];
  };
  if (snake.cells.length === before.cells.length && points.length > 1)
    points.push(between(before.cells[before.cells.length - 1]!, points[points.length - 1]!));
  points[0] = between(head, points[0]!);
  return points;
}

function drawBody({ ctx, size, palette, t }: KobScene, snake: Snake, before: Snake | null): void {
  const color = palette[snake.seat];
  tracePolyline(ctx, spine(snake, before, t, size));
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
  const [x, y] = spine(snake, before, t, size)[0]!;
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

const CAUSES: Record<string, LocalizedText> = {
  wall: { en: "runs into an obstacle", zh: "撞上障碍物" },
  self: { en: "runs into itself", zh: "撞上自己" },
  opponent: { en: "runs into the other snake", zh: "撞上对方" },
};

function subject(seat: unknown, you: Seat | null, lang: Lang): string {
  if (seat === you) return lang === "zh" ? "你" : "you";
  return LETTER[seat as Seat] ?? "?";
}

function verb(event: GameEvent, you: boolean, lang: Lang): string | null {
  const zh = lang === "zh";
  if (event.event === "moved") {
    const way = WAYS[Number(event.direction)]?.text[lang] ?? "?";
    return zh ? `向${way}` : `${you ? "move" : "moves"} ${way}`;
  }
  if (event.event === "died") {
    const cause = CAUSES[String(event.cause)]?.[lang] ?? "";
    if (zh) return `${cause}，死亡`;
    return you
      ? `die: your head ${cause.replace("itself", "your own body")}`
      : `dies: its head ${cause}`;
  }
  if (event.event === "failed")
    return zh ? "没有给出可用的答复" : you ? "give no usable answer" : "gives no usable answer";
  return null;
}

function sentence({ frame }: Moment<View>, _setup: unknown, you: Seat | null, lang: Lang): string {
  const zh = lang === "zh";
  const told = (frame.events ?? []).map((event) => {
    if (event.event === "grew")
      return zh ? `双方变长到 ${event.length}` : `both grow to ${event.length}`;
    const does = verb(event, event.seat === you, lang);
    return does && `${subject(event.seat, you, lang)} ${does}`;
  });
  return told.filter(Boolean).join(zh ? "；" : "; ");
}

function marks({ frame }: Moment<View>): TimelineMark[] {
  return (frame.events ?? []).flatMap((event): TimelineMark[] => {
    if (event.event !== "died") return [];
    const text = (lang: Lang) => `${subject(event.seat, null, lang)} ${verb(event, false, lang)}`;
    return [
      {
        weight: "loss",
        glyph: "✕",
        seat: event.seat as Seat,
        text: { en: text("en"), zh: text("zh") },
      },
    ];
  });
}

function inspect({ view }: Moment<View>, at: BoardCell, _setup: unknown, lang: Lang): string[] {
  const zh = lang === "zh";
  const lines: string[] = [];
  for (const { seat, cells } of view.snakes) {
    const part = cells.findIndex(([row, col]) => row === at.row && col === at.col);
    if (part < 0) continue;
    const word =
      part === 0
        ? zh
          ? "头"
          : "head"
        : part === cells.length - 1
          ? zh
            ? "尾"
            : "tail"
          : zh
            ? `第 ${part + 1} 节`
            : `cell ${part + 1}`;
    lines.push(
      zh
        ? `${LETTER[seat]} 的${word}，长度 ${cells.length}`
        : `${word} of ${LETTER[seat]}, length ${cells.length}`,
    );
  }
  if (view.map[at.row]?.[at.col] === "1") lines.push(zh ? "障碍物" : "obstacle");
  return lines.length ? lines : [zh ? "空" : "empty"];
}

function chips(
  { view, frame }: Moment<View>,
  _setup: unknown,
  seat: Seat,
  lang: Lang,
): SummaryChip[] {
  const zh = lang === "zh";
  const snake = view.snakes[index(seat)];
  const length: SummaryChip = {
    text: zh ? `长度 ${view.length}` : `length ${view.length}`,
    at: snake.cells[0] ? place(snake.cells[0]) : null,
  };
  if (frame.outcome) return [length];
  const grows = zh ? "本回合变长" : "grows this round";
  const stays = zh ? "本回合不变长" : "does not grow this round";
  return [length, { text: view.grows ? `＋ ${grows}` : `＝ ${stays}`, faded: !view.grows }];
}

/** Why a leg or a match ended, by the ids of `src/rules.rs`. */
const REASONS: Record<string, LocalizedText> = {
  wall: { en: "as the other snake ran into a wall", zh: "对方撞墙" },
  self: { en: "as the other snake ran into itself", zh: "对方撞到自己" },
  opponent: { en: "as the other snake ran into this one", zh: "对方撞到己方" },
  "both-died": { en: "as both snakes died in the same round", zh: "双方同时死亡" },
  "both-failed": { en: "as neither side gave a usable answer", zh: "双方都没有有效操作" },
  malformed: { en: "by an answer of the other side that is no direction", zh: "对方输出无效" },
  crashed: { en: "by a crash of the other side", zh: "对方程序崩溃" },
  timeout: { en: "as the other side gave no move in time", zh: "对方超时" },
  memory: { en: "as the other side used too much memory", zh: "对方内存超限" },
  output: { en: "as the other side sent too much output", zh: "对方输出超限" },
  exited: { en: "as the other side left before the end", zh: "对方提前退出" },
  compile: { en: "as the other side could not be built or started", zh: "对方编译或启动失败" },
  "leg-wins": { en: "by games won", zh: "胜局数" },
  "equal-legs": { en: "with as many games won on either side", zh: "双方胜局数相同" },
};

const viewer: GameViewer<View, unknown> = {
  id: "kob",
  seats: {
    first: {
      name: { en: "A, blue", zh: "A 蓝方" },
      letter: "A",
      color: { light: "#0068a8", dark: "#56a8e6" },
    },
    second: {
      name: { en: "B, red", zh: "B 红方" },
      letter: "B",
      color: { light: "#c8431a", dark: "#ee7a4c" },
    },
  },
  stepMillis: 420,
  fog: false,
  boardSize(film) {
    const view = film.frames[0]?.view as View | undefined;
    return { cols: view?.cols ?? 14, rows: view?.rows ?? 13 };
  },
  columnName: (col) => `${col}`,
  rowName: (row) => `${row}`,
  cellName: ({ row, col }) => `(${row}, ${col})`,
  drawBoard: draw,
  describeCell: inspect,
  findMarks: marks,
  describeStep: sentence,
  summaryChips: chips,
  targetCell(view: View, ask: Question, action) {
    const [row, col] = view.snakes[index(ask.seat)].cells[0] ?? [0, 0];
    const way = WAYS[Number(action)]?.step;
    return way ? { row: row + way[0], col: col + way[1] } : null;
  },
  reasons: REASONS,
  describeQuestion: (_view, _ask, lang) =>
    lang === "zh" ? "选择方向（双方同时行动）" : "Choose a direction; both move at once",
};

export default viewer;
