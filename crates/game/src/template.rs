//! A program to begin with: what an author finds in the editor before the first line of their own.

/// A whole program that plays the game as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The language, for people's eyes and the editor's colours: `python`, `cpp`, `java`.
    pub language: &'static str,
    /// What the file is called, so that it is built as that language.
    pub file_name: &'static str,
    /// The program.
    pub code: &'static str,
}
