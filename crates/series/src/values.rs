//! Times and sizes as people write them.

use std::ops::RangeInclusive;
use std::time::Duration;

/// A time such as `500ms`.
pub fn parse_limit(text: &str) -> Result<Duration, String> {
    let time = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => humantime::parse_duration(text)
            .map_err(|_| format!("{text:?} is not a duration; try 500ms or 3s"))?,
    };
    let allowed = Duration::from_millis(1)..=Duration::from_secs(24 * 3600);
    allowed
        .contains(&time)
        .then_some(time)
        .ok_or_else(|| "must be between 1ms and 24h".to_owned())
}

/// A time as [`parse_limit`], or 0 for none.
pub fn parse_limit_or_none(text: &str) -> Result<Duration, String> {
    if ["0", "0s"].contains(&text) {
        Ok(Duration::ZERO)
    } else {
        parse_limit(text)
    }
}

/// `4KiB`, `16MiB`, `1GiB`: 64 bytes to 1 GiB.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let bits = match unit {
        "" | "B" => Some(0),
        "KiB" | "K" | "kB" => Some(10),
        _ => large_unit(unit),
    };
    let (Some(bits), Some(number)) = (bits, number) else {
        return Err(format!("{text:?} is not a size; try 4KiB or 16MiB"));
    };
    scale_within(number, bits, 64..=1 << 30)
        .ok_or_else(|| "must be between 64 bytes and 1GiB".to_owned())
}

/// `512MiB`, `2GiB`, or with M and G alone: 16 MiB to 1 TiB.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let (Some(bits), Some(number)) = (large_unit(unit), number) else {
        return Err(format!("{text:?} is not a size; try 512MiB or 2GiB"));
    };
    scale_within(number, bits, 16 << 20..=1 << 40)
        .ok_or_else(|| "must be between 16MiB and 1024GiB".to_owned())
}

/// The number at the start, if it is one, and the unit behind it.
fn split_unit(text: &str) -> (Option<u64>, &str) {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    (digits.parse().ok(), text[digits.len()..].trim())
}

/// The power of two of a large unit.
fn large_unit(unit: &str) -> Option<u32> {
    match unit {
        "MiB" | "M" | "MB" => Some(20),
        "GiB" | "G" | "GB" => Some(30),
        _ => None,
    }
}

/// So many units in bytes, if that is within the bounds.
fn scale_within(number: u64, bits: u32, bounds: RangeInclusive<u64>) -> Option<u64> {
    let bytes = number.checked_mul(1 << bits);
    bytes.filter(|bytes| bounds.contains(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        let check = |text: &str, expected: Option<u64>| {
            let millis = parse_limit(text).ok().map(|time| time.as_millis() as u64);
            assert_eq!(millis, expected, "{text}");
        };
        check("3s", Some(3000));
        check("500ms", Some(500));
        check("2", Some(2000));
        check("1m 30s", Some(90_000));
        check("0s", None);
        check("-1s", None);
        check("3 parsecs", None);
        check("99999999999999999999h", None);
        assert_eq!(parse_limit_or_none("0"), Ok(Duration::ZERO));
        assert_eq!(parse_limit_or_none("10s"), Ok(Duration::from_secs(10)));
    }

    #[test]
    fn sizes_are_read() {
        let check = |text: &str, mib: Option<u64>| {
            assert_eq!(parse_size(text).ok(), mib.map(|mib| mib << 20), "{text}");
        };
        check("512MiB", Some(512));
        check("512 MiB", Some(512));
        check("2G", Some(2048));
        check("1024GiB", Some(1 << 20));
        check("512", None);
        check("MiB", None);
        check("1MiB", None);
        check("-5GiB", None);
        check("99999999999999999999G", None);
        check("18446744073709551615G", None);
    }

    #[test]
    fn small_sizes_are_read() {
        let check =
            |text: &str, bytes: Option<u64>| assert_eq!(parse_bytes(text).ok(), bytes, "{text}");
        check("2048", Some(2048));
        check("4KiB", Some(4096));
        check("16 MiB", Some(16 << 20));
        check("1GiB", Some(1 << 30));
        check("2GiB", None);
        check("1", None);
        check("KiB", None);
        check("-1KiB", None);
        check("99999999999999999999K", None);
    }
}
