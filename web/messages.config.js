// The project from which Paraglide generates the functions of `src/paraglide/messages`. It is
// generated and not committed, because games are found by their folders: a viewer may have its own
// texts in games/<id>/viewer/messages/{en,zh}.json.
import nodeFs, { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL(".", import.meta.url));
const games = join(web, "..", "games");

const settings = {
    $schema: "https://inlang.com/schema/project-settings",
    baseLocale: "en",
    locales: ["en", "zh"],
    telemetry: "off",
    modules: ["./node_modules/@inlang/plugin-message-format/dist/index.js"],
    "plugin.inlang.messageFormat": { pathPattern: ["./messages/{locale}.json", ...gamePatterns()] },
};

// The compiler would open a file for each message at once, which a container with 1,024 open files
// does not allow, and it passes over what it could not write.
const oneAtATime = {
    ...nodeFs,
    promises: {
        ...nodeFs.promises,
        writeFile: async (/** @type {string} */ file, /** @type {string} */ text) =>
            writeFileSync(file, text),
    },
};

/**
 * Writes the project, if it has changed, and gives the options of Paraglide's compiler.
 * @returns {import("@inlang/paraglide-js").CompilerOptions}
 */
export function paraglideOptions() {
    const project = join(web, "project.inlang");
    const file = join(project, "settings.json");
    const text = `${JSON.stringify(settings, null, 2)}\n`;
    mkdirSync(project, { recursive: true });
    if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
    return {
        project,
        outdir: join(web, "src", "paraglide"),
        strategy: ["globalVariable", "baseLocale"],
        // What the plugin of Vite chooses: a build that finds the same files writes none, so that
        // checks and tests may read them meanwhile.
        isServer: "import.meta.env?.SSR ?? typeof window === 'undefined'",
        fs: oneAtATime,
    };
}

/** The files of all messages. */
export function messageFiles() {
    const patterns = settings["plugin.inlang.messageFormat"].pathPattern;
    return patterns.flatMap((pattern) =>
        settings.locales.map((locale) => join(web, pattern.replace("{locale}", locale))),
    );
}

function gamePatterns() {
    const folders = existsSync(games) ? readdirSync(games).sort() : [];
    return folders
        .filter((game) => existsSync(join(games, game, "viewer", "messages")))
        .map((game) => `../games/${game}/viewer/messages/{locale}.json`);
}
