//! The order of a tank (R4) and the action of a side in one step, with the notation of both.

use crate::cell::{Cell, Direction};
use crate::tank::{TEAM, TankType};

/// The order of one tank for one round (R4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum TankOrder {
    #[default]
    Stop,
    /// Move to the next cell.
    Go(Direction),
    /// Fire at a cell, on the map or not.
    Fire { row: i32, col: i32 },
    /// An unreadable order: plays as [`TankOrder::Stop`], and is shown to viewers and logs (R4.2).
    Unread,
}

/// The action of a side in one step: its team before round 1, then its orders. Tanks are in
/// ascending order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The types of the own tanks (R2.3).
    Team([TankType; TEAM]),
    /// The orders of the own tanks (R4.1); those of dead tanks are ignored (R4.4).
    Orders([TankOrder; TEAM]),
}

/// The most characters of a coordinate in the text protocol (R4.1).
const COORDINATE: usize = 6;

impl TankOrder {
    /// Fires at a cell of the map.
    pub fn fire_at(cell: Cell) -> TankOrder {
        TankOrder::Fire {
            row: cell.row.into(),
            col: cell.col.into(),
        }
    }

    /// Reads one line of the text protocol, without its LF; an unreadable line becomes
    /// [`TankOrder::Unread`] (R4.2).
    ///
    /// ```
    /// use leitai_tankcraft::{Direction, TankOrder};
    /// assert_eq!(TankOrder::read(b"GOUP\r"), TankOrder::Go(Direction::Up));
    /// assert_eq!(TankOrder::read(b"FIRE 3 -4"), TankOrder::Fire { row: 3, col: -4 });
    /// assert_eq!(TankOrder::read(b"fire 3 4"), TankOrder::Unread);
    /// ```
    pub fn read(line: &[u8]) -> TankOrder {
        let mut words = split_words(line);
        let order = match (words.next(), words.next(), words.next()) {
            (Some(b"FIRE"), Some(row), Some(col)) => parse_fire(row, col),
            (Some(word), None, None) => parse_plain_order(word),
            _ => None,
        };
        order
            .filter(|_| words.next().is_none())
            .unwrap_or(TankOrder::Unread)
    }

    /// One order in the notation of [`Action::notation`].
    pub fn notation(self) -> String {
        match self {
            TankOrder::Stop => "STOP".into(),
            TankOrder::Go(Direction::Up) => "GOUP".into(),
            TankOrder::Go(Direction::Down) => "GODOWN".into(),
            TankOrder::Go(Direction::Left) => "GOLEFT".into(),
            TankOrder::Go(Direction::Right) => "GORIGHT".into(),
            TankOrder::Fire { row, col } => format!("FIRE:{row}:{col}"),
            TankOrder::Unread => "?".into(),
        }
    }
}

/// The words of a line: separated by spaces and tabs, a final CR dropped (R4.1).
fn split_words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.split(|byte| matches!(byte, b' ' | b'\t'))
        .filter(|word| !word.is_empty())
}

fn parse_plain_order(word: &[u8]) -> Option<TankOrder> {
    Some(match word {
        b"STOP" => TankOrder::Stop,
        b"GOUP" => TankOrder::Go(Direction::Up),
        b"GODOWN" => TankOrder::Go(Direction::Down),
        b"GOLEFT" => TankOrder::Go(Direction::Left),
        b"GORIGHT" => TankOrder::Go(Direction::Right),
        _ => return None,
    })
}

fn parse_fire(row: &[u8], col: &[u8]) -> Option<TankOrder> {
    Some(TankOrder::Fire {
        row: parse_coordinate(row)?,
        col: parse_coordinate(col)?,
    })
}

fn parse_coordinate(word: &[u8]) -> Option<i32> {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let plain =
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) && word.len() <= COORDINATE;
    let text = std::str::from_utf8(word).ok().filter(|_| plain)?;
    text.parse().ok()
}

/// Reads a `TEAM` line of the text protocol: five types, then an optional display name (R9.3).
pub fn read_team(line: &[u8]) -> Option<[TankType; TEAM]> {
    let mut words = split_words(line);
    if words.next() != Some(b"TEAM") {
        return None;
    }
    let mut team = [TankType::Striker; TEAM];
    for kind in &mut team {
        *kind = TankType::from_name(words.next()?)?;
    }
    Some(team)
}

impl Action {
    /// The notation of replays and JSON lines: `Team;Striker;Striker;Pioneer;Pioneer;Sniper`, or
    /// five of `STOP`, `GOUP`, `GODOWN`, `GOLEFT`, `GORIGHT`, `FIRE:row:col` and `?` (no order)
    /// joined by `;`.
    ///
    /// ```
    /// use leitai_tankcraft::Action;
    /// let text = "GOUP;STOP;FIRE:3:-4;?;GOLEFT";
    /// assert_eq!(Action::parse(text).map(Action::notation).as_deref(), Some(text));
    /// ```
    pub fn notation(self) -> String {
        match self {
            Action::Team(team) => format!("{TEAM_WORD};{}", team.map(TankType::name).join(";")),
            Action::Orders(orders) => orders.map(TankOrder::notation).join(";"),
        }
    }

    /// Reads exactly what [`Action::notation`] writes.
    pub fn parse(text: &str) -> Option<Action> {
        let mut words = text.split(';');
        let action = match text
            .strip_prefix(TEAM_WORD)
            .and_then(|rest| rest.strip_prefix(';'))
        {
            Some(types) => {
                words = types.split(';');
                Action::Team(parse_five(&mut words, |word| {
                    TankType::from_name(word.as_bytes())
                })?)
            }
            None => Action::Orders(parse_five(&mut words, parse_order)?),
        };
        words.next().is_none().then_some(action)
    }
}

const TEAM_WORD: &str = "Team";

fn parse_five<'a, T: Copy>(
    words: &mut impl Iterator<Item = &'a str>,
    read: impl Fn(&str) -> Option<T>,
) -> Option<[T; TEAM]> {
    let mut next = || words.next().and_then(&read);
    Some([next()?, next()?, next()?, next()?, next()?])
}

fn parse_order(word: &str) -> Option<TankOrder> {
    let Some(target) = word.strip_prefix("FIRE:") else {
        return if word == "?" {
            Some(TankOrder::Unread)
        } else {
            parse_plain_order(word.as_bytes())
        };
    };
    let (row, col) = target.split_once(':')?;
    let order = TankOrder::Fire {
        row: row.parse().ok()?,
        col: col.parse().ok()?,
    };
    (order.notation() == word).then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let check =
            |line: &str, expected| assert_eq!(read_team(line.as_bytes()), expected, "{line:?}");
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
            "FIRE:01:2;?;?;?;?",
            "Team",
        ] {
            assert_eq!(Action::parse(text), None, "{text:?}");
        }
        for text in [
            "Team;Striker;Striker;Striker;Striker",
            "Team;?;?;?;?;?",
            "?;?;?;?;Team",
            "FIRE:1;?;?;?;?",
        ] {
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
}
