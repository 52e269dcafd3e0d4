// Common parts of the scripts in this folder: the pages, the sample server, and Chromium.

import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { createServer } from "vite";

/** Every page by a short name: its address in the sample data, and its reader. */
export const PAGES = [
  ["home", "/"],
  ["game", "/games/snakego"],
  ["ladder", "/games/snakego/ladder"],
  ["ladder-divisions", "/games/kob/ladder"],
  ["ladder-division", "/games/kob/ladder?division=2"],
  ["game-play", "/games/kob?tab=play"],
  ["game-matches", "/games/kob?tab=matches"],
  ["play", "/play/snakego"],
  ["invite", "/invite/k7f3-q2"],
  ["live", "/live"],
  ["ladders", "/ladders"],
  ["ladders-further", "/ladders?game=kob&ladder=small"],
  ["choose-game", "/play"],
  ["matches", "/matches"],
  ["matches-none", "/matches?kind=human&state=void"],
  ["match", "/matches/1083"],
  ["match-snakego", "/matches/1081?leg=1&round=120"],
  ["match-kob", "/matches/1082?leg=1&round=20"],
  ["match-tankcraft", "/matches/1083?leg=2&round=60"],
  ["match-unknown", "/matches/999999"],
  ["search", "/search?q=r"],
  ["search-match", "/search?q=1081"],
  ["search-none", "/search?q=zzz"],
  ["person", "/users/小林"],
  ["viewer", "/viewer"],
  ["embed", "/embed/matches/1081"],
  ["bot", "/bots/4"],
  ["bot-mine", "/bots/4", "ada"],
  ["bot-unknown", "/bots/9999"],
  ["bot-new", "/bots/8"],
  ["bot-ladders", "/bots/16", "ada"],
  ["version-ready", "/bots/4/versions/7", "ada"],
  ["version-failed", "/bots/4/versions/5", "ada"],
  ["version-building", "/bots/4/versions/8", "ada"],
  ["upload", "/upload?game=snakego", "ada"],
  ["upload-guest", "/upload"],
  ["account", "/account", "ada"],
  ["account-access", "/account?tab=access", "ada"],
  ["account-teams", "/account?tab=teams", "ada"],
  ["account-security", "/account?tab=security", "ada"],
  ["daily", "/daily"],
  ["progress", "/progress", "ada"],
  ["progress-guest", "/progress"],
  ["contests", "/contests", "ada"],
  ["contest-open", "/contests/spring", "ada"],
  ["contest", "/contests/autumn", "ada"],
  ["contest-guest", "/contests/autumn"],
  ["contest-bracket", "/contests/cup"],
  ["contest-similar", "/contests/autumn/similar", "ada"],
  ["contest-pair", "/contests/autumn/similar/1/2", "ada"],
  ["contest-screen", "/contests/autumn/screen"],
  ["group", "/groups/1", "ada"],
  ["notifications", "/notifications", "ada"],
  ["notifications-none", "/notifications", "newcomer"],
  ["account-new", "/account", "newcomer"],
  ["login", "/login"],
  ["register", "/register"],
  ["choose-name", "/choose-name"],
  ["forgot-password", "/forgot-password"],
  ["reset-password", "/reset-password?token=abc"],
  ["confirm-mail", "/confirm-mail?token=abc"],
  ["admin", "/admin", "ada"],
  ["admin-queue", "/admin?tab=queue", "ada"],
  ["admin-workers", "/admin?tab=workers", "ada"],
  ["admin-matches", "/admin?tab=matches", "ada"],
  ["admin-audit", "/admin?tab=audit", "ada"],
  ["not-found", "/nothing/here"],
];

/** Opens the sample server and Chromium, runs an action, and closes both in any case. */
export async function withPages(act) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const server = await createServer({
    root,
    mode: "mock",
    logLevel: "error",
    server: { port: 0, host: "127.0.0.1" },
  });
  await server.listen();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  try {
    await act(browser, `http://127.0.0.1:${server.httpServer.address().port}`);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** A page as this reader sees it. */
export async function open(browser, base, [, path, user], { lang, theme, width }) {
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 844 : 900 },
    colorScheme: theme,
    locale: lang === "zh" ? "zh-CN" : "en-GB",
    reducedMotion: "reduce",
  });
  if (user) await context.addCookies([{ name: "sample", value: user, url: base }]);
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on(
    "console",
    (line) =>
      line.type() === "error" &&
      !line.text().includes("Failed to load resource") &&
      errors.push(line.text()),
  );
  await mockLiveMatches(page, base);
  await page.goto(base + path);
  await page.waitForLoadState("networkidle", { timeout: 5000 }).catch(() => undefined); // A stream keeps the network busy.
  await page
    .waitForSelector("main h1", { state: "attached", timeout: 15_000 })
    .catch(() => errors.push("nothing is shown"));
  await page
    .waitForFunction(() => !document.querySelector(".skeleton"), null, { timeout: 5000 })
    .catch(() => undefined);
  // The first frames of a game take the sample server some seconds.
  const showsFrames = process.env.LEITAI && /^\/($|matches\/1|embed)/.test(path);
  if (showsFrames)
    await page
      .waitForSelector(".view.started", { timeout: 20_000 })
      .catch(() => errors.push("no frames arrived"));
  if (showsFrames) await page.waitForTimeout(300);
  return { page, errors, close: () => context.close() };
}

/** Live matches of the sample data: the leg so far, as a late spectator gets it. */
async function mockLiveMatches(page, base) {
  await page.routeWebSocket(/\/api\/matches\/\d+\/live(\?|$)/, async (socket) => {
    const api = `${base}/api/matches/${socket.url().match(/matches\/(\d+)/)[1]}`;
    const match = await (await fetch(api)).json();
    const answer = await fetch(`${api}/frames`);
    socket.send(JSON.stringify({ type: "hello", match }));
    if (!answer.ok) return;
    const legFrames = await answer.json();
    legFrames.frames = legFrames.frames.slice(0, Math.ceil(legFrames.frames.length / 2));
    legFrames.status = "running";
    legFrames.outcome = null;
    socket.send(JSON.stringify({ type: "leg", frames_of_leg: legFrames }));
  });
}
