// A contest in a real browser: an organiser publishes it, two people join, it is played to its end.

import assert from "node:assert/strict";
import {
  MOVING,
  ON_DEMAND,
  ask,
  findings,
  newAccount,
  register,
  send,
  stage,
  until,
  upload,
} from "./kit.mjs";

const { arena, browser, journey } = await stage(...ON_DEMAND);
const admin = await newAccount(browser, arena, "root");

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
[[matches.handicaps]]
accounts = ["ann"]
time-limit = "900ms"
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

/** A new account with a bot. */
async function author(open, name) {
  const page = await open();
  await register(page, name);
  await upload(page, "/bots", BOT, { game: "kob", name: `${name}-bot` });
  return page;
}

/** The file is checked and played on paper, in both languages, and nothing is published. */
async function playOnPaper(root, file) {
  for (const [lang, button, title, best] of [
    ["zh", "检查并估算", "估算结果", "最强者夺冠的概率为"],
    ["en", "Check and dry run", "Dry run", "of the simulated contests"],
  ]) {
    await root.goto(`/contests?lang=${lang}`);
    await file.fill(contestFile(Date.now() + 3_600_000));
    await root.locator("input[name=entrants]").fill("8");
    await root.getByRole("button", { name: button }).click();
    const paper = root.getByRole("status").filter({ hasText: title });
    await paper.getByText(best).waitFor();
    const cells = await paper.locator("tbody tr td").allTextContents();
    assert.deepEqual(cells.slice(1, 3), ["8", "7"], cells.join(" | "));
  }
  assert.deepEqual(await findings(root), []);
  const listed = await ask(root, "/contests");
  assert.deepEqual(listed.items, []);
}

/** An organiser tags a match; everybody finds it by the tag, and nobody else changes it. */
async function tagMatch(root, guest, match) {
  await root.goto(`/matches/${match}?lang=en`);
  await root.getByRole("button", { name: "Change tags" }).click();
  const tags = root.getByRole("textbox", { name: "Tags" });
  await tags.fill("#Final, a;b");
  await root.getByRole("button", { name: "Save", exact: true }).click();
  await root.getByRole("alert").getByText("use letters, digits").waitFor();
  await tags.fill("#Final, late game");
  await root.getByRole("button", { name: "Save", exact: true }).click();
  await root.getByRole("link", { name: "late-game", exact: true }).waitFor();
  assert.deepEqual(await findings(root), []);
  await guest.goto(`/matches/${match}?lang=zh`);
  await guest.getByRole("link", { name: "final", exact: true }).click();
  await guest.waitForURL(/\/matches\?tag=final/);
  await guest.locator(`main a[href="/matches/${match}"]`).waitFor();
  assert.equal(await guest.locator("main li .score").count(), 1);
  assert.equal(await guest.getByLabel("标签").inputValue(), "final");
  await guest.getByLabel("标签").fill("other");
  await guest.getByLabel("标签").press("Enter");
  await guest.getByText("没有符合筛选条件的比赛").waitFor();
  await guest.goto(`/matches/${match}?lang=zh`);
  await guest.getByRole("link", { name: "final", exact: true }).waitFor();
  assert.equal(await guest.getByRole("button", { name: "修改标签" }).count(), 0);
}

journey("a contest is published, joined, played and shown", async (open) => {
  const root = await open(admin);
  const people = await Promise.all(["ann", "bob"].map((name) => author(open, name)));

  await root.goto("/contests?lang=en");
  const file = root.locator("textarea[name=file]");
  await file.fill(contestFile(Date.now() + 3_600_000, "singel"));
  await root.getByRole("button", { name: "Publish a contest" }).click();
  await root.getByRole("alert").getByText("singel").waitFor();
  await playOnPaper(root, file);
  const freezes = Date.now() + 3_600_000;
  await file.fill(contestFile(freezes));
  await root.getByRole("button", { name: "Publish a contest" }).click();
  await root.waitForURL(/\/contests\/spring/);
  await root.getByRole("heading", { name: "Spring contest" }).waitFor();

  await root.goto("/contests?lang=en");
  await file.fill(secretFile(freezes));
  await root.getByRole("button", { name: "Publish a contest" }).click();
  await root.waitForURL(/\/contests\/secret/);
  for (const page of people) {
    await page.goto("/contests/spring?lang=en");
    await page.locator("input[name=code]").fill("plum");
    await page.getByRole("button", { name: "Join", exact: true }).click();
    await page.getByRole("button", { name: /^Withdraw/ }).waitFor();
    const { items } = await ask(page, "/me/bots");
    await send(page, "/contests/secret/join", { bot: items[0].id, code: "plum" });
  }
  // Both have joined; the versions are frozen in a moment instead of in an hour. No date may move
  // into the past: where the request takes longer than that moment, it is sent again.
  for (const [id, fileOf] of [
    ["spring", contestFile],
    ["secret", secretFile],
  ]) {
    const freeze = (seconds) =>
      send(root, `/contests/${id}/update`, { file: fileOf(Date.now() + seconds * 1000) });
    await freeze(3)
      .catch(() => freeze(20))
      .catch(() => freeze(60));
  }

  const guest = await open({ viewport: { width: 390, height: 844 } });
  await guest.goto("/contests/spring?lang=zh");
  await guest.getByRole("heading", { name: "春季赛" }).waitFor();
  await guest.getByText("对 ann 的 Bot 的让分限制：每回合至多 900 ms。").waitFor();
  await until("its end", async () => (await ask(guest, "/contests/spring")).state === "finished");
  await guest.getByText("已结束").waitFor();
  assert.equal(await guest.locator("tbody tr").count(), 2);
  const link = guest.locator(".encounter .links a").first();
  const match = /\d+$/.exec(await link.getAttribute("href"))[0];
  assert.equal((await ask(guest, `/matches/${match}`)).kind, "contest");
  assert.deepEqual(await findings(guest), []);

  // On a big screen a match is played, the standings follow, and the keyboard goes on.
  const hall = await open({ ...MOVING, viewport: { width: 1920, height: 1080 } });
  await hall.goto("/contests/spring?lang=en");
  await hall.getByRole("link", { name: "Big screen" }).click();
  await hall.locator(".match .names").getByText("ann-bot").waitFor();
  await hall.locator(".match canvas, .match svg.board").first().waitFor();
  assert.deepEqual(await findings(hall), []);
  await hall.keyboard.press("ArrowRight");
  await hall.locator(".tables").getByRole("rowheader", { name: "bob-bot" }).waitFor();
  await hall.keyboard.press("ArrowRight");
  await hall.locator(".match .names").getByText("bob-bot").waitFor();
  // The match ends after a while, and the standings come by themselves.
  await hall.locator(".tables").getByRole("rowheader", { name: "ann-bot" }).waitFor();
  await hall.keyboard.press("Escape");
  await hall.waitForURL(/\/contests\/spring$|\/contests\/spring\?/);
  // An organiser's big screen shows no more than everybody may see.
  await until("the first stage of the other contest", async () => {
    const [stage] = (await ask(root, "/contests/secret")).stages;
    return stage?.encounters?.every(({ points }) => points !== null);
  });
  await root.goto("/contests/secret?lang=en");
  await root
    .getByRole("rowheader", { name: "ann-bot" })
    .or(root.locator("tbody"))
    .first()
    .waitFor();
  await root.goto("/contests/secret/screen?lang=en");
  await root.getByText("Standings and results are hidden").waitFor();
  assert.equal(await root.locator("table, .match").count(), 0);

  // The organiser mends a word and has the match played again; everybody reads why.
  await root.goto("/contests/spring?lang=en");
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
});

journey(
  "an organiser sees two equal sources side by side, and an entrant does not",
  async (open) => {
    const root = await open(admin);
    await root.goto("/contests/spring?lang=en");
    await root.getByRole("link", { name: "Similar sources" }).click();
    await root.getByRole("link", { name: /-bot v1 – .*-bot v1/ }).click();
    const [left, right] = [0, 1].map((side) => root.locator(".side").nth(side));
    for (const side of [left, right]) await side.locator(".mark").getByText("def look").waitFor();
    const button = root.getByRole("button", { name: /^1: lines 4–/ });
    await button.click();
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    assert.equal(await root.locator(".mark.chosen").count(), 2);
    assert.deepEqual(await findings(root), []);
    await root.goto("/contests/spring/similar?lang=zh");
    await root.getByRole("columnheader", { name: "相似度" }).waitFor();
    const guest = await open();
    await register(guest, "eve");
    await guest.goto("/contests/spring/similar?lang=en");
    await guest.getByText("organisers").first().waitFor();
    assert.equal(await guest.locator("table").count(), 0);
  },
);

journey("an organiser sets quotas of a group, and a member sees what is left", async (open) => {
  const [cat, dan] = [await open(), await open()];
  await register(cat, "cat");
  await register(dan, "dan");
  const made = await send(admin, "/groups", { name: "AI 2026", team_size: 1, organiser: "cat" });
  const address = `/groups/${made.id}`;
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
  // An account that was there before its import joins when its holder says so.
  await dan.goto("/account?tab=teams&lang=en");
  const invitation = dan.locator(".sheet", { hasText: "asks you to join the group AI 2026" });
  await invitation.getByRole("button", { name: "Join" }).click();
  await until("dan is a member", async () => (await ask(dan, "/groups")).items.length === 1);
  await dan.goto(`${address}?lang=en`);
  await dan.getByText("2 of 2 left").waitFor();
  await dan.getByText("0 of 0 left").waitFor();
  assert.equal(await dan.locator("input[name=uploads]").count(), 0);
  await upload(dan, "/bots", BOT, { game: "kob", name: "dan-bot" });
  await dan.goto(`${address}?lang=zh`);
  const uploads = dan.locator("dd", { hasText: "剩余 1" });
  await uploads.first().waitFor();
});
