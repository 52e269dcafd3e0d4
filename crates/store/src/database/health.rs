//! One row that the readiness check writes, to see whether the database accepts writes.

use std::io::Write;
use std::path::Path;

use crate::database::prelude::*;
use crate::tables::health::{ActiveModel, Column};

/// How much space has to be free, in bytes: some replays and rows.
const SPACE: usize = 256 << 10;

/// Takes space beside a file, and gives it back.
pub(crate) fn take_space(beside: &Path) -> std::io::Result<()> {
    let mut probe = match beside.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => tempfile::tempfile_in(folder)?,
        _ => tempfile::tempfile_in(".")?,
    };
    probe.write_all(&[0x5a; SPACE])?;
    probe.sync_data()
}

/// Writes the row.
pub(crate) async fn write(change: &Change, at: Timestamp) -> Result<()> {
    let row = ActiveModel {
        id: Set(1),
        at: Set(at),
    };
    let known = OnConflict::column(Column::Id)
        .update_column(Column::At)
        .to_owned();
    insert_or(change, row, known).await?;
    Ok(())
}
