//! The folder of a part: written by the exporting arena, and read as a stranger's by the importing one.
//!
//! | | |
//! |---|---|
//! | `part.json` | what the folder holds; written last |
//! | `tables/NAME.ndjson` | the rows of a table, a JSON object each |
//! | `blobs/…` | sources and replays as they are stored |
//! | `blobs.ndjson` | their keys, sizes and SHA-256 |

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::moved::{MOVED, Row};
use crate::blobs::blobs::{LONGEST_REPLAY, LONGEST_SOURCE};
use crate::transfer::blobs::{BlobFile, hash};
use crate::transfer::error::{FORMAT, MOST_ROWS, TransferError};
use crate::transfer::tables::TableFile;
use crate::{BlobKey, BlobStore, Timestamp};

pub const PART: &str = "part.json";
const WHOLE: &str = "arena.json";
const TABLES: &str = "tables";
const LIST: &str = "blobs.ndjson";
/// The longest manifest and list of blobs, in bytes.
const LONGEST_LIST: u64 = 64 << 20;

/// A game that the part needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NeededGame {
    pub game: String,
    /// Until when it is secret where the part comes from.
    pub hidden_until: Option<Timestamp>,
}

/// What the folder holds.
#[derive(Debug, Serialize, Deserialize)]
pub struct PartManifest {
    pub format: u32,
    /// The hash of the rest.
    pub id: String,
    /// The last migration of its database.
    pub schema: String,
    /// The id of the arena.
    pub arena: String,
    /// What was asked for: `bot 7`, `contest 12`, `ladder kob`, `match 99`.
    pub roots: Vec<String>,
    pub games: Vec<NeededGame>,
    pub tables: Vec<TableFile>,
    pub blobs: BlobFile,
}

impl PartManifest {
    /// The id that it must have.
    pub fn count_id(&self) -> String {
        let held = serde_json::json!([
            self.schema,
            self.arena,
            self.roots,
            self.games,
            self.tables,
            self.blobs
        ]);
        hash(held.to_string().as_bytes())[..32].to_owned()
    }
}

/// A blob in the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartBlob {
    pub key: String,
    pub bytes: u64,
    pub sha256: String,
}

/// A part as its folder says.
pub struct Part {
    pub manifest: PartManifest,
    pub rows: BTreeMap<&'static str, Vec<Row>>,
    pub blobs: Vec<PartBlob>,
}

/// Makes the folder ready to be written; without its manifest it is unfinished.
pub fn prepare(folder: &Path) -> Result<(), TransferError> {
    if folder.join(WHOLE).exists() {
        return Err(TransferError::WholeThere(folder.display().to_string()));
    }
    let tables = folder.join(TABLES);
    fs::create_dir_all(&tables).map_err(TransferError::of_file(&tables))?;
    match fs::remove_file(folder.join(PART)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(TransferError::of_file(&folder.join(PART))(error))
        }
        _ => Ok(()),
    }
}

/// Writes the rows of a table.
pub fn write_table(folder: &Path, name: &str, rows: &[Row]) -> Result<TableFile, TransferError> {
    let path = folder.join(TABLES).join(format!("{name}.ndjson"));
    let lines = rows
        .iter()
        .map(|row| serde_json::json!(row).to_string() + "\n");
    let text: String = lines.collect();
    fs::write(&path, &text).map_err(TransferError::of_file(&path))?;
    Ok(TableFile {
        name: name.to_owned(),
        rows: rows.len() as u64,
        sha256: hash(text.as_bytes()),
        last_key: None,
    })
}

/// Writes the list of blobs.
pub fn write_blobs(folder: &Path, blobs: &[PartBlob]) -> Result<BlobFile, TransferError> {
    let path = folder.join(LIST);
    let lines = blobs
        .iter()
        .map(|blob| serde_json::json!(blob).to_string() + "\n");
    let text: String = lines.collect();
    fs::write(&path, &text).map_err(TransferError::of_file(&path))?;
    Ok(BlobFile {
        count: blobs.len() as u64,
        sha256: hash(text.as_bytes()),
    })
}

/// Writes the manifest, whole or not at all.
pub fn write_manifest(folder: &Path, manifest: &PartManifest) -> Result<(), TransferError> {
    let (path, unfinished) = (folder.join(PART), folder.join("part.json.part"));
    let text = serde_json::to_string_pretty(manifest).map_err(std::io::Error::from);
    let written = text.and_then(|text| fs::write(&unfinished, text + "\n"));
    let written = written.and_then(|()| fs::rename(&unfinished, &path));
    written.map_err(TransferError::of_file(&path))
}

/// Reads a part and checks that every file is what the manifest says; the rows are not looked at.
pub fn read(folder: &Path, schema: &str) -> Result<Part, TransferError> {
    let manifest = read_manifest(folder, schema)?;
    let (mut rows, mut left) = (BTreeMap::new(), MOST_ROWS);
    let mut files: BTreeSet<&str> = BTreeSet::new();
    for file in &manifest.tables {
        let known = MOVED.iter().find(|(name, _)| *name == file.name);
        let known = known.filter(|(name, _)| files.insert(name));
        let wrong = || wrong_file(PART, "it names a table that does not move");
        let (name, _) = known.ok_or_else(wrong)?;
        let inside = format!("{TABLES}/{name}.ndjson");
        let text = read_file(folder, &inside, left)?;
        left -= text.len() as u64;
        check_hash(&inside, &text, &file.sha256)?;
        let own = read_lines::<Row>(&inside, &text)?;
        check_count(&inside, own.len(), file.rows)?;
        rows.insert(*name, own);
    }
    let text = read_file(folder, LIST, LONGEST_LIST)?;
    check_hash(LIST, &text, &manifest.blobs.sha256)?;
    let blobs = read_lines::<PartBlob>(LIST, &text)?;
    check_count(LIST, blobs.len(), manifest.blobs.count)?;
    Ok(Part {
        manifest,
        rows,
        blobs,
    })
}

fn read_manifest(folder: &Path, schema: &str) -> Result<PartManifest, TransferError> {
    let text = read_file(folder, PART, LONGEST_LIST)?;
    let head: serde_json::Value =
        serde_json::from_slice(&text).map_err(|_| wrong_file(PART, "it is not JSON"))?;
    match head["format"].as_u64() {
        Some(format) if format == u64::from(FORMAT) => {}
        format => {
            let format = format.and_then(|format| u32::try_from(format).ok());
            return Err(TransferError::Format(format.unwrap_or_default()));
        }
    }
    let manifest: PartManifest = serde_json::from_value(head)
        .map_err(|_| wrong_file(PART, "it is not the list of a part"))?;
    if manifest.schema != schema {
        return Err(TransferError::Schema {
            exported: manifest.schema.chars().take(60).collect(),
            own: schema.to_owned(),
        });
    }
    match manifest.count_id() == manifest.id {
        true => Ok(manifest),
        false => Err(wrong_file(PART, "its id is not that of what it holds")),
    }
}

/// The bytes of a listed blob, which are what the list says.
pub fn read_blob(folder: &Path, blob: &PartBlob) -> Result<Vec<u8>, TransferError> {
    // Neither `..` nor a path from the root is a key.
    let key = BlobKey::parse(&blob.key)?;
    let inside = format!("blobs/{key}");
    let most = LONGEST_SOURCE.max(LONGEST_REPLAY) as u64;
    let bytes = read_file(folder, &inside, most)?;
    check_hash(&inside, &bytes, &blob.sha256)?;
    check_count(&inside, bytes.len(), blob.bytes)?;
    Ok(bytes)
}

/// The folder's own blobs, to write them.
pub async fn open_blobs(folder: &Path) -> Result<BlobStore, TransferError> {
    let here: PathBuf = std::path::absolute(folder).map_err(TransferError::of_file(folder))?;
    let url = format!("file://{}", here.join("blobs").display());
    Ok(BlobStore::open_url(&url).await?)
}

/// Reads a file of the folder that leads nowhere else: no link, no device, and not too long.
fn read_file(folder: &Path, inside: &str, most: u64) -> Result<Vec<u8>, TransferError> {
    let mut path = folder.to_owned();
    for step in inside.split('/') {
        path.push(step);
        let found = fs::symlink_metadata(&path);
        let found = match found {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(wrong_file(inside, "it is missing"));
            }
            found => found.map_err(TransferError::of_file(&path))?,
        };
        if !found.is_dir() && !found.is_file() {
            return Err(wrong_file(inside, "it is a link, or no file"));
        }
    }
    let file = fs::File::open(&path).map_err(TransferError::of_file(&path))?;
    let mut bytes = Vec::new();
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(TransferError::of_file(&path))?;
    match bytes.len() as u64 > most {
        true => Err(TransferError::TooLarge),
        false => Ok(bytes),
    }
}

fn read_lines<T: for<'a> Deserialize<'a>>(
    inside: &str,
    text: &[u8],
) -> Result<Vec<T>, TransferError> {
    let text = std::str::from_utf8(text).map_err(|_| wrong_file(inside, "it is not UTF-8"))?;
    let lines = text.lines().enumerate();
    let lines = lines.map(|(number, line)| {
        let wrong = |_| wrong_file(inside, &format!("line {} cannot be read", number + 1));
        serde_json::from_str(line).map_err(wrong)
    });
    lines.collect()
}

fn check_hash(inside: &str, bytes: &[u8], expected: &str) -> Result<(), TransferError> {
    match hash(bytes) == expected {
        true => Ok(()),
        false => Err(TransferError::Damaged(inside.to_owned())),
    }
}

fn check_count(inside: &str, count: usize, expected: u64) -> Result<(), TransferError> {
    match count as u64 == expected {
        true => Ok(()),
        false => Err(wrong_file(
            inside,
            "it has another length than the list says",
        )),
    }
}

fn wrong_file(inside: &str, why: &str) -> TransferError {
    TransferError::Wrong {
        file: inside.to_owned(),
        why: why.to_owned(),
    }
}
