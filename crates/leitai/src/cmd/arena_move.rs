//! `leitai admin export` and `import`: an arena moves to another machine, database or place of replays.

use indicatif::ProgressBar;
use leitai_store::{Moved, Store, TransferError, holds_part};

use crate::arena::DataDir;
use crate::cli::DataDirArgs;
use crate::prelude::*;
use crate::series::progress_bar;

/// Writes the arena into the folder.
pub async fn export(
    lang: Localizer,
    place: &DataDir,
    store: Store,
    folder: &Path,
) -> Result<Answer> {
    if holds_part(folder) {
        return Err(TransferError::PartThere(folder.display().to_string()).into());
    }
    let (blobs, bar) = (place.open_blobs().await?, progress_bar(false));
    let moved = store.export_arena(&blobs, folder, show_in(&bar)).await?;
    bar.finish_and_clear();
    let wrote = format!("{} {}", lang.label("wrote"), folder.display());
    let text = format!("{wrote}: {}", describe(lang, moved));
    Ok(Answer::new("admin-export", fields(folder, moved), text))
}

/// Fills an arena, which is made where there is none, from the folder.
pub fn import(lang: Localizer, place: &DataDirArgs, folder: &Path) -> Result<Answer> {
    let place = DataDir::from_args(place)?;
    let _lock = place.lock_folder()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (store, blobs) = (place.open_store().await?, place.open_blobs().await?);
        let bar = progress_bar(false);
        let done = store.import_arena(&blobs, folder, show_in(&bar)).await;
        bar.finish_and_clear();
        store.close_store().await?;
        let filled = format!("{} {}", lang.label("filled"), place.show_address());
        let moved = done?;
        let text = format!("{filled}: {}", describe(lang, moved));
        Ok(Answer::new("admin-import", fields(folder, moved), text))
    })
}

fn fields(folder: &Path, moved: Moved) -> Value {
    json!({
        "folder": folder.display().to_string(), "rows": moved.rows, "blobs": moved.blobs,
        "blobs_there": moved.blobs_there,
    })
}

pub fn show_in(bar: &ProgressBar) -> impl FnMut(&str) {
    |what| {
        bar.inc_length(1);
        bar.inc(1);
        bar.set_message(what.to_owned());
    }
}

fn describe(lang: Localizer, moved: Moved) -> String {
    let mut text = format!(
        "{} {}, {} {}",
        moved.rows,
        lang.label("rows"),
        moved.blobs,
        lang.label("sources and replays")
    );
    if moved.blobs_there > 0 {
        let there = lang.label("of which were there already");
        text += &format!(" ({} {there})", moved.blobs_there);
    }
    text
}
