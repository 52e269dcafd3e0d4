// The calls of the API that the mock answers. `../api_paths.test.ts` checks them against
// docs/openapi.json.

import type { ListPage, LogEntry, MatchSummary, Status } from "../../src/lib/types.ts";
import * as accounts from "./accounts.ts";
import { type ApiCall, listPage, minutesAgo, numberAt, requireUser, wholeList } from "./answers.ts";
import * as bots from "./bots.ts";
import * as follows from "./follows.ts";
import * as games from "./games.ts";
import * as contests from "./contests.ts";
import * as groups from "./groups.ts";
import { showLegFrames } from "./leg_frames.ts";
import * as matches from "./matches.ts";
import * as people from "./people.ts";
import * as returning from "./returning.ts";
import * as versions from "./versions.ts";

type Handler = (call: ApiCall) => unknown;

/** `*` in a path matches any part. */
export const ROUTES: readonly [method: string, path: string, handler: Handler][] = [
  ["GET", "status", showStatus],
  ["GET", "games", games.listGames],
  ["GET", "games/*", games.showGame],
  ["GET", "games/*/ladder", bots.showLadder],
  ["GET", "templates/*", () => games.TEMPLATES],

  [
    "GET",
    "libraries",
    () => ({
      tools: [{ name: "python3", version: "Python 3.11.2" }],
      libraries: [
        {
          kind: "python",
          name: "numpy",
          version: "2.2.0",
          sha256: "0".repeat(64),
          size: 16_800_000,
          origin: null,
        },
      ],
      hash: "0123456789ab".padEnd(64, "0"),
    }),
  ],
  ["GET", "matches", matches.listMatches],
  ["POST", "matches", matches.challengeBot],
  ["GET", "matches/*", matches.showMatch],
  ["GET", "matches/*/frames", showLegFrames],
  ["GET", "matches/*/logs", () => wholeList<LogEntry>([])],
  ["POST", "human-matches", matches.createHumanMatch],
  ["GET", "invites/*", matches.showInvite],
  ["POST", "invites/*", matches.acceptInvite],

  ["GET", "lobby", matches.listOpenTables],
  ["GET", "home-bots", matches.listHomeBots],
  ["GET", "games/*/home-ladder", matches.showHomeLadder],
  ["GET", "search", people.search],
  ["GET", "users/*", people.showProfile],

  ["POST", "bots", accounts.createBot],
  ["GET", "bots/*", (call) => bots.showBot(bots.findBot(numberAt(call, 1)), call.user)],
  ["PATCH", "bots/*", changeBot],
  ["GET", "bots/*/matches", matches.listBotMatches],
  ["GET", "bots/*/opponents", bots.listOpponents],
  ["GET", "bots/*/ratings", bots.listRatings],
  ["GET", "bots/*/faults", bots.listFaults],
  ["POST", "bots/*/versions", uploadVersion],
  ["GET", "versions/*", (call) => versions.showVersion(numberAt(call, 1))],
  ["PATCH", "versions/*", (call) => versions.showVersion(numberAt(call, 1))],
  ["GET", "versions/*/source", showSource],

  ["POST", "login", accounts.logIn],
  ["POST", "register", accounts.registerAccount],
  ["POST", "logout", accounts.logOut],
  ["GET", "me", accounts.showMe],
  ["GET", "me/bots", accounts.listOwnBots],
  ["POST", "me/home", returning.openAuthorHome],
  ["GET", "me/achievements", returning.showAchievements],
  ["PUT", "me/achievements", returning.showAchievements],
  ["GET", "daily", returning.showDaily],
  ["POST", "daily", matches.createHumanMatch],
  ["GET", "contests", contests.listContests],
  ["GET", "contests/*", contests.showContest],
  ["GET", "contests/*/similar-sources", contests.listSimilarSources],
  ["GET", "contests/*/similar-sources/*/*", contests.showSimilarPair],
  ["GET", "me/teams", groups.listTeams],
  ["GET", "groups", groups.listGroups],
  ["GET", "groups/*", groups.showGroup],
  ["GET", "groups/*/ladder/*", groups.showLadder],
  ["GET", "groups/*/quota", groups.showQuota],
  ["PUT", "groups/*/quota", groups.setQuota],
  ["POST", "groups/*/members", groups.importMembers],
  ["POST", "me/password", () => ({})],
  ["GET", "me/second-factor", accounts.showSecondFactor],
  ["GET", "me/usage", accounts.showUsage],
  [
    "GET",
    "me/mail",
    () => ({
      available: true,
      address: "ada@example.org",
      confirmed: true,
      problem: null,
      uploads: true,
      contests: true,
    }),
  ],
  ["PUT", "me/mail", () => ({})],
  ["PUT", "me/mail/notices", () => ({})],
  ["GET", "sign-in", () => [{ id: "campus", name: { en: "Campus login", zh: "校园登录" } }]],
  ["POST", "sign-in/*", () => ({ url: "/choose-name" })],
  [
    "GET",
    "newcomer",
    () => ({
      provider: { en: "Campus login", zh: "校园登录" },
      name: "ada-2",
      return_to: "/account",
    }),
  ],
  ["POST", "newcomer", ({ body }) => ({ login: String(body.name) })],
  [
    "GET",
    "me/identities",
    () => [
      {
        id: 1,
        provider: { en: "Campus login", zh: "校园登录" },
        linked: minutesAgo(9000),
        used: minutesAgo(30),
      },
    ],
  ],
  ["GET", "me/webhooks", accounts.listWebhooks],
  ["GET", "webhooks/*/deliveries", accounts.listDeliveries],
  ["GET", "contests/*/webhooks", () => wholeList([])],
  ["GET", "teams/*/webhooks", () => wholeList([])],
  ["GET", "me/follows", follows.listFollows],
  ["PUT", "me/follows/bots/*", follows.followBot],
  ["DELETE", "me/follows/bots/*", follows.unfollowBot],
  ["PUT", "me/follows/players/*", follows.followPlayer],
  ["DELETE", "me/follows/players/*", follows.unfollowPlayer],
  ["PUT", "me/follows/contests/*", follows.followContest],
  ["DELETE", "me/follows/contests/*", follows.unfollowContest],
  ["GET", "me/notifications", follows.listNotifications],
  ["GET", "me/notifications/unread", follows.countUnread],
  ["PUT", "me/notifications/read", follows.readUntil],
  ["PUT", "me/notifications/*/read", follows.readOne],
  ["GET", "me/tokens", accounts.listTokens],
  ["POST", "me/tokens", accounts.createToken],
  ["DELETE", "me/tokens/*", accounts.revokeToken],

  ["GET", "admin/users", accounts.listUsers],
  ["POST", "admin/users/*", () => ({})],
  ["POST", "admin/bots/*", () => ({})],
  ["GET", "admin/queue", accounts.listJobs],
  ["GET", "admin/recounts", accounts.listRecounts],
  ["GET", "admin/workers", accounts.listWorkers],
  ["GET", "admin/matches", listAllMatches],
  ["POST", "admin/matches/*/rerun", () => ({})],
  ["POST", "admin/matches/*/result", () => ({})],
  ["GET", "admin/audit", accounts.listAudit],
  ["GET", "admin/worker-tokens", () => wholeList([])],
  ["POST", "admin/worker-tokens", () => ({ token: "worker_9sampleOnly" })],
];

/** The handler of a call; undefined if the mock does not answer it. */
export function findHandler(method: string, parts: readonly string[]): Handler | undefined {
  return ROUTES.find(([known, path]) => known === method && fitsPath(path, parts))?.[2];
}

function fitsPath(path: string, parts: readonly string[]): boolean {
  const wanted = path.split("/");
  return (
    wanted.length === parts.length && wanted.every((want, at) => want === "*" || want === parts[at])
  );
}

function showStatus(): Status {
  return {
    version: "0.5.0",
    games: games.GAMES.map(({ id }) => id),
    live: matches.listLiveMatches(),
    quiet: null,
    queue: 3,
    workers: 1,
    isolation: "A",
    docs: false,
    saves: false,
  };
}

function listAllMatches({ query }: ApiCall): ListPage<MatchSummary> {
  return listPage(matches.MATCHES, query);
}

function changeBot(call: ApiCall): unknown {
  return bots.showBot(bots.findBot(numberAt(call, 1)), requireUser(call.user));
}

function uploadVersion({ user }: ApiCall): unknown {
  requireUser(user);
  return versions.restartCheck();
}

function showSource({ user }: ApiCall): string {
  requireUser(user);
  return games.PYTHON;
}
