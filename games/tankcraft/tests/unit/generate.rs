//! Tests of `generate`.

use leitai_tankcraft::generate::*;
use leitai_tankcraft::map::TankMap;

#[test]
fn r1_8_the_two_built_in_maps_are_generated_again() {
    for (seed, text) in [
        (7, include_str!("../../maps/gen-7.txt")),
        (2010, include_str!("../../maps/gen-2010.txt")),
    ] {
        assert_eq!(generate(seed), TankMap::parse(text), "seed {seed}");
    }
}

#[test]
fn every_seed_gives_a_valid_map() {
    for seed in (0..200).chain([u64::MAX, 1 << 63]) {
        assert!(generate(seed).is_ok(), "seed {seed}");
    }
}
