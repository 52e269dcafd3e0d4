import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { paraglideVitePlugin } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { paraglideOptions } from "./messages.config.js";
import { defineConfig, type PluginOption, type Rolldown } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The address of `leitai serve` during work on the page with `npm run dev`. */
const server = process.env.LEITAI_SERVER ?? "http://localhost:8080";

/** The file of the engine (`./dev engine` builds it); without it the page asks the server. */
const engineFile = process.env.LEITAI_ENGINE || null;
if (engineFile !== null && !existsSync(engineFile))
  throw new Error(`there is no file LEITAI_ENGINE=${engineFile}; ./dev engine builds it`);

/** `virtual:engine` is the address of the engine among the files of the page, or null. */
function engine(): PluginOption {
  const id = "virtual:engine";
  return {
    name: "leitai-engine",
    resolveId: (asked) => (asked === id ? `\0${id}` : null),
    load: (asked) => {
      if (asked !== `\0${id}`) return null;
      if (!engineFile) return "export default null;";
      return `export { default } from ${JSON.stringify(`${engineFile}?url`)};`;
    },
  };
}

/** What opens without the server, with everything that it loads. */
const OFFLINE_PAGES = /\/pages\/(Home|Play|Viewer|NotFound)\.svelte$/;
/** Files that are not a part of any page's code. */
const OFFLINE_FILES = ["/theme.js", "/icon.svg", "/manifest.webmanifest"];

/** Writes sw.js: the files that it keeps, and src/offline/service_worker.js. */
function serviceWorker(): PluginOption {
  return {
    name: "leitai-service-worker",
    apply: "build",
    writeBundle({ dir }, bundle) {
      if (!dir || !engineFile) return;
      const assets = offlineAssets(bundle);
      const digest = createHash("sha256").update(assets.join());
      for (const file of ["/index.html", ...OFFLINE_FILES])
        digest.update(readFileSync(join(dir, file)));
      const version = digest.digest("hex").slice(0, 16);
      const kept = JSON.stringify({ version, assets, others: OFFLINE_FILES });
      const script = readFileSync(here("src/offline/service_worker.js"), "utf8");
      writeFileSync(join(dir, "sw.js"), `const KEPT = ${kept};\n${script}`);
    },
  };
}

/** The addresses of the assets that the pages for use without the server can load. */
function offlineAssets(bundle: Rolldown.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const found = new Set<Rolldown.OutputChunk>();
  const add = (name: string): void => {
    const chunk = chunks.find(({ fileName }) => fileName === name);
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    // The entry can load every page; this one is asked for some.
    for (const next of [...chunk.imports, ...(chunk.isEntry ? [] : chunk.dynamicImports)])
      add(next);
  };
  const pages = chunks.filter(({ facadeModuleId }) => OFFLINE_PAGES.test(facadeModuleId ?? ""));
  for (const { fileName } of pages) add(fileName);
  for (const { fileName } of chunks.filter(({ isEntry }) => isEntry)) add(fileName);
  const code = [...found].flatMap(({ fileName, viteMetadata }) => [
    fileName,
    ...(viteMetadata?.importedCss ?? []),
  ]);
  // Worker, engine, pictures and the frame of strangers' boards.
  const others = Object.keys(bundle).filter((name) =>
    /worker-|viewer-frame-|\.(wasm|svg)$/.test(name),
  );
  return [...new Set([...code, ...others])].map((name) => `/${name}`).sort();
}

/** The engine is loaded when it is needed, so it is not among the shared files. */
const SHARED = /\/src\/(lib(?!\/engine)|ui|paraglide)\/|\/node_modules\/svelte\//;
const VIEWER_TEXT =
  /\/paraglide\/messages\/(viewer_|analysis_|branch_|clip_|end_|loss_|ready|reason_|fault_\w+_advice)/;
/** The texts of pages that few visits open. A text that every match page shows is none of them. */
const COURSES = /\/paraglide\/messages\/(contest|dry_run|groups?|teams?)_/;
const ACCOUNTS =
  /\/ui\/Webhooks\.svelte|\/paraglide\/messages\/(webhook|mail|admin|game_file|audit|worker|workers|queue|usage|lost|upload|version|check|my_bots?|bot_rests?|identit(y|ies)|provider|sign_in|choose_name|similar|editor|template|templates|password_(forgotten|reset|first))_?/;
/** What only forms need is loaded with the first of them. */
const FORMS =
  /\/ui\/(PlaySetup|Tokens|Credentials|Delete|ConfigForm|Drop|Password|Field)\.svelte|\/paraglide\/messages\/(token|step|delete|config(?!_options)|password|credentials|drop)_/;

/** What the viewer shares with pictures on other pages. */
const VIEWER_BASE = /\/src\/viewer\/(canvas|color_scheme\.svelte|game_viewers)\.ts$/;

/** What may be in the files that several pages share. */
const isShared = (id: string): boolean =>
  (SHARED.test(id) || VIEWER_BASE.test(id)) &&
  [VIEWER_TEXT, FORMS, COURSES, ACCOUNTS].every((others) => !others.test(id));

/** The modules that list all texts. */
const ALL_TEXTS = /\/src\/paraglide\/messages(\.js|\/_index\.js)$/;

/**
 * The modules of pages: what these files import, and of the texts those that the modules name. The
 * lists of all texts are not followed.
 */
function modulesOf(files: string[], modules: Rolldown.ChunkingContext): Set<string> {
  const found = new Set<string>();
  const texts = new Set<string>();
  const add = (id: string): void => {
    const module = found.has(id) || ALL_TEXTS.test(id) ? null : modules.getModuleInfo(id);
    if (!module) return;
    found.add(id);
    for (const [, text] of module.code?.matchAll(/\bm\.(\w+)/g) ?? []) if (text) texts.add(text);
    module.importedIds.forEach(add);
  };
  for (const file of files) add(here(file));
  for (const text of texts) add(here(`src/paraglide/messages/${text}.js`));
  return found;
}

/** What people come for: it does not wait for what other pages share. */
const FIRST_PAGE = ["src/main.ts", "src/pages/Home.svelte"];
const MATCH_PAGE = ["src/pages/Match.svelte", "src/viewer/MatchView.svelte"];

/** Names the file of what several pages share. */
const sharedFile = (() => {
  let first: Set<string>, match: Set<string>;
  return (wanted: "shared" | "watched" | "more"): Rolldown.CodeSplittingNameFunction =>
    (id, modules) => {
      first ??= modulesOf(FIRST_PAGE, modules);
      match ??= modulesOf(MATCH_PAGE, modules);
      const file = first.has(id) ? "shared" : match.has(id) ? "watched" : "more";
      return file === wanted ? wanted : null;
    };
})();

export default defineConfig(async ({ command, mode }) => ({
  plugins: [
    // Tests get their texts from `npm run messages`; the plugin's watcher would keep them from
    // ending. So do builds where ./dev has just run that.
    process.env.VITEST || process.env.LEITAI_TEXTS === "made"
      ? null
      : paraglideVitePlugin(paraglideOptions()),
    svelte(),
    engine(),
    serviceWorker(),
    // Sample data for work without a server. It is imported only here, so that no build contains
    // it.
    command === "serve" && mode === "mock"
      ? ((await import("./dev/mock/plugin.ts")).mockApi() as PluginOption)
      : null,
  ],
  resolve: {
    alias: { $lib: here("src/lib"), $ui: here("src/ui"), $viewer: here("src/viewer") },
    // The viewers of the games are in games/*/viewer, where there is no node_modules.
    dedupe: ["svelte"],
  },
  server: {
    fs: {
      allow: [here("."), here("../games"), ...(engineFile ? [dirname(engineFile)] : [])],
    },
    proxy:
      mode === "mock" ? undefined : { "/api": { target: server, ws: true, changeOrigin: false } },
  },
  build: {
    outDir: process.env.LEITAI_WEB_OUT ?? "dist",
    emptyOutDir: true,
    target: "es2022",
    // Inlined pictures would save requests, but need a content security policy with `data:`.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Code shared by several pages is one file: otherwise every message of two pages would be a
        // request. What the first page does not need is in other files than what it shares.
        codeSplitting: {
          groups: [
            { name: "forms", test: FORMS, minShareCount: 2 },
            { name: "courses", test: COURSES, minShareCount: 2 },
            { name: "accounts", test: ACCOUNTS, minShareCount: 2 },
            { name: sharedFile("more"), test: isShared, priority: 1, minShareCount: 2 },
            { name: sharedFile("watched"), test: isShared, priority: 2, minShareCount: 2 },
            // First, because a group takes what its files import, too.
            { name: sharedFile("shared"), test: isShared, priority: 3 },
          ],
        },
      },
    },
  },
  test: {
    include: ["src/**/*.test.ts", "dev/*.test.ts", "../games/*/viewer/**/*.test.ts"],
    environment: "node",
    // The machine may be busy.
    testTimeout: 60_000,
    // Every file would load thousands of messages again.
    isolate: false,
    pool: "threads",
    maxWorkers: 1,
  },
}));
