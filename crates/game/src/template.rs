//! A program to begin with: what an author finds in the editor before the first line of their own.

/// A whole program that plays the game as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The language, for people and the editor's colours: `python`, `cpp`, `java`.
    pub language: &'static str,
    /// What the file is called, so that it is built as that language.
    pub file_name: &'static str,
    /// The program.
    pub code: &'static str,
}

impl Template {
    /// A program in Python.
    pub const fn python(code: &'static str) -> Template {
        Template {
            language: "python",
            file_name: "bot.py",
            code,
        }
    }

    /// A program in C++.
    pub const fn cpp(code: &'static str) -> Template {
        Template {
            language: "cpp",
            file_name: "bot.cpp",
            code,
        }
    }

    /// A program in Java.
    pub const fn java(code: &'static str) -> Template {
        Template {
            language: "java",
            file_name: "Bot.java",
            code,
        }
    }
}
