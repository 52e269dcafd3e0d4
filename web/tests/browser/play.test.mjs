// People who play, in a real browser: each game to its end card and a rematch, on a desktop and on
// a phone, by keyboard alone, and over a line that is cut.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cutLine } from "./cut_line.mjs";
import {
  DESKTOP,
  IDLE,
  LEITAI,
  MOVING,
  PHONE,
  SERVER_GONE,
  ask,
  asked,
  findings,
  newAccount,
  overheard,
  playOn,
  send,
  shownRound,
  stage,
  until,
  watchFor,
} from "./kit.mjs";

const { arena, browser, journey } = await stage(...IDLE);

/** A program that goes on straight ahead. */
const STRAIGHT = `# leitai: protocol=json-lines
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "turn":
        print(json.dumps({"action": said["legal"][0]}), flush=True)
`;

/** The button of each game on the home page. */
const BUTTONS = {
  snakego: /^play now.*snakego/i,
  kob: /^play now.*king of bots/i,
  tankcraft: /^play now.*tankcraft/i,
};

const idOf = (page) => Number(/matches\/(\d+)/.exec(page.url())[1]);

/** Two people begin when both have said that they are ready. */
const sayReady = (...pages) =>
  Promise.all(pages.map((page) => page.locator(".play .ready").click()));

/** Opens the home page and the match of its button. */
async function playNow(page, game) {
  await page.goto("/?lang=en");
  await page.getByRole("button", { name: BUTTONS[game] }).click();
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

/** Opens the guide from the card of who has lost to the lowest level, and closes it. */
async function readGuide(page, card) {
  assert.equal(await card.getByRole("button", { name: /Harder|Next/ }).count(), 0);
  const guide = page.locator("section.how");
  await card.getByRole("button", { name: "How to play" }).click();
  await guide.locator("canvas").first().waitFor();
  await page.keyboard.press("Escape");
  await guide.waitFor({ state: "detached" });
}

/** Asks for the analysis from the card, below which it stands: it comes into sight. */
async function analyse(page, card) {
  await card.getByRole("button", { name: "Analyse" }).tap();
  await until("the analysis in sight", () =>
    page.locator("#analysis-title").evaluate((title) => {
      const { top, bottom } = title.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }),
  );
}

/** Plays on from the moment that the card shows, to a second end. */
async function tryAgain(page, card) {
  const files = await page.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name }) => name),
  );
  assert.deepEqual(
    files.filter((name) => name.endsWith(".wasm")),
    [],
    "the engine is fetched before it is used",
  );
  await card.getByRole("button", { name: "Try again from here" }).click();
  await asked(page).waitFor();
  await until("the second end", async () => {
    await takeTurn(page, false, false);
    return (await card.count()) > 0;
  });
  assert.match(await card.locator(".title").innerText(), /^Second try: /);
}

for (const [game, size, options] of [
  ["snakego", "a desktop", { ...DESKTOP, ...MOVING }],
  ["snakego", "a phone", PHONE],
  ["kob", "a desktop", { ...DESKTOP, ...MOVING }],
  ["kob", "a phone", PHONE],
  ["tankcraft", "a desktop", { ...DESKTOP, ...MOVING }],
  ["tankcraft", "a phone", PHONE],
])
  journey(`a guest plays ${game} on ${size} to the end card, and a rematch`, async (open) => {
    const page = await open(options);
    const touch = options.hasTouch === true;
    page.on("dialog", (dialog) => dialog.accept());
    await playNow(page, game);
    const first = idOf(page);
    assert.equal((await ask(page, `/matches/${first}`)).legs, 1, "the short form");
    await watchShifts(page);
    const card = page.locator("section.end");
    // The bot may lose at once: then there is no further turn.
    for (let taken = 0; taken < 3 && (await card.count()) === 0; taken++) {
      await asked(page).or(card).first().waitFor();
      await takeTurn(page, true, touch);
    }
    assert.deepEqual(await findings(page), [], "while playing");
    // TankCraft's rounds to its end are those of the next test.
    if (touch || game === "tankcraft") {
      const resign = page.getByRole("button", { name: "Resign" });
      // The match may end by itself before that.
      await Promise.race([touch ? resign.tap() : resign.click(), card.waitFor()]);
      await card.waitFor();
    } else
      await until("the end card", async () => {
        await takeTurn(page, false, touch);
        return (await card.count()) > 0;
      });
    const shifts = await page.evaluate(() => globalThis.shifts);
    const sum = shifts.reduce((sum, { value }) => sum + value, 0);
    assert.ok(sum < 0.01, `the page jumps by ${sum}: ${JSON.stringify(shifts)}`);
    assert.deepEqual(await findings(page), [], "at the end");
    // The card speaks to its reader, and leads on.
    const told = await card.locator(".title").innerText();
    assert.match(told, /^You (won|lost)|^A draw/);
    // Who loses to the lowest level is shown how to play, and no stronger level.
    const lost = told.startsWith("You lost");
    const on = lost ? "How to play" : /^(Next|Harder): /;
    for (const name of ["Analyse", "Another game", on])
      await card.getByRole("button", { name }).waitFor();
    if (lost) await readGuide(page, card);
    if (game === "kob") await (touch ? analyse : tryAgain)(page, card);
    await card.getByRole("button", { name: "Rematch" })[touch ? "tap" : "click"]();
    await page.waitForURL((url) => !url.pathname.endsWith(`/${first}`));
    await asked(page).waitFor();
    const [before, again] = [
      await ask(page, `/matches/${first}`),
      await ask(page, `/matches/${idOf(page)}`),
    ];
    assert.deepEqual([again.legs, again.config, again.b.name], [1, before.config, before.b.name]);
    assert.equal(await page.locator("section.end").count(), 0);
  });

journey(
  "a guest chooses TankCraft's options, and need not play to the last round",
  async (open) => {
    const page = await open();
    await page.goto("/games/tankcraft?tab=play&lang=en");
    await page
      .locator("details summary")
      .filter({ hasText: /options/i })
      .click();
    await page.locator("select[name=map]").selectOption("keep");
    await page.locator("select[name=fog]").selectOption("strict");
    await page.locator("input[name=rounds]").fill("40");
    await page.locator("main form button.first").click();
    await page.waitForURL(/\/matches\/\d+/);
    const { config } = await ask(page, `/matches/${idOf(page)}`);
    assert.deepEqual(
      [config.map, config.fog, config.rounds, config.goal],
      ["keep", "strict", 40, 1000],
    );
    await page
      .getByText(/Map: Keep/)
      .first()
      .waitFor();
    // Level 1 leads by so much in the end that the rest of the rounds is not played.
    const card = page.locator("section.end");
    await until("the end card", async () => {
      await page.keyboard.press("Enter");
      return (await card.count()) > 0;
    });
    await card.getByText("a lead that nobody can make up").waitFor();
    const { frames } = await ask(page, `/matches/${idOf(page)}/frames?leg=1`);
    assert.ok(frames.at(-1).round < 40, `round ${frames.at(-1).round}`);
  },
);

journey("a guest plays by keyboard alone: from the home page to the rematch", async (open) => {
  const page = await open(DESKTOP);
  const begin = async (game) => {
    await page.goto("/?lang=en");
    await page.getByRole("button", { name: BUTTONS[game] }).waitFor();
    await tabTo(page, BUTTONS[game]);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/matches\/\d+/);
    await asked(page).waitFor();
  };
  await begin("snakego");
  await until("round 2 of SnakeGo", async () => {
    // Up or down may be a wall.
    for (const key of ["ArrowDown", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
    return (await shownRound(page)) >= 2;
  });
  await begin("kob");
  const first = idOf(page);
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
  await begin("tankcraft");
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

journey(
  "a cut line, a reload and a second tab in the middle of a leg keep the seat",
  async (open, context) => {
    const line = await cutLine(arena.url);
    context.after(line.close);
    const page = await open({ ...DESKTOP, baseURL: line.url });
    page.excused = SERVER_GONE;
    await playNow(page, "tankcraft");
    await playOn(page);
    line.cut();
    const banner = page.locator(".connection").filter({ hasText: "Connection lost" });
    await banner.waitFor();
    await page.locator("section.play").waitFor();
    line.restore();
    await until("no banner", async () => (await banner.count()) === 0);
    await playOn(page);
    await page.reload();
    await asked(page).waitFor();
    await playOn(page);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Play here" }).click();
    await asked(other).waitFor();
    await page.getByRole("button", { name: "Play here" }).waitFor();
    await playOn(other);
    line.cut();
    await other.close();
    line.restore();
    await page.getByRole("button", { name: "Play here" }).click();
    await asked(page).waitFor();
    await playOn(page);
    const match = await ask(page, `/matches/${idOf(page)}`);
    assert.equal(match.state, "running");
  },
);

journey("two people meet through the lobby and play to the end", async (open) => {
  const [ada, bea] = await Promise.all([open(DESKTOP), open(PHONE)]);
  const both = [ada, bea];
  for (const page of both) page.on("dialog", (dialog) => dialog.accept());
  const openLobby = async (page, name) => {
    await page.goto("/play?lang=en");
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
  // Each reads how it is played, sees the keys, and what the other one does.
  for (const page of both) {
    await page.locator(".play .ready").waitFor();
    assert.equal(await page.locator(".play .choices button").count(), 4, "the arrows are there");
  }
  assert.deepEqual(await findings(ada), [], "while reading");
  await sayReady(bea);
  await bea.locator(".play").getByText("ada is reading how to play").waitFor();
  await ada.locator(".presence", { hasText: "ready" }).waitFor();
  assert.equal(await asked(ada).count(), 0, "nobody is asked before both are ready");
  // A third one watches.
  const watcher = await open();
  await watcher.goto(`/matches/${idOf(ada)}?lang=en`);
  await watcher.locator(".timeline input").waitFor();
  // The countdown takes five seconds.
  const countdown = await watchFor(ada, ".play", "starts in");
  await sayReady(ada);
  await countdown();
  assert.equal(await ada.locator(".play .choices button").count(), 4, "from the countdown on");
  await Promise.all(both.map((page) => asked(page).waitFor()));
  const cards = both.map((page) => page.locator("section.end"));
  await until("both end cards", async () => {
    await Promise.all(both.map((page) => takeTurn(page, false, page === bea)));
    return (await Promise.all(cards.map((card) => card.count()))).every((count) => count > 0);
  });
  const played = await ask(ada, `/matches/${idOf(ada)}`);
  assert.equal(played.state, "finished");
  assert.deepEqual([played.a.name, played.b.name].sort(), ["ada", "bea"]);
  // Both press the quick pairing at once, and have the same match.
  await Promise.all([openLobby(ada, "ada"), openLobby(bea, "bea")]);
  await Promise.all(
    both.map(async (page) => {
      await page.getByRole("button", { name: /^play anybody.*snakego/i }).click();
      await page.waitForURL(/\/matches\/\d+/);
    }),
  );
  assert.equal(idOf(ada), idOf(bea));
  await sayReady(...both);
  // SnakeGo asks one after the other.
  await Promise.any(both.map((page) => asked(page).waitFor()));
  // They say preset phrases; the other one reads them, and may choose not to.
  const said = (page) => page.locator(".said > span");
  const hears = (page, text) => watchFor(page, ".said > span", text);
  await ada.getByRole("button", { name: "Say…" }).click();
  assert.deepEqual(await findings(ada), [], "with the phrases");
  const luck = await Promise.all(both.map((page) => hears(page, "Good luck!")));
  await ada.getByRole("button", { name: "Good luck!" }).click();
  for (const heard of luck) await heard();
  await bea.getByRole("button", { name: "Say…" }).tap();
  await bea.getByLabel("Show what the other person says").uncheck();
  const thanks = await hears(ada, "Thanks!");
  await bea.getByRole("button", { name: "Thanks!" }).tap();
  await thanks();
  await said(bea).getByText("Good luck!").waitFor({ state: "detached" });
  // Who stays need not act.
  await bea.getByRole("button", { name: "Resign" }).tap();
  await cards[0].getByText("You won: bea resigned").waitFor();
  await cards[1].getByText("You lost: you resigned").waitFor();
  await cards[1].getByRole("button", { name: "Good game!" }).tap();
  await cards[0].getByText("bea: Good game!").waitFor();
  // One asks for a rematch with swapped sides and takes it back; the other asks and is declined.
  await cards[0].getByRole("button", { name: "Swap sides" }).click();
  await cards[0].getByText("Waiting for bea to accept the rematch").waitFor();
  await cards[1].getByText("ada wants a rematch with sides swapped.").waitFor();
  // There is one way to agree.
  assert.ok(await cards[1].getByRole("button", { name: "Rematch" }).isDisabled());
  assert.deepEqual(await findings(bea), [], "asked for a rematch");
  await cards[0].getByRole("button", { name: "Cancel" }).click();
  await cards[1].getByText("wants a rematch").waitFor({ state: "detached" });
  await cards[1].getByRole("button", { name: "Rematch" }).tap();
  await cards[0].getByText("bea wants a rematch.").waitFor();
  await cards[0].getByRole("button", { name: "Decline" }).click();
  await cards[1].getByText("ada declined the rematch.").waitFor();
  // Asked for again, and accepted: both are taken to the new match.
  const before = await ask(ada, `/matches/${idOf(ada)}`);
  await cards[1].getByRole("button", { name: "Swap sides" }).tap();
  await cards[0].getByRole("button", { name: "Accept" }).click();
  await Promise.all(
    both.map((page) => page.waitForURL((url) => !url.pathname.endsWith(`/${before.id}`))),
  );
  assert.equal(idOf(ada), idOf(bea));
  // Both have asked for it, so that nobody reads once more.
  await Promise.any(both.map((page) => asked(page).waitFor()));
  const again = await ask(ada, `/matches/${idOf(ada)}`);
  assert.deepEqual(
    [again.a.name, again.b.name, again.config, again.legs],
    [before.b.name, before.a.name, before.config, before.legs],
  );
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

journey("a plan for all five tanks takes at most three inputs a round", async (open) => {
  const page = await open(DESKTOP);
  const heard = overheard(page);
  await playNow(page, "tankcraft");
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
  const rounds = 24;
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
});

journey(
  "two fingers magnify the board on a phone, and a tap means the cell under it",
  async (open) => {
    const page = await open(PHONE);
    const heard = overheard(page);
    await playNow(page, "tankcraft");
    await page.keyboard.press("Enter");
    await page.locator(".rows .piece", { hasText: "♥" }).first().waitFor();
    await page.locator(".play .finish .done").waitFor();
    await page.locator("main .board canvas").scrollIntoViewIfNeeded();
    const board = await page.locator("main .board canvas").boundingBox();
    const [gutter, size] = [20, (board.width - 20) / 21];
    const middle = { x: board.x + gutter + size * 10.5, y: board.y + size * 10.5 };
    const fingers = await page.context().newCDPSession(page);
    const touch = (type, ...at) =>
      fingers.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: at.map(([x, y], id) => ({ x: middle.x + x, y: middle.y + y, id })),
      });
    await touch("touchStart", [-40, 0], [40, 0]);
    for (const far of [50, 60, 70, 80]) await touch("touchMove", [-far, 0], [far, 0]);
    await touch("touchEnd");
    const whole = page.getByRole("button", { name: "Whole board" });
    await whole.waitFor();
    assert.equal(await page.evaluate(() => visualViewport.scale), 1, "the page keeps its size");
    assert.deepEqual(await findings(page), [], "with a part of the board");

    // Cells from the middle of the board, where tanks can go.
    const { map } = heard.find(
      ({ frames_of_leg: leg }) => leg?.game === "tankcraft" && leg.setup.map,
    ).frames_of_leg.setup;
    const free = (from, to) =>
      [8, 9, 10, 12, 13, 14].flatMap((row) =>
        Array.from({ length: to - from + 1 }, (_, at) => [row, from + at]).filter(
          ([row, col]) => map[row - 1][col - 1] === ".",
        ),
      );
    const tap = async ([row, col], scale, moved = 0) => {
      await page.touchscreen.tap(
        middle.x + ((col - 11) * scale + moved) * size,
        middle.y + (row - 11) * scale * size,
      );
      await until(`a standing order to (${row},${col})`, async () =>
        (await plansOf(page)).some((plan) => plan.includes(`to (${row},${col})`)),
      );
    };
    // Twice the size around the middle: five cells on each side are left.
    await tap(free(8, 14)[0], 2);
    // One finger moves the shown part: three cells more on the left.
    await touch("touchStart", [0, 0]);
    for (const by of [2, 4, 6]) await touch("touchMove", [by * size, 0]);
    await touch("touchEnd");
    await tap(free(5, 7)[0], 2, 6);
    await whole.tap();
    await whole.waitFor({ state: "detached" });
    await tap(free(15, 19)[0], 1);
  },
);

for (const [lang, game, size, play, title, close] of [
  ["en", "kob", DESKTOP, /^play now.*king of bots/i, "How to play", "Close"],
  ["zh", "snakego", PHONE, /^立即对弈.*SnakeGo/, "怎么玩", "关闭"],
  ["en", "tankcraft", PHONE, /^play now.*tankcraft/i, "How to play", "Close"],
])
  journey(
    `who plays ${game} for the first time sees three pictures, once (${lang})`,
    async (open) => {
      const page = await open({ ...size, newcomer: true });
      page.on("dialog", (dialog) => dialog.accept());
      const begin = async () => {
        await page.goto(`/?lang=${lang}`);
        await page.getByRole("button", { name: play }).click();
        await page.waitForURL(/\/matches\/\d+/);
        await asked(page).waitFor();
      };
      await begin();
      const how = page.getByRole("region", { name: title });
      await how.waitFor();
      await until("three drawn pictures", () =>
        how.locator("canvas").evaluateAll(
          (all) =>
            all.length === 3 &&
            all.every((one) => {
              if (one.width * one.height === 0) return false;
              const { data } = one.getContext("2d").getImageData(0, 0, one.width, one.height);
              return new Set(new Uint32Array(data.buffer)).size > 3;
            }),
        ),
      );
      const captions = await how.locator("figcaption").allTextContents();
      assert.ok(
        captions.every((caption) => caption.length > 10),
        captions.join(" | "),
      );
      if (lang === "zh") assert.deepEqual(await findings(page), []);
      // The first action closes it.
      await until("the game without its pictures", async () => {
        await takeTurn(page, true, size.hasTouch === true);
        return (await how.count()) === 0;
      });
      // The next match begins without it; a button shows it again.
      await begin();
      assert.equal(await how.count(), 0);
      await page.locator(".play button.how").click();
      await how.waitFor();
      await how.getByRole("button", { name: close }).click();
      await how.waitFor({ state: "detached" });
    },
  );

journey("an invited friend reads, too, and whoever comes third watches", async (open) => {
  const [ada, bea, cem] = await Promise.all([
    open({ ...DESKTOP, newcomer: true }),
    open({ ...PHONE, newcomer: true }),
    open(PHONE),
  ]);
  await ada.goto("/play?lang=en");
  await ada.getByLabel("Your name").fill("ada");
  await ada.getByRole("button", { name: /^invite a friend.*king of bots/i }).click();
  await ada.waitForURL(/\/invite\//);
  // The tests' arena has no address for another device.
  await ada.getByText("Only this computer can open this link").waitFor();
  await bea.goto(`${new URL(ada.url()).pathname}?lang=zh`);
  await bea.locator("input[name=name]").fill("bea");
  await bea.locator("form button.first").tap();
  for (const page of [ada, bea]) {
    await page.waitForURL(/\/matches\/\d+/);
    // The pictures, the keys, and the button that says: I have read it.
    await page.locator(".how canvas").first().waitFor();
  }
  assert.equal(await ada.locator(".how .keys span").count(), 4);
  assert.deepEqual(await findings(bea), [], "while reading");
  await cem.goto(`${new URL(ada.url()).pathname}?lang=en`);
  await cem.locator(".timeline input").waitFor();
  await bea.getByRole("region", { name: "怎么玩" }).getByRole("button").tap();
  await bea
    .getByText(/正在看玩法/)
    .first()
    .waitFor();
  await ada.locator(".how header button", { hasText: "Ready" }).click();
  await Promise.all([ada, bea].map((page) => asked(page).waitFor()));
  // They play once more, and who watches is told where.
  ada.on("dialog", (dialog) => dialog.accept());
  await ada.getByRole("button", { name: "Resign" }).click();
  await ada.getByRole("button", { name: "Rematch" }).click();
  await bea.getByRole("button", { name: "接受" }).tap();
  const before = `/${idOf(cem)}`;
  await cem.getByRole("link", { name: "They play again" }).tap();
  for (const page of [ada, bea, cem])
    await page.waitForURL(({ pathname }) => !pathname.endsWith(before));
  assert.equal(idOf(cem), idOf(ada));
});

/** Directions along free cells of King of Bots for a head, as far as asked. */
function freeWay({ map, snakes }, seat, length) {
  const taken = new Set(snakes.flatMap(({ cells }) => cells.map((cell) => `${cell}`)));
  const steps = [
    ["ArrowUp", -1, 0],
    ["ArrowRight", 0, 1],
    ["ArrowDown", 1, 0],
    ["ArrowLeft", 0, -1],
  ];
  const go = ([row, col], left, way) => {
    if (left === 0) return way;
    for (const [key, down, right] of steps) {
      const cell = [row + down, col + right];
      if (map[cell[0]]?.[cell[1]] !== "0" || taken.has(`${cell}`)) continue;
      taken.add(`${cell}`);
      const found = go(cell, left - 1, [...way, { key, cell }]);
      if (found) return found;
      taken.delete(`${cell}`);
    }
    return null;
  };
  return go(snakes[seat === "first" ? 0 : 1].cells[0], length, []);
}

journey(
  "directions for later rounds of King of Bots are planned while the other side thinks",
  async (open) => {
    const [ada, bea] = await Promise.all([open(DESKTOP), open(PHONE)]);
    const heard = [overheard(ada), overheard(bea)];
    for (const [page, name] of [
      [ada, "ada"],
      [bea, "bea"],
    ]) {
      await page.goto("/play?lang=en");
      await page.getByLabel("Your name").fill(name);
      await page.getByRole("button", { name: /^play anybody.*king of bots/i }).click();
      await page.waitForURL(/\/matches\/\d+/);
    }
    await sayReady(ada, bea);
    await Promise.all([ada, bea].map((page) => asked(page).waitFor()));
    const [first, second] = heard.map((one) => {
      const { frames_of_leg: leg } = one.findLast((message) => message.frames_of_leg);
      const { seat } = one.findLast(({ type }) => type === "question");
      return { leg, seat, way: freeWay(leg.frames[0].view, seat, 4) };
    });
    assert.notEqual(first.seat, second.seat);
    const plan = ada.locator(".plan .signs");
    await ada.keyboard.press(first.way[0].key);
    for (const { key } of first.way.slice(1)) await ada.keyboard.press(`Shift+${key}`);
    const signs = { ArrowUp: "↑", ArrowRight: "→", ArrowDown: "↓", ArrowLeft: "←" };
    const shown = first.way.slice(1).map(({ key }) => signs[key]);
    await until("the plan", async () => (await plan.textContent()) === shown.join(" "));
    // Ada does nothing more; Bea answers round by round, by touch.
    const directions = { ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left" };
    const begun = await shownRound(ada);
    for (const [at, { key }] of second.way.entries()) {
      await bea.locator(`.play .choices:not(.waits) button.${directions[key]}`).tap();
      await until(`move ${at + 1} of both`, async () => (await shownRound(ada)) > begun + at);
    }
    assert.equal(await plan.textContent(), "");
    bea.on("dialog", (dialog) => dialog.accept());
    await bea.getByRole("button", { name: "Resign" }).tap();
    await ada.locator("section.end").waitFor();
    await bea.locator("section.end", { hasText: "you resigned here" }).waitFor();
    const { frames } = await ask(ada, `/matches/${idOf(ada)}/frames?leg=1`);
    const keys = ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"];
    assert.deepEqual(
      frames.slice(1, 5).map(({ events }) => {
        const moved = events.find(({ event, seat }) => event === "moved" && seat === first.seat);
        return keys[moved.direction];
      }),
      first.way.map(({ key }) => key),
    );
  },
);

/** Steps to every cell that a head reaches over free cells. */
function distancesFrom(start, isFree) {
  const found = new Map([[`${start}`, 0]]);
  for (const [cell, steps] of found)
    for (const { by } of Object.values(WAYS)) {
      const next = `${cell.split(",").map((at, axis) => Number(at) + by[axis])}`;
      if (!found.has(next) && isFree(next)) found.set(next, steps + 1);
    }
  return found;
}

/** The keys of King of Bots, with what they add to row and column. */
const WAYS = {
  w: { by: [-1, 0] },
  d: { by: [0, 1] },
  s: { by: [1, 0] },
  a: { by: [0, -1] },
};

/** The key after which a seat is first at most cells; `cells` are those of both snakes. */
function roomiestKey(map, cells, seat) {
  const taken = new Set(cells.flat().map(String));
  const isFree = (cell) => {
    const [row, column] = cell.split(",");
    return map[row]?.[column] === "0" && !taken.has(cell);
  };
  const [own, other] = seat === "first" ? cells : [cells[1], cells[0]];
  const theirs = distancesFrom(other[0], isFree);
  let best = { key: "w", room: -1 };
  for (const [key, { by }] of Object.entries(WAYS)) {
    const next = own[0].map((at, axis) => at + by[axis]);
    if (!isFree(`${next}`)) continue;
    const mine = distancesFrom(next, isFree);
    const room = [...mine].filter(([cell, steps]) => steps < (theirs.get(cell) ?? Infinity)).length;
    if (room > best.room) best = { key, room };
  }
  return best.key;
}

journey("who wins at a level is offered the next one, and it comes", async (open) => {
  const page = await open(DESKTOP);
  const heard = overheard(page);
  await playNow(page, "kob");
  const card = page.locator("section.end");
  let next;
  // Level 1 wins a game now and then.
  for (let games = 1; !next; games++) {
    assert.ok(games <= 5, "level 1 won five times");
    const id = idOf(page);
    const own = () => heard.slice(heard.findLastIndex(({ frames_of_leg: leg }) => leg));
    let answered = -1;
    await until(`the end of game ${games}`, async () => {
      if ((await card.count()) > 0) return true;
      // A key that comes before the page has the question is lost.
      const isAsked = await page.evaluate(
        () =>
          document.querySelector(".play .choices:not(.waits)") !== null &&
          document.querySelector(".play .choices [aria-pressed=true]") === null,
      );
      const question = own().findLast(({ type }) => type === "question");
      if (!isAsked || !question || question.step === answered) return false;
      const { view } = own()[0].frames_of_leg.frames[0];
      const snakes = view.snakes.map(({ cells }) => cells);
      for (const { frames } of own().filter(({ type }) => type === "frames"))
        for (const { change } of frames)
          for (const [at, snake] of Object.entries(change.snakes ?? {}))
            if (snake.cells) snakes[at] = snake.cells[0];
      await page.keyboard.press(roomiestKey(view.map, snakes, question.seat));
      answered = question.step;
      return false;
    });
    await card.getByRole("button", { name: "Rematch" }).waitFor();
    const { winner, b } = await ask(page, `/matches/${id}`);
    assert.equal(b.name, "level1");
    const offer = card.getByRole("button", { name: /^Next: / });
    // The offer comes a moment after the card.
    if (winner === "a") await (next = offer).waitFor();
    else {
      assert.equal(await offer.count(), 0, "only who won is offered more");
      await card.getByRole("button", { name: "Rematch" }).click();
      await page.waitForURL((url) => !url.pathname.endsWith(`/${id}`));
      await asked(page).waitFor();
    }
  }
  assert.deepEqual(await findings(page), [], "the card of a victory");
  const before = idOf(page);
  await next.click();
  await page.waitForURL((url) => !url.pathname.endsWith(`/${before}`));
  await asked(page).waitFor();
  assert.equal((await ask(page, `/matches/${idOf(page)}`)).b.name, "level2");
});

journey("a person plays a program that stays at its author's machine", async (open, context) => {
  const author = await newAccount(browser, arena, "root");
  const { token } = await send(author, "/me/tokens", { name: "home", scopes: ["play"] });
  const folder = mkdtempSync(join(tmpdir(), "leitai-home-"));
  writeFileSync(join(folder, "hydra.py"), STRAIGHT);
  const words = ["connect", arena.url, "kob", "hydra.py", "--matches", "1", "--token", token];
  const env = { ...process.env, LEITAI_LANG: "en", LEITAI_ISOLATION: "none", HOME: folder };
  const child = spawn(LEITAI, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  context.after(() => child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const ended = new Promise((resolve) => child.once("exit", resolve));

  const [ada, watcher] = await Promise.all([open(PHONE), open(DESKTOP)]);
  ada.on("dialog", (dialog) => dialog.accept());
  await ada.goto("/play/kob?lang=en");
  const take = ada.getByRole("button", { name: "Play hydra" });
  await take.waitFor();
  await ada.getByText("waits for an opponent").waitFor();
  assert.deepEqual(await findings(ada), [], "with a program that waits");
  await take.tap();
  await ada.waitForURL(/\/matches\/\d+/);
  await sayReady(ada);
  await asked(ada).waitFor();
  await ada.getByText("at home").first().waitFor();
  await watcher.goto("/play?lang=zh");
  await watcher.getByText("正在比赛").waitFor();
  // Its first action may kill the program.
  await Promise.race([playOn(ada), ada.locator("section.end").waitFor()]);
  await until("the end of the match", async () => {
    const resign = ada.getByRole("button", { name: "Resign" });
    if (await resign.isVisible()) await resign.click().catch(() => false);
    return (await ask(ada, `/matches/${idOf(ada)}`)).state === "finished";
  });
  await ada.getByRole("button", { name: /again/i }).first().waitFor();
  assert.deepEqual(await findings(ada), [], "after the match");
  assert.equal(await ended, 0, said);
  assert.match(said, /guest has come/);
  await watcher.goto(`/matches/${idOf(ada)}?lang=zh`);
  await watcher.getByText("本地程序").first().waitFor();
  await watcher.getByText(/延迟 \d/).waitFor();
});
