// The plugin is imported here, because Prettier runs in the folder above this one, where it would
// not be found by its name: see the script `lint` in package.json.
import * as svelte from "prettier-plugin-svelte";

export default {
    printWidth: 100,
    plugins: [svelte],
    overrides: [{ files: "*.svelte", options: { parser: "svelte" } }],
};
