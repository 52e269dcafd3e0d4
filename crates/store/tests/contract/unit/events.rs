//! A new kind of event is one file and its two lines in the list of all kinds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The sources below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the sources are there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let below = paths.flat_map(|path| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    });
    below.collect()
}

/// `bot_rested` as a type's name: `BotRested`.
fn type_name(file: &str) -> String {
    let words = file.split('_');
    let words = words.map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect()
}

#[test]
fn a_kind_is_one_file() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folder = source.join("events/kinds");
    let list = fs::read_to_string(folder.join("mod.rs")).expect("there is a list");
    let kinds: BTreeSet<String> = sources(&folder)
        .iter()
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "mod")
        .collect();
    assert!(kinds.len() > 10);
    let others: Vec<(PathBuf, String)> = sources(&source)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .map(|path| (path.clone(), fs::read_to_string(&path).expect("it is text")))
        .collect();
    for kind in kinds {
        let name = type_name(&kind);
        let lines = list.lines().filter(|line| line.contains(&kind));
        // That of the second factor is also where its enum is known from.
        let lines = lines.filter(|line| !line.starts_with("pub use")).count();
        assert_eq!(lines, 2, "{kind} in the list");
        // Besides, only those know it in whose change it happens.
        for (path, text) in &others {
            let own = [folder.join("mod.rs"), folder.join(format!("{kind}.rs"))];
            let is_named = text
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .any(|word| word == name);
            let writes = text.contains("events::write(");
            // The page and webhooks have kinds of their own with some of these names.
            let of_others = format!("Kind::{name}");
            let is_fine = own.contains(path) || writes || text.contains(&of_others);
            let tables = path.starts_with(source.join("tables"));
            assert!(
                !is_named || is_fine || tables,
                "{} knows {name}",
                path.display()
            );
        }
    }
}
