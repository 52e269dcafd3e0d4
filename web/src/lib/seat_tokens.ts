import type { Entrant } from "./types";

/**
 * The seats of this reader. A tab keeps its own: two people can play in two tabs. All tabs together
 * keep the newest ones too, so that a closed tab loses nothing.
 */
interface Seat {
  token: string;
  entrant: Entrant;
}

const key = (match: number | string) => `leitai.seat.${match}`;

/** The most seats that all tabs keep together. */
const KEPT = 20;
const KEPT_KEY = "leitai.seats";

/** Stores the token with which a person takes the seat, also after a break. */
export function saveSeat(match: number, token: string, entrant: Entrant): void {
  // What counts results is not a part of the first page.
  void import("./achievements.svelte").then(({ notePlayed }) => notePlayed(match, entrant));
  try {
    sessionStorage.setItem(key(match), JSON.stringify({ token, entrant }));
    const kept = Object.entries(keptSeats()).slice(1 - KEPT);
    const seats = { ...Object.fromEntries(kept), [match]: { token, entrant } };
    localStorage.setItem(KEPT_KEY, JSON.stringify(seats));
  } catch {
    // Storage is full or not allowed: the seat lasts as long as the page.
  }
}

/** The seat of this tab; null for a spectator. */
export function loadSeat(match: number | string): Seat | null {
  try {
    return parseSeat(sessionStorage.getItem(key(match)));
  } catch {
    return null;
  }
}

/** The seat that another tab of this browser has or had, if this one has none. */
export function loadSeatElsewhere(match: number | string): Seat | null {
  return keptSeats()[String(match)] ?? null;
}

/** Forgets a seat that the server refuses. */
export function forgetSeat(match: number | string): void {
  try {
    sessionStorage.removeItem(key(match));
    const kept = Object.entries(keptSeats()).filter(([id]) => id !== String(match));
    localStorage.setItem(KEPT_KEY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Without storage nothing is kept.
  }
}

function keptSeats(): Record<string, Seat> {
  try {
    return (JSON.parse(localStorage.getItem(KEPT_KEY) ?? "{}") as Record<string, Seat>) ?? {};
  } catch {
    return {};
  }
}

function parseSeat(text: string | null): Seat | null {
  return text === null ? null : (JSON.parse(text) as Seat);
}
