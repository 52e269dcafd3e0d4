// Rules for web/ and games/*/viewer. ESLint runs in the folder above this one, because the viewers
// of the games lie beside web/: see the script `lint` in package.json.
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
            // Only state needs a reactive URLSearchParams, Map or Set.
            "svelte/prefer-svelte-reactivity": "off",
            eqeqeq: ["error", "always", { null: "ignore" }],
            "no-console": ["error", { allow: ["error"] }],
            // Prettier breaks code; this rule is for comments, which it leaves as they are.
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
        // TypeScript knows which names exist.
        files: ["**/*.ts", "**/*.svelte"],
        rules: { "no-undef": "off" },
    },
    {
        files: ["web/tests/**", "web/dev/**", "web/scripts/**"],
        rules: { "no-console": "off" },
    },
);
