//! Tests of `map`.

use leitai_kob::map::*;

#[test]
fn texts_that_are_no_map_are_refused_with_the_value() {
    let check = |rows, cols, text: &str, part: &str| {
        let why = ObstacleMap::parse(rows, cols, text)
            .expect_err("not a map")
            .to_string();
        assert!(why.contains(part), "{why}");
    };
    check(3, 3, "00000000", "8 characters");
    check(3, 3, "00000000x", "'x'");
    check(3, 3, "0000000é", "'é'");
    check(2, 9, "", "2 rows");
    check(17, 9, "", "17 rows");
    check(3, 16, &"0".repeat(48), "free at [0, 15]");
    check(9, 200, "", "200 cols");
}

#[test]
fn a_map_survives_its_text() {
    let text = "110100000011";
    let map = ObstacleMap::parse(3, 4, text).expect("sound");
    assert_eq!(map.text(), text);
    assert_eq!(map.row_texts(), ["1101", "0000", "0011"]);
    assert_eq!(map.free_cells().len(), 7);
}
