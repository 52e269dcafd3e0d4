//! One row for each sentence of R5, R6 and R8. A row is the state before round 12, the orders, and
//! the state after it: `0S2@10.8` is tank 0, a Striker with 2 HP on (10,8); `*1` after it is its
//! counter; `9N+14` is dead until round 14; `#` is stone and `%10.9=2` a brick with 2 HP; `m6=R` a
//! mine whose owner changed; `g5,0` and `k1,0` resources and kills of red and blue; `r400` another
//! round than 12. Unnamed tanks are not on the map, and the map is open.

use leitai_tankcraft::cell::{Cell, Direction, Grid};
use leitai_tankcraft::event::{Event, StepObserver};
use leitai_tankcraft::map::TankMap;
use leitai_tankcraft::orders::TankOrder;
use leitai_tankcraft::position::{Orders, Position};
use leitai_tankcraft::setup::Fog;
use leitai_tankcraft::setup::Setup;
use leitai_tankcraft::state_text;
use leitai_tankcraft::tank::TankType;
use leitai_tankcraft::tank::{TANKS, Tank};

/// A setup with thirteen mines, and spawns spread along the top and bottom edges.
fn setup(stone: Grid) -> Setup {
    let mines = [(4, 5), (4, 11), (4, 17), (7, 2), (7, 20), (11, 4), (11, 11)];
    let half = mines.map(|(row, col)| Cell::new(row, col));
    let spawns = [3, 7, 11, 15, 19].map(|col| Cell::new(1, col));
    let map = TankMap {
        stone: stone | !Grid::MAP,
        bricks: [Grid::EMPTY; 2],
        mines: std::array::from_fn(|n| {
            if n < 7 {
                half[n]
            } else {
                half[12 - n].rotate_half_turn()
            }
        }),
        owners: [0b111, 0b111 << 10],
        spawns: std::array::from_fn(|n| {
            if n < 5 {
                spawns[n]
            } else {
                spawns[n - 5].rotate_half_turn()
            }
        }),
    };
    Setup::new(map, Fog::Strict, 1000, 400).expect("the default numbers")
}

fn cell(text: &str) -> Cell {
    let (row, col) = text.split_once('.').expect("row.col");
    Cell::new(row.parse().expect("a row"), col.parse().expect("a column"))
}

fn pair(text: &str) -> [u32; 2] {
    let (red, blue) = text.split_once(',').expect("red,blue");
    [
        red.parse().expect("a number"),
        blue.parse().expect("a number"),
    ]
}

fn read(state: &str) -> (Setup, Position) {
    let stone = Grid::from_cells(
        state
            .split(' ')
            .filter_map(|word| word.strip_prefix('#'))
            .map(cell),
    );
    let setup = setup(stone);
    let mut position = Position::start(&setup);
    position.round = 12;
    position.tanks = [Tank::dead_tank(TankType::Striker, u16::MAX); TANKS];
    for word in state.split(' ').filter(|word| !word.is_empty()) {
        let rest = &word[1..];
        match word.as_bytes()[0] {
            b'#' => {}
            b'%' => {
                let (place, left) = rest.split_once('=').expect("a brick has HP");
                position.set_brick(cell(place), left.parse().expect("HP"));
            }
            b'g' => position.gold = pair(rest),
            b'k' => position.kills = pair(rest),
            b'r' => position.round = rest.parse().expect("a round"),
            number => position.tanks[usize::from(number - b'0')] = tank(rest),
        }
    }
    (setup, position)
}

fn tank(text: &str) -> Tank {
    let kind = match text.as_bytes()[0] {
        b'S' => TankType::Striker,
        b'P' => TankType::Pioneer,
        _ => TankType::Sniper,
    };
    let rest = &text[1..];
    if let Some(round) = rest.strip_prefix('+') {
        return Tank::dead_tank(kind, round.parse().expect("a round"));
    }
    let (life, rest) = rest.split_once('@').expect("HP@cell");
    let (place, noharm) = rest.split_once('*').unwrap_or((rest, "0"));
    let (life, noharm) = (
        life.parse().unwrap_or(kind.life()),
        noharm.parse().expect("a counter"),
    );
    Tank {
        life,
        noharm,
        ..Tank::new_tank(kind, cell(place))
    }
}

/// The position in the notation of the rows, without resources and round.
fn write(position: &Position) -> String {
    let mut words = Vec::new();
    for (number, tank) in position.tanks.iter().enumerate() {
        let letter = ["S", "P", "N"][tank.kind as usize];
        let Tank {
            cell,
            life,
            noharm,
            revive,
            ..
        } = *tank;
        match (life, noharm) {
            (0, _) if revive == u16::MAX => {}
            (0, _) => words.push(format!("{number}{letter}+{revive}")),
            (_, 0) => words.push(format!("{number}{letter}{life}@{}.{}", cell.row, cell.col)),
            _ => words.push(format!(
                "{number}{letter}{life}@{}.{}*{noharm}",
                cell.row, cell.col
            )),
        }
    }
    let bricks = position.bricks[0].cells();
    words.extend(bricks.map(|cell| format!("%{}.{}={}", cell.row, cell.col, position.brick(cell))));
    let owners = state_text::write_owners(position);
    let changed = owners
        .chars()
        .zip("RRRNNNNNNNBBB".chars())
        .enumerate()
        .filter(|(_, (now, then))| now != then);
    words.extend(changed.map(|(mine, (owner, _))| format!("m{mine}={owner}")));
    if position.kills != [0, 0] {
        words.push(format!("k{},{}", position.kills[0], position.kills[1]));
    }
    words.join(" ")
}

/// `0>` moves right, `0<` left, `0^` up, `0v` down, `0!10.8` fires, `0?` is unreadable.
fn orders(text: &str) -> Orders {
    let mut orders = [TankOrder::Stop; TANKS];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let number = usize::from(word.as_bytes()[0] - b'0');
        orders[number] = match &word[1..] {
            ">" => TankOrder::Go(Direction::Right),
            "<" => TankOrder::Go(Direction::Left),
            "^" => TankOrder::Go(Direction::Up),
            "v" => TankOrder::Go(Direction::Down),
            "?" => TankOrder::Unread,
            target => {
                let (row, col) = target[1..].split_once('.').expect("a target");
                TankOrder::Fire {
                    row: row.parse().expect("a row"),
                    col: col.parse().expect("a column"),
                }
            }
        };
    }
    orders
}

#[track_caller]
fn check(rule: &str, before: &str, said: &str, after: &str) {
    let (setup, mut position) = read(before);
    position.play_round(&setup, &orders(said), &mut ());
    assert_eq!(write(&position), after, "{rule}: {before} | {said}");
}

/// Lines of `rule | before | orders | after`.
#[track_caller]
fn check_rows(rows: &str) {
    for row in rows.lines().filter(|row| !row.trim().is_empty()) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [rule, before, said, after] = cells[..] else {
            panic!("four cells are needed: {row}");
        };
        check(rule, before, said, after);
    }
}

#[test]
fn r2_1_attack_life_and_range() {
    check_rows(
        "
        Striker: 2 at 3  | 0S@10.8 7P@10.11 | 0!10.11 | 0S3@10.8 7P7@10.11
        Striker not at 4 | 0S@10.8 7P@10.12 | 0!10.12 | 0S3@10.8 7P9@10.12
        Pioneer: 1 at 1  | 0P@10.8 7P@10.9  | 0!10.9  | 0P9@10.8 7P8@10.9
        Pioneer not at 2 | 0P@10.8 7P@10.10 | 0!10.10 | 0P9@10.8 7P9@10.10
        Sniper: 1 at 5   | 0N@10.8 7P@10.13 | 0!10.13 | 0N2@10.8 7P8@10.13
        Sniper not at 6  | 0N@10.8 7P@10.14 | 0!10.14 | 0N2@10.8 7P9@10.14
        ",
    );
}

#[test]
fn r3_1_distances_are_added() {
    check_rows(
        "
        1 + 2 | 0S@10.8 7P@11.10 | 0!11.10 | 0S3@10.8 7P7@11.10
        2 + 2 | 0S@10.8 7P@12.10 | 0!12.10 | 0S3@10.8 7P9@12.10
        ",
    );
}

#[test]
fn r4_orders_of_dead_tanks_are_ignored_and_unreadable_ones_are_stop() {
    check_rows(
        "
        R4.2 | 0S@10.8       | 0?     | 0S3@10.8
        R4.4 | 0S+14 7P@10.9 | 0!10.9 | 0S+14 7P9@10.9
        ",
    );
}

#[test]
fn r5_1_shells_land_at_once() {
    let after = "0S+14 5S+14 k1,1";
    check("a: at once", "0S2@10.8 5S2@10.10", "0!10.10 5!10.8", after);
    check_rows(
        "
        a: before moves | 0S@10.8 5S2@10.10 | 0!10.10 5> | 0S3@10.8 5S+14 k1,0
        a: damage is summed | 0S@10.8 1S@9.10 5S3@10.10 | 0!10.10 1!10.10 | 0S3@10.8 1S3@9.10 5S+14 k1,0
        b: friends | 0S@10.8 1P@10.9 | 0!10.9 | 0S3@10.8 1P7@10.9
        b: itself | 0S@10.8 | 0!10.8 | 0S1@10.8
        c: a brick | 0S@10.8 %10.9=2 %10.10=2 | 0!10.9 | 0S3@10.8 %10.10=2
        c: a brick loses 1 | 0N@10.8 %10.9=2 | 0!10.9 | 0N2@10.8 %10.9=1
        c: shells add up | 0N@10.8 5N@10.6 %10.9=2 | 0!10.9 5!10.9 | 0N2@10.8 5N2@10.6
        c: surplus is lost | 0S@10.8 1S@9.8 %10.9=1 %10.10=2 | 0!10.9 1!10.9 | 0S3@10.8 1S3@9.8 %10.10=2
        c: gone before moves | 0S@10.8 1P@9.9 %10.9=2 | 0!10.9 1v | 0S3@10.8 1P9@10.9
        d: stone | 0S@10.8 #10.9 | 0!10.9 | 0S3@10.8
        d: a mine | 0S@11.9 | 0!11.11 | 0S3@11.9
        e: off the map | 0S@1.1 | 0!0.1 | 0S3@1.1
        e: far away | 0S@1.1 | 0!999999.-99999 | 0S3@1.1
        f: over stone | 0S@10.8 7P@10.10 #10.9 | 0!10.10 | 0S3@10.8 7P7@10.10
        f: unseen | 0N@1.5 7P@1.10 | 0!1.10 | 0N2@1.5 7P8@1.10
        ",
    );
}

#[test]
fn r5_2_tanks_move_unless_a_friend_is_in_the_way() {
    check_rows(
        "
        a: the cell of the dead is free | 0S2@10.9 1S@10.8 5S@9.10 | 5!10.9 1> | 0S+14 1S3@10.9 5S3@9.10 k0,1
        b: the lower number goes | 1P@10.8 2P@10.10 | 1> 2< | 1P9@10.9 2P9@10.10
        b: also into stone | 1P@10.8 2P@10.10 #10.9 | 1> 2< | 1P+14 2P9@10.10
        b and c: three into a friend | 1P@10.9 0P@10.8 2P@9.9 3P@11.9 | 0> 2v 3^ | 0P9@10.8 1P9@10.9 2P9@9.9 3P9@11.9
        c: a friend stays | 0P@10.8 1P@10.9 | 0> | 0P9@10.8 1P9@10.9
        c: a friend fires | 0P@10.8 1P@10.9 | 0> 1!10.10 | 0P9@10.8 1P9@10.9
        c: convoy | 0P@10.8 1P@10.9 2P@10.10 | 0> 1> 2> | 0P9@10.9 1P9@10.10 2P9@10.11
        c: refused head | 0P@10.7 1P@10.8 2P@10.9 | 0> 1> | 0P9@10.7 1P9@10.8 2P9@10.9
        c: a head that dies leaves | 0P@10.8 1P@10.9 #10.10 | 0> 1> | 0P9@10.9 1P+14
        d: friends swapping | 0P@10.8 1P@10.9 | 0> 1< | 0P9@10.8 1P9@10.9
        d: and the third | 0P@10.8 1P@10.9 2P@10.7 | 0> 1< 2> | 0P9@10.8 1P9@10.9 2P9@10.7
        ",
    );
    let ring = "0P@10.8 1P@10.9 5P@11.9 6P@11.8";
    check(
        "e: a ring",
        ring,
        "0> 1v 5< 6^",
        "0P9@10.9 1P9@11.9 5P9@11.8 6P9@10.8",
    );
}

#[test]
fn r5_3_stone_kills_and_bricks_cost_hp() {
    check_rows(
        "
        a: stone | 0P@10.8 #10.9 | 0> | 0P+14
        a: off the map | 0P@1.8 5P@21.21 | 0^ 5> | 0P+14 5P+14
        b: h > b | 0S@10.8 %10.9=2 | 0> | 0S1@10.9
        b: h = b | 0N@10.8 %10.9=2 | 0> | 0N+14
        b: h < b | 0N1@10.8 %10.9=2 | 0> | 0N+14 %10.9=1
        c: each loses 1 and then they collide | 0P@10.8 5S@10.10 %10.9=2 | 0> 5< | 0P6@10.9 5S+14 k1,0
        c: whatever the brick had | 0P@10.8 5S@10.10 %10.9=1 | 0> 5< | 0P6@10.9 5S+14 k1,0
        c: dead on the wall is no kill | 0P@10.8 5S1@10.10 %10.9=2 | 0> 5< | 0P8@10.9 5S+14
        c: both dead on the wall | 0S1@10.8 5S1@10.10 %10.9=2 | 0> 5< | 0S+14 5S+14
        ",
    );
}

#[test]
fn r5_4_enemies_that_meet_duel() {
    check_rows(
        "
        a: crossing     | 0P@10.8 5S@10.9          | 0> 5<    | 0P6@10.9 5S+14 k1,0
        a: then arrival | 0P@10.8 5S@10.9 6S@10.10 | 0> 5< 6< | 0P3@10.9 5S+14 6S+14 k2,0
        ",
    );
    let before = "0P@10.8 5P8@10.9 6S@10.10";
    check(
        "a: crossing comes first",
        before,
        "0> 5< 6<",
        "0P+14 5P+14 6S2@10.9 k1,1",
    );
    check_rows(
        "
        b: into one that stands | 0S@10.8 5P@10.9 | 0> | 0S+14 5P6@10.9 k0,1
        b: into one that fires | 0P@10.8 5S@10.9 | 0> 5!10.8 | 0P4@10.9 5S+14 k1,0
        b: into one that was refused | 0P@10.8 5S@10.9 6S@10.10 | 0> 5> | 0P6@10.9 5S+14 6S3@10.10 k1,0
        b: not into one that leaves | 0P@10.8 5S@10.9 | 0> 5> | 0P9@10.9 5S3@10.10
        c: one cell | 0P@10.8 5S@10.10 | 0> 5< | 0P6@10.9 5S+14 k1,0
        c: two against one | 0P@10.8 1P@9.9 5S@10.10 | 0> 1v 5< | 0P6@10.9 1P9@9.9 5S+14 k1,0
        d: equal | 0S@10.8 5S@10.10 | 0> 5< | 0S+14 5S+14 k1,1
        ",
    );
}

#[test]
fn r5_5_mines_and_r5_6_resources() {
    check_rows(
        "
        R5.5                             | 0P@11.10           | 0>         | 0P9@11.11 m6=R
        R5.5: an enemy's                 | 5P@4.4             | 5>         | 5P9@4.5 m0=B
        R5.5: not by the dead            | 0S1@11.10 5S@11.12 | 0> 5!11.10 | 0S+14 5S3@11.12 k0,1
        R5.5: not by one that dies there | 0S@11.10 5S@11.12  | 0> 5<      | 0S+14 5S+14 k1,1
        ",
    );
    let (setup, mut position) = read("0P@11.10 g5,7");
    position.play_round(&setup, &orders("0>"), &mut ());
    assert_eq!(
        position.gold,
        [9, 10],
        "the mine captured in this round pays at once"
    );
}

#[test]
fn r6_death_and_revival() {
    check_rows(
        "
        R6.1: dead in 12, back in 14 | 0S1@10.8 5S@10.9 | 5!10.8 | 0S+14 5S3@10.9 k0,1
        R6.1: not in 13 | r13 0S+14 |  | 0S+14
        R6.2 | r14 0S+14 |  | 0S3@1.3*2
        R6.2: full life on its own spawn | r14 9N+14 |  | 9N2@21.3*2
        R6.2b: a friend stands there | r14 0S+14 1P@1.3 |  | 0S+15 1P9@1.3
        R6.2b: a friend moves there | r14 0S+14 1P@2.3 | 1^ | 0S+15 1P9@1.3
        R6.2b: a friend dies on the way | r14 0S+14 1S@2.3 5P@1.3 | 1^ 5v | 0S+15 1S+16 5P6@2.3 k0,1
        R6.2b: a friend leaves | r14 0S+14 1P@1.3 | 1v | 0S3@1.3*2 1P9@2.3
        R6.2b: a friend shot there | r14 0S+14 1S1@1.3 5S@1.5 | 5!1.3 | 0S3@1.3*2 1S+16 5S3@1.5 k0,1
        R6.2c: an enemy stands there | r14 0S+14 5P@1.3 |  | 0S3@1.3*2 5P+16 k1,0
        R6.2c: an enemy arrives | r14 0S+14 5P@2.3 | 5^ | 0S3@1.3*2 5P+16 k1,0
        R6.2c: an enemy leaves | r14 0S+14 5P@1.3 | 5v | 0S3@1.3*2 5P9@2.3
        R6.3: no order in its round | r14 0S+14 | 0v | 0S3@1.3*2
        R6.4 | 0S@10.8*2 5S@2.2*1 |  | 0S3@10.8*1 5S3@2.2
        ",
    );
}

#[test]
fn r6_5_a_revived_tank_is_invincible() {
    check_rows(
        "
        a: enemy shells    | 0S@10.8*1 5S@10.9          | 5!10.8 | 0S3@10.8 5S3@10.9
        a: friendly shells | 0S@10.8*1 1N@10.9          | 1!10.8 | 0S2@10.8 1N2@10.9
        a: own shells      | 0S@10.8*1                  | 0!10.8 | 0S1@10.8
        b: a duel          | 0N1@10.8*1 5P@10.9         | 0>     | 0N1@10.9 5P+14 k1,0
        b: rammed          | 0N1@10.8*1 5P@10.9         | 5<     | 0N1@10.8 5P+14 k1,0
        c: stone           | 0P@10.8*2 #10.9            | 0>     | 0P+14
        c: brick           | 0N@10.8*2 %10.9=2          | 0>     | 0N+14
        c: a shared brick  | 0N@10.8*2 5P@10.10 %10.9=2 | 0> 5<  | 0N1@10.9*1 5P+14 k1,0
        d: both            | 0S@10.8*2 5P@10.10*1       | 0> 5<  | 0S+14 5P6@10.9 k0,1
        ",
    );
}

#[track_caller]
fn check_end(rule: &str, before: &str, said: &str, end: &str) {
    let (setup, mut position) = read(before);
    position.play_round(&setup, &orders(said), &mut ());
    let text = leitai_tankcraft::parity::state_text(&setup, &position);
    assert_eq!(text.rsplit('|').next(), Some(end), "{rule}: {before}");
    let over = position;
    position.play_round(&setup, &orders(said), &mut ());
    assert_eq!(
        position == over,
        end != "-",
        "{rule}: a round after the end changes nothing"
    );
}

#[test]
fn r8_a_leg_ends_by_goal_or_rounds() {
    check_end("R8.1: reached", "g997,100", "", "R:goal");
    check_end("R8.1: not reached", "g996,996", "", "-");
    check_end("R8.2: more resources", "g997,998", "", "B:goal");
    check_end(
        "R8.2: more mines, whatever the kills",
        "g996,997 k0,4 0P@11.10",
        "0>",
        "R:goal",
    );
    check_end("R8.2: more kills", "g997,997 k3,4", "", "B:goal");
    check_end("R8.2: draw", "g997,997 k4,4", "", "D:goal");
    check_end("R8.3", "r400 g5,4", "", "R:rounds");
    check_end("R8.3: not before", "r399 g5,4", "", "-");
}

#[test]
fn r8_4_kills_are_counted() {
    check_rows(
        "
        friendly fire | 0S@10.8 1S1@10.9 | 0!10.9 | 0S3@10.8 1S+14
        friendly and enemy fire | 0S@10.8 1S@10.9 5N@10.10 | 0!10.9 5!10.9 | 0S3@10.8 1S+14 5N2@10.10 k0,1
        an enemy shell without effect | 0S2@10.8*1 1S@10.9 5S@10.7 | 1!10.8 5!10.8 | 0S+14 1S3@10.9 5S3@10.7
        three shells are one kill | 0S1@10.8 5S@10.9 6S@10.7 | 5!10.8 6!10.8 | 0S+14 5S3@10.9 6S3@10.7 k0,1
        ",
    );
}

#[test]
fn events_of_a_round_are_reported_in_order() {
    #[derive(Default)]
    struct Log(Vec<Event>);
    impl StepObserver for Log {
        fn event(&mut self, event: impl FnOnce() -> Event) {
            self.0.push(event());
        }
    }
    let (setup, mut position) = read("0P@11.10 1P@10.10 2S@2.2 5S@11.12 9N+12 %2.3=1");
    let mut log = Log::default();
    position.play_round(
        &setup,
        &orders("0> 1v 2! 5< 6?".replace("2!", "2!2.3").as_str()),
        &mut log,
    );
    let text: Vec<String> = log
        .0
        .iter()
        .map(|e| serde_json::to_string(e).expect("plain data"))
        .collect();
    let expected = [
        r#"{"event":"fired","tank":2,"row":2,"col":3}"#,
        r#"{"event":"brick","cell":[2,3],"left":0}"#,
        r#"{"event":"revived","tank":9,"cell":[21,3]}"#,
        r#"{"event":"duel","red":0,"blue":5,"red_left":6,"blue_left":0,"at":[11,11]}"#,
        r#"{"event":"died","tank":5,"cause":"duel","kill":true,"at":[11,11]}"#,
        r#"{"event":"moved","tank":0,"cell":[11,11]}"#,
        r#"{"event":"moved","tank":1,"cell":[11,10]}"#,
        r#"{"event":"captured","mine":6,"seat":"first","tank":0,"at":[11,11]}"#,
    ];
    assert_eq!(text, expected);
}
