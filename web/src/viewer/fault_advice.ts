// Advice for the author of a faulty program.

import { parseFaultCode } from "$lib/faults";
import type { FaultCode } from "$lib/types";
import { m } from "$lib/messages";

const ADVICE: Record<FaultCode, () => string> = {
  IA: m.fault_ia_advice,
  PE: m.fault_pe_advice,
  RE: m.fault_re_advice,
  TLE: m.fault_tle_advice,
  MLE: m.fault_mle_advice,
  OLE: m.fault_ole_advice,
  EXIT: m.fault_exit_advice,
  CE: m.fault_ce_advice,
};

/** The advice for a fault; empty for an unknown one. */
export function faultAdvice(name: string): string {
  const code = parseFaultCode(name);
  return code ? ADVICE[code]() : "";
}
