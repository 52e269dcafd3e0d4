// Tests the viewer with recorded games, without a server: `node tests/viewer.mjs FOLDER OUT
// [NAME…]`. FOLDER contains one replay for each game (`leitai match GAME A B --replay
// FOLDER/GAME.json`); the program `leitai` makes their frames (LEITAI, else target/debug/leitai).
// Screenshots go to OUT. `--speed` instead of names measures frames; `--interact` uses keys and
// pointer as readers and players do, and runs axe-core.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { createServer } from "vite";

const [folder, out, ...only] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const leitai = process.env.LEITAI ?? new URL("../../target/debug/leitai", import.meta.url).pathname;
const GAMES = ["snakego", "kob", "tankcraft"];

/** The frames of a leg, as the server sends them. */
function makeLegFrames(game, leg, perspective) {
  const replay = JSON.parse(readFileSync(`${folder}/${game}.json`, "utf8"));
  const text = execFileSync(
    leitai,
    ["replay", "frames", `${folder}/${game}.json`, "--leg", `${leg}`, "--perspective", perspective],
    {
      maxBuffer: 1 << 28,
    },
  ).toString();
  const frames = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { times_us = [], outcome } = replay.legs[leg - 1];
  let at = 0;
  for (let step = 1; step < frames.length; step++) {
    const asked = frames[step - 1].to_move;
    frames[step].spent_us = ["first", "second"].map((seat) =>
      asked.includes(seat) ? (times_us[at++] ?? null) : null,
    );
  }
  const seats = leg % 2 ? { first: "a", second: "b" } : { first: "b", second: "a" };
  const winner = { A: "a", B: "b" }[replay.verdict?.winner] ?? "draw";
  const entrant = ({ name, kind }, bot) => ({
    kind: "bot",
    name,
    bot,
    version: 7,
    user: null,
    built_in: kind === "built-in",
  });
  const match = {
    id: GAMES.indexOf(game) + 1,
    game,
    kind: "ladder",
    state: "finished",
    a: entrant(replay.entrants[0], 1),
    b: entrant(replay.entrants[1], 2),
    winner,
    reason: null,
    scores: replay.legs.map(({ outcome }) => outcome?.scores ?? [0, 0]),
    faults: [],
    legs: replay.legs.length,
    leg: null,
    round: null,
    rounds: null,
    your: "a",
  };
  const setup = replay.setup;
  return {
    match,
    game,
    rules: replay.rules,
    entrants: replay.entrants.map(({ name }) => name),
    seats,
    leg,
    legs: replay.legs.length,
    rounds: frames[0].view.rounds ?? setup.rounds,
    setup,
    perspective,
    frames,
    outcome,
    verdict: { winner, reason: replay.verdict.reason },
    faults: [],
    status: "complete",
  };
}

const cache = new Map();
function getLegFrames(game, leg, perspective) {
  const key = `${game} ${leg} ${perspective}`;
  if (!cache.has(key)) cache.set(key, makeLegFrames(game, leg, perspective));
  return cache.get(key);
}

const choice = (action, keys, en, zh, why = null) => ({
  action,
  keys,
  label: { en, zh },
  legal: why === null,
  why,
});
const CHOICES = {
  snakego: [
    choice("2", ["↑", "w"], "up", "上"),
    choice("4", ["↓", "s"], "down", "下"),
    choice("3", ["←", "a"], "left", "左"),
    choice("1", ["→", "d"], "right", "右", "turned back into its own neck (snake 2, op 1)"),
    choice("5", ["r"], "ray", "融化射线", "fired a ray it does not hold (snake 2, op 5)"),
    choice("6", ["space"], "split", "分裂"),
  ],
  kob: [
    choice("0", ["w"], "up", "上"),
    choice("1", ["d"], "right", "右"),
    choice("2", ["s"], "down", "下"),
    choice("3", ["a"], "left", "左"),
  ],
  tankcraft: [],
};

/** The options of a question in TankCraft, made from the view as `Game::options` makes them. */
function listOptions(game, view) {
  if (game !== "tankcraft") return null;
  const RANGE = { Striker: 3, Pioneer: 1, Sniper: 5 };
  const types = [
    ["Striker", 2, 3, 3],
    ["Pioneer", 1, 9, 1],
    ["Sniper", 1, 2, 5],
  ].map(([type, attack, life, range]) => ({ type, attack, life, range }));
  if (view.round === 0) return { choose: "team", types, tanks: [0, 1, 2, 3, 4] };
  const ways = [
    ["GOUP", -1, 0],
    ["GODOWN", 1, 0],
    ["GOLEFT", 0, -1],
    ["GORIGHT", 0, 1],
  ];
  const tank = ({ id, type, cell, life, revive }) => ({
    id,
    type,
    cell,
    life,
    revive,
    range: RANGE[type],
    go: !cell
      ? []
      : ways.map(([order, down, right]) => {
          const to = [cell[0] + down, cell[1] + right];
          const stone = view.terrain[to[0] - 1]?.[to[1] - 1];
          const why =
            stone === undefined
              ? { en: "the edge of the map kills", zh: "越出地图会阵亡" }
              : stone === "#"
                ? { en: "stone kills", zh: "撞上石头会阵亡" }
                : null;
          return { order, cell: to, legal: why === null, why };
        }),
    targets: !cell
      ? []
      : Array.from({ length: 441 }, (_, at) => [1 + Math.floor(at / 21), 1 + (at % 21)]).filter(
          ([r, c]) => Math.abs(r - cell[0]) + Math.abs(c - cell[1]) <= RANGE[type],
        ),
  });
  return { choose: "orders", tanks: view.tanks.slice(0, 5).map(tank) };
}

const server = await createServer({
  root: new URL("..", import.meta.url).pathname,
  server: { port: 5199 },
  logLevel: "error",
});
await server.listen();
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: flags,
});

/**
 * A page with the API's answers; `live` plays: `{at, seat}` streams the leg up to a step and asks
 * the seat.
 */
async function open({
  game = "snakego",
  query = "",
  width = 1280,
  height = 900,
  live = null,
  calm = false,
  missing = false,
  queued = false,
}) {
  const page = await browser.newPage({
    viewport: { width, height },
    deviceScaleFactor: width < 500 ? 2 : 1,
    reducedMotion: calm ? "reduce" : "no-preference",
  });
  const id = GAMES.indexOf(game) + 1;
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on(
    "console",
    (message) => message.type() === "error" && !missing && errors.push(message.text()),
  );
  const json = (route, body) =>
    route.fulfill({ contentType: "application/json", body: JSON.stringify(body) });
  await page.route(`**/api/matches/${id}`, (route) =>
    json(route, { ...getLegFrames(game, 1, "all").match, state: live ? "running" : "finished" }),
  );
  await page.route("**/api/matches/*/frames*", (route) => {
    const { searchParams } = new URL(route.request().url());
    return json(
      route,
      getLegFrames(game, Number(searchParams.get("leg")), searchParams.get("perspective")),
    );
  });
  await page.route("**/api/matches/*/logs*", (route) =>
    json(route, [
      { entrant: "a", period: 73, text: "[turn 37] path to item 12 blocked, falling back\n" },
    ]),
  );
  if (missing)
    await page.route(`**/api/matches/${id}`, (route) =>
      route.fulfill({
        status: 404,
        contentType: "application/json",
        body: JSON.stringify({ error: { code: "not-found", message: "there is no match" } }),
      }),
    );
  if (queued) {
    await page.route(`**/api/matches/${id}`, (route) =>
      json(route, { ...getLegFrames(game, 1, "all").match, state: "queued" }),
    );
    await page.routeWebSocket(/\/live(\?|$)/, () => {});
  }
  const sent = [];
  if (live) {
    if (live.seat)
      await page.addInitScript((id) => sessionStorage.setItem(`leitai.seat.${id}`, "token"), id);
    await page.routeWebSocket(/\/(live|play)(\?|$)/, (socket) => {
      if (live.lost && socket.url().endsWith("/play"))
        return void socket.close({ code: 4403, reason: "the token is for no seat of this match" });
      const whole = getLegFrames(game, 1, game === "tankcraft" && live.seat ? live.seat : "all");
      const send = (message) => socket.send(JSON.stringify(message));
      send({ type: "hello", match: { ...whole.match, state: "running" } });
      if (live.seat)
        send({
          type: "presence",
          a: "here",
          b: live.away ? "away" : "none",
          until_ms: live.away ? 21000 : null,
        });
      if (live.countdown) send({ type: "countdown", ms: 5000 });
      send({
        type: "leg",
        frames_of_leg: {
          ...whole,
          outcome: null,
          verdict: null,
          perspective: live.seat && game === "tankcraft" ? live.seat : "all",
          frames: whole.frames.slice(0, live.at + 1),
        },
      });
      let next = live.at + 1;
      if (live.stream) {
        const timer = setInterval(() => {
          if (next >= Math.min(live.stream, whole.frames.length)) return clearInterval(timer);
          send({ type: "frames", leg: 1, frames: whole.frames.slice(next, next + 2) });
          next += 2;
        }, 250);
      }
      if (live.seat && !live.countdown) {
        const view = viewAt(whole, live.at);
        const budget_ms = game === "snakego" ? 3000 : 5000;
        setTimeout(
          () =>
            send({
              type: "question",
              leg: 1,
              step: live.at,
              seat: live.seat,
              left_ms: budget_ms * 0.9,
              budget_ms,
              choices: CHOICES[game],
              options: listOptions(game, view),
            }),
          100,
        );
      }
      if (live.over) setTimeout(() => send({ type: "finished", match: whole.match }), live.over);
      socket.onMessage((message) => sent.push(JSON.parse(message)));
    });
  }
  await page.goto(`http://localhost:5199/dev/viewer.html?id=${id}&${query}`);
  if (!missing && !queued)
    await page
      .waitForSelector(".started", { timeout: 20000 })
      .catch((error) => errors.push(String(error)));
  return { page, errors, sent };
}

/** The view of a step. */
function viewAt({ frames }, step) {
  return frames
    .slice(1, step + 1)
    .reduce((view, { change }) => apply(view, change), frames[0].view);
}

function apply(value, change) {
  if (change === undefined) return value;
  if (Array.isArray(change)) return change[0];
  const next = Array.isArray(value) ? value.slice() : { ...value };
  for (const key in change) next[key] = apply(next[key], change[key]);
  return next;
}

const SCREENSHOTS = {
  "snakego-wide-tip": {
    query: "round=159&step=1",
    width: 1920,
    height: 1080,
    act: async (page) => {
      const box = await page.locator(".timeline canvas").boundingBox();
      await page.mouse.move(box.x + box.width * 0.31, box.y + 10);
    },
  },
  "snakego-solid-midway": {
    query: "round=159&theme=dark",
    act: async (page) => {
      await page.keyboard.press("]");
      await page.waitForTimeout(60);
    },
  },
  "snakego-help-zh": { query: "round=20&lang=zh", act: (page) => page.keyboard.press("?") },
  "snakego-calm": {
    query: "round=60",
    calm: true,
    act: (page) => page.keyboard.press("ArrowRight"),
  },
  missing: { query: "round=1", missing: true },
  queued: { queued: true },
  "snakego-37": { query: "round=37" },
  "snakego-300-dark": { query: "round=300&theme=dark" },
  "snakego-end-zh": { query: "round=512&step=9&lang=zh" },
  "snakego-phone": { query: "round=150", width: 390, height: 844 },
  "snakego-play": { live: { at: 90, seat: "first" } },
  "snakego-play-phone-dark": {
    query: "theme=dark&lang=zh",
    width: 390,
    height: 844,
    live: { at: 90, seat: "first" },
  },
  "snakego-embed": { query: "mode=embed&round=80", width: 480, height: 620 },
  "snakego-mini": { query: "mode=mini", width: 420, height: 520 },
  "kob-20": { game: "kob", query: "round=20" },
  "kob-end-dark": { game: "kob", query: "round=99&theme=dark" },
  "kob-play": {
    game: "kob",
    live: { at: 8, seat: "first" },
    act: (page) => page.keyboard.press("w"),
  },
  "kob-count": {
    game: "kob",
    query: "lang=zh",
    live: { at: 0, seat: "first", countdown: true, away: true },
  },
  "tankcraft-20": { game: "tankcraft", query: "round=20" },
  "tankcraft-60-dark": { game: "tankcraft", query: "round=60&theme=dark" },
  "tankcraft-fog": { game: "tankcraft", query: "round=40&perspective=first" },
  "tankcraft-phone": { game: "tankcraft", query: "round=40", width: 390, height: 844 },
  "tankcraft-team": { game: "tankcraft", live: { at: 0, seat: "first" } },
  "tankcraft-orders": {
    game: "tankcraft",
    live: { at: 30, seat: "first" },
    act: async (page) => {
      await page.keyboard.press("w");
      await page.keyboard.press("2");
      await page.keyboard.press("f");
    },
  },
  "tankcraft-orders-phone-dark": {
    game: "tankcraft",
    query: "theme=dark&lang=zh",
    width: 390,
    height: 844,
    live: { at: 30, seat: "first" },
  },
  live: { live: { at: 40, stream: 400 }, wait: 3000 },
};

/**
 * Plays a leg at several speeds and prints the time of a frame, with the processor slowed down four
 * times.
 */
async function measure(game) {
  const { page, errors } = await open({
    game,
    query: game === "snakego" ? "round=280" : "round=10",
    width: 390,
    height: 844,
  });
  const client = await page.context().newCDPSession(page);
  await client.send("Emulation.setCPUThrottlingRate", { rate: Number(process.env.SLOWER ?? 4) });
  // Thread time, so that other load of the machine does not count.
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const tasks = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  for (const speed of ["1x", "8x", "32x"]) {
    const before = await tasks();
    const result = await page.evaluate(async (speed) => {
      const canvas = document.querySelector(".board canvas");
      const draws = [];
      const gaps = [];
      canvas.addEventListener("painted", ({ detail }) => draws.push(detail));
      [...document.querySelectorAll(".speeds button")]
        .find((button) => button.textContent === speed)
        .click();
      document.querySelector(".play").click();
      let last = performance.now();
      const until = last + 4000;
      await new Promise((done) =>
        requestAnimationFrame(function loop(now) {
          gaps.push(now - last);
          last = now;
          if (
            now < until &&
            document.querySelector(".play").getAttribute("aria-label").match(/Pause/)
          )
            requestAnimationFrame(loop);
          else done();
        }),
      );
      if (document.querySelector(".play").getAttribute("aria-label").match(/Pause/))
        document.querySelector(".play").click();
      const at = (list, part) =>
        list.sort((a, b) => a - b)[Math.floor(list.length * part)]?.toFixed(1);
      return {
        frames: gaps.length,
        gap: [at(gaps, 0.5), at(gaps, 0.95)],
        draw: [at(draws, 0.5), at(draws, 0.95), at(draws, 0.999)],
      };
    }, speed);
    const spent = ((await tasks()) - before) / result.frames;
    console.log(
      game,
      speed,
      `${result.frames} frames, between them ${result.gap.join(" / ")} ms (median / 95 %), drawing ${result.draw.join(" / ")} ms (median / 95 % / most), main thread ${spent.toFixed(1)} ms of CPU a frame`,
      errors.length ? errors : "",
    );
  }
  await page.close();
}

if (only[0] === "--speed") {
  for (const game of GAMES) await measure(game);
  await browser.close();
  await server.close();
  process.exit(0);
}

/** Compares two values, and prints a difference; returns whether they are equal. */
function isAsExpected(what, found, expected) {
  const equal = JSON.stringify(found) === JSON.stringify(expected);
  const difference = `is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`;
  console.log(equal ? "ok  " : "FAIL", what, equal ? "" : difference);
  return equal;
}

async function shownRound(page) {
  return (await page.locator(".where").textContent()).trim();
}

/** The query of the page's address, without the match; the page writes it with a delay. */
async function addressQuery(page) {
  await page.waitForTimeout(450);
  return new URL(page.url()).search.replace(/^\?id=\d&/, "");
}

/** A reader: a deep link, keys, the timeline, the overview, cells and the help. */
async function readByKeys(expect) {
  const { page, errors } = await open({ query: "round=37&step=2&leg=2" });
  expect(
    "a deep link opens its turn",
    [await shownRound(page), await page.locator("[aria-pressed=true]").allTextContents()],
    ["round 37 / 512", ["1x", "Leg 2"]],
  );
  await page.keyboard.press("ArrowRight");
  expect(
    "→ is the next round, and the address follows",
    [await shownRound(page), await addressQuery(page)],
    ["round 38 / 512", "round=38&leg=2"],
  );
  await page.keyboard.press(".");
  expect(". is one action", await addressQuery(page), "round=38&leg=2&step=1");
  for (const key of [",", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
  expect(", and ←", await addressQuery(page), "round=36&leg=2");
  await page.keyboard.press("End");
  expect("end", await shownRound(page), "round 512 / 512");
  const box = await page.locator(".timeline canvas").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  expect("a click on the timeline", Number((await shownRound(page)).match(/\d+/)[0]) > 150, true);
  await page.keyboard.press("Home");
  await page.keyboard.press("3");
  await page.keyboard.press(" ");
  await page.waitForTimeout(800);
  await page.keyboard.press(" ");
  expect(
    "space plays, 3 is 8x",
    [
      Number((await shownRound(page)).match(/\d+/)[0]) > 3,
      await page.locator(".play").getAttribute("aria-label"),
    ],
    [true, "Play (space)"],
  );
  const bar = page.locator("figure input");
  await bar.fill("71");
  expect(
    "the bar under the small map",
    (await page.locator("figure p").textContent()).startsWith("round 71"),
    true,
  );
  await page.locator("h1, .board canvas").first().focus();
  await page.keyboard.press("i");
  await page.keyboard.press("ArrowDown");
  expect(
    "cells by keys",
    (await page.locator(".inspect h2").textContent()).replace(/\s+/g, " "),
    "Cell (0, 14)",
  );
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  expect("help", await page.locator("dialog").isVisible(), true);
  await page.keyboard.press("Escape");
  expect("no errors", errors, []);
  await page.close();
}

/** A person who plays SnakeGo by keys. */
async function playSnakeGo(expect) {
  const { page, sent, errors } = await open({ live: { at: 90, seat: "first" } });
  await page.waitForSelector(".choices");
  await page.keyboard.press("d");
  expect(
    "an illegal key says why",
    await page.locator(".refusal").textContent(),
    "Not possible: can’t reverse",
  );
  await page.keyboard.press(" ");
  await page.keyboard.press("ArrowUp");
  expect(
    "space splits, ↑ moves",
    sent.slice(1).map(({ action }) => action),
    ["6", "2"],
  );
  await page.keyboard.press("Home");
  expect("no errors", errors, []);
  await page.close();
}

/** A person who chooses a team in TankCraft by keys. */
async function chooseTeam(expect) {
  const { page, sent } = await open({ game: "tankcraft", live: { at: 0, seat: "first" } });
  await page.waitForSelector(".rows");
  for (const key of ["p", "ArrowDown", "n", "Enter"]) await page.keyboard.press(key);
  expect("a team by keys", sent.at(-1).action, "Team;Pioneer;Sniper;Striker;Striker;Striker");
  await page.close();
}

/** A person who gives orders in TankCraft by clicks. */
async function giveOrders(expect) {
  const { page, sent } = await open({ game: "tankcraft", live: { at: 30, seat: "first" } });
  await page.waitForSelector(".rows");
  const box = await page.locator(".board canvas").boundingBox();
  const size = (box.width - 20) / 21;
  const click = (row, col) =>
    page.mouse.click(box.x + 20 + (col - 0.5) * size, box.y + (row - 0.5) * size);
  const { tanks } = listOptions("tankcraft", viewAt(getLegFrames("tankcraft", 1, "first"), 30));
  const isFree = ([row, col]) => !tanks.some(({ cell }) => cell?.[0] === row && cell[1] === col);
  const way = ({ go }) => go.find(({ legal, cell }) => legal && isFree(cell));
  const mover = tanks.findIndex(way);
  const distant = ({ cell, targets }) =>
    targets.find((to) => Math.abs(to[0] - cell[0]) + Math.abs(to[1] - cell[1]) > 1 && isFree(to));
  const shooter = tanks.findIndex((tank, at) => at !== mover && tank.cell && distant(tank));
  const { order, cell } = way(tanks[mover]);
  const target = distant(tanks[shooter]);
  for (const at of [tanks[mover].cell, cell, tanks[shooter].cell, target]) await click(...at);
  await page.locator(".done").click();
  const orders = tanks.map(() => "STOP");
  orders[mover] = order;
  orders[shooter] = `FIRE:${target.join(":")}`;
  expect("orders by clicks", sent.at(-1).action, orders.join(";"));
  await page.close();
}

/** A reader who looks from another perspective. */
async function changePerspective(expect) {
  const { page } = await open({ game: "tankcraft", query: "round=40" });
  await page.keyboard.press("f");
  await page.waitForURL(/perspective=/);
  expect(
    "f is the next perspective, at the same moment",
    [await addressQuery(page), await shownRound(page)],
    ["round=40&perspective=first", "round 40 / 400"],
  );
  await page.close();
}

/** A spectator who goes back in a live match, and returns to its newest frame. */
async function scrubBackInLiveMatch(expect) {
  const { page, errors } = await open({ live: { at: 40, stream: 120 } });
  await page.waitForTimeout(1500);
  await page.keyboard.press("ArrowLeft");
  const at = await shownRound(page);
  await page.waitForTimeout(1000);
  expect("who scrubs back in a live match stays there", await shownRound(page), at);
  await page.locator(".golive").click();
  await page.waitForTimeout(600);
  expect("and can go live again", (await shownRound(page)) !== at, true);
  expect("no errors", errors, []);
  await page.close();
}

/** A token without a seat makes a spectator. */
async function openWithLostSeat(expect) {
  const { page, errors } = await open({ live: { at: 40, seat: "first", lost: true } });
  await page.waitForSelector(".golive");
  expect(
    "a token that is for no seat: the reader is a spectator",
    [await page.locator("section.play").count(), await shownRound(page)],
    [0, `round ${getLegFrames("snakego", 1, "all").frames[40].round} / 512`],
  );
  expect("no errors", errors, []);
  await page.close();
}

/** The end of a match that the reader plays. */
async function playToTheEnd(expect) {
  const { page, errors } = await open({ live: { at: 40, seat: "first", over: 3000 } });
  await page.waitForSelector(".choices button");
  expect("the question is there", await page.locator(".choices button").count(), 6);
  await page.waitForSelector(".outcome strong");
  await page.locator(".where").filter({ hasText: "round 512 /" }).waitFor();
  expect(
    "over: the verdict, and the whole leg at its end",
    [
      await page.locator(".outcome strong").first().textContent(),
      await shownRound(page),
      await page.locator(".choices").count(),
      await page.locator(".you").count(),
    ],
    ["territory wins", "round 512 / 512", 0, 1],
  );
  expect("no errors", errors, []);
  await page.close();
}

const SCENARIOS = [
  readByKeys,
  playSnakeGo,
  chooseTeam,
  giveOrders,
  changePerspective,
  scrubBackInLiveMatch,
  openWithLostSeat,
  playToTheEnd,
];

/**
 * The actions of readers and players, by keys and pointer; returns the number of failed
 * expectations.
 */
async function interact() {
  let failed = 0;
  for (const scenario of SCENARIOS)
    await scenario((...expectation) => void (failed += isAsExpected(...expectation) ? 0 : 1));
  return failed;
}

/** Serious findings of axe-core. */
async function axe() {
  const source = readFileSync(
    new URL("../node_modules/axe-core/axe.min.js", import.meta.url),
    "utf8",
  );
  let failed = 0;
  for (const shot of [
    { query: "round=37" },
    { query: "round=37&theme=dark" },
    { live: { at: 90, seat: "first" } },
    { game: "tankcraft", live: { at: 30, seat: "first" } },
    { game: "kob", query: "theme=dark", live: { at: 8, seat: "first" } },
  ]) {
    const { page } = await open(shot);
    await page.waitForTimeout(500);
    await page.addScriptTag({ content: source });
    const found = await page.evaluate(() =>
      axe.run(document.querySelector(".view")).then(({ violations }) =>
        violations.map(
          ({ id, impact, nodes }) =>
            `${impact} ${id}: ${nodes
              .map(({ html }) => html.slice(0, 120))
              .slice(0, 3)
              .join(" | ")}`,
        ),
      ),
    );
    failed += found.length;
    console.log("axe", JSON.stringify(shot), found);
    await page.close();
  }
  return failed;
}

if (only[0] === "--interact") {
  const failed = (await interact()) + (await axe());
  await browser.close();
  await server.close();
  process.exit(failed ? 1 : 0);
}

let failed = 0;
for (const [name, shot] of Object.entries(SCREENSHOTS)) {
  if (only.length && !only.some((part) => name.includes(part))) continue;
  const { page, errors, sent } = await open(shot);
  await page.waitForTimeout(shot.wait ?? 700);
  if (shot.act) await shot.act(page);
  await page.waitForTimeout(200);
  await page.screenshot({ path: `${out}/${name}.png`, fullPage: shot.width === 390 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) errors.push(`${wide} px wider than the window`);
  failed += errors.length;
  console.log(
    name,
    page.url().replace(/.*\?/, "?"),
    errors.length ? errors : "",
    sent.length ? JSON.stringify(sent) : "",
  );
  await page.close();
}
await browser.close();
await server.close();
process.exit(failed ? 1 : 0);
