// Analysis and branches in a real browser, by a guest: `./dev browser`. The engine runs in the
// page (`./dev engine`); without it these tests are skipped, LEITAI_REQUIRE_WASM=1 makes that an
// error.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ask, findings, leitai, openArena, openBrowser, until, visit } from "./kit.mjs";

let arena, browser, folder, hasEngine;

/** A match of each game; the first entrant plays badly. */
const MATCHES = {
  kob: ["sample", "space", "--seed", "2"],
  snakego: ["greedy", "territory", "--seed", "3", "--config", "max_round=64"],
  tankcraft: ["level1", "level4", "--seed", "3", "--config", "rounds=40"],
};
const GAMES = Object.keys(MATCHES);
const replayOf = (game) => join(folder, `${game}.json`);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "leitai-analysis-"));
  [arena, browser] = await Promise.all([openArena("--ladder-every", "1s"), openBrowser()]);
  for (const [game, words] of Object.entries(MATCHES))
    await leitai(arena.url, "", "match", game, ...words, "--replay", replayOf(game));
  await leitai(
    arena.url,
    "",
    ...["match", "kob", "random", "space", "--seed", "3", "--replay", replayOf("blunder")],
  );
  const long = ["match", "snakego", "greedy", "territory", "--seed", "3"];
  await leitai(arena.url, "", ...long, "--replay", replayOf("long"));
  hasEngine = await findEngine();
  if (!hasEngine && process.env.LEITAI_REQUIRE_WASM === "1")
    throw new Error("this build has no engine (./dev engine)");
});

/** Whether the page can analyse; where it cannot, it names the command. */
async function findEngine() {
  const page = await openReplay("blunder");
  await page.locator(".start-analysis button").click();
  const answer = page.locator(".analysis progress, .analysis code");
  await answer.first().waitFor();
  const found = await until("an answer", async () =>
    page.evaluate(() => {
      if (document.querySelector(".analysis code")) return "no engine";
      return document.querySelector(".analysis progress")?.value === 1 && "engine";
    }),
  );
  await page.context().close();
  return found === "engine";
}

/** A test of what the engine does. */
function check(name, work) {
  test(name, async (context) => {
    if (!hasEngine) return context.skip("this build has no engine");
    await work();
  });
}

after(async () => {
  await browser?.close();
  await arena?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** A page with a replay file that a guest dropped. */
async function openReplay(name, lang = "en", options = {}, fragment = "") {
  const page = await visit(browser, options);
  await page.goto(`${arena.url}/viewer?lang=${lang}${fragment}`);
  await page.locator("input[type=file]").setInputFiles(replayOf(name));
  await page.locator(".timeline input").waitFor();
  return page;
}

const slider = (page) => page.locator(".timeline input");
const curve = (page) => page.locator(".curve path.curve");
const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Waits until the whole match has been analysed. */
async function finishAnalysis(page) {
  await until("the end of the analysis", () =>
    page.evaluate(() => document.querySelector(".analysis progress")?.value === 1),
  );
}

/** The pixels of the board, once it stands still. */
async function boardOf(page) {
  const read = () => page.evaluate(() => document.querySelector(".board canvas").toDataURL());
  let before = await read();
  return until("a board that stands still", async () => {
    const now = await read();
    const same = now === before && now;
    before = now;
    return same;
  });
}

for (const game of GAMES) {
  for (const lang of ["en", "zh"]) {
    check(`${game} is analysed in ${lang}: curve, key moments, best line, refutation`, async () => {
      const page = await openReplay(game, lang);
      await page.locator(".start-analysis button").click();
      await until("the first part of the curve", async () =>
        (
          (await curve(page)
            .getAttribute("d")
            .catch(() => "")) ?? ""
        ).includes("L"),
      );
      await finishAnalysis(page);
      // Accuracy of both entrants in both legs.
      const accuracy = await page.locator(".analysis td b").allTextContents();
      assert.equal(accuracy.length, 4);
      for (const text of accuracy) assert.match(text, /^(\d+(\.\d)?%|–)$/);
      const moments = page.locator(".moments button");
      assert.ok((await moments.count()) > 0, "no key moments");
      await page.locator(".timeline input").press("End");
      await moments.first().click();
      const round = Number(await moments.first().locator(".round").textContent());
      await until(
        "the round of the moment",
        async () => new URL(page.url()).searchParams.get("round") === `${round}`,
      );
      // The board has the line while it is shown, and nothing of it afterwards.
      const arrows = page.locator(".moment .buttons button").nth(2);
      await arrows.click();
      const plain = await boardOf(page);
      await arrows.click();
      assert.notEqual(await boardOf(page), plain);
      const before = Number(await slider(page).inputValue());
      await page.locator(".moment .buttons button").nth(1).click();
      assert.equal(Number(await slider(page).inputValue()), before + 1);
      await until("the reply", async () =>
        /%|\(|（|。|\./.test(await page.locator(".moment").innerText()),
      );
      assert.deepEqual(await findings(page), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 1280, `${wide} pixels wide`);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    });
  }
}

check("a known blunder has its mark, and the list leads to it", async () => {
  const page = await openReplay("blunder");
  await page.locator(".start-analysis button").click();
  await finishAnalysis(page);
  await page.locator(".curve g.blunder text").first().waitFor();
  assert.equal(await page.locator(".curve g.blunder text").first().textContent(), "??");
  await slider(page).press("End");
  const moment = page.locator(".moments button").first();
  assert.match(await moment.innerText(), /\?\?[\s\S]*random[\s\S]*decisive mistake/);
  await moment.click();
  assert.equal(await slider(page).inputValue(), "0");
  assert.match(await page.locator(".moment").innerText(), /blunder[\s\S]*lost in 1/);
  await button(page, "Show the refutation").click();
  await page.getByText("The leg ends with this move.").waitFor();
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

check("stop keeps what was found, and the analysis can be started again", async () => {
  const page = await openReplay("long");
  await page.locator(".start-analysis button").click();
  await until("a part of the curve", async () =>
    (
      (await curve(page)
        .getAttribute("d")
        .catch(() => "")) ?? ""
    ).includes("L"),
  );
  await button(page, "Stop").click();
  await page.getByText("Stopped. What was found so far stays.").waitFor();
  assert.ok((await curve(page).getAttribute("d")).length > 4);
  await button(page, "Analyse again").click();
  await button(page, "Stop").waitFor();
  await page.context().close();
});

check("everything works by keys, on a phone, too", async () => {
  const page = await openReplay("kob", "en", { viewport: { width: 390, height: 844 } });
  await page.locator(".start-analysis button").focus();
  await page.keyboard.press("Enter");
  await finishAnalysis(page);
  const focused = () => page.evaluate(() => document.activeElement?.closest("li, button")?.tagName);
  await page.locator(".moment .buttons button").first().focus();
  for (let at = 0; at < 4; at++) await page.keyboard.press("Tab");
  assert.ok(await focused());
  await page.locator(".moments button").first().focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".moments li.now").count(), 1);
  await page.locator(".start-branches button").focus();
  await page.keyboard.press("Enter");
  await page.locator(".branches select").nth(1).waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  assert.deepEqual(await findings(page), []);
  await page.context().close();
});

for (const game of GAMES) {
  check(`${game}: a branch is played on, linked and saved`, async () => {
    const page = await openReplay(game);
    const steps = await slider(page).getAttribute("max");
    await slider(page).fill("3");
    await page.locator(".start-branches button").click();
    // The reader against a bot: one action, then the next question.
    await page
      .locator(".branches select")
      .nth(1)
      .locator("option[value=level1]")
      .waitFor({ state: "attached" });
    await page.locator(".branches select").nth(0).selectOption("");
    await page.locator(".branches select").nth(1).selectOption("level1");
    await page.locator(".branches .go").click();
    await page.locator("section.play").waitFor();
    const act = page.locator("section.play .done, section.play .choices button:not(.illegal)");
    await act.first().click();
    await until("the next step", async () => Number(await slider(page).getAttribute("max")) > 3);
    await until("the address", async () => page.url().includes("#branch=1.3.person.level1."));
    // From there, bots play both sides to the end: a branch of the branch.
    await page.locator(".branches select").nth(0).selectOption("level1");
    await page.locator(".branches .go").click();
    await page.getByText("· finished").first().waitFor();
    assert.ok((await page.locator(".branches nav ul ul .node").count()) >= 2);
    await slider(page).press("End");
    await until("the address of the branch", async () =>
      page.url().includes("#branch=1.3.level1.level1."),
    );
    const last = await slider(page).getAttribute("max");
    const sentence = await slider(page).getAttribute("aria-valuetext");
    assert.deepEqual(await findings(page), []);

    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      button(page, "Save as a replay").click(),
    ]);
    const file = join(folder, `${game}-branch.json`);
    await saved.saveAs(file);
    assert.match(await leitai(arena.url, "", "replay", "verify", file), /agrees: 1 leg/);

    const other = await openReplay(game, "en", {}, new URL(page.url()).hash);
    await other.locator(".branches nav").waitFor();
    await until("the same leg", async () => (await slider(other).getAttribute("max")) === last);
    // The record may be as long as the branch, and is shown first.
    await until(`the position of: ${sentence}`, async () => {
      await slider(other).press("End");
      return (await slider(other).getAttribute("aria-valuetext")) === sentence;
    });
    assert.equal(await boardOf(other), await boardOf(page));
    assert.deepEqual(other.problems, []);
    await other.context().close();

    await button(page, "The record").click();
    await until("the record", async () => (await slider(page).getAttribute("max")) === steps);
    assert.equal(new URL(page.url()).hash, "");
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

for (const game of GAMES) {
  check(`${game}: a branch is analysed, and the record beside it`, async () => {
    const page = await openReplay(game);
    await slider(page).fill("3");
    await page.locator(".start-branches button").click();
    await page
      .locator(".branches select option[value=level1]")
      .first()
      .waitFor({ state: "attached" });
    for (const at of [0, 1]) await page.locator(".branches select").nth(at).selectOption("level1");
    await page.locator(".branches .go").click();
    await page.getByText("· finished").first().waitFor();
    // Only the leg of the branch is analysed, to its end.
    await page.locator(".start-analysis button").click();
    await finishAnalysis(page);
    const accuracy = page.locator(".analysis td b");
    assert.equal(await accuracy.count(), 2);
    const ofBranch = await curve(page).getAttribute("d");
    assert.ok(ofBranch.includes("L"));
    const moments = page.locator(".moments button");
    if ((await moments.count()) > 0) {
      await moments.first().click();
      const before = Number(await slider(page).inputValue());
      await page.locator(".moment .buttons button").nth(1).click();
      assert.equal(Number(await slider(page).inputValue()), before + 1);
    }
    // The record has not been analysed yet; both stay known.
    await button(page, "The record").click();
    await page.locator(".analysis h2 button").click();
    await finishAnalysis(page);
    await until("both legs of the record", async () => (await accuracy.count()) === 4);
    await page.locator(".branches nav ul ul .node").first().click();
    await until("the branch again", async () => (await accuracy.count()) === 2);
    assert.equal(await curve(page).getAttribute("d"), ofBranch);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

check("a branch that is played on can be analysed again", async () => {
  const page = await openReplay("kob");
  await page.locator(".start-analysis button").click();
  await finishAnalysis(page);
  await page.locator(".start-branches button").click();
  await page
    .locator(".branches select option[value=level1]")
    .first()
    .waitFor({ state: "attached" });
  await page.locator(".branches select").nth(1).selectOption("level1");
  await page.locator(".branches .go").click();
  await page.locator("section.play").waitFor();
  const again = button(page, "Analyse this branch");
  for (const steps of [1, 2]) {
    await page.locator("section.play .choices button:not(.illegal)").first().click();
    await until(
      "the next step",
      async () => (await slider(page).getAttribute("max")) === `${steps}`,
    );
    await again.click();
    await finishAnalysis(page);
    await until("no more to analyse", async () => !(await again.isVisible()));
    await until("the decisions of the branch", async () =>
      /^M[^L]*(L[^L]*)?$/.test(await curve(page).getAttribute("d")),
    );
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

check("a damaged link of a branch shows the record and says so", async () => {
  const page = await openReplay("kob", "en", {}, "#branch=1.2.person.space.zzzz");
  await page.getByText("The link's branch is damaged").waitFor();
  assert.ok(Number(await slider(page).getAttribute("max")) > 0);
  await page.context().close();
});

check("a guest analyses a finished match of the arena", async () => {
  const page = await visit(browser);
  await page.goto(`${arena.url}/?lang=en`);
  const match = await until("a finished match", async () => {
    const { items } = await ask(page, "/matches?game=kob&state=finished&limit=1");
    return items[0];
  });
  await page.goto(`${arena.url}/matches/${match.id}?lang=en`);
  await page.locator(".start-analysis button").click();
  await finishAnalysis(page);
  assert.ok((await curve(page).getAttribute("d")).length > 4);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
