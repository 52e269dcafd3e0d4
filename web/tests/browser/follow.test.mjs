// Following in a real browser: one person follows a bot in a tab, the other uploads a version, and
// the bell in the first tab shows it without a reload. In both languages, and at the size of a
// phone.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  ON_DEMAND,
  PHONE,
  SERVER_GONE,
  ask,
  findFreePort,
  findings,
  register,
  serveArena,
  stage,
  until,
  upload,
} from "./kit.mjs";

const { arena, journey } = await stage(...ON_DEMAND);

/** Plays straight on: where it may not, it is over soon. */
const BOT = `# leitai: protocol=json-lines
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn": print(json.dumps({"action": "0"}), flush=True)
`;

const isNarrow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

journey("who follows a bot is told of its next version without a reload", async (open) => {
  const ada = await open();
  await register(ada, "ada", arena.secret);
  const fields = { game: "kob", name: "viper" };
  const bot = await upload(ada, "/bots", BOT, fields);
  assert.equal(bot.newest.state, "ready");

  // A guest is asked to log in, and comes back to the bot.
  const bea = await open(PHONE);
  await bea.goto(`/bots/${bot.id}?lang=en`);
  await bea.getByRole("link", { name: "Follow", exact: true }).click();
  await bea.waitForURL(/\/login\?to=%2Fbots%2F/);
  await register(bea, "bea");
  await bea.goto(`/bots/${bot.id}`);
  await bea.getByRole("button", { name: "Follow viper" }).click();
  await bea.getByRole("button", { name: "Following viper" }).waitFor();
  await bea.getByRole("link", { name: "Notifications", exact: true }).waitFor();
  assert.deepEqual(await findings(bea), []);
  assert.ok(await isNarrow(bea));

  await bea.evaluate(() => (window.sameTab = true));
  await upload(ada, `/bots/${bot.id}/versions`, `${BOT}# better\n`);
  const bell = bea.getByRole("link", { name: "Notifications: 1 unread" });
  await bell.waitFor();
  assert.ok(await isNarrow(bea));
  await bell.click();
  await bea.waitForURL(/\/notifications$/);
  const news = bea.getByRole("link", { name: "viper has a new version: v2" });
  await news.waitFor();
  assert.deepEqual(await findings(bea), []);
  assert.ok(await isNarrow(bea));
  // Its link leads to the bot, and it is read then.
  await news.click();
  await bea.waitForURL(/\/bots\/\d+$/);
  await bea.getByRole("link", { name: "Notifications", exact: true }).waitFor();
  assert.ok(await bea.evaluate(() => window.sameTab), "the tab was never loaded anew");

  // The author is told of a version that failed; a follower is not.
  await upload(ada, `/bots/${bot.id}/versions`, "int main( {", { file: "main.cpp" });
  await ada.goto("/notifications?lang=zh");
  await ada.getByRole("link", { name: "通知：1 条未读" }).waitFor();
  const failed = ada.getByRole("link", { name: "你的 Bot viper 第 3 版未通过检查" });
  await failed.waitFor();
  await ada.getByRole("button", { name: "全部标为已读" }).click();
  await ada.getByRole("link", { name: "通知", exact: true }).waitFor();
  await failed.click();
  await ada.waitForURL(/\/bots\/\d+\/versions\/3$/);
  assert.equal((await ask(bea, "/me/notifications")).items.length, 1);

  // A person is followed on the public page, and unfollowed in the list.
  await bea.goto("/users/ada?lang=zh");
  await bea.getByRole("button", { name: "关注 ada", exact: true }).click();
  await bea.getByRole("button", { name: "已关注 ada", exact: true }).waitFor();
  await bea.goto("/notifications?lang=zh");
  await bea.getByRole("heading", { name: "我的关注" }).waitFor();
  assert.ok(await isNarrow(bea));
  await bea.getByRole("button", { name: "取消关注 ada" }).click();
  await bea.getByRole("button", { name: "取消关注 ada" }).waitFor({ state: "detached" });
  await bea.getByRole("button", { name: "取消关注 viper" }).click();
  await bea.getByText("还没有关注。").waitFor();
  assert.deepEqual(await ask(bea, "/me/follows"), { bots: [], players: [], contests: [] });
});

/** Forgets how high a bot stood, as after a long time: then where it stands is its best rank. */
const FORGET = `
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as arena:
    changed = arena.execute(
        "UPDATE standings SET best_rank = 1000, best_rank_since = 0 WHERE bot = ?", [sys.argv[2]])
    assert changed.rowcount == 1
`;

journey(
  "who follows a bot is told of its best rank, in a page that stays open",
  async (open, context) => {
    const data = mkdtempSync(join(tmpdir(), "leitai-browser-"));
    const address = `127.0.0.1:${await findFreePort()}`;
    let own = await serveArena(data, address, ...ON_DEMAND);
    context.after(() => own?.close());
    const [ada, bea] = [
      await open({ baseURL: own.url }),
      await open({ ...PHONE, baseURL: own.url }),
    ];
    bea.excused = ada.excused = SERVER_GONE;
    await register(ada, "ada", own.secret);
    const bot = await upload(ada, "/bots", BOT, { game: "kob", name: "viper" });
    await register(bea, "bea");
    await bea.goto(`/bots/${bot.id}?lang=en`);
    await bea.getByRole("button", { name: "Follow viper" }).click();
    await bea.getByRole("button", { name: "Following viper" }).waitFor();
    await until("the first rank", async () => (await ask(ada, `/bots/${bot.id}`)).rank);
    await bea.evaluate(() => (window.sameTab = true));
    await own.kill();
    own = null;
    await promisify(execFile)("python3", ["-c", FORGET, join(data, "arena.db"), String(bot.id)]);
    own = await serveArena(data, address, ...ON_DEMAND);
    // The browser takes the stream of the bell up again.
    const bell = bea.getByRole("link", { name: "Notifications: 1 unread" });
    await bell.click();
    await bea.waitForURL(/\/notifications$/);
    const news = bea.getByRole("link", { name: /^viper (has its best rank so far|is first)/ });
    await news.click();
    await bea.waitForURL(/\/bots\/\d+$/);
    await bea.getByRole("link", { name: "Notifications", exact: true }).waitFor();
    assert.ok(await bea.evaluate(() => window.sameTab), "the tab was never loaded anew");
    await ada.goto("/notifications?lang=zh");
    await ada.getByRole("link", { name: /viper (创下最好排名|登上天梯榜首)/ }).waitFor();
  },
);
