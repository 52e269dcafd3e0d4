//! Checks that the two READMEs have the same links and commands; each links to the documents of its
//! language.

use std::fs;
use std::path::Path;

use anyhow::Context;

const ENGLISH: &str = "README.md";
const CHINESE: &str = "README.zh.md";

/// The links and commands that only one README has.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let read = |name: &str| fs::read_to_string(root.join(name)).with_context(|| name.to_owned());
    let has_twin = |path: &str| root.join(path.replace(".md", ".zh.md")).is_file();
    Ok(compare(&read(ENGLISH)?, &read(CHINESE)?, has_twin))
}

fn compare(english: &str, chinese: &str, has_twin: impl Fn(&str) -> bool) -> Vec<String> {
    let expected: Vec<String> = links(english)
        .map(|link| in_chinese(link, &has_twin))
        .collect();
    let found: Vec<String> = links(chinese).map(str::to_owned).collect();
    let missing =
        missing(&expected, &found).map(|link| format!("{CHINESE} lacks the link to {link}"));
    let more =
        self::missing(&found, &expected).map(|link| format!("{ENGLISH} lacks the link of {link}"));
    let links = missing.chain(more);
    let (own, other) = (commands(english), commands(chinese));
    let missing =
        self::missing(&own, &other).map(|line| format!("{CHINESE} lacks the command {line:?}"));
    let more =
        self::missing(&other, &own).map(|line| format!("{ENGLISH} lacks the command {line:?}"));
    links.chain(missing).chain(more).collect()
}

fn missing<'a>(wanted: &'a [String], found: &'a [String]) -> impl Iterator<Item = &'a String> {
    wanted.iter().filter(|one| !found.contains(one))
}

/// Links to other files; headings are named differently in each language.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let all = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    all.filter(|link| !link.starts_with('#'))
}

/// The corresponding link of the Chinese README.
fn in_chinese(link: &str, has_twin: &impl Fn(&str) -> bool) -> String {
    match link {
        CHINESE => ENGLISH.to_owned(),
        "docs/images/arena.png" => "docs/images/arena.zh.png".to_owned(),
        _ if link.ends_with(".md") && has_twin(link) => link.replace(".md", ".zh.md"),
        _ => link.to_owned(),
    }
}

/// The commands in blocks, without comments.
fn commands(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut in_shell = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(language) => in_shell = language == "sh",
            None if in_shell => all.push(
                line.split(" # ")
                    .next()
                    .unwrap_or(line)
                    .trim_end()
                    .to_owned(),
            ),
            None => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_missing_in_one_readme_is_named() {
        let check = |english: &str, chinese: &str, complaint: Option<&str>| {
            let found = compare(english, chinese, |path| path == "docs/clocks.md");
            assert_eq!(
                found.first().map(String::as_str),
                complaint,
                "{english} / {chinese}"
            );
        };
        check("[a](docs/clocks.md)", "[甲](docs/clocks.zh.md)", None);
        check("[a](SECURITY.md)", "[甲](SECURITY.md)", None);
        check("[简体中文](README.zh.md)", "[English](README.md)", None);
        check("[a](#games)", "[甲](#游戏)", None);
        check(
            "[a](docs/clocks.md)",
            "",
            Some("README.zh.md lacks the link to docs/clocks.zh.md"),
        );
        check(
            "",
            "[甲](SECURITY.md)",
            Some("README.md lacks the link of SECURITY.md"),
        );
        check("```sh\na # b\n```", "```sh\na # 乙\n```", None);
        check(
            "```sh\na\n```",
            "",
            Some("README.zh.md lacks the command \"a\""),
        );
    }

    #[test]
    fn both_readmes_have_the_same_links() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("xtask lies in the workspace");
        assert_eq!(
            super::check(root).expect("they can be read"),
            Vec::<String>::new()
        );
    }
}
