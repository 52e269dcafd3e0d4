import { describe, expect, test } from "vitest";
import { firstReplies, readBranch, writeBranch } from "./branch_link";

describe("the link of a branch", () => {
  test("contains everything that reproduces it", async () => {
    const moves = {
      leg: 2,
      step: 17,
      players: { first: null, second: "level3" },
      replies: "GOUP;STOP;STOP;STOP;FIRE:3:-4/STOP;STOP;STOP;STOP;? 2/!TLE",
    };
    const hash = await writeBranch(moves);
    expect(hash).toMatch(/^#branch=2\.17\.person\.level3\.[\w-]+$/);
    expect(await readBranch(hash)).toEqual(moves);
  });

  test("a damaged one is refused", async () => {
    for (const hash of ["", "#branch=", "#branch=1.2.person.person.%%%", "#branch=1.2.a.b.zzzz"])
      expect(await readBranch(hash)).toBe(null);
  });

  test("a long one of many equal moves stays short", async () => {
    const replies = Array.from({ length: 500 }, () => "1").join(" ");
    const hash = await writeBranch({
      leg: 1,
      step: 0,
      players: { first: null, second: null },
      replies,
    });
    expect(hash.length).toBeLessThan(120);
    expect((await readBranch(hash))?.replies).toBe(replies);
  });
});

test("the first replies of a branch", () => {
  expect(firstReplies("1 2 3", 2)).toBe("1 2");
  expect(firstReplies("1 2 3", 0)).toBe("");
});
