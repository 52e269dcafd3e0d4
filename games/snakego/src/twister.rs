//! MT19937 (Matsumoto and Nishimura 1998), seeded as CPython seeds it.
//!
//! Seeding is 1,247 steps of which each needs the one before, about 2 µs; the items of a short leg take less. Who plays legs of
//! many seeds mostly counts up, so from the second seed on those that follow are seeded together: side by side eight chains
//! take little longer than one.

use std::array::from_fn;
use std::cell::RefCell;

/// The words of a Mersenne Twister.
const WORDS: usize = 624;
/// The distance of the words that a new one is made of.
const MIDDLE: usize = 397;
/// How many seeds are seeded together.
const LANES: usize = 8;

/// The words with which seeding by an array begins: those of the seed 19650218.
static BEGINNING: [u32; WORDS] = {
    let mut words = [19_650_218; WORDS];
    let mut at = 1;
    while at < WORDS {
        words[at] = mixed(words[at - 1], 1_812_433_253).wrapping_add(at as u32);
        at += 1;
    }
    words
};

const fn mixed(word: u32, by: u32) -> u32 {
    (word ^ word >> 30).wrapping_mul(by)
}

/// Unlike the usual programs it makes one word at a time, when it is needed, and begins from constants that are computed when
/// this is compiled.
pub(crate) struct MersenneTwister {
    words: [u32; WORDS],
    /// The next word to be made.
    next: usize,
}

impl MersenneTwister {
    /// Python's `random.seed(seed)`: `init_by_array` on the little-endian 32-bit words.
    pub(crate) fn seeded_as_python(seed: u64) -> MersenneTwister {
        let words = AHEAD.with_borrow_mut(|ahead| ahead.words_of(seed));
        MersenneTwister { words, next: 0 }
    }

    pub(crate) fn next_u32(&mut self) -> u32 {
        let (at, words) = (self.next, &mut self.words);
        let after = if at + 1 == WORDS { 0 } else { at + 1 };
        let middle = if at + MIDDLE >= WORDS {
            at + MIDDLE - WORDS
        } else {
            at + MIDDLE
        };
        let joined = words[at] & 1 << 31 | words[after] & !(1 << 31);
        let odd = (joined & 1).wrapping_neg() & 0x9908_b0df;
        words[at] = words[middle] ^ joined >> 1 ^ odd;
        self.next = after;
        temper(words[at])
    }
}

fn temper(mut word: u32) -> u32 {
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c_5680;
    word ^= word << 15 & 0xefc6_0000;
    word ^ word >> 18
}

thread_local! {
    static AHEAD: RefCell<SeedsAhead> = const { RefCell::new(SeedsAhead { last: None, first: 0, words: Vec::new() }) };
}

/// Seeds that were seeded together. What they give does not depend on it.
struct SeedsAhead {
    /// The seed that was asked for last.
    last: Option<u64>,
    /// The words of the seeds from this one on, or none.
    first: u64,
    words: Vec<[u32; LANES]>,
}

impl SeedsAhead {
    fn words_of(&mut self, seed: u64) -> [u32; WORDS] {
        let follows = self
            .last
            .replace(seed)
            .is_some_and(|last| last.checked_add(1) == Some(seed));
        if follows && self.lane_of(seed).is_none() {
            self.seed_from(seed);
        }
        match self.lane_of(seed) {
            Some(lane) => from_fn(|at| self.words[at][lane]),
            None => {
                seed_words(&key_of(seed).map(|word| [word]), key_length(seed)).map(|[word]| word)
            }
        }
    }

    fn lane_of(&self, seed: u64) -> Option<usize> {
        let lane = seed
            .checked_sub(self.first)
            .filter(|_| !self.words.is_empty())?;
        (lane < LANES as u64).then_some(lane as usize)
    }

    /// Seeds this one and those after it, unless keys of both lengths are among them.
    fn seed_from(&mut self, first: u64) {
        let last = first.checked_add(LANES as u64 - 1);
        if last.is_none_or(|last| key_length(last) != key_length(first)) {
            return;
        }
        let keys: [[u32; 2]; LANES] = from_fn(|lane| key_of(first + lane as u64));
        let by_place = from_fn(|place| keys.map(|key| key[place]));
        self.first = first;
        self.words.clear();
        self.words.extend(seed_words(&by_place, key_length(first)));
    }
}

fn key_of(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

fn key_length(seed: u64) -> usize {
    if seed >> 32 == 0 { 1 } else { 2 }
}

/// `init_by_array`, for several keys of this length side by side.
fn seed_words<const KEYS: usize>(key: &[[u32; KEYS]; 2], length: usize) -> [[u32; KEYS]; WORDS] {
    let mut words = BEGINNING.map(|word| [word; KEYS]);
    let (mut at, mut place) = (1, 0);
    for _ in 0..WORDS {
        let (before, now, key) = (words[at - 1], words[at], key[place]);
        words[at] = from_fn(|one| {
            let word = now[one] ^ mixed(before[one], 1_664_525);
            word.wrapping_add(key[one]).wrapping_add(place as u32)
        });
        at = next_word(&mut words, at);
        place = if place + 1 < length { place + 1 } else { 0 };
    }
    for _ in 1..WORDS {
        let (before, now) = (words[at - 1], words[at]);
        words[at] =
            from_fn(|one| (now[one] ^ mixed(before[one], 1_566_083_941)).wrapping_sub(at as u32));
        at = next_word(&mut words, at);
    }
    words[0] = [1 << 31; KEYS];
    words
}

/// The word after this one; the first is that of the last.
fn next_word<const KEYS: usize>(words: &mut [[u32; KEYS]; WORDS], at: usize) -> usize {
    if at + 1 < WORDS {
        return at + 1;
    }
    words[0] = words[WORDS - 1];
    1
}
