//! What a search found, how sure that is, and its report.

use leitai_game::Entrant;
use leitai_ladder::normal::two_sided;
use serde_json::{Value, json};

use super::axis::Point;
use super::options::TuningOptions;
use super::parameter::{Parameter, Values};
use super::search::{ChosenPair, Search};
use super::surface::{Estimate, estimate};
use crate::report::faults::FaultCounts;
use crate::report::words;
use crate::void_match::list_voids;
use crate::{Language, PlayedPair, Roster, VoidMatch};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// The last pairs, of which one in so many counts as near the end.
const NEAR_THE_END: usize = 4;
/// The most points of a way.
const WAY_POINTS: usize = 9;
/// The share of a range that an interval must leave out to say something.
const TOLD: f64 = 0.8;
/// Fewer pairs than these say nothing near the end.
const FEWEST_NEAR_THE_END: usize = 4;

/// What was found for one parameter.
#[derive(Clone, Debug)]
pub struct TunedParameter {
    /// The best place, and how sure it is.
    pub estimate: Estimate,
    /// Of a range: the pairs near the end, the share of points that the larger value got, and half the
    /// width of its interval.
    pub late: Option<(usize, f64, f64)>,
    /// The way of its value from the start to the end.
    pub way: Vec<f64>,
}

/// A search, and what it says so far.
#[derive(Clone, Debug)]
pub struct TuningResult {
    /// What was asked.
    pub options: TuningOptions,
    /// The game's id.
    pub game: String,
    /// The terms of every match, see [`Roster::match_terms`].
    pub terms: Value,
    /// The faults of both sides.
    pub faults: FaultCounts,
    /// Pairs that could not be judged.
    pub void: Vec<VoidMatch>,
    names: Vec<String>,
    search: Search,
}

impl TuningResult {
    pub(super) fn new(options: TuningOptions, search: Search, roster: &Roster) -> TuningResult {
        TuningResult {
            options,
            game: roster.game_id().to_owned(),
            terms: roster.match_terms(),
            faults: FaultCounts::default(),
            void: Vec::new(),
            names: roster.entrant_names(),
            search,
        }
    }

    /// Pairs so far, void ones too; the next one has this number.
    pub fn pair_count(&self) -> u64 {
        self.search.pair_count()
    }

    /// Whether all pairs were played.
    pub fn is_over(&self) -> bool {
        self.search.is_over()
    }

    pub(super) fn points_of(&self, number: u64) -> Option<[Point; 2]> {
        Some(self.search.pair(number)?.points.clone())
    }

    pub(super) fn add_pair(&mut self, pair: &PlayedPair) {
        self.void.extend(pair.void.clone());
        for game in pair.game_records() {
            for entrant in [Entrant::A, Entrant::B] {
                self.faults.count_faults(game, entrant);
            }
        }
        let points = pair.player_scores(1).map(|scores| {
            let half_points: u32 = scores.iter().map(|score| score.half_points()).sum();
            f64::from(half_points) / 2.0 - 1.0
        });
        self.search.count_pair(points);
    }

    /// What was found, one a parameter.
    pub fn parameters(&self) -> Vec<TunedParameter> {
        let way = self.search.way(WAY_POINTS);
        let estimates = estimate(&self.search).into_iter().enumerate();
        estimates
            .map(|(index, estimate)| TunedParameter {
                late: match &self.options.parameters[index].values {
                    Values::Choice(_) => None,
                    Values::Range { .. } => self.near_the_end(index),
                },
                estimate,
                way: way.iter().map(|point| point[index]).collect(),
            })
            .collect()
    }

    /// The best point.
    pub fn best(&self) -> Point {
        let all = estimate(&self.search).into_iter();
        all.map(|one| one.best).collect()
    }

    /// Whether the best values are those of the start.
    pub fn is_start(&self) -> bool {
        let settings = |point: &[f64]| self.options.bot_at(point, "").settings;
        settings(&self.best()) == settings(&self.options.start())
    }

    /// The bot with the best values, in words for a command line.
    pub fn tuned_words(&self) -> String {
        let bot = self.options.bot_at(&self.best(), "");
        match bot.settings.to_text() {
            Some(settings) => format!("{} {settings}", quote_path(&bot.word)),
            None => bot.word,
        }
    }

    fn near_the_end(&self, index: usize) -> Option<(usize, f64, f64)> {
        let pairs = self.search.counted_pairs();
        let late = &pairs[pairs.len() - pairs.len() / NEAR_THE_END..];
        let toward_larger = |pair: &ChosenPair| {
            let apart = pair.points[1][index] - pair.points[0][index];
            (apart != 0.0).then_some(pair.result? * apart.signum())
        };
        let results: Vec<f64> = late.iter().filter_map(toward_larger).collect();
        if results.len() < FEWEST_NEAR_THE_END {
            return None;
        }
        let count = results.len() as f64;
        let mean = results.iter().sum::<f64>() / count;
        let spread = results.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let error = two_sided(CONFIDENCE) * (spread / count).sqrt();
        Some((results.len(), 0.5 + mean / 2.0, error / 2.0))
    }

    /// One line of progress.
    pub fn progress_line(&self, language: Language<'_>) -> String {
        let place = self.search.place();
        let both = self.options.parameters.iter().zip(place);
        let values: Vec<String> = both
            .map(|(one, place)| format!("{} {}", one.name, one.show(place)))
            .collect();
        language.fill(
            "pairs {} of {}  {}",
            &[&self.pair_count(), &self.options.pairs, &values.join("  ")],
        )
    }

    /// Labels and values of the result.
    pub fn rows(&self, language: Language<'_>) -> Vec<(String, String)> {
        let pairs = language.fill("{} of {}", &[&self.pair_count(), &self.options.pairs]);
        let mut rows = vec![(language.label("pairs").to_owned(), pairs)];
        for (one, found) in self.options.parameters.iter().zip(self.parameters()) {
            rows.push((one.name.clone(), describe(one, &found, language)));
            let way: Vec<String> = found.way.iter().map(|place| one.show(*place)).collect();
            rows.push((language.label("  its way").to_owned(), way.join(" → ")));
            let late = found.late.map(|(pairs, share, error)| {
                let [share, error] = [share, error].map(words::format_percent);
                language.fill(
                    "the larger value got {} of the points (± {}, {} pairs)",
                    &[&share, &error, &pairs],
                )
            });
            rows.extend(late.map(|late| (language.label("  near the end").to_owned(), late)));
        }
        rows.push((
            language.label("faults").to_owned(),
            self.faults.describe_faults(language),
        ));
        rows
    }

    /// The void pairs and their consequences; empty if there are none.
    pub fn void_text(&self, language: Language<'_>) -> String {
        list_voids(
            self.void.iter(),
            &self.names,
            language.label("the search went on without them; if many are void, play fewer matches at once (-j)"),
            language,
        )
    }

    /// The result for programs; docs/tune.schema.json describes it.
    pub fn to_json(&self) -> Value {
        let both = self.options.parameters.iter().zip(self.parameters());
        let parameters: Vec<Value> = both
            .map(|(one, found)| parameter_json(one, &found))
            .collect();
        let start = self.options.bot_at(&self.options.start(), "").settings;
        json!({
            "format": "leitai-tune/1",
            "game": self.game,
            "terms": self.terms,
            "bot": self.options.bot.word,
            "template": self.options.bot.settings.to_text(),
            "seed": self.options.seed,
            "pairs": self.pair_count(),
            "pairs_asked": self.options.pairs,
            "restarts": self.options.restarts,
            "status": if self.is_over() { "complete" } else { "interrupted" },
            "confidence": CONFIDENCE,
            "parameters": parameters,
            "start": start.to_text(),
            "tuned": self.tuned_words(),
            "faults": self.faults,
            "void": self.void,
        })
    }
}

fn parameter_json(one: &Parameter, found: &TunedParameter) -> Value {
    let Estimate {
        best,
        interval,
        chance,
    } = &found.estimate;
    let late = found.late.map(
        |(pairs, share, error)| json!({"pairs": pairs, "larger_share": share, "error": error}),
    );
    let mut object = json!({
        "name": one.name,
        "start": one.to_json(one.axis().snap(one.start)),
        "best": one.to_json(*best),
        "interval": match chance {
            None => json!(interval.map(|place| one.to_json(place))),
            Some(_) => Value::Null,
        },
        "chance": chance,
        "near_the_end": late,
        "way": found.way.iter().map(|place| one.to_json(*place)).collect::<Vec<_>>(),
    });
    if let (Some(object), Value::Object(bounds)) = (object.as_object_mut(), one.bounds_json()) {
        object.extend(bounds);
    }
    object
}

/// `7   95 %: from 6 to 8, in 1 to 12`
fn describe(one: &Parameter, found: &TunedParameter, language: Language<'_>) -> String {
    let Estimate {
        best,
        interval,
        chance,
    } = &found.estimate;
    if let Some(chance) = chance {
        let chance = words::format_chance(*chance);
        return language.fill("{} (the best with {})", &[&one.show(*best), &chance]);
    }
    let [low, high] = interval.map(|place| one.show(place));
    let [least, most] = [0.0, 1.0].map(|place| one.show(place));
    let found = language.fill(
        "{} (95 %: {} to {}, of {} to {})",
        &[&one.show(*best), &low, &high, &least, &most],
    );
    match interval[1] - interval[0] > TOLD {
        true => {
            let untold = language.label("these pairs do not tell, or it hardly matters");
            format!("{found}{}{untold}", language.label("; "))
        }
        false => found,
    }
}

/// A path as the first word of an entrant in words.
fn quote_path(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |quoted| quoted.into_owned())
}
