// A replay file as a reader gives it: plain, or compressed with gzip.

/** The first bytes of a gzip file. */
const GZIP = [0x1f, 0x8b];

/** The text of the file, decompressed if it is compressed; a damaged file stays as it is. */
export async function decompressReplay(file: Blob): Promise<Blob> {
  const start = new Uint8Array(await file.slice(0, GZIP.length).arrayBuffer());
  if (!GZIP.every((byte, index) => start[index] === byte)) return file;
  try {
    const stream = file.stream().pipeThrough(new DecompressionStream("gzip"));
    return await new Response(stream).blob();
  } catch {
    return file;
  }
}
