// The engine in the page: the rules, the built-in bots and the analysis in WebAssembly, in a
// worker. Import this module when it is needed (`await import("$lib/engine/client")`), so that the
// first page does not load it.
//
//   const engine = openEngine();           null if this build has no engine
//   await engine.verify(file);             whether a replay follows the rules
//   await engine.frames(file, 1, "all");   what the server sends for this leg
//   await engine.analyze(file, {}, { onProgress, signal });
//   await engine.play({ file, leg: 1, step: 40 }, { players: ["champion", null] });

import { localized } from "$lib/locale.svelte";
import { m } from "$lib/messages";
import type { MatchSummary } from "$lib/types";
import type { LegFrames, Perspective } from "$viewer/leg_frames";
import type { Call } from "./protocol";
import {
  type AnalysisProgress,
  type AnalyzeOptions,
  type Checkpoints,
  type EngineGame,
  EngineError,
  type MatchAnalysis,
  type PositionAssessment,
  type PlayAnswer,
  type PlayOptions,
  type PlayStart,
  type SaveOptions,
  type Verification,
} from "./types";
import { noteEngineUse } from "./in_use";
import { findEngine } from "./source";
import { type GuestRules, fetchGuestRules, readGameName } from "./guest_rules";
import { type EngineSource, EngineWorker } from "./worker_pool";

export * from "./types";

/** Listeners of a long call. */
export interface AnalysisListeners {
  onProgress?: (progress: AnalysisProgress) => void;
  /** Stops the call, which fails with the code `stopped`. */
  signal?: AbortSignal;
}

const NO_FILE = new Uint8Array();

export class Engine {
  private readonly worker: EngineWorker;
  /** The games from game files that were needed so far, and all that were asked for. */
  private readonly guests: GuestRules[] = [];
  private readonly asked = new Map<string, Promise<GuestRules | null>>();

  constructor(private readonly source: EngineSource) {
    this.worker = new EngineWorker(source);
  }

  /** Plays a replay again and compares everything that it records. */
  async verify(file: Blob): Promise<Verification> {
    return this.ask({ call: "verify" }, await readBytes(file));
  }

  /** The hash of every checkpoint of a replay. */
  async checkpoints(file: Blob): Promise<Checkpoints> {
    return this.ask({ call: "checkpoints" }, await readBytes(file));
  }

  /**
   * The frames of a leg, as the server sends them. Without the match of the arena the replay is
   * verified, too.
   */
  async frames(
    file: Blob,
    leg: number,
    perspective: Perspective,
    summary: MatchSummary | null = null,
  ): Promise<LegFrames> {
    return this.ask({ call: "frames", leg, perspective, summary }, await readBytes(file));
  }

  /** Analyses a replay in a worker of its own, so that other calls need not wait. */
  async analyze(
    file: Blob,
    options: AnalyzeOptions = {},
    { onProgress, signal }: AnalysisListeners = {},
  ): Promise<MatchAnalysis> {
    const worker = new EngineWorker(this.source);
    const stopped = () => new EngineError("stopped", "the analysis was stopped");
    if (signal?.aborted) throw stopped();
    const stop = () => worker.stop(stopped());
    signal?.addEventListener("abort", stop);
    try {
      const report = (text: string) => onProgress?.(JSON.parse(text) as AnalysisProgress);
      const call = { call: "analyze", ...options };
      return await this.askOf(worker, call, await readBytes(file), report);
    } finally {
      signal?.removeEventListener("abort", stop);
      stop();
    }
  }

  /** What positions spread over a leg are worth to the first seat, in a moment. */
  async sketch(
    file: Blob,
    leg: number,
    points: number,
  ): Promise<{ step: number; value: number }[]> {
    return this.ask({ call: "sketch", leg, points }, await readBytes(file));
  }

  /** What a position is worth to both seats, with their best lines. */
  async assess(file: Blob, leg: number, step: number): Promise<PositionAssessment> {
    return this.ask({ call: "assess", leg, step }, await readBytes(file));
  }

  /** In a game of turns: the views after each of these actions, from a position on. */
  async lineViews(file: Blob, leg: number, step: number, actions: string[]): Promise<unknown[]> {
    return this.ask({ call: "line", leg, step, actions }, await readBytes(file));
  }

  /** A game by its id, or that of a replay, and its built-in bots. */
  async about(of: string | Blob): Promise<EngineGame> {
    const call = { call: "about" };
    if (typeof of === "string") return this.ask({ ...call, game: of });
    return this.ask(call, await readBytes(of));
  }

  /**
   * Plays a leg on: with the actions of people, if there are any, then by bots until a person is
   * asked. Every call names all replies so far, so a position can be asked again at any time.
   */
  async play(start: PlayStart, options: PlayOptions): Promise<PlayAnswer> {
    const { framesFrom, botSeed, perspective = "all", ...more } = options;
    const [call, file] = await readStart(start);
    const values = { perspective, frames_from: framesFrom, bot_seed: botSeed, ...more };
    return this.ask({ call: "play", ...call, ...values }, file);
  }

  /** What was played, as a replay file that verifies. */
  async save(start: PlayStart, options: SaveOptions): Promise<File> {
    const [call, file] = await readStart(start);
    const recorded = `${new Date().toISOString().slice(0, 19)}Z`;
    const asked = { call: "save", recorded, ...call, ...options };
    const { replay } = await this.ask<{ replay: string }>(asked, file);
    const { game } = JSON.parse(replay) as { game: string };
    return new File([replay], `${game}-${recorded.replaceAll(":", "")}.json`, {
      type: "application/json",
    });
  }

  /** Compares the engine with a corpus of recorded games, for tests. */
  async corpus(game: string, file: Blob): Promise<{ cases: number; differences: string[] }> {
    return this.ask({ call: "corpus", game }, await readBytes(file));
  }

  /** Lets the engine panic, for tests. */
  panic(): Promise<never> {
    return this.ask({ call: "panic" });
  }

  private ask<T>(call: Call, file = NO_FILE): Promise<T> {
    return this.askOf(this.worker, call, file);
  }

  /** Asks a worker; a game that the engine does not know may be one of the arena's game files. */
  private async askOf<T>(
    worker: EngineWorker,
    call: Call,
    file: Uint8Array,
    report?: (text: string) => void,
  ): Promise<T> {
    const send = async (guest: GuestRules | null) => {
      // A new match is one of the rules that were loaded for it.
      const asked = guest && file.length === 0 ? { ...call, rules: guest.version } : call;
      return readAnswer<T>(await worker.answer(asked, file, guest, report));
    };
    const readName = () => (file.length === 0 ? namedBy(call) : readGameName(file));
    let named = this.guests.length > 0 ? readName() : null;
    if (!named || !this.guests.some(({ game }) => game === named?.game))
      try {
        return await send(null);
      } catch (error) {
        if (!(error instanceof EngineError) || error.code !== "unknown-game") throw error;
        named ??= readName();
        if (!named) throw error;
      }
    const guest = await this.findGuest(named.game, named.version);
    if (!guest) throw new EngineError("unknown-game", m.engine_no_rules());
    return send(guest);
  }

  /** Loads a game from a game file once; null if the arena has none. */
  private findGuest(game: string, version: string | null): Promise<GuestRules | null> {
    const loadedOnce = this.guests.find((one) => one.game === game && one.version === version);
    if (loadedOnce) return Promise.resolve(loadedOnce);
    const key = `${game} ${version ?? ""}`;
    const known = this.asked.get(key);
    if (known) return known;
    const load = async () => {
      try {
        const rules = await fetchGuestRules(game, version);
        if (rules) this.guests.push(rules);
        return rules;
      } catch {
        this.asked.delete(key); // There is no connection, say.
        return null;
      }
    };
    const loaded = load();
    this.asked.set(key, loaded);
    return loaded;
  }
}

/** The game of a call without a file. */
function namedBy({ game }: Call): { game: string; version: null } | null {
  return typeof game === "string" ? { game, version: null } : null;
}

async function readStart(start: PlayStart): Promise<[object, Uint8Array<ArrayBuffer>]> {
  if (!("file" in start)) return [start, NO_FILE];
  const { file, ...values } = start;
  return [values, await readBytes(file)];
}

async function readBytes(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.arrayBuffer());
}

function readAnswer<T>(text: string): T {
  const { ok, error } = JSON.parse(text);
  if (error) throw new EngineError(error.code, localized(error.message), error.message);
  return ok as T;
}

let shared: Engine | null | undefined;

/** The engine of this page; null if the page was built without one. */
export function openEngine(): Engine | null {
  if (shared === undefined) {
    const source = findEngine();
    shared = source && new Engine(source);
    if (shared) noteEngineUse();
  }
  return shared;
}
