// One worker of the engine: calls wait for each other; a stopped or broken worker is replaced.

import { m } from "$lib/messages";
import type { GuestRules } from "./guest_rules";
import { type Call, type FromWorker, type ToWorker } from "./protocol";
import { EngineError } from "./types";

/** How long the rules of a game file may say nothing: a module of a stranger may never end. */
const SECONDS = 20;

/** What a reader is told of rules that were ended. */
export const tellSlow = () => m.engine_too_slow({ seconds: SECONDS });

/** Where the engine comes from: the files of the page, or a page that contains it. */
export interface EngineSource {
  loadModule(): Promise<WebAssembly.Module>;
  startWorker(): Worker;
}

interface Waiting {
  call: Call;
  file: Uint8Array;
  isGuest: boolean;
  onProgress?: (text: string) => void;
  resolve: (bytes: Uint8Array) => void;
  reject: (error: Error) => void;
}

export class EngineWorker {
  private worker: Worker | null = null;
  private readonly waiting: Waiting[] = [];
  /** How many games from game files the worker knows, and whether it takes one now. */
  private known = 0;
  private isLoading = false;
  private patience: ReturnType<typeof setTimeout> | undefined;

  /** `guests`: the games from game files; more may come, none goes. */
  constructor(
    private readonly source: EngineSource,
    private readonly guests: readonly GuestRules[] = [],
  ) {}

  /** The answer to a call, as JSON text; `isGuest`: whether the rules of a game file answer it. */
  answer(
    call: Call,
    file: Uint8Array,
    isGuest: boolean,
    onProgress?: (text: string) => void,
  ): Promise<string> {
    return new Promise<Uint8Array>((resolve, reject) => {
      this.waiting.push({ call, file, isGuest, onProgress, resolve, reject });
      if (this.waiting.length === 1) void this.sendNext();
    }).then((bytes) => new TextDecoder().decode(bytes));
  }

  /** Ends the worker; calls that wait are refused with this error. */
  stop(why: Error): void {
    this.endWorker();
    for (const { reject } of this.waiting.splice(0)) reject(why);
  }

  private async sendNext(): Promise<void> {
    const next = this.waiting[0];
    if (!next) return;
    try {
      this.worker ??= await this.start();
      if (this.waiting[0] !== next) return;
      // A house game's call waits for no stranger's module.
      while (this.guests[this.known]?.isSlow) this.known++;
      const guest = next.isGuest ? this.guests[this.known] : undefined;
      this.isLoading = guest !== undefined;
      if (next.isGuest) this.expectAnswer();
      const message: ToWorker = guest
        ? { type: "call", call: { call: "load" }, file: guest.rules, module: guest.module }
        : { type: "call", call: next.call, file: next.file };
      this.worker.postMessage(message);
    } catch (error) {
      this.stop(new EngineError("not-loaded", String(error)));
    }
  }

  /** Ends the worker unless it says something in time. */
  private expectAnswer(): void {
    clearTimeout(this.patience);
    const why = new EngineError("too-slow", tellSlow());
    this.patience = setTimeout(() => this.stop(why), SECONDS * 1000);
  }

  private endWorker(): void {
    clearTimeout(this.patience);
    this.worker?.terminate();
    this.worker = null;
    this.known = 0;
  }

  private async start(): Promise<Worker> {
    const module = await this.source.loadModule();
    const worker = this.source.startWorker();
    worker.onmessage = (event: MessageEvent<FromWorker>) => {
      if (this.worker === worker) this.receive(event.data);
    };
    worker.onerror = (event) => {
      if (this.worker === worker) this.stop(new EngineError("not-loaded", event.message));
    };
    worker.postMessage({ type: "module", module } satisfies ToWorker);
    return worker;
  }

  private receive(message: FromWorker): void {
    const asked = this.waiting[0];
    if (message.type === "progress") {
      if (asked?.isGuest) this.expectAnswer();
      return asked?.onProgress?.(message.text);
    }
    clearTimeout(this.patience);
    if (this.isLoading && message.type === "answer") {
      this.known++;
      return void this.sendNext();
    }
    const done = this.waiting.shift();
    if (message.type === "answer") {
      done?.resolve(message.bytes);
    } else {
      // The others wait for the next worker.
      this.endWorker();
      done?.reject(new EngineError("panic", message.reason));
    }
    void this.sendNext();
  }
}
