// The page without its server, after the engine was used once: a reload opens it, a leg is played,
// a replay file is verified. And a new build is shown at the next load. `./dev engine` builds the
// engine; without it nothing is kept, and these tests are skipped.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { join } from "node:path";
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

const folder = scratch();
runIn(folder)("match", "kob", "space", "safe", "--seed", "5", "--replay", "game.json");
const { arena: own, journey } = await stage(...IDLE);
const unless = await skipWithoutEngine(own);

/** Uses the engine, or installs the page, and waits until the browser has kept the page. */
async function keepPage(page, url, installs = false) {
  await page.goto(`${url}/${installs ? "" : "play/kob"}?lang=en`);
  if (installs) {
    // What the browser says once the page is on the phone's screen.
    await page
      .getByRole("button", { name: /^play now/i })
      .first()
      .waitFor();
    await page.evaluate(() => dispatchEvent(new Event("appinstalled")));
  } else await loadEngine(page);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
  await until("the kept files", () => page.evaluate(() => navigator.serviceWorker.controller));
}

async function loadEngine(page) {
  await page.getByRole("button", { name: "Load it" }).click();
  await opponents(page);
}

/** Without the server the engine is loaded at once. */
const opponents = (page) => page.getByRole("combobox", { name: "Opponent" }).waitFor();

/** The addresses of everything that the browser keeps. */
const keptFiles = (page) =>
  page.evaluate(async () => {
    const caches = await Promise.all(
      (await globalThis.caches.keys()).map((name) => globalThis.caches.open(name)),
    );
    const requests = await Promise.all(caches.map((cache) => cache.keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });

journey(
  "the server is stopped, the page is loaded again, and a leg is played",
  async (open) => {
    const arena = await openArena(...IDLE);
    const page = await open();
    page.excused = SERVER_GONE;
    await keepPage(page, arena.url);
    const kept = await keptFiles(page);
    assert.ok(kept.includes("/"), kept);
    assert.ok(
      kept.some((path) => path.endsWith(".wasm")),
      kept,
    );
    assert.deepEqual(
      kept.filter((path) => path.startsWith("/api")),
      [],
    );
    await arena.close();

    await page.reload();
    await opponents(page);
    await page.getByRole("combobox", { name: "Opponent" }).selectOption("random");
    await page.getByRole("button", { name: "Start" }).last().click();
    const save = page.getByRole("link", { name: "Save the replay" });
    const wait = page.locator("section.play strong", { hasText: "Your turn" });
    await until("the end of the leg", async () => {
      if (await wait.isVisible()) await page.keyboard.press("w");
      return save.isVisible();
    });

    // The card of the end leads on, and home says what works.
    await page.locator("section.end").getByRole("button", { name: "Rematch" }).waitFor();
    await page.goto(`${arena.url}/?lang=en`);
    await page.getByRole("link", { name: /^Play here.*King of Bots/ }).click();
    await opponents(page);

    // A replay file, and the same file after another reload, at the moment that was shown.
    await page.goto(`${arena.url}/viewer?lang=en`);
    await page.locator("input[type=file]").setInputFiles(join(folder, "game.json"));
    await page.getByText("Replayed and verified").waitFor();
    await page.keyboard.press("End");
    await until(
      "the address",
      async () => Number(new URL(page.url()).searchParams.get("round")) > 1,
    );
    const shown = await page.locator(".timeline input").inputValue();
    await page.reload();
    await page.getByText("Replayed and verified").waitFor();
    assert.equal(await page.locator("h1").first().textContent(), "game.json");
    assert.equal(await page.locator(".timeline input").inputValue(), shown);
    // Another file is asked for, also after a reload.
    await page.getByRole("button", { name: "Open another" }).click();
    await page.locator("input[type=file]").waitFor();
    await page.reload();
    await page.locator("input[type=file]").waitFor();
    // Pages of the arena say that it does not answer.
    await page.goto(`${arena.url}/matches?lang=en`).catch(() => null);
    await page.getByText("Part of this page could not be loaded").waitFor();
  },
  unless,
);

/** The arena behind a proxy whose build changes with `version`. */
async function openChanging() {
  const proxy = { version: "one" };
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, "accept-encoding": "identity" };
    for (const name of ["if-none-match", "connection"]) delete headers[name];
    const passed = request(own.url + asked.url, { headers, method: asked.method }, (got) => {
      const parts = [];
      got.on("data", (part) => parts.push(part));
      got.on("end", () => {
        let body = Buffer.concat(parts);
        if (asked.url === "/sw.js" || /html/.test(got.headers["content-type"] ?? ""))
          body = Buffer.from(change(body.toString(), proxy.version));
        const { etag: _etag, "content-length": _length, ...rest } = got.headers;
        answer.writeHead(got.statusCode, { ...rest, "content-length": body.length });
        answer.end(body);
      });
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.url = `http://127.0.0.1:${server.address().port}`;
  proxy.stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return proxy;
}

/** The page and its list of files as another build has them. */
function change(text, version) {
  const marked = text.replace("<head>", `<head><meta name="build" content="${version}">`);
  return marked.replace(/"version":"\w+"/, `"version":"${version}"`);
}

const build = (page) => page.locator("meta[name=build]").getAttribute("content");

journey(
  "an installed page shows a new build at the next load, and keeps it in place of the old one",
  async (open) => {
    const proxy = await openChanging();
    const page = await open();
    page.excused = SERVER_GONE;
    await keepPage(page, proxy.url, true);
    assert.equal(await build(page), "one");
    proxy.version = "two";
    await page.reload();
    assert.equal(await build(page), "two");
    await until("the new files", () =>
      page.evaluate(async () => (await caches.keys()).join() === "leitai-two"),
    );
    await proxy.stop();
    await page.reload();
    assert.equal(await build(page), "two");
    await page.getByRole("link", { name: /^Play here.*King of Bots/ }).click();
    await opponents(page);
  },
  unless,
);
