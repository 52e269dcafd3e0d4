// A game from a game file in the page: its guide, a whole leg of a guest against the built-in bot,
// and the replay. The game is compiled from C here (crates/guest/tests/data/three.c). A folder in
// LEITAI_SHOTS gets pictures of what was seen.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after } from "node:test";
import {
  DESKTOP,
  IDLE,
  LEITAI,
  PHONE,
  ask,
  findings,
  newAccount,
  scratch,
  stage,
  until,
} from "./kit.mjs";

const SOURCE = new URL("../../../crates/guest/tests/data/three.c", import.meta.url).pathname;
const MANIFEST = `interface = "leitai-game/1"
id = "three"
rules = "three/1"
name = { en = "Three in a row", zh = "井字棋" }
about = { en = "put three pieces in a row", zh = "三子连成一线者胜" }
open = true
authors = ["A. Author"]
licence = "MIT"
`;
/** What a stranger could write. */
const GUIDE = `# Three in a row

Put **three** pieces in a row. <script>globalThis.struck = 1</script>
<img src="x" onerror="globalThis.struck = 2"> [a link](javascript:globalThis.struck=3) [a page](https://example.org)

\`\`\`position
{"alt": "x", "view": {"board": 1}, "frame": {}, "area": [0, 0, 1e9, 1e9]}
\`\`\`
`;

const EMBLEM = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>`;

/** Notes whoever comes: an emblem has no way to. */
const came = [];
const outside = createServer((request, answer) => {
  came.push(request.url);
  answer.setHeader("access-control-allow-origin", "*");
  answer.end();
}).listen(0, "127.0.0.1");
await once(outside, "listening");
after(() => outside.close());
const elsewhere = `http://127.0.0.1:${outside.address().port}`;

/** Pictures that no check would let through. */
const svg = (inside, more = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${more}>${inside}</svg>`;
const STRIKE = `fetch("${elsewhere}/script"); document.documentElement.id = "struck"`;
const EMBLEMS = {
  script: svg(`<script>${STRIKE}</script>`),
  "script from elsewhere": svg(`<script xlink:href="${elsewhere}/src"/>`),
  onload: svg("", `onload='${STRIKE}'`),
  animation: svg(`<animate onbegin='${STRIKE}' attributeName="x" dur="1s"/>`),
  page: svg(
    `<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${elsewhere}/frame"/><img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror='${STRIKE}'/></foreignObject>`,
  ),
  image: svg(`<image href="${elsewhere}/image" width="9" height="9"/>`),
  style: svg(
    `<style>@import "${elsewhere}/import"; svg { background: url(${elsewhere}/url) }</style>`,
  ),
  use: svg(`<use href="${elsewhere}/use#a"/>`),
  filter: svg(
    `<filter id="f"><feImage href="${elsewhere}/filter"/></filter><rect filter="url(#f)" width="9" height="9"/>`,
  ),
  font: svg(
    `<style>@font-face { font-family: x; src: url(${elsewhere}/font) }</style><text font-family="x" y="9">x</text>`,
  ),
  stylesheet: `<?xml-stylesheet href="${elsewhere}/sheet"?>${svg("")}`,
  entities: `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, at) => `<!ENTITY ${"bcdefghij"[at]} "${`&${"abcdefghi"[at]};`.repeat(10)}">`).join("")}]>${svg("<text>&j;</text>")}`,
  "entity from elsewhere": `<!DOCTYPE svg [<!ENTITY x SYSTEM "${elsewhere}/entity">]>${svg("<text>&x;</text>")}`,
  size: svg(`<rect width="1e9" height="1e9"/>`, `width="1000000000" height="1000000000"`),
  damaged: "<svg><g>",
};

const folder = scratch();
const game = join(folder, "three");
const hasClang = ["clang", "wasm-ld"].every((tool) => !spawnSync(tool, ["--version"]).error);
if (hasClang) {
  mkdirSync(game);
  const target = [
    "--target=wasm32",
    "-O2",
    "-nostdlib",
    "-Wl,--no-entry",
    "-Wl,-zstack-size=65536",
  ];
  execFileSync("clang", [...target, "-o", join(game, "rules.wasm"), SOURCE]);
  writeFileSync(join(game, "game.toml"), MANIFEST);
  writeFileSync(join(game, "guide.md"), GUIDE);
  writeFileSync(join(game, "emblem.svg"), EMBLEM);
  writeFileSync(join(game, "guide.zh.md"), "# 井字棋\n\n三子连成一线者胜。\n");
}
// A file that is no game is left out, and the arena starts.
mkdirSync(join(folder, "broken"));
writeFileSync(join(folder, "broken", "game.toml"), 'id = "snakego"\n');

const { arena, browser, journey } = await stage(...IDLE, "--games", folder);
const options = { skip: hasClang ? false : "there is no clang with wasm-ld" };

/** Keeps a picture of the page, if somebody wants it. */
async function look(page, name) {
  const to = process.env.LEITAI_SHOTS;
  if (to) await page.screenshot({ path: join(to, `${name}.png`) });
}

journey(
  "a stranger's guide is harmless, and broken files are told",
  async (open) => {
    const page = await open();
    for (const lang of ["en", "zh"]) {
      await page.goto(`/games/three?lang=${lang}`);
      await page
        .getByText(lang === "en" ? "pieces in a row." : "三子连成一线者胜。")
        .first()
        .waitFor();
      await look(page, `guide-${lang}`);
      assert.deepEqual(await findings(page), [], lang);
    }
    await page.goto("/games/three?lang=en");
    await page.getByRole("link", { name: "a page" }).waitFor();
    assert.equal(await page.evaluate(() => globalThis.struck), undefined);
    assert.equal(await page.locator("[href^='javascript'], .prose img, .prose script").count(), 0);
    // Its words come another way than the page.
    const told = [/broken: this is no game file yet/, /game\.toml/];
    await until("the log", () => told.every((words) => words.test(arena.log())));
  },
  options,
);

journey(
  "a stranger's emblem is shown, and a hostile one runs nothing and fetches nothing",
  async (open) => {
    const page = await open({ serviceWorkers: "block" });
    const path = (await ask(page, "/games/three")).emblem;
    const card = page.locator(".cards li").filter({ hasText: "Three in a row" });
    const image = card.locator("img");
    await page.goto("/?lang=en");
    await until("the emblem", () =>
      image.evaluate(({ complete, naturalWidth }) => complete && naturalWidth > 0),
    );
    assert.equal(await image.getAttribute("src"), path);
    await look(page, "emblem");
    assert.deepEqual(await findings(page), []);
    // What the browser says of what it held back.
    page.excused =
      /Content Security Policy|sandboxed|Unsafe attempt to load|localStorage|status of 404/;
    for (const [name, body] of Object.entries(EMBLEMS)) {
      // The bytes of a stranger under the headers of the arena.
      await page.route(`**${path}`, async (route) => {
        await route.fulfill({ response: await route.fetch(), body });
      });
      await page.goto("/?lang=en");
      await card.locator("img, svg").first().waitFor();
      await page.waitForLoadState("networkidle");
      const box = await card.locator("img, svg").first().boundingBox();
      assert.deepEqual([box.width, box.height], [56, 56], name);
      assert.equal(await page.locator("#struck").count(), 0, name);
      await page.goto(path);
      await page.waitForLoadState("networkidle");
      assert.ok(!(await page.content()).includes('id="struck"'), `${name}, as a page`);
      await page.unroute(`**${path}`);
      assert.deepEqual(came, [], name);
    }
  },
  options,
);

journey(
  "an author plays while he writes: a mistake is told, the next save is played",
  async (open) => {
    const own = join(scratch(), "own");
    cpSync(game, own, { recursive: true });
    const play = spawn(LEITAI, ["game", "play", own], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      const [line] = await once(play.stdout, "data");
      const page = await open();
      await page.goto(`${String(line).split("\n")[0]}&lang=en`);
      const named = (name) => page.getByText(name).first();
      await named("Three in a row").waitFor();
      writeFileSync(join(own, "game.toml"), MANIFEST.replace("open = true", "open = 3"));
      await page.getByText("open = 3 cannot be used").waitFor();
      assert.deepEqual(await findings(page), []);
      writeFileSync(join(own, "game.toml"), MANIFEST.replaceAll("Three in a row", "Noughts"));
      await named("Noughts").waitFor();
      assert.equal(await page.getByText("open = 3 cannot be used").count(), 0);
    } finally {
      play.kill();
    }
  },
  options,
);

for (const [lang, size, shape] of [
  ["en", "a desktop", DESKTOP],
  ["zh", "a phone", PHONE],
])
  journey(
    `a guest plays a whole leg of a game file on ${size}, in ${lang}`,
    async (open) => {
      const page = await open(shape);
      const press = (on, at) => (shape.hasTouch ? on.tap(at) : on.click(at));
      await page.goto(`/?lang=${lang}`);
      const card = page.locator(".cards li").filter({ hasText: /Three in a row|井字棋/ });
      await card.waitFor();
      await card.scrollIntoViewIfNeeded();
      await look(page, `home-${lang}`);
      await press(card.getByRole("button").first());
      await page.waitForURL(/\/matches\/\d+/);
      const id = Number(/matches\/(\d+)/.exec(page.url())[1]);
      const choices = page.locator(".play .choices:not(.waits) button");
      const end = page.locator("section.end");
      await choices.nth(8).waitFor();
      await look(page, `first-turn-${lang}`);
      assert.deepEqual(await findings(page), [], "while playing");
      // The first piece by the board's middle, the second by a key, the others by buttons.
      await press(page.locator("canvas").first());
      await until("the bot's answer", async () => (await choices.count()) === 7);
      await look(page, `second-turn-${lang}`);
      const taken = await page.locator(".play .choices button").allTextContents();
      assert.ok(!taken.some((text) => text.includes("b2")), "the middle is taken");
      if (!shape.hasTouch) {
        await page.keyboard.press("1");
        await until(
          "another answer",
          async () => (await choices.count()) < 7 || (await end.count()) > 0,
        );
      }
      await until("the end card", async () => {
        if ((await end.count()) > 0) return true;
        if ((await choices.count()) > 0)
          await press(choices.first(), { timeout: 1000 }).catch(() => {});
        return false;
      });
      // Why it ended, in the words of the game's rules.
      const why = lang === "en" ? /three in a row|full board/ : /三子连线|棋盘已满/;
      await until("the reason", async () => why.test(await end.first().innerText()));
      await look(page, `end-${lang}`);
      const played = await until("the end of the match", async () => {
        const match = await ask(page, `/matches/${id}`);
        return match.state === "finished" && match;
      });
      assert.deepEqual([played.game, played.legs], ["three", 1]);
      // The replay, as whoever comes later sees it; the rules say that it is true.
      const replay = await (await page.request.get(`/api/matches/${id}/replay`)).text();
      const verified = await page.request.post("/api/replays/frames", { data: JSON.parse(replay) });
      assert.equal((await verified.json()).verified, true);
      await page.goto(`/matches/${id}?lang=${lang}&step=1`);
      await page.locator("canvas").first().waitFor();
      await look(page, `replay-${lang}`);
      assert.deepEqual(await findings(page), [], "the replay");
    },
    options,
  );

/** The account that the first visit of an administrator makes. */
let admin = null;

/** The file of the same game under another name, with a change in what it says of itself. */
function pack(id, change = (text) => text) {
  const place = scratch();
  cpSync(game, place, { recursive: true });
  writeFileSync(join(place, "game.toml"), change(MANIFEST.replaceAll('"three', `"${id}`)));
  const parts = ["emblem.svg", "game.toml", "guide.md", "guide.zh.md", "rules.wasm"];
  execFileSync("python3", ["-m", "zipfile", "-c", "x.leitai-game", ...parts], { cwd: place });
  return join(place, "x.leitai-game");
}

for (const [lang, size, shape, words] of [
  ["en", "a desktop", DESKTOP, ["Send and check", "published", "Retire", "retired", "Part"]],
  ["zh", "a phone", PHONE, ["上传并检查", "已发布", "退役", "已退役", "部分"]],
])
  journey(
    `an administrator adds a game on ${size}, in ${lang}, and retires it`,
    async (open) => {
      const [add, published, retire, retired, part] = words;
      const root = await (admin ??= newAccount(browser, arena, "root"));
      const page = await open({ ...shape, storageState: root.storageState });
      page.excused = /status of 422/;
      await page.goto(`/admin?tab=games&lang=${lang}`);
      const choose = page.locator("input[type=file]");
      const bad = Buffer.from("no archive");
      await choose.setInputFiles({ name: "x.leitai-game", mimeType: "", buffer: bad });
      await page.getByRole("button", { name: add }).click();
      await page.getByRole("alert").waitFor();
      await choose.setInputFiles(pack(`row-${lang}`, (text) => text.replace("licence", "license")));
      await page.getByRole("button", { name: add }).click();
      await page.getByRole("columnheader", { name: part, exact: true }).waitFor();
      await look(page, `admin-problem-${lang}`);
      assert.deepEqual(await findings(page), [], "problems");

      await choose.setInputFiles(pack(`row-${lang}`));
      await page.getByRole("button", { name: add }).click();
      const row = page.locator("li.sheet").filter({ hasText: `row-${lang}/1` });
      await row.getByText(published).waitFor();
      await look(page, `admin-published-${lang}`);
      assert.deepEqual(await findings(page), [], "published");
      assert.equal((await ask(page, `/games/row-${lang}`)).id, `row-${lang}`);

      const why = `it copies <${lang}>`;
      page.on("dialog", (dialog) => void dialog.accept(why));
      await row.getByRole("button", { name: retire }).click();
      await row.getByText(retired).waitFor();
      await row.getByText(why).waitFor();
      // Whoever looks for the game reads why it is gone.
      page.excused = /status of (422|404)/;
      await page.goto(`/games/row-${lang}?lang=${lang}`);
      await page.getByText(why).waitFor();
      await look(page, `taken-down-${lang}`);
      const listed = (await ask(page, "/games")).items ?? (await ask(page, "/games"));
      assert.ok(!listed.some(({ id }) => id === `row-${lang}`), "nothing new of it is played");
    },
    options,
  );

for (const [lang, size, shape, words] of [
  [
    "en",
    "a desktop",
    DESKTOP,
    {
      allow: /^Let add games/,
      send: "Send and check",
      published: "published",
      watch: /^Watch the preview/,
      report: "Report this game",
      file: "Send the report",
      thanks: "Thank you.",
      down: /^Take the game down/,
      told: "took down your game",
    },
  ],
  [
    "zh",
    "a phone",
    PHONE,
    {
      allow: /^允许添加游戏/,
      send: "上传并检查",
      published: "已发布",
      watch: /^观看试赛/,
      report: "举报此游戏",
      file: "提交举报",
      thanks: "谢谢",
      down: /^下架游戏/,
      told: "管理员下架了你的游戏",
    },
  ],
])
  journey(
    `an account with the right adds a game on ${size}, in ${lang}; it is reported and taken down`,
    async (open) => {
      const root = await (admin ??= newAccount(browser, arena, "root"));
      const [author, reader] = await Promise.all(
        ["author", "reader"].map((name) => newAccount(browser, arena, `${name}-${lang}`)),
      );
      const as = ({ storageState }) => open({ ...shape, storageState });
      const page = await as(root);
      await page.goto(`/admin?lang=${lang}`);
      const account = page.getByRole("row").filter({ hasText: `author-${lang}` });
      await account.getByRole("button", { name: words.allow }).click();
      await account.locator(".badge").waitFor();
      await look(page, `right-given-${lang}`);
      assert.deepEqual(await findings(page), [], "accounts");

      const mine = await as(author);
      await mine.goto(`/my-games?lang=${lang}`);
      await mine.locator("input[type=file]").setInputFiles(pack(`own-${lang}`));
      await mine.getByRole("button", { name: words.send }).click();
      const row = mine.locator("li.sheet").filter({ hasText: `own-${lang}/1` });
      await row.getByText(words.published).waitFor();
      await row.getByRole("button", { name: words.watch }).click();
      await row.locator("canvas").first().waitFor();
      await row.locator("canvas").first().scrollIntoViewIfNeeded();
      await look(mine, `preview-${lang}`);
      assert.deepEqual(await findings(mine), [], "my games");
      assert.equal(await mine.locator("li.sheet").count(), 1, "only games of one's own");

      const other = await as(reader);
      await other.goto(`/games/own-${lang}?lang=${lang}`);
      await other.getByText(words.report).click();
      await other.locator("details select").selectOption("other");
      await other.locator("details textarea").fill("it is empty");
      await other.locator("details").scrollIntoViewIfNeeded();
      await look(other, `report-${lang}`);
      assert.deepEqual(await findings(other), [], "the report");
      await other.getByRole("button", { name: words.file }).click();
      await other.getByText(words.thanks).waitFor();

      await page.goto(`/admin?tab=games&lang=${lang}`);
      await page.getByText("it is empty").waitFor();
      await look(page, `reports-${lang}`);
      assert.deepEqual(await findings(page), [], "reports");
      page.on("dialog", (dialog) => void dialog.accept("nothing is in it"));
      await page.getByRole("button", { name: words.down }).click();
      await until("no report", async () => (await page.getByText("it is empty").count()) === 0);

      await mine.goto(`/notifications?lang=${lang}`);
      await mine.getByText(words.told).waitFor();
      await mine.getByText("nothing is in it").waitFor();
      await look(mine, `told-${lang}`);
    },
    options,
  );
