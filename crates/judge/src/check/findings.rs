//! Turns measurements into findings.

use std::time::Duration;

use leitai_game::lang::Localizer;
use leitai_game::protocol::JSON_LINES;
use leitai_game::replay::{FaultRecord, LimitName, ReplayWalker};
use leitai_game::{Fault, FaultCode, LocalizedText, Reply};

use crate::build::INPUT_FILE;
use crate::check::program::{CheckedProgram, SHORT};
use crate::check::step::{CheckFinding, CheckLeg, CheckStep, StepResult};
use crate::check::trial::{PeriodUsage, TrialLeg};
use crate::duration::show_duration;
use crate::player::{PlayerKind, Transport};
use crate::program_io::show_bytes;

/// Less of the time or the memory that is free, in percent, is worth a warning.
const LITTLE: u64 = 10;
/// Withheld time of a turn that is worth a note.
const NOTABLE: Duration = Duration::from_millis(10);

/// Whether it was built, and how it will be talked to.
pub fn report_build(candidate: &CheckedProgram) -> CheckFinding {
    match &candidate.player.kind {
        PlayerKind::Broken(why) => {
            let seen = candidate.write_both(|lang| lang.say(why));
            let advice = candidate.write_both(|lang| lang.label("correct that, and check again"));
            CheckFinding::new(CheckStep::Builds, StepResult::Failed, seen).advise(advice)
        }
        kind => {
            let seen = candidate.write_both(|lang| describe_build(lang, &candidate.how, kind));
            CheckFinding::new(CheckStep::Builds, StepResult::Passed, seen)
        }
    }
}

/// How it was built, and which protocol is spoken over which streams.
fn describe_build(lang: Localizer<'_>, how: &str, kind: &PlayerKind) -> String {
    let how = lang.say(how);
    let PlayerKind::Program {
        protocol, connect, ..
    } = kind
    else {
        return how;
    };
    match connect {
        Transport::Stdio => lang.fill("{}\nprotocol: {}, over stdin and stdout", &[&how, protocol]),
        Transport::Tcp => lang.fill("{}\nprotocol: {}, over TCP", &[&how, protocol]),
    }
}

/// Whether it lived until its first answer.
pub fn report_start(trial: &TrialLeg, candidate: &CheckedProgram) -> CheckFinding {
    let step = CheckStep::Starts;
    if let Some(finding) = not_judged(step, trial, candidate) {
        return finding;
    }
    match first_fault(trial) {
        Some(fault) if ended_at_start(fault.code) => report_fault(step, trial, fault, candidate),
        _ => CheckFinding::new(step, StepResult::Passed, LocalizedText::default()),
    }
}

fn ended_at_start(code: FaultCode) -> bool {
    use Fault::{Compile, Crashed, Exited, Memory};
    matches!(code.0, Compile | Exited | Crashed | Memory)
}

/// Whether the first answer is one, and in time.
pub fn report_first_move(trial: &TrialLeg, candidate: &CheckedProgram) -> CheckFinding {
    let step = CheckStep::FirstMove;
    if let Some(finding) = not_judged(step, trial, candidate) {
        return finding;
    }
    if let Some(fault) = first_fault(trial) {
        return report_fault(step, trial, fault, candidate);
    }
    let Some(used) = trial.usage_by_period(candidate).first().copied() else {
        let seen = candidate.write_both(|lang| lang.label("it was not asked"));
        return CheckFinding::new(step, StepResult::Skipped, seen);
    };
    let (took, allowed) = (
        used.spent.describe_times(),
        show_duration(used.limit.saturating_add(candidate.limits.start)),
    );
    let seen = candidate.write_both(|lang| lang.fill("in {} of {}", &[&took, &allowed]));
    CheckFinding::new(step, StepResult::Passed, seen)
}

/// Whether whole legs went without a fault.
pub fn report_whole_legs(
    step: CheckStep,
    legs: &[TrialLeg],
    candidate: &CheckedProgram,
) -> CheckFinding {
    for leg in legs {
        let faulty = || {
            leg.candidate_fault()
                .map(|fault| report_fault(step, leg, fault, candidate))
        };
        if let Some(finding) = not_judged(step, leg, candidate).or_else(faulty) {
            return finding;
        }
    }
    let seen = candidate.write_both(|lang| describe_whole_legs(lang, legs));
    CheckFinding::new(step, StepResult::Passed, seen)
}

fn describe_whole_legs(lang: Localizer<'_>, legs: &[TrialLeg]) -> String {
    let mut opponents: Vec<&str> = legs.iter().map(|leg| leg.opponent.as_str()).collect();
    opponents.dedup();
    let opponents = match opponents[..] {
        [one, other] => lang.fill("{} and {}", &[&one, &other]),
        _ => opponents.join(", "),
    };
    let won = |leg: &&TrialLeg| leg.winner() == Some(leg.seat);
    lang.fill(
        "{} in {} against {}, {} won",
        &[
            &describe_rounds(lang, legs.iter().map(|leg| leg.round).sum()),
            &lang.fill_count("{} leg", "{} legs", legs.len()),
            &opponents,
            &legs.iter().filter(won).count(),
        ],
    )
}

/// `1 round`, `2 rounds`.
fn describe_rounds(lang: Localizer<'_>, rounds: u32) -> String {
    lang.fill_count("{} round", "{} rounds", rounds as usize)
}

/// Whether a leg with another I/O pattern of the judge went without a fault.
pub fn report_short_leg(
    step: CheckStep,
    trial: &TrialLeg,
    candidate: &CheckedProgram,
) -> CheckFinding {
    if let Some(finding) = not_judged(step, trial, candidate) {
        return finding;
    }
    if let Some(fault) = trial.candidate_fault() {
        let finding = CheckFinding {
            leg: None,
            ..report_fault(step, trial, fault, candidate)
        };
        return finding.advise(candidate.write_both(|lang| advise_io_pattern(lang, step)));
    }
    let rounds = trial.round.min(SHORT);
    let seen = candidate.write_both(|lang| {
        let rounds = describe_rounds(lang, rounds);
        match step {
            CheckStep::SplitWrites => {
                lang.fill("{} with messages in pieces of 1 to 7 bytes", &[&rounds])
            }
            _ => lang.fill("{} with answers read late, 7 bytes at a time", &[&rounds]),
        }
    });
    CheckFinding::new(step, StepResult::Passed, seen)
}

/// What to do about a fault under an I/O pattern of the judge.
fn advise_io_pattern(lang: Localizer<'_>, step: CheckStep) -> &'static str {
    match step {
        CheckStep::SplitWrites => lang.label(
            "a read may return a part of a message: read until the line, or all of its bytes, are \
            there",
        ),
        _ => lang.label(
            "a write may take long, or take only a part: write until all is written, and do not \
            set a pipe to non-blocking",
        ),
    }
}

/// How much of the memory is free.
pub fn report_memory(trials: &[TrialLeg], candidate: &CheckedProgram) -> CheckFinding {
    let peak = trials
        .iter()
        .filter_map(|trial| trial.end.memory_peak)
        .max();
    let step = CheckStep::Memory;
    let Some(peak) = peak else {
        let seen = candidate.write_both(|lang| lang.label("this machine does not tell"));
        return CheckFinding::new(step, StepResult::Skipped, seen);
    };
    let Some(limit) = candidate.resources.memory.filter(|limit| *limit > 0) else {
        let peak = show_bytes(peak);
        let seen = candidate.write_both(|lang| lang.fill("{}, no limit", &[&peak]));
        return CheckFinding::new(step, StepResult::Noted, seen);
    };
    let free = free_percent(peak, limit);
    let (peak, limit) = (show_bytes(peak), show_bytes(limit));
    let seen = candidate
        .write_both(|lang| lang.fill("{} % free: {} of {} at most", &[&free, &peak, &limit]));
    let finding = CheckFinding::new(step, mark_headroom(free), seen);
    if free >= LITTLE {
        return finding;
    }
    finding.advise(
        candidate.write_both(|lang| lang.label("a longer match may need more; make it smaller")),
    )
}

/// The slowest turn by one clock.
#[derive(Clone, Copy)]
struct SlowestTurn {
    used: Duration,
    limit: Duration,
    round: u32,
    /// Percent of the limit.
    free: u64,
}

impl SlowestTurn {
    /// Of these turns, by the clock that `part` reads: time used and its limit.
    fn find(
        turns: &[PeriodUsage],
        part: fn(&PeriodUsage) -> (Duration, Duration),
    ) -> Option<SlowestTurn> {
        let measure = |turn: &PeriodUsage| {
            let (used, limit) = part(turn);
            SlowestTurn {
                used,
                limit,
                round: turn.round,
                free: free_percent(to_micros(used), to_micros(limit)),
            }
        };
        turns.iter().map(measure).min_by_key(|turn| turn.free)
    }

    fn describe(self, lang: Localizer<'_>) -> String {
        let (used, limit) = (show_duration(self.used), show_duration(self.limit));
        lang.fill("{} of {} in round {}", &[&used, &limit, &self.round])
    }
}

/// How much of the time is free in the slowest turns, the first one apart.
pub fn report_time(trials: &[TrialLeg], candidate: &CheckedProgram) -> CheckFinding {
    let turns: Vec<PeriodUsage> = trials
        .iter()
        .flat_map(|trial| trial.usage_by_period(candidate).into_iter().skip(1))
        .collect();
    let step = CheckStep::Time;
    let cpu = SlowestTurn::find(&turns, |turn| (turn.cpu_time(), turn.limit));
    let wall = SlowestTurn::find(&turns, |turn| (turn.wall_time(), turn.wall_limit()));
    let (Some(cpu), Some(wall)) = (cpu, wall) else {
        let seen = candidate.write_both(|lang| lang.label("it was asked only once"));
        return CheckFinding::new(step, StepResult::Skipped, seen);
    };
    let free = cpu.free.min(wall.free);
    let withheld = turns.iter().map(PeriodUsage::noise_time).max();
    let withheld = withheld.unwrap_or_default();
    let seen = candidate.write_both(|lang| {
        let (cpu, wall) = (cpu.describe(lang), wall.describe(lang));
        let slowest = lang.fill(
            "{} % free: slowest turns CPU {}, wall {}",
            &[&free, &cpu, &wall],
        );
        slowest + &describe_withheld(lang, withheld)
    });
    let finding = CheckFinding::new(step, mark_headroom(free), seen);
    if free >= LITTLE {
        return finding;
    }
    let computes = cpu.free < LITTLE;
    finding.advise(candidate.write_both(|lang| advise_time(lang, computes)))
}

/// What to do about turns that take nearly all of the time.
fn advise_time(lang: Localizer<'_>, computes: bool) -> &'static str {
    if computes {
        return lang.label("another machine may be slower; think shorter");
    }
    // It has hardly computed: to think shorter would not help.
    lang.label(
        "it waited rather than computed: leave out sleeping, and reading or writing files in a turn",
    )
}

/// Whether the program has used up its waiting allowance.
fn has_waited(fault: &FaultRecord) -> bool {
    (fault.limit.as_ref()).is_some_and(|limit| limit.name == LimitName::Waiting)
}

/// That the machine withheld so much of a turn at most, if it is worth a word.
fn describe_withheld(lang: Localizer<'_>, time: Duration) -> String {
    if time < NOTABLE {
        return String::new();
    }
    lang.fill(
        ", without up to {} that the machine withheld",
        &[&show_duration(time)],
    )
}

/// Whether it left by itself.
pub fn report_exits(trials: &[TrialLeg], candidate: &CheckedProgram) -> CheckFinding {
    let step = CheckStep::Exits;
    let sound: Vec<&TrialLeg> = trials
        .iter()
        .filter(|trial| trial.candidate_fault().is_none() && trial.void.is_none())
        .collect();
    if sound.is_empty() {
        let seen = candidate.write_both(|lang| lang.label("no leg came to its end"));
        return CheckFinding::new(step, StepResult::Skipped, seen);
    }
    let times: Option<Vec<Duration>> = sound.iter().map(|trial| trial.end.left_after).collect();
    if let Some(time) = times.and_then(|times| times.into_iter().max()) {
        let time = show_duration(time);
        let seen = candidate.write_both(|lang| lang.fill("{} after the end", &[&time]));
        return CheckFinding::new(step, StepResult::Passed, seen);
    }
    let seen = candidate
        .write_both(|lang| lang.label("it still ran a second after the end, and was ended"));
    let advice = candidate.write_both(|lang| {
        lang.label(
            "no fault: official kits do not leave either; a program of your own may exit at the \
            end message, or when there is no more input",
        )
    });
    CheckFinding::new(step, StepResult::Noted, seen).advise(advice)
}

/// Whether the same questions get the same answers.
pub fn report_repeatable(
    before: &TrialLeg,
    again: &TrialLeg,
    candidate: &CheckedProgram,
) -> CheckFinding {
    if let Some(finding) = not_judged(CheckStep::Repeatable, again, candidate) {
        return finding;
    }
    let (before, again) = (list_answers(before), list_answers(again));
    let differs = before.iter().zip(&again).find(|(one, two)| one != two);
    let seen = candidate.write_both(|lang| match differs {
        None => {
            let rounds = again.last().map_or(0, |(round, _)| *round);
            lang.fill(
                "yes: the same answers in {}",
                &[&describe_rounds(lang, rounds)],
            )
        }
        Some(((round, one), (_, two))) => lang.fill(
            "no: in round {} it answered {}, then {}; a match cannot be repeated exactly",
            &[round, one, two],
        ),
    });
    CheckFinding::new(CheckStep::Repeatable, StepResult::Noted, seen)
}

/// The answers of the candidate with their rounds.
fn list_answers(trial: &TrialLeg) -> Vec<(u32, String)> {
    let mut walk = ReplayWalker::new(&*trial.setup, &trial.record);
    let mut all = Vec::new();
    loop {
        let round = walk.current_leg().round();
        // A record that was just written can be read; a leg that was stopped just ends.
        let Ok(Some(replies)) = walk.next(&mut ()) else {
            return all;
        };
        match replies[trial.seat] {
            Some(Reply::Action(action)) => all.push((round, action.to_owned())),
            Some(Reply::Fault(fault)) => all.push((round, fault.code().to_owned())),
            None => {}
        }
    }
}

fn not_judged(
    step: CheckStep,
    trial: &TrialLeg,
    candidate: &CheckedProgram,
) -> Option<CheckFinding> {
    let void = trial.void.as_ref()?;
    let seen = candidate.write_both(|lang| {
        lang.fill(
            "this machine was too busy to judge it: {}",
            &[&lang.say(void)],
        )
    });
    let advice = candidate.write_both(|lang| lang.label("check again when the machine is idle"));
    Some(CheckFinding::new(step, StepResult::Skipped, seen).advise(advice))
}

/// The fault in place of the first answer, on the first seat.
fn first_fault(trial: &TrialLeg) -> Option<&FaultRecord> {
    trial.candidate_fault().filter(|fault| fault.step == 0)
}

fn report_fault(
    step: CheckStep,
    trial: &TrialLeg,
    fault: &FaultRecord,
    candidate: &CheckedProgram,
) -> CheckFinding {
    let seen = candidate.write_both(|lang| {
        let what = lang.say(fault);
        lang.fill("round {}: {} [{}]", &[&fault.round, &what, &fault.code])
    });
    let other_protocol = asked_in_other_protocol(fault, candidate);
    let has_waited = has_waited(fault);
    let advice = candidate.write_both(|lang| match other_protocol {
        Some(protocol) => advise_json_lines(lang, protocol),
        None if writes_read_only(fault) => lang
            .label("files that were handed in are read-only: write new ones, under other names")
            .to_owned(),
        None if is_unfinished_line(fault) => lang
            .label("end every answer with an end of line: the judge reads whole lines")
            .to_owned(),
        None => match each_turn_wrapper(fault, candidate) {
            Some(host) => lang.fill(
                "it must go on until the end; if it is to be started anew every turn, with the \
                question in {} or as its argument, give {}:PATH",
                &[&INPUT_FILE, &host],
            ),
            None => advise_fault(lang, fault.code.0).to_owned(),
        },
    });
    // What to do stands in the verdict then.
    let next = Some(advice).filter(|_| !has_waited);
    let leg = CheckLeg {
        seat: trial.seat,
        seed: trial.seed,
        opponent: trial.opponent.clone(),
    };
    CheckFinding {
        last_words: fault.last_words.clone(),
        // One leg alone does not show what all of them together took.
        leg: Some(leg).filter(|_| !has_waited),
        next,
        ..CheckFinding::new(step, StepResult::Failed, seen)
    }
}

/// The protocol in which the judge asks a program that seems to speak JSON.
fn asked_in_other_protocol<'a>(
    fault: &FaultRecord,
    candidate: &'a CheckedProgram,
) -> Option<&'a str> {
    match &candidate.player.kind {
        PlayerKind::Program { protocol, .. } if protocol != JSON_LINES && speaks_json(fault) => {
            Some(protocol)
        }
        _ => None,
    }
}

/// What to do where a program speaks JSON but is asked in another protocol.
fn advise_json_lines(lang: Localizer<'_>, protocol: &str) -> String {
    lang.fill(
        "it speaks JSON, but is asked in the protocol {}: write `leitai: protocol={}` in a comment \
        in one of its first 20 lines, or {}: before its path",
        &[&protocol, &JSON_LINES, &JSON_LINES],
    )
}

/// Whether it crashed while parsing a line that is not JSON (Python, JavaScript), or answered with
/// an object.
fn speaks_json(fault: &FaultRecord) -> bool {
    let is_error = |line: &String| {
        line.contains("JSONDecodeError") || (line.contains("SyntaxError") && line.contains("JSON"))
    };
    let is_object = fault
        .received
        .as_deref()
        .is_some_and(|hex| hex.starts_with("7b"));
    fault.last_words.iter().any(is_error) || (is_object && fault.code == Fault::Malformed)
}

/// The wrapper for a program that is started anew every turn, if this one seems to be one: it ended
/// in one of its first turns after an answer, or fell over what it was not given.
fn each_turn_wrapper(fault: &FaultRecord, candidate: &CheckedProgram) -> Option<&'static str> {
    const MISSED: [&str; 3] = [INPUT_FILE, "sys.argv", "process.argv"];
    let words = |word: &&str| fault.last_words.iter().any(|line| line.contains(word));
    let seems = match fault.code.0 {
        Fault::Exited => fault.round <= 2,
        Fault::Crashed => {
            let fell = ["SIGSEGV", "SIGABRT"]
                .iter()
                .any(|name| fault.what.contains(name));
            fault.round <= 2 && (fell || MISSED.iter().any(words))
        }
        _ => false,
    };
    let hosts = candidate.game.list_hosts().iter();
    let mut wrappers = hosts.filter(|host| host.is_wrapper() && host.run.contains(&INPUT_FILE));
    let host = wrappers.next().filter(|_| seems)?;
    match &candidate.player.kind {
        PlayerKind::Program { program, .. } => {
            let is_wrapped = (program.argv.iter()).any(|word| word.to_str() == Some(host.name));
            (!is_wrapped).then_some(host.name)
        }
        _ => None,
    }
}

/// Whether it ended as it could not write a file: the copy of what was handed in is mounted
/// read-only, or belongs to another user.
fn writes_read_only(fault: &FaultRecord) -> bool {
    const ERRORS: [&str; 4] = [
        "Read-only file system",
        "EROFS",
        "Permission denied",
        "EACCES",
    ];
    let is_error = |line: &String| ERRORS.iter().any(|error| line.contains(error));
    fault.code == Fault::Crashed && fault.last_words.iter().any(is_error)
}

/// Whether the time ended while the program had sent bytes without an end of line.
fn is_unfinished_line(fault: &FaultRecord) -> bool {
    // A message of another framing begins with the zeros of its length.
    let is_line = |hex: &str| !hex.starts_with("00") && !hex.ends_with("0a");
    fault.code == Fault::Timeout && fault.received.as_deref().is_some_and(is_line)
}

/// What to do about a fault.
fn advise_fault(lang: Localizer<'_>, fault: Fault) -> &'static str {
    match fault {
        Fault::Illegal => lang.label(
            "the rules do not allow it in that position: compare what the program believes with \
            the replay",
        ),
        Fault::Malformed => lang.label(
            "docs/protocols.md says what an answer is; print only answers to stdout, the rest to \
            stderr",
        ),
        Fault::Timeout => lang
            .label("flush stdout after every answer, and give up thinking before the time is over"),
        Fault::Memory => lang.label("use less, or ask what more --memory allows"),
        Fault::Output => lang.label("give one answer a question, and no more"),
        Fault::Exited => lang.label("it must go on until the end message or the end of its input"),
        Fault::Crashed => {
            lang.label("its last words and the exit tell why; play it again under a debugger")
        }
        Fault::Compile => lang.label("it must be a program for this machine"),
    }
}

fn to_micros(time: Duration) -> u64 {
    crate::clock::to_micros(time)
}

/// What is free, in percent, rounded down.
fn free_percent(used: u64, limit: u64) -> u64 {
    (u128::from(limit.saturating_sub(used)) * 100 / u128::from(limit.max(1))) as u64
}

fn mark_headroom(free: u64) -> StepResult {
    if free < LITTLE {
        StepResult::Warned
    } else {
        StepResult::Passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use leitai_game::replay::LegRecord;
    use leitai_game::{AnyGame, AnySetup, Erased, Seat};
    use leitai_sandbox::Sandbox;
    use serde_json::json;

    use crate::player::Player;
    use crate::program_io::ProgramEnd;
    use crate::referee::RefereeLimits;

    static GAME: Erased<leitai_snakego::Position> = Erased::new();

    fn candidate() -> CheckedProgram {
        let program = leitai_sandbox::Program::new(["bot"], "/");
        let kind = PlayerKind::Program {
            program,
            protocol: "saiblo".into(),
            connect: Transport::Stdio,
        };
        CheckedProgram {
            game: (&GAME).into(),
            config: json!({"max_round": 9, "items": []}),
            seed: 1,
            player: Player {
                name: "bot".into(),
                kind,
            },
            how: String::new(),
            limits: RefereeLimits::new(Duration::from_secs(1), 2048),
            resources: leitai_sandbox::SandboxLimits {
                memory: Some(100 << 20),
                ..leitai_sandbox::SandboxLimits::BOT
            },
            sandbox: Sandbox::without_isolation(),
        }
    }

    /// A leg in which the first seat, the candidate, split in round 2 and took these milliseconds
    /// for its answers.
    fn trial(wall: [u64; 4], cpu: [u64; 4], end: ProgramEnd) -> TrialLeg {
        let setup: Arc<dyn AnySetup> = GAME
            .deal_setup(&candidate().config, 1)
            .expect("a sound config");
        let times =
            |own: [u64; 4]| [own[0], 1, own[1], 1, own[2], own[3], 1].map(|millis| millis * 1000);
        let record = LegRecord {
            replies: "1 3 6 3 1 4 3".into(),
            times_us: times(wall).to_vec(),
            cpu_us: times(cpu).map(Some).to_vec(),
            ..LegRecord::default()
        };
        let opponent = "random".to_owned();
        TrialLeg {
            seat: Seat::First,
            seed: 1,
            setup,
            record,
            round: 3,
            end,
            opponent,
            waited: Duration::ZERO,
            void: None,
        }
    }

    #[test]
    fn time_is_that_of_the_slowest_turn_but_the_first() {
        let check = |wall: [u64; 4], cpu: [u64; 4], mark: StepResult, words: &str| {
            let finding = report_time(&[trial(wall, cpu, ProgramEnd::default())], &candidate());
            assert_eq!((finding.mark, finding.seen.en.as_str()), (mark, words));
            assert_eq!(finding.next.is_some(), mark == StepResult::Warned);
        };
        // Two snakes act in round 3; the limit is 1 s of CPU time, and 2 s by the clock on the
        // wall.
        check(
            [9000, 100, 200, 300],
            [9000, 100, 200, 250],
            StepResult::Passed,
            "55 % free: slowest turns CPU 450 ms of 1 s in round 3, wall 500 ms of 2 s in round 3",
        );
        check(
            [5, 1900, 2, 3],
            [5, 10, 2, 3],
            StepResult::Warned,
            "5 % free: slowest turns CPU 10 ms of 1 s in round 2, wall 1.90 s of 2 s in round 2",
        );
    }

    #[test]
    fn time_that_the_machine_withheld_is_no_time_of_the_program() {
        let mut leg = trial([5, 1900, 2, 3], [5, 1, 2, 3], ProgramEnd::default());
        let waited = report_time(std::slice::from_ref(&leg), &candidate());
        assert_eq!(waited.mark, StepResult::Warned);
        assert!(
            waited
                .next
                .as_ref()
                .is_some_and(|next| next.en.contains("waited rather than computed"))
        );
        // Reply 2 is the second answer of the first seat.
        let noise = leitai_game::replay::NoiseTimes {
            delay_us: 1_880_000,
            ..Default::default()
        };
        leg.record.noise = vec![leitai_game::replay::NoiseRecord { reply: 2, noise }];
        let finding = report_time(&[leg], &candidate());
        let words = "99 % free: slowest turns CPU 1 ms of 1 s in round 2, wall 20 ms of 2 s in round 2, without up to \
                     1.88 s that the machine withheld";
        assert_eq!(
            (finding.mark, finding.seen.en.as_str()),
            (StepResult::Passed, words)
        );
        assert_eq!(finding.next, None);
        let computing = trial([5, 950, 2, 3], [5, 950, 2, 3], ProgramEnd::default());
        let next = report_time(&[computing], &candidate())
            .next
            .expect("advice");
        assert!(next.en.contains("think shorter"), "{next:?}");
    }

    #[test]
    fn a_leg_that_could_not_be_judged_is_never_compared() {
        let before = trial([0; 4], [0; 4], ProgramEnd::default());
        let why = leitai_game::replay::RerunRecord {
            entrant: leitai_game::Entrant::A,
            round: 1,
            why: "it waited".into(),
            said: None,
            noise: Default::default(),
        };
        let again = TrialLeg {
            void: Some(why),
            ..trial([0; 4], [0; 4], ProgramEnd::default())
        };
        assert_eq!(
            report_repeatable(&before, &again, &candidate()).mark,
            StepResult::Skipped
        );
        assert_eq!(report_start(&again, &candidate()).mark, StepResult::Skipped);
    }

    #[test]
    fn memory_is_the_greatest_peak_of_all_legs() {
        let check = |peaks: &[Option<u64>], mark: StepResult, words: &str| {
            let end = |peak: &Option<u64>| ProgramEnd {
                memory_peak: peak.map(|mib| mib << 20),
                left_after: None,
            };
            let trials: Vec<TrialLeg> = peaks
                .iter()
                .map(|peak| trial([0; 4], [0; 4], end(peak)))
                .collect();
            let finding = report_memory(&trials, &candidate());
            assert_eq!((finding.mark, finding.seen.en.as_str()), (mark, words));
        };
        check(
            &[Some(10), None, Some(40)],
            StepResult::Passed,
            "60 % free: 40 MiB of 100 MiB at most",
        );
        check(
            &[Some(95)],
            StepResult::Warned,
            "5 % free: 95 MiB of 100 MiB at most",
        );
        check(&[None], StepResult::Skipped, "this machine does not tell");
    }

    #[test]
    fn leaving_late_is_no_fault() {
        let check = |left: &[Option<u64>], mark: StepResult, words: &str| {
            let end = |left: &Option<u64>| ProgramEnd {
                memory_peak: None,
                left_after: left.map(Duration::from_millis),
            };
            let trials: Vec<TrialLeg> = left
                .iter()
                .map(|left| trial([0; 4], [0; 4], end(left)))
                .collect();
            let finding = report_exits(&trials, &candidate());
            assert!(
                finding.mark == mark && finding.seen.en.contains(words),
                "{finding:?}"
            );
        };
        check(
            &[Some(3), Some(20)],
            StepResult::Passed,
            "20 ms after the end",
        );
        check(&[Some(3), None], StepResult::Noted, "was ended");
        check(&[], StepResult::Skipped, "no leg");
    }

    #[test]
    fn other_answers_are_named_with_their_round() {
        let before = trial([0; 4], [0; 4], ProgramEnd::default());
        let mut again = trial([0; 4], [0; 4], ProgramEnd::default());
        again.record.replies = "1 3 6 3".into();
        assert_eq!(
            report_repeatable(&before, &again, &candidate()).seen.en,
            "yes: the same answers in 2 rounds"
        );
        again.record.replies = "1 3 4 3".into();
        let said = report_repeatable(&before, &again, &candidate()).seen.en;
        assert!(
            said.starts_with("no: in round 2 it answered 6, then 4;"),
            "{said}"
        );
    }

    #[test]
    fn what_is_free_is_rounded_down() {
        let check =
            |used: u64, limit: u64, percent: u64| assert_eq!(free_percent(used, limit), percent);
        check(0, 512, 100);
        check(1, 1000, 99);
        check(999, 1000, 0);
        check(1000, 1000, 0);
        check(2000, 1000, 0);
        check(5, 0, 0);
        check(u64::MAX / 2, u64::MAX, 50);
        assert_eq!(
            (mark_headroom(9), mark_headroom(10)),
            (StepResult::Warned, StepResult::Passed)
        );
    }
}
