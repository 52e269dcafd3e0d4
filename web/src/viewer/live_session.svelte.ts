// A running match: its connection, and the messages over it.

import { FrameGap } from "./frame_buffer";
import { fetchMatch } from "./frames_source";
import type { HumanTurn } from "./human_turn.svelte";
import { isMatchOver } from "$lib/states";
import { forgetSeat, loadSeat, loadSeatElsewhere, saveSeat } from "$lib/seat_tokens";
import type { Phrase } from "$lib/types";
import { NO_ADDRESS } from "./address";
import {
  type Entrant,
  type Frame,
  type MatchSummary,
  type LegFrames,
  parseLegFrames,
} from "./leg_frames";
import type { LegLoader } from "./leg_loader.svelte";
import {
  LiveConnection,
  type MatchConnection,
  type MessageListener,
  type Presence,
  type ServerMessage,
} from "./live_connection";
import { CLOSING_STEPS, type Playback } from "./playback.svelte";
import { isAgreed } from "./rematch.svelte";

/** Which of the two are connected. */
export interface PlayerPresence {
  a: Presence;
  b: Presence;
  /** When a disconnected person loses, on the clock of `performance.now()`. */
  until: number | null;
}

/** Which of two people have read how the game is played. */
export interface Readiness {
  a: boolean;
  b: boolean;
  /** When the leg begins anyway, on the clock of `performance.now()`. */
  until: number;
  /** The time for reading in milliseconds. */
  whole: number;
}

/** Milliseconds for which the end of a leg is shown before the next leg of a live match. */
const LEG_END_MILLIS = 2500;

/** Milliseconds for which a phrase is shown. */
const PHRASE_MILLIS = 6000;

/** The messages that change the board. */
const BOARD_MESSAGES: readonly ServerMessage["type"][] = ["leg", "frames", "finished"];

type LegMessage = Extract<ServerMessage, { type: "leg" }>;
type EarlierMessage = Extract<ServerMessage, { type: "earlier" }>;
type FramesMessage = Extract<ServerMessage, { type: "frames" }>;

/** The callbacks of the page. */
export interface SessionEvents {
  onMatch(match: MatchSummary): void;
  /** This reader plays for this entrant. */
  onOwnEntrant(entrant: Entrant): void;
  onFinished(match: MatchSummary): Promise<void>;
}

export class LiveSession {
  connected = $state(true);
  presence: PlayerPresence | null = $state.raw(null);
  /** Whether another tab or window of this reader has the seat. */
  seatIsElsewhere = $state(false);
  /** What each has said just now. */
  said: Partial<Record<Entrant, Phrase>> = $state({});
  /** When the first question comes, on the clock of `performance.now()`. */
  countdown: number | null = $state(null);
  /** While one of two people still reads how the game is played. */
  readiness: Readiness | null = $state.raw(null);

  private readonly phraseTimers: Partial<Record<Entrant, ReturnType<typeof setTimeout>>> = {};
  private connection: MatchConnection | null = null;
  private matchId = 0;
  /** The attempt at playing the leg that is shown: an interrupted match starts again. */
  private run: string | undefined;
  /** The frames from the start, while those before the first known one still arrive. */
  private earlier: Frame[] = [];
  /** Messages about the next leg that wait until the end of this one has been shown. */
  private delayed: ServerMessage[] | null = $state.raw(null);
  private delayTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly playback: Playback,
    private readonly turn: HumanTurn,
    private readonly loader: LegLoader,
    private readonly events: SessionEvents,
  ) {}

  /** Whether the end of a leg is still shown although the next one has begun. */
  get delaysNextLeg(): boolean {
    return this.delayed !== null;
  }

  /** Connects to a match; with a seat token as the person who has the seat. */
  joinMatch(id: number, token = loadSeat(id)?.token ?? null): void {
    this.matchId = id;
    this.turn.hasSeat = token !== null;
    this.seatIsElsewhere = token === null && loadSeatElsewhere(id) !== null;
    this.playback.live = this.playback.following = this.connected = true;
    this.connection = new LiveConnection(id, token, {
      onMessage: (message) => this.receiveMessage(message),
      onConnectionChange: (connected) => (this.connected = connected),
      onSeatRefused: (why) => this.leaveSeat(why),
      isStillRunning: () => this.checkMatch(),
    });
  }

  /** Plays a match in this page; `connect` starts it. */
  playLocally(connect: (listener: MessageListener) => MatchConnection): void {
    this.turn.hasSeat = true;
    this.playback.live = this.playback.following = this.connected = true;
    this.connection = connect({
      onMessage: (message) => this.receiveMessage(message),
      onConnectionChange: () => {},
      onSeatRefused: () => {},
      isStillRunning: () => Promise.resolve(false),
    });
  }

  /** Takes the seat from the tab that has it, or had it before it was closed. */
  takeSeatHere(): void {
    const seat = loadSeatElsewhere(this.matchId);
    if (!seat) return;
    saveSeat(this.matchId, seat.token, seat.entrant);
    this.closeConnection();
    this.joinMatch(this.matchId, seat.token);
  }

  sendAction(leg: number, step: number, action: string): boolean {
    return this.connection?.sendAction(leg, step, action) ?? false;
  }

  resignMatch(): void {
    this.connection?.resignMatch();
  }

  sayReady(): void {
    this.connection?.sayReady();
  }

  sayPhrase(phrase: Phrase): void {
    this.connection?.sayPhrase(phrase);
  }

  /** Shows a phrase for some seconds. */
  showPhrase(by: Entrant, phrase: Phrase): void {
    clearTimeout(this.phraseTimers[by]);
    this.said[by] = phrase;
    this.phraseTimers[by] = setTimeout(() => delete this.said[by], PHRASE_MILLIS);
  }

  closeConnection(): void {
    this.connection?.closeConnection();
    this.connection = null;
    clearTimeout(this.delayTimer);
    this.delayed = null;
  }

  reset(): void {
    this.closeConnection();
    this.presence = null;
    this.countdown = this.readiness = null;
    this.seatIsElsewhere = false;
    this.turn.hasSeat = false;
  }

  /** After the end: the board stays, and no more messages arrive. */
  private endSession(): void {
    this.connection?.closeConnection();
    this.turn.endQuestion();
    this.turn.hasSeat = false;
    this.connected = true;
    this.seatIsElsewhere = false;
    this.countdown = this.readiness = null;
  }

  /** The seat is used in another window, or not valid any more: this window watches. */
  private leaveSeat(why: "no-seat" | "replaced"): void {
    if (why === "no-seat") forgetSeat(this.matchId);
    this.turn.endQuestion();
    this.joinMatch(this.matchId, null);
  }

  private async checkMatch(): Promise<boolean> {
    const match = await fetchMatch(this.matchId);
    const over = isMatchOver(match.state);
    if (over) await this.finishMatch(match);
    return !over;
  }

  private receiveMessage(message: ServerMessage): void {
    if (!this.delayMessage(message)) this.handleMessage(message);
  }

  private handleMessage(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        return this.events.onMatch(message.match);
      case "leg":
        return void this.loader.runTask(() => this.showLiveLeg(message));
      case "earlier":
        return this.addEarlierFrames(message);
      case "frames":
        return this.addNewFrames(message);
      case "presence":
        return this.showPresence(message);
      case "said":
        return this.showPhrase(message.by, message.phrase);
      case "countdown":
        this.turn.showFirstChoices(message);
        return this.startCountdown(message.ms);
      case "ready":
        return this.showReadiness(message);
      case "question":
        this.countdown = this.readiness = null;
        return this.turn.startQuestion(message);
      case "refused":
        this.turn.sentAction = null;
        return this.turn.refuseAction(message.why);
      case "finished":
        return void this.finishMatchOf(message.match);
      case "error":
        this.turn.refusal = message.error?.message ?? message.message ?? null;
    }
  }

  /**
   * Delays the next leg until the end of this one was seen; a question to this reader does not
   * wait.
   */
  private delayMessage(message: ServerMessage): boolean {
    if (message.type === "question") this.showDelayed();
    if (this.delayed === null && this.replacesLeg(message)) this.startDelay();
    if (this.delayed === null || !BOARD_MESSAGES.includes(message.type)) return false;
    this.delayed.push(message);
    return true;
  }

  private replacesLeg(message: ServerMessage): boolean {
    const { following, legFrames } = this.playback;
    if (message.type !== "leg" || !following || legFrames === null) return false;
    return legFrames.leg !== message.frames_of_leg.leg;
  }

  private startDelay(): void {
    const { buffer, head, stepMillis } = this.playback;
    const steps = Math.min(CLOSING_STEPS, buffer.lastStep - head);
    this.delayed = [];
    this.delayTimer = setTimeout(() => this.showDelayed(), LEG_END_MILLIS + steps * stepMillis);
  }

  private showDelayed(): void {
    clearTimeout(this.delayTimer);
    const delayed = this.delayed ?? [];
    this.delayed = null;
    for (const message of delayed) this.handleMessage(message);
  }

  private showPresence({ a, b, until_ms }: Extract<ServerMessage, { type: "presence" }>): void {
    const until = until_ms === null ? null : performance.now() + until_ms;
    this.presence = { a, b, until };
  }

  private showReadiness(message: Extract<ServerMessage, { type: "ready" }>): void {
    const { a, b, ms } = message;
    this.turn.showFirstChoices(message);
    const isFirst = this.readiness === null;
    const [until, whole] = [performance.now() + ms, this.readiness?.whole ?? ms];
    this.readiness = a && b ? null : { a, b, until, whole };
    if (isFirst && isAgreed(this.matchId)) this.sayReady();
  }

  private startCountdown(millis: number): void {
    this.readiness = null;
    this.countdown = performance.now() + millis;
    setTimeout(() => (this.countdown = null), millis);
  }

  /** Shows a leg from its newest frame on, and requests the unknown frames before it. */
  private async showLiveLeg({ frames_of_leg: sent, run }: LegMessage): Promise<void> {
    const sameRun =
      run !== undefined && run === this.run && sent.leg === this.playback.legFrames?.leg;
    const known = sameRun ? this.knownFrames() : [];
    this.run = run;
    const first = sent.frames[0]?.step ?? 0;
    const complete = known.length >= first;
    this.earlier = complete ? [] : known;
    await this.showLeg(
      complete ? { ...sent, frames: [...known.slice(0, first), ...sent.frames] } : sent,
    );
    if (!complete && run !== undefined) this.connection?.requestEarlierFrames(run, known.length);
  }

  private async showLeg(sent: LegFrames): Promise<void> {
    const legFrames = parseLegFrames(sent);
    if (legFrames.match) this.events.onMatch(legFrames.match);
    const { perspective, seats } = legFrames;
    if (this.turn.hasSeat && perspective !== "all") this.events.onOwnEntrant(seats[perspective]);
    await this.playback.showLeg(legFrames, NO_ADDRESS);
    if (this.turn.question && this.turn.question.leg !== legFrames.leg) this.turn.endQuestion();
  }

  /** The known frames from the start without a gap. */
  private knownFrames(): Frame[] {
    return this.playback.buffer.firstStep === 0 ? this.playback.buffer.frames : this.earlier;
  }

  private addEarlierFrames({ run, frames }: EarlierMessage): void {
    const { firstStep } = this.playback.buffer;
    if (run !== this.run || firstStep === 0) return;
    for (const frame of frames) if (frame.step === this.earlier.length) this.earlier.push(frame);
    if (this.earlier.length < firstStep) {
      this.connection?.requestEarlierFrames(run, this.earlier.length);
      return;
    }
    this.playback.prependFrames(this.earlier);
    this.earlier = [];
  }

  private addNewFrames({ leg, frames }: FramesMessage): void {
    if (leg !== this.playback.legFrames?.leg) return;
    this.readiness = null;
    try {
      this.playback.appendFrames(frames);
    } catch (error) {
      if (!(error instanceof FrameGap)) throw error;
      this.connection?.restartLeg();
      return;
    }
    this.turn.endAnsweredQuestion();
  }

  /** The message of a match's end may come without the match. */
  private async finishMatchOf(match: MatchSummary | null): Promise<void> {
    const known = match ?? (await fetchMatch(this.matchId).catch(() => null));
    if (known) await this.finishMatch(known);
  }

  private async finishMatch(match: MatchSummary): Promise<void> {
    this.endSession();
    await this.events.onFinished(match);
  }
}
