// People who play, in a real browser: each game to its end card and a rematch, on a desktop and on
// a phone, by keyboard alone, and over a line that is cut.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cutLine } from "./cut_line.mjs";
import { ask, findings, openArena, openBrowser, until, visit } from "./kit.mjs";

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
      assert.deepEqual(await findings(page), [], "before the first move");
      await watchShifts(page);
      for (let taken = 0; taken < rounds; taken++) {
        await asked(page).waitFor();
        await takeTurn(page, true, touch);
      }
      assert.deepEqual(await findings(page), [], "while playing");
      const card = page.locator("section.end");
      await until("the end card", async () => {
        await takeTurn(page, false, touch);
        return (await card.count()) > 0;
      });
      const shifts = await page.evaluate(() => globalThis.shifts);
      const sum = shifts.reduce((sum, { value }) => sum + value, 0);
      assert.ok(sum < 0.01, `the page jumps by ${sum}: ${JSON.stringify(shifts)}`);
      assert.deepEqual(await findings(page), [], "at the end");
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
