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
