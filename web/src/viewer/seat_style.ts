// The colour and the pattern of a seat, for the page around the board.

import { paletteFor } from "./canvas";
import type { Seat } from "./leg_frames";
import type { GameViewer } from "./game_viewer";

export function seatColor(viewer: GameViewer, seat: Seat, dark: boolean): string {
  return paletteFor(dark, viewer.seats)[seat];
}

/** The first side's bar is hatched, the second's dotted, as on the boards. */
export function seatBackground(viewer: GameViewer, seat: Seat, dark: boolean): string {
  const color = seatColor(viewer, seat, dark);
  const ink = dark ? "rgb(0 0 0 / 35%)" : "rgb(255 255 255 / 45%)";
  return seat === "first"
    ? `repeating-linear-gradient(135deg, transparent 0 4px, ${ink} 4px 6px), ${color}`
    : `radial-gradient(circle at 3px 3px, ${ink} 1.4px, transparent 1.6px) 0 0 / 6px 6px, ${color}`;
}
