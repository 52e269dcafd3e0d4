//! Which sources share fingerprints that few others have.

use std::collections::HashSet;

/// Parts in which the hashes are sorted, one after the other, so that only a part is in memory twice.
const PARTS: u64 = 64;
/// A fingerprint that at least so many sources have, and more than one in [`SHARE`], is taken for
/// what all were given or have learnt.
const MANY: usize = 5;
const SHARE: usize = 3;
/// Fingerprints that a pair must share.
const FEWEST: u32 = 6;
/// The part of one of the two sources that must be in the other.
const LEAST: f64 = 0.2;
/// Pairs that are listed.
const LISTED: usize = 200;

/// Two sources that have much in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundPair {
    /// Their indices.
    pub sources: [usize; 2],
    /// Fingerprints in common.
    pub shared: u32,
    /// Which part of each is in the other, 0 to 1.
    pub parts: [f64; 2],
}

impl FoundPair {
    /// Twice what is shared by all that both have.
    pub fn similarity(&self) -> f64 {
        let [one, other] = self.parts;
        match one + other > 0.0 {
            true => 2.0 * one * other / (one + other),
            false => 0.0,
        }
    }
}

/// The pairs, most similar first, and the fingerprints that too many have; `sources` are sorted and
/// without repetitions.
pub fn find_pairs(sources: &[Vec<u64>], given: &HashSet<u64>) -> (Vec<FoundPair>, HashSet<u64>) {
    let count = sources.len();
    let mut shared = vec![0_u32; count * count.saturating_sub(1) / 2];
    let mut sizes = vec![0_u32; count];
    let mut common = HashSet::new();
    for part in 0..PARTS {
        for group in sorted_part(sources, part).chunk_by(|one, other| one.0 == other.0) {
            let hash = group[0].0;
            if given.contains(&hash) {
                continue;
            }
            if group.len() >= MANY && group.len() * SHARE > count {
                common.insert(hash);
                continue;
            }
            for (at, &(_, one)) in group.iter().enumerate() {
                sizes[one as usize] += 1;
                for &(_, other) in &group[at + 1..] {
                    shared[place(one as usize, other as usize)] += 1;
                }
            }
        }
    }
    (list_pairs(&shared, &sizes), common)
}

/// The hashes of a part with the indices of their sources, sorted.
fn sorted_part(sources: &[Vec<u64>], part: u64) -> Vec<(u64, u32)> {
    let width = u64::MAX / PARTS + 1;
    let mut found = Vec::new();
    for (hashes, index) in sources.iter().zip(0_u32..) {
        let from = hashes.partition_point(|hash| hash / width < part);
        let own = hashes[from..]
            .iter()
            .take_while(|hash| **hash / width == part);
        found.extend(own.map(|hash| (*hash, index)));
    }
    found.sort_unstable();
    found
}

/// The place of a pair, the smaller index first, in a triangle.
fn place(one: usize, other: usize) -> usize {
    other * (other - 1) / 2 + one
}

fn list_pairs(shared: &[u32], sizes: &[u32]) -> Vec<FoundPair> {
    let mut pairs = Vec::new();
    for other in 1..sizes.len() {
        for one in 0..other {
            let shared = shared[place(one, other)];
            if shared < FEWEST {
                continue;
            }
            let part = |size: u32| f64::from(shared) / f64::from(size.max(1));
            let pair = FoundPair {
                sources: [one, other],
                shared,
                parts: [part(sizes[one]), part(sizes[other])],
            };
            if pair.parts[0].max(pair.parts[1]) >= LEAST {
                pairs.push(pair);
            }
        }
    }
    let key = |pair: &FoundPair| (pair.similarity(), pair.shared);
    pairs.sort_by(|one, other| {
        let (one, other) = (key(one), key(other));
        other.0.total_cmp(&one.0).then(other.1.cmp(&one.1))
    });
    pairs.truncate(LISTED);
    pairs
}
