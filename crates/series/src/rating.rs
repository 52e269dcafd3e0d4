//! How strong is a bot on the game's rating scale? It plays pairs of games against the levels, each
//! time the one whose games tell most, until its rating is as precise as asked.

mod result;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, ensure};
use leitai_game::{AnyGame, RatingScale};
use leitai_ladder::known_opponents::choose_opponent;
use serde_json::json;

use crate::pair::{PairAssembly, PairLeg};
use crate::run::{FinishedMatch, NextWork, Series, SeriesJob, VoidNotice, play_series};
use crate::{EntrantRequest, PlayedPair, Roster, VoidMatch};

pub use result::{RatingResult, RatingStanding};

/// The number of the bot in the roster; level n of the scale has number n + 1.
pub const BOT: usize = 0;

/// The version of the journal's format.
const FORMAT: &str = "leitai-rate/1";

/// What is asked.
#[derive(Clone, Debug)]
pub struct RatingOptions {
    /// Half the width of the 95 % interval at which the rating is precise enough, in Elo.
    pub precision: f64,
    /// The seed of the first pair; the next ones count on from it.
    pub seed: u64,
    /// Pairs after which the bot is not measured any longer.
    pub max_pairs: u64,
    /// Where pairs and replays are kept, so that an interrupted run can continue.
    pub folder: Option<PathBuf>,
}

impl Default for RatingOptions {
    /// ±40 Elo, or 500 pairs.
    fn default() -> RatingOptions {
        RatingOptions {
            precision: 40.0,
            seed: 1,
            max_pairs: 500,
            folder: None,
        }
    }
}

/// The game's rating scale.
pub fn find_scale(game: &dyn AnyGame) -> anyhow::Result<&'static RatingScale> {
    let id = game.meta().id;
    game.rating_scale()
        .filter(|scale| !scale.levels.is_empty())
        .with_context(|| {
            format!("{id} has no rating scale yet; compare the bot with built-in bots")
        })
}

/// The entrants of a rating: the bot, then the levels of the scale.
pub fn list_entrants(bot: EntrantRequest, scale: &RatingScale) -> Vec<EntrantRequest> {
    let levels = scale.levels.iter().map(|level| EntrantRequest {
        word: level.name.to_owned(),
        name: None,
    });
    std::iter::once(bot).chain(levels).collect()
}

/// Rates the first entrant of a roster that [`list_entrants`] gave, with so many matches at once.
/// Gives the result, and whether the run came to its end.
pub fn rate_bot(
    roster: &Roster,
    options: RatingOptions,
    workers: usize,
    stop: &AtomicBool,
    notify: &mut dyn FnMut(&VoidNotice),
) -> anyhow::Result<(RatingResult, bool)> {
    let mut rating = RatingRun::open(options, roster, |_| {})?;
    let ended = play_series(&mut rating, roster, workers, stop, notify)?;
    Ok((rating.into_result(), ended))
}

/// Called with the result so far after every pair.
type RatingListener<'a> = Box<dyn FnMut(&RatingResult) + 'a>;

/// A rating while it is played.
pub struct RatingRun<'a> {
    options: RatingOptions,
    scale: &'static RatingScale,
    /// The number of the next pair.
    next: u64,
    /// Opponents of pairs that are being played, as indices of levels.
    being_played: Vec<(u64, usize)>,
    pairs: PairAssembly,
    result: RatingResult,
    listener: RatingListener<'a>,
}

impl<'a> RatingRun<'a> {
    /// Begins to rate the first entrant of a roster, or resumes the run in the folder of the
    /// options.
    pub fn open(
        options: RatingOptions,
        roster: &Roster,
        listener: impl FnMut(&RatingResult) + 'a,
    ) -> anyhow::Result<RatingRun<'a>> {
        let scale = find_scale(roster.game())?;
        ensure!(
            roster.players.len() == scale.levels.len() + 1,
            "a rating has one bot and the {} levels of {}, not {} entrants",
            scale.levels.len(),
            scale.name,
            roster.players.len()
        );
        let mut rating = RatingRun {
            result: RatingResult::new(&options, scale, roster),
            options,
            scale,
            next: 0,
            being_played: Vec::new(),
            pairs: PairAssembly::default(),
            listener: Box::new(listener),
        };
        rating.resume_journal(roster)?;
        Ok(rating)
    }

    /// The result so far.
    pub fn result(&self) -> &RatingResult {
        &self.result
    }

    /// The result, once the series was played.
    pub fn into_result(self) -> RatingResult {
        self.result
    }

    /// Takes the pairs that the folder holds.
    fn resume_journal(&mut self, roster: &Roster) -> anyhow::Result<()> {
        let Some(folder) = &self.options.folder else {
            return Ok(());
        };
        let header = json!({
            "format": FORMAT, "scale": self.scale.name, "terms": roster.match_terms(),
            "seed": self.options.seed, "entrants": roster.entrant_names(),
            "fingerprints": roster.fingerprints,
        });
        let found = self.pairs.open_journal(folder, &header, "rating")?;
        for pair in &found {
            self.result.add_pair(pair);
            self.next = self.next.max(pair.number + 1);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.result.is_precise()
            || self.result.is_off_scale()
            || self.result.pair_count() >= self.options.max_pairs
    }

    /// Counts a pair that is over.
    fn count_pair(&mut self, pair: &PlayedPair) {
        self.being_played
            .retain(|(number, _)| *number != pair.number);
        self.result.add_pair(pair);
        (self.listener)(&self.result);
    }
}

impl Series for RatingRun<'_> {
    type Tag = PairLeg;

    fn next(&mut self) -> anyhow::Result<NextWork<PairLeg>> {
        if self.is_over() {
            return Ok(NextWork::Stop);
        }
        if let Some(job) = self.pairs.next_other_leg() {
            return Ok(NextWork::Play(job));
        }
        if self.result.pair_count() + self.being_played.len() as u64 >= self.options.max_pairs {
            return Ok(NextWork::Wait);
        }
        let ratings: Vec<f64> = (self.scale.levels.iter())
            .map(|level| f64::from(level.rating))
            .collect();
        let level = choose_opponent(&ratings, self.result.rating())
            .expect("find_scale gives no scale without levels");
        let number = self.next;
        self.next += 1;
        self.being_played.push((number, level));
        let seed = self.options.seed.wrapping_add(number);
        let job = PairAssembly::make_job(number, [BOT, level + 1], seed);
        Ok(NextWork::Play(job))
    }

    fn on_finished(
        &mut self,
        job: SeriesJob<PairLeg>,
        finished: FinishedMatch,
    ) -> anyhow::Result<()> {
        let pair = self.pairs.add_match(job, finished)?;
        let Some(pair) = pair else { return Ok(()) };
        self.count_pair(&pair);
        Ok(())
    }

    fn on_void(&mut self, job: SeriesJob<PairLeg>, void: VoidMatch) -> anyhow::Result<()> {
        let pair = self.pairs.add_void(&job, void)?;
        self.count_pair(&pair);
        Ok(())
    }
}
