/** Where the token of a seat is kept: for this tab, so that two people can play in two tabs. */
const key = (match: number | string) => `leitai.seat.${match}`;

/** Keeps the token with which a seat is taken and taken again. */
export function saveSeatToken(match: number, token: string): void {
  sessionStorage.setItem(key(match), token);
}

/** The token of a seat, or null for a spectator. */
export function loadSeatToken(match: number | string): string | null {
  try {
    return sessionStorage.getItem(key(match));
  } catch {
    return null;
  }
}
