//! Values of options: numbers, times, sizes, a moment of a replay.

use std::path::PathBuf;

use clap::Args;
use leitai_judge::ReplayPoint;

pub use leitai_series::values::{parse_bytes, parse_limit, parse_limit_or_none, parse_size};

/// The option of commands whose answer a program may read.
#[derive(Args, Clone, Copy)]
pub struct JsonArg {
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

/// A whole number that is not below zero.
pub fn parse_whole<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let number = text
        .parse::<u64>()
        .ok()
        .and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| {
        let most = u64::MAX >> (64 - 8 * size_of::<T>().min(8));
        format!("a whole number from 0 to {most} is expected")
    })
}

/// The IANA name of a time zone.
pub fn parse_zone(text: &str) -> Result<String, String> {
    let known = leitai_contest::date::find_zone(text);
    let unknown = || format!("{text:?} is not a time zone; try UTC or Asia/Shanghai");
    known.map(|_| text.to_owned()).ok_or_else(unknown)
}

/// A moment of a recorded match: `FILE@LEG:ROUND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayPointArg {
    /// The replay.
    pub file: PathBuf,
    /// The leg and the round.
    pub moment: ReplayPoint,
}

impl std::str::FromStr for ReplayPointArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ReplayPointArg, String> {
        let (file, moment) = text
            .rsplit_once('@')
            .filter(|(file, _)| !file.is_empty())
            .ok_or("write FILE@LEG:ROUND, such as matches/game.json@2:37")?;
        Ok(ReplayPointArg {
            file: file.into(),
            moment: moment.parse()?,
        })
    }
}

/// Rounds of a leg, both included: `30-60`, `30-` up to the end, `30` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundRange {
    /// The first one.
    pub first: u32,
    /// The last one; none means the end of the leg.
    pub last: Option<u32>,
}

impl std::str::FromStr for RoundRange {
    type Err = String;

    fn from_str(text: &str) -> Result<RoundRange, String> {
        let wrong = || format!("{text:?} are no rounds; write 30-60, 30- or 30");
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let (first, last) = match text.split_once('-') {
            None => (number(text)?, Some(number(text)?)),
            Some((first, "")) => (number(first)?, None),
            Some((first, last)) => (number(first)?, Some(number(last)?)),
        };
        match last {
            Some(last) if last < first => Err(wrong()),
            _ => Ok(RoundRange { first, last }),
        }
    }
}

/// Steps a second: 0.2 to 50, because browsers slow down pictures that are shorter.
pub fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok();
    speed
        .filter(|speed| (0.2..=50.0).contains(speed))
        .ok_or_else(|| "a number of steps a second from 0.2 to 50 is expected".to_owned())
}

/// Pixels of the longer side of a board.
pub fn parse_pixels(text: &str) -> Result<usize, String> {
    let pixels = text.parse::<usize>().ok();
    pixels
        .filter(|pixels| (64..=1600).contains(pixels))
        .ok_or_else(|| "a number of pixels from 64 to 1600 is expected".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_of_a_replay_is_read() {
        let read = |text: &str| {
            text.parse::<ReplayPointArg>()
                .map(|from| (from.file, from.moment.to_string()))
        };
        assert_eq!(
            read("a@b/c d.json@2:37"),
            Ok(("a@b/c d.json".into(), "2:37".into()))
        );
        for (text, part) in [
            ("game.json", "FILE@LEG:ROUND"),
            ("@1:1", "FILE@LEG:ROUND"),
            ("g.json@1", "LEG:ROUND"),
        ] {
            assert!(read(text).is_err_and(|why| why.contains(part)), "{text}");
        }
    }

    #[test]
    fn rounds_are_read() {
        let read = |text: &str| {
            text.parse::<RoundRange>()
                .map(|RoundRange { first, last }| (first, last))
        };
        assert_eq!(read("30-60"), Ok((30, Some(60))));
        assert_eq!(read("30-"), Ok((30, None)));
        assert_eq!(read("7"), Ok((7, Some(7))));
        for text in ["", "-", "-5", "9-3", "1-2-3", "x"] {
            assert!(read(text).is_err_and(|why| why.contains("30-60")), "{text}");
        }
    }
}
