import { expect, test } from "vitest";
import { micromark } from "micromark";
import { rulesForPage, splitGuide, strangersGuide } from "./guide";

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

test("a stranger's guide is Markdown alone, and is read at once", () => {
  const hostile = '# Title\n```position\n{"view": {}, "frame": {}}\n```\n';
  expect(strangersGuide(hostile)).toEqual([hostile.slice("# Title\n".length)]);
  const long = "### a\n```x\n".repeat(20_000) + "[".repeat(200_000);
  // Reading it again and again would take minutes, longer than any test may.
  strangersGuide(long);
});

test("the same program in several languages is one part of a guide", () => {
  const program = (language: string, code: string) =>
    `### ${language}\n\n\`\`\`${language.toLowerCase()}\n${code}\n\`\`\`\n\n`;
  const [a, b, c] = [program("A", "a\n\na"), program("B", "b"), program("C", "### c")];
  const group = (...languages: [string, string][]) => ({
    programs: languages.map(([language, code]) => ({ language, code: `${code}\n` })),
  });
  expect(splitGuide(`x\n\n${a}${b}${c}y\n`)).toEqual([
    "x\n\n",
    group(["A", "a\n\na"], ["B", "b"], ["C", "### c"]),
    "y\n",
  ]);
  expect(splitGuide(`${a}${b}x\n\n${b}${c}`)).toEqual([
    group(["A", "a\n\na"], ["B", "b"]),
    "x\n\n",
    group(["B", "b"], ["C", "### c"]),
  ]);
  // A single program, and one with words before it, stay text.
  for (const text of [`x\n\n${a}y`, `${a}### B\n\nwords\n\n\`\`\`b\nb\n\`\`\`\n`])
    expect(splitGuide(text)).toEqual([text]);
});

const guides = import.meta.glob<string>("../../../games/*/guide*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

test.each(Object.entries(guides))("%s has a bot in six languages", (_, text) => {
  const groups = splitGuide(text).flatMap((part) =>
    typeof part !== "string" && "programs" in part ? [part.programs] : [],
  );
  expect(groups.map((programs) => programs.map(({ language }) => language))).toEqual([
    ["Python", "JavaScript", "C++", "C", "Java", "Rust"],
  ]);
});
