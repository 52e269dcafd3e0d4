//! Which bots of a ladder play next, and how many matches are made.

use std::time::Duration;

use leitai_ladder::pairing::{WaitingPlayer, pick_opponents};
use leitai_store::{BotId, LadderPairing, PairingCandidate};

use crate::schedule::options::{FEW, NO_LADDER};

/// A rating has settled when its doubt is at most this, on the scale of the paper (a newcomer's is
/// 8.3): about 100 Elo, after some 60 matches.
const SETTLED: f64 = 3.5;

/// The place of a built-in bot among the others is certain when its skill is this many standard
/// deviations away from each of theirs. A bot that always wins or always loses would else need
/// thousands of matches for a small doubt.
const CERTAIN: f64 = 3.0;

/// Stands for as many matches that two bots are not paired while there is anybody else.
const NEVER: u32 = u32::MAX;

/// Stands for as many matches that two bots of different divisions have met: some of their matches
/// lead out of their division, as their order would be unknown otherwise.
const AWAY: u32 = 2;

/// While nobody watches, built-in bots do not seek matches for ratings of their own: they wait for an
/// uploaded bot whose rating has not settled, and count as settled until then.
pub fn rest_built_ins(LadderPairing { candidates, .. }: &mut LadderPairing) {
    let needs_them = |one: &PairingCandidate| !one.is_built_in && one.rating.doubt > SETTLED;
    if candidates.iter().any(needs_them) {
        return;
    }
    for built_in in candidates.iter_mut().filter(|one| one.is_built_in) {
        built_in.rating.doubt = built_in.rating.doubt.min(SETTLED);
    }
}

/// Whether a ladder has bots with unsettled ratings.
pub fn is_unsettled(LadderPairing { candidates, .. }: &LadderPairing) -> bool {
    candidates.len() > 1 && !candidates.iter().all(|one| is_settled(one, candidates))
}

/// Whether the rating of a bot is known well enough.
fn is_settled(candidate: &PairingCandidate, all: &[PairingCandidate]) -> bool {
    candidate.rating.doubt <= SETTLED || candidate.is_built_in && has_certain_place(candidate, all)
}

/// Whether the order of this bot and every built-in bot is certain.
fn has_certain_place(candidate: &PairingCandidate, all: &[PairingCandidate]) -> bool {
    let rating = candidate.rating;
    let mut others = all
        .iter()
        .filter(|other| other.is_built_in && other.bot != candidate.bot)
        .peekable();
    others.peek().is_some()
        && others.all(|other| {
            let doubt = rating.doubt.hypot(other.rating.doubt);
            (rating.skill - other.rating.skill).abs() > CERTAIN * doubt
        })
}

/// Whether a bot needs ladder matches. Built-in bots whose rating has settled do not: they stay as
/// they are, and only play those who need a match.
fn seeks_matches(candidate: &PairingCandidate, all: &[PairingCandidate]) -> bool {
    !candidate.is_built_in || !is_settled(candidate, all)
}

pub(super) fn count_seeking(pairing: &LadderPairing) -> u64 {
    let all = &pairing.candidates;
    all.iter().filter(|one| seeks_matches(one, all)).count() as u64
}

/// The number of ladder matches to create. `last` is the time since one was due.
pub fn wanted_matches(
    pairing: &LadderPairing,
    most: u64,
    last: Option<Duration>,
    every: Duration,
) -> u64 {
    let bots = count_seeking(pairing);
    if bots == 0 || pairing.candidates.len() < 2 || every == NO_LADDER {
        return 0;
    }
    if is_unsettled(pairing) {
        return most.saturating_sub(pairing.open);
    }
    let most = most.min(bots.div_ceil(FEW));
    count_due(bots, last, every).min(most.saturating_sub(pairing.open))
}

/// The number of matches of a settled ladder that are due: each bot plays as often, however many
/// there are.
fn count_due(bots: u64, last: Option<Duration>, every: Duration) -> u64 {
    let each = match_interval(bots, every).as_nanos().max(1);
    last.map_or(1, |last| {
        u64::try_from(last.as_nanos() / each).unwrap_or(u64::MAX)
    })
}

/// The time between two matches of a settled ladder.
pub(super) fn match_interval(bots: u64, every: Duration) -> Duration {
    every.mul_f64(FEW as f64 / bots.max(FEW) as f64)
}

/// Chooses pairs, each in random order. One bot of each pair seeks matches.
pub fn choose_pairs(
    pairing: &mut LadderPairing,
    wanted: u64,
    mut chance: impl FnMut() -> u64,
) -> Vec<[BotId; 2]> {
    let mut picked = Vec::new();
    let all = &pairing.candidates;
    let seeking: Vec<bool> = all.iter().map(|one| seeks_matches(one, all)).collect();
    for _ in 0..wanted {
        let candidates = &pairing.candidates;
        let waiting = |one: &PairingCandidate| WaitingPlayer {
            skill: one.rating.shown_rating().value,
            waited: one.waited,
        };
        let waiting: Vec<WaitingPlayer> = candidates.iter().map(waiting).collect();
        let met = |one: usize, two: usize| {
            if !seeking[one] && !seeking[two] {
                return NEVER;
            }
            let (one, two) = (&candidates[one], &candidates[two]);
            let met = pairing.met.get(&order_pair(one.bot, two.bot)).copied();
            let away = if one.division == two.division {
                0
            } else {
                AWAY
            };
            met.unwrap_or(0) + away
        };
        let Some((one, two)) = pick_opponents(&waiting, met, chance()) else {
            break;
        };
        let (one, two) = (candidates[one].bot, candidates[two].bot);
        *pairing.met.entry(order_pair(one, two)).or_default() += 1;
        for candidate in &mut pairing.candidates {
            let plays = candidate.bot == one || candidate.bot == two;
            candidate.waited = if plays {
                0
            } else {
                candidate.waited.saturating_add(1)
            };
        }
        picked.push(if chance().is_multiple_of(2) {
            [one, two]
        } else {
            [two, one]
        });
    }
    picked
}

fn order_pair(one: BotId, two: BotId) -> (BotId, BotId) {
    (one.min(two), one.max(two))
}
