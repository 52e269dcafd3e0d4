//! The result of a comparison, and its report.

use std::time::Duration;

use leitai_ladder::sprt::Drift;
use leitai_ladder::stopped_estimate::{Estimate, estimate_after_stop};
use leitai_ladder::{Decision, GameScore, PairTally, ScoreTally, Sprt};
use serde_json::{Value, json};

use crate::columns;
use crate::pair::player_entrant;
use crate::report::faults::FaultCounts;
use crate::report::words;
use crate::void_match::list_voids;
use crate::{
    DistinctGames, EloUnit, GameRecord, Language, PlayedPair, Roster, TimeHistogram, VoidMatch,
};

/// The number of the new version in the roster.
pub const NEW: usize = 0;
/// The number of the old version in the roster.
pub const BASE: usize = 1;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// The column in which the values of a result begin.
pub const VALUE_COLUMN: usize = 16;

/// The result of a comparison, or of its pairs so far.
#[derive(Clone, Debug)]
pub struct ComparisonResult {
    /// The test.
    pub sprt: Sprt,
    /// The seed of the first pair.
    pub seed: u64,
    /// The game's id.
    pub game: String,
    /// The terms of every match, see [`Roster::match_terms`].
    pub terms: Value,
    /// The names of the new version and of the old one.
    pub names: [String; 2],
    /// Results of pairs.
    pub pairs: PairTally,
    /// What Elo is about.
    pub elo: EloUnit,
    /// Results of games, for the new version.
    pub games: ScoreTally,
    /// Faults of the new version and of the old one.
    pub faults: [FaultCounts; 2],
    /// The times of their moves.
    pub times: [TimeHistogram; 2],
    /// Pairs that could not be judged.
    pub void: Vec<VoidMatch>,
    /// Which games were new. A pair of copies is counted only here.
    pub distinct: DistinctGames,
    /// Pairs without a new game.
    pub repeated: u64,
    /// The replay of a pair that the new version lost, as a path in the folder.
    pub lost_replay: Option<String>,
}

impl ComparisonResult {
    /// No pairs so far, between the entrants of a roster.
    pub(super) fn new(sprt: Sprt, seed: u64, elo: EloUnit, roster: &Roster) -> ComparisonResult {
        let names = [NEW, BASE].map(|player| roster.players[player].name.clone());
        let game = roster.game_id().to_owned();
        ComparisonResult {
            elo,
            ..ComparisonResult::begin(sprt, seed, (game, roster.match_terms()), names)
        }
    }

    /// No pairs so far, of a game with its terms, between these two names, the new version first. For
    /// who plays the pairs elsewhere, and counts them with [`ComparisonResult::add_pair`].
    pub fn begin(
        sprt: Sprt,
        seed: u64,
        (game, terms): (String, Value),
        names: [String; 2],
    ) -> ComparisonResult {
        ComparisonResult {
            sprt,
            seed,
            game,
            terms,
            names,
            pairs: PairTally::default(),
            elo: EloUnit::default(),
            games: ScoreTally::default(),
            faults: Default::default(),
            times: Default::default(),
            void: Vec::new(),
            distinct: DistinctGames::default(),
            repeated: 0,
            lost_replay: None,
        }
    }

    /// Whether nothing more is to be played, if there are at most so many pairs.
    pub fn is_over(&self, max_pairs: u64) -> bool {
        self.decision() != Decision::Undecided
            || self.is_exhausted()
            || self.pair_count() >= max_pairs
    }

    /// The log-likelihood ratio of the test so far.
    pub fn llr(&self) -> f64 {
        self.sprt.log_likelihood_ratio(&self.evidence())
    }

    /// Counts a pair. A pair of copies of earlier games tells nothing new.
    pub fn add_pair(&mut self, pair: &PlayedPair) {
        self.void.extend(pair.void.clone());
        let Some(scores) = pair.player_scores(NEW) else {
            return;
        };
        if !self.distinct.count_match(pair.game_records()) {
            self.repeated += 1;
            return;
        }
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
        if self.lost_replay.is_none() && scores.contains(&GameScore::Loss) {
            let lost =
                |game: &&GameRecord| game.score_of(player_entrant(game, NEW)) == GameScore::Loss;
            self.lost_replay = pair
                .game_records()
                .find(lost)
                .or(pair.game.as_ref())
                .and_then(|game| game.replay.clone());
        }
    }

    /// The number of pairs so far, including void and repeated ones; it is the number of the next
    /// pair.
    pub fn pair_count(&self) -> u64 {
        u64::from(self.pairs.pair_count()) + self.void.len() as u64 + self.repeated
    }

    /// Whether the two do not play any new game under these conditions.
    pub fn is_exhausted(&self) -> bool {
        self.distinct.is_exhausted([NEW, BASE], 1)
    }

    /// The pairs as they count for the test.
    fn evidence(&self) -> PairTally {
        self.elo.count_pairs(&self.pairs)
    }

    /// Where the test stands between its bounds, from 0 to 1.
    pub fn progress_share(&self) -> f64 {
        let (lower, upper) = self.sprt.llr_bounds();
        let llr = self.sprt.log_likelihood_ratio(&self.evidence());
        ((llr - lower) / (upper - lower)).clamp(0.0, 1.0)
    }

    /// The decision of the test so far.
    pub fn decision(&self) -> Decision {
        self.sprt.decide_test(&self.evidence())
    }

    /// The estimated difference in Elo.
    pub fn estimate(&self) -> Estimate {
        let nothing = Estimate {
            elo: 0.0,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            los: 0.5,
        };
        estimate_after_stop(&self.sprt, &self.evidence(), CONFIDENCE).unwrap_or(nothing)
    }

    /// One line of progress, with the number of pairs per second.
    pub fn progress_line(&self, pairs_per_second: f64, language: Language<'_>) -> String {
        let [llr, lower, upper] = self.format_llr();
        let [elo, interval, los] = self.format_estimate();
        let to_go = self
            .sprt
            .expected_pairs_to_go(&self.evidence())
            .unwrap_or(0.0);
        let left = Duration::from_secs_f64((to_go / pairs_per_second.max(1e-9)).min(1e9));
        language.fill(
            "pairs {}  LLR {} ({}, {})  {} {} {}  LOS {}  ~{} pairs to go ({})",
            &[
                &self.pairs.pair_count(),
                &llr,
                &lower,
                &upper,
                &self.elo.heading(language),
                &elo,
                &interval,
                &los,
                &format!("{:.0}", to_go.ceil()),
                &words::format_duration(left),
            ],
        )
    }

    /// Labels and values of the result.
    pub fn rows(&self, language: Language<'_>) -> Vec<(&'static str, String)> {
        let [new, base] = &self.names;
        let [_, _, los] = self.format_estimate();
        let both = |value: &dyn Fn(usize) -> String| {
            language.fill("{}: {}; {}: {}", &[new, &value(NEW), base, &value(BASE)])
        };
        let mut rows = vec![
            (language.label("decision"), self.format_headline(language)),
            ("LLR", self.llr_line(language)),
            (self.elo.heading(language), self.elo_line(language)),
            (language.label("normalized"), self.normalized_line()),
            ("LOS", los),
            (language.label("games"), self.games_line(language)),
            (language.label("pairs"), self.pairs_line()),
            (
                language.label("faults"),
                both(&|player| self.faults[player].describe_faults(language)),
            ),
            (
                language.label("time a move"),
                both(&|player| words::format_times(&self.times[player], language)),
            ),
        ];
        let settings = words::describe_settings(&self.terms, language);
        rows.extend(settings.map(|settings| (language.label("settings"), settings)));
        let book = words::describe_book(&self.terms, language);
        rows.extend(book.map(|book| (language.label("played from"), book)));
        rows.extend(self.distinct.copies_row(language));
        if self.decision() == Decision::Undecided
            && !self.is_exhausted()
            && let Some(to_go) = self.sprt.expected_pairs_to_go(&self.evidence())
        {
            let games = format!("{:.0}", 2.0 * to_go.ceil());
            rows.push((
                language.label("to go"),
                language.fill("~{} games", &[&games]),
            ));
        }
        rows
    }

    /// The logarithm of the likelihood ratio and its bounds.
    fn format_llr(&self) -> [String; 3] {
        let (lower, upper) = self.sprt.llr_bounds();
        let llr = self.sprt.log_likelihood_ratio(&self.evidence());
        [
            format!("{llr:+.2}"),
            format!("{lower:.2}"),
            format!("{upper:.2}"),
        ]
    }

    /// The difference in Elo, its interval, and the chance that the new version is stronger.
    fn format_estimate(&self) -> [String; 3] {
        let Estimate {
            elo,
            low,
            high,
            los,
        } = self.estimate();
        [
            words::format_elo(elo),
            words::format_interval([low, high]),
            words::format_chance(los),
        ]
    }

    /// The difference with its interval; where results are too one-sided for a bound, in words.
    fn elo_line(&self, language: Language<'_>) -> String {
        let Estimate { low, high, .. } = self.estimate();
        match (low.is_finite(), high.is_finite()) {
            (true, true) => {
                let [elo, interval, _] = self.format_estimate();
                format!("{elo} {interval} (95 %)")
            }
            (true, false) => language.fill(
                "at least {} (95 %); the results are too one-sided for an upper bound",
                &[&words::format_elo(low)],
            ),
            (false, true) => language.fill(
                "at most {} (95 %); the results are too one-sided for a lower bound",
                &[&words::format_elo(high)],
            ),
            (false, false) => language
                .label("unknown: so few results set no bound")
                .to_owned(),
        }
    }

    /// Normalized Elo: the difference in units of the spread of a game's points.
    fn normalized_line(&self) -> String {
        let elo = self.evidence().normalized_elo();
        elo.map_or_else(|| "–".to_owned(), words::format_elo)
    }

    fn llr_line(&self, language: Language<'_>) -> String {
        let sprt = &self.sprt;
        let [llr, lower, upper] = self.format_llr();
        let [alpha, beta] = [sprt.alpha, sprt.beta].map(words::format_percent);
        let terms = language.fill(
            "hypotheses: {} against {} Elo; error rates {} / {}",
            &[&sprt.elo1, &sprt.elo0, &alpha, &beta],
        );
        format!("{llr} ({lower}, {upper})   {terms}")
    }

    /// The void pairs and their consequences; empty if there are none.
    pub fn void_text(&self, language: Language<'_>) -> String {
        list_voids(
            self.void.iter(),
            &self.names,
            language.label(
                "the decision rests on the other pairs; if many are void, play fewer matches at \
                once (-j) and compare again",
            ),
            language,
        )
    }

    /// The result in lines of a label and a value, then the void pairs.
    pub fn to_text(&self, language: Language<'_>) -> String {
        let rows = self.rows(language);
        let lines: String = rows
            .iter()
            .map(|(label, value)| format_row(label, value))
            .collect();
        lines + &self.void_text(language)
    }

    /// The decision of the test as an answer to its question: "not worse" if `elo0` is below 0.
    fn format_headline(&self, language: Language<'_>) -> String {
        let (sprt, decision) = (&self.sprt, self.decision());
        let claim = self.format_claim(decision, language);
        let (favoured, other) = match decision {
            Decision::Undecided => return claim,
            Decision::Accepted => (sprt.elo1, sprt.elo0),
            _ => (sprt.elo0, sprt.elo1),
        };
        language.fill(
            "{} (evidence favours {} Elo over {} Elo)",
            &[&claim, &format_bound(favoured), &format_bound(other)],
        )
    }

    /// `accepted: v8 is better than v7`; with `elo0` below 0 the question is whether it is worse.
    fn format_claim(&self, decision: Decision, language: Language<'_>) -> String {
        let (Sprt { elo0, elo1, .. }, [new, base]) = (self.sprt, &self.names);
        match decision {
            Decision::Undecided if self.is_exhausted() => language.fill(
                "undecided: {} against {} brings no new game; {}",
                &[new, base, &self.distinct.describe_scarcity(language)],
            ),
            Decision::Undecided => {
                language.fill("undecided: {} against {} needs more games", &[new, base])
            }
            Decision::Accepted if elo0 < 0.0 => language.fill(
                "accepted: {} is not worse than {} by {} Elo or more",
                &[new, base, &-elo0],
            ),
            Decision::Accepted => language.fill("accepted: {} is better than {}", &[new, base]),
            _ if elo1 <= 0.0 => language.fill("rejected: {} is worse than {}", &[new, base]),
            _ => language.fill(
                "rejected: {} is not better than {} by {} Elo or more",
                &[new, base, &elo1],
            ),
        }
    }

    fn status_name(&self) -> &'static str {
        match self.decision() {
            Decision::Undecided if self.is_exhausted() => "no-new-games",
            Decision::Undecided => "undecided",
            _ => "decided",
        }
    }

    fn games_line(&self, language: Language<'_>) -> String {
        let ScoreTally {
            wins,
            draws,
            losses,
        } = self.games;
        let draw_share = f64::from(draws) / f64::from(self.games.game_count().max(1));
        language.fill(
            "{} : {} won, {} drawn ({}), {} lost; {} of the points",
            &[
                &self.games.game_count(),
                &wins,
                &draws,
                &words::format_percent(draw_share),
                &losses,
                &words::format_percent(self.pairs.point_share()),
            ],
        )
    }

    fn pairs_line(&self) -> String {
        let [ll, ld, dd, wd, ww] = self.pairs.0;
        format!(
            "{} : 0-2 {ll}, ½-1½ {ld}, 1-1 {dd}, 1½-½ {wd}, 2-0 {ww}",
            self.pairs.pair_count()
        )
    }

    /// A pair for programs, and where the test stands after it.
    pub fn pair_json(&self, pair: &PlayedPair) -> Value {
        let scores = pair.player_scores(NEW);
        let half_points = scores.map(|both| both.iter().map(|one| one.half_points()).sum::<u32>());
        let games = pair.game_records().map(|game| {
            json!({
                "first": self.names[game.pair[0]],
                "reason": game.reason,
                "faults": game.faults.iter().map(|fault| {
                    let player = game.pair[fault.entrant.index()];
                    json!({"entrant": self.names[player], "code": fault.code.as_str()})
                }).collect::<Vec<_>>(),
                "replay": game.replay,
            })
        });
        json!({
            "format": "leitai-pair/1",
            "pair": pair.number,
            "seed": self.seed.wrapping_add(pair.number),
            "points": half_points.map(|half| f64::from(half) / 2.0),
            "games": games.collect::<Vec<_>>(),
            "void": pair.void.as_ref().map(|void| &void.why),
            "llr": self.llr(),
            "decision": self.decision(),
        })
    }

    /// The result for programs.
    pub fn to_json(&self) -> Value {
        let sprt = &self.sprt;
        let (lower, upper) = sprt.llr_bounds();
        let estimate = self.estimate();
        let Drift { mean, .. } =
            sprt.llr_drift(&self.evidence(), estimate.elo.clamp(-2000.0, 2000.0));
        json!({
            "game": self.game,
            "terms": self.terms,
            "entrants": self.names,
            "seed": self.seed,
            "decision": self.decision(),
            "status": self.status_name(),
            "games_played": self.distinct.played_count(),
            "distinct_games": self.distinct.distinct_count(),
            "sprt": sprt,
            "llr": sprt.log_likelihood_ratio(&self.evidence()),
            "llr_bounds": [lower, upper],
            "llr_a_pair": mean,
            "elo": finite_or_none(estimate.elo),
            "elo_interval": [finite_or_none(estimate.low), finite_or_none(estimate.high)],
            "elo_unit": self.elo,
            "normalized_elo": self.evidence().normalized_elo(),
            "confidence": CONFIDENCE,
            "los": estimate.los,
            "pairs": self.pairs.0,
            "games": self.games,
            "faults": self.faults,
            "move_us": self.times.each_ref().map(|times| {
                json!({
                    "moves": times.move_count(),
                    "median": times.quantile_micros(0.5),
                    "p99": times.quantile_micros(0.99),
                })
            }),
            "void": self.void,
            "expected_games_to_go": sprt.expected_pairs_to_go(&self.evidence()).map(|pairs| (2.0 * pairs).ceil()),
        })
    }
}

/// `+50`, `-30`, `0`.
fn format_bound(elo: f64) -> String {
    match elo {
        0.0 => "0".to_owned(),
        elo => format!("{elo:+}"),
    }
}

/// JSON has no infinity: `None` becomes null.
fn finite_or_none(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// A label and its value, aligned.
pub fn format_row(label: &str, value: &str) -> String {
    let label = format!("{label} ");
    format!("  {}{value}\n", columns::pad(&label, VALUE_COLUMN - 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_aligned_in_both_languages() {
        assert_eq!(format_row("Elo", "1"), "  Elo           1\n");
        assert_eq!(format_row("结论", "1"), "  结论          1\n");
        assert_eq!(format_row("  near the end", "1"), "    near the end 1\n");
    }
}
