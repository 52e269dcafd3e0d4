//! Standings and crosstable for a terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use leitai_ladder::Tally;

use crate::lang::t;
use crate::report::standings::{CONFIDENCE, Row, Standings};
use crate::report::words;
use crate::width;

/// The standings, and the crosstable where it fits.
pub fn text(standings: &Standings) -> String {
    let cross = crosstable(standings);
    let cross = if width::fits(&cross) { format!("\n{cross}\n") } else { String::new() };
    format!("{}\n\n{}\n{cross}", ranking(standings), conduct(standings))
}

fn ranking(standings: &Standings) -> String {
    let mut table = width::table();
    table.set_header([
        "#",
        t("entrant", "参赛者"),
        t("points", "积分"),
        t("won", "胜"),
        t("drawn", "平"),
        t("lost", "负"),
        "Elo",
        t("95 % interval", "95 % 区间"),
        t("place", "实力名次"),
    ]);
    for (index, row) in standings.rows.iter().enumerate() {
        table.add_row(cells(index, row));
    }
    (2..7).for_each(|index| {
        table
            .column_mut(index)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    });
    table.trim_fmt()
}

/// Faults and times: a table of its own, so that both fit a terminal of 80 columns.
fn conduct(standings: &Standings) -> String {
    let mut table = width::table();
    table.set_header([t("entrant", "参赛者"), t("faults", "违规"), t("time a move", "每步用时")]);
    for row in &standings.rows {
        table.add_row([row.name.clone(), row.faults.words(), words::times(&row.times)]);
    }
    table.trim_fmt()
}

fn cells(index: usize, row: &Row) -> [String; 9] {
    let [best, worst] = row.places;
    [
        row.place.unwrap_or(index + 1).to_string(),
        row.name.clone(),
        words::points(row.points),
        row.tally.wins.to_string(),
        row.tally.draws.to_string(),
        row.tally.losses.to_string(),
        words::elo(row.rating.value),
        words::interval(row.rating.interval(CONFIDENCE)),
        if best == worst { best.to_string() } else { format!("{best}–{worst}") },
    ]
}

/// A wide one is only written to the files.
fn crosstable(standings: &Standings) -> String {
    let mut table = Table::new();
    let names = standings.rows.iter().map(|row| row.name.clone());
    table
        .load_style(NOTHING)
        .set_header(std::iter::once(t("won-drawn-lost", "胜-平-负").to_owned()).chain(names));
    for (row, cells) in standings.rows.iter().zip(&standings.cross) {
        table.add_row(std::iter::once(row.name.clone()).chain(cells.iter().map(cell)));
    }
    table.trim_fmt()
}

/// `3-1-0`, or a dot where two have not met.
pub fn cell(tally: &Tally) -> String {
    match tally.games() {
        0 => "·".to_owned(),
        _ => format!("{}-{}-{}", tally.wins, tally.draws, tally.losses),
    }
}
