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

/// The order with which a text begins, if it is no shot, and the rest of the text. Byte by byte: rules of
/// game files read ten for every step, and comparing or splitting texts is a call there.
fn begin_plain_order(text: &[u8]) -> Option<(TankOrder, &[u8])> {
    Some(match text {
        [b'S', b'T', b'O', b'P', rest @ ..] => (TankOrder::Stop, rest),
        [b'G', b'O', b'U', b'P', rest @ ..] => (TankOrder::Go(Direction::Up), rest),
        [b'G', b'O', b'D', b'O', b'W', b'N', rest @ ..] => (TankOrder::Go(Direction::Down), rest),
        [b'G', b'O', b'L', b'E', b'F', b'T', rest @ ..] => (TankOrder::Go(Direction::Left), rest),
        [b'G', b'O', b'R', b'I', b'G', b'H', b'T', rest @ ..] => {
            (TankOrder::Go(Direction::Right), rest)
        }
        _ => return None,
    })
}

fn parse_plain_order(word: &[u8]) -> Option<TankOrder> {
    let (order, rest) = begin_plain_order(word)?;
    rest.is_empty().then_some(order)
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
        match text.strip_prefix(TEAM_WORD) {
            Some(types) => parse_team(types).map(Action::Team),
            None => parse_orders(text.as_bytes()).map(Action::Orders),
        }
    }
}

const TEAM_WORD: &str = "Team";

/// Five types, each after a `;`.
fn parse_team(types: &str) -> Option<[TankType; TEAM]> {
    let mut words = types.strip_prefix(';')?.split(';');
    let mut team = [TankType::Striker; TEAM];
    for kind in &mut team {
        *kind = TankType::from_name(words.next()?.as_bytes())?;
    }
    words.next().is_none().then_some(team)
}

/// Five orders, joined by `;`.
fn parse_orders(text: &[u8]) -> Option<[TankOrder; TEAM]> {
    let mut orders = [TankOrder::Stop; TEAM];
    let mut rest = text;
    for (number, order) in orders.iter_mut().enumerate() {
        if number > 0 {
            rest = skip(b';', rest)?;
        }
        (*order, rest) = begin_order(rest)?;
    }
    rest.is_empty().then_some(orders)
}

/// What follows this byte, with which a text begins.
fn skip(byte: u8, text: &[u8]) -> Option<&[u8]> {
    let (first, rest) = text.split_first()?;
    (*first == byte).then_some(rest)
}

/// The order with which a text begins, and the rest.
fn begin_order(text: &[u8]) -> Option<(TankOrder, &[u8])> {
    match text {
        [b'F', b'I', b'R', b'E', b':', target @ ..] => {
            let (row, rest) = begin_number(target)?;
            let (col, rest) = begin_number(skip(b':', rest)?)?;
            Some((TankOrder::Fire { row, col }, rest))
        }
        [b'?', rest @ ..] => Some((TankOrder::Unread, rest)),
        _ => begin_plain_order(text),
    }
}

/// The number with which a text begins, as it is written: no sign but `-`, no zero before other digits; and
/// the rest.
fn begin_number(text: &[u8]) -> Option<(i32, &[u8])> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let (mut number, mut count) = (0, 0);
    while let Some(digit) = digits.get(count).filter(|digit| digit.is_ascii_digit()) {
        number = 10 * number + i64::from(digit - b'0');
        count += 1;
        if count > MOST_DIGITS {
            return None;
        }
    }
    let is_plain = match count {
        0 => false,
        1 => number > 0 || !is_negative,
        _ => digits[0] != b'0',
    };
    let number = i32::try_from(if is_negative { -number } else { number }).ok();
    Some((number.filter(|_| is_plain)?, &digits[count..]))
}

/// The digits of the greatest numbers.
const MOST_DIGITS: usize = 10;
