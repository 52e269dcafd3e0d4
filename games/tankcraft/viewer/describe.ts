// TankCraft in words: sentences, marks, chips, and what is on a cell.

import type { Moment } from "$viewer/frame_buffer";
import type { GameEvent, Lang, LocalizedText, Seat } from "$viewer/leg_frames";
import type { SummaryChip, TimelineMark, BoardCell } from "$viewer/game_viewer";
import {
  type Cell,
  LETTERS,
  type Setup,
  TYPES,
  type Tank,
  type View,
  cellOf,
  mines,
  name,
  place,
  same,
  sideOf,
  spawn,
} from "./view";

const SIDES: Record<Seat, LocalizedText> = {
  first: { en: "red", zh: "红方" },
  second: { en: "blue", zh: "蓝方" },
};

const CAUSES: Record<string, LocalizedText> = {
  fire: { en: "is shot", zh: "被击毁" },
  stone: { en: "dies on stone", zh: "撞石阵亡" },
  brick: { en: "dies on a brick", zh: "撞砖阵亡" },
  duel: { en: "dies in a duel", zh: "碰撞阵亡" },
};

function tank(id: unknown, you: Seat | null, lang: Lang): string {
  const seat = sideOf(Number(id));
  if (lang === "zh") return `${seat === you ? "你的" : SIDES[seat].zh}坦克 ${id} `;
  return `${seat === you ? "your" : SIDES[seat].en} tank ${id}`;
}

/** A sentence part of an event; null where others say it. */
function told(event: GameEvent, you: Seat | null, lang: Lang): string | null {
  const zh = lang === "zh";
  const who = tank(event.tank, you, lang);
  switch (event.event) {
    case "died":
      return zh
        ? `${who}${CAUSES[String(event.cause)]?.zh ?? "阵亡"}`
        : `${who} ${CAUSES[String(event.cause)]?.en ?? "dies"}`;
    case "captured":
      return zh
        ? `${who}占领 ${name(event.at as Cell)} 的矿`
        : `${who} takes the mine at ${name(event.at as Cell)}`;
    case "revived":
      return zh
        ? `${who}在 ${name(event.cell as Cell)} 复活`
        : `${who} is back at ${name(event.cell as Cell)}`;
    case "duel": {
      const [red, blue] = [tank(event.red, you, lang), tank(event.blue, you, lang)];
      return zh
        ? `${red}与${blue}碰撞（剩 ${event.red_left} : ${event.blue_left}）`
        : `${red} and ${blue} collide (${event.red_left} : ${event.blue_left} left)`;
    }
    case "hit":
      return Number(event.left) > 0
        ? zh
          ? `${who}中弹 −${event.damage}，剩 ${event.left}`
          : `${who} is hit, ${event.left} left`
        : null;
    case "refused":
      return sideOf(Number(event.tank)) === you
        ? zh
          ? `${who}被挡住`
          : `${who} has to stay`
        : null;
    case "unread":
      return zh ? `${who}的命令无法识别` : `the order of ${who} could not be read`;
    case "team": {
      const side = SIDES[event.seat as Seat]?.[lang];
      const types = (event.types as string[])
        .map((type) => TYPES[type as keyof typeof TYPES]?.[lang] ?? type)
        .join(zh ? "、" : ", ");
      return zh
        ? `${event.seat === you ? "你" : side}选择 ${types}`
        : `${event.seat === you ? "you choose" : `${side} chooses`} ${types}`;
    }
    default:
      return null;
  }
}

export function sentence(
  moment: Moment<View>,
  _setup: Setup,
  you: Seat | null,
  lang: Lang,
): string {
  const zh = lang === "zh";
  const events = moment.frame.events ?? [];
  const parts = events.map((event) => told(event, you, lang)).filter((part) => part !== null);
  if (events.length === 0 && moment.before) return fromViews(moment.before, moment.view, you, lang);
  const count = (what: string) => events.filter(({ event }) => event === what).length;
  if (parts.length === 0)
    return zh
      ? `${count("moved")} 辆坦克移动，${count("fired")} 辆开火`
      : `${count("moved") === 1 ? "1 tank moves" : `${count("moved")} tanks move`}, ${count("fired")} ${count("fired") === 1 ? "fires" : "fire"}`;
  return parts.join(zh ? "；" : "; ");
}

/** Under fog a side is told no events: what it sees has changed. */
function fromViews(before: View, view: View, you: Seat | null, lang: Lang): string {
  const zh = lang === "zh";
  const parts = view.tanks.flatMap((now): string[] => {
    const old = before.tanks[now.id];
    const who = tank(now.id, you, lang);
    const own = sideOf(now.id) === view.you;
    if (!old) return [];
    if (own && old.cell && now.life === 0) return [zh ? `${who}阵亡` : `${who} dies`];
    if (own && !old.cell && now.cell) return [zh ? `${who}复活` : `${who} is back`];
    if (old.cell && now.cell && old.life !== null && now.life !== null && now.life < old.life)
      return [zh ? `${who}剩 ${now.life} 点生命` : `${who} has ${now.life} left`];
    if (!own && !old.cell && now.cell)
      return [
        zh ? `在 ${name(now.cell)} 看见${who}` : `${who} comes into sight at ${name(now.cell)}`,
      ];
    return [];
  });
  const taken = [...view.owners].filter((owner, mine) => owner !== before.owners[mine]).length;
  if (taken)
    parts.push(
      zh
        ? `${taken} 个矿易主`
        : taken === 1
          ? "a mine changes hands"
          : `${taken} mines change hands`,
    );
  return parts.join(zh ? "；" : "; ") || (zh ? "没有新情况" : "nothing new in sight");
}

const GLYPHS: Record<string, Pick<TimelineMark, "weight" | "glyph">> = {
  died: { weight: "loss", glyph: "✕" },
  captured: { weight: "notable", glyph: "⚑" },
  unread: { weight: "minor", glyph: "?" },
};

export function marks(moment: Moment<View>): TimelineMark[] {
  if (moment.view.you && moment.before) return seenMarks(moment.before, moment.view);
  return (moment.frame.events ?? []).flatMap((event): TimelineMark[] => {
    const sign = GLYPHS[event.event];
    if (!sign) return [];
    return [
      {
        ...sign,
        seat: sideOf(Number(event.tank)),
        text: { en: told(event, null, "en") ?? "", zh: told(event, null, "zh") ?? "" },
      },
    ];
  });
}

/** Marks under fog: own tanks that died, and mines, whose owners everybody knows. */
function seenMarks(before: View, view: View): TimelineMark[] {
  const died = view.tanks.filter(
    ({ id, life }) => sideOf(id) === view.you && life === 0 && before.tanks[id]?.cell,
  );
  const deaths = died.map(({ id }): TimelineMark => {
    const text = (lang: Lang) => tank(id, null, lang) + (lang === "zh" ? "阵亡" : " dies");
    return {
      weight: "loss",
      glyph: "✕",
      seat: sideOf(id),
      text: { en: text("en"), zh: text("zh") },
    };
  });
  const taken = [...view.owners].flatMap((owner, mine): TimelineMark[] => {
    if (owner === before.owners[mine] || owner === "N") return [];
    const seat: Seat = owner === "R" ? "first" : "second";
    return [
      {
        weight: "notable",
        glyph: "⚑",
        seat,
        text: { en: `${SIDES[seat].en} takes mine ${mine}`, zh: `${SIDES[seat].zh}占领矿 ${mine}` },
      },
    ];
  });
  return [...deaths, ...taken];
}

function state(tank: Tank, lang: Lang): string {
  const zh = lang === "zh";
  if (tank.revive !== null)
    return zh ? `阵亡，第 ${tank.revive} 回合复活` : `dead, back in round ${tank.revive}`;
  if (tank.life === null) return zh ? "不在视野内" : "out of sight";
  const shield = tank.noharm ? (zh ? `，无敌 ${tank.noharm}` : `, invincible ${tank.noharm}`) : "";
  return (zh ? `生命 ${tank.life}` : `life ${tank.life}`) + shield;
}

export function chips({ view }: Moment<View>, seat: Seat, lang: Lang): SummaryChip[] {
  const zh = lang === "zh";
  const index = seat === "first" ? 0 : 1;
  const owned = [...view.owners].filter((owner) => owner === "RB"[index]).length;
  const side: SummaryChip = {
    text: `⚑${owned} ✕${view.kills[index]}`,
    title: zh
      ? `${owned} 个矿，${view.kills[index]} 次击毁`
      : `${owned} mines, ${view.kills[index]} kills`,
  };
  const chip = (tank: Tank): SummaryChip => ({
    text: `${tank.id}${tank.type ? LETTERS[tank.type] : ""} ${tank.revive !== null ? `↻${tank.revive}` : tank.life === null ? "?" : `♥${tank.life}${tank.noharm ? ` ◈${tank.noharm}` : ""}`}`,
    title: `${tank.id} ${tank.type ? TYPES[tank.type][lang] : ""}: ${state(tank, lang)}`,
    faded: tank.cell === null,
    at: tank.cell ? place(tank.cell) : null,
  });
  return [side, ...view.tanks.filter(({ id }) => sideOf(id) === seat).map(chip)];
}

export function inspect({ view }: Moment<View>, at: BoardCell, setup: Setup, lang: Lang): string[] {
  const zh = lang === "zh";
  const cell = cellOf(at);
  const lines: string[] = [];
  for (const tank of view.tanks)
    if (same(tank.cell, cell))
      lines.push(
        `${SIDES[sideOf(tank.id)][lang]} ${tank.id} ${tank.type ? TYPES[tank.type][lang] : ""}, ${state(tank, lang)}`,
      );
  const mine = mines(setup).findIndex((mine) => same(mine, cell));
  if (mine >= 0) {
    const owner: Record<string, LocalizedText> = {
      R: { en: "red’s", zh: "红方的" },
      B: { en: "blue’s", zh: "蓝方的" },
      N: { en: "nobody’s", zh: "无主的" },
    };
    lines.push(
      zh
        ? `${owner[view.owners[mine] ?? "N"]!.zh}矿 ${mine}`
        : `${owner[view.owners[mine] ?? "N"]!.en} mine ${mine}`,
    );
  }
  for (const { id } of view.tanks)
    if (same(spawn(setup, id), cell))
      lines.push(zh ? `坦克 ${id} 的出生点` : `spawn of tank ${id}`);
  const glyph = view.terrain[at.row]?.[at.col];
  if (glyph === "#") lines.push(zh ? "石头" : "stone");
  if (glyph === "2" || glyph === "1")
    lines.push(zh ? `砖墙，剩 ${glyph} 点` : `brick, ${glyph} HP left`);
  if (view.seen?.[at.row]?.[at.col] === "?")
    lines.push(zh ? "视野外：敌方坦克可能在此" : "out of sight: an enemy may be here");
  return lines.length ? lines : [zh ? "空地" : "open ground"];
}
