//! Standings, crosstable and matches as comma-separated values (RFC 4180), with column names in
//! English.

use leitai_game::Entrant;
use leitai_game::clean_text::clean_line;
use leitai_ladder::ScoreTally;

use crate::report::standings::{Standings, StandingsRow};
use crate::{GameRecord, VoidMatch};

/// A heading and rows of fields as text. What a stranger wrote is no code for terminals or spreadsheets:
/// a field that would be taken for a formula gets a leading quotation mark.
pub fn write_csv<const N: usize>(
    heading: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    write_rows(std::iter::once(heading.map(str::to_owned)).chain(rows))
}

fn write_rows<R: IntoIterator<Item = String>>(rows: impl IntoIterator<Item = R>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let fields = row.into_iter().map(|field| clean_field(&field));
        writer.write_record(fields).expect("rows are of one length");
    }
    let text = writer.into_inner().expect("memory takes it");
    String::from_utf8(text).expect("fields are text")
}

fn clean_field(text: &str) -> String {
    let text = clean_line(text);
    match text.parse::<f64>().is_err() && text.starts_with(['=', '+', '-', '@']) {
        true => format!("'{text}"),
        false => text.into_owned(),
    }
}

/// A number with one place; empty where nothing bounds it.
fn format_bounded(value: f64) -> String {
    match value.is_finite() {
        true => format!("{value:.1}"),
        false => String::new(),
    }
}

/// The standings.
pub fn standings_csv(standings: &Standings) -> String {
    let head = [
        "place",
        "entrant",
        "points",
        "won",
        "drawn",
        "lost",
        "elo",
        "elo_low",
        "elo_high",
        "best_place",
        "worst_place",
        "faults",
        "median_us",
        "p99_us",
        "elo_unit",
        "byes",
    ];
    let micros = |micros: Option<u64>| micros.map_or(String::new(), |micros| micros.to_string());
    let line = |(index, row): (usize, &StandingsRow)| {
        let ends = row.elo_interval();
        [
            row.place.unwrap_or(index + 1).to_string(),
            row.name.clone(),
            row.points.to_string(),
            row.tally.wins.to_string(),
            row.tally.draws.to_string(),
            row.tally.losses.to_string(),
            format_bounded(row.elo()),
            format_bounded(ends[0]),
            format_bounded(ends[1]),
            row.places[0].to_string(),
            row.places[1].to_string(),
            row.faults.total_count().to_string(),
            micros(row.times.quantile_micros(0.5)),
            micros(row.times.quantile_micros(0.99)),
            standings.unit.name().to_owned(),
            row.byes.to_string(),
        ]
    };
    let rows = standings.rows.iter().enumerate().map(line);
    write_csv(head, rows)
}

/// Points of the row's player against the column's.
pub fn crosstable_csv(standings: &Standings) -> String {
    let names = || standings.rows.iter().map(|row| row.name.clone());
    let cell = |tally: &ScoreTally| match tally.game_count() {
        0 => String::new(),
        games => format!("{}/{games}", tally.points()),
    };
    let head = std::iter::once("entrant".to_owned()).chain(names());
    let lines = names().zip(&standings.cross);
    let lines = lines.map(|(name, cells)| {
        std::iter::once(name)
            .chain(cells.iter().map(cell))
            .collect()
    });
    write_rows(std::iter::once(head.collect::<Vec<_>>()).chain(lines))
}

/// Every match, and the void ones: their winner is `void`, their reason is the error.
pub fn matches_csv<'a>(
    names: &[String],
    games: impl Iterator<Item = (String, &'a GameRecord)>,
    voids: &[(String, &VoidMatch)],
) -> String {
    let head = [
        "match", "a", "b", "seed", "winner", "reason", "legs", "faults", "replay",
    ];
    let join = |parts: Vec<String>| parts.join(" ");
    let line = |(place, game): (String, &GameRecord)| {
        let [a, b] = game.pair.map(|player| names[player].clone());
        let winner = game.winner.map_or(
            "draw",
            |winner| if winner == Entrant::A { "a" } else { "b" },
        );
        let legs = game.legs.iter();
        let legs = legs.map(|leg| format!("{}:{}", leg.scores[0], leg.scores[1]));
        let faults = game.faults.iter();
        let faults = faults.map(|fault| format!("{}:{}", fault.entrant, fault.code));
        [
            place,
            a,
            b,
            game.seed.to_string(),
            winner.to_owned(),
            game.reason.to_string(),
            join(legs.collect()),
            join(faults.collect()),
            game.replay.clone().unwrap_or_default(),
        ]
    };
    let void = |(place, void): &(String, &VoidMatch)| {
        let [a, b] = void.pair.map(|player| names[player].clone());
        let none = String::new;
        [
            place.clone(),
            a,
            b,
            void.seed.to_string(),
            "void".to_owned(),
            void.why.clone(),
            none(),
            none(),
            none(),
        ]
    };
    let rows = games.map(line).chain(voids.iter().map(void));
    write_csv(head, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_have_to_be() {
        let check = |text: &str, expected: &str| {
            let written = write_csv(["a", "b"], [["first".to_owned(), text.to_owned()]]);
            assert_eq!(written, format!("a,b\nfirst,{expected}\n"));
        };
        check("greedy", "greedy");
        check("a,b", "\"a,b\"");
        check("say \"hi\"", "\"say \"\"hi\"\"\"");
        check("=cmd()", "'=cmd()");
        check("-2.5", "-2.5");
        check("-2+cmd", "'-2+cmd");
        check("a\u{1b}[2J\nb", r"a\u001b[2J\nb");
    }
}
