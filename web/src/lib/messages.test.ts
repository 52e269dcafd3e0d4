import { expect, test } from "vitest";

/** Every catalogue of messages: the page's, and those of the games' viewers. */
const catalogues = import.meta.glob<Record<string, string>>(
  ["../../messages/*.json", "../../../games/*/viewer/messages/*.json"],
  { import: "default", eager: true },
);

/** Every source file that draws pages or matches. */
const sources = import.meta.glob<string>(
  [
    "../**/*.{ts,svelte}",
    "../../../games/*/viewer/**/*.ts",
    "!**/*.test.ts",
    "!**/paraglide/**",
    "!**/openapi.d.ts",
  ],
  { query: "?raw", import: "default", eager: true },
);

const HAN = /[\u4e00-\u9fff]/;
const ENGLISH_SENTENCE = /(?:[a-z]+ ){3}[a-z]+/;

const slotsOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([slot]) => slot).sort();
const withoutSlots = (text: string) => text.replaceAll(/\{\w+\}/g, "");
const messagesOf = (path: string) =>
  Object.entries(catalogues[path] ?? {}).filter(([key]) => key !== "$schema");
const folders = Object.keys(catalogues).flatMap((path) => /^(.*)\/en\.json$/.exec(path)?.[1] ?? []);
const pairs = folders.flatMap((folder) => {
  const zh = catalogues[`${folder}/zh.json`] ?? {};
  return messagesOf(`${folder}/en.json`).map(
    ([key, en]) => [folder, key, en, zh[key] ?? ""] as const,
  );
});

test("the catalogues of the page and of games are found", () => {
  expect(folders).toContain("../../messages");
  expect(folders.filter((folder) => folder.includes("/games/"))).not.toEqual([]);
});

test.each(folders)("%s has the same messages in both languages", (folder) => {
  const keys = (lang: string) =>
    messagesOf(`${folder}/${lang}.json`)
      .map(([key]) => key)
      .sort();
  expect(keys("zh")).toEqual(keys("en"));
});

test.each(pairs)("%s %s has the same values in both languages", (_folder, _key, en, zh) => {
  expect(slotsOf(zh)).toEqual(slotsOf(en));
});

test.each(pairs)("%s %s is Chinese in the Chinese catalogue", (_folder, _key, en, zh) => {
  if (/[a-z]{2}/i.test(withoutSlots(en)) && zh !== "Bot") expect(zh).toMatch(HAN);
  expect(zh).not.toMatch(ENGLISH_SENTENCE);
  expect(en).not.toMatch(HAN);
});

/** Words for which docs/glossary.zh.md has another term. */
const OTHER_TERMS =
  /\u5f55像|\u8fc7失|\u6267行机|\u5de5作机|\u7b49级分|\u5185置程序|\u5bf9局|\u89c2战器/;

test.each(pairs)("%s %s uses the terms of the glossary", (_folder, _key, _en, zh) => {
  expect(zh).not.toMatch(OTHER_TERMS);
});

test("the keys of a game's messages begin with its id, so that no two games share one", () => {
  const wrong = pairs.flatMap(([folder, key]) => {
    const game = /games\/([^/]+)\//.exec(folder)?.[1];
    return game && !key.startsWith(`${game}_`) ? [`${game}: ${key}`] : [];
  });
  expect(wrong).toEqual([]);
});

/** Texts that are Chinese in both languages: the names of Leitai and of the language. */
const NAMES = /擂台|(?:简体)?中文/g;

test.each(Object.entries(sources))("%s has its texts in a catalogue", (_path, source) => {
  expect(source.replaceAll(NAMES, "")).not.toMatch(HAN);
});
