//! The limits of programs in the arena: time and resources.

use std::time::Duration;

use leitai_game::AnyGame;
use leitai_judge::{Grace, RefereeLimits, Resources, TimeBank};
use leitai_store::Json;

/// The longest thinking time of built-in bots: the arena plays all day, often on a laptop.
const THOUGHT: Duration = Duration::from_millis(100);
/// The possible values of a match's `period_ms`, `increment_ms` and, times six, `bank_ms`.
const PERIODS: std::ops::RangeInclusive<u64> = 10..=600_000;

/// The game's own limits, or those with the match's `period_ms`.
pub fn referee_limits(game: &dyn AnyGame, asked: &Json) -> RefereeLimits {
    let meta = game.meta();
    let [period, bank, increment] = read_limits(asked);
    let bank = bank.map(|time| TimeBank {
        time,
        increment: increment.unwrap_or_default(),
    });
    let period = period.or(bank.map(TimeBank::longest_turn));
    RefereeLimits {
        thought: Some(THOUGHT),
        bank,
        grace: read_grace(asked),
        keeps: asked.get(KEEPS).and_then(Json::as_bool).unwrap_or(false),
        ..RefereeLimits::new(period.unwrap_or(meta.period_limit), meta.message_limit)
    }
}

/// The limit of a turn, the time bank and its increment, as the limits of a match have them.
const KEYS: [&str; 3] = ["period_ms", "bank_ms", "increment_ms"];

fn read_limits(asked: &Json) -> [Option<Duration>; 3] {
    KEYS.map(|key| {
        let most = if key == "bank_ms" { 6 } else { 1 } * PERIODS.end();
        let time = asked.get(key).and_then(Json::as_u64);
        let time = time.filter(|time| (*PERIODS.start()..=most).contains(time));
        time.map(Duration::from_millis)
    })
}

/// Whether programs keep a file between the legs, in the limits of a match.
const KEEPS: &str = "keeps";

/// The soft time-outs, in the limits of a match.
const GRACE: [&str; 2] = ["grace_ms", "strikes"];

fn read_grace(asked: &Json) -> Option<Grace> {
    let [time, strikes] = GRACE.map(|key| asked.get(key).and_then(Json::as_u64));
    let time = time.filter(|time| PERIODS.contains(time))?;
    Some(Grace {
        time: Duration::from_millis(time),
        strikes: u32::try_from(strikes?).ok()?,
    })
}

/// The limits of a match with these times in milliseconds; null if none is given.
fn write_limits(times: [Option<u64>; 3]) -> Json {
    let given = KEYS.into_iter().zip(times);
    let given = given.filter_map(|(key, time)| Some((key.to_owned(), Json::from(time?))));
    let given: serde_json::Map<_, _> = given.collect();
    match given.is_empty() {
        true => Json::Null,
        false => Json::Object(given),
    }
}

/// The limits of a match that anybody asks for: a turn has at most the game's own limit, with a bank,
/// too, so that no match is longer than the usual ones.
///
/// # Errors
/// The key that cannot be so, and what to write.
pub fn check_limits(
    game: &dyn AnyGame,
    [period, bank, increment]: [Option<u64>; 3],
) -> Result<Json, (&'static str, String)> {
    let own = u64::try_from(game.meta().period_limit.as_millis()).unwrap_or(u64::MAX);
    let period = period.or(bank.map(|_| own));
    let times = [period, bank, increment];
    for ((key, time), most) in KEYS.into_iter().zip(times).zip([own, 3_600_000, own]) {
        let least = *PERIODS.start();
        if time.is_some_and(|time| !(least..=most.max(least)).contains(&time)) {
            return Err((key, format!("write milliseconds from {least} to {most}")));
        }
    }
    if bank.is_none() && increment.is_some() {
        return Err((KEYS[2], "give bank_ms, too, or leave it out".to_owned()));
    }
    Ok(write_limits(times))
}

/// The resource limits of programs.
pub fn sandbox_limits() -> Resources {
    Resources::BOT
}
