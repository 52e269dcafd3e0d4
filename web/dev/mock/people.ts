// People as others see them, and the search.

import type { Profile, SearchResult } from "../../src/lib/types.ts";
import { type ApiCall, minutesAgo, notFound } from "./answers.ts";
import { BOTS, showBot } from "./bots.ts";
import { MATCHES } from "./matches.ts";

const NAMES = ["ada", "turing", "小林", "grace"];

export function showProfile({ parts }: ApiCall): Profile {
  const name = decodeURIComponent(parts[1] ?? "");
  if (!NAMES.includes(name))
    throw notFound("there is no player with this name; check the spelling");
  const played = [
    {
      game: "kob",
      wins: 12,
      draws: 1,
      losses: 7,
      rating: { value: 1420.4, error: 90.2, matches: 12, missing: 0 },
    },
    {
      game: "snakego",
      wins: 3,
      draws: 0,
      losses: 4,
      rating: { value: null, error: null, matches: 2, missing: 3 },
    },
  ];
  return {
    name,
    created: minutesAgo(90_000),
    bots: BOTS.filter((bot) => bot.owner === name).map((bot) => showBot(bot, null)),
    played: name === "grace" ? [] : played,
    at_home: name === "grace",
  };
}

export function search({ query }: ApiCall): SearchResult {
  const text = (query.get("q") ?? "").trim().toLowerCase();
  const fits = (name: string) => name.toLowerCase().startsWith(text);
  const bots = BOTS.filter(({ name }) => fits(name)).map((bot) => showBot(bot, null));
  return {
    bots: bots.slice(0, 10),
    people: NAMES.filter(fits).map((name) => ({ name })),
    match: MATCHES.find(({ id }) => String(id) === text.replace("#", "")) ?? null,
  };
}
