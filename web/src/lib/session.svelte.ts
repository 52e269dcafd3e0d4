import type { Me } from "./types";

/** Who is logged in. Asked once, kept until it changes. */
class Session {
  #me: Me | null = $state.raw(null);
  #asked: Promise<Me> | null = null;

  /** Who is logged in; null for a guest, undefined as long as it is not known. */
  get user(): Me["user"] | undefined {
    return this.#me?.user;
  }

  /** Asks the server unless it is known already. */
  load(): Promise<Me> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  /** The word that every change must carry; null for guests, who need none. */
  async csrfToken(): Promise<string | null> {
    return (await this.load()).csrf;
  }

  /** After logging in or out: asks anew. */
  async reload(): Promise<void> {
    this.forget();
    await this.load();
  }

  /** The word is no longer taken: the next change asks for another. */
  forget(): void {
    this.#asked = null;
  }

  async #ask(): Promise<Me> {
    try {
      const response = await fetch("/api/me", { headers: { accept: "application/json" } });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      this.#me = (await response.json()) as Me;
    } catch {
      // Nobody can say who this is; whoever needs to know asks again.
      this.#asked = null;
      this.#me ??= { user: null, csrf: null };
    }
    return this.#me;
  }
}

export const session = new Session();
