//! Where documents are in the site, and the files that it is made of.

use std::collections::BTreeMap;

/// The place of a document in the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder of the book.
    pub book: &'static str,
    /// The path of the page in the book, with `.md`.
    pub page: String,
}

/// Documents by their paths in the repository. A document in both books has a place in each.
pub type Places = BTreeMap<String, Vec<Place>>;

/// The files of the site by their paths in the output folder, and the problems found.
#[derive(Default)]
pub struct Staged {
    /// Texts of pages and settings.
    pub texts: BTreeMap<String, String>,
    /// Files to be copied: from the path in the repository.
    pub copies: BTreeMap<String, String>,
    /// Problems: links to documents that are in no book, and missing pages.
    pub complaints: Vec<String>,
}
