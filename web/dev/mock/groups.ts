// Groups and teams: one class, of which `ada` is the organiser.

import type {
  GroupDetails,
  GroupSummary,
  ListPage,
  MemberListResult,
  Team,
} from "../../src/lib/types.ts";
import { type ApiCall, minutesAgo, requireUser, wholeList } from "./answers.ts";

const CLASS: GroupSummary = {
  id: 1,
  name: "AI 2026",
  about: "Mondays at 10, room 12",
  team_size: 2,
  created: minutesAgo(40_000),
  role: "organiser",
};
const RED = { id: 1, name: "red" };

export function listGroups({ user }: ApiCall): ListPage<GroupSummary> {
  requireUser(user);
  return wholeList([CLASS]);
}

export function showGroup({ user }: ApiCall): GroupDetails {
  requireUser(user);
  const member = { role: "member" as const, team: RED, issued: true };
  return {
    ...CLASS,
    manages: user === "ada",
    members: [
      {
        id: 1,
        name: "ada",
        role: "organiser",
        team: null,
        issued: false,
        password_temporary: false,
      },
      { ...member, id: 2, name: "turing", password_temporary: false },
      { ...member, id: 3, name: "小林", password_temporary: true },
    ],
  };
}

export function importMembers({ body }: ApiCall): MemberListResult {
  const lines = String(body.csv).split("\n").filter(Boolean);
  const members = lines.map((line) => {
    const [name = "", team] = line.split(",");
    return { name, team: team ?? null, created: true, password: "k7mw-qp3h-x2cd" };
  });
  return { imported: true, members };
}

export function listTeams({ user }: ApiCall): ListPage<Team> {
  const name = requireUser(user);
  const team: Team = {
    ...RED,
    group: { id: CLASS.id, name: CLASS.name },
    size: 2,
    members: [
      { id: 1, name, captain: true, joined: minutesAgo(900) },
      { id: 3, name: "小林", captain: false, joined: minutesAgo(800) },
    ],
    bots: [],
    code: "9f3a61c2b07d",
    yours: true,
    captain: true,
  };
  return wholeList([team]);
}
