import { ApiError, post } from "./api";
import { m } from "../paraglide/messages";

/** What the server asks: the JSON of WebAuthn. */
interface Asked<Options> {
  options: Options;
}

/** What proves that the owner of an account is there, who changes a second factor. */
export interface FactorProof {
  password: string;
  code?: string;
  passkey?: unknown;
}

/** Whether this browser has passkeys, and speaks JSON of them. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential !== "undefined" &&
  "parseCreationOptionsFromJSON" in PublicKeyCredential;

/** Makes a passkey, as the server's challenge asks. */
export async function makePasskey(proof: FactorProof): Promise<unknown> {
  const asked = await post<Asked<PublicKeyCredentialCreationOptionsJSON>>(
    "/me/passkeys/options",
    proof,
  );
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked.options);
  return answer(navigator.credentials.create({ publicKey }));
}

/** Answers the server's challenge with a passkey of the account. */
export async function usePasskey(name: string, password: string): Promise<unknown> {
  const asked = await post<Asked<PublicKeyCredentialRequestOptionsJSON>>("/login/passkey", {
    name,
    password,
  });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked.options);
  return answer(navigator.credentials.get({ publicKey }));
}

/** The browser's answer; whoever closes its window has given none. */
async function answer(asked: Promise<Credential | null>): Promise<unknown> {
  const given = await asked.catch(() => null);
  if (given instanceof PublicKeyCredential) return given.toJSON();
  throw new ApiError(0, "passkey-failed", m.passkey_failed());
}
