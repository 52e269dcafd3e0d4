// Builds the page that contains everything, without engine or frames and replay: `leitai replay
// export --to html` puts them in. The code is compressed and in base64, because it may then stand
// in any element, and the whole file stays below 1 MB.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.env.LEITAI_WEB_OUT ?? here("../dist");
const ours = here("../src/single/engine_source.ts");

const { output } = await build({
  root: here(".."),
  logLevel: "warn",
  plugins: [
    {
      name: "leitai-single",
      enforce: "pre",
      resolveId: (asked, from) =>
        asked === "./source" && from?.endsWith("/engine/client.ts") ? ours : null,
    },
  ],
  build: {
    write: false,
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 1 << 20,
    rolldownOptions: {
      input: here("../src/single/main.ts"),
      output: { format: "es", codeSplitting: false },
    },
  },
});

const packed = (text) => gzipSync(text, { level: 9 }).toString("base64");
const codeOf = (ending) =>
  output
    .filter(({ fileName }) => fileName.endsWith(ending))
    .map((file) => file.code ?? file.source)
    .join("\n");

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><!--title--></title>
</head>
<body>
<div id="app"></div>
<noscript>This replay needs JavaScript. 此回放需要 JavaScript。</noscript>
<script type="text/plain" id="replay"><!--replay--></script>
<script type="text/plain" id="engine"><!--engine--></script>
<script type="text/plain" id="frames"><!--frames--></script>
<script type="text/plain" id="style">${packed(codeOf(".css"))}</script>
<script type="text/plain" id="code">${packed(codeOf(".js"))}</script>
<script>
(async () => {
  for (const [id, name] of [["style", "style"], ["code", "script"]]) {
    const text = document.getElementById(id).textContent;
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const element = document.createElement(name);
    if (name === "script") element.type = "module";
    element.textContent = await new Response(stream).text();
    document.head.append(element);
  }
})();
</script>
</body>
</html>
`;

mkdirSync(out, { recursive: true });
writeFileSync(`${out}/replay.html`, page);
