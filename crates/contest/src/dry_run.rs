//! A contest played on paper: matches, hours, and how much its result says.
//!
//! The strengths of the simulated entrants are the quantiles of a normal distribution; who is
//! seeded where is drawn. Every match has a winner, by the logistic curve of Elo. The same numbers
//! and the same seed give the same answer.

use leitai_game::text::LocalizedText;
use leitai_ladder::elo::expected_score;
use leitai_ladder::normal::normal_quantile;
use leitai_ladder::tournament::{EncounterResults, FinishedEncounter, TournamentFormat};
use serde::{Deserialize, Serialize};

use crate::file::{Contest, MAX_MATCHES, StageFormat, StageRules};
use crate::problem::both;
use crate::progress::mix;
use crate::standing::rank_players;

/// Encounters that are simulated altogether, about.
const WORK: usize = 1_000_000;
/// A field of so many entrants costs twice as much to pair as a small one.
const FIELD: usize = 10;
/// The fewest and the most simulated contests.
const RUNS: [usize; 2] = [20, 500];

/// What a dry run assumes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Assumptions {
    /// Entrants.
    pub entrants: usize,
    /// Matches at a time.
    pub workers: usize,
    /// Seconds of a match.
    pub match_seconds: f64,
    /// Seconds of processor time of a match.
    pub match_cpu_seconds: f64,
    /// Seconds of a match in which every period takes the whole limit.
    pub longest_match_seconds: f64,
    /// The standard deviation of the entrants' strengths, in Elo.
    pub spread: f64,
    /// The seed of the simulation.
    pub seed: u64,
}

/// What a stage takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StageEstimate {
    /// The stage's name.
    pub name: LocalizedText,
    /// Its entrants.
    pub entrants: usize,
    /// The fewest and the most matches.
    pub matches: [u64; 2],
    /// Hours of processor time, at most.
    pub cpu_hours: f64,
    /// When it begins, in seconds since 1970.
    pub begins: i64,
    /// When it ends, in seconds since 1970.
    pub ends: i64,
    /// When it ends if every period takes the whole limit.
    pub ends_at_the_latest: i64,
    /// Whether it begins later than its date because the stage before is not over.
    pub is_delayed: bool,
}

/// How much a contest's result says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Quality {
    /// The chance that the best entrant wins.
    pub best_wins: f64,
    /// The standard error of that chance, from the number of simulated contests.
    pub best_wins_error: f64,
    /// The mean difference of an entrant's place from its true place.
    pub ranking_error: f64,
    /// Simulated contests.
    pub runs: usize,
}

/// A change of the contest, and what it brings.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Advice {
    /// The change.
    pub change: LocalizedText,
    /// The most matches with it.
    pub matches: u64,
    /// What the result then says.
    pub quality: Quality,
}

/// The result of a dry run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DryRun {
    /// What it assumes.
    pub assumptions: Assumptions,
    /// The stages.
    pub stages: Vec<StageEstimate>,
    /// The fewest and the most matches.
    pub matches: [u64; 2],
    /// Hours of processor time, at most.
    pub cpu_hours: f64,
    /// When the contest ends, in seconds since 1970.
    pub ends: i64,
    /// What its result says.
    pub quality: Quality,
    /// The cheapest change that halves the chance that another than the best wins.
    pub halves_wrong_winner: Option<Advice>,
    /// The cheapest change that halves the ranking error.
    pub halves_ranking_error: Option<Advice>,
    /// What the organiser should know.
    pub warnings: Vec<LocalizedText>,
}

/// Plays the contest on paper.
pub fn dry_run(contest: &Contest, assumptions: &Assumptions) -> DryRun {
    let entrants = assumptions.entrants.min(contest.entry.most as usize);
    let assumptions = Assumptions {
        entrants,
        workers: assumptions.workers.max(1),
        ..*assumptions
    };
    let estimates = estimate_stages(contest, &assumptions);
    let total = |stages: &[StageEstimate]| {
        [0, 1].map(|at| stages.iter().map(|stage| stage.matches[at]).sum::<u64>())
    };
    let quality = measure_quality(&contest.stages, &assumptions);
    let tried: Vec<Advice> = list_changes(contest)
        .into_iter()
        .map(|(change, stages)| Advice {
            change,
            matches: count_matches(&stages, entrants),
            quality: measure_quality(&stages, &assumptions),
        })
        .collect();
    let cheapest = |is_enough: &dyn Fn(&Quality) -> bool| {
        let enough = tried.iter().filter(|advice| is_enough(&advice.quality));
        enough.min_by_key(|advice| advice.matches).cloned()
    };
    let is_worth = entrants >= 2;
    DryRun {
        matches: total(&estimates),
        cpu_hours: estimates.iter().map(|stage| stage.cpu_hours).sum(),
        ends: estimates.last().map_or(contest.freezes, |stage| stage.ends),
        halves_wrong_winner: (is_worth && quality.best_wins < 1.0)
            .then(|| cheapest(&|other| 1.0 - other.best_wins <= (1.0 - quality.best_wins) / 2.0))
            .flatten(),
        halves_ranking_error: (is_worth && quality.ranking_error > 0.0)
            .then(|| cheapest(&|other| other.ranking_error <= quality.ranking_error / 2.0))
            .flatten(),
        warnings: list_warnings(contest, entrants, &estimates),
        stages: estimates,
        quality,
        assumptions,
    }
}

fn list_warnings(
    contest: &Contest,
    entrants: usize,
    estimates: &[StageEstimate],
) -> Vec<LocalizedText> {
    let mut warnings = Vec::new();
    let least = contest.entry.least;
    if entrants < least as usize {
        warnings.push(both(
            format!("with {entrants} entrants the contest is annulled: entry.least is {least}"),
            format!("只有 {entrants} 个参赛方时赛事会取消：entry.least 为 {least}"),
        ));
    }
    for stage in estimates.iter().filter(|stage| stage.is_delayed) {
        let (en, zh) = (&stage.name.en, &stage.name.zh);
        warnings.push(both(
            format!("{en} begins late: the stage before is not over at its date"),
            format!("{zh} 会推迟开始：到它的日期时前一阶段尚未结束"),
        ));
    }
    warnings
}

fn estimate_stages(contest: &Contest, assumptions: &Assumptions) -> Vec<StageEstimate> {
    let (mut ends, mut latest) = (contest.freezes, contest.freezes);
    let players = contest.players_by_stage(assumptions.entrants);
    let estimate = |(stage, players): (&StageRules, usize)| {
        let waves = list_waves(stage, players, assumptions.seed);
        let steps: u64 = waves
            .iter()
            .map(|wave| (wave * u64::from(stage.matches)).div_ceil(assumptions.workers as u64))
            .sum();
        let counts = stage.format.among(players).encounter_counts(players);
        let matches = counts.map(|count| count as u64 * u64::from(stage.matches));
        let begins = stage.starts.map_or(ends, |starts| starts.max(ends));
        let is_delayed = stage.starts.is_some_and(|starts| starts < ends);
        let after = |begins: i64, seconds: f64| {
            begins.saturating_add((steps as f64 * seconds).ceil() as i64)
        };
        latest = stage.starts.map_or(latest, |starts| starts.max(latest));
        (ends, latest) = (
            after(begins, assumptions.match_seconds),
            after(latest, assumptions.longest_match_seconds),
        );
        StageEstimate {
            name: stage.name.clone(),
            entrants: players,
            matches,
            cpu_hours: matches[1] as f64 * assumptions.match_cpu_seconds / 3600.0,
            begins,
            ends,
            ends_at_the_latest: latest,
            is_delayed,
        }
    };
    contest.stages.iter().zip(players).map(estimate).collect()
}

/// The encounters that can be played at the same time, one number after the other.
fn list_waves(stage: &StageRules, players: usize, seed: u64) -> Vec<u64> {
    let strengths = vec![0.0; players];
    let mut waves = Vec::new();
    let format = stage.format.among(players);
    play_stage(format, 1, &strengths, &mut Chance::new(seed), &mut |wave| {
        waves.push(wave as u64);
    });
    waves
}

fn count_matches(stages: &[StageRules], entrants: usize) -> u64 {
    let mut players = entrants;
    let count = |stage: &StageRules| {
        players = stage.count_players(players);
        let [_, most] = stage.format.among(players).encounter_counts(players);
        most as u64 * u64::from(stage.matches)
    };
    stages.iter().map(count).sum()
}

/// The contest's stages, those whose format this changes with the new one.
fn change_formats(
    contest: &Contest,
    change: impl Fn(&StageFormat) -> Option<StageFormat>,
) -> Vec<StageRules> {
    let changed = |stage: &StageRules| StageRules {
        format: change(&stage.format).unwrap_or(stage.format),
        ..stage.clone()
    };
    contest.stages.iter().map(changed).collect()
}

/// Changes that are tried, each with the stages that it leads to.
fn list_changes(contest: &Contest) -> Vec<(LocalizedText, Vec<StageRules>)> {
    let more_matches = |times: u32| {
        let more = |stage: &StageRules| StageRules {
            matches: stage.matches * times,
            ..stage.clone()
        };
        let text = both(
            format!("{times} times as many matches in each encounter (matches)"),
            format!("每对参赛方的比赛数增至 {times} 倍（matches）"),
        );
        (text, contest.stages.iter().map(more).collect())
    };
    let more_rounds = change_formats(contest, |format| match format {
        StageFormat::Swiss { rounds } => rounds.map(|rounds| StageFormat::Swiss {
            rounds: Some(rounds * 2),
        }),
        _ => None,
    });
    let everyone = change_formats(contest, |format| {
        matches!(format, StageFormat::Single | StageFormat::Double)
            .then_some(StageFormat::RoundRobin { rounds: 1 })
    });
    let double = change_formats(contest, |format| {
        matches!(format, StageFormat::Single).then_some(StageFormat::Double)
    });
    let mut all = vec![
        (
            both(
                "double elimination instead of single",
                "单败淘汰改为双败淘汰",
            ),
            double,
        ),
        (
            both("twice as many Swiss rounds", "瑞士制轮数加倍"),
            more_rounds,
        ),
        (
            both("round robin instead of the knockout", "淘汰赛改为循环赛"),
            everyone,
        ),
    ];
    all.extend([2, 4, 8, 16].map(more_matches));
    let most = contest.entry.most as usize;
    all.retain(|(_, stages)| {
        *stages != contest.stages && count_matches(stages, most) <= MAX_MATCHES * 4
    });
    all
}

/// Simulates contests with these stages.
fn measure_quality(stages: &[StageRules], assumptions: &Assumptions) -> Quality {
    let entrants = assumptions.entrants;
    let matches = count_matches(stages, entrants) as usize;
    let strengths: Vec<f64> = (0..entrants)
        .map(|one| -assumptions.spread * normal_quantile((one as f64 + 0.5) / entrants as f64))
        .collect();
    let [least, most] = RUNS;
    let runs = (WORK / (matches.max(1) * (1 + entrants / FIELD))).clamp(least, most);
    let (mut wins, mut error) = (0_usize, 0.0);
    for run in 0..runs {
        let order = play_contest(stages, &strengths, assumptions.seed ^ mix(run as u64));
        wins += usize::from(order.first() == Some(&0));
        let off = order
            .iter()
            .enumerate()
            .map(|(place, one)| place.abs_diff(*one));
        error += off.sum::<usize>() as f64 / entrants.max(1) as f64;
    }
    let best_wins = wins as f64 / runs as f64;
    Quality {
        best_wins,
        best_wins_error: (best_wins * (1.0 - best_wins) / runs as f64).sqrt(),
        ranking_error: error / runs as f64,
        runs,
    }
}

/// The final ranking of one simulated contest: entrants by their true place, from 0.
fn play_contest(stages: &[StageRules], strengths: &[f64], seed: u64) -> Vec<usize> {
    let entrants = strengths.len();
    let mut chance = Chance::new(mix(seed));
    // Who is seeded where says nothing before the first match.
    let mut order: Vec<usize> = (0..entrants).collect();
    for at in (1..entrants).rev() {
        order.swap(at, chance.below(at as u64 + 1));
    }
    for stage in stages {
        let players = stage.count_players(order.len());
        let seeded = order[..players].to_vec();
        let strengths: Vec<f64> = seeded.iter().map(|one| strengths[*one]).collect();
        let format = stage.format.among(players);
        let results = play_stage(format, stage.matches, &strengths, &mut chance, &mut |_| {});
        let rows = rank_players(format, players, stage.matches, &results, &stage.tie_breaks);
        for (place, row) in rows.iter().enumerate() {
            order[place] = seeded[row.player];
        }
    }
    order
}

/// Plays a stage; `on_wave` gets the number of encounters that could be played at the same time.
fn play_stage(
    format: TournamentFormat,
    matches: u32,
    strengths: &[f64],
    chance: &mut Chance,
    on_wave: &mut dyn FnMut(usize),
) -> EncounterResults {
    let mut results = EncounterResults::new();
    loop {
        let open = format.open_encounters(strengths.len(), &results);
        if open.is_empty() {
            return results;
        }
        on_wave(open.len());
        for encounter in open {
            let [one, other] = encounter.pair;
            let share = expected_score(strengths[one] - strengths[other]);
            let won = (0..matches).filter(|_| chance.share() < share).count() as f64;
            let (pair, points) = (encounter.pair, [won, f64::from(matches) - won]);
            results.insert(encounter.key, FinishedEncounter { pair, points });
        }
    }
}

/// Random numbers of the simulation.
#[doc(hidden)] // For tests.
pub struct Chance(u64);

impl Chance {
    /// Numbers that follow from this one.
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// From 0 to 1.
    #[doc(hidden)] // For tests.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From the standard normal distribution.
    #[doc(hidden)] // For tests.
    pub fn normal(&mut self) -> f64 {
        normal_quantile(self.share().clamp(1e-12, 1.0 - 1e-12))
    }

    fn below(&mut self, end: u64) -> usize {
        (self.next() % end.max(1)) as usize
    }
}
