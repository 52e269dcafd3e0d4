// The page of a build without the engine: what it says in the engine's place, in both languages.
// The page is built for this test; an arena answers its calls.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { extname, join } from "node:path";
import { after } from "node:test";
import { IDLE, findings, journeys, runIn, scratch, stage } from "./kit.mjs";

const KINDS = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const web = new URL("../..", import.meta.url).pathname;
const folder = scratch();
const dist = join(folder, "dist");
const replay = join(folder, "game.json");
// `npm run messages` wrote the texts before all tests in a browser.
const made = { LEITAI_ENGINE: "", LEITAI_WEB_OUT: dist, LEITAI_TEXTS: "made" };
const env = { ...process.env, ...made };
execFileSync("npx", ["vite", "build", "--logLevel", "error"], { cwd: web, env });
runIn(folder)("match", "kob", "space", "safe", "--seed", "5", "--replay", replay);
const { arena, browser } = await stage(...IDLE);
const server = createServer(answerRequest);
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const url = `http://127.0.0.1:${server.address().port}`;
const journey = journeys(browser, url);

/** The built page; calls of the API go to the arena. */
function answerRequest(asked, answer) {
  if (asked.url.split("/")[1] === "api") {
    const headers = { ...asked.headers, host: new URL(arena.url).host };
    for (const name of ["origin", "referer", "sec-fetch-site"]) delete headers[name];
    const { method } = asked;
    const passed = request(arena.url + asked.url, { headers, method }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    asked.pipe(passed);
    return;
  }
  const { pathname } = new URL(asked.url, url);
  const name = extname(pathname) ? pathname : "/index.html";
  try {
    const bytes = readFileSync(join(dist, name));
    answer.writeHead(200, { "content-type": KINDS[extname(name)] ?? "application/octet-stream" });
    answer.end(bytes);
  } catch {
    answer.writeHead(404).end();
  }
}

async function openReplay(open, lang, fragment = "") {
  const page = await open();
  await page.goto(`/viewer?lang=${lang}${fragment}`);
  await page.locator("input[type=file]").setInputFiles(replay);
  await page.locator(".timeline input").waitFor();
  return page;
}

const SAID = {
  en: {
    verified: "Replayed and verified by the server, because this page has no engine",
    none: "The engine could not be loaded: this build has none",
    load: "Load it",
  },
  zh: {
    verified: "由服务器",
    none: "无法载入引擎：此版本未包含引擎",
    load: "载入",
  },
};

for (const [lang, said] of Object.entries(SAID)) {
  journey(
    `${lang}: who verified is said, and commands stand for analysis and branches`,
    async (open) => {
      const page = await openReplay(open, lang);
      await page.getByText(said.verified).waitFor();
      await page.locator(".start-analysis button").click();
      await page.locator(".analysis [role=alert]").waitFor();
      assert.equal(await page.locator(".analysis code").textContent(), "leitai analyze FILE");
      await page.locator(".timeline input").fill("1");
      await page.locator(".start-branches button").click();
      await page.locator(".branches [role=alert]").waitFor();
      const command = await page.locator(".branches code").textContent();
      assert.match(command, /^leitai play kob --from FILE@1:\d+$/);
      if (lang === "en") assert.deepEqual(await findings(page), []);
      // A leg in the page is refused with the reason.
      await page.goto(`/play/kob?lang=${lang}`);
      await page.getByRole("button", { name: said.load, exact: true }).click();
      await page.getByText(said.none).waitFor();
    },
  );
}

journey("the link of a branch shows the record, and says what opens a branch", async (open) => {
  const page = await openReplay(open, "en", "#branch=1.1.level1.level1.AwA");
  await page.locator(".branches [role=alert]").waitFor();
});

journey("a GIF needs no engine, and nothing is kept for use without the server", async (open) => {
  const page = await openReplay(open, "en");
  await page.locator(".start-clip button").click();
  await page.locator(".clip select").nth(1).selectOption("320");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".clip .go").click(),
  ]);
  assert.match(download.suggestedFilename(), /^kob-leg1-.*\.gif$/);
  assert.equal(await page.evaluate(async () => (await fetch("/sw.js")).status), 404);
  const workers = await page.evaluate(async () =>
    (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
  );
  assert.deepEqual(workers, []);
});
