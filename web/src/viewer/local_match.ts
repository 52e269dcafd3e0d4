// A leg that is played in the page, without a server: the engine sends the messages that the server
// would send, but has no clock.

import type { Engine, PlayAnswer, PlayStart } from "$lib/engine/client";
import type { EngineError, SavedEntrant } from "$lib/engine/types";
import type { BuiltIn, Config, Entrant, EntrantSummary, Seat } from "$lib/types";
import type { MatchConnection, MessageListener } from "./live_connection";
import type { KnownMatch } from "./viewer_state.svelte";

/** A match that is over, as far as the card of its end needs it. */
export type EndedMatch = Pick<
  KnownMatch,
  "id" | "game" | "winner" | "scores" | "reason" | "legs" | "state" | "config"
> &
  Record<
    Entrant,
    Pick<EntrantSummary, "name" | "bot" | "user"> &
      Partial<Pick<EntrantSummary, "home" | "home_bot">>
  > & {
    /** The built-in bots of the game, where they are known. */
    levels?: readonly BuiltIn[];
  };

/** What is played. */
export interface LocalMatchOptions {
  game: string;
  /** The built-in bot on the other seat. */
  bot: string;
  /** The seat of the person. */
  seat: Seat;
  /** The name of the person. */
  name: string;
  seed: number;
  /** The options that differ from the game's own. */
  config?: Config;
  /** Called at the end, or when the person resigns, with the replay file. */
  onend: (replay: File) => void;
  /** Called when it cannot go on, with the reason. */
  onfail: (why: string) => void;
}

/** Milliseconds between two steps of bots. */
const BEAT_MILLIS = 100;
/** Steps of bots that are played at once, while no person is asked. */
const STEPS = 4;

export class LocalMatch implements MatchConnection {
  private readonly start: PlayStart;
  private replies = "";
  /** The step after the last known frame. */
  private next = 0;
  private step = 0;
  private closed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly options: LocalMatchOptions,
    private readonly listener: MessageListener,
  ) {
    const { game, seed, config } = options;
    this.start = { game, seed, leg: 1, ...(config && { config }) };
    void this.advance();
  }

  sendAction(_leg: number, step: number, action: string): boolean {
    if (step === this.step) void this.advance(action);
    return true;
  }

  sayPhrase(): void {
    // A bot hears nothing.
  }

  sayReady(): void {
    // A bot does not wait for it.
  }

  resignMatch(): void {
    void this.finish();
  }

  closeConnection(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  /** All frames are there from the beginning. */
  requestEarlierFrames(): void {}

  restartLeg(): void {
    this.next = 0;
    void this.advance();
  }

  /** The values of the person and of the bot, by seat. */
  private inSeats<T>(own: T, other: T): [T, T] {
    return this.options.seat === "first" ? [own, other] : [other, own];
  }

  private async advance(action: string | null = null): Promise<void> {
    const { bot, seat, name, seed } = this.options;
    try {
      const answer = await this.engine.play(this.start, {
        players: this.inSeats<string | null>(null, bot),
        actions: this.inSeats<string | null>(action, null),
        names: this.inSeats<string | null>(name, bot),
        replies: this.replies,
        framesFrom: this.next,
        botSeed: seed,
        perspective: seat,
        // The position before anything is played is shown first.
        limit: this.next === 0 ? 0 : STEPS,
      });
      if (!this.closed) this.show(answer);
    } catch (error) {
      if (!this.closed) this.explain(error as EngineError);
    }
  }

  private show(answer: PlayAnswer): void {
    const { leg_frames: legFrames } = answer;
    const isFirst = this.next === 0;
    this.listener.onMessage(
      isFirst
        ? { type: "leg", frames_of_leg: { ...legFrames, legs: 1 } }
        : { type: "frames", leg: legFrames.leg, frames: legFrames.frames },
    );
    this.replies = answer.replies;
    this.step = answer.step;
    this.next = answer.step + 1;
    const question = answer.questions[this.options.seat === "first" ? 0 : 1];
    if (answer.is_over) void this.finish();
    else if (question)
      // Without a clock.
      this.listener.onMessage({ type: "question", ...question, left_ms: Infinity, budget_ms: 0 });
    else this.timer = setTimeout(() => void this.advance(), BEAT_MILLIS);
  }

  private explain(error: EngineError): void {
    const { step } = this;
    if (error.code === "refused")
      return this.listener.onMessage({ type: "refused", step, why: error.text ?? error.message });
    this.closeConnection();
    this.options.onfail(error.message);
  }

  private async finish(): Promise<void> {
    this.closeConnection();
    const { bot, name, onend, onfail } = this.options;
    const person: SavedEntrant = { name, kind: "human" };
    const entrants = this.inSeats<SavedEntrant>(person, { name: bot, kind: "built-in" });
    const played = { legs: [this.replies], entrants, match_legs: 1 };
    await this.engine.save(this.start, played).then(onend, (error) => onfail(error.message));
  }
}
