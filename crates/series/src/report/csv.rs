//! Standings, crosstable and matches as comma-separated values (RFC 4180), with column names in
//! English.

use leitai_game::Entrant;
use leitai_game::clean_text::clean_line;
use leitai_ladder::ScoreTally;

use crate::report::standings::Standings;
use crate::{GameRecord, VoidMatch};

/// A number with one place; empty where nothing bounds it.
fn format_bounded(value: f64) -> String {
    match value.is_finite() {
        true => format!("{value:.1}"),
        false => String::new(),
    }
}

/// The standings.
pub fn standings_csv(standings: &Standings) -> String {
    let head = "place,entrant,points,won,drawn,lost,elo,elo_low,elo_high,best_place,worst_place,faults,median_us,p99_us,elo_unit,byes";
    let micros = |micros: Option<u64>| micros.map_or(String::new(), |micros| micros.to_string());
    let line = |(index, row): (usize, &crate::report::standings::StandingsRow)| {
        let ends = row.elo_interval();
        let [elo, low, high] = [row.elo(), ends[0], ends[1]].map(format_bounded);
        let ScoreTally {
            wins,
            draws,
            losses,
        } = row.tally;
        format!(
            "{},{},{},{wins},{draws},{losses},{elo},{low},{high},{},{},{},{},{},{},{}\n",
            row.place.unwrap_or(index + 1),
            quote_field(&row.name),
            row.points,
            row.places[0],
            row.places[1],
            row.faults.total_count(),
            micros(row.times.quantile_micros(0.5)),
            micros(row.times.quantile_micros(0.99)),
            standings.unit.name(),
            row.byes,
        )
    };
    format!(
        "{head}\n{}",
        standings
            .rows
            .iter()
            .enumerate()
            .map(line)
            .collect::<String>()
    )
}

/// Points of the row's player against the column's.
pub fn crosstable_csv(standings: &Standings) -> String {
    let names: Vec<String> = standings
        .rows
        .iter()
        .map(|row| quote_field(&row.name))
        .collect();
    let cell = |tally: &ScoreTally| match tally.game_count() {
        0 => String::new(),
        games => format!("{}/{games}", tally.points()),
    };
    let line = |(name, cells): (&String, &Vec<ScoreTally>)| {
        format!(
            "{name},{}\n",
            cells.iter().map(cell).collect::<Vec<_>>().join(",")
        )
    };
    format!(
        "entrant,{}\n{}",
        names.join(","),
        names
            .iter()
            .zip(&standings.cross)
            .map(line)
            .collect::<String>()
    )
}

/// Every match, and the void ones: their winner is `void`, their reason is the error.
pub fn matches_csv<'a>(
    names: &[String],
    games: impl Iterator<Item = (String, &'a GameRecord)>,
    voids: &[(String, &VoidMatch)],
) -> String {
    let line = |(place, game): (String, &GameRecord)| {
        let [a, b] = game.pair.map(|player| quote_field(&names[player]));
        let winner = game.winner.map_or(
            "draw",
            |winner| if winner == Entrant::A { "a" } else { "b" },
        );
        let legs: Vec<String> = game
            .legs
            .iter()
            .map(|leg| format!("{}:{}", leg.scores[0], leg.scores[1]))
            .collect();
        let faults: Vec<String> = game
            .faults
            .iter()
            .map(|fault| format!("{}:{}", fault.entrant, fault.code))
            .collect();
        let replay = game.replay.as_deref().unwrap_or_default();
        let (seed, reason) = (game.seed, &game.reason);
        format!(
            "{place},{a},{b},{seed},{winner},{reason},{},{},{}\n",
            legs.join(" "),
            faults.join(" "),
            quote_field(replay)
        )
    };
    let void = |(place, void): &(String, &VoidMatch)| {
        let [a, b] = void.pair.map(|player| quote_field(&names[player]));
        format!(
            "{place},{a},{b},{},void,{},,,\n",
            void.seed,
            quote_field(&void.why)
        )
    };
    let (games, voids) = (
        games.map(line).collect::<String>(),
        voids.iter().map(void).collect::<String>(),
    );
    format!("match,a,b,seed,winner,reason,legs,faults,replay\n{games}{voids}")
}

/// A field, quoted if necessary. A field that a spreadsheet would take for a formula gets a leading
/// quotation mark.
fn quote_field(text: &str) -> String {
    let text = clean_line(text);
    let text = if text.starts_with(['=', '+', '-', '@']) {
        format!("'{text}")
    } else {
        text.into_owned()
    };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_have_to_be() {
        let check = |text: &str, expected: &str| assert_eq!(quote_field(text), expected);
        check("greedy", "greedy");
        check("a,b", "\"a,b\"");
        check("say \"hi\"", "\"say \"\"hi\"\"\"");
        check("=cmd()", "'=cmd()");
        check("a\u{1b}[2J\nb", r"a\u001b[2J\nb");
    }
}
