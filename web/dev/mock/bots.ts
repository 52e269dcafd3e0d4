// Bots, their ratings and their results.

import type {
  BotDetails,
  BotFault,
  BotSummary,
  EntrantSummary,
  LadderDetails,
  LadderRow,
  ListPage,
  LocalizedText,
  OpponentRecord,
  RankRange,
  RatingPoint,
} from "../../src/lib/types.ts";
import {
  type ApiCall,
  minutesAgo,
  notFound,
  numberAt,
  seededRandom,
  wholeList,
} from "./answers.ts";
import { FIRST_MATCH } from "./match_ids.ts";
import { VERSIONS, summarizeVersion } from "./versions.ts";

/** A bot of the sample data; `skill` decides its results. */
type SampleBot = Omit<BotSummary, "deleted"> & { about: LocalizedText; skill: number };

const BUILT_IN: Record<string, [name: string, en: string, zh: string][]> = {
  snakego: [
    ["random", "any legal action", "任意合法操作"],
    ["greedy", "to the nearest item by free cells", "走向最近的道具"],
    ["territory", "plans loops that turn into walls", "规划围成墙的环路"],
  ],
  kob: [
    ["random", "any direction", "任意方向"],
    ["sample", "the first free direction", "第一个可走的方向"],
    ["safe", "never into a death it can see", "从不走向可见的死路"],
    ["space", "where the most cells can be reached", "走向可达格最多处"],
    ["alphabeta", "iterative deepening", "迭代加深搜索"],
    ["level3", "looks four rounds ahead for free cells", "看四回合内能到的空格"],
    ["champion", "searches as deep as its clock allows", "在时限内尽量深地搜索"],
  ],
  tankcraft: [
    ["random", "drives and fires at random", "随机移动与射击"],
    ["miner", "sends every tank to the nearest mine", "每辆坦克奔向最近的矿"],
    ["squad", "remembers and guesses where enemies are", "记忆并推测敌人位置"],
  ],
};

const UPLOADED: Record<string, [name: string, owner: string][]> = {
  snakego: [
    ["mybot", "ada"],
    ["Ouroboros", "turing"],
    ["围地", "小林"],
    ["longest-name-allowed-24c", "grace"],
    ["coil", "dijkstra"],
  ],
  kob: [
    ["cutoff", "ada"],
    ["voronoi", "turing"],
    ["长蛇阵", "小林"],
  ],
  tankcraft: [["hedgehog", "grace"]],
};

export const BOTS: readonly SampleBot[] = makeBots();

function makeBots(): SampleBot[] {
  const bots: SampleBot[] = [];
  const by_agent = false;
  for (const [game, builtIn] of Object.entries(BUILT_IN)) {
    for (const [at, [name, en, zh]] of builtIn.entries()) {
      const skill = 900 + (700 * (at + 1)) / builtIn.length;
      const about = { en, zh };
      bots.push({
        id: bots.length + 1,
        game,
        name,
        owner: null,
        built_in: true,
        by_agent,
        about,
        skill,
      });
    }
    for (const [at, [name, owner]] of (UPLOADED[game] ?? []).entries()) {
      const text = at === 0 ? "Beam search over my own turn, written in C++." : "";
      const about = { en: text, zh: text };
      const skill = 1650 - at * 130;
      bots.push({
        id: bots.length + 1,
        game,
        name,
        owner,
        built_in: false,
        by_agent,
        about,
        skill,
      });
    }
  }
  return bots;
}

export function findBot(id: number): SampleBot {
  const found = BOTS.find((bot) => bot.id === id);
  if (found) return found;
  throw notFound(`there is no bot ${id}; look for it on its game's ladder`);
}

/** The bots of a game, the strongest first. */
export function botsOfGame(game: string): SampleBot[] {
  return BOTS.filter((bot) => bot.game === game).sort((a, b) => b.skill - a.skill);
}

/** The names of the two strongest built-in bots of a game. */
export function strongestBuiltIn(game: string): string[] {
  return (BUILT_IN[game] ?? []).slice(-2).map(([name]) => name);
}

/** What is said of programs at home. */
export const NOT_AT_HOME = { home: false, home_bot: null, latency_ms: null };

export function botEntrant({ id, name, owner, built_in }: SampleBot): EntrantSummary {
  const version = built_in ? 1 : 7;
  const own = { built_in, deleted: false, settings: null, ...NOT_AT_HOME };
  return { kind: "bot", name, bot: id, version, user: owner, ...own };
}

export function showBot(bot: SampleBot, user: string | null): BotDetails {
  const { error, ...results } = countResults(bot);
  const versions = bot.built_in
    ? [{ ...VERSIONS[3]!, id: 500 + bot.id, number: 1, file_name: bot.name, bytes: 0 }]
    : VERSIONS;
  return {
    ...summarizeBot(bot),
    ...results,
    about: bot.about.en,
    disabled: false,
    active: bot.built_in ? 1 : 7,
    fetchable: false,
    retired: false,
    rating: { value: bot.skill, error, elo_unit: "match" },
    rank: rankRange(bot),
    longest_us: 1_834_000 / bot.id,
    versions: versions.map(summarizeVersion),
    yours: user !== null && bot.owner === user,
    team: null,
    rest: null,
    ladders: furtherLadders(bot.game).map(({ name, title }) => ({
      ...results,
      name,
      title,
      plays: true,
      rating: { value: bot.skill, error, elo_unit: "match" },
      rank: rankRange(bot),
      rest: null,
    })),
  };
}

/** King of Bots has another ladder. */
export function furtherLadders(game: string): LadderDetails[] {
  if (game !== "kob") return [];
  const title = { en: "Small boards", zh: "小棋盘" };
  const configs = [
    { rows: 9, cols: 8 },
    { rows: 9, cols: 10 },
  ];
  const size = botsOfGame(game).length;
  return [{ name: "small", title, configs, seeds: [1, 2, 3], size, divisions: 0 }];
}

/** The ladder of King of Bots is shown in divisions of four, as one of many bots is. */
const DIVISION = 4;
export const divisionsOf = (game: string): number =>
  game === "kob" ? Math.ceil(botsOfGame(game).length / DIVISION) : 0;

export function showLadder({ parts, query }: ApiCall): ListPage<LadderRow> {
  const further = furtherLadders(parts[1]!).some(({ name }) => name === query.get("ladder"));
  const divided = !further && divisionsOf(parts[1]!) > 0;
  const rows = botsOfGame(parts[1]!).map((bot, at) => {
    const { error, ...results } = countResults(bot);
    return {
      ...results,
      rank: rankRange(bot),
      bot: summarizeBot(bot),
      rating: { value: bot.skill, error, elo_unit: "match" },
      trend: ratingHistory(bot)
        .slice(-20)
        .map(({ value }) => value),
      division: divided ? 1 + Math.floor(at / DIVISION) : null,
      tendency: divided ? (({ 3: "down", 4: "up" } as const)[at] ?? null) : null,
    };
  });
  const asked = query.get("division");
  return wholeList(asked ? rows.filter(({ division }) => String(division) === asked) : rows);
}

export function listOpponents(call: ApiCall): ListPage<OpponentRecord> {
  const id = numberAt(call, 1);
  const others = botsOfGame(findBot(id).game).filter((bot) => bot.id !== id);
  const records = others.map((bot, at) => ({
    bot: summarizeBot(bot),
    wins: 3 + at * 5,
    draws: at % 2,
    losses: Math.max(0, 20 - at * 2),
  }));
  return wholeList(records);
}

export function listRatings(call: ApiCall): ListPage<RatingPoint> {
  return wholeList(ratingHistory(findBot(numberAt(call, 1))));
}

export function listFaults(call: ApiCall): ListPage<BotFault> {
  if (findBot(numberAt(call, 1)).built_in) return wholeList([]);
  return wholeList<BotFault>([
    { match: FIRST_MATCH + 4, leg: 2, round: 37, step: 74, code: "IA", at: minutesAgo(700) },
    { match: FIRST_MATCH + 13, leg: 1, round: 401, step: 802, code: "TLE", at: minutesAgo(500) },
  ]);
}

function summarizeBot({ skill: _skill, about: _about, ...rest }: SampleBot): BotSummary {
  return { ...rest, deleted: false };
}

function countResults(bot: SampleBot) {
  const random = seededRandom(bot.id * 77);
  const games = bot.name === "coil" ? 3 : 40 + Math.floor(random() * 900);
  const wins = Math.floor(games * Math.min(0.95, Math.max(0.05, (bot.skill - 800) / 1000)));
  const draws = Math.floor((games - wins) * 0.06);
  const faults = bot.built_in ? 0 : Math.floor(random() * 9);
  const error = Math.max(18, 420 / Math.sqrt(games));
  return { games, wins, draws, losses: games - wins - draws, copies: 0, faults, error };
}

function ratingHistory(bot: SampleBot): RatingPoint[] {
  const random = seededRandom(bot.id * 31);
  let value = 1200;
  return Array.from({ length: bot.name === "coil" ? 1 : 120 }, (_, at) => {
    value += (bot.skill - value) * 0.06 + (random() - 0.5) * 50;
    const error = 20 + 330 / Math.sqrt(at + 1);
    return { at: minutesAgo((120 - at) * 47), match: 1 + at, value, error };
  });
}

function rankRange(bot: SampleBot): RankRange {
  const rows = botsOfGame(bot.game);
  const { error } = countResults(bot);
  const differs = (other: SampleBot) =>
    Math.abs(other.skill - bot.skill) > error + countResults(other).error;
  const stronger = rows.filter((other) => other.skill > bot.skill && differs(other)).length;
  const weaker = rows.filter((other) => other.skill < bot.skill && differs(other)).length;
  return [1 + stronger, rows.length - weaker];
}
