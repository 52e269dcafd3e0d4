import { expect, test } from "vitest";
import { micromark } from "micromark";
import { rulesForPage } from "./guide";

test.each([
  ["# SnakeGo\n\n[简体中文](README.zh.md)\n\nTwo players", "\n\nTwo players"],
  ["see [docs/protocols.md](../../docs/protocols.md).", "see docs/protocols.md."],
  ["see [the site](https://example.org/a)", "see [the site](https://example.org/a)"],
  ["text\n\n\n# later", "text\n\n\n# later"],
])("%j", (given, expected) => expect(rulesForPage(given)).toBe(expected));

test("HTML and scripts in a guide are shown as text", () => {
  const html = micromark(
    rulesForPage("<img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](javascript:c)"),
  );
  expect(html).not.toContain("<img src=x");
  expect(html).not.toContain("javascript:");
});
