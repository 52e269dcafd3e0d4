import { expect, test } from "vitest";
import snakego from "../../../../games/snakego/viewer/index";
import kob from "../../../../games/kob/viewer/index";
import tankcraft from "../../../../games/tankcraft/viewer/index";
import { makeCellFinder } from "./draw";
import { MOST_OF_PERIOD, readRemarks, searchRemarks, valueNames, valueSeries } from "./remarks";
import { readFileLogs } from "./file_logs";

const log = (text: string, period = 3, entrant: "a" | "b" = "a") => ({ entrant, period, text });

test("a line has marks, a line, a text, tags and values", () => {
  const { all, problems } = readRemarks([
    log(
      'thinking\n#leitai {"mark": [[3, 4], [3, 5]], "line": [[0, 0], [3, 4]], "text": "home", ' +
        '"tag": "retreat", "value": {"danger": 0.7}, "tone": "bad"}\n',
    ),
  ]);
  expect(problems).toEqual([]);
  expect(all).toEqual([
    {
      entrant: "a",
      period: 3,
      marks: [
        [3, 4],
        [3, 5],
      ],
      line: [
        [0, 0],
        [3, 4],
      ],
      text: "home",
      tags: ["retreat"],
      values: [["danger", 0.7]],
      tone: "bad",
    },
  ]);
});

test("a line that was cut between two periods belongs to the first", () => {
  const cut = [log('#leitai {"te', 3), log("other\n", 3, "b"), log('xt": "x"}\n', 4)];
  expect(readRemarks(cut).all).toMatchObject([{ period: 3, text: "x" }]);
  expect(readRemarks([log('#leitai {"text": "no end"}')]).all).toHaveLength(1);
});

test("what cannot be read is reported and the rest is shown", () => {
  const bad = [
    ["{", "json"],
    ["[1]", "object"],
    ['{"color": "red"}', "key"],
    ['{"mark": "here"}', "value"],
    ['{"mark": [[1.5, 2]]}', "value"],
    ['{"line": [[1, 2]]}', "value"],
    ['{"value": {"x": "high"}}', "value"],
    ['{"tag": 7}', "value"],
    [`{"text": "${"x".repeat(5000)}"}`, "long"],
    ["null", "object"],
    ['{"__proto__": {"x": 1}, "constructor": 1}', "key"],
  ];
  for (const [text, why] of bad)
    expect(readRemarks([log(`#leitai ${text}\n`)]).problems[0]?.why, text).toBe(why);
  const both = readRemarks([log('#leitai {\n#leitai {"text": "still here"}\n')]);
  expect(both.all).toHaveLength(1);
});

test("number and size are bounded and texts are cleaned", () => {
  const many = readRemarks([log('#leitai {"text": "x"}\n'.repeat(MOST_OF_PERIOD + 5))]);
  expect([many.all.length, many.leftOut]).toEqual([MOST_OF_PERIOD, 5]);
  const [long] = readRemarks([log(`#leitai {"text": "${"y".repeat(900)}"}\n`)]).all;
  expect(long!.text).toHaveLength(201);
  const [dirty] = readRemarks([log('#leitai {"text": "a\\u001b[2J\\u202eb\\u0000"}\n')]).all;
  expect(dirty!.text).toBe("a [2J b");
  const cells = JSON.stringify(Array.from({ length: 300 }, () => [1, 1]));
  expect(readRemarks([log(`#leitai {"mark": ${cells}}\n`)]).problems).toHaveLength(1);
});

test("values are series and tags can be searched", () => {
  const remarks = readRemarks([
    log('#leitai {"value": {"eval": 1}, "tag": ["Attack", "rush"]}\n', 1),
    log('#leitai {"value": {"eval": -2, "depth": 9}, "text": "fall back"}\n', 2),
  ]);
  expect(valueNames(remarks)).toEqual(["eval", "depth"]);
  expect(valueSeries(remarks, "eval")).toEqual([
    [1, 1],
    [2, -2],
  ]);
  expect(searchRemarks(remarks, "atta")).toHaveLength(1);
  expect(searchRemarks(remarks, "back")).toHaveLength(1);
  expect(searchRemarks(remarks, "")).toHaveLength(1);
});

test("cells are found as the rules number them", () => {
  const viewer = {
    cellName: ({ row, col }: { row: number; col: number }) => `(${col}, ${9 - row})`,
  };
  const find = makeCellFinder(viewer, { cols: 10, rows: 10 }, null);
  expect(find([3, 9])).toEqual({ row: 0, col: 3 });
  expect(find([30, 9])).toBeUndefined();
});

test("a replay file has the logs of its own machine", async () => {
  const file = new Blob([
    JSON.stringify({ legs: [{ logs: [{ entrant: "B", period: 2, text: "x" }] }] }),
  ]);
  expect(await readFileLogs(file, 1)).toEqual([log("x", 2, "b")]);
  expect(await readFileLogs(file, 2)).toEqual([]);
  expect(await readFileLogs(new Blob(["{"]), 1)).toEqual([]);
});

test("every game's viewer finds the cells as its rules number them", () => {
  const board = { cols: 16, rows: 16 };
  // The first number is x in SnakeGo, whose y counts from below, and a row in the others.
  expect(makeCellFinder(snakego, board, null)([3, 0])).toEqual({ col: 3, row: 15 });
  expect(makeCellFinder(kob, board, null)([3, 0])).toEqual({ col: 0, row: 3 });
  // TankCraft counts from 1.
  expect(makeCellFinder(tankcraft, board, null)([3, 1])).toEqual({ col: 0, row: 2 });
});
