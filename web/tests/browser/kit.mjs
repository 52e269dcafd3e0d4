// Common parts of the browser tests: an arena with its own folder and port, a browser, visitors,
// accounts, bots and matches.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const LEITAI =
  process.env.LEITAI ?? new URL("../../../target/debug/leitai", import.meta.url).pathname;
/** The headless shell first: it starts in a third of the time. */
const CHROMIUM = ["chromium-headless-shell", "chromium", "chromium-browser"]
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);
/** The longest wait; no test waits for a fixed time. */
const PATIENCE = Number(process.env.LEITAI_PATIENCE ?? 180_000);

export const DESKTOP = { viewport: { width: 1366, height: 768 } };
/** For tests of what moves: other visitors prefer no motion, which costs a third of the time. */
export const MOVING = { reducedMotion: "no-preference" };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** What a page logs when its server does not answer: `page.excused` of tests that stop it. */
export const SERVER_GONE = /ERR_|Failed to fetch|network error|preload CSS|WebSocket|status of 50/;
/** Without it, three bots play slowly as long as any visitor watches any match. */
export const QUIET = "--no-exhibitions";
/** An arena that plays nothing by itself. */
export const IDLE = ["--slots", "0", QUIET];
/** No person or program loses by the clock because the machine is busy: no test is about that. */
const UNHURRIED = ["person-time=1h", "match-waiting=1h", "check-waiting=1h"];
/** An arena that checks versions, plays exhibitions and what somebody asks for, and no ladder. */
export const WITH_EXHIBITIONS = ["--slots", "1", "--ladder-every", "never"];
/** The same without exhibitions. */
export const ON_DEMAND = [...WITH_EXHIBITIONS, QUIET];

/**
 * Opens an arena and a browser for the tests of a file; both are closed after them. `journey` is a
 * test with visitors of its own.
 */
export const stage = (...options) => stageOf(openArena(...options));

/** The same, of an idle arena at a port that it is told as its public address. */
export const stageAt = (port, ...options) => stageNamed("127.0.0.1", port, ...options);

/** The same, with this name in its public address. */
export const stageNamed = (name, port, ...options) => {
  const [folder, listen] = [newFolder(), `127.0.0.1:${port}`];
  const url = `http://${name}:${port}`;
  return stageOf(serveArena(folder, listen, ...IDLE, "--public-url", url, ...options));
};

async function stageOf(opened) {
  const [arena, browser] = await Promise.all([opened, openBrowser()]);
  after(async () => {
    await browser.close();
    await arena.close();
  });
  return { arena, browser, journey: journeys(browser, arena.url) };
}

/**
 * Makes tests of what visitors do: `work(open, context)`, where `open(options)` is a new visitor. A
 * problem of a page fails the test; `page.excused` is a pattern of those that belong to it.
 */
export function journeys(browser, baseURL) {
  return (name, work, options = {}) =>
    test(name, options, async (context) => {
      const pages = [];
      const open = async (options) => {
        pages.push(await visit(browser, { baseURL, ...options }));
        return pages.at(-1);
      };
      try {
        await work(open, context);
        for (const { problems, excused } of pages)
          assert.deepEqual(
            problems.filter((problem) => !excused?.test(problem)),
            [],
          );
      } finally {
        await Promise.all(pages.map((page) => page.context().close()));
      }
    });
}

/** A folder that is removed after the tests of a file. */
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "leitai-browser-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `leitai` in a folder and returns what it prints. */
export const runIn =
  (cwd) =>
  (...words) =>
    execFileSync(LEITAI, words, {
      env: { ...process.env, LEITAI_LANG: "en" },
      cwd,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "pipe"],
    });

/** Whether the page has the engine. LEITAI_REQUIRE_WASM=1 makes its absence an error. */
export async function skipWithoutEngine({ url }) {
  // Only a build with the engine keeps files for use without the server.
  const { ok } = await fetch(`${url}/sw.js`);
  if (!ok && process.env.LEITAI_REQUIRE_WASM === "1")
    throw new Error("this build has no engine (./dev engine)");
  return { skip: ok ? false : "this build has no engine (./dev engine)" };
}

let nextPort = (process.pid * 8) % 20_000;

/** Whether a server could begin to listen there. */
const listens = (server) =>
  new Promise((resolve) =>
    server.on("listening", () => resolve(true)).on("error", () => resolve(false)),
  );

/**
 * A free port below those that the system gives to connections and to port 0: nobody else gets it
 * while a server starts, or is started again. Processes that run at once begin at different ones,
 * and this one takes the name that stands for the port among all tests, those in Rust, too, until
 * it ends.
 */
export async function findFreePort() {
  for (;;) {
    const port = 10_000 + (nextPort++ % 20_000);
    // So long that nothing is added to it: Node fills shorter names.
    const path = `\0leitai-test-port-${String(port).padEnd(90, "-")}`;
    if (!(await listens(createServer().unref().listen({ path })))) continue;
    const server = createServer().listen(port, "127.0.0.1");
    if (!(await listens(server))) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** Whether somebody listens on this port. */
export const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });

/** The database of an arena that was opened once and closed again; `run.mjs` makes it. */
const DATABASE = process.env.LEITAI_NEW_DATABASE;

/** A folder for an arena, whose tables are there: making them is half of a first start. */
function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "leitai-browser-"));
  if (DATABASE) copyFileSync(DATABASE, join(folder, "arena.db"));
  return folder;
}

/** Runs `leitai serve` on a folder of its own, which `close` removes. */
export function openArena(...options) {
  return serveArena(newFolder(), "127.0.0.1:0", ...options);
}

/** Leaves the database of a new arena in this file. */
export async function makeDatabase(file) {
  const arena = await openArena(...IDLE);
  await arena.stop();
  copyFileSync(join(arena.data, "arena.db"), file);
  rmSync(arena.data, { recursive: true });
}

/**
 * Runs `leitai serve` on a folder and an address. `close` removes the folder, `stop` and
 * `kill` leave it.
 */
export async function serveArena(data, listen, ...options) {
  const limits = UNHURRIED.flatMap((limit) => ["--limit", limit]);
  const place = ["--listen", listen, "--data", data];
  const child = spawn(LEITAI, ["serve", ...place, ...limits, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LEITAI_LANG: "en" },
  });
  // A file that throws before its tests leaves no arena behind.
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  let errors = "";
  child.stderr.on("data", (text) => (errors = (errors + text).slice(-20_000)));
  const [url, secret] = await new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (text) => {
      said += text;
      const found = /http:\/\/\S+/.exec(said);
      // All is said at once; where there is an account there is no secret.
      const secret = /#secret=(\S+)/.exec(said);
      if (found && /database .*\n/.test(said)) resolve([found[0], secret?.[1]]);
    });
    child.on("exit", (code) => reject(new Error(`leitai serve ended with ${code}:\n${errors}`)));
  });
  const endBy = (signal) =>
    new Promise((resolve) => {
      if (child.exitCode !== null) return resolve();
      child.on("exit", () => resolve());
      child.kill(signal);
    });
  const stop = () => endBy("SIGTERM");
  const kill = () => endBy("SIGKILL");
  const close = async () => {
    await stop();
    rmSync(data, { recursive: true, force: true });
  };
  return { url, data, secret, stop, close, kill, pid: child.pid, log: () => errors };
}

export function openBrowser() {
  if (!CHROMIUM) throw new Error("there is no Chromium; ./dev test installs it with apt");
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/**
 * A new visitor. Errors of the page are collected in `page.problems`. Only a newcomer is shown how
 * the games are played.
 */
export async function visit(browser, { newcomer = false, ...options } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: "en-GB",
    reducedMotion: "reduce",
    ...options,
  });
  if (!newcomer)
    await context.addInitScript(() => {
      for (const game of ["snakego", "kob", "tankcraft"])
        localStorage.setItem(`leitai.how.${game}`, "1");
    });
  // For its requests and further pages, too.
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error.stack ?? error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text()))
      page.problems.push(message.text());
  });
  return page;
}

/** How often a page is looked at again in which something was found: it may be half drawn. */
const LOOKS = 20;

/** Serious findings of axe-core that stay, as lines. */
export async function findings(page) {
  // Evaluated instead of loaded: the page allows no scripts but its own.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  let found = await serious(page);
  for (let look = 0; found.length > 0 && look < LOOKS; look++) {
    await page.evaluate(
      () => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn), 100)),
    );
    const again = await serious(page);
    found = found.filter((line) => again.includes(line));
  }
  return found;
}

async function serious(page) {
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ["violations"] }),
  );
  const heavy = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return heavy.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help}: ${target}`),
  );
}

export const PASSWORD = "correct horse battery";

/** Opens an account; the first one needs the secret that `leitai serve` printed. */
export async function register(page, name, secret) {
  const data = { name, password: PASSWORD, secret };
  const made = await page.request.post("/api/register", { data });
  assert.equal(made.status(), 200, await made.text());
}

/** The session of a new account: for requests without a page, and for `open(session)`. */
export async function newAccount(browser, { url, secret }, name) {
  const context = await browser.newContext({ baseURL: url });
  context.setDefaultTimeout(PATIENCE);
  await register(context, name, name === "root" ? secret : undefined);
  return { request: context.request, storageState: await context.storageState() };
}

/** Posts with the page's session. */
export async function send(page, path, body) {
  const sent = await page.request.post(`/api${path}`, { data: body, ...(await signed(page)) });
  assert.ok(sent.ok(), `${path}: ${sent.status()} ${await sent.text()}`);
  return sent.json();
}

const signed = async (page) => ({ headers: { "x-leitai-csrf": (await ask(page, "/me")).csrf } });

/** Sends the file of a new bot, or of a new version of one; returns the bot once it is checked. */
export async function upload(page, path, source, { file = "main.py", ...fields } = {}) {
  const sent = await page.request.post(`/api${path}`, {
    multipart: {
      notes: "",
      ...fields,
      file: { name: file, mimeType: "text/plain", buffer: Buffer.from(source) },
    },
    ...(await signed(page)),
  });
  assert.equal(sent.status(), 201, await sent.text());
  return until(`the check of ${file}`, async () => {
    const { items } = await ask(page, "/me/bots");
    const bot = items.find(
      ({ id, name }) => path === `/bots/${id}/versions` || name === fields.name,
    );
    const [newest] = bot.versions.toSorted((a, b) => b.number - a.number);
    return ["ready", "failed"].includes(newest.state) && { ...bot, newest };
  });
}

/** The id of a bot that everybody can play against. */
export async function builtIn(page, game, name) {
  const { items } = await ask(page, `/games/${game}/ladder?limit=100`);
  return items.find(({ bot }) => bot.name === name).bot.id;
}

/** Has two bots play a friendly match, and waits for its end. */
export async function playMatch(page, game, [a, b], more = {}) {
  const { id } = await send(page, "/matches", { game, a: { bot: a }, b: { bot: b }, ...more });
  return until(`the end of match ${id}`, async () => {
    const match = await ask(page, `/matches/${id}`);
    return match.state === "finished" && match;
  });
}

/** Asks the arena with the page's session. */
export const ask = async (page, path) => (await page.request.get(`/api${path}`)).json();

/** Polls until there is an answer. */
export async function until(what, look, patience = PATIENCE) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`still waiting after ${patience / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Matches with people: the buttons of an answer, those that kill nobody, and the round shown. */
export const CHOICES =
  ".play .choices:not(.waits) button:not([aria-disabled=true]):not([aria-pressed=true])";
export const SAFE_CHOICES = `${CHOICES}:not(.deadly)`;
const DONE = ".play .finish .done:not([disabled])";
export const asked = (page) => page.locator(`.play .choices:not(.waits) button, ${DONE}`).first();
export const shownRound = async (page) =>
  Number(/\d+/.exec(await page.locator(".controls .where").textContent())?.[0] ?? 0);

/**
 * Answers by actions that kill nobody, until a later round is shown. A leg of snakes may be over
 * before it: `level1` runs off the map, or all one's own snakes become walls.
 */
export async function playOn(page) {
  const before = await shownRound(page);
  await until("a later round", async () => {
    await page
      .locator(`${SAFE_CHOICES}, ${DONE}`)
      .first()
      .click({ timeout: 1000 })
      .catch(() => false);
    return (await shownRound(page)) > before;
  });
}

/**
 * Watches for a text that may be shown for a moment only, as long as the page is not loaded anew.
 * The returned function waits until it was there.
 */
export async function watchFor(page, selector, text) {
  const watch = await page.evaluateHandle(
    ([selector, text]) => {
      const seen = new Promise((resolve) => {
        const look = () => {
          const shown = [...document.querySelectorAll(selector)];
          if (shown.some(({ textContent }) => textContent.includes(text))) resolve();
        };
        const all = { childList: true, subtree: true, characterData: true };
        new MutationObserver(look).observe(document, all);
        look();
      });
      return { seen };
    },
    [selector, text],
  );
  return () => watch.evaluate(({ seen }) => seen);
}

/** The messages over the page's WebSockets, each with the address of its socket. */
export function overheard(page) {
  const heard = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const text = typeof payload === "string" ? payload : inflateRawSync(payload).toString();
      heard.push({
        ...JSON.parse(text),
        socket: socket.url(),
        bytes: payload.length,
        compressed: typeof payload !== "string",
      });
    }),
  );
  return heard;
}
