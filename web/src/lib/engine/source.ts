// The engine among the files of the page. The page that contains everything has another source
// (src/single/engine_source.ts).

import address from "virtual:engine";
import { keepForOffline } from "../offline";
import type { EngineSource } from "./worker_pool";

/** Where the engine comes from; null if the page was built without one. */
export function findEngine(): EngineSource | null {
  const url = address;
  if (url === null) return null;
  let module: Promise<WebAssembly.Module> | null = null;
  return {
    loadModule: () => {
      module ??= WebAssembly.compileStreaming(fetch(url));
      module.then(keepForOffline, () => (module = null));
      return module;
    },
    startWorker: () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }),
  };
}
