//! Groups of neighbouring places.

use leitai_server::http::routes::payoffs::{GROUPS, cut};

#[test]
fn every_place_is_in_one_group_of_about_the_same_size() {
    for size in 0..=500 {
        let groups = cut(size);
        assert!(groups.len() <= GROUPS && groups.len().pow(2) <= 40);
        let places: Vec<usize> = groups.iter().cloned().flatten().collect();
        assert_eq!(places, (0..size).collect::<Vec<_>>());
        let sizes = groups.iter().map(ExactSizeIterator::len);
        let (least, most) = (sizes.clone().min(), sizes.max());
        assert!(most.unwrap_or(0) - least.unwrap_or(0) <= 1, "{groups:?}");
    }
}
