//! The files that belong to a game file. Others in a folder are its author's own (sources, say), and
//! are not read; an archive has no others.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use leitai_judge::build::unzip::visit_files;
use leitai_judge::build::{BuildError, SourceBounds};
use leitai_sandbox::UntrustedFolder;
use leitai_sandbox::untrusted_folder::{EntryKind, open_named_file};
use leitai_toml_reader::problem::both;

use super::about::About;
use super::problem::FileProblem;
use super::program::{self, ProgramPlace};
use super::trees::{self, BOTS, Tree, owner_of};
use super::zipped::zip_files;

/// What the game is.
pub const MANIFEST: &str = "game.toml";
/// The rules.
pub const RULES: &str = "rules.wasm";
/// For players, in English.
pub const GUIDE: &str = "guide.md";
/// For players, in Chinese.
pub const GUIDE_ZH: &str = "guide.zh.md";
/// A picture.
pub const EMBLEM: &str = "emblem.svg";
/// A script that draws the board.
pub const VIEWER: &str = "viewer.js";
/// How strong its levels are.
pub const SCALE: &str = "scale.toml";
/// The folder of recorded matches.
const GOLDEN: &str = "golden";

/// The single files, with their most bytes and whether each must be there.
const SINGLE: [(&str, u64, bool); 7] = [
    (MANIFEST, 64 << 10, true),
    (RULES, 4 << 20, true),
    (GUIDE, 256 << 10, true),
    (GUIDE_ZH, 256 << 10, false),
    (EMBLEM, 64 << 10, false),
    (VIEWER, 256 << 10, false),
    (SCALE, 16 << 10, false),
];
/// The most bytes of a recorded match, and the most of them.
const GOLDEN_BYTES: u64 = 1 << 20;
const MOST_GOLDEN: usize = 100;

/// The bounds of an archive.
const ARCHIVE: SourceBounds = SourceBounds {
    bytes: 32 << 20,
    files: 400 + program::BOUNDS.files,
    depth: program::BOUNDS.depth,
};

/// The parts by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    files: BTreeMap<String, Vec<u8>>,
    too_large: Vec<String>,
    strange: Vec<String>,
    /// Why the judge program could not be read.
    broken: Option<String>,
}

impl Parts {
    /// From a folder or an archive.
    ///
    /// # Errors
    /// If it cannot be read, or is no archive that can be trusted.
    pub fn read(path: &Path) -> Result<Parts, BuildError> {
        let failed = BuildError::from_io("open", path);
        match UntrustedFolder::open(path) {
            Ok(folder) => Parts::from_folder(&folder).map_err(failed),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                let (file, _) = open_named_file(path).map_err(BuildError::from_io("open", path))?;
                let mut bytes = Vec::new();
                let read = file.take(ARCHIVE.bytes + 1).read_to_end(&mut bytes);
                read.map_err(BuildError::from_io("read", path))?;
                Parts::from_archive(&bytes, path)
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn from_folder(folder: &UntrustedFolder) -> io::Result<Parts> {
        let mut parts = Parts::default();
        let golden = match folder.list(Path::new(GOLDEN), 4 * MOST_GOLDEN) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            listed => listed?,
        };
        let mut names: Vec<String> = SINGLE.iter().map(|(name, ..)| (*name).to_owned()).collect();
        for (name, kind) in golden {
            let name = name.to_string_lossy();
            if kind == EntryKind::File && name.ends_with(".json") {
                names.push(format!("{GOLDEN}/{name}"));
            }
        }
        for tree in trees::ALL {
            let named = Parts::named_bots(folder);
            let is_named = |path: &str| {
                tree.name != BOTS.name
                    || owner_of(path).is_some_and(|own| named.iter().any(|name| name == own))
            };
            let (files, strange) = tree.list(folder, &is_named)?;
            names.extend(files);
            parts.strange.extend(strange);
        }
        for name in names {
            let most = most_bytes(&name).unwrap_or_default();
            match folder.read_file(Path::new(&name), most) {
                Ok(bytes) => drop(parts.files.insert(name, bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    parts.too_large.push(name);
                }
                // A link, a pipe.
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    parts.strange.push(name);
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(place) = parts.program_place() {
            match place.read(folder) {
                Ok(files) => parts.files.extend(files),
                Err(why) => parts.broken = Some(why.to_string()),
            }
        }
        Ok(parts)
    }

    /// The bots that `game.toml` names: other programs in the folder are its author's own.
    fn named_bots(folder: &UntrustedFolder) -> Vec<String> {
        let most = most_bytes(MANIFEST).unwrap_or_default();
        let text = folder.read_file(Path::new(MANIFEST), most).ok();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        text.map_or(Vec::new(), |text| About::names_of_bots(&text))
    }

    /// From the bytes of an archive; `name` is for messages.
    ///
    /// # Errors
    /// If it is no archive that can be trusted.
    pub fn from_archive(bytes: &[u8], name: &Path) -> Result<Parts, BuildError> {
        let (mut parts, mut others, mut left) =
            (Parts::default(), BTreeMap::new(), program::BOUNDS.bytes);
        visit_files(bytes, name, ARCHIVE, |path, file| {
            let part = path.to_string_lossy().into_owned();
            let mut bytes = Vec::new();
            let Some(most) = most_bytes(&part) else {
                // It may be of a judge program, whose place may be told later.
                file.take(left + 1).read_to_end(&mut bytes)?;
                match left.checked_sub(bytes.len() as u64) {
                    Some(rest) => {
                        left = rest;
                        others.insert(part, bytes);
                    }
                    None => parts.too_large.push(part),
                }
                return Ok(true);
            };
            file.take(most + 1).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > most {
                parts.too_large.push(part);
            } else {
                parts.files.insert(part, bytes);
            }
            Ok(true)
        })?;
        let place = parts.program_place();
        for (part, bytes) in others {
            match place.as_ref().is_some_and(|place| place.may_own(&part)) {
                true => drop(parts.files.insert(part, bytes)),
                false => parts.strange.push(part),
            }
        }
        Ok(parts)
    }

    /// Where the judge program lies, if one leads the game.
    fn program_place(&self) -> Option<ProgramPlace> {
        ProgramPlace::find(self.bytes(MANIFEST)?)
    }

    /// The judge program as an archive, and what is built of it; an error is the end of a sentence.
    pub(super) fn pack_program(&self) -> Result<(Vec<u8>, String), String> {
        if let Some(why) = &self.broken {
            return Err(why.clone());
        }
        let place = self.program_place();
        let own = place.as_ref().and_then(|place| place.list(&self.files));
        let (Some(place), Some(own)) = (place, own) else {
            return Err("there is no such file or folder".to_owned());
        };
        let archive = zip_files(own.into_iter()).map_err(|why| why.to_string())?;
        Ok((archive, place.path))
    }

    /// Every part, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(name, bytes)| (&**name, &**bytes))
    }

    /// The names of the recorded matches.
    pub fn golden(&self) -> impl Iterator<Item = &str> {
        let names = self.files.keys().map(String::as_str);
        names.filter(|name| name.starts_with(GOLDEN))
    }

    /// The parts of a folder of programs.
    pub(super) fn of_tree(&self, tree: &Tree) -> impl Iterator<Item = (&str, &[u8])> {
        self.iter().filter(|(name, _)| tree.has(name))
    }

    /// What is wrong with the parts before they are read.
    /// `has_module`: whether the rules are a module.
    pub(super) fn check(&self, has_module: bool, problems: &mut Vec<FileProblem>) {
        for (name, _, must) in SINGLE {
            let must = must && (has_module || name != RULES);
            let is_here = self.files.contains_key(name)
                || self
                    .too_large
                    .iter()
                    .chain(&self.strange)
                    .any(|one| one == name);
            if must && !is_here {
                let cure = match name {
                    RULES => both(
                        "leitai game build FOLDER compiles it from rules.cpp or Rust",
                        "leitai game build 文件夹 可由 rules.cpp 或 Rust 编译得到",
                    ),
                    _ => both(
                        "docs/game-files.md lists the parts of a game file",
                        "docs/game-files.md 列出了游戏文件的组成",
                    ),
                };
                let what = both("this part is missing", "缺少此文件");
                problems.push(FileProblem::new(name, what, cure));
            }
        }
        for name in &self.too_large {
            let most = most_bytes(name).unwrap_or(program::BOUNDS.bytes) >> 10;
            problems.push(FileProblem::new(
                name,
                both("this part is too large", "此文件过大"),
                both(
                    format!("at most {most} KiB are allowed"),
                    format!("不得超过 {most} KiB"),
                ),
            ));
        }
        for name in &self.strange {
            let what = both("this is no part of a game file", "游戏文件中不应有此文件");
            let cure = both(
                "pack the folder with leitai game pack; links are not followed",
                "请用 leitai game pack 打包；不支持链接",
            );
            problems.push(FileProblem::new(name, what, cure));
        }
        for tree in trees::ALL {
            tree.check(&self.files, problems);
        }
        if self.golden().count() > MOST_GOLDEN {
            problems.push(FileProblem::new(
                GOLDEN,
                both("there are too many recorded matches", "录制的比赛过多"),
                both(
                    format!("keep at most {MOST_GOLDEN}"),
                    format!("最多保留 {MOST_GOLDEN} 场"),
                ),
            ));
        }
    }

    /// Takes a part out.
    pub fn take(&mut self, name: &str) -> Option<Vec<u8>> {
        self.files.remove(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }

    /// The text of a part that is there.
    pub(super) fn text(&self, name: &str, problems: &mut Vec<FileProblem>) -> Option<&str> {
        let text = std::str::from_utf8(self.bytes(name)?);
        if text.is_err() {
            problems.push(FileProblem::new(
                name,
                both("this text is not UTF-8", "此文本不是 UTF-8"),
                both("save it as UTF-8", "请以 UTF-8 保存"),
            ));
        }
        text.ok()
    }
}

/// The most bytes of a part; `None` if there is no part of this name.
fn most_bytes(name: &str) -> Option<u64> {
    let single = SINGLE.iter().find(|(single, ..)| *single == name);
    let golden = name
        .strip_prefix(GOLDEN)
        .and_then(|rest| rest.strip_prefix('/'))
        .is_some_and(|rest| rest.ends_with(".json") && !rest.contains('/'));
    single
        .map(|(_, most, _)| *most)
        .or(golden.then_some(GOLDEN_BYTES))
        .or(Tree::of_part(name).map(|tree| tree.bytes))
}
