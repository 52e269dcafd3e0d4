// What a live match costs on the line, and how long the home page's board takes on a slow one (docs/benchmarks.md):
//   LEITAI=target/debug/leitai node tests/live-cost.mjs [kbit/s] [times]

import { ask, openArena, openBrowser, until, visit } from "./browser/kit.mjs";
import { slowLine } from "./browser/slow-line.mjs";

const [kilobits = 400, times = 3] = process.argv.slice(2).map(Number);
const SECONDS = 10;
const WISHES = ["", "?start=newest&encoding=deflate"];

const [arena, browser] = await Promise.all([openArena("--ladder-every", "1s"), openBrowser()]);
try {
  const page = await visit(browser);
  await page.goto(`${arena.url}/api/games`);
  for (const game of ["snakego", "kob", "tankcraft"]) for (const wish of WISHES) await cost(page, game, wish);
  for (let time = 0; time < times; time++) await board();
} finally {
  await browser.close();
  await arena.close();
}

/** Bytes that a spectator of a match in its middle gets within some seconds. */
async function cost(page, game, wish) {
  const id = await inTheMiddle(page, game);
  const got = await page.evaluate(
    ([path, seconds]) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://${location.host}${path}`);
        socket.binaryType = "arraybuffer";
        const got = { first: 0, all: 0, messages: 0, ended: 0 };
        const began = performance.now();
        socket.onmessage = ({ data }) => {
          const bytes = typeof data === "string" ? new TextEncoder().encode(data).length : data.byteLength;
          got.all += bytes;
          if (++got.messages === 2) got.first = bytes;
        };
        socket.onclose = () => resolve({ ...got, ended: Math.round(performance.now() - began) });
        setTimeout(() => resolve(got), seconds * 1000);
      }),
    [`/api/matches/${id}/live${wish}`, SECONDS],
  );
  const ended = got.ended ? `, refused or over after ${got.ended} ms` : "";
  console.log(`${game} ${wish || "(plain)"}: the leg ${got.first} B, within ${SECONDS} s ${got.all} B${ended}`);
}

/** A match that is shown live and has been played for a while. */
function inTheMiddle(page, game) {
  return until(`a match of ${game} in its middle`, async () => {
    const { live } = await ask(page, "/status");
    const fits = ({ round, rounds, ...match }) => match.game === game && round > 10 && round < rounds / 2;
    return live.find(fits)?.id;
  });
}

/** The home page over a slow line, first with nothing and then with everything but the match in the cache. */
async function board() {
  const line = await slowLine(arena.url, kilobits);
  const page = await visit(browser);
  await page.addInitScript(() => {
    const marks = (globalThis.marks = {});
    const mark = (name) => (marks[name] ??= Math.round(performance.now()));
    document.addEventListener("painted", () => mark("board"), true);
    globalThis.WebSocket = class extends globalThis.WebSocket {
      constructor(...words) {
        super(...words);
        mark("asked");
        this.addEventListener("open", () => mark("open"));
      }
    };
  });
  for (const visitKind of ["first visit", "second visit"]) {
    await page.goto(`${line.url}/?lang=en`);
    const marks = await until("a board", () => page.evaluate(() => (globalThis.marks.board ? globalThis.marks : null)));
    console.log(`${kilobits} kbit/s, ${visitKind}: ${JSON.stringify(marks)}, board after the socket: ${marks.board - marks.asked} ms`);
  }
  await page.context().close();
  line.close();
}
