import { expect, test } from "vitest";
import en from "../../messages/en.json";
import zh from "../../messages/zh.json";

const texts = (all: object) =>
  Object.entries(all).filter(([key]) => key !== "$schema") as [string, string][];
const english = /(?:[a-z]+ ){3}[a-z]+/;
const slots = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([slot]) => slot).sort();
const other: Record<string, string> = Object.fromEntries(texts(zh));

test("both languages say the same things", () => {
  expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
});

test.each(texts(en))("%s has the same values in it in both languages", (key, text) => {
  expect(slots(other[key] ?? "")).toEqual(slots(text));
});

test.each(texts(zh))("%s is Chinese", (_, text) => {
  expect(/[\u4e00-\u9fff]/.test(text)).toBe(true);
});

test.each(texts(zh))("%s holds no English sentence", (_, text) => {
  expect(text).not.toMatch(english);
});
