/** The key of a seat token in the tab's storage: two people can play in two tabs. */
const key = (match: number | string) => `leitai.seat.${match}`;

/** Stores the token with which a person takes the seat, also after a break. */
export function saveSeatToken(match: number, token: string): void {
  sessionStorage.setItem(key(match), token);
}

/** The token of a seat; null for a spectator. */
export function loadSeatToken(match: number | string): string | null {
  try {
    return sessionStorage.getItem(key(match));
  } catch {
    return null;
  }
}
