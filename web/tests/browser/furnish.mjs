// Fills an arena with one of everything that its pages show.

import assert from "node:assert/strict";
import { ask, builtIn, newAccount, playMatch, send, until, upload } from "./kit.mjs";

/** Plays the first legal action. */
const BOT = `# leitai: protocol=json-lines
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn": print(json.dumps({"action": message["legal"][0]}), flush=True)
`;

const HOUR = 3_600_000;
const contestFile = (id, en, zh) => `id = "${id}"
title = { en = "${en}", zh = "${zh}" }
text = { en = "**Everybody** may enter, and enter again.", zh = "**人人**可以参加，也可以再次参加。" }
game = "kob"
time-zone = "UTC"
[entry]
who = "everybody"
least = 2
[matches]
legs = 1
[dates]
opens = 2026-01-01T00:00:00
freezes = ${new Date(Date.now() + 24 * HOUR).toISOString().slice(0, 19)}
[[stage]]
name = "Final"
format = "round-robin"
`;

/**
 * Has an author with two versions of a bot, an experiment, matches, a team, a token and somebody to
 * follow, a group, a contest that is open, a table that waits, and an invitation.
 */
export async function furnish(browser, arena) {
  const root = await newAccount(browser, arena, "root");
  const ada = await newAccount(browser, arena, "ada");
  const bot = await upload(ada, "/bots", BOT, { game: "kob", name: "viper" });
  await upload(ada, `/bots/${bot.id}/versions`, `${BOT}# better\n`, { notes: "looks twice" });
  const [space, safe] = [await builtIn(root, "kob", "space"), await builtIn(root, "kob", "safe")];
  const match = await playMatch(ada, "kob", [bot.id, space], { seed: 5 });
  const experiment = await send(ada, "/experiments", {
    bot: bot.id,
    version: 2,
    against: safe,
    bounds: { elo1: 300, most_pairs: 2 },
  });
  await send(root, "/contests", {
    file: contestFile("spring", "Spring contest", "春季赛"),
    packs: {},
  });
  await send(ada, "/contests/spring/join", { bot: bot.id });
  const group = await send(root, "/groups", { name: "AI 2026", team_size: 2, organiser: "ada" });
  await send(ada, "/teams", { name: "Vipers", size: 3 });
  await send(ada, "/me/tokens", { name: "laptop", scopes: ["submit"], days: 30 });
  const { csrf } = await ask(ada, "/me");
  const follow = await ada.request.put(`/api/me/follows/bots/${space}`, {
    data: {},
    headers: { "x-leitai-csrf": csrf },
  });
  assert.ok(follow.ok(), await follow.text());
  const sit = async (opponent) => {
    const data = { game: "kob", seat: "a", name: "Grace", legs: 1, opponent };
    const headers = { "content-type": "application/json" };
    const sent = await fetch(`${arena.url}/api/human-matches`, {
      method: "POST",
      headers,
      body: JSON.stringify(data),
    });
    assert.ok(sent.ok, `${sent.status}`);
    return sent.json();
  };
  await sit({ anybody: true });
  const { invite } = await sit({ invite: true });
  await until("the end of the experiment", async () => {
    const { state } = await ask(ada, `/experiments/${experiment.id}`);
    return state !== "running";
  });
  return {
    root,
    ada,
    bot: bot.id,
    space,
    match: match.id,
    experiment: experiment.id,
    group: group.id,
    invite,
  };
}

/** The addresses that everybody may open: every route of `web/src/routes.ts`, and its tabs. */
export const publicPages = ({ bot, space, match, invite }) => [
  "/",
  "/games/snakego",
  "/games/kob",
  "/games/tankcraft",
  "/games/kob?tab=play",
  "/games/kob?tab=matches",
  "/games/kob/ladder",
  "/play",
  "/daily",
  "/progress",
  "/ladders",
  "/live",
  "/search?q=v",
  "/contests",
  "/contests/spring",
  "/contests/spring/screen",
  "/users/ada",
  "/play/kob",
  "/play/snakego",
  `/invite/${invite}`,
  "/matches",
  `/matches/${match}`,
  "/viewer",
  `/bots/${bot}`,
  `/bots/${space}`,
  "/libraries",
  "/login",
  "/register",
  "/choose-name",
  "/forgot-password",
  "/reset-password",
  "/confirm-mail",
  `/embed/matches/${match}`,
  "/upload",
  "/nothing/here",
];

/** Those of the author, whose pages have more. */
export const authorPages = ({ bot, experiment, group, match }) => [
  "/",
  "/account",
  "/account?tab=access",
  "/account?tab=teams",
  "/account?tab=security",
  "/upload",
  `/upload?how=code&game=kob&bot=${bot}`,
  "/notifications",
  "/progress",
  "/daily",
  `/bots/${bot}`,
  `/bots/${bot}/versions/1`,
  `/bots/${bot}/versions/2`,
  `/experiments/${experiment}`,
  `/groups/${group}`,
  "/contests",
  "/contests/spring",
  `/matches/${match}`,
  "/users/ada",
  "/my-games",
];

/** Those of an administrator. */
export const adminPages = () => [
  "/admin",
  "/admin?tab=queue",
  "/admin?tab=workers",
  "/admin?tab=matches",
  "/admin?tab=games",
  "/admin?tab=audit",
  "/contests",
  "/contests/spring",
  "/contests/spring/similar",
  "/contests/spring/similar/1/2",
];

/** An address in a language. */
export const withLang = (path, lang) => `${path}${path.includes("?") ? "&" : "?"}lang=${lang}`;
