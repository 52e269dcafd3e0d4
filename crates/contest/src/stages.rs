//! The part of the file about stages.

use std::ops::Range;

use jiff::tz::TimeZone;
use leitai_game::text::LocalizedText;

use crate::date::read_date;
use crate::entry::MAX_ENTRANTS;
use crate::problem::both;
use crate::rules::{StageFormat, StageRules};
use crate::standing::TieBreak;
use crate::table::Section;

/// The most matches of one stage.
pub const MAX_MATCHES: u64 = 1_000_000;

/// The most stages.
pub const MAX_STAGES: usize = 16;

pub fn read_stages(
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
