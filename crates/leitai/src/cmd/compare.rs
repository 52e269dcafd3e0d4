//! `leitai compare GAME NEW BASE`

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::ensure;
use indicatif::{ProgressBar, ProgressStyle};
use leitai_game::{ByEntrant, Entrant};
use leitai_ladder::sprt::Drift;
use leitai_ladder::stopped::{Estimate, estimate};
use leitai_ladder::{Decision, Pairs, Score, Sprt, Tally};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ask::misused;
use crate::batch::INTERRUPTED;
use crate::batch::hall::Asked;
use crate::batch::workers::{Finished, Job, Next, Series, play_series, workers};
use crate::batch::{Game, Hall, Journal, Times};
use crate::cli::CompareArgs;
use crate::lang::t;
use crate::report::faults::Faults;
use crate::report::words;
use crate::{files, stop};

/// Exit status when the new version is not better.
const REJECTED: u8 = 3;
/// Exit status when the pairs did not suffice.
const UNDECIDED: u8 = 4;
/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// Plays pairs until the question is decided.
pub fn run(args: &CompareArgs) -> anyhow::Result<ExitCode> {
    let sprt = Sprt { elo0: args.elo0, elo1: args.elo1, alpha: args.alpha, beta: args.beta };
    sprt.check().map_err(misused)?;
    if args.table.legs.is_some() {
        return Err(misused(t(
            "`leitai compare` plays pairs of legs with seats swapped; leave --legs away",
            "leitai compare 总是成对进行（交换先后手），请去掉 --legs",
        )));
    }
    let stop = stop::on_interrupt()?;
    let hall = Hall::open(&args.game, &[Asked::word(&args.new), Asked::word(&args.base)], &args.table)?;
    let mut duel = Duel::begin(sprt, args, &hall)?;
    let workers = workers(args.series.jobs.map(usize::from), &hall);
    let ended = play_series(&mut duel, &hall, workers, stop)?;
    duel.bar.finish_and_clear();
    let names = hall.names();
    let text = match args.json {
        true => format!("{}\n", duel.count.json(&duel.sprt, &hall, duel.base_seed)),
        false => duel.count.text(&duel.sprt, [&names[0], &names[1]]),
    };
    files::print(&text)?;
    if !args.json {
        files::print(&duel.what_next(args.folder.as_deref(), ended))?;
    }
    Ok(match duel.count.decision(&duel.sprt) {
        Decision::Accepted => ExitCode::SUCCESS,
        Decision::Rejected => ExitCode::from(REJECTED),
        Decision::Undecided if ended => ExitCode::from(UNDECIDED),
        Decision::Undecided => ExitCode::from(INTERRUPTED),
    })
}

/// One line of the journal.
#[derive(Serialize, Deserialize)]
struct Entry {
    number: u64,
    game: Game,
}

/// A comparison while it is played. Pairs are counted in the order of their seeds, whichever ends first, so that quick
/// games (crashes, say) do not weigh more and the decision does not depend on how many are played at once.
struct Duel {
    sprt: Sprt,
    base_seed: u64,
    most: u64,
    given: u64,
    /// Pairs that ended before one with a lower number.
    early: BTreeMap<u64, Game>,
    count: Count,
    journal: Option<Journal>,
    bar: ProgressBar,
    begun: Instant,
    played: u64,
    quiet: bool,
}

impl Duel {
    fn begin(sprt: Sprt, args: &CompareArgs, hall: &Hall) -> anyhow::Result<Duel> {
        let base_seed = args.table.seed.unwrap_or(1);
        let mut duel = Duel {
            sprt,
            base_seed,
            most: args.max,
            given: 0,
            early: BTreeMap::new(),
            count: Count::default(),
            journal: None,
            bar: ProgressBar::new(1000),
            begun: Instant::now(),
            played: 0,
            quiet: args.json,
        };
        let style = ProgressStyle::with_template("{bar:20} {msg}").expect("a constant template");
        duel.bar.set_style(style.progress_chars("━╸─"));
        if args.json {
            duel.bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        }
        if let Some(folder) = &args.folder {
            duel.resume(folder, hall)?;
        }
        Ok(duel)
    }

    /// Goes on from what the folder holds. The bounds of the test are not part of what was played.
    fn resume(&mut self, folder: &Path, hall: &Hall) -> anyhow::Result<()> {
        let header = json!({
            "format": "leitai-compare/1", "terms": hall.terms(), "seed": self.base_seed,
            "entrants": hall.names(), "fingerprints": hall.fingerprints,
        });
        let found = Journal::open::<Entry>(folder, &header)?;
        ensure!(
            found.header == header,
            "{} {}",
            folder.display(),
            t(
                "holds another comparison (other entrants, another version of one, another seed or other terms); choose \
                 another --folder",
                "中保存的是另一次比较（参赛程序或其版本、种子、设置不同），请换一个 --folder"
            )
        );
        self.journal = Some(found.journal);
        for entry in found.entries {
            self.early.insert(entry.number, entry.game);
        }
        self.count_in_order();
        Ok(())
    }

    fn count_in_order(&mut self) {
        while self.count.decision(&self.sprt) == Decision::Undecided && self.count.number() < self.most {
            let Some(game) = self.early.remove(&self.count.number()) else { break };
            self.count.add(&game);
        }
    }

    fn is_over(&self) -> bool {
        self.count.decision(&self.sprt) != Decision::Undecided || self.count.number() >= self.most
    }

    /// The line of progress; where stderr is no terminal, now and then a line of its own.
    fn show(&self, before: u64) {
        if self.quiet {
            return;
        }
        let line = self.count.progress(&self.sprt, self.pace());
        let (lower, upper) = self.sprt.bounds();
        let share = (self.sprt.llr(&self.count.pairs) - lower) / (upper - lower);
        self.bar.set_position((1000.0 * share.clamp(0.0, 1.0)) as u64);
        self.bar.set_message(line.clone());
        if self.bar.is_hidden() && is_round(self.count.number()) && self.count.number() > before {
            files::say(&line);
        }
    }

    /// Pairs a second.
    fn pace(&self) -> f64 {
        self.played as f64 / self.begun.elapsed().as_secs_f64().max(1e-3)
    }

    fn what_next(&self, folder: Option<&Path>, ended: bool) -> String {
        let mut lines = Vec::new();
        if let (false, Some(folder)) = (ended, folder) {
            lines.push(format!(
                "{} {}",
                t("interrupted; the same command goes on from", "已中断；再次运行同一命令即可继续："),
                folder.display()
            ));
        }
        if !ended && folder.is_none() {
            let why = "interrupted; nothing was kept (with --folder FOLDER the same command goes on)";
            lines.push(t(why, "已中断，未保存（使用 --folder FOLDER 可续跑）").to_owned());
        }
        if let (Some(folder), Some(lost)) = (folder, &self.count.lost) {
            let see = t("watch a lost game", "查看输掉的一局");
            lines.push(format!("{see}: leitai replay show {}", folder.join(lost).display()));
        }
        lines.into_iter().map(|line| format!("{line}\n")).collect()
    }
}

/// 1, 2, 5, 10, 20, 50, …
fn is_round(number: u64) -> bool {
    number > 0 && {
        let unit = 10u64.pow(number.ilog10());
        number.is_multiple_of(unit) && matches!(number / unit, 1 | 2 | 5)
    }
}

impl Series for Duel {
    type Tag = u64;

    fn next(&mut self) -> anyhow::Result<Next<u64>> {
        while self.early.contains_key(&self.given) || self.given < self.count.number() {
            self.given += 1;
        }
        if self.is_over() {
            return Ok(Next::Stop);
        }
        if self.given >= self.most {
            return Ok(Next::Wait);
        }
        let number = self.given;
        self.given += 1;
        let seed = self.base_seed.wrapping_add(number);
        Ok(Next::Play(Job { tag: number, pair: [0, 1], seed, board: 0, legs: Some(2) }))
    }

    fn done(&mut self, job: Job<u64>, finished: Finished) -> anyhow::Result<()> {
        let Finished { mut game, played } = finished;
        if let Some(journal) = &mut self.journal {
            let name = format!("replays/{}.json", job.seed);
            files::write(&journal.folder().join(&name), &played.replay.to_text())?;
            game.replay = Some(name);
            journal.append(&Entry { number: job.tag, game: game.clone() })?;
        }
        self.played += 1;
        self.early.insert(job.tag, game);
        let before = self.count.number();
        self.count_in_order();
        self.show(before);
        Ok(())
    }
}

/// What was counted. Entrant A is the new version.
#[derive(Default)]
struct Count {
    pairs: Pairs,
    games: Tally,
    faults: ByEntrant<Faults>,
    times: ByEntrant<Times>,
    /// The replay of a pair that the new version lost.
    lost: Option<String>,
}

impl Count {
    fn add(&mut self, game: &Game) {
        let scores = game.pair_scores(Entrant::A);
        self.pairs.count(scores);
        scores.into_iter().for_each(|score| self.games.count(score));
        for entrant in Entrant::BOTH {
            self.faults[entrant].count(game, entrant);
            self.times[entrant] += &game.times[entrant];
        }
        if self.lost.is_none() && scores.contains(&Score::Loss) {
            self.lost.clone_from(&game.replay);
        }
    }

    fn number(&self) -> u64 {
        u64::from(self.pairs.pairs())
    }

    fn decision(&self, sprt: &Sprt) -> Decision {
        sprt.decide(&self.pairs)
    }

    fn estimate(&self, sprt: &Sprt) -> Estimate {
        let nothing = Estimate { elo: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY, los: 0.5 };
        estimate(sprt, &self.pairs, CONFIDENCE).unwrap_or(nothing)
    }

    fn progress(&self, sprt: &Sprt, pace: f64) -> String {
        let (lower, upper) = sprt.bounds();
        let Estimate { elo, low, high, los } = self.estimate(sprt);
        let to_go = sprt.expected_pairs_to_go(&self.pairs).unwrap_or(0.0);
        format!(
            "{} {}  LLR {:+.2} ({lower:.2}, {upper:.2})  Elo {} {}  LOS {}  {} ~{:.0} ({})",
            t("pairs", "对"),
            self.number(),
            sprt.llr(&self.pairs),
            words::elo(elo),
            words::interval([low, high]),
            words::chance(los),
            t("to go", "尚需约"),
            to_go.ceil(),
            words::about(Duration::from_secs_f64((to_go / pace.max(1e-9)).min(1e9))),
        )
    }

    fn text(&self, sprt: &Sprt, [new, base]: [&str; 2]) -> String {
        let (lower, upper) = sprt.bounds();
        let Estimate { elo, low, high, los } = self.estimate(sprt);
        let [alpha, beta] = [sprt.alpha, sprt.beta].map(words::percent);
        let both = |value: &dyn Fn(Entrant) -> String| {
            format!("{new}: {}; {base}: {}", value(Entrant::A), value(Entrant::B))
        };
        let rows = [
            (t("result", "结论"), self.headline(sprt, new, base)),
            (
                "LLR",
                format!(
                    "{:+.2} ({lower:.2}, {upper:.2})   {} {} Elo {} {} Elo; {} {alpha} / {beta}",
                    sprt.llr(&self.pairs),
                    t("for", "检验"),
                    sprt.elo1,
                    t("against", "对"),
                    sprt.elo0,
                    t("errors", "错误率"),
                ),
            ),
            ("Elo", format!("{} {} (95 %)", words::elo(elo), words::interval([low, high]))),
            ("LOS", words::chance(los)),
            (t("games", "局数"), self.games_line()),
            (t("pairs", "成对结果"), self.pairs_line()),
            (t("faults", "故障"), both(&|entrant| self.faults[entrant].words())),
            (t("time a move", "每步用时"), both(&|entrant| words::times(&self.times[entrant]))),
        ];
        let mut lines: Vec<String> = rows.iter().map(|(label, value)| row(label, value)).collect();
        if self.decision(sprt) == Decision::Undecided
            && let Some(to_go) = sprt.expected_pairs_to_go(&self.pairs)
        {
            lines.push(row(t("to go", "尚需"), &format!("~{:.0} {}", 2.0 * to_go.ceil(), t("games", "局"))));
        }
        lines.concat()
    }

    fn headline(&self, sprt: &Sprt, new: &str, base: &str) -> String {
        let (elo0, elo1) = (words::elo(sprt.elo0), words::elo(sprt.elo1));
        match (self.decision(sprt), t("en", "zh")) {
            (Decision::Accepted, "zh") => {
                format!("接受：{new} 强于 {base}（{elo1} Elo 比 {elo0} 更符合结果）")
            }
            (Decision::Rejected, "zh") => {
                format!("拒绝：未见 {new} 强于 {base}（{elo0} Elo 比 {elo1} 更符合结果）")
            }
            (Decision::Undecided, "zh") => format!("未定：{new} 与 {base} 还需更多对局"),
            (Decision::Accepted, _) => {
                format!("accepted: {new} is better than {base} ({elo1} Elo fits, {elo0} does not)")
            }
            (Decision::Rejected, _) => {
                format!("rejected: {new} is no such progress over {base} ({elo0} Elo fits, {elo1} does not)")
            }
            (Decision::Undecided, _) => format!("undecided: {new} against {base} needs more games"),
        }
    }

    fn games_line(&self) -> String {
        let Tally { wins, draws, losses } = self.games;
        let draw_share = f64::from(draws) / f64::from(self.games.games().max(1));
        format!(
            "{} : {wins} {}, {draws} {} ({}), {losses} {}; {} {}",
            self.games.games(),
            t("won", "胜"),
            t("drawn", "平"),
            words::percent(draw_share),
            t("lost", "负"),
            words::percent(self.pairs.share()),
            t("of the points", "得分率"),
        )
    }

    fn pairs_line(&self) -> String {
        let [ll, ld, dd, wd, ww] = self.pairs.0;
        format!("{} : 0-2 {ll}, ½-1½ {ld}, 1-1 {dd}, 1½-½ {wd}, 2-0 {ww}", self.number())
    }

    fn json(&self, sprt: &Sprt, hall: &Hall, seed: u64) -> Value {
        let (lower, upper) = sprt.bounds();
        let estimate = self.estimate(sprt);
        let micros = |times: &Times, share: f64| times.quantile(share).map(|time| time.as_micros() as u64);
        let Drift { mean, .. } = sprt.drift(&self.pairs, estimate.elo.clamp(-2000.0, 2000.0));
        json!({
            "game": hall.game(),
            "terms": hall.terms(),
            "entrants": hall.names(),
            "seed": seed,
            "decision": self.decision(sprt),
            "sprt": sprt,
            "llr": sprt.llr(&self.pairs),
            "llr_bounds": [lower, upper],
            "llr_a_pair": mean,
            "elo": finite(estimate.elo),
            "elo_interval": [finite(estimate.low), finite(estimate.high)],
            "confidence": CONFIDENCE,
            "los": estimate.los,
            "pairs": self.pairs.0,
            "games": self.games,
            "faults": self.faults,
            "move_us": self.times.each_ref().map(|times| {
                json!({"moves": times.moves(), "median": micros(times, 0.5), "p99": micros(times, 0.99)})
            }),
            "expected_games_to_go": sprt.expected_pairs_to_go(&self.pairs).map(|pairs| (2.0 * pairs).ceil()),
        })
    }
}

/// JSON knows no infinity: null.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// A label and its value, aligned; Chinese characters are two columns wide.
fn row(label: &str, value: &str) -> String {
    let width: usize = label.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
    format!("  {label}{}{value}\n", " ".repeat(14usize.saturating_sub(width)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_now_and_then() {
        let told: Vec<u64> = (0..=1000).filter(|number| is_round(*number)).collect();
        assert_eq!(told, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    }

    #[test]
    fn both_languages_stand_in_columns() {
        assert_eq!(row("Elo", "1"), "  Elo           1\n");
        assert_eq!(row("结论", "1"), "  结论          1\n");
    }
}
