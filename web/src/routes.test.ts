import { expect, test } from "vitest";
import { routed } from "./routes";

test.each([
  ["/", "/", {}],
  ["/games/kob", "/games/:game", { game: "kob" }],
  ["/games/kob/ladder", "/games/:game/ladder", { game: "kob" }],
  ["/matches", "/matches", {}],
  ["/matches/12", "/matches/:id", { id: "12" }],
  ["/bots/7/versions/2", "/bots/:id/versions/:number", { id: "7", number: "2" }],
  ["/invite/k7f3-q2", "/invite/:code", { code: "k7f3-q2" }],
  ["/nothing/here", "", {}],
])("%s is the page %s", (path, pattern, params) => {
  expect(routed(path)).toMatchObject({ pattern, params });
});

test("embedded pages have no header and footer", () => {
  expect(routed("/embed/matches/3").bare).toBe(true);
  expect(routed("/matches/3").bare).toBe(false);
});
