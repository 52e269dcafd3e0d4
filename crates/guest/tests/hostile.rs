//! Modules that mean harm: each is refused, or is a fault with its name, and nothing else happens.

use std::time::Duration;

use leitai_game::AnyGame;
use leitai_game::conformance::{ConformanceOptions, RandomLegs, bots_say_legal_actions};
use leitai_game::erased::{AnyLeg, AnySink};
use leitai_game::frames::{MOST_BYTES, make_frames};
use leitai_game::replay::LegRecord;
use leitai_game::{BySeat, Perspective, Seat};
use leitai_guest::{GuestGame, Limits};
use serde_json::{Value, json};

use crate::equality::thread_time;
use crate::modules::meta_of_nothing;
use crate::table::table;

/// Small bounds, so that a hostile module meets them soon.
const LIMITS: Limits = Limits {
    module_bytes: 100_000,
    memory_bytes: 1 << 20,
    table_items: 1_000,
    fuel: 300_000,
    total_fuel: u64::MAX,
    search_fuel: 10_000_000,
    depth: 500,
    request_bytes: 10_000,
    answer_bytes: 10_000,
    reason_bytes: 1_000,
    log_bytes: 200,
};

/// A game of one step in WebAssembly's text: the first seat says "a" and wins. `HEAD` is replaced by
/// declarations, `VIEW` by the body of `view`, `STEP` by what `step` does first.
const SOUND: &str = include_str!("data/one_step.wat");

/// The module with these parts.
fn module(head: &str, view: &str, step: &str) -> Vec<u8> {
    let text = SOUND.replace(";;HEAD", head).replace(";;STEP", step);
    let text = text.replace(";;VIEW", view);
    wat::parse_str(&text).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

fn load(module: &[u8]) -> Result<GuestGame, String> {
    GuestGame::load(&meta_of_nothing(), module, LIMITS).map_err(|why| why.to_string())
}

fn start(module: &[u8]) -> Box<dyn AnyLeg> {
    let game = load(module).unwrap_or_else(|why| panic!("{why}"));
    let setup = game
        .deal_setup(&json!({}), 1)
        .unwrap_or_else(|why| panic!("{why}"));
    setup.start_leg()
}

#[test]
fn the_sound_module_plays() {
    let mut leg = start(&module("", SOUND_VIEW, ""));
    assert_eq!(leg.view(Perspective::All), json!({"n": 1}));
    assert_eq!(leg.legal_actions(Seat::First), ["a"]);
    leg.step(
        BySeat::new(Some(leitai_game::Reply::Action("a")), None),
        &mut (),
    );
    assert_eq!(leg.fault(), None);
    let outcome = leg.outcome().expect("the leg is over");
    assert_eq!(
        (outcome.winner, outcome.reason.id),
        (Some(Seat::First), "said")
    );
}

/// `{"n":1}`, as it stands in the module's memory.
const SOUND_VIEW: &str = "(call $answer (i32.const 300) (i32.const 12))";

/// What is refused before anything runs: the declarations, and a part of the refusal.
#[test]
fn modules_that_reach_out_or_hide_state_are_refused() {
    let rows = r#"
a clock | (import "wasi_snapshot_preview1" "clock_time_get" (func (param i32 i64 i32) (result i32))) | imports "clock_time_get" from "wasi_snapshot_preview1"
chance | (import "env" "random" (func (result i32))) | imports "random" from "env"
a memory of others | (import "leitai" "log" (memory 1)) | multiple memories
a table of others | (import "leitai" "log" (table 1 funcref)) | imports "log" from "leitai"
more memory than allowed | (memory $more 1) (export "more" (memory $more)) | multiple memories
a start function | (func $begin) (start $begin) | start
a table as memory | (table $t 2 funcref) (func $hide (table.set $t (i32.const 0) (ref.null func))) | table.set
dropped data | (data $d "x") (func $hide (data.drop $d)) | data.drop
vectors | (func $v (drop (v128.const i64x2 0 0))) | SIMD
a name of Leitai's | (global $g (mut i32) (i32.const 0)) (export "leitai global 0" (global $g)) | rename
"#;
    for [what, head, why] in table(rows) {
        let refused = load(&module(head, SOUND_VIEW, "")).err();
        let refused = refused.unwrap_or_else(|| panic!("{what} is accepted"));
        assert!(refused.contains(why), "{what}: {refused}");
    }
}

#[test]
fn what_is_no_game_is_refused_in_words() {
    let without = |name: &str| {
        let text = SOUND.replace(&format!("(export \"{name}\""), "(export \"other\"");
        wat::parse_str(text.replace(";;VIEW", SOUND_VIEW)).expect("sound text")
    };
    let large = "(data (i32.const 0) \"".to_owned() + &"x".repeat(100_000) + "\")";
    for (what, module, why) in [
        ("nothing", Vec::new(), "not WebAssembly"),
        ("text", b"print('hello')".to_vec(), "not WebAssembly"),
        (
            "half a module",
            module("", SOUND_VIEW, "")[..200].to_vec(),
            "not WebAssembly",
        ),
        (
            "no step",
            without("leitai_game_1_step"),
            "leitai_game_1_step is missing",
        ),
        (
            "no input",
            without("leitai_game_1_input"),
            "leitai_game_1_input is missing",
        ),
        ("no memory", without("memory"), "exports no memory"),
        (
            "a large one",
            module(&large, SOUND_VIEW, ""),
            "at most 100000",
        ),
        (
            "much memory",
            wat::parse_str(
                SOUND
                    .replace(";;VIEW", SOUND_VIEW)
                    .replace("(memory 1)", "(memory 1000)"),
            )
            .expect("sound text"),
            "could not be started",
        ),
    ] {
        let refused = load(&module).err();
        let refused = refused.unwrap_or_else(|| panic!("{what} is accepted"));
        assert!(refused.contains(why), "{what}: {refused}");
    }
}

/// What a call may try: the body of `view`, and a part of the fault.
#[test]
fn calls_that_fail_are_faults_of_the_game() {
    let rows = "
an endless loop |  | (loop $l (br $l)) (i64.const 0) | took more than 300000 instructions
a deep recursion | (func $deep (call $deep)) | (call $deep) (i64.const 0) | called itself too deeply
a trap |  | (unreachable) | unreachable
a division by zero |  | (drop (i32.div_u (i32.const 1) (i32.const 0))) (i64.const 0) | trap
an answer of 1 GB |  | (call $answer (i32.const 0) (i32.const 0x40000000)) | answered 1073741824 bytes; at most 10000
an answer beyond its memory |  | (call $answer (i32.const 65530) (i32.const 100)) | beyond its memory
an answer of nothing |  | (i64.const 0) | cannot be read
invalid UTF-8 |  | (call $answer (i32.const 400) (i32.const 7)) | cannot be read
a text longer than the answer |  | (call $answer (i32.const 420) (i32.const 7)) | cannot be read
more than one answer |  | (call $answer (i32.const 300) (i32.const 13)) | cannot be read
what is no JSON |  | (call $answer (i32.const 440) (i32.const 7)) | cannot be read
a long log |  | (call $log (i32.const 0) (i32.const 65536)) (unreachable) | unreachable
a log beyond its memory |  | (call $log (i32.const -1) (i32.const -1)) (unreachable) | unreachable
";
    for [what, head, view, why] in table(rows) {
        let leg = start(&module(head, view, ""));
        let started = thread_time();
        assert_eq!(leg.view(Perspective::All), Value::Null, "{what}");
        let took = thread_time() - started;
        let fault = leg.fault().unwrap_or_else(|| panic!("{what} is no fault"));
        assert!(fault.to_string().contains(why), "{what}: {fault}");
        assert_eq!(fault.function, "leitai_game_1_view");
        assert!(took < Duration::from_secs(2), "{what} took {took:?}");
        assert!(leg.legal_actions(Seat::First).is_empty() && leg.outcome().is_none());
    }
}

/// A bot of the module that fails is a fault of the game, with its name; it never sees what the other
/// seat may not know, because it is called in a module that has seen nothing.
#[test]
fn bots_of_a_module_that_fail_are_faults_of_the_game() {
    let rows = "
an endless loop | (loop $l (br $l)) (i64.const 0) | took more than 300000 instructions
a trap | (unreachable) | unreachable
an answer of 1 GB | (call $answer (i32.const 0) (i32.const 0x40000000)) | answered 1073741824 bytes; at most 10000
nothing | (i64.const 0) | cannot be read
";
    for [what, code, why] in table(rows) {
        let head = format!("(func (export \"leitai_game_1_bot\") (result i64) {code})");
        let own = leitai_guest::GuestBot {
            name: "own".into(),
            about: leitai_game::LocalizedText::default(),
            kind: leitai_guest::BotKind::Export,
        };
        let game = load(&module(&head, SOUND_VIEW, "")).unwrap_or_else(|why| panic!("{why}"));
        let game = game.with_bots(vec![own]);
        let setup = game.deal_setup(&json!({}), 1).expect("it deals");
        let (leg, bot) = (setup.start_leg(), game.make_bot("own", 1));
        let said = bot.expect("it is a bot of the game").choose_action(
            &*leg,
            Seat::First,
            &leitai_game::Untimed,
        );
        let fault = leg.fault().unwrap_or_else(|| panic!("{what}: no fault"));
        assert_eq!(
            (&*said, &*fault.function),
            ("", "leitai_game_1_bot"),
            "{what}"
        );
        assert!(fault.what.contains(why), "{what}: {}", fault.what);
        let bench = RandomLegs::new(&game, ConformanceOptions::default());
        let checked = bench.and_then(|bench| bots_say_legal_actions(&bench));
        let said = checked.expect_err("a bot that fails");
        assert!(said.contains(&fault.what), "{what}: {said}");
    }
}

/// Memory that grows stops growing, and the game goes on with what it has.
#[test]
fn a_memory_bomb_gets_no_more_than_its_bound() {
    let view = "(loop $l (br_if $l (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) \
                (if (i32.ne (memory.size) (i32.const 16)) (then (unreachable))) \
                (call $answer (i32.const 300) (i32.const 12))";
    let leg = start(&module("", view, ""));
    // The second look begins with one page again.
    for _ in 0..2 {
        assert_eq!(
            leg.view(Perspective::All),
            json!({"n": 1}),
            "{:?}",
            leg.fault()
        );
    }
}

/// Each view of a leg that never ends has a million bytes, and other ones than the view before.
#[test]
fn a_leg_of_large_views_is_refused_before_it_fills_memory() {
    let head = r#"(data (i32.const 500) "\00\01\01\00\00\00\01\00\00\00")"#;
    let step = "(i32.store (i32.const 9000) (i32.xor (i32.load (i32.const 9000)) (i32.const 1))) \
                (return (call $answer (i32.const 500) (i32.const 31)))";
    let view = r#"(i32.store (i32.const 70001) (i32.const 1000008))
                (i64.store (i32.const 70005) (i64.const 0x223a226e227b))
                (memory.fill (i32.const 70011) (i32.add (i32.const 97) (i32.load (i32.const 9000))) (i32.const 1000000))
                (i32.store (i32.const 1070011) (i32.const 0x7d22))
                (call $answer (i32.const 70000) (i32.const 1000013))"#;
    let text = SOUND.replace(";;HEAD", head).replace(";;STEP", step);
    let text = text
        .replace(";;VIEW", view)
        .replace("(memory 1)", "(memory 20)");
    let module = wat::parse_str(text).expect("sound text");
    let game =
        GuestGame::load(&meta_of_nothing(), &module, Limits::default()).expect("sound rules");
    let setup = game.deal_setup(&json!({}), 1).expect("a setup");
    for (steps, refused) in [(3, false), (MOST_BYTES / 1_000_000 + 1, true)] {
        let record = LegRecord {
            replies: vec!["a"; steps].join(" "),
            ..LegRecord::default()
        };
        let frames = make_frames(&game, &*setup, &record, Perspective::All);
        assert_eq!(frames.is_err(), refused, "{steps} steps");
    }
}

/// A call that leaves something behind: in memory, in a global. The next call does not see it.
#[test]
fn no_call_sees_an_earlier_one() {
    let global = "(global $seen (mut i32) (i32.const 0))";
    let in_global = "(if (global.get $seen) (then (unreachable))) (global.set $seen (i32.const 1)) \
                     (call $answer (i32.const 300) (i32.const 12))";
    let in_memory = "(if (i32.load (i32.const 9000)) (then (unreachable))) \
                     (i32.store (i32.const 9000) (i32.const 1)) \
                     (call $answer (i32.const 300) (i32.const 12))";
    for (head, view) in [(global, in_global), ("", in_memory)] {
        let leg = start(&module(head, view, ""));
        for _ in 0..3 {
            assert_eq!(
                leg.view(Perspective::All),
                json!({"n": 1}),
                "{:?}",
                leg.fault()
            );
        }
    }
}

/// What a step leaves is the position's: its copy has it, its earlier self has not.
#[test]
fn a_step_belongs_to_its_position() {
    let view = "(if (i32.load (i32.const 9000)) (then (return (call $answer (i32.const 320) (i32.const 12))))) \
                (call $answer (i32.const 300) (i32.const 12))";
    let step = "(i32.store (i32.const 9000) (i32.const 1))";
    let before = start(&module("", view, step));
    let mut after = before.clone_leg();
    after.step(BySeat::new(None, None), &mut ());
    let seen = |leg: &dyn AnyLeg| leg.view(Perspective::All)["n"].clone();
    assert_eq!((seen(&*before), seen(&*after)), (json!(1), json!(2)));
    assert_eq!(seen(&*after.clone_leg()), json!(2));
}

/// A step is told what it need not write; see `Wants`.
#[test]
fn a_step_is_told_what_is_wanted() {
    struct Sink {
        events: bool,
        checkpoints: bool,
    }
    impl AnySink for Sink {
        fn wants_events(&self) -> bool {
            self.events
        }
        fn wants_checkpoints(&self) -> bool {
            self.checkpoints
        }
    }
    let view = "(if (i32.load8_u (i32.const 9000)) (then (return (call $answer (i32.const 320) (i32.const 12))))) \
                (call $answer (i32.const 300) (i32.const 12))";
    for (events, checkpoints, byte) in [
        (false, true, 0),
        (true, true, 1),
        (false, false, 2),
        (true, false, 3),
    ] {
        let step = format!(
            "(i32.store8 (i32.const 9000) (i32.eq (i32.load8_u (i32.const 16384)) (i32.const {byte})))"
        );
        let mut leg = start(&module("", view, &step));
        leg.step(
            BySeat::new(None, None),
            &mut Sink {
                events,
                checkpoints,
            },
        );
        assert_eq!(leg.view(Perspective::All)["n"], json!(2), "{byte}");
    }
}
