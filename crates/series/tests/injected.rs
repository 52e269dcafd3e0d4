//! The real decision code with results that are made up: what a series says is held against what is
//! true.

use std::sync::atomic::AtomicBool;

use leitai_game::{ByEntrant, Entrant, Replay};
use leitai_ladder::elo::expected_score;
use leitai_series::game_record::LegSummary;
use leitai_series::run::{AttemptOutcome, FinishedMatch, LocalPlayer, Series, SeriesJob};
use leitai_series::{
    EntrantRequest, GameRecord, MatchOptions, MatchPlayer, Roster, play_series_with,
};

/// A roster of King of Bots with built-in bots.
pub fn roster(words: &[&str], config: serde_json::Value) -> Roster {
    let game = leitai_games::find_game("kob").expect("it is listed");
    let mut options = MatchOptions::new(game).expect("the game's own config");
    options.config = game.read_config(&config).expect("a valid config");
    let entrants: Vec<EntrantRequest> = words.iter().map(EntrantRequest::from_word).collect();
    Roster::build_entrants(game, &entrants, &options, &mut |_| {}).expect("built-in bots")
}

/// A number that depends on all of these and on nothing else.
pub fn mix(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0x9e37_79b9_7f4a_7c15, |state, number| {
        let mut z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// From 0 to 1, by [`mix`].
pub fn unit(numbers: &[u64]) -> f64 {
    (mix(numbers) >> 11) as f64 / (1u64 << 53) as f64
}

/// How a leg goes: the winner's seat, and what tells the game from others.
pub struct MadeUpLeg {
    /// 0 for the first seat, 1 for the second; none is a draw.
    pub winner: Option<usize>,
    /// Equal for copies.
    pub game: u64,
}

/// Makes up a leg from the players in the first and second seat, the match's seed and the leg.
pub type MakeLeg<'a> = &'a (dyn Fn([usize; 2], u64, usize) -> MadeUpLeg + Sync);

/// Plays nothing: results are made up.
pub struct MadeUp<'a> {
    replay: Replay,
    workers: usize,
    legs: usize,
    make: MakeLeg<'a>,
}

impl<'a> MadeUp<'a> {
    /// So many matches at once, with so many legs unless a job says otherwise.
    pub fn new(workers: usize, legs: usize, make: MakeLeg<'a>) -> MadeUp<'a> {
        let roster = roster(&["random", "random"], serde_json::json!({}));
        let job = SeriesJob {
            tag: (),
            pair: [0, 1],
            seed: 1,
            config: 0,
            legs: Some(1),
            settings: None,
        };
        let local = LocalPlayer {
            roster: &roster,
            workers: 1,
        };
        match local.play(&job, 0, &AtomicBool::new(false)) {
            Ok(AttemptOutcome::Finished(finished)) => MadeUp {
                replay: finished.replay,
                workers,
                legs,
                make,
            },
            _ => panic!("built-in bots play"),
        }
    }

    /// Plays a series to its end.
    pub fn play(&self, series: &mut impl Series) {
        let ended = play_series_with(series, self, &AtomicBool::new(false), &mut |_| {});
        assert!(ended.expect("it is played"));
    }
}

impl MatchPlayer for MadeUp<'_> {
    fn capacity(&self) -> usize {
        self.workers
    }

    fn play(
        &self,
        job: &SeriesJob<()>,
        _before: u32,
        _halt: &AtomicBool,
    ) -> anyhow::Result<AttemptOutcome> {
        let leg = |index: usize| {
            let first = Entrant::A.seat_in_leg(index).index();
            let seats = [job.pair[first], job.pair[1 - first]];
            let made = (self.make)(seats, job.seed, index);
            LegSummary {
                winner: made.winner.map(|seat| Entrant::BOTH[first ^ seat]),
                scores: [0, 0],
                reason: String::new(),
                fingerprint: Some(format!("{:016x}", made.game)),
            }
        };
        let legs: Vec<LegSummary> = (0..job.legs.unwrap_or(self.legs)).map(leg).collect();
        let won = |entrant| {
            legs.iter()
                .filter(|leg| leg.winner == Some(entrant))
                .count()
        };
        let winner = match won(Entrant::A).cmp(&won(Entrant::B)) {
            std::cmp::Ordering::Greater => Some(Entrant::A),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Entrant::B),
        };
        let game = GameRecord {
            pair: job.pair,
            seed: job.seed,
            winner,
            reason: String::new(),
            legs,
            unplayed: 0,
            faults: Vec::new(),
            times: ByEntrant::default(),
            replay: None,
        };
        Ok(AttemptOutcome::Finished(Box::new(FinishedMatch {
            game,
            replay: self.replay.clone(),
        })))
    }
}

/// An independent game without draws, in which the first seat's player is so much stronger.
pub fn independent(elo: f64, numbers: &[u64]) -> MadeUpLeg {
    let is_won = unit(&[numbers, &[1]].concat()) < expected_score(elo);
    MadeUpLeg {
        winner: Some(usize::from(!is_won)),
        game: mix(numbers),
    }
}
