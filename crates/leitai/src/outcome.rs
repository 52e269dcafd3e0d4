//! The result of a match as text and as JSON.

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

use crate::game_files;
use crate::rerun_command::{RerunCommand, quote_word};

use crate::lang::Localizer;
use crate::wording::{self, format_labelled};

/// One leg in a line: `✓ 83 : 91 …` or `✗ round 37, move 73: mybot (second) turned back …`.
pub fn leg_line(
    lang: Localizer,
    names: &ByEntrant<String>,
    index: usize,
    record: &LegRecord,
    leg: &dyn AnyLeg,
) -> String {
    let Some(outcome) = leg.outcome() else {
        if record.reruns.len() > MOST_RERUNS {
            return format!(
                "✗ {} {} [SE]",
                lang.label("could not be judged from round"),
                leg.round()
            );
        }
        return format!("- {} {}", lang.label("interrupted in round"), leg.round());
    };
    match record.faults.first() {
        Some(fault) => format!("✗ {}", fault_line(lang, names, fault)),
        None => format!("✓ {}", score_line(lang, names, index, &outcome)),
    }
}

/// `round 37, move 73: mybot (second) turned back into its own neck (snake 4, op 1)`.
pub fn fault_line(lang: Localizer, names: &ByEntrant<String>, fault: &FaultRecord) -> String {
    let seat = match fault.seat {
        Seat::First => lang.label("first"),
        Seat::Second => lang.label("second"),
    };
    let name = &names[fault.entrant];
    let (round, step) = (fault.round, fault.step + 1);
    let at = lang.fill("round {}, move {}", &[&round, &step]);
    let (name, what, code) = (clean_line(name), lang.say(fault), fault.code);
    let what = clean_line(&what);
    let (colon, name) = (lang.label(": "), wording::with_note(lang, &name, &seat));
    let gap = lang.label(" ");
    format!("{at}{colon}{name}{gap}{what} [{code}]")
}

fn score_line(
    lang: Localizer,
    names: &ByEntrant<String>,
    index: usize,
    outcome: &Outcome,
) -> String {
    let score = |entrant: Entrant| outcome.scores[entrant.seat_in_leg(index)];
    let winner = match outcome.winner {
        Some(seat) => format!(
            "{} {}",
            names[seat.entrant_in_leg(index)],
            lang.label("wins")
        ),
        None => lang.label("draw").to_owned(),
    };
    let (a, b) = (&names[Entrant::A], &names[Entrant::B]);
    let (scores, why) = (
        (score(Entrant::A), score(Entrant::B)),
        lang.pick(outcome.reason.text),
    );
    let winner = wording::with_note(lang, &winner, &why);
    format!("{a} {} : {} {b}   {winner}", scores.0, scores.1)
}

/// The whole result for people, several lines.
pub fn format_result(
    lang: Localizer,
    fixture: &MatchSpec,
    played: &PlayedMatch,
    path: Option<&Path>,
    again: Option<&RerunCommand>,
) -> String {
    let names = fixture
        .players
        .each_ref()
        .map_values(|player| player.name.clone());
    let mut lines = vec![format_headline(lang, &names, fixture, played)];
    lines.extend(compare_with_recorded(lang, &names, fixture, played));
    for (index, leg) in played.replay.legs.iter().enumerate() {
        lines.extend(
            leg.faults
                .iter()
                .flat_map(|fault| wording::fault_details(lang, &names, fault)),
        );
        let Some(fault) = leg.faults.first() else {
            continue;
        };
        let moment = ReplayPoint {
            leg: index + 1,
            round: fault.round,
        };
        lines.extend(path.map(|path| {
            let show = show_command(fixture.game.meta().id, path, moment);
            format_labelled(lang.label("see the fault"), &show)
        }));
        lines.extend(
            again.map(|again| format_labelled(lang.label("play it again"), &again.from(moment))),
        );
    }
    lines.extend(wording::time_lines(lang, fixture, played));
    let watch = |path: &Path| {
        let game = game_files::option_of(fixture.game.meta().id);
        let path = path.display().to_string();
        format!("leitai replay show {}{game}", quote_word(&path))
    };
    lines.extend(path.map(|path| format_labelled(lang.label("watch it"), &watch(path))));
    lines.join("\n")
}

fn show_command(game: &str, path: &Path, moment: ReplayPoint) -> String {
    let ReplayPoint { leg, round } = moment;
    format!(
        "leitai replay show {} --leg {leg} --round {round}{}",
        quote_word(&path.display().to_string()),
        game_files::option_of(game)
    )
}

/// The answers of programs that differ from the replay's replies, one line each.
fn compare_with_recorded(
    lang: Localizer,
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
            lang.label("not as recorded"),
            &divergence_line(lang, &names[entrant], found),
        ),
        None => format_labelled(
            lang.label("as recorded"),
            &describe_agreement(lang, &names[entrant], from.round),
        ),
    };
    let programs = fixture
        .players
        .iter_pairs()
        .filter(|(_, player)| matches!(player.kind, PlayerKind::Program { .. }));
    programs.map(|(entrant, _)| line(entrant)).collect()
}

fn describe_agreement(lang: Localizer, name: &str, round: u32) -> String {
    lang.fill(
        "{} answered as in the replay before round {}",
        &[&name, &round],
    )
}

/// `mybot answered 3 in round 12 where the replay has 1: it would not reach this position`.
fn divergence_line(lang: Localizer, name: &str, found: &Divergence) -> String {
    let Divergence {
        round, recorded, ..
    } = found;
    match &found.instead {
        DivergentReply::Action(action) => lang.fill(
            "{} answered {} in round {} where the replay has {}: it would not reach this position",
            &[&name, action, round, recorded],
        ),
        DivergentReply::Fault { code, what } => lang.fill(
            "{} {} [{}] in round {} where the replay has {}: it would not reach this position",
            &[&name, &lang.say(what), code, round, recorded],
        ),
    }
}

/// Whether this entrant is a person who left.
fn left_match(fixture: &MatchSpec, played: &PlayedMatch, entrant: Entrant) -> bool {
    let is_person = matches!(fixture.players[entrant].kind, PlayerKind::Human { .. });
    let mut faults = played.replay.legs.iter().flat_map(|leg| &leg.faults);
    is_person && faults.any(|fault| fault.entrant == entrant && fault.code == Fault::Exited)
}

fn format_headline(
    lang: Localizer,
    names: &ByEntrant<String>,
    fixture: &MatchSpec,
    played: &PlayedMatch,
) -> String {
    let legs: Vec<String> = played
        .outcomes
        .iter()
        .enumerate()
        .map(|(index, o)| leg_score(lang, index, o))
        .collect();
    let legs = legs.join(lang.label(", "));
    if let Some(why) = &played.void {
        return wording::void_line(lang, names, why);
    }
    let Some(verdict) = &played.verdict else {
        return format!("{}   {legs}", lang.label("interrupted: no verdict"));
    };
    match verdict.winner {
        None => format!("{}   {legs}", lang.label("draw")),
        Some(winner) => {
            let why = match left_match(fixture, played, winner.other()) {
                true => format!("{} {}", names[winner.other()], lang.label("left the match")),
                false => lang.pick(verdict.reason.text).to_owned(),
            };
            format!(
                "{} {}   {why}{}{legs}",
                names[winner],
                lang.label("wins"),
                lang.label("; ")
            )
        }
    }
}

fn leg_score(lang: Localizer, index: usize, outcome: &Outcome) -> String {
    let [a, b] = Entrant::BOTH.map(|entrant| outcome.scores[entrant.seat_in_leg(index)]);
    lang.fill("leg {} was {} : {}", &[&(index + 1), &a, &b])
}

/// The result for programs; documented in docs/command-line.md.
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
