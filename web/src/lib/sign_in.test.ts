import { expect, test } from "vitest";
import { explainSignIn } from "./sign_in";

test("every problem of a sign-in has words, and an unknown one, too", () => {
  const other = explainSignIn("nonce");
  expect(other.length).toBeGreaterThan(20);
  for (const strange of ["signature", "<b>", "toString", "__proto__"])
    expect(explainSignIn(strange)).toBe(other);
  for (const known of ["denied", "unreachable", "expired", "clock", "issuer", "domain", "linked"])
    expect(explainSignIn(known)).not.toBe(other);
});
