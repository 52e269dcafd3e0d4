import { expect, test } from "vitest";
import { micromark } from "micromark";
import { rulesForPage, splitGuide } from "./guide";

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

test("the pictures of a guide are told from its text", () => {
  const position = {
    alt: "a",
    seat: null,
    area: null,
    setup: {},
    before: null,
    view: {},
    frame: {},
  };
  const block = (json: string) => "```position\n" + json + "\n```";
  expect(splitGuide(`# a\n\n${block(JSON.stringify(position))}\n\nb`)).toEqual([
    "# a\n\n",
    position,
    "\n\nb",
  ]);
  expect(splitGuide(block(`{"alt":"not played"}`))).toEqual(['```\n{"alt":"not played"}\n```\n']);
  expect(splitGuide(block("no JSON"))).toEqual(["```\nno JSON\n```\n"]);
});
