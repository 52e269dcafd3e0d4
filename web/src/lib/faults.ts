// The faults of programs: their codes and labels.

import { locale } from "./locale.svelte";
import { type Message, m } from "./messages";
import { withQuery } from "./path";
import type { FaultCode, Lang } from "./types";

const LABELS: Record<FaultCode, Message> = {
  IA: m.fault_ia,
  PE: m.fault_pe,
  RE: m.fault_re,
  TLE: m.fault_tle,
  MLE: m.fault_mle,
  OLE: m.fault_ole,
  EXIT: m.fault_exit,
  CE: m.fault_ce,
};

/** The names of faults in the outcome of a leg (crates/game/src/reply.rs). */
const CODES: Record<string, FaultCode> = {
  illegal: "IA",
  malformed: "PE",
  crashed: "RE",
  timeout: "TLE",
  memory: "MLE",
  output: "OLE",
  exited: "EXIT",
  compile: "CE",
};

/** The code of a fault from either of its names; null for an unknown one. */
export function parseFaultCode(name: string): FaultCode | null {
  if (Object.hasOwn(LABELS, name)) return name as FaultCode;
  return Object.hasOwn(CODES, name) ? CODES[name]! : null;
}

/** What ended somebody's match: a person who is gone has resigned, as the card of the end says. */
export function tellFault(name: string, isPerson: boolean): string {
  const hasLeft = isPerson && parseFaultCode(name) === "EXIT";
  return hasLeft ? m.viewer_person_left() : faultLabel(name);
}

/** The label of a fault; an unknown name is returned as it is. */
export function faultLabel(name: string, lang: Lang = locale()): string {
  const code = parseFaultCode(name);
  return code ? LABELS[code]({}, { locale: lang }) : name;
}

/** The frame after the step of a fault (from 0): there the program's last words stand. */
export function faultPath(at: {
  match: number;
  leg?: number | null;
  step?: number | null;
}): string {
  return withQuery(`/matches/${at.match}`, {
    leg: at.leg,
    at: at.step == null ? null : at.step + 1,
  });
}
