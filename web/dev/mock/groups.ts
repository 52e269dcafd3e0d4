// Groups and teams: one class, of which `ada` is the organiser.

import type {
  GroupDetails,
  GroupQuota,
  GroupSummary,
  LadderRow,
  ListPage,
  MemberListResult,
  Team,
} from "../../src/lib/types.ts";
import { type ApiCall, minutesAgo, requireUser, wholeList } from "./answers.ts";
import { showLadder as showWholeLadder } from "./bots.ts";

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
    invited: [
      {
        id: 4,
        name: "grace",
        account_since: minutesAgo(500_000),
        created: minutesAgo(60),
        team: null,
      },
    ],
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
    return { name, team: team ?? null, created: true, invited: null, password: "k7mw-qp3h-x2cd" };
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

let quota: GroupQuota = {
  hourly_uploads: 10,
  daily_friendlies: null,
  daily_cpu_seconds: null,
  versions: null,
  source_bytes: 65_536,
  languages: ["cpp", "python"],
  looser: false,
  arena: {
    hourly_uploads: 130,
    daily_friendlies: 8_660,
    daily_cpu_seconds: null,
    versions: 200,
    source_bytes: 16_777_216,
    languages: null,
  },
};

export function showQuota({ user }: ApiCall): GroupQuota {
  requireUser(user);
  return quota;
}

export function setQuota({ user, body }: ApiCall): GroupQuota {
  requireUser(user);
  quota = { ...quota, ...body };
  return quota;
}

export function showLadder(call: ApiCall): ListPage<LadderRow> {
  requireUser(call.user);
  return showWholeLadder({ ...call, parts: ["games", call.parts[3]!] });
}
