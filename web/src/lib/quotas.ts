import { m } from "../paraglide/messages";

/** The languages that a quota can name, with their names for people. */
export const LANGUAGES: Record<string, () => string> = {
  c: () => "C",
  cpp: () => "C++",
  java: () => "Java",
  javascript: () => "JavaScript",
  python: () => "Python",
  rust: () => "Rust",
  typescript: () => "TypeScript",
  go: () => "Go",
  csharp: () => "C#",
  kotlin: () => "Kotlin",
  make: () => "make",
  cmake: () => "CMake",
  binary: () => m.quota_binary(),
};

/** Languages for people; an empty list, which several groups can leave, is a dash. */
export function nameLanguages(words: string[]): string {
  return words.map((word) => LANGUAGES[word]?.() ?? word).join(", ") || "–";
}
