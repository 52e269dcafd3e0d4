//! Finds or builds the page and embeds it, compressed, in the binary.
//!
//! `LEITAI_WEB_DIST` names a folder with a built page. Otherwise a shipped `web/dist` is used,
//! otherwise `npm` builds `web/` into cargo's output folder (the source tree gets nothing but
//! `node_modules`). Without Node.js, or with a version that is too old, the binary is built without
//! the page, so that a bot's author needs Rust alone; cargo warns, and `leitai serve` reports it at
//! each start. `LEITAI_WEB=plain` always leaves the page out, `LEITAI_WEB=required` makes its
//! absence an error. The addresses that the page has are read from `web/src/routes.ts`.
//! `LEITAI_ENGINE` names the engine in WebAssembly that becomes a part of the page
//! (`./dev engine` builds it). A page that was found but cannot be built fails a release build.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    // At run time: with a shared target folder this program may come from another checkout.
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let root = Path::new(&crate_folder).join("../..");
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["LEITAI_WEB_DIST", "LEITAI_WEB", "LEITAI_ENGINE"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let (files, missing) = match find(&root, &out) {
        Ok(folder) => {
            let mut files = Vec::new();
            collect(&folder, &folder, &mut files);
            warn_of_missing_engine(&files);
            (files, None)
        }
        Err(missing) => {
            if matches!(missing, Missing::NoNode(_)) {
                // A new or different Node.js changes PATH; then the next build includes the page.
                println!("cargo:rerun-if-env-changed=PATH");
            }
            let why = missing.to_string();
            report(&missing, &why);
            (
                vec![("index.html".to_owned(), plain_page(&why).into_bytes())],
                Some(why),
            )
        }
    };
    let text = format!(
        "{}{}{}",
        missing_constant(missing.as_deref()),
        route_list(&root),
        table(&files, &out)
    );
    fs::write(out.join("page.rs"), text).expect("cargo's output folder can be written");
}

fn missing_constant(why: Option<&str>) -> String {
    format!(
        "/// Why this build has no page, if it has none.\n\
         #[allow(dead_code)]\n\
         pub const MISSING: Option<&str> = {why:?};\n"
    )
}

/// Warns of a page without its engine, unless an empty `LEITAI_ENGINE` asked for it.
fn warn_of_missing_engine(files: &[(String, Vec<u8>)]) {
    let is_unwanted = std::env::var("LEITAI_ENGINE").is_ok_and(|value| value.is_empty());
    if is_unwanted || files.iter().any(|(name, _)| name.ends_with(".wasm")) {
        return;
    }
    println!(
        "cargo::warning=the arena's page is built without its engine: it will not analyse games, play on from a \
         position or verify replays"
    );
    println!(
        "cargo::warning=for the whole page: LEITAI_ENGINE=\"$(./dev engine)\" cargo install --locked --path crates/leitai"
    );
}

/// The patterns of the page's addresses, such as `/bots/:id`, from the page's own list.
fn route_list(root: &Path) -> String {
    let file = root.join("web/src/routes.ts");
    println!("cargo:rerun-if-changed={}", file.display());
    let text = fs::read_to_string(&file).unwrap_or_default();
    let patterns: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            line.trim_start()
                .strip_prefix("[\"/")?
                .split_once("\", () => import(")
        })
        .map(|(pattern, _)| pattern)
        .collect();
    if patterns.is_empty() && !text.is_empty() {
        println!(
            "cargo::error=web/src/routes.ts lists no page in the form [\"/path\", () => import(…)]"
        );
    }
    let list: String = patterns
        .iter()
        .map(|pattern| format!("    {:?},\n", format!("/{pattern}")))
        .collect();
    format!("/// The addresses of the page.\nconst ROUTES: &[&str] = &[\n{list}];\n")
}

/// Why there is no page.
enum Missing {
    /// The user asked for a build without the page.
    Unwanted,
    /// There is no Node.js that can build it.
    NoNode(String),
    /// It could not be found or built.
    Failed(String),
}

impl std::fmt::Display for Missing {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            Missing::Unwanted => "LEITAI_WEB=plain asked for that",
            Missing::NoNode(why) | Missing::Failed(why) => why,
        })
    }
}

impl From<String> for Missing {
    fn from(why: String) -> Missing {
        Missing::Failed(why)
    }
}

/// Warns that the page is missing, or fails the build: where the page is required, and where a
/// release build found it and could not build it.
fn report(missing: &Missing, why: &str) {
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let is_required = std::env::var("LEITAI_WEB").is_ok_and(|value| value == "required");
    if is_required || (is_release && matches!(missing, Missing::Failed(_))) {
        println!("cargo::error=the arena's page could not be built: {why}");
        println!("cargo::error=install Node.js 20.19 or newer with npm and build again;");
        println!(
            "cargo::error=or set LEITAI_WEB_DIST to a folder with the built page (npm --prefix web run build);"
        );
        println!(
            "cargo::error=or leave the page out, with Rust alone: LEITAI_WEB=plain cargo build --release"
        );
        return;
    }
    println!("cargo::warning=the arena's page is not in this build: {why}");
}

/// Finds the folder of the built page.
fn find(root: &Path, out: &Path) -> Result<PathBuf, Missing> {
    if std::env::var("LEITAI_WEB").is_ok_and(|value| value == "plain") {
        return Err(Missing::Unwanted);
    }
    if let Some(given) = std::env::var_os("LEITAI_WEB_DIST") {
        let given = PathBuf::from(given);
        println!("cargo:rerun-if-changed={}", given.display());
        let has_page = given.join("index.html").is_file();
        return if has_page {
            Ok(given)
        } else {
            Err(Missing::Failed(format!(
                "there is no index.html in LEITAI_WEB_DIST={}",
                given.display()
            )))
        };
    }
    let web = root.join("web");
    if web.join("dist/index.html").is_file() {
        println!("cargo:rerun-if-changed={}", web.join("dist").display());
        return Ok(web.join("dist"));
    }
    watch(root, &web);
    if let Some(engine) = std::env::var_os("LEITAI_ENGINE").filter(|path| !path.is_empty()) {
        println!("cargo:rerun-if-changed={}", Path::new(&engine).display());
    }
    if !web.join("package.json").is_file() {
        // Cargo treats a missing file as changed, so this script runs again until the file exists.
        println!(
            "cargo:rerun-if-changed={}",
            web.join("package.json").display()
        );
        return Err(Missing::Failed(
            "there is no web/ in this source tree".to_owned(),
        ));
    }
    check_node().map_err(Missing::NoNode)?;
    Ok(build(&web, &out.join("dist"))?)
}

/// Declares the sources of the page as inputs, but not the files that npm and the build write.
fn watch(root: &Path, web: &Path) {
    let names = [
        "public",
        "scripts",
        "messages",
        "index.html",
        "package.json",
    ];
    let more = [
        "package-lock.json",
        "vite.config.ts",
        "messages.config.js",
        "svelte.config.js",
        "tsconfig.json",
    ];
    let mut watched: Vec<PathBuf> = names
        .into_iter()
        .chain(more)
        .map(|name| web.join(name))
        .collect();
    let games = fs::read_dir(root.join("games"))
        .into_iter()
        .flatten()
        .flatten();
    watched.extend(games.map(|game| game.path().join("viewer")));
    for path in watched.iter().filter(|path| path.exists()) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    watch_sources(&web.join("src"));
}

/// Declares files one by one: cargo looks at everything below a folder, and `npm run check` writes
/// `paraglide` and `lib/openapi.d.ts`, for which nothing has to be built again.
fn watch_sources(path: &Path) {
    if path.ends_with("src/paraglide") || path.ends_with("src/lib/openapi.d.ts") {
        return;
    }
    if path.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| watch_sources(&entry.path()));
    } else {
        println!("cargo:rerun-if-changed={}", path.display());
    }
}

fn build(web: &Path, dist: &Path) -> Result<PathBuf, String> {
    let lock = web.join("package-lock.json");
    // npm writes this file last: if it is newer than the lock file, the installation is complete.
    let installed = web.join("node_modules/.package-lock.json");
    let time = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    if time(&installed).is_none() || time(&installed) < time(&lock) {
        npm(web, dist, &["ci", "--no-audit", "--no-fund"])?;
    }
    npm(web, dist, &["run", "build"])?;
    let has_page = dist.join("index.html").is_file();
    if has_page {
        Ok(dist.to_owned())
    } else {
        Err("npm run build left no index.html".to_owned())
    }
}

/// The oldest Node.js that can build the page, as in web/package.json.
const NODE: [u32; 2] = [20, 19];

/// Checks that Node.js is installed and new enough. With an old one npm would install packages and
/// then fail with their errors.
fn check_node() -> Result<(), String> {
    let said = Command::new("node").arg("--version").output();
    let said = said.map_err(|error| format!("node --version: {error}; there is no Node.js"))?;
    let version = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    let mut parts = version
        .trim_start_matches('v')
        .split('.')
        .map(|part| part.parse().unwrap_or(0));
    let found = [parts.next().unwrap_or(0), parts.next().unwrap_or(0)];
    let [major, minor] = NODE;
    if found >= NODE {
        return Ok(());
    }
    Err(format!(
        "node --version says {version:?}, and the page needs {major}.{minor} or newer"
    ))
}

fn npm(web: &Path, dist: &Path, arguments: &[&str]) -> Result<(), String> {
    let name = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let done = Command::new(name)
        .args(arguments)
        .current_dir(web)
        .env("LEITAI_WEB_OUT", dist)
        .output();
    let words = arguments.join(" ");
    let done = done.map_err(|error| {
        format!("npm {words}: {error}; install Node.js 20.19 or newer with npm")
    })?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    Err(format!(
        "npm {words} failed: {}",
        lines[lines.len().saturating_sub(6)..].join(" | ")
    ))
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path
                .strip_prefix(root)
                .expect("it lies in it")
                .to_string_lossy()
                .replace('\\', "/");
            files.push((
                name,
                fs::read(&path).expect("a file that was just built can be read"),
            ));
        }
    }
}

/// Writes the table of files as Rust. Each file is embedded compressed, or raw where that is not
/// longer; NAME.br is no file of its own but what Brotli made of NAME.
fn table(files: &[(String, Vec<u8>)], out: &Path) -> String {
    let folder = out.join("page");
    let _ = fs::remove_dir_all(&folder); // It may not be there.
    fs::create_dir_all(&folder).expect("cargo's output folder can be written");
    let mut text = String::from("static FILES: &[EmbeddedFile] = &[\n");
    let embed = |index: usize, ending: &str, bytes: &[u8]| {
        let path = folder.join(format!("{index}{ending}"));
        fs::write(&path, bytes).expect("cargo's output folder can be written");
        let path = path.to_str();
        let path = path.expect("cargo's output folder has a name of text");
        format!("include_bytes!({path:?})")
    };
    let plain = files.iter().filter(|(name, _)| !name.ends_with(".br"));
    for (index, (name, bytes)) in plain.enumerate() {
        let small = compressed(bytes);
        let is_smaller = small.len() < bytes.len() * 9 / 10;
        let embedded = embed(index, "", if is_smaller { &small } else { bytes });
        let brotli = files
            .iter()
            .find(|(other, _)| other.strip_suffix(".br") == Some(name));
        let brotli = match brotli {
            Some((_, bytes)) => format!("Some({})", embed(index, ".br", bytes)),
            None => "None".to_owned(),
        };
        writeln!(
            text,
            "    EmbeddedFile {{ name: {name:?}, is_gzip: {is_smaller}, bytes: {embedded}, brotli: {brotli} }},"
        )
        .expect("a string takes it");
    }
    text.push_str("];\n");
    text
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).expect("memory takes it");
    gzip.finish().expect("memory takes it")
}

fn plain_page(why: &str) -> String {
    let why = why.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Leitai 擂台</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\n\
         <style>body{{font:1.1rem/1.6 sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}}</style></head>\n\
         <body><h1>Leitai 擂台</h1>\n\
         <p>The arena runs, and its <a href=\"/api/openapi.json\">API</a> answers, but this program was built without its \
         page: <code>{why}</code>. Install Node.js 20.19 or newer with npm and \
         build again: <code>touch crates/server/build.rs &amp;&amp; cargo build --release</code>.</p>\n\
         <p lang=\"zh\">擂台正在运行，其 <a href=\"/api/openapi.json\">API</a> 可用，但此程序构建时没有包含网页。请安装 Node.js \
         20.19 或更新版本及 npm，然后重新构建。</p></body></html>\n"
    )
}
