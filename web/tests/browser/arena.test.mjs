// The arena in a real browser: `./dev browser`.

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CHOICES,
  DESKTOP,
  IDLE,
  MOVING,
  WITH_EXHIBITIONS,
  PASSWORD,
  PHONE,
  SERVER_GONE,
  SAFE_CHOICES,
  ask,
  asked,
  builtIn,
  findFreePort,
  findings,
  newAccount,
  overheard,
  playMatch,
  playOn,
  register,
  serveArena,
  stage,
  until,
  upload,
  watchFor,
} from "./kit.mjs";

const { arena, browser, journey } = await stage(...WITH_EXHIBITIONS);
const root = await newAccount(browser, arena, "root");
const bots = async (game, ...names) => Promise.all(names.map((name) => builtIn(root, game, name)));
const snakego = await playMatch(root, "snakego", await bots("snakego", "greedy", "territory"), {
  config: { max_round: 40 },
  seed: 3,
});
const hasEngine = (await fetch(`${arena.url}/sw.js`)).ok;
const kob = await playMatch(root, "kob", await bots("kob", "space", "safe"), { seed: 5 });

journey(
  "the home page links to everything; a late spectator of its live match sees the newest position first, and can go back",
  async (open) => {
    const page = await open();
    await page.goto("/?lang=en");
    await page.locator("main canvas").first().waitFor();
    for (const path of [
      "/games/snakego",
      "/games/kob",
      "/games/tankcraft",
      "/matches",
      "/viewer",
      "/upload",
      "/login",
      "/register",
    ])
      assert.ok((await page.locator(`a[href^="${path}"]`).count()) > 0, `no link to ${path}`);
    const heard = overheard(page);
    const slider = page.locator("main .timeline input[type=range]");
    // The leg can end at any time: then the next one is opened.
    await until("a leg of SnakeGo, followed from its middle", async () => {
      const { live } = await ask(page, "/status");
      const match = live.find(
        ({ game, kind, round }) => game === "snakego" && kind === "exhibition" && round > 12,
      );
      if (!match) return false;
      heard.length = 0;
      await page.goto(`/matches/${match.id}?lang=en`);
      const own = () => heard.filter(({ socket }) => socket.includes(`/matches/${match.id}/`));
      const ofType = (wanted) => own().filter(({ type }) => type === wanted);
      const isOver = async () =>
        ofType("leg").length > 1 || (await ask(page, `/matches/${match.id}`)).state !== "running";
      await until("the leg", async () => ofType("leg").length > 0 || (await isOver()));
      const [leg] = ofType("leg");
      const [newest, ...others] = leg?.frames_of_leg.frames ?? [];
      if (!(newest?.step > 20)) return false;
      assert.ok(newest.view && others.length === 0, `${others.length} other frames`);
      assert.ok(
        leg.compressed && leg.bytes < JSON.stringify(leg.frames_of_leg).length / 2,
        `${leg.bytes} bytes`,
      );
      const back = () => ofType("earlier").flatMap(({ frames }) => frames.map(({ step }) => step));
      // Until the earlier frames have arrived, Home leads to the first known one.
      await until("the first position", async () => {
        await page.locator("main").press("Home");
        const isFirst = (await slider.getAttribute("aria-valuetext"))?.startsWith("The start");
        return (isFirst && back().length >= newest.step) || (await isOver());
      });
      if (await isOver()) return false;
      const every = [...Array(newest.step).keys()];
      assert.deepEqual(back().slice(0, newest.step), every, "every earlier frame came once");
      return true;
    });
    await page.locator("main").press("ArrowRight");
    await until("a position after it", async () => Number(await slider.inputValue()) > 0);
  },
);

journey("a replay is scrubbed and analysed, and a deep link opens its turn", async (open) => {
  const page = await open();
  await page.goto(`/matches/${snakego.id}?leg=2&round=20&lang=en`);
  const slider = page.locator("main .timeline input[type=range]");
  await slider.waitFor();
  await page.getByText(/^round 20 \/ 40$/).waitFor();
  assert.match(page.url(), /leg=2/);
  await page.locator("main").press("End");
  await until(
    "the last round",
    async () => (await slider.inputValue()) === (await slider.getAttribute("max")),
  );
  await until("the address of the last round", () => !/round=20(&|$)/.test(page.url()));
  const end = page.url();
  await page.locator("main").press("ArrowLeft");
  await until("the address of the round before", () => page.url() !== end);
  const followed = page.url();
  const step = await slider.inputValue();
  const other = await open();
  await other.goto(followed);
  await until(
    "the same moment elsewhere",
    async () => (await other.locator("main .timeline input[type=range]").inputValue()) === step,
  );
  if (!hasEngine) return;
  await page.locator(".start-analysis button").click();
  await until("the end of the analysis", () =>
    page.evaluate(() => document.querySelector(".analysis progress")?.value === 1),
  );
  assert.ok((await page.locator(".curve path.curve").getAttribute("d")).length > 4);
});

journey(
  "any replay file is watched without an account, and a spoiled one is refused in words",
  async (open) => {
    const page = await open();
    const text = await (await page.request.get(`/api/matches/${kob.id}/replay`)).text();
    const give = async (name, content) => {
      await page.goto("/viewer?lang=en");
      await page
        .locator("input[type=file]")
        .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
    };
    await give("match.json", text);
    const slider = page.locator("main .timeline input[type=range]");
    await slider.waitFor();
    await page.locator("main").press("End");
    await until(
      "its end",
      async () =>
        (await slider.inputValue()) === (await slider.getAttribute("max")) &&
        (await slider.inputValue()) !== "0",
    );
    await give("spoiled.json", text.slice(0, text.length / 2));
    await page
      .locator("main [role=alert], main .problem")
      .filter({ hasText: /replay/i })
      .first()
      .waitFor();
  },
);

journey("an administrator corrects a result, and everybody sees the earlier one", async (open) => {
  const page = await open(root);
  const { id, winner, a, b } = kob;
  const other = winner === "b" ? "a" : "b";
  await page.goto("/admin?tab=matches&lang=en");
  const row = page
    .locator("tr")
    .filter({ has: page.getByRole("link", { name: String(id), exact: true }) });
  const older = page.getByRole("button", { name: /older/i });
  await until("the row of the match", async () => {
    if ((await row.count()) > 0) return true;
    if ((await older.count()) > 0)
      await older
        .first()
        .click({ timeout: 1000 })
        .catch(() => undefined);
    return false;
  });
  await row.getByRole("button", { name: /correct the result/i }).click();
  await page.locator("dialog select[name=result]").selectOption(other);
  await page.locator("dialog input[name=why]").fill("the judge was wrong");
  await page.locator("dialog button.first").click();
  await page.locator("dialog").waitFor({ state: "hidden" });
  const corrected = await until("the corrected result", async () => {
    const now = await ask(page, `/matches/${id}`);
    return now.winner === other && now;
  });
  assert.equal(corrected.corrections[0].before, winner);
  const guest = await open();
  await guest.goto(`/matches/${id}?lang=en`);
  await guest
    .getByText(/the judge was wrong/)
    .first()
    .waitFor();
  await guest
    .getByText(`→ ${(other === "a" ? a : b).name} won`)
    .first()
    .waitFor();
});

journey("the rules have pictures that the viewer draws, in both languages", async (open) => {
  const page = await open();
  for (const lang of ["en", "zh"]) {
    await page.goto(`/games/snakego?lang=${lang}`);
    const picture = page.locator(".rules figure canvas").first();
    await until("a drawn board", () =>
      picture.evaluate((canvas) => {
        const { width, height } = canvas;
        const [, , , alpha] = canvas
          .getContext("2d")
          .getImageData(width / 2, height / 2, 1, 1).data;
        return width !== 300 && alpha > 0;
      }),
    );
    const alt = await page.locator(".rules figcaption").first().textContent();
    assert.equal(/[一-鿿]/.test(alt), lang === "zh", alt);
    const text = await page.locator(".rules .prose").textContent();
    assert.ok(!/cargo|corpus|"replies"|题面/.test(text), text);
  }
});

journey("bots in a guide are shown in one of six languages at a time", async (open) => {
  const page = await open({ viewport: { width: 390, height: 844 } });
  await page.goto("/games/snakego?lang=en");
  const box = page.locator(".programs");
  const tab = (name) => box.getByRole("tab", { name, exact: true });
  await box.getByRole("tablist", { name: "Programming language" }).waitFor();
  const height = await box.evaluate((element) => element.offsetHeight);
  const seesOnly = async (language, code) => {
    const visible = box.getByRole("tabpanel");
    await box.getByRole("tab", { name: language, exact: true, selected: true }).waitFor();
    await visible.filter({ hasText: code }).waitFor();
    assert.equal(await visible.count(), 1, language);
    assert.equal(await box.evaluate((element) => element.offsetHeight), height, language);
  };
  await seesOnly("Python", "import json, sys");
  await tab("C++").click();
  await seesOnly("C++", "#include <iostream>");

  await tab("C++").focus();
  for (const [key, language, code] of [
    ["ArrowRight", "C", "#include <stdio.h>"],
    ["End", "Rust", "fn main()"],
    ["ArrowRight", "Python", "import json, sys"],
    ["ArrowLeft", "Rust", "fn main()"],
    ["Home", "Python", "import json, sys"],
    ["ArrowRight", "JavaScript", 'require("readline")'],
  ]) {
    await page.keyboard.press(key);
    await seesOnly(language, code);
    await until(`the focus on ${language}`, () =>
      page.evaluate((language) => document.activeElement.textContent === language, language),
    );
  }
  // One stop for the languages, one to copy, and one to scroll the code.
  const focused = () => page.evaluate(() => document.activeElement.ariaLabel);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Copy: JavaScript");
  await page.keyboard.press("Tab");
  const role = await page.evaluate(() => document.activeElement.getAttribute("role"));
  assert.equal(role, "tabpanel");
  assert.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    "long lines scroll by themselves",
  );
  assert.deepEqual(await findings(page), []);

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  // It says so for two seconds.
  const copied = await watchFor(page, ".programs [role=status]", "Copied");
  await box.getByRole("button", { name: "Copy: JavaScript" }).click();
  await copied();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(code.startsWith("// leitai: protocol=json-lines\n"), code);

  // The choice holds for the other games.
  for (const [game, lang] of [
    ["kob", "en"],
    ["tankcraft", "zh"],
  ]) {
    await page.goto(`/games/${game}?lang=${lang}`);
    await box.getByRole("tab", { name: "JavaScript", selected: true }).waitFor();
    assert.equal(await box.getByRole("tab").count(), 6, game);
  }
});

/**
 * A bot of King of Bots that says in stderr which turn it is, and crashes in turn 4 on boards of
 * other sizes than that of the check.
 */
const CHATTY = `# leitai: protocol=json-lines
import json, sys
turn = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "turn": continue
    turn += 1
    print("this is turn", turn, file=sys.stderr, flush=True)
    if turn == 4 and len(message["view"]["map"]) == 9: raise SystemExit("I give up")
    print(json.dumps({"action": "0" if turn % 2 else "1"}), flush=True)
`;

journey(
  "an author reads the bot's log beside the replay, and a fault on the bot's page opens its turn",
  async (open) => {
    const page = await open();
    await register(page, "alan");
    const bot = await upload(page, "/bots", CHATTY, { game: "kob", name: "chatty" });
    const config = { rows: 9, cols: 8, inner_pairs: 4 };
    const [fault] = await until("a fault in turn 4", async () => {
      await playMatch(page, "kob", [bot.id, ...(await bots("kob", "space"))], { config });
      const { items } = await ask(page, `/bots/${bot.id}/faults`);
      return items.length > 0 && items;
    });
    assert.ok(fault.leg >= 1 && fault.round === 4 && fault.step >= 0, JSON.stringify(fault));
    await page.goto(`/bots/${bot.id}?lang=en`);
    const link = await page
      .locator(`.faults a[href*="/matches/${fault.match}?"]`)
      .first()
      .getAttribute("href");
    await page.goto(`${link}&lang=en`);
    const log = page.locator("aside pre");
    await log.filter({ hasText: "this is turn 4" }).filter({ hasText: "I give up" }).waitFor();
    // The same in the other language; nobody else gets the log.
    await page.goto(page.url() + "&lang=zh");
    await log.filter({ hasText: "this is turn 4" }).waitFor();
    const guest = await open();
    // The frames, or the replay from which the engine in the page makes them.
    const asked = guest.waitForResponse((answer) => /\/(frames|replay)/.test(answer.url()));
    await guest.goto(page.url());
    await asked;
    await guest.locator("main .timeline input[type=range]").waitFor();
    assert.equal(await guest.locator("aside pre").count(), 0);
  },
);

/** A bot of King of Bots that goes to free cells, and speaks to the viewer. */
const SPEAKING = `# leitai: protocol=json-lines
import json, sys
turn = 0
def say(text): print("#leitai " + text, file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "turn": continue
    turn += 1
    say('{"mark": [[0, 0], [1, 1]], "line": [[0, 0], [5, 5]], "tone": "bad"}')
    say('{"text": "turn %d", "tag": "walk%d", "value": {"danger": %d}}' % (turn, turn, turn))
    say("not json")
    view = message["view"]
    own = next(snake for snake in view["snakes"] if snake["seat"] == view["you"])
    taken = [cell for snake in view["snakes"] for cell in snake["cells"]]
    row, column = own["cells"][0]
    free = ["0"]
    for action, (down, right) in zip("0123", [(-1, 0), (0, 1), (1, 0), (0, -1)]):
        cell = [row + down, column + right]
        if view["map"][cell[0]][cell[1]] == "0" and cell not in taken: free.append(action)
    print(json.dumps({"action": free[-1]}), flush=True)
`;

/** The pixels of the board's first cells that have the colour of a bad mark. */
const markedPixels = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector("main .board canvas, main canvas");
    const probe = document.createElement("i");
    probe.style.color = "var(--bad)";
    document.body.append(probe);
    const wanted = getComputedStyle(probe)
      .color.match(/[0-9.]+/g)
      .map(Number);
    probe.remove();
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
      if ([0, 1, 2].every((part) => Math.abs(data[at + part] - wanted[part]) < 12)) count++;
    return count;
  });

journey(
  "a bot speaks to the viewer for its author alone, who also plays on from a moment",
  async (open) => {
    const tall = { viewport: { width: 1280, height: 1400 } };
    const page = await open(tall);
    await register(page, "edsger");
    const bot = await upload(page, "/bots", SPEAKING, { game: "kob", name: "speaking" });
    const [space] = await bots("kob", "space");
    // Both seats: in leg 1 one of them, in leg 2 the other.
    const lastRound = async (id, leg) =>
      (await ask(page, `/matches/${id}/frames?leg=${leg}`)).frames.at(-1).round;
    const match = await until("a match with legs of five rounds", async () => {
      const { id } = await playMatch(page, "kob", [bot.id, space]);
      return (await lastRound(id, 1)) > 4 && (await lastRound(id, 2)) > 4 && { id };
    });
    for (const leg of [1, 2]) {
      const address = `/matches/${match.id}?leg=${leg}&round=2&lang=en`;
      await page.goto(address);
      const remarks = page.locator("aside .remarks");
      await remarks.getByText("#walk2 turn 2").first().waitFor();
      await remarks.getByText("this line is not JSON").first().waitFor();
      await remarks.getByRole("searchbox").fill("walk3");
      await remarks.getByRole("button", { name: /#walk3 / }).click();
      await remarks.locator("p", { hasText: "#walk3 turn 3" }).waitFor();
      assert.equal(await remarks.locator("svg path").count(), 1);
      const guest = await open(tall);
      const asked = guest.waitForResponse((answer) => /\/(frames|replay)/.test(answer.url()));
      await guest.goto(page.url());
      await asked;
      await guest.locator("main .timeline input[type=range]").waitFor();
      assert.equal(await guest.locator("aside .remarks, aside pre").count(), 0);
      assert.equal(await guest.getByRole("button", { name: /play on from here/ }).count(), 0);
      await until("marks on the author's board alone", async () => {
        const [own, others] = [await markedPixels(page), await markedPixels(guest)];
        return own > others + 20;
      });
    }
    await page.getByRole("button", { name: /play on from here/ }).click();
    await page.getByRole("button", { name: "Play on", exact: true }).click();
    await page.waitForURL((url) => url.pathname !== `/matches/${match.id}`);
    const made = Number(/matches\/(\d+)/.exec(page.url())[1]);
    await page.getByText(`match ${match.id}, leg 2, round`).waitFor();
    const played = await until("its end", async () => {
      const shown = await ask(page, `/matches/${made}`);
      return shown.state === "finished" && shown;
    });
    assert.equal(played.kind, "friendly");
    assert.equal(played.continued.leg, 2);
  },
);

/**
 * Keeps what the page shows of ends of legs, and its longest pause: what is shown for seconds may
 * pass between two looks from outside.
 */
const watchEnds = (page) =>
  page.evaluate(() => {
    const seen = (globalThis.seen = { ends: [], told: "", pause: 0 });
    let before = performance.now();
    const look = () => {
      seen.pause = Math.max(seen.pause, performance.now() - before);
      before = performance.now();
      const slider = document.querySelector("main .timeline input[type=range]");
      if (!slider) return;
      const leg = /Leg \d:/.exec(document.querySelector(".outcome")?.textContent ?? "")?.[0];
      seen.told ||= document.querySelector(".board .leg")?.textContent ?? "";
      const isAtEnd = slider.value === slider.max && slider.value !== "0";
      if (leg && isAtEnd && !seen.ends.includes(leg)) seen.ends.push(leg);
    };
    setInterval(look, 50);
  });

/** Plays a match of two legs in which the person always goes up; returns what its page showed. */
async function playUpwards(page) {
  await page.goto("/play/kob?lang=en");
  await page.getByRole("radio", { name: /^full match/i }).check();
  await page.getByRole("button", { name: "Start the match" }).click();
  await page.waitForURL(/\/matches\/\d+/);
  await watchEnds(page);
  const id = Number(/matches\/(\d+)/.exec(page.url())[1]);
  const up = page.locator(".play .choices button:not([aria-pressed=true])", { hasText: "↑" });
  await until("the end of the match", async () => {
    if ((await up.count()) > 0)
      await up
        .first()
        .click({ timeout: 1000, force: true })
        .catch(() => undefined);
    return (await ask(page, `/matches/${id}`)).state === "finished";
  });
  return until("the last move", async () => {
    const seen = await page.evaluate(() => globalThis.seen);
    return seen.ends.at(-1) === "Leg 2:" && seen;
  });
}

journey("a player sees the last move of a leg before the next leg", async (open) => {
  const page = await open(MOVING);
  // On a machine that is so busy that the page stands still between the legs, nobody sees it.
  const { ends, told } = await until("a match without a pause of the page", async () => {
    const seen = await playUpwards(page);
    return (seen.ends.length === 2 || seen.pause < 1000) && seen;
  });
  assert.deepEqual(ends, ["Leg 1:", "Leg 2:"], "the board stood at the end of both");
  assert.match(told, /leg 1.*Leg 2 comes next; the sides swap/i);
});

/** The sum of the layout shifts on this page that no input caused, from now on. */
const watchShifts = (page) =>
  page.evaluate(() => {
    globalThis.shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.shifts += entry.value;
    }).observe({ type: "layout-shift" });
  });

/** Chooses an action that kills, or any: the leg ends soon. */
async function playBadly(page) {
  const actions = page.locator(CHOICES);
  const deadly = page.locator(`${CHOICES}.deadly`);
  const chosen = (await deadly.count()) > 0 ? deadly : actions;
  if ((await chosen.count()) > 0)
    await chosen
      .first()
      .click({ timeout: 1000 })
      .catch(() => undefined);
}

journey(
  "a guest chooses a level, loses a short match, and goes on from its end card",
  async (open) => {
    const page = await open({ ...DESKTOP, ...MOVING });
    page.on("dialog", (dialog) => dialog.accept());
    await page.goto("/?lang=en");
    await page.getByRole("button", { name: /choose a level: king of bots/i }).click();
    const levels = page.getByRole("dialog").locator("li");
    await levels.first().waitFor();
    assert.equal(await levels.count(), 11, "ten levels and the champion");
    const heard = overheard(page);
    await levels.filter({ hasText: "Level 2" }).getByRole("button").click();
    await page.waitForURL(/\/matches\/\d+/);
    const id = () => Number(/matches\/(\d+)/.exec(page.url())[1]);
    const match = await ask(page, `/matches/${id()}`);
    assert.deepEqual([match.legs, match.b.name], [1, "level2"]);

    // Before the first move: the goal in words, the tab's title, and time enough.
    await page.getByText(/^Goal: stay alive longer/).waitFor();
    await until("the title", async () => (await page.title()).startsWith("● Your turn"));
    const { budget_ms } = heard.find(({ type }) => type === "question");
    assert.ok(budget_ms >= 60_000, `${budget_ms} ms for the first move`);
    const board = await page.locator("main .board canvas").boundingBox();
    assert.ok(board.height >= 520 && board.y + board.height <= 768, JSON.stringify(board));
    const place = async (name) => page.locator(`.play .cross .${name}`).boundingBox();
    const [up, left, right, down] = await Promise.all(["up", "left", "right", "down"].map(place));
    assert.ok(left.x < up.x && up.x < right.x && up.y < left.y && left.y < down.y, "a cross");
    const panel = page.locator("section.play");
    const { height } = await panel.boundingBox();
    await watchShifts(page);
    await page.locator(SAFE_CHOICES).first().click();
    await page.locator(".sentence", { hasText: /^Round 1:/ }).waitFor();
    assert.equal((await panel.boundingBox()).height, height, "the panel keeps its height");
    assert.ok((await page.evaluate(() => globalThis.shifts)) < 0.01, "nothing jumps");
    // On one map of seventy neither has a cell of its own after a round.
    assert.match(
      await page.locator(".score .bar").getAttribute("aria-label"),
      /^Space.* \d+ : \d+$/,
    );
    await page.locator("main").press("?");
    await page.getByRole("dialog").getByText("a snake dies").waitFor();
    await page.keyboard.press("Escape");

    const card = page.locator("section.end");
    for (let tries = 1; ; tries++) {
      await until("the end card", async () => {
        await playBadly(page);
        return (await card.count()) > 0;
      });
      const title = (await card.locator(".title").innerText()).replace(/\s+/g, " ");
      if (/^You lost: you .* \(round \d+\)$/.test(title)) break;
      // The level may die in the same round, or before.
      assert.ok(tries < 9, title);
      await card.getByRole("button", { name: "Rematch" }).click();
      await card.waitFor({ state: "detached" });
    }
    const first = id();
    const slider = page.locator("main .timeline input[type=range]");
    assert.equal(
      await slider.inputValue(),
      await slider.getAttribute("max"),
      "the last move is shown",
    );
    await card.getByRole("button", { name: "Replay the decisive moment" }).click();
    await until("the end again", async () => {
      const now = [await slider.inputValue(), await slider.getAttribute("max")];
      return now[0] === now[1];
    });
    await card.getByRole("button", { name: "Swap sides" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(`/${first}`));
    const swapped = await ask(page, `/matches/${id()}`);
    assert.deepEqual([swapped.legs, swapped.a.name], [1, "level2"]);
    await page.getByRole("button", { name: "Resign" }).click();
    await card.getByRole("button", { name: "Easier: Level 1" }).click();
    await until("the level below", async () => {
      const { b, a } = await ask(page, `/matches/${id()}`);
      return [a.name, b.name].includes("level1");
    });
    await page.goto("/play/kob?lang=zh");
    await until("the remembered level", () =>
      page.getByRole("radio", { name: /^第 1 级/ }).isChecked(),
    );
  },
);

journey("a person plays by swipes on a phone, and a reload keeps the seat", async (open) => {
  const page = await open(PHONE);
  await page.goto("/?lang=zh");
  const play = page.getByRole("button", { name: /^立即对弈.*SnakeGo/ });
  await play.waitFor();
  assert.ok((await play.boundingBox()).y < 844, "the first game is in sight");
  await play.click();
  await page.waitForURL(/\/matches\/\d+/);
  const address = page.url();
  await asked(page).waitFor();
  await page.getByText(/^目标：到第 128 回合/).waitFor();
  const swipe = async (dx, dy) => {
    const box = await page.locator("main .board canvas").boundingBox();
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const cdp = await page.context().newCDPSession(page);
    const touch = (type, x, y) =>
      cdp.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: type === "touchEnd" ? [] : [{ x, y }],
      });
    await touch("touchStart", at.x, at.y);
    await touch("touchMove", at.x + dx / 2, at.y + dy / 2);
    await touch("touchMove", at.x + dx, at.y + dy);
    await touch("touchEnd");
  };
  const sentence = page.locator(".sentence");
  // The snake goes on by itself while it need not ask: its sentence may be of a later round. What
  // moves on the page while a finger is on it is no swipe.
  const hasMoved = async () => /^第 \d+ 回合/.test(await sentence.textContent());
  await until("a move by a swipe", async () => {
    await swipe(90, 0);
    return until("its sentence", hasMoved, 5000).catch(() => false);
  });
  for (const [lang, scheme] of [
    ["zh", "dark"],
    ["en", "light"],
  ]) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.goto(`${address}?lang=${lang}`);
    // A reload keeps the seat.
    await page.locator(".play .choices:not(.waits) button").first().waitFor();
    assert.deepEqual(await findings(page), [], `${lang} ${scheme}`);
  }
});

journey(
  "every page reports a killed server, and human matches continue as soon as it is back",
  async (open, context) => {
    const data = mkdtempSync(join(tmpdir(), "leitai-killed-"));
    const address = `127.0.0.1:${await findFreePort()}`;
    const first = await serveArena(data, address, ...IDLE);
    const [home, page] = [await open({ baseURL: first.url }), await open({ baseURL: first.url })];
    home.excused = page.excused = SERVER_GONE;
    await home.goto("/?lang=en");
    await page.goto("/?lang=en");
    await page.getByRole("button", { name: /play now.*snakego/i }).click();
    await page.waitForURL(/\/matches\/\d+/);
    // What a page needs is there before the server is gone: the boards, the question.
    await Promise.all([home, page].map((one) => one.locator("main canvas").first().waitFor()));
    await Promise.all([home, page].map((one) => one.waitForLoadState("networkidle")));
    await asked(page).waitFor();
    await first.kill();
    const banner = (page) => page.locator(".connection").filter({ hasText: "Connection lost" });
    await Promise.all([banner(home).waitFor(), banner(page).waitFor()]);
    const top = await banner(page).boundingBox();
    assert.ok(top.y >= 0 && top.y < 40, JSON.stringify(top));
    assert.match(await page.locator(".play .ring text").textContent(), /\d/);
    const second = await serveArena(data, address, ...IDLE);
    context.after(second.close);
    await until(
      "no banner",
      async () => (await banner(home).count()) + (await banner(page).count()) === 0,
    );
    await asked(page).waitFor();
    assert.equal(await page.getByText(/no such match|does not count/).count(), 0);
    await playOn(page);
  },
);

journey(
  "an author deletes a version, a bot and the account, and reads what is lost",
  async (open) => {
    const page = await open();
    page.excused = /422|404/;
    await register(page, "turing");
    // A refused upload leaves no bot.
    await page.goto("/upload?game=kob&lang=en");
    await page.locator("input[name=name]").fill("bombe");
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
    await page.locator("main form button.first").click();
    await page.locator("main [role=alert], main .problem").first().waitFor();
    assert.deepEqual((await ask(page, "/me/bots")).items, []);
    const fields = { game: "kob", name: "bombe", file: "bot.py" };
    const bot = await upload(page, "/bots", "print(0)", fields);
    assert.equal(bot.newest.state, "failed", "it answers nothing");

    await page.goto(`/bots/${bot.id}?lang=en`);
    await page.getByText("Size 8 B").waitFor();
    await page.getByRole("button", { name: /^Delete.*v1$/ }).click();
    await page
      .getByRole("dialog")
      .getByText(/bot\.py: the source/)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
    await until(
      "a bot without versions",
      async () => (await ask(page, `/bots/${bot.id}`)).versions.length === 0,
    );
    await page.getByRole("button", { name: "Delete the bot" }).click();
    await page
      .getByRole("dialog")
      .getByText(/0 versions with their sources/)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
    await page.waitForURL(/\/account/);
    await page.goto("/account?tab=security&lang=en");
    await page.getByText("0 of 60").waitFor();
    assert.deepEqual((await ask(page, "/me/bots")).items, []);

    await page.getByRole("button", { name: "Delete my account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/all sessions and API tokens/).waitFor();
    await dialog.locator("input[type=password]").fill("not the password");
    await dialog.getByRole("button", { name: "Delete for good" }).click();
    await dialog
      .getByText(/not the password/i)
      .first()
      .waitFor();
    await dialog.locator("input[type=password]").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Delete for good" }).click();
    await until("nobody logged in", async () => (await ask(page, "/me")).user === null);
    // The name stays with nobody for a while; the page says until when.
    await page.goto("/register?lang=en");
    await page.locator("input[name=name]").fill("turing");
    for (const field of await page.locator("input[type=password]").all())
      await field.fill(PASSWORD);
    await page.locator("main form button:not([type=button])").last().click();
    await page.getByText(/was given up and stays with nobody until/).waitFor();
  },
);

journey(
  "no page has serious accessibility problems, in both languages and themes",
  async (open) => {
    const page = await open();
    const paths = [
      "/",
      "/games/snakego",
      "/games/kob/ladder",
      "/play/tankcraft",
      "/matches",
      `/matches/${kob.id}`,
      `/bots/${kob.a.bot}`,
      "/viewer",
      "/upload",
      "/register",
      "/nowhere",
    ];
    const found = [];
    // Every other page in each; the theme's colours are the same on all.
    for (const [at, path] of paths.entries()) {
      const [lang, colorScheme] = at % 2 ? ["zh", "dark"] : ["en", "light"];
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(`${path}?lang=${lang}`);
      await page.locator("main h1, main canvas").first().waitFor();
      found.push(...(await findings(page)).map((line) => `${path} ${lang}: ${line}`));
    }
    assert.deepEqual(found, []);
  },
);
