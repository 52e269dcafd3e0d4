// A contest in a real browser: an organiser publishes it, two people join, it is played to its end.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  ask,
  findings,
  leitai,
  openArena,
  openBrowser,
  register,
  send,
  tokenOf,
  until,
  visit,
} from "./kit.mjs";

let arena, browser;

/** A ladder beside the standard one, with boards of its own. */
const LADDERS = `[[ladder]]
game = "kob"
name = "small"
title = "Small boards"
title_zh = "小棋盘"
configs = [{ rows = 9, cols = 8, inner_pairs = 4 }, { rows = 9, cols = 10, inner_pairs = 5 }]
seeds = [1, 2, 3]
`;

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), "leitai-ladders-"));
  const ladders = join(folder, "ladders.toml");
  writeFileSync(ladders, LADDERS);
  const options = ["--slots", "1", "--limit", "division=2", "--ladders", ladders];
  arena = await openArena(...options);
  rmSync(folder, { recursive: true });
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await arena?.close();
});

/** Plays straight on: where it may not, it is over soon. */
const BOT = `# leitai: protocol=json-lines
import json, sys

def look(board, place, depth):
    best, chosen = -1000, None
    for direction in range(4):
        x, y = place[0] + DX[direction], place[1] + DY[direction]
        if not board.inside(x, y) or board.wall(x, y):
            continue
        value = board.room(x, y) * 3 - depth
        if depth > 0:
            value += look(board, (x, y), depth - 1)[0] / 2
        if value > best:
            best, chosen = value, direction
    return best, chosen

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn": print(json.dumps({"action": "0"}), flush=True)
`;

const contestFile = (freezes, format = "single", id = "spring") => `id = "${id}"
title = { en = "Spring contest", zh = "春季赛" }
text = "**Everybody** may enter."
game = "kob"
time-zone = "UTC"
[entry]
who = "code"
code = "plum"
least = 2
[matches]
legs = 1
[dates]
opens = 2026-01-01T00:00:00
freezes = ${new Date(freezes).toISOString().slice(0, 19)}
[[stage]]
name = "Final"
format = "${format}"
`;

/** A contest that goes on after its first stage, with hidden standings. */
const secretFile = (freezes) => `${contestFile(freezes, "round-robin", "secret")}
[[stage]]
name = "Grand final"
format = "single"
starts = 2099-01-01T00:00:00
[visibility]
standings = "end"
`;

/** Uploads a version of somebody's bot. */
async function upload(page, name) {
  const folder = mkdtempSync(join(tmpdir(), "leitai-contest-"));
  writeFileSync(join(folder, "main.py"), BOT);
  await leitai(arena.url, await tokenOf(page), "submit", "kob", folder, "--bot", `${name}-bot`);
  rmSync(folder, { recursive: true });
}

async function author(name) {
  const page = await visit(browser);
  await register(page, arena.url, name);
  await upload(page, name);
  return page;
}

/** The administrator, logged in and at this address. */
async function visitAsRoot(path) {
  const root = await visit(browser);
  await root.goto(`${arena.url}/login?lang=en&to=${path}`);
  await root.locator("input[name=name]").fill("root");
  await root.locator("input[type=password]").fill("correct horse battery");
  await root.locator("main form button:not([type=button])").last().click();
  return root;
}

/** The file is checked and played on paper, in both languages, and nothing is published. */
async function playOnPaper(root, file) {
  for (const [lang, button, title, best] of [
    ["zh", "检查并估算", "估算结果", "最强者夺冠的概率为"],
    ["en", "Check and dry run", "Dry run", "of the simulated contests"],
  ]) {
    await root.goto(`${arena.url}/contests?lang=${lang}`);
    await file.fill(contestFile(Date.now() + 3_600_000));
    await root.locator("input[name=entrants]").fill("8");
    await root.getByRole("button", { name: button }).click();
    const paper = root.getByRole("status").filter({ hasText: title });
    await paper.getByText(best).waitFor();
    const cells = await paper.locator("tbody tr td").allTextContents();
    assert.deepEqual(cells.slice(1, 3), ["8", "7"], cells.join(" | "));
    assert.deepEqual(await findings(root), []);
  }
  const listed = await ask(root, "/contests");
  assert.deepEqual(listed.items, []);
}

/** An organiser tags a match; everybody finds it by the tag, and nobody else changes it. */
async function tagMatch(root, guest, match) {
  await root.goto(`${arena.url}/matches/${match}?lang=en`);
  await root.getByRole("button", { name: "Change tags" }).click();
  const tags = root.getByRole("textbox", { name: "Tags" });
  await tags.fill("#Final, a;b");
  await root.getByRole("button", { name: "Save", exact: true }).click();
  await root.getByRole("alert").getByText("use letters, digits").waitFor();
  await tags.fill("#Final, late game");
  await root.getByRole("button", { name: "Save", exact: true }).click();
  await root.getByRole("link", { name: "late-game", exact: true }).waitFor();
  assert.deepEqual(await findings(root), []);
  await guest.goto(`${arena.url}/matches/${match}?lang=zh`);
  await guest.getByRole("link", { name: "final", exact: true }).click();
  await guest.waitForURL(/\/matches\?tag=final/);
  await guest.locator(`main a[href="/matches/${match}"]`).waitFor();
  assert.equal(await guest.locator("main li .score").count(), 1);
  assert.equal(await guest.getByLabel("标签").inputValue(), "final");
  assert.deepEqual(await findings(guest), []);
  await guest.getByLabel("标签").fill("other");
  await guest.getByLabel("标签").press("Enter");
  await guest.getByText("没有符合筛选条件的比赛").waitFor();
  await guest.goto(`${arena.url}/matches/${match}?lang=zh`);
  await guest.getByRole("link", { name: "final", exact: true }).waitFor();
  assert.equal(await guest.getByRole("button", { name: "修改标签" }).count(), 0);
}

test("a contest is published, joined, played and shown", async () => {
  const root = await visit(browser);
  await register(root, arena.url, "root", arena.secret);
  const people = [await author("ann"), await author("bob")];

  await root.goto(`${arena.url}/contests?lang=en`);
  const file = root.locator("textarea[name=file]");
  await file.fill(contestFile(Date.now() + 3_600_000, "singel"));
  await root.getByRole("button", { name: "Publish a contest" }).click();
  await root.getByRole("alert").getByText("singel").waitFor();
  await playOnPaper(root, file);
  // The versions are frozen as soon as both have joined.
  const freezes = Date.now() + 25_000;
  await file.fill(contestFile(freezes));
  await root.getByRole("button", { name: "Publish a contest" }).click();
  await root.waitForURL(/\/contests\/spring/);
  await root.getByRole("heading", { name: "Spring contest" }).waitFor();

  await root.goto(`${arena.url}/contests?lang=en`);
  await file.fill(secretFile(freezes));
  await root.getByRole("button", { name: "Publish a contest" }).click();
  await root.waitForURL(/\/contests\/secret/);
  for (const page of people) {
    for (const id of ["spring", "secret"]) {
      await page.goto(`${arena.url}/contests/${id}?lang=en`);
      await page.locator("input[name=code]").fill("plum");
      await page.getByRole("button", { name: "Join", exact: true }).click();
      await page.getByRole("button", { name: /^Withdraw/ }).waitFor();
    }
  }
  assert.ok(Date.now() < freezes, "this machine is too slow for the test");

  const guest = await visit(browser, { viewport: { width: 390, height: 844 } });
  await guest.goto(`${arena.url}/contests/spring?lang=zh`);
  await guest.getByRole("heading", { name: "春季赛" }).waitFor();
  await until("its end", async () => (await ask(guest, "/contests/spring")).state === "finished");
  await guest.getByText("已结束").waitFor();
  assert.equal(await guest.locator("tbody tr").count(), 2);
  const link = guest.locator(".encounter .links a").first();
  const match = /\d+$/.exec(await link.getAttribute("href"))[0];
  assert.equal((await ask(guest, `/matches/${match}`)).kind, "contest");
  assert.deepEqual(await findings(guest), []);

  // On a big screen a match is played, the standings follow, and the keyboard goes on.
  const hall = await visit(browser, { viewport: { width: 1920, height: 1080 } });
  await hall.goto(`${arena.url}/contests/spring?lang=en`);
  await hall.getByRole("link", { name: "Big screen" }).click();
  await hall.locator(".match .names").getByText("ann-bot").waitFor();
  await hall.locator(".match canvas, .match svg.board").first().waitFor();
  assert.deepEqual(await findings(hall), []);
  await hall.keyboard.press("ArrowRight");
  await hall.locator(".tables").getByRole("rowheader", { name: "bob-bot" }).waitFor();
  assert.deepEqual(await findings(hall), []);
  await hall.keyboard.press("ArrowRight");
  await hall.locator(".match .names").getByText("bob-bot").waitFor();
  // The match ends after a while, and the standings come by themselves.
  await hall
    .locator(".tables")
    .getByRole("rowheader", { name: "ann-bot" })
    .waitFor({ timeout: 90_000 });
  await hall.keyboard.press("Escape");
  await hall.waitForURL(/\/contests\/spring$|\/contests\/spring\?/);
  // An organiser's big screen shows no more than everybody may see.
  await until("the first stage of the other contest", async () => {
    const [stage] = (await ask(root, "/contests/secret")).stages;
    return stage?.encounters?.every(({ points }) => points !== null);
  });
  await root.goto(`${arena.url}/contests/secret?lang=en`);
  await root
    .getByRole("rowheader", { name: "ann-bot" })
    .or(root.locator("tbody"))
    .first()
    .waitFor();
  await root.goto(`${arena.url}/contests/secret/screen?lang=en`);
  await root.getByText("Standings and results are hidden").waitFor();
  assert.equal(await root.locator("table, .match").count(), 0);

  // The organiser mends a word and has the match played again; everybody reads why.
  await root.goto(`${arena.url}/contests/spring?lang=en`);
  await root.getByRole("button", { name: "Change the file" }).click();
  const changed = root.locator("textarea[name=file]");
  await changed.fill((await changed.inputValue()).replace('id = "spring"', 'id = "autumn"'));
  await root.getByRole("button", { name: "Publish the new file" }).click();
  await root.getByText("id cannot change once a contest is published").waitFor();
  const mended = (await changed.inputValue()).replace('id = "autumn"', 'id = "spring"');
  await changed.fill(mended.replace("Spring contest", "Spring cup"));
  await root.getByRole("button", { name: "Publish the new file" }).click();
  await root.getByRole("heading", { name: "Spring cup" }).waitFor();
  await root.getByLabel("Reason").fill("the hall was dark");
  await root.getByLabel("Number of a match").fill(match);
  await root.getByRole("button", { name: "Play it again" }).click();
  await root.getByText(`match ${match} is played again – the hall was dark`).waitFor();
  assert.deepEqual(await findings(root), []);
  await until("its second end", async () => {
    const now = await ask(guest, "/contests/spring");
    const [first] = now.stages[0].encounters;
    return now.state === "finished" && first.matches.length === 2 && first.matches[0].taken_back;
  });
  await guest.getByText("重赛").waitFor();
  const [download] = await Promise.all([
    root.waitForEvent("download"),
    root.getByRole("link", { name: "Everything as a ZIP" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "spring.zip");
  await tagMatch(root, guest, match);
  for (const page of [root, guest, hall, ...people]) {
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test("an organiser sees two equal sources side by side, and an entrant does not", async () => {
  const root = await visitAsRoot("/contests/spring");
  await root.getByRole("link", { name: "Similar sources" }).click();
  await root.getByRole("link", { name: /-bot v1 – .*-bot v1/ }).click();
  const [left, right] = [0, 1].map((side) => root.locator(".side").nth(side));
  for (const side of [left, right]) await side.locator(".mark").getByText("def look").waitFor();
  const button = root.getByRole("button", { name: /^1: lines 4–/ });
  await button.click();
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  assert.equal(await root.locator(".mark.chosen").count(), 2);
  assert.deepEqual(await findings(root), []);
  await root.goto(`${arena.url}/contests/spring/similar?lang=zh`);
  await root.getByRole("columnheader", { name: "相似度" }).waitFor();
  assert.deepEqual(await findings(root), []);
  const guest = await visit(browser);
  await register(guest, arena.url, "eve");
  await guest.goto(`${arena.url}/contests/spring/similar?lang=en`);
  await guest.getByText("organisers").first().waitFor();
  assert.equal(await guest.locator("table").count(), 0);
  for (const one of [root, guest]) assert.deepEqual(one.problems, []);
});

test("an organiser sets quotas of a group, and a member sees what is left", async () => {
  const [cat, dan] = [await visit(browser), await visit(browser)];
  await register(cat, arena.url, "cat");
  await register(dan, arena.url, "dan");
  const root = await visitAsRoot("/account");
  await root.getByRole("heading", { name: "root" }).first().waitFor();
  const made = await send(root, "/groups", { name: "AI 2026", team_size: 1, organiser: "cat" });
  const address = `${arena.url}/groups/${made.id}`;
  await cat.goto(`${address}?lang=en`);
  await cat.locator("textarea[name=csv]").fill("dan");
  await cat.getByRole("button", { name: "Import" }).click();
  await cat.getByRole("cell", { name: "dan" }).first().waitFor();
  await cat.locator("input[name=uploads]").fill("999999");
  const save = cat.locator("form", { has: cat.locator("input[name=uploads]") });
  await save.getByRole("button", { name: "Save" }).click();
  await save.getByRole("alert").getByText("write at most").waitFor();
  await cat.locator("input[name=uploads]").fill("2");
  await cat.locator("input[name=friendlies]").fill("0");
  await save.getByRole("button", { name: "Save" }).click();
  const set = cat.getByRole("row", { name: /^Uploads an hour/ });
  await set.getByRole("cell", { name: "2", exact: true }).waitFor();
  assert.deepEqual(await findings(cat), []);
  await dan.goto(`${address}?lang=en`);
  await dan.getByText("2 of 2 left").waitFor();
  await dan.getByText("0 of 0 left").waitFor();
  assert.equal(await dan.locator("input[name=uploads]").count(), 0);
  await upload(dan, "dan");
  await dan.goto(`${address}?lang=zh`);
  const uploads = dan.locator("dd", { hasText: "剩余 1" });
  await uploads.first().waitFor();
  assert.deepEqual(await findings(dan), []);
  for (const one of [root, cat, dan]) assert.deepEqual(one.problems, []);
});

test("a ladder with divisions is shown whole, and one division", async () => {
  const guest = await visit(browser, { viewport: { width: 390, height: 844 } });
  await guest.goto(`${arena.url}/games/kob?lang=en`);
  await until("divisions", async () => (await ask(guest, "/games/kob")).divisions > 1);
  await guest.goto(`${arena.url}/games/kob/ladder?lang=en`);
  await guest.getByRole("columnheader", { name: "Division" }).waitFor();
  const all = await guest.locator("tbody tr").count();
  assert.deepEqual(await findings(guest), []);
  await guest.getByLabel("Division").selectOption("2");
  await guest.getByRole("heading", { name: "Division 2" }).waitFor();
  await until("fewer bots", async () => (await guest.locator("tbody tr").count()) < all);
  const cells = await guest.locator("tbody tr td:nth-child(2)").allTextContents();
  assert.ok(cells.length > 0 && cells.every((cell) => cell.trim().endsWith("2")), cells.join("|"));
  await guest.goto(`${arena.url}/games/kob/ladder?division=1&lang=zh`);
  await guest.getByRole("heading", { name: "第 1 分区" }).waitFor();
  assert.deepEqual(await findings(guest), []);

  // The page of all ladders shows further ones, too, and their divisions.
  await until("divisions of the other ladder", async () => {
    const games = await ask(guest, "/games");
    return games.find(({ id }) => id === "kob").ladders[1].divisions > 1;
  });
  await guest.goto(`${arena.url}/ladders?lang=zh`);
  await guest.getByRole("link", { name: "King of Bots" }).click();
  const small = guest.getByRole("link", { name: "小棋盘" });
  await small.click();
  await guest.waitForURL(/\/ladders\?game=kob&ladder=small$/);
  assert.equal(await small.getAttribute("aria-current"), "page");
  await guest.getByText("棋盘来自 3 个种子", { exact: false }).waitFor();
  await guest.getByLabel("分区").selectOption("1");
  await guest.getByRole("heading", { name: "第 1 分区" }).waitFor();
  await guest.waitForURL(/\/ladders\?game=kob&ladder=small&division=1$/);
  const { items } = await ask(guest, "/games/kob/ladder?ladder=small&division=1");
  await until("its bots alone", async () => {
    return (await guest.locator("tbody tr").count()) === items.length;
  });
  const wider = await guest.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `${wider} pixels too wide`);
  assert.deepEqual(await findings(guest), []);
  assert.deepEqual(guest.problems, []);
});

test("a game has further ladders, and an author opts out of one", async () => {
  const page = await author("fay");
  const [bot] = (await ask(page, "/me/bots")).items;
  const listed = async (ladder) => {
    const { items } = await ask(page, `/games/kob/ladder?limit=100&ladder=${ladder}`);
    return items.some((row) => row.bot.id === bot.id);
  };
  await until("the bot on both ladders", async () => {
    return (await listed("standard")) && (await listed("small"));
  });
  await page.goto(`${arena.url}/games/kob/ladder?lang=en`);
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

  await page.goto(`${arena.url}/bots/${bot.id}?lang=zh`);
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
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
