// The viewers of the games. Each is loaded on demand; a new game of the house is found by its
// folder, and a game that has none is drawn from what its views declare.

import type { GameViewer } from "./game_viewer";

const viewerModules = import.meta.glob<{ default: GameViewer }>("../../../games/*/viewer/index.ts");

/** Whether the game is one of Leitai's own. */
export const isHouseGame = (game: string): boolean =>
  Object.hasOwn(viewerModules, `../../../games/${game}/viewer/index.ts`);

export async function loadGameViewer(game: string): Promise<GameViewer | null> {
  if (!isHouseGame(game)) {
    const [{ guestViewer }, { StrangeBoard }] = await Promise.all([
      import("./guest_viewer"),
      import("./strange_board.svelte"),
    ]);
    // A page that was saved as a file has no frame for a stranger's script.
    const isServed = /^https?:$/.test(location.protocol);
    return guestViewer(game, isServed ? new StrangeBoard(game) : undefined);
  }
  return (await viewerModules[`../../../games/${game}/viewer/index.ts`]!()).default;
}
