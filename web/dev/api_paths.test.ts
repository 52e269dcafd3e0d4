// The generated types do not contain addresses: this test checks the addresses in the calls of the
// page and of the sample data against docs/openapi.json.

import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { ROUTES } from "./mock/routes.ts";

const DOCUMENT = new URL("../../docs/openapi.json", import.meta.url);
const { paths } = JSON.parse(readFileSync(DOCUMENT, "utf8")) as {
  paths: Record<string, Record<string, unknown>>;
};

/** The paths of the API with a given method, or with any; `*` is a parameter. */
function knownPaths(method?: string): string[] {
  return Object.keys(paths)
    .filter((path) => method === undefined || method in paths[path]!)
    .map((path) => path.replace(/\{\w+\}/g, "*"));
}

/** The path of a template literal, without its query; `*` is a value. */
function asPattern(text: string): string {
  const path = text.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "*");
  return path.replace(/\?.*$/, "").replace(/(?<=\w)\*$/, "");
}

function sourceFiles(folder: URL): [name: string, text: string][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(svelte|ts|mjs)$/.test(name) && !/paraglide|openapi/.test(name))
    .map((name) => [name, readFileSync(new URL(name, folder), "utf8")]);
}

const CALL = /\b(get|getPage|post|patch|remove)(?:<[^(`"]*>)?\(\s*[`"](\/[^`"]*)[`"]/g;
const METHODS = { get: "get", getPage: "get", post: "post", patch: "patch", remove: "delete" };

test("every address that the page calls is in the API", () => {
  const unknown: string[] = [];
  let calls = 0;
  for (const [name, text] of sourceFiles(new URL("../src/", import.meta.url))) {
    for (const [, helper, path] of text.matchAll(CALL)) {
      calls++;
      const method = METHODS[helper as keyof typeof METHODS];
      const pattern = asPattern(`/api${path}`);
      if (!knownPaths(method).some((known) => fits(known, pattern)))
        unknown.push(`${name}: ${method} ${pattern}`);
    }
  }
  expect(unknown).toEqual([]);
  expect(calls).toBeGreaterThan(40);
});

test.each(["../src/", "../tests/", "./"])("addresses in %s are the API's", (folder) => {
  const unknown: string[] = [];
  for (const [name, text] of sourceFiles(new URL(folder, import.meta.url))) {
    for (const [, path] of text.matchAll(/[`"](?:\$\{[\w.]+\}|\*\*)?(\/api\/[^`"]*)[`"]/g)) {
      const pattern = asPattern(path!);
      if (!knownPaths().some((known) => fits(known, pattern))) unknown.push(`${name}: ${pattern}`);
    }
  }
  expect(unknown).toEqual([]);
});

test("every call that the sample data answers is in the API", () => {
  const unknown = ROUTES.filter(([method, path]) => {
    return !knownPaths(method.toLowerCase()).includes(`/api/${path}`);
  });
  expect(unknown.map(([method, path]) => `${method} ${path}`)).toEqual([]);
});

/** Whether the parts of a path match those of a known one; `*` in either matches any part. */
function fits(known: string, path: string): boolean {
  const [wanted, given] = [known.split("/"), path.split("/")];
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => part === given[at] || part === "*" || given[at] === "*")
  );
}
