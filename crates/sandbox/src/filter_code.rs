//! Puts answers to system calls into one program for the kernel, which finds the number of a call
//! by halving. The kernel translates and tries out a program at every start and runs it at every
//! call, so it is worth keeping short: lists that are searched one by one are three times as long.

use seccompiler::{BpfProgram, sock_filter};
use std::collections::{BTreeMap, BTreeSet};

/// What is answered to which calls: an error number (0 is success without an effect), and for each
/// call the rules one of which must apply; none means always. Of several, the first one counts.
pub type CallAnswer = (i32, SyscallRules);

/// Rules by the number of the call.
pub type SyscallRules = BTreeMap<i64, Vec<SyscallRule>>;

/// Applies if all conditions are met.
#[derive(Clone, Debug)]
pub struct SyscallRule(pub Vec<ArgumentCondition>);

/// A condition of the low half of one argument.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentCondition {
    /// The argument, from 0 to 5.
    pub argument: u8,
    /// How it is compared.
    pub is: ArgumentComparison,
    /// With what.
    pub value: u64,
}

/// How an argument is compared with a value.
#[derive(Clone, Copy, Debug)]
pub enum ArgumentComparison {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Equal in the bits of this mask.
    MaskedEq(u64),
    /// With at least one of its bits.
    AnyBit,
}

const LOAD_WORD: u16 = 0x20;
const AND: u16 = 0x54;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_GREATER_OR_EQUAL: u16 = 0x35;
const JUMP_IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;
/// Where the kernel gives the number of a call, its processor and its arguments.
const NUMBER: u32 = 0;
const PROCESSOR: u32 = 4;
const ARGUMENTS: u32 = 16;
const ALLOW: u32 = 0x7fff_0000;
const ERRNO: u32 = 0x0005_0000;
const KILL: u32 = 0x8000_0000;
/// Calls of another table of the same processor (x32), whose numbers are in no list.
const X32_BIT: u32 = 0x4000_0000;

/// No filter is known for this processor.
#[derive(Clone, Copy, Debug)]
pub struct UnknownProcessor;

/// The kernel's name of this processor.
fn own_processor() -> Result<u32, UnknownProcessor> {
    const BITS64_LITTLE_ENDIAN: u32 = 0xc000_0000;
    match std::env::consts::ARCH {
        "x86_64" => Ok(BITS64_LITTLE_ENDIAN | 62),
        "aarch64" => Ok(BITS64_LITTLE_ENDIAN | 183),
        "riscv64" => Ok(BITS64_LITTLE_ENDIAN | 243),
        _ => Err(UnknownProcessor),
    }
}

/// Makes the program. Calls of another kind of processor kill.
///
/// # Errors
/// On processors that it does not know.
pub fn assemble(answers: &[CallAnswer]) -> Result<BpfProgram, UnknownProcessor> {
    let mut program = vec![
        step(LOAD_WORD, 0, 0, PROCESSOR),
        step(JUMP_IF_EQUAL, 1, 0, own_processor()?),
        step(RETURN, 0, 0, KILL),
        step(LOAD_WORD, 0, 0, NUMBER),
    ];
    program.extend(find_call(&list_pieces(answers)));
    Ok(program)
}

fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn answer(errno: i32) -> sock_filter {
    step(RETURN, 0, 0, ERRNO | errno.unsigned_abs())
}

/// What the kernel looks at of an argument of the listed calls.
fn low_half(value: u64) -> u32 {
    u32::try_from(value & u64::from(u32::MAX)).expect("it is half")
}

/// From which number on, up to the next piece, which code decides.
type Piece = (u32, Vec<sock_filter>);

fn list_pieces(answers: &[CallAnswer]) -> Vec<Piece> {
    let allow = || vec![step(RETURN, 0, 0, ALLOW)];
    let mut pieces: Vec<Piece> = vec![(0, allow())];
    let mut add = |from: u32, code: Vec<sock_filter>| match pieces.last_mut() {
        Some((_, last)) if *last == code => {}
        Some((start, last)) if *start == from => *last = code,
        _ => pieces.push((from, code)),
    };
    let calls: BTreeSet<i64> = answers
        .iter()
        .flat_map(|(_, rules)| rules.keys().copied())
        .collect();
    for call in calls {
        let number = u32::try_from(call).expect("numbers of calls are small");
        add(number, decide_call(answers, call));
        add(number + 1, allow());
    }
    if cfg!(target_arch = "x86_64") {
        add(X32_BIT, vec![answer(libc::ENOSYS)]);
    }
    pieces
}

/// The code that decides between the pieces: the number of the call is loaded.
fn find_call(pieces: &[Piece]) -> Vec<sock_filter> {
    let [(_, only)] = pieces else {
        let (below, above) = pieces.split_at(pieces.len() / 2);
        let first = above[0].0;
        let (below, above) = (find_call(below), find_call(above));
        let far = u32::try_from(below.len()).expect("a program is short");
        let jump = match u8::try_from(far) {
            Ok(near) => vec![step(JUMP_IF_GREATER_OR_EQUAL, near, 0, first)],
            Err(_) => vec![
                step(JUMP_IF_GREATER_OR_EQUAL, 0, 1, first),
                step(JUMP, 0, 0, far),
            ],
        };
        return [jump, below, above].concat();
    };
    only.clone()
}

/// The code that decides about one call, whatever is loaded.
fn decide_call(answers: &[CallAnswer], call: i64) -> Vec<sock_filter> {
    let mut code = Vec::new();
    let mut loaded = None;
    for (errno, rules) in answers {
        let Some(rules) = rules.get(&call) else {
            continue;
        };
        if rules.is_empty() {
            code.push(answer(*errno));
            return code;
        }
        for rule in rules {
            code.extend(rule_code(rule, *errno, loaded));
            // Which argument is loaded after a rule is known where nothing jumped on the way.
            loaded = match rule.0.as_slice() {
                [only] if !matches!(only.is, ArgumentComparison::MaskedEq(_)) => {
                    Some(only.argument)
                }
                _ => None,
            };
        }
    }
    code.push(step(RETURN, 0, 0, ALLOW));
    code
}

/// Answers if the rule applies, or goes on behind its code.
fn rule_code(
    SyscallRule(conditions): &SyscallRule,
    errno: i32,
    mut loaded: Option<u8>,
) -> Vec<sock_filter> {
    // From the end: every condition that is not met jumps behind the answer.
    let mut tests: Vec<(Vec<sock_filter>, &ArgumentCondition)> = Vec::new();
    for condition in conditions {
        let mut before = Vec::new();
        if loaded != Some(condition.argument) {
            let argument = ARGUMENTS + 8 * u32::from(condition.argument);
            before.push(step(LOAD_WORD, 0, 0, argument));
        }
        loaded = Some(condition.argument);
        if let ArgumentComparison::MaskedEq(mask) = condition.is {
            before.push(step(AND, 0, 0, low_half(mask)));
            loaded = None;
        }
        tests.push((before, condition));
    }
    let mut code = vec![answer(errno)];
    for (before, condition) in tests.into_iter().rev() {
        let behind = u8::try_from(code.len()).expect("a rule is short");
        let value = low_half(condition.value);
        let test = match condition.is {
            ArgumentComparison::Eq => step(JUMP_IF_EQUAL, 0, behind, value),
            ArgumentComparison::Ne => step(JUMP_IF_EQUAL, behind, 0, value),
            ArgumentComparison::MaskedEq(mask) => {
                step(JUMP_IF_EQUAL, 0, behind, value & low_half(mask))
            }
            ArgumentComparison::AnyBit => step(JUMP_IF_ANY_BIT, 0, behind, value),
        };
        code = [before, vec![test], code].concat();
    }
    code
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use seccompiler::{
        SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    };

    /// What a program says to a call, as the kernel would run it.
    fn run(program: &[sock_filter], processor: u32, number: u32, arguments: [u32; 6]) -> u32 {
        let (mut at, mut loaded) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[at].clone();
            let jump = |taken: bool| usize::from(if taken { jt } else { jf });
            at += 1;
            match code {
                LOAD_WORD => {
                    loaded = match k {
                        NUMBER => number,
                        PROCESSOR => processor,
                        k => {
                            assert_eq!(k % 8, 0, "the other half of an argument");
                            arguments[(k - ARGUMENTS) as usize / 8]
                        }
                    };
                }
                AND => loaded &= k,
                JUMP => at += k as usize,
                JUMP_IF_EQUAL => at += jump(loaded == k),
                JUMP_IF_GREATER_OR_EQUAL => at += jump(loaded >= k),
                JUMP_IF_ANY_BIT => at += jump(loaded & k != 0),
                RETURN => return k,
                other => panic!("step {other:#x}"),
            }
        }
    }

    /// The same answers, put into one program for each by another compiler. The kernel runs them
    /// all, and the first answer counts.
    fn compile_otherwise(answers: &[CallAnswer]) -> Vec<BpfProgram> {
        let arch = std::env::consts::ARCH.try_into().expect("it is known");
        let condition = |argument: u8, (is, value): (SeccompCmpOp, u64)| {
            let length = SeccompCmpArgLen::Dword;
            SeccompCondition::new(argument, length, is, value).expect("valid")
        };
        // A condition of several bits is one rule for each bit.
        let choices = |one: &ArgumentCondition| -> Vec<(SeccompCmpOp, u64)> {
            match one.is {
                ArgumentComparison::Eq => vec![(SeccompCmpOp::Eq, one.value)],
                ArgumentComparison::Ne => vec![(SeccompCmpOp::Ne, one.value)],
                ArgumentComparison::MaskedEq(mask) => {
                    vec![(SeccompCmpOp::MaskedEq(mask), one.value)]
                }
                ArgumentComparison::AnyBit => {
                    let bits = list_bits(one.value).into_iter();
                    bits.map(|bit| (SeccompCmpOp::MaskedEq(bit), bit)).collect()
                }
            }
        };
        let rules_of = |rule: &SyscallRule| -> Vec<SeccompRule> {
            let mut rules: Vec<Vec<SeccompCondition>> = vec![Vec::new()];
            for one in &rule.0 {
                let longer = rules.iter().flat_map(|rule| {
                    let added = choices(one).into_iter();
                    added.map(|choice| {
                        [rule.clone(), vec![condition(one.argument, choice)]].concat()
                    })
                });
                rules = longer.collect();
            }
            let made = rules.into_iter().map(SeccompRule::new);
            made.collect::<Result<_, _>>().expect("it has conditions")
        };
        let program = |(errno, rules): &CallAnswer| {
            let rules = rules
                .iter()
                .map(|(call, rules)| (*call, rules.iter().flat_map(rules_of).collect()));
            let refuse = SeccompAction::Errno(errno.unsigned_abs());
            SeccompFilter::new(rules.collect(), SeccompAction::Allow, refuse, arch)
                .and_then(BpfProgram::try_from)
                .expect("it compiles")
        };
        answers.iter().map(program).collect()
    }

    fn list_bits(value: u64) -> Vec<u64> {
        let each = (0..64).map(|at| 1 << at);
        each.filter(|bit| value & bit != 0).collect()
    }

    /// Values around those of the rules, where a wrong comparison shows.
    fn list_values(answers: &[CallAnswer], call: i64, argument: usize) -> Vec<u32> {
        let rules = answers.iter().filter_map(|(_, rules)| rules.get(&call));
        let conditions = rules.flatten().flat_map(|rule| &rule.0);
        let conditions = conditions.filter(|one| usize::from(one.argument) == argument);
        let named = conditions.flat_map(|condition| match condition.is {
            ArgumentComparison::MaskedEq(mask) => {
                vec![condition.value, mask, condition.value | !mask]
            }
            ArgumentComparison::AnyBit => [
                list_bits(condition.value),
                vec![condition.value, !condition.value],
            ]
            .concat(),
            ArgumentComparison::Eq | ArgumentComparison::Ne => vec![condition.value],
        });
        let named: BTreeSet<u32> = named.map(low_half).chain([0]).collect();
        if named.len() == 1 {
            return vec![0];
        }
        let around = named
            .into_iter()
            .flat_map(|value| [value, value.wrapping_add(1), value.wrapping_sub(1)]);
        around.collect::<BTreeSet<u32>>().into_iter().collect()
    }

    /// Every call, with all values in all pairs of its arguments, gets the same answer from the
    /// programs (the last to be loaded first) and from another compiler.
    pub fn check_against_another_compiler(programs: &[BpfProgram], answers: &[CallAnswer]) {
        assert!(programs.iter().all(|program| program.len() < 4096));
        let others = compile_otherwise(answers);
        let own = own_processor().expect("this processor is known");
        let first_answer = |programs: &[BpfProgram], number: u32, arguments: [u32; 6]| {
            let mut said = programs.iter().map(|one| run(one, own, number, arguments));
            said.find(|said| *said != ALLOW).unwrap_or(ALLOW)
        };
        for number in 0..500 {
            let values = [0, 1, 2, 3, 4, 5].map(|at| list_values(answers, number.into(), at));
            for (first, second) in (0..6).flat_map(|first| (0..first).map(move |at| (first, at))) {
                let seconds = &values[second];
                for (one, other) in values[first]
                    .iter()
                    .flat_map(|one| seconds.iter().map(move |other| (*one, *other)))
                {
                    let mut arguments = [0; 6];
                    (arguments[first], arguments[second]) = (one, other);
                    let said = first_answer(programs, number, arguments);
                    let expected = first_answer(&others, number, arguments);
                    assert_eq!(said, expected, "{number} {arguments:x?}");
                }
            }
        }
        for program in programs {
            assert_eq!(run(program, own ^ 1, 0, [0; 6]), KILL, "another processor");
        }
        if cfg!(target_arch = "x86_64") {
            let refused = ERRNO | libc::ENOSYS.unsigned_abs();
            for number in [X32_BIT, X32_BIT | 1, u32::MAX] {
                assert_eq!(
                    first_answer(programs, number, [0; 6]),
                    refused,
                    "{number:x}"
                );
            }
        }
    }
}
