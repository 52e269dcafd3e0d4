//! Links of a document, rewritten from the repository's paths to the site's.

use std::path::Path;

use super::places::{Place, Places, Staged};

/// Rewrites the links of one document.
pub struct Rewriter<'a> {
    pub root: &'a Path,
    /// The path of the document in the repository.
    pub path: &'a str,
    pub place: &'a Place,
    pub places: &'a Places,
    /// Collects linked files and problems.
    pub staged: &'a mut Staged,
}

impl Rewriter<'_> {
    /// The text with its links rewritten, outside of blocks of code.
    pub fn rewrite(mut self, text: &str) -> String {
        let (mut out, mut in_code) = (String::with_capacity(text.len()), false);
        for line in text.split_inclusive('\n') {
            in_code ^= line.trim_start().starts_with("```");
            match in_code {
                true => out.push_str(line),
                false => out.push_str(&self.rewrite_line(line)),
            }
        }
        out
    }

    fn rewrite_line(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("](") {
            let Some((target, behind)) = after.split_once(')') else {
                break;
            };
            out.push_str(before);
            match self.target(target) {
                Some(target) => out.push_str(&format!("]({target})")),
                // The text of the link stays.
                None => drop_link(&mut out),
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    }

    /// The target in the site; `None` if the site has no page for it.
    fn target(&mut self, target: &str) -> Option<String> {
        let (file, anchor) = target.split_at(target.find('#').unwrap_or(target.len()));
        if file.is_empty() || file.contains(':') || file.starts_with('/') {
            return Some(target.to_owned());
        }
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = resolve(folder, file)?;
        let up = "../".repeat(self.place.page.matches('/').count());
        if let Some(places) = self
            .places
            .get(&path)
            .or_else(|| self.places.get(&format!("{path}/README.md")))
        {
            let own = places.iter().find(|place| place.book == self.place.book);
            return Some(match own {
                Some(place) => format!("{up}{}{anchor}", place.page),
                None => format!(
                    "{up}../{}/{}{anchor}",
                    places[0].book,
                    html(&places[0].page)
                ),
            });
        }
        if path.ends_with(".md") {
            self.staged
                .complaints
                .push(format!("{}: {path} is in no book", self.path));
            return None;
        }
        if let Some(source) = rust_source(self.root, &path) {
            return Some(format!("{up}../rust/src/{source}"));
        }
        if !self.root.join(&path).is_file() {
            return None;
        }
        self.staged.copies.insert(
            format!("{}/src/files/{path}", self.place.book),
            path.clone(),
        );
        Some(format!("{up}files/{path}"))
    }
}

/// Removes the brackets of a link: `text [label` becomes `text label`.
fn drop_link(out: &mut String) {
    if let Some(at) = out.rfind('[') {
        out.remove(at);
    }
}

fn html(page: &str) -> String {
    format!("{}.html", page.trim_end_matches(".md"))
}

/// The rustdoc page of a library's source file.
fn rust_source(root: &Path, path: &str) -> Option<String> {
    let (folder, file) = path
        .split_once("/src/")
        .filter(|(_, file)| file.ends_with(".rs"))?;
    let manifest = std::fs::read_to_string(root.join(folder).join("Cargo.toml")).ok()?;
    let name = manifest
        .lines()
        .find_map(|line| line.strip_prefix("name = "))?
        .trim_matches('"');
    Some(format!("{}/{file}.html", name.replace('-', "_")))
}

/// The targets of all links, without anchors.
pub fn targets(text: &str) -> impl Iterator<Item = &str> {
    let all = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    all.map(|target| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty())
}

/// The path from the root, or `None` if it leaves the repository.
pub fn resolve(folder: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()?),
            "." | "" => {}
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_rewritten_to_the_site() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("xtask lies in the workspace");
        let place = |book, page: &str| Place {
            book,
            page: page.to_owned(),
        };
        let places = Places::from([
            (
                "docs/rules/kob.md".to_owned(),
                vec![place("en", "rules/kob.md")],
            ),
            ("docs/clocks.md".to_owned(), vec![place("en", "clocks.md")]),
            (
                "docs/clocks.zh.md".to_owned(),
                vec![place("zh", "clocks.md")],
            ),
        ]);
        let check = |line: &str, expected: &str| {
            let mut staged = Staged::default();
            let place = &places["docs/rules/kob.md"][0];
            let path = "docs/rules/kob.md";
            let rewriter = Rewriter {
                root,
                path,
                place,
                places: &places,
                staged: &mut staged,
            };
            assert_eq!(rewriter.rewrite(line), expected);
            staged.complaints.len()
        };
        check(
            "[a](../clocks.md#noise), [b](#c), [d](https://e.org)",
            "[a](../clocks.md#noise), [b](#c), [d](https://e.org)",
        );
        check("[中文](../clocks.zh.md)", "[中文](../../zh/clocks.html)");
        check(
            "![x](../images/arena.png)",
            "![x](../files/docs/images/arena.png)",
        );
        check(
            "[`g`](../../crates/game/src/game.rs)",
            "[`g`](../../rust/src/leitai_game/game.rs.html)",
        );
        check("[all](../../crates/game/src), too", "all, too");
        check(
            "```sh\n[a](../images/arena.png)\n```\n",
            "```sh\n[a](../images/arena.png)\n```\n",
        );
        assert_eq!(check("[s](../sandbox.md)", "s"), 1);
    }
}
