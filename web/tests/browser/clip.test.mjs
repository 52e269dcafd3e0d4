// "Save as GIF or WebM" in a real browser: the files that are saved are decoded again. Without the
// engine the frames come from the server, so no test needs it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { IDLE, PHONE, findings, runIn, scratch, stage, visit } from "./kit.mjs";

const MATCHES = {
  kob: ["sample", "space", "--seed", "2"],
  snakego: ["greedy", "territory", "--seed", "3", "--config", "max_round=64"],
  tankcraft: ["level1", "level4", "--seed", "3", "--config", "rounds=40"],
};
/** Milliseconds of a step at speed 1. */
const STEP_MILLIS = { kob: 420, snakego: 240, tankcraft: 800 };

const folder = scratch();
const leitai = runIn(folder);
const { browser, journey } = await stage(...IDLE);
for (const [game, words] of Object.entries(MATCHES))
  leitai("match", game, ...words, "--replay", `${game}.json`);
leitai("match", "snakego", "greedy", "territory", "--seed", "3", "--replay", "long.json");
// The pages of the arena allow no videos; this one does.
writeFileSync(join(folder, "empty.html"), "<!doctype html><title>decoder</title>");
const decoder = await visit(browser);
await decoder.goto(pathToFileURL(join(folder, "empty.html")).href);

/** A page with a replay, and the form for clips. */
async function openForm(open, name, lang = "en", options = {}) {
  const page = await open(options);
  await page.goto(`/viewer?lang=${lang}`);
  await page.locator("input[type=file]").setInputFiles(join(folder, `${name}.json`));
  await page.locator(".start-clip button").click();
  await page.locator(".clip form").waitFor();
  return page;
}

/** Chooses what the clip has: format, pixels, speed, rounds. */
async function choose(page, { format = "gif", size, speed, from, to }) {
  const select = (at) => page.locator(".clip select").nth(at);
  const number = (at) => page.locator(".clip input").nth(at);
  await select(0).selectOption(format);
  if (size) await select(1).selectOption(`${size}`);
  if (speed) await select(2).selectOption({ label: `${speed}×` });
  if (to !== undefined) await number(1).fill(`${to}`);
  if (from !== undefined) await number(0).fill(`${from}`);
}

/** Makes the file, and returns its name and bytes. */
async function save(page) {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".clip .go").click(),
  ]);
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return { name: download.suggestedFilename(), bytes: readFileSync(path) };
}

/** What the browser finds in a GIF: size, milliseconds and pixels of every picture. */
function decodeGif(bytes) {
  return decoder.evaluate(async (text) => {
    const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const images = new ImageDecoder({ data, type: "image/gif" });
    await images.completed;
    await images.tracks.ready;
    const frames = [];
    for (let frameIndex = 0; frameIndex < images.tracks.selectedTrack.frameCount; frameIndex++) {
      const { image } = await images.decode({ frameIndex });
      const pixels = new Uint8Array(image.allocationSize({ format: "RGBA" }));
      await image.copyTo(pixels, { format: "RGBA" });
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", pixels));
      const colors = new Set(new Uint32Array(pixels.buffer)).size;
      frames.push({
        wide: image.displayWidth,
        high: image.displayHeight,
        millis: image.duration / 1000,
        digest: digest.join(),
        colors,
      });
      image.close();
    }
    return frames;
  }, bytes.toString("base64"));
}

/** What the browser plays of a video: its size, its seconds, and whether its pictures differ. */
function decodeVideo(bytes) {
  return decoder.evaluate(async (text) => {
    const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const video = document.createElement("video");
    video.muted = true;
    const shown = (event) =>
      new Promise((resolve, reject) => {
        video.addEventListener(event, resolve, { once: true });
        video.addEventListener("error", () => reject(new Error(video.error.message)));
      });
    video.src = URL.createObjectURL(new Blob([data], { type: "video/webm" }));
    await shown("loadeddata");
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
    const ctx = canvas.getContext("2d");
    /** The part of the pixels that differ clearly. */
    const differing = (a, b) =>
      a.filter((value, at) => Math.abs(value - b[at]) > 40).length / a.length;
    /** The picture is drawn some time after the seek; one that stays the same is given at last. */
    const nextPicture = async (last) => {
      for (let left = 200; ; left -= 1) {
        ctx.drawImage(video, 0, 0);
        const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
        if (left === 0 || !last || differing(last, data) > 0.001) return data;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const pictures = [];
    for (const at of [0.01, video.duration / 2, video.duration - 0.1]) {
      const found = shown("seeked");
      video.currentTime = at;
      await found;
      pictures.push(await nextPicture(pictures.at(-1)));
    }
    return {
      wide: video.videoWidth,
      high: video.videoHeight,
      seconds: video.duration,
      changes: [differing(pictures[0], pictures[1]), differing(pictures[1], pictures[2])],
    };
  }, bytes.toString("base64"));
}

/** The steps of a clip: from the first step of a round to the first one after another. */
function stepsOf(game, from, to) {
  const frames = leitai("replay", "frames", `${game}.json`)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const first = frames.find(({ round }) => round >= from).step;
  return (frames.find(({ round }) => round > to) ?? frames.at(-1)).step - first;
}

for (const game of Object.keys(MATCHES)) {
  journey(
    `${game}: a GIF has a picture of every step; a WebM lasts as long as its steps`,
    async (open) => {
      const page = await openForm(open, game);
      await choose(page, { size: 320, from: 2, to: 5 });
      const { name, bytes } = await save(page);
      assert.equal(name, `${game}-leg1-rounds2-5.gif`);
      const frames = await decodeGif(bytes);
      assert.equal(frames.length, stepsOf(game, 2, 5) + 1);
      for (const { wide, high } of frames) {
        assert.ok(wide > 250 && wide <= 320, `${wide} pixels wide`);
        assert.ok(high > 250 && high <= 320 + 30, `${high} pixels high`);
      }
      for (const { millis } of frames.slice(0, -1))
        assert.equal(millis, Math.round(STEP_MILLIS[game] / 10) * 10);
      assert.equal(frames.at(-1).millis, 1500);
      assert.ok(frames[0].colors > 16, `${frames[0].colors} colours`);
      const different = new Set(frames.map(({ digest }) => digest)).size;
      assert.ok(different > frames.length * 0.8, `${different} of ${frames.length} pictures`);
      assert.ok(bytes.length < 40_000 * frames.length, `${bytes.length} bytes`);
      await choose(page, { format: "webm", size: 480, speed: 2, from: 2, to: 9 });
      const film = await save(page);
      assert.equal(film.name, `${game}-leg1-rounds2-9.webm`);
      const video = await decodeVideo(film.bytes);
      const seconds = (stepsOf(game, 2, 9) * STEP_MILLIS[game]) / 2 / 1000 + 1.5;
      assert.ok(Math.abs(video.seconds - seconds) < 0.1, `${video.seconds} s, not ${seconds}`);
      assert.ok(video.wide > 400 && video.wide <= 480, `${video.wide} pixels wide`);
      assert.equal((video.wide % 2) | (video.high % 2), 0);
      for (const part of video.changes) assert.ok(part > 0.001, `changes ${video.changes}`);
    },
  );
}

journey("a whole leg is cancelled, and then made at a higher speed", async (open) => {
  const page = await openForm(open, "long");
  await choose(page, { size: 720, speed: 0.5 });
  // Half the speed would be too many pictures of a video.
  await choose(page, { format: "webm" });
  await page.getByText("This would be too many pictures.").waitFor();
  assert.ok(await page.locator(".clip .go").isDisabled());
  await choose(page, { format: "gif" });
  await page.locator(".clip .go").click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled. No file was made.").waitFor();
  await choose(page, { size: 320, speed: 16, from: 1, to: 60 });
  const frames = await decodeGif((await save(page)).bytes);
  assert.ok(frames.length < stepsOf("long", 1, 60), "a fast GIF leaves out steps");
  for (const { millis } of frames) assert.ok(millis >= 20, `${millis} ms`);
  await page.locator(".clip a").waitFor();
});

journey(
  "on a phone in Chinese: rounds that do not exist are refused with those that do",
  async (open) => {
    const page = await openForm(open, "kob", "zh", PHONE);
    await choose(page, { from: 5, to: 3 });
    await page.getByText("请选择本局的回合：").waitFor();
    assert.ok(await page.locator(".clip .go").isDisabled());
    assert.deepEqual(await findings(page), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels wide`);
  },
);
