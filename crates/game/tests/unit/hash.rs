//! Tests of `hash`.

use leitai_game::hash::*;

#[test]
fn agrees_with_the_test_vector_of_the_corpus() {
    let text = "T 1 0\nS0 0 0 -1 0e0f\nS1 1 0 -1 f0\nW0 \nW1 \nI 0\nP 2 1\n";
    assert_eq!(fnv1a(text.as_bytes()), 0x2ea7_da06_ff5d_f5ba);
    assert_eq!(fold16(fnv1a(text.as_bytes())), 0xfe46);
}
