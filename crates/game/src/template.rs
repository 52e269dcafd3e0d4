//! Templates: running programs from which authors begin, for example in the editor.

/// A complete program that plays the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Template {
    /// The language, for people and for syntax colours: `python`, `cpp`, `java`.
    pub language: &'static str,
    /// The file name, by which the build chooses the language.
    pub file_name: &'static str,
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
