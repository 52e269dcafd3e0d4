//! Files that the operator names at the start.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file of the operator cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read: {why}", .file.display())]
pub struct OperatorFileError {
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub why: String,
}

/// Reads a file of the operator as text. Of one that is longer than `longest` bytes, such as a
/// device without an end, no more is read than shows that.
///
/// # Errors
/// See [`OperatorFileError`].
pub fn read_operator_file(file: &Path, longest: u64) -> Result<String, OperatorFileError> {
    let refuse = |why: String| OperatorFileError {
        file: file.to_owned(),
        why,
    };
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(longest + 1).read_to_end(&mut bytes));
    read.map_err(|error| refuse(error.to_string()))?;
    if bytes.len() as u64 > longest {
        return Err(refuse(format!(
            "it has more than {longest} bytes; name another file, or write a shorter one"
        )));
    }
    String::from_utf8(bytes)
        .map_err(|_| refuse("it is not UTF-8; save it as text in UTF-8".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_said() {
        let folder = tempfile::tempdir().expect("there is room");
        let (file, missing) = (folder.path().join("a"), folder.path().join("b"));
        let read = |file: &Path| read_operator_file(file, 4).map_err(|error| error.to_string());
        for (bytes, said) in [
            (&b"1234"[..], Ok("1234")),
            ("擂".as_bytes(), Ok("擂")),
            (b"12345", Err("a cannot be read: it has more than 4 bytes;")),
            (b"\xff", Err("a cannot be read: it is not UTF-8;")),
        ] {
            std::fs::write(&file, bytes).expect("there is room");
            match (read(&file), said) {
                (Ok(text), Ok(said)) => assert_eq!(text, said),
                (Err(why), Err(said)) => assert!(why.contains(said), "{why}"),
                (read, said) => panic!("{read:?} instead of {said:?}"),
            }
        }
        assert!(read(Path::new("/dev/zero")).is_err_and(|why| why.contains("more than 4 bytes")));
        assert!(read(&missing).is_err_and(|why| why.contains("b cannot be read: No such file")));
    }
}
