// The engine in the page: the same as the command line, bit for bit; without the server; from a
// file. `./dev engine` builds it. Without a WebAssembly toolchain these tests are skipped, and say
// so; LEITAI_REQUIRE_WASM=1 makes that an error.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import {
  IDLE,
  SERVER_GONE,
  openArena,
  runIn,
  scratch,
  skipWithoutEngine,
  stage,
  until,
} from "./kit.mjs";

/** Short matches of every game. */
const MATCHES = [
  ["snakego", "greedy", "random", "--config", "max_round=40"],
  ["kob", "space", "safe"],
  ["tankcraft", "miner", "random", "--config", "rounds=40"],
];
/** The recorded games of every game. */
const CORPORA = {
  snakego: "snakego/golden/games.jsonl",
  kob: "kob/golden/own.jsonl",
  tankcraft: "tankcraft/golden/games.json",
};

const folder = scratch();
const leitai = runIn(folder);
const { arena, journey } = await stage(...IDLE);
const unless = await skipWithoutEngine(arena);
for (const [game, a, b, ...more] of MATCHES)
  leitai("match", game, a, b, "--seed", "5", "--replay", `${game}.json`, ...more);

/** A visitor whose page calls the engine as the page's own code does. */
async function openEngine(open) {
  const page = await open();
  const assets = [];
  page.on("request", (request) => assets.push(request.url()));
  await page.goto("/play/kob?lang=en");
  await page.getByRole("button", { name: "Load it" }).click();
  await page.getByRole("combobox", { name: "Opponent" }).waitFor();
  const client = assets.find((url) => /\/assets\/client-[^/]*\.js$/.test(url));
  assert.ok(client, "the page loads the client of the engine");
  /** Calls a method of the engine; `{ file: text }` is passed as a file. */
  const ask = (method, ...values) =>
    page.evaluate(
      async ([client, method, values]) => {
        const engine = (await import(client)).openEngine();
        const given = values.map((one) => (one?.file === undefined ? one : new Blob([one.file])));
        try {
          return { ok: await engine[method](...given) };
        } catch (error) {
          return { code: error.code, message: error.message };
        }
      },
      [client, method, values],
    );
  return ask;
}

const textOf = (game) => readFileSync(join(folder, `${game}.json`), "utf8");
const fileOf = (game) => ({ file: textOf(game) });

journey(
  "the engine agrees with the command line in every checkpoint, frame and number",
  async (open) => {
    const ask = await openEngine(open);
    for (const [game] of MATCHES) {
      const text = textOf(game);
      const verified = (await ask("verify", fileOf(game))).ok;
      assert.equal(verified.verified, true, game);
      const said = leitai("replay", "verify", `${game}.json`).trim();
      assert.equal(`${game}.json: ${verified.words.en}`, said);
      // The command line has recorded eight bits of every hash, and the whole last one.
      const { legs } = JSON.parse(text);
      const hashes = (await ask("checkpoints", fileOf(game))).ok.legs;
      for (const [index, leg] of legs.entries()) {
        const folded = hashes[index].map(foldHash).join("");
        assert.equal(folded, leg.hashes, `${game}, leg ${index + 1}`);
        assert.equal(hashes[index].at(-1), leg.final_hash);
      }
      for (const perspective of ["all", "first", "second"]) {
        const words = [
          "replay",
          "frames",
          `${game}.json`,
          "--leg",
          "1",
          "--perspective",
          perspective,
        ];
        const frames = leitai(...words)
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
        const made = (await ask("frames", fileOf(game), 1, perspective)).ok;
        assert.deepEqual(made.frames, frames, `${game} ${perspective}`);
      }
      const analysis = JSON.parse(
        leitai("analyze", `${game}.json`, "--leg", "1", "--budget", "20", "--json"),
      );
      const ours = (await ask("analyze", fileOf(game), { leg: 1, budget: 20 })).ok;
      assert.deepEqual(ours.legs, analysis.legs, game);
    }
  },
  unless,
);

/** Two hexadecimal digits of a hash, as replays have them. */
function foldHash(hash) {
  const parts = hash.match(/..../g).map((part) => parseInt(part, 16));
  const folded = parts.reduce((all, part) => all ^ part, 0);
  return ((folded ^ (folded >> 8)) & 255).toString(16).padStart(2, "0");
}

journey(
  "the recorded games of every game agree in WebAssembly",
  async (open) => {
    const ask = await openEngine(open);
    for (const [game, path] of Object.entries(CORPORA)) {
      const corpus = readFileSync(new URL(`../../../games/${path}`, import.meta.url), "utf8");
      const found = await ask("corpus", game, { file: corpus });
      assert.deepEqual(found.ok?.differences, [], `${game}: ${found.message}`);
      assert.ok(found.ok.cases > 0, game);
    }
  },
  unless,
);

journey(
  "a panic is an error, and the next call is answered",
  async (open) => {
    const ask = await openEngine(open);
    const failed = await ask("panic");
    assert.equal(failed.code, "panic");
    assert.match(failed.message, /the page asked for it/);
    assert.equal((await ask("verify", fileOf("kob"))).ok.verified, true);
  },
  unless,
);

journey(
  "a dropped file is verified in the page, and the server is not asked",
  async (open) => {
    const page = await open();
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const drop = async (name, bytes) => {
      writeFileSync(join(folder, name), bytes);
      await page.goto("/viewer?lang=en");
      await page.locator("input[type=file]").setInputFiles(join(folder, name));
    };
    for (const [game] of MATCHES) {
      await drop("good.json", textOf(game));
      await page.getByText("Replayed and verified").waitFor();
    }
    await drop("packed.json.gz", gzipSync(textOf("kob")));
    await page.getByText("Replayed and verified").waitFor();
    // Another reply than the one that was played.
    await drop("changed.json", textOf("snakego").replace(/"hashes":"../, '"hashes":"zz'));
    await page.getByText("This replay could not be verified").waitFor();
    await drop("half.json", textOf("kob").slice(0, 300));
    await page.getByText("The replay cannot be read").waitFor();
    await drop("foreign.json", '{"something": "else"}');
    await page.getByText("This is not a replay that can be read here").waitFor();
    assert.ok(!asked.includes("/api/replays/frames"), "the server was asked for frames");
  },
  unless,
);

journey(
  "a leg is played to its end while the server is stopped",
  async (open) => {
    const own = await openArena(...IDLE);
    const page = await open();
    // The analysis of the end's moment needs a worker, whose script may not be kept yet.
    page.excused = new RegExp(`${SERVER_GONE.source}|fetching the script`);
    await page.goto(`${own.url}/play/kob?lang=en`);
    await page.getByRole("button", { name: "Load it" }).click();
    await page.getByRole("combobox", { name: "Opponent" }).selectOption("random");
    await own.close();
    await page.getByRole("button", { name: "Start" }).last().click();
    const save = page.getByRole("link", { name: "Save the replay" });
    const wait = page.locator("section.play strong", { hasText: "Your turn" });
    // Always up: it ends at the wall at the latest.
    await until("the end of the leg", async () => {
      if (await wait.isVisible()) await page.keyboard.press("w");
      return save.isVisible();
    });
    const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
    await download.saveAs(join(folder, "offline.json"));
    assert.match(leitai("replay", "verify", "offline.json"), /agrees: 1 leg/);
    await page.getByText("Replayed and verified").waitFor();
  },
  unless,
);

journey(
  "one HTML file opens without a server, is verified and scrubbed",
  async (open) => {
    for (const [game] of MATCHES) {
      leitai("replay", "export", `${game}.json`, "--to", "html", "--output", `${game}.html`);
      const { length } = readFileSync(join(folder, `${game}.html`));
      assert.ok(length <= 1_000_000, `${game}.html has ${length} bytes`);
      const page = await open();
      const asked = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(pathToFileURL(join(folder, `${game}.html`)).href);
      await page.getByText("Replayed and verified").waitFor();
      await page.keyboard.press("End");
      await page.keyboard.press("Home");
      const elsewhere = asked.filter((url) => /^https?:/.test(url));
      assert.deepEqual(elsewhere, [], "something was loaded from elsewhere");
    }
  },
  unless,
);

journey(
  "one HTML file is analysed, branched and saved as a GIF by itself",
  async (open) => {
    const game = "kob";
    leitai("replay", "export", `${game}.json`, "--to", "html", "--output", `${game}.html`);
    const page = await open();
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    const address = pathToFileURL(join(folder, `${game}.html`)).href;
    await page.goto(address);
    await page.getByText("Replayed and verified").waitFor();
    await page.locator(".start-analysis button").click();
    const done = () => document.querySelector(".analysis progress")?.value === 1;
    await until("the end of the analysis", () => page.evaluate(done));
    assert.ok((await page.locator(".curve path.curve").getAttribute("d")).includes("L"));

    await page.locator(".timeline input").fill("2");
    await page.locator(".start-branches button").click();
    const players = page.locator(".branches select");
    await players.nth(1).locator("option[value=level1]").waitFor({ state: "attached" });
    for (const at of [0, 1]) await players.nth(at).selectOption("level1");
    await page.locator(".branches .go").click();
    await page.getByText("· finished").first().waitFor();
    const save = async (button, name) => {
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      await download.saveAs(join(folder, name));
    };
    await save(page.getByRole("button", { name: "Save as a replay" }), "branch.json");
    assert.match(leitai("replay", "verify", "branch.json"), /agrees: 1 leg/);
    const last = await page.locator(".timeline input").getAttribute("max");

    await page.locator(".start-clip button").click();
    await page.locator(".clip input").nth(1).fill("2");
    await page.locator(".clip select").nth(1).selectOption("320");
    await save(page.locator(".clip .go"), "branch.gif");
    assert.equal(readFileSync(join(folder, "branch.gif")).subarray(0, 6).toString(), "GIF89a");

    // The link of the branch opens it in the same file.
    const link = await until("the link of the branch", async () => {
      const { hash } = new URL(page.url());
      return hash.startsWith("#branch=") && address + hash;
    });
    const other = await open();
    await other.goto(link);
    await other.locator(".branches nav").waitFor();
    await until(
      "the same leg",
      async () => (await other.locator(".timeline input").getAttribute("max")) === last,
    );
    assert.deepEqual(
      asked.filter((url) => /^https?:/.test(url)),
      [],
      "something was loaded from elsewhere",
    );
  },
  unless,
);
