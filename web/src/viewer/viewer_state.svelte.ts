// The state of a match page. Its parts: loading (LegLoader), the shown moment (Playback), a running
// match (LiveSession) and a person's turn (HumanTurn). This class opens matches and connects the
// parts.

import { builtInTitle } from "$lib/levels";
import { draftsOf } from "$lib/drafts";
import { hasPageRules } from "$lib/games.svelte";
import { isMatchOver } from "$lib/states";
import type { LogEntry, MatchDetails } from "$lib/types";
import { type Address, NO_ADDRESS } from "./address";
import {
  type FramesSource,
  LoadError,
  fetchLogs,
  fetchMatch,
  framesOfMatch,
} from "./frames_source";
import { isHouseGame, loadGameViewer } from "./game_viewers";
import type { BoardCell, Scene } from "./game_viewer";
import { loadSeat } from "$lib/seat_tokens";
import { stepBeforeDecision } from "./decision";
import { HumanTurn } from "./human_turn.svelte";
import {
  type Entrant,
  type Lang,
  type LegFrames,
  type MatchSummary,
  PERSPECTIVES,
  type Perspective,
  type Seat,
  parseLegFrames,
} from "./leg_frames";
import { LegLoader } from "./leg_loader.svelte";
import type { MatchConnection, MessageListener } from "./live_connection";
import { LiveSession } from "./live_session.svelte";
import { Playback } from "./playback.svelte";

/** A match as a list, a live connection or the page of a match provides it. */
export type KnownMatch = MatchSummary & Partial<Pick<MatchDetails, "your" | "files" | "config">>;

/** A leg that the engine in the page plays on. */
export interface LocalGame {
  /** The number of the branch. */
  readonly id: number;
  /** The first step that is not recorded. */
  readonly firstStep: number;
  /** Takes the action of the person who is asked; false if it comes too late. */
  answer(action: string): boolean;
  /** The replay with this leg as it was played so far. */
  readReplay(): Promise<Blob>;
}

export class ViewerState {
  readonly loader = new LegLoader();
  readonly playback: Playback;
  readonly turn: HumanTurn;
  readonly session: LiveSession;

  match: KnownMatch | null = $state.raw(null);
  /** The logs of the reader's bots in this leg. */
  logs: LogEntry[] = $state.raw([]);
  /** Draws what the reader's bot says to the viewer. */
  remarksOverlay: ((scene: Scene<unknown, unknown>) => void) | null = $state.raw(null);
  /** The cell that is inspected by keys, and the cell under the pointer. */
  cursor: BoardCell | null = $state.raw(null);
  hover: BoardCell | null = $state.raw(null);
  /** The entrant that this reader plays, or has played in this tab. */
  ownEntrant: Entrant | null = $state(null);
  /** A leg that is played on this computer. */
  localGame: LocalGame | null = $state.raw(null);
  /** Draws over the board, such as the lines of an analysis. */
  overlay: ((scene: Scene<unknown, unknown>) => void) | null = $state.raw(null);
  /** Whether this reader has just played the match to its end. */
  hasJustEnded = $state(false);

  constructor(lang: () => Lang) {
    this.playback = new Playback(() => this.ownSeat, lang);
    const sendAction = (leg: number, step: number, action: string) =>
      this.localGame?.answer(action) ?? this.session.sendAction(leg, step, action);
    this.turn = new HumanTurn(this.playback, sendAction, lang);
    this.session = new LiveSession(this.playback, this.turn, this.loader, {
      onMatch: (match) => this.updateMatch(match),
      onOwnEntrant: (entrant) => (this.ownEntrant = entrant),
      onFinished: (match) => this.showFinished(match),
    });
  }

  /** Whether two people play. */
  get facesPerson(): boolean {
    const { match } = this;
    if (this.localGame !== null || match?.a?.bot !== null || match.b?.bot !== null) return false;
    return !match.a.home && !match.b.home;
  }

  /**
   * Whether the page's engine has the rules: of Leitai's games, and of those that it can get.
   * A page that was saved as a file has no server.
   */
  get playsHere(): boolean {
    const id = this.playback.viewer?.id;
    if (id === undefined || isHouseGame(id)) return id !== undefined;
    return /^https?:$/.test(location.protocol) && hasPageRules(id);
  }

  /** The name of the other one, as people read it. */
  get otherName(): string {
    const { ownEntrant, match } = this;
    return ownEntrant && match ? builtInTitle(match[ownEntrant === "a" ? "b" : "a"].name) : "";
  }

  /** Whether this reader still has to say that the match may begin. */
  get isAskedReady(): boolean {
    const { readiness } = this.session;
    return this.isPlaying && readiness !== null && !readiness[this.ownEntrant ?? "a"];
  }

  /** The seat of this reader, who plays or whose bot plays. */
  get ownSeat(): Seat | null {
    if (this.turn.question) return this.turn.question.seat;
    const { legFrames } = this.playback;
    const entrant = this.ownEntrant ?? this.match?.your;
    if (!entrant || !legFrames) return null;
    return legFrames.seats.first === entrant ? "first" : "second";
  }

  /** Whether this reader plays: in a running match, or on this computer. */
  get isPlaying(): boolean {
    return this.turn.hasSeat && (this.playback.live || this.localGame !== null);
  }

  /** Whether the reader may choose the perspective. */
  get hasPerspectives(): boolean {
    return !!this.playback.viewer?.fog && !this.playback.live && this.loader.source !== null;
  }

  /**
   * Opens a match by its id: its frames when it is over, its live connection while it is played.
   * The opening is shown before all frames are there, for readers on slow lines.
   */
  async openMatch(id: number, address: Address = NO_ADDRESS, showsOpening = false): Promise<void> {
    this.reset();
    await this.loader.runTask(async () => {
      const match = await fetchMatch(id);
      this.match = match;
      this.loader.useSource(framesOfMatch(id, () => this.match));
      this.ownEntrant = loadSeat(id)?.entrant ?? null;
      if (hasReplay(match)) {
        if (showsOpening && address.round === null && address.at === null)
          await this.showOpening(address);
        return this.loadAddress(address);
      }
      if (isMatchOver(match.state)) return;
      this.playback.viewer = await loadGameViewer(match.game);
      this.turn.drafts = draftsOf(id);
      this.session.joinMatch(id);
    });
  }

  async openSource(source: FramesSource, address: Address = NO_ADDRESS): Promise<void> {
    this.reset();
    this.loader.useSource(source);
    await this.loader.runTask(() => this.loadAddress(address));
  }

  /** Shows known frames; other legs come from the source. */
  async openFrames(legFrames: LegFrames, source: FramesSource): Promise<void> {
    this.reset();
    this.loader.useSource(source);
    await this.loader.runTask(() => this.showFrames(legFrames, NO_ADDRESS));
  }

  /** The replay of the shown match, as bytes. */
  async loadReplay(): Promise<Blob> {
    const load = this.loader.source?.loadReplay;
    if (!load) throw new LoadError("there is no replay");
    return load();
  }

  /** Plays a match in this page, without a server. */
  async playLocally(
    game: string,
    connect: (listener: MessageListener) => MatchConnection,
  ): Promise<void> {
    this.reset();
    await this.loader.runTask(async () => {
      this.playback.viewer = await loadGameViewer(game);
      this.session.playLocally(connect);
    });
  }

  close(): void {
    this.session.closeConnection();
    this.loader.cancelRequests();
  }

  /** Shows another leg, or the same moment from another perspective. */
  async showLeg(leg: number, perspective: Perspective): Promise<void> {
    const { playback } = this;
    if (!this.loader.source || (leg === playback.leg && perspective === playback.perspective))
      return;
    const address = leg === playback.leg ? this.currentAddress() : NO_ADDRESS;
    playback.following = playback.playing = false;
    await this.loader.runTask(() => this.loadLeg(leg, perspective, address));
  }

  /** Loads a leg again, from a source that changed, and shows a step of it. */
  async reloadLeg(leg: number, perspective: Perspective, step: number): Promise<void> {
    const address = { ...NO_ADDRESS, at: step };
    await this.loader.runTask(() => this.loadLeg(leg, perspective, address));
  }

  /** Shows the same moment from the next perspective, if the reader may choose. */
  showNextPerspective(): void {
    if (!this.hasPerspectives) return;
    const at = PERSPECTIVES.indexOf(this.playback.perspective);
    void this.showLeg(this.playback.leg, PERSPECTIVES[(at + 1) % PERSPECTIVES.length]!);
  }

  private reset(): void {
    this.close();
    this.loader.reset();
    this.session.reset();
    this.playback.reset();
    this.turn.endQuestion();
    this.turn.draft = this.turn.drafts = null;
    this.ownEntrant = this.match = this.overlay = this.localGame = null;
    this.hasJustEnded = false;
  }

  private currentAddress(): Address {
    const { buffer, step } = this.playback;
    if (buffer.lastStep < 0) return NO_ADDRESS;
    const { round } = buffer.frameAt(step);
    return { ...NO_ADDRESS, round, step: step - buffer.firstStepOfRound(round) };
  }

  /** Shows the first position of a leg; without it, the reader waits for the whole leg. */
  private async showOpening({ leg, perspective }: Address): Promise<void> {
    const { source } = this.loader;
    const found = await source?.loadOpening?.(leg ?? 1, perspective ?? "all").catch(() => null);
    if (!found || source !== this.loader.source) return;
    const opening = { ...parseLegFrames(found), outcome: null, verdict: null, faults: [] };
    await this.playback.showLeg(opening, NO_ADDRESS);
  }

  private loadAddress(address: Address): Promise<void> {
    return this.loadLeg(address.leg ?? 1, address.perspective ?? "all", address);
  }

  private async loadLeg(leg: number, perspective: Perspective, address: Address): Promise<void> {
    const legFrames = await this.loader.loadLeg(leg, perspective);
    if (legFrames) await this.showFrames(legFrames, address);
  }

  private async showFrames(legFrames: LegFrames, address: Address): Promise<void> {
    if (legFrames.match) this.updateMatch(legFrames.match);
    await this.playback.showLeg(legFrames, address);
    this.loadLogs(legFrames);
  }

  /** Only the page of a match knows the reader's side; lists and live messages do not. */
  private updateMatch(match: MatchSummary): void {
    this.match = this.match?.id === match.id ? { ...this.match, ...match } : match;
  }

  /** Loads the logs of the reader's bots in this leg; the server sends only the reader's own. */
  private loadLogs({ leg }: LegFrames): void {
    this.logs = [];
    const { match } = this;
    const { source } = this.loader;
    const own = match?.your ? () => fetchLogs(match.id, leg) : null;
    const load = match ? own : source?.loadLogs && (() => source.loadLogs!(leg));
    if (this.playback.live || !load) return;
    const isCurrent = () =>
      this.playback.leg === leg && this.match?.id === match?.id && this.loader.source === source;
    load().then(
      (logs) => (this.logs = isCurrent() ? logs : this.logs),
      () => {}, // A match without logs is shown like any other.
    );
  }

  /** After the end of a live match: shows its replay, from the last moves on. */
  private async showFinished(match: MatchSummary): Promise<void> {
    const { playback } = this;
    const { leg, head, following, perspective } = playback;
    this.hasJustEnded = this.ownEntrant !== null;
    this.updateMatch(match);
    playback.live = playback.following = false;
    if (!this.loader.source || !hasReplay(match)) return;
    await this.loader.runTask(() => this.loadLeg(leg, perspective, NO_ADDRESS));
    if (following) playback.playClosingSteps(head);
    else playback.moveToStep(head);
  }

  /** Plays the leg from shortly before the moment that decided it. */
  playDecisiveMoment(): void {
    const { playback } = this;
    const winner = playback.outcome?.winner ?? null;
    playback.moveToStep(stepBeforeDecision(playback.buffer, winner, this.ownSeat));
    playback.setSpeed(0);
    playback.playing = true;
  }
}

/** Void and cancelled matches have no replay. */
function hasReplay(match: MatchSummary): boolean {
  return match.state === "finished";
}
