//! Runs every block of commands in README, docs and deploy/ as it stands, with the real binary, in
//! a folder with the files that a reader has.
//!
//! Comments that no page shows mark exceptions before a block:
//! - `<!-- not run: REASON -->`: the block needs something that a test does not have (root, Docker,
//!   the network, a person, much time);
//! - `<!-- output differs: REASON -->`: the block is run, and its output is not compared with the
//!   document.

mod arena;
mod blocks;
mod deploy;
mod guides;
mod reader;
mod widths;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use arena::Arena;
use blocks::{Block, Kind};
use reader::Reader;

/// The root of the source tree.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the source tree")
}

/// Documents whose commands need a running arena.
const WITH_ARENA: &[&str] = &[
    "docs/arena",
    "docs/half-hour",
    "docs/http-api",
    "docs/operating",
];

/// Documents that were run at the same time.
const AT_ONCE: usize = 3;

#[test]
fn every_block_of_commands_runs_as_it_stands() {
    let documents = documents();
    assert!(documents.len() > 20, "{documents:?}");
    let (mut work, mut complaints, mut known) = (Vec::new(), Vec::new(), BTreeSet::new());
    for document in documents {
        let mut to_follow = Vec::new();
        for block in blocks::of(&root(), &document) {
            match &block.kind {
                Kind::Other | Kind::NotRun => {}
                Kind::Unclear(why) => complaints.push(format!("{}: {why}", block.place())),
                // Both languages have mostly the same commands; each runs once.
                Kind::Commands | Kind::Session => {
                    let is_new = known.insert(block.essence());
                    to_follow.push((block, is_new));
                }
            }
        }
        if to_follow.iter().any(|(_, is_new)| *is_new) {
            work.push((document, to_follow));
        }
    }
    reader::equip();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(complaints));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((document, blocks)) = work.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let faults = follow(document, blocks);
                    failed.lock().expect("nobody panicked").extend(faults);
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panicked");
    assert!(
        failed.is_empty(),
        "{} blocks:\n\n{}",
        failed.len(),
        failed.join("\n\n")
    );
}

/// Runs the new blocks of a document from top to bottom in one folder; returns the failures.
fn follow(document: &str, blocks: &[(Block, bool)]) -> Vec<String> {
    let mut reader = Reader::new();
    let needs_arena = WITH_ARENA.iter().any(|name| document.starts_with(name));
    // The arena lives as long as its document is tested.
    let _arena = needs_arena.then(|| Arena::open(&mut reader));
    let mut failed = Vec::new();
    for (block, is_new) in blocks {
        let begun = Instant::now();
        let ran = if *is_new { reader.run(block) } else { Ok(()) };
        eprintln!("{} {:.1?}", block.place(), begun.elapsed());
        if let Err(why) = ran {
            failed.push(format!("{}: {why}\n{}", block.place(), block.text));
        }
        reader.remember(block);
    }
    failed
}

/// The paths of all documents, relative to the root.
fn documents() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("it is there").flatten() {
            let (path, name) = (
                entry.path(),
                entry.file_name().to_string_lossy().into_owned(),
            );
            let is_made = [
                "target",
                "node_modules",
                "dist",
                "paraglide",
                "project.inlang",
            ]
            .contains(&&*name);
            let is_ours = !name.starts_with('.') && !is_made;
            if path.is_dir() && is_ours {
                folders.push(path);
            } else if name.ends_with(".md") || folder.ends_with("deploy") {
                let path = path.strip_prefix(root()).expect("it lies in it");
                found.push(path.to_str().expect("UTF-8").to_owned());
            }
        }
    }
    found.sort();
    found
}
