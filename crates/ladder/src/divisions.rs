//! Divisions of a large ladder: who is promoted and relegated.
//!
//! A division holds the places of some bots, the first one the best. A bot changes its division only
//! when its whole interval of places lies beyond the border. One whose interval contains the border
//! stays where it is, so that chance moves nobody to and fro.

use std::num::NonZeroU32;

/// Best and worst place of a bot, from 1.
pub type PlaceInterval = [u32; 2];

/// The share of an interval of places beyond a border from which a bot is about to cross it.
const ABOUT: f64 = 0.75;

/// Where a bot is about to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tendency {
    /// To a better division.
    Up,
    /// To a worse division.
    Down,
}

/// The divisions of a ladder, numbered from 1, the best.
///
/// ```
/// use leitai_ladder::divisions::Divisions;
/// let ten = Divisions::after(35, 10.try_into().expect("it is not 0"), 1).expect("35 bots");
/// assert_eq!(ten.count(), 3);
/// assert_eq!(ten.next_division(2, [9, 14]), 2);
/// assert_eq!(ten.next_division(2, [3, 9]), 1);
/// assert_eq!(ten.next_division(2, [21, 24]), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisions {
    size: NonZeroU32,
    count: u32,
}

impl Divisions {
    /// The divisions of so many bots, where there were so many divisions before (0 or 1: none). A
    /// division opens when it would be full, and closes when a fifth of it is missing. `None` for a
    /// ladder that is not divided.
    pub fn after(bots: u32, size: NonZeroU32, before: u32) -> Option<Divisions> {
        let full = bots / size;
        let missing = size.get() / 5;
        let kept = before.min(bots.saturating_add(missing) / size);
        let count = full.max(kept);
        (count > 1).then_some(Divisions { size, count })
    }

    /// Divisions as they are.
    pub fn new(size: NonZeroU32, count: u32) -> Option<Divisions> {
        (count > 1).then_some(Divisions { size, count })
    }

    /// How many there are, at least 2.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The division of a place. The last one has no end.
    pub fn of_place(&self, place: u32) -> u32 {
        (place.saturating_sub(1) / self.size + 1).min(self.count)
    }

    /// The division in which a bot of this one goes on.
    pub fn next_division(&self, division: u32, [best, worst]: PlaceInterval) -> u32 {
        let division = division.clamp(1, self.count);
        // Between both, it is where it may be.
        division.clamp(self.of_place(best), self.of_place(worst))
    }

    /// Where a bot of this division is about to go: most of its interval lies beyond the border.
    pub fn tendency(&self, division: u32, [best, worst]: PlaceInterval) -> Option<Tendency> {
        let above = u64::from(self.size.get()) * u64::from(division.saturating_sub(1));
        let end = above + u64::from(self.size.get());
        let (best, worst) = (u64::from(best), u64::from(worst));
        let width = (worst + 1).saturating_sub(best);
        let is_most = |places: u64| places as f64 >= ABOUT * width as f64 && places > 0;
        if is_most((above + 1).saturating_sub(best)) {
            return Some(Tendency::Up);
        }
        let below = worst.saturating_sub(end).min(width);
        (division < self.count && is_most(below)).then_some(Tendency::Down)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn size(size: u32) -> NonZeroU32 {
        NonZeroU32::new(size).expect("tests divide")
    }

    #[test]
    fn divisions_open_when_full_and_close_when_a_fifth_is_missing() {
        let rows = [
            (39, 0, 0),
            (40, 0, 2),
            (59, 2, 2),
            (60, 2, 3),
            (56, 3, 3),
            (55, 3, 2),
            (36, 2, 2),
            (35, 2, 0),
            (1000, 0, 50),
            (0, 9, 0),
        ];
        for (bots, before, count) in rows {
            let found = Divisions::after(bots, size(20), before);
            assert_eq!(found.map_or(0, |found| found.count()), count, "{bots} bots");
        }
    }

    #[test]
    fn most_of_the_interval_beyond_a_border_is_a_tendency() {
        let three = Divisions::new(size(10), 3).expect("three");
        let rows = [
            (2, [11, 20], None),
            (2, [8, 12], None),
            (2, [8, 11], Some(Tendency::Up)),
            (2, [20, 23], Some(Tendency::Down)),
            (2, [19, 22], None),
            (2, [5, 26], None),
            (3, [25, 90], None),
            (1, [1, 3], None),
            (1, [8, 20], Some(Tendency::Down)),
        ];
        for (division, places, expected) in rows {
            let found = three.tendency(division, places);
            assert_eq!(found, expected, "{division}: {places:?}");
        }
    }

    fn any_interval() -> impl Strategy<Value = PlaceInterval> {
        (1u32..300, 0u32..200).prop_map(|(best, width)| [best, best + width])
    }

    proptest! {
        #[test]
        fn who_has_moved_stays(division in 1u32..20, places in any_interval(), each in 1u32..40, count in 2u32..12) {
            let all = Divisions::new(size(each), count).expect("two or more");
            let next = all.next_division(division, places);
            prop_assert_eq!(all.next_division(next, places), next);
            prop_assert!((1..=count).contains(&next));
        }

        #[test]
        fn only_a_whole_interval_beyond_the_border_moves(
            division in 1u32..12, places in any_interval(), each in 1u32..40, count in 2u32..12,
        ) {
            let all = Divisions::new(size(each), count).expect("two or more");
            let division = division.min(count);
            let [best, worst] = places;
            let next = all.next_division(division, places);
            let above = each * (division - 1);
            prop_assert_eq!(next < division, worst <= above);
            prop_assert_eq!(next > division, division < count && best > above + each);
        }

        /// To come back, a bot must first be surely on the other side: intervals that all contain one
        /// place move nobody twice in different directions.
        #[test]
        fn nobody_swings_while_one_place_stays_possible(
            start in 1u32..12, place in 1u32..200, widths in prop::collection::vec((0u32..60, 0u32..60), 1..30),
        ) {
            let all = Divisions::new(size(10), 12).expect("two or more");
            let (mut division, mut moves) = (start, Vec::new());
            for (better, worse) in widths {
                let next = all.next_division(division, [place.saturating_sub(better).max(1), place + worse]);
                if next != division {
                    moves.push(next < division);
                }
                division = next;
            }
            moves.dedup();
            prop_assert!(moves.len() <= 1, "{moves:?}");
        }

        #[test]
        fn one_bot_more_or_less_does_not_open_and_close(bots in 0u32..2000, before in 0u32..60, each in 5u32..50) {
            let count = |bots, before| Divisions::after(bots, size(each), before).map_or(0, |found| found.count());
            let now = count(bots, before);
            let more = count(bots + 1, now);
            prop_assert_eq!(count(bots, more), more);
        }
    }
}
