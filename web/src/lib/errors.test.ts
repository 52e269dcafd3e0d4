import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { overwriteGetLocale } from "../paraglide/runtime";
import { ApiError } from "./api";
import { explain, explainError } from "./errors";
import { chooseLocale, locale } from "./locale.svelte";

beforeAll(() => {
  vi.stubGlobal("document", { documentElement: {} });
  overwriteGetLocale(locale);
});

afterEach(() => chooseLocale("en"));

const ENGLISH = "bot 7 has no version 3";
const CHINESE = "程序 7 没有版本 3";

test.each([
  ["en", 404, "not-found", ENGLISH, "Bot 7 has no version 3."],
  ["zh", 404, "not-found", CHINESE, "程序 7 没有版本 3。"],
] as const)(
  "%s: the server's own sentence is shown where it is in this language",
  (lang, status, code, said, shown) => {
    chooseLocale(lang);
    expect(explainError(new ApiError(status, code, said))).toBe(shown);
  },
);

test.each(["not-found", "refused", "bad-config", "unknown-field", "page", "a-code-of-tomorrow"])(
  "%s: no English sentence stands in the Chinese page",
  (code) => {
    chooseLocale("zh");
    const shown = explainError(new ApiError(409, code, ENGLISH));
    expect(shown).toMatch(/[\u4e00-\u9fff]/);
    expect(shown).not.toMatch(/([A-Za-z]+ ){3}/);
  },
);

test("what is thrown is told in this language where that is known", () => {
  chooseLocale("zh");
  const offline = new ApiError(0, "offline", "the server cannot be reached");
  expect(explain(offline)).toBe("无法连接服务器。请检查网络后重试。");
  expect(explain(new Error("a mistake"))).toBe("a mistake");
  expect(explain("a word")).toBe("a word");
});
