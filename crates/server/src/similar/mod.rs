//! Similar sources: which programs of a contest have long parts in common.
//!
//! | file | content |
//! |---|---|
//! | `source` | the text files of an upload, bounded |
//! | `tokens` | a text as tokens, without names, values, comments and layout |
//! | `fingerprints` | winnowing: a few fingerprints of each source |
//! | `pairs` | which sources share fingerprints that few others have |
//! | `regions` | where two sources have the same tokens |
//! | `reports` | the comparisons of contests, computed in the background |
//!
//! The method is winnowing (Schleimer, Wilkerson, Aiken: *Winnowing: local algorithms for document
//! fingerprinting*, SIGMOD 2003) over tokens instead of characters: every part of [`SEEN`] tokens
//! that two sources share is found, whatever the names in it and wherever it stands. What is
//! computed is a reason to look, and no verdict.

pub mod fingerprints;
pub mod pairs;
mod regions;
mod reports;
pub mod routes;
pub mod source;
pub mod tokens;

pub use fingerprints::SEEN;
pub use regions::{MatchedLines, MatchedRegion, find_regions};
pub(crate) use reports::load_source;
pub use reports::{ComparedEntry, LeftOut, Progress, SimilarPair, SimilarReport, SimilarSources};
pub use source::{SourceFile, SourceText, read_source};

use std::collections::HashSet;

use fingerprints::fingerprint_source;
use leitai_game::AnyGame;

/// Files that Leitai gives to authors of every game.
const GIVEN: [(&str, &str); 9] = [
    (
        "leitai_viewer.py",
        include_str!("../../../../sdk/viewer/leitai_viewer.py"),
    ),
    (
        "leitai_viewer.hpp",
        include_str!("../../../../sdk/viewer/leitai_viewer.hpp"),
    ),
    (
        "LeitaiViewer.java",
        include_str!("../../../../sdk/viewer/LeitaiViewer.java"),
    ),
    (
        "leitai_viewer.js",
        include_str!("../../../../sdk/viewer/leitai_viewer.js"),
    ),
    (
        "leitai_viewer.rs",
        include_str!("../../../../sdk/viewer/leitai_viewer.rs"),
    ),
    (
        "leitai_viewer.ts",
        include_str!("../../../../sdk/viewer/leitai_viewer.ts"),
    ),
    (
        "leitai_viewer.go",
        include_str!("../../../../sdk/viewer/leitai_viewer.go"),
    ),
    (
        "leitai_viewer.cs",
        include_str!("../../../../sdk/viewer/leitai_viewer.cs"),
    ),
    (
        "leitai_viewer.kt",
        include_str!("../../../../sdk/viewer/leitai_viewer.kt"),
    ),
];

/// The fingerprints of what authors were given: templates, and the files for the viewer.
pub fn given_fingerprints(game: Option<&dyn AnyGame>) -> HashSet<u64> {
    let templates = game.map_or(Vec::new(), |game| game.list_templates());
    let templates = templates.iter().flat_map(|own| {
        let sdk = own.files.iter().map(|file| (file.name, file.text));
        std::iter::once((own.file_name, own.code)).chain(sdk)
    });
    let given = templates.chain(GIVEN).map(|(name, text)| SourceFile {
        name: name.to_owned(),
        text: text.to_owned(),
    });
    let source = SourceText {
        files: given.collect(),
        is_cut: false,
    };
    let found = fingerprint_source(&source).fingerprints;
    found.into_iter().map(|one| one.hash).collect()
}
