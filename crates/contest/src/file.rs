//! The contest's file.

use std::ops::Range;
use std::time::Duration;

use jiff::tz::TimeZone;
use leitai_game::lang::{Catalogue, Lang};
use leitai_game::text::LocalizedText;
use leitai_game::{GameHandle, GameSet};
use leitai_ladder::tournament::TournamentFormat;
use serde::Serialize;
use serde_json::Value;

use crate::date::{find_zone, parse_date};
pub use crate::entry::{CandidateRule, EntryRules, SourceLanguage, WhoMayEnter};
use crate::entry::{MAX_ENTRANTS, read_accounts, read_entry};
use crate::problem::{Problem, both};
use crate::standing::TieBreak;
use crate::table::{Item, Reader, Section, nearest, read_size, to_json, whole_number};

/// The most matches of one stage.
pub const MAX_MATCHES: u64 = 1_000_000;
/// The most stages.
pub const MAX_STAGES: usize = 16;
/// The longest Markdown text, in bytes.
const MAX_TEXT: usize = 64 << 10;
/// The longest file, in bytes.
pub const MAX_FILE: usize = 256 << 10;

/// The games that a contest may name, and their messages.
pub struct Games {
    games: GameSet,
    catalogue: Catalogue,
}

impl Games {
    /// These games.
    pub fn new(games: impl Into<GameSet>, catalogue: Catalogue) -> Games {
        Games {
            games: games.into(),
            catalogue,
        }
    }

    /// No game.
    pub fn none() -> Games {
        Games::new(GameSet::default(), Catalogue::default())
    }

    fn find(&self, id: &str) -> Option<GameHandle> {
        self.games.find(id)
    }
}

/// A contest as its file says it, checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Contest {
    /// The name in addresses: lowercase letters, digits and hyphens.
    pub id: String,
    /// The title.
    pub title: LocalizedText,
    /// What it is about, in Markdown.
    pub text: LocalizedText,
    /// The game's id.
    pub game: String,
    /// The time zone's name, in which dates are shown.
    pub time_zone: String,
    /// The accounts that organise it beside administrators.
    pub organisers: Vec<String>,
    /// Who may enter.
    pub entry: EntryRules,
    /// How matches are played.
    pub matches: MatchRules,
    /// When submission opens, in seconds since 1970.
    pub opens: i64,
    /// When versions are chosen, in seconds since 1970.
    pub freezes: i64,
    /// From when standings are shown.
    pub standings: Visibility,
    /// From when replays of its matches are shown.
    pub replays: Visibility,
    /// Whether its matches become part of the arena's dataset, after the end.
    pub dataset: bool,
    /// Whether only its organisers and those who may enter it see it.
    pub private: bool,
    /// The stages, in order.
    pub stages: Vec<StageRules>,
    /// What the best win, in Markdown.
    pub prizes: LocalizedText,
}

/// How matches are played.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MatchRules {
    /// The most legs; `None`: the game's own.
    pub legs: Option<u8>,
    /// The time limit of a period; `None`: the game's own.
    #[serde(rename = "time-limit-ms", serialize_with = "as_millis")]
    pub time_limit: Option<Duration>,
    /// The memory of a program in bytes; `None`: the arena's own.
    pub memory: Option<u64>,
    /// The seeds.
    pub seeds: SeedRules,
    /// Complete configs, used in turn.
    pub configs: Vec<Value>,
}

fn as_millis<S: serde::Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    let millis = time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    millis.serialize(to)
}

/// Where the seeds of matches come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum SeedRules {
    /// Drawn when the contest is published; shown with each match.
    Drawn,
    /// Drawn when the contest is published; shown after the end, like the replays.
    Hidden,
    /// These, in turn.
    Fixed {
        /// The seeds.
        seeds: Vec<u64>,
    },
}

/// When something is shown to others than organisers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Visibility {
    /// Always.
    Always,
    /// After the end of the contest.
    End,
    /// From this second since 1970.
    From {
        /// The second.
        second: i64,
    },
}

impl Visibility {
    /// Whether it is shown at this second.
    pub fn is_shown(self, second: i64, is_over: bool) -> bool {
        match self {
            Visibility::Always => true,
            Visibility::End => is_over,
            Visibility::From { second: from } => is_over || second >= from,
        }
    }
}

/// A stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StageRules {
    /// The name.
    pub name: LocalizedText,
    /// The format.
    pub format: StageFormat,
    /// Matches of each encounter.
    pub matches: u32,
    /// How many go on from the stage before; `None`: all.
    pub take: Option<u32>,
    /// Not before this second since 1970; `None`: when the stage before is over.
    pub starts: Option<i64>,
    /// What decides between entrants with equal points, in order; at last the better seed.
    pub tie_breaks: Vec<TieBreak>,
}

/// The format of a stage; numbers that depend on the entrants are filled in later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[allow(missing_docs, reason = "see TournamentFormat")]
pub enum StageFormat {
    RoundRobin { rounds: u32 },
    Gauntlet { heads: u32, rounds: u32 },
    Swiss { rounds: Option<u32> },
    Single,
    Double,
}

impl StageFormat {
    /// The format among so many players. A gauntlet always has one player who is no head.
    pub fn among(self, players: usize) -> TournamentFormat {
        match self {
            StageFormat::RoundRobin { rounds } => TournamentFormat::RoundRobin { cycles: rounds },
            StageFormat::Gauntlet { heads, rounds } => TournamentFormat::Gauntlet {
                heads: (heads as usize).clamp(1, players.saturating_sub(1).max(1)),
                cycles: rounds,
            },
            StageFormat::Swiss { rounds } => TournamentFormat::Swiss {
                rounds: rounds.unwrap_or(players.max(1).next_power_of_two().ilog2() + 1),
            },
            StageFormat::Single => TournamentFormat::Single,
            StageFormat::Double => TournamentFormat::Double,
        }
    }
}

impl StageRules {
    /// The number of players, of those who are in the stage before.
    pub fn count_players(&self, before: usize) -> usize {
        self.take.map_or(before, |take| before.min(take as usize))
    }
}

impl Contest {
    /// The players of every stage, with so many entrants.
    pub fn players_by_stage(&self, entrants: usize) -> Vec<usize> {
        let mut players = entrants;
        let count = |stage: &StageRules| {
            players = stage.count_players(players);
            players
        };
        self.stages.iter().map(count).collect()
    }
}

/// Reads and checks a contest's file: the contest, or everything that is wrong with it.
pub fn check_contest(text: &str, games: &Games) -> Result<Contest, Vec<Problem>> {
    if text.len() > MAX_FILE {
        let (bytes, most) = (text.len(), MAX_FILE);
        return Err(vec![Problem {
            line: 1,
            what: both(
                format!("the file has {bytes} bytes"),
                format!("文件有 {bytes} 字节"),
            ),
            cure: both(
                format!("shorten it to {most} bytes"),
                format!("请缩短到 {most} 字节以内"),
            ),
        }]);
    }
    let (reader, table) = Reader::parse(text);
    let contest = read_contest(&Section::new(&reader, &table, "", 0..0), games);
    let problems = reader.into_problems();
    match contest {
        Some(contest) if problems.is_empty() => Ok(contest),
        _ => Err(problems),
    }
}

fn read_contest(root: &Section<'_, '_>, games: &Games) -> Option<Contest> {
    let id = read_id(root);
    let title = read_title(root);
    let text = read_markdown(root, "text");
    let prizes = read_markdown(root, "prizes");
    let game = read_game(root, games);
    let zone = read_zone(root);
    let organisers = read_accounts(root, "organisers");
    let entry = read_entry(root);
    let matches = read_matches(root, game.as_ref(), games);
    // Dates are checked even if the zone is unknown.
    let utc = TimeZone::UTC;
    let local = Some(zone.as_ref().map_or(&utc, |(_, zone)| zone));
    let dates = read_dates(root, local);
    let visibility = read_visibility(root, local, entry.as_ref());
    let most = entry.as_ref().map_or(MAX_ENTRANTS, |entry| entry.most);
    let stages = read_stages(root, local, dates, most);
    root.finish();
    let (opens, freezes) = dates?;
    let (standings, replays, [dataset, private]) = visibility;
    Some(Contest {
        id: id?,
        title: title?,
        text,
        game: game?.meta().id.to_owned(),
        time_zone: zone?.0,
        organisers,
        entry: entry?,
        matches: matches?,
        opens,
        freezes,
        standings,
        replays,
        dataset,
        private,
        stages,
        prizes,
    })
}

fn read_id(root: &Section<'_, '_>) -> Option<String> {
    let Some((id, _)) = root.text("id") else {
        if root.get("id").is_none() {
            root.miss(
                "id",
                "write id = \"spring-2027\"",
                "请写 id = \"spring-2027\"",
            );
        }
        return None;
    };
    if !is_contest_id(id) {
        let item = root.get("id")?;
        root.refuse(
            "id",
            item,
            "write 2 to 40 lowercase letters, digits and hyphens, such as \"spring-2027\"",
            "请用 2 到 40 个小写字母、数字和连字符，例如 \"spring-2027\"",
        );
        return None;
    }
    Some(id.to_owned())
}

/// Whether a text can be a contest's id.
pub fn is_contest_id(id: &str) -> bool {
    (2..=40).contains(&id.len())
        && id
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        && !id.starts_with('-')
        && !id.ends_with('-')
}

fn read_title(root: &Section<'_, '_>) -> Option<LocalizedText> {
    let Some(item) = root.get("title") else {
        let (en, zh) = (
            "write title = { en = \"…\", zh = \"…\" }",
            "请写 title = { en = \"…\", zh = \"…\" }",
        );
        root.miss("title", en, zh);
        return None;
    };
    let title = root.localized("title")?;
    let is_title = |text: &str| {
        (1..=100).contains(&text.trim().chars().count()) && !text.contains(char::is_control)
    };
    if !is_title(&title.en) || !is_title(&title.zh) {
        let (en, zh) = (
            "write 1 to 100 characters in one line",
            "请写 1 到 100 个字符，不要换行",
        );
        root.refuse("title", item, en, zh);
        return None;
    }
    Some(title)
}

fn read_markdown(root: &Section<'_, '_>, key: &'static str) -> LocalizedText {
    let text = root.localized(key).unwrap_or_default();
    let longest = text.en.len().max(text.zh.len());
    if longest > MAX_TEXT
        && let Some(item) = root.get(key)
    {
        let (en, zh) = (
            format!("shorten it from {longest} to {MAX_TEXT} bytes"),
            format!("现有 {longest} 字节，请缩短到 {MAX_TEXT} 字节以内"),
        );
        root.refuse(key, item, &en, &zh);
    }
    text
}

fn read_game(root: &Section<'_, '_>, games: &Games) -> Option<GameHandle> {
    let listed = games.games.list();
    let ids: Vec<&str> = listed.iter().map(|game| game.meta().id).collect();
    let all = ids.join(", ");
    let Some((id, _)) = root.text("game") else {
        if root.get("game").is_none() {
            root.miss(
                "game",
                &format!("write one of {all}"),
                &format!("可选：{all}"),
            );
        }
        return None;
    };
    let found = games.find(id);
    if found.is_none() {
        let item = root.get("game")?;
        let near = nearest(id, ids.iter().copied());
        let (en, zh) = match near {
            Some(near) => (
                format!("did you mean {near:?}? Write one of {all}"),
                format!("是否想写 {near:?}？可选：{all}"),
            ),
            None => (format!("write one of {all}"), format!("可选：{all}")),
        };
        root.refuse("game", item, &en, &zh);
    }
    found
}

fn read_zone(root: &Section<'_, '_>) -> Option<(String, TimeZone)> {
    let (en, zh) = (
        "write the name of a time zone, such as \"Asia/Shanghai\" or \"UTC\"",
        "请写时区名称，例如 \"Asia/Shanghai\" 或 \"UTC\"",
    );
    let Some((name, _)) = root.text("time-zone") else {
        if root.get("time-zone").is_none() {
            root.miss("time-zone", en, zh);
        }
        return None;
    };
    let Some(zone) = find_zone(name) else {
        let item = root.get("time-zone")?;
        match zone_of_offset(name) {
            Some(near) => root.refuse(
                "time-zone",
                item,
                &format!("{en}; did you mean {near:?}?"),
                &format!("{zh}；是否想写 {near:?}？"),
            ),
            None => root.refuse("time-zone", item, en, zh),
        }
        return None;
    };
    Some((zone.iana_name().unwrap_or(name).to_owned(), zone))
}

/// The zone that somebody means who writes what its clocks are ahead: `GMT+8`, `UTC+08:00`, `+8`.
fn zone_of_offset(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_uppercase();
    let bare = name.trim_start_matches("UTC").trim_start_matches("GMT");
    match bare.trim().replace(":00", "").replace("+0", "+").as_str() {
        "+8" | "+800" => Some("Asia/Shanghai"),
        "+9" | "+900" => Some("Asia/Tokyo"),
        "+" | "+0" | "+00" | "" if name != bare => Some("UTC"),
        _ => None,
    }
}

fn read_matches(
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
        });
    }
    let matches = root.section("matches")?;
    let legs = matches.number("legs", 1..=64);
    let time_limit = read_time_limit(&matches);
    let memory = read_memory(&matches);
    let seeds = read_seeds(&matches);
    let configs = read_configs(&matches, game, games);
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
    })
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

/// The second of a date at this key.
fn read_date(section: &Section<'_, '_>, key: &'static str, zone: Option<&TimeZone>) -> Option<i64> {
    let item = section.get(key)?;
    let value = item.get_ref();
    let text = match (value.as_datetime(), value.as_str()) {
        (Some(date), _) => date.to_string(),
        (_, Some(text)) => text.to_owned(),
        _ => String::new(),
    };
    match parse_date(&text, zone?) {
        Ok(moment) if moment.as_second() >= 0 => Some(moment.as_second()),
        Ok(_) => {
            section.refuse(
                key,
                item,
                "write a date after 1970",
                "请写 1970 年以后的日期",
            );
            None
        }
        Err(cure) => {
            section.refuse(key, item, &cure.en, &cure.zh);
            None
        }
    }
}

fn read_dates(root: &Section<'_, '_>, zone: Option<&TimeZone>) -> Option<(i64, i64)> {
    let (en, zh) = (
        "write a date such as 2027-03-14T18:00:00",
        "请写日期，例如 2027-03-14T18:00:00",
    );
    if root.get("dates").is_none() {
        root.miss(
            "dates",
            "write [dates] with opens and freezes",
            "请写 [dates]，其中有 opens 和 freezes",
        );
        return None;
    }
    let dates = root.section("dates")?;
    for key in ["opens", "freezes"] {
        if dates.get(key).is_none() {
            dates.miss(key, en, zh);
        }
    }
    let (opens, freezes) = (
        read_date(&dates, "opens", zone),
        read_date(&dates, "freezes", zone),
    );
    dates.finish();
    let (opens, freezes) = (opens?, freezes?);
    if freezes <= opens {
        let item = dates.get("freezes")?;
        let (en, zh) = (
            "write a date after dates.opens",
            "请写晚于 dates.opens 的日期",
        );
        dates.refuse("freezes", item, en, zh);
    }
    Some((opens, freezes))
}

fn read_visibility(
    root: &Section<'_, '_>,
    zone: Option<&TimeZone>,
    entry: Option<&EntryRules>,
) -> (Visibility, Visibility, [bool; 2]) {
    let always = (Visibility::Always, Visibility::Always, [false; 2]);
    if root.get("visibility").is_none() {
        return always;
    }
    let Some(section) = root.section("visibility") else {
        return always;
    };
    let read = |key: &'static str| match section.get(key)?.get_ref().as_str() {
        Some("always") => Some(Visibility::Always),
        Some("end") => Some(Visibility::End),
        Some(text) if !text.starts_with(|c: char| c.is_ascii_digit()) => {
            let (en, zh) = (
                "write \"always\", \"end\", or a date such as 2027-03-14T18:00:00",
                "请写 \"always\"、\"end\" 或日期，例如 2027-03-14T18:00:00",
            );
            section.refuse(key, section.get(key)?, en, zh);
            None
        }
        _ => Some(Visibility::From {
            second: read_date(&section, key, zone)?,
        }),
    };
    let shown = ["standings", "replays"].map(read);
    let dataset = section.get("dataset").is_some_and(|item| {
        let word = item.get_ref().as_str();
        if !matches!(word, Some("never" | "end")) {
            let (en, zh) = ("write \"never\" or \"end\"", "请写 \"never\" 或 \"end\"");
            section.refuse("dataset", item, en, zh);
        }
        word == Some("end")
    });
    let private = read_privacy(&section, entry, dataset);
    section.finish();
    let [standings, replays] = shown.map(|shown| shown.unwrap_or(Visibility::Always));
    (standings, replays, [dataset, private])
}

/// Whether a contest is private. It needs a list of those who see it, and cannot be part of a public
/// dataset.
fn read_privacy(section: &Section<'_, '_>, entry: Option<&EntryRules>, dataset: bool) -> bool {
    let Some(item) = section.get("contest") else {
        return false;
    };
    let private = match item.get_ref().as_str() {
        Some("invited") => true,
        Some("everybody") => false,
        _ => {
            let (en, zh) = (
                "write \"everybody\" or \"invited\"",
                "请写 \"everybody\" 或 \"invited\"",
            );
            section.refuse("contest", item, en, zh);
            return false;
        }
    };
    let is_list = |entry: &EntryRules| {
        matches!(
            entry.who,
            WhoMayEnter::Accounts { .. } | WhoMayEnter::Group { .. }
        )
    };
    if private && entry.is_some_and(|entry| !is_list(entry)) {
        let (en, zh) = (
            "say who is invited: write entry.who = \"group\" or \"accounts\", or leave this out",
            "请说明邀请了谁：写 entry.who = \"group\" 或 \"accounts\"，或去掉这一项",
        );
        section.refuse("contest", item, en, zh);
    }
    if private && dataset {
        let (en, zh) = (
            "a private contest stays out of the dataset, which everybody may read: write \
             visibility.dataset = \"never\"",
            "私有赛事不会进入人人可读的数据集：请写 visibility.dataset = \"never\"",
        );
        section.refuse("contest", item, en, zh);
    }
    private
}

fn read_stages(
    root: &Section<'_, '_>,
    zone: Option<&TimeZone>,
    dates: Option<(i64, i64)>,
    most: u32,
) -> Vec<StageRules> {
    let (en, zh) = (
        "write [[stage]] with a name and a format",
        "请写 [[stage]]，其中有名称和赛制",
    );
    if root.get("stage").is_none() {
        root.miss("stage", en, zh);
        return Vec::new();
    }
    let list = root.list("stage").unwrap_or_default();
    if (list.is_empty() || list.len() > MAX_STAGES)
        && let Some(item) = root.get("stage")
    {
        let (en, zh) = (
            format!("write from 1 to {MAX_STAGES} tables [[stage]]"),
            format!("请写 1 到 {MAX_STAGES} 个 [[stage]]"),
        );
        root.refuse("stage", item, &en, &zh);
    }
    let (mut stages, mut players) = (Vec::new(), most);
    let mut earliest = dates.map(|(_, freezes)| freezes);
    for (number, item) in (1..).zip(list) {
        let Some(table) = item.get_ref().as_table() else {
            root.refuse("stage", item, en, zh);
            continue;
        };
        let section = Section::new(root.reader, table, format!("stage {number}"), item.span());
        let stage = read_stage(&section, zone, number == 1);
        let Some(stage) = stage else {
            continue;
        };
        players = check_stage(&section, &stage, players, earliest);
        earliest = stage.starts.or(earliest);
        stages.push(stage);
    }
    stages
}

#[derive(Clone, Copy)]
enum FormatWord {
    RoundRobin,
    Gauntlet,
    Swiss,
    Single,
    Double,
}

fn read_stage(
    section: &Section<'_, '_>,
    zone: Option<&TimeZone>,
    is_first: bool,
) -> Option<StageRules> {
    let words = [
        ("round-robin", FormatWord::RoundRobin),
        ("gauntlet", FormatWord::Gauntlet),
        ("swiss", FormatWord::Swiss),
        ("single", FormatWord::Single),
        ("double", FormatWord::Double),
    ];
    if section.get("format").is_none() {
        let (en, zh) = (
            "write format = \"swiss\" or another",
            "请写 format = \"swiss\" 或其他赛制",
        );
        section.miss("format", en, zh);
    }
    let word = section.word("format", &words);
    let name = section.localized("name");
    if name.is_none() && section.get("name").is_none() {
        section.miss("name", "write name = \"Final\"", "请写 name = \"决赛\"");
    }
    let rounds = section
        .number("rounds", 1..=10_000)
        .map(|rounds| rounds as u32);
    let heads = section.number("heads", 1..=u64::from(MAX_ENTRANTS) - 1);
    let matches = section.number("matches", 1..=1_000).unwrap_or(1) as u32;
    let take = section
        .number("take", 2..=u64::from(MAX_ENTRANTS))
        .map(|take| take as u32);
    let starts = read_date(section, "starts", zone);
    let tie_breaks = read_tie_breaks(section);
    section.finish();
    refuse_unused(section, word, is_first);
    let format = match word? {
        FormatWord::RoundRobin => StageFormat::RoundRobin {
            rounds: rounds.unwrap_or(1),
        },
        FormatWord::Gauntlet => StageFormat::Gauntlet {
            heads: heads.unwrap_or(1) as u32,
            rounds: rounds.unwrap_or(1),
        },
        FormatWord::Swiss => StageFormat::Swiss { rounds },
        FormatWord::Single => StageFormat::Single,
        FormatWord::Double => StageFormat::Double,
    };
    Some(StageRules {
        name: name?,
        format,
        matches,
        take,
        starts,
        tie_breaks,
    })
}

/// Reports keys that say nothing in this stage.
fn refuse_unused(section: &Section<'_, '_>, word: Option<FormatWord>, is_first: bool) {
    let leave_out = |key: &'static str, en: &str, zh: &str| {
        if let Some(item) = section.get(key) {
            section.refuse(key, item, en, zh);
        }
    };
    if matches!(word, Some(FormatWord::Single | FormatWord::Double)) {
        leave_out(
            "rounds",
            "leave it out: a knockout has no rounds to count",
            "请去掉：淘汰赛不设轮数",
        );
        leave_out(
            "tie-breaks",
            "leave it out: in a knockout the better seed goes on after a tie",
            "请去掉：淘汰赛打平时种子靠前者晋级",
        );
    }
    if word.is_some() && !matches!(word, Some(FormatWord::Gauntlet)) {
        leave_out(
            "heads",
            "leave it out: only a gauntlet has heads",
            "请去掉：只有挑战赛有 heads",
        );
    }
    if is_first {
        leave_out(
            "take",
            "leave it out: there is no stage before the first; entry.most limits the entrants",
            "请去掉：第一阶段之前没有阶段；参赛方数量由 entry.most 限制",
        );
    }
}

fn read_tie_breaks(section: &Section<'_, '_>) -> Vec<TieBreak> {
    let mut found = Vec::new();
    for (word, item) in section.words("tie-breaks") {
        match TieBreak::from_word(word) {
            Some(one) if !found.contains(&one) => found.push(one),
            Some(_) => section.refuse("tie-breaks", item, "list it once", "不要重复"),
            None => {
                let all: Vec<&str> = TieBreak::ALL.iter().map(|(word, _)| *word).collect();
                let all = all.join(", ");
                let (en, zh) = (format!("choose from {all}"), format!("可选：{all}"));
                section.refuse("tie-breaks", item, &en, &zh);
            }
        }
    }
    found
}

/// Reports a stage that does not fit the contest; returns its players at most.
fn check_stage(
    section: &Section<'_, '_>,
    stage: &StageRules,
    before: u32,
    earliest: Option<i64>,
) -> u32 {
    let add = |span: Range<usize>, en: String, zh: String, cure: LocalizedText| {
        section.reader.add(span, both(en, zh), cure);
    };
    if let Some(take) = stage.take.filter(|take| *take > before) {
        add(
            section.span_of("take"),
            format!("take = {take}, but the stage before has at most {before}"),
            format!("take = {take}，但前一阶段至多 {before} 个参赛方"),
            both(
                format!("write at most {before}, or raise entry.most"),
                format!("请写不超过 {before} 的数，或增大 entry.most"),
            ),
        );
    }
    if let (Some(starts), Some(earliest)) = (stage.starts, earliest)
        && starts < earliest
    {
        let written = section.reader.quote(section.span_of("starts"));
        add(
            section.span_of("starts"),
            format!("starts = {written} is before the freeze or before an earlier stage"),
            format!("starts = {written} 早于冻结时间或前面的阶段"),
            both(
                "write a later date, or leave it out: then it follows the stage before",
                "请写更晚的日期，或去掉：前一阶段结束后即开始",
            ),
        );
    }
    let players = stage.count_players(before as usize);
    check_stage_size(section, stage, players);
    players as u32
}

/// Reports a stage that these players are too few or too many for.
fn check_stage_size(section: &Section<'_, '_>, stage: &StageRules, players: usize) {
    let add = |span: Range<usize>, en: String, zh: String, cure: LocalizedText| {
        section.reader.add(span, both(en, zh), cure);
    };
    if let StageFormat::Gauntlet { heads, .. } = stage.format
        && heads as usize >= players
    {
        add(
            section.span_of("heads"),
            format!("heads = {heads}, but the stage has at most {players} entrants"),
            format!("heads = {heads}，但该阶段至多 {players} 个参赛方"),
            both(
                format!("write at most {}", players.saturating_sub(1)),
                format!("请写不超过 {} 的数", players.saturating_sub(1)),
            ),
        );
    }
    let [_, encounters] = stage.format.among(players).encounter_counts(players);
    let matches = encounters as u64 * u64::from(stage.matches);
    if matches > MAX_MATCHES {
        add(
            section.span(),
            format!("with {players} entrants this stage has {matches} matches"),
            format!("{players} 个参赛方时该阶段有 {matches} 场比赛"),
            both(
                format!(
                    "at most {MAX_MATCHES} can be played: lower entry.most, take, rounds or matches, \
                     or use format = \"swiss\""
                ),
                format!(
                    "至多 {MAX_MATCHES} 场：请减小 entry.most、take、rounds 或 matches，或改用 swiss"
                ),
            ),
        );
    }
}
