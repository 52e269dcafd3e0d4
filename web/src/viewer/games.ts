// The viewers of all games, each loaded when it is needed. A new game is found by its folder.

import type { GameViewer } from "./game";

const found = import.meta.glob<{ default: GameViewer }>("../../../games/*/viewer/index.ts");

export async function viewerOf(game: string): Promise<GameViewer | null> {
  const load = found[`../../../games/${game}/viewer/index.ts`];
  return load ? (await load()).default : null;
}
