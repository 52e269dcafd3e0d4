// Whether a game is played for the first time in this browser.

const keyOf = (game: string) => `leitai.how.${game}`;

/** True once for each game: it is remembered that it was asked. */
export function isFirstTime(game: string): boolean {
  try {
    if (localStorage.getItem(keyOf(game)) !== null) return false;
    localStorage.setItem(keyOf(game), "1");
    return true;
  } catch {
    return false; // Storage is not allowed: nobody is shown the same thing again and again.
  }
}
