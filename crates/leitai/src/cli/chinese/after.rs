//! The texts below the help of a command, in 简体中文.

/// Examples and notes for the command, named by its words without `leitai`. The examples are those
/// of the English text; the explanations are Chinese.
pub fn after_help(path: &str, english: &str) -> Option<String> {
    let text = find_text(path)?;
    let known: Vec<&str> = text.lines().filter(|line| is_example(line)).collect();
    let examples = english.lines().filter(|line| is_example(line)).map(|line| {
        let same = known
            .iter()
            .find(|known| command_of(known) == command_of(line));
        same.map_or_else(
            || format!("  {}", command_of(line)),
            |line| (*line).to_owned(),
        )
    });
    let examples: Vec<String> = examples.collect();
    let (mut lines, mut is_told) = (Vec::new(), false);
    for line in text.lines() {
        match (is_example(line), is_told) {
            (false, _) => lines.push(line.to_owned()),
            (true, false) => lines.extend(examples.iter().cloned()),
            (true, true) => {}
        }
        is_told |= is_example(line);
    }
    Some(lines.join("\n"))
}

fn is_example(line: &str) -> bool {
    line.starts_with("  leitai ") || line.starts_with("  LEITAI_")
}

/// The command of an example, without the explanation.
fn command_of(line: &str) -> &str {
    let line = line.trim_start();
    line.split("  ").next().unwrap_or(line)
}

/// For each command a line `# COMMAND`, and below it its text.
const TEXTS: &str = concat!("\n", include_str!("../../../after-help.zh.txt"));

fn find_text(path: &str) -> Option<&'static str> {
    let mut sections = TEXTS.trim_end().split("\n# ");
    sections.find_map(|one| one.strip_prefix(path)?.strip_prefix('\n'))
}
