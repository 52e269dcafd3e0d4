//! How strong are the levels of a game? Each plays so many pairs of games with the one before it, and
//! one fit of all games rates them: the rating scale of a game file is measured so, once.
//!
//! The number of pairs is fixed before the first one, so that intervals mean what they say; a run that
//! was cut, or that asks for more pairs of the same seeds, goes on in its folder.

use std::path::PathBuf;

use anyhow::ensure;
use leitai_ladder::bradley_terry::{Estimated, Results};
use leitai_ladder::normal::two_sided;
use leitai_ladder::{GameScore, ScoreTally};
use serde_json::{Value, json};

use crate::pair::{PairAssembly, PairLeg};
use crate::pair_series::{PairSeries, PairsInOrder};
use crate::report::words;
use crate::series_job::SeriesJob;
use crate::void_match::list_voids;
use crate::{Language, PlayedPair, Roster, VoidMatch};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// The version of the journal's format.
const FORMAT: &str = "leitai-scale/1";

/// What is asked.
#[derive(Clone, Debug)]
pub struct ScaleOptions {
    /// The pairs of games of each level with the one before it.
    pub pairs: u64,
    /// The seed of the first pair; the next ones count on from it.
    pub seed: u64,
    /// What is measured, beside the match terms of the roster: rules and levels.
    pub measured: String,
    /// Where pairs and replays are kept, so that an interrupted run can continue.
    pub folder: PathBuf,
    /// The player whose rating is fixed, and its rating.
    pub anchor: (usize, i32),
}

/// The levels as far as they are measured.
#[derive(Clone, Debug)]
pub struct ScaleResult {
    /// The names, in the order of strength that is expected.
    pub names: Vec<String>,
    /// Pairs that could not be judged.
    pub void: Vec<VoidMatch>,
    field: Results,
    anchor: (usize, i32),
    pairs: u64,
}

/// A level as it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleRow {
    /// The rating, and half of its interval of 95 %; 0 for the anchor.
    pub rating: f64,
    /// See `rating`.
    pub half_width: f64,
    /// The games against the one before it.
    pub games: ScoreTally,
    /// The difference to the one before it.
    pub step: Option<Estimated>,
}

impl ScaleResult {
    /// Every player with the rating by all games.
    pub fn rows(&self) -> Vec<ScaleRow> {
        let fit = self.field.fit_ratings();
        let (anchor, at) = self.anchor;
        let row = |player: usize| {
            let apart = fit.rating_difference(player, anchor);
            let is_anchor = player == anchor;
            let before = player.checked_sub(1);
            ScaleRow {
                rating: f64::from(at) + if is_anchor { 0.0 } else { apart.value },
                half_width: match is_anchor {
                    true => 0.0,
                    false => two_sided(CONFIDENCE) * apart.error,
                },
                games: before.map_or_else(ScoreTally::default, |before| {
                    self.field.legs_between(player, before)
                }),
                step: before.map(|before| fit.rating_difference(player, before)),
            }
        };
        (0..self.names.len()).map(row).collect()
    }

    /// Pairs so far, void ones too.
    pub fn pair_count(&self) -> u64 {
        self.pairs
    }

    /// A level that has no game with the one before it: it cannot be rated.
    pub fn unmet(&self) -> Option<&str> {
        let rows = (1..self.names.len()).zip(&self.names[1..]);
        let unmet = |player: usize| self.field.legs_between(player, player - 1).game_count() == 0;
        rows.filter(|(player, _)| unmet(*player))
            .map(|(_, name)| name.as_str())
            .next()
    }

    /// One line of progress: `level1 612 ±80, level2 790 ±66, …`.
    pub fn progress_line(&self, language: Language<'_>) -> String {
        let rows = self.names.iter().zip(self.rows());
        let said: Vec<String> = rows
            .map(|(name, row)| format!("{name} {:.0} ±{:.0}", row.rating, row.half_width))
            .collect();
        said.join(language.label(", "))
    }

    /// Rating, games and step of each level, as words.
    pub fn table(&self, language: Language<'_>) -> Vec<[String; 4]> {
        let rows = self.names.iter().zip(self.rows());
        rows.map(|(name, row)| {
            let rating = match row.half_width == 0.0 {
                true => language.fill("{} (fixed)", &[&format!("{:.0}", row.rating)]),
                false => format!("{:.0} ±{:.0}", row.rating, row.half_width),
            };
            let step = row.step.map_or_else(String::new, |step| {
                let interval = words::format_interval(step.confidence_interval(CONFIDENCE));
                format!("{} {interval}", words::format_elo(step.value))
            });
            let games = row.step.map(|_| words::format_tally(&row.games));
            [name.clone(), rating, games.unwrap_or_default(), step]
        })
        .collect()
    }

    /// The void pairs, and what they mean; empty where there are none.
    pub fn void_text(&self, language: Language<'_>) -> String {
        let advice = language.label("the scale rests on the other pairs");
        list_voids(self.void.iter(), &self.names, advice, language)
    }

    /// The levels for programs.
    pub fn to_json(&self) -> Value {
        let rows = self.names.iter().zip(self.rows());
        let row = |(name, row): (&String, ScaleRow)| {
            json!({
                "name": name, "rating": row.rating, "half_width": row.half_width,
                "games": row.games, "step": row.step.map(|step| step.value),
                "step_interval": row.step.map(|step| step.confidence_interval(CONFIDENCE)),
            })
        };
        json!({
            "confidence": CONFIDENCE, "pairs": self.pairs, "void": self.void,
            "levels": rows.map(row).collect::<Vec<_>>(),
        })
    }
}

/// Called with the levels so far after every pair.
type ScaleListener<'a> = Box<dyn FnMut(&ScaleResult) + 'a>;

/// A scale while it is measured.
pub struct ScaleRun<'a> {
    options: ScaleOptions,
    result: ScaleResult,
    pairs: PairsInOrder,
    listener: ScaleListener<'a>,
}

impl<'a> ScaleRun<'a> {
    /// Begins to measure the entrants of a roster, the weakest first, or resumes the run in the folder
    /// of the options.
    ///
    /// # Errors
    /// For fewer than two entrants, and a folder of another run.
    pub fn open(
        options: ScaleOptions,
        roster: &Roster,
        listener: impl FnMut(&ScaleResult) + 'a,
    ) -> anyhow::Result<ScaleRun<'a>> {
        let names = roster.entrant_names();
        ensure!(
            names.len() > options.anchor.0.max(1),
            "a scale has two levels or more, not {}",
            names.len()
        );
        let header = json!({
            "format": FORMAT, "measured": options.measured, "terms": roster.match_terms(),
            "seed": options.seed, "entrants": names,
        });
        let mut run = ScaleRun {
            result: ScaleResult {
                field: Results::new(names.len()),
                names,
                void: Vec::new(),
                anchor: options.anchor,
                pairs: 0,
            },
            options,
            pairs: PairsInOrder::default(),
            listener: Box::new(listener),
        };
        let folder = run.options.folder.clone();
        run.resume_journal(&folder, &header, "scale")?;
        Ok(run)
    }

    /// The pairs that are played in all.
    pub fn whole(&self) -> u64 {
        self.options.pairs.saturating_mul(self.steps())
    }

    /// The levels so far.
    pub fn result(&self) -> &ScaleResult {
        &self.result
    }

    /// The steps from one level to the next.
    fn steps(&self) -> u64 {
        self.result.names.len() as u64 - 1
    }

    /// The players of a pair, the stronger one first: steps take turns.
    fn players_of(&self, number: u64) -> [usize; 2] {
        let below = (number % self.steps()) as usize;
        [below + 1, below]
    }
}

impl PairSeries for ScaleRun<'_> {
    fn pairs(&mut self) -> &mut PairsInOrder {
        &mut self.pairs
    }

    fn is_over(&self) -> bool {
        self.result.pairs >= self.whole()
    }

    fn pair_count(&self) -> u64 {
        self.result.pairs
    }

    fn make_pair(&self, number: u64) -> Option<SeriesJob<PairLeg>> {
        if number >= self.whole() {
            return None;
        }
        let seed = self.options.seed.wrapping_add(number);
        Some(PairAssembly::make_job(
            number,
            self.players_of(number),
            seed,
        ))
    }

    fn add_pair(&mut self, pair: &PlayedPair) {
        self.result.pairs += 1;
        self.result.void.extend(pair.void.clone());
        let [one, other] = self.players_of(pair.number);
        if let Some(scores) = pair.player_scores(one) {
            let points = scores.iter().map(|score| score.half_points()).sum::<u32>();
            let whole = match points {
                0 | 1 => GameScore::Loss,
                2 => GameScore::Draw,
                _ => GameScore::Win,
            };
            self.result.field.add_match(one, other, whole, &scores);
        }
    }

    fn notify(&mut self, _counted: Option<&PlayedPair>) {
        (self.listener)(&self.result);
    }
}
