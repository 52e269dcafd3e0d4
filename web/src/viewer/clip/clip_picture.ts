// The pictures of a clip: the board as the page draws it, and a line with both sides, their scores
// and the round above it.

import { m } from "$lib/messages";
import { paletteFor, traceDisc } from "../canvas";
import type { FrameBuffer } from "../frame_buffer";
import type { GameViewer, Palette, Scene } from "../game_viewer";
import { type Lang, type LegFrames, SEATS, type Seat, entrantNameOf } from "../leg_frames";
import type { ClipFrame } from "./plan";

/** What is drawn. */
export interface ClipSource {
  viewer: GameViewer;
  legFrames: LegFrames;
  buffer: FrameBuffer;
  you: Seat | null;
}

export interface ClipLook {
  /** Pixels of the longer side of the board, about: cells have whole pixels. */
  size: number;
  dark: boolean;
  lang: Lang;
}

const FONT = 'system-ui, "Noto Sans CJK SC", sans-serif';

export class ClipPicture {
  readonly canvas = document.createElement("canvas");
  private readonly ctx: CanvasRenderingContext2D;
  private readonly cell: number;
  private readonly head: number;
  private readonly palette: Palette;

  constructor(
    private readonly source: ClipSource,
    private readonly look: ClipLook,
  ) {
    const { cols, rows } = source.viewer.boardSize(source.legFrames);
    this.cell = Math.max(4, Math.floor(look.size / Math.max(cols, rows)));
    this.palette = paletteFor(look.dark, source.viewer.seats);
    const width = even(cols * this.cell);
    this.head = even(Math.max(22, width / 14));
    this.canvas.width = width;
    this.canvas.height = even(rows * this.cell) + this.head;
    // The pixels are read after every picture.
    this.ctx = this.canvas.getContext("2d", { willReadFrequently: true, alpha: false })!;
  }

  draw(frame: ClipFrame, now: number): void {
    const { ctx, head, palette, canvas } = this;
    const { viewer, legFrames, buffer, you } = this.source;
    const scene: Scene<unknown, unknown> = {
      ctx,
      size: this.cell,
      setup: legFrames.setup,
      moment: buffer.momentAt(frame.step),
      t: frame.t,
      now,
      palette,
      perspective: legFrames.perspective,
      lang: this.look.lang,
      you,
      question: null,
      draft: null,
    };
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = palette.paper;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    this.drawHead(scene);
    ctx.save();
    ctx.translate(0, head);
    ctx.beginPath();
    ctx.rect(0, 0, canvas.width, canvas.height - head);
    ctx.clip();
    viewer.drawBoard(scene);
    ctx.restore();
  }

  pixels(): Uint8ClampedArray<ArrayBuffer> {
    return this.ctx.getImageData(0, 0, this.canvas.width, this.canvas.height).data;
  }

  private drawHead({ moment, palette, lang }: Scene<unknown, unknown>): void {
    const { ctx, head, canvas } = this;
    const px = head * 0.5;
    const middle = head / 2;
    ctx.textBaseline = "middle";
    ctx.font = `400 ${px}px ${FONT}`;
    ctx.fillStyle = palette.soft;
    ctx.textAlign = "center";
    const round = m.viewer_round_n({ round: moment.frame.round }, { locale: lang });
    ctx.fillText(round, canvas.width / 2, middle);
    const room = (canvas.width - ctx.measureText(round).width) / 2 - px;
    const standing = moment.frame.outcome ? undefined : this.source.viewer.standing;
    const scores = standing?.measure(moment.view) ?? moment.frame.scores;
    for (const seat of SEATS) this.drawSide(seat, scores, px, room);
  }

  private drawSide(seat: Seat, scores: readonly [number, number], px: number, room: number): void {
    const { ctx, palette, canvas, head } = this;
    const { viewer, legFrames } = this.source;
    const isFirst = seat === "first";
    const disc = px * 0.65;
    const along = (distance: number) => (isFirst ? distance : canvas.width - distance);
    ctx.fillStyle = palette[seat];
    traceDisc(ctx, along(disc * 1.3), head / 2, disc);
    ctx.fill();
    ctx.font = `700 ${px * 0.85}px ${FONT}`;
    ctx.textAlign = "center";
    ctx.fillStyle = palette.paper;
    ctx.fillText(viewer.seats[seat].letter, along(disc * 1.3), head / 2 + 0.5);
    ctx.font = `600 ${px}px ${FONT}`;
    ctx.textAlign = isFirst ? "left" : "right";
    ctx.fillStyle = palette.ink;
    const [first, second] = scores;
    const score = ` ${isFirst ? first : second}`;
    const left = room - disc * 2.8 - ctx.measureText(score).width;
    const name = shorten(ctx, entrantNameOf(legFrames, seat), left);
    ctx.fillText(isFirst ? name + score : `${score.trim()} ${name}`, along(disc * 2.6), head / 2);
  }
}

/** A text that fits into these pixels. */
function shorten(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  if (ctx.measureText(text).width <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && ctx.measureText(`${letters.join("")}…`).width > room) letters.pop();
  return `${letters.join("")}…`;
}

/** Video has even sides. */
const even = (pixels: number) => 2 * Math.ceil(pixels / 2);
