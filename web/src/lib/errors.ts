import { m } from "../paraglide/messages";
import { ApiError } from "./api";
import { locale } from "./locale.svelte";

/** The message for an error code of the API; for other errors, the server's message. */
const TEXTS: Record<string, (error: Pick<ApiError, "field" | "message">) => string> = {
  offline: () => m.error_offline(),
  login: () => m.error_login(),
  csrf: () => m.error_csrf(),
  "not-found": () => m.error_not_found(),
  "too-large": () => m.error_too_large(),
  "too-often": () => m.error_too_often(),
  taken: (error) => (error.field === "name" ? m.error_name_taken() : m.error_taken()),
  "bad-name": () => m.error_bad_name(),
  "bad-password": () => m.error_bad_password(),
  "common-password": () => m.error_common_password(),
  "password-is-name": () => m.error_password_is_name(),
  "reserved-name": () => m.error_reserved_name(),
  "bad-days": () => m.error_bad_days(),
  "bad-address": () => m.error_bad_address(),
  "dead-link": () => m.error_dead_link(),
  "no-mail": () => m.error_no_mail(),
  "bad-tag": () => m.error_bad_tag(),
  "bad-url": () => m.error_bad_url(),
  "private-url": () => m.error_private_url(),
  "bad-scopes": () => m.error_bad_scopes(),
  "human-matches-full": () => m.error_human_matches_full(),
  "wrong-password": () => m.error_wrong_password(),
  "provider-away": () => m.sign_in_unreachable(),
  "sign-in-over": () => m.sign_in_expired(),
  "sign-in-again": () => m.error_sign_in_again(),
  "second-factor": () => m.error_second_factor(),
  "wrong-code": () => m.error_wrong_code(),
  "second-factor-over": () => m.error_second_factor_over(),
  "second-factor-on": () => m.error_second_factor_on(),
  "no-second-factor": () => m.error_no_second_factor(),
  "wrong-passkey": () => m.error_wrong_passkey(),
  "passkey-over": () => m.error_passkey_over(),
  "passkey-taken": () => m.error_passkey_taken(),
  "too-many-passkeys": () => m.error_too_many_passkeys(),
  "no-passkey": () => m.error_no_passkey(),
  "passkeys-unavailable": () => m.error_passkeys_unavailable(),
  "no-password": () => m.second_factor_provider(),
  "second-factor-required": () => m.error_second_factor_required(),
  "not-compared": () => m.error_not_compared(),
  "bad-login": () => m.error_bad_login(),
  hides: () => m.error_analysis_hides(),
  "no-positions": () => m.error_analysis_no_positions(),
  closed: () => m.error_closed(),
  disabled: () => m.error_disabled(),
  "too-many": () => m.error_too_many(),
  deleted: (error) => m.error_deleted({ message: error.message }),
  "replay-removed": (error) => m.error_replay_removed({ message: error.message }),
  "quota-bytes": (error) => m.error_quota_bytes({ message: error.message }),
  "quota-bots": (error) => m.error_quota_bots({ message: error.message }),
  "quota-versions": (error) => m.error_quota_versions({ message: error.message }),
  "bad-text": () => m.error_bad_text(),
  busy: () => m.error_busy(),
  forbidden: () => m.error_forbidden(),
  "not-yours": () => m.error_forbidden(),
  "not-admin": () => m.error_not_admin(),
  "cross-site": () => m.error_csrf(),
  "change-password": () => m.error_change_password(),
  "not-member": () => m.error_not_member(),
  "not-organiser": () => m.error_not_organiser(),
  "not-captain": () => m.error_not_captain(),
  "bad-group-name": () => m.error_bad_group_name(),
  "bad-team-size": () => m.error_bad_team_size(),
  "wrong-lines": () => m.group_import_wrong(),
  internal: () => m.error_server(),
  "first-account": () => m.error_first_secret(),
  "unknown-field": (error) => m.error_unknown_field({ message: error.message }),
  "unknown-parameter": (error) => m.error_unknown_field({ message: error.message }),
  "bad-config": (error) => m.error_bad_config({ message: error.message }),
  refused: (error) => m.error_refused({ message: error.message }),
  page: (error) => m.error_page({ message: error.message }),
};

/**
 * A refusal in the reader's language. The server's own sentence names the
 * value, so it is shown where it is in this language.
 */
export function explainError(error: ApiError): string {
  const text = TEXTS[error.code];
  const own = error.message && !error.message.startsWith("HTTP ") ? error.message : null;
  if (own && error.status > 0 && isInPageLanguage(own)) return asSentence(own);
  if (text)
    return text({
      field: error.field,
      message: isInPageLanguage(error.message) ? error.message : error.code,
    });
  return own && isInPageLanguage(own)
    ? m.error_other({ message: own })
    : m.error_unknown({ status: error.status });
}

/** What went wrong, in the reader's language where that is known. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) return explainError(error);
  return error instanceof Error ? error.message : String(error);
}

/** Whether a text is in the language of the page. */
function isInPageLanguage(text: string): boolean {
  return locale() === "en" || /[\u4e00-\u9fff]/.test(text);
}

/** A message as a sentence: a capital letter and a full stop. */
export function asSentence(text: string): string {
  // The name of a file keeps its letters.
  const isName = /^\S*[._/]\S/.test(text);
  const first = isName ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?。！？]$/.test(first) ? first : `${first}${locale() === "zh" ? "。" : "."}`;
}
