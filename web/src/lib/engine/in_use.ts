// Whether the engine was loaded in this page. What the server can answer as well is asked of it
// until then, so that nobody fetches the engine who only watches.

let inUse = false;

export const isEngineInUse = () => inUse;

export function noteEngineUse(): void {
  inUse = true;
}
