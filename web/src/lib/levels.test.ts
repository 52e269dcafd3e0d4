import { afterEach, expect, test, vi } from "vitest";
import { chosenLevel, levelNumber, levelsOf } from "./levels";

const stored = (values: Record<string, string>) =>
  vi.stubGlobal("localStorage", { getItem: (key: string) => values[key] ?? null });
afterEach(() => vi.unstubAllGlobals());

test.each([
  ["level1", 1],
  ["level10", 10],
  ["level0", null],
  ["level3@1", null],
  ["champion", null],
])("%s is level %s", (name, number) => expect(levelNumber(name)).toBe(number));

test("the levels go up to the champion", () => {
  const bots = ["random", "level10", "level2", "champion", "level1"];
  const found = levelsOf(bots.map((name, bot) => ({ name, bot, about: { en: "", zh: "" } })));
  expect(found.map(({ name }) => name)).toEqual(["level1", "level2", "level10", "champion"]);
});

test.each([
  ["the lowest by default", {}, "level1"],
  ["the last one", { "leitai.level@2.kob": "level2", "leitai.level.kob": "level7" }, "level2"],
  ["one of the first scale by today's name", { "leitai.level.kob": "level3" }, "level5"],
  ["the champion as before", { "leitai.level.kob": "champion" }, "champion"],
])("%s is offered", (_, values, name) => {
  stored(values);
  expect(chosenLevel("kob")).toBe(name);
});
