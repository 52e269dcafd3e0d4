// The bytes of a live match, and the loading time of the home page's board on a slow line
// (docs/benchmarks.md):
//   LEITAI=target/debug/leitai node tests/live-cost.mjs [kbit/s] [times]

import { MOVING, ask, openArena, openBrowser, until, visit } from "./browser/kit.mjs";
import { slowLine } from "./browser/slow-line.mjs";

const [kilobits = 400, times = 3] = process.argv.slice(2).map(Number);
const SECONDS = 10;
const QUERIES = ["", "?start=newest&encoding=deflate"];

const [arena, browser] = await Promise.all([openArena("--ladder-every", "1s"), openBrowser()]);
try {
  const page = await visit(browser, { ...MOVING, baseURL: arena.url });
  await page.goto(`${arena.url}/api/games`);
  for (let time = 0; time < times; time++)
    for (const game of ["snakego", "kob", "tankcraft"]) await measureCost(page, game);
  for (let time = 0; time < times; time++) await measureBoard();
} finally {
  await browser.close();
  await arena.close();
}

/** The bytes of two spectators who join a match in its middle. */
async function measureCost(page, game) {
  const id = await findLiveMatch(page, game);
  const watch = ([path, seconds]) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}${path}`);
      socket.binaryType = "arraybuffer";
      let [messages, leg, all] = [0, 0, 0];
      const began = performance.now();
      const finish = () => resolve({ leg, all, ms: Math.round(performance.now() - began) });
      socket.onmessage = ({ data }) => {
        const bytes =
          typeof data === "string" ? new TextEncoder().encode(data).length : data.byteLength;
        all += bytes;
        if (++messages === 2) leg = bytes;
      };
      socket.onclose = finish;
      setTimeout(finish, seconds * 1000);
    });
  const got = await Promise.all(
    QUERIES.map((query) => page.evaluate(watch, [`/api/matches/${id}/live${query}`, SECONDS])),
  );
  got.forEach(({ leg, all, ms }, at) =>
    console.log(`${game} ${QUERIES[at] || "(plain)"}: the leg ${leg} B, all ${all} B in ${ms} ms`),
  );
}

/** A match that is shown live and has been played for a while. */
function findLiveMatch(page, game) {
  return until(`a match of ${game} in its middle`, async () => {
    const { live } = await ask(page, "/status");
    const fits = ({ round, rounds, ...match }) =>
      match.game === game && round > 10 && round < rounds / 2;
    return live.find(fits)?.id;
  });
}

/** The home page over a slow line, with an empty cache and then with all but the match cached. */
async function measureBoard() {
  const line = await slowLine(arena.url, kilobits);
  const page = await visit(browser, { ...MOVING, baseURL: arena.url });
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
    await until("a live match", async () =>
      (await (await fetch(`${arena.url}/api/status`)).json()).live.some(
        ({ kind }) => kind === "exhibition",
      ),
    );
    await page.goto(`${line.url}/?lang=en`);
    const marks = await until("a board", () =>
      page.evaluate(() => (globalThis.marks.board ? globalThis.marks : null)),
    );
    console.log(
      `${kilobits} kbit/s, ${visitKind}: ${JSON.stringify(marks)}, board after the socket: ${marks.board - marks.asked} ms`,
    );
  }
  await page.context().close();
  line.close();
}
