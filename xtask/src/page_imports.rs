//! The imports between the files of the page: TypeScript and Svelte.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;

use crate::uses::Uses;

/// What stands for a folder in imports, see `web/vite.config.ts`.
const FOLDERS: [(&str, &str); 3] = [
    ("$lib/", "web/src/lib/"),
    ("$ui/", "web/src/ui/"),
    ("$viewer/", "web/src/viewer/"),
];

/// Adds which files of the page import which.
pub fn add_uses(root: &Path, uses: &mut Uses) -> anyhow::Result<()> {
    let mut files = Vec::new();
    collect(&root.join("web/src"), &mut files)?;
    collect(&root.join("games"), &mut files)?;
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let inside = file.strip_prefix(root).unwrap_or(&file);
        for import in imports_of(&text) {
            if let Some(used) = find_file(root, inside, import) {
                let names = uses.entry(inside.to_string_lossy().into_owned());
                let names = names.or_default().entry(used).or_default();
                names.insert(import.to_owned());
            }
        }
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_code = name.ends_with(".ts") || name.ends_with(".svelte");
        if path.is_dir() && !["node_modules", "target", "paraglide"].contains(&name.as_ref()) {
            collect(&path, files)?;
        } else if is_code && !name.contains(".test.") {
            files.push(path);
        }
    }
    Ok(())
}

/// What the text imports when it is loaded; not what it imports later with `import()`.
fn imports_of(text: &str) -> Vec<&str> {
    let quoted = |after: &'_ str| -> Option<usize> { after[1..].find(&after[..1]) };
    let places = text
        .match_indices(" from ")
        .map(|(at, word)| at + word.len());
    let alone = text
        .match_indices("\nimport ")
        .map(|(at, word)| at + word.len());
    let found = places.chain(alone).filter_map(|at| {
        let after = &text[at..];
        let is_quoted = after.starts_with('"') || after.starts_with('\'');
        let end = is_quoted.then(|| quoted(after))??;
        Some(&after[1..=end])
    });
    found.collect()
}

/// The file of the repository that an import means; `None` for packages.
fn find_file(root: &Path, from: &Path, import: &str) -> Option<String> {
    let folder = FOLDERS
        .iter()
        .find_map(|(short, folder)| Some(PathBuf::from(folder).join(import.strip_prefix(short)?)));
    let path = match folder {
        Some(path) => path,
        None if import.starts_with('.') => from.parent()?.join(import),
        None => return None,
    };
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    let plain = plain.to_string_lossy().into_owned();
    let endings = ["", ".ts", ".svelte.ts", "/index.ts"];
    let mut candidates = endings.iter().map(|ending| format!("{plain}{ending}"));
    candidates.find(|file| root.join(file).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found() {
        let text = "<script>\nimport \"./style\";\n  import { a } from \"$lib/a\";\nexport * from './b';\n\
            const later = import(\"./c\");\nconst word = \"away from home\";";
        assert_eq!(imports_of(text), ["$lib/a", "./b", "./style"]);
    }
}
