import { afterEach, expect, test, vi } from "vitest";
import { chosenLevel, levelNumber, levelsOf, waysOn } from "./levels";

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

test.each([
  ["lost", "level1", undefined, undefined, true],
  ["lost", "level2", "level1", undefined, false],
  ["draw", "level1", undefined, "level2", false],
  ["won", "level1", "level2", undefined, false],
  ["won", "level2", "level3", "level1", false],
  ["won", "level3", undefined, "level2", false],
  ["lost", "greedy", undefined, undefined, false],
] as const)("who has %s against %s goes on with %s, or %s", (result, name, first, other, guide) => {
  const names = ["level1", "level2", "level3"];
  const levels = names.map((name, bot) => ({ name, bot: bot + 1, about: { en: "", zh: "" } }));
  const bot = names.indexOf(name) + 1 || 99;
  const ways = waysOn(levels, bot, result);
  expect([ways.first?.name, ways.other?.name, ways.needsGuide]).toEqual([first, other, guide]);
});
