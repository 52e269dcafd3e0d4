//! Tests of `java_random`.

use leitai_kob::java_random::*;

/// What OpenJDK's `new Random(seed)` gives for `nextInt(13)`, `nextInt(14)`, `nextInt(16)`,
/// `nextInt(1)`, twice.
#[test]
fn gives_the_numbers_of_the_java_library() {
    let check = |seed: i64, expected: [u8; 8]| {
        let mut random = JavaRandom::new(seed);
        let ours: [u8; 8] = std::array::from_fn(|i| random.next_int([13, 14, 16, 1][i % 4]));
        assert_eq!(ours, expected, "seed {seed}");
    };
    check(0, [5, 2, 3, 0, 0, 7, 8, 0]);
    check(42, [0, 5, 10, 0, 0, 11, 4, 0]);
    check(-1, [5, 13, 0, 0, 1, 4, 6, 0]);
    check(1 << 40, [3, 0, 15, 0, 11, 7, 9, 0]);
    check(i64::MIN + 7, [3, 12, 11, 0, 8, 6, 14, 0]);
}
