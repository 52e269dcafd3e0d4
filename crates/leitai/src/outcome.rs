//! The result of a match in words, and as JSON.

use std::path::Path;

use leitai_game::clean_text::clean_line;
use leitai_game::replay::{FaultRecord, LegRecord, MatchStatus};
use leitai_game::{AnyLeg, ByEntrant, Entrant, Fault, Outcome, Seat};
use leitai_judge::clock::to_micros;
use leitai_judge::driver::MOST_RERUNS;
use leitai_judge::{
    Divergence, DivergentReply, MatchSpec, PlayedMatch, PlayerKind, ReplayPoint, ResumePoint,
};
use serde_json::{Value, json};

use crate::rerun_command::{RerunCommand, quote_word};

use crate::lang::{localized_text, say, translate};
use crate::wording::{self, format_labelled};

/// One leg in a line: `✓ 83 : 91 …` or `✗ round 37, move 73: mybot (second) turned back …`.
pub fn leg_line(
    names: &ByEntrant<String>,
    index: usize,
    record: &LegRecord,
    leg: &dyn AnyLeg,
) -> String {
    let Some(outcome) = leg.outcome() else {
        if record.reruns.len() > MOST_RERUNS {
            return format!(
                "✗ {} {} [SE]",
                translate("could not be judged from round", "无法裁判，自回合"),
                leg.round()
            );
        }
        return format!(
            "- {} {}",
            translate("interrupted in round", "中断于回合"),
            leg.round()
        );
    };
    match record.faults.first() {
        Some(fault) => format!("✗ {}", fault_line(names, fault)),
        None => format!("✓ {}", score_line(names, index, &outcome)),
    }
}

/// `round 37, move 73: mybot (second) turned back into its own neck (snake 4, op 1)`.
pub fn fault_line(names: &ByEntrant<String>, fault: &FaultRecord) -> String {
    let seat = match fault.seat {
        Seat::First => translate("first", "先手"),
        Seat::Second => translate("second", "后手"),
    };
    let name = &names[fault.entrant];
    let (round, step) = (fault.round, fault.step + 1);
    let at = match translate("en", "zh") {
        "zh" => format!("回合 {round}，第 {step} 步"),
        _ => format!("round {round}, move {step}"),
    };
    let (name, what, code) = (clean_line(name), say(&fault.what), clean_line(&fault.code));
    let what = clean_line(&what);
    format!("{at}: {name} ({seat}) {what} [{code}]")
}

fn score_line(names: &ByEntrant<String>, index: usize, outcome: &Outcome) -> String {
    let score = |entrant: Entrant| outcome.scores[entrant.seat_in_leg(index)];
    let winner = match outcome.winner {
        Some(seat) => format!(
            "{} {}",
            names[seat.entrant_in_leg(index)],
            translate("wins", "胜")
        ),
        None => translate("draw", "平局").to_owned(),
    };
    let (a, b) = (&names[Entrant::A], &names[Entrant::B]);
    let (scores, why) = (
        (score(Entrant::A), score(Entrant::B)),
        localized_text(outcome.reason.text),
    );
    format!("{a} {} : {} {b}   {winner} ({why})", scores.0, scores.1)
}

/// The whole result for people, several lines.
pub fn format_result(
    fixture: &MatchSpec,
    played: &PlayedMatch,
    path: Option<&Path>,
    again: Option<&RerunCommand>,
) -> String {
    let names = fixture
        .players
        .each_ref()
        .map_values(|player| player.name.clone());
    let mut lines = vec![format_headline(&names, fixture, played)];
    lines.extend(compare_with_recorded(&names, fixture, played));
    for (index, leg) in played.replay.legs.iter().enumerate() {
        lines.extend(
            leg.faults
                .iter()
                .flat_map(|fault| wording::fault_details(crate::lang::localizer(), &names, fault)),
        );
        let Some(fault) = leg.faults.first() else {
            continue;
        };
        let moment = ReplayPoint {
            leg: index + 1,
            round: fault.round,
        };
        lines.extend(path.map(|path| {
            format_labelled(
                translate("see the fault", "查看出错处"),
                &show_command(path, moment),
            )
        }));
        lines.extend(again.map(|again| {
            format_labelled(translate("play it again", "重现此错"), &again.from(moment))
        }));
    }
    lines.extend(wording::time_lines(
        crate::lang::localizer(),
        fixture,
        played,
    ));
    let watch = |path: &Path| {
        format!(
            "leitai replay show {}",
            quote_word(&path.display().to_string())
        )
    };
    lines.extend(path.map(|path| format_labelled(translate("watch it", "观看回放"), &watch(path))));
    lines.join("\n")
}

fn show_command(path: &Path, moment: ReplayPoint) -> String {
    let ReplayPoint { leg, round } = moment;
    format!(
        "leitai replay show {} --leg {leg} --round {round}",
        quote_word(&path.display().to_string())
    )
}

/// How programs answered where the replies of a replay were played: a line for each.
fn compare_with_recorded(
    names: &ByEntrant<String>,
    fixture: &MatchSpec,
    played: &PlayedMatch,
) -> Vec<String> {
    let Some(from) = fixture
        .from
        .as_ref()
        .and_then(ResumePoint::forced_record)
        .filter(|from| from.round > 1)
    else {
        return Vec::new();
    };
    let line = |entrant: Entrant| match played
        .divergences
        .iter()
        .find(|found| found.entrant == entrant)
    {
        Some(found) => format_labelled(
            translate("not as recorded", "与回放不同"),
            &divergence_line(&names[entrant], found),
        ),
        None => format_labelled(
            translate("as recorded", "与回放一致"),
            &describe_agreement(&names[entrant], from.round),
        ),
    };
    let programs = fixture
        .players
        .iter_pairs()
        .filter(|(_, player)| matches!(player.kind, PlayerKind::Program { .. }));
    programs.map(|(entrant, _)| line(entrant)).collect()
}

fn describe_agreement(name: &str, round: u32) -> String {
    match translate("en", "zh") {
        "zh" => format!("第 {round} 回合之前，{name} 的每个回答都与回放相同"),
        _ => format!("{name} answered as in the replay before round {round}"),
    }
}

/// `mybot answered 3 in round 12 where the replay has 1: it would not have come here any more`.
fn divergence_line(name: &str, found: &Divergence) -> String {
    let Divergence {
        round, recorded, ..
    } = found;
    let said = match &found.instead {
        DivergentReply::Fault { what, .. } => say(what),
        DivergentReply::Action(_) => String::new(),
    };
    match (&found.instead, translate("en", "zh")) {
        (DivergentReply::Action(action), "zh") => {
            format!(
                "{name} 在第 {round} 回合回答 {action}，而回放中是 {recorded}：它已经不会走到这里"
            )
        }
        (DivergentReply::Fault { code, .. }, "zh") => {
            format!(
                "{name} 在第 {round} 回合 {said} [{code}]，而回放中是 {recorded}：它已经不会走到这里"
            )
        }
        (DivergentReply::Action(action), _) => format!(
            "{name} answered {action} in round {round} where the replay has {recorded}: it would not have come here any more"
        ),
        (DivergentReply::Fault { code, .. }, _) => format!(
            "{name} {said} [{code}] in round {round} where the replay has {recorded}: it would not have come here any more"
        ),
    }
}

/// Whether this entrant is a person who left.
fn left_match(fixture: &MatchSpec, played: &PlayedMatch, entrant: Entrant) -> bool {
    let is_person = matches!(fixture.players[entrant].kind, PlayerKind::Human { .. });
    let mut faults = played.replay.legs.iter().flat_map(|leg| &leg.faults);
    is_person && faults.any(|fault| fault.entrant == entrant && fault.code == Fault::Exited.code())
}

fn format_headline(names: &ByEntrant<String>, fixture: &MatchSpec, played: &PlayedMatch) -> String {
    let legs: Vec<String> = played
        .outcomes
        .iter()
        .enumerate()
        .map(|(index, o)| leg_score(index, o))
        .collect();
    let legs = legs.join(translate(", ", "，"));
    if let Some(why) = &played.void {
        return wording::void_line(crate::lang::localizer(), names, why);
    }
    let Some(verdict) = &played.verdict else {
        return format!(
            "{}   {legs}",
            translate("interrupted: no verdict", "已中断，无胜负")
        );
    };
    match verdict.winner {
        None => format!("{}   {legs}", translate("draw", "平局")),
        Some(winner) => {
            let why = match left_match(fixture, played, winner.other()) {
                true => format!(
                    "{} {}",
                    names[winner.other()],
                    translate("left the match", "离开了比赛")
                ),
                false => localized_text(verdict.reason.text).to_owned(),
            };
            format!(
                "{} {}   {why}{}{legs}",
                names[winner],
                translate("wins", "胜"),
                translate("; ", "；")
            )
        }
    }
}

fn leg_score(index: usize, outcome: &Outcome) -> String {
    let [a, b] = Entrant::BOTH.map(|entrant| outcome.scores[entrant.seat_in_leg(index)]);
    match translate("en", "zh") {
        "zh" => format!("第 {} 局 {a} : {b}", index + 1),
        _ => format!("leg {} was {a} : {b}", index + 1),
    }
}

/// The result for machines; documented in docs/command-line.md.
pub fn result_json(
    fixture: &MatchSpec,
    played: &PlayedMatch,
    path: Option<&Path>,
    again: &RerunCommand,
) -> Value {
    let replay = &played.replay;
    let legs: Vec<Value> = replay
        .legs
        .iter()
        .enumerate()
        .map(|(index, leg)| leg_json(index, leg, played, again))
        .collect();
    json!({
        "game": replay.game,
        "rules": replay.rules,
        "seed": fixture.seed,
        "config": replay.config,
        "entrants": replay.entrants,
        "status": replay.status,
        "winner": played.verdict.as_ref().and_then(|verdict| verdict.winner),
        "draw": replay.status == MatchStatus::Complete && played.verdict.is_none_or(|verdict| verdict.winner.is_none()),
        "reason": played.verdict.as_ref().map(|verdict| verdict.reason.id),
        "legs": legs,
        "slowest_us": played.slowest.map_values(|slowest| to_micros(slowest.wall)),
        "slowest_cpu_us": played.slowest.map_values(|slowest| slowest.cpu.map(to_micros)),
        "void": played.void,
        "limits": replay.limits,
        "forced": replay.forced,
        "divergences": played.divergences,
        "replay": path,
    })
}

fn leg_json(index: usize, leg: &LegRecord, played: &PlayedMatch, again: &RerunCommand) -> Value {
    let outcome = played.outcomes.get(index);
    let score =
        |outcome: &Outcome| Entrant::BOTH.map(|entrant| outcome.scores[entrant.seat_in_leg(index)]);
    json!({
        "first": Seat::First.entrant_in_leg(index),
        "winner": outcome.and_then(|outcome| outcome.winner).map(|seat| seat.entrant_in_leg(index)),
        "scores": outcome.map(score),
        "reason": outcome.map(|outcome| outcome.reason.id),
        "steps": leg.times_us.len(),
        "codes": wording::fault_codes(leg, outcome.is_none() && played.void.is_some()),
        "faults": leg.faults,
        "play_again": leg.faults.first().map(|fault| again.from(ReplayPoint { leg: index + 1, round: fault.round })),
        "noise": wording::noise_of(leg),
        "reruns": leg.reruns,
    })
}
