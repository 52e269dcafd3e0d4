//! The part of the file about matches.

use std::time::Duration;

use leitai_game::GameHandle;
use leitai_game::lang::Lang;
use serde_json::Value;

use crate::entry::{read_accounts, read_languages};
use crate::games::Games;
use crate::rules::{Handicap, MatchRules, SeedRules};
use crate::table::{Item, Section, read_size, to_json, whole_number};

pub fn read_matches(
    root: &Section<'_, '_>,
    game: Option<&GameHandle>,
    games: &Games,
) -> Option<MatchRules> {
    let default = |game: &GameHandle| game.read_config(&Value::Null).map(|config| vec![config]);
    if root.get("matches").is_none() {
        return Some(MatchRules {
            legs: None,
            time_limit: None,
            bank: None,
            increment: None,
            grace: None,
            strikes: None,
            keeps: false,
            memory: None,
            seeds: SeedRules::Drawn,
            configs: default(game?).ok()?,
            handicaps: Vec::new(),
        });
    }
    let matches = root.section("matches")?;
    let legs = matches.number("legs", 1..=64);
    let time_limit = read_time(&matches, "time-limit", LONGEST_TURN);
    let bank = read_time(&matches, "bank", Duration::from_mins(60));
    let increment = read_time(&matches, "increment", LONGEST_TURN);
    let grace = read_time(&matches, "grace", LONGEST_TURN);
    let strikes = matches.number("strikes", 1..=1000);
    refuse_halves(&matches);
    let keeps = matches.word("keep", &[("nothing", false), ("match", true)]);
    let memory = read_memory(&matches);
    let seeds = read_seeds(&matches);
    let configs = read_configs(&matches, game, games);
    let period = time_limit.or_else(|| Some(game?.meta().period_limit));
    let handicaps = read_handicaps(&matches, period, memory);
    matches.finish();
    Some(MatchRules {
        legs: legs.map(|legs| legs as u8),
        time_limit,
        bank,
        increment,
        grace,
        strikes: strikes.and_then(|strikes| u32::try_from(strikes).ok()),
        keeps: keeps.unwrap_or(false),
        memory,
        seeds: seeds?,
        configs: match configs {
            Some(configs) => configs,
            None => default(game?).ok()?,
        },
        handicaps,
    })
}

/// The longest time of a turn that a contest gives.
const LONGEST_TURN: Duration = Duration::from_mins(10);
/// The most handicaps.
const MOST_HANDICAPS: usize = 100;

/// Limits of some entrants alone, each below that of the matches.
fn read_handicaps(
    matches: &Section<'_, '_>,
    period: Option<Duration>,
    most_memory: Option<u64>,
) -> Vec<Handicap> {
    if matches.get("handicaps").is_none() {
        return Vec::new();
    }
    let (en, zh) = (
        "write [[matches.handicaps]] with accounts or languages, and time-limit or memory",
        "请写 [[matches.handicaps]]，其中有 accounts 或 languages，以及 time-limit 或 memory",
    );
    let list = matches.list("handicaps").unwrap_or_default();
    let mut handicaps = Vec::new();
    for (number, item) in (1..).zip(list) {
        let table = item.get_ref().as_table();
        let Some(table) = table.filter(|_| number <= MOST_HANDICAPS) else {
            matches.refuse("handicaps", item, en, zh);
            break;
        };
        let name = format!("handicap {number}");
        let section = Section::new(matches.reader, table, name, item.span());
        handicaps.push(read_handicap(&section, (period, most_memory)));
        let is_absent = |keys: [&'static str; 2]| keys.iter().all(|key| section.get(key).is_none());
        if is_absent(["accounts", "languages"]) || is_absent(["time-limit", "memory"]) {
            matches.refuse("handicaps", item, en, zh);
        }
    }
    handicaps
}

/// The limits of one handicap, each below that of the matches.
fn read_handicap(
    section: &Section<'_, '_>,
    (period, most_memory): (Option<Duration>, Option<u64>),
) -> Handicap {
    let own = Handicap {
        accounts: read_accounts(section, "accounts"),
        languages: read_languages(section),
        time_limit: read_time(section, "time-limit", LONGEST_TURN),
        memory: read_memory(section),
    };
    section.finish();
    let above = [
        ("time-limit", own.time_limit > period && period.is_some()),
        ("memory", own.memory > most_memory && most_memory.is_some()),
    ];
    for (key, is_above) in above {
        if let Some(item) = section.get(key).filter(|_| is_above) {
            let (en, zh) = (
                "write less than the matches allow; a handicap never gives more",
                "请写得比比赛允许的少；让分限制不会放宽",
            );
            section.refuse(key, item, en, zh);
        }
    }
    own
}

/// Refuses an increment without a bank, and a grace or strikes alone.
fn refuse_halves(matches: &Section<'_, '_>) {
    for (key, other) in [
        ("increment", "bank"),
        ("grace", "strikes"),
        ("strikes", "grace"),
    ] {
        if let (Some(item), None) = (matches.get(key), matches.get(other)) {
            let en = format!("give `{other}`, too, or leave it out");
            let zh = format!("请同时填写 {other}，或去掉此键");
            matches.refuse(key, item, &en, &zh);
        }
    }
}

fn read_time(matches: &Section<'_, '_>, key: &'static str, most: Duration) -> Option<Duration> {
    let (text, _) = matches.text(key)?;
    let within = Duration::from_millis(10)..=most;
    let limit = humantime::parse_duration(text)
        .ok()
        .filter(|limit| within.contains(limit));
    if limit.is_none() {
        let most = most.as_secs() / 60;
        let en = format!("write a time from 10ms to {most}m, such as \"500ms\" or \"2s\"");
        let zh = format!("请写 10ms 到 {most}m 的时间，例如 \"500ms\" 或 \"2s\"");
        matches.refuse(key, matches.get(key)?, &en, &zh);
    }
    limit
}

fn read_memory(matches: &Section<'_, '_>) -> Option<u64> {
    let (text, _) = matches.text("memory")?;
    let bytes = read_size(text).filter(|bytes| (16 << 20..=64 << 30).contains(bytes));
    if bytes.is_none() {
        let (en, zh) = (
            "write a size from 16MiB to 64GiB, such as \"512MiB\"",
            "请写 16MiB 到 64GiB 的大小，例如 \"512MiB\"",
        );
        matches.refuse("memory", matches.get("memory")?, en, zh);
    }
    bytes
}

fn read_seeds(matches: &Section<'_, '_>) -> Option<SeedRules> {
    let Some(item) = matches.get("seeds") else {
        return Some(SeedRules::Drawn);
    };
    let (en, zh) = (
        "write \"drawn\", \"hidden\", or a list of whole numbers such as [1, 2, 3]",
        "请写 \"drawn\"、\"hidden\" 或整数列表，例如 [1, 2, 3]",
    );
    let value = item.get_ref();
    match (value.as_str(), value.as_array()) {
        (Some("drawn"), _) => Some(SeedRules::Drawn),
        (Some("hidden"), _) => Some(SeedRules::Hidden),
        (_, Some(list)) if !list.is_empty() && list.len() <= 10_000 => {
            let seeds: Option<Vec<u64>> = list
                .iter()
                .map(|item| whole_number(item.get_ref()).filter(|seed| *seed < 1 << 53))
                .collect();
            if seeds.is_none() {
                matches.refuse("seeds", item, en, zh);
            }
            seeds.map(|seeds| SeedRules::Fixed { seeds })
        }
        _ => {
            matches.refuse("seeds", item, en, zh);
            None
        }
    }
}

fn read_configs(
    matches: &Section<'_, '_>,
    game: Option<&GameHandle>,
    games: &Games,
) -> Option<Vec<Value>> {
    let list = matches.list("configs")?;
    if list.is_empty() {
        let (en, zh) = (
            "list one or more tables, or leave it out",
            "请列出一个或多个表，或去掉此键",
        );
        matches.refuse("configs", matches.get("configs")?, en, zh);
    }
    let game = game?;
    let read = |item: &Item<'_>| {
        let value = to_json(item.get_ref());
        match game.read_config(&value) {
            Ok(config) => Some(config),
            Err(why) => {
                let why = why.to_string();
                let zh = games.catalogue.say(Lang::Zh, &why).into_owned();
                matches.refuse("configs", item, &why, &zh);
                None
            }
        }
    };
    Some(list.into_iter().filter_map(read).collect())
}
