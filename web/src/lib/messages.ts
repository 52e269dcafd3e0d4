// Texts in both languages. Every text of the page and of the games' viewers is a message of
// Paraglide: web/messages/{en,zh}.json, and games/<id>/viewer/messages/{en,zh}.json with keys that
// begin with the game's id.

import type { Lang, LocalizedText } from "./types";

export { m } from "../paraglide/messages";

/** A function of a message, for tables of messages. */
export type Message<Values = Record<string, never>> = (
  values: Values,
  options: { locale: Lang },
) => string;

/** A text in both languages, where the language is chosen later. */
export function inBothLanguages(write: (locale: Lang) => string): LocalizedText {
  return { en: write("en"), zh: write("zh") };
}

/** A message without values in both languages. */
export function localizedMessage(message: Message): LocalizedText {
  return inBothLanguages((locale) => message({}, { locale }));
}
