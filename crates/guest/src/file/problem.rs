//! What is wrong with a part of a game file, for its author.

use leitai_game::Lang;
use leitai_game::text::LocalizedText;
use leitai_toml_reader::problem::Problem;

/// What is wrong with one of the parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// The part.
    pub part: String,
    /// The line, if the part has lines.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: LocalizedText,
    /// What would be right.
    pub cure: LocalizedText,
}

impl FileProblem {
    pub(super) fn new(part: &str, what: LocalizedText, cure: LocalizedText) -> FileProblem {
        FileProblem {
            part: part.to_owned(),
            line: None,
            what,
            cure,
        }
    }

    pub(super) fn in_manifest(problem: Problem) -> FileProblem {
        FileProblem::in_part("game.toml", problem)
    }

    pub(super) fn in_part(part: &str, problem: Problem) -> FileProblem {
        FileProblem {
            part: part.to_owned(),
            line: Some(problem.line),
            what: problem.what,
            cure: problem.cure,
        }
    }

    /// The problem in one line: `game.toml:12: what is wrong; what to write`.
    pub fn to_line(&self, lang: Lang) -> String {
        let (what, cure) = (self.what.in_language(lang), self.cure.in_language(lang));
        let line = self.line.map_or(String::new(), |line| format!(":{line}"));
        match lang {
            Lang::En => format!("{}{line}: {what}; {cure}", self.part),
            Lang::Zh => format!("{}{line}：{what}；{cure}", self.part),
        }
    }
}
