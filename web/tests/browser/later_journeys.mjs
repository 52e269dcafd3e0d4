// Further journeys of `./dev journeys`: what somebody comes back for, and what authors and readers
// of analyses find. Each is walked to its end, in the language and at the size of its reader.

import assert from "node:assert/strict";
import {
  CHOICES,
  PASSWORD,
  SAFE_CHOICES,
  ask,
  asked,
  builtIn,
  newAccount,
  overheard,
  playMatch,
  serveArena,
  shownRound,
  until,
  upload,
} from "./kit.mjs";
import { EN, ZH, arrive, card, told } from "./person.mjs";

/** The days of these zones are never the same. */
const [TODAY, TOMORROW] = ["Etc/GMT+12", "Etc/GMT-14"];
const DAILY_MATCHES = 12;

/** A guest solves the challenge of a day which the ladder's matches made, and shares it. */
export async function daily(stage) {
  const own = { ...stage, arena: null };
  const open = (zone, ...options) =>
    serveArena(stage.arena.data, "127.0.0.1:0", "--time-zone", zone, ...options);
  await stage.arena.stop();
  own.arena = await open(TODAY, "--slots", "1", "--ladder-every", "1s", "--no-exhibitions");
  const root = await newAccount(stage.browser, own.arena, "root");
  // Built-in bots whose rating is known play only others.
  const [{ code }] = await ask(root, "/templates/kob");
  await upload(root, "/bots", code, { game: "kob", name: "viper" });
  await until("matches of the ladder", async () => {
    const { items } = await (await fetch(`${own.arena.url}/api/matches?limit=100`)).json();
    return items.filter(({ state }) => state === "finished").length >= DAILY_MATCHES;
  });
  await own.arena.stop();
  own.arena = await open(TOMORROW, "--slots", "0", "--no-exhibitions");
  stage.arena.close = () => own.arena.close();
  await until("the challenge", async () => (await fetch(`${own.arena.url}/api/daily`)).ok);
  const challenge = await (await fetch(`${own.arena.url}/api/daily`)).json();
  const person = await arrive(own, "guest, phone zh", ZH);
  const { page } = person;
  await person.goto("/");
  await person.press(page.getByRole("link", { name: /每日挑战/ }));
  await page.getByRole("heading", { level: 1 }).waitFor();
  const { game, from, opponent } = challenge;
  await person.note(
    `the challenge: ${game}, ${from ? `round ${from.round}` : "a map"}, ${opponent}`,
  );
  await person.press(page.locator("main button.first"));
  for (let tries = 1; ; tries++) {
    await page.waitForURL(/\/matches\/\d+/);
    await asked(page).waitFor();
    await playByChance(person);
    const title = await told(person);
    await person.note(`try ${tries}: “${title}”`);
    await person.press(page.getByRole("link", { name: /每日挑战/ }).last());
    await page.locator("p.result").waitFor();
    const solved = (await page.locator("p.result.solved").count()) > 0;
    await person.note(`“${(await page.locator("p.result").innerText()).replace(/\s+/g, " ")}”`);
    if (solved) break;
    assert.ok(tries < 40, "never solved");
    await person.press(page.locator("main button.first"));
  }
  const saved = page.waitForEvent("download");
  await person.press("保存图片");
  assert.match((await saved).suggestedFilename(), /\.png$/);
  await person.note("the result as a picture");
  await page.context().close();
}

/** Plays to the end by actions that do not kill at once, any of them. */
async function playByChance(person) {
  const { page } = person;
  await until("the end", async () => {
    if ((await card(person).count()) > 0) return true;
    const safe = page.locator(SAFE_CHOICES);
    const choices = (await safe.count()) > 0 ? safe : page.locator(CHOICES);
    const one = choices.nth(Math.floor(Math.random() * (await choices.count())));
    person.clicks += await one.tap({ timeout: 1000 }).then(
      () => 1,
      () => 0,
    );
    return false;
  });
}

/** Bots that lose in ways which the analysis is to explain. */
const ANALYSED = [
  ["tankcraft", "miner", "squad", {}],
  ["snakego", "greedy", "territory", {}],
];

/** Whole matches of full length, analysed by the page of a guest and once for all by the arena. */
export async function analyses(stage) {
  const root = await newAccount(stage.browser, stage.arena, "root");
  for (const [game, a, b, more] of ANALYSED) {
    const bots = await Promise.all([a, b].map((name) => builtIn(root, game, name)));
    const match = await playMatch(root, game, bots, { seed: 3, ...more });
    const guest = await arrive(stage, "guest, phone zh", ZH);
    await guest.goto(`/matches/${match.id}`);
    await analyse(guest, `${game}, ${a} against ${b}, in the page`);
    await guest.page.context().close();
    const session = { storageState: root.storageState };
    const reader = await arrive(stage, "reader, desktop en", { ...EN, ...session });
    await reader.goto(`/matches/${match.id}`);
    await analyse(reader, `${game}, once for all by the arena`);
    await until("the arena's own analysis", async () => {
      const { state } = await ask(reader.page, `/matches/${match.id}/analysis`);
      return state === "done";
    });
    await reader.note(`${game}: the arena has it for everybody`);
    const later = await arrive(stage, "a second guest, phone zh", ZH);
    await later.goto(`/matches/${match.id}`);
    await analyse(later, `${game}, what the arena has`);
    for (const one of [reader, later]) await one.page.context().close();
  }
}

async function analyse(person, seen) {
  const { page } = person;
  const button = page.locator(".start-analysis button, section.analysis button");
  await person.press(button);
  const value = () => page.evaluate(() => document.querySelector(".analysis progress")?.value ?? 0);
  await until("a first part", async () => (await value()) > 0);
  await person.note(`${seen}: the first part of the curve`);
  await until("the whole analysis", async () => (await value()) === 1);
  const moments = await page.locator(".moments button").allInnerTexts();
  const text = (await page.locator("section.analysis").first().innerText()).replace(/\s+/g, " ");
  await person.note(`${seen}: complete, ${moments.length} moments`);
  console.error(`    ${text}`);
  for (const moment of moments) console.error(`    · ${moment.replace(/\s+/g, " ")}`);
  if (moments.length === 0) return;
  await person.press(page.locator(".moments button"));
  await page.locator(".moment").waitFor();
  await person.note(
    `“${(await page.locator(".moment").innerText()).replace(/\s+/g, " ").slice(0, 200)}”`,
  );
}

/** Passes its check, and fails some time later. */
const failsLater = (when) => `# leitai: protocol=json-lines
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "turn": continue
    if time.time() > ${when} and message.get("round", 9) > 5: raise RuntimeError("boom on the ladder")
    print(json.dumps({"action": message["legal"][0]}), flush=True)
`;

/** An author's bot fails on the ladder; he comes back, and finds out why. */
export async function ladderFault(stage) {
  await newAccount(stage.browser, stage.arena, "root");
  const person = await arrive(stage, "author, desktop en", EN);
  const { page } = person;
  const data = { name: "turing", password: PASSWORD };
  assert.equal((await page.request.post("/api/register", { data })).status(), 200);
  const fields = { game: "kob", name: "bombe" };
  const bot = await upload(page, "/bots", failsLater(Date.now() / 1000 + 15), fields);
  assert.equal(bot.newest.state, "ready");
  await until("three faults on the ladder", async () => {
    const { items } = await ask(page, `/bots/${bot.id}/faults`);
    return items.length >= 3;
  });
  await person.goto("/account");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForTimeout(1500);
  await person.note("the author's home, after faults on the ladder");
  console.error(
    `    ${(await page.locator("main").innerText()).replace(/\s+/g, " ").slice(0, 900)}`,
  );
  await person.press(page.locator("main a", { hasText: /fault|crash|RE\b/i }));
  await page.waitForTimeout(1500);
  await person.note(`what the fault leads to: ${new URL(page.url()).pathname}`);
  console.error(
    `    ${(await page.locator("main").innerText()).replace(/\s+/g, " ").slice(0, 900)}`,
  );
  const news = await ask(page, "/me/notifications");
  for (const one of news.items) console.error(`    ${JSON.stringify(one).slice(0, 300)}`);
  await page.goto(`/bots/${bot.id}`);
  await page.locator("#faults").waitFor();
  await person.note("the bot's page: its faults");
  await person.press(page.locator(".faults a").first());
  await page
    .getByText(/boom on the ladder/)
    .first()
    .waitFor();
  await person.note("the moment, and what the program wrote last");
  await page.context().close();
}

/** Taps a round in SnakeGo as somebody plays who grows, splits and shoots; orders in TankCraft. */
export async function pace(stage) {
  for (const legs of [1, 2]) {
    const person = await arrive(stage, "guest, phone zh, SnakeGo", ZH);
    const { page } = person;
    const heard = overheard(page);
    await person.goto("/");
    await person.press(page.getByRole("button", { name: /^立即对弈.*SnakeGo/ }));
    await asked(page).waitFor();
    const answers = await playKeenly(person, legs === 2);
    const round = await shownRound(page);
    const questions = heard.filter(({ type }) => type === "question").length;
    const rate = (answers / Math.max(round, 1)).toFixed(2);
    const way = legs === 2 ? "splits whenever it may" : "avoids what kills";
    await person.note(
      `${way}: “${await told(person)}”; ${answers} taps, ${questions} questions, ${round} rounds (${rate})`,
    );
    await page.context().close();
  }
}

/** Plays to the end; splits where that is a choice, if it is to. */
async function playKeenly(person, splits) {
  const { page } = person;
  let answers = 0;
  await until("the end", async () => {
    if ((await card(person).count()) > 0) return true;
    const split = page.locator(`${CHOICES}`, { hasText: "分裂" });
    const safe = page.locator(SAFE_CHOICES);
    const [first, second] =
      splits && (await split.count()) > 0 ? [split, safe] : [safe, page.locator(CHOICES)];
    const target = (await first.count()) > 0 ? first : second;
    if ((await target.count()) === 0) return false;
    const tapped = await target
      .first()
      .tap({ timeout: 1000 })
      .then(
        () => 1,
        () => 0,
      );
    answers += tapped;
    return false;
  });
  return answers;
}
