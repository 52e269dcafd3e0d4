// The messages between the page and the worker of the engine, and the bytes of a request
// (crates/wasm/src/request.rs).

/** A call of the engine; the other members are its values. */
export interface Call {
  call: string;
  [member: string]: unknown;
}

export type ToWorker =
  | { type: "module"; module: WebAssembly.Module }
  /** With the module of a game file, which the call is to load. */
  | { type: "call"; call: Call; file: Uint8Array; module?: WebAssembly.Module };

/** A worker answers one call after another, so answers need no number. */
export type FromWorker =
  | { type: "progress"; text: string }
  /** The answer is JSON text as UTF-8. */
  | { type: "answer"; bytes: Uint8Array<ArrayBuffer> }
  /** The engine stopped; this worker answers nothing any more. */
  | { type: "panic"; reason: string };

/** A request: the length of the JSON text, the JSON text, the file. */
export function writeRequest(call: Call, file: Uint8Array): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(call));
  const bytes = new Uint8Array(4 + json.length + file.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  bytes.set(file, 4 + json.length);
  return bytes;
}
