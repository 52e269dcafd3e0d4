// The faults of programs: their codes, and what people read of them.

import { m } from "../paraglide/messages";
import type { Lang } from "./types";

/** A fault as the API names it. */
export type FaultCode = "IA" | "PE" | "RE" | "TLE" | "MLE" | "OLE" | "EXIT" | "CE";

type Message = (values?: Record<string, never>, options?: { locale?: Lang }) => string;

/** By code: what happened, and what the program's author can do. */
const FAULTS: Record<FaultCode, { label: Message; advice: Message }> = {
  IA: { label: m.fault_ia, advice: m.fault_ia_advice },
  PE: { label: m.fault_pe, advice: m.fault_pe_advice },
  RE: { label: m.fault_re, advice: m.fault_re_advice },
  TLE: { label: m.fault_tle, advice: m.fault_tle_advice },
  MLE: { label: m.fault_mle, advice: m.fault_mle_advice },
  OLE: { label: m.fault_ole, advice: m.fault_ole_advice },
  EXIT: { label: m.fault_exit, advice: m.fault_exit_advice },
  CE: { label: m.fault_ce, advice: m.fault_ce_advice },
};

/** The names that the outcome of a leg has for faults (crates/game/src/reply.rs). */
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

/** The code of a fault from either of its names; null for one that this page does not know. */
export function parseFaultCode(name: string): FaultCode | null {
  if (Object.hasOwn(FAULTS, name)) return name as FaultCode;
  return Object.hasOwn(CODES, name) ? CODES[name]! : null;
}

/** What happened, in words; the name itself where the page does not know it. */
export function faultLabel(name: string, locale?: Lang): string {
  const code = parseFaultCode(name);
  return code ? FAULTS[code].label({}, { locale }) : name;
}

/** What the program's author can do about it. */
export function faultAdvice(name: string): string {
  const code = parseFaultCode(name);
  return code ? FAULTS[code].advice() : "";
}
