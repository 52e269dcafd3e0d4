//! Who plays a task: built-in bots by their word, uploads by their version.

use leitai_game::rating_scale::level_number;
use leitai_store::{BlobKey, BlobStore, Bot, MatchEntrant, Store, Version, VersionId};

use super::queue_error::JobQueueError;
use super::source::{EntrantSource, SourceTask};

/// What an entrant of a match plays with.
pub async fn entrant_source(
    store: &Store,
    game: &str,
    entrant: &MatchEntrant,
) -> Result<EntrantSource, JobQueueError> {
    if entrant.built_in {
        return Ok(EntrantSource::BuiltIn(built_in_word(entrant)));
    }
    let lacks = || JobQueueError::Bad(format!("{} has no version", entrant.name));
    let version = store
        .find_version(entrant.version.ok_or_else(lacks)?)
        .await?;
    let (game, name) = (game.to_owned(), entrant.name.clone());
    Ok(EntrantSource::Program(SourceTask {
        version: version.id.0,
        game,
        name,
        file_name: version.file_name,
        libraries: None,
    }))
}

/// The bytes of an upload.
pub async fn read_upload(
    store: &Store,
    blobs: &BlobStore,
    version: VersionId,
) -> Result<Vec<u8>, JobQueueError> {
    let source = store.find_version(version).await?.source;
    let lacks = || JobQueueError::Bad("a built-in bot has no source".to_owned());
    let key = BlobKey::parse(&source.ok_or_else(lacks)?)?;
    Ok(blobs.read_blob(&key).await?)
}

/// The task of checking a version.
pub fn source_task(version: &Version, bot: &Bot) -> SourceTask {
    let (game, name) = (bot.game.clone(), bot.name.clone());
    SourceTask {
        version: version.id.0,
        game,
        name,
        file_name: version.file_name.clone(),
        libraries: None,
    }
}

/// The word by which games know a built-in bot as it was when the match was made. Levels have played
/// under other names on earlier scales.
fn built_in_word(entrant: &MatchEntrant) -> String {
    let name = &entrant.name;
    match (level_number(name), entrant.number) {
        (Some(_), Some(number)) => format!("{name}@{number}"),
        _ => name.clone(),
    }
}
