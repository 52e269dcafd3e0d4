// The challenge of the day: playing it, and its result to share.

import { noteTry } from "./achievements.svelte";
import { post } from "./api";
import { gameTitle } from "./games.svelte";
import { localizedDay } from "./format";
import { navigate } from "./router.svelte";
import { saveSeat } from "./seat_tokens";
import type { DailyChallenge, DailyResult, JoinedSeat } from "./types";
import { m } from "../paraglide/messages";

/** Opens another try of the challenge. */
export async function playDaily(challenge: DailyChallenge): Promise<void> {
  const joined = await post<JoinedSeat>("/daily", {});
  saveSeat(joined.match, joined.token, joined.seat);
  noteTry(joined.match, joined.seat, challenge.day);
  navigate(`/matches/${joined.match}`);
}

/** The result in a sentence. */
export function describeResult(result: DailyResult | undefined): string {
  const tries = result?.tries.length ?? 0;
  if (!result || tries === 0) return m.daily_not_yet();
  if (!result.won) return tries === 1 ? m.daily_lost_one() : m.daily_lost({ tries });
  return result.lead > 1 ? m.daily_won({ tries, lead: result.lead }) : m.daily_won_plain({ tries });
}

/** The result as a text to share, without what would spoil the challenge. */
export function shareText(challenge: DailyChallenge, result: DailyResult): string {
  const tries = result.tries.length;
  const said = [gameTitle(challenge.game), localizedDay(challenge.day), describeResult(result)];
  const first = ["Leitai", ...said].join(" · ");
  // One mark a try, as people count them.
  const marks = "▫".repeat(Math.min(tries - 1, 20)) + (result.won ? "▪" : "▫");
  return `${first}\n${marks}\n${location.origin}/daily`;
}

/** The result as a picture of 1200 × 630 pixels, in the colours of the page. */
export async function sharePicture(
  challenge: DailyChallenge,
  result: DailyResult,
): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1200, 630];
  const ctx = canvas.getContext("2d");
  if (!ctx) return null;
  const probe = document.body.appendChild(document.createElement("i"));
  const color = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  ctx.fillStyle = color("--paper");
  ctx.fillRect(0, 0, 1200, 630);
  const write = (text: string, size: number, y: number, ink: string, weight = 400) => {
    ctx.fillStyle = color(ink);
    ctx.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
    ctx.fillText(text, 80, y, 1040);
  };
  write("Leitai 擂台", 34, 110, "--ink-soft", 600);
  write(m.daily_of({ day: localizedDay(challenge.day) }), 64, 210, "--ink", 700);
  write(gameTitle(challenge.game), 44, 280, "--ink-soft");
  write(describeResult(result), 54, 400, result.won ? "--good" : "--ink", 600);
  drawTries(ctx, result, color);
  write(`${location.origin}/daily`, 30, 580, "--ink-soft");
  probe.remove();
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** A square for each try; the one that won is filled. */
function drawTries(
  ctx: CanvasRenderingContext2D,
  { tries, won }: DailyResult,
  color: (name: string) => string,
): void {
  const shown = Math.min(tries.length, 20);
  for (let at = 0; at < shown; at++) {
    const wins = won && at === shown - 1;
    ctx.lineWidth = 4;
    ctx.strokeStyle = ctx.fillStyle = color(wins ? "--good" : "--ink-soft");
    const place = [80 + at * 52, 440, 38, 38] as const;
    if (wins) ctx.fillRect(...place);
    else ctx.strokeRect(...place);
  }
}
