// "What if": branches of a recorded match, played on by the reader or by built-in bots, with the
// engine in the page. Nothing is stored: a branch is its moves.

import type { Engine } from "$lib/engine/client";
import type {
  EngineError,
  EngineGame,
  PlayAnswer,
  PlayQuestion,
  PlayStart,
} from "$lib/engine/types";
import { explain } from "$lib/errors";
import { m } from "$lib/messages";
import { replaceAddress } from "$lib/router.svelte";
import { NO_ADDRESS } from "../address";
import type { Address } from "../address";
import { type FramesSource, loadEngine } from "../frames_source";
import { type Perspective, type Seat, SEATS, parseLegFrames } from "../leg_frames";
import type { LocalGame, ViewerState } from "../viewer_state.svelte";
import { type BranchMoves, type BranchPlayers, firstReplies, writeBranch } from "./branch_link";

/** Steps of one call while bots play, so that their moves are seen as they are found. */
const STEPS_AT_ONCE = 4;

export interface Branch extends BranchMoves {
  id: number;
  /** The branch that it leaves; null if it leaves the record. */
  parent: number | null;
  /** The step of the leg where it leaves its parent, and the round there. */
  from: number;
  round: number;
  /** Whether the leg ended in it. */
  isOver: boolean;
}

export class BranchesState {
  list: readonly Branch[] = $state.raw([]);
  /** The branch that is shown; null is the record. */
  shownId: number | null = $state(null);
  /** Whether the engine plays. */
  plays = $state(false);
  /** Why the last request failed, for the reader. */
  error: string | null = $state(null);
  /** What the page lacks to play on: the engine, or the rules of the game. */
  lack: "engine" | "rules" | null = $state(null);
  /** The built-in bots of the game, the weakest first. */
  bots: EngineGame["bots"] = $state.raw([]);
  /** The address of the shown branch. */
  link = $state("");

  private engine: Engine | null = null;
  private file: Blob | null = null;
  private record: FramesSource | null = null;
  private nextId = 1;
  /** Grows when something else is shown; then a running call is out of date. */
  private turn = 0;
  private asked: { questions: PlayQuestion[]; actions: [string | null, string | null] } | null =
    null;

  readonly shown: Branch | null = $derived(this.list.find(({ id }) => id === this.shownId) ?? null);

  constructor(private readonly page: ViewerState) {}

  /** Loads the engine, the replay and the names of the bots. */
  async load(): Promise<boolean> {
    if (this.engine) return true;
    return this.run(async () => {
      this.record = this.page.loader.source;
      this.file = await this.page.loadReplay();
      const engine = await loadEngine();
      this.lack = engine ? null : "engine";
      if (!engine) return;
      this.bots = (await engine.about(this.file)).bots;
      this.engine = engine;
    });
  }

  /** Branches off at the shown moment, and plays on. */
  async start(players: BranchPlayers): Promise<void> {
    const { leg, step, round } = this.page.playback;
    const from = this.shown;
    const isInside = from !== null && step > from.step;
    const kept = isInside ? from.step : step;
    const replies = isInside ? firstReplies(from.replies, step - from.step) : "";
    const parent = from && step >= from.from ? from.id : (from?.parent ?? null);
    await this.add({ leg, step: kept, players, replies, parent, from: step, round });
  }

  /** Shows the branch of a link. */
  async open(moves: BranchMoves, address: Address): Promise<void> {
    if (!(await this.load()) || !this.engine) return;
    const branch = this.insert({ ...moves, parent: null, from: moves.step, round: 0 });
    const answer = await this.show(branch, address);
    if (!answer) return;
    const round = this.page.playback.buffer.frameAt(branch.step).round;
    this.update(branch, { round, isOver: answer.is_over });
  }

  private async add(branch: Omit<Branch, "id" | "isOver">): Promise<void> {
    if (!(await this.load()) || !this.engine) return;
    const added = this.insert(branch);
    if (await this.show(added)) await this.playOn();
  }

  private insert(branch: Omit<Branch, "id" | "isOver">): Branch {
    const added = { ...branch, id: this.nextId++, isOver: false };
    this.list = [...this.list, added];
    return added;
  }

  /** Shows a branch from the step where it begins, or from an address. */
  async show(branch: Branch, address: Address | null = null): Promise<PlayAnswer | null> {
    const { playback, loader } = this.page;
    const turn = this.leave();
    loader.useSource(this.sourceOf(branch.id));
    this.shownId = branch.id;
    const { perspective } = playback;
    let answer: PlayAnswer | null = null;
    await this.run(async () => {
      answer = await this.ask(branch, { limit: 0, perspective });
      if (turn !== this.turn) return void (answer = null);
      this.page.localGame = this.localGame(branch);
      await playback.showLeg(parseLegFrames(answer.leg_frames), address ?? NO_ADDRESS);
      // A link names no moment: it opens the one where the branch begins.
      if (!address || (address.round === null && address.at === null))
        playback.moveToStep(branch.from);
      await this.writeLink();
    });
    return answer;
  }

  /** Shows the record again, where the branch left it. */
  async showRecord(): Promise<void> {
    const branch = this.shown;
    this.leave();
    this.shownId = null;
    this.page.localGame = null;
    this.link = "";
    replaceAddress(location.pathname + location.search);
    if (this.record) this.page.loader.useSource(this.record);
    const { leg, perspective } = this.page.playback;
    await this.page.reloadLeg(branch?.leg ?? leg, perspective, branch?.step ?? 0);
  }

  /** Stops the bots; the branch stays. */
  stop(): void {
    this.turn++;
    this.plays = false;
  }

  /** Forgets the questions and calls of what was shown. */
  private leave(): number {
    this.stop();
    this.asked = null;
    this.page.turn.endQuestion();
    this.page.turn.hasSeat = false;
    this.page.playback.playing = this.page.playback.following = false;
    return this.turn;
  }

  /** Lets bots play the shown branch on, until a person is asked or the leg ends. */
  async playOn(actions: [string | null, string | null] = [null, null]): Promise<void> {
    const turn = ++this.turn;
    const { playback } = this.page;
    this.plays = true;
    playback.following = true;
    await this.run(async () => {
      let next: [string | null, string | null] = actions;
      for (;;) {
        const branch = this.shown;
        if (!branch || turn !== this.turn) return;
        const framesFrom = playback.buffer.lastStep + 1;
        const { perspective } = playback;
        const answer = await this.ask(branch, {
          actions: next,
          limit: STEPS_AT_ONCE,
          framesFrom,
          perspective,
        });
        if (turn !== this.turn || this.shownId !== branch.id) return;
        if (playback.perspective !== perspective) continue;
        playback.appendFrames(answer.leg_frames.frames);
        this.update(branch, { replies: answer.replies, isOver: answer.is_over });
        // The frames of the branch changed, so those that were loaded before are out of date.
        this.page.loader.useSource(this.sourceOf(branch.id));
        if (answer.is_over || this.askPeople(answer)) break;
        next = [null, null];
      }
      await this.writeLink();
    });
    if (turn !== this.turn) return;
    this.plays = false;
    if (this.shown?.isOver) this.page.turn.hasSeat = false;
  }

  /** Shows the questions to people; false if there are none. */
  private askPeople({ questions }: PlayAnswer): boolean {
    const asked = questions.filter((question) => question !== null);
    if (asked.length === 0) return false;
    this.asked = { questions: asked, actions: [null, null] };
    this.page.turn.hasSeat = true;
    this.showQuestion(asked[0]!);
    return true;
  }

  private showQuestion(question: PlayQuestion): void {
    this.page.turn.startQuestion({ ...question, left_ms: null, budget_ms: null });
  }

  private localGame({ id, step }: Branch): LocalGame {
    const readReplay = async () => {
      const branch = this.list.find((one) => one.id === id);
      if (!branch) throw new Error("the branch is gone");
      return this.writeReplay(branch);
    };
    return { id, firstStep: step, answer: (action) => this.answer(action), readReplay };
  }

  /** Takes a person's action; where both seats are people, both are asked before the step. */
  private answer(action: string): boolean {
    const { asked } = this;
    const question = this.page.turn.question;
    if (!asked || !question) return false;
    asked.actions[SEATS.indexOf(question.seat)] = action;
    const more = asked.questions.find(({ seat }) => asked.actions[SEATS.indexOf(seat)] === null);
    if (more) {
      // The question is shown after this answer has been noted.
      queueMicrotask(() => this.showQuestion(more));
      return true;
    }
    this.asked = null;
    void this.playOn(asked.actions).then(() => this.page.turn.endAnsweredQuestion());
    return true;
  }

  /** Saves the branch as a replay file. */
  async save(branch: Branch): Promise<File | null> {
    let file: File | null = null;
    await this.run(async () => {
      file = await this.writeReplay(branch);
    });
    return file;
  }

  private async writeReplay(branch: Branch): Promise<File> {
    if (!this.engine) throw new Error("there is no engine");
    const entrant = (seat: Seat) => {
      const bot = branch.players[seat];
      return bot === null
        ? { name: "person", kind: "human" as const }
        : { name: bot, kind: "built-in" as const };
    };
    const entrants = byEntrant(branch, entrant);
    return this.engine.save(this.startOf(branch), { legs: [branch.replies], entrants });
  }

  private update(branch: Branch, more: Partial<Branch>): void {
    this.list = this.list.map((one) => (one.id === branch.id ? { ...one, ...more } : one));
  }

  private startOf({ leg, step }: Branch): PlayStart {
    if (!this.file) throw new Error("there is no replay");
    return { file: this.file, leg, step };
  }

  private ask(
    branch: Branch,
    more: {
      actions?: [string | null, string | null];
      limit: number;
      framesFrom?: number;
      perspective: Perspective;
    },
  ): Promise<PlayAnswer> {
    if (!this.engine) throw new Error("there is no engine");
    const { players, replies } = branch;
    return this.engine.play(this.startOf(branch), {
      players: [players.first, players.second],
      names: byEntrant(branch, (seat) => players[seat] ?? m.branch_person()),
      replies,
      ...more,
    });
  }

  /** The frames of a branch; another leg is one of the record. */
  private sourceOf(id: number): FramesSource {
    return {
      loadReplay: this.record?.loadReplay,
      loadLeg: async (leg, perspective) => {
        const branch = this.list.find((one) => one.id === id);
        if (branch?.leg === leg)
          return (await this.ask(branch, { limit: 0, perspective })).leg_frames;
        this.leave();
        this.shownId = null;
        this.page.localGame = null;
        if (!this.record) throw new Error("there is no record");
        this.page.loader.useSource(this.record);
        return this.record.loadLeg(leg, perspective);
      },
    };
  }

  private async writeLink(): Promise<void> {
    const branch = this.shown;
    if (!branch) return;
    const hash = await writeBranch(branch);
    if (this.shownId !== branch.id) return;
    const query = new URLSearchParams(location.search);
    for (const key of ["round", "step", "at"]) query.delete(key);
    this.link = `${location.href.replace(/[?#].*/s, "")}${query.size ? `?${query}` : ""}${hash}`;
    replaceAddress(`${location.pathname}${location.search}${hash}`);
  }

  /** Runs a task, and shows its error; false if it failed. */
  private async run(task: () => Promise<void>): Promise<boolean> {
    this.error = null;
    try {
      await task();
      return true;
    } catch (error) {
      this.error = explain(error);
      const { code } = error as EngineError;
      if (code === "unknown-game" || code === "too-slow") this.lack = "rules";
      this.plays = false;
      return false;
    }
  }
}

/** The values of entrant A and B, who swap seats after every leg. */
function byEntrant<T>({ leg }: Branch, of: (seat: Seat) => T): [T, T] {
  return leg % 2 === 1 ? [of("first"), of("second")] : [of("second"), of("first")];
}
