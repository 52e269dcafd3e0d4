//! How much accounts may keep, and how long replays are kept.

use std::time::Duration;

use clap::Args;
use leitai_server::config::{QUOTA, RETENTION, days};
use leitai_store::{Quota, Retention, SourceLanguages};

/// How much accounts may keep, and how long replays are kept.
#[derive(Args)]
#[command(next_help_heading = "Storage")]
pub struct StorageArgs {
    /// Bots that one account may have.
    #[arg(long, value_name = "N", default_value_t = QUOTA.bots, env = "LEITAI_ACCOUNT_BOTS")]
    pub account_bots: u64,
    /// Space for all uploaded versions of one account, such as 500MiB or 2GiB.
    #[arg(long, value_name = "SIZE", default_value = "500MiB", value_parser = parse_size, env = "LEITAI_ACCOUNT_SPACE")]
    pub account_space: u64,
    /// Versions that one bot may have.
    #[arg(long, value_name = "N", default_value_t = QUOTA.versions, env = "LEITAI_BOT_VERSIONS")]
    pub bot_versions: u64,
    /// Versions that one bot may have within 24 hours. A contest can allow fewer.
    #[arg(long, value_name = "N", default_value_t = QUOTA.daily_versions, env = "LEITAI_DAILY_VERSIONS")]
    pub daily_versions: u64,
    /// Friendly matches that one account may ask for within 24 hours [default: no limit but that of
    /// `--limit matches`].
    #[arg(long, value_name = "N", env = "LEITAI_DAILY_FRIENDLIES")]
    pub daily_friendlies: Option<u64>,
    /// CPU seconds of these matches [default: no limit].
    #[arg(long, value_name = "SECONDS", env = "LEITAI_DAILY_CPU_SECONDS")]
    pub daily_cpu_seconds: Option<u64>,
    /// The largest upload, at most 16MiB.
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = parse_source_size, env = "LEITAI_SOURCE_SIZE")]
    pub source_size: u64,
    /// Languages that uploads may have, with commas between them (c, cpp, java, javascript, python,
    /// rust, typescript, go, csharp, kotlin, make, cmake, binary) [default: all].
    #[arg(long, value_name = "LIST", value_parser = parse_languages, env = "LEITAI_LANGUAGES")]
    pub languages: Option<SourceLanguages>,
    /// For how many days replays are kept, by kind of match (exhibition, ladder, friendly,
    /// human, contest); `human=forever` keeps them all. Results are kept for ever [default:
    /// exhibition=2,ladder=30,friendly=90,human=365,contest=365].
    #[arg(
        long,
        value_name = "KIND=DAYS",
        value_delimiter = ',',
        value_parser = parse_days,
        env = "LEITAI_KEEP_REPLAYS"
    )]
    pub keep_replays: Vec<KeptReplays>,
    /// Space for all replays, such as 20GiB, or `unlimited`; beyond it the oldest are removed,
    /// exhibitions first.
    #[arg(long, value_name = "SIZE", default_value = "20GiB", value_parser = parse_size, env = "LEITAI_REPLAY_SPACE")]
    pub replay_space: u64,
}

/// For how long the replays of one kind of match are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptReplays {
    kind: ReplayKindArg,
    kept: Option<Duration>,
}

/// A kind of match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplayKindArg {
    Exhibition,
    Ladder,
    Friendly,
    Human,
    Contest,
}

impl StorageArgs {
    /// How much an account may keep and use.
    pub fn quota(&self) -> Quota {
        Quota {
            bytes: self.account_space,
            bots: self.account_bots,
            versions: self.bot_versions,
            daily_versions: self.daily_versions,
            daily_friendlies: self.daily_friendlies.unwrap_or(u64::MAX),
            daily_cpu_seconds: self.daily_cpu_seconds.unwrap_or(u64::MAX),
            source_bytes: self.source_size,
            languages: self.languages.unwrap_or(SourceLanguages::ALL),
            ..QUOTA
        }
    }

    /// How long replays are kept.
    pub fn retention(&self) -> Retention {
        let bytes = (self.replay_space < u64::MAX).then_some(self.replay_space);
        let mut retention = Retention { bytes, ..RETENTION };
        for KeptReplays { kind, kept } in &self.keep_replays {
            let own = match kind {
                ReplayKindArg::Exhibition => &mut retention.exhibition,
                ReplayKindArg::Ladder => &mut retention.ladder,
                ReplayKindArg::Friendly => &mut retention.friendly,
                ReplayKindArg::Human => &mut retention.human,
                ReplayKindArg::Contest => &mut retention.contest,
            };
            *own = *kept;
        }
        retention
    }
}

fn parse_source_size(word: &str) -> Result<u64, String> {
    let most = QUOTA.source_bytes;
    let size = parse_size(word)?;
    match (1..=most).contains(&size) {
        true => Ok(size),
        false => Err(format!("`{word}` is not a size of 1 B to 16MiB")),
    }
}

/// Languages with commas between them, as quotas name them.
pub fn parse_languages(word: &str) -> Result<SourceLanguages, String> {
    let names = word.split(',').map(str::trim);
    SourceLanguages::from_names(names).map_err(|name| {
        let known = SourceLanguages::ALL;
        format!("`{name}` is no language here; write some of {known}")
    })
}

fn parse_days(word: &str) -> Result<KeptReplays, String> {
    let refusal = || {
        format!(
            "`{word}` is not KIND=DAYS; write, for example, ladder=30 or human=forever (kinds: \
            exhibition, ladder, friendly, human, contest)"
        )
    };
    let (kind, kept) = word.trim().split_once('=').ok_or_else(refusal)?;
    let kind = match kind {
        "exhibition" => ReplayKindArg::Exhibition,
        "ladder" => ReplayKindArg::Ladder,
        "friendly" => ReplayKindArg::Friendly,
        "human" => ReplayKindArg::Human,
        "contest" => ReplayKindArg::Contest,
        _ => return Err(refusal()),
    };
    let kept = match kept {
        "forever" => None,
        number => Some(days(number.parse::<u32>().map_err(|_| refusal())?.into())),
    };
    Ok(KeptReplays { kind, kept })
}

/// A number of bytes such as `500MiB`, or `unlimited`.
pub fn parse_size(word: &str) -> Result<u64, String> {
    let refusal =
        || format!("`{word}` is not a size; write, for example, 500MiB, 2GiB or unlimited");
    if word == "unlimited" {
        return Ok(u64::MAX);
    }
    let digits = word
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(word.len());
    let (number, unit) = word.split_at(digits);
    let unit: u64 = match unit.trim() {
        "" | "B" => 1,
        "KiB" | "K" => 1 << 10,
        "MiB" | "M" => 1 << 20,
        "GiB" | "G" => 1 << 30,
        "TiB" | "T" => 1 << 40,
        _ => return Err(refusal()),
    };
    let number: u64 = number.parse().map_err(|_| refusal())?;
    number.checked_mul(unit).ok_or_else(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_units() {
        for (word, expected) in [
            ("0", Some(0)),
            ("1000", Some(1000)),
            ("500MiB", Some(QUOTA.bytes)),
            ("20 GiB", Some(20 << 30)),
            ("20G", RETENTION.bytes),
            ("unlimited", Some(u64::MAX)),
            ("", None),
            ("MiB", None),
            ("5MB", None),
            ("-1", None),
            ("99999999999TiB", None),
        ] {
            assert_eq!(parse_size(word).ok(), expected, "{word:?}");
        }
    }

    #[test]
    fn uploads_are_bounded() {
        for (word, expected) in [
            ("64KiB", Some(64 << 10)),
            ("16MiB", Some(QUOTA.source_bytes)),
            ("17MiB", None),
            ("0", None),
            ("unlimited", None),
        ] {
            assert_eq!(parse_source_size(word).ok(), expected, "{word:?}");
        }
        let both = SourceLanguages::from_names(["cpp", "python"]).expect("both are known");
        assert_eq!(parse_languages("python, cpp"), Ok(both));
        for word in ["", "cobol", "c,,cpp"] {
            assert!(parse_languages(word).is_err_and(|why| why.contains("javascript")));
        }
    }

    #[test]
    fn the_age_of_replays_is_read_in_days() {
        let day = |kind, kept| Some(KeptReplays { kind, kept });
        for (word, expected) in [
            (
                "exhibition=2",
                day(ReplayKindArg::Exhibition, RETENTION.exhibition),
            ),
            ("ladder=30", day(ReplayKindArg::Ladder, RETENTION.ladder)),
            ("human=forever", day(ReplayKindArg::Human, None)),
            (
                "friendly=0",
                day(ReplayKindArg::Friendly, Some(Duration::ZERO)),
            ),
            ("league=3", None),
            ("ladder", None),
            ("ladder=-3", None),
            ("ladder=99999999999", None),
        ] {
            assert_eq!(parse_days(word).ok(), expected, "{word:?}");
        }
    }
}
