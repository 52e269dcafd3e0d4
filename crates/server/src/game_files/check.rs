//! The check of a game file before it is published: its parts, the conformance kit with bounded CPU,
//! its recorded matches, and a match of two random bots.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leitai_game::conformance::ConformanceOptions;
use leitai_game::{ByEntrant, GameHandle, LocalizedText};
use leitai_guest::check::{CheckFailure, check_rules};
use leitai_guest::file::LogicFile;
use leitai_guest::file::golden::verify_recorded;
use leitai_guest::file::parts::{Parts, RULES};
use leitai_guest::{GameFile, Limits};
use leitai_judge::{MatchSpec, NoHumans, Player, PlayerKind, play_match};
use leitai_store::Json;
use serde_json::json;

use super::bounds::{ARENA, hash_of};
use super::judge_check::{self, ProgramRunner};
use super::said::{LONGEST_PREVIEW, Passed, broken_off, count_steps, describe, one_problem};

/// What a check may cost.
#[derive(Clone, Copy, Debug)]
pub struct CheckBounds {
    /// The fuel of a call, and of the whole check: some seconds.
    pub limits: Limits,
    /// The random legs.
    pub legs: usize,
    /// How long a judge program waits for a worker that runs programs before it is looked whether there is one.
    pub patience: Duration,
}

impl CheckBounds {
    /// Those of an arena.
    pub const ARENA: CheckBounds = CheckBounds {
        limits: Limits {
            total_fuel: 2_000_000_000,
            ..ARENA
        },
        legs: 6,
        patience: Duration::from_secs(20),
    };
}

/// The damaged setups and configs of a check.
const MUTATIONS: usize = 20;

/// What was looked at, or everything that is wrong. A judge program runs where `programs` run; `None` if one
/// leads the game and there is no such place.
///
/// # Errors
/// `{"problems": [{part, line, what, cure}]}`.
pub fn check_file(
    bytes: &[u8],
    hash: &str,
    bounds: CheckBounds,
    programs: Option<&dyn ProgramRunner>,
) -> Result<Option<Passed>, Json> {
    if hash_of(bytes) != hash {
        return Err(broken_off("its bytes are not those that were brought"));
    }
    let parts = Parts::from_archive(bytes, Path::new("file"));
    let parts = parts.map_err(|why| broken_off(&why.to_string()))?;
    if LogicFile::is_named_by(&parts) {
        return programs
            .map(|programs| judge_check::check(&parts, programs))
            .transpose();
    }
    check_module(parts, bounds).map(Some)
}

fn check_module(parts: Parts, bounds: CheckBounds) -> Result<Passed, Json> {
    let file = GameFile::load(parts, bounds.limits).map_err(|problems| describe(&problems))?;
    let options = ConformanceOptions {
        legs: bounds.legs,
        mutations: MUTATIONS,
        partial_legal: true,
        ..ConformanceOptions::default()
    };
    let report = check_rules(&file, &options).map_err(|why| match why.is_spent {
        true => describe_costs(&file, &why, bounds.limits.total_fuel),
        false => describe_failure(&why),
    })?;
    for (name, recorded) in &file.golden {
        let differs = match verify_recorded(&file.game, recorded) {
            Ok(Ok(_)) => continue,
            Ok(Err(difference)) => difference.to_string(),
            Err(why) => why.to_string(),
        };
        return Err(one_problem(name, &differs));
    }
    let cases: usize = report.cases.cases.iter().map(|(_, cases)| *cases).sum();
    let id = file.about.id.clone();
    let (preview, replay) = play_preview(Arc::new(file.game).into())?;
    Ok(Passed {
        game: id,
        said: json!({"cases": cases, "golden": file.golden.len(), "preview": preview}),
        preview: Some(replay).filter(|text| text.len() <= LONGEST_PREVIEW),
    })
}

/// A match of two random bots: what it took, and its replay.
fn play_preview(game: GameHandle) -> Result<(Json, String), Json> {
    let failed = |why: &dyn std::fmt::Display| {
        one_problem(
            RULES,
            &format!("the match of two random bots failed: {why}"),
        )
    };
    let config = game.read_config(&Json::Null).map_err(|why| failed(&why))?;
    let random = || Player {
        name: "random".to_owned(),
        kind: PlayerKind::BuiltIn("random".to_owned()),
    };
    let players = ByEntrant::new(random(), random());
    let spec = MatchSpec::new(&game, config, 1, players).map_err(|why| failed(&why))?;
    let played = play_match(&spec, &mut NoHumans, &mut (), &AtomicBool::new(false));
    let played = played.map_err(|why| failed(&why))?;
    if let Some(void) = &played.void {
        return Err(failed(&void.why));
    }
    Ok((count_steps(&played.replay), played.replay.to_text()))
}

/// The check had used up its fuel: no single call is to blame, so what it tells is what calls cost.
fn describe_costs(file: &GameFile, why: &CheckFailure, most: u64) -> Json {
    let mut dearest = file.game.dearest_calls();
    dearest.sort_by_key(|(_, fuel)| std::cmp::Reverse(*fuel));
    let calls = dearest.iter().take(4);
    let calls: Vec<String> = calls.map(|(name, fuel)| format!("{name} {fuel}")).collect();
    let (check, calls) = (why.check, calls.join(", "));
    let what = LocalizedText {
        en: format!(
            "the check used up its {most} units of fuel during {check}; dearest calls: {calls}"
        ),
        zh: format!("检查在 {check} 时用完了 {most} 燃料单位；开销最大的调用：{calls}"),
    };
    let cure = LocalizedText {
        en: "make these functions cheaper or legs shorter; leitai game check --arena shows what is left to do"
            .to_owned(),
        zh: "请让这些函数更省，或让一局更短；leitai game check --arena 可在本机查看".to_owned(),
    };
    json!({"problems": [{"part": RULES, "line": null, "what": what, "cure": cure}]})
}

fn describe_failure(why: &CheckFailure) -> Json {
    let input = why.input.as_ref();
    let input = input.map_or(String::new(), |input| format!(" ({input})"));
    one_problem(RULES, &format!("{}: {}{input}", why.check, why.what))
}
