// Contests: one that is open, and one in its second stage.

import type {
  ContestDetails,
  ContestSummary,
  ListPage,
  SimilarList,
  SimilarPair,
} from "../../src/lib/types.ts";
import { type ApiCall, minutesAgo, notFound, wholeList } from "./answers.ts";

const text = (en: string, zh: string) => ({ en, zh });

const OPEN: ContestSummary = {
  id: "spring",
  game: "kob",
  title: text("Spring contest", "春季赛"),
  state: "open",
  paused: false,
  private: false,
  opens: minutesAgo(9000),
  freezes: minutesAgo(-2900),
  ended: null,
};
const RUNNING: ContestSummary = {
  ...OPEN,
  id: "autumn",
  title: text("Autumn contest", "秋季赛"),
  state: "running",
  freezes: minutesAgo(300),
};

const NAMES = ["mybot", "cutoff", "viper", "anaconda"];
const PAIRS: [number, number][] = [
  [1, 4],
  [2, 3],
];

function details(brief: ContestSummary): ContestDetails {
  const isOpen = brief.state === "open";
  const entries = NAMES.slice(isOpen ? 2 : 0).map((name, at) => ({
    id: at + 1,
    bot: at + 4,
    name,
    team: at === 1 ? "red" : null,
    version: isOpen ? null : 7,
    joined: minutesAgo(500),
    left: null,
    why: null,
  }));
  return {
    ...brief,
    note: null,
    copies: null,
    rules: {
      text: text("Open to **everybody** of the course.", "面向本课程**所有人**。"),
      prizes: text("A book for the best three.", "前三名各得一本书。"),
      entry: { who: { kind: "code" } },
      replays: { kind: "always" },
      stages: [
        { name: text("Swiss", "瑞士制"), starts: null, format: { kind: "swiss" } },
        { name: text("Final", "决赛"), starts: null, format: { kind: "single" } },
      ],
    },
    standings_shown: true,
    organises: false,
    changes: [
      {
        at: minutesAgo(100),
        action: "replay-match",
        by: "ada",
        detail: { match: 11, why: "The worker had no memory left." },
      },
      {
        at: minutesAgo(4000),
        action: "update",
        by: "ada",
        detail: { changes: [{ key: "dates.freezes", from: 2051222400, to: 2051308800 }] },
      },
    ],
    file: 'id = "spring"',
    entries,
    stages: isOpen
      ? []
      : [
          {
            number: 1,
            name: text("Swiss", "瑞士制"),
            begun: minutesAgo(200),
            over: false,
            standings: entries.map(({ id }) => ({
              place: id,
              entry: id,
              seed: id,
              points: 6 - id,
              won: 4 - id,
              drawn: 0,
              lost: id - 1,
              tie_breaks: [],
              out: false,
              chances: {
                first: [0.71, 0.22, 0.07, 0][id - 1]!,
                win: [0.58, 0.3, 0.1, 0.02][id - 1]!,
                places: [Math.max(1, id - 1), Math.min(4, id + 1)],
              },
            })),
            encounters: ["r1.0", "r1.1", "r2.0", "r2.1"].map((place, at) => ({
              place,
              entries: PAIRS[at % 2]!,
              points: at < 2 ? [2, 0] : null,
              matches: [
                {
                  id: 1081 + at,
                  state: at < 2 ? "finished" : "queued",
                  winner: at < 2 ? "a" : null,
                  taken_back: at === 0 ? minutesAgo(100) : null,
                },
              ],
            })),
          },
        ],
  };
}

const CUP: ContestSummary = {
  ...RUNNING,
  id: "cup",
  title: text("Winter cup", "冬季杯"),
  state: "finished",
  ended: minutesAgo(60),
};

/** A knockout of eight to its end: the better seed wins all but one encounter. */
function cupDetails(): ContestDetails {
  const whole = details(CUP);
  const entries = [...NAMES, "cobra", "boa", "longest-name-allowed-24c", "长蛇阵"].map(
    (name, at) => ({ ...whole.entries[0]!, id: at + 1, bot: at + 4, name, team: null }),
  );
  const places: [string, [number, number], [number, number]][] = [
    ["w1.0", [1, 8], [3, 1]],
    ["w1.1", [4, 5], [2, 3]],
    ["w1.2", [2, 7], [3, 0]],
    ["w1.3", [3, 6], [3, 2]],
    ["w2.0", [1, 5], [3, 0]],
    ["w2.1", [2, 3], [3, 1]],
    ["final", [1, 2], [3, 2]],
  ];
  const standing = whole.stages[0]!.standings![0]!;
  return {
    ...whole,
    rules: {
      ...whole.rules,
      stages: [{ name: text("Final", "决赛"), starts: null, format: { kind: "single" } }],
    },
    entries,
    stages: [
      {
        ...whole.stages[0]!,
        name: text("Final", "决赛"),
        over: true,
        standings: entries.map(({ id }) => ({
          ...standing,
          place: id,
          entry: id,
          seed: id,
          points: Math.max(0, 4 - id),
          won: Math.max(0, 4 - id),
          lost: id === 1 ? 0 : 1,
          chances: null,
        })),
        encounters: places.map(([place, pair, points], at) => ({
          place,
          entries: pair,
          points,
          matches: [
            {
              id: 1040 + at,
              state: "finished",
              winner: points[0] > points[1] ? "a" : "b",
              taken_back: null,
            },
          ],
        })),
      },
    ],
  };
}

export function listContests(): ListPage<ContestSummary> {
  return wholeList([OPEN, RUNNING, CUP]);
}

export function showContest({ parts, user }: ApiCall): ContestDetails {
  if (parts[1] === CUP.id) return cupDetails();
  const found = [OPEN, RUNNING].find(({ id }) => id === parts[1]);
  if (!found) throw notFound(`there is no contest ${parts[1]}`);
  return { ...details(found), organises: user === "ada" };
}

const VIPER =
  "def choose(board):\n    best = None\n    for d in range(4):\n        best = d\n    return best\n";

export function listSimilarSources(): SimilarList {
  const entry = (entry: number, name: string) => ({ entry, name, version: 1 });
  return {
    ready: true,
    done: 2,
    of: 2,
    seen: 29,
    pairs: [
      { entries: [entry(1, "viper"), entry(2, "cobra")], similarity: 0.82, parts: [0.9, 0.75] },
    ],
    cut: [],
    left_out: [{ entry: 3, why: "no-source" }],
  };
}

export function showSimilarPair(): SimilarPair {
  const side = (entry: number, name: string, text: string) => ({
    ...{ entry, name, version: 1, cut: false },
    files: [{ name: "bot.py", text }],
  });
  return {
    sides: [side(1, "viper", VIPER), side(2, "cobra", `import sys\n\n${VIPER}`)],
    similarity: 0.82,
    parts: [0.9, 0.75],
    regions: [
      {
        lines: [
          { file: 0, from: 1, to: 5 },
          { file: 0, from: 3, to: 7 },
        ],
        tokens: 31,
      },
    ],
  };
}
