//! Tests of `similar::pairs`.

use leitai_server::similar::pairs::*;
use std::collections::HashSet;

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
