//! The marker by which a bot's main source file names the dialect it speaks.
//!
//! Somewhere in its first 20 lines stands, usually in a comment, `leitai: dialect=NAME`, for
//! instance `# leitai: dialect=json-lines`. A name is up to 32 lower-case letters, digits and
//! hyphens.

use std::fs::File;
use std::io::Read;
use std::path::Path;

const MARKER: &str = "leitai: dialect=";
const LINES: usize = 20;
const BYTES: u64 = 16 << 10;
const NAME: usize = 32;

/// The dialect that a source file asks for; `None` if it cannot be read, too.
pub fn of_file(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(path)
        .ok()?
        .take(BYTES)
        .read_to_end(&mut start)
        .ok()?;
    of_text(&String::from_utf8_lossy(&start))
}

/// The dialect that a source text asks for.
///
/// ```
/// use leitai_judge::build::dialect::of_text;
/// assert_eq!(of_text("// leitai: dialect=json-lines\n"), Some("json-lines".into()));
/// assert_eq!(of_text("int main() {}"), None);
/// ```
pub fn of_text(text: &str) -> Option<String> {
    let line = text
        .lines()
        .take(LINES)
        .find_map(|line| line.split_once(MARKER))?;
    let allowed = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-';
    let name: String = line.1.chars().take_while(allowed).take(NAME + 1).collect();
    (!name.is_empty() && name.len() <= NAME).then_some(name)
}
