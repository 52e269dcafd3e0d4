//! `leitai compare GAME NEW BASE`

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use leitai_game::Replay;
use leitai_ladder::sprt::Drift;
use leitai_ladder::stopped::{Estimate, estimate};
use leitai_ladder::{Decision, Pairs, Score, Sprt, Tally};
use serde_json::{Value, json};

use crate::ask::misused;
use crate::batch::hall::{Asked, changes};
use crate::batch::pair::entrant;
use crate::batch::workers::{Finished, HOPELESS, Job, Next, Series, play_series, workers};
use crate::batch::{Game, Hall, INTERRUPTED, Journal, Pair, Times, Void, void};
use crate::cli::CompareArgs;
use crate::lang::t;
use crate::report::faults::Faults;
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
    if let Some(why) = hall.broken() {
        bail!(
            "{why}; {}",
            t(
                "a comparison with it would say nothing: fix it, `leitai check` helps",
                "无法与之比较；请先修复（可用 leitai check 检查）"
            )
        );
    }
    let mut duel = Duel::begin(sprt, args, &hall)?;
    let workers = workers(args.series.jobs.map(usize::from), &hall);
    let ended = play_series(&mut duel, &hall, workers, stop)?;
    duel.bar.finish_and_clear();
    let names = hall.names();
    let text = match args.json {
        true => format!("{}\n", duel.count.json(&duel.sprt, &hall, duel.base_seed)),
        false => duel.count.text(&duel.sprt, &names),
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

/// The numbers of the two entrants.
const NEW: usize = 0;
const BASE: usize = 1;

/// A match of a comparison: the pair's number, and whether it is its other leg, played by itself.
#[derive(Clone, Copy)]
struct Place {
    number: u64,
    is_other_leg: bool,
}

/// A comparison while it is played. Pairs are counted in the order of their seeds, whichever ends first, so that quick
/// games (crashes, say) do not weigh more and the decision does not depend on how many are played at once.
struct Duel {
    sprt: Sprt,
    base_seed: u64,
    most: u64,
    given: u64,
    /// Pairs that ended before one with a lower number.
    early: BTreeMap<u64, Pair>,
    /// Matches that a fault decided in the first leg, and the other legs that are to be played.
    halves: BTreeMap<u64, Game>,
    other_legs: VecDeque<Job<Place>>,
    /// Void pairs since the last that was played.
    hopeless: u32,
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
            halves: BTreeMap::new(),
            other_legs: VecDeque::new(),
            hopeless: 0,
            count: Count::default(),
            journal: None,
            bar: ProgressBar::new(1000),
            begun: Instant::now(),
            played: 0,
            quiet: args.json,
        };
        let style = ProgressStyle::with_template("{prefix} {bar:20} {msg}").expect("a constant template");
        duel.bar.set_style(style.progress_chars("━╸─"));
        duel.bar.set_prefix(t("LLR between its bounds", "LLR 在界限间的位置"));
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
        let found = Journal::open::<Pair>(folder, &header)?;
        let changed = changes(&found.header, &header);
        ensure!(
            changed.is_empty(),
            "{} {}: {}; {}",
            folder.display(),
            t("holds another comparison", "中保存的是另一次比较"),
            changed.join(", "),
            t("choose another --folder", "请换一个 --folder"),
        );
        self.journal = Some(found.journal);
        self.early.extend(found.entries.into_iter().map(|pair| (pair.number, pair)));
        self.count_in_order();
        Ok(())
    }

    fn count_in_order(&mut self) {
        while self.count.decision(&self.sprt) == Decision::Undecided && self.count.number() < self.most {
            let Some(pair) = self.early.remove(&self.count.number()) else { break };
            self.count.add(&pair);
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
            files::say(&wrap_sentence(&line, 2));
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
        lines.into_iter().map(|line| format!("{}\n", wrap_sentence(&line, 2))).collect()
    }
}

/// 1, 2, 5, 10, 20, 50, …
pub fn is_round(number: u64) -> bool {
    number > 0 && {
        let unit = 10u64.pow(number.ilog10());
        number.is_multiple_of(unit) && matches!(number / unit, 1 | 2 | 5)
    }
}

impl Duel {
    /// The match of a pair. They begin alternately: where a fault in the first leg decides a match, who begins matters.
    fn job(&self, number: u64) -> Job<Place> {
        let pair = if number.is_multiple_of(2) { [NEW, BASE] } else { [BASE, NEW] };
        let seed = self.base_seed.wrapping_add(number);
        Job { tag: Place { number, is_other_leg: false }, pair, seed, board: 0, legs: Some(2) }
    }

    /// Keeps the replay, if there is a folder.
    fn keep_replay(&self, job: &Job<Place>, game: &mut Game, replay: &Replay) -> anyhow::Result<()> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let leg = if job.tag.is_other_leg { "-other-leg" } else { "" };
        let name = format!("replays/{}{leg}.json", job.seed);
        files::write(&journal.folder().join(&name), &replay.to_text())?;
        game.replay = Some(name);
        Ok(())
    }

    /// A pair is over.
    fn keep(&mut self, pair: Pair) -> anyhow::Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.append(&pair)?;
        }
        self.early.insert(pair.number, pair);
        let before = self.count.number();
        self.count_in_order();
        self.show(before);
        Ok(())
    }
}

impl Series for Duel {
    type Tag = Place;

    fn next(&mut self) -> anyhow::Result<Next<Place>> {
        if self.is_over() {
            return Ok(Next::Stop);
        }
        if let Some(job) = self.other_legs.pop_front() {
            return Ok(Next::Play(job));
        }
        while self.early.contains_key(&self.given) || self.given < self.count.number() {
            self.given += 1;
        }
        if self.given >= self.most {
            return Ok(Next::Wait);
        }
        let number = self.given;
        self.given += 1;
        Ok(Next::Play(self.job(number)))
    }

    fn done(&mut self, job: Job<Place>, finished: Finished) -> anyhow::Result<()> {
        let Finished { mut game, played } = finished;
        self.keep_replay(&job, &mut game, &played.replay)?;
        let Place { number, is_other_leg } = job.tag;
        if !is_other_leg && game.legs.len() < 2 {
            let [one, other] = job.pair;
            self.halves.insert(number, game);
            let tag = Place { number, is_other_leg: true };
            self.other_legs.push_back(Job { tag, pair: [other, one], legs: Some(1), ..job });
            return Ok(());
        }
        self.played += 1;
        self.hopeless = 0;
        let (game, other_leg) = match self.halves.remove(&number) {
            Some(first) => (first, Some(game)),
            None => (game, None),
        };
        self.keep(Pair { number, game: Some(game), other_leg, void: None })
    }

    fn void(&mut self, job: Job<Place>, void: Void) -> anyhow::Result<()> {
        self.hopeless += 1;
        ensure!(
            self.hopeless < HOPELESS,
            "{HOPELESS} {}: {}",
            t(
                "pairs one after the other could not be judged, the last because",
                "对连续无法裁判，最后一次的原因"
            ),
            void.why
        );
        self.halves.remove(&job.tag.number);
        self.keep(Pair { number: job.tag.number, game: None, other_leg: None, void: Some(void) })
    }
}

/// What was counted.
#[derive(Default)]
struct Count {
    pairs: Pairs,
    games: Tally,
    /// Of the new version, and of the other.
    faults: [Faults; 2],
    times: [Times; 2],
    void: Vec<Void>,
    /// The replay of a pair that the new version lost.
    lost: Option<String>,
}

impl Count {
    fn add(&mut self, pair: &Pair) {
        self.void.extend(pair.void.clone());
        let Some(scores) = pair.scores(NEW) else { return };
        self.pairs.count(scores);
        scores.into_iter().for_each(|score| self.games.count(score));
        for (game, player) in pair.games().flat_map(|game| [(game, NEW), (game, BASE)]) {
            let entrant = entrant(game, player);
            self.faults[player].count(game, entrant);
            self.times[player] += &game.times[entrant];
        }
        if self.lost.is_none() && scores.contains(&Score::Loss) {
            let lost = |game: &&Game| game.score_of(entrant(game, NEW)) == Score::Loss;
            self.lost = pair.games().find(lost).or(pair.game.as_ref()).and_then(|game| game.replay.clone());
        }
    }

    /// Pairs so far, void ones too: the next one has this number.
    fn number(&self) -> u64 {
        u64::from(self.pairs.pairs()) + self.void.len() as u64
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
            self.pairs.pairs(),
            sprt.llr(&self.pairs),
            words::elo(elo),
            words::interval([low, high]),
            words::chance(los),
            t("to go", "尚需约"),
            to_go.ceil(),
            words::about(Duration::from_secs_f64((to_go / pace.max(1e-9)).min(1e9))),
        )
    }

    fn text(&self, sprt: &Sprt, names: &[String]) -> String {
        let (new, base) = (&names[NEW], &names[BASE]);
        let (lower, upper) = sprt.bounds();
        let Estimate { elo, low, high, los } = self.estimate(sprt);
        let [alpha, beta] = [sprt.alpha, sprt.beta].map(words::percent);
        let both =
            |value: &dyn Fn(usize) -> String| format!("{new}: {}; {base}: {}", value(NEW), value(BASE));
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
            (t("faults", "违规"), both(&|player| self.faults[player].words())),
            (t("time a move", "每步用时"), both(&|player| words::times(&self.times[player]))),
        ];
        let mut lines: Vec<String> = rows.iter().map(|(label, value)| row(label, value)).collect();
        if self.decision(sprt) == Decision::Undecided
            && let Some(to_go) = sprt.expected_pairs_to_go(&self.pairs)
        {
            lines.push(row(t("to go", "尚需"), &format!("~{:.0} {}", 2.0 * to_go.ceil(), t("games", "局"))));
        }
        lines.push(void::text(
            self.void.iter(),
            names,
            t(
                "the decision rests on the other pairs; if they are many, play fewer at once (-j) and compare again",
                "结论仅基于其余各对；如无效对局较多，请减少同时进行的对局（-j）后重新比较",
            ),
        ));
        lines.concat()
    }

    /// What the test says, in the words of its question: "not worse" where `elo0` is below 0.
    fn headline(&self, sprt: &Sprt, new: &str, base: &str) -> String {
        let (decision, zh) = (self.decision(sprt), t("en", "zh") == "zh");
        let claim = match (decision, zh) {
            (Decision::Undecided, true) => return format!("未定：{new} 与 {base} 还需更多对局"),
            (Decision::Undecided, false) => {
                return format!("undecided: {new} against {base} needs more games");
            }
            (_, true) => claim_zh(sprt, decision, new, base),
            (_, false) => claim_en(sprt, decision, new, base),
        };
        let (elo0, elo1) = (words::elo(sprt.elo0), words::elo(sprt.elo1));
        let (fits, not) = if decision == Decision::Accepted { (elo1, elo0) } else { (elo0, elo1) };
        match zh {
            true => format!("{claim}（{fits} Elo 比 {not} Elo 更符合结果）"),
            false => format!("{claim} ({fits} Elo fits, {not} does not)"),
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
        format!("{} : 0-2 {ll}, ½-1½ {ld}, 1-1 {dd}, 1½-½ {wd}, 2-0 {ww}", self.pairs.pairs())
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
            format!("accepted: {new} is not worse than {base} by {} Elo or more", -elo0)
        }
        Decision::Accepted => format!("accepted: {new} is better than {base}"),
        _ if elo1 <= 0.0 => format!("rejected: {new} is worse than {base}"),
        _ => format!("rejected: {new} is not better than {base} by {elo1} Elo or more"),
    }
}

fn claim_zh(sprt: &Sprt, decision: Decision, new: &str, base: &str) -> String {
    let Sprt { elo0, elo1, .. } = *sprt;
    match decision {
        Decision::Accepted if elo0 < 0.0 => format!("接受：{new} 并不比 {base} 弱 {} Elo 或更多", -elo0),
        Decision::Accepted => format!("接受：{new} 强于 {base}"),
        _ if elo1 <= 0.0 => format!("拒绝：{new} 弱于 {base}"),
        _ => format!("拒绝：未见 {new} 比 {base} 强 {elo1} Elo 或更多"),
    }
}

/// JSON knows no infinity: null.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// A label and its value, aligned; Chinese characters are two columns wide.
fn row(label: &str, value: &str) -> String {
    let width: usize = label.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
    const BEGIN: usize = 16;
    let value = wrap_sentence(value, BEGIN);
    format!("  {label}{}{value}\n", " ".repeat((BEGIN - 2).saturating_sub(width)))
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
