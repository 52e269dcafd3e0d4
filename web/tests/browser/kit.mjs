// Common parts of the browser tests: an arena with its own folder and port, a browser, and
// accounts.

import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { chromium } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
export const LEITAI =
  process.env.LEITAI ?? new URL("../../../target/debug/leitai", import.meta.url).pathname;
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
/** The longest wait; no test waits for a fixed time. */
export const PATIENCE = Number(process.env.LEITAI_PATIENCE ?? 90_000);

/** Runs `leitai serve` and returns its address. */
export function openArena(...options) {
  return serveArena(mkdtempSync(join(tmpdir(), "leitai-browser-")), "127.0.0.1:0", ...options);
}

/**
 * Runs `leitai serve` on a folder and an address. `close` removes the folder, `kill` leaves
 * everything as it is.
 */
export async function serveArena(data, listen, ...options) {
  const child = spawn(LEITAI, ["serve", "--listen", listen, "--data", data, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LEITAI_LANG: "en" },
  });
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
  const close = () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit");
      child.on("exit", () => resolve(rmSync(data, { recursive: true, force: true })));
      child.kill("SIGTERM");
    });
  const kill = () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit");
      child.on("exit", resolve);
      child.kill("SIGKILL");
    });
  return { url, data, secret, close, kill, log: () => errors };
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
    ...options,
  });
  if (!newcomer)
    await context.addInitScript(() => {
      for (const game of ["snakego", "kob", "tankcraft"])
        localStorage.setItem(`leitai.how.${game}`, "1");
    });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error.stack ?? error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text()))
      page.problems.push(message.text());
  });
  return page;
}

/**
 * Serious findings of axe-core as lines. Only those that are found twice: the page may be half
 * drawn.
 */
export async function findings(page) {
  // Evaluated instead of loaded: the page allows no scripts but its own.
  await page.evaluate(readFileSync(AXE, "utf8"));
  const first = await serious(page);
  if (first.length === 0) return first;
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  const again = await serious(page);
  return first.filter((line) => again.includes(line));
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

/**
 * Opens an account through the page; the first one needs the secret that `leitai serve` printed.
 */
export async function register(page, url, name, secret) {
  await page.goto(`${url}/register?lang=en${secret ? `#secret=${secret}` : ""}`);
  await page.locator("input[name=name]").fill(name);
  const passwords = page.locator("input[type=password]");
  for (let at = 0; at < (await passwords.count()); at++)
    await passwords.nth(at).fill("correct horse battery");
  await page.locator("main form button:not([type=button])").last().click();
  await page.waitForURL((address) => !address.pathname.startsWith("/register"));
}

/** Posts from the page, with its session. */
export const send = (page, path, body) =>
  page.evaluate(
    async ([path, body]) => {
      const { csrf } = await (await fetch("/api/me")).json();
      const headers = { "content-type": "application/json", "x-leitai-csrf": csrf };
      const sent = await fetch(`/api${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return sent.json();
    },
    [path, body],
  );

/** An API token of the account that is logged in. */
export const tokenOf = async (page) => (await send(page, "/me/tokens", { name: "test" })).token;

/** Runs the program as this account, and returns its output; throws if it fails. */
export function leitai(url, token, ...words) {
  const env = { ...process.env, LEITAI_LANG: "en", LEITAI_SERVER: url, LEITAI_TOKEN: token };
  return new Promise((resolve, reject) => {
    execFile(LEITAI, words, { env, timeout: PATIENCE }, (error, out, err) =>
      error
        ? reject(new Error(`leitai ${words.join(" ")}: ${error.code}\n${out}${err}`))
        : resolve(out),
    );
  });
}

/** Sends a request from the page, with its session. */
export const ask = (page, path) =>
  page.evaluate(async (path) => (await fetch(`/api${path}`)).json(), path);

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

/** The messages over the page's WebSocket. */
export function overheard(page) {
  const heard = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const text = typeof payload === "string" ? payload : inflateRawSync(payload).toString();
      heard.push({
        ...JSON.parse(text),
        bytes: payload.length,
        compressed: typeof payload !== "string",
      });
    }),
  );
  return heard;
}
