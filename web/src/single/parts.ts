// The parts of the page that contains everything: compressed with gzip, in base64, each in an
// element that no browser runs.

/** A part of the page. */
export function readPart(id: "engine" | "replay"): Promise<Blob> {
  const text = document.getElementById(id)?.textContent ?? "";
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).blob();
}
