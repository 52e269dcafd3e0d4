// Pictures of every page: `npm run screenshots -- [OUT] [NAME…]`, with frames if LEITAI names the
// program. Fails if a page throws, or is wider than its window.

import { mkdirSync } from "node:fs";
import { open, PAGES, withPages } from "./pages.mjs";

const [out = "/tmp/leitai-pages", ...only] = process.argv.slice(2);
const SIGHTS = ["en", "zh"].flatMap((lang) =>
  ["light", "dark"].flatMap((theme) => [1280, 390].map((width) => ({ lang, theme, width }))),
);
const few = process.env.FEW ? SIGHTS.filter((_, at) => at === 0 || at === 7) : SIGHTS;
mkdirSync(out, { recursive: true });

let wrong = 0;
await withPages(async (browser, base) => {
  for (const entry of PAGES.filter(([name]) => only.length === 0 || only.includes(name))) {
    for (const sight of few) {
      const { page, errors, close } = await open(browser, base, entry, sight);
      const name = `${entry[0]}-${sight.lang}-${sight.theme}-${sight.width}`;
      await page.screenshot({ path: `${out}/${name}.png`, fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) errors.push(`${wide} px wider than the window`);
      for (const error of errors) console.log(`${name}: ${error}`);
      wrong += errors.length;
      await close();
    }
  }
});
console.log(
  wrong === 0 ? `all well; pictures in ${out}` : `${wrong} things wrong; pictures in ${out}`,
);
process.exit(wrong === 0 ? 0 : 1);
