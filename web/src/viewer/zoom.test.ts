import { describe, expect, it } from "vitest";
import { WHOLE, boardPoint, gripOf, moveGrip, panBy, shownPoint, zoomAt } from "./zoom";

const board = { x: 400, y: 300 };

describe("zoom", () => {
  it("keeps what is under the point", () => {
    const at = { x: 100, y: 200 };
    const before = boardPoint(WHOLE, at);
    const zoom = zoomAt(WHOLE, 2.5, at, board);
    expect(zoom.scale).toBe(2.5);
    expect(boardPoint(zoom, at)).toEqual(before);
    expect(shownPoint(zoom, before)).toEqual(at);
  });

  it("goes from the whole board to four times its size, and no further", () => {
    expect(zoomAt(WHOLE, 0.5, { x: 10, y: 10 }, board)).toEqual(WHOLE);
    expect(zoomAt(WHOLE, 99, { x: 10, y: 10 }, board).scale).toBe(4);
    const far = zoomAt(WHOLE, 2, { x: 400, y: 300 }, board);
    expect(zoomAt(far, 0.01, { x: 0, y: 0 }, board)).toEqual(WHOLE);
  });

  it("never shows what is beyond the edge", () => {
    const zoom = zoomAt(WHOLE, 2, { x: 200, y: 150 }, board);
    expect(panBy(zoom, { x: 9999, y: 9999 }, board)).toEqual({ scale: 2, left: 0, top: 0 });
    expect(panBy(zoom, { x: -9999, y: -9999 }, board)).toEqual({ scale: 2, left: 200, top: 150 });
  });

  it("follows two fingers", () => {
    const from = gripOf([
      { x: 100, y: 100 },
      { x: 200, y: 100 },
    ])!;
    const to = gripOf([
      { x: 100, y: 120 },
      { x: 300, y: 120 },
    ])!;
    const zoom = moveGrip(WHOLE, from, to, board);
    expect(zoom.scale).toBe(2);
    // The board's point under the middle of the fingers: nothing could move by 50 and 20 before.
    expect(boardPoint(zoom, to.middle)).toEqual({ x: 200, y: 120 });
    const more = moveGrip(zoom, to, { ...to, middle: { x: 180, y: 100 } }, board);
    expect(boardPoint(more, { x: 180, y: 100 })).toEqual({ x: 200, y: 120 });
  });

  it("knows no grip of three fingers, and none that changes its number of fingers", () => {
    const point = { x: 1, y: 1 };
    expect(gripOf([])).toBeNull();
    expect(gripOf([point, point, point])).toBeNull();
    expect(moveGrip(WHOLE, gripOf([point])!, gripOf([point, point])!, board)).toBe(WHOLE);
  });
});
