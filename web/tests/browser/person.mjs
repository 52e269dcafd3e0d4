// Somebody on an evening at an arena: by whom the journeys are walked, and how a step is noted.

import { join } from "node:path";
import { CHOICES, DESKTOP, MOVING, PHONE, SAFE_CHOICES, until, visit } from "./kit.mjs";
import { noteShifts, shiftsOf } from "./shifts.mjs";

const { LEITAI_SHOTS: shots } = process.env;

/** What one person did so far. */
class Person {
  clicks = 0;
  began = performance.now();
  shifts = 0;

  constructor(page, name, rows) {
    Object.assign(this, { page, name, rows });
  }

  async goto(address) {
    this.began = performance.now();
    this.shifts = 0;
    await this.page.goto(address);
  }

  /** One click or touch. */
  async press(target) {
    const button =
      typeof target === "string" ? this.page.getByRole("button", { name: target }) : target;
    await button.first().waitFor();
    await (this.page.touches ? button.first().tap() : button.first().click());
    this.clicks++;
  }

  /** A row of the table: what is seen now. */
  async note(seen) {
    const seconds = (performance.now() - this.began) / 1000;
    const { sum: all, worst } = await shiftsOf(this.page);
    // Another document counts from nothing.
    const shifts = all < this.shifts ? all : all - this.shifts;
    this.shifts = all;
    this.rows.push([this.name, this.clicks, seconds.toFixed(1), shifts.toFixed(3), seen]);
    console.error(`  ${this.rows.at(-1).join(" | ")}`);
    if (shifts > 0.01) console.error(JSON.stringify(worst, null, 1));
    if (shots)
      await this.page.screenshot({ path: join(shots, `${this.rows.length}-${this.name}.png`) });
  }
}

/** Somebody who has never been here. */
export async function arrive(stage, name, options) {
  const page = await visit(stage.browser, {
    newcomer: true,
    baseURL: stage.arena.url,
    ...MOVING,
    ...options,
  });
  await page.context().addInitScript(noteShifts);
  page.touches = options.hasTouch === true;
  page.on("dialog", (dialog) => dialog.accept());
  return new Person(page, name, stage.rows);
}

export const EN = { ...DESKTOP, locale: "en-GB", colorScheme: "light" };
export const ZH = { ...PHONE, locale: "zh-CN", colorScheme: "dark" };

export const card = ({ page }) => page.locator("section.end");
export const told = async (person) => {
  await card(person).waitFor();
  return (await card(person).locator(".title").innerText()).replace(/\s+/g, " ");
};
export const matchOf = ({ page }) => Number(/matches\/(\d+)/.exec(page.url())[1]);

/**
 * Answers until the card of the end is there, from some answer on by actions that kill; returns how
 * many answers that were.
 */
export async function playToEnd(person, dies = Infinity) {
  const { page } = person;
  let answers = 0;
  await until("the end", async () => {
    if ((await card(person).count()) > 0) return true;
    const best = page.locator(answers < dies ? SAFE_CHOICES : `${CHOICES}.deadly`);
    const button = (await best.count()) > 0 ? best : page.locator(CHOICES);
    if ((await button.count()) > 0) {
      const way = { timeout: 1000 };
      const press = page.touches ? button.first().tap(way) : button.first().click(way);
      answers += await press.then(
        () => 1,
        () => 0,
      );
    }
    return false;
  });
  person.clicks += answers;
  return answers;
}

/** Another match, by this button of the card. */
export async function again(person, name) {
  const before = person.page.url();
  await person.press(card(person).getByRole("button", { name }));
  await person.page.waitForURL((url) => url.href !== before);
}
