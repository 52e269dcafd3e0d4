// The size of the first page after `npm run build`, compressed with Brotli: the page itself, the
// files that it loads, and the imports of its modules. The viewer and its files are loaded later
// and counted separately.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";

const LIMIT = 52 * 1024;
/**
 * The engine for WebAssembly, loaded when it is needed; no interpreter for game files is in it, but
 * the search over their rules is, and legs that are shown by what a judge program recorded.
 */
const ENGINE_LIMIT = 448_000;
const web = new URL("../", import.meta.url).pathname;
const dist = process.argv[2] ?? resolve(web, process.env.LEITAI_WEB_OUT ?? "dist");
const file = (name) => readFileSync(`${dist}/${name}`);
/** As a browser loads it over a secured connection. */
const size = (name) =>
  existsSync(`${dist}/${name}.br`) ? file(`${name}.br`).length : gzipSync(file(name)).length;
const assets = readdirSync(`${dist}/assets`).map((name) => `assets/${name}`);
const html = readFileSync(`${dist}/index.html`, "utf8");

const seen = new Set();
function follow(name) {
  if (seen.has(name)) return;
  seen.add(name);
  if (!name.endsWith(".js")) return;
  const code = readFileSync(`${dist}/${name}`, "utf8");
  for (const [, next] of code.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g))
    follow(`assets/${next}`);
}
for (const [, name] of html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)) follow(name);
for (const name of assets) if (/\/Home-[^/]*\.(js|css)$/.test(name)) follow(name);
// Styles are not imported by modules but listed beside them.
const listed = readFileSync(
  `${dist}/${[...seen].find((name) => /index-.*\.js$/.test(name))}`,
  "utf8",
);
const styles =
  listed
    .match(/import\(["'`]\.\/Home-[^)]*\)[^)]*\[([\d,]+)\]/)?.[1]
    ?.split(",")
    .map(Number) ?? [];
const table =
  listed
    .match(/m\.f=\[([^\]]*)\]/)?.[1]
    ?.split(",")
    .map((text) => text.replaceAll('"', "")) ?? [];
for (const at of styles) if (table[at]) seen.add(table[at].replace(/^\//, ""));

let whole = gzipSync(html).length;
for (const name of seen) {
  whole += size(name);
  console.log(`${String(size(name)).padStart(7)}  ${name}`);
}
console.log(`${String(whole).padStart(7)}  the first page (limit ${LIMIT})`);
const engine = assets.find((name) => name.endsWith(".wasm"));
const engineSize = engine ? size(engine) : 0;
if (engine) console.log(`${String(engineSize).padStart(7)}  the engine (limit ${ENGINE_LIMIT})`);
for (const [name, is, limit] of [
  ["the first page", whole, LIMIT],
  ["the engine", engineSize, ENGINE_LIMIT],
])
  if (is > limit) {
    console.error(`${name} has ${is} bytes compressed; at most ${limit} (web/tests/size.mjs)`);
    process.exitCode = 1;
  }
