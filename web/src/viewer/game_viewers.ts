// The viewers of the games. Each is loaded on demand; a new game is found by its folder.

import type { GameViewer } from "./game_viewer";

const viewerModules = import.meta.glob<{ default: GameViewer }>("../../../games/*/viewer/index.ts");

export async function loadGameViewer(game: string): Promise<GameViewer | null> {
  const load = viewerModules[`../../../games/${game}/viewer/index.ts`];
  return load ? (await load()).default : null;
}
