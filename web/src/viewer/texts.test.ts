import { expect, test } from "vitest";

/** Every text in two languages that stands in the sources of the page and of the games' viewers. */
const sources = import.meta.glob(
  ["./**/*.ts", "../../../games/*/viewer/**/*.ts", "!**/*.test.ts"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
) as Record<string, string>;

const PAIR =
  /\ben: "((?:[^"\\]|\\.)*)",\s*zh: "((?:[^"\\]|\\.)*)"|\bt\("((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"\)/g;
const pairs = Object.entries(sources).flatMap(([path, source]) =>
  [...source.matchAll(PAIR)].map(
    (found) => [path, found[1] ?? found[3] ?? "", found[2] ?? found[4] ?? ""] as const,
  ),
);

test("texts are found", () => expect(pairs.length).toBeGreaterThan(80));

test.each(pairs)("%s: %s", (_, en, zh) => {
  if (/[a-z]{2} [a-z]{2}/.test(en)) expect(zh).toMatch(/[\u4e00-\u9fff]/);
  expect(zh).not.toMatch(/(?:[a-z]+ ){3}[a-z]+/);
});
