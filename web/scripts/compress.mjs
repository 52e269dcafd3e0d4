// Writes NAME.br beside each file of the built page that Brotli makes a tenth smaller: the server
// embeds it and sends it to browsers that ask for it: over secured connections, and on the own
// machine.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const out = process.env.LEITAI_WEB_OUT ?? fileURLToPath(new URL("../dist", import.meta.url));

/** One less than the most: 2 % longer, in a third of the time. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };

for (const name of readdirSync(out, { recursive: true })) {
  const path = join(out, name);
  if (!statSync(path).isFile() || !/\.(js|css|svg|wasm)$/.test(name)) continue;
  const plain = readFileSync(path);
  const small = brotliCompressSync(plain, { params });
  if (small.length < plain.length * 0.9) writeFileSync(`${path}.br`, small);
}
