//! Texts of measurements: a fault with its limit, exit and bytes; the times of a match; delays by
//! the machine.

use std::fmt::Display;
use std::time::Duration;

use leitai_game::clean_text::clean_line;
use leitai_game::replay::{
    BrokenLimit, FaultRecord, LegRecord, LimitName, LimitUnit, NoiseTimes, RerunRecord,
};
use leitai_game::{ByEntrant, Entrant, Fault, FaultCode};
use leitai_judge::driver::MOST_RERUNS;
use leitai_judge::program_io::show_bytes;
use leitai_judge::{MatchSpec, PlayedMatch, PlayerKind, Spent, show_duration};
use leitai_series::columns;

use crate::lang::Localizer;

/// Time for people where the other side waits: none that counts, more than `--limit` takes.
pub const UNHURRIED: Duration = Duration::from_secs(7 * 24 * 3600);
/// The delay of a leg's programs that is worth a warning.
const MUCH_NOISE: Duration = Duration::from_millis(100);
/// The most bytes of a program in a line.
const SHOWN_BYTES: usize = 40;

/// A shorter prefix of text before other bytes may be chance.
const LEAST_TEXT: usize = 4;

/// `text (note)`, with the brackets of the language.
pub fn with_note(lang: Localizer, text: &dyn Display, note: &dyn Display) -> String {
    lang.fill("{} ({})", &[text, note])
}

/// Formats a label and its text.
pub fn format_labelled(label: &str, text: &str) -> String {
    format!("  {}{text}", columns::pad(&format!("{label} "), 21))
}

/// Details of a fault: the limit and the measured value, the program's exit, its message, its last
/// stderr output.
pub fn fault_details(
    lang: Localizer,
    names: &ByEntrant<String>,
    fault: &FaultRecord,
) -> Vec<String> {
    let label = format!("{}{}", names[fault.entrant], lang.label("'s last words"));
    let words: Vec<_> = fault
        .last_words
        .iter()
        .map(|line| clean_line(line))
        .collect();
    let words = words.join(&format!("\n{}", " ".repeat(23)));
    let bytes = fault
        .received
        .as_deref()
        .filter(|_| shows_bytes(fault.code));
    let lines = [
        fault
            .limit
            .as_ref()
            .map(|limit| format_labelled(lang.label("the limit"), &limit_words(lang, limit))),
        fault
            .exit
            .as_ref()
            .map(|exit| format_labelled(lang.label("it ended with"), &clean_line(&lang.say(exit)))),
        bytes.map(|hex| format_labelled(lang.label("it sent"), &bytes_words(hex))),
        (!words.is_empty()).then(|| format_labelled(&label, &words)),
    ];
    lines.into_iter().flatten().collect()
}

fn shows_bytes(code: FaultCode) -> bool {
    use Fault::{Illegal, Malformed, Output};
    matches!(code.0, Illegal | Malformed | Output)
}

/// `CPU time per turn: 3 s allowed, 3.001 s measured`.
fn limit_words(lang: Localizer, limit: &BrokenLimit) -> String {
    let value = |value: u64| match limit.unit {
        LimitUnit::Micros => show_duration(Duration::from_micros(value)),
        LimitUnit::Bytes => show_bytes(value),
        LimitUnit::Answers => format!("{value} {}", lang.label("answers")),
    };
    let name = match limit.name {
        LimitName::PeriodCpu => lang.label("CPU time per turn"),
        LimitName::PeriodWall => lang.label("wall time per turn"),
        LimitName::MatchCpu => lang.label("CPU time per match"),
        LimitName::MatchWall => lang.label("wall time per match"),
        LimitName::BankCpu => lang.label("CPU time of the time bank"),
        LimitName::BankWall => lang.label("wall time of the time bank"),
        LimitName::Waiting => lang.label("waiting rather than computing"),
        LimitName::Connect => lang.label("time to connect"),
        LimitName::Message => lang.label("length of a reply"),
        LimitName::Ahead => lang.label("answers ahead of the questions"),
        LimitName::Memory => lang.label("memory"),
        LimitName::Disk => lang.label("files written"),
    };
    let (allowed, used) = (value(limit.allowed), value(limit.used));
    lang.fill("{}: {} allowed, {} measured", &[&name, &allowed, &used])
}

/// `00 00 00 01 07`, and as text where it is or begins with text.
fn bytes_words(hex: &str) -> String {
    let bytes: Vec<u8> = (0..hex.len() / 2)
        .filter_map(|at| u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok())
        .collect();
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let dots = if bytes.len() > SHOWN_BYTES {
        " …"
    } else {
        ""
    };
    let pairs: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    let is_text = |byte: &u8| (b' '..0x7f).contains(byte) || b"\r\n\t".contains(byte);
    let text = &shown[..shown
        .iter()
        .position(|byte| !is_text(byte))
        .unwrap_or(shown.len())];
    let is_said = text.len() == shown.len() || text.len() >= LEAST_TEXT;
    let text = if is_said {
        format!("   {:?}", String::from_utf8_lossy(text))
    } else {
        String::new()
    };
    format!("{}{dots}{text}", pairs.join(" "))
}

/// `the machine was too busy to judge round 3: mybot: after 24 s …; the leg is played again`.
pub fn rerun_line(lang: Localizer, names: &ByEntrant<String>, rerun: &RerunRecord) -> String {
    let RerunRecord { entrant, round, .. } = rerun;
    let (name, why) = (&names[*entrant], lang.say(rerun));
    lang.fill(
        "↻ the machine was too busy to judge round {}; the leg is played again ({}: {})",
        &[round, name, &why],
    )
}

/// Describes a match that could not be judged.
pub fn void_line(lang: Localizer, names: &ByEntrant<String>, why: &RerunRecord) -> String {
    let (name, round, why) = (&names[why.entrant], &why.round, lang.say(why));
    lang.fill(
        "no verdict [SE]: the machine was too busy three times to judge this leg; no program is at \
        fault (round {}, {}: {}). Play the match again on a less busy machine, or with a longer \
        --limit",
        &[round, name, &why],
    )
}

/// The slowest turns, and delays by the machine if they were long.
pub fn time_lines(lang: Localizer, fixture: &MatchSpec, played: &PlayedMatch) -> Vec<String> {
    let name = |entrant: Entrant| &fixture.players[entrant].name;
    let slow = |entrant: Entrant| {
        format!(
            "{} {}",
            name(entrant),
            played.slowest[entrant].describe_times()
        )
    };
    // A person has more time than a program.
    let limit = |entrant: Entrant| match fixture.players[entrant].kind {
        PlayerKind::Human { period, .. } => period,
        _ => fixture.limits.period,
    };
    let of = |entrant: Entrant| match limit(entrant) {
        limit if limit >= UNHURRIED => lang.label(" (no limit)").to_owned(),
        limit => lang.fill(" of {}", &[&show_duration(limit)]),
    };
    let [a, b] = Entrant::BOTH.map(|entrant| (slow(entrant), of(entrant)));
    let comma = lang.label(", ");
    let slowest = match a.1 == b.1 {
        true => format!("{}{comma}{}{}", a.0, b.0, b.1),
        false => format!("{}{}{comma}{}{}", a.0, a.1, b.0, b.1),
    };
    let mut lines = vec![format_labelled(lang.label("slowest turn"), &slowest)];
    for (index, leg) in played.replay.legs.iter().enumerate() {
        lines.extend(
            again_words(lang, leg)
                .into_iter()
                .chain(strike_words(lang, leg))
                .map(|words| format_labelled(&leg_label(lang, index), &words)),
        );
        let withheld = withheld_time(leg);
        if withheld > MUCH_NOISE {
            lines.push(format_labelled(
                &leg_label(lang, index),
                &noise_words(lang, withheld),
            ));
        }
    }
    lines
}

/// `late answers that count, a strike each: 2 of A, 0 of B`
fn strike_words(lang: Localizer, leg: &LegRecord) -> Option<String> {
    let of = |entrant| {
        let own = leg
            .strikes
            .iter()
            .filter(|strike| strike.entrant == entrant);
        own.count()
    };
    let [a, b] = Entrant::BOTH.map(of);
    (a + b > 0).then(|| {
        lang.fill(
            "late answers that count, a strike each: {} of A, {} of B",
            &[&a, &b],
        )
    })
}

/// `played 2 times again: …`
fn again_words(lang: Localizer, leg: &LegRecord) -> Option<String> {
    let times = leg.reruns.len().min(MOST_RERUNS);
    let words = match times {
        1 => lang
            .label("played again: the machine was too busy to judge it")
            .to_owned(),
        _ => lang.fill(
            "played again {} times: the machine was too busy to judge it",
            &[&times],
        ),
    };
    (times > 0).then_some(words)
}

fn leg_label(lang: Localizer, index: usize) -> String {
    lang.fill("leg {}", &[&(index + 1)])
}

/// The total noise of a leg.
pub fn noise_of(leg: &LegRecord) -> NoiseTimes {
    leg.noise
        .iter()
        .fold(NoiseTimes::default(), |sum, record| NoiseTimes {
            delay_us: sum.delay_us.saturating_add(record.noise.delay_us),
            late_us: sum.late_us.saturating_add(record.noise.late_us),
            steal_us: sum.steal_us.saturating_add(record.noise.steal_us),
            pressure_us: sum.pressure_us.saturating_add(record.noise.pressure_us),
        })
}

/// The time that the machine withheld from the programs of a leg. First replies are omitted,
/// because both programs wait for each other while they start.
fn withheld_time(leg: &LegRecord) -> Duration {
    let later = leg
        .noise
        .iter()
        .filter(|record| record.reply >= Entrant::BOTH.len());
    later
        .filter_map(|record| Spent::of_reply(leg, record.reply))
        .map(|spent| spent.excused_time())
        .sum()
}

fn noise_words(lang: Localizer, withheld: Duration) -> String {
    let withheld = show_duration(withheld);
    lang.fill(
        "busy machine: programs were delayed {} (not charged)",
        &[&withheld],
    )
}

/// `OK`, the code of a fault, or `SE`, for both entrants of a leg.
pub fn fault_codes(leg: &LegRecord, void: bool) -> [String; 2] {
    Entrant::BOTH.map(|entrant| {
        let fault = leg.faults.iter().find(|fault| fault.entrant == entrant);
        match (fault, void) {
            (Some(fault), _) => fault.code.to_string(),
            (None, true) => "SE".to_owned(),
            (None, false) => "OK".to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use leitai_game::Seat;
    use leitai_game::replay::NoiseRecord;

    fn fault(fault: Fault) -> FaultRecord {
        FaultRecord {
            entrant: Entrant::B,
            seat: Seat::Second,
            code: fault.into(),
            leg: Some(1),
            round: 3,
            step: 5,
            what: "did it".into(),
            said: None,
            limit: None,
            exit: None,
            last_words: Vec::new(),
            received: None,
        }
    }

    #[test]
    fn a_fault_is_described_with_all_details() {
        let check = |fault: FaultRecord, lines: &[&str]| {
            let names = ByEntrant::new("ann".to_owned(), "bob".to_owned());
            assert_eq!(fault_details(crate::lang::english(), &names, &fault), lines);
        };
        check(fault(Fault::Timeout), &[]);
        let limit = Some(BrokenLimit::time(
            LimitName::PeriodCpu,
            3_000_000,
            3_001_000,
        ));
        let line = "  the limit            CPU time per turn: 3 s allowed, 3.001 s measured";
        check(
            FaultRecord {
                limit,
                received: Some("00".into()),
                ..fault(Fault::Timeout)
            },
            &[line],
        );
        let limit = Some(BrokenLimit::bytes(LimitName::Memory, 512 << 20, 515 << 20));
        let (exit, last_words) = (
            Some("signal 9 (SIGKILL)".into()),
            vec!["one".into(), "two".into()],
        );
        check(
            FaultRecord {
                limit,
                exit,
                last_words,
                ..fault(Fault::Memory)
            },
            &[
                "  the limit            memory: 512 MiB allowed, 515 MiB measured",
                "  it ended with        signal 9 (SIGKILL)",
                "  bob's last words     one\n                       two",
            ],
        );
        let received = Some("68690a".into());
        check(
            FaultRecord {
                received,
                ..fault(Fault::Malformed)
            },
            &["  it sent              68 69 0a   \"hi\\n\""],
        );
        let limit = Some(BrokenLimit::new(LimitName::Ahead, LimitUnit::Answers, 8, 9));
        let received = Some("00".repeat(50));
        let zeros = ["00"; 40].join(" ");
        check(
            FaultRecord {
                limit,
                received,
                ..fault(Fault::Output)
            },
            &[
                "  the limit            answers ahead of the questions: 8 answers allowed, 9 answers measured",
                &format!("  it sent              {zeros} …"),
            ],
        );
    }

    #[test]
    fn withheld_time_is_added_up() {
        let record = |reply, delay_us| NoiseRecord {
            reply,
            noise: NoiseTimes {
                delay_us,
                ..NoiseTimes::default()
            },
        };
        let leg = LegRecord {
            times_us: vec![900_000, 10, 80_000, 90_000],
            cpu_us: vec![Some(1000), None, Some(20_000), Some(90_000)],
            // The first reply includes the start; the last one computed all the time.
            noise: vec![
                record(0, 800_000),
                record(2, 50_000),
                record(3, 90_000),
                record(9, 1),
            ],
            ..LegRecord::default()
        };
        assert_eq!(withheld_time(&leg), Duration::from_millis(50));
        assert_eq!(noise_of(&leg).delay_us, 940_001);
        assert!(noise_words(crate::lang::english(), withheld_time(&leg)).contains("50 ms"));
    }

    #[test]
    fn reruns_of_a_leg_are_reported() {
        let why = |round| RerunRecord {
            entrant: Entrant::A,
            round,
            why: "it waited".into(),
            said: None,
            noise: NoiseTimes::default(),
        };
        let check = |reruns: usize, expected: Option<&str>| {
            let leg = LegRecord {
                reruns: vec![why(1); reruns],
                ..LegRecord::default()
            };
            let words = again_words(crate::lang::english(), &leg);
            let fits = match (&words, expected) {
                (Some(words), Some(part)) => words.contains(part),
                (None, None) => true,
                _ => false,
            };
            assert!(fits, "{reruns}: {words:?}");
        };
        check(0, None);
        check(1, Some("played again: the machine"));
        check(2, Some("played again 2 times"));
        check(3, Some("played again 2 times"));
    }

    #[test]
    fn every_leg_has_a_code_for_both() {
        let leg = LegRecord {
            faults: vec![fault(Fault::Timeout)],
            ..LegRecord::default()
        };
        assert_eq!(fault_codes(&leg, false), ["OK", "TLE"]);
        assert_eq!(fault_codes(&LegRecord::default(), true), ["SE", "SE"]);
    }

    #[test]
    fn a_match_without_verdict_says_whose_error_it_is() {
        let noise = NoiseTimes::default();
        let why = RerunRecord {
            entrant: Entrant::A,
            round: 4,
            why: "it waited".into(),
            said: None,
            noise,
        };
        let names = ByEntrant::new("ann".to_owned(), "bob".to_owned());
        let said = void_line(crate::lang::english(), &names, &why);
        assert!(
            said.contains("[SE]")
                && said.contains("round 4, ann: it waited")
                && said.contains("--limit")
        );
    }
}
