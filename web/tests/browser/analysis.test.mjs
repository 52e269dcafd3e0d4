// Analysis and branches in a real browser, by a guest: `./dev browser`. The engine runs in the
// page (`./dev engine`); without it these tests are skipped, LEITAI_REQUIRE_WASM=1 makes that an
// error.

import assert from "node:assert/strict";
import { join } from "node:path";
import { IDLE, PHONE, findings, runIn, scratch, skipWithoutEngine, stage, until } from "./kit.mjs";

const folder = scratch();
const leitai = runIn(folder);
const { arena, journey } = await stage(...IDLE);
const unless = await skipWithoutEngine(arena);

/** A match of each game, in which the first entrant plays badly, and more. */
const MATCHES = {
  kob: ["kob", "sample", "space", "--seed", "2"],
  snakego: ["snakego", "greedy", "territory", "--seed", "3", "--config", "max_round=32"],
  tankcraft: ["tankcraft", "level1", "level4", "--seed", "3", "--config", "rounds=20"],
  blunder: ["kob", "random", "space", "--seed", "3"],
  long: ["snakego", "greedy", "territory", "--seed", "3"],
};
const replayOf = (name) => join(folder, `${name}.json`);
for (const [name, words] of Object.entries(MATCHES))
  leitai("match", ...words, "--replay", replayOf(name));

/** A page with a replay file that a guest dropped. */
async function openReplay(open, name, lang = "en", options = {}, fragment = "") {
  const page = await open(options);
  await page.goto(`/viewer?lang=${lang}${fragment}`);
  await page.locator("input[type=file]").setInputFiles(replayOf(name));
  await page.locator(".timeline input").waitFor();
  return page;
}

/** Chooses who plays a branch on from here, and starts it; an empty name is the reader. */
async function startBranch(page, ...players) {
  await page.locator(".start-branches button").click();
  await page
    .locator(".branches select option[value=level1]")
    .first()
    .waitFor({ state: "attached" });
  for (const [at, name] of players.entries())
    await page.locator(".branches select").nth(at).selectOption(name);
  await page.locator(".branches .go").click();
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

for (const [game, lang] of [
  ["kob", "en"],
  ["snakego", "zh"],
  ["tankcraft", "en"],
])
  journey(
    `${game} is analysed in ${lang}: curve, key moments, best line, refutation`,
    async (open) => {
      const page = await openReplay(open, game, lang);
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
      const accuracy = await until("four accuracies", async () => {
        const shown = await page.locator(".analysis td b").allTextContents();
        return shown.length === 4 && shown;
      });
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
      const arrows = page.locator(".moment .buttons .arrows");
      const board = await boardOf(page);
      const other = async (than) => {
        const now = await boardOf(page);
        return now !== than && now;
      };
      await arrows.click();
      const toggled = await until("a board without the line", () => other(board));
      await arrows.click();
      await until("the line again", () => other(toggled));
      const before = Number(await slider(page).inputValue());
      // What is refuted is worse than the best, and only that has a red or doubtful sign.
      const refute = page.locator(".moment .buttons .refute");
      const label = await page.locator(".moment p b span").first().innerText();
      if ((await refute.count()) > 0) {
        assert.match(label, /\?/, "only a doubtful move is refuted");
        await refute.click();
        await until("the step", async () => Number(await slider(page).inputValue()) === before + 1);
        await until("the reply", async () =>
          /%|\(|（|。|\./.test(await page.locator(".moment").innerText()),
        );
      }
      await contradictions(page);
      if (lang === "zh") assert.deepEqual(await findings(page), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 1280, `${wide} pixels wide`);
    },
    unless,
  );

/** Goes through the first rounds: no move is the best and has a better one beside it. */
async function contradictions(page) {
  const steps = Number(await slider(page).getAttribute("max"));
  for (let step = 0; step < Math.min(steps, 12); step++) {
    await slider(page).fill(`${step}`);
    // All at one moment: the page may draw between two looks.
    const { heading, lines, text, refuted } = await page.locator(".moment").evaluate((moment) => ({
      heading: moment.querySelector("p b span")?.textContent ?? "",
      lines: moment.querySelectorAll("dl dt").length,
      text: moment.innerText,
      refuted: moment.querySelectorAll(".refute").length,
    }));
    assert.ok(!text.includes("✕"), `step ${step}: ${text}`);
    if (!/best|最佳/.test(heading)) continue;
    assert.ok(lines <= 2, `step ${step}: ${heading} with a better move beside it`);
    assert.ok((text.match(/✓/g) ?? []).length <= 1, `step ${step}: ${text}`);
    assert.equal(refuted, 0, heading);
  }
}

journey(
  "a known blunder has its mark, and the list leads to it",
  async (open) => {
    const page = await openReplay(open, "blunder");
    await page.locator(".start-analysis button").click();
    await finishAnalysis(page);
    await page.locator(".curve g.blunder text").first().waitFor();
    assert.equal(await page.locator(".curve g.blunder text").first().textContent(), "??");
    await slider(page).press("End");
    const moment = page.locator(".moments button").first();
    assert.match(await moment.innerText(), /\?\?[\s\S]*random[\s\S]*decisive mistake/);
    await moment.click();
    await until("its step", async () => (await slider(page).inputValue()) === "0");
    await until("what it lost", async () =>
      /decisive mistake[\s\S]*lost in 1/.test(await page.locator(".moment").innerText()),
    );
    // Nothing answers the last move of a leg.
    await page.getByText("The leg ends with this move.").waitFor();
    assert.equal(await page.locator(".moment .refute").count(), 0);
  },
  unless,
);

journey(
  "stop keeps what was found, and the analysis can be started again",
  async (open) => {
    const page = await openReplay(open, "long");
    await page.locator(".start-analysis button").click();
    await until("a part of the curve", async () =>
      (
        (await curve(page)
          .getAttribute("d")
          .catch(() => "")) ?? ""
      ).includes("L"),
    );
    // Before the leg is over, what is known of it is told.
    await page.getByText(/about \d+ (s|min) left/).waitFor();
    assert.match(await page.locator(".analysis td b").first().innerText(), /^\d+(\.\d)?%$/);
    await button(page, "Stop").click();
    await page.getByText("Stopped. What was found so far stays.").waitFor();
    assert.ok((await curve(page).getAttribute("d")).length > 4);
    await button(page, "Analyse again").click();
    await button(page, "Stop").waitFor();
  },
  unless,
);

journey(
  "everything works by keys, on a phone, too",
  async (open) => {
    const page = await openReplay(open, "kob", "en", PHONE);
    await page.locator(".start-analysis button").focus();
    await page.keyboard.press("Enter");
    await finishAnalysis(page);
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("li, button")?.tagName);
    await page.locator(".moment .buttons button").first().focus();
    for (let at = 0; at < 4; at++) await page.keyboard.press("Tab");
    assert.ok(await focused());
    await page.locator(".moments button").first().focus();
    await page.keyboard.press("Enter");
    await page.locator(".moments li.now").waitFor();
    await page.locator(".start-branches button").focus();
    await page.keyboard.press("Enter");
    await page.locator(".branches select").nth(1).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels wide`);
    assert.deepEqual(await findings(page), []);
  },
  unless,
);

for (const game of ["kob", "snakego", "tankcraft"]) {
  journey(
    `${game}: a branch is played on, linked and saved`,
    async (open) => {
      const page = await openReplay(open, game);
      const steps = await slider(page).getAttribute("max");
      await slider(page).fill("3");
      // The reader against a bot: one action, then the next question.
      await startBranch(page, "", "level1");
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
      if (game === "tankcraft") assert.deepEqual(await findings(page), []);

      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        button(page, "Save as a replay").click(),
      ]);
      const file = join(folder, `${game}-branch.json`);
      await saved.saveAs(file);
      assert.match(leitai("replay", "verify", file), /agrees: 1 leg/);

      const other = await openReplay(open, game, "en", {}, new URL(page.url()).hash);
      await other.locator(".branches nav").waitFor();
      await until("the same leg", async () => (await slider(other).getAttribute("max")) === last);
      // The record may be as long as the branch, and is shown first.
      await until(`the position of: ${sentence}`, async () => {
        await slider(other).press("End");
        return (await slider(other).getAttribute("aria-valuetext")) === sentence;
      });
      await until("the same board", async () => (await boardOf(other)) === (await boardOf(page)));

      await button(page, "The record").click();
      await until("the record", async () => (await slider(page).getAttribute("max")) === steps);
      await until("its address", () => new URL(page.url()).hash === "");
    },
    unless,
  );
}

journey(
  "a branch is analysed, again when it was played on, and the record beside it",
  async (open) => {
    const page = await openReplay(open, "kob");
    await startBranch(page, "", "level1");
    await page.locator("section.play").waitFor();
    const play = async (steps) => {
      await page.locator("section.play .choices button:not(.illegal)").first().click();
      await until("a step", async () => (await slider(page).getAttribute("max")) === `${steps}`);
    };
    await play(1);
    // Only the leg of the branch is analysed, to its end.
    await page.locator(".start-analysis button").click();
    await finishAnalysis(page);
    const accuracy = page.locator(".analysis td b");
    await until("the leg of the branch", async () => (await accuracy.count()) === 2);
    await play(2);
    const again = button(page, "Analyse this branch");
    await again.click();
    await until("no more to analyse", async () => !(await again.isVisible()));
    await finishAnalysis(page);
    const ofBranch = await until("the decisions of the branch", async () => {
      const line = await curve(page).getAttribute("d");
      return /^M[^L]*(L[^L]*)?$/.test(line) && line;
    });
    // The record has not been analysed yet; both stay known.
    await button(page, "The record").click();
    await page.locator(".analysis h2 button").click();
    await finishAnalysis(page);
    await until("both legs of the record", async () => (await accuracy.count()) === 4);
    await page.locator(".branches nav ul ul .node").first().click();
    await until("the branch again", async () => (await accuracy.count()) === 2);
    assert.equal(await curve(page).getAttribute("d"), ofBranch);
  },
  unless,
);

journey(
  "a damaged link of a branch shows the record and says so",
  async (open) => {
    const page = await openReplay(open, "kob", "en", {}, "#branch=1.2.person.space.zzzz");
    await page.getByText("The link's branch is damaged").waitFor();
    assert.ok(Number(await slider(page).getAttribute("max")) > 0);
  },
  unless,
);
