//! MT19937 (Matsumoto and Nishimura 1998), seeded as CPython seeds it.
//!
//! Seeding is 1,247 steps of which each needs the one before, about 2 µs; the items of a short leg take less. Who plays legs of
//! many seeds mostly counts up, so from the second seed on those that follow are seeded together: side by side eight chains
//! take little longer than one. Their first words are drawn together, too, and most legs need no others.

use std::array::from_fn;
use std::cell::RefCell;

/// The words of a Mersenne Twister.
const WORDS: usize = 624;
/// The distance of the words that a new one is made of.
const MIDDLE: usize = 397;
/// How many seeds are seeded together.
const LANES: usize = 8;
/// How many words are drawn at once from a new twister: the items of 32 rounds take about 120. None of them is made of another
/// one, as those after the 227th are.
const FIRST: usize = 160;
const _: () = assert!(FIRST <= WORDS - MIDDLE);

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

/// What Python's `random` draws words with.
pub(crate) struct MersenneTwister {
    seed: u64,
    first: [u32; FIRST],
    /// How many of the first words were drawn.
    drawn: usize,
    /// Draws the words after them, where it is known.
    rest: Option<Box<State>>,
}

impl MersenneTwister {
    /// Python's `random.seed(seed)`: `init_by_array` on the little-endian 32-bit words.
    pub(crate) fn seeded_as_python(seed: u64) -> MersenneTwister {
        AHEAD.with_borrow_mut(|ahead| ahead.begin(seed))
    }

    #[inline]
    pub(crate) fn next_u32(&mut self) -> u32 {
        let Some(word) = self.first.get(self.drawn) else {
            return self.draw_later();
        };
        self.drawn += 1;
        *word
    }

    #[inline(never)]
    fn draw_later(&mut self) -> u32 {
        let make = || Box::new(AHEAD.with_borrow(|ahead| ahead.state_of(self.seed)));
        self.rest.get_or_insert_with(make).next_u32()
    }
}

/// The words of a twister after its first ones. Unlike the usual programs it makes one at a time, when it is needed.
struct State {
    words: [u32; WORDS],
    /// The next word to be made.
    next: usize,
}

impl State {
    /// After the first words were made.
    fn after_first(words: [u32; WORDS]) -> State {
        let next = FIRST;
        State { words, next }
    }

    fn next_u32(&mut self) -> u32 {
        let (at, words) = (self.next, &mut self.words);
        let after = if at + 1 == WORDS { 0 } else { at + 1 };
        let middle = if at + MIDDLE >= WORDS {
            at + MIDDLE - WORDS
        } else {
            at + MIDDLE
        };
        words[at] = made_of(words[at], words[after], words[middle]);
        self.next = after;
        temper(words[at])
    }
}

/// The new word in place of `own`.
fn made_of(own: u32, after: u32, middle: u32) -> u32 {
    let joined = own & 1 << 31 | after & !(1 << 31);
    let odd = (joined & 1).wrapping_neg() & 0x9908_b0df;
    middle ^ joined >> 1 ^ odd
}

/// Makes the first words of several twisters side by side.
fn make_first<const KEYS: usize>(words: &mut [[u32; KEYS]; WORDS]) {
    for at in 0..FIRST {
        let (own, after, middle) = (words[at], words[at + 1], words[at + MIDDLE]);
        words[at] = from_fn(|one| made_of(own[one], after[one], middle[one]));
    }
}

fn temper(mut word: u32) -> u32 {
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c_5680;
    word ^= word << 15 & 0xefc6_0000;
    word ^ word >> 18
}

thread_local! {
    static AHEAD: RefCell<SeedsAhead> = const { RefCell::new(SeedsAhead { last: None, begin: 0, lanes: None }) };
}

/// Seeds that were seeded together. What they give does not depend on it.
struct SeedsAhead {
    /// The seed that was asked for last.
    last: Option<u64>,
    /// The first of them.
    begin: u64,
    /// Their words, after the first ones were made.
    lanes: Option<Box<[[u32; LANES]; WORDS]>>,
}

impl SeedsAhead {
    fn begin(&mut self, seed: u64) -> MersenneTwister {
        let follows = self
            .last
            .replace(seed)
            .is_some_and(|last| last.checked_add(1) == Some(seed));
        if follows && self.lane_of(seed).is_none() {
            self.seed_from(seed);
        }
        let (first, rest) = match self.lane_of(seed) {
            Some((words, lane)) => (from_fn(|at| temper(words[at][lane])), None),
            None => {
                let state = Box::new(State::after_first(seed_alone(seed)));
                (from_fn(|at| temper(state.words[at])), Some(state))
            }
        };
        MersenneTwister {
            seed,
            first,
            drawn: 0,
            rest,
        }
    }

    /// The state of the twister of a seed that was begun.
    fn state_of(&self, seed: u64) -> State {
        State::after_first(match self.lane_of(seed) {
            Some((words, lane)) => from_fn(|at| words[at][lane]),
            None => seed_alone(seed),
        })
    }

    fn lane_of(&self, seed: u64) -> Option<(&[[u32; LANES]; WORDS], usize)> {
        let lane = seed.checked_sub(self.begin)?;
        let words = self.lanes.as_deref()?;
        (lane < LANES as u64).then_some((words, lane as usize))
    }

    /// Seeds this one and those after it, unless keys of both lengths are among them.
    fn seed_from(&mut self, begin: u64) {
        let last = begin.checked_add(LANES as u64 - 1);
        if last.is_none_or(|last| key_length(last) != key_length(begin)) {
            return;
        }
        let keys: [[u32; 2]; LANES] = from_fn(|lane| key_of(begin + lane as u64));
        let by_place = from_fn(|place| keys.map(|key| key[place]));
        self.begin = begin;
        let lanes = self
            .lanes
            .get_or_insert_with(|| Box::new([[0; LANES]; WORDS]));
        **lanes = seed_words(&by_place, key_length(begin));
        make_first(lanes);
    }
}

/// The words of one seed, after the first ones were made.
fn seed_alone(seed: u64) -> [u32; WORDS] {
    let mut words = seed_words(&key_of(seed).map(|word| [word]), key_length(seed));
    make_first(&mut words);
    words.map(|[word]| word)
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
    // The word before is at hand: to read it where it was just written would take longer than to make the next one.
    let (mut before, mut at, mut place) = (words[0], 1, 0);
    for _ in 0..WORDS {
        let (now, key) = (words[at], key[place]);
        before = from_fn(|one| {
            let word = now[one] ^ mixed(before[one], 1_664_525);
            word.wrapping_add(key[one]).wrapping_add(place as u32)
        });
        words[at] = before;
        // After the last word comes the second; the first is not made.
        at = if at + 1 < WORDS { at + 1 } else { 1 };
        place = if place + 1 < length { place + 1 } else { 0 };
    }
    for _ in 1..WORDS {
        let now = words[at];
        before =
            from_fn(|one| (now[one] ^ mixed(before[one], 1_566_083_941)).wrapping_sub(at as u32));
        words[at] = before;
        at = if at + 1 < WORDS { at + 1 } else { 1 };
    }
    words[0] = [1 << 31; KEYS];
    words
}
