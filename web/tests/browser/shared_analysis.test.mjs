// The analysis that the arena makes once for all readers, in a real browser: one reader asks for it
// on a desktop, a guest has it at once on a phone.

import assert from "node:assert/strict";
import {
  DESKTOP,
  ON_DEMAND,
  PHONE,
  ask,
  builtIn,
  findings,
  newAccount,
  playMatch,
  skipWithoutEngine,
  stage,
  until,
} from "./kit.mjs";

const { arena, browser, journey } = await stage(...ON_DEMAND);
const unless = await skipWithoutEngine(arena);
const root = await newAccount(browser, arena, "root");
const bots = await Promise.all(["space", "safe"].map((name) => builtIn(root, "kob", name)));
const { id } = await playMatch(root, "kob", bots, { seed: 5 });

const analysed = (page) =>
  until("the whole analysis", () =>
    page.evaluate(() => document.querySelector(".analysis progress")?.value === 1),
  );
const stored = async (page) => (await ask(page, `/matches/${id}/analysis`)).state;
/** What the panel says, without the language. */
const figuresOf = (page) =>
  page.evaluate(() => [...document.querySelectorAll(".analysis td")].map((one) => one.innerText));

journey(
  "who is signed in has the arena analyse a match, and a guest has it at once on a phone",
  async (open) => {
    const guest = await open(PHONE);
    assert.equal(await stored(guest), "none");
    const reader = await open({ ...DESKTOP, storageState: root.storageState });
    await reader.goto(`/matches/${id}?lang=en`);
    await reader.getByRole("button", { name: "Analyse" }).click();
    await analysed(reader);
    await until("the arena's own", async () => (await stored(guest)) === "done");

    await guest.goto(`/matches/${id}?lang=zh`);
    await guest.locator(".start-analysis button").tap();
    await analysed(guest);
    await guest.getByText("分析完成").first().waitFor();
    const files = await guest.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => name),
    );
    assert.deepEqual(
      files.filter((name) => name.endsWith(".wasm")),
      [],
      "the phone computes nothing",
    );
    assert.deepEqual(await figuresOf(guest), await figuresOf(reader));
    assert.match(await guest.locator(".analysis").innerText(), /第|局/);
    assert.deepEqual(await findings(guest), []);
    // What the arena has not, the own engine finds.
    const moment = guest.locator(".moments button").first();
    await moment.tap();
    await guest.locator(".curve path.curve").first().waitFor();
    if (process.env.LEITAI_SHOTS)
      await guest.screenshot({
        path: `${process.env.LEITAI_SHOTS}/analysis-zh.png`,
        fullPage: true,
      });
  },
  unless,
);
