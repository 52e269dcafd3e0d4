// Generates src/paraglide from all messages: `npm run messages`. A digest of what it was generated
// from lies beside it, because `check` and `test` both ask for it.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "@inlang/paraglide-js";
import { messageFiles, paraglideOptions } from "../messages.config.js";

const options = paraglideOptions();
const digest = createHash("sha256");
const lock = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const config = fileURLToPath(new URL("../messages.config.js", import.meta.url));
for (const file of [lock, config, ...messageFiles()]) digest.update(readFileSync(file));
const now = digest.digest("hex");
const kept = join(options.outdir, ".digest");
if (!existsSync(kept) || readFileSync(kept, "utf8") !== now) {
  await compile(options);
  writeFileSync(kept, now);
}
