import { expect, test } from "vitest";
import { micromark } from "micromark";
import { rulesForPage } from "./guide";

test.each([
  ["# SnakeGo\n\n[简体中文](README.zh.md)\n\nTwo players", "\n\nTwo players"],
  ["see [docs/dialects.md](../../docs/dialects.md).", "see docs/dialects.md."],
  ["see [the site](https://example.org/a)", "see [the site](https://example.org/a)"],
  ["text\n\n\n# later", "text\n\n\n# later"],
])("%j", (given, expected) => expect(rulesForPage(given)).toBe(expected));

test("nothing in a guide runs", () => {
  const html = micromark(
    rulesForPage("<img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](javascript:c)"),
  );
  expect(html).not.toContain("<img src=x");
  expect(html).not.toContain("javascript:");
});
