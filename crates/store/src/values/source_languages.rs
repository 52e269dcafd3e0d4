//! The languages of sources, as quotas name them.

use std::fmt;

/// A set of languages of sources.
///
/// ```
/// use leitai_store::SourceLanguages;
/// let allowed = SourceLanguages::from_names(["python", "cpp"]).expect("both are known");
/// assert_eq!(allowed.to_string(), "cpp, python");
/// assert_eq!(SourceLanguages::from_names(["cobol"]), Err("cobol"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLanguages(u16);

impl SourceLanguages {
    /// The names of all languages, as in the files of contests. `make` and `cmake` are whatever
    /// those build; `binary` is a program that is not built.
    pub const NAMES: [&str; 13] = [
        "c",
        "cpp",
        "java",
        "javascript",
        "python",
        "rust",
        "typescript",
        "go",
        "csharp",
        "kotlin",
        "make",
        "cmake",
        "binary",
    ];
    /// All languages.
    pub const ALL: SourceLanguages = SourceLanguages((1 << SourceLanguages::NAMES.len()) - 1);
    /// No language.
    pub const NONE: SourceLanguages = SourceLanguages(0);

    /// The languages with these names; the first unknown name if there is one.
    pub fn from_names<'a>(
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<SourceLanguages, &'a str> {
        names
            .into_iter()
            .try_fold(SourceLanguages::NONE, |found, name| {
                let at = SourceLanguages::NAMES
                    .iter()
                    .position(|known| *known == name);
                at.map(|at| SourceLanguages(found.0 | 1 << at)).ok_or(name)
            })
    }

    /// The language with this name.
    ///
    /// # Panics
    /// If it is none of [`SourceLanguages::NAMES`].
    pub const fn from_known(name: &str) -> SourceLanguages {
        let mut at = 0;
        while at < SourceLanguages::NAMES.len() {
            if are_equal(SourceLanguages::NAMES[at].as_bytes(), name.as_bytes()) {
                return SourceLanguages(1 << at);
            }
            at += 1;
        }
        panic!("there is no such language")
    }

    /// Their names, in the order of [`SourceLanguages::NAMES`].
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let named = SourceLanguages::NAMES.into_iter().enumerate();
        named.filter_map(move |(at, name)| (self.0 & 1 << at != 0).then_some(name))
    }

    /// The languages of both sets together.
    pub fn or(self, other: SourceLanguages) -> SourceLanguages {
        SourceLanguages(self.0 | other.0)
    }

    /// The languages that are in both sets.
    pub fn and(self, other: SourceLanguages) -> SourceLanguages {
        SourceLanguages(self.0 & other.0)
    }

    /// The languages that are not in the other set.
    pub fn without(self, other: SourceLanguages) -> SourceLanguages {
        SourceLanguages(self.0 & !other.0)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for SourceLanguages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.names().collect();
        f.write_str(&names.join(", "))
    }
}

/// Whether two texts are the same, at compile time.
const fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
