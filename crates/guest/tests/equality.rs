//! The house's games as modules equal their native selves: the same legs, position by position, and
//! the recorded games of every corpus. This proves the interface.

use leitai_game::erased::{AnyGame, AnyLeg, AnySink, Checkpoint};
use leitai_game::rng::mix_seed;
use leitai_game::{BySeat, Fault, Perspective, Reply, Rng, Seat, ToMove};
use leitai_guest::Limits;
use serde_json::{Value, json};

use crate::modules::{meta_of, module_of, pairs};

/// Corpora are read in one call.
const CORPUS: Limits = Limits {
    fuel: 1_000_000_000_000,
    total_fuel: u64::MAX,
    search_fuel: 10_000_000,
    memory_bytes: 256 << 20,
    module_bytes: 4 << 20,
    table_items: 100_000,
    depth: 2_000,
    request_bytes: 4 << 20,
    answer_bytes: 4 << 20,
    reason_bytes: 64 << 10,
    log_bytes: 4 << 10,
};

/// Every event and checkpoint of a step, in order.
#[derive(Default, PartialEq, Debug)]
struct Told(Vec<Item>);

#[derive(PartialEq, Debug)]
enum Item {
    Event(Value),
    Checkpoint(u64, String),
}

impl AnySink for Told {
    fn wants_events(&self) -> bool {
        true
    }

    fn on_event(&mut self, event: Value) {
        self.0.push(Item::Event(event));
    }

    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        self.0.push(Item::Checkpoint(at.hash(), at.state_text()));
    }
}

/// What is shown and asked of both; a fault of the guest is told.
#[track_caller]
fn assert_equal(native: &dyn AnyLeg, guest: &dyn AnyLeg, closely: bool) {
    assert_eq!(guest.fault(), None);
    assert_eq!(guest.to_move(), native.to_move());
    let numbers = |leg: &dyn AnyLeg| (leg.period(), leg.round(), leg.period_limit());
    assert_eq!(numbers(guest), numbers(native));
    assert_eq!(guest.scores(), native.scores());
    assert_eq!(guest.outcome(), native.outcome());
    assert_eq!(guest.hash(), native.hash());
    if !closely {
        return;
    }
    assert_eq!(guest.state_text(), native.state_text());
    let [first, second] = Seat::BOTH.map(Perspective::Seat);
    for perspective in [first, second, Perspective::All] {
        assert_eq!(guest.view(perspective), native.view(perspective));
    }
    for seat in Seat::BOTH {
        let legal = native.legal_actions(seat);
        assert_eq!(guest.legal_actions(seat), legal);
        for action in legal
            .iter()
            .map(String::as_str)
            .take(8)
            .chain(["", "9", "x"])
        {
            assert_eq!(guest.knows_action(action), native.knows_action(action));
            let checked = guest.check_action(seat, action);
            assert_eq!(checked, native.check_action(seat, action), "{action:?}");
        }
    }
}

/// A reply to this leg: now and then a fault, an unknown notation or nothing.
fn choose_reply(leg: &dyn AnyLeg, seat: Seat, rng: &mut Rng) -> Option<Reply<String>> {
    if !leg.to_move().asks_seat(seat) {
        return None;
    }
    match rng.next_below(600) {
        0 => None,
        1 => Some(Reply::Fault(Fault::ALL[rng.next_below(Fault::ALL.len())])),
        2 => Some(Reply::Action("nothing".into())),
        _ => leg.sample_action(seat, rng).map(Reply::Action),
    }
}

/// Plays one leg in both; returns the steps.
fn play_in_both(native: &mut dyn AnyLeg, guest: &mut dyn AnyLeg, seed: u64) -> usize {
    let mut rng = Rng::new(seed);
    let mut steps = 0;
    while native.to_move() != ToMove::Nobody {
        assert_equal(native, guest, steps % 16 == 0);
        let replies = BySeat::from_fn(|seat| choose_reply(native, seat, &mut rng));
        let as_text = |replies: &BySeat<Option<Reply<String>>>| {
            let [first, second] = Seat::BOTH.map(|seat| match &replies[seat] {
                None => None,
                Some(Reply::Action(action)) => Some(action.clone()),
                Some(Reply::Fault(fault)) => Some(format!("!{fault}")),
            });
            [first, second]
        };
        let told = as_text(&replies);
        let reply = |seat: Seat| match &replies[seat] {
            None => None,
            Some(Reply::Fault(fault)) => Some(Reply::Fault(*fault)),
            Some(Reply::Action(_)) => told[seat.index()].as_deref().map(Reply::Action),
        };
        let (mut ours, mut theirs) = (Told::default(), Told::default());
        native.step(BySeat::from_fn(reply), &mut ours);
        guest.step(BySeat::from_fn(reply), &mut theirs);
        assert_eq!(theirs, ours, "step {steps}, {told:?}");
        steps += 1;
    }
    assert_equal(native, guest, true);
    steps
}

/// Plays so many matches of random legs of every game.
fn play_random_matches(count: u64) {
    for (native, guest) in pairs(Limits::default()) {
        let mut steps = 0;
        for seed in 0..count {
            let config = json!({});
            let own = native.deal_setup(&config, seed).expect("it deals");
            let setup = guest.deal_setup(&config, seed).expect("it deals");
            assert_eq!(setup.to_json(), own.to_json());
            assert_eq!(setup.max_rounds(), own.max_rounds());
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for leg in 0..2 {
                let mut pair = (own.start_leg(), setup.start_leg());
                steps += play_in_both(&mut *pair.0, &mut *pair.1, mix_seed(seed, leg));
                ours.push(pair.0);
                theirs.push(pair.1);
            }
            assert_eq!(setup.decide_match(&theirs), own.decide_match(&ours));
            assert_eq!(setup.fault(), None);
        }
        eprintln!("{}: {count} matches, {steps} steps agree", native.meta().id);
    }
}

/// The recorded games of a game, compared by its rules inside the module.
fn compare_corpus(id: &str, text: &str) -> usize {
    let native = leitai_games::find_game(id).expect("a game of the house");
    let guest = leitai_guest::GuestGame::load(&meta_of(native), &module_of(id), CORPUS);
    let (mut cases, mut ours) = (Vec::new(), Vec::new());
    let guest = guest.unwrap_or_else(|why| panic!("{why}"));
    guest.compare_corpus(text, &mut |case| cases.push(case));
    native.compare_corpus(text, &mut |case| ours.push(case));
    assert_eq!(cases, ours);
    let wrong = cases.iter().find(|case| case.result.is_err());
    assert_eq!(wrong, None);
    cases.len()
}

/// A file of the house's own recorded games.
fn read_own(path: &str) -> String {
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/");
    std::fs::read_to_string(format!("{games}{path}")).expect("it is part of the game")
}

#[test]
#[ignore = "long: needs the modules that `./dev modules` builds"]
fn random_legs_are_the_same_in_a_module() {
    play_random_matches(1);
}

#[test]
#[ignore = "long: needs the modules that `./dev modules` builds"]
fn own_recorded_games_agree_inside_a_module() {
    for (id, file, least) in [
        ("kob", "kob/golden/own.jsonl", 20),
        ("snakego", "snakego/golden/games.jsonl", 3),
    ] {
        let text = read_own(file);
        let some: Vec<&str> = text.lines().take(least).collect();
        assert!(compare_corpus(id, &some.join("\n")) >= least, "{file}");
    }
}

#[test]
#[ignore = "long: every corpus in an interpreter"]
fn every_corpus_agrees_inside_a_module() {
    play_random_matches(10);
    for (id, file) in [
        ("kob", "kob/golden/own.jsonl"),
        ("snakego", "snakego/golden/games.jsonl"),
        ("tankcraft", "tankcraft/golden/games.json"),
    ] {
        eprintln!(
            "{file}: {} cases agree",
            compare_corpus(id, &read_own(file))
        );
    }
    let Ok(folder) = std::env::var("LEITAI_CORPORA") else {
        return eprintln!("LEITAI_CORPORA is not set: only our own corpora compared");
    };
    for id in ["kob", "snakego", "tankcraft"] {
        for file in std::fs::read_dir(format!("{folder}/{id}")).expect("a corpus of every game") {
            let path = file.expect("a file").path();
            let text = match std::fs::read_to_string(&path) {
                Ok(text) if path.extension().is_some_and(|end| end != "md") => text,
                _ => continue,
            };
            eprintln!(
                "{}: {} cases agree",
                path.display(),
                compare_corpus(id, &text)
            );
        }
    }
}

/// A game in Rust writes the events and states that are wanted, and no others.
#[test]
fn a_step_writes_what_is_wanted() {
    use leitai_module::answer::Leg;
    use leitai_module::wire::{Call, Reader, Wants, Writer};
    let kob = leitai_games::find_game("kob").expect("it is there");
    let setup = kob.deal_setup(&json!({}), 1);
    let setup = setup.expect("it deals").to_json().to_string();
    let count = |events, checkpoints| {
        let mut leg = Leg::<leitai_kob::Position>::new();
        let mut request = Writer::default();
        request.text(&setup);
        leg.answer(Call::Start, &request.into_bytes());
        let mut request = Writer::default();
        request.wants(Wants {
            events,
            checkpoints,
        });
        request.replies(&BySeat::from_fn(|_| Some(Reply::Action("0"))));
        let answer = leg.answer(Call::Step, &request.into_bytes());
        let mut answer = Reader::new(&answer[1..]);
        answer.status(&|_| Some("")).expect("a status");
        answer.number().expect("the number of items")
    };
    // Both heads move; a state is a checkpoint.
    assert_eq!(count(false, false), 0);
    assert_eq!(count(false, true), 1);
    assert_eq!(count(true, true) - count(true, false), 1);
    assert!(count(true, false) >= 2);
}

/// `cargo test --release -p leitai-guest -- --ignored --nocapture measurement`: what docs/game-files.md
/// says of speed.
#[test]
#[ignore = "a measurement"]
fn measurement_of_speed() {
    use std::time::Instant;
    for (native, guest) in pairs(Limits {
        fuel: u64::MAX >> 1,
        ..Limits::default()
    }) {
        let id = native.meta().id;
        let (started, cpu) = (Instant::now(), thread_time());
        drop(leitai_guest::GuestGame::load(
            &meta_of(native),
            &module_of(id),
            Limits::default(),
        ));
        let load = started.elapsed();
        let load_cpu = thread_time() - cpu;
        let setup = native
            .deal_setup(&json!({}), 1)
            .expect("it deals")
            .to_json();
        // About half a second in the module.
        let legs = match id {
            "kob" => 5_000,
            "snakego" => 500,
            _ => 20,
        };
        let started = thread_time();
        let (ended, steps) = guest.play_at_random(&setup, 7, legs).expect("it plays");
        let inside = thread_time() - started;
        let (own, native_steps, outside) = native_playouts(id, &setup, legs);
        assert_eq!((ended, steps), (own, native_steps), "{id}");
        let (ours, theirs) = (median_step(native, &setup), median_step(&guest, &setup));
        eprintln!("{id}: dearest calls {:?}", guest.dearest_calls());
        eprintln!(
            "{id}: loaded in {load:?} ({load_cpu:?} of CPU); {steps} steps of {legs} legs: native {outside:?}, module {inside:?}, {:.1}x; median step native {ours:?}, guest {theirs:?}",
            inside.as_secs_f64() / outside.as_secs_f64()
        );
    }
}

/// The same random legs, natively.
fn native_playouts(id: &str, setup: &Value, legs: u32) -> ([u32; 3], u64, std::time::Duration) {
    use leitai_module::{
        answer::Leg,
        wire::{Call, Reader, Writer},
    };
    fn run<G: leitai_game::GamePackage>(
        setup: &Value,
        legs: u32,
    ) -> ([u32; 3], u64, std::time::Duration) {
        let mut leg = Leg::<G>::new();
        let mut request = Writer::default();
        request.text(&setup.to_string());
        leg.answer(Call::Start, &request.into_bytes());
        let mut request = Writer::default();
        request.long(7);
        request.number(legs);
        request.number(u32::MAX);
        let started = thread_time();
        let answer = leg.answer(Call::Playout, &request.into_bytes());
        let took = thread_time() - started;
        let mut reader = Reader::new(&answer[1..]);
        let mut number = || reader.number().expect("as written");
        let ended = [number(), number(), number()];
        (ended, reader.long().expect("as written"), took)
    }
    match id {
        "kob" => run::<leitai_kob::Position>(setup, legs),
        "snakego" => run::<leitai_snakego::Position>(setup, legs),
        _ => run::<leitai_tankcraft::Position>(setup, legs),
    }
}

/// What this thread has computed so far: other work beside it is not counted.
pub fn thread_time() -> std::time::Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    std::time::Duration::try_from(now).expect("it is not negative")
}

/// What the judge keeps of a step.
struct Hashes(u64);

impl AnySink for Hashes {
    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        self.0 ^= at.hash();
    }
}

/// The median time of a step of random legs, as the judge makes it.
fn median_step(game: &dyn AnyGame, setup: &Value) -> std::time::Duration {
    let setup = game.read_setup(setup).expect("it was dealt");
    let mut leg = setup.start_leg();
    let mut rng = Rng::new(3);
    let mut times = Vec::new();
    while times.len() < 1_000 {
        if leg.to_move() == ToMove::Nobody {
            leg = setup.start_leg();
        }
        let [first, second] = Seat::BOTH.map(|seat| {
            let asked = leg.to_move().asks_seat(seat);
            asked.then(|| leg.sample_action(seat, &mut rng)).flatten()
        });
        let replies = BySeat::new(first.as_deref(), second.as_deref());
        let started = std::time::Instant::now();
        let mut told = Hashes(0);
        leg.step(
            replies.map_values(|reply| reply.map(Reply::Action)),
            &mut told,
        );
        times.push(started.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}
