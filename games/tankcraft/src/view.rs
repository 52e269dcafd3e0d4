//! The knowledge of a side (R7). Fog is implemented here and nowhere else: protocols and built-in
//! bots get a [`View`], never the position.

use leitai_game::{Perspective, Seat};
use serde::{Serialize, Serializer};

use crate::cell::{Cell, Grid, SIDE};
use crate::map::{MINES, owner_code, terrain_glyphs, to_lines};
use crate::position::Position;
use crate::setup::{Fog, SIGHT, Setup};
use crate::tank::{TANKS, Tank, TankType, side_of, team_range};

/// A position without everything that the perspective does not include. As JSON:
///
/// ```json
/// {"round": 12, "you": "first", "gold": [44, 40], "kills": [1, 0],
///  "terrain": ["..#…", "…"], "owners": "RRRNNBNRNNBBB", "seen": ["....???", "…"],
///  "tanks": [{"id": 0, "type": "Striker", "cell": [5, 7], "life": 3, "noharm": 0, "revive": null},
///            {"id": 6, "type": "Sniper", "cell": null, "life": null, "noharm": null, "revive": null}]}
/// ```
///
/// `round` is 0 while the teams are chosen; then no type and no HP is known. Unknown values are
/// null; a tank that is known to be dead has life 0 and the round of its revival. The setup
/// contains stone, mines and spawns. `seen` marks with `.` the cells on which the side sees
/// enemies, with `?` the others (R7.1); null from the perspective of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct View {
    pub perspective: Perspective,
    /// The current round; 0 while the teams are chosen.
    pub round: u16,
    /// The resources of red and blue.
    pub gold: [u32; 2],
    /// The kills of red and blue.
    pub kills: [u32; 2],
    /// Stone; the border counts as stone.
    pub stone: Grid,
    /// Bricks with at least 1 HP, and those with 2, on the whole map (R7.2).
    pub bricks: [Grid; 2],
    /// Bit n: mine n belongs to red, and to blue.
    pub owners: [u16; 2],
    /// Cells that both sides see from a mine, whatever its owner.
    pub lit: Grid,
    /// All tanks by number.
    pub tanks: [SeenTank; TANKS],
}

/// The known facts of a tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenTank {
    /// The type; `None` while the teams are chosen.
    pub kind: Option<TankType>,
    /// The cell; `None` if the tank is dead or not seen.
    pub cell: Option<Cell>,
    /// The HP; 0 if the tank is known to be dead; `None` if nothing is known of it.
    pub life: Option<u8>,
    /// The invincibility counter.
    pub noharm: Option<u8>,
    /// The round of the revival, if the tank is known to be dead.
    pub revive: Option<u16>,
}

impl View {
    /// The view of this perspective.
    pub fn new(setup: &Setup, position: &Position, perspective: Perspective) -> View {
        View::with_fog(setup, position, perspective, setup.fog())
    }

    pub(crate) fn with_fog(
        setup: &Setup,
        position: &Position,
        perspective: Perspective,
        fog: Fog,
    ) -> View {
        let known = match perspective {
            Perspective::All => u16::MAX,
            Perspective::Seat(seat) => {
                position.count_seen(setup, seat) | crate::round::set_of(seat)
            }
        };
        let sdk = fog == Fog::Sdk;
        let look = |number: usize| {
            let (tank, known) = (&position.tanks[number], known >> number & 1 != 0);
            match position.round {
                0 => SeenTank {
                    cell: known.then_some(tank.cell),
                    ..SeenTank::UNKNOWN
                },
                _ if known => SeenTank::from_tank(tank),
                _ if sdk => SeenTank {
                    cell: None,
                    ..SeenTank::from_tank(tank)
                },
                _ => SeenTank {
                    kind: Some(tank.kind),
                    ..SeenTank::UNKNOWN
                },
            }
        };
        View {
            perspective,
            round: position.round,
            gold: position.gold,
            kills: position.kills,
            stone: setup.map().stone,
            bricks: position.bricks,
            owners: position.owners,
            lit: setup.lit_cells(),
            tanks: std::array::from_fn(look),
        }
    }

    /// The seat of the perspective; `None` for the perspective of all.
    pub fn own_seat(&self) -> Option<Seat> {
        match self.perspective {
            Perspective::Seat(seat) => Some(seat),
            Perspective::All => None,
        }
    }

    /// The owner of a mine (0 to 12).
    pub fn owner(&self, mine: usize) -> Option<Seat> {
        [None, Some(Seat::First), Some(Seat::Second)][owner_code(self.owners, mine)]
    }

    /// HP of the brick on this cell: 0, 1 or 2.
    pub fn brick(&self, cell: Cell) -> u8 {
        u8::from(self.bricks[0].has(cell)) + u8::from(self.bricks[1].has(cell))
    }

    /// The terrain as 21 lines of `. # 2 1`.
    pub fn terrain_lines(&self) -> Vec<String> {
        to_lines(&terrain_glyphs(&self.stone, &self.bricks))
    }

    /// The owners of the mines as thirteen letters `R`, `B` or `N`.
    pub fn owner_letters(&self) -> String {
        (0..MINES)
            .map(|mine| ['N', 'R', 'B'][owner_code(self.owners, mine)])
            .collect()
    }

    /// The cells on which the side sees enemies (R7.1), as 21 lines of `.` and `?`; `None` for the
    /// perspective of all.
    pub fn seen_lines(&self) -> Option<Vec<String>> {
        let own = self.tanks[team_range(self.own_seat()?)]
            .iter()
            .filter_map(|tank| tank.cell);
        let seen = own.fold(self.lit, |seen, cell| {
            seen | Grid::cells_within(cell, SIGHT)
        });
        let glyph = |row, col| {
            if seen.has(Cell::new(row, col)) {
                '.'
            } else {
                '?'
            }
        };
        Some(
            (1..=SIDE)
                .map(|row| (1..=SIDE).map(|col| glyph(row, col)).collect())
                .collect(),
        )
    }

    /// The tanks of a side on a known cell: number, type, cell.
    pub fn tanks_on_map(&self, seat: Seat) -> impl Iterator<Item = (usize, TankType, Cell)> {
        let tanks = self
            .tanks
            .iter()
            .enumerate()
            .filter(move |(number, _)| side_of(*number) == seat);
        tanks.filter_map(|(number, tank)| Some((number, tank.kind?, tank.cell?)))
    }
}

impl SeenTank {
    const UNKNOWN: SeenTank = SeenTank {
        kind: None,
        cell: None,
        life: None,
        noharm: None,
        revive: None,
    };

    fn from_tank(tank: &Tank) -> SeenTank {
        if tank.is_unseen() {
            let told = tank.told > 0;
            return SeenTank {
                kind: Some(tank.kind),
                life: told.then_some(tank.told),
                noharm: told.then_some(tank.noharm),
                ..SeenTank::UNKNOWN
            };
        }
        let alive = tank.is_alive();
        SeenTank {
            kind: Some(tank.kind),
            cell: alive.then_some(tank.cell),
            life: Some(tank.life),
            noharm: Some(tank.noharm),
            revive: (!alive).then_some(tank.revive),
        }
    }
}

impl Serialize for View {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ViewJson {
            round: u16,
            you: Option<Seat>,
            gold: [u32; 2],
            kills: [u32; 2],
            terrain: Vec<String>,
            owners: String,
            seen: Option<Vec<String>>,
            tanks: Vec<TankJson>,
        }
        #[derive(Serialize)]
        struct TankJson {
            id: usize,
            r#type: Option<TankType>,
            cell: Option<Cell>,
            life: Option<u8>,
            noharm: Option<u8>,
            revive: Option<u16>,
        }
        let tank = |(id, tank): (usize, &SeenTank)| {
            let SeenTank {
                kind,
                cell,
                life,
                noharm,
                revive,
            } = *tank;
            TankJson {
                id,
                r#type: kind,
                cell,
                life,
                noharm,
                revive,
            }
        };
        ViewJson {
            round: self.round,
            you: self.own_seat(),
            gold: self.gold,
            kills: self.kills,
            terrain: self.terrain_lines(),
            owners: self.owner_letters(),
            seen: self.seen_lines(),
            tanks: self.tanks.iter().enumerate().map(tank).collect(),
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orders::Action;
    use crate::rules::join_orders;
    use crate::setup::Config;
    use leitai_game::{BySeat, Game, GamePackage, JsonLines, Rng, Untimed};

    fn setup(seed: u64, fog: Fog) -> Setup {
        Setup::deal(
            &Config {
                fog,
                ..Config::default()
            },
            seed,
        )
        .expect("a generated map")
    }

    /// A position of a random game.
    fn reached(setup: &Setup, rounds: usize, rng: &mut Rng) -> Position {
        let mut position = Position::start(setup);
        let mut team = || [(); 5].map(|()| TankType::ALL[rng.next_below(3)]);
        position.choose_teams(setup, BySeat::new(team(), team()), &mut ());
        for _ in 0..rounds {
            let said = Seat::BOTH.map(|seat| position.sample_action(setup, seat, rng));
            let [Some(Action::Orders(red)), Some(Action::Orders(blue))] = said else {
                break;
            };
            position.play_round(setup, &join_orders(red, blue), &mut ());
        }
        position
    }

    /// The same position with a change of everything that the seat must not know.
    fn changed_out_of_sight(
        setup: &Setup,
        position: &Position,
        seat: Seat,
        rng: &mut Rng,
    ) -> Position {
        let mut other = *position;
        let seen = position.count_seen(setup, seat);
        for enemy in crate::tank::team_range(seat.other()).filter(|enemy| seen >> enemy & 1 == 0) {
            let tank = &mut other.tanks[enemy];
            let told = *tank;
            let cell = unseen_cell(setup, position, seat, rng);
            *tank = match (setup.fog(), rng.next_below(3)) {
                (Fog::Sdk, _) if told.is_alive() => Tank { cell, ..told },
                (Fog::Sdk, _) => told,
                (Fog::Strict, 0) => Tank::dead_tank(told.kind, position.round + 1),
                (Fog::Strict, n) => Tank {
                    life: n as u8,
                    noharm: n as u8,
                    ..Tank::new_tank(told.kind, cell)
                },
            };
        }
        other
    }

    fn unseen_cell(setup: &Setup, position: &Position, seat: Seat, rng: &mut Rng) -> Cell {
        let sees = |cell: Cell| {
            let own = crate::tank::team_range(seat).map(|tank| position.tanks[tank]);
            setup.is_lit(cell)
                || own
                    .into_iter()
                    .any(|tank| tank.is_alive() && tank.cell.distance(cell) <= 4)
        };
        let dark: Vec<Cell> = Cell::all().filter(|cell| !sees(*cell)).collect();
        dark[rng.next_below(dark.len())]
    }

    #[test]
    fn changes_out_of_sight_change_nothing_that_a_side_gets() {
        let mut changed = 0;
        for seed in 0..40 {
            let setup = setup(seed, if seed % 2 == 0 { Fog::Strict } else { Fog::Sdk });
            let mut rng = Rng::new(seed);
            let rounds = rng.next_below(60);
            let position = reached(&setup, rounds, &mut rng);
            for seat in Seat::BOTH {
                let other = changed_out_of_sight(&setup, &position, seat, &mut rng);
                changed += usize::from(position != other);
                let looks = [position, other].map(|position| looks(&setup, &position, seat));
                assert_eq!(looks[0], looks[1], "seed {seed}, {seat}");
            }
        }
        assert!(
            changed > 60,
            "only {changed} positions had a change out of sight"
        );
    }

    /// Everything that a player on this seat gets from the game.
    fn looks(
        setup: &Setup,
        position: &Position,
        seat: Seat,
    ) -> (View, Vec<Vec<u8>>, Option<Action>) {
        let mut bytes = vec![
            JsonLines.ask_bytes(setup, position, seat),
            JsonLines.bye_bytes(setup, position, seat),
        ];
        for info in Position::CONTENTS.protocols {
            let mut protocol = (info.make)();
            bytes.push(protocol.write_start(setup, position, seat));
            bytes.push(protocol.write_question(setup, position, seat));
            bytes.push(protocol.write_step(setup, position, seat, &BySeat::default()));
            bytes.push(protocol.write_end(setup, position, seat));
        }
        let mut legal = Vec::new();
        position.legal_actions(setup, seat, &mut legal);
        bytes.extend(
            legal
                .into_iter()
                .map(|action| Position::write_action(action).into_bytes()),
        );
        let picture = position.render_position(
            setup,
            &leitai_game::render::RenderOptions {
                perspective: Perspective::Seat(seat),
                ahead: 0,
            },
        );
        bytes.push(picture.plain_board().into_bytes());
        bytes.push(position.list_options(setup, seat).to_string().into_bytes());
        let sample = position.sample_action(setup, seat, &mut Rng::new(5));
        (
            View::new(setup, position, Perspective::Seat(seat)),
            bytes,
            sample,
        )
    }

    /// Views in Leitai's JSON lines.
    trait ViewRequest {
        fn ask_bytes(&mut self, setup: &Setup, position: &Position, seat: Seat) -> Vec<u8>;
        fn bye_bytes(&mut self, setup: &Setup, position: &Position, seat: Seat) -> Vec<u8>;
    }

    impl ViewRequest for JsonLines {
        fn ask_bytes(&mut self, setup: &Setup, position: &Position, seat: Seat) -> Vec<u8> {
            leitai_game::Protocol::<Position>::write_question(self, setup, position, seat)
        }

        fn bye_bytes(&mut self, setup: &Setup, position: &Position, seat: Seat) -> Vec<u8> {
            leitai_game::Protocol::<Position>::write_end(self, setup, position, seat)
        }
    }

    #[test]
    fn bots_do_not_depend_on_what_is_out_of_sight() {
        for seed in 0..6 {
            let setup = setup(seed, Fog::Strict);
            let mut rng = Rng::new(seed);
            let position = reached(&setup, 20, &mut rng);
            let other = changed_out_of_sight(&setup, &position, Seat::Second, &mut rng);
            for info in Position::CONTENTS.bots {
                let chosen = [position, other].map(|position| {
                    let view = View::new(&setup, &position, Perspective::Seat(Seat::Second));
                    (info.make)(seed).choose_action(&setup, &view, &Untimed)
                });
                assert_eq!(chosen[0], chosen[1], "{}", info.name);
                assert_eq!(
                    position.check_action(&setup, Seat::Second, chosen[0]),
                    Ok(()),
                    "{}",
                    info.name
                );
            }
        }
    }

    #[test]
    fn seen_marks_exactly_the_cells_on_which_enemies_are_seen() {
        let setup = setup(4, Fog::Strict);
        let position = reached(&setup, 30, &mut Rng::new(4));
        for seat in Seat::BOTH {
            let view = View::new(&setup, &position, Perspective::Seat(seat));
            let lines = view.seen_lines().expect("a side's perspective");
            for cell in Cell::all() {
                let mut other = position;
                let enemy = crate::tank::team_range(seat.other()).start;
                other.tanks[enemy] = Tank::new_tank(TankType::Striker, cell);
                let seen = other.count_seen(&setup, seat) >> enemy & 1 != 0;
                let glyph = lines[usize::from(cell.row) - 1].as_bytes()[usize::from(cell.col) - 1];
                assert_eq!(glyph == b'.', seen, "{cell} for {seat}");
            }
        }
        assert_eq!(
            View::new(&setup, &position, Perspective::All).seen_lines(),
            None
        );
    }

    #[track_caller]
    fn check(rule: &str, enemy: Option<(u8, u8)>, own: (u8, u8), fog: Fog, expected: &str) {
        let config = Config {
            map: crate::setup::MapSource::Named(crate::setup::MapName::Crossroads),
            fog,
            ..Config::default()
        };
        let setup = Setup::deal(&config, 0).expect("built in");
        let mut position = Position::start(&setup);
        position.choose_teams(
            &setup,
            BySeat::new([TankType::Striker; 5], [TankType::Sniper; 5]),
            &mut (),
        );
        position.tanks[0].cell = Cell::new(own.0, own.1);
        position.tanks[5] = match enemy {
            Some((row, col)) => Tank {
                cell: Cell::new(row, col),
                ..position.tanks[5]
            },
            None => Tank::dead_tank(TankType::Sniper, 9),
        };
        let text = crate::text_protocol::write_round(&View::new(
            &setup,
            &position,
            Perspective::Seat(Seat::First),
        ));
        let line = text.lines().find(|line| line.starts_with("TANK 5"));
        assert_eq!(line, Some(expected), "{rule}");
    }

    #[test]
    fn r7_the_knowledge_of_a_side() {
        const UNSEEN: &str = "TANK 5 Sniper -2 -2 -1 -1 -1";
        let strict = Fog::Strict;
        check(
            "R7.1: within 4 of a tank",
            Some((20, 2)),
            (17, 1),
            strict,
            "TANK 5 Sniper 20 2 2 0 -1",
        );
        check("R7.1: not within 5", Some((20, 2)), (16, 1), strict, UNSEEN);
        check(
            "R7.1: within 2 of a mine",
            Some((17, 6)),
            (1, 3),
            strict,
            "TANK 5 Sniper 17 6 2 0 -1",
        );
        check(
            "R7.1: not within 3 of a mine",
            Some((16, 6)),
            (1, 3),
            strict,
            UNSEEN,
        );
        check(
            "R7.1: behind stone",
            Some((7, 1)),
            (7, 4),
            strict,
            "TANK 5 Sniper 7 1 2 0 -1",
        );
        check("R7.3: dead", None, (12, 16), strict, UNSEEN);
        check(
            "R7.3: fog=sdk",
            Some((20, 2)),
            (16, 1),
            Fog::Sdk,
            "TANK 5 Sniper -2 -2 2 0 -1",
        );
        check(
            "R7.3: fog=sdk, dead",
            None,
            (11, 16),
            Fog::Sdk,
            "TANK 5 Sniper -2 -2 0 0 9",
        );
    }
}
