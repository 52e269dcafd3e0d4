//! Single and double elimination.
//!
//! Seeds stand in the bracket so that the best meet last; where players are missing, the best seeds
//! have no opponent in the first round. In double elimination a loser goes on among the losers,
//! where even rounds take in those who lost one round later among the winners, in reversed order,
//! so that repeated encounters come late.

use super::encounter::{
    Encounter, EncounterKey, EncounterResults, FinishedEncounter, TournamentStage,
};

/// The occupant of a slot of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BracketSlot {
    /// It is not known yet.
    Open,
    /// Nobody: the opponent advances without playing.
    Nobody,
    /// A player.
    Player(usize),
}

/// A bracket with its results so far.
pub struct Bracket<'a> {
    players: usize,
    double: bool,
    results: &'a EncounterResults,
    /// Rounds among the winners.
    rounds: u32,
    /// The seeds in the order of the first round.
    order: Vec<usize>,
}

/// Each player's place; see [`super::TournamentFormat::final_places`].
pub fn final_places(
    players: usize,
    double: bool,
    results: &EncounterResults,
) -> Vec<Option<usize>> {
    let bracket = Bracket::new(players, double, results);
    let left: Vec<Option<TournamentStage>> =
        (0..players).map(|player| bracket.left_in(player)).collect();
    let champion = bracket.find_champion();
    let after = |stage: TournamentStage| {
        left.iter()
            .filter(|other| other.is_none_or(|other| other > stage))
            .count()
    };
    let place = |player: usize| match left[player] {
        Some(stage) => Some(after(stage) + 1),
        None => (champion == Some(player)).then_some(1),
    };
    (0..players).map(place).collect()
}

impl<'a> Bracket<'a> {
    /// From its results.
    pub fn new(players: usize, double: bool, results: &'a EncounterResults) -> Bracket<'a> {
        let rounds = players.next_power_of_two().trailing_zeros();
        Bracket {
            players,
            double,
            results,
            rounds,
            order: seed_order(rounds),
        }
    }

    /// Every encounter whose two players are known, in the order in which they should be played.
    pub fn known_encounters(&self) -> Vec<Encounter> {
        let known =
            self.encounter_keys()
                .into_iter()
                .filter_map(|key| match self.encounter_slots(key) {
                    [BracketSlot::Player(one), BracketSlot::Player(other)] => Some(Encounter {
                        key,
                        pair: [one, other],
                    }),
                    _ => None,
                });
        known.collect()
    }

    /// Every encounter of the bracket, those without players too.
    fn encounter_keys(&self) -> Vec<EncounterKey> {
        let stage = |stage: TournamentStage, tables: usize| {
            (0..tables).map(move |table| EncounterKey { stage, table })
        };
        let winners =
            |round: u32| stage(TournamentStage::Winners(round), 1 << (self.rounds - round));
        let losers = |round: u32| {
            stage(
                TournamentStage::Losers(round),
                1 << (self.rounds - 1 - round.div_ceil(2)),
            )
        };
        let mut keys: Vec<EncounterKey> = (1..=self.rounds).flat_map(winners).collect();
        if self.double {
            keys.extend((1..=2 * (self.rounds - 1)).flat_map(losers));
            keys.extend(
                [TournamentStage::Final, TournamentStage::Decider]
                    .map(|stage| EncounterKey { stage, table: 0 }),
            );
        }
        keys.sort_by_key(|key| (self.stage_depth(key.stage), *key));
        keys
    }

    /// The order of a stage: the losers' bracket plays between the rounds of the winners'.
    fn stage_depth(&self, stage: TournamentStage) -> u32 {
        match stage {
            TournamentStage::Round(round) => round,
            TournamentStage::Winners(round) => 2 * round,
            TournamentStage::Losers(round) => round + 3,
            TournamentStage::Final => 3 * self.rounds + 4,
            TournamentStage::Decider => 3 * self.rounds + 5,
        }
    }

    /// The two slots of an encounter.
    fn encounter_slots(&self, key: EncounterKey) -> [BracketSlot; 2] {
        let table = key.table;
        let from = |stage: TournamentStage, table: usize| EncounterKey { stage, table };
        match key.stage {
            TournamentStage::Winners(1) => self.first_round_slots(table),
            TournamentStage::Winners(round) => [2 * table, 2 * table + 1]
                .map(|table| self.winner_slot(from(TournamentStage::Winners(round - 1), table))),
            TournamentStage::Losers(1) => [2 * table, 2 * table + 1]
                .map(|table| self.loser_slot(from(TournamentStage::Winners(1), table))),
            TournamentStage::Losers(round) if round % 2 == 1 => [2 * table, 2 * table + 1]
                .map(|table| self.winner_slot(from(TournamentStage::Losers(round - 1), table))),
            TournamentStage::Losers(round) => {
                let fallen = round / 2 + 1;
                let last = (1usize << (self.rounds - fallen)) - 1;
                let fallen = from(TournamentStage::Winners(fallen), last - table);
                [
                    self.winner_slot(from(TournamentStage::Losers(round - 1), table)),
                    self.loser_slot(fallen),
                ]
            }
            TournamentStage::Final => [self.unbeaten_slot(), self.second_chance()],
            TournamentStage::Decider => self.decider_slots(),
            TournamentStage::Round(_) => [BracketSlot::Open; 2],
        }
    }

    fn first_round_slots(&self, table: usize) -> [BracketSlot; 2] {
        [self.order[2 * table], self.order[2 * table + 1]].map(|seed| {
            if seed < self.players {
                BracketSlot::Player(seed)
            } else {
                BracketSlot::Nobody
            }
        })
    }

    fn unbeaten_slot(&self) -> BracketSlot {
        self.winner_slot(EncounterKey {
            stage: TournamentStage::Winners(self.rounds),
            table: 0,
        })
    }

    fn second_chance(&self) -> BracketSlot {
        match self.rounds {
            1 => self.loser_slot(EncounterKey {
                stage: TournamentStage::Winners(1),
                table: 0,
            }),
            rounds => self.winner_slot(EncounterKey {
                stage: TournamentStage::Losers(2 * (rounds - 1)),
                table: 0,
            }),
        }
    }

    /// Played only when the unbeaten one has lost the final.
    fn decider_slots(&self) -> [BracketSlot; 2] {
        match self.results.get(&EncounterKey {
            stage: TournamentStage::Final,
            table: 0,
        }) {
            Some(met) if BracketSlot::Player(met.winner()) != self.unbeaten_slot() => {
                met.pair.map(BracketSlot::Player)
            }
            Some(_) => [BracketSlot::Nobody; 2],
            None => [BracketSlot::Open; 2],
        }
    }

    fn winner_slot(&self, key: EncounterKey) -> BracketSlot {
        self.slot_after(key, FinishedEncounter::winner, |slot| slot)
    }

    fn loser_slot(&self, key: EncounterKey) -> BracketSlot {
        self.slot_after(key, FinishedEncounter::loser, |_| BracketSlot::Nobody)
    }

    /// The player who advances from an encounter: by its result, or unplayed without an opponent.
    fn slot_after(
        &self,
        key: EncounterKey,
        played: fn(&FinishedEncounter) -> usize,
        unplayed: fn(BracketSlot) -> BracketSlot,
    ) -> BracketSlot {
        if let Some(met) = self.results.get(&key) {
            return BracketSlot::Player(played(met));
        }
        match self.encounter_slots(key) {
            [BracketSlot::Nobody, other] | [other, BracketSlot::Nobody]
                if other != BracketSlot::Open =>
            {
                unplayed(other)
            }
            _ => BracketSlot::Open,
        }
    }

    /// The stage in which a player was eliminated.
    fn left_in(&self, player: usize) -> Option<TournamentStage> {
        let lost = |(key, met): (&EncounterKey, &FinishedEncounter)| {
            (met.loser() == player).then_some(key.stage)
        };
        let out = |stage: &TournamentStage| match stage {
            TournamentStage::Winners(_) => !self.double,
            TournamentStage::Final => BracketSlot::Player(player) != self.unbeaten_slot(),
            _ => true,
        };
        self.results.iter().filter_map(lost).find(out)
    }

    fn find_champion(&self) -> Option<usize> {
        let at = |stage: TournamentStage| {
            self.results
                .get(&EncounterKey { stage, table: 0 })
                .map(FinishedEncounter::winner)
        };
        if !self.double {
            return at(TournamentStage::Winners(self.rounds));
        }
        let won = at(TournamentStage::Final)?;
        if BracketSlot::Player(won) == self.unbeaten_slot() {
            Some(won)
        } else {
            at(TournamentStage::Decider)
        }
    }
}

/// The seeds of a bracket of 2^rounds places, in order: 0 3 1 2 for four. The two best meet in the
/// last round.
fn seed_order(rounds: u32) -> Vec<usize> {
    (0..rounds).fold(vec![0], |order, round| {
        let last = (2usize << round) - 1;
        order
            .iter()
            .enumerate()
            .flat_map(|(place, seed)| {
                if place % 2 == 0 {
                    [*seed, last - seed]
                } else {
                    [last - seed, *seed]
                }
            })
            .collect()
    })
}
