//! The contest's file, read and checked.

use jiff::tz::TimeZone;
use leitai_game::GameHandle;
use leitai_game::text::LocalizedText;

use crate::date::{find_zone, read_date};
pub use crate::entry::{CandidateRule, EntryRules, SourceLanguage, WhoMayEnter};
use crate::entry::{MAX_ENTRANTS, read_accounts, read_entry};
pub use crate::games::Games;
use crate::matches::read_matches;
use crate::problem::{Problem, both};
pub use crate::rules::{
    Contest, MatchRules, PackRules, SeedRules, StageFormat, StageRules, Visibility,
};
use crate::situations::read_situations;
use crate::stages::read_stages;
pub use crate::stages::{MAX_MATCHES, MAX_STAGES};
use crate::table::{Reader, Section, nearest};

/// The longest Markdown text, in bytes.
const MAX_TEXT: usize = 64 << 10;

/// The longest file, in bytes.
pub const MAX_FILE: usize = 256 << 10;

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
    let situations = read_situations(root, local);
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
        situations,
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
    let listed = games.list();
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
