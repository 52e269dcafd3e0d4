//! Tests of `pairing`.

use leitai_ladder::pairing::*;
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
