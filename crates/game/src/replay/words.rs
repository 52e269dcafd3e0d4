//! What a verification found, in words for people.

use crate::lang::Localizer;
use crate::replay::record::{MatchStatus, Replay};
use crate::replay::verify::{Difference, Verified};

/// What a verification found, as one line for people: the number of comparisons, or the first
/// difference.
pub fn describe_verification(
    lang: Localizer<'_>,
    replay: &Replay,
    found: &Result<Verified, Difference>,
) -> String {
    match found {
        Ok(verified) => describe_agreement(lang, replay, verified),
        Err(difference) => lang.fill("DIFFERS: {}", &[&locate_difference(lang, difference)]),
    }
}

fn describe_agreement(lang: Localizer<'_>, replay: &Replay, done: &Verified) -> String {
    if done.is_form_only {
        return lang
            .label("not repeatable: the judge program draws anew each time, so only the form was checked")
            .to_owned();
    }
    let end = match &replay.verdict {
        Some(verdict) => lang.fill("outcomes and verdict ({})", &[&verdict.reason]),
        None if replay.status == MatchStatus::Void => lang
            .label("no verdict: the machine was too busy to judge it")
            .to_owned(),
        None => lang
            .label("no verdict: the match was interrupted")
            .to_owned(),
    };
    let counts = [
        lang.fill_count("{} leg", "{} legs", done.legs),
        lang.fill_count("{} reply", "{} replies", done.steps),
        lang.fill_count("{} state hash", "{} state hashes", done.hashes),
    ];
    lang.fill("agrees: {}, {}", &[&counts.join(lang.label(", ")), &end])
}

/// What the rules cannot prove of a replay without a signature.
pub fn list_unproven(lang: Localizer<'_>) -> &'static str {
    lang.label("unsigned: names, limits, isolation, times and date are not proven")
}

/// The place and kind of a replay's difference, for people.
pub fn locate_difference(lang: Localizer<'_>, difference: &Difference) -> String {
    let Difference {
        leg,
        round,
        step,
        what,
    } = difference;
    let places = [
        leg.map(|leg| lang.fill("leg {}", &[&leg])),
        round.map(|round| lang.fill("round {}", &[&round])),
        step.map(|step| lang.fill("step {}", &[&step])),
    ];
    let places: Vec<String> = places.into_iter().flatten().collect();
    let place = if places.is_empty() {
        String::new()
    } else {
        format!("{}{}", places.join(lang.label(", ")), lang.label(": "))
    };
    format!("{place}{}", lang.say(what))
}
