//! The paths in the Rust code of a crate, and the files of the crate in which they end.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::sources::collect;
use crate::uses::Uses;

/// The files of a crate, by the path of their modules.
pub struct Modules(BTreeMap<Vec<String>, Module>);

struct Module {
    file: String,
    /// The paths of its code, without those of `use`.
    paths: Vec<Vec<String>>,
    /// What each name means that a `use` brings in.
    names: BTreeMap<String, Imported>,
    /// The modules all of whose names a `use` brings in.
    globs: Vec<Vec<String>>,
    text: String,
}

struct Imported {
    path: Vec<String>,
    /// Whether others see it here (`pub use`): a line of the table of contents.
    is_shared: bool,
}

impl Modules {
    /// Reads the sources of a crate.
    pub fn read(root: &Path, source: &Path) -> anyhow::Result<Modules> {
        let mut files = Vec::new();
        collect(source, &mut files)?;
        let mut modules = BTreeMap::new();
        for path in files {
            let inside = path.strip_prefix(source).unwrap_or(&path);
            let inside = inside.to_string_lossy().into_owned();
            let is_second_root = inside == "main.rs" && source.join("lib.rs").is_file();
            let is_test = inside
                .split('/')
                .any(|part| part == "tests" || part == "tests.rs");
            if is_second_root || is_test || inside.starts_with("bin/") {
                continue;
            }
            let text = fs::read_to_string(&path).with_context(|| inside.clone())?;
            let file = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
            modules.insert(module_of(&inside), Module::parse(&file, &text));
        }
        Ok(Modules(modules))
    }

    /// Adds who uses whom.
    pub fn add_uses(&self, uses: &mut Uses) {
        for (me, module) in &self.0 {
            let imported = module.names.iter().filter(|(_, name)| !name.is_shared);
            let imported = imported.map(|(_, name)| &name.path);
            for path in module.paths.iter().chain(imported).chain(&module.globs) {
                let Some(used) = self.find(me, path, 0) else {
                    continue;
                };
                // Of a module that is only named, the names behind it tell what is used.
                let is_whole = used.1 && !module.globs.contains(path);
                if used.0 != *me && !is_whole {
                    let to = self.0[&used.0].file.clone();
                    let names = uses.entry(module.file.clone()).or_default().entry(to);
                    names.or_default().insert(path.join("::"));
                }
            }
        }
    }

    /// The module that has what the path names when it stands in `at`, and whether the path ends with
    /// the module itself.
    fn find(&self, at: &[String], path: &[String], depth: usize) -> Option<(Vec<String>, bool)> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => return self.walk(Vec::new(), rest, depth),
            "self" | "super" => return self.walk(at.to_vec(), path, depth),
            _ => {}
        }
        let own = self.0.get(at)?.names.get(first);
        let child = [at, std::slice::from_ref(first)].concat();
        match own {
            Some(name) if name.path.first() != Some(first) || name.path.len() > 1 => {
                let path = [&name.path, rest].concat();
                (depth < 20).then(|| self.find(at, &path, depth + 1))?
            }
            _ if self.0.contains_key(&child) => self.walk(child, rest, depth),
            _ => None,
        }
    }

    /// Follows names from a module on.
    fn walk(
        &self,
        mut at: Vec<String>,
        path: &[String],
        depth: usize,
    ) -> Option<(Vec<String>, bool)> {
        for (index, name) in path.iter().enumerate() {
            let child = [at.as_slice(), std::slice::from_ref(name)].concat();
            let module = self.0.get(&at)?;
            match name.as_str() {
                "self" => {}
                "super" => _ = at.pop(),
                _ if self.0.contains_key(&child) => at = child,
                _ => {
                    let named = module.names.get(name).map(|name| &name.path);
                    let onward = named.map(|named| [named, &path[index + 1..]].concat());
                    let found = onward
                        .and_then(|path| (depth < 20).then(|| self.find(&at, &path, depth + 1))?);
                    let found = found.or_else(|| self.find_in_globs(&at, name, depth));
                    return Some(found.unwrap_or((at, false)));
                }
            }
        }
        Some((at, true))
    }

    fn find_in_globs(
        &self,
        at: &[String],
        name: &str,
        depth: usize,
    ) -> Option<(Vec<String>, bool)> {
        let module = self.0.get(at)?;
        let mut globs = module.globs.iter();
        globs.find_map(|glob| {
            let (there, _) = (depth < 20).then(|| self.find(at, glob, depth + 1))??;
            let defines = defines(&self.0.get(&there)?.text, name);
            (defines && there != at).then_some((there, false))
        })
    }
}

/// Whether the text defines an item of this name.
fn defines(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end().rsplit(' ').next().unwrap_or_default();
        let after = text[at + name.len()..].chars().next();
        let ends = after.is_none_or(|letter| !is_word(letter));
        let kinds = ["fn", "struct", "enum", "trait", "const", "static", "type"];
        ends && kinds.iter().any(|kind| before.ends_with(kind))
    })
}

/// `driver/leg.rs` is the module `driver::leg`.
fn module_of(inside: &str) -> Vec<String> {
    let name = inside.trim_end_matches(".rs");
    let name = name.strip_suffix("/mod").unwrap_or(name);
    match name {
        "lib" | "main" => Vec::new(),
        _ => name.split('/').map(str::to_owned).collect(),
    }
}

impl Module {
    fn parse(file: &str, text: &str) -> Module {
        let code = text.split("\n#[cfg(test)]\nmod tests").next();
        let lines = code.unwrap_or_default().lines();
        let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
        let (mut names, mut globs, mut rest) = (BTreeMap::new(), Vec::new(), String::new());
        let mut open: Option<(String, bool)> = None;
        for line in lines {
            let line = line.trim();
            if let Some((statement, _)) = &mut open {
                statement.push_str(line);
            } else if let Some((tree, is_shared)) = begin_use(line) {
                open = Some((tree.to_owned(), is_shared));
            } else {
                rest.push_str(line);
                rest.push(' ');
            }
            let Some((statement, is_shared)) = open.take_if(|(text, _)| text.ends_with(';')) else {
                continue;
            };
            for (path, name) in expand(statement.trim_end_matches(';')) {
                if name == "*" {
                    globs.push(path);
                } else {
                    names.insert(name, Imported { path, is_shared });
                }
            }
        }
        Module {
            file: file.to_owned(),
            paths: paths_of(&rest),
            names,
            globs,
            text: rest,
        }
    }
}

/// The tree of a line that begins a `use`, and whether it is public.
fn begin_use(line: &str) -> Option<(&str, bool)> {
    if let Some(tree) = line.strip_prefix("use ") {
        return Some((tree, false));
    }
    let (visible, tree) = line.split_once(" use ").or(line.split_once(" use\n"))?;
    (visible == "pub" || visible.starts_with("pub(") && visible.ends_with(')'))
        .then_some((tree, true))
}

/// The paths of the tree of a `use`, each with the name by which it is known afterwards.
fn expand(tree: &str) -> Vec<(Vec<String>, String)> {
    let tree = tree.trim();
    let Some((head, group)) = tree.split_once('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut path: Vec<String> = path
            .split("::")
            .map(|part| part.trim().to_owned())
            .collect();
        path.retain(|part| !part.is_empty());
        let last = path.last().cloned().unwrap_or_default();
        if last == "*" {
            path.pop();
        }
        let name = if name.is_empty() {
            last
        } else {
            name.trim().to_owned()
        };
        return vec![(path, name)];
    };
    let head: Vec<String> = expand(head).swap_remove(0).0;
    let group = group.trim_end().trim_end_matches('}');
    let mut found = Vec::new();
    for member in split_members(group) {
        for (path, name) in expand(member) {
            let is_itself = path.first().is_some_and(|first| first == "self");
            let path = [&head, &path[usize::from(is_itself)..]].concat();
            let own = path.last().cloned().unwrap_or_default();
            found.push((path, if name == "self" { own } else { name }));
        }
    }
    found
}

/// `a, b::{c, d}` has two members.
fn split_members(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut members) = (0, 0, Vec::new());
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    members.push(&group[start..]);
    members.retain(|member| !member.trim().is_empty());
    members
}

/// The names with `::` behind them and what follows, in code.
fn paths_of(code: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let mut before = ' ';
    let mut rest = code;
    while let Some(letter) = rest.chars().next() {
        let word: &str = &rest[..rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())];
        if word.is_empty() {
            before = letter;
            rest = &rest[letter.len_utf8()..];
            continue;
        }
        let mut path = vec![word.to_owned()];
        rest = &rest[word.len()..];
        while let Some(after) = rest.strip_prefix("::") {
            let end = after.find(|letter| !is_word(letter)).unwrap_or(after.len());
            if end == 0 {
                break;
            }
            path.push(after[..end].to_owned());
            rest = &after[end..];
        }
        if path.len() > 1 && before != ':' && before != '.' {
            paths.push(path);
        }
        before = 'a';
    }
    paths
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn check_use(files: &[(&str, &str)], from: &str, used: &[&str]) {
        let modules = files
            .iter()
            .map(|(file, text)| (module_of(file), Module::parse(file, text)));
        let mut uses = Uses::new();
        Modules(modules.collect()).add_uses(&mut uses);
        let found: BTreeSet<&str> = uses
            .get(from)
            .into_iter()
            .flat_map(|used| used.keys().map(String::as_str))
            .collect();
        assert_eq!(found, used.iter().copied().collect(), "{files:?}");
    }

    #[test]
    fn paths_end_in_the_file_that_has_the_name() {
        let b = ("b.rs", "pub struct B;");
        let lib = ("lib.rs", "mod a;\nmod b;\npub use b::B;");
        let of_a = |text, used: &[&str]| check_use(&[lib, b, ("a.rs", text)], "a.rs", used);
        of_a("use crate::b::B;", &["b.rs"]);
        of_a("use crate::B;", &["b.rs"]);
        of_a("use crate::{\n    B,\n};", &["b.rs"]);
        of_a("use super::b;\nfn f() { b::B; }", &["b.rs"]);
        of_a("use crate::b;", &[]);
        of_a(
            "use crate::b::{self as other};\nfn f() { other::B }",
            &["b.rs"],
        );
        of_a("fn f() -> crate::B {}", &["b.rs"]);
        of_a("// crate::B\nfn f() { other::B }", &[]);
        of_a("pub use crate::B;", &[]);
        of_a("\n#[cfg(test)]\nmod tests { use crate::B; }", &[]);
        check_use(&[lib, b], "lib.rs", &[]);
        let child = ("a/c.rs", "use super::*;\nfn f() { A }");
        check_use(
            &[lib, ("a.rs", "pub struct A;"), child],
            "a/c.rs",
            &["a.rs"],
        );
        let all = ("lib.rs", "pub use b::*;");
        check_use(&[all, b, ("a.rs", "use crate::B;")], "a.rs", &["b.rs"]);
    }
}
