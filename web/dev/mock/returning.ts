// What brings people back: the author's home, what a player has reached, the challenge of the day.

import type { Achievements, AuthorHome, DailyChallenge } from "../../src/lib/types.ts";
import { type ApiCall, minutesAgo, requireUser } from "./answers.ts";
import { BOTS } from "./bots.ts";

export function openAuthorHome({ user }: ApiCall): AuthorHome {
  const name = requireUser(user);
  const own = BOTS.filter((bot) => bot.owner === name);
  const [first, second] = own;
  const quiet = {
    rating: 1500,
    change: null,
    cause: null,
    new_version: false,
    wins: 0,
    draws: 0,
    losses: 0,
    faults: [],
    ways: [],
    queue: [],
  };
  const bots: AuthorHome["bots"] = [];
  if (first)
    bots.push({
      ...quiet,
      bot: first.id,
      rating: 1912.3,
      change: -34.4,
      cause: { match: 1081, opponent: "boa", change: -12.5 },
      wins: 3,
      draws: 1,
      losses: 5,
      faults: [{ code: "TLE", count: 2, match: 1081, leg: 1, round: 37, step: 36 }],
      ways: [
        {
          reason: { id: "length", en: "by length", zh: "长度" },
          count: 3,
          match: 1081,
        },
      ],
      queue: [
        {
          version: 8,
          match: null,
          waiting: { en: "second in the queue, about 20 s", zh: "排队第二位，约 20 秒" },
        },
      ],
    });
  if (second) bots.push({ ...quiet, bot: second.id });
  return { since: minutesAgo(190), bots };
}

export function showAchievements({ user }: ApiCall): Achievements {
  requireUser(user);
  return {
    games: {
      kob: { beaten: ["level1", "level2", "level3"], best: [12, 4] },
      snakego: { beaten: ["level1"], best: [96, 40] },
    },
    days: [0, 1, 2].map((days) => minutesAgo(days * 1440).slice(0, 10)).sort(),
    matches: [1081, 1082],
    daily: { [minutesAgo(0).slice(0, 10)]: { won: true, lead: 12, tries: [1081, 1082] } },
  };
}

export function showDaily(): DailyChallenge {
  return {
    day: minutesAgo(0).slice(0, 10),
    next: minutesAgo(-300),
    zone: "UTC",
    game: "kob",
    opponent: "level3",
    from: { match: 1082, leg: 1, round: 20 },
    seat: "a",
    chance: 0.62,
    rounds: 90,
  };
}
