//! Items, and their generation from a seed as by the official judge.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::board::{Cell, SIDE};
use crate::twister::MersenneTwister;

/// The number of rounds for which items are drawn, whatever `max_round` is.
pub const DRAWN_ROUNDS: u16 = 512;
/// The number of rounds that an item lies on the map: `time ..= time + 15`.
pub const LIFETIME: u16 = 16;
/// The most length of an item in a given list (drawn items add 1 to 5).
pub const MAX_LENGTH: u16 = 100;

/// An item; its id is its index in the setup's list. Written as `[x, y, time, type, param]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Item {
    pub cell: Cell,
    /// The round in which it appears.
    pub time: u16,
    pub kind: ItemKind,
    /// The length that it adds; for a ray a number without effect (`max_round` from the official
    /// judge).
    pub param: u16,
}

/// The type of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Type 0: adds `param` to the length bank.
    Length,
    /// Type 2: a melting ray.
    Ray,
}

impl ItemKind {
    /// The type number of the protocol.
    pub const fn number(self) -> u8 {
        match self {
            ItemKind::Length => 0,
            ItemKind::Ray => 2,
        }
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (x, y) = (self.cell.x().into(), self.cell.y().into());
        [x, y, self.time, self.kind.number().into(), self.param].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <[i64; 5]>::deserialize(deserializer)?;
        Item::from_numbers(raw).map_err(|why| D::Error::custom(format!("item {raw:?}: {why}")))
    }
}

impl Item {
    /// An item from `[x, y, time, type, param]`; `Err` names the number that is out of range.
    pub fn from_numbers([x, y, time, kind, param]: [i64; 5]) -> Result<Item, String> {
        let coordinate = |name, value: i64| {
            let small = u8::try_from(value).ok().filter(|value| *value < SIDE);
            small.ok_or_else(|| format!("{name} is {value}; 0 to 15 are on the map"))
        };
        let time = in_range("time", time, 1..=DRAWN_ROUNDS)?;
        let cell = Cell::new(coordinate("x", x)?, coordinate("y", y)?);
        let (kind, param) = match kind {
            0 => (ItemKind::Length, in_range("param", param, 1..=MAX_LENGTH)?),
            2 => (
                ItemKind::Ray,
                in_range("param", param, 0..=i16::MAX as u16)?,
            ),
            other => return Err(format!("type is {other}; 0 is length, 2 is a ray")),
        };
        Ok(Item {
            cell,
            time,
            kind,
            param,
        })
    }
}

fn in_range(name: &str, value: i64, range: std::ops::RangeInclusive<u16>) -> Result<u16, String> {
    let small = u16::try_from(value)
        .ok()
        .filter(|value| range.contains(value));
    small.ok_or_else(|| {
        format!(
            "{name} is {value}; {} to {} are accepted",
            range.start(),
            range.end()
        )
    })
}

/// The item generators of the two source documents of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Generator {
    /// The final rules (source 000): a cell is drawn again while an item may lie there.
    Official,
    /// The first edition (source 001): every cell of the area is equally likely.
    FirstEdition,
}

/// Draws the items of a game, exactly as CPython's `random` under this seed draws them for the
/// official judge, up to the round `last`: later ones change nothing of those before them.
pub fn draw_items(generator: Generator, seed: u64, max_round: u16, last: u16) -> Vec<Item> {
    let mut random = PythonRandom::new(seed);
    let mut blocked_until = [0u16; 256];
    let mut items = Vec::with_capacity(usize::from(last) / 3);
    for round in 1..=last {
        if !random.at_most_a_quarter() {
            continue;
        }
        let segment = Segment::of_round(round);
        let cell = loop {
            let x = random.randint(segment.low, segment.high);
            let y = random.randint(segment.low, segment.high);
            let cell = Cell::new(x as u8, y as u8);
            if generator == Generator::FirstEdition || blocked_until[cell.0 as usize] < round {
                break cell;
            }
        };
        blocked_until[cell.0 as usize] = round + LIFETIME;
        let ray =
            random.randint(0, segment.length_share + segment.ray_share - 1) >= segment.length_share;
        let (kind, param) = if ray {
            (ItemKind::Ray, max_round)
        } else {
            (ItemKind::Length, random.randint(1, 5) as u16)
        };
        items.push(Item {
            cell,
            time: round,
            kind,
            param,
        });
    }
    items
}

/// The area and the probabilities of a span of rounds.
struct Segment {
    low: u32,
    high: u32,
    length_share: u32,
    ray_share: u32,
}

impl Segment {
    fn of_round(round: u16) -> Segment {
        let margin = match round {
            0..=20 => 6,
            21..=40 => 5,
            41..=60 => 4,
            61..=80 => 3,
            81..=100 => 2,
            101..=120 => 1,
            _ => 0,
        };
        let (length_share, ray_share) = match round {
            0..=64 => (5, 1),
            65..=384 => (5, 2),
            _ => (4, 3),
        };
        Segment {
            low: margin,
            high: 15 - margin,
            length_share,
            ray_share,
        }
    }
}

/// The part of CPython's `random.Random` that the official judge uses.
struct PythonRandom(MersenneTwister);

impl PythonRandom {
    /// `random.seed(seed)`.
    fn new(seed: u64) -> PythonRandom {
        PythonRandom(MersenneTwister::seeded_as_python(seed))
    }

    /// `random() <= 0.25`, in whole numbers: `random()` is `(a * 2^26 + b) / 2^53`.
    fn at_most_a_quarter(&mut self) -> bool {
        let a = u64::from(self.0.next_u32() >> 5);
        let b = u64::from(self.0.next_u32() >> 6);
        (a << 26) + b <= 1 << 51
    }

    /// `randint(low, high)`: the top bits of one output, drawn again while too large.
    fn randint(&mut self, low: u32, high: u32) -> u32 {
        let count = high - low + 1;
        let bits = 32 - count.leading_zeros();
        loop {
            let drawn = self.0.next_u32() >> (32 - bits);
            if drawn < count {
                return low + drawn;
            }
        }
    }
}
