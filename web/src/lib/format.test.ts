import { describe, expect, test } from "vitest";
import {
  formatAge,
  formatBytes,
  formatMicros,
  formatShare,
  formatRank,
  formatChange,
} from "./format";

const NOW = Date.parse("2026-11-21T12:00:00Z");

test.each([
  [0, "0 µs"],
  [999, "999 µs"],
  [1_500, "1.5 ms"],
  [212_400, "212 ms"],
  [1_234_000, "1.23 s"],
  [12_340_000, "12.3 s"],
])("%i microseconds are %s", (us, text) => expect(formatMicros(us)).toBe(text));

test.each([
  [12, "12 B"],
  [1536, "1.5 KiB"],
  [20_480, "20 KiB"],
  [16 << 20, "16.0 MiB"],
])("%i bytes are %s", (size, text) => expect(formatBytes(size)).toBe(text));

test.each([
  [12.4, "+12"],
  [-3.6, "−4"],
  [0.3, "±0"],
  [-0.2, "±0"],
])("a change of %f is %s", (value, text) => expect(formatChange(value)).toBe(text));

test("ranks are intervals", () => {
  expect(formatRank([3, 7])).toBe("3–7");
  expect(formatRank([1, 1])).toBe("1");
});

test("the share of zero games is not a number", () => {
  expect(formatShare(0, 0)).toBe("–");
  expect(formatShare(2, 3)).toBe("67%");
});

describe("ages of times", () => {
  test.each([
    ["2026-11-21T11:59:40Z", "just now"],
    ["2026-11-21T11:55:00Z", "5 min ago"],
    ["2026-11-21T09:00:00Z", "3 hr ago"],
    ["2026-11-18T12:00:00Z", "3 days ago"],
    ["2026-11-01T12:00:00Z", "1 Nov 2026"],
  ])("%s is %s", (iso, text) => expect(formatAge(iso, NOW)).toBe(text));
});
