import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";

/** Tab indents. */
export { indentWithTab } from "@codemirror/commands";

/** Colours of code as CSS variables, so that they follow the theme. */
export const marks: Extension = syntaxHighlighting(
  HighlightStyle.define([
    {
      tag: [tags.keyword, tags.controlKeyword, tags.modifier],
      color: "var(--accent)",
      fontWeight: "600",
    },
    { tag: [tags.string, tags.character, tags.special(tags.string)], color: "var(--good)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--blue)" },
    {
      tag: [tags.comment, tags.lineComment, tags.blockComment],
      color: "var(--ink-soft)",
      fontStyle: "italic",
    },
    { tag: [tags.typeName, tags.className, tags.namespace], color: "var(--warn)" },
    { tag: [tags.meta, tags.processingInstruction, tags.macroName], color: "var(--red)" },
  ]),
);

/** CodeMirror's support for the language of a file; empty if there is none. */
export async function language(file: string): Promise<Extension> {
  switch (file.split(".").pop()?.toLowerCase()) {
    case "py":
      return (await import("@codemirror/lang-python")).python();
    case "c":
    case "cc":
    case "cpp":
    case "h":
    case "hpp":
      return (await import("@codemirror/lang-cpp")).cpp();
    // Close enough for colours: strings, comments, numbers and most keywords are the same.
    case "cs":
    case "kt":
    case "java":
      return (await import("@codemirror/lang-java")).java();
    case "go":
    case "rs":
      return (await import("@codemirror/lang-rust")).rust();
    case "js":
    case "mjs":
      return (await import("@codemirror/lang-javascript")).javascript();
    case "ts":
      return (await import("@codemirror/lang-javascript")).javascript({ typescript: true });
    default:
      return [];
  }
}
