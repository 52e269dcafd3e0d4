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
            memory: None,
            seeds: SeedRules::Drawn,
            configs: default(game?).ok()?,
            handicaps: Vec::new(),
        });
    }
    let matches = root.section("matches")?;
    let legs = matches.number("legs", 1..=64);
    let time_limit = read_time_limit(&matches);
    let memory = read_memory(&matches);
    let seeds = read_seeds(&matches);
    let configs = read_configs(&matches, game, games);
    let period = time_limit.or_else(|| Some(game?.meta().period_limit));
    let handicaps = read_handicaps(&matches, period, memory);
    matches.finish();
    Some(MatchRules {
        legs: legs.map(|legs| legs as u8),
        time_limit,
        memory,
        seeds: seeds?,
        configs: match configs {
            Some(configs) => configs,
            None => default(game?).ok()?,
        },
        handicaps,
    })
}

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
        let section = Section::new(
            matches.reader,
            table,
            format!("handicap {number}"),
            item.span(),
        );
        let own = Handicap {
            accounts: read_accounts(&section, "accounts"),
            languages: read_languages(&section),
            time_limit: read_time_limit(&section),
            memory: read_memory(&section),
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
        let names_nobody = section
            .get("accounts")
            .or(section.get("languages"))
            .is_none();
        if names_nobody
            || section
                .get("time-limit")
                .or(section.get("memory"))
                .is_none()
        {
            matches.refuse("handicaps", item, en, zh);
        }
        handicaps.push(own);
    }
    handicaps
}

fn read_time_limit(matches: &Section<'_, '_>) -> Option<Duration> {
    let (text, _) = matches.text("time-limit")?;
    let within = Duration::from_millis(10)..=Duration::from_mins(10);
    let limit = humantime::parse_duration(text)
        .ok()
        .filter(|limit| within.contains(limit));
    if limit.is_none() {
        let (en, zh) = (
            "write a time from 10ms to 10m, such as \"500ms\" or \"2s\"",
            "请写 10ms 到 10m 的时间，例如 \"500ms\" 或 \"2s\"",
        );
        matches.refuse("time-limit", matches.get("time-limit")?, en, zh);
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
