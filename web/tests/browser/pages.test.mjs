// Pages in a real browser: a match in a frame of another site, navigation, themes, people.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { adminPages, authorPages, furnish, publicPages, withLang } from "./furnish.mjs";
import { ORDERS, arriveOneByOne, noteShifts, shiftsOf } from "./shifts.mjs";
import {
  DESKTOP,
  MOVING,
  WITH_EXHIBITIONS,
  PASSWORD,
  PHONE,
  ask,
  builtIn,
  findings,
  playMatch,
  register,
  send,
  stage,
  until,
} from "./kit.mjs";

const { arena, browser, journey } = await stage(...WITH_EXHIBITIONS);
const made = await furnish(browser, arena);
const { root } = made;
/** A finished match whose two legs are long enough to look at parts of them. */
const match = await playMatch(
  root,
  "snakego",
  [await builtIn(root, "snakego", "greedy"), await builtIn(root, "snakego", "territory")],
  { config: { max_round: 40 }, seed: 3 },
);

/** A shift of the whole that nobody sees. */
const LEAST = 0.02;
/** The pages that one test opens. */
const AT_ONCE = 10;
const SIZES = [
  ["a desktop", DESKTOP, "last", "en"],
  ["a phone", PHONE, "first", "zh"],
];

// Every page once, at one of two sizes; `./dev journeys shifts` opens each at both.
for (const [whose, pages, { storageState }] of [
  ["a guest", publicPages(made), {}],
  ["an author", authorPages(made), made.ada],
  ["an administrator", adminPages(made), root],
])
  for (const [at, [name, size, order, lang]] of SIZES.entries()) {
    const paths = pages.filter((_, place) => place % SIZES.length === at);
    for (let from = 0; from < paths.length; from += AT_ONCE) {
      const some = paths.slice(from, from + AT_ONCE);
      journey(
        `no page of ${whose} moves on ${name}, whatever arrives ${order}: from ${some[0]} on`,
        (open) =>
          openAll(open, some, { ...size, ...(storageState && { storageState }) }, order, lang),
      );
    }
  }

/** Opens pages whose parts arrive in this order: none moves, and each is accessible. */
async function openAll(open, paths, options, order, lang) {
  const page = await open(options);
  await page.addInitScript(noteShifts);
  const openOneByOne = await arriveOneByOne(page, ORDERS[order]);
  const [jumps, heavy] = [[], []];
  for (const path of paths) {
    await openOneByOne(withLang(path, lang));
    await page.locator("h1, .timeline input").first().waitFor({ state: "attached" });
    await page.waitForFunction(() => !document.querySelector(".skeleton, .awaited"));
    const { sum, worst } = await shiftsOf(page);
    if (sum > LEAST) jumps.push({ path, sum, worst });
    for (const finding of await findings(page)) heavy.push(`${path}: ${finding}`);
  }
  assert.deepEqual(jumps, [], JSON.stringify(jumps, null, 1));
  assert.deepEqual(heavy, []);
}

journey("what is beside a board ends about where what is below it ends", async (open) => {
  const page = await open({ viewport: { width: 1440, height: 900 } });
  await page.goto(`/matches/${match.id}?lang=en&leg=1&round=20`);
  const end = async (selector) => {
    const box = await page.locator(selector).boundingBox();
    return box.y + box.height;
  };
  await page.locator(".start-clip").waitFor();
  const [board, beside] = [await end(".below"), await end(".beside")];
  assert.ok(beside < board + 200, `beside the board to ${beside}, below it to ${board}`);
  // Events and the first chart are seen without scrolling.
  assert.ok((await end(".beside svg >> nth=0")) <= 900, "the chart of the score is below the fold");
  // A long name takes what a short one leaves.
  const cut = await page
    .locator(".rail .name")
    .evaluateAll((names) => names.filter((name) => name.scrollWidth > name.clientWidth).length);
  assert.equal(cut, 0);
});

journey("a part of a page that does not arrive is told of, and asked for again", async (open) => {
  const page = await open(PHONE);
  page.excused = /^$|ERR_FAILED|dynamically imported/;
  const code = "**/assets/MatchView-*.js";
  await page.route(code, (route) => route.abort());
  await page.goto("/?lang=zh");
  await page.getByText("页面有一部分未能加载").waitFor();
  // What did arrive is there.
  await page
    .getByRole("button", { name: /^立即对弈/ })
    .first()
    .waitFor();
  await page.unroute(code);
  await page.getByRole("button", { name: "刷新" }).click();
  await page.locator(".live-board .started").waitFor();
  assert.equal(await page.getByText("页面有一部分未能加载").count(), 0);
});

/** A site of another origin with the match in a frame; it keeps what the frame says. */
async function openHost(open, query, options = {}) {
  const html = `<!doctype html><title>Host</title>
    <script>
      window.heard = [];
      addEventListener("message", (event) => heard.push({ origin: event.origin, ...event.data }));
    </script>
    <iframe id="frame" src="${arena.url}/embed/matches/${match.id}${query}" width="480" height="620"></iframe>`;
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(html);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = await open({ ...MOVING, ...options });
  // Another name is another site than that of the arena, not only another origin.
  await page.goto(`http://localhost:${server.address().port}/`);
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const heard = (type) =>
    page.evaluate((type) => window.heard.filter((said) => said.type === type), type);
  const tell = (message) =>
    page.evaluate(
      (message) => document.querySelector("#frame").contentWindow.postMessage(message, "*"),
      message,
    );
  return { page, heard, tell, close };
}

const last = (said) => said.at(-1);

journey(
  "a match in a frame of another site says when it is ready, where it is and how it ended",
  async (open) => {
    const host = await openHost(open, "?leg=1&from=2&to=4&autoplay=1&speed=8&lang=en");
    const end = await until("the end", async () => last(await host.heard("end")));
    const [ready] = await host.heard("ready");
    assert.equal(ready.origin, new URL(arena.url).origin);
    assert.equal(ready.source, "leitai");
    assert.equal(ready.match, match.id);
    assert.equal(ready.round, 2);
    assert.equal(ready.leg, 1);
    assert.ok(ready.lastStep >= end.step, JSON.stringify([ready, end]));
    // The position after round 4.
    assert.ok(end.round === 5 || end.step === end.lastStep, JSON.stringify(end));
    assert.ok((await host.heard("step")).length > 0);
    await host.close();
  },
);

journey("a frame without autoplay waits, and takes play, pause and seek", async (open) => {
  const host = await openHost(open, "?leg=1&lang=en");
  await until("ready", async () => (await host.heard("ready")).length > 0);
  assert.equal((await host.heard("end")).length, 0);
  await host.tell({ type: "seek", round: 3 });
  await until("round 3", async () => last(await host.heard("step"))?.round === 3);
  // What is no command changes nothing.
  for (const message of [{ type: "seek", round: -5 }, { type: "close" }, "play", null, 7])
    await host.tell(message);
  await host.tell({ type: "seek", leg: 2, round: 1 });
  await until("leg 2", async () => {
    const said = last(await host.heard("step"));
    return said.leg === 2 && said.round === 1;
  });
  await host.tell({ type: "play" });
  const frame = host.page.frameLocator("#frame");
  await frame.getByRole("button", { name: "Pause" }).waitFor();
  await host.tell({ type: "pause" });
  await frame.getByRole("button", { name: /^Play / }).waitFor();
  await host.tell({ type: "seek", step: 100_000 });
  await until("the last step", async () => {
    const said = last(await host.heard("step"));
    return said.step === said.lastStep;
  });
  await host.close();
});

journey("a frame loops, and its theme is that of its address", async (open) => {
  const host = await openHost(open, "?leg=1&to=1&autoplay=1&loop=1&speed=32&theme=dark&lang=zh", {
    colorScheme: "light",
  });
  await until("two ends", async () => (await host.heard("end")).length >= 2);
  const frame = host.page.frameLocator("#frame");
  assert.equal(await frame.locator("html").getAttribute("data-theme"), "dark");
  await host.close();

  const high = await openHost(open, "?theme=contrast");
  await until("ready", async () => (await high.heard("ready")).length > 0);
  const root = high.page.frameLocator("#frame").locator("html");
  assert.equal(await root.getAttribute("data-contrast"), "more");
  await high.close();
});

journey("a frame does not move by itself for readers who prefer no motion", async (open) => {
  const host = await openHost(open, "?leg=1&autoplay=1&speed=128", { reducedMotion: "reduce" });
  const [ready] = await until("ready", async () => {
    const said = await host.heard("ready");
    return said.length > 0 && said;
  });
  await host.page
    .frameLocator("#frame")
    .getByRole("button", { name: /^Play / })
    .waitFor();
  assert.equal(ready.step, 0);
  await host.close();
});

journey("the dialog writes the options into the address of the code", async (open) => {
  const page = await open();
  await page.goto(`/matches/${match.id}?lang=en&leg=2&round=3`);
  await page.getByRole("button", { name: "Embed" }).click();
  await page.getByLabel("Loop").check();
  await page.getByLabel("To round").fill("5");
  await page.getByRole("combobox", { name: /^Theme/ }).selectOption("dark");
  await page.getByRole("combobox", { name: /^Speed|^Playback/ }).selectOption("8");
  const code = await page.getByLabel("Put this code into your page:").inputValue();
  const address = new URL(/src="([^"]*)"/.exec(code)[1].replaceAll("&amp;", "&"));
  assert.equal(address.pathname, `/embed/matches/${match.id}`);
  assert.deepEqual(Object.fromEntries(address.searchParams), {
    leg: "2",
    from: "3",
    to: "5",
    autoplay: "1",
    loop: "1",
    speed: "8",
    theme: "dark",
  });
  await page.getByLabel("To round").fill("1");
  await page.getByText("Round 1 comes before round 3").waitFor();
  assert.deepEqual(await findings(page), []);
});

journey("the head leads to play, live and the ladders; on a phone it is a menu", async (open) => {
  const page = await open(PHONE);
  await page.goto("/?lang=en");
  const main = page.getByRole("navigation", { name: "Main" });
  assert.equal(await main.isVisible(), false);
  // The home page begins with a game that starts at once.
  const play = page.getByRole("button", { name: "Play now" }).first();
  await play.waitFor();
  assert.ok((await play.boundingBox()).y < 500, JSON.stringify(await play.boundingBox()));
  for (const [link, title] of [
    ["Ladders", "Ladders"],
    ["Live", "Live"],
    ["Play", "Play"],
  ]) {
    await page.getByRole("button", { name: "Menu" }).click();
    await main.getByRole("link", { name: link, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await main.waitFor({ state: "hidden" });
  }
  await page.getByRole("button", { name: "Menu" }).click();
  assert.deepEqual(await findings(page), [], "with the menu");
  await page.keyboard.press("Escape");
  await main.waitFor({ state: "hidden" });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `${wider} pixels too wide`);
});

journey("high contrast is remembered, and follows the system until it is chosen", async (open) => {
  const page = await open();
  await page.goto("/ladders?lang=en");
  const root = page.locator("html");
  const button = page.getByRole("button", { name: "High contrast" });
  assert.equal(await root.getAttribute("data-contrast"), null);
  await button.click();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Ladders" }).waitFor();
  assert.equal(await root.getAttribute("data-contrast"), "more");
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(page), [], colorScheme);
  }
  await button.click();
  await page.emulateMedia({ contrast: "more" });
  await until(
    "the system's contrast",
    async () => (await root.getAttribute("data-contrast")) === "more",
  );
  await button.click();
  assert.equal(await root.getAttribute("data-contrast"), null);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Ladders" }).waitFor();
  assert.equal(await root.getAttribute("data-contrast"), null);
});

journey(
  "a person has a public page with bots and their matches; nobody else has one",
  async (open) => {
    const page = await open();
    await register(page, "Lovelace");
    await send(page, "/bots", { game: "kob", name: "analytical", about: "" });

    const guest = await open(PHONE);
    await guest.goto("/users/lovelace?lang=en");
    await guest.getByRole("heading", { level: 1, name: "Lovelace" }).waitFor();
    await guest.getByRole("link", { name: "analytical" }).waitFor();
    await guest.getByText("No matches yet.").waitFor();
    assert.deepEqual(await findings(guest), []);
    const profile = await ask(guest, "/users/LOVELACE");
    assert.deepEqual(Object.keys(profile).sort(), ["at_home", "bots", "created", "name", "played"]);
    // What is kept for everyone says nothing of the one who asked first.
    assert.equal(profile.bots[0].yours, false);

    await guest.goto("/users/nobody-here?lang=en");
    await guest.getByRole("alert").waitFor();
  },
);

journey(
  "the head searches for bots, players and matches, and a player has a history",
  async (open) => {
    const page = await open();
    // A field that is not drawn yet takes no focus.
    await page.addInitScript(() => {
      const { focus } = HTMLElement.prototype;
      let calls = 0;
      HTMLInputElement.prototype.focus = function () {
        if (++calls > 2) focus.call(this);
      };
    });
    await page.goto("/?lang=en");
    await page.locator("header").getByRole("link", { name: "Search" }).click();
    await page.getByRole("heading", { level: 1, name: "Search" }).waitFor();
    const own = page.locator("main input[type=search]");
    await until("the field is focused", () =>
      own.evaluate((field) => field === document.activeElement),
    );
    await page.keyboard.type("GREED");
    await page.locator("main").getByRole("link", { name: "greedy" }).first().waitFor();
    await own.fill(`#${match.id}`);
    await page.locator(`main a[href="/matches/${match.id}"]`).waitFor();
    await own.fill("zzzz");
    await page.getByText("No name begins with “zzzz”").waitFor();

    // Who resigns has played a match, which is found by their name.
    const grace = await open();
    await register(grace, "Grace");
    grace.on("dialog", (dialog) => void dialog.accept());
    await grace.goto("/play?lang=en");
    await grace.getByRole("button", { name: /^Play now\s*: King of Bots/ }).click();
    await grace.waitForURL(/\/matches\/\d+/);
    await grace.getByRole("button", { name: "Resign" }).click();
    const { items } = await until("the end of the match", async () => {
      const list = await ask(grace, "/matches?person=grace&state=finished");
      return list.items?.length === 1 && list;
    });
    await page.goto("/search?lang=en&q=gra");
    await page.locator("main").getByRole("link", { name: "Grace" }).click();
    await page.getByRole("heading", { name: "As a player" }).waitFor();
    await page.getByRole("cell", { name: "0/0/1" }).waitFor();
    await page.locator(`main a[href="/matches/${items[0].id}"]`).waitFor();
    assert.deepEqual(await findings(page), []);
  },
);

journey(
  "a match page needs no more than 2.8 seconds of 400 kbit/s until its board is drawn",
  async (open, t) => {
    const [kilobits, seconds] = [400, 2.8];
    const page = await open();
    const loaded = [];
    page.on("requestfinished", (request) => loaded.push(request));
    // What the board needs was asked for before the last of it, the game's viewer, was there: a
    // slow machine and what is loaded after the board change nothing about that.
    await page.addInitScript(() => {
      document.addEventListener(
        "painted",
        () => {
          const all = ["navigation", "resource"].flatMap((type) =>
            performance.getEntriesByType(type),
          );
          const { responseEnd } = all.find(({ name }) => /\/assets\/viewer-[^/]*\.js$/.test(name));
          const needed = all.filter(({ startTime }) => startTime < responseEnd);
          globalThis.needed ??= needed.map(({ name }) => name);
        },
        true,
      );
    });
    await page.goto(`/matches/${match.id}?lang=en`);
    const drawn = await page.waitForFunction(() => globalThis.needed, null, { polling: 50 });
    const needed = new Set(await drawn.jsonValue());
    const answers = await until("what was needed", () => {
      const found = new Map(loaded.map((request) => [request.url(), request]));
      return [...needed].every((url) => found.has(url)) && [...needed].map((url) => found.get(url));
    });
    const sizes = await Promise.all(answers.map((request) => request.sizes()));
    const bytes = sizes.reduce(
      (sum, { responseBodySize, responseHeadersSize }) =>
        sum + responseBodySize + responseHeadersSize,
      0,
    );
    t.diagnostic(`${match.game}: ${needed.size} answers of ${bytes} bytes until the board`);
    assert.ok(bytes > 100_000, `only ${bytes} bytes were counted`);
    assert.ok(bytes <= (kilobits * 1000 * seconds) / 8, `${bytes} bytes until the board`);
  },
);

journey("the first page is there after 54 kB of pages, code and styles", async (open, t) => {
  const page = await open();
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector("main h1")) return;
      observer.disconnect();
      const loaded = ["navigation", "resource"].flatMap((type) =>
        performance.getEntriesByType(type),
      );
      globalThis.loadedFirst = loaded
        .filter(({ name, entryType }) => entryType === "navigation" || /\.(js|css)$/.test(name))
        .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize]);
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto("/?lang=en");
  const loaded = await (await page.waitForFunction(() => globalThis.loadedFirst)).jsonValue();
  const bytes = loaded.reduce((sum, [, bytes]) => sum + bytes, 0);
  t.diagnostic(`${bytes} bytes: ${loaded.map((file) => file.join(" ")).join(", ")}`);
  assert.ok(loaded.length >= 5 && loaded.every(([, bytes]) => bytes > 0), "the files are counted");
  assert.ok(bytes <= 54 * 1024, `${bytes} bytes until the first heading`);
});

/** The time step of authenticator apps now. */
const stepNow = () => Math.floor(Date.now() / 30_000);

/** The code that an authenticator app with this secret shows at a time step. */
function codeAt(secret, step) {
  const bits = [...secret].map((sign) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(sign).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const key = Buffer.from(bytes.map((byte) => parseInt(byte, 2)));
  const hash = createHmac("sha1", key).update(counter).digest();
  const number = hash.readUInt32BE(hash.at(-1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Logs in on the page up to the question for the code. */
async function enterPassword(page, lang) {
  await page.goto(`/login?lang=${lang}`);
  await page.locator("input[name=name]").fill("guarded");
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.locator("input[name=password]").press("Enter");
}

journey("a second factor is set up, asked for, recovered and switched off", async (open) => {
  const page = await open();
  await register(page, "guarded");
  await page.goto("/account?tab=security&lang=en");
  const sheet = page.locator(".sheet", { has: page.locator("#second-factor") });
  await sheet.locator("input[name=password]").fill(PASSWORD);
  await sheet.getByRole("button", { name: "Set up" }).click();
  const qr = sheet.getByRole("img", { name: "QR code" });
  await qr.waitFor();
  await until("the QR code", () => qr.evaluate((image) => image.naturalWidth >= 200));
  const secret = await sheet.getByLabel("Secret", { exact: true }).innerText();
  assert.deepEqual(await findings(page), []);
  const first = stepNow();
  await sheet.locator("input[name=code]").fill(codeAt(secret, first));
  await sheet.getByRole("button", { name: "Switch on" }).click();
  const shown = sheet.getByLabel("Recovery codes", { exact: true });
  const codes = (await shown.innerText()).split(/\s+/);
  assert.equal(codes.length, 10);
  await sheet.getByRole("button", { name: "I have kept them" }).click();
  await sheet.getByText("Recovery codes left: 10").waitFor();
  assert.deepEqual(await findings(page), []);

  await page.getByRole("button", { name: "Log out" }).click();
  await until("logging out", async () => (await ask(page, "/me")).user === null);
  await enterPassword(page, "zh");
  const code = page.getByLabel("验证码", { exact: true });
  await code.fill("12345");
  await code.press("Enter");
  await page.getByText("验证码错误").waitFor();
  assert.deepEqual(await findings(page), []);
  // Each code is taken once: the next one of the app.
  await code.fill(codeAt(secret, Math.max(first + 1, stepNow())));
  await code.press("Enter");
  await page.waitForURL(/\/account/);

  const other = await open();
  await enterPassword(other, "en");
  await other.locator("input[name=code]").fill(codes[0].toUpperCase());
  await other.locator("input[name=code]").press("Enter");
  await other.waitForURL(/\/account/);
  await other.goto("/account?tab=security");
  const own = other.locator(".sheet", { has: other.locator("#second-factor") });
  await own.getByText("Recovery codes left: 9").waitFor();
  await own.locator("input[name=password]").fill(PASSWORD);
  await own.locator("input[name=code]").fill(codes[1]);
  await own.getByRole("button", { name: "Switch off" }).click();
  await own.getByText("The second factor is off.").waitFor();

  await page.getByRole("button", { name: "退出" }).first().click();
  await until("logging out", async () => (await ask(page, "/me")).user === null);
  await enterPassword(page, "en");
  await page.waitForURL(/\/account/);
});
