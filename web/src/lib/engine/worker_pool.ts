// One worker of the engine: calls wait for each other; a stopped or broken worker is replaced.

import { type Call, type FromWorker, type ToWorker } from "./protocol";
import { EngineError } from "./types";

/** Where the engine comes from: the files of the page, or a page that contains it. */
export interface EngineSource {
  loadModule(): Promise<WebAssembly.Module>;
  startWorker(): Worker;
}

interface Waiting {
  call: Call;
  file: Uint8Array;
  onProgress?: (text: string) => void;
  resolve: (bytes: Uint8Array) => void;
  reject: (error: Error) => void;
}

export class EngineWorker {
  private worker: Worker | null = null;
  private readonly waiting: Waiting[] = [];

  constructor(private readonly source: EngineSource) {}

  /** The answer to a call, as JSON text. */
  answer(call: Call, file: Uint8Array, onProgress?: (text: string) => void): Promise<string> {
    return new Promise<Uint8Array>((resolve, reject) => {
      this.waiting.push({ call, file, onProgress, resolve, reject });
      if (this.waiting.length === 1) void this.sendNext();
    }).then((bytes) => new TextDecoder().decode(bytes));
  }

  /** Ends the worker; calls that wait are refused with this error. */
  stop(why: Error): void {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of this.waiting.splice(0)) reject(why);
  }

  private async sendNext(): Promise<void> {
    const next = this.waiting[0];
    if (!next) return;
    try {
      this.worker ??= await this.start();
      if (this.waiting[0] !== next) return;
      const message: ToWorker = { type: "call", call: next.call, file: next.file };
      this.worker.postMessage(message);
    } catch (error) {
      this.stop(new EngineError("not-loaded", String(error)));
    }
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
    if (message.type === "progress") return this.waiting[0]?.onProgress?.(message.text);
    const done = this.waiting.shift();
    if (message.type === "answer") {
      done?.resolve(message.bytes);
    } else {
      // The others wait for the next worker.
      this.worker?.terminate();
      this.worker = null;
      done?.reject(new EngineError("panic", message.reason));
    }
    void this.sendNext();
  }
}
