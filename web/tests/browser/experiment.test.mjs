// An experiment in a real browser: its author starts it on the page of the bot, watches it to its
// end, and sees the next upload become a candidate. In both languages, and at the size of a phone.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  LEITAI,
  ON_DEMAND,
  PHONE,
  ask,
  builtIn,
  findings,
  playMatch,
  register,
  stage,
  until,
  upload,
} from "./kit.mjs";

const { arena, journey } = await stage(...ON_DEMAND);

/** Plays the first legal action. */
const BOT = `# leitai: protocol=json-lines
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn": print(json.dumps({"action": message["legal"][0]}), flush=True)
`;

const isNarrow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

/** Makes a book of positions in this folder. */
function makeBook(folder) {
  const run = (line) => execFileSync(LEITAI, line.split(" "), { cwd: folder, stdio: "ignore" });
  run("tournament kob space safe --folder t");
  run("book make t/replays --rounds 3-5 --output kob.book");
  return join(folder, "kob.book");
}

journey("an experiment is started, watched to its end and exported", async (open) => {
  const ada = await open(PHONE);
  await register(ada, "ada", arena.secret);
  const bot = await upload(ada, "/bots", BOT, { game: "kob", name: "viper" });
  await upload(ada, `/bots/${bot.id}/versions`, `${BOT}# better\n`);

  await ada.goto(`/bots/${bot.id}?lang=en`);
  const part = ada.getByRole("region", { name: "Experiments" });
  await part.getByText("It costs at most 200 pairs").waitFor();
  await part.getByLabel("Better by (Elo)").fill("300");
  await part.getByLabel("Pairs at most").fill("3");
  await part.getByText("It costs at most 3 pairs").waitFor();
  await part.getByLabel("another bot, by its name").fill("nobody-at-all");
  await part.getByRole("button", { name: "Start the experiment" }).click();
  await part.getByText("no bot nobody-at-all of this game is found").waitFor();
  await part.getByLabel("another bot, by its name").fill("Space");
  await part.locator("datalist option[value=space]").waitFor({ state: "attached" });
  await part.getByLabel("Settings of the other").fill("@limit=20ms");
  const folder = mkdtempSync(join(tmpdir(), "leitai-book-"));
  await part.locator("input[name=book]").setInputFiles(makeBook(folder));
  assert.deepEqual(await findings(ada), []);
  assert.ok(await isNarrow(ada));
  await part.getByRole("button", { name: "Start the experiment" }).click();
  await ada.waitForURL(/\/experiments\/\d+$/);
  rmSync(folder, { recursive: true });
  const [id] = ada.url().match(/\d+$/);
  const own = await until("the end of the experiment", async () => {
    const own = await ask(ada, `/experiments/${id}`);
    return own.state !== "running" && own;
  });
  assert.deepEqual([own.base.name, own.base.settings], ["space", "@limit=20ms"]);
  await ada.getByText(/^Matches start from \d+ positions of the book [0-9a-f]{12}/).waitFor();
  const book = await (await ada.request.get(`/api/experiments/${id}/export?form=book`)).text();
  assert.equal(book.trim().split("\n").length, own.book.positions + 1);
  assert.ok(own.counted >= 1 && own.way.length === own.counted, JSON.stringify(own));
  await ada.getByRole("img", { name: "The way of the log-likelihood ratio" }).waitFor();
  await ada.getByText(`After ${own.counted} pairs the ratio is`).waitFor();
  assert.ok(await isNarrow(ada));
  assert.deepEqual(await findings(ada), []);
  const csv = await (await ada.request.get(`/api/experiments/${id}/export?form=csv`)).text();
  assert.equal(csv.trim().split("\n").length, own.counted + 1, csv);

  await ada.goto(`/experiments/${id}?lang=zh`);
  await ada.getByRole("heading", { name: `实验 ${id}` }).waitFor();
  await ada.getByText("结论", { exact: true }).waitFor();
  assert.ok(await isNarrow(ada));
  // Nobody else sees it.
  const bea = await open(PHONE);
  await register(bea, "bea");
  assert.equal((await bea.request.get(`/api/experiments/${id}`)).status(), 404);

  // From now on uploads are candidates.
  await ada.goto(`/bots/${bot.id}?lang=zh`);
  await ada.getByLabel("上传的版本如何上场").selectOption("automatic");
  await ada.getByText("已保存。").waitFor();
  await ada.getByText(/最多 200 场比赛/).waitFor();
  await ada.getByRole("heading", { name: "标记的错误" }).waitFor();
  assert.ok(await isNarrow(ada));
  const { newest, active } = await upload(ada, `/bots/${bot.id}/versions`, `${BOT}# best\n`);
  assert.deepEqual([newest.number, active], [3, 2]);
  const { items } = await ask(ada, `/experiments?bot=${bot.id}`);
  assert.deepEqual([items[0].promotes, items[0].tested.number], [true, 3]);
});

journey("uploads are promoted by hand, or refused with the reason", async (open) => {
  const cleo = await open(PHONE);
  await register(cleo, "cleo");
  const bot = await upload(cleo, "/bots", BOT, { game: "kob", name: "cobra" });
  await cleo.goto(`/bots/${bot.id}?lang=en`);
  const part = cleo.getByRole("region", { name: "Experiments" });
  await part.getByLabel("How uploads come to play").selectOption("hand");
  await part.getByText("Saved.").waitFor();
  const lost = await playMatch(cleo, "kob", [bot.id, await builtIn(cleo, "kob", "space")]);
  // One click pins the shown moment.
  await cleo.goto(`/matches/${lost.id}?leg=1&round=1&lang=en`);
  await cleo.getByRole("button", { name: "Pin as a mistake" }).click();
  await cleo.getByText(/^Pinned round 1:/).waitFor();
  const { newest, active } = await upload(cleo, `/bots/${bot.id}/versions`, `${BOT}# again\n`);
  assert.deepEqual([newest.number, active], [2, 1], "it waits");

  // What it costs is said, and the test refuses it before its first pair.
  await cleo.goto(`/bots/${bot.id}?lang=en`);
  await part.getByText(/It costs at most 200 pairs, about/).waitFor();
  await part.getByText(`Match ${lost.id}, leg 1, round 1`).waitFor();
  await part.getByLabel("Let it play if it is better").check();
  await part.getByRole("button", { name: "Start the experiment" }).click();
  await cleo.waitForURL(/\/experiments\/\d+$/);
  await cleo.getByText(`makes the pinned mistake of match ${lost.id}, leg 1, round 1`).waitFor();
  assert.deepEqual(await findings(cleo), []);
  await cleo.goto(`${cleo.url().split("?")[0]}?lang=zh`);
  await cleo.getByText(`它重犯了比赛 ${lost.id} 第 1 局第 1 回合中标记的错误`).waitFor();
  assert.ok(await isNarrow(cleo));

  // Its author may let it play all the same.
  await cleo.goto(`/bots/${bot.id}?lang=zh`);
  await cleo.getByRole("button", { name: "启用" }).click();
  const plays = await until("it plays", async () => {
    const { items } = await ask(cleo, "/me/bots");
    return items[0].active === 2;
  });
  assert.ok(plays);
});

journey("a benchmark shows its rating and offers the file that the arena signs", async (open) => {
  const dora = await open(PHONE);
  await register(dora, "dora");
  const bot = await upload(dora, "/bots", BOT, { game: "kob", name: "dragon" });
  await dora.goto(`/bots/${bot.id}?lang=en`);
  await dora.getByText("Benchmark: a rating that this arena signs").click();
  assert.ok(await isNarrow(dora));
  await dora.locator("input[name=pairs]").fill("1");
  await dora.locator("input[name=agent]").fill("scripty");
  await dora.getByRole("button", { name: "Start the benchmark" }).click();
  await dora.waitForURL(/\/experiments\/\d+/);
  const id = Number(new URL(dora.url()).pathname.split("/").at(-1));
  const { benchmark } = await ask(dora, `/experiments/${id}`);
  await dora.goto(`/experiments/${id}?lang=en`);
  await dora.getByText(`committed to by SHA-256 ${benchmark.commitment}`).waitFor();
  await dora.getByText("The author says: written by scripty.").waitFor();
  const link = dora.getByRole("link", { name: "Download the signed result" });
  await link.waitFor();
  await dora.getByText(/^Rating -?\d+ \[-?\d+, -?\d+\]$/).waitFor();
  assert.deepEqual(await findings(dora), []);
  const file = await (await dora.request.get(await link.getAttribute("href"))).json();
  assert.equal(file.seeds.commitment, benchmark.commitment);
  assert.match(file.signature.ed25519, /^[0-9a-f]{128}$/);

  await dora.goto(`/experiments/${id}?lang=zh`);
  await dora.getByRole("link", { name: "下载已签名的结果" }).waitFor();
  assert.ok(await isNarrow(dora));
  await dora.goto(`/bots/${bot.id}?lang=zh`);
  await dora.getByText(new RegExp(`v1 – ${file.scale}\\s+评分`)).waitFor();
  assert.ok(await isNarrow(dora));
});
