//! What an organiser may change in the file of a contest that is published.
//!
//! Until the freeze nearly everything may change; afterwards what is shown, and stages that have
//! not begun; after the end only what is shown. What has happened stays: no date moves that has
//! passed, and none moves into the past.

use leitai_contest::file::{Contest as Rules, StageRules, WhoMayEnter};
use leitai_store::{Contest, ContestState, Json, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

/// A part of a contest's file that was changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileChange {
    /// The key in the file, such as `dates.freezes`; a stage by its number from 1.
    pub key: String,
    /// The date before, in seconds since 1970, where the key is a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// The date now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
}

/// Compares the new rules with those that hold.
///
/// # Errors
/// The first change that is not allowed, with the reason.
pub fn check_update(
    old: &Rules,
    new: &Rules,
    contest: &Contest,
    begun: usize,
    at: Timestamp,
) -> Result<Vec<FileChange>, String> {
    let now = at.0.div_euclid(1000);
    let mut update = Update {
        now,
        changes: Vec::new(),
    };
    for (key, is_same) in [("id", old.id == new.id), ("game", old.game == new.game)] {
        if !is_same {
            return Err(format!(
                "{key} cannot change once a contest is published; publish another contest"
            ));
        }
    }
    let is_open = contest.state == ContestState::Open;
    update.compare_shown(old, new);
    let entry = |rules: &Rules| {
        // The code is not among what is shown.
        let code = match &rules.entry.who {
            WhoMayEnter::Code { code } => Some(code.clone()),
            _ => None,
        };
        (json!(rules.entry), code)
    };
    update.compare_fixed("entry", &entry(old), &entry(new), is_open)?;
    let matches = [old, new].map(|rules| json!(rules.matches));
    update.compare_fixed("matches", &matches[0], &matches[1], is_open)?;
    update.move_date("dates.opens", Some(old.opens), Some(new.opens), is_open)?;
    update.move_date(
        "dates.freezes",
        Some(old.freezes),
        Some(new.freezes),
        is_open,
    )?;
    for number in 0..old.stages.len().max(new.stages.len()) {
        let stages = [old, new].map(|rules| rules.stages.get(number));
        let may_change = contest.ended.is_none() && number >= begun;
        update.compare_stage(&format!("stage {}", number + 1), stages, may_change)?;
    }
    Ok(update.changes)
}

/// The changes as details of the audit log.
pub fn update_details(changes: &[FileChange]) -> Json {
    json!({"changes": changes})
}

struct Update {
    now: i64,
    changes: Vec<FileChange>,
}

impl Update {
    /// What may change at any time.
    fn compare_shown(&mut self, old: &Rules, new: &Rules) {
        self.compare("title", &old.title, &new.title);
        self.compare("text", &old.text, &new.text);
        self.compare("prizes", &old.prizes, &new.prizes);
        self.compare("time-zone", &old.time_zone, &new.time_zone);
        self.compare("visibility.standings", &old.standings, &new.standings);
        self.compare("visibility.replays", &old.replays, &new.replays);
        self.compare("visibility.contest", &old.private, &new.private);
        self.compare("visibility.dataset", &old.dataset, &new.dataset);
    }

    fn compare_stage(
        &mut self,
        key: &str,
        stages: [Option<&StageRules>; 2],
        may_change: bool,
    ) -> Result<(), String> {
        let starts = stages.map(|stage| stage.and_then(|stage| stage.starts));
        self.move_date(&format!("{key} starts"), starts[0], starts[1], may_change)?;
        let rest = stages.map(|stage| {
            stage.map(|stage| {
                let mut rest = json!(stage);
                rest["starts"] = Value::Null;
                rest
            })
        });
        self.compare_fixed(key, &rest[0], &rest[1], may_change)
    }

    fn compare<T: PartialEq>(&mut self, key: &str, old: &T, new: &T) {
        if old != new {
            self.changes.push(FileChange {
                key: key.to_owned(),
                from: None,
                to: None,
            });
        }
    }

    fn compare_fixed<T: PartialEq>(
        &mut self,
        key: &str,
        old: &T,
        new: &T,
        may_change: bool,
    ) -> Result<(), String> {
        if old != new && !may_change {
            return Err(format!(
                "{key} cannot change any more: the contest is past it; write it as it was"
            ));
        }
        self.compare(key, old, new);
        Ok(())
    }

    fn move_date(
        &mut self,
        key: &str,
        old: Option<i64>,
        new: Option<i64>,
        may_change: bool,
    ) -> Result<(), String> {
        if old == new {
            return Ok(());
        }
        let date = |second: i64| Timestamp(second.saturating_mul(1000));
        if !may_change {
            return Err(format!(
                "{key} cannot change any more: the contest is past it; write it as it was"
            ));
        }
        if let Some(second) = new.filter(|second| *second <= self.now) {
            return Err(format!(
                "{key} would be {}, which has passed; write a later date",
                date(second)
            ));
        }
        self.changes.push(FileChange {
            key: key.to_owned(),
            from: old,
            to: new,
        });
        Ok(())
    }
}
