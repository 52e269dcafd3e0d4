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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Plays so many picks and gives each one's longest wait, and the mean difference of skill.
    fn play(skills: &[f64], picks: usize) -> (Vec<u64>, f64) {
        let mut waiting: Vec<WaitingPlayer> = skills
            .iter()
            .map(|skill| WaitingPlayer {
                skill: *skill,
                waited: u64::MAX,
            })
            .collect();
        let mut longest = vec![0; skills.len()];
        let mut met = vec![vec![0u32; skills.len()]; skills.len()];
        let mut apart = 0.0;
        for pick_number in 0..picks {
            let (one, two) =
                pick_opponents(&waiting, |a, b| met[a][b], pick_number as u64).expect("two wait");
            assert_ne!(one, two);
            apart += (skills[one] - skills[two]).abs();
            met[one][two] += 1;
            met[two][one] += 1;
            for (index, one_waiting) in waiting.iter_mut().enumerate() {
                let last = if one_waiting.waited == u64::MAX {
                    pick_number as u64
                } else {
                    one_waiting.waited
                };
                longest[index] = longest[index].max(last);
                let plays = index == one || index == two;
                one_waiting.waited = if plays {
                    0
                } else {
                    one_waiting.waited.saturating_add(1)
                };
            }
        }
        (longest, apart / picks as f64)
    }

    #[test]
    fn fewer_than_two_make_no_game() {
        assert_eq!(pick_opponents(&[], |_, _| 0, 1), None);
        assert_eq!(
            pick_opponents(
                &[WaitingPlayer {
                    skill: 0.0,
                    waited: 1
                }],
                |_, _| 0,
                1
            ),
            None
        );
    }

    #[test]
    fn rivals_are_near_in_skill_but_not_always_the_same() {
        let skills: Vec<f64> = (0..50).map(|index| f64::from(index) * 20.0).collect();
        let (_, apart) = play(&skills, 1000);
        // Two taken at random are 340 apart on average.
        assert!(apart < 200.0, "{apart}");
        assert!(apart > 20.0, "{apart}: more than neighbours");
    }

    proptest! {
        #[test]
        fn every_bot_is_paired(skills in proptest::collection::vec(-2000.0f64..2000.0, 2..20)) {
            let (longest, _) = play(&skills, 40 * skills.len());
            prop_assert!(longest.iter().all(|wait| *wait <= skills.len() as u64), "{longest:?}");
        }
    }
}
