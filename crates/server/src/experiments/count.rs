//! The pairs of an experiment, counted in their order. The result is a function of the finished
//! matches alone: whoever counts them again, in another process, comes to the same.

use leitai_ladder::{Decision, Sprt};
use leitai_series::comparison::{BASE, ComparisonResult, NEW};
use leitai_series::pair::{needs_other_leg, order_players};
use leitai_series::pool_pair::{OPPONENT, OWN, compare_against_pool};
use leitai_series::run::MAX_VOID_IN_A_ROW;
use leitai_series::{GameRecord, PlayedPair, VoidMatch};
use leitai_store::{Experiment, ExperimentMatch, ExperimentState, Json, MatchState, PairPlace};

/// The part with which the matches of the version beside the tested one begin, against a pool.
pub const OTHER_SIDE: i32 = 2;

/// How a pair stands.
pub(super) enum PairStand {
    /// This match of it is to be created.
    Lacks(PairPlace),
    /// A match of it is queued or being played.
    Open,
    /// It was played, or cannot be.
    Done(Box<PlayedPair>),
}

/// What an experiment needs now.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PairNeeds {
    /// Matches to be created, in their order.
    pub places: Vec<PairPlace>,
    /// Matches that are queued or being played.
    pub open: usize,
}

/// An experiment with the pairs that were counted so far.
pub struct CountedPairs {
    /// The result of these pairs.
    pub result: ComparisonResult,
    /// The log-likelihood ratio after each counted pair.
    pub llrs: Vec<f64>,
    /// The pairs, in their order.
    pub pairs: Vec<PlayedPair>,
    most_pairs: u64,
    /// The parts with which the sides of a pair begin: one side, or two against a pool.
    sides: &'static [i32],
    seed: u64,
    void_in_a_row: u32,
    /// The experiment, for its pool.
    own: Experiment,
}

impl CountedPairs {
    /// No pairs so far.
    pub fn begin(own: &Experiment, names: [String; 2]) -> CountedPairs {
        let sprt = Sprt {
            elo0: own.elo0,
            elo1: own.elo1,
            alpha: own.alpha,
            beta: own.beta,
        };
        let seed = own.seed.get();
        let about = (own.game.clone(), Json::Null);
        CountedPairs {
            result: ComparisonResult::begin(sprt, seed, about, names),
            llrs: Vec::new(),
            pairs: Vec::new(),
            most_pairs: u64::try_from(own.most_pairs).unwrap_or(0),
            sides: match own.pool_versions().is_empty() {
                true => &[0],
                false => &[0, OTHER_SIDE],
            },
            seed,
            void_in_a_row: 0,
            own: own.clone(),
        }
    }

    /// Notes who left the pool meanwhile.
    pub fn know_pool(&mut self, own: &Experiment) {
        self.own = own.clone();
    }

    /// Whether the opponent of a pair left the pool.
    fn lost_opponent(&self, pair: i32) -> bool {
        let is_gone = |(_, is_there): (_, bool)| !is_there;
        self.sides.len() > 1 && self.own.opponent_of(pair).is_none_or(is_gone)
    }

    /// All pairs of an experiment that can be counted.
    pub fn of_matches(
        own: &Experiment,
        names: [String; 2],
        matches: &[ExperimentMatch],
    ) -> CountedPairs {
        let mut counted = CountedPairs::begin(own, names);
        counted.count(matches);
        counted
    }

    /// The number of the first pair that was not counted.
    pub fn next_pair(&self) -> i32 {
        i32::try_from(self.pairs.len()).unwrap_or(i32::MAX)
    }

    /// The seed of a pair.
    pub fn seed_of(&self, pair: i32) -> u64 {
        self.seed.wrapping_add(u64::from(pair.unsigned_abs()))
    }

    /// Counts the pairs that follow, until one is not finished or nothing more is to be played.
    /// `matches` are those from [`CountedPairs::next_pair`] on.
    pub fn count(&mut self, matches: &[ExperimentMatch]) {
        while self.outcome().is_none()
            && let PairStand::Done(pair) = self.stand_of(self.next_pair(), matches)
        {
            self.void_in_a_row = match pair.void {
                Some(_) if self.lost_opponent(self.next_pair()) => self.void_in_a_row,
                Some(_) => self.void_in_a_row + 1,
                None => 0,
            };
            self.result.add_pair(&pair);
            self.llrs.push(self.result.llr());
            self.pairs.push(*pair);
        }
    }

    /// How the experiment ends; `None` while it goes on.
    pub fn outcome(&self) -> Option<ExperimentState> {
        match self.result.decision() {
            Decision::Accepted => Some(ExperimentState::Accepted),
            Decision::Rejected => Some(ExperimentState::Rejected),
            Decision::Undecided if self.void_in_a_row >= MAX_VOID_IN_A_ROW => {
                Some(ExperimentState::Failed)
            }
            Decision::Undecided if self.result.is_exhausted() => Some(ExperimentState::Exhausted),
            Decision::Undecided => self
                .result
                .is_over(self.most_pairs)
                .then_some(ExperimentState::Undecided),
        }
    }

    /// What is to be created of the first so many pairs so that about so many matches are open. `matches`
    /// are those from [`CountedPairs::next_pair`] on.
    pub fn needs(
        &self,
        matches: &[ExperimentMatch],
        (most_pairs, most_open): (u64, usize),
    ) -> PairNeeds {
        let most_pairs = most_pairs.min(self.most_pairs);
        let open = matches.iter().filter(|own| !own.state.is_over()).count();
        let mut places = Vec::new();
        let mut pair = self.next_pair();
        while open + places.len() < most_open && u64::from(pair.unsigned_abs()) < most_pairs {
            for first in self.sides {
                if let PairStand::Lacks(place) = self.side_of(pair, *first, matches) {
                    places.push(place);
                }
            }
            pair += 1;
        }
        PairNeeds { places, open }
    }

    fn stand_of(&self, pair: i32, matches: &[ExperimentMatch]) -> PairStand {
        if self.sides.len() == 1 {
            return self.side_of(pair, 0, matches);
        }
        match [0, OTHER_SIDE].map(|first| self.side_of(pair, first, matches)) {
            [PairStand::Done(new), PairStand::Done(base)] => {
                PairStand::Done(Box::new(compare_against_pool(&new, &base)))
            }
            _ => PairStand::Open,
        }
    }

    /// How the matches of a pair stand that begin with this part.
    fn side_of(&self, pair: i32, first: i32, matches: &[ExperimentMatch]) -> PairStand {
        let side = PairSide {
            first: PairPlace { pair, part: first },
            both: match self.sides.len() {
                1 => [NEW, BASE],
                _ => [OWN, OPPONENT],
            },
            seed: self.seed_of(pair),
            is_lost: self.lost_opponent(pair),
        };
        side.stand(matches)
    }
}

/// Two players who play both legs of a seed, in one match, or in two after a fault in the first leg.
pub(super) struct PairSide {
    /// The place of the first match; that of the other leg is the next part.
    pub first: PairPlace,
    /// The players by their numbers.
    pub both: [usize; 2],
    /// The seed of the pair.
    pub seed: u64,
    /// Whether the opponent is no longer there.
    pub is_lost: bool,
}

impl PairSide {
    fn number(&self) -> u64 {
        u64::from(self.first.pair.unsigned_abs())
    }

    /// How its matches stand.
    pub fn stand(&self, matches: &[ExperimentMatch]) -> PairStand {
        let of = |part| {
            let place = PairPlace { part, ..self.first };
            matches.iter().find(|own| own.place == place).ok_or(place)
        };
        let first = self.first.part;
        let players = order_players(self.number(), self.both);
        let game = match self.read(of(first), players) {
            Ok(game) => game,
            Err(stand) => return stand,
        };
        let other_leg = match needs_other_leg(&game) {
            true => match self.read(of(first + 1), [players[1], players[0]]) {
                Ok(other) => Some(other),
                Err(stand) => return stand,
            },
            false => None,
        };
        PairStand::Done(Box::new(PlayedPair {
            number: self.number(),
            game: Some(game),
            other_leg,
            void: None,
        }))
    }

    /// The record of a match between these players, or how its pair stands for want of it.
    fn read(
        &self,
        own: Result<&ExperimentMatch, PairPlace>,
        players: [usize; 2],
    ) -> Result<GameRecord, PairStand> {
        let own = match own {
            Err(_) if self.is_lost => {
                return Err(self.void_pair(players, "its opponent left the pool".to_owned()));
            }
            own => own.map_err(PairStand::Lacks)?,
        };
        if !own.state.is_over() {
            return Err(PairStand::Open);
        }
        let record = own
            .record
            .clone()
            .filter(|_| own.state == MatchState::Finished);
        let record = record.and_then(|record| serde_json::from_value::<GameRecord>(record).ok());
        match record {
            Some(record) => Ok(GameRecord {
                pair: players,
                replay: Some(own.id.to_string()),
                ..record
            }),
            None => {
                let why = format!("match {} has no result", own.id);
                Err(self.void_pair(players, why))
            }
        }
    }

    fn void_pair(&self, players: [usize; 2], why: String) -> PairStand {
        PairStand::Done(Box::new(PlayedPair {
            number: self.number(),
            game: None,
            other_leg: None,
            void: Some(VoidMatch {
                pair: players,
                seed: self.seed,
                tries: 1,
                why,
            }),
        }))
    }
}
