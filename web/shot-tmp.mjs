import { openBrowser, visit } from "./tests/browser/kit.mjs";
import { writeFileSync } from "node:fs";
writeFileSync("/tmp/a15g/v.html", "<body style='margin:0;background:#888'>" + ["snakego","kob","tankcraft"].map(g=>`<img src="${g}.gif">`).join(" "));
const b = await openBrowser(); const p = await visit(b, {viewport:{width:1900,height:640}});
await p.goto("file:///tmp/a15g/v.html"); await p.waitForTimeout(4000); await p.screenshot({path:"/tmp/a15g/cli.png"}); await b.close();
