//! Starter kits: in each language a short bot and the game's SDK, from which authors begin.

use std::borrow::Cow;

/// A program that plays the game, and the files that it needs beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct TemplateOf<'a> {
    /// The language, for people and for syntax colours: `python`, `cpp`, `java`.
    pub language: &'a str,
    /// The file name, by which the build chooses the language.
    pub file_name: &'a str,
    pub code: &'a str,
    /// The SDK of the game.
    pub files: Cow<'a, [SdkFileOf<'a>]>,
}

impl TemplateOf<'_> {
    /// The same template, which stays here.
    pub fn as_template(&self) -> TemplateOf<'_> {
        TemplateOf {
            language: self.language,
            file_name: self.file_name,
            code: self.code,
            files: Cow::Borrowed(&*self.files),
        }
    }
}

/// A template of a game of this house.
pub type Template = TemplateOf<'static>;

/// A file that the program includes or imports. No two games have one of the same name with another
/// text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct SdkFileOf<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// A file of the SDK of a game of this house.
pub type SdkFile = SdkFileOf<'static>;

/// The starter kits of the game with this id, for [`PackageContents::templates`]. The game's part of
/// each lies in its folder `templates`: the bot, `main.py`, and what only this game has,
/// `leitai_ID.py` (in Java `LeitaiId.java`, by the second name). What all games have in common is
/// taken from `sdk/kits` and `sdk/viewer`.
///
/// [`PackageContents::templates`]: crate::package::PackageContents::templates
#[macro_export]
macro_rules! starter_kits {
    ($id:literal, $class:literal) => {
        &[
            $crate::starter_kits!(@kit "python", "main.py", "leitai_", $id, ".py":
                own, "kits/json_lines.py", "viewer/leitai_viewer.py"),
            $crate::starter_kits!(@kit "cpp", "main.cpp", "leitai_", $id, ".hpp":
                "kits/json_lines.hpp", "viewer/leitai_viewer.hpp", own),
            $crate::Template {
                language: "java",
                file_name: "Main.java",
                code: $crate::starter_kits!(@read "templates/Main.java"),
                files: ::std::borrow::Cow::Borrowed(&[
                    $crate::SdkFile {
                        name: concat!("Leitai", $class, ".java"),
                        text: concat!(
                            $crate::starter_kits!(@read "templates/Leitai", $class, ".java"),
                            $crate::starter_kits!(@read "../../sdk/kits/JsonLines.java"),
                        ),
                    },
                    $crate::SdkFile {
                        name: "LeitaiViewer.java",
                        text: $crate::starter_kits!(@read "../../sdk/viewer/LeitaiViewer.java"),
                    },
                ]),
            },
            $crate::starter_kits!(@kit "javascript", "main.js", "leitai_", $id, ".js":
                own, "kits/json_lines.js", "viewer/leitai_viewer.js"),
            $crate::starter_kits!(@kit "rust", "main.rs", "leitai_", $id, ".rs":
                own, "kits/json_lines.rs", "viewer/leitai_viewer.rs", {"}\n"}),
            $crate::starter_kits!(@kit "typescript", "main.ts", "leitai_", $id, ".ts":
                own, "kits/json_lines.ts", "viewer/leitai_viewer.ts"),
            $crate::Template {
                language: "go",
                file_name: "main.go",
                code: $crate::starter_kits!(@read "templates/main.go"),
                files: ::std::borrow::Cow::Borrowed(&[
                    $crate::SdkFile {
                        name: concat!("leitai_", $id, ".go"),
                        text: concat!(
                            $crate::starter_kits!(@read "templates/leitai_", $id, ".go"),
                            $crate::starter_kits!(@read "../../sdk/kits/json_lines.go"),
                        ),
                    },
                    $crate::SdkFile {
                        name: "leitai_viewer.go",
                        text: $crate::starter_kits!(@read "../../sdk/viewer/leitai_viewer.go"),
                    },
                ]),
            },
            $crate::starter_kits!(@kit "csharp", "main.cs", "leitai_", $id, ".cs":
                own, "kits/json_lines.cs", "viewer/leitai_viewer.cs"),
            $crate::starter_kits!(@kit "kotlin", "main.kt", "leitai_", $id, ".kt":
                own, "kits/json_lines.kt", "viewer/leitai_viewer.kt"),
        ]
    };
    (@kit $language:literal, $main:literal, $prefix:literal, $id:literal, $ending:literal:
        $($part:tt),*) => {
        $crate::Template {
            language: $language,
            file_name: $main,
            code: $crate::starter_kits!(@read "templates/", $main),
            files: ::std::borrow::Cow::Borrowed(&[$crate::SdkFile {
                name: concat!($prefix, $id, $ending),
                text: concat!($($crate::starter_kits!(@part $part, $prefix, $id, $ending)),*),
            }]),
        }
    };
    (@part {$text:literal}, $($name:literal),*) => { $text };
    (@part own, $($name:literal),*) => { $crate::starter_kits!(@read "templates/", $($name),*) };
    (@part $shared:literal, $($name:literal),*) => { $crate::starter_kits!(@read "../../sdk/", $shared) };
    (@read $($path:literal),*) => { include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $($path),*)) };
}
