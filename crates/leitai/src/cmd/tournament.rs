//! `leitai tournament GAME ENTRANTS… | FILE.toml`

use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_ladder::tournament::{Format, Results, Stage};
use serde_json::{Value, json};

use crate::batch::workers::{play_series, workers};
use crate::batch::{Game, Hall, INTERRUPTED, Void, void};
use crate::cli::{OutputArg, TournamentArgs};
use crate::cmd::compare::is_round;
use crate::cup::course::Place;
use crate::cup::{Cup, Plan};
use crate::lang::{t, text};
use crate::report::html::{Page, page};
use crate::report::standings::{Known, Standings};
use crate::report::{csv, table};
use crate::{files, stop};

/// Exit status when it was played to its end and some matches stayed void.
const VOID: u8 = 4;

/// Plays a tournament, or goes on with it, and says how it stands.
pub fn run(args: TournamentArgs) -> anyhow::Result<ExitCode> {
    let output = args.output;
    let stop = stop::on_interrupt()?;
    let plan = Plan::new(args)?;
    let hall = plan.hall()?;
    let names = hall.names();
    let quiet = output != OutputArg::Table;
    let bar = bar(quiet);
    let begun = Instant::now();
    let mut cup = Cup::open(&plan, &hall, |told| {
        let [finished, all] = told.finished;
        bar.set_length(all as u64);
        bar.set_position(finished as u64);
        let line = line(&names, told.game);
        show_plainly(&bar, quiet, finished, || format!("{finished}/{all}  {line}"));
        bar.set_message(line);
    })?;
    let before = cup.finished()[0];
    if before > 0 && output == OutputArg::Table {
        let (folder, word) = (plan.folder.display(), t("goes on; matches found:", "继续进行；已完成对局："));
        files::say(&format!("{folder}: {word} {before}"));
    }
    let ended = play_series(&mut cup, &hall, workers(plan.jobs, &hall), stop)?;
    bar.finish_and_clear();
    let told = Told::of(&cup, &names);
    told.keep(&plan)?;
    let said = match output {
        OutputArg::Json => format!("{}\n", told.json(&plan, &hall)),
        OutputArg::Csv => csv::standings(&told.standings),
        OutputArg::Table => {
            let pace = (cup.finished()[0] - before) as f64 / begun.elapsed().as_secs_f64().max(1e-9);
            let void = told.void_text(&plan);
            format!("{}\n{void}{}", table::text(&told.standings), told.what_next(&plan, ended, pace))
        }
    };
    files::print(&said)?;
    Ok(match (ended, told.voids.is_empty()) {
        (true, true) => ExitCode::SUCCESS,
        (true, false) => ExitCode::from(VOID),
        (false, _) => ExitCode::from(INTERRUPTED),
    })
}

/// Where stderr is no terminal, the progress now and then on a line of its own.
pub fn show_plainly(bar: &ProgressBar, quiet: bool, finished: usize, line: impl FnOnce() -> String) {
    if !quiet && bar.is_hidden() && is_round(finished as u64) {
        files::say(&line());
    }
}

/// A progress bar on stderr; nothing where it is no terminal, or where a machine reads.
pub fn bar(quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(1), target);
    let style =
        ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}  {eta}").expect("a constant template");
    bar.set_style(style.progress_chars("━╸─"));
    bar
}

/// `space 1 : 0 safe`
pub fn line(names: &[String], game: &Game) -> String {
    let [a, b] = game.pair.map(|player| &names[player]);
    let result = ["0 : 1", "½ : ½", "1 : 0"][game.score().halves() as usize];
    format!("{a} {result} {b}")
}

/// A tournament as it is told.
struct Told<'a> {
    names: &'a [String],
    standings: Standings,
    results: Results,
    games: Vec<(String, &'a Game)>,
    voids: Vec<(String, &'a Void)>,
    finished: [usize; 2],
    over: bool,
}

impl<'a> Told<'a> {
    fn of(cup: &'a Cup<'_>, names: &'a [String]) -> Told<'a> {
        let (format, players) = (cup.plan.format, names.len());
        let results = cup.results();
        let (places, byes) = (format.places(players, &results), format.byes(players, &results));
        let known = |(place, byes): (&Option<usize>, &u32)| Known {
            place: *place,
            byes: f64::from(*byes) * f64::from(cup.plan.matches),
        };
        let known: Vec<Known> = places.iter().zip(&byes).map(known).collect();
        let place = |(key, number): &Place| format!("{}-{}-{}", key.stage, key.table + 1, number + 1);
        Told {
            names,
            standings: Standings::of(names, &known, cup.games.values()),
            results,
            games: cup.games.iter().map(|(at, game)| (place(at), game)).collect(),
            voids: cup.voids.iter().map(|(at, void)| (place(at), void)).collect(),
            finished: cup.finished(),
            over: cup.is_over(),
        }
    }

    /// Writes every report into the folder.
    fn keep(&self, plan: &Plan) -> anyhow::Result<()> {
        let write = |name: &str, text: &str| files::write(&plan.folder.join(name), text);
        write("standings.csv", &csv::standings(&self.standings))?;
        write("crosstable.csv", &csv::crosstable(&self.standings))?;
        write("matches.csv", &csv::matches(self.names, self.games.iter().cloned(), &self.voids))?;
        write("report.html", &page(&self.page(plan)))
    }

    fn page(&self, plan: &Plan) -> Page<'_> {
        let knockout = plan.format.is_knockout();
        Page {
            title: title(plan),
            about: self.about(plan),
            standings: &self.standings,
            names: self.names,
            bracket: knockout.then_some(&self.results),
            rounds: if knockout { Vec::new() } else { self.rounds() },
            games: self.games.clone(),
        }
    }

    fn about(&self, plan: &Plan) -> String {
        let [finished, _] = self.finished;
        let (format, entrants) = (format_name(plan), self.names.len());
        let state = match self.over {
            true => t("complete", "已结束"),
            false => t("not finished", "尚未结束"),
        };
        let void = self.void_text(plan);
        match t("en", "zh") {
            "zh" => format!("{format}，{entrants} 个参赛程序，{finished} 场对局，{state}。{void}"),
            _ => format!("{format} of {entrants} entrants, {finished} matches played, {state}. {void}"),
        }
    }

    fn void_text(&self, plan: &Plan) -> String {
        void::text(self.voids.iter().map(|(_, void)| *void), self.names, void_meaning(plan))
    }

    fn status(&self) -> &'static str {
        match (self.over, self.voids.is_empty()) {
            (true, true) => "complete",
            (true, false) => "incomplete",
            (false, _) => "interrupted",
        }
    }

    /// Points of every player after every round, in the order of the standings.
    fn rounds(&self) -> Vec<(String, Vec<f64>)> {
        let last = self.results.keys().filter_map(|key| round(key.stage)).max().unwrap_or(0);
        let after = |player: usize| {
            let mut sum = 0.0;
            let mut line = Vec::new();
            for number in 1..=last {
                let of_round = self.results.iter().filter(|(key, _)| round(key.stage) == Some(number));
                for (_, met) in of_round {
                    let own = met.pair.into_iter().zip(met.points).filter(|(one, _)| *one == player);
                    sum += own.map(|(_, points)| points).sum::<f64>();
                }
                line.push(sum);
            }
            line
        };
        self.standings.rows.iter().map(|row| (row.name.clone(), after(row.player))).collect()
    }

    fn json(&self, plan: &Plan, hall: &Hall) -> Value {
        let [finished, most] = self.finished;
        let game = |(place, game): &(String, &Game)| json!({"match": place, "result": game});
        let void = |(place, void): &(String, &Void)| json!({"match": place, "void": void});
        json!({
            "game": hall.game(),
            "terms": hall.terms(),
            "entrants": self.names,
            "format": plan.format,
            "status": self.status(),
            "matches_played": finished,
            "matches_at_most": most,
            "table": self.standings.json(),
            "matches": self.games.iter().map(game).collect::<Vec<_>>(),
            "void": self.voids.iter().map(void).collect::<Vec<_>>(),
            "folder": plan.folder,
        })
    }

    fn what_next(&self, plan: &Plan, ended: bool, pace: f64) -> String {
        let folder = plan.folder.display();
        let [finished, _] = self.finished;
        let state = match ended {
            true => format!("{finished} {}", t("matches", "场对局")),
            false => format!(
                "{finished} {}",
                t("matches so far; the same command goes on", "场对局；再次运行同一命令即可继续")
            ),
        };
        let (report, replays) = (t("report", "报告"), t("replays", "回放"));
        format!("{state} ({pace:.1}/s)\n{report}: {folder}/report.html   {replays}: {folder}/replays/\n")
    }
}

/// What void matches mean for the table.
fn void_meaning(plan: &Plan) -> &'static str {
    match plan.format {
        Format::RoundRobin { .. } | Format::Gauntlet { .. } => t(
            "whoever has one played fewer matches: compare Elo, not points. The same command tries them again",
            "涉及的程序少赛了几场：请比较 Elo 而非积分。再次运行同一命令会重赛",
        ),
        Format::Swiss { .. } => t(
            "whoever has one played fewer matches: compare Elo, not points. The next round was drawn as after a draw; the \
             same command tries those of the last round again",
            "涉及的程序少赛了几场：请比较 Elo 而非积分。下一轮按平局编排；再次运行同一命令会重赛最后一轮的无效对局",
        ),
        Format::Single | Format::Double => t(
            "their encounters were decided by the other matches, else the better seed went on; the same command tries \
             those of the last stage again",
            "相应对阵由其余对局决定，否则种子靠前者晋级；再次运行同一命令会重赛最后阶段的无效对局",
        ),
    }
}

fn round(stage: Stage) -> Option<u32> {
    match stage {
        Stage::Round(round) => Some(round),
        _ => None,
    }
}

/// The game, and what the folder is called.
fn title(plan: &Plan) -> String {
    let game = leitai_games::find(&plan.game).map_or(plan.game.as_str(), |game| text(game.meta().title));
    match plan.folder.file_name().map(|name| name.to_string_lossy()) {
        Some(name) if name != plan.game => format!("{game}: {name}"),
        _ => game.to_owned(),
    }
}

fn format_name(plan: &Plan) -> &'static str {
    match plan.format {
        Format::RoundRobin { .. } => t("Round robin", "循环赛"),
        Format::Gauntlet { .. } => t("Gauntlet", "擂台赛"),
        Format::Swiss { .. } => t("Swiss system", "瑞士制"),
        Format::Single => t("Single elimination", "单败淘汰"),
        Format::Double => t("Double elimination", "双败淘汰"),
    }
}
