// What a person has begun to answer, kept over a reload of the page. A tab keeps its last match.

/** Keeps the draft of one match. */
export interface DraftStore {
  load(leg: number): unknown;
  save(leg: number, draft: unknown): void;
}

const KEY = "leitai.draft";

/** The drafts of a match. */
export function draftsOf(match: number): DraftStore {
  return {
    load(leg) {
      try {
        const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
        return kept?.match === match && kept.leg === leg ? (kept.draft ?? null) : null;
      } catch {
        return null;
      }
    },
    save(leg, draft) {
      try {
        sessionStorage.setItem(KEY, JSON.stringify({ match, leg, draft }));
      } catch {
        // Storage is full or not allowed: the draft lasts as long as the page.
      }
    },
  };
}
