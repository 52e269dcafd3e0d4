// The boards that strangers' games bring: one of the examples draws and is played by clicks, and
// hostile ones reach nothing and hold up nobody. The rules are compiled here from C and C++.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after } from "node:test";
import { DESKTOP, IDLE, LEITAI, PHONE, findings, scratch, stage, until } from "./kit.mjs";

const root = new URL("../../../", import.meta.url).pathname;
const folder = scratch();
const hasClang = ["clang++", "wasm-ld"].every((tool) => !spawnSync(tool, ["--version"]).error);

/** Notes whoever comes: a viewer has no way to. */
const came = [];
const outside = createServer((request, answer) => {
  came.push(request.url);
  answer.setHeader("access-control-allow-origin", "*");
  answer.end();
}).listen(0, "127.0.0.1");
await once(outside, "listening");
after(() => outside.close());
const url = `http://127.0.0.1:${outside.address().port}`;

/** Keeps a picture of the page, if somebody wants it. */
async function look(page, name) {
  const to = process.env.LEITAI_SHOTS;
  if (to) await page.screenshot({ path: join(to, `${name}.png`) });
}

/** What each viewer does, and a part of what the page says of it; null if its board is shown. */
const PAINT = "context.fillStyle = '#00ff00'; context.fillRect(0, 0, 1e4, 1e4);";
const drawing = (work) => `function draw(context, scene) { ${PAINT} ${work} }`;
const tries = (what) =>
  drawing(`try { ${what}; } catch (why) { throw Error("no: " + why.name); } throw Error("yes")`);
const VIEWERS = {
  green: [drawing(""), null],
  cookies: [tries("document.cookie.length"), "no: ReferenceError"],
  storage: [tries("localStorage.length"), "no: ReferenceError"],
  database: [tries("indexedDB.open('x')"), "no: ReferenceError"],
  top: [tries(`top.location = "${url}/top"`), "no: ReferenceError"],
  self: [tries(`location.href = "${url}/self"; importScripts("${url}/script")`), "no:"],
  fetch: [tries(`fetch("${url}/fetch")`), "no: ReferenceError"],
  module: [drawing(`import("${url}/module").catch(() => {}); new Image`), "ReferenceError"],
  code: [tries("new Function('return 1')"), "no: EvalError"],
  post: [tries("postMessage({ cols: 1 })"), "no: ReferenceError"],
  busy: [drawing("for (;;);"), "did not answer"],
  stuck: ["for (;;);", "did not answer"],
  broken: ["function draw( {", "failed"],
  large: ["function boardSize() { return { cols: 1e9, rows: NaN }; }" + drawing(""), null],
  odd: ["function targets() { return { b2: [[1e9, {}], 7] }; }" + drawing(""), null],
};

if (hasClang) {
  const three = join(root, "crates/guest/tests/data/three.c");
  const rules = join(folder, "rules.wasm");
  const target = "--target=wasm32 -O2 -nostdlib -Wl,--no-entry -Wl,-zstack-size=65536".split(" ");
  execFileSync("clang", [...target, "-o", rules, three]);
  for (const [id, [script]] of Object.entries(VIEWERS)) {
    const game = join(folder, id);
    mkdirSync(game);
    cpSync(rules, join(game, "rules.wasm"));
    writeFileSync(join(game, "guide.md"), "# A game\n");
    writeFileSync(join(game, "viewer.js"), script);
    const about = {
      interface: "leitai-game/1",
      id,
      rules: `${id}/1`,
      name: `Board ${id}`,
      about: "a game",
    };
    const lines = Object.entries({ ...about, licence: "MIT" });
    const toml = lines.map(([key, text]) => `${key} = "${text}"\n`).join("");
    writeFileSync(join(game, "game.toml"), `${toml}open = true\nauthors = ["A"]\n`);
  }
  rmSync(rules);
  cpSync(join(root, "examples/games/goofspiel"), join(folder, "goofspiel"), { recursive: true });
  execFileSync(LEITAI, ["game", "build", join(folder, "goofspiel")]);
}

const { journey } = await stage(...IDLE, "--games", folder);
const options = { skip: hasClang ? false : "there is no clang++ with wasm-ld" };

/** The kit's script for every frame wants storage, and a policy that holds is logged. */
const EXCUSED = /document is sandboxed|Content Security Policy/;

/** Begins a leg against the built-in bot, as a guest does; returns the buttons of its actions. */
async function begin(page, name, lang, press) {
  await page.goto(`/?lang=${lang}`);
  const card = page.locator(".cards li").filter({ hasText: name });
  await card.waitFor();
  await press(card.getByRole("button").first());
  await page.waitForURL(/\/matches\/\d+/);
  const choices = page.locator(".play .choices:not(.waits) button");
  await choices.first().waitFor();
  return choices;
}

/** The colour of a place of the board, in parts of its width and height. */
const colorAt = (page, at) =>
  page
    .locator("canvas")
    .first()
    .evaluate((canvas, [x, y]) => {
      const place = [Math.round(canvas.width * x), Math.round(canvas.height * y)];
      return [...canvas.getContext("2d").getImageData(...place, 1, 1).data].join(" ");
    }, at);

/** Presses a cell of the board, beside which the names of rows and columns lie. */
async function pressCell(page, [col, row], [cols, rows], press) {
  const canvas = page.locator("canvas").first();
  const { width, height } = await canvas.boundingBox();
  const [x, y] = [20 + ((width - 20) * (col + 0.5)) / cols, ((height - 20) * (row + 0.5)) / rows];
  await press(canvas, { position: { x, y } });
}

for (const [lang, shape, name] of [
  ["en", DESKTOP, "Goofspiel"],
  ["zh", PHONE, "暗标争牌"],
])
  journey(
    `an example's own board is drawn and played by clicks, in ${lang}`,
    async (open) => {
      const page = await open(shape);
      page.excused = EXCUSED;
      const press = (on, at) => (shape.hasTouch ? on.tap(at) : on.click(at));
      const choices = await begin(page, name, lang, press);
      await choices.nth(12).waitFor();
      // The seventh cards of both hands are drawn; only the own one is a target.
      const hands = [1, 5];
      await until("the board of the game", async () => {
        const places = [1, 3, 5].map((row) => colorAt(page, [0.07, (row + 0.2) / 7.6]));
        return new Set(await Promise.all(places)).size === 3;
      });
      await look(page, `goofspiel-${lang}`);
      assert.deepEqual(await findings(page), [], "the board");
      for (const row of hands) await pressCell(page, [6, row], [13, 7], press);
      await until("the next prize", async () => (await choices.count()) === 12);
      assert.equal(await page.locator(".trouble").count(), 0);
      await look(page, `goofspiel-second-${lang}`);
    },
    options,
  );

for (const [id, [, said]] of Object.entries(VIEWERS))
  journey(
    `a stranger's board holds up nobody and reaches nothing: ${id}`,
    async (open) => {
      const page = await open(DESKTOP);
      const press = (on, at) => on.click(at);
      page.excused = EXCUSED;
      const choices = await begin(page, `Board ${id}`, "en", press);
      await choices.nth(8).waitFor();
      if (said === null) {
        const green = async () => (await colorAt(page, [0.6, 0.1])) === "0 255 0 255";
        await until("its board", green);
      } else {
        // While it hangs, the page goes on: nothing could end a board that ran in the page itself.
        await page.locator(".trouble", { hasText: said }).waitFor();
        await look(page, `board-${id}`);
      }
      if (id !== "odd" && id !== "large") {
        await pressCell(page, [1, 1], [3, 3], press);
        await until("the bot's answer", async () => (await choices.count()) === 7);
      }
      assert.match(page.url(), /\/matches\//);
      assert.deepEqual(came, []);
    },
    options,
  );
