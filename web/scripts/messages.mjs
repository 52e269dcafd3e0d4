// Generates src/paraglide from all messages, unless it is of today: `npm run messages`. A digest
// of what it was generated from, and of what came out, lies beside the project; `vite build`
// writes the same files.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "@inlang/paraglide-js";
import { messageFiles, paraglideOptions } from "../messages.config.js";

const options = paraglideOptions();
const kept = join(options.project, ".digest");
const sources = ["../package-lock.json", "../messages.config.js"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);

function digest() {
  const sum = createHash("sha256");
  for (const file of [...sources, ...messageFiles()]) sum.update(readFileSync(file));
  if (!existsSync(options.outdir)) return null;
  for (const name of readdirSync(options.outdir, { recursive: true }).sort())
    if (name.endsWith(".js")) sum.update(name).update(readFileSync(join(options.outdir, name)));
  return sum.digest("hex");
}

if (!existsSync(kept) || readFileSync(kept, "utf8") !== digest()) {
  await compile(options);
  writeFileSync(kept, digest());
}
