import type { Plugin } from "vite";

/** Answers the API's calls with sample data, for work without a server. */
export function mock(): Plugin {
  return { name: "leitai-mock" };
}
