//! The judge program of a game file: the file or folder that `logic` in `game.toml` names. It belongs to
//! the file as a build would copy it, so that it is built from the same bytes wherever it is played.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use leitai_judge::build::companions::copy_with_includes;
use leitai_judge::build::folder_copy::copy_folder;
use leitai_judge::build::{BuildError, SourceBounds};
use leitai_sandbox::untrusted_folder::{EntryKind, WalkBounds, WalkEnd};
use leitai_sandbox::{OwnedFolder, UntrustedFolder};

use super::about::About;

/// What a judge program may have.
pub(super) const BOUNDS: SourceBounds = SourceBounds {
    bytes: 16 << 20,
    files: 1000,
    depth: 12,
};

/// Where the judge program of a game lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProgramPlace {
    /// The file or folder, inside the folder of the game; the folder itself is the empty text.
    pub(super) path: String,
}

impl ProgramPlace {
    /// What the text of `game.toml` names, if it is a path inside the folder.
    pub(super) fn find(manifest: &[u8]) -> Option<ProgramPlace> {
        let named = About::logic_of(std::str::from_utf8(manifest).ok()?)?;
        let mut names = Vec::new();
        for part in Path::new(&named).components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => names.push(name.to_str()?),
                _ => return None,
            }
        }
        let path = names.join("/");
        Some(ProgramPlace { path })
    }

    /// The folder in which its files lie; a program of one file has its imports beside it.
    fn home(&self, is_folder: bool) -> &str {
        match is_folder {
            true => &self.path,
            false => self.path.rsplit_once('/').map_or("", |(home, _)| home),
        }
    }

    /// Which of these files are its own; `None` if it is not among them.
    pub(super) fn list<'a>(
        &self,
        files: &'a BTreeMap<String, Vec<u8>>,
    ) -> Option<Vec<(&'a str, &'a [u8])>> {
        let is_file = files.contains_key(&self.path);
        let home = self.home(!is_file);
        let own = files.iter().filter(|(name, _)| is_inside(name, home));
        let own: Vec<_> = own.map(|(name, bytes)| (&**name, &**bytes)).collect();
        (!own.is_empty()).then_some(own)
    }

    /// Whether a file of an archive may belong to it.
    pub(super) fn may_own(&self, part: &str) -> bool {
        let is_shown = !part.chars().any(char::is_control);
        is_shown && (is_inside(part, &self.path) || is_inside(part, self.home(false)))
    }

    /// Its files in an author's folder, by their names in the game file.
    pub(super) fn read(
        &self,
        folder: &UntrustedFolder,
    ) -> Result<Vec<(String, Vec<u8>)>, BuildError> {
        let path = folder.path().join(&self.path);
        let copy = OwnedFolder::new();
        let copy = copy.map_err(BuildError::from_io(
            "create a folder in",
            &std::env::temp_dir(),
        ))?;
        let to = copy.folder_path();
        let seen = folder.look_at(Path::new(&self.path));
        let is_folder =
            self.path.is_empty() || seen.is_ok_and(|seen| seen.kind == EntryKind::Folder);
        match is_folder {
            true => drop(copy_folder(&path, to, &[], BOUNDS)?),
            false => drop(copy_with_includes(&path, to, &[], BOUNDS)?),
        }
        let home = self.home(is_folder);
        let failed = || BuildError::from_io("read", &path);
        let copied = UntrustedFolder::open(to).map_err(failed())?;
        let (mut names, bounds) = (
            Vec::new(),
            WalkBounds {
                entries: 2 * BOUNDS.files as usize,
                depth: BOUNDS.depth + 1,
            },
        );
        let end = copied.walk(Path::new(""), bounds, |entry| {
            if entry.meta.kind != EntryKind::Folder {
                names.push(entry.path.to_owned());
            }
            entry.meta.kind == EntryKind::Folder
        });
        if end != WalkEnd::Whole {
            return Err(failed()(std::io::ErrorKind::FileTooLarge.into()));
        }
        let mut files = Vec::new();
        for name in names {
            // A link to a file of the program is that file; one to a folder is refused.
            let real = copied.follow_inside(&name).unwrap_or(name.clone());
            let bytes = copied.read_file(&real, BOUNDS.bytes).map_err(failed())?;
            let name = name.to_string_lossy();
            let name = match home {
                "" => name.into_owned(),
                home => format!("{home}/{name}"),
            };
            files.push((name, bytes));
        }
        Ok(files)
    }
}

/// Whether a file lies in a folder of the archive; all lie in the one without a name.
fn is_inside(file: &str, folder: &str) -> bool {
    let rest = file.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
}
