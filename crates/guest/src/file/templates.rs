//! The starter bots of a game file: `templates/LANGUAGE/…`, texts that authors get to begin with.

use std::collections::BTreeMap;

use leitai_toml_reader::problem::both;

use super::parts::Parts;
use super::problem::FileProblem;
use super::trees::TEMPLATES;
use crate::starters::Starter;

/// The templates of a game file, by language.
pub(super) fn read_templates(parts: &Parts, problems: &mut Vec<FileProblem>) -> Vec<Starter> {
    let mut languages: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
    for (part, _) in parts.of_tree(&TEMPLATES) {
        let mut names = part.split('/').skip(1);
        let (Some(language), Some(name)) = (names.next(), names.next()) else {
            continue;
        };
        let of = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if !language.bytes().all(of) || language.len() > 20 {
            problems.push(FileProblem::new(
                part,
                both("this is no name of a language", "这不是语言名"),
                both(
                    "name the folder python, cpp, c, java, javascript, rust, typescript, go, csharp or kotlin",
                    "文件夹请命名为 python、cpp、c、java、javascript、rust、typescript、go、csharp 或 kotlin",
                ),
            ));
            continue;
        }
        if let Some(text) = parts.text(part, problems) {
            let file = (name.to_owned(), text.to_owned());
            languages.entry(language).or_default().push(file);
        }
    }
    let read = |(language, files)| read_starter(language, files, problems);
    languages.into_iter().filter_map(read).collect()
}

/// The program is the file whose name begins with `main.`, or the only one.
fn read_starter(
    language: &str,
    mut files: Vec<(String, String)>,
    problems: &mut Vec<FileProblem>,
) -> Option<Starter> {
    let is_main = |(name, _): &(String, String)| {
        let stem = name.split('.').next().unwrap_or_default();
        stem.eq_ignore_ascii_case("main")
    };
    let main = files.iter().position(is_main);
    let Some(main) = main.or((files.len() == 1).then_some(0)) else {
        problems.push(FileProblem::new(
            &format!("templates/{language}"),
            both("no file of it is the program", "其中没有程序文件"),
            both(
                "name the program main, as main.py or Main.java",
                "程序请命名为 main，例如 main.py 或 Main.java",
            ),
        ));
        return None;
    };
    let (file_name, code) = files.remove(main);
    Some(Starter {
        language: language.to_owned(),
        file_name,
        code,
        files,
    })
}
