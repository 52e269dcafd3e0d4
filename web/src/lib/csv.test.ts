import { expect, test } from "vitest";
import { writeCsv } from "./csv";

test("cells are quoted, and no cell is a formula", () => {
  expect(
    writeCsv([
      ["name", "a,b"],
      ['say "hi"', "=1+1"],
      ["-x", "王小明"],
    ]),
  ).toBe('\ufeffname,"a,b"\r\n"say ""hi""",\'=1+1\r\n\'-x,王小明\r\n');
});
