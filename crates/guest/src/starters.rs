//! What authors of bots begin with: the templates of a game file, and for every language that it
//! lacks a program that plays the first legal action. The latter know the protocol and not the game.

use std::borrow::Cow;

use leitai_game::{SdkFileOf, TemplateOf};

/// A template that was read from a game file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starter {
    /// The language.
    pub language: String,
    /// The name of the program's file.
    pub file_name: String,
    /// The program.
    pub code: String,
    /// What lies beside it: names and texts.
    pub files: Vec<(String, String)>,
}

impl Starter {
    /// The template as every game has them.
    pub(crate) fn as_template(&self) -> TemplateOf<'_> {
        let files = self.files.iter();
        TemplateOf {
            language: &self.language,
            file_name: &self.file_name,
            code: &self.code,
            files: files.map(|(name, text)| SdkFileOf { name, text }).collect(),
        }
    }
}

/// These templates, and the general ones of other languages.
pub(crate) fn list(own: &[Starter]) -> Vec<TemplateOf<'_>> {
    let is_missing =
        |general: &&TemplateOf<'_>| own.iter().all(|one| one.language != general.language);
    let own_templates = own.iter().map(Starter::as_template);
    own_templates
        .chain(
            GENERAL
                .iter()
                .filter(is_missing)
                .map(TemplateOf::as_template),
        )
        .collect()
}

/// The starters of Leitai's own, which know no game.
pub fn general() -> &'static [TemplateOf<'static>] {
    &GENERAL
}

/// For a game that brings no template.
static GENERAL: [TemplateOf<'static>; 9] = [
    TemplateOf {
        language: "python",
        file_name: "main.py",
        code: include_str!("../starters/main.py"),
        files: Cow::Borrowed(&[]),
    },
    TemplateOf {
        language: "cpp",
        file_name: "main.cpp",
        code: include_str!("../starters/main.cpp"),
        files: Cow::Borrowed(&[SdkFileOf {
            name: "leitai_lines.hpp",
            text: include_str!("../../../sdk/kits/json_lines.hpp"),
        }]),
    },
    TemplateOf {
        language: "java",
        file_name: "Main.java",
        code: include_str!("../starters/Main.java"),
        files: Cow::Borrowed(&[SdkFileOf {
            name: "JsonLines.java",
            text: include_str!("../../../sdk/kits/JsonLines.java"),
        }]),
    },
    TemplateOf {
        language: "javascript",
        file_name: "main.js",
        code: include_str!("../starters/main.js"),
        files: Cow::Borrowed(&[]),
    },
    TemplateOf {
        language: "rust",
        file_name: "main.rs",
        code: include_str!("../starters/main.rs"),
        files: Cow::Borrowed(&[SdkFileOf {
            name: "leitai_lines.rs",
            text: concat!(
                include_str!("../starters/lines_head.rs"),
                include_str!("../../../sdk/kits/json_lines.rs"),
                include_str!("../../../sdk/viewer/leitai_viewer.rs"),
                "}\n"
            ),
        }]),
    },
    TemplateOf {
        language: "typescript",
        file_name: "main.ts",
        code: include_str!("../starters/main.ts"),
        files: Cow::Borrowed(&[]),
    },
    TemplateOf {
        language: "go",
        file_name: "main.go",
        code: include_str!("../starters/main.go"),
        files: Cow::Borrowed(&[SdkFileOf {
            name: "leitai_lines.go",
            text: concat!(
                include_str!("../starters/lines_head.go"),
                include_str!("../../../sdk/kits/json_lines.go")
            ),
        }]),
    },
    TemplateOf {
        language: "csharp",
        file_name: "main.cs",
        code: include_str!("../starters/main.cs"),
        files: Cow::Borrowed(&[SdkFileOf {
            name: "leitai_lines.cs",
            text: include_str!("../../../sdk/kits/json_lines.cs"),
        }]),
    },
    TemplateOf {
        language: "kotlin",
        file_name: "main.kt",
        code: include_str!("../starters/main.kt"),
        files: Cow::Borrowed(&[SdkFileOf {
            name: "leitai_lines.kt",
            text: include_str!("../../../sdk/kits/json_lines.kt"),
        }]),
    },
];
