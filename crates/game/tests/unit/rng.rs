//! Tests of `rng`.

use leitai_game::rng::*;

#[test]
fn is_splitmix64() {
    let mut rng = Rng::new(0);
    assert_eq!(rng.next_u64(), 0xe220_a839_7b1d_cdaf);
    assert_eq!(rng.next_below(0), 0);
}
