//! TankCraft as numbers. A plane is indexed `[row][column]`, both from 0; for blue the map is
//! turned by 180 degrees, so that both sides see themselves on red's side. Own tanks are 0 to 4 for
//! either side.
//!
//! An action has five parts, one for each tank. Every combination of choices is accepted: a type
//! counts as STOP in a round, and an order counts as a type (its index modulo 3) while the teams
//! are chosen; the mask marks the meaningful choices.

use leitai_game::encode::{ActionChoice, Layout, Plane, Scalar, packed};
use leitai_game::lang::say;
use leitai_game::{BySeat, Encode, InvalidSetup, Perspective, Seat};
use serde::Deserialize;
use serde_json::Value;

use crate::cell::{Cell, Direction, Grid, SIDE};
use crate::map::MINES;
use crate::orders::{Action, TankOrder};
use crate::position::Position;
use crate::round::{NOHARM, REVIVE};
use crate::rules::join_orders;
use crate::setup::Setup;
use crate::tank::{TANKS, TEAM, Tank, TankType, team_range};
use crate::view::{SeenTank, View};

const TYPES: usize = TankType::ALL.len();
/// The index of STOP.
#[doc(hidden)] // For tests.
pub const STOP: usize = TYPES;
/// The index of the first direction.
#[doc(hidden)] // For tests.
pub const GO: usize = STOP + 1;
/// The index of the shot at the own cell, which is the first shot.
#[doc(hidden)] // For tests.
pub const FIRE: usize = GO + Direction::ALL.len();
/// The longest range.
const RANGE: i8 = 5;
/// Cells within the longest range.
const TARGETS: usize = cells_within(RANGE);
/// The choices of a tank.
#[doc(hidden)] // For tests.
pub const CHOICES: usize = FIRE + TARGETS;

/// The number of cells within a distance.
#[doc(hidden)] // For tests.
pub const fn cells_within(distance: i8) -> usize {
    2 * distance as usize * (distance as usize + 1) + 1
}

/// The targets of a shot, by distance, so that the targets of a shorter range are a prefix; then by
/// row and column.
#[doc(hidden)] // For tests.
pub const OFFSETS: [(i8, i8); TARGETS] = {
    let mut offsets = [(0, 0); TARGETS];
    let (mut at, mut distance) = (0, 0);
    while distance <= RANGE {
        let mut down = -distance;
        while down <= distance {
            let right = distance - down.abs();
            offsets[at] = (down, -right);
            at += 1;
            if right > 0 {
                offsets[at] = (down, right);
                at += 1;
            }
            down += 1;
        }
        distance += 1;
    }
    offsets
};

#[doc(hidden)] // For tests.
pub const PLANES: [Plane; 18] = [
    Plane::new("stone", "stone"),
    Plane::new("brick", "brick"),
    Plane::new("strong_brick", "brick with 2 HP"),
    Plane::new("own_mine", "mines you own"),
    Plane::new("their_mine", "mines the other side owns"),
    Plane::new("free_mine", "mines nobody owns"),
    Plane::new("own_spawn", "where your tanks revive"),
    Plane::new("their_spawn", "where the other side's tanks revive"),
    Plane::new("own_tank_0", "your first tank, if it is alive"),
    Plane::new("own_tank_1", "your second tank"),
    Plane::new("own_tank_2", "your third tank"),
    Plane::new("own_tank_3", "your fourth tank"),
    Plane::new("own_tank_4", "your fifth tank"),
    Plane::new("their_tank_0", "the other side's first tank, if it is seen"),
    Plane::new("their_tank_1", "its second tank"),
    Plane::new("their_tank_2", "its third tank"),
    Plane::new("their_tank_3", "its fourth tank"),
    Plane::new("their_tank_4", "its fifth tank"),
];

const OWN_MINE: usize = 3;
const OWN_SPAWN: usize = 6;
#[doc(hidden)] // For tests.
pub const OWN_TANK: usize = 8;

const SCALARS: [(&str, i32, &str); 9] = [
    ("choosing", 1, "1 while the teams are chosen"),
    ("rounds_left", 400, "rounds to be played, this one included"),
    ("own_gold", 1000, "your resources"),
    ("their_gold", 1000, "the other side's resources"),
    ("goal", 1000, "the resources that end the leg"),
    ("own_mines", 13, "mines you own"),
    ("their_mines", 13, "mines the other side owns"),
    ("own_kills", 100, "your kills"),
    ("their_kills", 100, "the other side's kills"),
];

#[doc(hidden)] // For tests.
pub const OF_TANK: [(&str, i32, &str); 8] = [
    ("striker", 1, "1 if it is a Striker"),
    ("pioneer", 1, "1 if it is a Pioneer"),
    ("sniper", 1, "1 if it is a Sniper"),
    ("placed", 1, "1 if it is alive and you know where it is"),
    ("known", 1, "1 if you know its HP"),
    ("life", 9, "its HP; 0 when dead or not known"),
    ("noharm", 2, "rounds it stays invincible"),
    (
        "revives_in",
        2,
        "rounds until it revives, if you know it to be dead",
    ),
];

impl Encode for Position {
    fn describe_layout(_: &Setup) -> Layout {
        let mut scalars = SCALARS
            .map(|(name, scale, about)| Scalar::new(name, scale, about))
            .to_vec();
        for side in ["own", "their"] {
            for tank in 0..TEAM {
                let of_tank = OF_TANK.map(|(name, scale, about)| {
                    Scalar::new(format!("{side}_tank_{tank}_{name}"), scale, about)
                });
                scalars.extend(of_tank);
            }
        }
        let (rows, cols) = (SIDE.into(), SIDE.into());
        Layout {
            rows,
            cols,
            planes: PLANES.to_vec(),
            scalars,
            parts: vec![action_choices(); TEAM],
        }
    }

    fn write_planes(&self, setup: &Setup, seat: Seat, out: &mut [u8]) {
        out.fill(0);
        let view = View::new(setup, self, Perspective::Seat(seat));
        let mut draw = PlaneWriter {
            out,
            turn: seat == Seat::Second,
        };
        [setup.map().stone, view.bricks[0], view.bricks[1]]
            .iter()
            .enumerate()
            .for_each(|(plane, grid)| draw.draw_grid(plane, grid));
        for (mine, cell) in (0..MINES).zip(setup.map().mines) {
            let owner = view
                .owner(mine)
                .map_or(2, |owner| usize::from(owner != seat));
            draw.set_cell(OWN_MINE + owner, cell);
        }
        for (side, owner) in [seat, seat.other()].into_iter().enumerate() {
            for (place, tank) in team_range(owner).enumerate() {
                draw.set_cell(OWN_SPAWN + side, setup.map().spawns[tank]);
                if let Some(cell) = view.tanks[tank].cell {
                    draw.set_cell(OWN_TANK + TEAM * side + place, cell);
                }
            }
        }
    }

    fn write_scalars(&self, setup: &Setup, seat: Seat, out: &mut [i32]) {
        let view = View::new(setup, self, Perspective::Seat(seat));
        let (me, they) = (seat, seat.other());
        let count = |number: u32| number as i32;
        let (of_side, of_tanks) = out.split_at_mut(SCALARS.len());
        of_side.copy_from_slice(&[
            (view.round == 0).into(),
            (setup.rounds() + 1)
                .saturating_sub(view.round.max(1))
                .into(),
            count(self.gold(me)),
            count(self.gold(they)),
            count(setup.goal()),
            count(self.mines(me)),
            count(self.mines(they)),
            count(self.kills(me)),
            count(self.kills(they)),
        ]);
        let tanks = team_range(me)
            .chain(team_range(they))
            .map(|tank| &view.tanks[tank]);
        for (tank, out) in tanks.zip(of_tanks.chunks_exact_mut(OF_TANK.len())) {
            out.copy_from_slice(&of_tank(tank, view.round));
        }
    }

    fn write_mask(&self, _: &Setup, seat: Seat, out: &mut [i8]) {
        out.fill(0);
        for (tank, out) in team_range(seat).zip(out.chunks_exact_mut(CHOICES)) {
            if Position::round(self) == 0 {
                out[..TYPES].fill(1);
                continue;
            }
            let tank = &self.tanks()[tank];
            out[STOP] = 1;
            if tank.is_alive() {
                out[GO..FIRE].fill(1);
                let reach = cells_within(tank.kind.range() as i8);
                mark_targets(tank.cell, seat, &mut out[FIRE..FIRE + reach]);
            }
        }
    }

    fn decode_action(&self, _: &Setup, seat: Seat, indices: &[i64]) -> Option<Action> {
        let all: [i64; TEAM] = indices.try_into().ok()?;
        if all.iter().any(|index| !(0..CHOICES as i64).contains(index)) {
            return None;
        }
        if Position::round(self) == 0 {
            return Some(Action::Team(
                all.map(|index| TankType::ALL[index as usize % TYPES]),
            ));
        }
        let first = team_range(seat).start;
        let order =
            |place: usize| order_at(self.tanks()[first + place].cell, all[place] as usize, seat);
        Some(Action::Orders(std::array::from_fn(order)))
    }

    fn encode_action(&self, _: &Setup, seat: Seat, action: Action, out: &mut [i64]) {
        match action {
            Action::Team(types) => {
                out.iter_mut()
                    .zip(types)
                    .for_each(|(out, kind)| *out = kind as i64);
            }
            Action::Orders(orders) => {
                for ((out, order), tank) in out.iter_mut().zip(orders).zip(team_range(seat)) {
                    let tank = &self.tanks()[tank];
                    *out = if tank.is_alive() {
                        order_index(tank.cell, order, seat) as i64
                    } else {
                        STOP as i64
                    };
                }
            }
        }
    }

    fn from_view(setup: &Setup, view: &Value) -> Result<Position, InvalidSetup> {
        parse_view(
            setup,
            &ParsedView::deserialize(view).map_err(InvalidSetup::new)?,
        )
    }

    #[inline]
    fn play_actions(&mut self, setup: &Setup, actions: BySeat<Option<Action>>) {
        match actions.into_pair() {
            [Some(Action::Orders(red)), Some(Action::Orders(blue))] => {
                self.play_round(setup, &join_orders(red, blue), &mut ());
            }
            [Some(Action::Team(red)), Some(Action::Team(blue))] => {
                self.choose_teams(setup, BySeat::new(red, blue), &mut ());
            }
            _ => unreachable!("one moment has one kind of action, and both say one"),
        }
    }
}

fn action_choices() -> Vec<ActionChoice> {
    let types = TankType::ALL.map(|kind| ActionChoice::new(kind.name()));
    let ways = ["up", "down", "left", "right"]
        .into_iter()
        .zip(Direction::ALL);
    let ways = ways.map(|(name, direction)| {
        ActionChoice::with_direction(format!("go {name}"), direction_delta(direction))
    });
    let shots = OFFSETS.map(|(down, right)| {
        ActionChoice::with_direction(format!("fire {down:+} {right:+}"), (down, right))
    });
    types
        .into_iter()
        .chain([ActionChoice::new("stop")])
        .chain(ways)
        .chain(shots)
        .collect()
}

#[doc(hidden)] // For tests.
pub const fn direction_delta(direction: Direction) -> (i8, i8) {
    match direction {
        Direction::Up => (-1, 0),
        Direction::Down => (1, 0),
        Direction::Left => (0, -1),
        Direction::Right => (0, 1),
    }
}

/// Converts between a direction and the same direction as the seat sees it.
fn turn_direction(seat: Seat, direction: Direction) -> Direction {
    if seat == Seat::Second {
        direction.back()
    } else {
        direction
    }
}

fn offset_coordinates(cell: Cell, (down, right): (i8, i8), seat: Seat) -> (i32, i32) {
    let sign = if seat == Seat::Second { -1 } else { 1 };
    (
        i32::from(cell.row) + sign * i32::from(down),
        i32::from(cell.col) + sign * i32::from(right),
    )
}

/// Marks the offsets whose cells are on the map, in this seat's coordinates: those of [`OFFSETS`], without a branch.
fn mark_targets(from: Cell, seat: Seat, out: &mut [i8]) {
    // A half turn changes the signs of the offsets as it changes the cell.
    let Cell { row, col } = match seat {
        Seat::First => from,
        Seat::Second => from.rotate_half_turn(),
    };
    let inside = |at: u8, by: i8| at.wrapping_add_signed(by).wrapping_sub(1) < SIDE;
    for ((down, right), out) in OFFSETS.iter().zip(out) {
        *out = i8::from(inside(row, *down) & inside(col, *right));
    }
}

fn order_at(from: Cell, index: usize, seat: Seat) -> TankOrder {
    match index {
        0..GO => TankOrder::Stop,
        GO..FIRE => TankOrder::Go(turn_direction(seat, Direction::ALL[index - GO])),
        _ => {
            let (row, col) = offset_coordinates(from, OFFSETS[index - FIRE], seat);
            TankOrder::Fire { row, col }
        }
    }
}

/// The index of an order. A shot beyond every range has no effect, like no order: both are STOP.
fn order_index(from: Cell, order: TankOrder, seat: Seat) -> usize {
    let shot = |row: i32, col: i32| {
        let here = |offset: &(i8, i8)| offset_coordinates(from, *offset, seat) == (row, col);
        OFFSETS.iter().position(here)
    };
    match order {
        TankOrder::Stop | TankOrder::Unread => STOP,
        TankOrder::Go(direction) => GO + turn_direction(seat, direction) as usize,
        TankOrder::Fire { row, col } => shot(row, col).map_or(STOP, |shot| FIRE + shot),
    }
}

fn of_tank(tank: &SeenTank, round: u16) -> [i32; OF_TANK.len()] {
    let is = |kind| i32::from(tank.kind == Some(kind));
    let [striker, pioneer, sniper] = TankType::ALL.map(is);
    let revives_in = tank.revive.map_or(0, |at| at.saturating_sub(round));
    [
        striker,
        pioneer,
        sniper,
        tank.cell.is_some().into(),
        tank.life.is_some().into(),
        tank.life.unwrap_or(0).into(),
        tank.noharm.unwrap_or(0).into(),
        revives_in.into(),
    ]
}

/// Writes planes.
struct PlaneWriter<'a> {
    out: &'a mut [u8],
    turn: bool,
}

const PLANE_LEN: usize = packed::plane_len(SIDE as usize, SIDE as usize);
const ROW_LEN: usize = packed::row_len(SIDE as usize);

impl PlaneWriter<'_> {
    fn plane_mut(&mut self, plane: usize) -> &mut [u8] {
        &mut self.out[plane * PLANE_LEN..][..PLANE_LEN]
    }

    fn set_cell(&mut self, plane: usize, cell: Cell) {
        let cell = if self.turn {
            cell.rotate_half_turn()
        } else {
            cell
        };
        let (row, col) = (usize::from(cell.row) - 1, usize::from(cell.col) - 1);
        packed::set_bit(self.plane_mut(plane), SIDE.into(), row, col);
    }

    fn draw_grid(&mut self, plane: usize, grid: &Grid) {
        let turn = self.turn;
        for (row, out) in (1..=SIDE).zip(self.plane_mut(plane).chunks_exact_mut(ROW_LEN)) {
            let bits = grid.row(if turn { SIDE + 1 - row } else { row });
            let bits = if turn {
                packed::mirror_row(bits, SIDE.into())
            } else {
                bits
            };
            out.copy_from_slice(&bits.to_le_bytes()[..ROW_LEN]);
        }
    }
}

/// A view as JSON, see [`View`].
#[derive(Deserialize)]
struct ParsedView {
    round: u16,
    gold: [u32; 2],
    kills: [u32; 2],
    terrain: Vec<String>,
    owners: String,
    tanks: [ParsedTank; TANKS],
}

#[derive(Deserialize)]
struct ParsedTank {
    r#type: Option<TankType>,
    cell: Option<[u8; 2]>,
    life: Option<u8>,
    noharm: Option<u8>,
    revive: Option<u16>,
}

/// The position as far as a side knows it: a tank whose cell it does not know is
/// [left out](Tank::unseen_tank).
fn parse_view(setup: &Setup, shown: &ParsedView) -> Result<Position, InvalidSetup> {
    let mut position = Position::start(setup);
    check_numbers(setup, shown)?;
    (position.round, position.gold, position.kills) = (shown.round, shown.gold, shown.kills);
    for (cell, glyph) in Cell::all().zip(shown.terrain.iter().flat_map(|line| line.bytes())) {
        let left = glyph.checked_sub(b'0').filter(|left| *left <= 2);
        let left = left.filter(|_| !setup.map().stone.has(cell));
        position.set_brick(cell, left.unwrap_or(0));
    }
    position.owners = [b'R', b'B'].map(|letter| {
        let owned = shown
            .owners
            .bytes()
            .take(MINES)
            .enumerate()
            .filter(|(_, owner)| *owner == letter);
        owned.map(|(mine, _)| 1 << mine).sum()
    });
    if shown.round == 0 {
        return Ok(position);
    }
    let mut taken = Grid::EMPTY;
    for (tank, seen) in position.tanks.iter_mut().zip(&shown.tanks) {
        *tank = parse_tank(seen, shown.round)?;
        if tank.is_alive() {
            let Cell { row, col } = tank.cell;
            if taken.has(tank.cell) || setup.map().stone.has(tank.cell) {
                return Err(InvalidSetup(say!(
                    "no tank can stand on the cell [{row}, {col}]: it is stone, or another tank stands there"
                )));
            }
            taken.insert(tank.cell);
        }
    }
    Ok(position)
}

/// No round is later than the last, and no sum is larger than the rounds give.
fn check_numbers(setup: &Setup, shown: &ParsedView) -> Result<(), InvalidSetup> {
    let rounds = setup.rounds();
    if shown.round > rounds {
        return Err(InvalidSetup(say!("round {} of {rounds}", shown.round)));
    }
    let most = [MINES as u32, TANKS as u32].map(|most| most * u32::from(rounds));
    for (name, [red, blue], most) in [
        ("gold", shown.gold, most[0]),
        ("kills", shown.kills, most[1]),
    ] {
        if red.max(blue) > most {
            return Err(InvalidSetup(say!(
                "{name} is [{red}, {blue}]; at most {most} is possible in {rounds} rounds"
            )));
        }
    }
    Ok(())
}

fn parse_tank(seen: &ParsedTank, round: u16) -> Result<Tank, InvalidSetup> {
    let kind = seen
        .r#type
        .ok_or_else(|| InvalidSetup(say!("a tank has no type in a round")))?;
    let noharm = seen.noharm.unwrap_or(0);
    if seen.life > Some(kind.life()) || noharm > NOHARM {
        return Err(InvalidSetup(say!(
            "a {} has at most {} HP and is invincible for at most {NOHARM} rounds; this one has {:?} and {:?}",
            kind.name(),
            kind.life(),
            seen.life,
            seen.noharm
        )));
    }
    match (seen.cell, seen.life, seen.revive) {
        (Some([row, col]), Some(life @ 1..), _) => Ok(Tank {
            life,
            noharm,
            ..Tank::new_tank(kind, map_cell(row, col)?)
        }),
        (Some(_), ..) => Err(InvalidSetup(say!(
            "a tank stands on a cell, but has no HP; a living tank has at least 1"
        ))),
        (None, Some(0), Some(revive)) if (round..=round + REVIVE).contains(&revive) => {
            Ok(Tank::dead_tank(kind, revive))
        }
        (None, Some(0), revive) => Err(InvalidSetup(say!(
            "a dead tank revives in round {revive:?}; {round} to {} are possible in round {round}",
            round + REVIVE
        ))),
        (None, life, _) => Ok(Tank::unseen_tank(kind, life, seen.noharm)),
    }
}

fn map_cell(row: u8, col: u8) -> Result<Cell, InvalidSetup> {
    Cell::on_map(row.into(), col.into())
        .ok_or_else(|| InvalidSetup(say!("the cell [{row}, {col}] is not on the map")))
}
