//! How a running contest may go on: the chance to win and the places that are still open.
//!
//! The strengths that the results so far leave open are sampled (Metropolis, coordinate by
//! coordinate) from Bradley and Terry's model with a normal prior; with each sample the rest of the
//! contest is played on paper. Draws are as frequent as so far. The same results and the same seed
//! give the same answer.

use std::collections::BTreeMap;

use leitai_ladder::elo::expected_score;
use leitai_ladder::tournament::{EncounterResults, FinishedEncounter};
use serde::Serialize;

use crate::dry_run::Chance;
use crate::progress::{MatchPlace, MatchPoints, mix};
use crate::rules::StageRules;
use crate::standing::rank_players;

/// The standard deviation of strengths before the first result, in Elo.
#[doc(hidden)] // For tests.
pub const SPREAD: f64 = 200.0;
/// Encounters that are simulated altogether, about; the more, the surer.
const WORK: usize = 1_000_000;
/// A field of so many entrants costs twice as much to pair as a small one.
const FIELD: usize = 10;
/// The fewest simulated contests that say anything, and the most.
const RUNS: [usize; 2] = [50, 1000];
/// Sweeps over all strengths before the first sample, and between two samples.
const SWEEPS: [usize; 2] = [100, 3];
/// Places are given so that the final one is among them in this share of simulated contests.
const CONFIDENCE: f64 = 0.95;

/// How a contest may go on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Forecast {
    /// The players of the running stage, by seed.
    pub players: Vec<PlayerForecast>,
    /// Simulated contests.
    pub runs: usize,
}

/// What a player may still reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlayerForecast {
    /// The chance to be first of the running stage.
    pub first: f64,
    /// The chance to win the contest.
    pub win: f64,
    /// The best and the worst place of the running stage, in 95 of 100 simulations.
    pub places: [usize; 2],
}

/// What is known of a running stage; players are seeds.
#[derive(Clone, Copy, Debug)]
pub struct RunningStage<'a> {
    /// The rules of this stage and of those after it.
    pub stages: &'a [StageRules],
    /// The number of players.
    pub players: usize,
    /// Who withdrew or was disqualified.
    pub absent: &'a [bool],
    /// The results of this stage.
    pub results: &'a BTreeMap<MatchPlace, Vec<MatchPoints>>,
    /// Results between these players in earlier stages.
    pub earlier: &'a [MatchPoints],
}

/// Simulates the rest of a contest; `None` if the field is too large for a useful answer, or nothing
/// is left to be played.
pub fn forecast_contest(running: &RunningStage<'_>, seed: u64) -> Option<Forecast> {
    let (now, later) = running.stages.split_first()?;
    let runs = count_runs(running)?;
    let played = running.results.values().flatten();
    let all: Vec<MatchPoints> = running.earlier.iter().chain(played).copied().collect();
    let mut strengths = Strengths::new(running.players, &all, mix(seed));
    let mut chance = Chance::new(mix(seed ^ 1));
    let mut places = vec![vec![0_u32; running.players]; running.players];
    let mut wins = vec![0_u32; running.players];
    strengths.sweep(SWEEPS[0]);
    for _ in 0..runs {
        strengths.sweep(SWEEPS[1]);
        let mut table = Table {
            strengths: &strengths.now,
            draws: strengths.draws,
            chance: &mut chance,
        };
        let order = table.play_stage(now, running.absent, running.results);
        for (place, player) in order.iter().enumerate() {
            places[*player][place] += 1;
        }
        let winner = table.play_on(later, running.absent, order);
        if let Some(wins) = winner.and_then(|player| wins.get_mut(player)) {
            *wins += 1;
        }
    }
    let share = |count: u32| f64::from(count) / runs as f64;
    let player = |(places, wins): (&Vec<u32>, &u32)| PlayerForecast {
        first: share(places[0]),
        win: share(*wins),
        places: central_places(places, runs),
    };
    Some(Forecast {
        players: places.iter().zip(&wins).map(player).collect(),
        runs,
    })
}

/// How many contests are simulated.
fn count_runs(running: &RunningStage<'_>) -> Option<usize> {
    if running.players < 2 {
        return None;
    }
    let mut players = running.players;
    let mut encounters = 0;
    for (number, stage) in running.stages.iter().enumerate() {
        if number > 0 {
            players = stage.count_players(players);
        }
        let [_, most] = stage.format.among(players).encounter_counts(players);
        encounters += most * (1 + players / FIELD);
    }
    let [least, most] = RUNS;
    let runs = WORK / encounters.max(1);
    (runs >= least).then(|| runs.min(most))
}

/// The first and the last place of the shortest middle that holds [`CONFIDENCE`] of the runs.
fn central_places(places: &[u32], runs: usize) -> [usize; 2] {
    let tail = (runs as f64 * (1.0 - CONFIDENCE) / 2.0).floor() as u32;
    let mut sum = 0;
    let mut passes_tail = |count: &u32| {
        sum += count;
        sum > tail
    };
    let best = places.iter().position(&mut passes_tail).unwrap_or(0) + 1;
    sum = 0;
    let mut passes_tail = |count: &u32| {
        sum += count;
        sum > tail
    };
    let worst = places.iter().rposition(&mut passes_tail).unwrap_or(0) + 1;
    [best, worst.max(best)]
}

/// Strengths that the results leave open, in Elo.
struct Strengths {
    now: Vec<f64>,
    /// By player: opponents, and the points of each against them.
    games: Vec<Vec<(usize, f64, f64)>>,
    /// The width of a proposal, by player.
    steps: Vec<f64>,
    /// The share of drawn matches.
    draws: f64,
    chance: Chance,
}

impl Strengths {
    #[doc(hidden)] // For tests.
    pub fn new(players: usize, results: &[MatchPoints], seed: u64) -> Strengths {
        let mut met: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
        let mut drawn = 0;
        for result in results {
            let [one, other] = result.pair;
            let [points, lost] = result.points;
            for (pair, (points, lost)) in [
                ((one, other), (points, lost)),
                ((other, one), (lost, points)),
            ] {
                let sum = met.entry(pair).or_default();
                *sum = (sum.0 + points, sum.1 + lost);
            }
            drawn += usize::from(points.total_cmp(&lost).is_eq());
        }
        let mut games = vec![Vec::new(); players];
        for ((one, other), (points, lost)) in met {
            if let Some(games) = games.get_mut(one) {
                games.push((other, points, lost));
            }
        }
        let steps = games.iter().map(|games| proposal_width(games)).collect();
        Strengths {
            now: vec![0.0; players],
            games,
            steps,
            // A field of bots hardly ever draws before it has.
            draws: drawn as f64 / (results.len() + 10) as f64,
            chance: Chance::new(seed),
        }
    }

    /// Draws every strength anew, given the others, so many times.
    fn sweep(&mut self, times: usize) {
        for _ in 0..times {
            for player in 0..self.now.len() {
                let old = self.now[player];
                let new = old + self.steps[player] * self.chance.normal();
                let gain = self.log_density(player, new) - self.log_density(player, old);
                if gain >= 0.0 || self.chance.share() < gain.exp() {
                    self.now[player] = new;
                }
            }
        }
    }

    /// The logarithm of the density of a player's strength, up to a constant.
    fn log_density(&self, player: usize, strength: f64) -> f64 {
        let prior = -0.5 * (strength / SPREAD).powi(2);
        let games = self.games[player].iter().map(|(other, points, lost)| {
            let share = expected_score(strength - self.now[*other]);
            points * share.max(1e-12).ln() + lost * (1.0 - share).max(1e-12).ln()
        });
        prior + games.sum::<f64>()
    }
}

/// About the standard deviation of a strength given the others.
fn proposal_width(games: &[(usize, f64, f64)]) -> f64 {
    // A game between equals tells a quarter of a logit squared; a logit has 400 / ln 10 Elo.
    let logit = 400.0 / std::f64::consts::LN_10;
    let count: f64 = games.iter().map(|(_, points, lost)| points + lost).sum();
    let precision = count / 4.0 / logit.powi(2) + SPREAD.powi(-2);
    2.0 * precision.sqrt().recip()
}

/// Plays on paper.
struct Table<'a> {
    strengths: &'a [f64],
    draws: f64,
    chance: &'a mut Chance,
}

impl Table<'_> {
    /// The players of a stage in their final order; what was played stays.
    fn play_stage(
        &mut self,
        rules: &StageRules,
        absent: &[bool],
        results: &BTreeMap<MatchPlace, Vec<MatchPoints>>,
    ) -> Vec<usize> {
        let players = self.strengths.len();
        let everyone: Vec<usize> = (0..players).collect();
        self.play_among(rules, &everyone, absent, results)
    }

    /// The winner after further stages, without those who are absent.
    fn play_on(
        &mut self,
        stages: &[StageRules],
        absent: &[bool],
        mut order: Vec<usize>,
    ) -> Option<usize> {
        for stage in stages {
            order.retain(|player| absent.get(*player) != Some(&true));
            order.truncate(stage.count_players(order.len()));
            order = self.play_among(stage, &order, &[], &BTreeMap::new());
        }
        order.first().copied()
    }

    /// The final order among these players, who are given by seed; results have their seeds.
    fn play_among(
        &mut self,
        rules: &StageRules,
        seeded: &[usize],
        absent: &[bool],
        results: &BTreeMap<MatchPlace, Vec<MatchPoints>>,
    ) -> Vec<usize> {
        let (players, format) = (seeded.len(), rules.format.among(seeded.len()));
        let mut finished = EncounterResults::new();
        loop {
            let open = format.open_encounters(players, &finished);
            if open.is_empty() {
                break;
            }
            for encounter in open {
                let pair = encounter.pair;
                let is_absent = pair.map(|seed| absent.get(seed) == Some(&true));
                let mut points = [0.0; 2];
                for number in 0..rules.matches {
                    let met = results.get(&(encounter.key, number));
                    let mut met = met.into_iter().flatten();
                    let brought = match met.find(|met| met.pair == pair) {
                        Some(met) => met.points,
                        None => self.play_match(pair.map(|seed| seeded[seed]), is_absent),
                    };
                    points = [points[0] + brought[0], points[1] + brought[1]];
                }
                finished.insert(encounter.key, FinishedEncounter { pair, points });
            }
        }
        let rows = rank_players(format, players, rules.matches, &finished, &rules.tie_breaks);
        rows.iter().map(|row| seeded[row.player]).collect()
    }

    /// The points of a match that was not played.
    fn play_match(&mut self, [one, other]: [usize; 2], is_absent: [bool; 2]) -> [f64; 2] {
        match is_absent {
            [true, true] => return [0.0, 0.0],
            [true, false] => return [0.0, 1.0],
            [false, true] => return [1.0, 0.0],
            [false, false] => {}
        }
        let share = expected_score(self.strengths[one] - self.strengths[other]);
        // Between unequal players draws are rarer; the expected points stay.
        let drawn = self.draws * 2.0 * share.min(1.0 - share);
        let at = self.chance.share();
        if at < share - drawn / 2.0 {
            [1.0, 0.0]
        } else if at < share + drawn / 2.0 {
            [0.5, 0.5]
        } else {
            [0.0, 1.0]
        }
    }
}
