//! The position and its transition, [`Position::play_action`].
//!
//! A position is plain data of 336 bytes beside a shared [`Setup`]; an action allocates nothing.
//! Bodies are not lists of cells: every body cell but the head holds, in two bits, the direction to
//! the next cell towards the head. So a move changes two cells, however long the snake is.
//!
//! The moves of playouts cannot be predicted, and a branch that is predicted wrongly costs as much as
//! ten lines. So the code that every action runs computes with conditions (`&` and `|` of `bool`,
//! sums, [`Board::insert_if`]) instead of branching on them.
//!
//! Rules are cited from `docs/rules/snakego.md`, "A round", unless another section is named.

mod from_view;
mod items;
#[doc(hidden)] // For tests.
pub mod turn;

use leitai_game::{BySeat, Fault, Scope, Seat};
use serde::{Deserialize, Serialize};

use crate::action::{Action, Direction, IllegalAction};
use crate::board::{Board, Cell, Links, either_has, enclosed_by};
use crate::items::LIFETIME;
use crate::setup::Setup;
pub use turn::MAX_SNAKES;
use turn::Turn;

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
        // One comparison: the compiler makes two branches of two.
        (self.facing ^ 2 ^ direction as u8) | u8::from(!self.keeps_neck(grows)) == 0
    }

    /// Whether there is a second body cell that is not about to leave.
    #[inline]
    fn keeps_neck(&self, grows: bool) -> bool {
        u32::from(self.length) + u32::from(grows) > 2
    }

    /// The values that the key must distinguish, beside the links, from which tail and length
    /// follow.
    #[inline]
    pub(crate) const fn pack_for_key(&self, place: usize) -> [u64; 2] {
        // The length is here because one load then reads all four.
        let numbers = self.length as u64
            | (self.bank as u64) << 16
            | (self.ray as u16 as u64) << 32
            | (self.id as u64) << 48;
        [self.head.0 as u64 | (place as u64) << 8, numbers]
    }

    #[inline]
    pub(crate) fn pack_words(&self) -> [u64; 2] {
        let cells = u64::from(self.head.0) << 8 | u64::from(self.tail.0);
        let numbers =
            u64::from(self.bank) << 32 | u64::from(self.ray as u16) << 16 | u64::from(self.id);
        [cells | u64::from(self.length) << 16, numbers]
    }
}

/// "r <= 8 and this is the initial snake: it grows, bank untouched." Initial snakes have the ids 0
/// and 1.
#[inline]
fn grows_by_itself(round: u16, snake: &Snake) -> bool {
    (round <= GROWING_ROUNDS) & (snake.id < 2)
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
    #[serde(flatten)]
    turn: Turn,
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
    /// The snake at this place moved.
    fn moved(&mut self, _place: usize, _snake: &Snake) {}
    /// More changed about the snakes of this seat: one died or split, got an item or fired.
    fn snakes(&mut self, _seat: Seat) {}
    /// These cells changed between free and wall of this side.
    fn walls(&mut self, _seat: Seat, _changed: Board) {}
}

impl ActObserver for () {}

impl Position {
    /// The position before the first action: player 0 at (0, 15), player 1 at (15, 0), length 1.
    pub fn start(setup: &Setup, watch: &mut impl ActObserver) -> Position {
        let mut position = Position::BEFORE_FIRST_ROUND;
        position.begin_leg(setup, watch);
        position
    }

    /// Begins the first round of [`Position::BEFORE_FIRST_ROUND`].
    #[inline]
    pub(crate) fn begin_leg(&mut self, setup: &Setup, watch: &mut impl ActObserver) {
        self.illegal_scope = setup.fault_scope().into();
        self.begin_round(setup, watch);
        self.begin_turn(Seat::First, watch);
    }

    /// The start of every leg but for what its setup decides.
    pub(crate) const BEFORE_FIRST_ROUND: Position = {
        const CORNERS: [Cell; 2] = [Cell::new(0, 15), Cell::new(15, 0)];
        const fn board(cell: Cell) -> Board {
            let mut board = Board::EMPTY;
            board.insert(cell);
            board
        }
        const fn snakes(seat: usize) -> [Snake; MAX_SNAKES] {
            let mut snakes = [Snake::NONE; MAX_SNAKES];
            snakes[0].head = CORNERS[seat];
            snakes[0].tail = CORNERS[seat];
            snakes[0].length = 1;
            snakes[0].id = seat as u16;
            snakes
        }
        Position {
            walls: [Board::EMPTY; 2],
            bodies: [board(CORNERS[0]), board(CORNERS[1])],
            links: Links::NONE,
            laid: Board::EMPTY,
            snakes: [snakes(0), snakes(1)],
            turn: Turn::START,
            round: 1,
            next_id: 2,
            lying: 0,
            first_item: [0, 0],
            cells: [1, 1],
            settled: [0, 0],
            illegal_scope: Scope::Leg,
            end: None,
        }
    };

    /// Plays this action of the next snake, and advances to the following one, through empty turns
    /// and into the next round if necessary. An illegal action ends the leg. Nothing changes once
    /// the leg is over.
    // Always: so the compiler need not compute again what `legal_mask` has just computed.
    #[inline(always)]
    pub fn play_action(&mut self, setup: &Setup, action: Action, watch: &mut impl ActObserver) {
        if self.end.is_some() {
            return;
        }
        // A second body cell is on the map and no wall: whether a snake turns back may be asked first.
        let passed = match action.direction() {
            Some(direction) if self.turns_back(direction) => return self.end_illegally(),
            Some(direction) => self.move_snake(setup, direction, watch),
            None if self.check_action(action).is_err() => return self.end_illegally(),
            None if action == Action::Ray => self.fire_ray(watch),
            None => self.split_snake(watch),
        };
        self.move_on(passed, setup, watch);
    }

    #[cold]
    fn end_illegally(&mut self) {
        self.end = Some(GameEnd::Fault(self.seat(), Fault::Illegal));
    }

    /// Ends the leg by a fault of the seat to act.
    pub fn record_fault(&mut self, fault: Fault) {
        if self.end.is_none() {
            self.end = Some(GameEnd::Fault(self.seat(), fault));
        }
    }

    /// Whether the action is legal.
    pub fn check_action(&self, action: Action) -> Result<(), IllegalAction> {
        let me = self.acting_snake();
        match action {
            Action::Ray if me.ray < 0 => Err(IllegalAction::NoRay),
            Action::Ray if me.length < 2 => Err(IllegalAction::RayTooShort),
            Action::Split if !self.turn.has_room() => Err(IllegalAction::TooManySnakes),
            Action::Split if me.length < 2 => Err(IllegalAction::SplitTooShort),
            Action::Ray | Action::Split => Ok(()),
            moving => {
                if self.turns_back(Direction::from_bits(moving as u8 - 1)) {
                    Err(IllegalAction::TurnBack)
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Whether the acting snake may not move in this direction.
    #[inline]
    fn turns_back(&self, direction: Direction) -> bool {
        self.acting_snake()
            .turns_back(direction, self.acting_grows())
    }

    /// The legal actions as a bit set: bit n for [`Action::number`] n. 0 once the leg is over.
    #[inline]
    pub fn legal_mask(&self) -> u8 {
        if self.end.is_some() {
            return 0;
        }
        let me = self.acting_snake();
        let long = u32::from(me.length > 1).wrapping_neg();
        let back = u32::from(me.keeps_neck(self.grows_now(me))) << 1 << (me.facing ^ 2);
        let (ray, split) = (u32::from(me.ray >= 0), u32::from(self.turn.has_room()));
        ((0b1_1110 & !back) | (ray << 5 | split << 6) & long) as u8
    }

    #[inline]
    fn acting_snake(&self) -> &Snake {
        &self.snakes.as_flattened()[self.turn.place()]
    }

    /// [`Position::current`] for bots that know that the leg goes on.
    #[inline]
    #[doc(hidden)] // For tests.
    pub fn acting(&self) -> &Snake {
        self.acting_snake()
    }

    /// Whether the acting snake grows if it moves now.
    #[inline]
    pub(crate) fn acting_grows(&self) -> bool {
        self.grows_now(self.acting_snake())
    }

    /// Cells with a wall or a body.
    #[inline]
    #[doc(hidden)] // For tests.
    pub fn blocked(&self) -> Board {
        self.walls[0] | self.walls[1] | self.bodies[0] | self.bodies[1]
    }

    /// Whether a body cell belongs to the acting snake.
    #[inline]
    pub(crate) fn is_own_body(&self, cell: Cell) -> bool {
        self.bodies[self.seat().index()].has(cell) && self.snake_at(cell) == self.turn.place()
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
        &mut self.snakes.as_flattened_mut()[self.turn.place()]
    }

    #[inline]
    fn grows_now(&self, snake: &Snake) -> bool {
        grows_by_itself(self.round, snake) | (snake.bank > 0)
    }

    /// The hot path: it works on the fields themselves, without copying the snake. Gives, as the
    /// other actions do, the places that the turn passes: none if the snake is gone, as those
    /// behind it move up.
    #[inline(always)]
    fn move_snake(
        &mut self,
        setup: &Setup,
        direction: Direction,
        watch: &mut impl ActObserver,
    ) -> u8 {
        let place = self.turn.place();
        let seat = place / MAX_SNAKES;
        let by_itself = grows_by_itself(self.round, self.acting_snake());
        let me = &mut self.snakes.as_flattened_mut()[place];
        let Some(target) = direction.next_from(me.head) else {
            self.kill_acting(DeathCause::Edge, watch);
            return 0;
        };
        if either_has(&self.walls, target) {
            self.kill_acting(DeathCause::Wall, watch);
            return 0;
        }
        let grows = by_itself | (me.bank > 0);
        if either_has(&self.bodies, target) && (grows || target != me.tail) {
            self.run_into_body(target, watch);
            return 0;
        }
        let (head, tail) = (me.head, me.tail);
        if grows | (me.length > 1) {
            self.links.set_direction(head, direction);
            watch.link(head, direction);
            me.facing = direction as u8;
            if grows {
                me.bank -= u16::from(!by_itself);
                me.length += 1;
                self.cells[seat] += 1;
            } else {
                // The tail cell becomes free; the next cell towards the head is the tail.
                self.bodies[seat].remove(tail);
                let towards = self.links.take_direction(tail);
                watch.link(tail, towards);
                me.tail = towards.step_from(tail);
            }
        } else {
            self.bodies[seat].remove(tail);
            me.tail = target;
        }
        self.bodies[seat].insert(target);
        me.head = target;
        watch.moved(place, me);
        let id = me.id;
        watch.event(|| Event::Moved {
            snake: id,
            x: target.x(),
            y: target.y(),
        });
        if self.laid.has(target) {
            self.pick_up(setup, target, watch);
        }
        1
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
        let own = self.snake_at(target) == self.turn.place();
        if own {
            self.solidify_loop(target, watch)
        } else {
            self.kill_acting(DeathCause::Snake, watch)
        }
    }

    /// The place of the snake that covers a body cell.
    fn snake_at(&self, cell: Cell) -> usize {
        let mut head = cell;
        loop {
            let snakes = self.snakes.as_flattened().iter().enumerate();
            let there = snakes.fold(0, |set, (place, snake)| {
                set | u8::from(snake.head == head) << place
            });
            if let Some(place) = self.turn.first_of(there) {
                return place;
            }
            head = self.links.get(head).step_from(head);
        }
    }

    /// The side of the snake that covers a body cell, and the moves after which its tail has left
    /// the cell.
    pub(crate) fn covering_side(&self, cell: Cell) -> (Seat, u16) {
        let place = self.snake_at(cell);
        let snake = self.snake_at_place(place);
        let mut moves = snake.length + snake.bank;
        let mut on = cell;
        while on != snake.head {
            on = self.links.get(on).step_from(on);
            moves -= 1;
        }
        (Seat::BOTH[place / MAX_SNAKES], moves)
    }

    /// "Loop and area become walls of the mover, existing walls of both colours in them too; every
    /// other snake with a cell in the area is removed; the mover is removed, its cells behind the
    /// loop vanish, or become wall if inside the area."
    fn solidify_loop(&mut self, target: Cell, watch: &mut impl ActObserver) {
        let me = *self.acting_snake();
        let ring = self.links_from(target, me.head);
        let area = enclosed_by(ring);
        let solid = ring | area;
        self.remove_snake(self.seat(), self.cursor(), watch);
        watch.event(|| Event::Solidified {
            snake: me.id,
            cells: solid.len(),
        });
        self.remove_enclosed(area, watch);
        let (me, other) = (self.seat(), self.seat().other());
        let (mine, theirs) = (me.index(), other.index());
        let (gained, lost) = (solid & !self.walls[mine], solid & self.walls[theirs]);
        watch.walls(me, gained);
        watch.walls(other, lost);
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
        self.remove_snake(self.seat(), self.cursor(), watch);
        watch.event(|| Event::Died { snake: id, cause });
    }

    /// Removes a snake from the map and from the order of its side.
    fn remove_snake(&mut self, seat: Seat, index: usize, watch: &mut impl ActObserver) {
        watch.snakes(seat);
        let snake = self.snakes[seat.index()][index];
        let mut cell = snake.tail;
        self.bodies[seat.index()].remove(cell);
        while cell != snake.head {
            cell = self.undo_link(cell, watch);
            self.bodies[seat.index()].remove(cell);
        }
        let list = &mut self.snakes[seat.index()];
        // Those behind it move up.
        for place in 0..MAX_SNAKES - 1 {
            list[place] = list[place + usize::from(place >= index)];
        }
        list[MAX_SNAKES - 1] = Snake::NONE;
        self.cells[seat.index()] -= snake.length;
        self.turn.remove(seat, index);
    }

    /// The cells from the one in front of the acting head to the edge.
    pub(crate) fn ray_line(&self) -> Board {
        let me = self.acting_snake();
        let (mut line, mut cell) = (Board::EMPTY, me.head);
        while let Some(next) = Direction::from_bits(me.facing).next_from(cell) {
            line.insert(next);
            cell = next;
        }
        line
    }

    /// "All walls of both colours from the cell in front of the head to the edge vanish."
    #[cold]
    fn fire_ray(&mut self, watch: &mut impl ActObserver) -> u8 {
        let (me, line) = (*self.acting_snake(), self.ray_line());
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
        watch.snakes(self.seat());
        1
    }

    /// "Head piece: first ceil(L/2) cells, keeps id, place, ray; bank 0. Tail piece: the remaining
    /// cells reversed, the whole bank, no ray, the next id, directly behind the parent in the
    /// order, acts from the next round."
    #[cold]
    fn split_snake(&mut self, watch: &mut impl ActObserver) -> u8 {
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
        let behind = self.cursor() + 1;
        let list = &mut self.snakes[self.seat().index()];
        for place in (1..MAX_SNAKES).rev() {
            list[place] = list[place - usize::from(place > behind)];
        }
        list[behind] = tail_piece;
        self.turn.add();
        watch.snakes(self.seat());
        self.next_id += 1;
        watch.event(|| Event::Split {
            snake: me.id,
            tail: tail_piece.id,
        });
        2
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

    /// Advances by so many places to the next acting snake, over the end of turns and rounds.
    #[inline(always)]
    fn move_on(&mut self, passed: u8, setup: &Setup, watch: &mut impl ActObserver) {
        match self.turn.next(passed) {
            Some(place) => {
                if self.seat() == Seat::First && usize::from(place) >= MAX_SNAKES {
                    self.begin_second_turn(setup, watch);
                }
                self.turn.go_to(place);
            }
            None => {
                if self.seat() == Seat::First {
                    self.begin_second_turn(setup, watch);
                }
                self.turn.begin(Seat::Second);
                watch.turn_over(setup, self);
                self.end_round(setup, watch);
            }
        }
    }

    #[inline]
    fn begin_second_turn(&mut self, setup: &Setup, watch: &mut impl ActObserver) {
        self.turn.begin(Seat::First);
        watch.turn_over(setup, self);
        self.begin_turn(Seat::Second, watch);
    }

    #[inline]
    fn begin_turn(&mut self, seat: Seat, watch: &mut impl ActObserver) {
        self.turn.begin(seat);
        watch.event(|| Event::Turn { seat });
    }

    /// "The half ends when r = max_round or when both sides have no snake."
    fn end_round(&mut self, setup: &Setup, watch: &mut impl ActObserver) {
        self.settled = self.cells;
        if self.turn.is_over() {
            self.end = Some(GameEnd::Extinct);
        } else if self.round == setup.max_round() {
            self.end = Some(GameEnd::Rounds);
        } else if setup.stops_decided() && self.is_decided() {
            self.end = Some(GameEnd::Decided);
        } else {
            self.round += 1;
            self.begin_round(setup, watch);
            self.begin_turn(Seat::First, watch);
            let place = self.turn.first();
            if usize::from(place) >= MAX_SNAKES {
                self.begin_second_turn(setup, watch);
            }
            self.turn.go_to(place);
        }
    }

    /// Whether a side has no snakes, and would lose the leg even if all snakes of the other side
    /// died at once. It can gain nothing; the other side loses walls by its own rays alone.
    #[cold]
    fn is_decided(&self) -> bool {
        let loses = |seat: Seat| {
            let (left, walls) = (self.cells[seat.index()], self.walls(seat.other()).len());
            let ahead = walls.cmp(&u32::from(left));
            let equal_wins = seat == Seat::Second;
            self.turn.count(seat) == 0 && (ahead.is_gt() || ahead.is_eq() && equal_wins)
        };
        loses(Seat::First) || loses(Seat::Second)
    }

    /// "Items lying on the map with time + 16 <= r vanish. The item with time == r appears: if a
    /// snake covers the cell, that snake gets it at once; else it lies there, also inside a wall."
    fn begin_round(&mut self, setup: &Setup, watch: &mut impl ActObserver) {
        let round = self.round;
        watch.event(|| Event::Round { round });
        let [old, new] = *setup.items_changing(round);
        let vanishes = self.lying >> (LIFETIME - 1) != 0;
        self.laid.remove_if(vanishes, old.cell);
        if vanishes {
            watch.event(|| Event::Vanished {
                item: old.id as u16,
            });
        }
        self.lying <<= 1;
        let appears = new.id >= 0;
        let [first, second] = &self.bodies;
        let taken = first.bit(new.cell) | second.bit(new.cell) | self.laid.bit(new.cell);
        if u64::from(appears) & taken != 0 {
            self.make_item_meet(setup, watch);
            return;
        }
        self.laid.insert_if(appears, new.cell);
        self.lying |= u16::from(appears);
        if appears {
            watch.event(|| Event::Appeared {
                item: new.id as u16,
            });
        }
    }

    /// The current round, from 1.
    pub fn round(&self) -> u16 {
        self.round
    }

    /// The seat to move; at the end of the leg, the seat that moved last.
    #[inline]
    pub fn seat(&self) -> Seat {
        self.turn.seat()
    }

    /// The acting snake.
    pub fn current(&self) -> Option<&Snake> {
        self.end.is_none().then(|| self.acting_snake())
    }

    /// The index of the acting snake in [`Position::snakes`].
    pub fn cursor(&self) -> usize {
        self.turn.cursor().into()
    }

    /// Why the leg is over, if it is.
    #[inline]
    pub fn end(&self) -> Option<GameEnd> {
        self.end
    }

    /// The living snakes of a side in the order of their actions.
    pub fn snakes(&self, seat: Seat) -> &[Snake] {
        &self.snakes[seat.index()][..self.turn.count(seat)]
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

    /// The cells of the acting snake: of those of its side the others' are taken away where that is shorter.
    pub(crate) fn acting_body(&self) -> Board {
        let (acting, seat) = (self.acting_snake(), self.seat());
        let others = || {
            self.snakes(seat)
                .iter()
                .filter(|snake| snake.id != acting.id)
        };
        if others().map(|snake| snake.length).sum::<u16>() >= acting.length {
            return self.body(acting);
        }
        others().fold(self.bodies_of(seat), |left, snake| left & !self.body(snake))
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

    /// The current number of cells covered by own snakes plus own wall cells.
    pub fn count_cells(&self) -> BySeat<u16> {
        BySeat::new(self.cells[0], self.cells[1])
    }

    /// [`Position::count_cells`] at the end of the last completed round.
    pub fn settled_cells(&self) -> BySeat<u16> {
        BySeat::new(self.settled[0], self.settled[1])
    }

    /// What an illegal action ends.
    pub fn illegal_scope(&self) -> Scope {
        self.illegal_scope
    }

    /// The values of the snake at a place that the hash must distinguish; the places of the second
    /// seat follow those of the first.
    #[inline]
    #[doc(hidden)] // For tests.
    pub const fn snake_at_place(&self, place: usize) -> &Snake {
        &self.snakes.as_flattened()[place]
    }

    /// Values that the hash must distinguish beside walls and links: order of snakes, turn, round,
    /// items.
    pub(crate) fn pack_rest(&self) -> [u64; 2] {
        let turn = (self.seat().index() as u64) << 8 | u64::from(self.turn.cursor());
        let [first, second] = Seat::BOTH.map(|seat| self.turn.count(seat) as u64);
        let counts = first << 12 | second << 16;
        [
            turn | counts | u64::from(self.round) << 24 | u64::from(self.lying) << 40,
            u64::from(self.next_id),
        ]
    }

    /// What changes with every turn, for the hash.
    #[inline]
    pub(crate) fn pack_turn(&self) -> u64 {
        // Not in the order in which they are stored: one load of two fields that were just stored
        // one by one would have to wait for them.
        u64::from(self.round) | u64::from(self.turn.acting()) << 16 | u64::from(self.lying) << 24
    }

    pub(crate) const fn next_id(&self) -> u16 {
        self.next_id
    }
}
