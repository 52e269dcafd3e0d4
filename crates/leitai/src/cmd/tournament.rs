//! `leitai tournament GAME ENTRANTS… | FILE.toml`

use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_ladder::tournament::{EncounterResults, TournamentFormat, TournamentStage};
use serde_json::{Value, json};

use crate::batch::workers::{play_series, worker_count};
use crate::batch::{GameRecord, INTERRUPTED, Roster, VoidMatch, void};
use crate::cli::{OutputArg, TournamentArgs};
use crate::cmd::compare::is_round;
use crate::cup::course::EncounterMatch;
use crate::cup::{Tournament, TournamentPlan};
use crate::lang::{localized_text, translate};
use crate::report::html::{ReportPage, write_page};
use crate::report::standings::{Standings, TournamentFacts};
use crate::report::{csv, table};
use crate::{files, stop};

/// Exit status when it was played to its end and some matches stayed void.
const VOID: u8 = 4;

/// Plays a tournament, or goes on with it, and says how it stands.
pub fn run(args: TournamentArgs) -> anyhow::Result<ExitCode> {
    let output = args.output;
    let stop = stop::on_interrupt()?;
    let plan = TournamentPlan::new(args)?;
    let hall = plan.build_roster()?;
    let names = hall.entrant_names();
    let quiet = output != OutputArg::Table;
    let bar = progress_bar(quiet);
    let begun = Instant::now();
    let mut cup = Tournament::open_tournament(&plan, &hall, |told| {
        let [finished, all] = told.finished;
        bar.set_length(all as u64);
        bar.set_position(finished as u64);
        let line = format_line(&names, told.game);
        show_plainly(&bar, quiet, finished, || {
            format!("{finished}/{all}  {line}")
        });
        bar.set_message(line);
    })?;
    let before = cup.count_finished()[0];
    if before > 0 && output == OutputArg::Table {
        let (folder, word) = (
            plan.folder.display(),
            translate("goes on; matches found:", "继续进行；已完成对局："),
        );
        files::print_stderr(&format!("{folder}: {word} {before}"));
    }
    let ended = play_series(&mut cup, &hall, worker_count(plan.jobs, &hall), stop)?;
    bar.finish_and_clear();
    let told = TournamentReport::of(&cup, &names);
    told.write_reports(&plan)?;
    let said = match output {
        OutputArg::Json => format!("{}\n", told.report_json(&plan, &hall)),
        OutputArg::Csv => csv::standings_csv(&told.standings),
        OutputArg::Table => {
            let pace =
                (cup.count_finished()[0] - before) as f64 / begun.elapsed().as_secs_f64().max(1e-9);
            let void = told.void_text(&plan);
            format!(
                "{}\n{void}{}",
                table::format_standings(&told.standings),
                told.what_next(&plan, ended, pace)
            )
        }
    };
    files::print_stdout(&said)?;
    Ok(match (ended, told.voids.is_empty()) {
        (true, true) => ExitCode::SUCCESS,
        (true, false) => ExitCode::from(VOID),
        (false, _) => ExitCode::from(INTERRUPTED),
    })
}

/// Where stderr is no terminal, the progress now and then on a line of its own.
pub fn show_plainly(
    bar: &ProgressBar,
    quiet: bool,
    finished: usize,
    line: impl FnOnce() -> String,
) {
    if !quiet && bar.is_hidden() && is_round(finished as u64) {
        files::print_stderr(&line());
    }
}

/// A progress bar on stderr; nothing where it is no terminal, or where a machine reads.
pub fn progress_bar(quiet: bool) -> ProgressBar {
    let target = if quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(Some(1), target);
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}  {eta}")
        .expect("a constant template");
    bar.set_style(style.progress_chars("━╸─"));
    bar
}

/// `space 1 : 0 safe`
pub fn format_line(names: &[String], game: &GameRecord) -> String {
    let [a, b] = game.pair.map(|player| &names[player]);
    let result = ["0 : 1", "½ : ½", "1 : 0"][game.score().half_points() as usize];
    format!("{a} {result} {b}")
}

/// A tournament as it is told.
struct TournamentReport<'a> {
    names: &'a [String],
    standings: Standings,
    results: EncounterResults,
    games: Vec<(String, &'a GameRecord)>,
    voids: Vec<(String, &'a VoidMatch)>,
    finished: [usize; 2],
    over: bool,
}

impl<'a> TournamentReport<'a> {
    fn of(cup: &'a Tournament<'_>, names: &'a [String]) -> TournamentReport<'a> {
        let (format, players) = (cup.plan.format, names.len());
        let results = cup.encounter_results();
        let (places, byes) = (
            format.final_places(players, &results),
            format.count_byes(players, &results),
        );
        let known = |(place, byes): (&Option<usize>, &u32)| TournamentFacts {
            place: *place,
            byes: f64::from(*byes) * f64::from(cup.plan.matches),
        };
        let known: Vec<TournamentFacts> = places.iter().zip(&byes).map(known).collect();
        let place = |(key, number): &EncounterMatch| {
            format!("{}-{}-{}", key.stage, key.table + 1, number + 1)
        };
        TournamentReport {
            names,
            standings: Standings::of(names, &known, cup.games.values()),
            results,
            games: cup
                .games
                .iter()
                .map(|(at, game)| (place(at), game))
                .collect(),
            voids: cup
                .voids
                .iter()
                .map(|(at, void)| (place(at), void))
                .collect(),
            finished: cup.count_finished(),
            over: cup.is_over(),
        }
    }

    /// Writes every report into the folder.
    fn write_reports(&self, plan: &TournamentPlan) -> anyhow::Result<()> {
        let write = |name: &str, text: &str| files::write(&plan.folder.join(name), text);
        write("standings.csv", &csv::standings_csv(&self.standings))?;
        write("crosstable.csv", &csv::crosstable_csv(&self.standings))?;
        write(
            "matches.csv",
            &csv::matches_csv(self.names, self.games.iter().cloned(), &self.voids),
        )?;
        write("report.html", &write_page(&self.report_page(plan)))
    }

    fn report_page(&self, plan: &TournamentPlan) -> ReportPage<'_> {
        let knockout = plan.format.is_knockout();
        ReportPage {
            title: plan_title(plan),
            about: self.describe_plan(plan),
            standings: &self.standings,
            names: self.names,
            bracket: knockout.then_some(&self.results),
            rounds: if knockout {
                Vec::new()
            } else {
                self.points_by_round()
            },
            games: self.games.clone(),
        }
    }

    fn describe_plan(&self, plan: &TournamentPlan) -> String {
        let [finished, _] = self.finished;
        let (format, entrants) = (format_name(plan), self.names.len());
        let state = match self.over {
            true => translate("complete", "已结束"),
            false => translate("not finished", "尚未结束"),
        };
        let void = self.void_text(plan);
        match translate("en", "zh") {
            "zh" => format!("{format}，{entrants} 个参赛程序，{finished} 场对局，{state}。{void}"),
            _ => format!(
                "{format} of {entrants} entrants, {finished} matches played, {state}. {void}"
            ),
        }
    }

    fn void_text(&self, plan: &TournamentPlan) -> String {
        void::list_voids(
            self.voids.iter().map(|(_, void)| *void),
            self.names,
            void_meaning(plan),
        )
    }

    fn status_name(&self) -> &'static str {
        match (self.over, self.voids.is_empty()) {
            (true, true) => "complete",
            (true, false) => "incomplete",
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

    fn report_json(&self, plan: &TournamentPlan, hall: &Roster) -> Value {
        let [finished, most] = self.finished;
        let game = |(place, game): &(String, &GameRecord)| json!({"match": place, "result": game});
        let void = |(place, void): &(String, &VoidMatch)| json!({"match": place, "void": void});
        json!({
            "game": hall.game_id(),
            "terms": hall.match_terms(),
            "entrants": self.names,
            "format": plan.format,
            "status": self.status_name(),
            "matches_played": finished,
            "matches_at_most": most,
            "table": self.standings.to_json(),
            "matches": self.games.iter().map(game).collect::<Vec<_>>(),
            "void": self.voids.iter().map(void).collect::<Vec<_>>(),
            "folder": plan.folder,
        })
    }

    fn what_next(&self, plan: &TournamentPlan, ended: bool, pace: f64) -> String {
        let folder = plan.folder.display();
        let [finished, _] = self.finished;
        let state = match ended {
            true => format!("{finished} {}", translate("matches", "场对局")),
            false => format!(
                "{finished} {}",
                translate(
                    "matches so far; the same command goes on",
                    "场对局；再次运行同一命令即可继续"
                )
            ),
        };
        let (report, replays) = (translate("report", "报告"), translate("replays", "回放"));
        format!(
            "{state} ({pace:.1}/s)\n{report}: {folder}/report.html   {replays}: {folder}/replays/\n"
        )
    }
}

/// What void matches mean for the table.
fn void_meaning(plan: &TournamentPlan) -> &'static str {
    match plan.format {
        TournamentFormat::RoundRobin { .. } | TournamentFormat::Gauntlet { .. } => translate(
            "whoever has one played fewer matches: compare Elo, not points. The same command tries them again",
            "涉及的程序少赛了几场：请比较 Elo 而非积分。再次运行同一命令会重赛",
        ),
        TournamentFormat::Swiss { .. } => translate(
            "whoever has one played fewer matches: compare Elo, not points. The next round was drawn as after a draw; the \
             same command tries those of the last round again",
            "涉及的程序少赛了几场：请比较 Elo 而非积分。下一轮按平局编排；再次运行同一命令会重赛最后一轮的无效对局",
        ),
        TournamentFormat::Single | TournamentFormat::Double => translate(
            "their encounters were decided by the other matches, else the better seed went on; the same command tries \
             those of the last stage again",
            "相应对阵由其余对局决定，否则种子靠前者晋级；再次运行同一命令会重赛最后阶段的无效对局",
        ),
    }
}

fn stage_round(stage: TournamentStage) -> Option<u32> {
    match stage {
        TournamentStage::Round(round) => Some(round),
        _ => None,
    }
}

/// The game, and what the folder is called.
fn plan_title(plan: &TournamentPlan) -> String {
    let game = leitai_games::find_game(&plan.game)
        .map_or(plan.game.as_str(), |game| localized_text(game.meta().title));
    match plan.folder.file_name().map(|name| name.to_string_lossy()) {
        Some(name) if name != plan.game => format!("{game}: {name}"),
        _ => game.to_owned(),
    }
}

fn format_name(plan: &TournamentPlan) -> &'static str {
    match plan.format {
        TournamentFormat::RoundRobin { .. } => translate("Round robin", "循环赛"),
        TournamentFormat::Gauntlet { .. } => translate("Gauntlet", "擂台赛"),
        TournamentFormat::Swiss { .. } => translate("Swiss system", "瑞士制"),
        TournamentFormat::Single => translate("Single elimination", "单败淘汰"),
        TournamentFormat::Double => translate("Double elimination", "双败淘汰"),
    }
}
