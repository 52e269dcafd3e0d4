//! `leitai compare GAME NEW BASE`

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use leitai_game::Replay;
use leitai_ladder::sprt::Drift;
use leitai_ladder::stopped_estimate::{Estimate, estimate_after_stop};
use leitai_ladder::{Decision, GameScore, PairTally, ScoreTally, Sprt};
use serde_json::{Value, json};

use crate::arguments::usage_error;
use crate::batch::hall::{EntrantRequest, list_changes};
use crate::batch::pair::player_entrant;
use crate::batch::workers::{
    FinishedMatch, HOPELESS, NextWork, Series, SeriesJob, play_series, worker_count,
};
use crate::batch::{
    GameRecord, INTERRUPTED, Journal, PlayedPair, Roster, TimeHistogram, VoidMatch, void,
};
use crate::cli::CompareArgs;
use crate::lang::translate;
use crate::report::faults::FaultCounts;
use crate::report::words;
use crate::width::wrap_sentence;
use crate::{files, stop};

/// Exit status when the new version is not better.
const REJECTED: u8 = 3;
/// Exit status when the pairs did not suffice.
const UNDECIDED: u8 = 4;
/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// Plays pairs until the question is decided.
pub fn run(args: &CompareArgs) -> anyhow::Result<ExitCode> {
    let sprt = Sprt {
        elo0: args.elo0,
        elo1: args.elo1,
        alpha: args.alpha,
        beta: args.beta,
    };
    sprt.check_parameters().map_err(usage_error)?;
    if args.table.legs.is_some() {
        return Err(usage_error(translate(
            "`leitai compare` plays pairs of legs with seats swapped; leave --legs away",
            "leitai compare 总是成对进行（交换先后手），请去掉 --legs",
        )));
    }
    let stop = stop::on_interrupt()?;
    let hall = Roster::build_entrants(
        &args.game,
        &[
            EntrantRequest::from_word(&args.new),
            EntrantRequest::from_word(&args.base),
        ],
        &args.table,
    )?;
    if let Some(why) = hall.first_broken() {
        bail!(
            "{why}; {}",
            translate(
                "a comparison with it would say nothing: fix it, `leitai check` helps",
                "无法与之比较；请先修复（可用 leitai check 检查）"
            )
        );
    }
    let mut duel = Comparison::begin_comparison(sprt, args, &hall)?;
    let workers = worker_count(args.series.jobs.map(usize::from), &hall);
    let ended = play_series(&mut duel, &hall, workers, stop)?;
    duel.bar.finish_and_clear();
    let names = hall.entrant_names();
    let text = match args.json {
        true => format!(
            "{}\n",
            duel.count.result_json(&duel.sprt, &hall, duel.base_seed)
        ),
        false => duel.count.format_result(&duel.sprt, &names),
    };
    files::print_stdout(&text)?;
    if !args.json {
        files::print_stdout(&duel.what_next(args.folder.as_deref(), ended))?;
    }
    Ok(match duel.count.test_decision(&duel.sprt) {
        Decision::Accepted => ExitCode::SUCCESS,
        Decision::Rejected => ExitCode::from(REJECTED),
        Decision::Undecided if ended => ExitCode::from(UNDECIDED),
        Decision::Undecided => ExitCode::from(INTERRUPTED),
    })
}

/// The numbers of the two entrants.
const NEW: usize = 0;
const BASE: usize = 1;

/// A match of a comparison: the pair's number, and whether it is its other leg, played by itself.
#[derive(Clone, Copy)]
struct PairLeg {
    number: u64,
    is_other_leg: bool,
}

/// A comparison while it is played. Pairs are counted in the order of their seeds, whichever ends
/// first, so that quick games (crashes, say) do not weigh more and the decision does not depend on
/// how many are played at once.
struct Comparison {
    sprt: Sprt,
    base_seed: u64,
    most: u64,
    given: u64,
    /// Pairs that ended before one with a lower number.
    early: BTreeMap<u64, PlayedPair>,
    /// Matches that a fault decided in the first leg, and the other legs that are to be played.
    halves: BTreeMap<u64, GameRecord>,
    other_legs: VecDeque<SeriesJob<PairLeg>>,
    /// Void pairs since the last that was played.
    hopeless: u32,
    count: ComparisonCount,
    journal: Option<Journal>,
    bar: ProgressBar,
    begun: Instant,
    played: u64,
    quiet: bool,
}

impl Comparison {
    fn begin_comparison(
        sprt: Sprt,
        args: &CompareArgs,
        hall: &Roster,
    ) -> anyhow::Result<Comparison> {
        let base_seed = args.table.seed.unwrap_or(1);
        let mut duel = Comparison {
            sprt,
            base_seed,
            most: args.max,
            given: 0,
            early: BTreeMap::new(),
            halves: BTreeMap::new(),
            other_legs: VecDeque::new(),
            hopeless: 0,
            count: ComparisonCount::default(),
            journal: None,
            bar: ProgressBar::new(1000),
            begun: Instant::now(),
            played: 0,
            quiet: args.json,
        };
        let style =
            ProgressStyle::with_template("{prefix} {bar:20} {msg}").expect("a constant template");
        duel.bar.set_style(style.progress_chars("━╸─"));
        duel.bar
            .set_prefix(translate("LLR between its bounds", "LLR 在界限间的位置"));
        if args.json {
            duel.bar
                .set_draw_target(indicatif::ProgressDrawTarget::hidden());
        }
        if let Some(folder) = &args.folder {
            duel.resume_journal(folder, hall)?;
        }
        Ok(duel)
    }

    /// Goes on from what the folder holds. The bounds of the test are not part of what was played.
    fn resume_journal(&mut self, folder: &Path, hall: &Roster) -> anyhow::Result<()> {
        let header = json!({
            "format": "leitai-compare/1", "terms": hall.match_terms(), "seed": self.base_seed,
            "entrants": hall.entrant_names(), "fingerprints": hall.fingerprints,
        });
        let found = Journal::open_folder::<PlayedPair>(folder, &header)?;
        let changed = list_changes(&found.header, &header);
        ensure!(
            changed.is_empty(),
            "{} {}: {}; {}",
            folder.display(),
            translate("holds another comparison", "中保存的是另一次比较"),
            changed.join(", "),
            translate("choose another --folder", "请换一个 --folder"),
        );
        self.journal = Some(found.journal);
        self.early
            .extend(found.entries.into_iter().map(|pair| (pair.number, pair)));
        self.count_in_order();
        Ok(())
    }

    fn count_in_order(&mut self) {
        while self.count.test_decision(&self.sprt) == Decision::Undecided
            && self.count.pair_count() < self.most
        {
            let Some(pair) = self.early.remove(&self.count.pair_count()) else {
                break;
            };
            self.count.add_pair(&pair);
        }
    }

    fn is_over(&self) -> bool {
        self.count.test_decision(&self.sprt) != Decision::Undecided
            || self.count.pair_count() >= self.most
    }

    /// The line of progress; where stderr is no terminal, now and then a line of its own.
    fn show_progress(&self, before: u64) {
        if self.quiet {
            return;
        }
        let line = self
            .count
            .progress_line(&self.sprt, self.pairs_per_second());
        let (lower, upper) = self.sprt.llr_bounds();
        let share = (self.sprt.log_likelihood_ratio(&self.count.pairs) - lower) / (upper - lower);
        self.bar
            .set_position((1000.0 * share.clamp(0.0, 1.0)) as u64);
        self.bar.set_message(line.clone());
        if self.bar.is_hidden()
            && is_round(self.count.pair_count())
            && self.count.pair_count() > before
        {
            files::print_stderr(&wrap_sentence(&line, 2));
        }
    }

    /// Pairs a second.
    fn pairs_per_second(&self) -> f64 {
        self.played as f64 / self.begun.elapsed().as_secs_f64().max(1e-3)
    }

    fn what_next(&self, folder: Option<&Path>, ended: bool) -> String {
        let mut lines = Vec::new();
        if let (false, Some(folder)) = (ended, folder) {
            lines.push(format!(
                "{} {}",
                translate(
                    "interrupted; the same command goes on from",
                    "已中断；再次运行同一命令即可继续："
                ),
                folder.display()
            ));
        }
        if !ended && folder.is_none() {
            let why =
                "interrupted; nothing was kept (with --folder FOLDER the same command goes on)";
            lines.push(translate(why, "已中断，未保存（使用 --folder FOLDER 可续跑）").to_owned());
        }
        if let (Some(folder), Some(lost)) = (folder, &self.count.lost) {
            let see = translate("watch a lost game", "查看输掉的一局");
            lines.push(format!(
                "{see}: leitai replay show {}",
                folder.join(lost).display()
            ));
        }
        lines
            .into_iter()
            .map(|line| format!("{}\n", wrap_sentence(&line, 2)))
            .collect()
    }
}

/// 1, 2, 5, 10, 20, 50, …
pub fn is_round(number: u64) -> bool {
    number > 0 && {
        let unit = 10u64.pow(number.ilog10());
        number.is_multiple_of(unit) && matches!(number / unit, 1 | 2 | 5)
    }
}

impl Comparison {
    /// The match of a pair. They begin alternately: where a fault in the first leg decides a match,
    /// who begins matters.
    fn make_job(&self, number: u64) -> SeriesJob<PairLeg> {
        let pair = if number.is_multiple_of(2) {
            [NEW, BASE]
        } else {
            [BASE, NEW]
        };
        let seed = self.base_seed.wrapping_add(number);
        SeriesJob {
            tag: PairLeg {
                number,
                is_other_leg: false,
            },
            pair,
            seed,
            board: 0,
            legs: Some(2),
        }
    }

    /// Keeps the replay, if there is a folder.
    fn keep_replay(
        &self,
        job: &SeriesJob<PairLeg>,
        game: &mut GameRecord,
        replay: &Replay,
    ) -> anyhow::Result<()> {
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let leg = if job.tag.is_other_leg {
            "-other-leg"
        } else {
            ""
        };
        let name = format!("replays/{}{leg}.json", job.seed);
        files::write(&journal.folder_path().join(&name), &replay.to_text())?;
        game.replay = Some(name);
        Ok(())
    }

    /// A pair is over.
    fn keep_pair(&mut self, pair: PlayedPair) -> anyhow::Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.append_entry(&pair)?;
        }
        self.early.insert(pair.number, pair);
        let before = self.count.pair_count();
        self.count_in_order();
        self.show_progress(before);
        Ok(())
    }
}

impl Series for Comparison {
    type Tag = PairLeg;

    fn next(&mut self) -> anyhow::Result<NextWork<PairLeg>> {
        if self.is_over() {
            return Ok(NextWork::Stop);
        }
        if let Some(job) = self.other_legs.pop_front() {
            return Ok(NextWork::Play(job));
        }
        while self.early.contains_key(&self.given) || self.given < self.count.pair_count() {
            self.given += 1;
        }
        if self.given >= self.most {
            return Ok(NextWork::Wait);
        }
        let number = self.given;
        self.given += 1;
        Ok(NextWork::Play(self.make_job(number)))
    }

    fn on_finished(
        &mut self,
        job: SeriesJob<PairLeg>,
        finished: FinishedMatch,
    ) -> anyhow::Result<()> {
        let FinishedMatch { mut game, played } = finished;
        self.keep_replay(&job, &mut game, &played.replay)?;
        let PairLeg {
            number,
            is_other_leg,
        } = job.tag;
        if !is_other_leg && game.legs.len() < 2 {
            let [one, other] = job.pair;
            self.halves.insert(number, game);
            let tag = PairLeg {
                number,
                is_other_leg: true,
            };
            self.other_legs.push_back(SeriesJob {
                tag,
                pair: [other, one],
                legs: Some(1),
                ..job
            });
            return Ok(());
        }
        self.played += 1;
        self.hopeless = 0;
        let (game, other_leg) = match self.halves.remove(&number) {
            Some(first) => (first, Some(game)),
            None => (game, None),
        };
        self.keep_pair(PlayedPair {
            number,
            game: Some(game),
            other_leg,
            void: None,
        })
    }

    fn on_void(&mut self, job: SeriesJob<PairLeg>, void: VoidMatch) -> anyhow::Result<()> {
        self.hopeless += 1;
        ensure!(
            self.hopeless < HOPELESS,
            "{HOPELESS} {}: {}",
            translate(
                "pairs one after the other could not be judged, the last because",
                "对连续无法裁判，最后一次的原因"
            ),
            void.why
        );
        self.halves.remove(&job.tag.number);
        self.keep_pair(PlayedPair {
            number: job.tag.number,
            game: None,
            other_leg: None,
            void: Some(void),
        })
    }
}

/// What was counted.
#[derive(Default)]
struct ComparisonCount {
    pairs: PairTally,
    games: ScoreTally,
    /// Of the new version, and of the other.
    faults: [FaultCounts; 2],
    times: [TimeHistogram; 2],
    void: Vec<VoidMatch>,
    /// The replay of a pair that the new version lost.
    lost: Option<String>,
}

impl ComparisonCount {
    fn add_pair(&mut self, pair: &PlayedPair) {
        self.void.extend(pair.void.clone());
        let Some(scores) = pair.player_scores(NEW) else {
            return;
        };
        self.pairs.count_pair(scores);
        scores
            .into_iter()
            .for_each(|score| self.games.count_game(score));
        for (game, player) in pair
            .game_records()
            .flat_map(|game| [(game, NEW), (game, BASE)])
        {
            let entrant = player_entrant(game, player);
            self.faults[player].count_faults(game, entrant);
            self.times[player] += &game.times[entrant];
        }
        if self.lost.is_none() && scores.contains(&GameScore::Loss) {
            let lost =
                |game: &&GameRecord| game.score_of(player_entrant(game, NEW)) == GameScore::Loss;
            self.lost = pair
                .game_records()
                .find(lost)
                .or(pair.game.as_ref())
                .and_then(|game| game.replay.clone());
        }
    }

    /// Pairs so far, void ones too: the next one has this number.
    fn pair_count(&self) -> u64 {
        u64::from(self.pairs.pair_count()) + self.void.len() as u64
    }

    fn test_decision(&self, sprt: &Sprt) -> Decision {
        sprt.decide_test(&self.pairs)
    }

    fn estimate_difference(&self, sprt: &Sprt) -> Estimate {
        let nothing = Estimate {
            elo: 0.0,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            los: 0.5,
        };
        estimate_after_stop(sprt, &self.pairs, CONFIDENCE).unwrap_or(nothing)
    }

    fn progress_line(&self, sprt: &Sprt, pace: f64) -> String {
        let (lower, upper) = sprt.llr_bounds();
        let Estimate {
            elo,
            low,
            high,
            los,
        } = self.estimate_difference(sprt);
        let to_go = sprt.expected_pairs_to_go(&self.pairs).unwrap_or(0.0);
        format!(
            "{} {}  LLR {:+.2} ({lower:.2}, {upper:.2})  Elo {} {}  LOS {}  {} ~{:.0} ({})",
            translate("pairs", "对"),
            self.pairs.pair_count(),
            sprt.log_likelihood_ratio(&self.pairs),
            words::format_elo(elo),
            words::format_interval([low, high]),
            words::format_chance(los),
            translate("to go", "尚需约"),
            to_go.ceil(),
            words::format_duration(Duration::from_secs_f64((to_go / pace.max(1e-9)).min(1e9))),
        )
    }

    fn format_result(&self, sprt: &Sprt, names: &[String]) -> String {
        let (new, base) = (&names[NEW], &names[BASE]);
        let (lower, upper) = sprt.llr_bounds();
        let Estimate {
            elo,
            low,
            high,
            los,
        } = self.estimate_difference(sprt);
        let [alpha, beta] = [sprt.alpha, sprt.beta].map(words::format_percent);
        let both = |value: &dyn Fn(usize) -> String| {
            format!("{new}: {}; {base}: {}", value(NEW), value(BASE))
        };
        let rows = [
            (
                translate("result", "结论"),
                self.format_headline(sprt, new, base),
            ),
            (
                "LLR",
                format!(
                    "{:+.2} ({lower:.2}, {upper:.2})   {} {} Elo {} {} Elo; {} {alpha} / {beta}",
                    sprt.log_likelihood_ratio(&self.pairs),
                    translate("for", "检验"),
                    sprt.elo1,
                    translate("against", "对"),
                    sprt.elo0,
                    translate("errors", "错误率"),
                ),
            ),
            (
                "Elo",
                format!(
                    "{} {} (95 %)",
                    words::format_elo(elo),
                    words::format_interval([low, high])
                ),
            ),
            ("LOS", words::format_chance(los)),
            (translate("games", "局数"), self.games_line()),
            (translate("pairs", "成对结果"), self.pairs_line()),
            (
                translate("faults", "违规"),
                both(&|player| self.faults[player].describe_faults()),
            ),
            (
                translate("time a move", "每步用时"),
                both(&|player| words::format_times(&self.times[player])),
            ),
        ];
        let mut lines: Vec<String> = rows
            .iter()
            .map(|(label, value)| format_row(label, value))
            .collect();
        if self.test_decision(sprt) == Decision::Undecided
            && let Some(to_go) = sprt.expected_pairs_to_go(&self.pairs)
        {
            lines.push(format_row(
                translate("to go", "尚需"),
                &format!("~{:.0} {}", 2.0 * to_go.ceil(), translate("games", "局")),
            ));
        }
        lines.push(void::list_voids(
            self.void.iter(),
            names,
            translate(
                "the decision rests on the other pairs; if they are many, play fewer at once (-j) and compare again",
                "结论仅基于其余各对；如无效对局较多，请减少同时进行的对局（-j）后重新比较",
            ),
        ));
        lines.concat()
    }

    /// What the test says, in the words of its question: "not worse" where `elo0` is below 0.
    fn format_headline(&self, sprt: &Sprt, new: &str, base: &str) -> String {
        let (decision, zh) = (self.test_decision(sprt), translate("en", "zh") == "zh");
        let claim = match (decision, zh) {
            (Decision::Undecided, true) => return format!("未定：{new} 与 {base} 还需更多对局"),
            (Decision::Undecided, false) => {
                return format!("undecided: {new} against {base} needs more games");
            }
            (_, true) => claim_zh(sprt, decision, new, base),
            (_, false) => claim_en(sprt, decision, new, base),
        };
        let (elo0, elo1) = (words::format_elo(sprt.elo0), words::format_elo(sprt.elo1));
        let (fits, not) = if decision == Decision::Accepted {
            (elo1, elo0)
        } else {
            (elo0, elo1)
        };
        match zh {
            true => format!("{claim}（{fits} Elo 比 {not} Elo 更符合结果）"),
            false => format!("{claim} ({fits} Elo fits, {not} does not)"),
        }
    }

    fn games_line(&self) -> String {
        let ScoreTally {
            wins,
            draws,
            losses,
        } = self.games;
        let draw_share = f64::from(draws) / f64::from(self.games.game_count().max(1));
        format!(
            "{} : {wins} {}, {draws} {} ({}), {losses} {}; {} {}",
            self.games.game_count(),
            translate("won", "胜"),
            translate("drawn", "平"),
            words::format_percent(draw_share),
            translate("lost", "负"),
            words::format_percent(self.pairs.point_share()),
            translate("of the points", "得分率"),
        )
    }

    fn pairs_line(&self) -> String {
        let [ll, ld, dd, wd, ww] = self.pairs.0;
        format!(
            "{} : 0-2 {ll}, ½-1½ {ld}, 1-1 {dd}, 1½-½ {wd}, 2-0 {ww}",
            self.pairs.pair_count()
        )
    }

    fn result_json(&self, sprt: &Sprt, hall: &Roster, seed: u64) -> Value {
        let (lower, upper) = sprt.llr_bounds();
        let estimate = self.estimate_difference(sprt);
        let micros = |times: &TimeHistogram, share: f64| {
            times
                .time_quantile(share)
                .map(|time| time.as_micros() as u64)
        };
        let Drift { mean, .. } = sprt.llr_drift(&self.pairs, estimate.elo.clamp(-2000.0, 2000.0));
        json!({
            "game": hall.game_id(),
            "terms": hall.match_terms(),
            "entrants": hall.entrant_names(),
            "seed": seed,
            "decision": self.test_decision(sprt),
            "sprt": sprt,
            "llr": sprt.log_likelihood_ratio(&self.pairs),
            "llr_bounds": [lower, upper],
            "llr_a_pair": mean,
            "elo": finite_or_none(estimate.elo),
            "elo_interval": [finite_or_none(estimate.low), finite_or_none(estimate.high)],
            "confidence": CONFIDENCE,
            "los": estimate.los,
            "pairs": self.pairs.0,
            "games": self.games,
            "faults": self.faults,
            "move_us": self.times.each_ref().map(|times| {
                json!({"moves": times.move_count(), "median": micros(times, 0.5), "p99": micros(times, 0.99)})
            }),
            "void": self.void,
            "expected_games_to_go": sprt.expected_pairs_to_go(&self.pairs).map(|pairs| (2.0 * pairs).ceil()),
        })
    }
}

/// `accepted: v8 is better than v7`; with `elo0` below 0 it was only asked whether it is worse.
fn claim_en(sprt: &Sprt, decision: Decision, new: &str, base: &str) -> String {
    let Sprt { elo0, elo1, .. } = *sprt;
    match decision {
        Decision::Accepted if elo0 < 0.0 => {
            format!(
                "accepted: {new} is not worse than {base} by {} Elo or more",
                -elo0
            )
        }
        Decision::Accepted => format!("accepted: {new} is better than {base}"),
        _ if elo1 <= 0.0 => format!("rejected: {new} is worse than {base}"),
        _ => format!("rejected: {new} is not better than {base} by {elo1} Elo or more"),
    }
}

fn claim_zh(sprt: &Sprt, decision: Decision, new: &str, base: &str) -> String {
    let Sprt { elo0, elo1, .. } = *sprt;
    match decision {
        Decision::Accepted if elo0 < 0.0 => {
            format!("接受：{new} 并不比 {base} 弱 {} Elo 或更多", -elo0)
        }
        Decision::Accepted => format!("接受：{new} 强于 {base}"),
        _ if elo1 <= 0.0 => format!("拒绝：{new} 弱于 {base}"),
        _ => format!("拒绝：未见 {new} 比 {base} 强 {elo1} Elo 或更多"),
    }
}

/// JSON knows no infinity: null.
fn finite_or_none(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// A label and its value, aligned; Chinese characters are two columns wide.
fn format_row(label: &str, value: &str) -> String {
    let width: usize = label
        .chars()
        .map(|letter| if letter.is_ascii() { 1 } else { 2 })
        .sum();
    const BEGIN: usize = 16;
    let value = wrap_sentence(value, BEGIN);
    format!(
        "  {label}{}{value}\n",
        " ".repeat((BEGIN - 2).saturating_sub(width))
    )
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
        assert_eq!(format_row("Elo", "1"), "  Elo           1\n");
        assert_eq!(format_row("结论", "1"), "  结论          1\n");
    }
}
