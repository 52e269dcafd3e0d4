// Generates src/paraglide from all messages: `npm run messages`.
import { compile } from "@inlang/paraglide-js";
import { paraglideOptions } from "../messages.config.js";

await compile(paraglideOptions());
