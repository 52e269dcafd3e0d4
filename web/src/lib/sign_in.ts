import { m } from "../paraglide/messages";

/** What the server says of a sign-in that did not work, by its word in the address. */
const TEXTS: Record<string, () => string> = {
  denied: () => m.sign_in_denied(),
  unreachable: () => m.sign_in_unreachable(),
  expired: () => m.sign_in_expired(),
  clock: () => m.sign_in_clock(),
  issuer: () => m.sign_in_issuer(),
  domain: () => m.sign_in_domain(),
  closed: () => m.error_closed(),
  "first-account": () => m.sign_in_first_account(),
  disabled: () => m.error_disabled(),
  linked: () => m.sign_in_linked(),
  "too-many": () => m.sign_in_too_many(),
  session: () => m.sign_in_session(),
};

/** Why a sign-in did not work. Anybody may have written the word. */
export function explainSignIn(problem: string): string {
  const text = Object.hasOwn(TEXTS, problem) ? TEXTS[problem] : undefined;
  return text ? text() : m.sign_in_answer();
}
