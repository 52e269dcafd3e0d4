use leitai_store::values::timestamp::{Timestamp, follow_clock};

#[test]
fn the_clock_follows_another_one_within_what_is_known_of_it() {
    let check = |ahead, [said, asked, heard]: [i64; 3], expected| {
        let now = follow_clock(ahead, Timestamp(said), Timestamp(asked), Timestamp(heard));
        assert_eq!(now, expected, "{ahead} {said} {asked} {heard}");
    };
    // Agreement within the time of the answer changes nothing.
    check(0, [1_000, 998, 1_003], 0);
    check(2, [1_000, 998, 1_003], 2);
    // A machine that is ahead or behind.
    check(0, [1_000, 61_000, 61_010], -60_000);
    check(0, [61_000, 1_000, 1_010], 59_990);
    // The machine's clock was set right.
    check(-60_000, [2_000, 1_999, 2_001], -1);
    // It was set back meanwhile.
    check(5, [2_000, 1_999, 1_000], 5);
}
