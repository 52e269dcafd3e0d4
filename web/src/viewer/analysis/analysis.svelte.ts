// The analysis of the match or the branch that is shown: that of the arena if it has one, else on
// this computer's own processor.

import type { Engine } from "$lib/engine/client";
import type { EngineError, MatchAnalysis, PositionAssessment } from "$lib/engine/types";
import { explain } from "$lib/errors";
import { m } from "$lib/messages";
import type { LocalizedText } from "$lib/types";
import type { BoardArrow } from "../game_viewer";
import type { Seat } from "../leg_frames";
import { loadEngine } from "../frames_source";
import type { LocalGame, ViewerState } from "../viewer_state.svelte";
import type { Decision, KeyMoment, LegAnalysis } from "./analysis_types";
import { type DrawnLine, drawLines } from "./arrows";
import { type CurvePoint, type Knowledge, curvePoints, withSketch } from "./curve";
import { decisionAt, keyMoments, mistakeMarks } from "./key_moments";
import { askArena, awaitArena, needArena } from "./shared_analysis";
import { type SideSoFar, inTruth, sideSoFar } from "./so_far";
import { isAsGood, isMistake } from "./words";

/** Milliseconds between two updates of the page while the analysis runs. */
const UPDATE_MILLIS = 120;
/** Actions of a line that are drawn. */
const DRAWN_ACTIONS = 5;

/** The positions of all legs that are looked at before the decisions. */
const SKETCHED = 32;
/** The part that must be done before the rest is estimated. */
const LEAST_DONE = 0.02;

/** The arena searches rules that the page has not got, or that it had to end. */
const ARENA_CAN = ["unknown-game", "too-slow"];

/** What the arena has of what is not its own. */
const NOTHING = { legs: null, makes: false };

export type AnalysisStatus =
  "idle" | "loading" | "running" | "done" | "stopped" | "failed" | "no-engine";

/** The answer to what was played: the best lines of the position after it. */
export interface Refutation {
  decision: Decision;
  /** Null while it is searched. */
  found: PositionAssessment | null;
  /** The leg ended with the decision. */
  isEnd: boolean;
}

/** What was found of a branch, as far as it was played then. */
interface BranchAnalysis {
  file: Blob;
  lastStep: number;
  decisions: Decision[];
  /** Null until it is done. */
  leg: LegAnalysis | null;
  digest: LocalizedText | null;
}

export class AnalysisState {
  status: AnalysisStatus = $state("idle");
  /** Why it failed, for the reader. */
  error: string | null = $state(null);
  /** The part that is done, 0 to 1. */
  done = $state(0);
  /** About so many seconds are left; null before anything is known. */
  secondsLeft: number | null = $state(null);
  knowledge: Knowledge = $state("known");
  /** Whether lines are drawn on the board. */
  showsLines = $state(true);
  /** The decisions by leg; the list of a leg grows while it is analysed. */
  private decisionsOfLeg: Record<number, Decision[]> = $state.raw({});
  /** A first look at the course of the legs. */
  private sketches: Record<number, CurvePoint[]> = $state.raw({});
  /** The legs that are done. */
  private legs: Record<number, LegAnalysis> = $state.raw({});
  private digests: Record<number, LocalizedText> = $state.raw({});
  /** The branches by their number. */
  private branches: Record<number, BranchAnalysis> = $state.raw({});
  refutation: Refutation | null = $state.raw(null);
  /** The seat whose decision was chosen from the list. */
  chosenSeat: Seat | null = $state(null);
  /** The views of a line in a game of turns, for the decision that has it. */
  private lineViews: { decision: Decision; views: unknown[] } | null = $state.raw(null);

  private engine: Engine | null = null;
  private file: Blob | null = null;
  private stopper: AbortController | null = null;
  /** The arena's analysis is shown. */
  private isTaken = false;
  /** When the first decisions came, on the clock of `performance.now()`, and how much was done. */
  private began: { at: number; done: number } | null = null;

  readonly runs = $derived(this.status === "loading" || this.status === "running");
  /** The shown branch, if it was analysed. */
  private readonly branch: BranchAnalysis | null = $derived.by(() => {
    const { localGame } = this.page;
    return localGame ? (this.branches[localGame.id] ?? null) : null;
  });
  /** The key moment of a decision, if it is one. */
  momentOf(decision: Decision): KeyMoment | undefined {
    return this.moments.find((moment) => moment.decision === decision);
  }

  /** What is known so far of a leg that is not done: its accuracy and its grades by entrant. */
  sideSoFar(leg: number, entrant: "A" | "B"): SideSoFar | null {
    const { localGame, playback } = this.page;
    // A branch is of the shown leg alone.
    if (localGame && leg !== playback.leg) return null;
    const decisions = localGame ? this.decisions : (this.decisionsOfLeg[leg] ?? []);
    return sideSoFar(decisions.filter((decision) => decision.entrant === entrant));
  }

  /** The decisions of the shown leg; in a branch that was not analysed those before it. */
  private readonly judged: readonly Decision[] = $derived.by(() => {
    if (this.branch) return this.branch.decisions;
    const decisions = this.decisionsOfLeg[this.page.playback.leg] ?? [];
    const end = this.page.localGame?.firstStep;
    return end === undefined ? decisions : decisions.filter(({ step }) => step < end);
  });
  /** The decisions of the shown leg, as the chosen knowledge judges them. */
  readonly decisions: readonly Decision[] = $derived(
    this.knowledge === "known" ? this.judged : this.judged.map(inTruth),
  );
  /** The shown leg once it is done; a branch that was played on is not done any more. */
  readonly leg: LegAnalysis | null = $derived.by(() => {
    const { localGame, playback } = this.page;
    if (!localGame) return this.legs[playback.leg] ?? null;
    return this.branch?.lastStep === playback.lastStep ? this.branch.leg : null;
  });
  readonly finishedLegs: LegAnalysis[] = $derived.by(() => {
    if (this.page.localGame) return this.leg ? [this.leg] : [];
    return Object.values(this.legs).sort((a, b) => a.leg - b.leg);
  });
  /** What is shown, and was not analysed: the branch, the match, or nothing. */
  readonly missing: "branch" | "match" | null = $derived.by(() => {
    if (this.runs || this.status === "no-engine") return null;
    if (this.page.localGame) return this.leg ? null : "branch";
    return Object.keys(this.decisionsOfLeg).length > 0 ? null : "match";
  });
  readonly moments: KeyMoment[] = $derived(keyMoments(this.decisions, this.leg?.sides ?? null));
  readonly points: CurvePoint[] = $derived.by(() => {
    const { outcome, lastStep } = this.page.playback;
    const end = this.leg && outcome ? { step: lastStep, outcome } : null;
    const known = curvePoints(this.decisions, this.knowledge, end);
    const sketch = this.page.localGame ? [] : (this.sketches[this.page.playback.leg] ?? []);
    return this.leg ? known : withSketch(known, sketch);
  });
  /** The decision of the shown step. */
  readonly decision: Decision | null = $derived.by(() => {
    const { step } = this.page.playback;
    const refuted = this.refutation?.decision;
    if (refuted && refuted.step + 1 === step) return refuted;
    return decisionAt(this.decisions, step, this.chosenSeat);
  });

  constructor(private readonly page: ViewerState) {}

  /** The digest in words: the lines about the match, and those of every leg that is done. */
  digest(lang: "en" | "zh"): string {
    if (this.page.localGame) return (this.leg && this.branch?.digest?.[lang]) ?? "";
    const texts = this.finishedLegs.map(({ leg }) => this.digests[leg]?.[lang] ?? "");
    const lines = texts.map((text) => text.split("\n").filter(Boolean));
    return [...(lines[0] ?? []), ...lines.slice(1).flatMap((rest) => rest.slice(2))].join("\n");
  }

  /**
   * Analyses the shown leg, then the others; of a branch only its own leg. `asks`: whether the
   * arena may be asked to make it for all readers.
   */
  async start(asks = true): Promise<void> {
    if (this.runs) return;
    const { localGame } = this.page;
    this.reset(localGame);
    this.status = "loading";
    const shared = localGame ? null : this.arenaMatch;
    try {
      if (!this.page.playsHere && shared !== null) return await this.readArena(shared);
      const { legs, makes } = shared === null ? NOTHING : await askArena(shared, asks);
      if (legs) return this.take(legs);
      this.engine = await loadEngine();
      if (!this.engine && makes && shared !== null) return await this.readArena(shared);
      if (!this.engine) {
        this.status = "no-engine";
        return;
      }
      if (localGame) {
        await this.analyseBranch(this.engine, localGame);
      } else {
        this.file = await this.page.loadReplay();
        const stopper = (this.stopper = new AbortController());
        const own = this.analyseLegs(this.engine, this.file, stopper);
        if (makes && shared !== null) void this.takeOver(shared, stopper);
        await own;
        stopper.abort(); // The arena is asked no more.
      }
      this.status = "done";
    } catch (error) {
      if (this.isTaken) this.status = "done";
      else if (shared === null || !asks || !ARENA_CAN.includes((error as EngineError).code))
        this.fail(error);
      else await this.readArena(shared).catch((why) => this.fail(why));
    }
  }

  /** The match of the arena that is shown; null of a replay file. */
  private get arenaMatch(): number | null {
    const { match } = this.page;
    return match && match.state === "finished" && match.id > 0 ? match.id : null;
  }

  /** Only the arena has the rules of the game, and searches them for its own matches. */
  private async readArena(match: number): Promise<void> {
    const stopper = (this.stopper = new AbortController());
    const legs = await needArena(match, stopper.signal, (done) => {
      this.status = "running";
      this.done = done;
    });
    if (legs) this.take(legs);
    else this.status = "stopped";
  }

  /** Stops the own analysis once the arena has made its own, which may come first. */
  private async takeOver(match: number, stopper: AbortController): Promise<void> {
    const legs = await awaitArena(match, stopper.signal);
    if (!legs || stopper.signal.aborted || this.stopper !== stopper) return;
    this.take(legs);
    stopper.abort();
  }

  /** Shows what the arena has found. */
  private take(analyses: MatchAnalysis[]): void {
    this.isTaken = true;
    for (const one of analyses) this.keep(one);
    this.done = 1;
    this.status = "done";
  }

  private keep(analysis: MatchAnalysis): void {
    const found = analysis.legs[0] as unknown as LegAnalysis;
    const { leg } = found;
    this.legs = { ...this.legs, [leg]: found };
    this.decisionsOfLeg = { ...this.decisionsOfLeg, [leg]: found.decisions };
    const digest = analysis.digest as LocalizedText | undefined;
    if (digest) this.digests = { ...this.digests, [leg]: digest };
  }

  stop(): void {
    this.stopper?.abort();
  }

  private reset(branch: LocalGame | null): void {
    this.error = this.refutation = this.lineViews = null;
    this.done = 0;
    this.began = this.secondsLeft = null;
    this.isTaken = false;
    if (branch) return;
    this.decisionsOfLeg = {};
    this.legs = {};
    this.sketches = {};
    this.digests = {};
  }

  private fail(error: unknown): void {
    const code = (error as { code?: string }).code;
    this.status = code === "stopped" ? "stopped" : "failed";
    this.error = explain(error);
  }

  private async analyseLegs(engine: Engine, file: Blob, stopper: AbortController): Promise<void> {
    const { leg: shown, legFrames } = this.page.playback;
    const count = legFrames?.legs ?? 1;
    const others = Array.from({ length: count }, (_, at) => at + 1).filter((leg) => leg !== shown);
    await this.sketchLegs(engine, file, [shown, ...others], stopper.signal);
    for (const [at, leg] of [shown, ...others].entries()) {
      const analysis = await this.analyseLeg(engine, file, leg, stopper.signal, (known, done) => {
        this.done = (at + done) / count;
        this.estimateRest();
        this.decisionsOfLeg = { ...this.decisionsOfLeg, [leg]: known };
      });
      this.keep(analysis);
      this.done = (at + 1) / count;
    }
  }

  /** Looks at some positions of every leg, so that its course is seen within seconds. */
  private async sketchLegs(engine: Engine, file: Blob, legs: number[], signal: AbortSignal) {
    const points = Math.ceil(SKETCHED / legs.length);
    for (const leg of legs) {
      if (signal.aborted) return;
      try {
        this.sketches = { ...this.sketches, [leg]: await engine.sketch(file, leg, points) };
      } catch {
        return; // The analysis itself says why.
      }
      this.status = "running";
    }
  }

  private estimateRest(): void {
    const now = performance.now();
    this.began ??= { at: now, done: this.done };
    const done = this.done - this.began.done;
    if (done < LEAST_DONE) return;
    this.secondsLeft = ((now - this.began.at) / 1000 / done) * (1 - this.done);
  }

  private async analyseBranch(engine: Engine, game: LocalGame): Promise<void> {
    const { leg, lastStep } = this.page.playback;
    const file = await game.readReplay();
    const stopper = (this.stopper = new AbortController());
    const keep = (found: Omit<BranchAnalysis, "file" | "lastStep">) =>
      (this.branches = { ...this.branches, [game.id]: { file, lastStep, ...found } });
    const analysis = await this.analyseLeg(engine, file, leg, stopper.signal, (known, done) => {
      this.done = done;
      this.estimateRest();
      keep({ decisions: known, leg: null, digest: null });
    });
    const found = analysis.legs[0] as unknown as LegAnalysis;
    const digest = (analysis.digest as LocalizedText | undefined) ?? null;
    keep({ decisions: found.decisions, leg: found, digest });
    this.done = 1;
  }

  /** Analyses a leg, and shows several times a second what was found so far. */
  private async analyseLeg(
    engine: Engine,
    file: Blob,
    leg: number,
    signal: AbortSignal,
    show: (known: Decision[], done: number) => void,
  ): Promise<MatchAnalysis> {
    const known: Decision[] = [];
    let updated = 0;
    const onProgress = (progress: { done: number; all: number; decisions: unknown[] }) => {
      known.push(...(progress.decisions as Decision[]));
      const now = performance.now();
      if (now - updated < UPDATE_MILLIS) return;
      updated = now;
      this.status = "running";
      show(known.slice(), progress.done / Math.max(1, progress.all));
    };
    return engine.analyze(file, { leg }, { onProgress, signal });
  }

  /** Goes to the position of a decision and draws its best line. */
  showDecision(decision: Decision): void {
    this.refutation = null;
    this.chosenSeat = decision.seat;
    this.showsLines = true;
    this.page.playback.stopAtStep(decision.step);
  }

  /** Whether what was played was worse, and something answers it. */
  hasRefutation(decision: Decision): boolean {
    const isWorse = isMistake(decision) || decision.grade === "inaccuracy";
    return (
      this.page.playsHere && isWorse && decision.fault === undefined && !this.endsLeg(decision)
    );
  }

  /** Whether the leg ended with a decision. */
  endsLeg(decision: Decision): boolean {
    const { lastStep, outcome } = this.page.playback;
    return decision.step + 1 >= lastStep && outcome !== null;
  }

  /** Goes to the position after a decision and draws what answers it. */
  async showRefutation(decision: Decision): Promise<void> {
    const { playback } = this.page;
    const step = decision.step + 1;
    this.chosenSeat = decision.seat;
    this.showsLines = true;
    const isEnd = this.endsLeg(decision);
    this.refutation = { decision, found: null, isEnd };
    playback.stopAtStep(step);
    if (isEnd) return;
    try {
      const { engine, file } = await this.loadMeans();
      const found = await engine.assess(file, playback.leg, step);
      if (this.refutation?.decision === decision) this.refutation = { decision, found, isEnd };
    } catch (error) {
      this.error = explain(error);
      this.refutation = null;
    }
  }

  /** The engine and the shown replay: for an analysis of the arena they are loaded when used. */
  private async loadMeans(): Promise<{ engine: Engine; file: Blob }> {
    const engine = (this.engine ??= await loadEngine());
    const file = this.branch?.file ?? (this.file ??= await this.page.loadReplay());
    if (!engine) throw new Error(m.analysis_no_engine());
    return { engine, file };
  }

  /** Loads the views of the shown decision's line, where a game of turns needs them. */
  async loadLine(): Promise<void> {
    const { decision } = this;
    const { leg, playback } = { leg: this.page.playback.leg, playback: this.page.playback };
    if (!decision || playback.playing || this.refutation || !playback.viewer?.lineArrows) return;
    if (this.lineViews?.decision === decision || decision.line.length < 2) return;
    if ((playback.moment?.frame.to_move.length ?? 0) !== 1) return;
    const actions = decision.line.slice(0, DRAWN_ACTIONS);
    try {
      const { engine, file } = await this.loadMeans();
      const views = await engine.lineViews(file, leg, decision.step, actions);
      if (this.decision === decision) this.lineViews = { decision, views };
    } catch {
      // Without the views only the first action is drawn.
    }
  }

  /** The lines that belong to the shown step. */
  readonly lines: DrawnLine[] = $derived.by(() => {
    if (!this.showsLines) return [];
    const { decision, refutation } = this;
    if (refutation && refutation.decision === decision) return this.refutationLines(refutation);
    return decision ? this.decisionLines(decision) : [];
  });

  private refutationLines({ decision, found }: Refutation): DrawnLine[] {
    const { moment } = this.page.playback;
    if (!found || !moment) return [];
    const other: Seat = decision.seat === "first" ? "second" : "first";
    return ([decision.seat, other] as const).flatMap((seat): DrawnLine[] => {
      const side = found.seats[seat];
      if (!side) return [];
      const arrows = this.arrowsOf(moment.view, seat, side.line, found.views);
      return [{ kind: seat === other ? "reply" : "best", arrows }];
    });
  }

  private decisionLines(decision: Decision): DrawnLine[] {
    const { moment } = this.page.playback;
    if (!moment || decision.choices < 2) return [];
    const { view } = moment;
    const best = decision.line;
    const views = this.lineViews?.decision === decision ? this.lineViews.views : [];
    const { seat } = decision;
    const { grade, played } = decision;
    const own = () => this.arrowsOf(view, seat, [played], []);
    if (isAsGood(decision) && played !== best[0]) return [{ kind: "best", arrows: own() }];
    const line: DrawnLine = { kind: "best", arrows: this.arrowsOf(view, seat, best, views) };
    const isBest = played === best[0] || decision.fault !== undefined;
    return isBest ? [line] : [line, { kind: "played", grade, arrows: own() }];
  }

  private arrowsOf(view: unknown, seat: Seat, line: string[], views: unknown[]): BoardArrow[] {
    const { viewer, legFrames } = this.page.playback;
    const actions = line.slice(0, DRAWN_ACTIONS);
    return viewer?.lineArrows?.({ view, setup: legFrames?.setup, seat, actions, views }) ?? [];
  }

  /** Puts the mistakes and blunders on the timeline. */
  markTimeline(): void {
    const { viewer } = this.page.playback;
    if (viewer) this.page.playback.extraMarks = mistakeMarks(this.decisions, viewer, this.moments);
  }

  /** Removes everything that the page has got from the analysis. */
  leave(): void {
    this.stop();
    this.page.overlay = null;
    this.page.playback.extraMarks = [];
  }

  /** Lets the board draw the lines of the shown step. */
  drawOnBoard(): void {
    const { lines } = this;
    const { step } = this.page.playback;
    this.page.overlay =
      lines.length === 0
        ? null
        : (scene) => {
            if (scene.moment.frame.step === step) drawLines(scene, lines);
          };
  }
}
