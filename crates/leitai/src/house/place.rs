//! Where an arena keeps everything.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use leitai_store::{Store, Vault};
use rustix::fs::{FlockOperation, flock};

use crate::cli::PlaceArgs;

/// Database, sources and replays, by their addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder on this machine.
    pub data: PathBuf,
    /// Of the database.
    pub database: String,
    /// Of sources and replays.
    pub replays: String,
}

impl Place {
    /// What was asked for, completed; the folder is made for this user alone.
    pub fn of(args: &PlaceArgs) -> anyhow::Result<Place> {
        let data = match &args.data {
            Some(data) => data.clone(),
            None => usual()?,
        };
        let data = std::path::absolute(&data).with_context(|| format!("{} is no path", data.display()))?;
        DirBuilder::new().recursive(true).mode(0o700).create(&data).with_context(|| {
            format!("cannot make the folder {}; choose another with --data", data.display())
        })?;
        let shown = data.to_str().with_context(|| format!("{} is not UTF-8", data.display()))?;
        let database = args.database.clone().unwrap_or_else(|| format!("sqlite:{shown}/arena.db"));
        let known = ["sqlite:", "postgres:", "postgresql:"];
        ensure!(
            known.iter().any(|scheme| database.starts_with(scheme)),
            "--database: the address begins with sqlite: or postgres:, such as postgres://leitai@localhost/leitai"
        );
        let replays = args.replays.clone().unwrap_or_else(|| format!("file://{shown}/vault"));
        Ok(Place { data, database, replays })
    }

    /// The database, brought up to date.
    pub async fn store(&self) -> anyhow::Result<Store> {
        Store::open(&self.database)
            .await
            .with_context(|| format!("cannot open the database {}", self.shown()))
    }

    /// Sources and replays.
    pub async fn vault(&self) -> anyhow::Result<Vault> {
        Vault::open(&self.replays).await.with_context(|| format!("cannot open {}", self.replays))
    }

    /// The database's address without its password.
    pub fn shown(&self) -> String {
        let Some((before, after)) = self.database.split_once('@') else { return self.database.clone() };
        match before.rsplit_once(':') {
            Some((user, password)) if !password.starts_with("//") => format!("{user}:…@{after}"),
            _ => self.database.clone(),
        }
    }

    /// Held while a server uses the data folder, so that there is only one.
    pub fn lock(&self) -> anyhow::Result<File> {
        let path = self.data.join("lock");
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).ok().with_context(|| {
            format!(
                "another `leitai serve` uses {}; stop it, or choose another folder with --data",
                self.data.display()
            )
        })?;
        Ok(file)
    }

    /// The file of an SQLite database.
    pub fn file(&self) -> Option<&Path> {
        let rest = self.database.strip_prefix("sqlite:")?;
        let path = rest.strip_prefix("//").unwrap_or(rest);
        Some(Path::new(path.split('?').next().unwrap_or(path)))
    }
}

fn usual() -> anyhow::Result<PathBuf> {
    let of = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let shared = of("XDG_DATA_HOME").or_else(|| of("HOME").map(|home| home.join(".local/share")));
    Ok(shared.context("neither XDG_DATA_HOME nor HOME is set; choose a folder with --data")?.join("leitai"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(database: &str) -> anyhow::Result<Place> {
        let data = Some(std::env::temp_dir().join("leitai-place"));
        Place::of(&PlaceArgs { data, database: Some(database.to_owned()), replays: None })
    }

    #[test]
    fn passwords_are_not_shown() {
        let check = |address: &str, shown: &str| assert_eq!(place(address).expect("a place").shown(), shown);
        check("postgres://me:secret@db/leitai", "postgres://me:…@db/leitai");
        check("postgres://me@db/leitai", "postgres://me@db/leitai");
        check("sqlite:/tmp/a.db", "sqlite:/tmp/a.db");
    }

    #[test]
    fn other_databases_are_refused() {
        assert!(place("mysql://db/leitai").expect_err("refused").to_string().contains("postgres:"));
    }

    #[test]
    fn an_sqlite_database_is_a_file() {
        let file = |address: &str| place(address).expect("a place").file().map(Path::to_owned);
        assert_eq!(file("sqlite:/tmp/a.db?mode=rwc"), Some(PathBuf::from("/tmp/a.db")));
        assert_eq!(file("sqlite:///tmp/a.db"), Some(PathBuf::from("/tmp/a.db")));
        assert_eq!(file("postgres://db/leitai"), None);
    }
}
