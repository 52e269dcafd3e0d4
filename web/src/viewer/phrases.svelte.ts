// The preset phrases that two people say to each other; each reads them in the own language.

import { m } from "$lib/messages";
import type { Phrase } from "$lib/types";

/** The phrases in the order in which they are offered. */
export const PHRASES: readonly Phrase[] = [
  "hello",
  "good_luck",
  "nice_move",
  "oops",
  "one_moment",
  "thanks",
  "good_game",
];

/** What is said after a match. */
export const PARTING: readonly Phrase[] = ["good_game", "thanks"];

/** Milliseconds between two phrases: the server drops what comes sooner. */
export const PAUSE_MILLIS = 2200;

const TEXTS: Record<Phrase, () => string> = {
  hello: m.phrase_hello,
  good_luck: m.phrase_good_luck,
  nice_move: m.phrase_nice_move,
  oops: m.phrase_oops,
  one_moment: m.phrase_one_moment,
  thanks: m.phrase_thanks,
  good_game: m.phrase_good_game,
};

/** The text of a phrase; empty for one that this page does not know. */
export function phraseText(phrase: Phrase): string {
  return TEXTS[phrase]?.() ?? "";
}

const KEY = "leitai.phrases";
let shown = $state(readChoice());

function readChoice(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true; // A browser may refuse storage.
  }
}

/** Whether this reader wants to see what others say. */
export function showsPhrases(): boolean {
  return shown;
}

export function showPhrases(show: boolean): void {
  shown = show;
  try {
    localStorage.setItem(KEY, show ? "on" : "off");
  } catch {
    // It is then forgotten with the page.
  }
}
