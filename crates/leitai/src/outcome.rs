//! The result of a match in words, and as JSON.

use std::path::Path;

use leitai_game::clean::clean_line;
use leitai_game::replay::{FaultRecord, LegRecord, Status};
use leitai_game::{AnyLeg, ByEntrant, Entrant, Fault, Outcome, Seat};
use leitai_judge::clock::micros;
use leitai_judge::driver::MOST_RERUNS;
use leitai_judge::{Divergence, Instead, Match, Moment, Played, PlayerKind, Resume};
use serde_json::{Value, json};

use crate::again::{Again, quoted};

use crate::lang::{say, t, text};
use crate::verdict::{self, labelled};

/// One leg in a line: `✓ 83 : 91 …` or `✗ round 37, move 73: mybot (second) turned back …`.
pub fn leg_line(names: &ByEntrant<String>, index: usize, record: &LegRecord, leg: &dyn AnyLeg) -> String {
    let Some(outcome) = leg.outcome() else {
        if record.reruns.len() > MOST_RERUNS {
            return format!(
                "✗ {} {} [SE]",
                t("could not be judged from round", "无法裁判，自回合"),
                leg.round()
            );
        }
        return format!("- {} {}", t("interrupted in round", "中断于回合"), leg.round());
    };
    match record.faults.first() {
        Some(fault) => format!("✗ {}", fault_line(names, fault)),
        None => format!("✓ {}", score_line(names, index, &outcome)),
    }
}

/// `round 37, move 73: mybot (second) turned back into its own neck (snake 4, op 1)`.
pub fn fault_line(names: &ByEntrant<String>, fault: &FaultRecord) -> String {
    let seat = match fault.seat {
        Seat::First => t("first", "先手"),
        Seat::Second => t("second", "后手"),
    };
    let name = &names[fault.entrant];
    let (round, step) = (fault.round, fault.step + 1);
    let at = match t("en", "zh") {
        "zh" => format!("回合 {round}，第 {step} 步"),
        _ => format!("round {round}, move {step}"),
    };
    let (name, what, code) = (clean_line(name), say(&fault.what), clean_line(&fault.code));
    let what = clean_line(&what);
    format!("{at}: {name} ({seat}) {what} [{code}]")
}

fn score_line(names: &ByEntrant<String>, index: usize, outcome: &Outcome) -> String {
    let score = |entrant: Entrant| outcome.scores[entrant.seat(index)];
    let winner = match outcome.winner {
        Some(seat) => format!("{} {}", names[seat.entrant(index)], t("wins", "胜")),
        None => t("draw", "平局").to_owned(),
    };
    let (a, b) = (&names[Entrant::A], &names[Entrant::B]);
    let (scores, why) = ((score(Entrant::A), score(Entrant::B)), text(outcome.reason.text));
    format!("{a} {} : {} {b}   {winner} ({why})", scores.0, scores.1)
}

/// The whole result for people, several lines.
pub fn result(fixture: &Match, played: &Played, path: Option<&Path>, again: Option<&Again>) -> String {
    let names = fixture.players.each_ref().map(|player| player.name.clone());
    let mut lines = vec![headline(&names, fixture, played)];
    lines.extend(compared(&names, fixture, played));
    for (index, leg) in played.replay.legs.iter().enumerate() {
        lines.extend(leg.faults.iter().flat_map(|fault| verdict::details(&names, fault)));
        let Some(fault) = leg.faults.first() else { continue };
        let moment = Moment { leg: index + 1, round: fault.round };
        lines.extend(path.map(|path| labelled(t("see the fault", "查看出错处"), &see(path, moment))));
        lines.extend(again.map(|again| labelled(t("play it again", "重现此错"), &again.from(moment))));
    }
    lines.extend(verdict::time_lines(fixture, played));
    let watch = |path: &Path| format!("leitai replay show {}", quoted(&path.display().to_string()));
    lines.extend(path.map(|path| labelled(t("watch it", "观看回放"), &watch(path))));
    lines.join("\n")
}

fn see(path: &Path, moment: Moment) -> String {
    let Moment { leg, round } = moment;
    format!("leitai replay show {} --leg {leg} --round {round}", quoted(&path.display().to_string()))
}

/// How programs answered where the replies of a replay were played: a line for each.
fn compared(names: &ByEntrant<String>, fixture: &Match, played: &Played) -> Vec<String> {
    let Some(from) = fixture.from.as_ref().and_then(Resume::record).filter(|from| from.round > 1) else {
        return Vec::new();
    };
    let line = |entrant: Entrant| match played.divergences.iter().find(|found| found.entrant == entrant) {
        Some(found) => labelled(t("not as recorded", "与回放不同"), &divergence_line(&names[entrant], found)),
        None => labelled(t("as recorded", "与回放一致"), &agreed(&names[entrant], from.round)),
    };
    let programs =
        fixture.players.iter().filter(|(_, player)| matches!(player.kind, PlayerKind::Program { .. }));
    programs.map(|(entrant, _)| line(entrant)).collect()
}

fn agreed(name: &str, round: u32) -> String {
    match t("en", "zh") {
        "zh" => format!("第 {round} 回合之前，{name} 的每个回答都与回放相同"),
        _ => format!("{name} answered as in the replay before round {round}"),
    }
}

/// `mybot answered 3 in round 12 where the replay has 1: it would not have come here any more`.
fn divergence_line(name: &str, found: &Divergence) -> String {
    let Divergence { round, recorded, .. } = found;
    let said = match &found.instead {
        Instead::Fault { what, .. } => say(what),
        Instead::Action(_) => String::new(),
    };
    match (&found.instead, t("en", "zh")) {
        (Instead::Action(action), "zh") => {
            format!("{name} 在第 {round} 回合回答 {action}，而回放中是 {recorded}：它已经不会走到这里")
        }
        (Instead::Fault { code, .. }, "zh") => {
            format!("{name} 在第 {round} 回合 {said} [{code}]，而回放中是 {recorded}：它已经不会走到这里")
        }
        (Instead::Action(action), _) => format!(
            "{name} answered {action} in round {round} where the replay has {recorded}: it would not have come here any more"
        ),
        (Instead::Fault { code, .. }, _) => format!(
            "{name} {said} [{code}] in round {round} where the replay has {recorded}: it would not have come here any more"
        ),
    }
}

/// Whether this entrant is a person who left.
fn left(fixture: &Match, played: &Played, entrant: Entrant) -> bool {
    let is_person = matches!(fixture.players[entrant].kind, PlayerKind::Human { .. });
    let mut faults = played.replay.legs.iter().flat_map(|leg| &leg.faults);
    is_person && faults.any(|fault| fault.entrant == entrant && fault.code == Fault::Exited.code())
}

fn headline(names: &ByEntrant<String>, fixture: &Match, played: &Played) -> String {
    let legs: Vec<String> =
        played.outcomes.iter().enumerate().map(|(index, o)| leg_score(index, o)).collect();
    let legs = legs.join(t(", ", "，"));
    if let Some(why) = &played.void {
        return verdict::void_line(names, why);
    }
    let Some(verdict) = &played.verdict else {
        return format!("{}   {legs}", t("interrupted: no verdict", "已中断，无胜负"));
    };
    match verdict.winner {
        None => format!("{}   {legs}", t("draw", "平局")),
        Some(winner) => {
            let why = match left(fixture, played, winner.other()) {
                true => format!("{} {}", names[winner.other()], t("left the match", "离开了比赛")),
                false => text(verdict.reason.text).to_owned(),
            };
            format!("{} {}   {why}{}{legs}", names[winner], t("wins", "胜"), t("; ", "；"))
        }
    }
}

fn leg_score(index: usize, outcome: &Outcome) -> String {
    let [a, b] = Entrant::BOTH.map(|entrant| outcome.scores[entrant.seat(index)]);
    match t("en", "zh") {
        "zh" => format!("第 {} 局 {a} : {b}", index + 1),
        _ => format!("leg {} was {a} : {b}", index + 1),
    }
}

/// The result for machines; documented in docs/command-line.md.
pub fn json(fixture: &Match, played: &Played, path: Option<&Path>, again: &Again) -> Value {
    let replay = &played.replay;
    let legs: Vec<Value> =
        replay.legs.iter().enumerate().map(|(index, leg)| leg_json(index, leg, played, again)).collect();
    json!({
        "game": replay.game,
        "rules": replay.rules,
        "seed": fixture.seed,
        "config": replay.config,
        "entrants": replay.entrants,
        "status": replay.status,
        "winner": played.verdict.as_ref().and_then(|verdict| verdict.winner),
        "draw": replay.status == Status::Complete && played.verdict.is_none_or(|verdict| verdict.winner.is_none()),
        "reason": played.verdict.as_ref().map(|verdict| verdict.reason.id),
        "legs": legs,
        "slowest_us": played.slowest.map(|slowest| micros(slowest.wall)),
        "slowest_cpu_us": played.slowest.map(|slowest| slowest.cpu.map(micros)),
        "void": played.void,
        "limits": replay.limits,
        "forced": replay.forced,
        "divergences": played.divergences,
        "replay": path,
    })
}

fn leg_json(index: usize, leg: &LegRecord, played: &Played, again: &Again) -> Value {
    let outcome = played.outcomes.get(index);
    let score = |outcome: &Outcome| Entrant::BOTH.map(|entrant| outcome.scores[entrant.seat(index)]);
    json!({
        "first": Seat::First.entrant(index),
        "winner": outcome.and_then(|outcome| outcome.winner).map(|seat| seat.entrant(index)),
        "scores": outcome.map(score),
        "reason": outcome.map(|outcome| outcome.reason.id),
        "steps": leg.times_us.len(),
        "codes": verdict::codes(leg, outcome.is_none() && played.void.is_some()),
        "faults": leg.faults,
        "play_again": leg.faults.first().map(|fault| again.from(Moment { leg: index + 1, round: fault.round })),
        "noise": verdict::noise_of(leg),
        "reruns": leg.reruns,
    })
}
