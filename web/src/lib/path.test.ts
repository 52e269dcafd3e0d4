import { expect, test } from "vitest";
import { matchPattern, withQuery } from "./path";

test.each([
  ["/", "/", {}],
  ["/bots/:id", "/bots/7", { id: "7" }],
  ["/bots/:id", "/bots/7/", { id: "7" }],
  ["/bots/:id", "/bots", null],
  ["/bots/:id", "/bots/7/versions", null],
  ["/bots/:id/versions/:number", "/bots/7/versions/2", { id: "7", number: "2" }],
  ["/games/:game", "/games/a%20b", { game: "a b" }],
  ["/games/:game", "/games/%zz", { game: "%zz" }],
])("%s fits %s", (pattern, path, params) => {
  expect(matchPattern(pattern, path)).toEqual(params);
});

test("a query omits empty values", () => {
  expect(withQuery("/matches", { game: "kob", bot: null, state: "", leg: 0 })).toBe(
    "/matches?game=kob&leg=0",
  );
  expect(withQuery("/matches", {})).toBe("/matches");
  expect(withQuery("/ladders?game=kob", { division: 2 })).toBe("/ladders?game=kob&division=2");
});
