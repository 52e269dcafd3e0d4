//! The reports of a tournament: standings, crosstable, every match; as CSV, JSON and HTML.

use leitai_ladder::tournament::{EncounterResults, TournamentFormat, TournamentStage};
use serde_json::{Value, json};

use crate::report::csv;
use crate::report::html::{ReportPage, write_page};
use crate::report::standings::{Standings, TournamentFacts};
use crate::tournament::run::EncounterMatch;
use crate::tournament::{Tournament, TournamentPlan};
use crate::void_match::list_voids;
use crate::{EloUnit, GameRecord, Language, Roster, VoidMatch, files};

/// The state of a tournament, for its reports.
#[allow(missing_docs, reason = "the names say it")]
pub struct TournamentReport<'a> {
    pub standings: Standings,
    /// Every finished match, with its place in the tournament.
    pub games: Vec<(String, &'a GameRecord)>,
    /// Every void match, with its place in the tournament.
    pub voids: Vec<(String, &'a VoidMatch)>,
    /// The number of finished matches, and the most there will be.
    pub finished: [usize; 2],
    /// Whether no match remains.
    pub is_over: bool,
    /// Whether it stopped because no match would have brought a new game.
    pub has_no_new_games: bool,
    roster: &'a Roster,
    plan: &'a TournamentPlan,
    names: Vec<String>,
    results: EncounterResults,
}

impl<'a> TournamentReport<'a> {
    /// The report of the tournament so far.
    pub fn new(tournament: &'a Tournament<'_>, unit: EloUnit) -> TournamentReport<'a> {
        let names = tournament.roster().entrant_names();
        let (format, players) = (tournament.plan.format, names.len());
        let results = tournament.encounter_results();
        let (places, byes) = (
            format.final_places(players, &results),
            format.count_byes(players, &results),
        );
        let known = |(place, byes): (&Option<usize>, &u32)| TournamentFacts {
            place: *place,
            byes: f64::from(*byes) * f64::from(tournament.plan.matches),
        };
        let known: Vec<TournamentFacts> = places.iter().zip(&byes).map(known).collect();
        let place = |(key, number): &EncounterMatch| {
            format!("{}-{}-{}", key.stage, key.table + 1, number + 1)
        };
        TournamentReport {
            standings: Standings::from_games(&names, &known, tournament.games.values(), unit),
            roster: tournament.roster(),
            plan: tournament.plan,
            names,
            results,
            games: tournament
                .games
                .iter()
                .map(|(at, game)| (place(at), game))
                .collect(),
            voids: tournament
                .voids
                .iter()
                .map(|(at, void)| (place(at), void))
                .collect(),
            finished: tournament.count_finished(),
            is_over: tournament.is_over(),
            has_no_new_games: tournament.has_no_new_games(),
        }
    }

    /// Writes every report into the folder of the plan.
    pub fn write_reports(&self, language: Language<'_>) -> anyhow::Result<()> {
        let write = |name: &str, text: &str| files::write_file(&self.plan.folder.join(name), text);
        write("standings.csv", &csv::standings_csv(&self.standings))?;
        write("crosstable.csv", &csv::crosstable_csv(&self.standings))?;
        write(
            "matches.csv",
            &csv::matches_csv(&self.names, self.games.iter().cloned(), &self.voids),
        )?;
        write(
            "report.html",
            &write_page(&self.report_page(language), language),
        )
    }

    fn report_page(&self, language: Language<'_>) -> ReportPage<'_> {
        let plan = self.plan;
        let knockout = plan.format.is_knockout();
        ReportPage {
            title: self.title(language),
            about: self.describe_plan(language),
            standings: &self.standings,
            names: &self.names,
            bracket: knockout.then_some(&self.results),
            rounds: if knockout {
                Vec::new()
            } else {
                self.points_by_round()
            },
            games: self.games.clone(),
        }
    }

    fn describe_plan(&self, language: Language<'_>) -> String {
        let [finished, _] = self.finished;
        let (format, entrants) = (self.format_name(language), self.names.len());
        let state = match self.is_over {
            true => language.label("complete"),
            false => language.label("not finished"),
        };
        let void = self.copies_text(language) + &self.void_text(language);
        let entrants = language.fill_count("{} entrant", "{} entrants", entrants);
        let finished = language.fill_count("{} match played", "{} matches played", finished);
        language.fill(
            "{}: {}, {}, {}. {}",
            &[&format, &entrants, &finished, &state, &void],
        )
    }

    /// The void matches and their consequences; empty if there are none.
    pub fn void_text(&self, language: Language<'_>) -> String {
        list_voids(
            self.voids.iter().map(|(_, void)| *void),
            &self.names,
            self.void_meaning(language),
            language,
        )
    }

    /// How many games were different, whether the tournament stopped for that, who beats whom, and
    /// what entrants alone played with, in lines; empty if there is nothing to say.
    pub fn copies_text(&self, language: Language<'_>) -> String {
        let stopped = self.has_no_new_games.then(|| {
            let scarcity = self.standings.distinct.describe_scarcity(language);
            language.fill("no match brings a new game any more: {}", &[&scarcity])
        });
        let copies = Some(self.standings.describe_copies(language));
        copies
            .into_iter()
            .filter(|copies| !copies.is_empty())
            .chain(stopped)
            .chain(self.standings.describe_payoffs(language))
            .chain(self.roster.terms_lines(language))
            .map(|line| line + "\n")
            .collect()
    }

    fn status_name(&self) -> &'static str {
        match (self.is_over, self.voids.is_empty()) {
            (true, true) => "complete",
            (true, false) => "incomplete",
            (false, _) if self.has_no_new_games => "no-new-games",
            (false, _) => "interrupted",
        }
    }

    /// Points of every player after every round, in the order of the standings.
    fn points_by_round(&self) -> Vec<(String, Vec<f64>)> {
        let last = self
            .results
            .keys()
            .filter_map(|key| stage_round(key.stage))
            .max()
            .unwrap_or(0);
        let after = |player: usize| {
            let mut sum = 0.0;
            let mut line = Vec::new();
            for number in 1..=last {
                let of_round = self
                    .results
                    .iter()
                    .filter(|(key, _)| stage_round(key.stage) == Some(number));
                for (_, met) in of_round {
                    let own = met
                        .pair
                        .into_iter()
                        .zip(met.points)
                        .filter(|(one, _)| *one == player);
                    sum += own.map(|(_, points)| points).sum::<f64>();
                }
                line.push(sum);
            }
            line
        };
        self.standings
            .rows
            .iter()
            .map(|row| (row.name.clone(), after(row.player)))
            .collect()
    }

    /// The report for programs.
    pub fn to_json(&self) -> Value {
        let [finished, most] = self.finished;
        let game = |(place, game): &(String, &GameRecord)| json!({"match": place, "result": game});
        let void = |(place, void): &(String, &VoidMatch)| json!({"match": place, "void": void});
        json!({
            "game": self.roster.game_id(),
            "terms": self.roster.match_terms(),
            "entrants": self.names,
            "format": self.plan.format,
            "status": self.status_name(),
            "matches_played": finished,
            "matches_at_most": most,
            "standings": self.standings.to_json(),
            "matches": self.games.iter().map(game).collect::<Vec<_>>(),
            "void": self.voids.iter().map(void).collect::<Vec<_>>(),
            "folder": self.plan.folder,
        })
    }

    /// The consequences of void matches for the standings.
    fn void_meaning(&self, language: Language<'_>) -> &'static str {
        match self.plan.format {
            TournamentFormat::RoundRobin { .. } | TournamentFormat::Gauntlet { .. } => language.label("bots with a void match played fewer matches: compare Elo, not points. Run the same \
                    command to play them again"),
            TournamentFormat::Swiss { .. } => language.label("bots with a void match played fewer matches: compare Elo, not points. The next \
                    round was paired as after a draw. Run the same command to play those of the \
                    last round again"),
            TournamentFormat::Single | TournamentFormat::Double => language.label("their encounters were decided by the other matches, or else by the seeding. Run the \
                    same command to play those of the last stage again"),
        }
    }

    /// The game, and the name of the folder.
    fn title(&self, language: Language<'_>) -> String {
        let title = self.roster.game().meta().title;
        let game = language.pick(title);
        match self
            .plan
            .folder
            .file_name()
            .map(|name| name.to_string_lossy())
        {
            Some(name) if name != self.roster.game_id() => format!("{game}: {name}"),
            _ => game.to_owned(),
        }
    }

    /// The format's name.
    fn format_name(&self, language: Language<'_>) -> &'static str {
        match self.plan.format {
            TournamentFormat::RoundRobin { .. } => language.label("Round robin"),
            TournamentFormat::Gauntlet { .. } => language.label("Gauntlet"),
            TournamentFormat::Swiss { .. } => language.label("Swiss system"),
            TournamentFormat::Single => language.label("Single elimination"),
            TournamentFormat::Double => language.label("Double elimination"),
        }
    }
}

fn stage_round(stage: TournamentStage) -> Option<u32> {
    match stage {
        TournamentStage::Round(round) => Some(round),
        _ => None,
    }
}
