//! Invariants of every position, however unusual the play; parity with a second, simple engine;
//! readers against arbitrary bytes.

use crate::{reference, weird};

use std::collections::HashMap;

use leitai_game::conformance::mutate_value;
use leitai_game::{
    Fault, Game, GamePackage, JsonLines, Replay, Rng, Seat, protocol::Protocol, rng::mix_seed,
};
use leitai_snakego::items::Generator;
use leitai_snakego::key::KeyedPosition;
use leitai_snakego::position::{ActObserver, GameEnd, MAX_SNAKES};
use leitai_snakego::setup::{FaultScope, ItemSource};
use leitai_snakego::{Action, Board, Config, Direction, Item, Position, Setup, parity, state_text};
use proptest::prelude::*;
use reference::Reference;
use weird::Style;

fn style(number: u64) -> Style {
    let all = [
        Style::Wild,
        Style::Living,
        Style::Fencing,
        Style::Splitting,
        Style::Circling,
    ];
    all[(number % 5) as usize]
}

fn drawn(generator: Generator, max_round: u16, seed: u64) -> Setup {
    let config = Config {
        max_round,
        items: ItemSource::Drawn(generator),
        ..Config::default()
    };
    Setup::deal(&config, seed).expect("drawn items are sound")
}

/// At most one item a round, anywhere, of any kind; often with enough length at the start for large
/// loops.
fn given_items() -> impl Strategy<Value = Vec<Item>> {
    let item = (
        0..4i64,
        0..16i64,
        0..16i64,
        prop_oneof![Just(0i64), Just(2)],
        1..=30i64,
    );
    (any::<bool>(), prop::collection::vec(item, 0..60)).prop_map(|(long, raw)| {
        let lengths = [[0, 15, 1, 0, 100], [15, 0, 2, 0, 100]]
            .map(|raw| Item::from_numbers(raw).expect("sound"));
        let mut items = if long { lengths.to_vec() } else { Vec::new() };
        let mut time = items.len() as i64;
        let mut item = |(wait, x, y, kind, param)| {
            time += 1 + wait;
            Item::from_numbers([x, y, time, kind, param]).expect("within the ranges")
        };
        items.extend(raw.into_iter().map(&mut item));
        items
    })
}

fn any_setup() -> impl Strategy<Value = Setup> {
    let generator = prop_oneof![Just(Generator::Official), Just(Generator::FirstEdition)];
    let from_seed =
        (generator, 1..=120u16, any::<u64>()).prop_map(|(g, rounds, seed)| drawn(g, rounds, seed));
    let given = (given_items(), 1..=160u16).prop_map(|(items, rounds)| {
        Setup::new(rounds, FaultScope::Half, items)
            .expect("items come in the order of their rounds")
    });
    prop_oneof![from_seed, given]
}

/// The styles of two players, and the seed of their random choices.
fn any_players() -> impl Strategy<Value = ([Style; 2], u64)> {
    (0..5u64, 0..5u64, any::<u64>()).prop_map(|(a, b, seed)| ([style(a), style(b)], seed))
}

/// Plays to the end; one action in 500 is any of the six, legal or not.
fn play(
    setup: &Setup,
    (styles, seed): ([Style; 2], u64),
    mut visit: impl FnMut(&Position, Action),
) {
    let mut rng = Rng::new(seed);
    let mut position = Position::start(setup, &mut ());
    while position.end().is_none() {
        let careless = rng.next_below(500) == 0;
        let any = Action::ALL[rng.next_below(6)];
        let action = if careless {
            any
        } else {
            styles[position.seat().index()].choose(&position, &mut rng)
        };
        visit(&position, action);
        position.play_action(setup, action, &mut ());
    }
}

#[derive(Default)]
struct Texts(Vec<String>);

impl ActObserver for Texts {
    fn turn_over(&mut self, setup: &Setup, position: &Position) {
        let mut text = String::new();
        state_text::write(setup, position, position.seat().index() as u8, &mut text)
            .expect("a String");
        self.0.push(text);
    }
}

fn raw(setup: &Setup) -> Vec<[i64; 5]> {
    let cells = |item: &Item| (item.cell.x().into(), item.cell.y().into());
    let raw = |item: &Item| {
        let (x, y) = cells(item);
        [
            x,
            y,
            item.time.into(),
            item.kind.number().into(),
            item.param.into(),
        ]
    };
    setup.items().iter().map(raw).collect()
}

/// Plays both engines and compares every turn, the end, the scores and the first items.
fn compare(setup: &Setup, players: ([Style; 2], u64)) -> Result<usize, TestCaseError> {
    let mut texts = Texts::default();
    let mut engine = Position::start(setup, &mut texts);
    let mut simple = Reference::new(raw(setup), setup.max_round().into());
    let mut ops = String::new();
    play(setup, players, |_, action| {
        ops.push(char::from(b'0' + action.number()))
    });
    for (index, op) in ops.bytes().enumerate() {
        let before = texts.0.len();
        engine.play_action(
            setup,
            Action::from_number(op - b'0').expect("1 to 6"),
            &mut texts,
        );
        simple.act(op - b'0');
        for turn in before..texts.0.len().max(simple.turns.len()) {
            let (ours, theirs) = (texts.0.get(turn), simple.turns.get(turn));
            prop_assert_eq!(
                ours,
                theirs,
                "op {} of {}, items {:?}",
                index,
                &ops,
                raw(setup)
            );
        }
        prop_assert_eq!(
            engine.end().is_some(),
            simple.over.is_some(),
            "op {} of {}",
            index,
            &ops
        );
    }
    let culprit = match engine.end() {
        Some(GameEnd::Fault(seat, Fault::Illegal)) => Some(seat.index()),
        _ => None,
    };
    prop_assert_eq!(simple.over, Some(culprit));
    let scores = engine.scores().into_pair().map(|score| score as usize);
    prop_assert_eq!(scores, simple.scores());
    prop_assert_eq!(
        engine
            .first_item()
            .into_pair()
            .map(|round| round.map(i64::from)),
        simple.first
    );
    Ok(texts.0.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_simple_engine(setup in any_setup(), players in any_players()) {
        compare(&setup, players)?;
    }
}

/// Whole games of 512 rounds, with thousands of turns.
#[test]
fn agrees_with_a_simple_engine_over_long_games() {
    let mut turns = 0;
    for seed in 0..12 {
        let generator = [Generator::Official, Generator::FirstEdition][(seed % 2) as usize];
        let players = ([Style::Living, style(seed)], mix_seed(seed, 7));
        turns += compare(&drawn(generator, 512, seed), players).expect("both engines agree");
    }
    assert!(turns > 2_000, "the games were {turns} turns long");
}

/// Asserts the invariants of a position.
fn assert_sound(setup: &Setup, position: &Position) {
    let walls = Seat::BOTH.map(|seat| position.walls(seat));
    assert!(
        (walls[0] & walls[1]).is_empty(),
        "no cell is a wall of both sides"
    );
    assert!(
        (position.bodies() & (walls[0] | walls[1])).is_empty(),
        "no snake lies in a wall"
    );
    assert!(
        (position.bodies() & position.item_cells()).is_empty(),
        "no item lies under a snake"
    );
    assert_eq!(
        position.item_cells(),
        Board::from_cells(position.lying_items(setup).map(|(_, item)| item.cell))
    );
    let mut covered = 0;
    let mut union = Board::EMPTY;
    for seat in Seat::BOTH {
        let snakes = position.snakes(seat);
        assert!(snakes.len() <= MAX_SNAKES, "at most 4 snakes a side");
        let mut lengths = 0;
        for snake in snakes {
            let cells = position.cells_of(snake);
            assert_eq!(
                (cells.first(), cells.last()),
                (Some(&snake.head), Some(&snake.tail))
            );
            assert_eq!(cells.len(), usize::from(snake.length));
            let linked = |pair: &[_]| {
                Direction::ALL
                    .into_iter()
                    .any(|d| pair[1..] == [pair_next(pair[0], d)])
            };
            assert!(
                cells
                    .windows(2)
                    .all(|pair| linked(&pair.iter().map(|c| Some(*c)).collect::<Vec<_>>()))
            );
            let facing = snake
                .facing()
                .map(|direction| direction.next_from(cells[1]));
            assert_eq!(facing, (cells.len() > 1).then_some(Some(snake.head)));
            lengths += snake.length;
            union |= Board::from_cells(cells);
        }
        covered += lengths;
        let score = lengths + walls[seat.index()].len() as u16;
        assert_eq!(
            position.count_cells()[seat],
            score,
            "score = covered cells + walls"
        );
    }
    assert_eq!(u32::from(covered), union.len(), "no two bodies overlap");
    assert_eq!(union, position.bodies());
}

fn pair_next(
    cell: Option<leitai_snakego::Cell>,
    direction: Direction,
) -> Option<leitai_snakego::Cell> {
    cell.and_then(|cell| direction.next_from(cell))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_position_is_sound(setup in any_setup(), players in any_players()) {
        play(&setup, players, |position, _| {
            assert_sound(&setup, position);
            for action in Action::ALL {
                let listed = position.legal_mask() >> action.number() & 1 != 0;
                assert_eq!(position.check_action(action).is_ok(), listed, "{action:?}");
            }
        });
    }

    #[test]
    fn a_key_does_not_depend_on_the_order_of_moves(setup in any_setup(), players in any_players()) {
        let mut keyed = KeyedPosition::start(&setup);
        let mut keys = HashMap::new();
        play(&setup, players, |position, action| {
            assert_eq!(keyed.position(), position);
            let text = everything(&setup, position);
            let earlier = keys.insert(keyed.key(), text);
            assert_eq!(earlier, None, "no key occurs twice in one leg");
            let again = [1u8, 2, 3, 4, 5, 6].into_iter().filter_map(Action::from_number);
            let next: Vec<(u64, String)> = again
                .filter(|action| position.check_action(*action).is_ok())
                .map(|action| {
                    let mut ahead = keyed;
                    ahead.play_action(&setup, action);
                    (ahead.key(), everything(&setup, ahead.position()))
                })
                .collect();
            for (index, one) in next.iter().enumerate() {
                for other in &next[..index] {
                    assert_eq!(one.0 == other.0, one.1 == other.1, "{one:?} {other:?}");
                }
            }
            keyed.play_action(&setup, action);
        });
    }
}

/// The state text, and the facts that it omits but that influence the future: the acting snake, the
/// next id, and whether the leg is over.
fn everything(setup: &Setup, position: &Position) -> String {
    let mut text = String::new();
    position
        .state_text(setup, &mut text)
        .expect("a String takes every text");
    let acting = position.current().map(|snake| snake.id);
    let ids = Seat::BOTH.map(|seat| position.snakes(seat).iter().map(|snake| snake.id).max());
    format!("{text}{} {acting:?} {ids:?}", position.cursor())
}

/// Many short games on one setup reach the same positions by different moves: exactly then keys are
/// equal.
#[test]
fn keys_are_equal_exactly_where_games_transpose() {
    let items = [
        [0, 15, 1, 0, 2],
        [15, 0, 2, 2, 1],
        [1, 14, 3, 0, 1],
        [14, 1, 4, 2, 1],
    ];
    let items = items.map(|raw| Item::from_numbers(raw).expect("sound"));
    let setup = Setup::new(12, FaultScope::Half, items.to_vec()).expect("sound");
    let mut keys: HashMap<String, (u64, String)> = HashMap::new();
    let mut texts: HashMap<u64, String> = HashMap::new();
    let mut transpositions = 0;
    for seed in 0..3000 {
        let mut keyed = KeyedPosition::start(&setup);
        let mut ops = String::new();
        let splits = std::cell::Cell::new(0);
        play(
            &setup,
            ([Style::Wild, style(seed)], mix_seed(seed, 3)),
            |position, action| {
                let text = format!("{} next {}", everything(&setup, position), splits.get());
                let key = keyed.key();
                let (known, way) = keys
                    .entry(text.clone())
                    .or_insert_with(|| (key, ops.clone()));
                assert_eq!(
                    *known, key,
                    "equal positions, different keys:\n{text}\nby {way} and {ops}"
                );
                let known = texts.entry(key).or_insert_with(|| text.clone());
                assert_eq!(*known, text, "equal keys, different positions");
                transpositions += usize::from(*way != ops);
                ops.push(char::from(b'0' + action.number()));
                splits.set(splits.get() + usize::from(action == Action::Split));
                keyed.play_action(&setup, action);
            },
        );
    }
    assert!(
        transpositions > 1000,
        "only {transpositions} positions were reached by different moves"
    );
}

#[test]
fn a_position_is_small() {
    let bytes = size_of::<Position>();
    assert!(
        bytes <= 384,
        "a position has {bytes} bytes; the goal in docs/benchmarks.md is 384"
    );
}

/// Texts whose damaged copies every reader gets.
fn seeds() -> [String; 4] {
    let setup = drawn(Generator::Official, 30, 1);
    [
        serde_json::to_string(&setup).expect("plain data"),
        serde_json::to_string(&Config::default()).expect("plain data"),
        include_str!("../golden/games.jsonl").lines().last().unwrap_or_default().to_owned(),
        r#"{"format":"leitai-replay/1","game":"snakego","rules":"snakego/1","engine":"x","setup":null,"entrants":[
        {"name":"a","kind":"human"},{"name":"b","kind":"program"}],"status":"complete","legs":[{"replies":"1 2"}],
        "verdict":null}"#
            .replace('\n', ""),
    ]
}

/// Calls all readers of outside bytes; the test is that they return.
fn read_everywhere(bytes: &[u8]) {
    let setup = drawn(Generator::Official, 30, 1);
    let position = Position::start(&setup, &mut ());
    let mut saiblo = (Position::CONTENTS.protocols[0].make)();
    if let Ok(action) = saiblo.read(&setup, &position, Seat::First, bytes) {
        assert_eq!(bytes, [action.number()], "the body is one byte");
    }
    if let Ok(action) = JsonLines.read(&setup, &position, Seat::First, bytes) {
        assert_eq!(
            Position::read_action(&Position::write_action(action)),
            Some(action)
        );
    }
    let text = String::from_utf8_lossy(bytes);
    if let Ok(replay) = Replay::parse(&text) {
        assert_eq!(Replay::parse(&replay.to_text()).as_ref(), Ok(&replay));
        let game = leitai_game::Erased::<Position>::new();
        let _verified = leitai_game::replay::verify_replay(&game, &replay); // The test is that it returns.
    }
    parity::compare_corpus(&text, &mut |_| {});
    for format in Position::CONTENTS.replay_formats {
        let _refused = (format.import)(&text); // The test is that it returns.
    }
    if let Ok(config) = serde_json::from_str::<Config>(&text) {
        let _refused = Setup::deal(&config, 1); // The test is that it returns.
    }
    if let Ok(setup) = serde_json::from_str::<Setup>(&text) {
        play(&setup, ([Style::Living; 2], 1), |_, _| {});
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn readers_take_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_everywhere(&bytes);
    }

    #[test]
    fn readers_take_any_text(text in "[\\[\\]{}\",:0-9a-z!/ .é-]{0,80}") {
        read_everywhere(text.as_bytes());
    }

    #[test]
    fn readers_take_damaged_json(which in 0..4usize, seed in any::<u64>(), times in 1..4usize) {
        let mut rng = Rng::new(seed);
        let mut value = serde_json::from_str(&seeds()[which]).expect("the seeds are JSON");
        (0..times).for_each(|_| value = mutate_value(&value, &mut rng));
        read_everywhere(value.to_string().as_bytes());
    }

    #[test]
    fn readers_take_damaged_text(which in 0..4usize, place in any::<usize>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = seeds()[which].clone().into_bytes();
        let place = place % bytes.len();
        bytes[place] = byte;
        bytes.truncate(if cut { place } else { bytes.len() });
        read_everywhere(&bytes);
    }
}

#[test]
fn readers_take_deep_and_huge_json() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(20_000), close.repeat(20_000));
    let huge = "9".repeat(5000);
    let rows = [
        deep("[", "]"),
        deep("{\"items\":", "}"),
        "[".repeat(100_000),
        huge.clone(),
        format!("{{\"max_round\":{huge}}}"),
        format!("{{\"max_round\":1e{huge}}}"),
        format!("{{\"max_round\":-{huge},\"items\":[[{huge},0,0,0,0]]}}"),
        "{\"max_round\":512,\"items\":[[0,0,1,0,18446744073709551615]],\"fault_scope\":\"half\"}"
            .to_owned(),
        format!(
            "{{\"items\":[{}[0,0,1,0,1]]}}",
            "[0,0,1,0,1],".repeat(10_000)
        ),
        format!(
            "{{\"seed\":{},\"max_round\":65535,\"ops\":\"\u{e9}\",\"turns\":\"\u{e9}\",\"final\":null,\"items\":[],\
                 \"scores\":[0,0],\"end\":{{\"type\":\"\",\"winner\":9,\"err\":null}}}}",
            u64::MAX
        ),
    ];
    rows.iter().for_each(|row| read_everywhere(row.as_bytes()));
}

/// Where a leg stops as decided, playing on ends with the same winner, as long as the leader's rays
/// leave its own walls alone.
#[test]
fn a_leg_that_stops_when_it_is_decided_has_the_winner_of_the_whole_leg() {
    let mut decided = [0, 0];
    for seed in 0..400 {
        let config = |stop_decided| Config {
            max_round: 160,
            stop_decided,
            ..Config::default()
        };
        let [whole, stopping] =
            [false, true].map(|stop| Setup::deal(&config(stop), seed).expect("drawn items"));
        let mut rng = Rng::new(seed);
        let styles = [style(seed), style(seed / 5)];
        let mut stopped: Option<Position> = None;
        let mut shorter = Position::start(&stopping, &mut ());
        let mut longer = Position::start(&whole, &mut ());
        while longer.end().is_none() {
            let action = match styles[longer.seat().index()].choose(&longer, &mut rng) {
                Action::Ray => {
                    let mask = longer.legal_mask();
                    let legal = |action: &Action| {
                        *action != Action::Ray && mask >> action.number() & 1 != 0
                    };
                    Action::ALL.into_iter().find(legal).expect("a move")
                }
                other => other,
            };
            longer.play_action(&whole, action, &mut ());
            shorter.play_action(&stopping, action, &mut ());
            if stopped.is_none() && shorter.end() == Some(GameEnd::Decided) {
                stopped = Some(shorter);
            }
        }
        let winner = |position: &Position| position.outcome().and_then(|end| end.winner);
        match stopped {
            Some(stopped) => {
                assert_eq!(winner(&stopped), winner(&longer), "seed {seed}");
                let reason = stopped.outcome().map(|end| end.reason.id);
                assert_eq!(reason, Some("decided"), "seed {seed}");
                decided[winner(&longer).expect("no draws").index()] += 1;
            }
            None => assert_eq!(shorter.end(), longer.end(), "seed {seed}"),
        }
    }
    assert!(decided.iter().all(|&many| many > 5), "{decided:?}");
}
