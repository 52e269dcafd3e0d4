//! The engine against a naive one written from the rules' text, and readers against arbitrary
//! input.

use leitai_game::Erased;
use leitai_game::{
    AnyGame, BySeat, Fault, Game, GamePackage, Perspective, Reply, Rng, Seat, Untimed,
};
use leitai_kob::bots::{self, AlphaBetaBot, Champion, ChampionStyle, Effort};
use leitai_kob::position::Loss;
use leitai_kob::setup::MapSource;
use leitai_kob::{Config, Direction, Position, Setup, record};
use proptest::prelude::*;

/// A naive engine: snakes as lists of cells, head last, judged literally by the sentences of the
/// rules.
struct Naive {
    obstacles: Vec<Vec<bool>>,
    bodies: [Vec<(i8, i8)>; 2],
    round: u16,
}

impl Naive {
    fn new(setup: &Setup) -> Naive {
        let rows = setup.map().row_texts();
        let starts = setup
            .starts()
            .into_pair()
            .map(|cell| vec![(cell.x() as i8, cell.y() as i8)]);
        let obstacles = rows
            .iter()
            .map(|row| row.bytes().map(|digit| digit == b'1').collect())
            .collect();
        Naive {
            obstacles,
            bodies: starts,
            round: 0,
        }
    }

    /// Plays a round; returns each snake's cause of death.
    fn play(&mut self, config: &Config, moves: [Direction; 2]) -> [Option<&'static str>; 2] {
        self.round += 1;
        let s = self.round;
        let grows = s <= config.grow_until || s % config.grow_period == config.grow_phase;
        for (body, direction) in self.bodies.iter_mut().zip(moves) {
            let (x, y) = *body.last().expect("never empty");
            let (down, right) = [(-1, 0), (0, 1), (1, 0), (0, -1)][usize::from(direction.number())];
            body.push((x + down, y + right));
            if !grows {
                body.remove(0);
            }
        }
        [self.cause(0, config), self.cause(1, config)]
    }

    fn cause(&self, me: usize, config: &Config) -> Option<&'static str> {
        let (own, other) = (&self.bodies[me], &self.bodies[1 - me]);
        let (head, behind) = own.split_last().expect("never empty");
        let row = usize::try_from(head.0)
            .ok()
            .and_then(|x| self.obstacles.get(x));
        let free = row
            .and_then(|row| row.get(usize::try_from(head.1).ok()?))
            .is_some_and(|wall| !wall);
        let seen = if config.heads_may_share {
            &other[..other.len() - 1]
        } else {
            &other[..]
        };
        match () {
            _ if !free => Some("wall"),
            _ if behind.contains(head) => Some("self"),
            _ if seen.contains(head) => Some("opponent"),
            _ => None,
        }
    }
}

/// Boards of all sizes with every growth rule, sometimes without a border.
fn config() -> impl Strategy<Value = Config> {
    (
        3..=15u8,
        3..=15u8,
        0..12u16,
        1..=6u16,
        any::<u64>(),
        any::<bool>(),
    )
        .prop_map(
            |(rows, cols, grow_until, grow_period, seed, heads_may_share)| {
                let mut rng = Rng::new(seed);
                let cell = |rng: &mut Rng| {
                    [
                        rng.next_below(rows.into()) as u8,
                        rng.next_below(cols.into()) as u8,
                    ]
                };
                let (a, b) = (cell(&mut rng), cell(&mut rng));
                let start = |x: u8, y: u8| [x, y] == a || [x, y] == b;
                let cells = (0..rows).flat_map(|x| (0..cols).map(move |y| (x, y)));
                let map = cells
                    .map(|(x, y)| {
                        if !start(x, y) && rng.next_below(6) == 0 {
                            '1'
                        } else {
                            '0'
                        }
                    })
                    .collect();
                let (a, b) = (Some(a), Some(b));
                let grow_phase = rng.next_below(grow_period.into()) as u16;
                let map = MapSource::Given(map);
                Config {
                    map,
                    rows,
                    cols,
                    grow_until,
                    grow_period,
                    grow_phase,
                    a,
                    b,
                    heads_may_share,
                    inner_pairs: 0,
                }
            },
        )
}

/// Mostly a direction that is not certain to kill, so that games last.
fn direction(setup: &Setup, position: &Position, seat: Seat, rng: &mut Rng) -> Direction {
    let safe: Vec<_> = Direction::of_mask(position.safe_mask(setup, seat)).collect();
    match rng.next_below(30) {
        0 => Direction::ALL[rng.next_below(4)],
        _ => safe
            .get(rng.next_below(safe.len()))
            .copied()
            .unwrap_or(Direction::Up),
    }
}

/// Plays both engines side by side and compares them after every round.
fn compare(config: &Config, setup: &Setup, seed: u64) -> Result<(), TestCaseError> {
    let (mut rng, mut naive, mut position) =
        (Rng::new(seed), Naive::new(setup), Position::start(setup));
    while !position.is_over() {
        let safe = Seat::BOTH.map(|seat| position.safe_mask(setup, seat));
        let moves = Seat::BOTH.map(|seat| direction(setup, &position, seat, &mut rng));
        let met_free = moves.map(|d| d.number());
        position.play_round(setup, moves);
        let causes = naive.play(config, moves);
        let ours = position.losses().into_pair().map(|loss| match loss {
            Some(Loss::Died(cause)) => Some(cause.name()),
            _ => None,
        });
        prop_assert_eq!(ours, causes);
        for seat in Seat::BOTH {
            let me = seat.index();
            prop_assert_eq!(&position.cells(seat), &naive.bodies[me]);
            let safe = safe[me] >> met_free[me] & 1 != 0;
            let met = position.head(Seat::First) == position.head(Seat::Second);
            prop_assert!(
                safe == causes[me].is_none() || (met && safe),
                "a safe direction kills only where heads meet"
            );
        }
        if !position.is_over() {
            let covered: std::collections::BTreeSet<_> = naive.bodies.iter().flatten().collect();
            prop_assert_eq!(position.bodies().len() as usize, covered.len());
        }
        prop_assert!(
            position.rounds_played() <= setup.rounds(),
            "{} rounds of {}",
            position.rounds_played(),
            setup.rounds()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bodies_and_deaths_agree_with_the_naive_engine(config in config(), seed: u64) {
        if let Ok(setup) = Setup::deal(&config, 0) {
            compare(&config, &setup, seed)?;
        }
    }

    #[test]
    fn standard_games_agree_with_the_naive_engine(seed: u64) {
        let config = Config::default();
        compare(&config, &Setup::deal(&config, seed).expect("the default config is sound"), seed)?;
    }

    #[test]
    fn a_setup_survives_its_own_json(config in config()) {
        if let Ok(setup) = Setup::deal(&config, 0) {
            let json = serde_json::to_string(&setup).expect("plain data");
            prop_assert_eq!(serde_json::from_str::<Setup>(&json).expect("own text"), setup);
        }
    }

    #[test]
    fn readers_never_panic_on_garbage(text in "\\PC{0,200}", bytes: Vec<u8>) {
        Position::compare_corpus(&text, &mut |_| {});
        let _ = (record::FORMAT.import)(&text);
        let _ = Position::read_action(&text);
        let setup = Setup::deal(&Config::default(), 1).expect("sound");
        let mut line = (Position::CONTENTS.protocols[0].make)();
        let read = line.read(&setup, &Position::start(&setup), Seat::First, &bytes);
        prop_assert_eq!(read.is_ok(), matches!(bytes.trim_ascii(), [b'0'..=b'3']));
    }

    #[test]
    fn corpus_lines_with_one_character_changed_never_panic(line in 0usize..80, at: usize, by: u8) {
        let corpus = include_str!("../golden/own.jsonl");
        let mut bytes = corpus.lines().nth(line).unwrap_or_default().as_bytes().to_vec();
        let at = at % bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(at) {
            *byte = by;
        }
        Position::compare_corpus(&String::from_utf8_lossy(&bytes), &mut |_| {});
        let _ = (record::FORMAT.import)(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn configs_of_any_numbers_never_panic(
        sides in (0..20u8, 0..20u8), pairs: u8, growth in (0..300u16, 0..70u16, 0..70u16),
        a: Option<[u8; 2]>, b: Option<[u8; 2]>, share: bool, seed in 0..4u64,
    ) {
        let config = Config {
            rows: sides.0, cols: sides.1, inner_pairs: pairs % 40, grow_until: growth.0, grow_period: growth.1,
            grow_phase: growth.2, a, b, heads_may_share: share, map: MapSource::Standard,
        };
        let _ = Setup::deal(&config, seed);
    }
}

#[test]
fn every_bot_plays_whole_games_and_never_dies_while_it_could_live() {
    for bot in Position::CONTENTS.bots {
        for seed in 0..6 {
            let setup = Setup::deal(&Config::default(), seed).expect("sound");
            let mut position = Position::start(&setup);
            let mut players =
                BySeat::from_fn(|seat: Seat| (bot.make)(seed * 2 + seat.index() as u64));
            // The same search with fewer nodes.
            let few = Effort::Nodes(200);
            match bot.name {
                "alphabeta" => {
                    let quick = || Box::new(AlphaBetaBot::new(few));
                    players = BySeat::new(quick(), quick());
                }
                "champion" | "former-level8" | "level8" | "level9" | "level10" => {
                    let quick = || Box::new(Champion::new(ChampionStyle::full(few), seed));
                    players = BySeat::new(quick(), quick());
                }
                _ => {}
            }
            while !position.is_over() {
                let moves = Seat::BOTH.map(|seat| {
                    let view = position.view(&setup, Perspective::Seat(seat));
                    let chosen = players[seat].choose_action(&setup, &view, &Untimed);
                    let safe = position.safe_mask(&setup, seat);
                    // The lowest levels do not always look.
                    let careless = ["random", "sample", "level1", "level2"];
                    let careful = !careless.contains(&bot.name);
                    assert!(
                        !careful || safe == 0 || safe >> chosen.number() & 1 != 0,
                        "{} died",
                        bot.name
                    );
                    chosen
                });
                position.play_round(&setup, moves);
            }
        }
    }
    assert_eq!(bots::ALL.len(), 18);
}

#[test]
fn a_bot_asked_after_the_end_or_without_room_still_answers() {
    let config = Config {
        map: MapSource::Given("111101111".into()),
        ..small()
    };
    assert!(
        Setup::deal(&config, 0).is_err(),
        "a board with one free cell is refused"
    );
    let config = Config {
        map: MapSource::Given("101111101".into()),
        a: Some([0, 1]),
        b: Some([2, 1]),
        ..small()
    };
    let setup = Setup::deal(&config, 0).expect("two cells of their own");
    let mut position = Position::start(&setup);
    for _ in 0..2 {
        for bot in Position::CONTENTS.bots {
            (bot.make)(0).choose_action(
                &setup,
                &position.view(&setup, Perspective::Seat(Seat::First)),
                &Untimed,
            );
        }
        position.play_round(&setup, [Direction::Up, Direction::Up]);
    }
    assert!(position.is_over());
}

fn small() -> Config {
    Config {
        rows: 3,
        cols: 3,
        ..Config::default()
    }
}

/// A clock without time left, so a search must stop at once.
struct Spent;

impl leitai_game::BotClock for Spent {
    fn time_left(&self) -> Option<std::time::Duration> {
        Some(std::time::Duration::ZERO)
    }
}

#[test]
fn a_search_without_time_still_gives_a_safe_direction() {
    let setup = Setup::deal(&Config::default(), 5).expect("sound");
    let position = Position::start(&setup);
    let mut bot = AlphaBetaBot::new(Effort::Clock);
    let chosen = leitai_game::Bot::choose_action(
        &mut bot,
        &setup,
        &position.view(&setup, Perspective::Seat(Seat::Second)),
        &Spent,
    );
    assert!(position.safe_mask(&setup, Seat::Second) >> chosen.number() & 1 != 0);
}

#[test]
fn any_game_reads_and_writes_the_same_notation() {
    static KOB: Erased<Position> = Erased::new();
    let setup = KOB
        .deal_setup(&serde_json::json!({"grow_until": 2}), 7)
        .expect("a known choice");
    assert!(
        KOB.deal_setup(&serde_json::json!({"grow_untill": 2}), 7)
            .is_err(),
        "unknown choices are refused"
    );
    let mut leg = setup.start_leg();
    assert_eq!(leg.legal_actions(Seat::First), ["0", "1", "2", "3"]);
    assert!(
        leg.knows_action("3")
            && !leg.knows_action("4")
            && !leg.knows_action("00")
            && !leg.knows_action("")
    );
    leg.step(
        BySeat::new(Some(Reply::Action("9")), Some(Reply::Action("2"))),
        &mut (),
    );
    let outcome = leg.outcome().expect("an unknown action is a fault");
    assert_eq!(outcome.faults, BySeat::new(Some(Fault::Malformed), None));
    assert_eq!(
        KOB.read_setup(&setup.to_json())
            .expect("own setup")
            .to_json(),
        setup.to_json()
    );
}
