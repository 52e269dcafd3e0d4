import type { Component } from "svelte";
import { matchPattern, type Params } from "./lib/path";

/** A page. Its parameters are the values from the path. */
export type Page = Component<Record<string, string>>;

type Load = () => Promise<{ default: unknown }>;

/** The pages and their paths. Each page is a separate file, loaded when it is opened. */
const ROUTES: [pattern: string, load: Load][] = [
  ["/", () => import("./pages/Home.svelte")],
  ["/games/:game", () => import("./pages/Game.svelte")],
  ["/games/:game/ladder", () => import("./pages/LadderPage.svelte")],
  ["/play", () => import("./pages/ChooseGame.svelte")],
  ["/daily", () => import("./pages/Daily.svelte")],
  ["/progress", () => import("./pages/Progress.svelte")],
  ["/ladders", () => import("./pages/Ladders.svelte")],
  ["/live", () => import("./pages/Live.svelte")],
  ["/search", () => import("./pages/Search.svelte")],
  ["/contests", () => import("./pages/Contests.svelte")],
  ["/contests/:id", () => import("./pages/Contest.svelte")],
  ["/contests/:id/similar", () => import("./pages/SimilarSources.svelte")],
  ["/contests/:id/similar/:one/:other", () => import("./pages/SimilarPair.svelte")],
  ["/contests/:id/screen", () => import("./pages/ContestScreen.svelte")],
  ["/users/:name", () => import("./pages/Person.svelte")],
  ["/play/:game", () => import("./pages/Play.svelte")],
  ["/invite/:code", () => import("./pages/Invite.svelte")],
  ["/matches", () => import("./pages/Matches.svelte")],
  ["/matches/:id", () => import("./pages/Match.svelte")],
  ["/viewer", () => import("./pages/Viewer.svelte")],
  ["/bots/:id", () => import("./pages/Bot.svelte")],
  ["/bots/:id/versions/:number", () => import("./pages/Version.svelte")],
  ["/experiments/:id", () => import("./pages/Experiment.svelte")],
  ["/upload", () => import("./pages/Upload.svelte")],
  ["/libraries", () => import("./pages/Libraries.svelte")],
  ["/groups/:id", () => import("./pages/Group.svelte")],
  ["/notifications", () => import("./pages/Notifications.svelte")],
  ["/account", () => import("./pages/Account.svelte")],
  ["/login", () => import("./pages/Login.svelte")],
  ["/register", () => import("./pages/Register.svelte")],
  ["/choose-name", () => import("./pages/ChooseName.svelte")],
  ["/forgot-password", () => import("./pages/ForgotPassword.svelte")],
  ["/reset-password", () => import("./pages/ResetPassword.svelte")],
  ["/confirm-mail", () => import("./pages/ConfirmMail.svelte")],
  ["/my-games", () => import("./pages/MyGames.svelte")],
  ["/admin", () => import("./pages/Admin.svelte")],
  ["/embed/matches/:id", () => import("./pages/Embed.svelte")],
];

/** Pages that fill the window. */
const BARE = new Set(["/embed/matches/:id", "/contests/:id/screen"]);

/** Whether the pages of a pattern begin with a board, which uses a wide window. */
export const isWide = (pattern: string): boolean => pattern === "/matches/:id";

/** The page of a path, the parameters of the path, and whether it has header and footer. */
export type Routed = { load: Load; pattern: string; params: Params; bare: boolean };

/** See {@link Routed}. */
export function routed(path: string): Routed {
  for (const [pattern, load] of ROUTES) {
    const params = matchPattern(pattern, path);
    if (params) return { load, pattern, params, bare: BARE.has(pattern) };
  }
  return { load: () => import("./pages/NotFound.svelte"), pattern: "", params: {}, bare: false };
}
