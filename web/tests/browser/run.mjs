// Runs test files, two at a time: `npm run browser -- FILE…`. Prints what each file says once it
// has ended, and at the end the seconds of every file and the names of tests that failed.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { makeDatabase } from "./kit.mjs";

/** Two cores are kept busy; a page that waits for its server leaves one free. */
const AT_ONCE = Number(process.env.LEITAI_BROWSERS ?? 2);
/** The slowest first, so that none is left over at the end. */
const SLOWEST = ["play", "arena", "contest", "analysis", "pages", "engine", "clip"];

const nameOf = (file) => basename(file, ".test.mjs");
const rank = (file) => (SLOWEST.indexOf(nameOf(file)) + 1 || SLOWEST.length + 1) - 1;
const files = process.argv.slice(2).sort((a, b) => rank(a) - rank(b));
if (files.length === 0) {
  console.error("which tests? for example: npm run browser -- tests/browser/play.test.mjs");
  process.exit(2);
}

/** Runs a file; returns its name, seconds, and the lines of tests that failed. */
function runFile(file) {
  const began = performance.now();
  const child = spawn(process.execPath, ["--test-reporter=tap", file], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LEITAI_NEW_DATABASE: database },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (said += text));
  return new Promise((resolve) =>
    child.on("close", (code, signal) => {
      const seconds = (performance.now() - began) / 1000;
      const failed = [...said.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name]) => name);
      if (code !== 0 && failed.length === 0) failed.push(`it ended with ${signal ?? code}`);
      const tests = said.match(/^(not )?ok \d+ - /gm)?.length ?? 0;
      if (tests === 0 && failed.length === 0) failed.push("it has no test");
      console.log(`# ${nameOf(file)}\n${said}`);
      resolve({ name: nameOf(file), seconds, tests, failed });
    }),
  );
}

const folder = mkdtempSync(join(tmpdir(), "leitai-browser-"));
const database = join(folder, "arena.db");
await makeDatabase(database);

const results = [];
const next = files.values();
const runAll = async () => {
  for (const file of next) results.push(await runFile(file));
};
await Promise.all(Array.from({ length: AT_ONCE }, runAll));
rmSync(folder, { recursive: true });

console.log("# seconds by file");
for (const { name, seconds, tests, failed } of results.sort((a, b) => b.seconds - a.seconds))
  console.log(
    `${seconds.toFixed(1).padStart(6)}  ${name}: ${tests} tests, ${failed.length} failed`,
  );
for (const { name, failed } of results)
  for (const one of failed) console.log(`FAILED ${name}: ${one}`);
process.exitCode = results.some(({ failed }) => failed.length > 0) ? 1 : 0;
