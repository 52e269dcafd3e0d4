// The part of the board that is shown: two fingers, or the wheel with Ctrl, magnify it.

/** The part of a board that is shown; lengths in CSS pixels of the whole board. */
export interface Zoom {
  /** 1 shows the whole board. */
  readonly scale: number;
  /** The shown part's upper left corner. */
  readonly left: number;
  readonly top: number;
}

/** A point, or the extent of the board, in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export const WHOLE: Zoom = { scale: 1, left: 0, top: 0 };

/** The greatest magnification: a cell of a phone's 21 columns is then as wide as a thumb. */
const MOST = 4;

const clamp = (value: number, least: number, most: number) =>
  Math.min(Math.max(value, least), most);

function keepInside(scale: number, left: number, top: number, board: Point): Zoom {
  const room = 1 - 1 / scale;
  return {
    scale,
    left: clamp(left, 0, board.x * room),
    top: clamp(top, 0, board.y * room),
  };
}

/** Magnifies by a factor; what is under the point stays there. */
export function zoomAt(zoom: Zoom, factor: number, point: Point, board: Point): Zoom {
  const scale = clamp(zoom.scale * factor, 1, MOST);
  const shift = 1 / zoom.scale - 1 / scale;
  return keepInside(scale, zoom.left + point.x * shift, zoom.top + point.y * shift, board);
}

/** Moves the board under a finger by these pixels. */
export function panBy(zoom: Zoom, by: Point, board: Point): Zoom {
  const { scale, left, top } = zoom;
  return keepInside(scale, left - by.x / scale, top - by.y / scale, board);
}

/** The point of the whole board that is shown at a point. */
export function boardPoint(zoom: Zoom, at: Point): Point {
  return { x: zoom.left + at.x / zoom.scale, y: zoom.top + at.y / zoom.scale };
}

/** Where a point of the whole board is shown. */
export function shownPoint(zoom: Zoom, at: Point): Point {
  return { x: (at.x - zoom.left) * zoom.scale, y: (at.y - zoom.top) * zoom.scale };
}

/** One or two fingers on the board; their middle and distance. */
export interface Grip {
  readonly fingers: number;
  readonly middle: Point;
  readonly apart: number;
}

export function gripOf(points: readonly Point[]): Grip | null {
  const [a, b] = points;
  if (!a || points.length > 2) return null;
  if (!b) return { fingers: 1, middle: a, apart: 0 };
  return {
    fingers: 2,
    middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 },
    apart: Math.hypot(a.x - b.x, a.y - b.y),
  };
}

/** What is shown after the fingers have moved from one grip to the next one. */
export function moveGrip(zoom: Zoom, from: Grip, to: Grip, board: Point): Zoom {
  if (from.fingers !== to.fingers) return zoom;
  const by = { x: to.middle.x - from.middle.x, y: to.middle.y - from.middle.y };
  const moved = panBy(zoom, by, board);
  if (to.fingers < 2 || from.apart < 1) return moved;
  return zoomAt(moved, to.apart / from.apart, to.middle, board);
}
