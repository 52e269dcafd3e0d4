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
  guest: GuestRules | null;
  onProgress?: (text: string) => void;
  resolve: (bytes: Uint8Array) => void;
  reject: (error: Error) => void;
}

export class EngineWorker {
  private worker: Worker | null = null;
  private readonly waiting: Waiting[] = [];
  /** The games from game files that the worker knows, and the one that it takes now. */
  private readonly known = new Set<GuestRules>();
  private loading: GuestRules | null = null;
  private patience: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly source: EngineSource) {}

  /** The answer to a call, as JSON text; `guest`: the game file whose rules answer it. */
  answer(
    call: Call,
    file: Uint8Array,
    guest: GuestRules | null,
    onProgress?: (text: string) => void,
  ): Promise<string> {
    return new Promise<Uint8Array>((resolve, reject) => {
      this.waiting.push({ call, file, guest, onProgress, resolve, reject });
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
      const { call, file, guest } = next;
      if (guest?.isSlow) return this.refuseNext(new EngineError("too-slow", tellSlow()));
      this.loading = guest && !this.known.has(guest) ? guest : null;
      if (guest) this.expectAnswer(guest);
      const message: ToWorker = this.loading
        ? {
            type: "call",
            call: { call: "load" },
            file: this.loading.rules,
            module: this.loading.module,
          }
        : { type: "call", call, file };
      this.worker.postMessage(message);
    } catch (error) {
      this.stop(new EngineError("not-loaded", String(error)));
    }
  }

  /** Ends the worker unless it says something in time. */
  private expectAnswer(guest: GuestRules): void {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => {
      guest.isSlow = true;
      this.endWorker();
      this.refuseNext(new EngineError("too-slow", tellSlow()));
    }, SECONDS * 1000);
  }

  /** The others wait for the next worker. */
  private refuseNext(why: Error): void {
    this.waiting.shift()?.reject(why);
    void this.sendNext();
  }

  private endWorker(): void {
    clearTimeout(this.patience);
    this.worker?.terminate();
    this.worker = null;
    this.known.clear();
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
    const next = this.waiting[0];
    if (message.type === "progress") {
      if (next?.guest) this.expectAnswer(next.guest);
      return next?.onProgress?.(message.text);
    }
    clearTimeout(this.patience);
    if (message.type === "panic") {
      this.endWorker();
      return this.refuseNext(new EngineError("panic", message.reason));
    }
    const taken = this.loading;
    // What cannot be taken is the answer to the call that needs it.
    if (taken && new TextDecoder().decode(message.bytes).startsWith('{"ok"')) {
      this.known.add(taken);
    } else {
      this.waiting.shift()?.resolve(message.bytes);
    }
    void this.sendNext();
  }
}
