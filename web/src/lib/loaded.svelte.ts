import { ApiError } from "./api";
import type { ListPage } from "./types";

/** Something that comes from the server: what came last stays while it is asked anew, so that nothing jumps. */
export class LoadedValue<T> {
  value: T | undefined = $state.raw();
  error: ApiError | null = $state.raw(null);
  loading = $state(false);
  #turn = 0;

  /** Asks anew; answers to earlier questions no longer count. */
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

/** A list that comes in parts. */
export class PagedList<T> {
  items: T[] | undefined = $state.raw();
  error: ApiError | null = $state.raw(null);
  loading = $state(false);
  next: string | null = $state(null);
  #ask: (before: string | null) => Promise<ListPage<T>> = () =>
    Promise.resolve({ items: [], next: null });
  #turn = 0;

  /** Begins with the first part. */
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

/** What was thrown, as a refusal: a mistake of ours is shown as one, too, rather than swallowed. */
export function asError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  console.error(thrown);
  return new ApiError(0, "page", thrown instanceof Error ? thrown.message : String(thrown));
}
