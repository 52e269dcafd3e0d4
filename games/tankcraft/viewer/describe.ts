// Texts of TankCraft: sentences, marks, chips, and the content of a cell.

import { type Message, inBothLanguages, m } from "$lib/messages";
import type { Moment } from "$viewer/frame_buffer";
import type { BoardCell, SummaryChip, TimelineMark } from "$viewer/game_viewer";
import type { GameEvent, Lang, Seat } from "$viewer/leg_frames";
import {
  type Cell,
  type Setup,
  type Tank,
  type TankType,
  type View,
  boardCell,
  cellName,
  cellOf,
  minesOf,
  sameCell,
  sideOf,
  spawnOf,
  typeName,
} from "./view";

const SIDES: Record<Seat, Message> = { first: m.tankcraft_first, second: m.tankcraft_second };
const OWNERS: Record<string, Seat> = { R: "first", B: "second" };

const DEATHS: Record<string, Message<{ who: string }>> = {
  fire: m.tankcraft_dies_fire,
  stone: m.tankcraft_dies_stone,
  brick: m.tankcraft_dies_brick,
  duel: m.tankcraft_dies_duel,
};

function sideName(seat: Seat, locale: Lang): string {
  return SIDES[seat]({}, { locale });
}

function tankName(id: unknown, you: Seat | null, locale: Lang): string {
  const seat = sideOf(Number(id));
  const tank = String(id);
  if (seat === you) return m.tankcraft_your_tank({ tank }, { locale });
  return m.tankcraft_side_tank({ side: sideName(seat, locale), tank }, { locale });
}

/** The text of an event, without the full stop; null for events that another one explains. */
function describeEvent(event: GameEvent, you: Seat | null, locale: Lang): string | null {
  const who = tankName(event.tank, you, locale);
  switch (event.event) {
    case "died":
      return (DEATHS[String(event.cause)] ?? m.tankcraft_dies)({ who }, { locale });
    case "captured":
      return m.tankcraft_takes_mine_at({ who, cell: cellName(event.at as Cell) }, { locale });
    case "revived":
      return m.tankcraft_back_at({ who, cell: cellName(event.cell as Cell) }, { locale });
    case "duel":
      return describeDuel(event, you, locale);
    case "hit": {
      const [damage, left] = [Number(event.damage), Number(event.left)];
      return left > 0 ? m.tankcraft_hit({ who, damage, left }, { locale }) : null;
    }
    case "refused":
      return sideOf(Number(event.tank)) === you ? m.tankcraft_blocked({ who }, { locale }) : null;
    case "unread":
      return m.tankcraft_unread({ who }, { locale });
    case "team":
      return describeTeam(event, you, locale);
    default:
      return null;
  }
}

function describeDuel(event: GameEvent, you: Seat | null, locale: Lang): string {
  return m.tankcraft_collide(
    {
      red: tankName(event.red, you, locale),
      blue: tankName(event.blue, you, locale),
      red_left: String(event.red_left),
      blue_left: String(event.blue_left),
    },
    { locale },
  );
}

function describeTeam(event: GameEvent, you: Seat | null, locale: Lang): string {
  const names = (event.types as TankType[]).map((type) => typeName(type, locale));
  const types = names.join(m.tankcraft_list_separator({}, { locale }));
  if (event.seat === you) return m.tankcraft_you_choose({ types }, { locale });
  const side = sideName(event.seat as Seat, locale);
  return m.tankcraft_side_chooses({ side, types }, { locale });
}

export function describeStep(
  moment: Moment<View>,
  _setup: Setup,
  you: Seat | null,
  locale: Lang,
): string {
  const events = moment.frame.events ?? [];
  if (events.length === 0 && moment.before)
    return describeChanges(moment.before, moment.view, you, locale);
  const texts = events.map((event) => describeEvent(event, you, locale)).filter(Boolean);
  if (texts.length > 0) return texts.join(m.separator({}, { locale }));
  const count = (name: string) => events.filter(({ event }) => event === name).length;
  return m.tankcraft_activity({ moved: count("moved"), fired: count("fired") }, { locale });
}

/** Under fog there are no events: the differences of two views are described. */
function describeChanges(before: View, view: View, you: Seat | null, locale: Lang): string {
  const texts = view.tanks.flatMap((tank) => {
    const text = describeTankChange(before.tanks[tank.id], tank, view.you, you, locale);
    return text === null ? [] : [text];
  });
  const count = [...view.owners].filter((owner, mine) => owner !== before.owners[mine]).length;
  if (count === 1) texts.push(m.tankcraft_mine_changes({}, { locale }));
  if (count > 1) texts.push(m.tankcraft_mines_change({ count }, { locale }));
  return texts.join(m.separator({}, { locale })) || m.tankcraft_nothing_new({}, { locale });
}

function describeTankChange(
  old: Tank | undefined,
  now: Tank,
  viewer: Seat | null,
  you: Seat | null,
  locale: Lang,
): string | null {
  if (!old) return null;
  const who = tankName(now.id, you, locale);
  const own = sideOf(now.id) === viewer;
  if (own && old.cell && now.life === 0) return m.tankcraft_dies({ who }, { locale });
  if (own && !old.cell && now.cell) return m.tankcraft_back({ who }, { locale });
  const hit = old.life !== null && now.life !== null && now.life < old.life;
  if (old.cell && now.cell && hit) return m.tankcraft_left({ who, life: now.life! }, { locale });
  if (!own && !old.cell && now.cell)
    return m.tankcraft_in_sight({ who, cell: cellName(now.cell) }, { locale });
  return null;
}

const SIGNS: Record<string, Pick<TimelineMark, "weight" | "glyph">> = {
  died: { weight: "loss", glyph: "✕" },
  captured: { weight: "notable", glyph: "⚑" },
  unread: { weight: "minor", glyph: "?" },
};

export function findMarks(moment: Moment<View>): TimelineMark[] {
  if (moment.view.you && moment.before) return findMarksInViews(moment.before, moment.view);
  return (moment.frame.events ?? []).flatMap((event): TimelineMark[] => {
    const sign = SIGNS[event.event];
    if (!sign) return [];
    const text = inBothLanguages((locale) => describeEvent(event, null, locale) ?? "");
    return [{ ...sign, seat: sideOf(Number(event.tank)), text }];
  });
}

/** Marks under fog: own tanks that died, and mines, whose owners both sides know. */
function findMarksInViews(before: View, view: View): TimelineMark[] {
  const died = view.tanks.filter(
    ({ id, life }) => sideOf(id) === view.you && life === 0 && before.tanks[id]?.cell,
  );
  const deaths = died.map(({ id }): TimelineMark => {
    const text = inBothLanguages((locale) =>
      m.tankcraft_dies({ who: tankName(id, null, locale) }, { locale }),
    );
    return { weight: "loss", glyph: "✕", seat: sideOf(id), text };
  });
  const captures = [...view.owners].flatMap((owner, mine): TimelineMark[] => {
    const seat = OWNERS[owner];
    if (owner === before.owners[mine] || !seat) return [];
    const text = inBothLanguages((locale) =>
      m.tankcraft_takes_mine({ side: sideName(seat, locale), mine }, { locale }),
    );
    return [{ weight: "notable", glyph: "⚑", seat, text }];
  });
  return [...deaths, ...captures];
}

function describeState({ revive, life, noharm }: Tank, locale: Lang): string {
  if (revive !== null) return m.tankcraft_dead_until({ round: revive }, { locale });
  if (life === null) return m.tankcraft_out_of_sight({}, { locale });
  if (noharm) return m.tankcraft_life_shielded({ life, rounds: noharm }, { locale });
  return m.tankcraft_life({ life }, { locale });
}

export function summaryChips({ view }: Moment<View>, seat: Seat, locale: Lang): SummaryChip[] {
  const mines = [...view.owners].filter((owner) => OWNERS[owner] === seat).length;
  const kills = view.kills[seat === "first" ? 0 : 1];
  const total: SummaryChip = {
    text: m.tankcraft_mines_and_kills({ mines, kills }, { locale }),
  };
  const chipOf = (tank: Tank): SummaryChip => {
    const { id, type, cell, revive } = tank;
    const name = [id, type && typeName(type, locale)].filter((it) => it != null).join(" ");
    const state = describeState(tank, locale);
    // Short enough for a line of a phone; the title says the rest.
    const short = revive === null ? state : m.tankcraft_back_in({ round: revive }, { locale });
    return {
      text: `${name}: ${short}`,
      title: `${name}: ${state}`,
      faded: cell === null,
      at: cell ? boardCell(cell) : null,
    };
  };
  return [total, ...view.tanks.filter(({ id }) => sideOf(id) === seat).map(chipOf)];
}

export function describeCell(
  { view }: Moment<View>,
  at: BoardCell,
  setup: Setup,
  locale: Lang,
): string[] {
  const cell = cellOf(at);
  const lines = [
    ...describeTanks(view, cell, locale),
    ...describeMine(view, setup, cell, locale),
    ...describeSpawns(view, setup, cell, locale),
    ...describeTerrain(view, at, locale),
  ];
  return lines.length ? lines : [m.tankcraft_open_ground({}, { locale })];
}

function describeTanks(view: View, cell: Cell, locale: Lang): string[] {
  return view.tanks
    .filter((tank) => sameCell(tank.cell, cell))
    .map((tank) =>
      m.tankcraft_tank_state(
        {
          side: sideName(sideOf(tank.id), locale),
          tank: tank.id,
          type: tank.type ? typeName(tank.type, locale) : "",
          state: describeState(tank, locale),
        },
        { locale },
      ),
    );
}

function describeMine(view: View, setup: Setup, cell: Cell, locale: Lang): string[] {
  const mine = minesOf(setup).findIndex((at) => sameCell(at, cell));
  if (mine < 0) return [];
  const owner = OWNERS[view.owners[mine] ?? "N"];
  if (!owner) return [m.tankcraft_mine_free({ mine }, { locale })];
  return [m.tankcraft_mine_of({ side: sideName(owner, locale), mine }, { locale })];
}

function describeSpawns(view: View, setup: Setup, cell: Cell, locale: Lang): string[] {
  return view.tanks
    .filter(({ id }) => sameCell(spawnOf(setup, id), cell))
    .map(({ id }) => m.tankcraft_spawn_of({ tank: id }, { locale }));
}

function describeTerrain(view: View, at: BoardCell, locale: Lang): string[] {
  const glyph = view.terrain[at.row]?.[at.col];
  const lines: string[] = [];
  if (glyph === "#") lines.push(m.tankcraft_stone({}, { locale }));
  if (glyph === "2" || glyph === "1") lines.push(m.tankcraft_brick({ life: glyph }, { locale }));
  if (view.seen?.[at.row]?.[at.col] === "?") lines.push(m.tankcraft_unseen({}, { locale }));
  return lines;
}
