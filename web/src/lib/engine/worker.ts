// The worker that runs the engine. It answers one call after another; after a panic it answers
// none, and the page starts another worker.

import { GuestModules } from "./guest_modules";
import { type Call, type FromWorker, type ToWorker, writeRequest } from "./protocol";

/** What the engine exports (crates/wasm/src/abi.rs). */
interface Exports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  call(): number;
  answer(): number;
}

let started: Promise<Exports> | null = null;
let reason = "";
let memory: WebAssembly.Memory | null = null;
const guests = new GuestModules(() => memory!);

function post(message: FromWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

async function start(module: WebAssembly.Module): Promise<Exports> {
  const read = (from: number, length: number) =>
    new TextDecoder().decode(new Uint8Array(exports.memory.buffer, from, length));
  const instance = await WebAssembly.instantiate(module, {
    leitai: {
      report_progress: (from: number, length: number) =>
        post({ type: "progress", text: read(from, length) }),
      report_panic: (from: number, length: number) => (reason = read(from, length)),
      ...guests.imports,
    },
  });
  const exports = instance.exports as unknown as Exports;
  memory = exports.memory;
  return exports;
}

function answer(
  engine: Exports,
  call: Call,
  file: Uint8Array,
  module?: WebAssembly.Module,
): Uint8Array<ArrayBuffer> {
  // A game from a game file: the engine knows its module by a number.
  const request = writeRequest(module ? { ...call, module: guests.add(module) } : call, file);
  const to = engine.allocate(request.length);
  new Uint8Array(engine.memory.buffer, to, request.length).set(request);
  const length = engine.call();
  return new Uint8Array(engine.memory.buffer, engine.answer(), length).slice();
}

async function handle(message: ToWorker): Promise<void> {
  if (message.type === "module") {
    started = start(message.module);
    return;
  }
  try {
    const engine = await started;
    if (!engine) throw new Error("there is no module");
    const bytes = answer(engine, message.call, message.file, message.module);
    post({ type: "answer", bytes }, [bytes.buffer]);
  } catch (error) {
    post({ type: "panic", reason: reason || String(error) });
  }
}

self.onmessage = (event: MessageEvent<ToWorker>) => void handle(event.data);
