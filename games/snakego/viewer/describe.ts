// SnakeGo in words: sentences, marks, chips, and what is on a cell.

import type { Moment } from "$viewer/frame_buffer";
import type { GameEvent, Lang, LocalizedText, Seat } from "$viewer/leg_frames";
import type { SummaryChip, TimelineMark, BoardCell } from "$viewer/game_viewer";
import {
  type Setup,
  type Snake,
  type View,
  cellName,
  coming,
  itemWords,
  place,
  snakesOf,
} from "./view";

const SIDES: Record<Seat, LocalizedText> = {
  first: { en: "yellow", zh: "黄方" },
  second: { en: "blue", zh: "蓝方" },
};

const CAUSES: Record<string, LocalizedText> = {
  edge: { en: "leaves the map and dies", zh: "冲出地图，死亡" },
  wall: { en: "runs into a wall and dies", zh: "撞墙死亡" },
  snake: { en: "runs into a snake and dies", zh: "撞上蛇死亡" },
  enclosed: { en: "is enclosed and dies", zh: "被围死" },
};

function snake(moment: Moment<View>, id: unknown): Snake | undefined {
  const is = (snake: Snake) => snake.id === id;
  return moment.before?.snakes.find(is) ?? moment.view.snakes.find(is);
}

function subject(moment: Moment<View>, id: unknown, you: Seat | null, lang: Lang): string {
  const seat = snake(moment, id)?.seat;
  if (lang === "zh") return `${seat === you ? "你的" : seat ? SIDES[seat].zh : ""}蛇 ${id}`;
  return `${seat === you ? "your" : seat ? SIDES[seat].en : "the"} snake ${id}`;
}

function direction(moment: Moment<View>, event: GameEvent): LocalizedText {
  const from = snake(moment, event.snake)?.cells[0];
  const [dx, dy] = from ? [Number(event.x) - from[0], Number(event.y) - from[1]] : [0, 0];
  if (dx > 0) return { en: "right", zh: "右" };
  if (dx < 0) return { en: "left", zh: "左" };
  return dy > 0 ? { en: "up", zh: "上" } : { en: "down", zh: "下" };
}

/** What one event says of its snake; null for those that are not about one. */
function verb(moment: Moment<View>, event: GameEvent, setup: Setup, lang: Lang): string | null {
  const zh = lang === "zh";
  switch (event.event) {
    case "moved":
      return zh ? `向${direction(moment, event).zh}移动` : `moves ${direction(moment, event).en}`;
    case "ate": {
      const [, , , type, param] = setup.items[Number(event.item)] ?? [0, 0, 0, 0, 0];
      if (type === 0) return zh ? `吃到 +${param}` : `eats +${param}`;
      return zh ? "得到融化射线" : "gets a melting ray";
    }
    case "split":
      return zh ? `分裂，尾部成为蛇 ${event.tail}` : `splits, its tail becomes snake ${event.tail}`;
    case "fired":
      return zh
        ? `发射融化射线，${event.walls} 格墙融化`
        : `fires its ray, ${event.walls} wall cells melt`;
    case "solidified":
      return zh ? `固化，${event.cells} 格成为墙` : `solidifies, ${event.cells} cells become walls`;
    case "died":
      return CAUSES[String(event.cause)]?.[lang] ?? (zh ? "死亡" : "dies");
    default:
      return null;
  }
}

export function sentence(moment: Moment<View>, setup: Setup, you: Seat | null, lang: Lang): string {
  const zh = lang === "zh";
  const parts: { who: unknown; does: string[] }[] = [];
  const news: string[] = [];
  for (const event of moment.frame.events ?? []) {
    const does = verb(moment, event, setup, lang);
    const last = parts[parts.length - 1];
    if (does === null) {
      const row = event.event === "appeared" ? setup.items[Number(event.item)] : undefined;
      if (row) {
        const [what, where] = [itemWords(row[3], row[4], lang), cellName(place([row[0], row[1]]))];
        news.push(zh ? `${where} 出现${what}` : `${what} appears at ${where}`);
      }
    } else if (last && last.who === event.snake) last.does.push(does);
    else parts.push({ who: event.snake, does: [does] });
  }
  const told = parts.map(
    ({ who, does }) => subject(moment, who, you, lang) + " " + does.join(zh ? "并" : " and "),
  );
  return [...told, ...news].join(zh ? "；" : "; ");
}

const GLYPHS: Record<string, Pick<TimelineMark, "weight" | "glyph">> = {
  split: { weight: "notable", glyph: "s" },
  ate: { weight: "minor", glyph: "e" },
  solidified: { weight: "major", glyph: "S" },
  died: { weight: "loss", glyph: "✕" },
  fired: { weight: "notable", glyph: "r" },
};

export function marks(moment: Moment<View>, setup: Setup): TimelineMark[] {
  return (moment.frame.events ?? []).flatMap((event): TimelineMark[] => {
    const sign = GLYPHS[event.event];
    if (!sign) return [];
    const text = (lang: Lang) =>
      `${subject(moment, event.snake, null, lang)} ${verb(moment, event, setup, lang)}`;
    return [
      {
        ...sign,
        seat: snake(moment, event.snake)?.seat ?? null,
        text: { en: text("en"), zh: text("zh") },
      },
    ];
  });
}

export function chips({ view }: Moment<View>, seat: Seat, lang: Lang): SummaryChip[] {
  const zh = lang === "zh";
  const chip = (snake: Snake): SummaryChip => ({
    text: `${snake.id} · ${snake.cells.length}${snake.bank ? ` +${snake.bank}` : ""}${snake.ray ? " ⚡" : ""}`,
    title:
      (zh
        ? `蛇 ${snake.id}，长度 ${snake.cells.length}`
        : `Snake ${snake.id}, length ${snake.cells.length}`) +
      (snake.bank ? (zh ? `，长度银行 ${snake.bank}` : `, ${snake.bank} in the bank`) : "") +
      (snake.ray ? (zh ? "，持有融化射线" : ", holds a ray") : ""),
    active: view.to_move === seat && view.snake === snake.id,
    at: place(snake.cells[0]!),
  });
  const team = snakesOf(view, seat);
  return team.length ? team.map(chip) : [{ text: zh ? "没有蛇" : "no snakes", faded: true }];
}

export function inspect({ view }: Moment<View>, at: BoardCell, setup: Setup, lang: Lang): string[] {
  const zh = lang === "zh";
  const here = ([x, y]: readonly [number, number]) =>
    place([x, y]).col === at.col && place([x, y]).row === at.row;
  const lines: string[] = [];
  for (const snake of view.snakes) {
    const index = snake.cells.findIndex(here);
    if (index >= 0) lines.push(ofSnake(snake, index, zh));
  }
  view.walls.forEach((walls, seat) => {
    if (walls.some(here))
      lines.push(zh ? `${seat ? "蓝方" : "黄方"}的墙` : `${seat ? "blue" : "yellow"} wall`);
  });
  for (const item of view.items) {
    const what = itemWords(item.type, item.param, lang);
    if (here([item.x, item.y]))
      lines.push(
        zh ? `${what}，留到第 ${item.expires} 回合` : `${what}, until round ${item.expires}`,
      );
  }
  for (const { row, wait } of coming(view, setup, 64)) {
    const what = itemWords(row[3], row[4], lang);
    if (here([row[0], row[1]]))
      lines.push(
        zh
          ? `第 ${row[2]} 回合出现${what}（还有 ${wait} 回合）`
          : `${what} appears in round ${row[2]} (in ${wait})`,
      );
  }
  return lines.length ? lines : [zh ? "空" : "empty"];
}

function ofSnake(snake: Snake, index: number, zh: boolean): string {
  const length = snake.cells.length;
  const part =
    index === 0
      ? zh
        ? "头"
        : "head"
      : index === length - 1
        ? zh
          ? "尾"
          : "tail"
        : zh
          ? `第 ${index + 1} 节`
          : `cell ${index + 1}`;
  const carries =
    (snake.bank ? (zh ? `，银行 ${snake.bank}` : `, ${snake.bank} in the bank`) : "") +
    (snake.ray ? (zh ? "，有射线" : ", holds a ray") : "");
  return zh
    ? `${SIDES[snake.seat].zh}蛇 ${snake.id} 的${part}，长度 ${length}${carries}`
    : `${part} of ${SIDES[snake.seat].en} snake ${snake.id}, length ${length}${carries}`;
}
