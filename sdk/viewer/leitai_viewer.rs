//! Draws on the viewer of your matches: copy this file beside your `main.rs`, then
//!
//! ```text
//! mod leitai_viewer;
//! leitai_viewer::mark(&[(3, 4), (3, 5)], "bad");
//! leitai_viewer::value("danger", 0.7);
//! ```
//!
//! Only you see it. Cells are numbered as in the game's rules. docs/remarks.md
#![allow(dead_code)]

/// Marks cells; the tone is accent, good or bad.
pub fn mark(cells: &[(i32, i32)], tone: &str) {
    eprintln!("#leitai {{\"mark\":{},\"tone\":{}}}", list(cells), quote(tone));
}

/// A line through cells, two at least.
pub fn line(cells: &[(i32, i32)], tone: &str) {
    eprintln!("#leitai {{\"line\":{},\"tone\":{}}}", list(cells), quote(tone));
}

/// A text of this turn.
pub fn text(words: &str) {
    eprintln!("#leitai {{\"text\":{}}}", quote(words));
}

/// A number that is plotted over the leg under its name. It must be finite.
pub fn value(name: &str, number: f64) {
    eprintln!("#leitai {{\"value\":{{{}:{number}}}}}", quote(name));
}

/// A word to search for.
pub fn tag(word: &str) {
    eprintln!("#leitai {{\"tag\":{}}}", quote(word));
}

fn list(cells: &[(i32, i32)]) -> String {
    let cells: Vec<String> = cells.iter().map(|(x, y)| format!("[{x},{y}]")).collect();
    format!("[{}]", cells.join(","))
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\0'..='\u{1f}' => quoted.push_str(&format!("\\u{:04x}", u32::from(letter))),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
