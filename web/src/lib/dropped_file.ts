// The replay file that a reader has opened, for a reload of its tab: also without the server.

const KEY = "leitai.replay";

/** Keeps a file until the tab is closed; a file that is too large for that is not kept. */
export async function keepFile(file: File): Promise<void> {
  try {
    const packed = file.stream().pipeThrough(new CompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    sessionStorage.setItem(KEY, JSON.stringify({ name: file.name, packed: btoa(letters) }));
  } catch {
    forgetFile();
  }
}

export function forgetFile(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // The browser allows no storage: there is nothing to forget.
  }
}

let isLoaded = false;
let handed: File | null = null;

/** Gives a file that was dropped on another page to the page of replay files. */
export function handOver(file: File): void {
  handed = file;
}

/** The file that was handed over, or the kept one if this document was loaded again. */
export async function reopenFile(): Promise<File | null> {
  const given = handed;
  handed = null;
  if (given) return given;
  const wasLoaded = isLoaded;
  isLoaded = true;
  const [load] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (wasLoaded || (load?.type !== "reload" && load?.type !== "back_forward")) return null;
  try {
    const { name, packed } = JSON.parse(sessionStorage.getItem(KEY) ?? "");
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new File([await new Response(stream).blob()], name);
  } catch {
    return null; // Nothing was kept.
  }
}
