// The engine in the page plays the modules of game files: it finds what an independent program and
// the interpreter found, without asking the server; it plays on from a moment, searches and plays
// a leg alone; modules that fail say what the server says, and one that never ends is ended, while
// the page lives. A folder in LEITAI_SHOTS gets pictures of what was seen.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CHOICES,
  DESKTOP,
  IDLE,
  LEITAI,
  PHONE,
  SERVER_GONE,
  findings,
  newAccount,
  runIn,
  scratch,
  skipWithoutEngine,
  stage,
  until,
} from "./kit.mjs";

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
};

/** What it does later, when it is asked what is legal: nothing that a recorded match asks. */
const LATER = {
  Trap: "__builtin_trap();",
  Slow: "for (volatile int i = 0; i < 100000000; i++);",
  // The last one: its game is not asked again.
  While: "for (volatile int i = 0;; i++);",
};

/** Random legs inside the module, as the headers for Rust and C++ have them. */
const PLAYOUT = `
EXPORT("playout") unsigned long long playout(void) {
    begin();
    number chance = read_number(), skipped = read_number(), legs = read_number(), ended[3] = {0};
    byte kept[9], was = seat, done = over, won = winner;
    number before = steps;
    for (int i = 0; i < 9; i++) kept[i] = cells[i];
    for (number leg = 0; leg < legs; leg++) {
        while (!over) {
            int free[9], count = 0;
            for (int cell = 0; cell < 9; cell++) if (!cells[cell]) free[count++] = cell;
            chance = chance * 1664525 + 1013904223 + skipped;
            play(free[(chance >> 16) % count]);
            steps++;
            seat = 1 - seat;
        }
        ended[winner ? winner - 1 : 2]++;
        for (int i = 0; i < 9; i++) cells[i] = kept[i];
        seat = was; over = done; winner = won; steps = before;
    }
    for (int i = 0; i < 3; i++) put_number(ended[i]);
    put_number(0);
    put_number(0);
    return answer();
}
`;

/** Three in a row whose states hold the sign of a NaN, which machines choose themselves. */
function writeHostile(game) {
  const source = readFileSync(join(root, "crates/guest/tests/data/three.c"), "utf8");
  const casesOf = (all) =>
    Object.entries(all).map(([word, code]) => `case '${word[0]}': { ${code} }`);
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
      `    late = in[9] == '"' && in[10] < 'a' ? in[10] : 0;
    if (!late && in[9] == '"') switch (in[10]) { ${casesOf(HOSTILE).join("\n")} }
    if (!late && read_number() != 2`,
    )
    .replace(
      "    number count = 0;\n",
      `    number count = 0;\n    switch (late) { ${casesOf(LATER).join(" break; ")} }\n`,
    )
    .concat(PLAYOUT)
    .replace("static number steps;", "static number steps; static byte late;")
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

// One game is the operator's, the other one is brought.
const served = join(folder, "served");
mkdirSync(served);
if (hasClang) cpSync(join(folder, "goofspiel.leitai-game"), join(served, "goofspiel.leitai-game"));
const { arena, browser, journey } = await stage(...IDLE, "--games", served);
const unless = hasClang
  ? await skipWithoutEngine(arena)
  : { skip: "there is no clang++ with wasm-ld" };

/** The game that is brought, for everybody. */
let published = null;
/** Takes it away again. */
let retire;
async function publish() {
  const { request } = await newAccount(browser, arena, "root");
  const { csrf } = await (await request.get("/api/me")).json();
  const headers = { "x-leitai-csrf": csrf };
  retire = () => request.delete("/api/admin/games/hostile?why=a+test", { headers });
  const sent = await request.post("/api/admin/games", {
    headers: { "x-leitai-csrf": csrf, "content-type": "application/octet-stream" },
    data: readFileSync(join(folder, "hostile.leitai-game")),
  });
  assert.equal(sent.status(), 202, await sent.text());
  await until("the check", async () => {
    const { items } = await (await request.get("/api/admin/games")).json();
    const { state, said } = items.find(({ game }) => game === "hostile");
    assert.notEqual(state, "refused", JSON.stringify(said));
    return state === "published";
  });
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
        // A file, or where a leg begins.
        const read = (one) =>
          one.leg ? { ...one, file: new Blob([one.file]) } : new Blob([one.file]);
        const given = values.map((one) => (one?.file === undefined ? one : read(one)));
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
    // A search finds the same, too; it does not look at what is hidden.
    const words = ["hostile.json", "--leg", "1", "--budget", "40", "--json"];
    const searched = JSON.parse(
      execFileSync(LEITAI, ["analyze", ...words], {
        env: { ...process.env, LEITAI_GAMES: folder },
        cwd: folder,
      }),
    );
    const asks = { leg: 1, budget: 40 };
    const analysis = await call("analyze", { file: textOf("hostile.json") }, asks);
    assert.deepEqual(analysis.ok?.legs, searched.legs, analysis.message);
    assert.equal((await call("analyze", { file: textOf("goofspiel.json") }, asks)).code, "hides");
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

/** The viewer with this replay, as its reader dropped it. */
async function openReplay(open, text, lang = "en", options = {}) {
  await (published ??= publish());
  const page = await open(options);
  await page.goto(`/viewer?lang=${lang}`);
  const buffer = Buffer.from(text);
  const file = { name: "replay.json", mimeType: "application/json", buffer };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.locator(".timeline input").waitFor();
  return page;
}

/** Lets these play on from the shown moment; an empty name is the reader. */
async function startBranch(page, ...players) {
  const selects = page.locator(".branches select");
  if ((await selects.count()) === 0) await page.locator(".start-branches button").click();
  await selects.locator("option[value=random]").first().waitFor({ state: "attached" });
  for (const [at, name] of players.entries()) await selects.nth(at).selectOption(name);
  await page.locator(".branches .go").click();
}

const slider = (page) => page.locator(".timeline input");
const steps = async (page) => Number(await slider(page).getAttribute("max"));

async function saved(page, name, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click.click()]);
  await download.saveAs(join(folder, name));
}

/** Keeps a picture of the page, if somebody wants it. */
async function look(page, name) {
  const to = process.env.LEITAI_SHOTS;
  if (to) await page.screenshot({ path: join(to, `${name}.png`), fullPage: true });
}

journey(
  "what if: a replay of a game file is played on in the page, and the arena's rules agree",
  async (open) => {
    for (const [id, bot, lang, options] of [
      ["hostile", "level2", "en", DESKTOP],
      ["goofspiel", "random", "zh", PHONE],
    ]) {
      const page = await openReplay(open, textOf(`${id}.json`), lang, options);
      page.excused = /document is sandboxed|Content Security Policy/;
      await slider(page).fill("2");
      await page.locator(".start-branches").waitFor();
      // What hides something cannot be searched.
      assert.equal(await page.locator(".start-analysis").count(), id === "hostile" ? 1 : 0);
      await startBranch(page, "", bot);
      await page.locator(CHOICES).first().click();
      await until("the next step", async () => (await steps(page)) > 2);
      await look(page, `what-if-${id}`);
      assert.deepEqual(await findings(page), [], id);
      // From there on bots play both sides to the end.
      await startBranch(page, bot, bot);
      await page
        .locator(".branches nav")
        .getByText(lang === "en" ? "finished" : "结束")
        .waitFor();
      const save = page.locator(".branches .actions button").last();
      await saved(page, `${id}-branch.json`, save);
      const said = leitai("replay", "verify", `${id}-branch.json`, "--game", `./${id}`);
      assert.match(said, /agrees: 1 leg/);
    }
  },
  unless,
);

journey(
  "a leg of a game file is played alone in the page, without its server",
  async (open) => {
    await (published ??= publish());
    const page = await open(PHONE);
    page.excused = SERVER_GONE;
    await page.goto("/play/hostile?lang=zh");
    await page.getByRole("button", { name: "载入" }).click();
    await page.locator("select").filter({ hasText: "random" }).last().selectOption("random");
    await look(page, "alone-loaded");
    // The browser keeps the page's files first.
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
    await until("the kept files", () => page.evaluate(() => navigator.serviceWorker.controller));
    await page.context().setOffline(true);
    await page.locator("form.row .first").click();
    const save = page.getByRole("link", { name: "保存回放" });
    await until("the end of the leg", async () => {
      await page
        .locator(CHOICES)
        .first()
        .click({ timeout: 500 })
        .catch(() => null);
      return save.isVisible();
    });
    await page.locator("section.end").waitFor();
    await look(page, "alone-ended");
    // The search over its rules says how sure it is.
    await page.locator("section.end").getByRole("button", { name: "分析" }).click();
    await until("the whole analysis", () =>
      page.evaluate(() => document.querySelector(".analysis progress")?.value === 1),
    );
    await slider(page).fill("0");
    await page.locator(".analysis .moment").getByText("±").first().waitFor();
    await look(page, "alone-analysed");
    await saved(page, "alone.json", save);
    assert.match(leitai("replay", "verify", "alone.json", "--game", "./hostile"), /agrees: 1 leg/);
    await page.context().setOffline(false);
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
      const failed = await call("verify", file);
      assert.equal(failed.code, "not-playable", `${word}: ${JSON.stringify(failed)}`);
      const same = ["deep", "bomb"].includes(word) || failed.message === message;
      assert.ok(same, `${word}: ${failed.message}\n${message}`);
      // The next call of the same worker is answered.
      const { ok } = await call("verify", { file: JSON.stringify(record) });
      assert.equal(ok?.verified, true, word);
    }
    const startOf = (word) => ({
      file: JSON.stringify({ ...record, seed: null, setup: { e: word } }),
      leg: 1,
      step: 0,
    });
    const bots = (name, limit) => ({ players: [name, name], limit });
    for (const start of [bots("level3", 1), bots(null, 0)]) {
      const { code, message } = await call("play", startOf("Trap"), start);
      assert.deepEqual([code, /trap/.test(message)], ["not-playable", true]);
    }
    // A search ends by its time, long before the patience of the page.
    const began = Date.now();
    const { ok, message } = await call("play", startOf("Slow"), bots("level6", 1));
    assert.equal(ok?.step, 1, message);
    assert.ok(Date.now() - began < 15_000);
  },
  unless,
);

journey(
  "rules that never end are ended where somebody plays on, and the next step is said",
  async (open) => {
    const record = { ...JSON.parse(textOf("hostile.json")), seed: null, setup: { e: "While" } };
    const page = await openReplay(open, JSON.stringify(record), "zh", PHONE);
    await slider(page).fill("1");
    await startBranch(page, "level3", "level3");
    // The page draws and answers while the module runs.
    assert.equal(await page.evaluate(() => 6 * 7), 42);
    await page.locator(".branches [role=alert]").getByText("20 秒").waitFor();
    await page.getByText("leitai play ./hostile.leitai-game --from FILE@1:1").waitFor();
    await look(page, "ended");
    assert.deepEqual(await findings(page), []);
    // It is not asked again, and the house's games are played on.
    await page.locator(".start-analysis button").click();
    await page.locator(".analysis [role=alert]").getByText("20 秒").waitFor();
    await page.goto("/play/kob?lang=zh");
    await page.getByRole("button", { name: "载入" }).click();
    await page.locator("select").filter({ hasText: "random" }).last().waitFor();
  },
  unless,
);

/** The games that the browser keeps. */
const keptGames = (page) =>
  page.evaluate(async () => {
    if (!(await caches.has("leitai.games"))) return [];
    const requests = await (await caches.open("leitai.games")).keys();
    return requests.map(({ url }) => new URL(url).pathname.split("/").at(-1)).sort();
  });

/** Under which policy the frame of a stranger's board runs, and as which origin. */
const boundsOf = (frame) =>
  frame.evaluate(async () => {
    const refused = new Promise((tell) =>
      addEventListener("securitypolicyviolation", ({ originalPolicy }) => tell(originalPolicy)),
    );
    fetch("/").catch(() => null);
    return [origin, await refused];
  });

/** The colours of the middle of the hands and of the prizes, where Goofspiel draws its board. */
const goofspielColors = (page) =>
  page
    .locator("canvas")
    .first()
    .evaluate((canvas) => {
      const at = (row) => [canvas.width * 0.07, (canvas.height * (row + 0.2)) / 7.6, 1, 1];
      const context = canvas.getContext("2d");
      return [1, 3, 5].map((row) => [...context.getImageData(...at(row)).data].join());
    });

// The last one: it stops the arena.
journey(
  "games of files are played alone after a reload without the server, and lost ones are not kept",
  async (open) => {
    await (published ??= publish());
    const page = await open(DESKTOP);
    page.excused = new RegExp(
      `${SERVER_GONE.source}|document is sandboxed|Content Security Policy`,
    );
    for (const id of ["hostile", "goofspiel"]) {
      await page.goto(`/play/${id}?lang=en`);
      await page.getByRole("button", { name: "Load it" }).click();
      await until(id, async () => (await keptGames(page)).includes(id));
    }
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
    await until("the kept files", () => page.evaluate(() => navigator.serviceWorker.controller));
    // What is taken away is forgotten as soon as the page hears of it.
    assert.equal((await retire()).status(), 204);
    await until("the list without it", async () => {
      const list = await (await page.request.get("/api/games")).json();
      return !list.some(({ id }) => id === "hostile");
    });
    await page.goto("/?lang=en");
    await until("the lost game", async () => (await keptGames(page)).join() === "goofspiel");
    await arena.close();

    await page.goto("/?lang=en");
    const all = page.getByRole("link", { name: /^Play here/ });
    await all.nth(3).waitFor();
    assert.equal(await page.locator(".games").getByText("Hostile").count(), 0);
    assert.match(await page.locator(".games li img").nth(3).getAttribute("src"), /^data:image/);
    await all.filter({ hasText: "Goofspiel" }).click();
    await page.reload();
    await page.getByRole("heading", { name: "Play Goofspiel" }).waitFor();
    await page.getByRole("combobox", { name: "Opponent" }).waitFor();
    // Its guide, its own board and its rules.
    await page.locator("summary").getByText("Rules").click();
    await page.getByText("Each player holds the cards 1 to 13.").waitFor();
    await look(page, "alone-reloaded");
    await page.getByRole("button", { name: "Start" }).last().click();
    const board = async () => new Set(await goofspielColors(page)).size === 3;
    await until("the board of the game", board);
    await page.locator(CHOICES).nth(12).click();
    await until("the next prize", async () => (await page.locator(CHOICES).count()) === 12);
    await look(page, "alone-played");
    assert.equal(await page.locator(".trouble").count(), 0);
    const frame = page.frames().find((frame) => frame.url().includes("/viewer-frame-"));
    const [origin, policy] = await boundsOf(frame);
    assert.equal(origin, "null");
    assert.match(policy, /default-src 'none'.*sandbox allow-scripts/);

    // What is not kept is said, with what to do.
    await page.goto("/play/hostile?lang=zh");
    await page.getByText("无法连接服务器。请检查网络后重试。").waitFor();
    assert.equal(await page.locator("form.row").count(), 0);
  },
  unless,
);
