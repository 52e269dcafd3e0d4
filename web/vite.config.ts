import { fileURLToPath } from "node:url";
import { paraglideVitePlugin } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { paraglideOptions } from "./messages.config.js";
import { defineConfig, type PluginOption } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The address of `leitai serve` during work on the page with `npm run dev`. */
const server = process.env.LEITAI_SERVER ?? "http://localhost:8080";

const SHARED = /\/src\/(lib|ui|paraglide)\/|\/node_modules\/svelte\//;
const VIEWER_TEXT = /\/paraglide\/messages\/(viewer_|end_|reason_|fault_\w+_advice)/;

export default defineConfig(async ({ command, mode }) => ({
  plugins: [
    // Tests get their texts from `npm run messages`; the plugin's watcher would keep them from
    // ending.
    process.env.VITEST ? null : paraglideVitePlugin(paraglideOptions()),
    svelte(),
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
    fs: { allow: [here("."), here("../games")] },
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
        // request. The texts of the viewer are loaded with the viewer.
        codeSplitting: {
          groups: [
            {
              name: "shared",
              test: (id: string) => SHARED.test(id) && !VIEWER_TEXT.test(id),
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  test: {
    include: ["src/**/*.test.ts", "dev/*.test.ts", "../games/*/viewer/**/*.test.ts"],
    environment: "node",
  },
}));
