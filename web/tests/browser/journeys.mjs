// Measures what people do on an evening: `./dev journeys [NAME…]` prints a table in Markdown for
// docs/benchmarks.md. It is no test of times: it stops only where somebody could not go on.
// LEITAI_SHOTS names a folder for pictures, LEITAI_TV_MINUTES how long TV is left on.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  DESKTOP,
  IDLE,
  MOVING,
  ON_DEMAND,
  PASSWORD,
  PHONE,
  QUIET,
  WITH_EXHIBITIONS,
  ask,
  asked,
  builtIn,
  newAccount,
  openArena,
  openBrowser,
  overheard,
  playMatch,
  shownRound,
  until,
  visit,
} from "./kit.mjs";
import { adminPages, authorPages, furnish, publicPages, withLang } from "./furnish.mjs";
import { EN, ZH, again, arrive, card, matchOf, playToEnd, told } from "./person.mjs";
import { analyses, daily, ladderFault, pace } from "./later_journeys.mjs";
import { ORDERS, arriveOneByOne, noteShifts, shiftsOf } from "./shifts.mjs";

const { LEITAI_SHOTS: shots, LEITAI_TV_MINUTES: minutes = "10" } = process.env;

/** A guest on a desktop and on a phone plays to the end, and once more. */
async function guest(stage) {
  for (const [name, options, play, rematch] of [
    ["guest, desktop, King of Bots", EN, /^play now.*king of bots/i, "Rematch"],
    ["guest, phone zh, SnakeGo", ZH, /^立即对弈.*SnakeGo/, "再来一局"],
  ]) {
    const person = await arrive(stage, name, options);
    await person.goto("/");
    await person.page.getByRole("button", { name: play }).waitFor();
    await person.note("home, with the button of the game");
    await person.press(person.page.getByRole("button", { name: play }));
    await asked(person.page).waitFor();
    await person.note("the board, how to play, and the first question");
    const answers = await playToEnd(person);
    const round = await shownRound(person.page);
    const rate = (answers / Math.max(round, 1)).toFixed(2);
    await person.note(`“${await told(person)}”; ${answers} answers in ${round} rounds (${rate})`);
    await again(person, rematch);
    await asked(person.page).waitFor();
    await person.note("the rematch asks");
    await person.page.context().close();
  }
}

/** Two friends, and a third one who watches. */
async function friends(stage) {
  const ada = await arrive(stage, "Ada, desktop en", EN);
  await ada.goto("/");
  await ada.press(ada.page.getByRole("link", { name: "Play", exact: true }));
  await ada.press(ada.page.getByRole("link", { name: /king of bots/i }));
  await ada.press(ada.page.locator("input[value=invite]"));
  await ada.page.locator("input[name=name]").fill("ada");
  await ada.press(ada.page.locator("main form button.first"));
  await ada.page.waitForURL(/\/invite\//);
  const code = ada.page.locator("figure img");
  await until("the QR code", () => code.evaluate(({ naturalWidth }) => naturalWidth > 0));
  await ada.note("the link, its QR code, and that she waits");
  const link = new URL(ada.page.url()).pathname;
  const preview = await (await fetch(stage.arena.url + link)).text();
  const title = /og:title" content="([^"]*)/.exec(preview)[1];
  const picture = await fetch(/og:image" content="([^"]*)/.exec(preview)[1]);
  assert.equal(picture.headers.get("content-type"), "image/png");
  stage.rows.push(["the link in a messenger", 0, "", "", `“${title}” with a picture`]);

  const ming = await arrive(stage, "小明, phone zh", ZH);
  await ming.goto(link);
  await ming.page.locator("input[name=name]").fill("小明");
  await ming.note("who invites to what");
  const heard = [ada, ming].map(({ page }) => overheard(page));
  await ming.press(ming.page.locator("form button.first"));
  for (const one of [ada, ming]) await one.page.locator(".how canvas").first().waitFor();
  await ming.note("the pictures of the game, its keys, and Ready");
  await ada.note("the same; that 小明 is reading");
  const third = await arrive(stage, "a third one, phone zh", ZH);
  await third.goto(link);
  await third.page.locator(".timeline input, main a.first").first().waitFor();
  await third.note("the match, to watch");
  const ready = /Ready|准备/;
  for (const one of [ming, ada])
    await one.press(one.page.locator(".how header button", { hasText: ready }));
  await Promise.all([ada, ming].map(({ page }) => asked(page).waitFor()));
  const budgets = heard.map((all) => all.findLast(({ type }) => type === "question").budget_ms);
  assert.ok(Math.min(...budgets) >= 60_000, `${budgets} ms`);
  await ada.note(`the first question, with ${Math.min(...budgets) / 1000} s`);
  await Promise.all([playToEnd(ada), playToEnd(ming)]);
  for (const one of [ada, ming]) await one.note(`“${await told(one)}”`);
  const [first, state] = [matchOf(ada), await ask(ada.page, `/matches/${matchOf(ada)}`)];
  const shown = await fetch(`${stage.arena.url}/api/matches/${first}/picture`);
  assert.equal(shown.status, 200, "the picture of the link");
  if (shots) writeFileSync(join(shots, "link.png"), Buffer.from(await shown.arrayBuffer()));
  await ada.press(card(ada).getByRole("button", { name: "Swap sides" }));
  await ming.press(card(ming).getByRole("button", { name: "接受" }));
  await ada.page.waitForURL((url) => !url.pathname.endsWith(`/${first}`));
  await Promise.all([ada, ming].map(({ page }) => asked(page).waitFor()));
  const again = await ask(ada.page, `/matches/${matchOf(ada)}`);
  assert.deepEqual([again.a.name, again.b.name], [state.b.name, state.a.name]);
  await ada.note("the rematch, with sides swapped");
  await Promise.all([ada, ming, third].map(({ page }) => page.context().close()));
}

/** A beginner loses to level 1, then to a level that was too high, then to the one below it. */
async function beginner(stage) {
  const person = await arrive(stage, "beginner, phone zh", ZH);
  const { page } = person;
  const end = card(person);
  const lose = async (which) => {
    for (let tries = 1; ; tries++) {
      await asked(page).waitFor();
      await playToEnd(person, 2);
      // The level may die in the same round, or before.
      if ((await told(person)).startsWith("你输了")) break;
      assert.ok(tries < 9, "no loss");
      await again(person, "再来一局");
    }
    const title = await told(person);
    await end.getByRole("button", { name: "再来一局" }).waitFor();
    const buttons = (await end.getByRole("button").allInnerTexts()).join(" · ");
    await person.note(`${which}: “${title}”; ${buttons}`);
  };
  await person.goto("/");
  await person.press(page.getByRole("button", { name: /^立即对弈.*King of Bots/ }));
  await lose("first loss, to level 1");
  await person.press(end.getByRole("button", { name: "从这里重试" }));
  await asked(page).waitFor();
  await person.note("the moment before it, to be played again");
  await playToEnd(person, 0);
  await person.note(`“${await told(person)}”`);
  await person.press(end.getByRole("button", { name: "怎么玩" }));
  await page.locator("section.how canvas").first().waitFor();
  await person.note("how the game is played");
  await person.press(page.locator("section.how").getByRole("button", { name: "关闭" }));
  await person.press(end.getByRole("button", { name: "复盘分析" }));
  await page.locator("section.analysis").waitFor();
  await person.note("the analysis");
  await person.goto("/");
  await person.press(page.getByRole("button", { name: /选择级别.*King of Bots/ }));
  const level = page.getByRole("dialog").locator("li").filter({ hasText: "第 3 级" });
  await person.press(level.getByRole("button"));
  await lose("second loss, to level 3");
  await again(person, /第 2 级/);
  await lose("third loss, to level 2");
  await page.context().close();
}

/** An author uploads a bot that crashes, reads why, and mends it. */
async function author(stage) {
  await newAccount(stage.browser, stage.arena, "root");
  const person = await arrive(stage, "author, desktop en", EN);
  const { page } = person;
  await person.goto("/");
  await person.press(page.getByRole("link", { name: /^register/i }));
  await page.locator("input[name=name]").fill("turing");
  await page.locator("input[name=password]").fill(PASSWORD);
  await person.press(page.locator("main form button:not([type=button])").last());
  await page.waitForURL(/\/account/);
  await page.getByRole("link", { name: "Begin with King of Bots" }).waitFor();
  await person.note("the author's home: write your first bot");
  await person.press(page.getByRole("link", { name: "Begin with King of Bots" }));
  const editor = page.locator(".cm-content");
  await editor.waitFor();
  await page.locator("input[name=name]").fill("bombe");
  await person.note("the editor with a template");
  const [{ code }] = await ask(page, "/templates/kob");
  const line = "    room = ";
  assert.ok(code.includes(line), "the template has changed");
  const crash = '    if state.round == 9:\n        raise RuntimeError("boom at turn 9")\n';
  await write(page, code.replace(line, crash + line));
  await person.press(page.locator("main form button.first"));
  await page.waitForURL(/\/versions\/1/);
  await page
    .getByText(/boom at turn 9/)
    .first()
    .waitFor();
  await person.note("the verdict: the turn of the crash and its last words");
  await page.getByRole("link", { name: "Upload a fixed version" }).waitFor();
  await person.note("the end of the check: why it failed, how to see it again, what to do");
  await person.press(page.getByRole("link", { name: "turing" }));
  await page.getByRole("link", { name: "v1" }).waitFor();
  await person.note("the author's home: which version failed");
  await person.press(page.getByRole("link", { name: "v1" }));
  await person.press(page.getByRole("link", { name: "Upload a fixed version" }));
  await until("the code that failed", async () => (await editor.innerText()).includes("boom"));
  await person.note("the code that failed, to be mended");
  await write(page, code);
  await person.press(page.locator("main form button.first"));
  await page.waitForURL(/\/versions\/2/);
  await page.locator(".badge.good", { hasText: "active" }).first().waitFor();
  await person.note("all checks passed; version 2 is active");
  await page.context().close();
}

/** Writes code in place of what the editor has. */
async function write(page, code) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(code);
}

/** The threads that play matches and check versions. */
const PLAYS = /^(exhibition|play|check|table)\b/;

/** CPU seconds of a process so far: of the threads that play matches, and of all. */
function cpuOf(pid) {
  const spent = (file) => {
    const fields = readFileSync(file, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  const tasks = `/proc/${pid}/task`;
  let plays = 0;
  for (const task of readdirSync(tasks).filter((task) => existsSync(`${tasks}/${task}/comm`))) {
    const name = readFileSync(`${tasks}/${task}/comm`, "utf8").trim();
    if (PLAYS.test(name)) plays += spent(`${tasks}/${task}/stat`);
  }
  return { all: spent(`/proc/${pid}/stat`), plays };
}

/** A lecturer leaves TV on. */
async function lecturer(stage) {
  const size = { ...EN, viewport: { width: 1920, height: 1080 } };
  const person = await arrive(stage, "lecturer, 1920 x 1080", size);
  const { page } = person;
  await person.goto("/");
  await person.press(page.getByRole("link", { name: "Live", exact: true }));
  await page.locator(".lines li").first().waitFor();
  await person.note("a match, its commentary, the next one");
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable");
  const look = async () => {
    await tools.send("HeapProfiler.collectGarbage");
    const { metrics } = await tools.send("Performance.getMetrics");
    const of = (name) => metrics.find((one) => one.name === name).value;
    const cpu = cpuOf(stage.arena.pid);
    return { heap: of("JSHeapUsedSize") / 2 ** 20, nodes: of("Nodes"), cpu, at: performance.now() };
  };
  const seen = new Set();
  // The first matches load what the page keeps.
  const settled = 60_000;
  const since = (from, to) => {
    const share =
      (100 * (to.cpu.all - to.cpu.plays - from.cpu.all + from.cpu.plays)) / (to.at - from.at);
    return `${to.heap.toFixed(1)} MB, ${to.nodes} nodes; the server without matches ${(share * 1000).toFixed(1)} %`;
  };
  let [first, last] = [null, null];
  const [began, end] = [performance.now(), performance.now() + Number(minutes) * 60_000];
  while (performance.now() < end) {
    seen.add(
      await page
        .locator(".head a")
        .getAttribute("href")
        .catch(() => null),
    );
    if (performance.now() - (last?.at ?? began) > settled) {
      const now = await look();
      if (last)
        console.error(`  ${((now.at - began) / 60_000).toFixed(0)} min: ${since(last, now)}`);
      last = now;
      first ??= now;
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
  const to = await look();
  await person.note(
    `after ${minutes} min: ${seen.size} matches; the page ${first.heap.toFixed(1)} MB, ${first.nodes} nodes → ${since(first, to)} of a core`,
  );
  await page.context().close();
}

/** A slow phone at a slow line; the latency is that of a mobile network. */
const SLOW = { name: "slow phone", rate: 4, bits: 1.6e6, latency: 150 };

async function slowDown(page) {
  const tools = await page.context().newCDPSession(page);
  await tools.send("Network.enable");
  await tools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: SLOW.latency,
    downloadThroughput: SLOW.bits / 8,
    uploadThroughput: SLOW.bits / 16,
  });
  await tools.send("Emulation.setCPUThrottlingRate", { rate: SLOW.rate });
}

/** Milliseconds until the largest content so far, the sum of shifts, and bytes. */
const painted = async () => {
  const of = (type) =>
    new Promise((resolve) =>
      new PerformanceObserver((list) => resolve(list.getEntries())).observe({
        type,
        buffered: true,
      }),
    );
  const files = performance.getEntriesByType("resource");
  const all = [...files, ...performance.getEntriesByType("navigation")];
  const sum = all.reduce((sum, { transferSize }) => sum + transferSize, 0);
  const shifts = globalThis.shifts.reduce((sum, { value }) => sum + value, 0);
  return [(await of("largest-contentful-paint")).at(-1).startTime, shifts, sum];
};

/** When the largest content of each page is painted, on a slow phone that was never there. */
async function speed(stage) {
  const root = await newAccount(stage.browser, stage.arena, "root");
  const admin = await visit(stage.browser, { baseURL: stage.arena.url, ...root });
  const bots = [await builtIn(admin, "kob", "space"), await builtIn(admin, "kob", "safe")];
  const { id } = await playMatch(admin, "kob", bots);
  const open = async () => {
    const { page } = await arrive(stage, SLOW.name, ZH);
    await page.context().addInitScript(() => {
      for (const game of ["snakego", "kob", "tankcraft"])
        localStorage.setItem(`leitai.how.${game}`, "1");
    });
    await slowDown(page);
    return page;
  };
  const measure = async (page, seen, isThere, load) => {
    await load();
    await page.locator(isThere).first().waitFor();
    // What comes after the largest content so far may be larger.
    await page.waitForLoadState("networkidle");
    const [largest, shifts, bytes] = await page.evaluate(painted);
    const row = [SLOW.name, 0, (largest / 1000).toFixed(1), shifts.toFixed(3)];
    stage.rows.push([...row, `${seen}, ${Math.round(bytes / 1000)} kB`]);
    console.error(`  ${stage.rows.at(-1).join(" | ")}`);
  };
  for (const [seen, path, isThere] of [
    ["home", "/", "main canvas"],
    ["a game", "/games/kob", "main h1"],
    ["a ladder", "/games/kob/ladder", "main table"],
    ["play", "/play/kob", "main form button"],
    ["a replay", `/matches/${id}`, ".timeline input"],
  ]) {
    const page = await open();
    await measure(page, seen, isThere, () => page.goto(path));
    await page.context().close();
  }
  const page = await open();
  await page.goto(`/matches/${id}`);
  const analyse = page.getByRole("button", { name: "复盘分析" }).first();
  await analyse.waitFor();
  const began = performance.now();
  await analyse.tap();
  await page.getByText("分析完成").waitFor();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  stage.rows.push([SLOW.name, 1, seconds, "", "the analysis, complete, from the tap on"]);
  await page.goto("/");
  await page.getByRole("button", { name: /^立即对弈.*King of Bots/ }).tap();
  await asked(page).waitFor();
  await measure(page, "a match that is played", ".play", () => page.reload());
  await page.context().close();
}

/** Every page of a guest and of an author, on a phone that was never there: slow, and not. */
async function everyPage(stage) {
  const made = await furnish(stage.browser, stage.arena);
  for (const [phone, prepare] of [
    [SLOW.name, slowDown],
    ["phone", () => undefined],
  ])
    for (const [who, paths, session] of [
      ["guest", publicPages(made), {}],
      ["author", authorPages(made), { storageState: made.ada.storageState }],
    ])
      for (const path of paths) {
        const { page } = await arrive(stage, phone, { ...ZH, ...session });
        await prepare(page);
        await page.goto(path, { waitUntil: "load" });
        await page.locator("main h1, main canvas, main form").first().waitFor();
        await quiet(page);
        const [largest, shifts, bytes] = await page.evaluate(painted);
        const row = [`${phone}, ${who}`, 0, (largest / 1000).toFixed(1), shifts.toFixed(3)];
        stage.rows.push([...row, `${path}, ${Math.round(bytes / 1000)} kB`]);
        console.error(`  ${stage.rows.at(-1).join(" | ")}`);
        await page.context().close();
      }
}

/** No file or answer arrives for a second: a live board has a socket, which never ends. */
async function quiet(page) {
  const loaded = () => page.evaluate(() => performance.getEntriesByType("resource").length);
  let before = await loaded();
  for (let calm = 0; calm < 4;) {
    await page.waitForTimeout(250);
    const now = await loaded();
    calm = now === before ? calm + 1 : 0;
    before = now;
  }
}

/** The ways in which the parts of a page arrive; each returns what opens an address and waits. */
const ARRIVALS = {
  "one by one, the first first": (page) => arriveOneByOne(page, ORDERS.first),
  "one by one, the last first": (page) => arriveOneByOne(page, ORDERS.last),
  "each answer 50 to 800 ms late": async (page) => {
    let seed = 1;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    await page.route(/\/api\//, (route) =>
      setTimeout(() => void route.continue().catch(() => undefined), 50 + 750 * random()),
    );
    return (address) => openAndWait(page, address, 4000);
  },
  "slow line and processor": async (page) => {
    await slowDown(page);
    return (address) => openAndWait(page, address, 6000);
  },
};

async function openAndWait(page, address, millis) {
  await page.goto(address);
  await page.waitForTimeout(millis);
}

/** Every page at both sizes, in both languages, for every reader: what moves while it arrives. */
async function shifts(stage) {
  const made = await furnish(stage.browser, stage.arena);
  const readers = [
    ["guest", publicPages(made), {}],
    ["author", authorPages(made), made.ada],
    ["administrator", adminPages(made), made.root],
  ];
  for (const [who, paths, { storageState }] of readers)
    for (const [size, options] of [
      ["desktop", DESKTOP],
      ["phone", PHONE],
    ])
      for (const [way, arrive] of Object.entries(ARRIVALS)) {
        const began = performance.now();
        const session = storageState && { storageState };
        const page = await visit(stage.browser, {
          baseURL: stage.arena.url,
          ...MOVING,
          ...options,
          ...session,
        });
        await page.addInitScript(noteShifts);
        const open = await arrive(page);
        const found = [];
        for (const path of paths)
          for (const lang of ["en", "zh"]) {
            await open(withLang(path, lang));
            const { sum, worst } = await shiftsOf(page);
            found.push({ path, sum });
            if (sum > 0.01) console.error(path, lang, JSON.stringify(worst, null, 1));
          }
        await page.context().close();
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        const [worst] = found.toSorted((a, b) => b.sum - a.sum);
        const seen = `${found.length} pages, ${way}; the most at ${worst.path}`;
        stage.rows.push([`${who}, ${size}`, 0, seconds, worst.sum.toFixed(3), seen]);
        console.error(`  ${stage.rows.at(-1).join(" | ")}`);
      }
}

/** People have the time of the games, not that of tests. */
const OWN_CLOCKS = [...IDLE, "--limit", "person-time=1s"];

const JOURNEYS = {
  guest: [guest, OWN_CLOCKS],
  friends: [friends, OWN_CLOCKS],
  beginner: [beginner, OWN_CLOCKS],
  author: [author, ON_DEMAND],
  lecturer: [lecturer, WITH_EXHIBITIONS],
  shifts: [shifts, WITH_EXHIBITIONS],
  speed: [speed, [...ON_DEMAND, "--limit", "person-time=10m"]],
  pages: [everyPage, WITH_EXHIBITIONS],
  daily: [daily, []],
  analyses: [analyses, ON_DEMAND],
  fault: [ladderFault, ["--slots", "1", QUIET]],
  pace: [pace, OWN_CLOCKS],
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in JOURNEYS));
if (unknown.length > 0)
  throw new Error(`no journey ${unknown}; the names are ${Object.keys(JOURNEYS).join(", ")}`);
const browser = await openBrowser();
for (const name of names.length > 0 ? names : Object.keys(JOURNEYS)) {
  const [walk, options] = JOURNEYS[name];
  const arena = await openArena(...options);
  const rows = [];
  console.error(`== ${name}`);
  try {
    await walk({ arena, browser, rows });
  } finally {
    await arena.close();
    console.log("| who | clicks | seconds | shifts | what is seen |\n|---|---|---|---|---|");
    for (const row of rows) console.log(`| ${row.join(" | ")} |`);
  }
}
await browser.close();
