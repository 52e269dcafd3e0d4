// People who play, in a real browser: each game to its end card and a rematch, on a desktop and on
// a phone, by keyboard alone, and over a line that is cut.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cutLine } from "./cut_line.mjs";
import { ask, findings, openArena, openBrowser, overheard, until, visit } from "./kit.mjs";

let arena, browser;

before(async () => {
  // The ladder would take the processor from the matches of people.
  [arena, browser] = await Promise.all([openArena("--ladder-every", "1h"), openBrowser()]);
});

after(async () => {
  await browser?.close();
  await arena?.close();
});

const DESKTOP = { viewport: { width: 1366, height: 768 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Each game, its button on the home page, and how many rounds are played with care. */
const GAMES = [
  { game: "snakego", play: /^play now.*snakego/i, rounds: 3 },
  { game: "kob", play: /^play now.*king of bots/i, rounds: 3 },
  { game: "tankcraft", play: /^play now.*tankcraft/i, rounds: 3 },
];

const idOf = (page) => Number(/matches\/(\d+)/.exec(page.url())[1]);
const asked = (page) =>
  page.locator(".play .choices:not(.waits) button, .play .finish .done:not([disabled])").first();

/** Opens the home page and the match of its button. */
async function playNow(page, { play }, url = arena.url) {
  await page.goto(`${url}/?lang=en`);
  await page.getByRole("button", { name: play }).click();
  await page.waitForURL(/\/matches\/\d+/);
  await asked(page).waitFor();
}

/** Adds up the layout shifts from now on, until the end card takes the panel's place. */
const watchShifts = (page) =>
  page.evaluate(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      if (document.querySelector("section.play") === null) return;
      for (const { value, sources } of list.getEntries())
        globalThis.shifts.push({
          value,
          nodes: sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.nodeName),
        });
    }).observe({ type: "layout-shift" });
  });

/** Takes one turn, by click or touch: an action that is safe, or one that ends the leg soon. */
async function takeTurn(page, carefully, touch) {
  const press = (button) =>
    (touch ? button.tap({ timeout: 1000 }) : button.click({ timeout: 1000 })).catch(() => false);
  const done = page.locator(".play .finish .done");
  if ((await done.count()) > 0) return press(done);
  const open = ".play .choices:not(.waits) button:not([aria-disabled=true])";
  const wanted = page.locator(`${open}${carefully ? ":not(.deadly)" : ".deadly"}`);
  const any = page.locator(open);
  const button = (await wanted.count()) > 0 ? wanted : any;
  if ((await button.count()) > 0) await press(button.first());
}

for (const { game, play, rounds } of GAMES)
  for (const [size, options] of [
    ["a desktop", DESKTOP],
    ["a phone", PHONE],
  ])
    test(`a guest plays ${game} on ${size} to the end card, and a rematch`, async () => {
      const page = await visit(browser, options);
      const touch = options.hasTouch === true;
      page.on("dialog", (dialog) => dialog.accept());
      await playNow(page, { play });
      const first = idOf(page);
      assert.equal((await ask(page, `/matches/${first}`)).legs, 1, "the short form");
      await watchShifts(page);
      for (let taken = 0; taken < rounds; taken++) {
        await asked(page).waitFor();
        await takeTurn(page, true, touch);
      }
      assert.deepEqual(await findings(page), [], "while playing");
      const card = page.locator("section.end");
      let turns = 0;
      await until("the end card", async () => {
        await takeTurn(page, false, touch);
        // Long games are played out on the desktop.
        if (touch && ++turns === 25 && (await card.count()) === 0)
          await page.getByRole("button", { name: "Resign" }).tap();
        return (await card.count()) > 0;
      });
      const shifts = await page.evaluate(() => globalThis.shifts);
      const sum = shifts.reduce((sum, { value }) => sum + value, 0);
      assert.ok(sum < 0.01, `the page jumps by ${sum}: ${JSON.stringify(shifts)}`);
      assert.deepEqual(await findings(page), [], "at the end");
      if (game === "tankcraft" && !touch) {
        // Level 1 leads by so much in the end that the rest of the rounds is not played.
        await card.getByText("a lead that nobody can make up").waitFor();
        const { frames } = await ask(page, `/matches/${first}/frames?leg=1`);
        assert.ok(frames.at(-1).round < 100, `round ${frames.at(-1).round}`);
      }
      await card.getByRole("button", { name: "Rematch" })[touch ? "tap" : "click"]();
      await page.waitForURL((url) => !url.pathname.endsWith(`/${first}`));
      await asked(page).waitFor();
      const [before, again] = [
        await ask(page, `/matches/${first}`),
        await ask(page, `/matches/${idOf(page)}`),
      ];
      assert.deepEqual([again.legs, again.config, again.b.name], [1, before.config, before.b.name]);
      assert.equal(await page.locator("section.end").count(), 0);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    });

test("a guest plays by keyboard alone: from the home page to the rematch", async () => {
  const page = await visit(browser, DESKTOP);
  await page.goto(`${arena.url}/?lang=en`);
  await page.getByRole("button", { name: GAMES[1].play }).waitFor();
  await tabTo(page, GAMES[1].play);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/matches\/\d+/);
  const first = idOf(page);
  await asked(page).waitFor();
  const card = page.locator("section.end");
  await until("the end card", async () => {
    await page.keyboard.press("ArrowUp");
    return (await card.count()) > 0;
  });
  await tabTo(page, /^rematch$/i);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.pathname.endsWith(`/${first}`));
  await asked(page).waitFor();
  // TankCraft has a panel of its own: the team, orders by tank, and all of them with Enter.
  await page.goto(`${arena.url}/?lang=en`);
  await page.getByRole("button", { name: GAMES[2].play }).waitFor();
  await tabTo(page, GAMES[2].play);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/matches\/\d+/);
  await asked(page).waitFor();
  await page.keyboard.press("3");
  await page.keyboard.press("n");
  await page.locator(".rows li.selected [aria-pressed=true]", { hasText: "Sniper" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".rows .piece", { hasText: "3 Sniper" }).waitFor();
  await page.keyboard.press("3");
  await page.keyboard.press("f");
  await page.keyboard.press("Enter");
  await page.locator(".rows li.selected .piece", { hasText: "fire at" }).waitFor();
  await page.keyboard.press("Enter");
  await until("round 2", async () => (await shownRound(page)) >= 2);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

/** Presses Tab until the focus is on a button with this name. */
async function tabTo(page, name) {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    const text = await page.evaluate(() => {
      const { activeElement: at } = document;
      return at?.matches("button, a")
        ? (at.getAttribute("aria-label") ?? at.textContent)
            .replace(/\s+/g, " ")
            .replace("▶", "")
            .trim()
        : "";
    });
    if (name.test(text)) return;
  }
  throw new Error(`no way to ${name} by Tab`);
}

const shownRound = async (page) =>
  Number(/\d+/.exec(await page.locator(".controls .where").textContent())?.[0] ?? 0);

test("a cut line, a reload and a second tab in the middle of a leg keep the seat", async () => {
  const line = await cutLine(arena.url);
  const page = await visit(browser, DESKTOP);
  try {
    await playNow(page, GAMES[0], line.url);
    const seat = page.locator(
      ".play .choices:not(.waits) button:not(.deadly):not([aria-disabled=true])",
    );
    const playOn = async (page, seat) => {
      const before = await shownRound(page);
      await until("a later round", async () => {
        await seat
          .first()
          .click({ timeout: 1000 })
          .catch(() => false);
        return (await shownRound(page)) > before;
      });
    };
    await playOn(page, seat);
    line.cut();
    const banner = page.locator(".connection").filter({ hasText: "Connection lost" });
    await banner.waitFor();
    await page.locator("section.play").waitFor();
    line.restore();
    await until("no banner", async () => (await banner.count()) === 0);
    await playOn(page, seat);
    await page.reload();
    await asked(page).waitFor();
    await playOn(page, seat);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Play here" }).click();
    await asked(other).waitFor();
    await page.getByRole("button", { name: "Play here" }).waitFor();
    await playOn(
      other,
      other.locator(".play .choices:not(.waits) button:not([aria-disabled=true])"),
    );
    line.cut();
    await other.close();
    line.restore();
    await page.getByRole("button", { name: "Play here" }).click();
    await asked(page).waitFor();
    await playOn(page, seat);
    const match = await ask(page, `/matches/${idOf(page)}`);
    assert.equal(match.state, "running");
    const ours = page.problems.filter((problem) => !/WebSocket|ERR_|Failed to fetch/.test(problem));
    assert.deepEqual(ours, []);
  } finally {
    await page.context().close();
    line.close();
  }
});

test("two people meet through the lobby and play to the end", async () => {
  const [ada, bea] = await Promise.all([visit(browser, DESKTOP), visit(browser, PHONE)]);
  const both = [ada, bea];
  for (const page of both) page.on("dialog", (dialog) => dialog.accept());
  const openLobby = async (page, name) => {
    await page.goto(`${arena.url}/play?lang=en`);
    await page.getByLabel("Your name").fill(name);
  };
  const waits = ada.getByText("Waiting for the other player.");
  const wait = async () => {
    await openLobby(ada, "ada");
    await ada.getByRole("button", { name: /^play anybody.*king of bots/i }).click();
    await ada.waitForURL(/\/matches\/\d+/);
    await waits.waitFor();
  };
  await openLobby(bea, "bea");
  await bea.getByText("Nobody is waiting right now.").waitFor();
  await wait();
  const take = bea.getByRole("button", { name: "Play ada" });
  await take.waitFor();
  assert.deepEqual(await findings(ada), [], "while waiting");
  assert.deepEqual(await findings(bea), [], "in the lobby");
  // Who leaves the page leaves the lobby.
  await ada.getByRole("button", { name: "Leave" }).click();
  await ada.waitForURL(/\/play$/);
  await bea.getByText("Nobody is waiting right now.").waitFor();
  await wait();
  await take.tap();
  await bea.waitForURL(/\/matches\/\d+/);
  assert.equal(idOf(bea), idOf(ada));
  await Promise.all(both.map((page) => asked(page).waitFor()));
  const cards = both.map((page) => page.locator("section.end"));
  await until("both end cards", async () => {
    await Promise.all(both.map((page) => takeTurn(page, false, page === bea)));
    return (await Promise.all(cards.map((card) => card.count()))).every((count) => count > 0);
  });
  const played = await ask(ada, `/matches/${idOf(ada)}`);
  assert.equal(played.state, "finished");
  assert.deepEqual([played.a.name, played.b.name].sort(), ["ada", "bea"]);
  assert.deepEqual(await findings(ada), [], "at the end");
  // Both press the quick pairing at once, and have the same match.
  await Promise.all([openLobby(ada, "ada"), openLobby(bea, "bea")]);
  await Promise.all(
    both.map(async (page) => {
      await page.getByRole("button", { name: /^play anybody.*snakego/i }).click();
      await page.waitForURL(/\/matches\/\d+/);
    }),
  );
  assert.equal(idOf(ada), idOf(bea));
  // SnakeGo asks one after the other.
  await Promise.any(both.map((page) => asked(page).waitFor()));
  await bea.getByRole("button", { name: "Resign" }).tap();
  await until("the end card of the one who stays", async () => {
    await takeTurn(ada, true, false);
    return (await cards[0].count()) > 0;
  });
  await cards[0].getByText("You win").waitFor();
  await cards[1].waitFor();
  for (const page of both) {
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

/** A row of TankCraft's panel: the tank, its cell, and whether it is told what to do. */
const tanksOf = (page) =>
  page.locator(".rows li").evaluateAll((rows) =>
    rows.map((row) => {
      const [name, order] = [...row.querySelectorAll(".piece span")].map((one) => one.textContent);
      const cell = /\((\d+),(\d+)\)/.exec(name);
      return {
        id: name[0],
        cell: cell && [Number(cell[1]), Number(cell[2])],
        idle: cell !== null && order === "stop",
        selected: row.classList.contains("selected"),
      };
    }),
  );

/** What the rows of TankCraft's panel say. */
const plansOf = (page) => page.locator(".rows li .piece").allTextContents();

/** The mines of a map, as its glyphs tell. */
const minesOf = (map) =>
  map.flatMap((line, row) =>
    [...line].flatMap((glyph, col) => ("rbn".includes(glyph) ? [[row + 1, col + 1]] : [])),
  );

test("a plan for all five tanks takes at most three inputs a round", async () => {
  const page = await visit(browser, DESKTOP);
  const heard = overheard(page);
  await playNow(page, GAMES[2]);
  await page.keyboard.press("Enter");
  await page.locator(".rows .piece", { hasText: "♥" }).first().waitFor();
  // The home page shows a match, too.
  const leg = heard.find(({ frames_of_leg: leg }) => leg?.game === "tankcraft" && leg.setup.map);
  const { map } = leg.frames_of_leg.setup;
  const mines = minesOf(map);
  const chips = page.locator(".pieces ul").first().locator("li").first();
  const ownedBy = async () => Number(/^\s*▸?\s*(\d+)/.exec(await chips.textContent())[1]);
  const before = await ownedBy();
  let most = 0;
  const board = await page.locator("main .board canvas").boundingBox();
  const [gutter, size] = [20, (board.width - 20) / 21];
  const targets = new Set();
  const nearest = ([row, col]) => {
    const far = ([r, c]) => Math.abs(r - row) + Math.abs(c - col);
    const free = mines.filter((mine) => !targets.has(`${mine}`) && far(mine) > 1);
    return free.sort((a, b) => far(a) - far(b))[0];
  };
  let inputs = 0;
  const rounds = 40;
  for (let round = 1; round <= rounds; round++) {
    await until(`round ${round}`, async () => (await shownRound(page)) >= round - 1);
    await page.locator(".play .finish .done").waitFor();
    for (const tank of await tanksOf(page)) {
      if (!tank.idle) continue;
      if (targets.size === mines.length) targets.clear();
      const target = nearest(tank.cell);
      if (!target) continue;
      targets.add(`${target}`);
      const selected = (await tanksOf(page)).find(({ selected }) => selected);
      if (selected?.id !== tank.id) {
        await page.keyboard.press(tank.id);
        inputs++;
      }
      const [row, col] = target;
      await page.mouse.click(board.x + gutter + (col - 0.5) * size, board.y + (row - 0.5) * size);
      inputs++;
    }
    if (round === rounds / 2) {
      const plans = await plansOf(page);
      await page.reload();
      await page.locator(".play .finish .done").waitFor();
      await until("the plans", async () => (await plansOf(page)).length === plans.length);
      assert.deepEqual(await plansOf(page), plans, "standing orders survive a reload");
    }
    const at = await shownRound(page);
    if ((await page.locator(".common:not(.illegal)", { hasText: "all fire G" }).count()) > 0) {
      await page.keyboard.press("g");
      inputs++;
    }
    most = Math.max(most, await ownedBy());
    await page.keyboard.press("Enter");
    inputs++;
    await until("the next round", async () => (await shownRound(page)) > at);
  }
  const each = inputs / rounds;
  assert.ok(each <= 3, `${each} inputs a round`);
  assert.ok(most >= before + 2, `the tanks held ${most} mines at most, ${before} at the start`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
