import { m } from "../paraglide/messages";
import { describeConfig } from "./config";
import { formatCount } from "./format";
import { withQuery } from "./path";
import type { GameDetails, LadderDetails, LadderSummary } from "./types";

/** The name of the ladder that every game has. */
export const STANDARD = "standard";

/** The page of a ladder; null or empty: the standard one. */
export function ladderPath(game: string, name: string | null): string {
  return withQuery(`/games/${game}/ladder`, { ladder: name === STANDARD ? null : name });
}

/** The ladder of this name, otherwise the standard one. */
export function findLadder<L extends LadderSummary>(ladders: readonly L[], name: string | null): L {
  return ladders.find((ladder) => ladder.name === name) ?? ladders[0]!;
}

/** What is played on a ladder. */
export function describeLadder(game: GameDetails, ladder: LadderDetails): string {
  const [first, ...others] = ladder.configs.map(
    (config) => describeConfig(game, config) || m.config_usual(),
  );
  const options =
    others.length > 0
      ? m.config_ladder_pool({ options: [first, ...others].join("; ") })
      : m.config_ladder({ options: first! });
  if (ladder.seeds.length === 0) return options;
  const shown = ladder.seeds.slice(0, SEEDS).join(", ");
  const seeds = ladder.seeds.length > SEEDS ? `${shown}, …` : shown;
  return `${options} ${m.config_ladder_seeds({ count: formatCount(ladder.seeds.length), seeds })}`;
}

/** The most seeds that are shown. */
const SEEDS = 12;
