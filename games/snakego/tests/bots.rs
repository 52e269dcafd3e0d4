//! The built-in bots in small positions and short matches.

use std::time::Duration;

use leitai_game::board::Board;
use leitai_game::{Bot, BotClock, BySeat, Entrant, Fault, Game, Perspective, Rng, Seat, Untimed};
use leitai_search::{Assessor, SearchBudget};
use leitai_snakego::bots::champion::{Champion, ChampionStyle};
use leitai_snakego::bots::greedy::{Greedy, best_ranked, plainly_best};
use leitai_snakego::bots::random::Random;
use leitai_snakego::bots::territory::{SearchStyle, TerritoryBot};
use leitai_snakego::items::ItemKind;
use leitai_snakego::setup::FaultScope;
use leitai_snakego::{Action, Cell, Config, Item, Position, Setup};

type Player = Box<dyn Bot<Position>>;

/// A leg of this many rounds with length items `(x, y, time, length)`, after these actions.
fn played(rounds: u16, items: &[(u8, u8, u16, u16)], actions: &str) -> (Setup, Position) {
    let item = |&(x, y, time, param): &(u8, u8, u16, u16)| {
        let cell = Cell::new(x, y);
        Item {
            cell,
            time,
            kind: ItemKind::Length,
            param,
        }
    };
    let items = items.iter().map(item).collect();
    let setup = Setup::new(rounds, FaultScope::Half, items).expect("the items are sound");
    let mut position = Position::start(&setup, &mut ());
    for digit in actions.chars() {
        let action = Position::read_action(&digit.to_string()).expect("1 to 6");
        position.play_action(&setup, action, &mut ());
    }
    assert!(position.end().is_none(), "{actions} end the leg too early");
    (setup, position)
}

fn choice(bot: &mut dyn Bot<Position>, setup: &Setup, position: &Position) -> Action {
    bot.choose_action(
        setup,
        &position.view(setup, Perspective::Seat(position.seat())),
        &Untimed,
    )
}

/// The moves of both players, one string each, interleaved in the order of play.
fn woven(first: &str, second: &str) -> String {
    let pairs = first.chars().zip(second.chars());
    let mut actions: String = pairs.flat_map(|(a, b)| [a, b]).collect();
    actions.extend(first.chars().skip(second.len()));
    actions
}

#[test]
fn bots_take_an_item_beside_them() {
    let check = |item, actions: &str, expected| {
        let (setup, position) = played(512, &[item], actions);
        assert_eq!(
            choice(&mut Greedy, &setup, &position),
            expected,
            "greedy, {item:?}"
        );
        assert_eq!(
            choice(&mut TerritoryBot::default(), &setup, &position),
            expected,
            "territory, {item:?}"
        );
    };
    check((1, 15, 1, 5), "", Action::Right);
    check((0, 14, 1, 5), "", Action::Down);
    check((15, 1, 1, 5), "1", Action::Up);
    check((14, 0, 1, 5), "1", Action::Left);
}

#[test]
fn greedy_walks_around_a_body_to_an_item() {
    // The head is at (2, 14), the neck at (2, 15): the item at (3, 15) is reached by one step
    // right, then one up.
    let (setup, position) = played(512, &[(3, 15, 1, 3)], &woven("114", "333"));
    assert_eq!(choice(&mut Greedy, &setup, &position), Action::Right);
}

/// Legs of greedy alone, once its random opponent is dead, and of two of them; old items, and such as cannot be reached in time.
#[test]
fn greedy_goes_where_measuring_every_way_would_lead() {
    let (mut told, mut asked) = (0, 0);
    for seed in 1..=12 {
        let setup = Setup::deal(&Config::default(), seed).expect("sound");
        let (mut position, mut rng) = (Position::start(&setup, &mut ()), Rng::new(seed));
        while let Some(snake) = position.current() {
            let around = Board::from_cells([snake.head]).with_neighbours();
            let ways = around & !position.blocked();
            if !ways.is_empty() {
                let best = best_ranked(&setup, &position, ways);
                let plain = plainly_best(&setup, &position, ways);
                assert_eq!(plain.unwrap_or(best), best, "seed {seed}, {position:?}");
                (told, asked) = (told + i32::from(plain.is_some()), asked + 1);
            }
            let wild = position.seat() == Seat::First && seed % 2 == 0;
            let action = match wild {
                true => position.sample_action(&setup, Seat::First, &mut rng),
                false => Some(choice(&mut Greedy, &setup, &position)),
            };
            position.play_action(&setup, action.expect("it is asked"), &mut ());
        }
    }
    assert!(
        told * 10 > asked * 9,
        "{told} of {asked} without measuring all"
    );
}

#[test]
fn greedy_never_dies_while_it_has_a_way() {
    for seed in 1..=6 {
        let setup = Setup::deal(
            &Config {
                max_round: 128,
                ..Config::default()
            },
            seed,
        )
        .expect("sound");
        let mut position = Position::start(&setup, &mut ());
        let mut rng = Rng::new(seed);
        while let Some(snake) = position.current().copied() {
            let seat = position.seat();
            let greedy = choice(&mut Greedy, &setup, &position);
            let after = |action| {
                let mut after = position;
                after.play_action(&setup, action, &mut ());
                after
            };
            let lives =
                |after: &Position| after.snakes(seat).iter().any(|alive| alive.id == snake.id);
            let ways = (1..=4)
                .filter_map(Action::from_number)
                .filter(|a| position.check_action(*a).is_ok());
            if ways.map(after).any(|after| lives(&after)) {
                assert!(
                    lives(&after(greedy)),
                    "seed {seed}, round {}",
                    position.round()
                );
            }
            // The first player sometimes plays a random action, so that unusual positions occur.
            let wild = seat == Seat::First && rng.next_below(3) == 0;
            let action = if wild {
                position.sample_action(&setup, seat, &mut rng)
            } else {
                None
            };
            position = after(action.unwrap_or(greedy));
        }
    }
}

#[test]
fn territory_walls_a_square_in_when_that_is_plainly_best() {
    // A square of 4 x 4 can be closed in the last round: 16 cells instead of 13.
    let (setup, position) = played(12, &[(0, 15, 1, 5)], &woven("11144433322", "33333333333"));
    assert_eq!(
        choice(&mut TerritoryBot::default(), &setup, &position),
        Action::Up
    );
}

#[test]
fn territory_does_not_step_into_a_dead_end() {
    // Upwards is a pocket of one cell between the snake's own coils.
    let (setup, position) = played(512, &[], &woven("114343", "333333"));
    assert_eq!(
        choice(&mut TerritoryBot::default(), &setup, &position),
        Action::Down
    );
}

#[test]
fn territory_does_not_split_while_it_grows_by_itself() {
    let (setup, mut position) = played(8, &[], "");
    let mut bots: BySeat<Player> = BySeat::from_fn(|_: Seat| Box::new(light()) as Player);
    while position.end().is_none() {
        let action = choice(&mut *bots[position.seat()], &setup, &position);
        assert_ne!(action, Action::Split, "round {}", position.round());
        position.play_action(&setup, action, &mut ());
    }
}

#[test]
fn territory_is_deterministic_and_drops_a_plan_that_no_longer_fits() {
    let setup = Setup::deal(
        &Config {
            max_round: 64,
            ..Config::default()
        },
        3,
    )
    .expect("sound");
    let mut position = Position::start(&setup, &mut ());
    let (mut steady, mut twin) = (light(), light());
    let mut half_planned: Option<TerritoryBot> = None;
    let mut dropped = 0;
    while position.end().is_none() {
        let action = choice(&mut steady, &setup, &position);
        assert_eq!(choice(&mut twin, &setup, &position), action);
        if position.cursor() == 0 {
            if let Some(mut bot) = half_planned.take() {
                dropped += 1;
                assert_eq!(
                    choice(&mut bot, &setup, &position),
                    action,
                    "round {}",
                    position.round()
                );
            }
            // When it is asked for one snake of several, plans for the others remain until the next
            // turn.
            let mut bot = light();
            choice(&mut bot, &setup, &position);
            half_planned = (position.snakes(position.seat()).len() > 1).then_some(bot);
        }
        position.play_action(&setup, action, &mut ());
    }
    assert!(dropped > 5, "{dropped} plans were dropped");
}

/// The territory bot with little effort, for builds without optimisation.
fn light() -> TerritoryBot {
    let mut style = SearchStyle {
        beam: 3,
        answered: 2,
        foresight: 1,
        ..SearchStyle::default()
    };
    (style.habits.winding, style.habits.reach, style.habits.turns) = (4, 10, 1);
    TerritoryBot::with_style(style)
}

#[test]
fn every_bot_beats_the_one_before_it() {
    let check =
        |name: &str, rounds, matches, strong: fn(u64) -> Player, weak: fn(u64) -> Player| {
            let wins = (1..=matches)
                .filter(|seed| strong_wins(rounds, *seed, strong, weak))
                .count() as u64;
            assert!(wins * 4 >= matches * 3, "{name}: {wins} of {matches}");
        };
    check(
        "greedy against random",
        128,
        16,
        |_| Box::new(Greedy),
        |seed| Box::new(Random::new(seed)),
    );
    check(
        "territory against greedy",
        96,
        4,
        |_| Box::new(light()),
        |_| Box::new(Greedy),
    );
    check(
        "level 7 against level 4",
        96,
        4,
        |seed| Box::new(Champion::new(ChampionStyle::level(7), seed)),
        |seed| Box::new(Champion::new(ChampionStyle::level(4), seed)),
    );
}

#[test]
fn a_level_is_bound_by_playouts_and_its_seed_alone() {
    let (setup, mut position) = played(512, &[(4, 4, 3, 3)], &"14".repeat(8));
    let mut bots = [1, 1].map(|seed| Champion::new(ChampionStyle::level(6), seed));
    for _ in 0..12 {
        let [a, b] = bots.each_mut().map(|bot| choice(bot, &setup, &position));
        assert_eq!(a, b, "round {}", position.round());
        let late = bots[0].choose_action(
            &setup,
            &position.view(&setup, Perspective::Seat(position.seat())),
            &NoTime,
        );
        assert!(position.check_action(late).is_ok());
        bots[0] = Champion::new(ChampionStyle::level(6), 1);
        bots[1] = Champion::new(ChampionStyle::level(6), 1);
        position.play_action(&setup, a, &mut ());
    }
}

/// A clock that has run out.
struct NoTime;

impl BotClock for NoTime {
    fn time_left(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
}

#[test]
fn the_champion_answers_legally_without_any_time_left() {
    let setup = Setup::deal(&Config::default(), 5).expect("the config is sound");
    let mut position = Position::start(&setup, &mut ());
    let mut champion = Champion::new(ChampionStyle::champion(), 1);
    while position.end().is_none() && position.round() < 120 {
        let view = position.view(&setup, Perspective::Seat(position.seat()));
        let action = champion.choose_action(&setup, &view, &NoTime);
        assert_eq!(
            position.check_action(action),
            Ok(()),
            "round {}",
            position.round()
        );
        position.play_action(&setup, action, &mut ());
    }
}

#[test]
fn the_champion_closes_a_loop_in_the_last_round() {
    // One step up closes 4 x 3 cells, one more than the snake would cover; the leg ends then.
    let (setup, position) = played(10, &[(1, 15, 1, 5)], &woven("111443332", "333333333"));
    let style = ChampionStyle {
        nodes: 1000,
        ..ChampionStyle::champion()
    };
    let mut champion = Champion::new(style, 1);
    assert_eq!(choice(&mut champion, &setup, &position), Action::Up);
}

#[test]
fn an_assessment_knows_who_is_ahead_and_when_there_is_nothing_to_assess() {
    for style in [ChampionStyle::level(6), ChampionStyle::champion()] {
        check_assessments(Champion::new(style, 1));
    }
}

fn check_assessments(mut champion: Champion) {
    let setup = Setup::deal(&Config::default(), 5).expect("the config is sound");
    let mut position = Position::start(&setup, &mut ());
    // The first player walks; the second one leaves the map at once and has nothing from then on.
    for action in "111111".chars() {
        let action = Position::read_action(&action.to_string()).expect("1 to 6");
        position.play_action(&setup, action, &mut ());
    }
    let mut of = |position: &Position, seat| {
        champion.assess(&setup, position, seat, SearchBudget::nodes(200))
    };
    let [first, second] = Seat::BOTH.map(|seat| of(&position, seat).expect("the leg goes on"));
    assert!(first.win_probability > 0.5 && second.win_probability < 0.5);
    assert!(first.expected_margin > 0.0, "{first:?}");
    assert_eq!(first.nodes, 200);
    assert!(!first.best_line.is_empty());

    let actions = champion.assess_actions(&setup, &position, Seat::First, SearchBudget::nodes(200));
    let margins: Vec<f64> = actions.iter().map(|(_, of)| of.expected_margin).collect();
    assert!(margins.is_sorted_by(|a, b| a >= b), "{margins:?}");
    for (action, assessment) in &actions {
        assert_eq!(position.check_action(*action), Ok(()));
        assert_eq!(assessment.best_line.first(), Some(action));
    }
    // Nobody asks the second player, and a leg that is over has nothing to assess.
    let budget = SearchBudget::nodes(50);
    assert!(
        champion
            .assess_actions(&setup, &position, Seat::Second, budget)
            .is_empty()
    );
    position.record_fault(Fault::Illegal);
    assert_eq!(
        champion.assess(&setup, &position, Seat::First, budget),
        None
    );
}

/// Whether the strong bot, as entrant A, wins a match of two legs.
fn strong_wins(rounds: u16, seed: u64, strong: fn(u64) -> Player, weak: fn(u64) -> Player) -> bool {
    let config = Config {
        max_round: rounds,
        ..Config::default()
    };
    let setup = Setup::deal(&config, seed).expect("the config is sound");
    let legs = [0, 1].map(|leg| {
        let mut players = BySeat::from_fn(|seat: Seat| match seat.entrant_in_leg(leg) {
            Entrant::A => strong(seed),
            Entrant::B => weak(seed),
        });
        let mut position = Position::start(&setup, &mut ());
        while position.end().is_none() {
            let action = choice(&mut *players[position.seat()], &setup, &position);
            position.play_action(&setup, action, &mut ());
        }
        position
    });
    Position::decide_match(&setup, &legs).winner == Some(Entrant::A)
}
