import { expect, test } from "vitest";
import { readDigits } from "./parts";

test("digits of base 85 are read as the server writes them", () => {
  // crates/server/tests/unit/http_replay_page.rs
  const known = ["", "Hj", "HvG", "HvKZ", "HvK[z", "HvK[zG6", "HvK[zGC0"];
  for (const [length, digits] of known.entries())
    expect(new TextDecoder().decode(readDigits(digits))).toBe("foobar".slice(0, length));
});
