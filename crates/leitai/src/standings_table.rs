//! Standings and crosstable for a terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use leitai_series::report::standings::{Standings, StandingsRow};
use leitai_series::report::words;

use crate::lang::Localizer;
use crate::width;

/// The standings, and the crosstable if it fits.
pub fn format_standings(lang: Localizer, standings: &Standings) -> String {
    let cross = crosstable_text(lang, standings);
    let cross = if width::fits_output(&cross) {
        format!("\n{cross}\n")
    } else {
        String::new()
    };
    format!(
        "{}\n\n{}\n{cross}",
        ranking_table(lang, standings),
        conduct_table(lang, standings)
    )
}

fn ranking_table(lang: Localizer, standings: &Standings) -> String {
    let mut table = width::new_table();
    table.set_header([
        "#",
        lang.label("entrant"),
        lang.label("points"),
        lang.label("won"),
        lang.label("drawn"),
        lang.label("lost"),
        standings.unit.heading(lang),
        lang.label("95 % interval"),
        lang.label("place"),
    ]);
    for (index, row) in standings.rows.iter().enumerate() {
        table.add_row(row_cells(index, row));
    }
    (2..7).for_each(|index| {
        table
            .column_mut(index)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    });
    table.trim_fmt()
}

/// Faults, times and byes: a separate table, so that both fit a terminal of 80 columns.
fn conduct_table(lang: Localizer, standings: &Standings) -> String {
    let mut table = width::new_table();
    let byes = standings.has_byes().then(|| lang.label("byes"));
    let heads = [
        lang.label("entrant"),
        lang.label("faults"),
        lang.label("time a move"),
    ];
    table.set_header(heads.into_iter().chain(byes));
    for row in &standings.rows {
        let cells = [
            row.name.clone(),
            row.faults.describe_faults(lang),
            words::format_times(&row.times, lang),
        ];
        let byes = byes.map(|_| words::format_points(row.byes));
        table.add_row(cells.into_iter().chain(byes));
    }
    table.trim_fmt()
}

fn row_cells(index: usize, row: &StandingsRow) -> [String; 9] {
    let [best, worst] = row.places;
    [
        row.place.unwrap_or(index + 1).to_string(),
        row.name.clone(),
        words::format_points(row.points),
        row.tally.wins.to_string(),
        row.tally.draws.to_string(),
        row.tally.losses.to_string(),
        words::format_elo(row.elo()),
        words::format_interval(row.elo_interval()),
        if best == worst {
            best.to_string()
        } else {
            format!("{best}–{worst}")
        },
    ]
}

/// A wide crosstable is only written to the files.
fn crosstable_text(lang: Localizer, standings: &Standings) -> String {
    let mut table = Table::new();
    let names = standings.rows.iter().map(|row| row.name.clone());
    table
        .load_style(NOTHING)
        .set_header(std::iter::once(lang.label("won-drawn-lost").to_owned()).chain(names));
    for (row, cells) in standings.rows.iter().zip(&standings.cross) {
        table.add_row(
            std::iter::once(row.name.clone()).chain(cells.iter().map(words::format_tally)),
        );
    }
    table.trim_fmt()
}
