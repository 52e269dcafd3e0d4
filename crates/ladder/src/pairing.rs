//! Pairing on a ladder that never ends: opponents of similar skill, without starvation.
//!
//! The first of the two is always the one who has waited longest, so that with `n` waiting nobody
//! waits for more than `n` picks. The second is the one for whom the game says most: near in skill,
//! seldom met of late, waiting long itself.

/// A candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaitingPlayer {
    /// The skill, in Elo.
    pub skill: f64,
    /// Picks since it last played; newcomers have waited for ever ([`u64::MAX`]).
    pub waited: u64,
}

/// A difference of so much Elo weighs as much as having met once of late.
const NEAR: f64 = 100.0;
/// The weight of having waited for a whole round against the nearness of a rival.
const PATIENCE: f64 = 1.0;

/// The two who play next, by index; `None` where fewer than two wait. `met` says how often two have
/// met of late; `chance`, any number that differs from pick to pick, decides between rivals that
/// are about as good.
pub fn pick_opponents(
    waiting: &[WaitingPlayer],
    met: impl Fn(usize, usize) -> u32,
    chance: u64,
) -> Option<(usize, usize)> {
    let first = (0..waiting.len())
        .rev()
        .max_by_key(|index| waiting[*index].waited)?;
    let cost = |other: usize| {
        let far = (waiting[other].skill - waiting[first].skill).abs() / NEAR;
        let patience = PATIENCE * (waiting[other].waited as f64 / waiting.len() as f64).min(1.0);
        far + f64::from(met(first, other)) - patience + shade_chance(chance, other as u64)
    };
    let mut best: Option<(f64, usize)> = None;
    for other in (0..waiting.len()).filter(|other| *other != first) {
        let price = cost(other);
        if best.is_none_or(|(least, _)| price < least) {
            best = Some((price, other));
        }
    }
    best.map(|(_, second)| (first, second))
}

/// A number from 0 to ½, uniformly distributed over the hashed values.
fn shade_chance(chance: u64, index: u64) -> f64 {
    let mut z = chance ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z >> 40) as f64 / (1u64 << 25) as f64
}
