//! A round: [`Position::play_round`] and its phases, in the order of R5.

use leitai_game::Seat;

use crate::cell::{Cell, Grid};
use crate::event::{DeathCause, Event, StepObserver};
use crate::orders::TankOrder;
use crate::position::{EndCause, GameEnd, Orders, Position};
use crate::setup::Setup;
use crate::tank::{TANKS, Tank, side_of, team_range};

/// The rounds from death to revival (R6.1).
pub const REVIVE: u16 = 2;
/// The invincibility counter of a tank that has just revived (R6.2).
pub const NOHARM: u8 = 2;

impl Position {
    /// Plays one round. Does nothing before the teams are known and after the end of the leg.
    ///
    /// ```
    /// use leitai_game::BySeat;
    /// use leitai_tankcraft::{Config, TankOrder, Position, Setup, TankType};
    /// let setup = Setup::deal(&Config::default(), 1)?;
    /// let mut position = Position::start(&setup);
    /// position.choose_teams(&setup, BySeat::new([TankType::Striker; 5], [TankType::Pioneer; 5]), &mut ());
    /// position.play_round(&setup, &[TankOrder::Stop; 10], &mut ());
    /// assert_eq!(position.round(), 2);
    /// # Ok::<(), leitai_game::InvalidSetup>(())
    /// ```
    pub fn play_round(&mut self, setup: &Setup, orders: &Orders, watch: &mut impl StepObserver) {
        if self.round == 0 || self.end.is_some() {
            return;
        }
        let mut play = RoundPlay::new(self, setup, watch);
        play.report_unread(orders);
        play.resolve_fire(orders);
        play.choose_movers(orders);
        play.resolve_walls();
        play.revive_tanks();
        play.resolve_crossings();
        play.resolve_meetings();
        play.finish_moves();
        play.capture_mines();
        play.count_down();
        play.finish_round();
    }
}

/// A set of tanks, by number.
type Tanks = u16;

/// The numbers of a set, ascending.
fn tank_numbers(mut set: Tanks) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let number = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (number < TANKS).then_some(number)
    })
}

pub(crate) fn set_of(seat: Seat) -> Tanks {
    let range = team_range(seat);
    (1 << range.end) - (1 << range.start)
}

/// A round while it is played.
struct RoundPlay<'a, W> {
    now: &'a mut Position,
    setup: &'a Setup,
    watch: &'a mut W,
    /// The target cells of moving tanks; undefined for others.
    to: [Cell; TANKS],
    /// The tanks on the map.
    living: Tanks,
    /// Living tanks that move: ordered to go and not refused.
    going: Tanks,
    revived: Tanks,
    /// The cells of tanks before the round: most cells are free, which saves most searches.
    taken: Grid,
}

impl<'a, W: StepObserver> RoundPlay<'a, W> {
    fn new(now: &'a mut Position, setup: &'a Setup, watch: &'a mut W) -> Self {
        let (mut living, mut taken) = (0, Grid::EMPTY);
        for (number, tank) in now
            .tanks
            .iter()
            .enumerate()
            .filter(|(_, tank)| tank.is_alive())
        {
            living |= 1 << number;
            taken.insert(tank.cell);
        }
        RoundPlay {
            now,
            setup,
            watch,
            to: [Cell::NOWHERE; TANKS],
            living,
            going: 0,
            revived: 0,
            taken,
        }
    }

    fn report_unread(&mut self, orders: &Orders) {
        for (tank, order) in orders.iter().enumerate() {
            if *order == TankOrder::Unread && self.now.tanks[tank].is_alive() {
                self.watch.event(|| Event::Unread { tank });
            }
        }
    }

    /// R5.1. All shells land at once: damage is summed first and applied then. Bricks can be hit
    /// immediately, because no tank enters or leaves a cell meanwhile.
    fn resolve_fire(&mut self, orders: &Orders) {
        let mut damage = [0; TANKS];
        let mut by_enemy: Tanks = 0;
        for (shooter, order) in orders.iter().enumerate() {
            let TankOrder::Fire { row, col } = *order else {
                continue;
            };
            let Tank {
                kind, cell, life, ..
            } = self.now.tanks[shooter];
            if life == 0 {
                continue;
            }
            self.watch.event(|| Event::Fired {
                tank: shooter,
                row,
                col,
            });
            let in_range = |target: &Cell| target.distance(cell) <= kind.range();
            let Some(target) = Cell::on_map(row, col).filter(in_range) else {
                continue;
            };
            match self.standing_on(target) {
                None => self.shell_brick(target, kind.attack()),
                Some(hit) => {
                    let enemy = side_of(hit) != side_of(shooter);
                    // R6.5a: enemy shells have no effect on an invincible tank, friendly ones do.
                    if !enemy || self.now.tanks[hit].noharm == 0 {
                        damage[hit] += kind.attack();
                        by_enemy |= Tanks::from(enemy) << hit;
                    }
                }
            }
        }
        for (tank, damage) in damage
            .into_iter()
            .enumerate()
            .filter(|(_, damage)| *damage > 0)
        {
            self.hurt_by_fire(tank, damage, by_enemy >> tank & 1 != 0);
        }
    }

    fn standing_on(&self, cell: Cell) -> Option<usize> {
        if !self.taken.has(cell) {
            return None;
        }
        self.now
            .tanks
            .iter()
            .position(|tank| tank.is_alive() && tank.cell == cell)
    }

    fn shell_brick(&mut self, cell: Cell, attack: u8) {
        let before = self.now.brick(cell);
        if before > 0 {
            self.wear_brick(cell, before.saturating_sub(attack));
        }
    }

    fn wear_brick(&mut self, cell: Cell, left: u8) {
        self.now.set_brick(cell, left);
        self.watch.event(|| Event::Brick { cell, left });
    }

    fn hurt_by_fire(&mut self, tank: usize, damage: u8, by_enemy: bool) {
        let left = self.now.tanks[tank].life.saturating_sub(damage);
        let at = self.now.tanks[tank].cell;
        self.watch.event(|| Event::Hit {
            tank,
            damage,
            left,
            at,
        });
        self.now.tanks[tank].life = left;
        if left == 0 {
            self.kill_tank(tank, DeathCause::Fire, by_enemy);
        }
    }

    /// R6.1, and R8.4 for the kill.
    fn kill_tank(&mut self, tank: usize, cause: DeathCause, kill: bool) {
        let at = self.claimed_cell(tank);
        self.watch.event(|| Event::Died {
            tank,
            cause,
            kill,
            at,
        });
        self.now.tanks[tank] = Tank::dead_tank(self.now.tanks[tank].kind, self.now.round + REVIVE);
        self.now.kills[side_of(tank).other().index()] += u32::from(kill);
        self.living &= !(1 << tank);
        self.going &= !(1 << tank);
    }

    /// R5.2. `going` first contains every living tank that is ordered to go; those that must stay
    /// are removed until nothing changes.
    fn choose_movers(&mut self, orders: &Orders) {
        let (mut movers, mut contested, mut into_tanks) = (0, 0, 0);
        let mut aims = [Grid::EMPTY; 2];
        for tank in tank_numbers(self.living) {
            let TankOrder::Go(direction) = orders[tank] else {
                continue;
            };
            // R5.2b: a friend with a lower number may have the same target.
            let (to, aims) = (
                self.now.tanks[tank].cell.next(direction),
                &mut aims[side_of(tank).index()],
            );
            self.to[tank] = to;
            movers |= 1 << tank;
            contested |= Tanks::from(aims.has(to)) << tank;
            into_tanks |= Tanks::from(self.taken.has(to)) << tank;
            aims.insert(to);
        }
        self.going = movers & !contested;
        for tank in tank_numbers(into_tanks & self.going) {
            if self.swaps_cells(tank, movers) {
                self.going &= !(1 << tank);
            }
        }
        while self.refuse_blocked(into_tanks) {}
        for tank in tank_numbers(movers & !self.going) {
            self.watch.event(|| Event::Refused { tank });
        }
    }

    /// R5.2d: a friend on the target cell moves in the opposite direction.
    fn swaps_cells(&self, tank: usize, movers: Tanks) -> bool {
        let friends = movers & set_of(side_of(tank));
        tank_numbers(friends).any(|friend| self.exchange_cells(tank, friend))
    }

    fn exchange_cells(&self, one: usize, other: usize) -> bool {
        let cell = |tank: usize| self.now.tanks[tank].cell;
        self.to[one] == cell(other) && self.to[other] == cell(one)
    }

    /// R5.2c: a friend stays on the target cell. Returns whether a tank was refused.
    fn refuse_blocked(&mut self, into_tanks: Tanks) -> bool {
        let staying = self.living & !self.going;
        let blocked = |tank: usize| {
            tank_numbers(staying & set_of(side_of(tank)))
                .any(|friend| self.now.tanks[friend].cell == self.to[tank])
        };
        let refused = tank_numbers(self.going & into_tanks).filter(|tank| blocked(*tank));
        let refused: Tanks = refused.map(|tank| 1 << tank).sum();
        self.going &= !refused;
        refused != 0
    }

    /// R5.3. Two tanks on one brick are of opposite sides (R5.2b), and the brick is gone after the
    /// first of them.
    fn resolve_walls(&mut self) {
        for tank in tank_numbers(self.going) {
            let cell = self.to[tank];
            if self.setup.map().stone.has(cell) {
                self.kill_tank(tank, DeathCause::Stone, false);
                continue;
            }
            let brick = self.now.brick(cell);
            if brick == 0 {
                continue;
            }
            let rivals = self.going & set_of(side_of(tank).other());
            match tank_numbers(rivals).find(|rival| self.to[*rival] == cell) {
                Some(rival) => self.share_brick(cell, [tank, rival]),
                None => self.ram_brick(cell, tank, brick),
            }
        }
    }

    /// R5.3c.
    fn share_brick(&mut self, cell: Cell, tanks: [usize; 2]) {
        self.wear_brick(cell, 0);
        tanks
            .into_iter()
            .for_each(|tank| self.hurt_by_brick(tank, 1));
    }

    /// R5.3b: as in a duel, each loses the HP of the other.
    fn ram_brick(&mut self, cell: Cell, tank: usize, brick: u8) {
        let life = self.now.tanks[tank].life;
        self.wear_brick(cell, brick.saturating_sub(life));
        self.hurt_by_brick(tank, brick);
    }

    fn hurt_by_brick(&mut self, tank: usize, damage: u8) {
        let life = &mut self.now.tanks[tank].life;
        *life = life.saturating_sub(damage);
        if *life == 0 {
            self.kill_tank(tank, DeathCause::Brick, false);
        }
    }

    /// R6.2.
    fn revive_tanks(&mut self) {
        for tank in tank_numbers(!self.living) {
            let Tank { kind, revive, .. } = self.now.tanks[tank];
            if revive > self.now.round {
                continue;
            }
            let spawn = self.setup.map().spawns[tank];
            if self.friend_will_be_on(spawn, side_of(tank)) {
                self.now.tanks[tank].revive = self.now.round + 1;
                self.watch.event(|| Event::Waits { tank });
            } else {
                self.now.tanks[tank] = Tank {
                    noharm: NOHARM,
                    ..Tank::new_tank(kind, spawn)
                };
                self.living |= 1 << tank;
                self.revived |= 1 << tank;
                self.watch.event(|| Event::Revived { tank, cell: spawn });
            }
        }
    }

    /// R6.2b: a friend stands there or is moving there, "whatever happens to it on the way".
    fn friend_will_be_on(&self, cell: Cell, seat: Seat) -> bool {
        tank_numbers(self.living & set_of(seat)).any(|friend| self.claimed_cell(friend) == cell)
    }

    /// The cell on which a living tank is or to which it moves.
    fn claimed_cell(&self, tank: usize) -> Cell {
        if self.going >> tank & 1 != 0 {
            self.to[tank]
        } else {
            self.now.tanks[tank].cell
        }
    }

    /// R5.4a: enemies that exchange cells duel first.
    fn resolve_crossings(&mut self) {
        for red in tank_numbers(self.going & set_of(Seat::First)) {
            if !self.taken.has(self.to[red]) {
                continue;
            }
            let rivals = self.going & set_of(Seat::Second);
            if let Some(blue) = tank_numbers(rivals).find(|blue| self.exchange_cells(red, *blue)) {
                self.fight_duel(red, blue);
            }
        }
    }

    /// R5.4b and c: tanks that claim the cell of an enemy duel with it.
    fn resolve_meetings(&mut self) {
        let mut claims = Grid::EMPTY;
        tank_numbers(self.living & set_of(Seat::First))
            .for_each(|red| claims.insert(self.claimed_cell(red)));
        for blue in tank_numbers(self.living & set_of(Seat::Second)) {
            let cell = self.claimed_cell(blue);
            if !claims.has(cell) {
                continue;
            }
            let rivals = self.living & set_of(Seat::First);
            if let Some(red) = tank_numbers(rivals).find(|red| self.claimed_cell(*red) == cell) {
                self.fight_duel(red, blue);
            }
        }
    }

    /// R5.4d and R6.5b,d.
    fn fight_duel(&mut self, red: usize, blue: usize) {
        let (r, b) = (self.now.tanks[red], self.now.tanks[blue]);
        let (red_left, blue_left) = match (r.noharm > 0, b.noharm > 0) {
            (true, false) => (r.life, 0),
            (false, true) => (0, b.life),
            _ => (r.life.saturating_sub(b.life), b.life.saturating_sub(r.life)),
        };
        let at = self.claimed_cell(red);
        self.watch.event(|| Event::Duel {
            red,
            blue,
            red_left,
            blue_left,
            at,
        });
        for (tank, left) in [(red, red_left), (blue, blue_left)] {
            self.now.tanks[tank].life = left;
            if left == 0 {
                self.kill_tank(tank, DeathCause::Duel, true);
            }
        }
    }

    fn finish_moves(&mut self) {
        for tank in tank_numbers(self.going) {
            let cell = self.to[tank];
            self.now.tanks[tank].cell = cell;
            self.watch.event(|| Event::Moved { tank, cell });
        }
    }

    /// R5.5 and R5.6.
    fn capture_mines(&mut self) {
        for tank in tank_numbers(self.living) {
            let cell = self.now.tanks[tank].cell;
            let seat = side_of(tank);
            let Some(mine) = self.setup.mine_at(cell) else {
                continue;
            };
            if self.now.owner(mine) != Some(seat) {
                self.now.owners[seat.index()] |= 1 << mine;
                self.now.owners[seat.other().index()] &= !(1 << mine);
                self.watch.event(|| Event::Captured {
                    mine,
                    seat,
                    tank,
                    at: cell,
                });
            }
        }
        for seat in Seat::BOTH {
            self.now.gold[seat.index()] += self.now.mines(seat);
        }
    }

    /// R6.4.
    fn count_down(&mut self) {
        for tank in tank_numbers(!self.revived) {
            let counter = &mut self.now.tanks[tank].noharm;
            *counter = counter.saturating_sub(1);
        }
    }

    /// R8.1 to R8.3.
    fn finish_round(&mut self) {
        let goal = self
            .now
            .gold
            .into_iter()
            .any(|gold| gold >= self.setup.goal());
        let last = self.now.round >= self.setup.rounds();
        let cause = match (goal, last) {
            (true, _) => Some(EndCause::Goal),
            (false, true) => Some(EndCause::Rounds),
            (false, false) => self.is_decided().then_some(EndCause::Decided),
        };
        if let Some(cause) = cause {
            self.now.end = Some(GameEnd {
                winner: self.now.leader(),
                cause,
                faults: Default::default(),
            });
        }
        self.now.round += 1;
    }

    /// Whether the side behind stays behind even with every mine in every round that is left, if
    /// the leg stops then. It cannot reach the goal either: the side before it has not.
    fn is_decided(&self) -> bool {
        let [red, blue] = self.now.gold;
        let rounds = u32::from(self.setup.rounds().saturating_sub(self.now.round));
        let mines = u32::try_from(self.setup.map().mines.len()).unwrap_or(u32::MAX);
        self.setup.stops_decided() && red.abs_diff(blue) > rounds.saturating_mul(mines)
    }
}
