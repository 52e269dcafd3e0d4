//! `--limit NAME=VALUE` of `leitai serve`.

use std::time::Duration;

use leitai_server::ServerOptions;
use leitai_server::config::{Quota, make_quota};

use crate::cli::parse_limit;
use crate::prelude::*;

/// A limit that can be set.
enum Setting {
    /// This many at once.
    Count(fn(&mut ServerOptions) -> &mut usize),
    /// This many, and at least one.
    Count32(fn(&mut ServerOptions) -> &mut u32),
    /// This many, or none.
    CountOrZero(fn(&mut ServerOptions) -> &mut u32),
    /// This many per time span.
    Rate(fn(&mut ServerOptions) -> &mut Quota),
    /// This long.
    Time(fn(&mut ServerOptions) -> &mut Option<Duration>),
}

const SETTINGS: [(&str, Setting); 27] = [
    (
        "tables",
        Setting::Count(|options| &mut options.limits.human_matches),
    ),
    (
        "guest-tables",
        Setting::Count(|options| &mut options.limits.guest_matches),
    ),
    (
        "account-tables",
        Setting::Count(|options| &mut options.limits.account_matches),
    ),
    (
        "address-connections",
        Setting::Count(|options| &mut options.limits.address_connections),
    ),
    (
        "group-contests",
        Setting::Count(|options| &mut options.limits.group_contests),
    ),
    (
        "experiments",
        Setting::Count(|options| &mut options.limits.experiments),
    ),
    (
        "home-bots",
        Setting::Count(|options| &mut options.limits.home_bots),
    ),
    (
        "person-time",
        Setting::Time(|options| &mut options.limits.person_time),
    ),
    (
        "failed-matches",
        Setting::CountOrZero(|options| &mut options.rest_after),
    ),
    (
        "division",
        Setting::CountOrZero(|options| &mut options.division_size),
    ),
    (
        "freed-name-days",
        Setting::CountOrZero(|options| &mut options.freed_name_days),
    ),
    (
        "analyses",
        Setting::CountOrZero(|options| &mut options.analyses),
    ),
    (
        "account-games",
        Setting::CountOrZero(|options| &mut options.games.games),
    ),
    (
        "account-game-versions",
        Setting::CountOrZero(|options| &mut options.games.versions),
    ),
    (
        "account-game-mebibytes",
        Setting::CountOrZero(|options| &mut options.games.mebibytes),
    ),
    (
        "account-game-checks",
        Setting::CountOrZero(|options| &mut options.games.daily_checks),
    ),
    (
        "game-search",
        Setting::Count32(|options| &mut options.game_search),
    ),
    (
        "webhooks",
        Setting::CountOrZero(|options| &mut options.webhooks),
    ),
    (
        "match-waiting",
        Setting::Time(|options| &mut options.waiting.of_match),
    ),
    (
        "check-waiting",
        Setting::Time(|options| &mut options.waiting.of_check),
    ),
    (
        "registrations",
        Setting::Rate(|options| &mut options.rates.register),
    ),
    ("logins", Setting::Rate(|options| &mut options.rates.login)),
    (
        "account-logins",
        Setting::Rate(|options| &mut options.rates.account),
    ),
    (
        "guest-plays",
        Setting::Rate(|options| &mut options.rates.guest),
    ),
    ("plays", Setting::Rate(|options| &mut options.rates.play)),
    (
        "uploads",
        Setting::Rate(|options| &mut options.rates.upload),
    ),
    (
        "matches",
        Setting::Rate(|options| &mut options.rates.friendly),
    ),
];

/// Applies words such as `tables=1000` and `registrations=500/1h`.
pub fn apply_limits(lang: Localizer, options: &mut ServerOptions, words: &[String]) -> Result<()> {
    let words = words
        .iter()
        .map(|word| word.trim())
        .filter(|word| !word.is_empty());
    words.into_iter().try_for_each(|word| {
        set_one(lang, options, word).with_context(|| format!("--limit {word}"))
    })
}

fn set_one(lang: Localizer, options: &mut ServerOptions, word: &str) -> Result<()> {
    let (name, value) = word
        .split_once('=')
        .with_context(|| lang.label("write NAME=VALUE, such as tables=1000"))?;
    let Some((_, setting)) = SETTINGS.iter().find(|(own, _)| *own == name) else {
        let names: Vec<&str> = SETTINGS.iter().map(|(name, _)| *name).collect();
        bail!(
            "{}{}{}",
            lang.label("there is no such limit; there are"),
            lang.label(": "),
            names.join(", ")
        );
    };
    match setting {
        Setting::Count(of) => *of(options) = parse_count(lang, value)?,
        Setting::Count32(of) => *of(options) = u32::try_from(parse_count(lang, value)?)?,
        Setting::CountOrZero(of) if value == "0" => *of(options) = 0,
        Setting::CountOrZero(of) => *of(options) = u32::try_from(parse_count(lang, value)?)?,
        Setting::Rate(of) => *of(options) = parse_rate(lang, value)?,
        Setting::Time(of) => *of(options) = Some(parse_time(lang, value)?),
    }
    Ok(())
}

fn parse_time(lang: Localizer, value: &str) -> Result<Duration> {
    let time = parse_limit(value).ok();
    time.with_context(|| lang.label("write a time from 1ms to 24h, such as 30s"))
}

fn parse_count(lang: Localizer, value: &str) -> Result<usize> {
    let count = value
        .parse()
        .ok()
        .filter(|count| (1..=1_000_000).contains(count));
    count.with_context(|| lang.label("write a whole number from 1 to 1000000"))
}

/// This many at once, and as many again in each such time span.
fn parse_rate(lang: Localizer, value: &str) -> Result<Quota> {
    let how = || lang.label("write COUNT/TIME, such as 500/1h");
    let (count, time) = value.split_once('/').with_context(how)?;
    let count = self::parse_count(lang, count)?;
    let time = humantime::parse_duration(time).with_context(how)?;
    if time.is_zero() || time > Duration::from_secs(30 * 24 * 3600) {
        bail!(
            "{}",
            lang.label("the time must be longer than zero and at most 30 days")
        );
    }
    let count = u32::try_from(count)?;
    Ok(make_quota(count, time / count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let mut options = ServerOptions::default();
        let words = ["tables=1000", "registrations=500/1h", ""].map(str::to_owned);
        apply_limits(crate::lang::english(), &mut options, &words).expect("they are sound");
        assert_eq!(options.limits.human_matches, 1000);
        for (word, expected) in [("failed-matches=3", 3), ("failed-matches=0", 0)] {
            apply_limits(crate::lang::english(), &mut options, &[word.to_owned()])
                .expect("it is sound");
            assert_eq!(options.rest_after, expected);
        }
        let rate = options.rates.register;
        assert_eq!(
            (rate.burst_size().get(), rate.replenish_interval()),
            (500, Duration::from_millis(7200))
        );
        let words = ["match-waiting=2s", "check-waiting=90s"].map(str::to_owned);
        apply_limits(crate::lang::english(), &mut options, &words).expect("they are sound");
        let waiting = (options.waiting.of_match, options.waiting.of_check);
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(waiting, (seconds(2), seconds(90)));
        let words = ["person-time=10m".to_owned()];
        apply_limits(crate::lang::english(), &mut options, &words).expect("it is sound");
        assert_eq!(options.limits.person_time, seconds(600));
        for (word, part) in [
            ("match-waiting=long", "such as 30s"),
            ("tables", "NAME=VALUE"),
            ("chairs=3", "guest-tables"),
            ("game-search=0", "whole number"),
            ("tables=0", "whole number"),
            ("logins=3", "COUNT/TIME"),
            ("logins=3/fast", "COUNT/TIME"),
            ("logins=3/0s", "longer than zero"),
        ] {
            let error = apply_limits(crate::lang::english(), &mut options, &[word.to_owned()])
                .expect_err(word);
            assert!(format!("{error:#}").contains(part), "{error:#}");
        }
    }
}
