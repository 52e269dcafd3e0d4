//! `leitai dataset`

use std::fs::{self, File};

use leitai_server::dataset::{DatasetDay, DatasetIndex, DatasetRequest, write_dataset};
use leitai_server::game_files::{ArenaGames, load_games};
use leitai_server::removal::Storage;
use leitai_store::Timestamp;
use rustix::fs::{FlockOperation, flock};

use crate::arena::DataDir;
use crate::arena::games::{Games, find_games};
use crate::arguments::did_you_mean;
use crate::cli::DatasetArgs;
use crate::files::print_stderr;
use crate::prelude::*;

/// Writes the days that a dataset does not have yet.
pub fn run(lang: Localizer, args: &DatasetArgs) -> Result<ExitCode> {
    let place = DataDir::find_existing(&args.place)?;
    let folder = std::path::absolute(&args.folder)
        .with_context(|| format!("{} is not a path", args.folder.display()))?;
    fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let path = folder.join(".lock");
    let lock = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        bail!(
            "another `leitai dataset` writes to {}; wait for it, or choose another folder",
            folder.display()
        );
    }
    let games = find_games(args.games.as_deref()).context("--games")?;
    let request = DatasetRequest {
        folder: folder.clone(),
        game: args.game.clone(),
        again: args.again,
        today: args.today,
        now: Timestamp::now(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let index = runtime.block_on(async {
        let storage = Storage {
            store: place.existing_store().await?,
            blobs: place.open_blobs().await?,
        };
        let arena = ArenaGames {
            games: games.clone(),
            store: storage.store.clone(),
            blobs: storage.blobs.clone(),
        };
        load_games(&arena).await?;
        check_game(&arena, args.game.as_deref()).await?;
        let told = |name: &str, day: &DatasetDay| {
            if day.matches + day.withheld > 0 {
                print_stderr(&describe_day(lang, name, day));
            }
        };
        let written = write_dataset(&storage, &games, &request, told).await;
        storage.store.close_store().await?;
        written.map_err(anyhow::Error::from)
    })?;
    tell_index(lang, args, &folder, &index)?;
    Ok(ExitCode::SUCCESS)
}

fn tell_index(
    lang: Localizer,
    args: &DatasetArgs,
    folder: &Path,
    index: &DatasetIndex,
) -> Result<()> {
    if args.json {
        print_stdout(&format!("{}\n", serde_json::to_string_pretty(index)?))?;
    } else {
        let (mut days, mut matches, mut bytes) = (0_u64, 0_u64, 0_u64);
        for day in index.days.values().filter(|day| day.file.is_some()) {
            days += 1;
            matches += day.matches;
            bytes += day.bytes;
        }
        print_stdout(&format!(
            "{}: {days} {}, {matches} {}, {:.1} MB\n",
            folder.display(),
            lang.label("days"),
            lang.label("matches"),
            bytes as f64 / 1e6
        ))?;
    }
    Ok(())
}

/// Refuses a game that the arena never had.
async fn check_game(arena: &ArenaGames, id: Option<&str>) -> Result<()> {
    let (Some(id), ArenaGames { games, store, .. }) = (id, arena) else {
        return Ok(());
    };
    let listed: Vec<String> = list_ids(games);
    // Matches of a game that was retired stay.
    let brought = store.game_files().await?;
    if listed.iter().any(|known| known == id) || brought.iter().any(|row| row.game == id) {
        return Ok(());
    }
    let ids = listed.iter().map(String::as_str);
    Err(usage_error(format!(
        "there is no game {id:?}; {}",
        did_you_mean(id, ids, "leitai games")
    )))
}

fn list_ids(games: &Games) -> Vec<String> {
    let listed = games.list();
    let ids = listed.iter().map(|game| game.meta().id.to_owned());
    ids.collect()
}

fn describe_day(lang: Localizer, name: &str, day: &DatasetDay) -> String {
    let mut line = format!(
        "{name}   {} {}, {} {}",
        day.matches,
        lang.label("matches"),
        day.replays,
        lang.label("replays")
    );
    if day.withheld > 0 {
        line.push_str(&format!(
            ", {} {}",
            day.withheld,
            lang.label("of contests that are not over: written later")
        ));
    }
    line
}
