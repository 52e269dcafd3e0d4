// The games, their built-in bots, and templates.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type {
  GameDetails,
  GameSummary,
  LadderDetails,
  LocalizedText,
  Template,
} from "../../src/lib/types.ts";
import { type ApiCall, notFound } from "./answers.ts";
import { BOTS, botsOfGame, divisionsOf, furtherLadders } from "./bots.ts";
import { MATCHES } from "./matches.ts";

type Game = Omit<GameSummary, "live" | "ladder_size" | "divisions" | "ladders">;

export const GAMES: readonly Game[] = [
  {
    id: "snakego",
    title: { en: "SnakeGo", zh: "贪吃蛇围棋" },
    about: {
      en: "Two players on 16 × 16 cells: snakes that grow, split, fire melting rays and enclose territory.",
      zh: "16 × 16 格上的回合制对弈：蛇会生长、分裂、射出融化射线，并把围住的区域变成自己的墙。",
    },
    legs: 2,
    period_ms: 10_000,
    open: true,
    emblem: null,
    page_rules: false,
    programs_only: false,
  },
  {
    id: "kob",
    title: { en: "King of Bots", zh: "King of Bots" },
    about: {
      en: "Two snakes on 13 × 14 cells that move at once and never stop growing. The first to crash loses.",
      zh: "13 × 14 格上的两条蛇同时行动、不断变长，先撞上者输。",
    },
    legs: 1,
    period_ms: 5_000,
    open: true,
    emblem: null,
    page_rules: false,
    programs_only: false,
  },
  {
    id: "tankcraft",
    title: { en: "TankCraft", zh: "坦克大战" },
    about: {
      en: "Five tanks against five in the fog: take the mines, guard your base, and shoot where you think they are.",
      zh: "迷雾中五辆坦克对五辆：占领矿区，守住基地，向你认为的敌人位置开火。",
    },
    legs: 2,
    period_ms: 2_000,
    open: false,
    emblem: null,
    page_rules: false,
    programs_only: false,
  },
];

export const PYTHON = `import sys

# Reads the first message, then answers every turn.
for line in sys.stdin:
    print(1, flush=True)
`;

const CPP = `#include <iostream>

// Answers every turn with a step to the right.
int main() {
  for (std::string line; std::getline(std::cin, line);) std::cout << 1 << std::endl;
}
`;

const JAVA = `public class Main {
  public static void main(String[] args) {
    System.out.println(1);
  }
}
`;

const RUST = `fn main() {
    println!("1");
}
`;

export const TEMPLATES: Template[] = [
  { language: "Python", file_name: "main.py", code: PYTHON, files: ["leitai_kob.py"] },
  { language: "C++", file_name: "main.cpp", code: CPP, files: ["leitai_kob.hpp"] },
  {
    language: "Java",
    file_name: "Main.java",
    code: JAVA,
    files: ["LeitaiKob.java", "LeitaiViewer.java"],
  },
  { language: "Rust", file_name: "main.rs", code: RUST, files: ["leitai_kob.rs"] },
];

export function listGames(): GameSummary[] {
  return GAMES.map((game) => summarizeGame(game));
}

export function showGame({ parts }: ApiCall): GameDetails {
  const id = parts[1]!;
  const game = GAMES.find((one) => one.id === id);
  if (!game) throw notFound(`there is no game ${id}`);
  return {
    ...summarizeGame(game),
    guide: readGuide(id),
    bots: BOTS.filter((bot) => bot.game === id && bot.built_in).map(({ name, about, id }) => ({
      name,
      about,
      bot: id,
    })),
    config: {},
    ladder_config: {},
    ladders: laddersOf(id),
    config_options: [],
    brought: false,
  };
}

function summarizeGame(game: Game): GameSummary {
  return {
    ...game,
    live: MATCHES.filter((match) => match.game === game.id && match.state === "running").length,
    ladder_size: botsOfGame(game.id).length,
    divisions: divisionsOf(game.id),
    ladders: laddersOf(game.id).map(({ name, title, size, divisions }) => {
      return { name, title, size, divisions };
    }),
  };
}

function laddersOf(game: string): LadderDetails[] {
  const standard = {
    name: "standard",
    title: { en: "Standard", zh: "标准" },
    configs: [{}],
    seeds: [],
    size: botsOfGame(game).length,
    divisions: divisionsOf(game),
  };
  return [standard, ...furtherLadders(game)];
}

function readGuide(game: string): LocalizedText {
  const read = (name: string) =>
    readFileSync(fileURLToPath(new URL(`../../../games/${game}/${name}`, import.meta.url)), "utf8");
  return { en: read("guide.md"), zh: read("guide.zh.md") };
}
