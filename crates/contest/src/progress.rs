//! Which matches a stage needs now, from its results alone.
//!
//! Nothing else is remembered: a server that was killed derives the same matches again. A result
//! counts only for the pair that the results before it lead to, so that after a correction the
//! matches of other pairs no longer count.

use std::collections::BTreeMap;

use leitai_ladder::tournament::{Encounter, EncounterKey, EncounterResults, FinishedEncounter};

use crate::rules::{SeedRules, StageRules};
use crate::standing::{StandingRow, rank_players};

/// The place of a match in its stage: its encounter, and its number there from 0.
pub type MatchPlace = (EncounterKey, u32);

/// What a match brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchPoints {
    /// The players, in the order of the encounter.
    pub pair: [usize; 2],
    /// The points of each.
    pub points: [f64; 2],
}

/// A match that is to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedMatch {
    /// Its place.
    pub place: MatchPlace,
    /// The players, in the order of the encounter.
    pub pair: [usize; 2],
}

impl PlannedMatch {
    /// Whether the second player of the encounter is entrant A: every second match.
    pub fn is_swapped(&self) -> bool {
        self.place.1 % 2 == 1
    }
}

/// The state of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageProgress {
    /// The encounters that are over.
    pub encounters: EncounterResults,
    /// The encounters that can be played now.
    pub open: Vec<Encounter>,
    /// The matches that are to be played now; those that are running already among them.
    pub matches: Vec<PlannedMatch>,
    /// The standings so far.
    pub standings: Vec<StandingRow>,
    /// Whether nothing is left to play.
    pub is_over: bool,
}

/// The state of a stage among so many players. `absent` are those who withdrew or were
/// disqualified: what they have not played, their opponents win.
pub fn derive_stage(
    rules: &StageRules,
    players: usize,
    absent: &[bool],
    results: &BTreeMap<MatchPlace, Vec<MatchPoints>>,
) -> StageProgress {
    let format = rules.format.among(players);
    let mut encounters = EncounterResults::new();
    let (open, matches) = loop {
        let open = format.open_encounters(players, &encounters);
        let (mut still, mut matches, mut is_new) = (Vec::new(), Vec::new(), false);
        for encounter in open {
            let planned = plan_matches(&encounter, rules.matches, absent, results);
            match planned {
                Ok(points) => {
                    let pair = encounter.pair;
                    encounters.insert(encounter.key, FinishedEncounter { pair, points });
                    is_new = true;
                }
                Err(left) => {
                    matches.extend(left);
                    still.push(encounter);
                }
            }
        }
        if !is_new {
            break (still, matches);
        }
    };
    let standings = rank_players(
        format,
        players,
        rules.matches,
        &encounters,
        &rules.tie_breaks,
    );
    StageProgress {
        is_over: open.is_empty(),
        encounters,
        open,
        matches,
        standings,
    }
}

/// The points of an encounter that is over, or the matches that it lacks.
fn plan_matches(
    encounter: &Encounter,
    matches: u32,
    absent: &[bool],
    results: &BTreeMap<MatchPlace, Vec<MatchPoints>>,
) -> Result<[f64; 2], Vec<PlannedMatch>> {
    let is_absent = encounter
        .pair
        .map(|player| absent.get(player) == Some(&true));
    let (mut points, mut left) = ([0.0; 2], Vec::new());
    for number in 0..matches {
        let place = (encounter.key, number);
        let mut met = results.get(&place).into_iter().flatten();
        let played = met.find(|met| met.pair == encounter.pair);
        match (played, is_absent) {
            (Some(met), _) => {
                points[0] += met.points[0];
                points[1] += met.points[1];
            }
            (None, [false, false]) => left.push(PlannedMatch {
                place,
                pair: encounter.pair,
            }),
            (None, [true, true]) => {}
            (None, [true, false]) => points[1] += 1.0,
            (None, [false, true]) => points[0] += 1.0,
        }
    }
    if left.is_empty() {
        Ok(points)
    } else {
        Err(left)
    }
}

/// The seed of a match: from the list in turn, or from the contest's own number. It depends on the
/// match's place alone; `attempt` counts how often the match was played again.
pub fn match_seed(
    rules: &SeedRules,
    drawn: u64,
    stage: usize,
    place: MatchPlace,
    attempt: u32,
) -> u64 {
    let (key, number) = place;
    let words = [
        stage as u64,
        hash_text(&key.to_text()),
        u64::from(number),
        u64::from(attempt),
    ];
    match rules {
        SeedRules::Fixed { seeds } => seeds[number as usize % seeds.len().max(1)],
        SeedRules::Drawn | SeedRules::Hidden => {
            words
                .iter()
                .fold(drawn, |state, word| mix(state ^ mix(*word)))
                >> 11
        }
    }
}

/// The number of the config of a match: matches of an encounter use them in turn, and so do the
/// tables.
pub fn config_number(configs: usize, place: MatchPlace) -> usize {
    (place.0.table + place.1 as usize) % configs.max(1)
}

/// An encounter's place as a short text, and back.
pub trait EncounterText: Sized {
    /// `r3.0`: stage and table.
    fn to_text(&self) -> String;
    /// The place of this text.
    fn from_text(text: &str) -> Option<Self>;
}

impl EncounterText for EncounterKey {
    fn to_text(&self) -> String {
        format!("{}.{}", self.stage, self.table)
    }

    fn from_text(text: &str) -> Option<EncounterKey> {
        use leitai_ladder::tournament::TournamentStage;
        let (stage, table) = text.split_once('.')?;
        let round = |text: &str| text.parse::<u32>().ok();
        let stage = match stage.split_at_checked(1)? {
            _ if stage == "final" => TournamentStage::Final,
            _ if stage == "decider" => TournamentStage::Decider,
            ("r", rest) => TournamentStage::Round(round(rest)?),
            ("w", rest) => TournamentStage::Winners(round(rest)?),
            ("l", rest) => TournamentStage::Losers(round(rest)?),
            _ => return None,
        };
        let table = table.parse().ok()?;
        Some(EncounterKey { stage, table })
    }
}

/// FNV-1a, 64 bits.
fn hash_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The finalizer of SplitMix64.
#[doc(hidden)] // For tests.
pub fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
