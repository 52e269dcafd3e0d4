//! Packs a program as one file for uploading: a file unchanged, a folder as a zip.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use leitai_judge::build::folder_copy::{is_cache_folder, is_left_out};
use zip::write::SimpleFileOptions;

/// The most bytes that an arena accepts.
const MOST: u64 = 16 << 20;
/// The most files of a folder.
const MOST_FILES: usize = 2_000;

/// A packed program.
#[derive(Debug, PartialEq, Eq)]
pub struct PackedSource {
    /// The file name.
    pub file_name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Packs a file or a folder.
pub fn pack_source(path: &Path) -> anyhow::Result<PackedSource> {
    let about = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    let full = path
        .canonicalize()
        .with_context(|| format!("cannot read {}", path.display()))?;
    let name = full.file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("{} has no name in UTF-8", path.display()))?;
    if about.is_dir() {
        return Ok(PackedSource {
            file_name: format!("{name}.zip"),
            bytes: zip_of(&full)?,
        });
    }
    ensure!(
        about.len() <= MOST,
        "{} has {} bytes; an arena takes {MOST} at most",
        path.display(),
        about.len()
    );
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(PackedSource {
        file_name: name.to_owned(),
        bytes,
    })
}

fn zip_of(folder: &Path) -> anyhow::Result<Vec<u8>> {
    let mut files = Vec::new();
    gather_files(folder, Path::new(""), &mut files)?;
    ensure!(!files.is_empty(), "{} holds no files", folder.display());
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut total = 0;
    for inner in files {
        let path = folder.join(&inner);
        let about =
            fs::metadata(&path).with_context(|| format!("cannot read {}", path.display()))?;
        total += about.len();
        ensure!(
            total <= 4 * MOST,
            "{} holds more than {} bytes; send only what the program needs",
            folder.display(),
            4 * MOST
        );
        let runs = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0;
        let options =
            SimpleFileOptions::default().unix_permissions(if runs { 0o755 } else { 0o644 });
        let name = inner
            .to_str()
            .with_context(|| format!("{} is not UTF-8", path.display()))?;
        zip.start_file(name, options).context("cannot pack")?;
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        zip.write_all(&bytes).context("cannot pack")?;
    }
    let bytes = zip.finish().context("cannot pack")?.into_inner();
    ensure!(
        bytes.len() as u64 <= MOST,
        "{} packed has {} bytes; an arena takes {MOST} at most",
        folder.display(),
        bytes.len()
    );
    Ok(bytes)
}

/// The files of a folder, in order, without what the judge would not copy either. A link to a file
/// inside the folder is sent as that file; others are refused: their targets would be missing.
fn gather_files(root: &Path, inner: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let folder = root.join(inner);
    let entries =
        fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    names.sort();
    for name in names.iter().filter(|name| !is_left_out(name)) {
        let path = inner.join(name);
        let full = root.join(&path);
        let about = fs::symlink_metadata(&full)
            .with_context(|| format!("cannot read {}", path.display()))?;
        if about.is_symlink() && !leads_to_own_file(root, &full) {
            bail!("{} is a link; put the file itself there", full.display());
        }
        if about.is_dir() && !is_cache_folder(&full) {
            gather_files(root, &path, files)?;
        } else if about.is_file() || about.is_symlink() {
            files.push(path);
        }
        ensure!(
            files.len() <= MOST_FILES,
            "{} holds more than {MOST_FILES} files; send only what the program needs",
            root.display()
        );
    }
    Ok(())
}

/// Whether a link leads to a file inside the folder.
fn leads_to_own_file(root: &Path, link: &Path) -> bool {
    let target = link.canonicalize();
    target.is_ok_and(|target| target.starts_with(root) && target.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_folder_is_packed_without_build_output() {
        let folder = tempfile::tempdir().expect("a folder");
        let bot = folder.path().join("mybot");
        fs::create_dir_all(bot.join("lib")).expect("folders");
        fs::create_dir_all(bot.join("__pycache__")).expect("folders");
        fs::write(bot.join("main.py"), "print(1)").expect("written");
        fs::write(bot.join("lib/a.py"), "A = 1").expect("written");
        fs::write(bot.join("__pycache__/a.pyc"), "x").expect("written");
        fs::create_dir_all(bot.join("venv/bin")).expect("folders");
        fs::write(bot.join("venv/pyvenv.cfg"), "").expect("written");
        std::os::unix::fs::symlink("/usr/bin/python3", bot.join("venv/bin/python3"))
            .expect("a link");
        std::os::unix::fs::symlink("lib/a.py", bot.join("b.py")).expect("a link");
        let packed = pack_source(&bot).expect("a folder");
        assert_eq!(packed.file_name, "mybot.zip");
        let mut zip = zip::ZipArchive::new(Cursor::new(packed.bytes)).expect("a zip");
        let names: Vec<String> = zip
            .file_names()
            .map(|name| name.expect("UTF-8").into_owned())
            .collect();
        assert_eq!(names, ["b.py", "lib/a.py", "main.py"]);
        let mut text = String::new();
        zip.by_name("main.py")
            .expect("there")
            .read_to_string(&mut text)
            .expect("text");
        assert_eq!(text, "print(1)");
    }

    #[test]
    fn a_source_that_cannot_be_sent_says_why() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = |path: &Path| pack_source(path).expect_err("refused").to_string();
        assert!(refused(folder.path()).contains("holds no files"));
        assert!(refused(&folder.path().join("nobody")).contains("cannot read"));
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).expect("a link");
        assert!(refused(folder.path()).contains("is a link"));
        let large = folder.path().join("large.py");
        fs::File::create(&large)
            .expect("made")
            .set_len(MOST + 1)
            .expect("grown");
        assert!(refused(&large).contains("takes 16777216 at most"));
    }
}
