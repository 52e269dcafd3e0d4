//! Levels and analyses of guest games: a search over their rules, bound by positions and fuel.

use leitai_game::erased::{AnyBot, AnyLeg};
use leitai_game::{AnyGame, BySeat, Reply, SearchBudget, Seat, ToMove};
use leitai_guest::{GuestGame, GuestMeta, Limits};
use serde_json::json;

use crate::modules::meta_of_nothing;

/// Nine stones; whoever takes the last one wins. To leave a multiple of four wins.
const NIM: &str = include_str!("data/nim.wat");

/// The game with this code in place of a mark.
fn nim(mark: &str, code: &str, limits: Limits) -> GuestGame {
    let module = wat::parse_str(NIM.replace(mark, code)).expect("sound text");
    GuestGame::load(&meta_of_nothing(), &module, limits).unwrap_or_else(|why| panic!("{why}"))
}

fn sound() -> GuestGame {
    nim("none", "none", Limits::default())
}

fn start(game: &GuestGame) -> Box<dyn AnyLeg> {
    let setup = game.deal_setup(&json!({}), 1).expect("it deals");
    setup.start_leg()
}

fn seat_of(leg: &dyn AnyLeg) -> Option<Seat> {
    match leg.to_move() {
        ToMove::One(seat) => Some(seat),
        _ => None,
    }
}

fn replies(seat: Seat, action: &str) -> leitai_game::erased::TextReplies<'_> {
    BySeat::from_fn(|one| (one == seat).then_some(Reply::Action(action)))
}

/// What two bots play.
fn play(game: &GuestGame, mut bots: BySeat<Box<dyn AnyBot>>) -> Vec<String> {
    let mut leg = start(game);
    let mut said = Vec::new();
    while let Some(seat) = seat_of(&*leg) {
        let action = bots[seat].choose_action(&*leg, seat, &leitai_game::bot::Untimed);
        leg.step(replies(seat, &action), &mut ());
        said.push(action);
    }
    assert_eq!(leg.fault(), None);
    said
}

fn bot(game: &GuestGame, name: &str, seed: u64) -> Box<dyn AnyBot> {
    game.make_bot(name, seed).expect("a built-in bot")
}

#[test]
fn a_level_plays_the_same_by_the_same_seed_and_a_strong_one_wins() {
    let game = sound();
    let names: Vec<String> = game
        .list_bots()
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(names.first().map(String::as_str), Some("random"));
    assert_eq!(names.last().map(String::as_str), Some("level6"));
    for name in &names {
        // Nobody but `random` plays rated matches by itself.
        assert_eq!(game.is_on_ladder(name), name == "random");
    }
    for name in ["level1", "level2", "level4"] {
        let played = |seed| {
            let pair = BySeat::from_fn(|seat: Seat| bot(&game, name, seed + seat.index() as u64));
            play(&game, pair)
        };
        assert_eq!(played(7), played(7), "{name}");
    }
    for seed in 0..4 {
        let pair = BySeat::new(bot(&game, "level4", seed), bot(&game, "random", seed));
        let said = play(&game, pair);
        assert_eq!(said[0], "1", "it leaves eight: {said:?}");
        assert!(said.len() % 2 == 1, "{said:?}");
    }
}

#[test]
fn a_game_with_secrets_has_no_search() {
    let module = wat::parse_str(NIM).expect("sound text");
    let meta = GuestMeta {
        is_open: false,
        ..meta_of_nothing()
    };
    let game = GuestGame::load(&meta, &module, Limits::default()).expect("sound");
    assert_eq!(game.list_bots().len(), 1);
    assert!(game.make_bot("level1", 1).is_none());
    assert!(game.make_assessor().is_none() && game.decision_nodes().is_none());
}

#[test]
fn an_assessor_finds_the_best_action_and_says_how_sure_it_is() {
    let game = sound();
    let leg = start(&game);
    let mut assessor = game.make_assessor().expect("an open game");
    let budget = SearchBudget::nodes(400);
    let judge = |played: &str| {
        let mut assessor = game.make_assessor().expect("an open game");
        let replies = replies(Seat::First, played);
        assessor.assess_decision(&*leg, Seat::First, &replies, budget)
    };
    let good = judge("1").expect("there is a choice");
    assert_eq!((&*good.best_action, good.choices), ("1", 3));
    let bad = judge("3").expect("there is a choice");
    assert_eq!(bad, judge("3").expect("the same"), "by the same chance");
    let (best, played) = (&bad.best, &bad.played);
    let loss = best.win_probability - played.win_probability;
    let spread = best.spread.zip(played.spread).expect("it says how sure");
    assert!(
        (0.0..0.1).contains(&spread.0) && spread.0 > 0.0,
        "{spread:?}"
    );
    assert!(loss > 2.0 * spread.0.hypot(spread.1), "{loss} {spread:?}");
    assert_eq!(bad.best.best_line.first().map(String::as_str), Some("1"));
    // More positions make it surer.
    let found = |nodes| {
        let found = game.make_assessor().expect("an open game").assess(
            &*leg,
            Seat::First,
            SearchBudget::nodes(nodes),
        );
        found.and_then(|found| found.spread).expect("a spread")
    };
    assert!(found(400) < found(50));
    assert!(assessor.assess(&*leg, Seat::Second, budget).is_some());
    assert!(assessor.fault().is_none());
}

/// Rules that fail where nobody plays, but a search looks.
#[test]
fn rules_that_fail_in_a_search_are_told_and_stop_it() {
    const THREE: &str = "(if (i32.eq (local.get $take) (i32.const 3)) (then (unreachable)))";
    const LOOP: &str = "(if (i32.eq (local.get $take) (i32.const 3)) (then (loop $on (br $on))))";
    // Two billion actions, of which the answer holds none.
    const ENDLESS: &str = "(if (i32.lt_u (call $stones) (i32.const 8)) (then
        (i32.store (i32.const 501) (i32.const 0x7fffffff))
        (return (call $answer (i32.const 500) (i32.const 20)))))";
    for (mark, code, what) in [
        (";;STEP", THREE, "unreachable"),
        (";;LEGAL", ENDLESS, "cannot be read"),
        (";;STEP", LOOP, "more than 100000 instructions"),
    ] {
        let limits = Limits {
            fuel: 100_000,
            search_fuel: 10_000_000,
            ..Limits::default()
        };
        let game = nim(mark, code, limits);
        let leg = start(&game);
        let mut assessor = game.make_assessor().expect("an open game");
        let one = replies(Seat::First, "1");
        assessor.assess_decision(&*leg, Seat::First, &one, SearchBudget::nodes(400));
        let fault = assessor.fault().unwrap_or_else(|| panic!("{code}"));
        assert!(fault.to_string().contains(what), "{fault}");
        assert_eq!(leg.fault(), None, "the leg itself is sound");
        // A match ends as with every failure of the rules.
        bot(&game, "level4", 1).choose_action(&*leg, Seat::First, &leitai_game::bot::Untimed);
        let fault = leg.fault().unwrap_or_else(|| panic!("{code}"));
        assert!(fault.to_string().contains(what), "{fault}");
    }
}

/// The fuel of a decision is bound whatever the rules do, and what is known by then is played.
#[test]
fn a_decision_takes_no_more_than_its_fuel() {
    // Each step takes nearly all that a call may.
    const SLOW: &str = "(local.set $at (i32.const 20000))
        (loop $on
          (local.set $at (i32.sub (local.get $at) (i32.const 1)))
          (br_if $on (local.get $at)))";
    let spent = |search_fuel| {
        let limits = Limits {
            fuel: 200_000,
            search_fuel,
            ..Limits::default()
        };
        let game = nim(";;STEP", SLOW, limits);
        let leg = start(&game);
        let action =
            bot(&game, "level6", 1).choose_action(&*leg, Seat::First, &leitai_game::bot::Untimed);
        assert!(leg.check_action(Seat::First, &action).is_ok(), "{action}");
        assert_eq!(leg.fault(), None);
        game.fuel_spent()
    };
    for fuel in [1_000, 150_000, 2_000_000] {
        // The list of legal actions before the search, and the checks after it, are small.
        assert!(spent(fuel) < fuel + 10_000, "{fuel}: {}", spent(fuel));
    }
}

/// A clock that is nearly over when it is looked at again.
struct Late(std::cell::Cell<u64>);

impl leitai_game::BotClock for Late {
    fn time_left(&self) -> Option<std::time::Duration> {
        let left = self.0.replace(1);
        Some(std::time::Duration::from_millis(left))
    }
}

#[test]
fn a_level_on_a_slow_machine_stops_before_its_clock() {
    let game = sound();
    let leg = start(&game);
    let action = bot(&game, "level6", 1).choose_action(
        &*leg,
        Seat::First,
        &Late(std::cell::Cell::new(1_000)),
    );
    assert!(leg.check_action(Seat::First, &action).is_ok(), "{action}");
    assert!(game.fuel_spent() < 20_000, "{}", game.fuel_spent());
}
