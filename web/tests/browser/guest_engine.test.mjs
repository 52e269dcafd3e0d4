// The engine in the page plays the modules of game files: it finds what an independent program and
// the interpreter found, without asking the server; modules that fail say what the server says, and
// one that never ends is ended, while the page lives.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IDLE, newAccount, runIn, scratch, skipWithoutEngine, stage, until } from "./kit.mjs";

const root = new URL("../../../", import.meta.url).pathname;
const folder = scratch();
const leitai = runIn(folder);
const hasClang = ["clang++", "wasm-ld"].every((tool) => !spawnSync(tool, ["--version"]).error);

/** What the module does at the setup `{"e":"WORD"}`, by the first letter of the word. */
const HOSTILE = {
  bomb: "while (__builtin_wasm_memory_grow(0, 16) != -1ul) {} __builtin_trap();",
  trap: "__builtin_trap();",
  deep: "return dig(1);",
  answer: "return (unsigned long long)(number)(unsigned long)out << 32 | 0xffffffff;",
  memory: "return 0xfffffff0ull << 32 | 16;",
  nonsense: "written = 0; put(0); put(9); return answer();",
  // The last one: its game is not asked again.
  loop: "for (volatile int i = 0;; i++);",
};

/** Three in a row whose states hold the sign of a NaN, which machines choose themselves. */
function writeHostile(game) {
  const source = readFileSync(join(root, "crates/guest/tests/data/three.c"), "utf8");
  const cases = Object.entries(HOSTILE).map(([word, code]) => `case '${word[0]}': { ${code} }`);
  const changed = source
    .replace(
      'EXPORT("start")',
      `static volatile number digs; static volatile double zero;
__attribute__((noinline)) static unsigned long long dig(number n) { digs = n; return n ? dig(n + 1) * 3 + digs : 0; }
static byte sign(void) { union { double value; byte bytes[8]; } q; q.value = zero / zero; return '0' + (q.bytes[7] >> 7); }
EXPORT("start")`,
    )
    .replace(
      "    if (read_number() != 2",
      `    if (in[9] == '"') switch (in[10]) { ${cases.join("\n")} }\n    if (read_number() != 2`,
    )
    .replace("    put('a' + fault);", "    put('a' + fault);\n    put(sign());")
    .replace("static void put_state", "static byte sign(void);\nstatic void put_state");
  mkdirSync(game);
  writeFileSync(join(game, "rules.c"), changed);
  const flags = "--target=wasm32 -O2 -nostdlib -Wl,--no-entry -Wl,-zstack-size=65536".split(" ");
  execFileSync("clang", [...flags, "-o", join(game, "rules.wasm"), join(game, "rules.c")]);
  writeFileSync(join(game, "guide.md"), "# A game\n");
  writeFileSync(
    join(game, "game.toml"),
    `interface = "leitai-game/1"\nid = "hostile"\nrules = "hostile/1"\nname = "Hostile"\nabout = "a game"\nlegs = 2\nopen = true\nauthors = ["A"]\nlicence = "MIT"\n`,
  );
}

// Connect Four is not here: its check takes minutes where the interpreter is not optimised.
const GAMES = ["goofspiel"];
if (hasClang) {
  for (const id of GAMES)
    cpSync(join(root, "examples/games", id), join(folder, id), { recursive: true });
  leitai("game", "build", "goofspiel");
  writeHostile(join(folder, "hostile"));
  GAMES.push("hostile");
  for (const id of GAMES) {
    leitai("game", "pack", id);
    leitai("match", `./${id}`, "random", "random", "--seed", "5", "--replay", `${id}.json`);
  }
}

const { arena, browser, journey } = await stage(...IDLE);
const unless = hasClang
  ? await skipWithoutEngine(arena)
  : { skip: "there is no clang++ with wasm-ld" };

/** The games in the arena, for everybody. */
let published = null;
async function publish() {
  const { request } = await newAccount(browser, arena, "root");
  const { csrf } = await (await request.get("/api/me")).json();
  for (const id of GAMES) {
    const sent = await request.post("/api/admin/games", {
      headers: { "x-leitai-csrf": csrf, "content-type": "application/octet-stream" },
      data: readFileSync(join(folder, `${id}.leitai-game`)),
    });
    assert.equal(sent.status(), 202, await sent.text());
    await until(`the check of ${id}`, async () => {
      const { items } = await (await request.get("/api/admin/games")).json();
      const { state, said } = items.find(({ game }) => game === id);
      assert.notEqual(state, "refused", JSON.stringify(said));
      return state === "published";
    });
  }
}

/** A visitor, what its page asks the server for, and a way to call the engine as the page does. */
async function openEngine(open) {
  await (published ??= publish());
  const page = await open();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto("/play/kob?lang=en");
  await page.getByRole("button", { name: "Load it" }).click();
  await page.getByRole("combobox", { name: "Opponent" }).waitFor();
  const client = asked.find((url) => /\/assets\/client-[^/]*\.js$/.test(url));
  const call = (method, ...values) =>
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
  return { page, asked, call };
}

const textOf = (name) => readFileSync(join(folder, name), "utf8");
/** The recorded matches of a game: its author's, and one of the interpreter. */
function recordsOf(id) {
  const golden = join(folder, id, "golden");
  const names = existsSync(golden) ? readdirSync(golden) : [];
  return [`${id}.json`, ...names.map((name) => join(id, "golden", name))];
}

journey(
  "the page plays game files as the interpreter does, in every frame and hash",
  async (open) => {
    const { page, asked, call } = await openEngine(open);
    for (const id of GAMES)
      for (const name of recordsOf(id)) {
        const file = { file: textOf(name) };
        const replay = JSON.parse(file.file);
        const { ok, message } = await call("verify", file);
        assert.equal(ok?.verified, true, `${name}: ${message} ${JSON.stringify(ok?.verified)}`);
        assert.equal(ok.counts.legs, replay.legs.length);
        assert.ok(ok.counts.hashes > 0, name);
      }
    for (const id of GAMES)
      for (const [leg, perspective] of [
        [1, "second"],
        [2, "all"],
      ]) {
        const data = JSON.parse(textOf(`${id}.json`));
        const made = await call("frames", { file: textOf(`${id}.json`) }, leg, perspective);
        const path = `/api/replays/frames?leg=${leg}&perspective=${perspective}`;
        const sent = await page.request.post(path, { data });
        assert.deepEqual(made.ok, await sent.json(), `${id}, leg ${leg}, ${perspective}`);
      }
    // The page itself asked for the rules once a game, and for no frames.
    const paths = asked.map((url) => new URL(url).pathname);
    const rules = paths.filter((path) => path.endsWith("/page-rules"));
    assert.deepEqual(rules.toSorted(), GAMES.map((id) => `/api/games/${id}/page-rules`).toSorted());
    assert.ok(!paths.includes("/api/replays/frames"));
    // What differs is found.
    const other = JSON.parse(textOf("hostile.json"));
    other.legs[0].final_hash = other.legs[0].final_hash.replace(/^./, (digit) =>
      digit === "0" ? "1" : "0",
    );
    const found = (await call("verify", { file: JSON.stringify(other) })).ok;
    assert.notEqual(found.verified, true);
    // Other rules than the arena has are not guessed.
    other.rules = "hostile/2";
    assert.equal((await call("verify", { file: JSON.stringify(other) })).code, "unknown-game");
  },
  unless,
);

journey(
  "a replay of a game file that is opened is verified by the page",
  async (open) => {
    const { page, asked } = await openEngine(open);
    // The game's own board: the kit's script for every frame wants storage there.
    page.excused = /document is sandboxed|Content Security Policy/;
    await page.goto("/viewer?lang=en");
    await page.locator("input[type=file]").setInputFiles(join(folder, "goofspiel.json"));
    await page.getByText("Replayed and verified: ").waitFor();
    assert.ok(!asked.some((url) => url.includes("/replays/frames")));
  },
  unless,
);

journey(
  "modules that fail say so, and one that never ends is ended while the page lives",
  async (open) => {
    const { page, call } = await openEngine(open);
    const record = JSON.parse(textOf("hostile.json"));
    for (const word of Object.keys(HOSTILE)) {
      const data = { ...record, seed: null, setup: { e: word } };
      const sent = await page.request.post("/api/replays/frames", { data });
      assert.equal(sent.status(), 422, word);
      const { message } = (await sent.json()).error;
      const file = { file: JSON.stringify(data) };
      if (word === "loop") {
        const began = Date.now();
        const verifying = call("verify", file);
        // The page draws and answers while the module runs.
        assert.equal(await page.evaluate(() => 6 * 7), 42);
        const { code, message } = await verifying;
        assert.deepEqual([code, message.includes("20 s")], ["too-slow", true]);
        assert.ok(Date.now() - began < 60_000);
        // It is not asked again, and the house's games are played on.
        const again = Date.now();
        assert.equal((await call("verify", file)).code, "too-slow");
        assert.ok(Date.now() - again < 5_000);
        assert.equal((await call("games")).ok.length, 3);
        continue;
      }
      const failed = await call("verify", file);
      assert.equal(failed.code, "not-playable", `${word}: ${JSON.stringify(failed)}`);
      const same = ["deep", "bomb"].includes(word) || failed.message === message;
      assert.ok(same, `${word}: ${failed.message}\n${message}`);
      // The next call of the same worker is answered.
      const { ok } = await call("verify", { file: JSON.stringify(record) });
      assert.equal(ok?.verified, true, word);
    }
  },
  unless,
);
