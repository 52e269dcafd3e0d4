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

/// Byte by byte: rules of game files read ten for every step, and comparing words is a call there.
fn parse_plain_order(word: &[u8]) -> Option<TankOrder> {
    Some(match word {
        [b'S', b'T', b'O', b'P'] => TankOrder::Stop,
        [b'G', b'O', way @ ..] => TankOrder::Go(match way {
            [b'U', b'P'] => Direction::Up,
            [b'D', b'O', b'W', b'N'] => Direction::Down,
            [b'L', b'E', b'F', b'T'] => Direction::Left,
            [b'R', b'I', b'G', b'H', b'T'] => Direction::Right,
            _ => return None,
        }),
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
        let types = text.strip_prefix(TEAM_WORD);
        let types = types.and_then(|rest| rest.strip_prefix(';'));
        let mut words = types.unwrap_or(text).as_bytes().split(|byte| *byte == b';');
        let action = match types {
            Some(_) => Action::Team(parse_five(&mut words, TankType::from_name)?),
            None => Action::Orders(parse_five(&mut words, parse_order)?),
        };
        words.next().is_none().then_some(action)
    }
}

const TEAM_WORD: &str = "Team";

fn parse_five<'a, T: Copy>(
    words: &mut impl Iterator<Item = &'a [u8]>,
    read: impl Fn(&[u8]) -> Option<T>,
) -> Option<[T; TEAM]> {
    let mut next = || words.next().and_then(&read);
    Some([next()?, next()?, next()?, next()?, next()?])
}

fn parse_order(word: &[u8]) -> Option<TankOrder> {
    let target = match word {
        [b'F', b'I', b'R', b'E', b':', target @ ..] => target,
        b"?" => return Some(TankOrder::Unread),
        _ => return parse_plain_order(word),
    };
    let between = target.iter().position(|byte| *byte == b':')?;
    Some(TankOrder::Fire {
        row: parse_number(&target[..between])?,
        col: parse_number(&target[between + 1..])?,
    })
}

/// A number as it is written: no sign but `-`, no zero before other digits.
fn parse_number(word: &[u8]) -> Option<i32> {
    let (is_negative, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let is_plain = match digits {
        [] => false,
        [b'0', rest @ ..] => rest.is_empty() && !is_negative,
        digits => digits.len() <= MOST_DIGITS && digits.iter().all(u8::is_ascii_digit),
    };
    let add = |number: i64, digit: &u8| 10 * number + i64::from(digit - b'0');
    let number = is_plain.then(|| digits.iter().fold(0, add))?;
    i32::try_from(if is_negative { -number } else { number }).ok()
}

/// The digits of the greatest numbers.
const MOST_DIGITS: usize = 10;
