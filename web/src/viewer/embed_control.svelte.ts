// An embedded match does what its address and the page around it ask.

import { prefersStill } from "./color_scheme.svelte";
import { type EmbedCommand, type EmbedEvent, readEmbedCommand } from "./embed_messages";
import { type EmbedOptions, embeddedSteps } from "./embed_options";
import type { ViewerState } from "./viewer_state.svelte";

/** Milliseconds for which the end is seen before the match begins again. */
const LOOP_MILLIS = 1500;

/** Sends an event to the page around the frame. */
type Send = (event: EmbedEvent) => void;

export class EmbedControl {
  private isReady = false;
  private wasPlaying = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly page: ViewerState,
    private readonly options: EmbedOptions,
    private readonly match: number,
    private readonly send: Send,
  ) {}

  close(): void {
    clearTimeout(this.timer);
  }

  /** Called when the shown leg, or what is known of it, has changed. */
  showLeg(): void {
    const { playback } = this.page;
    if (playback.length === 0 || !playback.legFrames) return;
    playback.section = playback.live ? null : embeddedSteps(playback.buffer, this.options);
    if (this.isReady) return;
    this.isReady = true;
    playback.speed = this.options.speed;
    this.say("ready");
    if (this.options.autoplay && !playback.live && !prefersStill()) playback.playing = true;
  }

  /** Called when another step is shown. */
  showStep(): void {
    if (this.isReady) this.say("step");
  }

  /** Called when the playback begins or stops. */
  showPlaying(): void {
    const { playback } = this.page;
    const isRunning = playback.playing || playback.live;
    const stopped = this.wasPlaying && !isRunning;
    this.wasPlaying = isRunning;
    clearTimeout(this.timer);
    // The end of a live match: its last moves come with the replay.
    if (this.page.loader.loading) return;
    if (!stopped || playback.step < playback.lastPlayedStep) return;
    this.say("end");
    this.timer = setTimeout(() => void this.goOn(), LOOP_MILLIS);
  }

  /** A message of the page around the frame. */
  obey(data: unknown): void {
    const command = readEmbedCommand(data);
    if (command && this.isReady) void this.do(command);
  }

  private async do(command: EmbedCommand): Promise<void> {
    const { playback } = this.page;
    switch (command.type) {
      case "play":
        if (!playback.playing) playback.togglePlaying();
        return;
      case "pause":
        if (playback.playing) playback.togglePlaying();
        return;
      case "seek":
        clearTimeout(this.timer);
        if (command.leg !== null && !playback.live && command.leg <= this.legs && command.leg > 0)
          await this.page.showLeg(command.leg, playback.perspective);
        playback.stopAtStep(this.stepOf(command));
    }
  }

  private stepOf({ round, step }: Extract<EmbedCommand, { type: "seek" }>): number {
    const { buffer } = this.page.playback;
    const start = round === null ? 0 : buffer.firstStepOfRound(round);
    return buffer.clampStep(start + (step ?? 0));
  }

  /** After the end: the next leg, or everything once more. */
  private async goOn(): Promise<void> {
    const { playback } = this.page;
    const { leg, loop } = this.options;
    const isLastLeg = leg !== null || playback.leg >= this.legs;
    if (isLastLeg && !loop) return;
    const next = isLastLeg ? (leg ?? 1) : playback.leg + 1;
    if (next !== playback.leg) {
      await this.page.showLeg(next, playback.perspective);
      this.showLeg();
    }
    playback.moveToStep(playback.section?.first ?? 0);
    playback.playing = true;
  }

  private get legs(): number {
    return this.page.playback.legFrames?.legs ?? 1;
  }

  private say(type: EmbedEvent["type"]): void {
    const { playback } = this.page;
    const { leg, round, step, lastStep, live } = playback;
    const moment = { match: this.match, leg, legs: this.legs, round, step, lastStep, live };
    if (type !== "end") return this.send({ type, ...moment });
    const hasEnded = step >= lastStep;
    this.send({ type, ...moment, winner: hasEnded ? (playback.outcome?.winner ?? null) : null });
  }
}
