import { expect, test } from "vitest";
import { writeWebm } from "./webm";

/** The elements at a place of a file: id and content. */
function elements(bytes: Uint8Array): [number, Uint8Array][] {
  const found: [number, Uint8Array][] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length;) {
    const width = Math.clz32(bytes[at]!) - 23;
    const id = bytes.slice(at, at + width).reduce((all, byte) => all * 256 + byte, 0);
    const size = Number(view.getBigUint64(at + width) & ((1n << 56n) - 1n));
    const from = at + width + 8;
    found.push([id, bytes.subarray(from, from + size)]);
    at = from + size;
  }
  return found;
}

const contentOf = (of: [number, Uint8Array][], id: number) => of.find(([one]) => one === id)![1];
const number = (bytes: Uint8Array) => bytes.reduce((all, byte) => all * 256 + byte, 0);

test("every picture is in a cluster, and the cues name the places of the clusters", async () => {
  const chunks = Array.from({ length: 130 }, (_, at) => ({
    bytes: new Uint8Array([at]),
    at: (at * 1000) / 30,
    isKey: at % 60 === 0,
  }));
  const blob = writeWebm({ width: 320, height: 344, millis: 4333 }, chunks);
  expect(blob.type).toBe("video/webm");
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const [header, segment] = elements(bytes);
  expect(header![0]).toBe(0x1a45dfa3);
  const parts = elements(segment![1]);
  const info = elements(contentOf(parts, 0x1549a966));
  const duration = contentOf(info, 0x4489);
  expect(new DataView(duration.buffer, duration.byteOffset).getFloat64(0)).toBe(4333);
  const clusters = parts.filter(([id]) => id === 0x1f43b675);
  expect(clusters).toHaveLength(3);
  const blocks = clusters.flatMap(([, content]) => elements(content).slice(1));
  expect(blocks.map(([, block]) => block[4])).toEqual(chunks.map((_, at) => at));
  const times = elements(contentOf(parts, 0x1c53bb6b)).map(([, point]) => {
    const [time, place] = elements(point);
    const position = number(contentOf(elements(place![1]), 0xf1));
    const cluster = elements(segment![1].subarray(position))[0]!;
    expect(cluster[0]).toBe(0x1f43b675);
    expect(number(contentOf(elements(cluster[1]), 0xe7))).toBe(number(time![1]));
    return number(time![1]);
  });
  expect(times).toEqual([0, 2000, 4000]);
});
