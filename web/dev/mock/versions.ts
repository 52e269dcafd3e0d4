// Versions of a bot and the results of their checks.

import type {
  CheckFinding,
  SituationResult,
  VersionDetails,
  VersionSummary,
} from "../../src/lib/types.ts";
import { minutesAgo, notFound } from "./answers.ts";

/** A version whose build fails, one that breaks the rules, and one whose check is running. */
const BROKEN_BUILD = 10;
const ILLEGAL_ACTION = 9;
const BEING_CHECKED = 12;

const CHECK_MILLIS = 700;

const SITUATIONS: SituationResult = {
  source: "game-snakego",
  name: { en: "SnakeGo: moves that lost", zh: "SnakeGo：输棋的走法" },
  passed: 1,
  failed: 1,
  moments: [
    { verdict: "gone", answers: ["6"], category: "opening", leg: 1, round: 61, played: ["2"] },
    {
      verdict: "still-made",
      answers: ["2"],
      category: "middle",
      leg: 1,
      round: 202,
      played: ["2"],
    },
  ],
};

export const VERSIONS: readonly VersionSummary[] = [
  {
    id: 11,
    number: 7,
    state: "ready",
    file_name: "mybot.zip",
    bytes: 18_400,
    notes: "wider beam",
    created: minutesAgo(300),
    failure: null,
  },
  {
    id: BROKEN_BUILD,
    number: 6,
    state: "failed",
    file_name: "main.cpp",
    bytes: 2_310,
    notes: "",
    created: minutesAgo(420),
    failure: {
      en: "version 6 could not be built: main.cpp:12: 'vectr' was not declared",
      zh: "版本 6 无法构建：main.cpp:12：'vectr' 未声明",
    },
  },
  {
    id: ILLEGAL_ACTION,
    number: 5,
    state: "failed",
    file_name: "main.py",
    bytes: 4_096,
    notes: "first try with walls",
    created: minutesAgo(900),
    failure: {
      en: "it turned back into its own neck in round 37 of the leg against territory",
      zh: "在对 territory 的一局中，第 37 回合折返咬到自己的脖子",
    },
  },
  {
    id: 8,
    number: 4,
    state: "ready",
    file_name: "main.py",
    bytes: 3_870,
    notes: "",
    created: minutesAgo(2000),
    failure: null,
  },
  {
    id: BEING_CHECKED,
    number: 8,
    state: "queued",
    file_name: "main.py",
    bytes: 512,
    notes: "written in the page",
    created: minutesAgo(0.2),
    failure: null,
  },
];

const PASSED_STEPS: [step: string, en: string, zh: string][] = [
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

const FINDINGS: CheckFinding[] = PASSED_STEPS.map(([step, en, zh]) => ({
  step,
  mark: step === "time" ? "warned" : "passed",
  seen: { en, zh },
  ...(step === "time" && {
    next: { en: "leave more time: other machines are slower", zh: "多留些时间：别的机器更慢" },
  }),
}));

const BUILD_FAILURE: CheckFinding = {
  step: "builds",
  mark: "failed",
  seen: { en: "g++ ended with exit code 1", zh: "g++ 以退出码 1 结束" },
  next: {
    en: "fix what the compiler names, and check again",
    zh: "修正编译器指出的问题，然后重新检查",
  },
  command: "leitai check snakego main.cpp",
};

const RULE_FAILURE: CheckFinding = {
  step: "second",
  mark: "failed",
  seen: {
    en: "round 37: turned back into its own neck (snake 4, op 1) [IA]",
    zh: "第 37 回合：折返咬到自己的脖子（蛇 4，操作 1）[IA]",
  },
  last_words: ["[turn 37] path to item 12 blocked, falling back"],
  next: { en: "look at that round", zh: "查看该回合" },
  leg: { seat: "second", seed: 7, opponent: "territory" },
  command: "leitai match snakego ./mybot territory --seed 7 --from check.json@2:37",
};

const START_LOG = "python3 -m compileall main.py\n";
const BUILD_LOG = `${START_LOG}Listing 'main.py'...\n`;
const FAILED_BUILD_LOG = `g++ -O2 -std=c++17 -o main main.cpp
main.cpp: In function 'int main()':
main.cpp:12:8: error: 'vectr' was not declared in this scope; did you mean 'std::vector'?
   12 |   std::vectr<int> open;
      |        ^~~~~
      |        vector
`;

type CheckProgress = Pick<VersionDetails, "state" | "steps" | "log">;

/** The time when the running check began, in milliseconds; 0 before the first request. */
let checkBegan = 0;

export function restartCheck(): VersionDetails {
  checkBegan = 0;
  return showVersion(BEING_CHECKED);
}

export function summarizeVersion(version: VersionSummary): VersionSummary {
  return { ...version, state: readProgress(version).state };
}

export function showVersion(id: number): VersionDetails {
  const version = VERSIONS.find((one) => one.id === id);
  if (!version) throw notFound(`there is no version ${id}`);
  const built = id !== BROKEN_BUILD;
  return {
    ...version,
    ...readProgress(version),
    bot: 4,
    how: built ? "python3 3.11" : null,
    protocol: built ? "official" : null,
    finished: null,
    waiting: null,
    situations: [SITUATIONS],
    yours: true,
    source_public: false,
  };
}

function readProgress({ id, state }: VersionSummary): CheckProgress {
  switch (id) {
    case BROKEN_BUILD:
      return { state, steps: [BUILD_FAILURE], log: FAILED_BUILD_LOG };
    case ILLEGAL_ACTION:
      return { state, steps: [...FINDINGS.slice(0, 4), RULE_FAILURE], log: BUILD_LOG };
    case BEING_CHECKED:
      return readRunningCheck();
    default:
      return { state, steps: FINDINGS, log: BUILD_LOG };
  }
}

/** A build, then one step after the other. */
function readRunningCheck(): CheckProgress {
  checkBegan ||= Date.now();
  const done = Math.floor((Date.now() - checkBegan) / CHECK_MILLIS);
  if (done < 1) return { state: "building", steps: [], log: START_LOG };
  const state = done <= FINDINGS.length ? "checking" : "ready";
  return { state, steps: FINDINGS.slice(0, done), log: BUILD_LOG };
}
