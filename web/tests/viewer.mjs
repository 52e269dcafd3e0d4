// Looks at the viewer with recorded games, without a server: `node tests/viewer.mjs FOLDER OUT [NAME…]`.
// FOLDER holds one replay a game (`leitai match GAME A B --replay FOLDER/GAME.json`); their frames are made by the program
// `leitai` (LEITAI, else target/debug/leitai). Pictures go to OUT. `--speed` instead of names measures frames.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { createServer } from "vite";

const [folder, out, ...only] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const leitai = process.env.LEITAI ?? new URL("../../target/debug/leitai", import.meta.url).pathname;
const GAMES = ["snakego", "kob", "tankcraft"];

function film(game, leg, eye) {
  const replay = JSON.parse(readFileSync(`${folder}/${game}.json`, "utf8"));
  const text = execFileSync(leitai, ["replay", "frames", `${folder}/${game}.json`, "--leg", `${leg}`, "--eye", eye], { maxBuffer: 1 << 28 }).toString();
  const frames = text.trim().split("\n").map((line) => JSON.parse(line));
  const { times_us = [], outcome } = replay.legs[leg - 1];
  let at = 0;
  for (let step = 1; step < frames.length; step++) {
    const asked = frames[step - 1].to_move;
    frames[step].spent_us = ["first", "second"].map((seat) => (asked.includes(seat) ? (times_us[at++] ?? null) : null));
  }
  const seats = leg % 2 ? { first: "a", second: "b" } : { first: "b", second: "a" };
  const winner = { A: "a", B: "b" }[replay.verdict?.winner] ?? "draw";
  const entrant = ({ name, kind }, bot) => ({ kind: "bot", name, bot, version: 7, user: null, built_in: kind === "built-in" });
  const match = {
    id: GAMES.indexOf(game) + 1, game, kind: "ladder", state: "finished", a: entrant(replay.entrants[0], 1), b: entrant(replay.entrants[1], 2), winner,
    reason: null, scores: replay.legs.map(({ outcome }) => outcome?.scores ?? [0, 0]), faults: [], legs: replay.legs.length, leg: null, round: null, rounds: null, your: "a",
  };
  const setup = replay.setup;
  return {
    match, game, rules: replay.rules, entrants: replay.entrants.map(({ name }) => name), seats, leg, legs: replay.legs.length,
    rounds: frames[0].view.rounds ?? setup.rounds, setup, eye, frames, outcome, verdict: { winner, reason: replay.verdict.reason }, faults: [], status: "complete",
  };
}

const films = new Map();
const cached = (game, leg, eye) => {
  const key = `${game} ${leg} ${eye}`;
  if (!films.has(key)) films.set(key, film(game, leg, eye));
  return films.get(key);
};

const choice = (action, keys, en, zh, why = null) => ({ action, keys, label: { en, zh }, legal: why === null, why });
const ASKS = {
  snakego: [
    choice("2", ["↑", "w"], "up", "上"), choice("4", ["↓", "s"], "down", "下"), choice("3", ["←", "a"], "left", "左"),
    choice("1", ["→", "d"], "right", "右", "turned back into its own neck"), choice("5", ["r"], "ray", "融化射线", "fired a ray it does not hold"), choice("6", ["space"], "split", "分裂"),
  ],
  kob: [choice("0", ["w"], "up", "上"), choice("1", ["d"], "right", "右"), choice("2", ["s"], "down", "下"), choice("3", ["a"], "left", "左")],
  tankcraft: [],
};

/** What `Game::options` of tankcraft says, from the view. */
function options(game, film, view) {
  if (game !== "tankcraft") return null;
  const RANGE = { Striker: 3, Pioneer: 1, Sniper: 5 };
  const types = [["Striker", 2, 3, 3], ["Pioneer", 1, 9, 1], ["Sniper", 1, 2, 5]].map(([type, attack, life, range]) => ({ type, attack, life, range }));
  if (view.round === 0) return { choose: "team", types, tanks: [0, 1, 2, 3, 4] };
  const ways = [["GOUP", -1, 0], ["GODOWN", 1, 0], ["GOLEFT", 0, -1], ["GORIGHT", 0, 1]];
  const tank = ({ id, type, cell, life, revive }) => ({
    id, type, cell, life, revive, range: RANGE[type],
    go: !cell ? [] : ways.map(([order, down, right]) => {
      const to = [cell[0] + down, cell[1] + right];
      const stone = view.terrain[to[0] - 1]?.[to[1] - 1];
      const why = stone === undefined ? { en: "the edge of the map kills", zh: "越出地图会阵亡" } : stone === "#" ? { en: "stone kills", zh: "撞上石头会阵亡" } : null;
      return { order, cell: to, legal: why === null, why };
    }),
    targets: !cell ? [] : Array.from({ length: 441 }, (_, at) => [1 + Math.floor(at / 21), 1 + (at % 21)]).filter(([r, c]) => Math.abs(r - cell[0]) + Math.abs(c - cell[1]) <= RANGE[type]),
  });
  return { choose: "orders", tanks: view.tanks.slice(0, 5).map(tank) };
}

const server = await createServer({ root: new URL("..", import.meta.url).pathname, server: { port: 5199 }, logLevel: "error" });
await server.listen();
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });

/** A page with the API's answers; `live` plays: `{at, seat}` streams the film up to a step and asks the seat. */
async function open({ game = "snakego", query = "", width = 1280, height = 900, live = null, calm = false }) {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: width < 500 ? 2 : 1, reducedMotion: calm ? "reduce" : "no-preference" });
  const id = GAMES.indexOf(game) + 1;
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  const json = (route, body) => route.fulfill({ contentType: "application/json", body: JSON.stringify(body) });
  await page.route(`**/api/matches/${id}`, (route) => json(route, { ...cached(game, 1, "all").match, state: live ? "running" : "finished" }));
  await page.route("**/api/matches/*/film*", (route) => {
    const { searchParams } = new URL(route.request().url());
    return json(route, cached(game, Number(searchParams.get("leg")), searchParams.get("eye")));
  });
  await page.route("**/api/matches/*/logs*", (route) => json(route, [{ entrant: "a", period: 73, text: "[turn 37] path to item 12 blocked, falling back\n" }]));
  const said = [];
  if (live) {
    if (live.seat) await page.addInitScript((id) => sessionStorage.setItem(`leitai.seat.${id}`, "token"), id);
    await page.routeWebSocket(/\/(live|play)$/, (socket) => {
      const whole = cached(game, 1, game === "tankcraft" && live.seat ? live.seat : "all");
      const send = (message) => socket.send(JSON.stringify(message));
      send({ type: "hello", match: { ...whole.match, state: "running" } });
      if (live.seat) send({ type: "people", a: "here", b: live.away ? "away" : "none", until_ms: live.away ? 21000 : null });
      if (live.countdown) send({ type: "countdown", ms: 5000 });
      send({ type: "leg", film: { ...whole, outcome: null, verdict: null, eye: live.seat && game === "tankcraft" ? live.seat : "all", frames: whole.frames.slice(0, live.at + 1) } });
      let next = live.at + 1;
      if (live.stream) {
        const timer = setInterval(() => {
          if (next >= Math.min(live.stream, whole.frames.length)) return clearInterval(timer);
          send({ type: "frames", leg: 1, frames: whole.frames.slice(next, next + 2) });
          next += 2;
        }, 250);
      }
      if (live.seat && !live.countdown) {
        let view = whole.frames[0].view;
        for (const { change } of whole.frames.slice(1, live.at + 1)) view = apply(view, change);
        const budget_ms = game === "snakego" ? 3000 : 5000;
        setTimeout(() => send({ type: "ask", leg: 1, step: live.at, seat: live.seat, left_ms: budget_ms * 0.9, budget_ms, choices: ASKS[game], options: options(game, whole, view) }), 100);
      }
      socket.onMessage((message) => said.push(JSON.parse(message)));
    });
  }
  await page.goto(`http://localhost:5199/dev/viewer.html?id=${id}&${query}`);
  await page.waitForSelector(".started", { timeout: 20000 }).catch((error) => errors.push(String(error)));
  return { page, errors, said };
}

function apply(value, change) {
  if (change === undefined) return value;
  if (Array.isArray(change)) return change[0];
  const next = Array.isArray(value) ? value.slice() : { ...value };
  for (const key in change) next[key] = apply(next[key], change[key]);
  return next;
}

const SHOTS = {
  "snakego-37": { query: "round=37" },
  "snakego-300-dark": { query: "round=300&theme=dark" },
  "snakego-end-zh": { query: "round=512&step=9&lang=zh" },
  "snakego-phone": { query: "round=150", width: 390, height: 844 },
  "snakego-play": { live: { at: 90, seat: "first" } },
  "snakego-play-phone-dark": { query: "theme=dark&lang=zh", width: 390, height: 844, live: { at: 90, seat: "first" } },
  "snakego-embed": { query: "mode=embed&round=80", width: 480, height: 620 },
  "snakego-mini": { query: "mode=mini", width: 420, height: 520 },
  "kob-20": { game: "kob", query: "round=20" },
  "kob-end-dark": { game: "kob", query: "round=99&theme=dark" },
  "kob-play": { game: "kob", live: { at: 8, seat: "first" }, act: (page) => page.keyboard.press("w") },
  "kob-count": { game: "kob", query: "lang=zh", live: { at: 0, seat: "first", countdown: true, away: true } },
  "tankcraft-20": { game: "tankcraft", query: "round=20" },
  "tankcraft-60-dark": { game: "tankcraft", query: "round=60&theme=dark" },
  "tankcraft-fog": { game: "tankcraft", query: "round=40&eye=first" },
  "tankcraft-phone": { game: "tankcraft", query: "round=40", width: 390, height: 844 },
  "tankcraft-team": { game: "tankcraft", live: { at: 0, seat: "first" } },
  "tankcraft-orders": { game: "tankcraft", live: { at: 30, seat: "first" }, act: async (page) => { await page.keyboard.press("w"); await page.keyboard.press("2"); await page.keyboard.press("f"); } },
  "tankcraft-orders-phone-dark": { game: "tankcraft", query: "theme=dark&lang=zh", width: 390, height: 844, live: { at: 30, seat: "first" } },
  "live": { live: { at: 40, stream: 400 }, wait: 3000 },
};

/** Plays a leg at speeds and says what a frame costs, with the processor slowed down four times. */
async function measure(game) {
  const { page, errors } = await open({ game, query: game === "snakego" ? "round=280" : "round=10", width: 390, height: 844 });
  const client = await page.context().newCDPSession(page);
  await client.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  for (const speed of ["1x", "8x", "32x"]) {
    const result = await page.evaluate(async (speed) => {
      const canvas = document.querySelector(".board canvas");
      const draws = [];
      const gaps = [];
      canvas.addEventListener("painted", ({ detail }) => draws.push(detail));
      [...document.querySelectorAll(".speeds button")].find((button) => button.textContent === speed).click();
      document.querySelector(".play").click();
      let last = performance.now();
      const until = last + 4000;
      await new Promise((done) =>
        requestAnimationFrame(function loop(now) {
          gaps.push(now - last);
          last = now;
          if (now < until && document.querySelector(".play").getAttribute("aria-label").match(/Pause/)) requestAnimationFrame(loop);
          else done();
        }),
      );
      if (document.querySelector(".play").getAttribute("aria-label").match(/Pause/)) document.querySelector(".play").click();
      const at = (list, part) => list.sort((a, b) => a - b)[Math.floor(list.length * part)]?.toFixed(1);
      return { frames: gaps.length, gap: [at(gaps, 0.5), at(gaps, 0.95)], draw: [at(draws, 0.5), at(draws, 0.95), at(draws, 0.999)] };
    }, speed);
    console.log(game, speed, `${result.frames} frames, between them ${result.gap.join(" / ")} ms (median / 95 %), drawing ${result.draw.join(" / ")} ms (median / 95 % / most)`, errors.length ? errors : "");
  }
  await page.close();
}

if (only[0] === "--speed") {
  for (const game of GAMES) await measure(game);
  await browser.close();
  await server.close();
  process.exit(0);
}

let failed = 0;
for (const [name, shot] of Object.entries(SHOTS)) {
  if (only.length && !only.some((part) => name.includes(part))) continue;
  const { page, errors, said } = await open(shot);
  await page.waitForTimeout(shot.wait ?? 700);
  if (shot.act) await shot.act(page);
  await page.waitForTimeout(200);
  await page.screenshot({ path: `${out}/${name}.png`, fullPage: shot.width === 390 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) errors.push(`${wide} px wider than the window`);
  failed += errors.length;
  console.log(name, page.url().replace(/.*\?/, "?"), errors.length ? errors : "", said.length ? JSON.stringify(said) : "");
  await page.close();
}
await browser.close();
await server.close();
process.exit(failed ? 1 : 0);
