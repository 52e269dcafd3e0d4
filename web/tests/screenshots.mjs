// Screenshots of every page: `npm run screenshots -- [OUT] [NAME…]`, with frames if LEITAI names
// the program. Fails if a page throws, or is wider than its window.

import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { open, PAGES, withPages } from "./pages.mjs";

// npm runs this in web/; a path is meant from where npm was called.
if (process.env.LEITAI)
  process.env.LEITAI = resolve(process.env.INIT_CWD ?? ".", process.env.LEITAI);
const [out = "/tmp/leitai-pages", ...only] = process.argv.slice(2);
const VARIANTS = ["en", "zh"].flatMap((lang) =>
  ["light", "dark"].flatMap((theme) => [1280, 390].map((width) => ({ lang, theme, width }))),
);
const few = process.env.FEW ? VARIANTS.filter((_, at) => at === 0 || at === 7) : VARIANTS;
mkdirSync(out, { recursive: true });

let wrong = 0;
await withPages(async (browser, base) => {
  for (const entry of PAGES.filter(([name]) => only.length === 0 || only.includes(name))) {
    for (const variant of few) {
      const { page, errors, close } = await open(browser, base, entry, variant);
      const name = `${entry[0]}-${variant.lang}-${variant.theme}-${variant.width}`;
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
  wrong === 0 ? `no problems; screenshots in ${out}` : `${wrong} problems; screenshots in ${out}`,
);
process.exit(wrong === 0 ? 0 : 1);
