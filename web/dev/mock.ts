// Sample data in the shapes of the API, for work without a server. The people and results are
// invented; frames are real: made by the program `leitai` where LEITAI names it.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

type Answer = unknown;
type Call = {
  query: URLSearchParams;
  body: Record<string, unknown>;
  parts: string[];
  user: string | null;
};
type Handler = (call: Call) => Answer;

class Refused {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly message: string,
    readonly field: string | null = null,
  ) {}
}

const NOW = Date.now();
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const both = (en: string, zh: string) => ({ en, zh });
const guide = (game: string, name: string) =>
  readFileSync(fileURLToPath(new URL(`../../games/${game}/${name}`, import.meta.url)), "utf8");

/** The same numbers every time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const GAMES = [
  {
    id: "snakego",
    title: both("SnakeGo", "贪吃蛇围棋"),
    about: both(
      "Two players on 16 × 16 cells: snakes that grow, split, melt walls, and turn what they enclose into walls of their own.",
      "16 × 16 格上的回合制对弈：蛇会生长、分裂、射出融化射线，并把围住的区域变成自己的墙。",
    ),
    legs: 2,
    period_ms: 10_000,
    open: true,
  },
  {
    id: "kob",
    title: both("King of Bots", "King of Bots"),
    about: both(
      "Two snakes on 13 × 14 cells that move at once and never stop growing. Whoever runs into something first loses.",
      "13 × 14 格上的两条蛇同时行动、不断变长，先撞上者输。",
    ),
    legs: 1,
    period_ms: 5_000,
    open: true,
  },
  {
    id: "tankcraft",
    title: both("TankCraft", "坦克大战"),
    about: both(
      "Five tanks against five in the fog: take the mines, guard your base, and shoot where you think they are.",
      "迷雾中五辆坦克对五辆：占领矿区，守住基地，向你认为的敌人位置开火。",
    ),
    legs: 2,
    period_ms: 2_000,
    open: false,
  },
];

const BUILT_IN: Record<string, [name: string, about: { en: string; zh: string }][]> = {
  snakego: [
    ["random", both("any legal action", "任意合法操作")],
    ["greedy", both("to the nearest item by free cells", "走向最近的道具")],
    ["territory", both("plans loops that turn into walls", "规划围成墙的环路")],
  ],
  kob: [
    ["random", both("any direction", "任意方向")],
    ["sample", both("the first free direction", "第一个可走的方向")],
    ["safe", both("never into a death it can see", "从不走向可见的死路")],
    ["space", both("where the most cells can be reached", "走向可达格最多处")],
    ["alphabeta", both("iterative deepening", "迭代加深搜索")],
  ],
  tankcraft: [
    ["random", both("drives and fires at random", "随机移动与射击")],
    ["miner", both("sends every tank to the nearest mine", "每辆坦克奔向最近的矿")],
    ["squad", both("remembers and guesses where enemies are", "记忆并推测敌人位置")],
  ],
};

const AUTHORS: Record<string, [name: string, owner: string][]> = {
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

type Sample = {
  id: number;
  game: string;
  name: string;
  owner: string | null;
  built_in: boolean;
  about: string;
  skill: number;
};
const bots: Sample[] = [];
for (const { id: game } of GAMES) {
  const own = BUILT_IN[game] ?? [];
  for (const [at, [name, about]] of own.entries()) {
    bots.push({
      id: bots.length + 1,
      game,
      name,
      owner: null,
      built_in: true,
      about: about.en,
      skill: 900 + (700 * (at + 1)) / own.length,
    });
  }
  for (const [at, [name, owner]] of (AUTHORS[game] ?? []).entries()) {
    bots.push({
      id: bots.length + 1,
      game,
      name,
      owner,
      built_in: false,
      about: at === 0 ? "Beam search over my own turn, written in C++." : "",
      skill: 1650 - at * 130,
    });
  }
}

const bot = (id: number): Sample => {
  const found = bots.find((one) => one.id === id);
  if (!found)
    throw new Refused(404, "not-found", `there is no bot ${id}; look for it on its game's ladder`);
  return found;
};
const brief = (sample: Sample) => {
  const { skill: _skill, about: _about, ...rest } = sample;
  return rest;
};
const ofGame = (game: string) =>
  bots.filter((one) => one.game === game).sort((a, b) => b.skill - a.skill);

function numbers(one: Sample) {
  const roll = dice(one.id * 77);
  const games = one.name === "coil" ? 3 : 40 + Math.floor(roll() * 900);
  const wins = Math.floor(games * Math.min(0.95, Math.max(0.05, (one.skill - 800) / 1000)));
  const draws = Math.floor((games - wins) * 0.06);
  const error = Math.max(18, 420 / Math.sqrt(games));
  return {
    games,
    wins,
    draws,
    losses: games - wins - draws,
    error,
    faults: one.built_in ? 0 : Math.floor(roll() * 9),
  };
}

function history(one: Sample) {
  const roll = dice(one.id * 31);
  let value = 1200;
  return Array.from({ length: one.name === "coil" ? 1 : 120 }, (_, at) => {
    value += (one.skill - value) * 0.06 + (roll() - 0.5) * 50;
    return { at: ago((120 - at) * 47), match: 1 + at, value, error: 20 + 330 / Math.sqrt(at + 1) };
  });
}

const rank = (one: Sample) => {
  const rows = ofGame(one.game);
  const { error } = numbers(one);
  const sure = (other: Sample) => Math.abs(other.skill - one.skill) > error + numbers(other).error;
  const best = 1 + rows.filter((other) => other.skill > one.skill && sure(other)).length;
  const worst = rows.length - rows.filter((other) => other.skill < one.skill && sure(other)).length;
  return [best, worst];
};

const entrant = (one: Sample) => ({
  kind: "bot",
  name: one.name,
  bot: one.id,
  version: one.built_in ? 1 : 7,
  user: one.owner,
  built_in: one.built_in,
});
const person = (name: string) => ({
  kind: "person",
  name,
  bot: null,
  version: null,
  user: null,
  built_in: false,
});

type Match = Record<string, unknown> & { id: number; game: string; kind: string; state: string };
const FIRST = 1000;
const matches: Match[] = [];
for (let at = 0; at < 90; at++) {
  const roll = dice(at * 13 + 5);
  const game = GAMES[at % 3] as (typeof GAMES)[number];
  const rows = ofGame(game.id);
  const first = Math.floor(roll() * rows.length);
  const a = rows[first] as Sample;
  const b = rows[(first + 1 + Math.floor(roll() * (rows.length - 1))) % rows.length] as Sample;
  const live = at >= 87;
  const kind = live ? "show" : at % 11 === 0 ? "people" : at % 7 === 0 ? "friendly" : "ladder";
  const state = live
    ? "running"
    : at === 85
      ? "queued"
      : at === 40
        ? "void"
        : at === 33
          ? "cancelled"
          : at === 86
            ? "waiting"
            : "finished";
  const over = state === "finished";
  const winner = roll() < 0.06 ? "draw" : roll() < 0.6 ? "a" : "b";
  const fault = over && at % 9 === 4;
  const score = () => (game.id === "kob" ? Math.floor(roll() * 2) : Math.floor(roll() * 140));
  matches.push({
    id: FIRST + at,
    game: game.id,
    kind,
    state,
    a: kind === "people" ? person(at % 2 ? "guest" : "小林") : entrant(a),
    b: entrant(b),
    winner: over ? winner : null,
    reason: over
      ? fault
        ? { id: "fault", en: "by a fault of the other", zh: "因对方违规" }
        : { id: "cells", en: "by legs won", zh: "按胜局数" }
      : null,
    scores:
      over || live ? Array.from({ length: live ? 1 : game.legs }, () => [score(), score()]) : [],
    faults: fault
      ? [
          {
            entrant: winner === "a" ? "b" : "a",
            code: ["IA", "TLE", "RE"][at % 3],
            leg: 1,
            round: 37,
          },
        ]
      : [],
    rating_change:
      over && kind === "ladder" ? { a: (roll() - 0.5) * 40, b: (roll() - 0.5) * 40 } : null,
    created: ago((90 - at) * 9 + 1),
    started: ago((90 - at) * 9),
    finished: over ? ago((90 - at) * 9 - 3) : null,
    legs: game.legs,
    leg: live ? 1 : null,
    round: live ? 120 + at : null,
    rounds: live ? 512 : null,
  });
}
const match = (id: number): Match => {
  const found = matches.find((one) => one.id === id);
  if (!found) throw new Refused(404, "not-found", `there is no match ${id}`);
  return found;
};

function paged<T extends { id: number }>(rows: T[], query: URLSearchParams) {
  const before = Number(query.get("before") ?? Infinity);
  const limit = Number(query.get("limit") ?? 25);
  const rest = rows.filter((row) => row.id < before).sort((a, b) => b.id - a.id);
  const items = rest.slice(0, limit);
  return { items, next: rest.length > limit ? String(items.at(-1)?.id) : null };
}

const FAILURE = both(
  "version 6 could not be built: main.cpp:12: 'vectr' was not declared",
  "版本 6 无法构建：main.cpp:12：'vectr' 未声明",
);
const COMMAND = "leitai match snakego ./mybot territory --seed 7 --from check.json@2:37";
const VERSIONS = [
  {
    id: 11,
    number: 7,
    state: "ready",
    file_name: "mybot.zip",
    notes: "wider beam",
    created: ago(300),
    failure: null,
  },
  {
    id: 10,
    number: 6,
    state: "failed",
    file_name: "main.cpp",
    notes: "",
    created: ago(420),
    failure: FAILURE,
  },
  {
    id: 9,
    number: 5,
    state: "failed",
    file_name: "main.py",
    notes: "first try with walls",
    created: ago(900),
    failure: both(
      "it turned back into its own neck in round 37 of the leg against territory",
      "在对 territory 的一局中，第 37 回合折返咬到自己的脖子",
    ),
  },
  {
    id: 8,
    number: 4,
    state: "ready",
    file_name: "main.py",
    notes: "",
    created: ago(2000),
    failure: null,
  },
  {
    id: 12,
    number: 8,
    state: "queued",
    file_name: "main.py",
    notes: "written in the page",
    created: ago(0.2),
    failure: null,
  },
];
const STEPS: [string, string, string][] = [
  ["builds", "python3 (nothing to build)", "python3（无需构建）"],
  ["starts", "", ""],
  ["first-move", "in 41 ms of 12 s", "用时 41 ms，允许 12 s"],
  ["first", "512 rounds in 1 leg against greedy, 1 won", "对 greedy 1 局共 512 回合，胜 1 局"],
  ["second", "512 rounds in 1 leg against greedy, 0 won", "对 greedy 1 局共 512 回合，胜 0 局"],
  [
    "split-writes",
    "20 rounds with messages in pieces of 1 to 7 bytes",
    "20 回合，消息以 1 至 7 字节分段到达",
  ],
  ["slow-reader", "20 rounds with answers read late", "20 回合，回答被延迟读取"],
  ["memory", "38 MiB of 256 MiB", "38 MiB，上限 256 MiB"],
  ["time", "slowest turn 9.4 s of 10 s", "最慢一回合 9.4 s，上限 10 s"],
  ["exits", "0.2 s after the end", "结束后 0.2 s 退出"],
  ["repeatable", "the same answers twice", "两次回答相同"],
];
let begun = 0;

function version(id: number) {
  const found = VERSIONS.find((one) => one.id === id);
  if (!found) throw new Refused(404, "not-found", `there is no version ${id}`);
  const finding = ([step, en, zh]: [string, string, string]) => ({
    step,
    mark: step === "time" ? "warned" : "passed",
    seen: both(en, zh),
    ...(step === "time"
      ? { next: both("leave more time: other machines are slower", "多留些时间：别的机器更慢") }
      : {}),
  });
  let steps: unknown[] = STEPS.map(finding);
  let { state } = found;
  let log = "python3 -m compileall main.py\nListing 'main.py'...\n";
  if (id === 10) {
    steps = [
      {
        step: "builds",
        mark: "failed",
        seen: both("g++ ended with exit code 1", "g++ 以退出码 1 结束"),
        next: both(
          "mend what the compiler names, and check again",
          "修正编译器指出的问题，然后重新检查",
        ),
        command: "leitai check snakego main.cpp",
      },
    ];
    log =
      "g++ -O2 -std=c++17 -o main main.cpp\nmain.cpp: In function 'int main()':\nmain.cpp:12:8: error: 'vectr' was not declared in this scope; did you mean 'std::vector'?\n   12 |   std::vectr<int> open;\n      |        ^~~~~\n      |        vector\n";
  }
  if (id === 9) {
    steps = [
      ...STEPS.slice(0, 4).map(finding),
      {
        step: "second",
        mark: "failed",
        seen: both(
          "round 37: turned back into its own neck (snake 4, op 1) [IA]",
          "第 37 回合：折返咬到自己的脖子（蛇 4，操作 1）[IA]",
        ),
        last_words: ["[turn 37] path to item 12 blocked, falling back"],
        next: both("look at that round", "查看该回合"),
        leg: { seat: "second", seed: 7, opponent: "territory" },
        command: COMMAND,
      },
    ];
  }
  if (id === 12) {
    begun ||= Date.now();
    const done = Math.floor((Date.now() - begun) / 700);
    state = done < 1 ? "building" : done <= STEPS.length ? "checking" : "ready";
    steps = STEPS.slice(0, done).map(finding);
    found.state = state;
    log = done < 1 ? "python3 -m compileall main.py\n" : log;
  }
  return {
    ...found,
    state,
    bot: 4,
    bytes: 18_400,
    how: id === 10 ? null : "python3 3.11",
    dialect: id === 10 ? null : "official",
    yours: true,
    log,
    steps,
    source_public: false,
  };
}

function full(one: Sample, user: string | null) {
  const { games, wins, draws, losses, error } = numbers(one);
  const versions = one.built_in
    ? [{ ...VERSIONS[3], id: 500 + one.id, number: 1, file_name: one.name }]
    : VERSIONS;
  return {
    ...brief(one),
    about: one.about,
    disabled: false,
    faults: 0,
    active: one.built_in ? 1 : 7,
    retired: false,
    rating: { value: one.skill, error },
    rank: rank(one),
    games,
    wins,
    draws,
    losses,
    longest_us: 1_834_000 / one.id,
    versions,
    yours: user !== null && one.owner === user,
  };
}

const tokens = [
  { id: 1, name: "laptop", created: ago(9000), used: ago(12), scopes: ["submit"], until: null },
];
const needs = (user: string | null): string => {
  if (!user) throw new Refused(401, "login", "this needs an account; log in, or send an API token");
  return user;
};

const python =
  "import sys\n\n# Reads the first message, then answers every turn.\nfor line in sys.stdin:\n    print(1, flush=True)\n";
const cpp =
  "#include <iostream>\n\n// Answers every turn with a step to the right.\nint main() {\n  for (std::string line; std::getline(std::cin, line);) std::cout << 1 << std::endl;\n}\n";
const TEMPLATES = [
  { language: "Python", file_name: "main.py", code: python },
  { language: "C++", file_name: "main.cpp", code: cpp },
  {
    language: "Java",
    file_name: "Main.java",
    code: "public class Main {\n  public static void main(String[] args) {\n    System.out.println(1);\n  }\n}\n",
  },
  { language: "Rust", file_name: "main.rs", code: 'fn main() {\n    println!("1");\n}\n' },
];

const number = (call: Call, at: number) => Number(call.parts[at]);
const found = (game: string | undefined) => {
  const one = GAMES.find(({ id }) => id === game);
  if (!one) throw new Refused(404, "not-found", `there is no game ${game}`);
  return {
    ...one,
    live: matches.filter((row) => row.game === game && row.state === "running").length,
    ladder_size: ofGame(one.id).length,
  };
};

const ROUTES: [method: string, path: string, handler: Handler][] = [
  [
    "GET",
    "status",
    () => ({
      version: "0.5.0",
      games: GAMES.map(({ id }) => id),
      live: matches.filter((one) => one.state === "running"),
      queue: 3,
      workers: 1,
      isolation: "A",
      docs: false,
    }),
  ],
  ["GET", "games", () => GAMES.map(({ id }) => found(id))],
  [
    "GET",
    "games/*",
    ({ parts }) => ({
      ...found(parts[1]),
      guide: both(
        guide(parts[1] as string, "README.md"),
        guide(parts[1] as string, "README.zh.md"),
      ),
      bots: (BUILT_IN[parts[1] as string] ?? []).map(([name, about]) => ({
        name,
        about,
        bot: bots.find((one) => one.game === parts[1] && one.name === name)?.id,
      })),
      config: {},
      ladder_config: {},
      choices: [],
    }),
  ],
  [
    "GET",
    "games/*/ladder",
    ({ parts }) => ({
      items: ofGame(parts[1] as string).map((one) => ({
        rank: rank(one),
        bot: brief(one),
        rating: { value: one.skill, error: numbers(one).error },
        ...numbers(one),
        trend: history(one)
          .slice(-20)
          .map(({ value }) => value),
      })),
      next: null,
    }),
  ],
  [
    "GET",
    "matches",
    ({ query }) =>
      paged(
        matches.filter((one) =>
          ["game", "kind", "state"].every((key) => !query.get(key) || one[key] === query.get(key)),
        ),
        query,
      ),
  ],
  [
    "GET",
    "matches/*",
    (call) => ({
      ...match(number(call, 1)),
      seed: 7,
      config: {},
      limits: {},
      leg_outcomes: [],
      your: null,
      files: { replay: `/api/matches/${call.parts[1]}/replay` },
      invite: null,
      worker: "local",
      note: null,
      again_of: null,
      corrections: [],
    }),
  ],
  [
    "GET",
    "matches/*/film",
    (call) =>
      film(
        match(number(call, 1)),
        Number(call.query.get("leg") ?? 1),
        call.query.get("eye") ?? "all",
      ),
  ],
  ["GET", "matches/*/logs", () => []],
  ["POST", "matches", ({ user }) => (needs(user), matches[0])],
  [
    "POST",
    "tables",
    ({ body }) => ({
      match: FIRST + 86,
      token: "sample",
      seat: "a",
      invite: (body.against as { invite?: true }).invite ? "k7f3-q2" : null,
    }),
  ],
  [
    "GET",
    "invites/*",
    ({ parts }) => {
      if (parts[1] !== "k7f3-q2")
        throw new Refused(404, "not-found", "there is no such invitation");
      return { match: { ...match(FIRST + 86), a: person("小林") }, game: "tankcraft" };
    },
  ],
  ["POST", "invites/*", () => ({ match: FIRST + 86, token: "sample", seat: "b" })],
  ["GET", "bots/*", (call) => full(bot(number(call, 1)), call.user)],
  ["PATCH", "bots/*", (call) => full(bot(number(call, 1)), needs(call.user))],
  [
    "GET",
    "bots/*/matches",
    (call) =>
      paged(
        matches.filter((one) =>
          [one.a, one.b].some((side) => (side as { bot: number }).bot === number(call, 1)),
        ),
        call.query,
      ),
  ],
  [
    "GET",
    "bots/*/opponents",
    (call) =>
      ofGame(bot(number(call, 1)).game)
        .filter((one) => one.id !== number(call, 1))
        .map((one, at) => ({
          bot: brief(one),
          wins: 3 + at * 5,
          draws: at % 2,
          losses: 20 - at * 2,
        })),
  ],
  ["GET", "bots/*/ratings", (call) => history(bot(number(call, 1)))],
  [
    "GET",
    "bots/*/faults",
    (call) =>
      bot(number(call, 1)).built_in
        ? []
        : [
            { match: FIRST + 4, leg: 2, round: 37, code: "IA", at: ago(700) },
            { match: FIRST + 13, leg: 1, round: 401, code: "TLE", at: ago(500) },
          ],
  ],
  [
    "POST",
    "bots",
    ({ user, body }) => {
      if (body.name === "mybot")
        throw new Refused(
          409,
          "taken",
          `there is a bot ${body.name} already; choose another name`,
          "name",
        );
      return { ...full(bot(4), needs(user)) };
    },
  ],
  ["POST", "bots/*/versions", ({ user }) => ((begun = 0), needs(user), version(12))],
  ["GET", "versions/*", (call) => version(number(call, 1))],
  ["GET", "versions/*/source", ({ user }) => (needs(user), python)],
  ["GET", "templates/*", () => TEMPLATES],
  [
    "POST",
    "login",
    ({ body }) => {
      if (body.password === "wrong-password")
        throw new Refused(401, "bad-login", "name and password do not match");
      return { login: body.name };
    },
  ],
  ["POST", "register", ({ body }) => ({ login: body.name })],
  ["POST", "logout", () => ({ login: "" })],
  ["POST", "me/password", () => ({})],
  [
    "GET",
    "me",
    ({ user }) => ({
      user: user ? { name: user, admin: user === "ada" } : null,
      csrf: user ? "sample" : null,
    }),
  ],
  [
    "GET",
    "me/bots",
    ({ user }) => bots.filter((one) => one.owner === needs(user)).map((one) => full(one, user)),
  ],
  ["GET", "me/tokens", ({ user }) => (needs(user), tokens)],
  [
    "POST",
    "me/tokens",
    ({ body }) => (
      tokens.push({
        id: tokens.length + 1,
        name: String(body.name),
        created: ago(0),
        used: ago(0),
        scopes: ["submit"],
        until: null,
      }),
      { token: "leitai_3kfJ0aQ9x2sampleOnly7Yw" }
    ),
  ],
  [
    "DELETE",
    "me/tokens/*",
    (call) => (
      tokens.splice(
        tokens.findIndex(({ id }) => id === number(call, 2)),
        1,
      ),
      {}
    ),
  ],
  [
    "GET",
    "admin/users",
    ({ user }) => (
      needs(user),
      {
        items: ["ada", "turing", "小林", "grace", "dijkstra"].map((name, at) => ({
          id: at + 1,
          name,
          admin: at === 0,
          disabled: name === "dijkstra",
          created: ago(20_000 - at * 3000),
        })),
        next: null,
      }
    ),
  ],
  [
    "GET",
    "admin/queue",
    () => [
      {
        id: 901,
        kind: "match",
        game: "snakego",
        note: null,
        match: FIRST + 87,
        version: null,
        state: "running",
        worker: "local",
        attempts: 1,
        created: ago(2),
        lease_until: ago(-1),
      },
      {
        id: 902,
        kind: "match",
        game: "kob",
        note: null,
        match: FIRST + 85,
        version: null,
        state: "queued",
        worker: null,
        attempts: 0,
        created: ago(1),
        lease_until: null,
      },
      {
        id: 903,
        kind: "version",
        game: "snakego",
        note: null,
        match: null,
        version: 12,
        state: "queued",
        worker: null,
        attempts: 0,
        created: ago(0.2),
        lease_until: null,
      },
    ],
  ],
  [
    "GET",
    "admin/workers",
    () => [
      {
        name: "local",
        seen: ago(0),
        jobs: 1,
        slots: 2,
        version: "0.5.0",
        isolation: "A",
        remote: false,
      },
      {
        name: "lab-3",
        seen: ago(4),
        jobs: 0,
        slots: 8,
        version: "0.5.0",
        isolation: "B",
        remote: true,
      },
    ],
  ],
  ["GET", "admin/matches", ({ query }) => paged(matches, query)],
  [
    "GET",
    "admin/audit",
    () => ({
      items: [
        { id: 2, at: ago(30), who: "ada", what: "user.disable", about: "dijkstra" },
        { id: 1, at: ago(60), who: "ada", what: "match.rerun", about: "1040" },
      ],
      next: null,
    }),
  ],
  ["GET", "admin/worker-tokens", () => []],
  ["PATCH", "versions/*", (call) => version(number(call, 1))],
  ["POST", "admin/*/*", () => ({})],
  ["POST", "admin/worker-tokens", () => ({ token: "worker_9sampleOnly" })],
  ["POST", "admin/matches/*/rerun", () => ({})],
];

/** Replays and frames of real matches between built-in bots, made when they are first asked for. */
const films = new Map<string, unknown>();
const replays = new Map<string, string>();
function film(of: Match, leg: number, eye: string): unknown {
  const leitai = process.env.LEITAI;
  if (!leitai)
    throw new Refused(
      404,
      "not-found",
      "name the program leitai in LEITAI to see frames in the sample data",
    );
  const key = `${of.game} ${leg} ${eye}`;
  if (!films.has(key)) films.set(key, shot(leitai, of, leg, eye));
  return {
    ...(films.get(key) as object),
    match: of,
    entrants: [(of.a as Sample).name, (of.b as Sample).name],
  };
}

function shot(leitai: string, of: Match, leg: number, eye: string): unknown {
  if (!replays.has(of.game)) {
    const path = `${mkdtempSync(`${tmpdir()}/leitai-`)}/${of.game}.json`;
    const strong = (BUILT_IN[of.game] ?? []).slice(-2).map(([name]) => name);
    execFileSync(leitai, ["match", of.game, ...strong, "--seed", "7", "--replay", path], {
      stdio: "ignore",
    });
    replays.set(of.game, path);
  }
  const path = replays.get(of.game) as string;
  const replay = JSON.parse(readFileSync(path, "utf8"));
  const lines = execFileSync(
    leitai,
    ["replay", "frames", path, "--leg", String(leg), "--eye", eye],
    { maxBuffer: 1 << 28 },
  );
  const frames = lines
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const seats = leg % 2 ? { first: "a", second: "b" } : { first: "b", second: "a" };
  const { outcome } = replay.legs[leg - 1];
  return {
    game: of.game,
    rules: replay.rules,
    seats,
    leg,
    legs: replay.legs.length,
    rounds: frames[0].view.rounds ?? replay.setup.rounds,
    setup: replay.setup,
    eye,
    frames,
    outcome,
    verdict: null,
    faults: [],
    status: "complete",
  };
}

function fits(pattern: string, parts: string[]): boolean {
  const wanted = pattern.split("/");
  return (
    wanted.length === parts.length && wanted.every((want, at) => want === "*" || want === parts[at])
  );
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return request.headers["content-type"]?.includes("json") && text
    ? (JSON.parse(text) as Record<string, unknown>)
    : {};
}

function stream(id: number, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const timer = setInterval(() => {
    const now = version(id);
    response.write(`event: version\ndata: ${JSON.stringify(now)}\n\n`);
    if (now.state === "ready" || now.state === "failed") {
      clearInterval(timer);
      response.end();
    }
  }, 500);
  response.on("close", () => clearInterval(timer));
}

function send(
  response: ServerResponse,
  status: number,
  answer: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof answer === "string";
  response.writeHead(status, {
    "content-type": text ? "text/plain; charset=utf-8" : "application/json",
    ...headers,
  });
  response.end(text ? answer : JSON.stringify(answer));
}

/**
 * Answers the API's calls. The cookie `sample` says who is logged in; `ada` is an administrator.
 */
export function mock(): Plugin {
  return {
    name: "leitai-mock",
    configureServer(server) {
      server.middlewares.use("/api", (request, response) => {
        void (async () => {
          const url = new URL(request.url ?? "/", "http://sample");
          const parts = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
          if (parts[0] === "versions" && parts[2] === "live")
            return stream(Number(parts[1]), response);
          const user =
            decodeURIComponent(
              /(?:^|; )sample=([^;]*)/.exec(request.headers.cookie ?? "")?.[1] ?? "",
            ) || null;
          const route = ROUTES.find(
            ([method, path]) => method === request.method && fits(path, parts),
          );
          try {
            if (!route)
              throw new Refused(
                404,
                "not-found",
                `there is no ${request.method} /api/${parts.join("/")}`,
              );
            const answer = route[2]({
              query: url.searchParams,
              body: await bodyOf(request),
              parts,
              user,
            });
            const login = (answer as { login?: string } | null)?.login;
            const cookie =
              login === undefined
                ? {}
                : { "set-cookie": `sample=${encodeURIComponent(login)}; Path=/` };
            send(response, 200, answer, cookie as Record<string, string>);
          } catch (thrown) {
            if (!(thrown instanceof Refused))
              return send(response, 500, { error: { code: "ours", message: String(thrown) } });
            const { status, code, message, field } = thrown;
            send(response, status, { error: { code, message, field } });
          }
        })();
      });
    },
  };
}
