//! Single and double elimination.
//!
//! Seeds stand in the bracket so that the best meet last; where players are missing, the best seeds have no opponent
//! in the first round. In double elimination a loser goes on among the losers, where even rounds take in those who
//! lost one round later among the winners, in reversed order, so that repeated encounters come late.

use super::{Encounter, Key, Met, Results, Stage};

/// Who sits somewhere in a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// It is not known yet.
    Open,
    /// Nobody: whoever is here goes on without playing.
    Nobody,
    /// A player.
    Player(usize),
}

/// A bracket as its results leave it.
pub struct Bracket<'a> {
    players: usize,
    double: bool,
    results: &'a Results,
    /// Rounds among the winners.
    rounds: u32,
}

/// Each player's place; see [`super::Format::places`].
pub fn places(players: usize, double: bool, results: &Results) -> Vec<Option<usize>> {
    let bracket = Bracket::new(players, double, results);
    let left: Vec<Option<Stage>> = (0..players).map(|player| bracket.left_in(player)).collect();
    let champion = bracket.champion();
    let after = |stage: Stage| left.iter().filter(|other| other.is_none_or(|other| other > stage)).count();
    let place = |player: usize| match left[player] {
        Some(stage) => Some(after(stage) + 1),
        None => (champion == Some(player)).then_some(1),
    };
    (0..players).map(place).collect()
}

impl<'a> Bracket<'a> {
    /// From its results.
    pub fn new(players: usize, double: bool, results: &'a Results) -> Bracket<'a> {
        Bracket { players, double, results, rounds: players.next_power_of_two().trailing_zeros() }
    }

    /// Every encounter whose two players are known, in the order in which they should be played.
    pub fn known(&self) -> Vec<Encounter> {
        let known = self.keys().into_iter().filter_map(|key| match self.slots(key) {
            [Slot::Player(one), Slot::Player(other)] => Some(Encounter { key, pair: [one, other] }),
            _ => None,
        });
        known.collect()
    }

    /// Every encounter of the bracket, those without players too.
    fn keys(&self) -> Vec<Key> {
        let stage = |stage: Stage, tables: usize| (0..tables).map(move |table| Key { stage, table });
        let winners = |round: u32| stage(Stage::Winners(round), 1 << (self.rounds - round));
        let losers = |round: u32| stage(Stage::Losers(round), 1 << (self.rounds - 1 - round.div_ceil(2)));
        let mut keys: Vec<Key> = (1..=self.rounds).flat_map(winners).collect();
        if self.double {
            keys.extend((1..=2 * (self.rounds - 1)).flat_map(losers));
            keys.extend([Stage::Final, Stage::Decider].map(|stage| Key { stage, table: 0 }));
        }
        keys.sort_by_key(|key| (self.depth(key.stage), *key));
        keys
    }

    /// When a stage is played: losers play in the shadow of the winners.
    fn depth(&self, stage: Stage) -> u32 {
        match stage {
            Stage::Round(round) => round,
            Stage::Winners(round) => 2 * round,
            Stage::Losers(round) => round + 3,
            Stage::Final => 3 * self.rounds + 4,
            Stage::Decider => 3 * self.rounds + 5,
        }
    }

    /// The two who meet at a place.
    fn slots(&self, key: Key) -> [Slot; 2] {
        let table = key.table;
        let from = |stage: Stage, table: usize| Key { stage, table };
        match key.stage {
            Stage::Winners(1) => self.seeds(table),
            Stage::Winners(round) => {
                [2 * table, 2 * table + 1].map(|table| self.winner(from(Stage::Winners(round - 1), table)))
            }
            Stage::Losers(1) => {
                [2 * table, 2 * table + 1].map(|table| self.loser(from(Stage::Winners(1), table)))
            }
            Stage::Losers(round) if round % 2 == 1 => {
                [2 * table, 2 * table + 1].map(|table| self.winner(from(Stage::Losers(round - 1), table)))
            }
            Stage::Losers(round) => {
                let fallen = round / 2 + 1;
                let last = (1usize << (self.rounds - fallen)) - 1;
                let fallen = from(Stage::Winners(fallen), last - table);
                [self.winner(from(Stage::Losers(round - 1), table)), self.loser(fallen)]
            }
            Stage::Final => [self.unbeaten(), self.second_chance()],
            Stage::Decider => self.decider(),
            Stage::Round(_) => [Slot::Open; 2],
        }
    }

    fn seeds(&self, table: usize) -> [Slot; 2] {
        let order = seeding(self.rounds);
        [order[2 * table], order[2 * table + 1]]
            .map(|seed| if seed < self.players { Slot::Player(seed) } else { Slot::Nobody })
    }

    fn unbeaten(&self) -> Slot {
        self.winner(Key { stage: Stage::Winners(self.rounds), table: 0 })
    }

    fn second_chance(&self) -> Slot {
        match self.rounds {
            1 => self.loser(Key { stage: Stage::Winners(1), table: 0 }),
            rounds => self.winner(Key { stage: Stage::Losers(2 * (rounds - 1)), table: 0 }),
        }
    }

    /// Played only when the unbeaten one has lost the final.
    fn decider(&self) -> [Slot; 2] {
        match self.results.get(&Key { stage: Stage::Final, table: 0 }) {
            Some(met) if Slot::Player(met.winner()) != self.unbeaten() => met.pair.map(Slot::Player),
            Some(_) => [Slot::Nobody; 2],
            None => [Slot::Open; 2],
        }
    }

    fn winner(&self, key: Key) -> Slot {
        self.after(key, Met::winner, |slot| slot)
    }

    fn loser(&self, key: Key) -> Slot {
        self.after(key, Met::loser, |_| Slot::Nobody)
    }

    /// Who comes out of an encounter: by its result, or unplayed where somebody has no opponent.
    fn after(&self, key: Key, played: fn(&Met) -> usize, unplayed: fn(Slot) -> Slot) -> Slot {
        match self.slots(key) {
            [Slot::Nobody, other] | [other, Slot::Nobody] if other != Slot::Open => unplayed(other),
            [Slot::Player(_), Slot::Player(_)] => {
                self.results.get(&key).map_or(Slot::Open, |met| Slot::Player(played(met)))
            }
            _ => Slot::Open,
        }
    }

    /// The stage in which a player was thrown out.
    fn left_in(&self, player: usize) -> Option<Stage> {
        let lost = |(key, met): (&Key, &Met)| (met.loser() == player).then_some(key.stage);
        let out = |stage: &Stage| match stage {
            Stage::Winners(_) => !self.double,
            Stage::Final => Slot::Player(player) != self.unbeaten(),
            _ => true,
        };
        self.results.iter().filter_map(lost).find(out)
    }

    fn champion(&self) -> Option<usize> {
        let at = |stage: Stage| self.results.get(&Key { stage, table: 0 }).map(Met::winner);
        if !self.double {
            return at(Stage::Winners(self.rounds));
        }
        let won = at(Stage::Final)?;
        if Slot::Player(won) == self.unbeaten() { Some(won) } else { at(Stage::Decider) }
    }
}

/// The seeds of a bracket of 2^rounds places, in order: 0 3 1 2 for four. The two best meet in the last round.
fn seeding(rounds: u32) -> Vec<usize> {
    (0..rounds).fold(vec![0], |order, round| {
        let last = (2usize << round) - 1;
        order
            .iter()
            .enumerate()
            .flat_map(
                |(place, seed)| {
                    if place % 2 == 0 { [*seed, last - seed] } else { [last - seed, *seed] }
                },
            )
            .collect()
    })
}
