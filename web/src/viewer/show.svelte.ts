// What a match page shows: a film, a place in it, and whether it plays; or a live match and, for a person, the question.

import type { Entrant, Eye, Film, Frame, MatchBrief, Seat } from "./film";
import { Gap, Reel, tidied } from "./film";
import type { Ask, Choice, GameViewer, Place } from "./game";
import { because } from "./game";
import { viewerOf } from "./games";
import { type Address, stepOf } from "./address";
import { type Heard, Live, type Presence, seatToken } from "./live";
import { goTo, SPEEDS, tick } from "./play";
import { type LogLine, type Source, Trouble, logs, match as matchOf, ofMatch } from "./source";
import { Story, spoken } from "./story";
import type { Lang } from "./film";
import { text } from "./texts";

export interface People {
  a: Presence;
  b: Presence;
  /** On the clock of `performance.now()`. */
  until: number | null;
}

/** Milliseconds between what the page is told while a leg runs. */
const TOLD_EVERY = 90;

/** Milliseconds for which the end of a leg stays on the board before the next leg of a live match replaces it. */
const LEG_END = 2500;

/** Steps that are still played out when a live match ends while its last moves have not been shown. */
const PLAYED_OUT = 3;

const NOWHERE: Address = { leg: null, round: null, step: null, at: null, eye: null };

export class Show {
  film: Film | null = $state.raw(null);
  viewer: GameViewer | null = $state.raw(null);
  match: MatchBrief | null = $state.raw(null);
  trouble: { message: string; status: number } | null = $state.raw(null);
  loading = $state(true);
  eye: Eye = $state("all");
  leg = $state(1);
  /** The step that the page speaks of. While the leg runs fast, it follows `head` some times a second: drawing a board is
   * cheap, laying out a page is not. */
  step = $state(0);
  playing = $state(false);
  speed = $state(1);
  /** Grows with every frame that comes, so that what is drawn from the reel is drawn again. */
  length = $state(0);

  live = $state(false);
  connected = $state(true);
  /** The reader has not scrubbed away from the head of a live match. */
  following = $state(false);
  people: People | null = $state.raw(null);

  /** Whether this reader holds a seat. */
  plays = $state(false);
  ask: (Ask & { until: number }) | null = $state.raw(null);
  draft: unknown = $state.raw(null);
  chosen: string | null = $state(null);
  refusal: string | null = $state(null);
  countdown: number | null = $state(null);

  cursor: Place | null = $state.raw(null);
  hover: Place | null = $state.raw(null);
  logs: LogLine[] = $state.raw([]);

  reel = $state.raw(new Reel());
  story: Story | null = $state.raw(null);
  /** The step that the board shows, and the part of the way to it; drawn every frame, so no state. */
  head = 0;
  t = 1;
  private told = 0;
  /** Whom this reader plays, or has played in this tab. */
  private own: Entrant | null = null;

  private source: Source | null = null;
  private socket: Live | null = null;
  private asked = 0;
  private films = new Map<string, Film>();
  /** Which playing of a leg is shown live, and its frames from the beginning while those before `reel.first` are coming. */
  private run: string | undefined;
  private earlier: Frame[] = [];
  /** Messages about the next leg, kept back while the end of this one is shown. */
  private waiting: Heard[] | null = $state.raw(null);
  private release: ReturnType<typeof setTimeout> | undefined;

  /** The sentence of the step that is shown. */
  readonly sentence = $derived.by(() => {
    const { film, viewer, reel } = this;
    return film && viewer && this.length > 0
      ? spoken(viewer, film, reel, this.step, this.you, this.lang())
      : "";
  });

  constructor(private readonly lang: () => Lang) {}

  get last(): number {
    return Math.max(0, this.length - 1);
  }

  /** Whether the end of a leg is still shown although the next one has begun. */
  get keepsBack(): boolean {
    return this.waiting !== null;
  }

  get you(): Seat | null {
    if (this.ask) return this.ask.seat;
    const own = this.own ?? this.match?.your;
    if (!own || !this.film) return null;
    return this.film.seats.first === own ? "first" : "second";
  }

  /** Watches a match by its id: its film when it is over, its live socket while it goes on. */
  async openMatch(id: number, address: Address = NOWHERE): Promise<void> {
    this.reset();
    await this.attempt(async () => {
      this.match = await matchOf(id);
      this.source = ofMatch(id);
      if (hasFilm(this.match)) return this.load(address.leg ?? 1, address.eye ?? "all", address);
      if (isOver(this.match)) return;
      this.viewer = await viewerOf(this.match.game);
      this.join(id, seatToken(id));
    });
  }

  private join(id: number, token: string | null): void {
    this.plays = token !== null;
    this.live = this.following = this.connected = true;
    this.socket = new Live(id, token, {
      heard: (message) => this.heard(message),
      connected: (is) => (this.connected = is),
      refused: (why) => this.refused(id, why),
      goesOn: async () => {
        const match = await matchOf(id);
        if (isOver(match)) await this.over(match);
        return !isOver(match);
      },
    });
  }

  /** The seat is not ours any more: we look on. */
  private refused(id: number, why: "no-seat" | "replaced"): void {
    if (why === "replaced") this.trouble = { message: text("replaced", this.lang()), status: 0 };
    else this.join(id, null);
  }

  async openSource(source: Source, address: Address = NOWHERE): Promise<void> {
    this.reset();
    this.source = source;
    await this.attempt(() => this.load(address.leg ?? 1, address.eye ?? "all", address));
  }

  async openFilm(film: Film, source: Source): Promise<void> {
    this.reset();
    this.source = source;
    await this.attempt(() => this.take(film, NOWHERE));
  }

  close(): void {
    this.socket?.close();
    this.asked++;
    clearTimeout(this.release);
    this.waiting = null;
  }

  private reset(): void {
    this.close();
    this.films.clear();
    this.own = this.people = this.film = this.match = null;
    this.live = this.following = this.plays = this.playing = false;
    this.length = 0;
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    this.loading = true;
    this.trouble = null;
    try {
      await work();
    } catch (error) {
      this.trouble = {
        message: error instanceof Error ? error.message : String(error),
        status: error instanceof Trouble ? error.status : 0,
      };
    } finally {
      this.loading = false;
    }
  }

  private async load(leg: number, eye: Eye, address: Address): Promise<void> {
    const asked = ++this.asked;
    const key = `${leg} ${eye}`;
    const film = this.films.get(key) ?? (await this.source!.film(leg, eye));
    this.films.set(key, film);
    if (asked === this.asked) await this.take(film, address);
  }

  /** Puts a film on and opens a moment of it. */
  private async take(given: Film, address: Address): Promise<void> {
    const film = tidied(given);
    const viewer = this.viewer?.id === film.game ? this.viewer : await viewerOf(film.game);
    const reel = new Reel(film.frames);
    this.reel = reel;
    this.viewer = viewer;
    this.film = film;
    if (film.match) this.learn(film.match);
    this.leg = film.leg;
    // A person's film has its own eye, also where there is no fog.
    this.eye = viewer?.fog ? film.eye : "all";
    if (this.plays && film.eye !== "all") this.own = film.seats[film.eye];
    this.story = viewer && new Story(viewer, film, reel);
    this.length = reel.frames.length;
    this.t = 1;
    if (this.ask && this.ask.leg !== film.leg) this.answered();
    this.head = this.step = this.following ? reel.last : stepOf(reel, address);
    this.fetchLogs(film);
  }

  /** Takes over what a message or a film says of the match. Only the answer to this reader says which side is theirs, so
   * that is kept. */
  private learn(match: MatchBrief): void {
    this.match = this.match?.id === match.id ? { ...this.match, ...match } : match;
  }

  /** Asks for what the reader's bots wrote in this leg; the server gives nobody else's. */
  private fetchLogs({ leg }: Film): void {
    this.logs = [];
    const { match } = this;
    if (this.live || !match?.your) return;
    logs(match.id, leg).then(
      (lines) => (this.logs = this.leg === leg && this.match?.id === match.id ? lines : this.logs),
      () => {}, // A match without logs is no trouble.
    );
  }

  /** Another leg, or another eye on the same moment. */
  async turnTo(leg: number, eye: Eye): Promise<void> {
    if (!this.source || (leg === this.leg && eye === this.eye)) return;
    const round = this.reel.last >= 0 ? this.reel.frame(this.step).round : null;
    const step = round === null ? null : this.step - this.reel.roundStart(round);
    const address = leg === this.leg ? { ...NOWHERE, round, step } : NOWHERE;
    this.following = false;
    this.playing = false;
    await this.attempt(() => this.load(leg, eye, address));
  }

  // ---- the place in the film

  go(step: number): void {
    this.following = this.live && step >= this.last;
    this.move(step);
  }

  private move(step: number): void {
    const to = goTo({ step: this.head, t: this.t }, this.reel.within(step));
    this.t = to.t;
    this.head = this.step = to.step;
  }

  stepBy(by: 1 | -1): void {
    this.playing = false;
    this.go(this.head + by);
  }

  roundBy(by: 1 | -1): void {
    this.playing = false;
    this.go(this.reel.roundFrom(this.head, by));
  }

  markBy(by: 1 | -1): void {
    const step = this.story?.near(this.head, by);
    if (step == null) return;
    this.playing = false;
    this.go(step);
  }

  toggle(): void {
    if (!this.playing && this.head >= this.last && !this.live) this.move(0);
    this.playing = !this.playing;
    this.step = this.head;
    if (this.live && !this.playing) this.following = false;
  }

  goLive(): void {
    this.following = true;
    this.move(this.last);
  }

  setSpeed(index: number): void {
    this.speed = SPEEDS[index] ?? this.speed;
  }

  /** The next eye of the three, where the reader may choose. */
  nextEye(): void {
    const eyes: Eye[] = ["all", "first", "second"];
    if (this.eyes) void this.turnTo(this.leg, eyes[(eyes.indexOf(this.eye) + 1) % 3]!);
  }

  get eyes(): boolean {
    return !!this.viewer?.fog && !this.live && this.source !== null;
  }

  /** Time passes; true if something has moved. */
  tick(ms: number): boolean {
    const { head: step, t } = this;
    if (this.reel.last < 0 || (t >= 1 && !this.playing && !this.following)) return false;
    const pace = {
      step: (this.viewer?.pace ?? 300) / this.speed,
      playing: this.playing,
      last: this.reel.last,
      following: this.following,
    };
    const head = tick({ step, t }, ms, pace);
    this.t = head.t;
    this.head = head.step;
    if (head.step !== this.step) this.tell(head.step >= pace.last);
    if (this.playing && !this.live && head.step >= pace.last && head.t >= 1) this.playing = false;
    return head.t !== t || head.step !== step;
  }

  /** Lets the page follow the board, if it is time. */
  private tell(now: boolean): void {
    const at = performance.now();
    if (!now && at - this.told < TOLD_EVERY) return;
    this.told = at;
    this.step = this.head;
  }

  // ---- live

  private heard(message: Heard): void {
    if (!this.keepBack(message)) this.follow(message);
  }

  private follow(message: Heard): void {
    switch (message.type) {
      case "hello":
        this.learn(message.match);
        break;
      case "leg":
        void this.attempt(() => this.takeLive(message));
        break;
      case "earlier":
        this.takeEarlier(message);
        break;
      case "frames":
        this.grow(message);
        break;
      case "people":
        this.people = {
          a: message.a,
          b: message.b,
          until: message.until_ms === null ? null : performance.now() + message.until_ms,
        };
        break;
      case "countdown":
        this.countdown = performance.now() + message.ms;
        setTimeout(() => (this.countdown = null), message.ms);
        break;
      case "ask":
        this.question(message);
        break;
      case "refused":
        this.chosen = null;
        this.refusal = because(this.viewer, message.why, this.lang());
        break;
      case "over":
        if (message.match) void this.over(message.match);
        else if (this.match)
          void matchOf(this.match.id).then(
            (match) => this.over(match),
            () => {},
          );
        break;
      case "error":
        this.refusal = message.error?.message ?? message.message ?? null;
        break;
    }
  }

  /** Keeps the next leg back until the end of this one has been seen; a question to this reader waits for nothing. */
  private keepBack(message: Heard): boolean {
    if (message.type === "ask") this.showNextLeg();
    const replaces =
      message.type === "leg" &&
      this.following &&
      this.film !== null &&
      this.film.leg !== message.film.leg;
    if (replaces && this.waiting === null) {
      this.waiting = [];
      const steps = Math.min(PLAYED_OUT, this.reel.last - this.head);
      this.release = setTimeout(
        () => this.showNextLeg(),
        LEG_END + steps * (this.viewer?.pace ?? 300),
      );
    }
    if (this.waiting === null || !["leg", "frames", "over"].includes(message.type)) return false;
    this.waiting.push(message);
    return true;
  }

  private showNextLeg(): void {
    clearTimeout(this.release);
    const kept = this.waiting ?? [];
    this.waiting = null;
    for (const message of kept) this.follow(message);
  }

  /** Shows a leg from its newest frame on; the frames before it are asked for, as far as they are not there. */
  private async takeLive({ film, run }: { film: Film; run?: string }): Promise<void> {
    const same = run !== undefined && run === this.run && film.leg === this.film?.leg;
    const known = same ? this.known() : [];
    this.run = run;
    const first = film.frames[0]?.step ?? 0;
    const whole = known.length >= first;
    this.earlier = whole ? [] : known;
    await this.take(
      whole ? { ...film, frames: [...known.slice(0, first), ...film.frames] } : film,
      NOWHERE,
    );
    if (!whole && run !== undefined) this.socket?.askEarlier(run, known.length);
  }

  /** The frames that are there from the beginning without a gap. */
  private known(): Frame[] {
    return this.reel.first === 0 ? this.reel.frames : this.earlier;
  }

  private takeEarlier({ run, frames }: { run: string; frames: Frame[] }): void {
    if (run !== this.run || this.reel.first === 0) return;
    for (const frame of frames) if (frame.step === this.earlier.length) this.earlier.push(frame);
    if (this.earlier.length < this.reel.first)
      return this.socket?.askEarlier(run, this.earlier.length);
    this.reel = this.reel.completed(this.earlier);
    this.story = this.viewer && this.film && new Story(this.viewer, this.film, this.reel);
    this.earlier = [];
  }

  private grow({ leg, frames }: { leg: number; frames: Film["frames"] }): void {
    if (!this.film || leg !== this.film.leg) return;
    try {
      this.reel.push(frames);
    } catch (error) {
      if (!(error instanceof Gap)) throw error;
      return this.socket?.again();
    }
    this.story?.grow();
    this.length = this.reel.frames.length;
    if (this.ask && this.ask.step < this.reel.last) this.answered();
  }

  private question(message: Ask): void {
    const before = this.draft;
    this.ask = { ...message, until: performance.now() + message.left_ms };
    this.countdown = null;
    this.chosen = this.refusal = null;
    const view = this.reel.views[this.reel.last];
    this.draft = this.viewer?.composer?.start(message, view, before) ?? null;
    this.goLive();
  }

  private answered(): void {
    this.ask = null;
    this.chosen = null;
  }

  private async over(match: MatchBrief): Promise<void> {
    this.socket?.close();
    this.answered();
    const [leg, step, followed] = [this.leg, this.head, this.following];
    this.learn(match);
    this.live = this.following = this.plays = false;
    this.connected = true;
    this.countdown = null;
    if (!this.source || !hasFilm(match)) return;
    await this.attempt(() => this.load(leg, this.eye, NOWHERE));
    if (followed) this.playOut(step);
    else this.move(step);
  }

  /** Shows the last moves: the frames of a match's end come together with the word that it is over. */
  private playOut(from: number): void {
    this.head = this.step = Math.min(this.last, Math.max(from, this.last - PLAYED_OUT));
    this.t = 1;
    this.playing = this.head < this.last;
  }

  // ---- playing

  say(action: string): void {
    if (!this.ask) return;
    if (!this.socket?.say(this.ask.leg, this.ask.step, action)) {
      this.refusal = text("cutOff", this.lang());
      return;
    }
    this.chosen = action;
    this.refusal = null;
  }

  /** Says a choice, or why it cannot be said. */
  choose(choice: Choice): void {
    if (choice.legal) return this.say(choice.action);
    this.refusal = because(this.viewer, choice.why, this.lang());
  }

  /** Takes over what a composer made of a key or a click; false if it means nothing to it. */
  compose(next: unknown): boolean {
    if (next === null || next === undefined) return false;
    const refused = (next as { refused?: { en: string; zh: string } }).refused;
    if (refused) this.refusal = refused[this.lang()];
    else {
      this.draft = next;
      this.refusal = null;
    }
    return true;
  }

  finish(): void {
    const { ask, viewer, draft } = this;
    if (ask && viewer?.composer) this.say(viewer.composer.action(draft, ask));
  }

  leave(): void {
    this.socket?.leave();
  }
}

function isOver(match: MatchBrief): boolean {
  return !["waiting", "queued", "running"].includes(match.state);
}

/** Matches that are void or cancelled leave no replay. */
function hasFilm(match: MatchBrief): boolean {
  return match.state === "finished";
}
