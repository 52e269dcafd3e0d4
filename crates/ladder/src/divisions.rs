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
