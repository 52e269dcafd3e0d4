// Nothing of this runs: `npm run check` fails here when the page counts on a field or a word that docs/openapi.json does
// not have. The page's own types are stricter than the generated ones, which call every field optional that may be null.

import type { components } from "./openapi";
import type * as page from "./types";

type Server = components["schemas"];

/** Fields of the page's type that the server does not send; they stand in the error message. */
type Missing<Page, Sent> = Exclude<keyof Page, keyof Sent>;
type Words<Page, Sent> = Exclude<Page, Sent> | Exclude<Sent, Page>;
type Fits<T extends never> = T;

export type Checks = [
  Fits<Missing<page.Status, Server["Status"]>>,
  Fits<Missing<page.Game, Server["Game"]>>,
  Fits<Missing<page.GameFull, Server["GameFull"]>>,
  Fits<Missing<page.ConfigChoice, Server["ConfigChoice"]>>,
  Fits<Missing<page.Correction, Server["Corrected"]>>,
  Fits<Words<page.ConfigChoice["kind"], Server["ChoiceWord"]>>,
  Fits<Missing<page.BuiltIn, Server["BuiltIn"]>>,
  Fits<Missing<page.Template, Server["Template"]>>,
  Fits<Missing<page.LadderRow, Server["LadderRow"]>>,
  Fits<Missing<page.Rating, Server["Rating"]>>,
  Fits<Missing<page.EntrantBrief, Server["EntrantBrief"]>>,
  Fits<Missing<page.MatchBrief, Server["MatchBrief"]>>,
  Fits<Missing<page.MatchFull, Server["MatchFull"]>>,
  Fits<Missing<page.BotBrief, Server["BotBrief"]>>,
  Fits<Missing<page.Bot, Server["Bot"]>>,
  Fits<Missing<page.Usage, Server["Usage"]>>,
  Fits<Missing<page.Opponent, Server["Opponent"]>>,
  Fits<Missing<page.RatingPoint, Server["RatingPoint"]>>,
  Fits<Missing<page.BotFault, Server["BotFault"]>>,
  Fits<Missing<page.VersionBrief, Server["VersionBrief"]>>,
  Fits<Missing<page.Version, Server["Version"]>>,
  Fits<Missing<page.Me, Server["Me"]>>,
  Fits<Missing<NonNullable<page.Me["user"]>, Server["MeUser"]>>,
  Fits<Missing<page.ApiToken, Server["TokenBrief"]>>,
  Fits<Missing<page.AdminUser, Server["AdminUser"]>>,
  Fits<Missing<page.Job, Server["Job"]>>,
  Fits<Missing<page.Worker, Server["Worker"]>>,
  Fits<Missing<page.AuditEntry, Server["AuditLine"]>>,
  Fits<Words<page.MatchKind, Server["MatchKind"]>>,
  Fits<Words<page.MatchState, Server["MatchState"]>>,
  Fits<Words<page.VersionState, Server["VersionState"]>>,
];
