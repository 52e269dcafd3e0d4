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
pub(super) struct FoundPair {
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
pub(super) fn find_pairs(
    sources: &[Vec<u64>],
    given: &HashSet<u64>,
) -> (Vec<FoundPair>, HashSet<u64>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_without_what_all_share() {
        let all: Vec<u64> = (0..50).map(|n| n << 57).collect();
        let mut sources: Vec<Vec<u64>> = (0..10_u64)
            .map(|own| {
                all.iter()
                    .copied()
                    .chain((0..40).map(|n| (own * 1000 + n) << 30))
                    .collect()
            })
            .collect();
        let stolen: Vec<u64> = sources[3][50..80].to_vec();
        sources[7].extend(stolen);
        for source in &mut sources {
            source.sort_unstable();
            source.dedup();
        }
        let (pairs, common) = find_pairs(&sources, &HashSet::new());
        assert_eq!(pairs.len(), 1, "{pairs:?}");
        assert_eq!((pairs[0].sources, pairs[0].shared), ([3, 7], 30));
        assert_eq!(
            pairs[0].parts.map(|part| (part * 100.0).round()),
            [75.0, 43.0]
        );
        assert!((pairs[0].similarity() - 60.0 / 110.0).abs() < 1e-9);
        assert_eq!(common.len(), 50);
        let given: HashSet<u64> = sources[3].iter().copied().collect();
        assert!(find_pairs(&sources, &given).0.is_empty());
        assert!(find_pairs(&[], &given).0.is_empty());
        assert!(find_pairs(&sources[..1], &given).0.is_empty());
    }

    #[test]
    fn a_thousand_equal_sources_are_one_class_and_a_few_are_pairs() {
        let one: Vec<u64> = (0..1_000).map(|n| n << 50).collect();
        let (pairs, common) = find_pairs(&vec![one.clone(); 1000], &HashSet::new());
        assert_eq!((pairs.len(), common.len()), (0, 1_000));
        let (pairs, _) = find_pairs(&vec![one; 4], &HashSet::new());
        assert_eq!(pairs.len(), 6);
    }
}
