// Ladders in a real browser: a bot is rated on them, divisions, options, further ladders.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, findings, register, scratch, stage, until, upload } from "./kit.mjs";

/** A ladder beside the standard one, with boards of its own. */
const LADDERS = `[[ladder]]
game = "kob"
name = "small"
title = "Small boards"
title_zh = "小棋盘"
configs = [{ rows = 9, cols = 8, inner_pairs = 4 }, { rows = 9, cols = 10, inner_pairs = 5 }]
seeds = [1, 2, 3]
`;

const file = join(scratch(), "ladders.toml");
writeFileSync(file, LADDERS);
const { arena, journey } = await stage(
  ...["--slots", "1", "--ladder-every", "1s", "--limit", "division=2", "--ladders", file],
  ...["--ladder-config", "tankcraft:fog=sdk"],
);

journey("a bot is uploaded, checked and rated", async (open) => {
  const page = await open();
  await register(page, "root", arena.secret);
  await page.goto("/upload?game=kob&lang=en");
  await page.locator("input[name=name]").fill("lovelace");
  await page.locator("input[type=radio][value=code]").check({ force: true });
  await page.locator(".cm-content").waitFor();
  await page.getByRole("button", { name: /^python$/i }).click();
  await page.locator("main form button.first").click();
  await page.waitForURL(/\/bots\/\d+\/versions\/1/);
  const bot = Number(/bots\/(\d+)/.exec(page.url())[1]);
  await until("a rated match", async () => (await ask(page, `/bots/${bot}`)).games > 0);
  const [version] = (await ask(page, `/bots/${bot}`)).versions;
  assert.deepEqual([version.number, version.state], [1, "ready"]);
  await page.goto("/games/kob/ladder?lang=en");
  await page.getByRole("link", { name: "lovelace" }).first().waitFor();
  // A ladder shows its options; that it plays with them, the last journey sees.
  await page.goto("/games/tankcraft/ladder?lang=en");
  await page.getByText(/ladder plays with:.*\(sdk\)/).waitFor();
});

journey("a ladder says who beats whom", async (open) => {
  const guest = await open({ viewport: { width: 390, height: 844 } });
  await until("matches between two groups", async () => {
    const { cells } = await ask(guest, "/games/kob/payoffs");
    return cells.flat().some(Boolean);
  });
  await guest.goto("/games/kob/ladder?lang=en");
  await guest.getByText("Who beats whom").click();
  const table = guest.getByRole("table", { name: "Who beats whom" });
  await table.waitFor();
  assert.ok((await table.locator("td").count()) <= 40 + 7);
  await table.getByRole("button", { name: /%/ }).first().click();
  const line = guest.locator("section ul li button").first();
  await line.click();
  await guest.locator("section ul li a").first().waitFor();
  // By who wrote them: a bot's opponents of one class alone.
  await guest.getByLabel("Group by").selectOption("authors");
  await table.getByRole("button", { name: /^Built-in bots: each other/ }).waitFor();
  await table.getByRole("button", { name: /^Built-in bots – People’s bots: .*%/ }).click();
  await guest.getByRole("heading", { name: "Built-in bots against People’s bots" }).waitFor();
  await line.click();
  await guest.locator("section ul li a").first().waitFor();
  assert.deepEqual(await findings(guest), []);
  const isNarrow = () => document.documentElement.scrollWidth <= window.innerWidth;
  assert.ok(await guest.evaluate(isNarrow));
  if (process.env.LEITAI_PICTURE) {
    await guest.screenshot({ path: process.env.LEITAI_PICTURE, fullPage: true });
  }
  await guest.goto("/games/kob/ladder?lang=zh");
  await guest.getByText("胜负关系").click();
  await guest.getByRole("heading", { name: "纳什平均" }).waitFor();
});

journey("a ladder with divisions is shown whole, and one division", async (open) => {
  const guest = await open({ viewport: { width: 390, height: 844 } });
  await until("divisions", async () => (await ask(guest, "/games/kob")).divisions > 1);
  await guest.goto("/games/kob/ladder?lang=en");
  await guest.getByRole("columnheader", { name: "Division" }).waitFor();
  const all = await guest.locator("tbody tr").count();
  await guest.getByLabel("Division").selectOption("2");
  await guest.getByRole("heading", { name: "Division 2" }).waitFor();
  await until("fewer bots", async () => (await guest.locator("tbody tr").count()) < all);
  const cells = await guest.locator("tbody tr td:nth-child(2)").allTextContents();
  assert.ok(cells.length > 0 && cells.every((cell) => cell.trim().endsWith("2")), cells.join("|"));
  await guest.goto("/games/kob/ladder?division=1&lang=zh");
  await guest.getByRole("heading", { name: "第 1 分区" }).waitFor();

  // The page of all ladders shows further ones, too, and their divisions.
  await until("divisions of the other ladder", async () => {
    const games = await ask(guest, "/games");
    return games.find(({ id }) => id === "kob").ladders[1].divisions > 1;
  });
  await guest.goto("/ladders?lang=zh");
  await guest.getByRole("link", { name: "King of Bots" }).click();
  const small = guest.getByRole("link", { name: "小棋盘" });
  await small.click();
  await guest.waitForURL(/\/ladders\?game=kob&ladder=small$/);
  assert.equal(await small.getAttribute("aria-current"), "page");
  await guest.getByText("棋盘来自 3 个种子", { exact: false }).waitFor();
  // What the page was told last: the ladder goes on meanwhile.
  let told = null;
  guest.on("response", async (answer) => {
    if (
      /\/ladder\?.*ladder=small.*division=1|\/ladder\?.*division=1.*ladder=small/.test(answer.url())
    )
      told = (await answer.json()).items;
  });
  await guest.getByLabel("分区").selectOption("1");
  await guest.getByRole("heading", { name: "第 1 分区" }).waitFor();
  await guest.waitForURL(/\/ladders\?game=kob&ladder=small&division=1$/);
  await until("its bots alone", async () => {
    return told !== null && (await guest.locator("tbody tr").count()) === told.length;
  });
  const wider = await guest.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `${wider} pixels too wide`);
  assert.deepEqual(await findings(guest), []);
});

journey(
  "an author says that an agent wrote a bot, and readers choose whose bots they see",
  async (open) => {
    const page = await open();
    await register(page, "ada");
    const source = readFileSync(new URL("../../../games/kob/templates/main.py", import.meta.url));
    const bot = await upload(page, "/bots", source, { game: "kob", name: "ada-bot" });
    await until("a rated match", async () => (await ask(page, `/bots/${bot.id}`)).rating);
    await page.goto(`/bots/${bot.id}?lang=en`);
    await page.getByRole("button", { name: "Say that an agent wrote it" }).click();
    await page.getByText("written by an agent", { exact: true }).waitFor();
    await page.getByRole("button", { name: "No agent wrote it" }).waitFor();
    const share = page.getByLabel("Others may fetch this bot, to train against it");
    assert.equal(await share.isChecked(), false);
    const fetchable = async () =>
      (await ask(page, "/games/kob/fetchable")).items.map((own) => own.bot.id);
    assert.deepEqual(await fetchable(), []);
    await share.check();
    await until("it can be fetched", async () => (await fetchable())[0] === bot.id);
    await page.goto(`/bots/${bot.id}?lang=zh`);
    await page.getByLabel("允许他人下载此 Bot，用作训练对手").uncheck();
    await until("no longer", async () => (await fetchable()).length === 0);
    assert.deepEqual(await findings(page), []);
    const guest = await open({ viewport: { width: 390, height: 844 } });
    await guest.goto("/games/kob/ladder?lang=zh");
    const names = () => guest.locator("tbody td.bot a").allTextContents();
    const chosen = async (what, holds) => {
      await guest.getByLabel("编写者").selectOption(what);
      await until(`bots by ${what}`, async () => holds(await names()));
    };
    await chosen("智能体", (shown) => shown.length === 1 && shown[0] === "ada-bot");
    await guest.getByText("由智能体编写").waitFor();
    await chosen("人", (shown) => shown.length > 1 && !shown.includes("ada-bot"));
    await chosen("不限", (shown) => shown.length > 1);
    assert.deepEqual(await findings(guest), []);
  },
);

journey("a game has further ladders, and an author opts out of one", async (open) => {
  const page = await open();
  await register(page, "fay");
  const source = readFileSync(new URL("../../../games/kob/templates/main.py", import.meta.url));
  const bot = await upload(page, "/bots", source, { game: "kob", name: "fay-bot" });
  const listed = async (ladder) => {
    const { items } = await ask(page, `/games/kob/ladder?limit=100&ladder=${ladder}`);
    return items.some((row) => row.bot.id === bot.id);
  };
  await until("the bot on both ladders", async () => {
    return (await listed("standard")) && (await listed("small"));
  });
  await page.goto("/games/kob/ladder?lang=en");
  await page.getByText("The ladder plays with", { exact: false }).waitFor();
  await page.getByRole("link", { name: "Small boards" }).click();
  await page.waitForURL(/ladder\?ladder=small/);
  await page.getByText(/draws one of these: cols: 8 .*rows: 9; cols: 10/).waitFor();
  await page.getByText("from 3 seeds: 1, 2, 3", { exact: false }).waitFor();
  await page.getByRole("columnheader", { name: "Rank" }).waitFor();
  assert.deepEqual(await findings(page), []);
  const [played] = await until("a match of this ladder", async () => {
    const { items } = await ask(page, "/matches?game=kob&ladder=small&state=finished");
    return items.length > 0 && items;
  });
  await page.getByRole("link", { name: "Matches of this ladder" }).click();
  await page.locator(`a[href*="/matches/${played.id}"]`).first().waitFor();
  const { config, seed, ladder } = await ask(page, `/matches/${played.id}`);
  assert.equal(ladder, "small");
  assert.ok(config.rows === 9 && [8, 10].includes(config.cols), JSON.stringify(config));
  assert.ok([1, 2, 3].includes(seed), String(seed));

  await page.goto(`/bots/${bot.id}?lang=zh`);
  const row = page.getByRole("row", { name: "小棋盘" });
  const loaded = page.waitForResponse(
    (answer) => answer.url().endsWith(`/api/bots/${bot.id}`) && answer.request().method() === "GET",
  );
  await row.getByRole("button", { name: "退出" }).click();
  await row.getByText("未参加").waitFor();
  const { ladders } = await (await loaded).json();
  // The column before the state has the faults.
  await page.getByRole("columnheader", { name: "违规" }).waitFor();
  const faults = await row.getByRole("cell").nth(-2).textContent();
  assert.equal(Number(faults.replace("!", "")), ladders[0].faults);
  assert.deepEqual(await findings(page), []);
  // Answers are kept for a second.
  await until("the bot off the ladder", async () => !(await listed("small")));
  assert.equal(await listed("standard"), true);
  await row.getByRole("button", { name: "重新参加" }).click();
  await row.getByRole("button", { name: "退出" }).waitFor();
  await until("the bot on the ladder", () => listed("small"));
  const asked = ["ratings", "opponents"].map((part) =>
    page.waitForResponse((answer) => answer.url().endsWith(`/${part}?ladder=small`)),
  );
  await page.locator("select[name=ladder]").selectOption("small");
  for (const answer of await Promise.all(asked)) assert.equal(answer.status(), 200);
});
