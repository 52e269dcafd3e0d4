// Matches in all states, and invites.

import type {
  EntrantSummary,
  FaultSummary,
  HomeBot,
  HomeLadder,
  InviteSummary,
  JoinedSeat,
  ListPage,
  OpenTable,
  MatchDetails,
  MatchKind,
  MatchState,
  MatchSummary,
  Winner,
} from "../../src/lib/types.ts";
import {
  type ApiCall,
  listPage,
  minutesAgo,
  notFound,
  numberAt,
  requireUser,
  seededRandom,
  wholeList,
} from "./answers.ts";
import { botEntrant, botsOfGame, NOT_AT_HOME } from "./bots.ts";
import { FIRST_MATCH, INVITED_MATCH, MATCH_COUNT } from "./match_ids.ts";

const GAME_IDS = ["snakego", "kob", "tankcraft"] as const;
const INVITE_CODE = "k7f3-q2";

/** Matches that have not finished, by their number. The last three are live. */
const STATES: Record<number, MatchState> = {
  33: "cancelled",
  40: "void",
  85: "queued",
  86: "waiting",
  87: "running",
  88: "running",
  89: "running",
};

export const MATCHES: readonly MatchSummary[] = Array.from({ length: MATCH_COUNT }, (_, at) =>
  makeMatch(at),
);

function makeMatch(at: number): MatchSummary {
  const random = seededRandom(at * 13 + 5);
  const game = GAME_IDS[at % 3]!;
  const rows = botsOfGame(game);
  const first = Math.floor(random() * rows.length);
  const second = (first + 1 + Math.floor(random() * (rows.length - 1))) % rows.length;
  const state = STATES[at] ?? "finished";
  const kind = matchKind(at, state);
  const entrants = {
    a: kind === "human" ? personEntrant(at % 2 ? "guest" : "小林") : botEntrant(rows[first]!),
    b: botEntrant(rows[second]!),
  };
  const legs = game === "kob" ? 1 : 2;
  return {
    id: FIRST_MATCH + at,
    game,
    kind,
    ladder: kind === "ladder" ? "standard" : null,
    state,
    legs,
    ...entrants,
    ...makeResult(at, state, random),
    scores: makeScores(game, state, legs, random),
    rating_change:
      state === "finished" && kind === "ladder"
        ? { a: (random() - 0.5) * 40, b: (random() - 0.5) * 40 }
        : null,
    created: minutesAgo((90 - at) * 9 + 1),
    started: minutesAgo((90 - at) * 9),
    finished: state === "finished" ? minutesAgo((90 - at) * 9 - 3) : null,
    leg: state === "running" ? 1 : null,
    spectators: state === "running" ? at % 5 : null,
    round: state === "running" ? 120 + at : null,
    rounds: state === "running" ? 512 : null,
    live_scores: state === "running" ? [40 + (at % 7), 43] : null,
    tags: kind === "friendly" ? ["opening-test"] : [],
  };
}

function matchKind(at: number, state: MatchState): MatchKind {
  if (state === "running") return "exhibition";
  if (at % 11 === 0) return "human";
  return at % 7 === 0 ? "friendly" : "ladder";
}

function makeResult(
  at: number,
  state: MatchState,
  random: () => number,
): Pick<MatchSummary, "winner" | "reason" | "faults"> {
  const draw = random() < 0.06;
  const winner: Winner = random() < 0.6 ? "a" : "b";
  if (state !== "finished") return { winner: null, reason: null, faults: [] };
  if (at % 9 !== 4) {
    const reason = { id: "cells", en: "by legs won", zh: "按胜局数" };
    return { winner: draw ? "draw" : winner, reason, faults: [] };
  }
  const fault: FaultSummary = {
    entrant: winner === "a" ? "b" : "a",
    code: (["IA", "TLE", "RE"] as const)[at % 3]!,
    leg: 1,
    round: 37,
  };
  const reason = { id: "fault", en: "by a fault of the other", zh: "因对方违规" };
  return { winner, reason, faults: [fault] };
}

function makeScores(
  game: string,
  state: MatchState,
  legs: number,
  random: () => number,
): [number, number][] {
  const played = state === "finished" ? legs : state === "running" ? 1 : 0;
  const score = () => Math.floor(random() * (game === "kob" ? 2 : 140));
  return Array.from({ length: played }, () => [score(), score()]);
}

function personEntrant(name: string): EntrantSummary {
  const person = { bot: null, version: null, built_in: false, deleted: false, settings: null };
  const user = name === "guest" ? null : name;
  return { kind: "person", name, user, ...person, ...NOT_AT_HOME };
}

export function findMatch(id: number): MatchSummary {
  const found = MATCHES.find((match) => match.id === id);
  if (found) return found;
  throw notFound(`there is no match ${id}`);
}

export function listMatches({ query }: ApiCall): ListPage<MatchSummary> {
  const person = query.get("person");
  const tag = query.get("tag");
  const fits = (match: MatchSummary) =>
    (!tag || match.tags.includes(tag)) &&
    (!person ||
      [match.a, match.b].some(({ kind, user }) => kind === "person" && user === person)) &&
    (["game", "kind", "state"] as const).every(
      (key) => !query.get(key) || match[key] === query.get(key),
    );
  return listPage(MATCHES.filter(fits), query);
}

export function listBotMatches(call: ApiCall): ListPage<MatchSummary> {
  const id = numberAt(call, 1);
  return listPage(
    MATCHES.filter(({ a, b }) => a.bot === id || b.bot === id),
    call.query,
  );
}

export function listLiveMatches(): MatchSummary[] {
  return MATCHES.filter(({ state }) => state === "running");
}

export function showMatch(call: ApiCall): MatchDetails {
  const match = findMatch(numberAt(call, 1));
  return {
    ...match,
    seed: 7,
    config: {},
    limits: null,
    leg_outcomes: [],
    your: null,
    files: { replay: `/api/matches/${match.id}/replay`, replay_removed: null },
    invite: null,
    worker: "local",
    note: null,
    again_of: null,
    rematch: null,
    copy_of: null,
    corrections: [],
    continued: null,
    book: null,
    may_tag: false,
    waiting: null,
  };
}

export function challengeBot({ user }: ApiCall): MatchSummary {
  requireUser(user);
  return MATCHES[0]!;
}

export function createHumanMatch({ body }: ApiCall): JoinedSeat {
  const invited = (body.opponent as { invite?: true }).invite === true;
  const invite = invited ? INVITE_CODE : null;
  return { match: INVITED_MATCH, token: "sample", seat: "a", invite };
}

/** Programs that wait at their authors' homes, one of which plays. */
export function listHomeBots({ query }: ApiCall): ListPage<HomeBot> {
  const program = { owner: "grace", plays: null, disabled: false };
  const programs: HomeBot[] = [
    { ...program, id: 1, game: "kob", name: "hydra" },
    { ...program, id: 2, game: "kob", name: "muse-70b", owner: "lin", plays: 1 },
    { ...program, id: 3, game: "snakego", name: "nagini" },
  ];
  const game = query.get("game");
  return wholeList(programs.filter((one) => !game || one.game === game));
}

/** The ladder of programs at home, which King of Bots has. */
export function showHomeLadder(call: ApiCall): HomeLadder {
  const rating = { value: 1712.3, error: 48.2, elo_unit: "match" };
  const row = { owner: "grace", rating, wins: 14, draws: 2, losses: 5, offered: true };
  const items = [
    { ...row, id: 1, name: "hydra" },
    { ...row, id: 2, name: "muse-70b", owner: "lin", offered: false },
  ];
  const open = call.parts[1] === "kob";
  return { open, items: open ? items : [] };
}

export function listOpenTables(): ListPage<OpenTable> {
  const table = { config: {}, free: "b" as const, has_account: true };
  return wholeList<OpenTable>([
    {
      ...table,
      match: INVITED_MATCH,
      game: "snakego",
      legs: 1,
      name: "小林",
      since: minutesAgo(2),
    },
    {
      ...table,
      match: INVITED_MATCH + 1,
      game: "kob",
      legs: 3,
      name: "guest",
      has_account: false,
      free: "a",
      since: minutesAgo(0),
    },
  ]);
}

export function showInvite({ parts }: ApiCall): InviteSummary {
  if (parts[1] !== INVITE_CODE) throw notFound("there is no such invite; ask for a new link");
  const match = { ...findMatch(INVITED_MATCH), a: personEntrant("小林") };
  return { match, game: match.game, link: null };
}

export function acceptInvite(): JoinedSeat {
  return { match: INVITED_MATCH, token: "sample", seat: "b", invite: null };
}
