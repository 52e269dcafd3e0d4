//! One self-contained page: charts, tables, faults, every match. No script, no external resources,
//! light and dark.

use std::fmt::Write;

use leitai_game::Lang;
use leitai_ladder::ScoreTally;
use leitai_ladder::payoff::PayoffMatrix;
use leitai_ladder::tournament::{EncounterResults, FinishedEncounter, TournamentStage};

use crate::GameRecord;
use crate::Language;
use crate::report::chart;
use crate::report::escape::escape_line;
use crate::report::standings::{CONFIDENCE, Standings, StandingsRow};
use crate::report::words;

const STYLE: &str = include_str!("style.css");
/// The most matches that are listed; the CSV has all.
const LISTED: usize = 2000;
/// The most players with a line in charts.
const LINES: usize = 12;

/// The content of the page.
#[allow(missing_docs, reason = "the names say it")]
pub struct ReportPage<'a> {
    pub title: String,
    /// A sentence below the title: the game, and the progress.
    pub about: String,
    pub standings: &'a Standings,
    /// Names by number of the entrant.
    pub names: &'a [String],
    /// Encounters of a knockout; empty otherwise.
    pub bracket: Option<&'a EncounterResults>,
    /// Points of every player round by round, if there are rounds.
    pub rounds: Vec<(String, Vec<f64>)>,
    /// Every match with its place, in order.
    pub games: Vec<(String, &'a GameRecord)>,
}

/// The whole page.
pub fn write_page(page: &ReportPage<'_>, language: Language<'_>) -> String {
    let html_language = match language.lang() {
        Lang::En => "en",
        Lang::Zh => "zh-CN",
    };
    let title = escape_line(&page.title);
    let sections = [
        write_section(language.label("Strength"), strength_section(page, language)),
        write_section(
            language.label("Standings"),
            ranking_table(page.standings, language),
        ),
        page.bracket.map_or(String::new(), |results| {
            write_section(
                language.label("Bracket"),
                bracket_section(results, page.names, language),
            )
        }),
        points_section(page, language),
        write_section(
            language.label("Head to head"),
            crosstable_section(page.standings, language),
        ),
        faults_section(page, language),
        times_section(page, language),
        matches_section(page, language),
    ];
    format!(
        "<!doctype html>\n<html lang=\"{html_language}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"generator\" content=\"leitai {}\"><title>{title}</title><style>{STYLE}</style></head>\n\
         <body><main><h1>{title}</h1><p class=\"lead soft\">{}</p>\n{}</main></body></html>\n",
        env!("CARGO_PKG_VERSION"),
        escape_line(&page.about),
        sections.concat(),
    )
}

fn write_section(title: &str, body: String) -> String {
    format!(
        "<section><h2>{}</h2><div class=\"card\">{body}</div></section>\n",
        escape_line(title)
    )
}

fn strength_section(page: &ReportPage<'_>, language: Language<'_>) -> String {
    let how = language.label(
        "Elo relative to the average of the field, by the points (Bradley-Terry; a draw is half a \
        point); whiskers are 95 % intervals.",
    );
    format!(
        "{}<p class=\"soft\">{how}</p>",
        chart::ratings_chart(page.standings, language.label("Ratings with intervals"))
    )
}

fn ranking_table(standings: &Standings, language: Language<'_>) -> String {
    let heads = [
        ("n", "#"),
        ("name", language.label("entrant")),
        ("n", language.label("points")),
        ("n", language.label("won")),
        ("n", language.label("drawn")),
        ("n", language.label("lost")),
        ("n", standings.unit.heading(language)),
        ("n", language.label("95 % interval")),
        ("n", language.label("place by strength")),
        ("", language.label("faults")),
    ];
    let head: String = heads
        .iter()
        .map(|(class, head)| format!("<th class=\"{class}\">{head}</th>"))
        .collect();
    let rows: String = standings
        .rows
        .iter()
        .enumerate()
        .map(|(index, row)| ranking_row(index, row, language))
        .collect();
    format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
}

/// The points, and how many of them are for rounds without an opponent.
fn describe_points(row: &StandingsRow, language: Language<'_>) -> String {
    let points = words::format_points(row.points);
    match row.byes > 0.0 {
        true => format!(
            "{points} ({} {})",
            language.label("byes"),
            words::format_points(row.byes)
        ),
        false => points,
    }
}

fn ranking_row(index: usize, row: &StandingsRow, language: Language<'_>) -> String {
    let [best, worst] = row.places;
    let places = if best == worst {
        best.to_string()
    } else {
        format!("{best}–{worst}")
    };
    let faults = match row.faults.total_count() {
        0 => format!(
            "<span class=\"soft\">{}</span>",
            row.faults.describe_faults(language)
        ),
        _ => format!(
            "<span class=\"fault\">{}</span>",
            escape_line(&row.faults.describe_faults(language))
        ),
    };
    let ScoreTally {
        wins,
        draws,
        losses,
    } = row.tally;
    let cells = [
        row.place.unwrap_or(index + 1).to_string(),
        describe_points(row, language),
        wins.to_string(),
        draws.to_string(),
        losses.to_string(),
        words::format_elo(row.elo()),
        words::format_interval(row.elo_interval()),
        places,
    ];
    let cell = |text: &String| format!("<td class=\"n\">{text}</td>");
    let [place, rest @ ..] = &cells;
    let numbers: String = rest.iter().map(cell).collect();
    format!(
        "<tr>{}<td class=\"name\">{}</td>{numbers}<td>{faults}</td></tr>",
        cell(place),
        escape_line(&row.name)
    )
}

fn points_section(page: &ReportPage<'_>, language: Language<'_>) -> String {
    if page.rounds.len() > LINES {
        return String::new();
    }
    let title = language.label("Points round by round");
    chart::progress_chart(&page.rounds, title)
        .map_or(String::new(), |svg| write_section(title, svg))
}

fn crosstable_section(standings: &Standings, language: Language<'_>) -> String {
    let heads: String = standings
        .rows
        .iter()
        .map(|row| format!("<th>{}</th>", escape_line(&row.name)))
        .collect();
    let payoffs = PayoffMatrix::new(&standings.cross);
    let reach = |row: usize, column: usize| {
        let payoff = payoffs.payoff(row, column, CONFIDENCE);
        let interval = payoff.map_or([0.0, 1.0], |payoff| payoff.interval);
        interval.map(words::format_percent).join(" – ")
    };
    let cell = |row: usize, column: usize, tally: &ScoreTally| match tally.game_count() {
        0 => "<td class=\"soft\">·</td>".to_owned(),
        games => {
            let share = tally.points() / f64::from(games);
            let class = if share >= 0.5 { "won" } else { "lost" };
            let depth = (share - 0.5).abs() * 0.9;
            format!(
                "<td class=\"{class}\" style=\"--a:{depth:.2}\" title=\"{}\">{}</td>",
                reach(row, column),
                words::format_tally(tally)
            )
        }
    };
    let row = |(at, (row, cells)): (usize, (&StandingsRow, &Vec<ScoreTally>))| {
        let cells = cells.iter().enumerate();
        let cells = cells.map(|(column, tally)| cell(at, column, tally));
        format!(
            "<tr><td class=\"name\">{}</td>{}</tr>",
            escape_line(&row.name),
            cells.collect::<String>()
        )
    };
    let rows: String = standings
        .rows
        .iter()
        .zip(&standings.cross)
        .enumerate()
        .map(row)
        .collect();
    let corner = language.label("won-drawn-lost");
    format!(
        "<table class=\"cross\"><thead><tr><th class=\"name\">{corner}</th>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )
}

fn bracket_section(results: &EncounterResults, names: &[String], language: Language<'_>) -> String {
    let mut stages: Vec<(TournamentStage, Vec<&FinishedEncounter>)> = Vec::new();
    for (key, met) in results {
        match stages.last_mut().filter(|(stage, _)| *stage == key.stage) {
            Some((_, all)) => all.push(met),
            None => stages.push((key.stage, vec![met])),
        }
    }
    let side = |met: &FinishedEncounter, index: usize| {
        let through = if met.winner() == met.pair[index] {
            " through"
        } else {
            ""
        };
        format!(
            "<div class=\"row{through}\"><span>{}</span><span>{}</span></div>",
            escape_line(&names[met.pair[index]]),
            words::format_points(met.points[index])
        )
    };
    let encounter = |met: &&FinishedEncounter| {
        format!("<li class=\"met\">{}{}</li>", side(met, 0), side(met, 1))
    };
    let column = |(stage, all): &&(TournamentStage, Vec<&FinishedEncounter>)| {
        let met: String = all.iter().map(encounter).collect();
        format!(
            "<ol><li class=\"stage\">{}</li>{met}</ol>",
            escape_line(&stage_name(*stage, language))
        )
    };
    let lost_once = |stage: TournamentStage| matches!(stage, TournamentStage::Losers(_));
    let half = |losers: bool| {
        let columns: String = stages
            .iter()
            .filter(|(stage, _)| lost_once(*stage) == losers)
            .map(|s| column(&s))
            .collect();
        if columns.is_empty() {
            columns
        } else {
            format!("<div class=\"bracket\">{columns}</div>")
        }
    };
    half(false) + &half(true)
}

/// The name of a stage for people.
pub fn stage_name(stage: TournamentStage, language: Language<'_>) -> String {
    match stage {
        TournamentStage::Round(round) => language.fill("Round {}", &[&round]),
        TournamentStage::Winners(round) => language.fill("Winners, round {}", &[&round]),
        TournamentStage::Losers(round) => language.fill("Losers, round {}", &[&round]),
        TournamentStage::Final => language.label("Final").to_owned(),
        TournamentStage::Decider => language.label("Decider").to_owned(),
    }
}

fn faults_section(page: &ReportPage<'_>, language: Language<'_>) -> String {
    let mut rows = String::new();
    for (_, game) in &page.games {
        for fault in &game.faults {
            let replay = game.replay.as_deref().unwrap_or_default();
            let _ = write!(
                rows,
                "<tr><td class=\"name\">{}</td><td class=\"fault\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
                 <td><code>leitai replay show {} --leg {} --round {}</code></td></tr>",
                escape_line(&page.names[game.pair[fault.entrant.index()]]),
                fault.code,
                fault.leg,
                fault.round,
                escape_line(replay),
                fault.leg,
                fault.round,
            );
        }
    }
    if rows.is_empty() {
        let none = language.label("No bot crashed, timed out or broke a rule.");
        return write_section(
            language.label("Faults"),
            format!("<p class=\"soft\">{none}</p>"),
        );
    }
    let head = [
        language.label("entrant"),
        language.label("fault"),
        language.label("leg"),
        language.label("round"),
        language.label("show"),
    ];
    let head: String = head.iter().map(|head| format!("<th>{head}</th>")).collect();
    write_section(
        language.label("Faults"),
        format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"),
    )
}

fn times_section(page: &ReportPage<'_>, language: Language<'_>) -> String {
    let title = language.label("Time a move");
    let how = language
        .label("Bars end at the median, whiskers at the 99th percentile; the axis is logarithmic.");
    chart::times_chart(page.standings, title, language).map_or(String::new(), |svg| {
        write_section(title, format!("{svg}<p class=\"soft\">{how}</p>"))
    })
}

fn matches_section(page: &ReportPage<'_>, language: Language<'_>) -> String {
    let row = |(place, game): &(String, &GameRecord)| {
        let [a, b] = game.pair.map(|player| escape_line(&page.names[player]));
        let result = match game.score().half_points() {
            2 => "1 : 0",
            1 => "½ : ½",
            _ => "0 : 1",
        };
        let legs: Vec<String> = game
            .legs
            .iter()
            .map(|leg| format!("{} : {}", leg.scores[0], leg.scores[1]))
            .collect();
        format!(
            "<tr><td>{}</td><td class=\"name\">{a}</td><td class=\"name\">{b}</td><td class=\"n\">{result}</td><td>{}</td>\
             <td class=\"n\">{}</td><td><code>{}</code></td></tr>",
            escape_line(place),
            legs.join(", "),
            game.seed,
            escape_line(game.replay.as_deref().unwrap_or_default()),
        )
    };
    let head = [
        language.label("match"),
        "A",
        "B",
        language.label("result"),
        language.label("scores"),
        language.label("seed"),
        language.label("replay"),
    ];
    let head: String = head.iter().map(|head| format!("<th>{head}</th>")).collect();
    let rows: String = page.games.iter().take(LISTED).map(row).collect();
    let summary = language.fill_count("{} match", "{} matches", page.games.len());
    let table = format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>");
    write_section(
        language.label("Matches"),
        format!("<details><summary>{summary}</summary>{table}</details>"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_the_page() {
        assert_eq!(
            escape_line("<b a='1' b=\"2\">&"),
            "&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;"
        );
    }
}
