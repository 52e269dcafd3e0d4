//! The data directory of an arena.

use std::fs::{DirBuilder, File};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use leitai_store::{BlobStore, Store};
use rustix::fs::{FlockOperation, flock};

use crate::cli::DataDirArgs;

/// The addresses of the database and of the blobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir {
    /// The folder on this machine.
    pub data: PathBuf,
    /// The address of the database.
    pub database: String,
    /// The address of sources and replays.
    pub replays: String,
}

impl DataDir {
    /// The requested places with their defaults; the folder is created for this user alone.
    pub fn from_args(args: &DataDirArgs) -> anyhow::Result<DataDir> {
        let data = match &args.data {
            Some(data) => data.clone(),
            None => default_folder()?,
        };
        let data = std::path::absolute(&data)
            .with_context(|| format!("{} is not a path", data.display()))?;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&data)
            .with_context(|| {
                format!(
                    "cannot make the folder {}; choose another with --data",
                    data.display()
                )
            })?;
        DataDir::at_folder(data, args)
    }

    fn at_folder(data: PathBuf, args: &DataDirArgs) -> anyhow::Result<DataDir> {
        let shown = data
            .to_str()
            .with_context(|| format!("{} is not UTF-8", data.display()))?;
        let database = args
            .database
            .clone()
            .unwrap_or_else(|| format!("sqlite:{shown}/{FILE}"));
        let known = ["sqlite:", "postgres:", "postgresql:"];
        ensure!(
            known.iter().any(|scheme| database.starts_with(scheme)),
            "--database: the address begins with sqlite: or postgres:, such as postgres://leitai@localhost/leitai"
        );
        let replays = args
            .replays
            .clone()
            .unwrap_or_else(|| format!("file://{shown}/{BLOBS}"));
        Ok(DataDir {
            data,
            database,
            replays,
        })
    }

    /// The existing arena: in the requested folder or database, else in one of the usual folders.
    /// Creates nothing.
    pub fn find_existing(args: &DataDirArgs) -> anyhow::Result<DataDir> {
        let folders = match &args.data {
            Some(data) => vec![std::path::absolute(data)?],
            None => [default_folder().ok(), Some(PathBuf::from(SERVICE))]
                .into_iter()
                .flatten()
                .collect(),
        };
        if args.database.is_some() {
            let data = folders
                .into_iter()
                .next()
                .context("choose a folder with --data")?;
            return DataDir::at_folder(data, args);
        }
        DataDir::at_folder(choose_folder(&folders)?, args)
    }

    /// Opens and migrates the database of the existing arena.
    pub async fn existing_store(&self) -> anyhow::Result<Store> {
        Store::open_existing(&self.database)
            .await
            .with_context(|| format!("cannot open the database {}", self.show_address()))
    }

    /// Opens and migrates the database.
    pub async fn open_store(&self) -> anyhow::Result<Store> {
        Store::open_url(&self.database)
            .await
            .with_context(|| format!("cannot open the database {}", self.show_address()))
    }

    /// Opens the blob store of sources and replays.
    pub async fn open_blobs(&self) -> anyhow::Result<BlobStore> {
        BlobStore::open_url(&self.replays)
            .await
            .with_context(|| format!("cannot open {}", self.replays))
    }

    /// The address of the database without its password.
    pub fn show_address(&self) -> String {
        // A password may contain an @, or stand after the question mark.
        let address = match self.database_file() {
            Some(_) => &*self.database,
            None => self.database.split('?').next().unwrap_or_default(),
        };
        let Some((before, after)) = address.rsplit_once('@') else {
            return address.to_owned();
        };
        let Some((scheme, account)) = before.split_once("://") else {
            return address.to_owned();
        };
        match account.split_once(':') {
            Some((user, _)) => format!("{scheme}://{user}:…@{after}"),
            None => address.to_owned(),
        }
    }

    /// The lock of a server on its data folder.
    pub fn lock_folder(&self) -> anyhow::Result<File> {
        let path = self.data.join("lock");
        let file =
            File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .ok()
            .with_context(|| {
                format!(
                    "another `leitai serve` uses {}; stop it, or choose another folder with --data",
                    self.data.display()
                )
            })?;
        // For administration: the address of the database, without its password.
        (&file)
            .write_all(self.show_address().as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(file)
    }

    /// Writes where the server listens, for who administrates it on this machine.
    pub fn write_address(&self, address: SocketAddr) -> std::io::Result<()> {
        std::fs::write(self.data.join(ADDRESS), address.to_string())
    }

    /// Where the server listens that was started last.
    pub fn read_address(&self) -> anyhow::Result<String> {
        Ok(std::fs::read_to_string(self.data.join(ADDRESS))?)
    }

    /// Moves the blobs of an older version to their present place, if they are in the data folder.
    /// Call it with the folder's lock.
    pub fn move_old_blobs(&self) -> anyhow::Result<()> {
        let [old, new] = [OLD_BLOBS, BLOBS].map(|name| self.data.join(name));
        let folder = self.replays.strip_prefix("file://").map(Path::new);
        let is_own = folder.is_some_and(|folder| folder == new);
        if !is_own || !old.try_exists()? {
            return Ok(());
        }
        let [old_shown, new_shown] = [old.display(), new.display()];
        ensure!(
            !new.try_exists()?,
            "sources and replays are in {} and, of an older version, in {}: move what is in the \
             second into the first, and remove the second",
            new_shown,
            old_shown
        );
        std::fs::rename(&old, &new).with_context(|| {
            format!(
                "cannot move {} to {}; move it yourself, or start with --replays file://{}",
                old_shown, new_shown, old_shown
            )
        })?;
        tracing::info!("sources and replays were moved from {old_shown} to {new_shown}");
        Ok(())
    }

    /// The file of an SQLite database.
    pub fn database_file(&self) -> Option<&Path> {
        let rest = self.database.strip_prefix("sqlite:")?;
        let path = rest.strip_prefix("//").unwrap_or(rest);
        Some(Path::new(path.split('?').next().unwrap_or(path)))
    }
}

/// The data folder of the system service.
const SERVICE: &str = "/var/lib/leitai";
/// The database in the folder.
const FILE: &str = "arena.db";
/// Sources and replays in the folder.
const BLOBS: &str = "blobs";
/// Where the server listens.
const ADDRESS: &str = "address";
/// The blob folder of older versions.
const OLD_BLOBS: &str = "vault";

/// The folder that contains an arena; of several, the one whose server runs.
fn choose_folder(folders: &[PathBuf]) -> anyhow::Result<PathBuf> {
    let (mut with, mut seen) = (Vec::new(), Vec::new());
    for folder in folders {
        match folder.join(FILE).try_exists() {
            Ok(true) => with.push(folder.clone()),
            Ok(false) => seen.push(describe_folder(folder)),
            Err(error) => seen.push(format!(
                "{} cannot be looked into ({error})",
                folder.display()
            )),
        }
    }
    match &with[..] {
        [] => bail!(
            "there is no arena: {}; name its folder with --data or LEITAI_DATA, its database with --database or \
             LEITAI_DATABASE, and run this as the user of its service (sudo -u leitai leitai admin …)",
            seen.join("; ")
        ),
        [one] => Ok(one.clone()),
        several => {
            let running: Vec<&PathBuf> =
                several.iter().filter(|folder| is_running(folder)).collect();
            if let [one] = running[..] {
                return Ok(one.clone());
            }
            let names: Vec<String> = several
                .iter()
                .map(|folder| folder.display().to_string())
                .collect();
            bail!(
                "there is an arena in each of {}; choose one with --data",
                names.join(", ")
            )
        }
    }
}

/// The entries of a folder without a database.
fn describe_folder(folder: &Path) -> String {
    let shown = folder.display();
    match std::fs::read_to_string(folder.join("lock")) {
        Ok(address) if address.starts_with("postgres") => {
            format!("the arena of {shown} keeps its database at {address}")
        }
        _ => format!("{shown} has none"),
    }
}

/// Whether a server holds the lock of this folder.
fn is_running(folder: &Path) -> bool {
    let Ok(file) = File::open(folder.join("lock")) else {
        return false;
    };
    flock(&file, FlockOperation::NonBlockingLockExclusive).is_err()
}

fn default_folder() -> anyhow::Result<PathBuf> {
    let of = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let shared = of("XDG_DATA_HOME").or_else(|| of("HOME").map(|home| home.join(".local/share")));
    Ok(shared
        .context("neither XDG_DATA_HOME nor HOME is set; choose a folder with --data")?
        .join("leitai"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(database: &str) -> anyhow::Result<DataDir> {
        let data = Some(std::env::temp_dir().join("leitai-place"));
        DataDir::from_args(&DataDirArgs {
            data,
            database: Some(database.to_owned()),
            replays: None,
        })
    }

    #[test]
    fn passwords_are_not_shown() {
        let check = |address: &str, shown: &str| {
            assert_eq!(place(address).expect("a place").show_address(), shown)
        };
        check(
            "postgres://me:secret@db/leitai",
            "postgres://me:…@db/leitai",
        );
        check("postgres://me@db/leitai", "postgres://me@db/leitai");
        check(
            "postgres://me:se@cret@db/leitai",
            "postgres://me:…@db/leitai",
        );
        check(
            "postgres://me@db/leitai?password=secret",
            "postgres://me@db/leitai",
        );
        check("sqlite:/tmp/a.db", "sqlite:/tmp/a.db");
    }

    #[test]
    fn other_databases_are_refused() {
        assert!(
            place("mysql://db/leitai")
                .expect_err("refused")
                .to_string()
                .contains("postgres:")
        );
    }

    #[test]
    fn an_arena_is_found_and_never_made() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = |name: &str| place.path().join(name);
        let refused = |folders: &[PathBuf], part: &str| {
            let error = format!("{:#}", choose_folder(folders).expect_err("there is none"));
            assert!(error.contains(part), "{error}");
        };
        refused(&[folder("a"), folder("b")], "b has none");
        assert!(!folder("a").exists());
        for name in ["a", "b", "c"] {
            std::fs::create_dir(folder(name)).expect("there is room");
        }
        std::fs::write(folder("c").join("lock"), "postgres://leitai@db/leitai")
            .expect("there is room");
        refused(&[folder("c")], "postgres://leitai@db/leitai");
        std::fs::write(folder("b").join(FILE), "").expect("there is room");
        assert_eq!(
            choose_folder(&[folder("a"), folder("b")]).expect("one"),
            folder("b")
        );
        std::fs::write(folder("a").join(FILE), "").expect("there is room");
        refused(&[folder("a"), folder("b")], "--data");
        let args = DataDirArgs {
            data: Some(folder("a")),
            database: None,
            replays: None,
        };
        let _running = DataDir::from_args(&args)
            .expect("a place")
            .lock_folder()
            .expect("nobody has it");
        assert_eq!(
            choose_folder(&[folder("a"), folder("b")]).expect("the one that runs"),
            folder("a")
        );
    }

    #[test]
    fn blobs_of_an_older_version_are_moved_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let args = |replays: Option<&str>| DataDirArgs {
            data: Some(folder.path().to_owned()),
            database: None,
            replays: replays.map(str::to_owned),
        };
        let [old, new] = [OLD_BLOBS, BLOBS].map(|name| folder.path().join(name));
        let place = DataDir::from_args(&args(None)).expect("a place");
        assert_eq!(place.replays, format!("file://{}", new.display()));
        place.move_old_blobs().expect("there is nothing to move");
        assert!(!new.exists(), "nothing is made");
        std::fs::create_dir_all(old.join("replays/0")).expect("there is room");
        std::fs::write(old.join("replays/0/1-a.zst"), "whole").expect("there is room");
        let elsewhere = format!("file://{}", old.display());
        let named = DataDir::from_args(&args(Some(&elsewhere))).expect("a place");
        named.move_old_blobs().expect("it stays where it was put");
        assert!(old.exists() && !new.exists());
        for _ in 0..2 {
            place.move_old_blobs().expect("moved");
            let moved = std::fs::read_to_string(new.join("replays/0/1-a.zst"));
            assert_eq!(
                (moved.expect("it is there").as_str(), old.exists()),
                ("whole", false)
            );
        }
        std::fs::create_dir(&old).expect("there is room");
        let error = format!("{:#}", place.move_old_blobs().expect_err("two folders"));
        assert!(error.contains("remove the second"), "{error}");
    }

    #[test]
    fn an_sqlite_database_is_a_file() {
        let file = |address: &str| {
            place(address)
                .expect("a place")
                .database_file()
                .map(Path::to_owned)
        };
        assert_eq!(
            file("sqlite:/tmp/a.db?mode=rwc"),
            Some(PathBuf::from("/tmp/a.db"))
        );
        assert_eq!(file("sqlite:///tmp/a.db"), Some(PathBuf::from("/tmp/a.db")));
        assert_eq!(file("postgres://db/leitai"), None);
    }
}
