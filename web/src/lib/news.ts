import { ladderTitle } from "./games.svelte";
import { localized } from "./locale.svelte";
import { m } from "../paraglide/messages";
import { STANDARD } from "./ladders";
import type { Notification } from "./types";

/** Where the second factor of one's account is. */
const FACTOR = "/account?tab=security#second-factor";

/** What a notification says, and the page that it is about. */
export type News = { text: string; href: string };

/**
 * What a notification says. What it is about may be gone, such as a contest that this version
 * cannot read: then its name is a dash and the link leads to the notifications.
 */
export function describeNotification(one: Notification): News {
  const bot = one.bot?.name ?? "–";
  const contest = one.contest ? localized(one.contest.title) : "–";
  const ofBot = one.bot ? `/bots/${one.bot.id}` : "/notifications";
  const ofContest = one.contest ? `/contests/${one.contest.id}` : "/notifications";
  const version = one.version ?? 0;
  const ofExperiment = one.experiment === null ? ofBot : `/experiments/${one.experiment}`;
  const group = one.group?.name ?? "–";
  const game = one.game ?? "–";
  const named = one.player === null ? bot : m.news_bot_of({ bot, player: one.player });
  switch (one.kind) {
    case "version-failed":
      return {
        text: m.news_version_failed({ bot, version }),
        href: `${ofBot}/versions/${version}`,
      };
    case "bot-rests":
      return { text: m.news_bot_rests({ bot }), href: ofBot };
    case "best-rank":
      return { text: describeRank(onLadder(bot, one), one.place ?? 1), href: ofBot };
    case "bot-version":
      return { text: m.news_bot_version({ bot, version }), href: ofBot };
    case "contest-begun":
      return { text: m.news_contest_begun({ contest, bot }), href: ofContest };
    case "contest-ended":
      return { text: describeResult(contest, bot, one.place), href: ofContest };
    case "contest-annulled":
      return { text: m.news_contest_annulled({ contest }), href: ofContest };
    case "followed-plays":
      return { text: m.news_followed_plays({ contest, bot: named }), href: ofContest };
    case "followed-begun":
      return { text: m.news_followed_begun({ contest }), href: ofContest };
    case "followed-ended":
      return { text: m.news_followed_ended({ contest }), href: ofContest };
    case "followed-placed":
      return { text: describeResult(contest, named, one.place), href: ofContest };
    case "group-invited":
      return { text: m.news_group_invited({ group }), href: "/account?tab=teams" };
    case "password-issued":
      return { text: m.news_password_issued({ group }), href: "/account?tab=security" };
    case "second-factor-on":
      return { text: m.news_second_factor_on(), href: FACTOR };
    case "second-factor-off":
      return { text: m.news_second_factor_off(), href: FACTOR };
    case "second-factor-reset":
      return { text: m.news_second_factor_reset(), href: FACTOR };
    case "recovery-codes-made":
      return { text: m.news_recovery_codes_made(), href: FACTOR };
    case "recovery-code-used":
      return { text: m.news_recovery_code_used(), href: FACTOR };
    case "passkey-added":
      return { text: m.news_passkey_added(), href: FACTOR };
    case "passkey-removed":
      return { text: m.news_passkey_removed(), href: FACTOR };
    case "candidate-promoted":
      return { text: m.news_candidate_promoted({ bot, version }), href: ofExperiment };
    case "candidate-refused":
      return { text: m.news_candidate_refused({ bot, version }), href: ofExperiment };
    case "candidate-undecided":
      return { text: m.news_candidate_undecided({ bot, version }), href: ofExperiment };
    case "experiment-ended":
      return { text: m.news_experiment_ended({ bot, version }), href: ofExperiment };
    case "game-reported":
      return { text: m.news_game_reported({ game }), href: "/admin?tab=games" };
    case "game-taken-down":
      return {
        text: one.why
          ? m.news_game_taken_down({ game, why: one.why })
          : m.news_game_taken_down_bare({ game }),
        href: "/my-games",
      };
  }
}

/** A bot, with the ladder unless it is the standard one. */
function onLadder(bot: string, one: Notification): string {
  if (one.ladder === null || one.ladder === STANDARD) return bot;
  const ladder = one.bot ? ladderTitle(one.bot.game, one.ladder) : one.ladder;
  return m.news_on_ladder({ bot, ladder });
}

function describeRank(bot: string, place: number): string {
  return place === 1 ? m.news_rank_first({ bot }) : m.news_rank_best({ bot, place });
}

function describeResult(contest: string, bot: string, place: number | null): string {
  if (place === null) return m.news_contest_ended({ contest, bot });
  if (place === 1) return m.news_contest_won({ contest, bot });
  return m.news_contest_placed({ contest, bot, place });
}
