// Whom the reader follows, and what the reader is told. `newcomer` follows nobody and is told
// nothing.

import type { FollowList, Notification, NotificationList } from "../../src/lib/types.ts";
import { type ApiCall, minutesAgo, numberAt, requireUser } from "./answers.ts";
import { findBot } from "./bots.ts";

const bots = new Set([5, 17]);
const players = new Set(["turing", "小林"]);
const contests = new Set(["autumn"]);
const read = new Set([1, 2, 3]);

function named(id: number): NonNullable<Notification["bot"]> {
  const { name, game } = findBot(id);
  return { id, name, game };
}

const isNew = (call: ApiCall) => requireUser(call.user) === "newcomer";

export function listFollows(call: ApiCall): FollowList {
  if (isNew(call)) return { bots: [], players: [], contests: [] };
  return {
    bots: [...bots].map((id) => named(id)),
    players: [...players].map((name) => ({ name })),
    contests: [...contests].map((id) => ({ id, title: { en: "Autumn contest", zh: "秋季赛" } })),
  };
}

export function followBot(call: ApiCall): object {
  requireUser(call.user);
  bots.add(findBot(numberAt(call, 3)).id);
  return {};
}

export function unfollowBot(call: ApiCall): object {
  bots.delete(numberAt(call, 3));
  return {};
}

export function followPlayer(call: ApiCall): object {
  requireUser(call.user);
  players.add(decodeURIComponent(call.parts[3] ?? ""));
  return {};
}

export function unfollowPlayer(call: ApiCall): object {
  players.delete(decodeURIComponent(call.parts[3] ?? ""));
  return {};
}

export function followContest(call: ApiCall): object {
  requireUser(call.user);
  contests.add(call.parts[3] ?? "");
  return {};
}

export function unfollowContest(call: ApiCall): object {
  contests.delete(call.parts[3] ?? "");
  return {};
}

function allNotifications(): Notification[] {
  const spring = { id: "spring", title: { en: "Spring cup", zh: "春季杯" } };
  const autumn = { id: "autumn", title: { en: "Autumn cup", zh: "秋季杯" } };
  const nothing = {
    bot: null,
    version: null,
    contest: null,
    group: null,
    place: null,
    ladder: null,
    experiment: null,
    player: null,
    game: null,
    why: null,
  };
  const told: Omit<Notification, "id" | "at" | "read">[] = [
    { ...nothing, kind: "version-failed", bot: named(4), version: 5 },
    { ...nothing, kind: "bot-version", bot: named(5), version: 12 },
    { ...nothing, kind: "followed-plays", bot: named(17), contest: spring, player: "turing" },
    { ...nothing, kind: "contest-begun", bot: named(4), contest: spring },
    { ...nothing, kind: "followed-placed", bot: named(5), contest: autumn, place: 1 },
    { ...nothing, kind: "contest-ended", bot: named(4), contest: autumn, place: 3 },
    { ...nothing, kind: "contest-annulled", bot: named(4), contest: autumn },
    { ...nothing, kind: "bot-rests", bot: named(4) },
    { ...nothing, kind: "followed-begun", contest: spring },
    { ...nothing, kind: "followed-ended", contest: autumn },
    { ...nothing, kind: "best-rank", bot: named(5), place: 3 },
    { ...nothing, kind: "group-invited", group: { id: 1, name: "AI 2026" } },
  ];
  return told.map((one, at) => {
    const id = told.length - at;
    return { ...one, id, at: minutesAgo(3 + at * at * 200), read: read.has(id) };
  });
}

export function listNotifications(call: ApiCall): NotificationList {
  const items = isNew(call) ? [] : allNotifications();
  return { unread: items.filter((one) => !one.read).length, items };
}

export function countUnread(call: ApiCall): { unread: number } {
  return { unread: listNotifications(call).unread };
}

export function readUntil({ body }: ApiCall): object {
  for (const { id } of allNotifications()) if (id <= Number(body.until)) read.add(id);
  return {};
}

export function readOne(call: ApiCall): object {
  read.add(numberAt(call, 2));
  return {};
}
