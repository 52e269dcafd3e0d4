// Rules for web/ and games/*/viewer. ESLint runs in the parent folder, because the viewers of the
// games are outside of web/: see the script `lint` in package.json.
import js from "@eslint/js";
import stylistic from "@stylistic/eslint-plugin";
import { defineConfig } from "eslint/config";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";

export default defineConfig(
    { ignores: ["web/dist", "web/src/paraglide", "web/src/lib/openapi.d.ts", "**/.inlang"] },
    js.configs.recommended,
    ts.configs.recommended,
    svelte.configs.recommended,
    {
        languageOptions: { globals: { ...globals.browser, ...globals.node } },
        plugins: { "@stylistic": stylistic },
        rules: {
            "@typescript-eslint/no-unused-vars": [
                "error",
                { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
            ],
            // URLSearchParams, Map and Set are reactive only where they are state.
            "svelte/prefer-svelte-reactivity": "off",
            eqeqeq: ["error", "always", { null: "ignore" }],
            "no-console": ["error", { allow: ["error"] }],
            // Prettier wraps code; this rule checks comments, which Prettier does not wrap.
            "@stylistic/max-len": [
                "error",
                {
                    code: 100,
                    ignoreUrls: true,
                    ignoreStrings: true,
                    ignoreTemplateLiterals: true,
                    ignoreRegExpLiterals: true,
                },
            ],
        },
    },
    {
        files: ["**/*.svelte", "**/*.svelte.ts"],
        languageOptions: { parserOptions: { parser: ts.parser } },
    },
    {
        // TypeScript checks undefined names.
        files: ["**/*.ts", "**/*.svelte"],
        rules: { "no-undef": "off" },
    },
    {
        files: ["web/tests/**", "web/dev/**", "web/scripts/**"],
        rules: { "no-console": "off" },
    },
);
