//! Replays a half and describes it in the form of the official judge.

use leitai_game::{Fault, Seat};

use crate::action::{Action, Direction, IllegalAction};
use crate::board::{Board, enclosed_by};
use crate::items::ItemKind;
use crate::official::file::{BankChange, BasicOperation, Operation, RoundInfo, TakenItem};
use crate::position::{ActObserver, DeathCause, Event, Position, Snake};
use crate::setup::Setup;

/// A half up to the current action.
pub struct Playback<'a> {
    position: Position,
    log: EventLog<'a>,
}

impl<'a> Playback<'a> {
    /// The half before the first action.
    pub fn new(setup: &'a Setup) -> Playback<'a> {
        let (rounds, turns) = (Vec::new(), Vec::new());
        let mut log = EventLog {
            setup,
            rounds,
            turns,
            completed: 0,
            before_turns: true,
            draft: None,
        };
        let position = Position::start(setup, &mut log);
        Playback { position, log }
    }

    /// Plays this action of the next snake. An illegal action ends the half.
    pub fn play_action(&mut self, action: Action) -> Result<(), IllegalAction> {
        let Some(snake) = self.position.current() else {
            return Ok(());
        };
        if let Err(why) = self.position.check_action(action) {
            self.position.record_fault(Fault::Illegal);
            return Err(why);
        }
        self.log.draft = Some(OperationBuilder::new(&self.position, snake, action));
        self.position
            .play_action(self.log.setup, action, &mut self.log);
        self.log.close_draft(&self.position);
        Ok(())
    }

    /// Ends the half by a fault of the player to act.
    pub fn record_fault(&mut self, fault: Fault) {
        self.position.record_fault(fault);
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Every round that has begun.
    pub fn rounds(&self) -> &[RoundInfo] {
        &self.log.rounds
    }

    /// The completed turns, then perhaps the current one.
    pub fn turns(&self) -> &[Vec<Operation>] {
        &self.log.turns
    }

    /// The number of completed turns, including empty ones. A turn with a fault of its player is
    /// never completed.
    pub fn completed_rounds(&self) -> usize {
        self.log.completed
    }
}

struct EventLog<'a> {
    setup: &'a Setup,
    rounds: Vec<RoundInfo>,
    turns: Vec<Vec<Operation>>,
    completed: usize,
    /// Between the beginning of a round and its first turn.
    before_turns: bool,
    draft: Option<OperationBuilder>,
}

impl ActObserver for EventLog<'_> {
    fn event(&mut self, event: impl FnOnce() -> Event) {
        match event() {
            Event::Round { .. } => {
                self.rounds.push(RoundInfo::default());
                self.before_turns = true;
            }
            Event::Turn { .. } => {
                self.turns.push(Vec::new());
                self.before_turns = false;
            }
            event if self.before_turns => self.note_item(&event),
            event => self
                .draft
                .iter_mut()
                .for_each(|draft| draft.note_event(&event)),
        }
    }

    /// The last operation must be completed here: the next round's items may change the snake's
    /// bank.
    fn turn_over(&mut self, _: &Setup, position: &Position) {
        self.close_draft(position);
        self.completed += 1;
    }
}

impl EventLog<'_> {
    /// Records an item that vanished or appeared before the round's first turn.
    fn note_item(&mut self, event: &Event) {
        let Some(info) = self.rounds.last_mut() else {
            return;
        };
        match *event {
            Event::Vanished { item } => info.expired_item.push(TakenItem { item, snake: -1 }),
            Event::Ate { snake, item, bank } => {
                info.gotten_item.push(TakenItem {
                    item,
                    snake: snake.into(),
                });
                if self.setup.items()[usize::from(item)].kind == ItemKind::Length {
                    info.extra_length.push(BankChange { snake, el: bank });
                }
            }
            _ => {}
        }
    }

    fn close_draft(&mut self, position: &Position) {
        if let (Some(draft), Some(turn)) = (self.draft.take(), self.turns.last_mut()) {
            turn.push(draft.finish_operation(position));
        }
    }
}

/// An operation, while its consequences are collected.
struct OperationBuilder {
    before: Position,
    mover: Snake,
    direction: Option<Direction>,
    operation: Operation,
}

impl OperationBuilder {
    fn new(before: &Position, mover: &Snake, action: Action) -> OperationBuilder {
        let operation = Operation {
            basic: BasicOperation::new(action, mover.id, mover.ray()),
            dead_snake: Vec::new(),
            should_solid: false,
            extra_solid_area: Vec::new(),
            got_item: -1,
            extra_length: 0,
            new_snake_id: -1,
        };
        OperationBuilder {
            before: *before,
            mover: *mover,
            direction: action.direction(),
            operation,
        }
    }

    fn note_event(&mut self, event: &Event) {
        match *event {
            Event::Ate { item, .. } => self.operation.got_item = item.into(),
            Event::Split { tail, .. } => self.operation.new_snake_id = tail.into(),
            // Enclosed snakes are described with the solidification, in the judge's order.
            Event::Died {
                cause: DeathCause::Enclosed,
                ..
            } => {}
            Event::Died { snake, .. } => self.operation.dead_snake.push(snake),
            Event::Solidified { .. } => self.close_loop(),
            _ => {}
        }
    }

    fn close_loop(&mut self) {
        let ring = self.loop_cells();
        let area = enclosed_by(ring);
        self.operation.should_solid = true;
        self.operation.extra_solid_area = (ring | area).cells().map(Into::into).collect();
        self.operation.dead_snake.push(self.mover.id);
        self.operation
            .dead_snake
            .extend(met_in(area, &self.other_bodies()));
    }

    /// The loop: the mover's cells from its head up to the cell that it hits, which is also its new
    /// head.
    fn loop_cells(&self) -> Board {
        let cells = self.before.cells_of(&self.mover);
        let target = self
            .direction
            .and_then(|direction| direction.next_from(self.mover.head));
        let end = cells.iter().position(|cell| Some(*cell) == target);
        Board::from_cells(cells.into_iter().take(end.map_or(0, |end| end + 1)))
    }

    fn other_bodies(&self) -> Vec<(u16, Board)> {
        let snakes = Seat::BOTH
            .into_iter()
            .flat_map(|seat| self.before.snakes(seat));
        let others = snakes.filter(|snake| snake.id != self.mover.id);
        others
            .map(|snake| (snake.id, Board::from_cells(self.before.cells_of(snake))))
            .collect()
    }

    fn finish_operation(mut self, position: &Position) -> Operation {
        let mut snakes = Seat::BOTH
            .into_iter()
            .flat_map(|seat| position.snakes(seat));
        let alive = snakes.find(|snake| snake.id == self.mover.id);
        self.operation.extra_length = alive.map_or(0, |snake| snake.bank);
        self.operation
    }
}

/// The snakes in an area in the judge's order: by connected part, in each by x, then y.
#[doc(hidden)] // For tests.
pub fn met_in(area: Board, bodies: &[(u16, Board)]) -> Vec<u16> {
    let mut met = Vec::new();
    let mut rest = area;
    while let Some(first) = rest.cells().next() {
        let part = Board::from_cells([first]).flood_fill(area);
        rest &= !part;
        for cell in part.cells() {
            let owner = bodies
                .iter()
                .find(|(_, body)| body.has(cell))
                .map(|(id, _)| *id);
            met.extend(owner.filter(|id| !met.contains(id)));
        }
    }
    met
}
