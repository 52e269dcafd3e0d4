// The engine inside the page that contains everything.

import EngineWorker from "../lib/engine/worker?worker&inline";
import type { EngineSource } from "../lib/engine/worker_pool";
import { readPart } from "./parts";

export function findEngine(): EngineSource {
  let module: Promise<WebAssembly.Module> | null = null;
  return {
    loadModule: () =>
      (module ??= readPart("engine").then(async (bytes) =>
        WebAssembly.compile(await bytes.arrayBuffer()),
      )),
    startWorker: () => new EngineWorker(),
  };
}
