// The plugin is imported, because Prettier runs in the parent folder, where it cannot be found by
// name: see the script `lint` in package.json.
import * as svelte from "prettier-plugin-svelte";

export default {
    printWidth: 100,
    plugins: [svelte],
    overrides: [{ files: "*.svelte", options: { parser: "svelte" } }],
};
