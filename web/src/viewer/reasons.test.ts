import { expect, test } from "vitest";
import kob from "../../../games/kob/viewer/index";
import snakego from "../../../games/snakego/viewer/index";
import tankcraft from "../../../games/tankcraft/viewer/index";
import { overwriteGetLocale } from "../paraglide/runtime";
import type { GameViewer } from "./game_viewer";
import type { Entrant, Lang } from "./leg_frames";
import { type EndToTell, describeEnd } from "./reasons";

const games = { kob, snakego, tankcraft } as unknown as Record<string, GameViewer>;

interface Row {
  lang: Lang;
  game: keyof typeof games;
  end: { reason: string; winner: Entrant } & Partial<EndToTell>;
  title: string;
  why?: string;
}

const person = { own: "a" as const, names: { a: "ada", b: "level1" } };
const bot = { ...person, ownIsBot: true };
const nobody = { own: null };

test.each<Row>([
  // The person who lost, won, watched; the author of a bot.
  {
    lang: "en",
    game: "kob",
    end: { ...person, reason: "self", winner: "b", round: 9 },
    title: "You lost: you ran into your own tail (round 9)",
  },
  {
    lang: "zh",
    game: "kob",
    end: { ...person, reason: "wall", winner: "b", round: 9 },
    title: "你输了：你撞墙了（第 9 回合）",
  },
  {
    lang: "en",
    game: "kob",
    end: { ...person, reason: "self", winner: "a", round: 9 },
    title: "You won: Level 1 ran into its own tail (round 9)",
  },
  {
    lang: "en",
    game: "kob",
    end: { ...nobody, reason: "opponent", winner: "a" },
    title: "ada won: Level 1 ran into the other snake",
  },
  {
    lang: "en",
    game: "kob",
    end: { ...bot, reason: "crashed", winner: "b", round: 3 },
    title: "Your ada lost: it crashed (round 3)",
  },
  {
    lang: "zh",
    game: "snakego",
    end: { ...bot, reason: "forfeit", winner: "b" },
    title: "你的 ada 输了：它被判负",
  },
  // A forfeit is told by its fault; a person who left has resigned.
  {
    lang: "en",
    game: "snakego",
    end: { ...person, reason: "forfeit", winner: "b", fault: "timeout", round: 1 },
    title: "You lost: you gave no move in time (round 1)",
  },
  {
    lang: "en",
    game: "snakego",
    end: { ...person, reason: "forfeit", winner: "b", fault: "EXIT", loserIsPerson: true },
    title: "You lost: you resigned",
  },
  {
    lang: "zh",
    game: "kob",
    end: { ...person, reason: "exited", winner: "b", loserIsPerson: true, round: 1 },
    title: "你输了：你认输了（第 1 回合）",
  },
  {
    lang: "en",
    game: "kob",
    end: { ...person, reason: "exited", winner: "a", round: 4 },
    title: "You won: Level 1 left before the end (round 4)",
  },
  // By how much.
  {
    lang: "en",
    game: "snakego",
    end: { ...person, reason: "cells", winner: "a", margin: 12, round: 128 },
    title: "You won by 12 cells",
    why: "by more cells",
  },
  {
    lang: "en",
    game: "snakego",
    end: { ...person, reason: "cells", winner: "b", margin: 1 },
    title: "You lost by 1 cell",
    why: "Level 1 won by more cells",
  },
  {
    lang: "zh",
    game: "snakego",
    end: { ...person, reason: "cells", winner: "b", margin: 10 },
    title: "你输了，落后 10 格",
    why: "第 1 级 获胜（占据格数更多）",
  },
  {
    lang: "zh",
    game: "tankcraft",
    end: { ...nobody, reason: "rounds", winner: "b", margin: 30 },
    title: "第 1 级 获胜，领先 30 资源",
    why: "回合用尽，比较资源",
  },
  // What has neither a cause nor a margin.
  {
    lang: "en",
    game: "kob",
    end: { ...person, reason: "leg-wins", winner: "b" },
    title: "You lost: Level 1 won by winning more games",
  },
  {
    lang: "en",
    game: "snakego",
    end: { ...person, reason: "first-item", winner: "a", margin: 0 },
    title: "You won by the first item of leg 1",
  },
])("$lang $game: $title", ({ lang, game, end, title, why = "" }) => {
  overwriteGetLocale(() => lang);
  const names = { a: "ada", b: "level1" };
  const all: EndToTell = { names, own: null, ownIsBot: false, margin: 0, round: null, ...end };
  expect(describeEnd(games[game]!, all, lang)).toEqual({ title, why });
});
