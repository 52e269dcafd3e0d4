import type { Me } from "./types";

/** The account that is logged in. Loaded once, and kept until it changes. */
class Session {
  #me: Me | null = $state.raw(null);
  #asked: Promise<Me> | null = null;

  /** The account; null for a guest, undefined until it is loaded. */
  get user(): Me["user"] | undefined {
    return this.#me?.user;
  }

  /** Loads it unless that was done before. */
  load(): Promise<Me> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  /** The CSRF token that every change must carry; null for guests, who need none. */
  async csrfToken(): Promise<string | null> {
    return (await this.load()).csrf;
  }

  /** Loads it again, after logging in or out. */
  async reload(): Promise<void> {
    this.forget();
    await this.load();
  }

  /** Forgets an invalid CSRF token: the next change loads another. */
  forget(): void {
    this.#asked = null;
  }

  async #ask(): Promise<Me> {
    try {
      const response = await fetch("/api/me", { headers: { accept: "application/json" } });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      this.#me = (await response.json()) as Me;
    } catch {
      // The server did not answer: the next caller asks again.
      this.#asked = null;
      this.#me ??= { user: null, csrf: null };
    }
    return this.#me;
  }
}

export const session = new Session();
