//! Turns measurements into findings.

use std::time::Duration;

use leitai_game::protocol::JSON_LINES;
use leitai_game::replay::{FaultRecord, ReplayWalker};
use leitai_game::{Fault, FaultCode, Lang, Reply};

use crate::check::step::{CheckFinding, CheckLeg, CheckMessage, CheckStep, StepResult};
use crate::check::trial::{PeriodUsage, TrialLeg};
use crate::check::{CheckedProgram, SHORT};
use crate::player::{PlayerKind, Transport};
use crate::program_io::show_bytes;
use crate::referee::show_duration;

/// Less of the time or the memory that is free, in percent, is worth a warning.
const LITTLE: u64 = 10;
/// Withheld time of a turn that is worth a note.
const NOTABLE: Duration = Duration::from_millis(10);

/// Whether it was built, and how it will be talked to.
pub fn report_build(candidate: &CheckedProgram) -> CheckFinding {
    match &candidate.player.kind {
        PlayerKind::Broken(why) => CheckFinding::new(
            CheckStep::Builds,
            StepResult::Failed,
            translate_message(why, candidate),
        )
        .next(
            "fix what the compiler names, and check again",
            "修正编译器指出的问题，然后重新检查",
        ),
        PlayerKind::Program {
            protocol, connect, ..
        } => {
            let CheckMessage {
                en: how,
                zh: how_zh,
            } = translate_message(&candidate.how, candidate);
            let (en, zh) = match connect {
                Transport::Stdio => ("stdin and stdout", "标准输入和标准输出"),
                Transport::Tcp => ("TCP", " TCP"),
            };
            let seen = CheckMessage::new(
                format!("{how}\nprotocol: {protocol}, over {en}"),
                format!("{how_zh}\n协议：{protocol}，通过{zh}"),
            );
            CheckFinding::new(CheckStep::Builds, StepResult::Passed, seen)
        }
        _ => CheckFinding::new(
            CheckStep::Builds,
            StepResult::Passed,
            translate_message(&candidate.how, candidate),
        ),
    }
}

/// Whether it lived until its first answer.
pub fn report_start(trial: &TrialLeg, candidate: &CheckedProgram) -> CheckFinding {
    if let Some(finding) = not_judged(CheckStep::Starts, trial) {
        return finding;
    }
    match first_fault(trial) {
        Some(fault) if ended_at_start(fault.code) => {
            report_fault(CheckStep::Starts, trial, fault, candidate)
        }
        _ => CheckFinding::new(
            CheckStep::Starts,
            StepResult::Passed,
            CheckMessage::new("", ""),
        ),
    }
}

fn ended_at_start(code: FaultCode) -> bool {
    use Fault::{Compile, Crashed, Exited, Memory};
    matches!(code.0, Compile | Exited | Crashed | Memory)
}

/// Whether the first answer is one, and in time.
pub fn first_move(trial: &TrialLeg, candidate: &CheckedProgram) -> CheckFinding {
    let step = CheckStep::FirstMove;
    if let Some(finding) = not_judged(step, trial) {
        return finding;
    }
    if let Some(fault) = first_fault(trial) {
        return report_fault(step, trial, fault, candidate);
    }
    let Some(used) = trial.usage_by_period(candidate).first().copied() else {
        return CheckFinding::new(
            step,
            StepResult::Skipped,
            CheckMessage::new("it was not asked", "没有被询问"),
        );
    };
    let (took, allowed) = (
        describe_usage(&used),
        show_duration(used.limit.saturating_add(candidate.limits.start)),
    );
    let seen = CheckMessage::new(
        format!("in {took} of {allowed}"),
        format!("用时 {took}，允许 {allowed}"),
    );
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
        if let Some(finding) = not_judged(step, leg).or_else(faulty) {
            return finding;
        }
    }
    let (rounds, count) = (legs.iter().map(|leg| leg.round).sum(), legs.len());
    let mut opponents: Vec<&str> = legs.iter().map(|leg| leg.opponent).collect();
    opponents.dedup();
    let (en, zh) = (opponents.join(" and "), opponents.join("、"));
    let won = legs
        .iter()
        .filter(|leg| leg.winner() == Some(leg.seat))
        .count();
    let seen = CheckMessage::new(
        format!(
            "{} in {} against {en}, {won} won",
            count_noun(rounds, "round"),
            count_noun(count as u32, "leg")
        ),
        format!("对 {zh} {count} 局共 {rounds} 回合，胜 {won} 局"),
    );
    CheckFinding::new(step, StepResult::Passed, seen)
}

/// Whether a leg with another I/O pattern of the judge went without a fault.
pub fn report_short_leg(
    step: CheckStep,
    trial: &TrialLeg,
    candidate: &CheckedProgram,
) -> CheckFinding {
    if let Some(finding) = not_judged(step, trial) {
        return finding;
    }
    let rounds = trial.round.min(SHORT);
    if let Some(fault) = trial.candidate_fault() {
        let finding = CheckFinding {
            leg: None,
            ..report_fault(step, trial, fault, candidate)
        };
        return match step {
            CheckStep::SplitWrites => finding.next(
                "a read may return a part of a message: read until the line, or all of its bytes, are there",
                "一次读取可能只得到消息的一部分：要一直读到整行或全部字节都到达",
            ),
            _ => finding.next(
                "a write may take long, or take only a part: write until all is written, and do not set a pipe to non-blocking",
                "一次写入可能很慢，或只写出一部分：要写到全部写完为止，且不要把管道设为非阻塞",
            ),
        };
    }
    let seen = match step {
        CheckStep::SplitWrites => CheckMessage::new(
            format!(
                "{} with messages in pieces of 1 to 7 bytes",
                count_noun(rounds, "round")
            ),
            format!("{rounds} 回合，消息以 1 至 7 字节分段到达"),
        ),
        _ => CheckMessage::new(
            format!(
                "{} with answers read late, 7 bytes at a time",
                count_noun(rounds, "round")
            ),
            format!("{rounds} 回合，回答被延迟读取，每次 7 字节"),
        ),
    };
    CheckFinding::new(step, StepResult::Passed, seen)
}

/// How much of the memory is free.
pub fn report_memory(trials: &[TrialLeg], candidate: &CheckedProgram) -> CheckFinding {
    let peak = trials
        .iter()
        .filter_map(|trial| trial.end.memory_peak)
        .max();
    let step = CheckStep::Memory;
    let Some(peak) = peak else {
        return CheckFinding::new(
            step,
            StepResult::Skipped,
            CheckMessage::new("this machine does not tell", "本机无法得知"),
        );
    };
    let Some(limit) = candidate.resources.memory.filter(|limit| *limit > 0) else {
        let peak = show_bytes(peak);
        return CheckFinding::new(
            step,
            StepResult::Noted,
            CheckMessage::new(format!("{peak}, no limit"), format!("{peak}，无限制")),
        );
    };
    let free = free_percent(peak, limit);
    let (peak, limit) = (show_bytes(peak), show_bytes(limit));
    let seen = CheckMessage::new(
        format!("{free} % free: {peak} of {limit} at most"),
        format!("余 {free}%：峰值 {peak}，允许 {limit}"),
    );
    let finding = CheckFinding::new(step, mark_headroom(free), seen);
    if free >= LITTLE {
        return finding;
    }
    finding.next(
        "a longer match may need more; make it smaller",
        "更长的对局可能需要更多；请减少内存占用",
    )
}

/// How much of the time is free in the slowest turns, the first one apart.
pub fn report_time(trials: &[TrialLeg], candidate: &CheckedProgram) -> CheckFinding {
    let used: Vec<PeriodUsage> = trials
        .iter()
        .flat_map(|trial| trial.usage_by_period(candidate).into_iter().skip(1))
        .collect();
    let step = CheckStep::Time;
    let slowest = |part: fn(&PeriodUsage) -> (Duration, Duration)| {
        let share =
            |used: &&PeriodUsage| free_percent(to_micros(part(used).0), to_micros(part(used).1));
        used.iter()
            .min_by_key(share)
            .map(|used| (part(used), used.round, share(&used)))
    };
    let cpu = slowest(|used| (used.cpu_time(), used.limit));
    let wall = slowest(|used| (used.wall_time(), used.wall_limit()));
    let (Some(cpu), Some(wall)) = (cpu, wall) else {
        return CheckFinding::new(
            step,
            StepResult::Skipped,
            CheckMessage::new("it was asked only once", "只被询问了一次"),
        );
    };
    let free = cpu.2.min(wall.2);
    let withheld = used.iter().map(PeriodUsage::noise_time).max();
    let seen = describe_slowest(cpu, wall, withheld.unwrap_or_default());
    let finding = CheckFinding::new(step, mark_headroom(free), seen);
    match (free < LITTLE, cpu.2 < LITTLE) {
        (false, _) => finding,
        (true, true) => {
            finding.next("another machine may be slower; think shorter", "别的机器可能更慢；请缩短思考时间")
        }
        // It has hardly computed: to think shorter would not help.
        (true, false) => finding.next(
            "it waited rather than computed: leave out sleeping, and reading or writing files in a turn",
            "它主要在等待而不是计算：回合中不要休眠，也不要读写文件",
        ),
    }
}

/// The slowest turn by one clock: time used and its limit, round, percent free.
type SlowestTurn = ((Duration, Duration), u32, u64);

/// The slowest turns by both clocks, in words.
fn describe_slowest(cpu: SlowestTurn, wall: SlowestTurn, withheld: Duration) -> CheckMessage {
    let free = cpu.2.min(wall.2);
    let en = |((used, limit), round, _): SlowestTurn| {
        let (used, limit) = (show_duration(used), show_duration(limit));
        format!("{used} of {limit} in round {round}")
    };
    let zh = |((used, limit), round, _): SlowestTurn| {
        let (used, limit) = (show_duration(used), show_duration(limit));
        format!("第 {round} 回合 {used}，允许 {limit}")
    };
    let (noise_en, noise_zh) = withheld_words(withheld);
    let (cpu_en, wall_en) = (en(cpu), en(wall));
    let (cpu_zh, wall_zh) = (zh(cpu), zh(wall));
    CheckMessage::new(
        format!("{free} % free: slowest turns CPU {cpu_en}, wall {wall_en}{noise_en}"),
        format!("余 {free}%：最慢的回合，CPU {cpu_zh}；墙钟 {wall_zh}{noise_zh}"),
    )
}

/// That the machine withheld so much of a turn at most, if it is worth a word.
fn withheld_words(time: Duration) -> (String, String) {
    if time < NOTABLE {
        return (String::new(), String::new());
    }
    let time = show_duration(time);
    (
        format!(", without up to {time} that the machine withheld"),
        format!("（不计机器占用的最多 {time}）"),
    )
}

/// Whether it left by itself.
pub fn report_exits(trials: &[TrialLeg]) -> CheckFinding {
    let step = CheckStep::Exits;
    let sound: Vec<&TrialLeg> = trials
        .iter()
        .filter(|trial| trial.candidate_fault().is_none() && trial.void.is_none())
        .collect();
    if sound.is_empty() {
        return CheckFinding::new(
            step,
            StepResult::Skipped,
            CheckMessage::new("no leg came to its end", "没有一局进行到终局"),
        );
    }
    let times: Option<Vec<Duration>> = sound.iter().map(|trial| trial.end.left_after).collect();
    match times.and_then(|times| times.into_iter().max()) {
        Some(time) => {
            let time = show_duration(time);
            let seen = CheckMessage::new(format!("{time} after the end"), format!("结束后 {time}"));
            CheckFinding::new(step, StepResult::Passed, seen)
        }
        None => {
            let seen = CheckMessage::new(
                "it still ran a second after the end, and was ended",
                "结束一秒后仍在运行，被终止",
            );
            CheckFinding::new(step, StepResult::Noted, seen).next(
                "no fault: official kits do not leave either; a program of your own may exit at the end message, or when there is no more input",
                "不算犯规：官方 ADK 也不会自行退出；自己写的程序可以在收到结束消息或输入结束时退出",
            )
        }
    }
}

/// Whether the same questions get the same answers.
pub fn report_repeatable(before: &TrialLeg, again: &TrialLeg) -> CheckFinding {
    if let Some(finding) = not_judged(CheckStep::Repeatable, again) {
        return finding;
    }
    let (before, again) = (list_answers(before), list_answers(again));
    let differs = before.iter().zip(&again).find(|(one, two)| one != two);
    let seen = match differs {
        None => {
            let rounds = again.last().map_or(0, |(round, _)| *round);
            CheckMessage::new(
                format!("yes: the same answers in {}", count_noun(rounds, "round")),
                format!("是：{rounds} 回合中的回答相同"),
            )
        }
        Some(((round, one), (_, two))) => CheckMessage::new(
            format!(
                "no: in round {round} it answered {one}, then {two}; a match cannot be repeated exactly"
            ),
            format!("否：第 {round} 回合先回答 {one}，后回答 {two}；比赛无法完全重现"),
        ),
    };
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

fn not_judged(step: CheckStep, trial: &TrialLeg) -> Option<CheckFinding> {
    trial.void.as_ref().map(|why| {
        let seen = CheckMessage::new(
            format!("this machine was too busy to judge it: {}", why.why),
            format!("本机过于繁忙，无法判定：{}", why.why),
        );
        CheckFinding::new(step, StepResult::Skipped, seen).next(
            "check again when the machine is idle",
            "请在机器空闲时重新检查",
        )
    })
}

/// A message of the judge or of the game, in both languages.
fn translate_message(message: &str, candidate: &CheckedProgram) -> CheckMessage {
    let catalogue = crate::messages::catalogue([candidate.game]);
    CheckMessage::new(message, catalogue.say(Lang::Zh, message))
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
    let (round, code, what) = (
        fault.round,
        fault.code,
        translate_message(&fault.what, candidate),
    );
    let seen = CheckMessage::new(
        format!("round {round}: {} [{code}]", what.en),
        format!("第 {round} 回合：{} [{code}]", what.zh),
    );
    let (en, zh) = advise_fault(code.0);
    let finding = match protocol_advice(fault, candidate) {
        Some(CheckMessage { en, zh }) => {
            CheckFinding::new(step, StepResult::Failed, seen).next(&en, &zh)
        }
        None => CheckFinding::new(step, StepResult::Failed, seen).next(en, zh),
    };
    let leg = CheckLeg {
        seat: trial.seat,
        seed: trial.seed,
        opponent: trial.opponent.to_owned(),
    };
    CheckFinding {
        last_words: fault.last_words.clone(),
        leg: Some(leg),
        ..finding
    }
}

/// What to do where program and judge seem to speak different protocols.
fn protocol_advice(fault: &FaultRecord, candidate: &CheckedProgram) -> Option<CheckMessage> {
    let PlayerKind::Program { protocol, .. } = &candidate.player.kind else {
        return None;
    };
    if protocol == JSON_LINES || !speaks_json(fault) {
        return None;
    }
    Some(CheckMessage::new(
        format!(
            "it speaks JSON, but is asked in the protocol {protocol}: write `leitai: protocol={JSON_LINES}` in a comment in \
             one of its first 20 lines, or {JSON_LINES}: before its path"
        ),
        format!(
            "它使用 JSON，但提问用的是协议 {protocol}：请在源文件前 20 行的注释中写 `leitai: protocol={JSON_LINES}`，\
             或在路径前加 {JSON_LINES}:"
        ),
    ))
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

/// What to do about a fault.
fn advise_fault(fault: Fault) -> (&'static str, &'static str) {
    match fault {
        Fault::Illegal => (
            "the rules do not allow it in that position: compare what the program believes with the replay",
            "该位置的规则不允许：请对照回放，检查程序所认为的局面",
        ),
        Fault::Malformed => (
            "docs/protocols.md says what an answer is; print only answers to stdout, the rest to stderr",
            "回答的格式见 docs/protocols.zh.md；stdout 只输出回答，其余写到 stderr",
        ),
        Fault::Timeout => (
            "flush stdout after every answer, and give up thinking before the time is over",
            "每次回答后刷新 stdout，并在时限之前停止思考",
        ),
        Fault::Memory => (
            "use less, or ask what more --memory allows",
            "减少内存占用，或用 --memory 试更高的限制",
        ),
        Fault::Output => (
            "give one answer a question, and no more",
            "每次询问只给一个回答",
        ),
        Fault::Exited => (
            "it must go on until the end message or the end of its input",
            "必须一直运行到收到结束消息或输入结束",
        ),
        Fault::Crashed => (
            "its last words and the exit tell why; play it again under a debugger",
            "原因见其最后输出和退出状态；可在调试器中重现",
        ),
        Fault::Compile => (
            "it must be a program for this machine",
            "必须是本机可运行的程序",
        ),
    }
}

fn describe_usage(used: &PeriodUsage) -> String {
    used.spent.describe_times()
}

/// `1 round`, `2 rounds`.
fn count_noun(count: u32, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
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
            game: &GAME,
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
        let opponent = "random";
        TrialLeg {
            seat: Seat::First,
            seed: 1,
            setup,
            record,
            round: 3,
            end,
            opponent,
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
            noise: Default::default(),
        };
        let again = TrialLeg {
            void: Some(why),
            ..trial([0; 4], [0; 4], ProgramEnd::default())
        };
        assert_eq!(report_repeatable(&before, &again).mark, StepResult::Skipped);
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
            let finding = report_exits(&trials);
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
            report_repeatable(&before, &again).seen.en,
            "yes: the same answers in 2 rounds"
        );
        again.record.replies = "1 3 4 3".into();
        let said = report_repeatable(&before, &again).seen.en;
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
