// What brings people back, in a real browser: the challenge of the day, what a guest has reached,
// the author's home.

import assert from "node:assert/strict";
import { ON_DEMAND, PASSWORD, PHONE, findings, newAccount, stage, until, upload } from "./kit.mjs";

const { arena, browser, journey } = await stage(...ON_DEMAND);
const root = await newAccount(browser, arena, "root");
void root;

/** The opening of sockets is held back until `openSockets()` is called in the page. */
const holdSockets = () => {
  const isOpen = new Promise((open) => (globalThis.openSockets = open));
  globalThis.WebSocket = class extends WebSocket {
    #isHeld = true;
    get readyState() {
      return this.#isHeld ? WebSocket.CONNECTING : super.readyState;
    }
    set onopen(then) {
      super.onopen = async (event) => {
        await isOpen;
        this.#isHeld = false;
        then.call(this, event);
      };
    }
  };
};

journey(
  "a guest tries the challenge of the day on a phone, and what is reached moves to the account",
  async (open) => {
    const page = await open(PHONE);
    await page.addInitScript(holdSockets);
    await until("the challenge", async () => (await fetch(`${arena.url}/api/daily`)).ok);
    await page.goto("/?lang=en");
    await page.getByRole("link", { name: /Challenge of the day/ }).click();
    await page.getByText("Not tried yet").waitFor();
    assert.deepEqual(await findings(page), []);
    await page.getByRole("button", { name: "Play it" }).click();
    await page.waitForURL(/\/matches\/\d+/);
    const id = Number(/matches\/(\d+)/.exec(page.url())[1]);
    // What is said before the connection is there arrives.
    const resign = page.getByRole("button", { name: "Resign" });
    page.on("dialog", (dialog) => void dialog.accept());
    await resign.first().click();
    await page.evaluate(() => globalThis.openSockets());
    const ended = async () => (await (await fetch(`${arena.url}/api/matches/${id}`)).json()).state;
    await until("the end", async () => (await ended()) === "finished");
    await page.getByRole("link", { name: /challenge of the day: result/ }).click();
    await page.getByText("Not solved yet: one try").waitFor();
    await page.getByRole("button", { name: "Save as a picture" }).waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a picture" }).click();
    assert.match((await saved).suggestedFilename(), /^leitai-\d{4}-\d\d-\d\d\.png$/);
    assert.deepEqual(await findings(page), []);

    await page.goto("/register?lang=en&to=/progress");
    await page.locator("input[name=name]").fill("lovelace");
    await page.locator("input[name=password]").fill(PASSWORD);
    await page.locator("main form button:not([type=button])").last().click();
    await page.waitForURL(/\/progress/);
    await page.getByText("0 of 1 solved").waitFor();
    await until("it is at the server", async () => {
      const kept = await (await page.request.get("/api/me/achievements")).json();
      return kept.matches.includes(id) && Object.values(kept.daily)[0]?.tries.length === 1;
    });
    // The browser keeps nothing of it, so nobody else who logs in here gets it.
    const left = await page.evaluate(() => JSON.parse(localStorage["leitai.reached"]).reached);
    assert.deepEqual(left, { games: {}, days: [], matches: [], daily: {} });
    assert.deepEqual(await findings(page), []);
  },
);

journey("an upload asks what it is, and the author's home says what waits", async (open) => {
  const page = await open();
  const data = { name: "turing", password: PASSWORD };
  assert.equal((await page.request.post("/api/register", { data })).status(), 200);
  await page.goto("/account?lang=en");
  await page.getByRole("heading", { name: "Write your first bot in five minutes" }).waitFor();
  assert.deepEqual(await findings(page), []);
  await page.getByRole("link", { name: "Begin with King of Bots" }).click();
  await page.locator(".cm-content").waitFor();
  assert.equal(await page.locator("input[name=target]").count(), 0);
  const bot = await upload(page, "/bots", "print(0)", { game: "kob", name: "bombe" });
  await page.goto("/upload?game=kob&lang=en");
  const choices = page.locator("input[name=target]");
  await choices.first().waitFor();
  // Nothing is assumed: a second idea does not take the place of the first.
  assert.equal(await page.locator("input[name=target]:checked").count(), 0);
  assert.equal(await page.locator("input[name=name]").count(), 0);
  await choices.first().check();
  await page.locator("input[name=name]").waitFor();
  assert.deepEqual(await findings(page), []);
  await page.goto(`/bots/${bot.id}/versions/1?lang=en`);
  await page.getByRole("link", { name: "Upload a fixed version" }).click();
  await page.locator("input[name=target]:checked").waitFor();
  await page.locator(".cm-content", { hasText: "print(0)" }).waitFor();
  assert.deepEqual(await findings(page), []);
  await page.goto("/account?lang=zh");
  await page.getByRole("heading", { name: "最近一周" }).waitFor();
  await page.getByRole("link", { name: "版本 1 未通过检查" }).waitFor();
  assert.deepEqual(await findings(page), []);
});
