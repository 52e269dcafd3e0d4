//! The part of the file about situation packs.

use jiff::tz::TimeZone;

use crate::date::read_date;
use crate::rules::PackRules;
use crate::table::Section;

/// The most packs that a file names.
pub const MAX_PACKS: usize = 8;
/// The longest name of a pack's file, in bytes.
const LONGEST_FILE: usize = 80;

/// Whether a text is the name of a pack's file beside the contest's, and no way to another folder.
pub fn is_file_name(name: &str) -> bool {
    (1..=LONGEST_FILE).contains(&name.len())
        && name.ends_with(".jsonl")
        && !name.starts_with(['.', ' '])
        && !name.contains(|c: char| c.is_control() || "/\\:".contains(c))
}

/// The packs that uploads of the contest's bots are asked.
pub fn read_situations(root: &Section<'_, '_>, zone: Option<&TimeZone>) -> Vec<PackRules> {
    if root.get("situations").is_none() {
        return Vec::new();
    }
    let (en, zh) = (
        "write at most 8 tables [[situations]], each with file = \"NAME.jsonl\"",
        "请写至多 8 个 [[situations]]，各有 file = \"名称.jsonl\"",
    );
    let mut packs: Vec<PackRules> = Vec::new();
    for (number, item) in (1..).zip(root.list("situations").unwrap_or_default()) {
        let Some(table) = item.get_ref().as_table().filter(|_| number <= MAX_PACKS) else {
            root.refuse("situations", item, en, zh);
            break;
        };
        let name = format!("situations {number}");
        let section = Section::new(root.reader, table, name, item.span());
        let file = section.text("file").map(|(file, _)| file);
        let hidden_until = read_date(&section, "hidden-until", zone);
        match (file, section.get("file")) {
            (Some(file), Some(of)) if !is_file_name(file) => section.refuse(
                "file",
                of,
                "write the name of a file that lies beside this one, such as \"walls.jsonl\"",
                "请写与本文件同一文件夹中的文件名，例如 \"walls.jsonl\"",
            ),
            (Some(file), Some(of)) if packs.iter().any(|pack| pack.file == file) => {
                section.refuse("file", of, "name each file once", "每个文件只写一次");
            }
            (Some(file), _) => packs.push(PackRules {
                file: file.to_owned(),
                hidden_until,
            }),
            (None, Some(_)) => {}
            (None, None) => section.miss("file", en, zh),
        }
        section.finish();
    }
    packs
}
