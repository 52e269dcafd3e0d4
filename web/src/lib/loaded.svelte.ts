import { ApiError } from "./api";
import type { ListPage } from "./types";

/**
 * A value from the server. The last value stays while the next one is loaded, so the page does not
 * jump.
 */
export class LoadedValue<T> {
  value: T | undefined = $state.raw();
  error: ApiError | null = $state.raw(null);
  loading = $state(false);
  #turn = 0;

  /** Whether the first answer is still to come. */
  get awaited(): boolean {
    return this.loading && this.value === undefined && this.error === null;
  }

  /** Loads it again; answers to earlier requests no longer count. */
  async load(ask: () => Promise<T>): Promise<void> {
    const turn = ++this.#turn;
    this.loading = true;
    try {
      const value = await ask();
      if (turn !== this.#turn) return;
      this.value = value;
      this.error = null;
    } catch (thrown) {
      if (turn === this.#turn) this.error = asError(thrown);
    }
    if (turn === this.#turn) this.loading = false;
  }
}

/** A list that is loaded in parts. */
export class PagedList<T> {
  items: T[] | undefined = $state.raw();
  error: ApiError | null = $state.raw(null);
  loading = $state(false);
  next: string | null = $state(null);
  #ask: (before: string | null) => Promise<ListPage<T>> = () =>
    Promise.resolve({ items: [], next: null });
  #turn = 0;

  /** Whether the first answer is still to come. */
  get awaited(): boolean {
    return this.loading && this.items === undefined && this.error === null;
  }

  /** Loads the first part. */
  loadFirst(ask: (before: string | null) => Promise<ListPage<T>>): Promise<void> {
    this.#ask = ask;
    return this.#part(null);
  }

  /** Adds the next part. */
  loadNext(): Promise<void> {
    return this.#part(this.next);
  }

  async #part(before: string | null): Promise<void> {
    const turn = ++this.#turn;
    this.loading = true;
    try {
      const page = await this.#ask(before);
      if (turn !== this.#turn) return;
      this.items = before === null ? page.items : [...(this.items ?? []), ...page.items];
      this.next = page.next;
      this.error = null;
    } catch (thrown) {
      if (turn === this.#turn) this.error = asError(thrown);
    }
    if (turn === this.#turn) this.loading = false;
  }
}

/** What a form or a button does: whether it runs, and the error of its last run. */
export class Action {
  busy = $state(false);
  error: ApiError | null = $state.raw(null);

  /** Does it; `false` if it failed. */
  async run(act: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    this.error = null;
    try {
      await act();
      return true;
    } catch (thrown) {
      this.error = asError(thrown);
      return false;
    } finally {
      this.busy = false;
    }
  }
}

/** Any thrown value as an ApiError: errors of the page itself are shown, too. */
export function asError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  console.error(thrown);
  return new ApiError(0, "page", thrown instanceof Error ? thrown.message : String(thrown));
}
