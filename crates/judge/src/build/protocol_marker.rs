//! The marker in a bot's main source file that names its protocol.
//!
//! One of the first 20 lines contains, usually in a comment, `leitai: protocol=NAME`, for instance
//! `# leitai: protocol=json-lines`. A name has up to 32 lower-case letters, digits and hyphens. The
//! older form `leitai: dialect=NAME` is read, too.

use leitai_sandbox::UntrustedFolder;
use std::path::Path;

const MARKERS: [&str; 2] = ["leitai: protocol=", "leitai: dialect="];
const LINES: usize = 20;
const BYTES: u64 = 16 << 10;
const NAME: usize = 32;

/// The protocol that a source file of a folder names; `None` also if the file cannot be read.
pub fn of_file(folder: &UntrustedFolder, name: &Path) -> Option<String> {
    let start = folder.start_of(name, BYTES)?;
    of_text(&String::from_utf8_lossy(&start))
}

/// The protocol that a source text names.
///
/// ```
/// use leitai_judge::build::protocol_marker::of_text;
/// assert_eq!(of_text("// leitai: protocol=json-lines\n"), Some("json-lines".into()));
/// assert_eq!(of_text("# leitai: dialect=json-lines\n"), Some("json-lines".into()));
/// assert_eq!(of_text("int main() {}"), None);
/// ```
pub fn of_text(text: &str) -> Option<String> {
    let after_marker = |line| {
        MARKERS
            .iter()
            .find_map(|marker| str::split_once(line, marker))
    };
    let line = text.lines().take(LINES).find_map(after_marker)?;
    let allowed = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-';
    let name: String = line.1.chars().take_while(allowed).take(NAME + 1).collect();
    (!name.is_empty() && name.len() <= NAME).then_some(name)
}
