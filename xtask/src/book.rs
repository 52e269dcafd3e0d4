//! The documents' site: the sources of two mdBooks (English and 简体中文), made from the documents of
//! the repository, and a check of the links of the finished site.
//!
//! `docs/SUMMARY.md` and `docs/SUMMARY.zh.md` list the pages by their paths in the repository, so
//! that links work on a forge; this module rewrites every link to the place of its target in the
//! site. `./dev docs` runs mdBook on the result.

mod links;
mod openapi;
mod places;
mod site;

pub use links::resolve;

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

pub use places::Staged;
use places::{Place, Places};
pub use site::check as check_site;

/// The two books: the folder in the site, the summary, and the title.
const BOOKS: [Book; 2] = [
    Book {
        folder: "en",
        language: "en",
        summary: "docs/SUMMARY.md",
        title: "Leitai 擂台",
    },
    Book {
        folder: "zh",
        language: "zh-CN",
        summary: "docs/SUMMARY.zh.md",
        title: "擂台 Leitai",
    },
];

/// Settings, scripts and styles of both books.
const SETTINGS: &str = "docs/book";

/// The description of the HTTP API, from which a page is generated.
const OPENAPI: &str = "docs/openapi.json";

/// A generated page with links to the crates' documentation.
const CRATES: &str = "crates";

/// One book of the site.
#[derive(Clone, Copy)]
struct Book {
    folder: &'static str,
    language: &'static str,
    summary: &'static str,
    title: &'static str,
}

/// Writes the sources of both books into this folder.
pub fn write(root: &Path, out: &Path) -> anyhow::Result<usize> {
    let staged = stage(root)?;
    staged
        .complaints
        .iter()
        .for_each(|complaint| eprintln!("{complaint}"));
    if out.exists() {
        fs::remove_dir_all(out).with_context(|| out.display().to_string())?;
    }
    let make = |path: &str| -> anyhow::Result<_> {
        let to = out.join(path);
        fs::create_dir_all(to.parent().context("it lies in a folder")?)?;
        Ok(to)
    };
    for (path, text) in &staged.texts {
        fs::write(make(path)?, text).with_context(|| path.clone())?;
    }
    for (path, from) in &staged.copies {
        fs::copy(root.join(from), make(path)?).with_context(|| from.clone())?;
    }
    Ok(staged.complaints.len())
}

/// Makes the sources of both books in memory.
pub fn stage(root: &Path) -> anyhow::Result<Staged> {
    let mut places = Places::new();
    let mut summaries = Vec::new();
    for book in BOOKS {
        let text = fs::read_to_string(root.join(book.summary)).context(book.summary)?;
        for target in links::targets(&text) {
            let path = links::resolve("docs", target).with_context(|| target.to_owned())?;
            let page = page_of(&path);
            let known = places.entry(path.clone()).or_default();
            ensure!(
                known.iter().all(|place| place.book != book.folder),
                "{path} twice in {}",
                book.summary
            );
            known.push(Place {
                book: book.folder,
                page,
            });
        }
        summaries.push((book, text));
    }
    let mut staged = Staged::default();
    for (book, summary) in summaries {
        stage_book(root, book, &summary, &places, &mut staged)?;
    }
    staged.complaints.extend(unlisted(root, &places)?);
    Ok(staged)
}

fn stage_book(
    root: &Path,
    book: Book,
    summary: &str,
    places: &Places,
    staged: &mut Staged,
) -> anyhow::Result<()> {
    for (path, all) in places {
        let Some(place) = all.iter().find(|place| place.book == book.folder) else {
            continue;
        };
        let text = match path.as_str() {
            OPENAPI => openapi::page(&read(root, path)?)?,
            CRATES => crates_page(root)?,
            _ => links::Rewriter {
                root,
                path,
                place,
                places,
                staged,
            }
            .rewrite(&read(root, path)?),
        };
        staged
            .texts
            .insert(format!("{}/src/{}", book.folder, place.page), text);
    }
    stage_summary(root, book, summary, places, staged);
    stage_settings(root, book, places, staged)
}

fn stage_summary(root: &Path, book: Book, summary: &str, places: &Places, staged: &mut Staged) {
    let place = Place {
        book: book.folder,
        page: "SUMMARY.md".to_owned(),
    };
    let rewriter = links::Rewriter {
        root,
        path: book.summary,
        place: &place,
        places,
        staged,
    };
    let summary = rewriter.rewrite(summary);
    staged
        .texts
        .insert(format!("{}/src/SUMMARY.md", book.folder), summary);
}

/// The settings of a book, its style, and its scripts, which know the pages of the other book.
fn stage_settings(
    root: &Path,
    book: Book,
    places: &Places,
    staged: &mut Staged,
) -> anyhow::Result<()> {
    let settings = read(root, &format!("{SETTINGS}/book.toml"))?;
    let settings = settings
        .replace("TITLE", book.title)
        .replace("LANGUAGE", book.language);
    staged
        .texts
        .insert(format!("{}/book.toml", book.folder), settings);
    let others: Vec<&str> = places
        .values()
        .flatten()
        .filter(|place| place.book != book.folder)
        .map(|place| place.page.trim_end_matches(".md"))
        .collect();
    let list = serde_json::to_string(&others)?;
    for name in ["language.js", "search.js", "site.css"] {
        let text = read(root, &format!("{SETTINGS}/{name}"))?;
        let text = match name {
            "language.js" => format!("const PAGES_OF_OTHER_BOOK = {list};\n{text}"),
            _ => text,
        };
        staged.texts.insert(format!("{}/{name}", book.folder), text);
    }
    Ok(())
}

fn read(root: &Path, path: &str) -> anyhow::Result<String> {
    fs::read_to_string(root.join(path)).with_context(|| path.to_owned())
}

/// The path of a document in its book.
fn page_of(path: &str) -> String {
    let page = match path {
        OPENAPI => "http-reference.md".to_owned(),
        CRATES => "crates.md".to_owned(),
        _ => path.trim_start_matches("docs/").replace(".zh.md", ".md"),
    };
    match page.strip_suffix("README.md") {
        Some("") => "index.md".to_owned(),
        Some(folder) if folder.starts_with("decisions") => format!("{folder}index.md"),
        Some(folder) => format!("{}.md", folder.trim_end_matches('/')),
        None => page.to_lowercase(),
    }
}

/// Documents in `docs` that no summary lists.
fn unlisted(root: &Path, places: &Places) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            let is_page = path.ends_with(".md") && !path.starts_with("docs/SUMMARY");
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if is_page && !places.contains_key(&path) {
                complaints.push(format!(
                    "{path} is in no book: add it to docs/SUMMARY.md or its twin"
                ));
            }
        }
    }
    complaints.sort();
    Ok(complaints)
}

/// A page that lists the crates by their descriptions; rustdoc's pages are beside the books.
fn crates_page(root: &Path) -> anyhow::Result<String> {
    let mut rows = Vec::new();
    for folder in ["crates", "games"] {
        for entry in fs::read_dir(root.join(folder))? {
            let manifest = fs::read_to_string(entry?.path().join("Cargo.toml")).unwrap_or_default();
            let field = |text: &str, name: &str| {
                let line = text
                    .lines()
                    .find(|line| line.starts_with(&format!("{name} = ")))?;
                line.split('"').nth(1).map(str::to_owned)
            };
            let [name, about] =
                ["name", "description"].map(|name| field(&manifest, name).unwrap_or_default());
            // The sections after it have names, too.
            let section = manifest.split("[lib]").nth(1);
            let section = section.and_then(|rest| rest.split("\n[").next());
            let library = section.and_then(|section| field(section, "name"));
            let library = library.unwrap_or_else(|| name.replace('-', "_"));
            if !name.is_empty() {
                rows.push(format!(
                    "| [{name}](../rust/{library}/index.html) | {about} |"
                ));
            }
        }
    }
    rows.sort();
    let rows = rows.join("\n");
    Ok(format!(
        "# Rust crates\n\nThe documentation of the sources, by rustdoc.\n\n| crate | |\n|---|---|\n{rows}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_linked_by_their_libraries() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let page = crates_page(&root).expect("the manifests are here");
        for library in ["leitai_contest", "leitai_kob", "_leitai", "leitai"] {
            let link = format!("](../rust/{library}/index.html)");
            assert!(page.contains(&link), "{link}: {page}");
        }
    }

    #[test]
    fn pages_have_short_addresses() {
        let check = |path: &str, page: &str| assert_eq!(page_of(path), page, "{path}");
        check("README.md", "index.md");
        check("README.zh.md", "index.md");
        check("docs/clocks.zh.md", "clocks.md");
        check("docs/rules/kob.md", "rules/kob.md");
        check("docs/decisions/README.md", "decisions/index.md");
        check("games/kob/README.zh.md", "games/kob.md");
        check("ARCHITECTURE.md", "architecture.md");
        check("docs/openapi.json", "http-reference.md");
    }

    #[test]
    fn the_documents_of_the_repository_make_two_books() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("xtask lies in the workspace");
        let staged = stage(root).expect("files can be read");
        assert_eq!(staged.complaints, Vec::<String>::new());
        let english = &staged.texts["en/src/clocks.md"];
        assert!(
            english.contains("](../zh/clocks.html)"),
            "the page links to the other language: {english}"
        );
        assert!(staged.texts["zh/src/http-reference.md"].contains("GET /api/status"));
        assert!(
            staged
                .copies
                .values()
                .any(|from| from == "docs/images/arena.png")
        );
    }
}
