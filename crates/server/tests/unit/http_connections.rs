//! Tests of `http::connections`.

use leitai_server::http::connections::*;

#[test]
fn limits_follow_the_descriptors() {
    for (descriptors, asked, proxy, most, from_one) in [
        (1024, 2000, false, 768, 192),
        (65_536, 2000, false, 49_152, 2000),
        (65_536, 2000, true, 49_152, 0),
        (256, 0, false, 128, 1),
        (0, 10, false, 16, 4),
        (u64::MAX, 10, false, 786_432, 10),
    ] {
        let limits = ConnectionLimits::from_descriptors(descriptors, asked, proxy);
        assert_eq!(
            (limits.most, limits.most_from_one),
            (most, from_one),
            "{descriptors} {asked}"
        );
    }
}
