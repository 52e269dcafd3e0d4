//! The position and its transition, [`Position::play_action`].
//!
//! A position is plain data of 336 bytes beside a shared [`Setup`]; an action allocates nothing.
//! Bodies are not lists of cells: every body cell but the head holds, in two bits, the direction to
//! the next cell towards the head. So a move changes two cells, however long the snake is.
//!
//! Rules are cited from `docs/rules/snakego.md`, "A round", unless another section is named.

mod from_view;

use leitai_game::{BySeat, Fault, Scope, Seat};
use serde::{Deserialize, Serialize};

use crate::action::{Action, Direction, IllegalAction};
use crate::board::{Board, Cell, Links, either_has, enclosed_by};
use crate::items::{Item, ItemKind, LIFETIME};
use crate::setup::Setup;

/// The most snakes of a side.
pub const MAX_SNAKES: usize = 4;
/// The rounds in which the initial snake grows with every move.
pub const GROWING_ROUNDS: u16 = 8;

/// A living snake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snake {
    /// The first body cell.
    pub head: Cell,
    /// The last body cell.
    pub tail: Cell,
    facing: u8,
    /// The number of body cells.
    pub length: u16,
    /// The length by which it will still grow.
    pub bank: u16,
    ray: i16,
    /// Its number: 0 and 1 at the start, then a common counter from 2 for both players.
    pub id: u16,
}

impl Snake {
    pub(crate) const NONE: Snake = Snake {
        head: Cell(0),
        tail: Cell(0),
        facing: 0,
        length: 0,
        bank: 0,
        ray: -1,
        id: 0,
    };

    /// The direction from the second body cell to the head; `None` with length 1.
    pub fn facing(&self) -> Option<Direction> {
        (self.length > 1).then(|| Direction::from_bits(self.facing))
    }

    /// The id of the ray item it holds.
    pub fn ray(&self) -> Option<u16> {
        u16::try_from(self.ray).ok()
    }

    /// "h is the second body cell, and length > 2, or length = 2 and the snake will grow: illegal."
    #[inline]
    fn turns_back(&self, direction: Direction, grows: bool) -> bool {
        self.facing ^ 2 == direction as u8 && (self.length > 2 || (self.length == 2 && grows))
    }

    /// The same values in the order in which they are stored, so that two loads read them.
    #[inline]
    pub(crate) const fn pack_as_stored(&self) -> [u64; 2] {
        let cells = self.head.0 as u64 | (self.tail.0 as u64) << 8;
        let numbers = self.length as u64
            | (self.bank as u64) << 16
            | (self.ray as u16 as u64) << 32
            | (self.id as u64) << 48;
        [cells, numbers]
    }

    #[inline]
    pub(crate) fn pack_words(&self) -> [u64; 2] {
        let cells = u64::from(self.head.0) << 8 | u64::from(self.tail.0);
        let numbers =
            u64::from(self.bank) << 32 | u64::from(self.ray as u16) << 16 | u64::from(self.id);
        [cells | u64::from(self.length) << 16, numbers]
    }
}

/// "r <= 8 and this is the initial snake: it grows, bank untouched."
#[inline]
fn grows_by_itself(round: u16, seat: Seat, snake: &Snake) -> bool {
    round <= GROWING_ROUNDS && snake.id == seat.index() as u16
}

/// The state of a leg before an action, or at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    walls: [Board; 2],
    /// The cells of each side's snakes.
    bodies: [Board; 2],
    /// The direction towards the head, of every body cell but the heads.
    links: Links,
    /// The cells on which an item lies.
    laid: Board,
    snakes: [[Snake; MAX_SNAKES]; 2],
    counts: [u8; 2],
    /// The player to move.
    seat: Seat,
    /// The index of the acting snake.
    cursor: u8,
    round: u16,
    next_id: u16,
    /// Bit k: the item of round `round - k` lies on the map.
    lying: u16,
    /// The round of each side's first item; 0 if it has none.
    first_item: [u16; 2],
    /// The cells covered by snakes and walls of each side, now and at the end of the last completed
    /// round.
    cells: [u16; 2],
    settled: [u16; 2],
    illegal_scope: Scope,
    end: Option<GameEnd>,
}

/// Why a leg is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameEnd {
    /// The last round was played.
    Rounds,
    /// No snake is left.
    Extinct,
    /// A side has no snakes, and its walls are behind the other one's: [`Setup::stops_decided`].
    Decided,
    /// A player committed a fault.
    Fault(Seat, Fault),
}

/// An event for viewers and logs. Written as `{"event": "ate", …}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields are the nouns of the rules")]
pub enum Event {
    /// An item appeared on the map.
    Appeared { item: u16 },
    /// An item vanished, because of its age or in favour of another.
    Vanished { item: u16 },
    /// An item appeared on a snake, or a snake moved onto it.
    Ate { snake: u16, item: u16, bank: u16 },
    /// A snake moved.
    Moved { snake: u16, x: u8, y: u8 },
    /// A snake died.
    Died { snake: u16, cause: DeathCause },
    /// A snake and its enclosed cells became walls.
    Solidified { snake: u16, cells: u32 },
    /// A snake split.
    Split { snake: u16, tail: u16 },
    /// A ray destroyed walls.
    Fired { snake: u16, walls: u32 },
    /// A round began; items vanish and appear before its first turn.
    Round { round: u16 },
    /// A player's turn began.
    Turn { seat: Seat },
}

/// The cause of a snake's death.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeathCause {
    /// It left the map.
    Edge,
    /// It ran into a wall.
    Wall,
    /// It ran into another snake.
    Snake,
    /// It was enclosed.
    Enclosed,
}

/// Observes the events inside [`Position::play_action`]. Every method does nothing by default, and
/// `()` costs no time.
pub trait ActObserver {
    /// An event for viewers and logs; made only if it is used.
    fn event(&mut self, _event: impl FnOnce() -> Event) {}
    /// A turn of a player, possibly empty, is over; walls, items and scores of the round are those
    /// at its end.
    fn turn_over(&mut self, _setup: &Setup, _position: &Position) {}
    /// The link from a body cell to the next one was added or removed.
    fn link(&mut self, _cell: Cell, _towards: Direction) {}
    /// More changed about the snakes than the one that acts: one died or split, or an item appeared
    /// on one.
    fn snakes(&mut self) {}
    /// These cells changed between free and wall of this side.
    fn walls(&mut self, _seat: Seat, _changed: Board) {}
}

impl ActObserver for () {}

impl Position {
    /// The position before the first action: player 0 at (0, 15), player 1 at (15, 0), length 1.
    pub fn start(setup: &Setup, watch: &mut impl ActObserver) -> Position {
        let corners = [Cell::new(0, 15), Cell::new(15, 0)];
        let snake = |seat: usize| {
            let cell = corners[seat];
            let first = Snake {
                head: cell,
                tail: cell,
                length: 1,
                id: seat as u16,
                ..Snake::NONE
            };
            [first, Snake::NONE, Snake::NONE, Snake::NONE]
        };
        let mut position = Position {
            walls: [Board::EMPTY; 2],
            bodies: corners.map(|corner| Board::from_cells([corner])),
            links: Links::NONE,
            laid: Board::EMPTY,
            snakes: [snake(0), snake(1)],
            counts: [1, 1],
            seat: Seat::First,
            cursor: 0,
            round: 1,
            next_id: 2,
            lying: 0,
            first_item: [0, 0],
            cells: [1, 1],
            settled: [0, 0],
            illegal_scope: setup.fault_scope().into(),
            end: None,
        };
        position.begin_round(setup, watch);
        position.begin_turn(Seat::First, watch);
        position
    }

    /// Plays this action of the next snake, and advances to the following one, through empty turns
    /// and into the next round if necessary. An illegal action ends the leg. Nothing changes once
    /// the leg is over.
    #[inline]
    pub fn play_action(&mut self, setup: &Setup, action: Action, watch: &mut impl ActObserver) {
        if self.end.is_some() {
            return;
        }
        let done = match action.direction() {
            Some(direction) => self.move_snake(setup, direction, watch),
            None if action == Action::Ray => self.fire_ray(watch),
            None => self.split_snake(watch),
        };
        match done {
            Ok(()) => self.move_on(setup, watch),
            Err(_) => self.end = Some(GameEnd::Fault(self.seat, Fault::Illegal)),
        }
    }

    /// Ends the leg by a fault of the seat to act.
    pub fn record_fault(&mut self, fault: Fault) {
        if self.end.is_none() {
            self.end = Some(GameEnd::Fault(self.seat, fault));
        }
    }

    /// Whether the action is legal.
    pub fn check_action(&self, action: Action) -> Result<(), IllegalAction> {
        let me = self.acting_snake();
        match action {
            Action::Ray if me.ray < 0 => Err(IllegalAction::NoRay),
            Action::Ray if me.length < 2 => Err(IllegalAction::RayTooShort),
            Action::Split if usize::from(self.counts[self.seat.index()]) == MAX_SNAKES => {
                Err(IllegalAction::TooManySnakes)
            }
            Action::Split if me.length < 2 => Err(IllegalAction::SplitTooShort),
            Action::Ray | Action::Split => Ok(()),
            moving => {
                let direction = Direction::from_bits(moving as u8 - 1);
                if me.turns_back(direction, self.grows_now(me)) {
                    Err(IllegalAction::TurnBack)
                } else {
                    Ok(())
                }
            }
        }
    }

    /// The legal actions as a bit set: bit n for [`Action::number`] n. 0 once the leg is over.
    pub fn legal_mask(&self) -> u8 {
        if self.end.is_some() {
            return 0;
        }
        let me = self.acting_snake();
        let long = me.length >= 2;
        let back = u8::from(me.length > 2 || (long && self.grows_now(me))) << (1 + (me.facing ^ 2));
        let ray = u8::from(long && me.ray >= 0) << 5;
        let split = u8::from(long && usize::from(self.counts[self.seat.index()]) < MAX_SNAKES) << 6;
        (0b1_1110 & !back) | ray | split
    }

    fn acting_snake(&self) -> &Snake {
        &self.snakes[self.seat.index()][usize::from(self.cursor) & 3]
    }

    /// [`Position::current`] for bots that know that the leg goes on.
    #[inline]
    pub(crate) fn acting(&self) -> &Snake {
        self.acting_snake()
    }

    /// Whether the acting snake grows if it moves now.
    #[inline]
    pub(crate) fn acting_grows(&self) -> bool {
        self.grows_now(self.acting_snake())
    }

    /// Cells with a wall or a body.
    #[inline]
    pub(crate) fn blocked(&self) -> Board {
        self.walls[0] | self.walls[1] | self.bodies[0] | self.bodies[1]
    }

    /// Whether a body cell belongs to the acting snake.
    #[inline]
    pub(crate) fn is_own_body(&self, cell: Cell) -> bool {
        self.bodies[self.seat.index()].has(cell)
            && self.snake_at(cell) == (self.seat.index(), self.cursor.into())
    }

    /// Turns the snakes that are not kept into walls of their sides, for searches that look at a
    /// part of the map. The snake that acts is always kept.
    pub(crate) fn freeze_snakes(&mut self, keep: impl Fn(&Snake) -> bool) {
        let acting = self.acting_snake().id;
        for seat in Seat::BOTH {
            for index in (0..self.snakes(seat).len()).rev() {
                let snake = self.snakes(seat)[index];
                if snake.id == acting || keep(&snake) {
                    continue;
                }
                let body = self.links_from(snake.tail, snake.head);
                self.remove_snake(seat, index, &mut ());
                self.walls[seat.index()] |= body;
                self.cells[seat.index()] += snake.length;
            }
        }
    }

    fn acting_mut(&mut self) -> &mut Snake {
        &mut self.snakes[self.seat.index()][usize::from(self.cursor) & 3]
    }

    fn grows_now(&self, snake: &Snake) -> bool {
        grows_by_itself(self.round, self.seat, snake) || snake.bank > 0
    }

    /// The hot path: it works on the fields themselves, without copying the snake.
    #[inline]
    fn move_snake(
        &mut self,
        setup: &Setup,
        direction: Direction,
        watch: &mut impl ActObserver,
    ) -> Result<(), IllegalAction> {
        let seat = self.seat.index();
        let me = &mut self.snakes[seat][usize::from(self.cursor) & 3];
        let Some(target) = direction.next_from(me.head) else {
            self.kill_acting(DeathCause::Edge, watch);
            return Ok(());
        };
        if either_has(&self.walls, target) {
            self.kill_acting(DeathCause::Wall, watch);
            return Ok(());
        }
        let by_itself = grows_by_itself(self.round, self.seat, me);
        let grows = by_itself || me.bank > 0;
        if me.turns_back(direction, grows) {
            return Err(IllegalAction::TurnBack);
        }
        if grows {
            me.bank -= u16::from(!by_itself);
            me.length += 1;
            self.cells[seat] += 1;
        } else {
            // The tail cell becomes free; the next cell towards the head is the tail.
            self.bodies[seat].remove(me.tail);
            if me.length > 1 {
                let towards = self.links.take_direction(me.tail);
                watch.link(me.tail, towards);
                me.tail = towards.step_from(me.tail);
            }
        }
        if either_has(&self.bodies, target) {
            self.run_into_body(target, watch);
            return Ok(());
        }
        if me.length > 1 {
            self.links.set_direction(me.head, direction);
            watch.link(me.head, direction);
            me.facing = direction as u8;
        } else {
            me.tail = target;
            me.facing = 0;
        }
        self.bodies[seat].insert(target);
        me.head = target;
        let id = me.id;
        watch.event(|| Event::Moved {
            snake: id,
            x: target.x(),
            y: target.y(),
        });
        if self.laid.has(target) {
            self.pick_up(setup, target, watch);
        }
        self.cursor += 1;
        Ok(())
    }

    fn make_link(&mut self, cell: Cell, towards: Direction, watch: &mut impl ActObserver) {
        self.links.set_direction(cell, towards);
        watch.link(cell, towards);
    }

    /// Removes the link of a cell and returns the next cell.
    fn undo_link(&mut self, cell: Cell, watch: &mut impl ActObserver) -> Cell {
        let towards = self.links.take_direction(cell);
        watch.link(cell, towards);
        towards.step_from(cell)
    }

    /// Handles a move onto a cell that is currently a body cell: of its own (solidify) or of
    /// another snake (death).
    #[cold]
    fn run_into_body(&mut self, target: Cell, watch: &mut impl ActObserver) {
        let own = self.snake_at(target) == (self.seat.index(), self.cursor.into());
        if own {
            self.solidify_loop(target, watch)
        } else {
            self.kill_acting(DeathCause::Snake, watch)
        }
    }

    /// The seat and list index of the snake that covers a body cell.
    fn snake_at(&self, cell: Cell) -> (usize, usize) {
        let mut head = cell;
        loop {
            for seat in 0..2 {
                let own = &self.snakes[seat][..usize::from(self.counts[seat])];
                if let Some(index) = own.iter().position(|snake| snake.head == head) {
                    return (seat, index);
                }
            }
            head = self.links.get(head).step_from(head);
        }
    }

    /// "Loop and area become walls of the mover, existing walls of both colours in them too; every
    /// other snake with a cell in the area is removed; the mover is removed, its cells behind the
    /// loop vanish, or become wall if inside the area."
    fn solidify_loop(&mut self, target: Cell, watch: &mut impl ActObserver) {
        let me = *self.acting_snake();
        let ring = self.links_from(target, me.head);
        let area = enclosed_by(ring);
        let solid = ring | area;
        self.remove_snake(self.seat, usize::from(self.cursor), watch);
        watch.event(|| Event::Solidified {
            snake: me.id,
            cells: solid.len(),
        });
        self.remove_enclosed(area, watch);
        let (mine, theirs) = (self.seat.index(), self.seat.other().index());
        let (gained, lost) = (solid & !self.walls[mine], solid & self.walls[theirs]);
        watch.walls(self.seat, gained);
        watch.walls(self.seat.other(), lost);
        self.walls[mine] |= gained;
        self.walls[theirs] &= !lost;
        self.cells[mine] += gained.len() as u16;
        self.cells[theirs] -= lost.len() as u16;
    }

    /// The body cells from one cell up to and including another one, towards the head.
    fn links_from(&self, from: Cell, to: Cell) -> Board {
        let mut cell = from;
        let mut board = Board::from_cells([from]);
        while cell != to {
            cell = self.links.get(cell).step_from(cell);
            board.insert(cell);
        }
        board
    }

    /// Removes the snakes inside the area. No snake can cross the loop, so each is completely in
    /// the area if its head is.
    fn remove_enclosed(&mut self, area: Board, watch: &mut impl ActObserver) {
        if (area & self.bodies()).is_empty() {
            return;
        }
        for seat in Seat::BOTH {
            let mut index = 0;
            while let Some(snake) = self.snakes(seat).get(index).copied() {
                if area.has(snake.head) {
                    self.remove_snake(seat, index, watch);
                    watch.event(|| Event::Died {
                        snake: snake.id,
                        cause: DeathCause::Enclosed,
                    });
                } else {
                    index += 1;
                }
            }
        }
    }

    #[cold]
    fn kill_acting(&mut self, cause: DeathCause, watch: &mut impl ActObserver) {
        let id = self.acting_snake().id;
        self.remove_snake(self.seat, usize::from(self.cursor), watch);
        watch.event(|| Event::Died { snake: id, cause });
    }

    /// Removes a snake from the map and from the order of its side.
    fn remove_snake(&mut self, seat: Seat, index: usize, watch: &mut impl ActObserver) {
        watch.snakes();
        let snake = self.snakes[seat.index()][index];
        if self.bodies[seat.index()].has(snake.tail) {
            let mut cell = snake.tail;
            self.bodies[seat.index()].remove(cell);
            while cell != snake.head {
                cell = self.undo_link(cell, watch);
                self.bodies[seat.index()].remove(cell);
            }
        }
        let list = &mut self.snakes[seat.index()];
        list.copy_within(index + 1.., index);
        list[MAX_SNAKES - 1] = Snake::NONE;
        self.counts[seat.index()] -= 1;
        self.cells[seat.index()] -= snake.length;
        if seat == self.seat && index < usize::from(self.cursor) {
            self.cursor -= 1;
        }
    }

    /// "All walls of both colours from the cell in front of the head to the edge vanish."
    #[cold]
    fn fire_ray(&mut self, watch: &mut impl ActObserver) -> Result<(), IllegalAction> {
        self.check_action(Action::Ray)?;
        let me = *self.acting_snake();
        let direction = Direction::from_bits(me.facing);
        let mut line = Board::EMPTY;
        let mut cell = me.head;
        while let Some(next) = direction.next_from(cell) {
            line.insert(next);
            cell = next;
        }
        watch.event(|| Event::Fired {
            snake: me.id,
            walls: (line & (self.walls[0] | self.walls[1])).len(),
        });
        for seat in Seat::BOTH {
            let lost = self.walls[seat.index()] & line;
            watch.walls(seat, lost);
            self.walls[seat.index()] &= !lost;
            self.cells[seat.index()] -= lost.len() as u16;
        }
        self.acting_mut().ray = -1;
        self.cursor += 1;
        Ok(())
    }

    /// "Head piece: first ceil(L/2) cells, keeps id, place, ray; bank 0. Tail piece: the remaining
    /// cells reversed, the whole bank, no ray, the next id, directly behind the parent in the
    /// order, acts from the next round."
    #[cold]
    fn split_snake(&mut self, watch: &mut impl ActObserver) -> Result<(), IllegalAction> {
        self.check_action(Action::Split)?;
        let me = *self.acting_snake();
        let tail_length = me.length / 2;
        let (joint, new_tail, facing) = self.reverse_tail(me.tail, tail_length, watch);
        let tail_piece = Snake {
            head: me.tail,
            tail: joint,
            facing,
            length: tail_length,
            bank: me.bank,
            ray: -1,
            id: self.next_id,
        };
        let length = me.length - tail_length;
        let facing = if length > 1 { me.facing } else { 0 };
        *self.acting_mut() = Snake {
            tail: new_tail,
            length,
            bank: 0,
            facing,
            ..me
        };
        let list = &mut self.snakes[self.seat.index()];
        let behind = usize::from(self.cursor) + 1;
        list.copy_within(behind..MAX_SNAKES - 1, behind + 1);
        list[behind] = tail_piece;
        self.counts[self.seat.index()] += 1;
        watch.snakes();
        self.next_id += 1;
        self.cursor += 2;
        watch.event(|| Event::Split {
            snake: me.id,
            tail: tail_piece.id,
        });
        Ok(())
    }

    /// Cuts off the last `count` cells and reverses their links. Returns the last of them, which is
    /// the tail of the new piece; the cell before them, which is the tail of the remaining piece;
    /// and the direction of the new piece.
    fn reverse_tail(
        &mut self,
        tail: Cell,
        count: u16,
        watch: &mut impl ActObserver,
    ) -> (Cell, Cell, u8) {
        let (mut cell, mut joint, mut facing) = (tail, tail, 0);
        let mut arrived = None;
        for _ in 0..count {
            let towards = self.links.get(cell);
            let next = self.undo_link(cell, watch);
            match arrived {
                None if count > 1 => facing = towards.back() as u8,
                None => {}
                Some(from) => self.make_link(cell, Direction::back(from), watch),
            }
            (arrived, joint, cell) = (Some(towards), cell, next);
        }
        (joint, cell, facing)
    }

    fn pick_up(&mut self, setup: &Setup, cell: Cell, watch: &mut impl ActObserver) {
        if let Some((id, item)) = self.take_lying(setup, cell) {
            self.give_item(self.seat, usize::from(self.cursor), id, item, watch);
        }
    }

    /// Removes the item that lies on a cell.
    fn take_lying<'a>(&mut self, setup: &'a Setup, cell: Cell) -> Option<(u16, &'a Item)> {
        self.laid.remove(cell);
        let mut ages = self.lying;
        while ages != 0 {
            let age = ages.trailing_zeros() as u16;
            ages &= ages - 1;
            let found = setup
                .item_appearing(self.round - age)
                .filter(|(_, item)| item.cell == cell);
            if found.is_some() {
                self.lying &= !(1 << age);
                return found;
            }
        }
        None
    }

    /// "Length into the bank; a ray replaces the held one."
    fn give_item(
        &mut self,
        seat: Seat,
        index: usize,
        id: u16,
        item: &Item,
        watch: &mut impl ActObserver,
    ) {
        let snake = &mut self.snakes[seat.index()][index];
        match item.kind {
            ItemKind::Length => snake.bank = snake.bank.saturating_add(item.param),
            ItemKind::Ray => snake.ray = id as i16,
        }
        let (snake, bank) = (snake.id, snake.bank);
        watch.event(|| Event::Ate {
            snake,
            item: id,
            bank,
        });
        let first = &mut self.first_item[seat.index()];
        if *first == 0 {
            *first = self.round;
        }
    }

    /// Advances to the next acting snake, over the end of turns and rounds.
    #[inline]
    fn move_on(&mut self, setup: &Setup, watch: &mut impl ActObserver) {
        while self.cursor >= self.counts[self.seat.index()] {
            watch.turn_over(setup, self);
            self.cursor = 0;
            match self.seat {
                Seat::First => self.begin_turn(Seat::Second, watch),
                Seat::Second => self.end_round(setup, watch),
            }
            if self.end.is_some() {
                return;
            }
        }
    }

    #[inline]
    fn begin_turn(&mut self, seat: Seat, watch: &mut impl ActObserver) {
        self.seat = seat;
        watch.event(|| Event::Turn { seat });
    }

    /// "The half ends when r = max_round or when both sides have no snake."
    fn end_round(&mut self, setup: &Setup, watch: &mut impl ActObserver) {
        self.settled = self.cells;
        if self.counts == [0, 0] {
            self.end = Some(GameEnd::Extinct);
        } else if self.round == setup.max_round() {
            self.end = Some(GameEnd::Rounds);
        } else if setup.stops_decided() && self.is_decided() {
            self.end = Some(GameEnd::Decided);
        } else {
            self.round += 1;
            self.begin_round(setup, watch);
            self.begin_turn(Seat::First, watch);
        }
    }

    /// Whether a side has no snakes, and would lose the leg even if all snakes of the other side
    /// died at once. It can gain nothing; the other side loses walls by its own rays alone.
    fn is_decided(&self) -> bool {
        let loses = |seat: Seat| {
            let (left, walls) = (self.cells[seat.index()], self.walls(seat.other()).len());
            let ahead = walls.cmp(&u32::from(left));
            let equal_wins = seat == Seat::Second;
            self.counts[seat.index()] == 0 && (ahead.is_gt() || ahead.is_eq() && equal_wins)
        };
        loses(Seat::First) || loses(Seat::Second)
    }

    /// "Items lying on the map with time + 16 <= r vanish. The item with time == r appears: if a
    /// snake covers the cell, that snake gets it at once; else it lies there, also inside a wall."
    fn begin_round(&mut self, setup: &Setup, watch: &mut impl ActObserver) {
        let round = self.round;
        watch.event(|| Event::Round { round });
        if self.lying >> (LIFETIME - 1) != 0
            && let Some((id, item)) = setup.item_appearing(round - LIFETIME)
        {
            self.laid.remove(item.cell);
            watch.event(|| Event::Vanished { item: id });
        }
        self.lying <<= 1;
        let Some((id, item)) = setup.item_appearing(round) else {
            return;
        };
        if either_has(&self.bodies, item.cell) {
            let (seat, index) = self.snake_at(item.cell);
            self.give_item(Seat::BOTH[seat], index, id, item, watch);
            watch.snakes();
            return;
        }
        // First edition: "the newcomer replaces what lies on the cell".
        if self.laid.has(item.cell)
            && let Some((old, _)) = self.take_lying(setup, item.cell)
        {
            watch.event(|| Event::Vanished { item: old });
        }
        self.laid.insert(item.cell);
        self.lying |= 1;
        watch.event(|| Event::Appeared { item: id });
    }

    /// The current round, from 1.
    pub fn round(&self) -> u16 {
        self.round
    }

    /// The seat to move; at the end of the leg, the seat that moved last.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The acting snake.
    pub fn current(&self) -> Option<&Snake> {
        self.end.is_none().then(|| self.acting_snake())
    }

    /// The index of the acting snake in [`Position::snakes`].
    pub fn cursor(&self) -> usize {
        self.cursor.into()
    }

    /// Why the leg is over, if it is.
    pub fn end(&self) -> Option<GameEnd> {
        self.end
    }

    /// The living snakes of a side in the order of their actions.
    pub fn snakes(&self, seat: Seat) -> &[Snake] {
        &self.snakes[seat.index()][..usize::from(self.counts[seat.index()])]
    }

    /// The cells of a snake from head to tail.
    pub fn cells_of(&self, snake: &Snake) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(snake.length.into());
        let mut cell = snake.tail;
        cells.push(cell);
        while cell != snake.head {
            cell = self.links.get(cell).step_from(cell);
            cells.push(cell);
        }
        cells.reverse();
        cells
    }

    /// The cells of a snake as a set.
    pub(crate) fn body(&self, snake: &Snake) -> Board {
        self.links_from(snake.tail, snake.head)
    }

    /// The low and the high bit of the direction from every body cell to the next one towards the
    /// head; undefined for heads and for cells without a body.
    #[inline]
    pub(crate) fn links_by_bit(&self) -> [Board; 2] {
        self.links.by_bit()
    }

    /// The walls of a side.
    pub fn walls(&self, seat: Seat) -> Board {
        self.walls[seat.index()]
    }

    /// The cells covered by any snake.
    #[inline]
    pub fn bodies(&self) -> Board {
        self.bodies[0] | self.bodies[1]
    }

    /// The cells covered by this side's snakes.
    #[inline]
    pub(crate) fn bodies_of(&self, seat: Seat) -> Board {
        self.bodies[seat.index()]
    }

    /// The ages, in rounds, of the items on the map as a bit set.
    #[inline]
    pub(crate) fn lying_ages(&self) -> u16 {
        self.lying
    }

    /// The cells with an item, also inside walls.
    pub fn item_cells(&self) -> Board {
        self.laid
    }

    /// The ids of the items on the map, ascending.
    pub fn lying_items<'a>(
        &self,
        setup: &'a Setup,
    ) -> impl Iterator<Item = (u16, &'a Item)> + use<'a> {
        let (round, lying) = (self.round, self.lying);
        let ages = (0..LIFETIME).rev().filter(move |age| lying >> age & 1 != 0);
        ages.filter_map(move |age| setup.item_appearing(round - age))
    }

    /// The current number of cells covered by own snakes plus own wall cells.
    pub fn count_cells(&self) -> BySeat<u16> {
        BySeat::new(self.cells[0], self.cells[1])
    }

    /// [`Position::count_cells`] at the end of the last completed round.
    pub fn settled_cells(&self) -> BySeat<u16> {
        BySeat::new(self.settled[0], self.settled[1])
    }

    /// The round of each side's first item.
    pub fn first_item(&self) -> BySeat<Option<u16>> {
        BySeat::new(self.first_item[0], self.first_item[1])
            .map_values(|round| (round > 0).then_some(round))
    }

    /// What an illegal action ends.
    pub fn illegal_scope(&self) -> Scope {
        self.illegal_scope
    }

    /// The place of the acting snake: its index, behind all places of the first seat for the
    /// second.
    #[inline]
    pub(crate) fn place_of_acting(&self) -> usize {
        self.seat.index() * MAX_SNAKES + (usize::from(self.cursor) & (MAX_SNAKES - 1))
    }

    /// The values of the snake at a place that the hash must distinguish.
    #[inline]
    pub(crate) fn snake_words(&self, place: usize) -> [u64; 2] {
        self.snakes.as_flattened()[place].pack_as_stored()
    }

    /// Values that the hash must distinguish beside walls and links: order of snakes, turn, round,
    /// items.
    pub(crate) fn pack_rest(&self) -> [u64; 2] {
        let turn = (self.seat.index() as u64) << 8 | u64::from(self.cursor);
        let counts = u64::from(self.counts[0]) << 12 | u64::from(self.counts[1]) << 16;
        [
            turn | counts | u64::from(self.round) << 24 | u64::from(self.lying) << 40,
            u64::from(self.next_id),
        ]
    }

    /// The same values in the order in which they are stored, so that few loads read them.
    #[inline]
    pub(crate) fn pack_rest_as_stored(&self) -> [u64; 2] {
        let numbers =
            u64::from(self.round) | u64::from(self.next_id) << 16 | u64::from(self.lying) << 32;
        let counts = u64::from(self.counts[0]) | u64::from(self.counts[1]) << 8;
        let turn = (self.seat.index() as u64) << 16 | u64::from(self.cursor) << 24;
        [numbers, counts | turn]
    }
}
