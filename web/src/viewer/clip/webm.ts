// A WebM file with one track of VP8 (https://www.webmproject.org/docs/container/). Pure. Every
// group of pictures is a cluster, and the cues in front of them let players seek.

/** An encoded picture. */
export interface VideoChunk {
  bytes: Uint8Array;
  /** Milliseconds from the beginning. */
  at: number;
  isKey: boolean;
}

export interface VideoTrack {
  width: number;
  height: number;
  /** Milliseconds of the whole video. */
  millis: number;
}

type Bytes = Uint8Array<ArrayBuffer>;
const text = (value: string): Bytes => new TextEncoder().encode(value);

export function writeWebm(track: VideoTrack, chunks: readonly VideoChunk[]): Blob {
  const head = [writeInfo(track), writeTracks(track)];
  const clusters = groupPictures(chunks).map(writeCluster);
  // The length of the cues does not depend on the places that they name.
  const before = sizeOf([...head, writeCues(clusters, 0)]);
  const cues = writeCues(clusters, before);
  const segment = element(0x18538067, ...head, cues, ...clusters.map(({ bytes }) => bytes));
  return new Blob([writeHeader(), segment], { type: "video/webm" });
}

interface Cluster {
  at: number;
  bytes: Bytes;
}

function writeHeader(): Bytes {
  return element(
    0x1a45dfa3,
    element(0x4286, uint(1)),
    element(0x42f7, uint(1)),
    element(0x42f2, uint(4)),
    element(0x42f3, uint(8)),
    element(0x4282, text("webm")),
    element(0x4287, uint(2)),
    element(0x4285, uint(2)),
  );
}

function writeInfo({ millis }: VideoTrack): Bytes {
  const duration = new Uint8Array(8);
  new DataView(duration.buffer).setFloat64(0, millis);
  return element(
    0x1549a966,
    // Times are in milliseconds: a million nanoseconds.
    element(0x2ad7b1, uint(1_000_000)),
    element(0x4489, duration),
    element(0x4d80, text("Leitai")),
    element(0x5741, text("Leitai")),
  );
}

function writeTracks({ width, height }: VideoTrack): Bytes {
  const video = element(0xe0, element(0xb0, uint(width)), element(0xba, uint(height)));
  const entry = element(
    0xae,
    element(0xd7, uint(1)),
    element(0x73c5, uint(1)),
    element(0x83, uint(1)),
    element(0x9c, uint(0)),
    element(0x86, text("V_VP8")),
    video,
  );
  return element(0x1654ae6b, entry);
}

function groupPictures(chunks: readonly VideoChunk[]): VideoChunk[][] {
  const groups: VideoChunk[][] = [];
  for (const chunk of chunks) {
    if (chunk.isKey || groups.length === 0) groups.push([]);
    groups.at(-1)!.push(chunk);
  }
  return groups;
}

function writeCluster(group: readonly VideoChunk[]): Cluster {
  const at = Math.round(group[0]!.at);
  const blocks = group.map((chunk) => {
    const head = new Uint8Array(4);
    const view = new DataView(head.buffer);
    view.setUint8(0, 0x81);
    view.setInt16(1, Math.round(chunk.at) - at);
    view.setUint8(3, chunk.isKey ? 0x80 : 0);
    return element(0xa3, head, chunk.bytes);
  });
  return { at, bytes: element(0x1f43b675, element(0xe7, uint(at)), ...blocks) };
}

/** `before` is the place of the first cluster in the segment. */
function writeCues(clusters: readonly Cluster[], before: number): Bytes {
  let place = before;
  const points = clusters.map(({ at, bytes }) => {
    const position = element(0xb7, element(0xf7, uint(1)), element(0xf1, uint(place)));
    place += bytes.length;
    return element(0xbb, element(0xb3, uint(at)), position);
  });
  return element(0x1c53bb6b, ...points);
}

/** An element: its id, the length of its content in eight bytes, its content. */
function element(id: number, ...content: Uint8Array[]): Bytes {
  const name = idBytes(id);
  const bytes = new Uint8Array(name.length + 8 + sizeOf(content));
  bytes.set(name);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(name.length, BigInt(sizeOf(content)) | (1n << 56n));
  let at = name.length + 8;
  for (const part of content) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function idBytes(id: number): Bytes {
  const bytes = uint(id);
  const first = bytes.findIndex((byte) => byte !== 0);
  return bytes.slice(first);
}

/** A number in four bytes. */
function uint(value: number): Bytes {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
