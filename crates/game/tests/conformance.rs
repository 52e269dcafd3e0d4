//! The conformance kit accepts a sound game, and rejects every game with one planted fault.
//! Beside that the tests of single modules: one binary for both.

#[path = "race/planted.rs"]
mod planted;
#[path = "race/mod.rs"]
mod race;
mod unit;

use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use leitai_game::conformance::{self, CHECKS, ConformanceOptions, ConformanceReport};
use leitai_game::render::{RenderOptions, Rendering};
use leitai_game::{
    Erased, Fault, Outcome, Perspective, Reply, Seat, Text, ToMove, Verdict, game::Reason,
    seat::Entrant,
};
use planted::{Honest, Naming, Plant, Planted, RaceReplies, Usual, plant};
use race::{Race, RaceSetup};
use serde_json::{Value, json};

const MODES: [&str; 2] = ["turns", "both"];

fn options(mode: &str) -> ConformanceOptions {
    ConformanceOptions {
        config: json!({ "mode": mode }),
        max_steps: 500,
        mutations: 100,
        ..ConformanceOptions::default()
    }
}

fn run<P: Plant>(mode: &str) -> Result<ConformanceReport, String> {
    plant::<P>();
    run_named::<Usual>(mode)
}

fn run_named<N: Naming>(mode: &str) -> Result<ConformanceReport, String> {
    let options = options(mode);
    match catch_unwind(|| conformance::check_game::<Planted<N>>(&options)) {
        Ok(result) => result.map_err(|failure| failure.to_string()),
        Err(_) => Err("panic".into()),
    }
}

#[test]
fn a_sound_game_passes_in_turns_and_both_at_once() {
    for mode in MODES {
        let report = run::<Honest>(mode).expect("the race keeps the contract");
        assert_eq!(report.cases.len(), CHECKS.len() + 4, "{report}");
        let idle: Vec<_> = report
            .cases
            .iter()
            .filter(|(_, cases)| *cases == 0)
            .map(|(name, _)| *name)
            .collect();
        let expected: &[&str] = if mode == "both" {
            &["unasked-replies"]
        } else {
            &[]
        };
        assert_eq!(
            idle, expected,
            "{mode}: every check ran at least once\n{report}"
        );
    }
}

#[test]
fn a_game_behind_any_game_can_be_checked() {
    let report = conformance::check_erased(&Erased::<Planted>::new(), &options("both"));
    assert_eq!(
        report.map(|report| report.cases.len()),
        Ok(CHECKS.len() + 1)
    );
}

#[test]
fn checks_can_be_called_alone() {
    let game = Erased::<Planted>::new();
    let bench = conformance::RandomLegs::new(&game, options("turns")).expect("legs end");
    for (name, check) in CHECKS {
        assert!(check(&bench).is_ok(), "{name}");
    }
}

/// Asserts that the kit rejects this plant in this mode, by this check (or with a `panic`).
fn rejected<P: Plant>(mode: &str, by: &str) {
    let fault = std::any::type_name::<P>();
    assert_rejected(fault, mode, by, run::<P>(mode));
}

/// The same for other constants of the game.
fn rejected_naming<N: Naming>(mode: &str, by: &str) {
    let fault = std::any::type_name::<N>();
    assert_rejected(fault, mode, by, run_named::<N>(mode));
}

fn assert_rejected(fault: &str, mode: &str, by: &str, result: Result<ConformanceReport, String>) {
    let why = result.expect_err(&format!("{fault} must be rejected"));
    assert!(
        why.starts_with(by),
        "{fault} in mode {mode}: expected {by}, got {why}"
    );
}

/// Declares plants that override some hooks, and the tests that the kit rejects each in a mode, by a check.
macro_rules! plants {
    ($($test:ident $fault:ident $mode:literal $by:literal { $($hooks:item)* })*) => {$(
        #[derive(Clone, Debug, Default, PartialEq)]
        struct $fault;
        impl Plant for $fault { $($hooks)* }
        #[test]
        fn $test() {
            rejected::<$fault>($mode, $by);
        }
    )*};
}

/// A number that differs at every call.
fn tick() -> u32 {
    static TICKS: AtomicU32 = AtomicU32::new(0);
    TICKS.fetch_add(1, Ordering::Relaxed)
}

const ODD: Reason = Reason {
    id: "odd",
    text: Text::new("oddly", "怪"),
};

plants! {
    a_deal_without_its_seed DealsAnew "turns" "determinism" {
        fn dealt(setup: &mut RaceSetup) {
            setup.lucky[0] = (tick() % 251) as u8;
        }
    }
    chance_in_a_step StepsAnew "both" "clones" {
        fn stepped(&mut self, before: &Race, after: &mut Race, _: &RaceReplies) {
            if !before.over {
                after.last[0] = 10 + (tick() % 200) as u8;
            }
        }
    }
    a_text_that_forgets_a_field Forgets "turns" "equal-texts" {
        fn text(&self, race: &Race, _: String) -> String {
            format!(
                "R {} {} {:?} {}\n",
                race.round, race.seat, race.totals, race.over
            )
        }
    }
    a_hash_of_something_else HashesAnother "turns" "state-text" {
        fn hash(honest: u64) -> u64 {
            honest ^ 1
        }
    }
    a_leg_without_checkpoints NoCheckpoint "turns" "state-text" {
        const CHECKPOINTS: bool = false;
    }
    a_notation_that_is_not_read Unread "turns" "random-play" {
        fn write(number: u8) -> String {
            format!("say{number}")
        }
    }
    a_notation_with_a_slash Slash "turns" "notation" {
        fn write(number: u8) -> String {
            format!("{number}/")
        }
        fn read(text: &str) -> Option<u8> {
            text.strip_suffix('/')?.parse().ok()
        }
    }
    a_notation_shared_by_two_actions Shared "turns" "random-play" {
        fn write(number: u8) -> String {
            number.min(2).to_string()
        }
    }
    a_notation_read_as_another_action ReadWrong "both" "random-play" {
        fn read(text: &str) -> Option<u8> {
            Some(
                4 - text
                    .parse::<u8>()
                    .ok()
                    .filter(|number| (1..=3).contains(number))?,
            )
        }
    }
    a_legal_list_that_leaves_one_out ListsLess "turns" "legal-and-check" {
        fn legal(race: &Race, mut honest: Vec<u8>) -> Vec<u8> {
            if race.round == 1 && honest.len() > 1 {
                honest.pop();
            }
            honest
        }
    }
    a_legal_list_with_an_illegal_action ListsMore "turns" "legal-and-check" {
        fn legal(race: &Race, honest: Vec<u8>) -> Vec<u8> {
            if honest.is_empty() || race.over {
                honest
            } else {
                vec![1, 2, 3]
            }
        }
    }
    a_sample_that_is_illegal SamplesWrong "turns" "random-play" {
        fn sample(_: &Race, honest: Option<u8>) -> Option<u8> {
            honest.map(|_| 2)
        }
    }
    a_sample_for_a_seat_that_is_not_asked SamplesUnasked "turns" "sample" {
        fn sample(_: &Race, honest: Option<u8>) -> Option<u8> {
            honest.or(Some(1))
        }
    }
    a_step_that_panics_on_a_fault Panics "both" "panic" {
        fn stepped(&mut self, _: &Race, after: &mut Race, _: &RaceReplies) {
            assert_ne!(after.faults[Seat::Second], Some(Fault::Memory));
        }
    }
    a_period_that_falls PeriodFalls "turns" "random-play" {
        fn period(race: &Race, honest: u32) -> u32 {
            if race.round == 3 { 0 } else { honest }
        }
    }
    a_leg_without_an_end NoEnd "both" "random-play" {
        fn stepped(&mut self, _: &Race, after: &mut Race, _: &RaceReplies) {
            (after.over, after.totals) = (false, [0, 0]);
        }
    }
    an_end_without_an_outcome NoOutcome "both" "random-play" {
        fn outcome(_: Option<Outcome>) -> Option<Outcome> {
            None
        }
    }
    a_step_after_the_end StepsOn "turns" "over-is-over" {
        fn stepped(&mut self, before: &Race, after: &mut Race, _: &RaceReplies) {
            after.totals[0] += u8::from(before.over);
        }
    }
    a_fault_of_the_wrong_seat BlamesOther "turns" "faults" {
        fn outcome(honest: Option<Outcome>) -> Option<Outcome> {
            honest.map(|end| Outcome {
                faults: end.faults.swap_values(),
                ..end
            })
        }
    }
    an_offender_that_wins OffenderWins "both" "faults" {
        fn outcome(honest: Option<Outcome>) -> Option<Outcome> {
            let fault = |end: &Outcome| end.faults.iter_pairs().any(|(_, fault)| fault.is_some());
            honest.map(|end| {
                if fault(&end) {
                    Outcome {
                        winner: Some(Seat::First),
                        ..end
                    }
                } else {
                    end
                }
            })
        }
    }
    a_fault_that_nobody_is_blamed_for BlamesNobody "turns" "faults" {
        fn outcome(honest: Option<Outcome>) -> Option<Outcome> {
            honest.map(|end| Outcome {
                faults: Default::default(),
                ..end
            })
        }
    }
    a_missing_reply_that_costs_nothing Waits "both" "missing-replies" {
        fn hear(race: &Race, replies: RaceReplies) -> RaceReplies {
            let ours = |seat| {
                race.legal(seat)
                    .first()
                    .map(|number| Reply::Action(*number))
            };
            RaceReplies::from_fn(|seat| replies[seat].or(ours(seat)))
        }
    }
    an_unasked_reply_that_counts HearsAll "turns" "unasked-replies" {
        fn stepped(&mut self, before: &Race, after: &mut Race, replies: &RaceReplies) {
            if let ToMove::One(seat) = before.to_move() {
                after.totals[0] += u8::from(replies[seat.other()].is_some());
            }
        }
    }
    a_setup_that_does_not_round_trip SetupChanges "turns" "setup-json" {
        fn json(mut honest: Value) -> Value {
            honest["lucky"][3] = json!(honest["lucky"][4]);
            honest["target"] = json!(20 + honest["target"].as_u64().unwrap_or(0) % 2);
            honest
        }
    }
    a_setup_that_is_not_checked SetupUnchecked "turns" "panic" {
        const CHECKS_SETUPS: bool = false;
    }
    a_view_that_panics_for_all_eyes ViewPanics "both" "panic" {
        fn view(race: &Race, perspective: Perspective, honest: Value) -> Value {
            assert!(perspective != Perspective::All || race.round < 4);
            honest
        }
    }
    a_view_that_is_no_object ViewsList "both" "views" {
        fn view(_: &Race, _: Perspective, honest: Value) -> Value {
            json!([honest])
        }
    }
    a_view_of_the_other_seat ViewsAnew "both" "views" {
        fn view(_: &Race, _: Perspective, mut honest: Value) -> Value {
            honest["tick"] = json!(tick());
            honest
        }
    }
    a_ragged_picture Ragged "turns" "pictures" {
        fn picture(look: &RenderOptions, mut honest: Rendering) -> Rendering {
            if look.ahead > 0 {
                honest.board[1].pop();
            }
            honest
        }
    }
}
#[derive(Clone, Debug, PartialEq)]
struct OddKey;
impl Naming for OddKey {
    const KEY: &'static str = "7";
}

#[test]
fn a_key_that_says_nothing() {
    rejected_naming::<OddKey>("turns", "notation");
}

#[derive(Clone, Debug, PartialEq)]
struct OddId;
impl Naming for OddId {
    const ID: &'static str = "Race 21";
}

#[test]
fn an_id_with_a_blank() {
    rejected_naming::<OddId>("turns", "meta");
}

plants! {
    a_bot_that_says_an_illegal_number BotRepeats "both" "bots" {
        fn bot(view: &Value, honest: u8) -> u8 {
            if view["round"] == 5 { 0 } else { honest }
        }
    }
    a_bot_with_chance_of_its_own BotAnew "both" "bots" {
        fn bot(view: &Value, honest: u8) -> u8 {
            let legal = &view["legal"][usize::from(view["you"] == "second")];
            legal[(tick() % 2) as usize]
                .as_u64()
                .map_or(honest, |number| number as u8)
        }
    }
    a_dialect_that_panics_on_an_empty_body BodyPanics "turns" "panic" {
        fn body(body: &[u8]) {
            assert!(!body.is_empty());
        }
    }
    a_verdict_that_favours_a FavoursA "turns" "verdict" {
        fn verdict(_: &[Outcome], honest: Verdict) -> Verdict {
            Verdict {
                winner: Some(honest.winner.unwrap_or(Entrant::A)),
                reason: ODD,
            }
        }
    }
    a_verdict_that_panics_without_legs VerdictPanics "turns" "panic" {
        fn verdict(legs: &[Outcome], honest: Verdict) -> Verdict {
            assert!(!legs.is_empty());
            honest
        }
    }
    an_export_that_loses_something ExportLoses "both" "formats" {
        fn export(honest: String) -> String {
            honest.replace("\"total\"", "\"fault\"")
        }
    }
}

#[test]
fn notations_are_also_compared_as_actions() {
    plant::<Shared>();
    let check = conformance::actions_read_back::<Planted>;
    let why = check(&options("both")).expect_err("3 is written as 2");
    assert!(
        why.ends_with("3 is written \"2\" and read back as Some(2)"),
        "{why}"
    );
}

/// A position that counts its steps in a cell shared by all its copies.
#[derive(Clone, Debug, Default)]
struct SharesState(Arc<AtomicU32>);

impl PartialEq for SharesState {
    fn eq(&self, other: &SharesState) -> bool {
        self.0.load(Ordering::Relaxed) == other.0.load(Ordering::Relaxed)
    }
}

impl Plant for SharesState {
    fn stepped(&mut self, _: &Race, _: &mut Race, _: &RaceReplies) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn text(&self, _: &Race, honest: String) -> String {
        format!("{}{honest}", self.0.load(Ordering::Relaxed))
    }
}

#[test]
fn a_position_whose_copies_share_state_is_rejected() {
    rejected::<SharesState>("both", "clones");
}
