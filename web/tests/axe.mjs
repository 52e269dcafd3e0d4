// Accessibility of every page, in both themes and at phone width: `npm run axe`. Fails on a serious
// or critical finding.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { open, PAGES, withPages } from "./pages.mjs";

const only = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VARIANTS = [
  { lang: "en", theme: "light", width: 1280 },
  { lang: "zh", theme: "dark", width: 390 },
];

let serious = 0;
await withPages(async (browser, base) => {
  for (const entry of PAGES.filter(([name]) => only.length === 0 || only.includes(name))) {
    for (const variant of VARIANTS) {
      const { page, errors, close } = await open(browser, base, entry, variant);
      for (const error of errors)
        console.log(`✕ ${entry[0]} ${variant.theme} ${variant.width}: ${error}`);
      serious += errors.length;
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const { id, impact, help, nodes } of violations) {
        const bad = impact === "serious" || impact === "critical";
        if (bad) serious += 1;
        console.log(
          `${bad ? "✕" : "·"} ${entry[0]} ${variant.theme} ${variant.width}: ${id} (${impact}): ${help}`,
        );
        for (const node of nodes.slice(0, 3))
          console.log(
            `    ${node.target.join(" ")}  ${node.any[0]?.message ?? node.html.slice(0, 120)}`,
          );
      }
      await close();
    }
  }
});
console.log(serious === 0 ? "no serious finding" : `${serious} serious findings`);
process.exit(serious === 0 ? 0 : 1);
