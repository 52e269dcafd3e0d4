//! Tests of `orders`.

use leitai_tankcraft::cell::Direction;
use leitai_tankcraft::orders::*;
use leitai_tankcraft::tank::TankType;
use proptest::prelude::*;

const UP: TankOrder = TankOrder::Go(Direction::Up);
const FIRE: TankOrder = TankOrder::Fire { row: 3, col: 4 };

#[track_caller]
fn check(line: &[u8], expected: TankOrder) {
    assert_eq!(
        TankOrder::read(line),
        expected,
        "{:?}",
        String::from_utf8_lossy(line)
    );
}

#[test]
fn r4_1_orders_are_words_in_upper_case() {
    check(b"STOP", TankOrder::Stop);
    check(b"GOUP", UP);
    check(b"GODOWN", TankOrder::Go(Direction::Down));
    check(b"GOLEFT", TankOrder::Go(Direction::Left));
    check(b"GORIGHT", TankOrder::Go(Direction::Right));
    check(b"FIRE 3 4", FIRE);
}

#[test]
fn r4_1_words_are_separated_by_spaces_and_tabs_and_a_final_cr_is_dropped() {
    check(b"  FIRE   3\t4 ", FIRE);
    check(b"\tGOUP\t", UP);
    check(b"GOUP\r", UP);
    check(b"FIRE 3 4\r", FIRE);
    check(b"GOUP\r\r", TankOrder::Unread);
    check(b"GO\x0bUP", TankOrder::Unread);
}

#[test]
fn r4_1_a_coordinate_has_at_most_six_characters() {
    check(b"FIRE 003 0004", FIRE);
    check(b"FIRE -1 22", TankOrder::Fire { row: -1, col: 22 });
    check(
        b"FIRE 999999 -99999",
        TankOrder::Fire {
            row: 999_999,
            col: -99_999,
        },
    );
    check(b"FIRE -0 1", TankOrder::Fire { row: 0, col: 1 });
    for word in [
        "1000000", "-100000", "+3", "-", "--3", "3.0", "x", "0x3", "３",
    ] {
        check(format!("FIRE {word} 4").as_bytes(), TankOrder::Unread);
        check(format!("FIRE 4 {word}").as_bytes(), TankOrder::Unread);
    }
}

#[test]
fn r4_2_any_other_line_is_unreadable() {
    for line in [
        "",
        " ",
        "stop",
        "GO",
        "GOUP 2",
        "FIRE",
        "FIRE 3",
        "FIRE 3 4 5",
        "FIRE 3,4",
        "TEAM",
        "STOP STOP",
    ] {
        check(line.as_bytes(), TankOrder::Unread);
    }
    check(&[0xff, 0xfe], TankOrder::Unread);
}

#[test]
fn r9_3_a_team_line_has_five_types_and_perhaps_a_name() {
    use TankType::{Pioneer as P, Sniper as N, Striker as S};
    let check = |line: &str, expected| assert_eq!(read_team(line.as_bytes()), expected, "{line:?}");
    check(
        "TEAM Striker Pioneer Sniper Sniper Pioneer",
        Some([S, P, N, N, P]),
    );
    check(
        " TEAM  Striker\tStriker Striker Striker Striker mein Bot é\r",
        Some([S; 5]),
    );
    check("TEAM Striker Pioneer Sniper Sniper", None);
    check("TEAM striker Pioneer Sniper Sniper Pioneer", None);
    check("team Striker Striker Striker Striker Striker", None);
    check("Striker Striker Striker Striker Striker", None);
    check("", None);
}

#[test]
fn only_exact_notation_is_read() {
    for text in [
        "",
        "STOP",
        "STOP;STOP;STOP;STOP",
        "STOP;STOP;STOP;STOP;STOP;STOP",
        "STOP;STOP;STOP;STOP;STOP;",
        "FIRE:01:2;?;?;?;?",
        "FIRE:-0:2;?;?;?;?",
        "FIRE:+1:2;?;?;?;?",
        "FIRE:1:2:3;?;?;?;?",
        "FIRE:2147483648:2;?;?;?;?",
        "Team",
        "Teams;STOP;STOP;STOP;STOP;STOP",
    ] {
        assert_eq!(Action::parse(text), None, "{text:?}");
    }
    let texts = "Team;Striker;Striker;Striker;Striker Team;?;?;?;?;? ?;?;?;?;Team FIRE:1;?;?;?;?";
    for text in texts.split_whitespace() {
        assert_eq!(Action::parse(text), None, "{text:?}");
    }
}

proptest! {
    #[test]
    fn readers_never_panic(line in proptest::collection::vec(any::<u8>(), 0..40), text in "[A-Z;:?0-9-]{0,40}") {
        TankOrder::read(&line);
        read_team(&line);
        if let Some(action) = Action::parse(&text) {
            prop_assert_eq!(action.notation(), text);
        }
    }

    #[test]
    fn every_action_is_read_back(row in any::<i32>(), col in any::<i32>(), pick in 0usize..7) {
        let [up, down, left, right] = Direction::ALL.map(TankOrder::Go);
        let order = [TankOrder::Stop, up, down, left, right, TankOrder::Fire { row, col }, TankOrder::Unread][pick];
        for action in [Action::Orders([order, UP, order, FIRE, order]), Action::Team([TankType::ALL[pick % 3]; 5])] {
            let text = action.notation();
            prop_assert!(text.bytes().all(|b| b.is_ascii_graphic() && !b"/!".contains(&b)));
            prop_assert_eq!(Action::parse(&text), Some(action));
        }
    }
}
