// Accounts, tokens and the data of administrators. The cookie `sample` names the account; `ada` is
// an administrator.

import type {
  AdminUser,
  AuditEntry,
  BotDetails,
  Job,
  Recount,
  ListPage,
  Me,
  SecondFactor,
  TokenSummary,
  Usage,
  Webhook,
  WebhookDelivery,
  Worker,
} from "../../src/lib/types.ts";
import {
  type ApiCall,
  RefusedCall,
  minutesAgo,
  numberAt,
  requireUser,
  wholeList,
} from "./answers.ts";
import { BOTS, findBot, showBot } from "./bots.ts";
import { FIRST_MATCH } from "./match_ids.ts";

const USERS = ["ada", "turing", "小林", "grace", "dijkstra"];

const tokens: TokenSummary[] = [
  {
    id: 1,
    name: "laptop",
    created: minutesAgo(9000),
    used: minutesAgo(12),
    scopes: ["submit"],
    until: null,
  },
];

/** The answer to a login: the mock sets its cookie to this name. */
export type LoginAnswer = { login: string };

export function logIn({ body }: ApiCall): LoginAnswer {
  if (body.password === "wrong-password")
    throw new RefusedCall(401, "bad-login", "name and password do not match");
  return { login: String(body.name) };
}

export function registerAccount({ body }: ApiCall): LoginAnswer {
  return { login: String(body.name) };
}

export function logOut(): LoginAnswer {
  return { login: "" };
}

export function showMe({ user }: ApiCall): Me {
  if (!user) return { user: null, csrf: null };
  const own = {
    id: 1,
    name: user,
    admin: user === "ada",
    adds_games: false,
    must_change_password: false,
    has_password: true,
    must_set_second_factor: false,
  };
  return { user: own, csrf: "sample" };
}

export function showSecondFactor({ user }: ApiCall): SecondFactor {
  const enabled = requireUser(user) === "ada";
  const since = enabled ? minutesAgo(9000) : null;
  const laptop = { id: 1, name: "laptop", created: minutesAgo(9000), used: minutesAgo(30) };
  const passkeys = enabled ? [laptop] : [];
  const recovery_codes = enabled ? 8 : 0;
  return { enabled, since, recovery_codes, passkeys, no_passkeys: null, required: false };
}

export function showUsage(): Usage {
  return {
    bots: { used: 2, allowed: 10 },
    bytes: { used: 92_000, allowed: 256 << 20 },
    replays: { ladder: 90, friendly: 30, human: 30, exhibition: 7, contest: 365 },
    versions: 5,
    versions_of_a_bot: 50,
    quota: {
      uploads: { used: 3, allowed: 10, next: null, group: { id: 1, name: "AI 2026" } },
      friendlies: { used: 12, allowed: 200, next: null, group: null },
      cpu_seconds: { used: 340, allowed: null, next: null, group: null },
      versions: { allowed: 50, group: null },
      source_bytes: { allowed: 65_536, group: { id: 1, name: "AI 2026" } },
      languages: ["cpp", "python"],
      language_groups: [{ id: 1, name: "AI 2026" }],
    },
  };
}

export function listOwnBots({ user }: ApiCall): ListPage<BotDetails> {
  const name = requireUser(user);
  return wholeList(BOTS.filter((bot) => bot.owner === name).map((bot) => showBot(bot, user)));
}

export function createBot({ user, body }: ApiCall): BotDetails {
  if (body.name !== "mybot") return showBot(findBot(4), requireUser(user));
  const message = `there is a bot ${body.name} already; choose another name`;
  throw new RefusedCall(409, "taken", message, "name");
}

export function listTokens({ user }: ApiCall): ListPage<TokenSummary> {
  requireUser(user);
  return wholeList(tokens);
}

export function listWebhooks({ user }: ApiCall): ListPage<Webhook> {
  requireUser(user);
  const hook: Webhook = {
    id: 1,
    url: "https://example.org/leitai",
    events: ["match.finished", "version.checked"],
    created: minutesAgo(9000),
    on: true,
    rests_until: null,
    dropped: 0,
  };
  return wholeList([hook, { ...hook, id: 2, url: "https://old.example.org/", on: false }]);
}

export function listDeliveries({ user }: ApiCall): ListPage<WebhookDelivery> {
  requireUser(user);
  const taken: WebhookDelivery = {
    id: 1,
    event: "match.finished",
    at: minutesAgo(9),
    state: "delivered",
    attempts: 1,
    status: 204,
    problem: null,
    next: null,
  };
  const failed = { ...taken, id: 2, attempts: 8, status: 500, problem: "status" };
  return wholeList([{ ...failed, state: "given-up" }, taken]);
}

export function createToken({ body }: ApiCall): TokenSummary & { once: boolean; token: string } {
  const made: TokenSummary = {
    id: tokens.length + 1,
    name: String(body.name),
    created: minutesAgo(0),
    used: null,
    scopes: ["submit"],
    until: null,
  };
  tokens.push(made);
  return { ...made, once: true, token: "leitai_3kfJ0aQ9x2sampleOnly7Yw" };
}

export function revokeToken(call: ApiCall): object {
  const at = tokens.findIndex(({ id }) => id === numberAt(call, 2));
  if (at >= 0) tokens.splice(at, 1);
  return {};
}

export function listUsers({ user }: ApiCall): ListPage<AdminUser> {
  requireUser(user);
  const users = USERS.map((name, at) => ({
    id: at + 1,
    name,
    admin: at === 0,
    disabled: name === "dijkstra",
    adds_games: name === "dijkstra",
    created: minutesAgo(20_000 - at * 3000),
  }));
  return wholeList(users);
}

export function listJobs(): ListPage<Job> {
  const waiting = { note: null, priority: 0, attempts: 0, worker: null, lease_until: null };
  const match = { ...waiting, kind: "match", version: null, game_file: null, state: "queued" };
  return wholeList<Job>([
    {
      ...match,
      id: 901,
      game: "snakego",
      match: FIRST_MATCH + 87,
      state: "leased",
      worker: "local",
      attempts: 1,
      created: minutesAgo(2),
      lease_until: minutesAgo(-1),
    },
    { ...match, id: 902, game: "kob", match: FIRST_MATCH + 85, created: minutesAgo(1) },
    {
      ...waiting,
      id: 903,
      kind: "version",
      game: "snakego",
      match: null,
      version: 12,
      game_file: null,
      state: "queued",
      created: minutesAgo(0.2),
    },
    {
      ...match,
      id: 904,
      kind: "version",
      game: "pig",
      match: null,
      game_file: 3,
      created: minutesAgo(0.1),
    },
  ]);
}

export function listRecounts(): ListPage<Recount> {
  return wholeList([{ subject: "ladder kob", read: 1200, matches: 4310 }]);
}

export function listWorkers(): ListPage<Worker> {
  const version = "0.5.0";
  return wholeList<Worker>([
    {
      name: "local",
      seen: minutesAgo(0),
      jobs: 1,
      slots: 2,
      refused: 0,
      version,
      isolation: "A",
      remote: false,
    },
    {
      name: "lab-3",
      seen: minutesAgo(4),
      jobs: 0,
      slots: 8,
      refused: 1,
      version,
      isolation: "B",
      remote: true,
    },
  ]);
}

export function listAudit(): ListPage<AuditEntry> {
  const entry = { who: "ada", detail: null };
  return wholeList<AuditEntry>([
    { ...entry, id: 2, at: minutesAgo(30), what: "user.disable", about: "dijkstra" },
    { ...entry, id: 1, at: minutesAgo(60), what: "match.rerun", about: "1040" },
  ]);
}
