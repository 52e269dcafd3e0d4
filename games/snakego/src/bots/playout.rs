//! Random continuations of a position, played by a quick policy, and what they are worth.

use leitai_game::{Rng, Seat};

use crate::action::{Action, Direction};
use crate::board::{Board, Cell};
use crate::bots::evaluation::{Weights, evaluate_race, rounds_left};
use crate::bots::flood;
use crate::bots::harvest::Harvest;
use crate::bots::loops::CELL;
use crate::items::{ItemKind, LIFETIME};
use crate::position::{GameEnd, MAX_SNAKES, Position};
use crate::setup::Setup;

/// What the policy and the value of a playout weigh.
#[derive(Clone, Copy, Debug)]
pub struct PlayoutWeights {
    /// A playout ends after so many actions for every snake …
    pub actions_per_snake: u32,
    /// … but not before so many.
    pub least_actions: u32,
    /// A move onto a cell with no, one, two or three free neighbours.
    pub liberties: [u32; 4],
    /// How much an item attracts, for every length in it.
    pub attraction: u32,
    /// A ray counts for so many lengths.
    pub ray_length: u32,
    /// A move onto the last, the second last or the third last free neighbour of an enemy's head:
    /// the weight is multiplied by this.
    pub capture: [u32; 3],
    /// A snake splits once in so many actions if it may and has `split_length`; 0 for never.
    pub split_rarity: u32,
    /// The least length of a snake that splits in a playout.
    pub split_length: u16,
    /// A ray is fired if it melts so many more foreign walls than own ones.
    pub ray_gain: i32,
    /// A loop is closed at once if it wins so many cells.
    pub loop_gain: i32,
    /// What a length in the bank is worth at the end of a playout, in cells.
    pub bank: f32,
    /// What a ray in the hand is worth at the end of a playout, in cells, if the leg is long.
    pub ray: f32,
    /// What a wall cell is worth less than a cell at the end of a playout, if the leg is long: rays
    /// melt walls, but no snakes.
    pub wall_risk: f32,
    /// What a snake is worth at the end of a playout beside its cells, if the leg is long.
    pub snake: f32,
    /// What is lost by a snake without a free neighbour at its end, as a share of its length.
    pub stuck: f32,
    /// How much of the race for items and space counts at the end of a playout
    /// ([`evaluation`](super::evaluation)); 0 for none.
    pub race: f32,
    /// How much the items in reach count at the end of a playout, by straight distances; 0 for
    /// none.
    pub harvest: f32,
    /// How a lead over the root's lead becomes a value.
    pub curve: LeadCurve,
    /// The cells of a unit of the curve: a lead of so many counts as 75 % or, on a
    /// steep curve, 89 %.
    pub scale: f32,
    /// What is added to the lead for the winner of a leg that ends in the playout.
    pub victory: f32,
}

impl Default for PlayoutWeights {
    fn default() -> PlayoutWeights {
        PlayoutWeights {
            actions_per_snake: 10,
            least_actions: 60,
            liberties: [1, 12, 24, 24],
            attraction: 3,
            ray_length: 3,
            capture: [30, 4, 2],
            split_rarity: 6,
            split_length: 4,
            ray_gain: 3,
            loop_gain: 1000,
            bank: 0.9,
            ray: 3.0,
            wall_risk: 0.2,
            snake: 0.5,
            stuck: 0.5,
            race: 0.5,
            harvest: 0.0,
            curve: LeadCurve::Flat,
            scale: 3.0,
            victory: 5.0,
        }
    }
}

/// How a lead, in units of [`PlayoutWeights::scale`], becomes a value from 0 to 1. All of exact
/// operations: the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadCurve {
    /// Half of `x / (1 + |x|)` and a half: great leads still differ.
    Flat,
    /// Nearly the logistic function of twice the lead (half of the hyperbolic tangent's Padé
    /// approximant and a half): nearly straight for small leads, and 0 or 1 from three units on.
    Steep,
}

impl LeadCurve {
    /// From here on the approximant is 1.
    const END: f32 = 3.0;

    /// The value of a lead.
    pub fn value_of(self, x: f32) -> f32 {
        match self {
            LeadCurve::Flat => 0.5 + 0.5 * x / (1.0 + x.abs()),
            LeadCurve::Steep => {
                let x = x.clamp(-LeadCurve::END, LeadCurve::END);
                0.5 + 0.5 * x * (27.0 + x * x) / (27.0 + 9.0 * x * x)
            }
        }
    }

    /// The lead that has this value; values near 0 and 1 count as 0.005 and 0.995.
    pub fn lead_of(self, value: f32) -> f32 {
        let value = value.clamp(0.005, 0.995);
        match self {
            LeadCurve::Flat => {
                let x = 2.0 * value - 1.0;
                x / (1.0 - x.abs())
            }
            LeadCurve::Steep => {
                let (mut low, mut high) = (-LeadCurve::END, LeadCurve::END);
                for _ in 0..24 {
                    let middle = 0.5 * (low + high);
                    if self.value_of(middle) < value {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                0.5 * (low + high)
            }
        }
    }
}

/// What a move of the acting snake does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It goes on.
    Free,
    /// It closes a loop.
    Loop,
    /// It dies.
    Death,
    /// It is illegal.
    Illegal,
}

/// The free cells around a head, as far as two steps in each direction: bit `8 x + y` with the head
/// at `(2, 2)`.
#[derive(Clone, Copy)]
pub(crate) struct Window(u64);

impl Window {
    /// The cells that are not blocked around this one.
    #[inline]
    fn new(blocked: &Board, head: Cell) -> Window {
        let (x, y) = (usize::from(head.x()), u32::from(head.y()));
        let mut window = 0;
        for column in 0..5 {
            // Columns off the map wrap round here and are masked out below.
            let at = (x + column).wrapping_sub(2);
            let free = !(blocked.0[at >> 2 & 3] >> (16 * (at & 3))) & 0xffff;
            let on = u64::from(at < 16).wrapping_neg();
            window |= ((free << 2 >> y) & 0x1f & on) << (8 * column);
        }
        Window(window)
    }

    #[inline]
    const fn bit(self, x: u32, y: u32) -> u32 {
        (self.0 >> (8 * x + y)) as u32 & 1
    }

    /// The free neighbours of the head, bit n for direction n.
    #[inline]
    fn open(self) -> u32 {
        self.bit(3, 2) | self.bit(2, 3) << 1 | self.bit(1, 2) << 2 | self.bit(2, 1) << 3
    }

    /// Free cells beside the neighbour in each direction, without the head's own.
    #[inline]
    fn around(self) -> [u32; 4] {
        let (ur, ul) = (self.bit(3, 3), self.bit(1, 3));
        let (dr, dl) = (self.bit(3, 1), self.bit(1, 1));
        [
            self.bit(4, 2) + ur + dr,
            self.bit(2, 4) + ur + ul,
            self.bit(0, 2) + ul + dl,
            self.bit(2, 0) + dl + dr,
        ]
    }
}

/// The free neighbours of a cell, bit n for direction n.
#[inline]
fn free_neighbours(blocked: &Board, cell: Cell) -> u32 {
    let mut free = 0;
    for direction in Direction::ALL {
        if let Some(next) = direction.next_from(cell) {
            free |= u32::from(!blocked.has(next)) << direction as u32;
        }
    }
    free
}

/// How many of four bits are set.
#[inline]
const fn count_bits(mask: u32) -> u32 {
    (0x4332_3221_3221_2110_u64 >> (4 * mask)) as u32 & 15
}

/// What the snake that acts sees around it.
pub(crate) struct Outlook {
    /// Cells with a wall or a body, without the own tail if it moves on.
    blocked: Board,
    window: Window,
    /// Legal moves onto free cells, bit n for direction n.
    open: u32,
}

impl Outlook {
    /// What the acting snake sees. The leg must go on.
    #[inline]
    pub fn new(position: &Position) -> Outlook {
        let snake = position.acting();
        let mut blocked = position.blocked();
        if !position.acting_grows() {
            blocked.remove(snake.tail);
        }
        let window = Window::new(&blocked, snake.head);
        let open = window.open() & u32::from(position.legal_mask()) >> 1;
        Outlook {
            blocked,
            window,
            open,
        }
    }

    /// What the four moves do, by direction.
    pub fn classify_moves(&self, position: &Position) -> [Step; 4] {
        let legal = position.legal_mask();
        Direction::ALL.map(|direction| {
            let at = direction as u32;
            if legal >> (at + 1) & 1 == 0 {
                Step::Illegal
            } else if self.open >> at & 1 != 0 {
                Step::Free
            } else {
                classify_blocked(position, direction)
            }
        })
    }
}

/// A legal move onto a cell that is not free.
fn classify_blocked(position: &Position, direction: Direction) -> Step {
    match direction.next_from(position.acting().head) {
        Some(target) if position.is_own_body(target) => Step::Loop,
        _ => Step::Death,
    }
}

/// An item that lies on the map or will soon.
#[derive(Clone, Copy)]
struct Lure {
    cell: Cell,
    /// The round in which it appears.
    time: u16,
    strength: u64,
}

/// How much an item attracts at a difference in x and y, each from -15 to 15.
const PULL_REACH: i32 = 8;

/// Four lanes of 16 bits, one a direction.
static PULL: [u64; 31 * 32] = {
    let mut table = [0; 31 * 32];
    let mut dx = -15i32;
    while dx <= 15 {
        let mut dy = -15i32;
        while dy <= 15 {
            let distance = dx.abs() + dy.abs();
            if distance > 0 && distance <= PULL_REACH {
                let pull = (256 / (distance * distance)) as u64;
                let mut lanes = 0;
                if dx > 0 {
                    lanes |= pull;
                }
                if dy > 0 {
                    lanes |= pull << 16;
                }
                if dx < 0 {
                    lanes |= pull << 32;
                }
                if dy < 0 {
                    lanes |= pull << 48;
                }
                table[((dx + 15) * 32 + dy + 15) as usize] = lanes;
            }
            dy += 1;
        }
        dx += 1;
    }
    table
};

/// Plays positions on and says what they are worth.
pub struct Playout<'a> {
    pub(crate) setup: &'a Setup,
    weights: &'a PlayoutWeights,
    rng: Rng,
    lures: Vec<Lure>,
    /// If it counts.
    harvest: Option<Harvest>,
    /// The first seat's lead at the root, in cells.
    origin: f32,
    /// Most snakes of each side: fewer than the rules allow if some are frozen.
    pub(crate) most_snakes: [usize; 2],
}

impl<'a> Playout<'a> {
    /// For a search that starts at this position.
    pub fn new(
        setup: &'a Setup,
        weights: &'a PlayoutWeights,
        root: &Position,
        seed: u64,
    ) -> Playout<'a> {
        let mut playout = Playout {
            setup,
            weights,
            rng: Rng::new(seed),
            lures: Vec::with_capacity(32),
            harvest: (weights.harvest > 0.0).then(|| Harvest::new(setup, root, weights.ray)),
            origin: 0.0,
            most_snakes: [MAX_SNAKES; 2],
        };
        for item in root.items_within(setup, LIFETIME) {
            let lengths = match item.kind {
                ItemKind::Length => u32::from(item.param.min(9)),
                ItemKind::Ray => weights.ray_length,
            };
            playout.lures.push(Lure {
                cell: item.cell,
                time: item.time,
                strength: u64::from((lengths * weights.attraction).min(30)),
            });
        }
        playout.origin = playout.first_lead(root);
        playout
    }

    /// Plays on from a position for a while, and gives the value for the first seat, 0 to 1.
    pub fn play_out(&mut self, position: &Position) -> f32 {
        let mut now = *position;
        let snakes: usize = Seat::BOTH
            .into_iter()
            .map(|seat| now.snakes(seat).len())
            .sum();
        let actions =
            (snakes as u32 * self.weights.actions_per_snake).max(self.weights.least_actions);
        for _ in 0..actions {
            if now.end().is_some() {
                break;
            }
            let action = self.choose_action(&now);
            now.play_action(self.setup, action, &mut ());
        }
        self.value_of(&now)
    }

    /// The value of a position as it stands for the first seat, 0 to 1.
    pub fn value_of(&self, position: &Position) -> f32 {
        let lead = self.first_lead(position) - self.origin;
        self.weights.curve.value_of(lead / self.weights.scale)
    }

    /// What the first seat leads by, in cells.
    fn first_lead(&self, position: &Position) -> f32 {
        let cells = position.count_cells();
        let mut lead: f32 = f32::from(cells[Seat::First]) - f32::from(cells[Seat::Second]);
        match position.end() {
            Some(GameEnd::Rounds | GameEnd::Decided) if lead < 0.0 => {
                return lead - self.weights.victory;
            }
            Some(GameEnd::Rounds | GameEnd::Decided) => return lead + self.weights.victory,
            _ => {}
        }
        if self.weights.race > 0.0 {
            lead += self.weights.race * self.first_race(position);
        }
        let left = f32::from(self.setup.max_round() - position.round());
        let blocked = position.blocked();
        if let Some(harvest) = &self.harvest {
            lead += self.weights.harvest * harvest.first_lead(self.setup, position, &blocked);
        }
        for seat in Seat::BOTH {
            let mut worth = 0.0;
            for snake in position.snakes(seat) {
                worth += self.weights.bank * f32::from(snake.bank).min(left)
                    + self.weights.snake * (left / 64.0).min(1.0);
                if snake.ray().is_some() {
                    worth += self.weights.ray * (left / 50.0).min(1.0);
                }
                if free_neighbours(&blocked, snake.head) == 0 {
                    worth -= self.weights.stuck * f32::from(snake.length + snake.bank);
                }
            }
            let walls = position.walls(seat).len() as f32;
            worth -= self.weights.wall_risk * walls * (left / 64.0).min(1.0);
            lead += if seat == Seat::First { worth } else { -worth };
        }
        lead
    }

    /// What the race for items and space is worth to the first seat, in cells.
    fn first_race(&self, position: &Position) -> f32 {
        let free = flood::free_cells(position);
        let left = rounds_left(self.setup, position);
        let weights = Weights::default();
        let race = evaluate_race(self.setup, position, Seat::First, left, free, &weights);
        race as f32 / CELL as f32
    }

    /// What the policy plays.
    #[inline]
    fn choose_action(&mut self, position: &Position) -> Action {
        let outlook = Outlook::new(position);
        if outlook.open == 0 {
            return self.choose_last_resort(position, &outlook);
        }
        let draw = self.rng.next_u64();
        if let Some(action) = self.choose_special(position, &outlook, draw as u32) {
            return action;
        }
        let weights = self.weigh_moves(position, &outlook);
        let sum: u32 = weights.iter().sum();
        let mut at = (((draw >> 32) * u64::from(sum)) >> 32) as u32;
        for (direction, weight) in weights.into_iter().enumerate() {
            if at < weight {
                return Action::ALL[direction];
            }
            at -= weight;
        }
        Action::ALL[outlook.open.trailing_zeros() as usize & 3]
    }

    /// A ray or a split, now and then.
    #[inline]
    fn choose_special(&self, position: &Position, outlook: &Outlook, draw: u32) -> Option<Action> {
        let snake = position.acting();
        let meets = (u32::from(position.legal_mask()) >> 1) & 15 & !outlook.open != 0;
        if meets && snake.length >= 4 && draw & 3 == 1 {
            let closing = self.choose_loop(position, outlook);
            if closing.is_some() {
                return closing;
            }
        }
        if draw & 3 == 0
            && snake.ray().is_some()
            && snake.length >= 2
            && count_melted(self.setup, position) >= self.weights.ray_gain
        {
            return Some(Action::Ray);
        }
        let splits = snake.length >= self.weights.split_length
            && (draw >> 2).checked_rem(self.weights.split_rarity) == Some(0)
            && self.may_split(position);
        splits.then_some(Action::Split)
    }

    /// A loop that wins enough at once; in the last rounds any that wins.
    #[cold]
    fn choose_loop(&self, position: &Position, outlook: &Outlook) -> Option<Action> {
        let is_late = position.round() + LAST_ROUNDS >= self.setup.max_round();
        let enough = if is_late { 1 } else { self.weights.loop_gain };
        if enough >= 256 {
            return None;
        }
        let steps = outlook.classify_moves(position);
        let loops = (0..4).filter(|direction| steps[*direction] == Step::Loop);
        let gains = loops.map(|direction| {
            let action = Action::ALL[direction];
            (gain_of(self.setup, position, action), action)
        });
        let best = gains.max_by_key(|(gain, _)| *gain)?;
        (best.0 >= enough + i32::from(position.acting().bank)).then_some(best.1)
    }

    /// Whether the acting side may have one snake more.
    #[inline]
    pub(crate) fn may_split(&self, position: &Position) -> bool {
        let seat = position.seat();
        position.snakes(seat).len() < self.most_snakes[seat.index()]
    }

    /// Whether a ray melts more foreign walls than own ones, or opens the cell in front.
    pub(crate) fn is_ray_useful(&self, position: &Position) -> bool {
        ray_frees(position) || count_melted(self.setup, position) > 0
    }

    /// The weights of the four moves; 0 for those onto cells that are not free.
    #[inline]
    pub(crate) fn weigh_moves(&self, position: &Position, outlook: &Outlook) -> [u32; 4] {
        let mut weights = [0; 4];
        let around = outlook.window.around();
        for (direction, weight) in weights.iter_mut().enumerate() {
            let open = (outlook.open >> direction & 1).wrapping_neg();
            *weight = (self.weights.liberties[around[direction] as usize & 3] * 16) & open;
        }
        if outlook.open & outlook.open.wrapping_sub(1) == 0 {
            return weights;
        }
        let snake = position.acting();
        let pull = self.sum_pulls(position, snake.head);
        for (direction, weight) in weights.iter_mut().enumerate() {
            let open = (outlook.open >> direction & 1) & u32::from(around[direction] > 0);
            *weight += (pull >> (16 * direction)) as u32 & 0xffff & open.wrapping_neg();
        }
        for enemy in position.snakes(position.seat().other()) {
            let dx = i32::from(enemy.head.x()) - i32::from(snake.head.x());
            let dy = i32::from(enemy.head.y()) - i32::from(snake.head.y());
            if dx.abs() + dy.abs() == 2 {
                self.weigh_capture(outlook, enemy.head, (dx, dy), &mut weights);
            }
        }
        weights
    }

    /// How items pull a head, in four lanes of 16 bits.
    #[inline]
    fn sum_pulls(&self, position: &Position, head: Cell) -> u64 {
        let round = position.round();
        let laid = position.item_cells();
        let mut sums = 0;
        let base = (15 - i32::from(head.x())) * 32 + 15 - i32::from(head.y());
        for lure in &self.lures {
            let is_there = lure.time <= round && laid.has(lure.cell);
            let is_coming = lure.time > round && lure.time < round + PULL_REACH as u16;
            let at = base + i32::from(lure.cell.x()) * 32 + i32::from(lure.cell.y());
            let counts = u64::from(is_there || is_coming).wrapping_neg();
            sums += (PULL[at as usize] * lure.strength) & counts;
        }
        sums
    }

    /// Moves that take the free cells of an enemy's head that is two steps away.
    fn weigh_capture(
        &self,
        outlook: &Outlook,
        enemy: Cell,
        (dx, dy): (i32, i32),
        weights: &mut [u32; 4],
    ) {
        let liberties = count_bits(free_neighbours(&outlook.blocked, enemy)) as usize;
        if !(1..=3).contains(&liberties) {
            return;
        }
        for direction in Direction::ALL {
            let (sx, sy) = STEPS[direction as usize];
            if (dx - sx).abs() + (dy - sy).abs() == 1 {
                weights[direction as usize] *= self.weights.capture[liberties - 1];
            }
        }
    }

    /// No free cell lies beside the head: a ray, a split, the best loop, or death.
    #[cold]
    fn choose_last_resort(&mut self, position: &Position, outlook: &Outlook) -> Action {
        let legal = position.legal_mask();
        if legal >> Action::Ray.number() & 1 != 0 && ray_frees(position) {
            return Action::Ray;
        }
        let mut best = (i32::MIN, Action::Right);
        let steps = outlook.classify_moves(position);
        for (direction, step) in steps.iter().enumerate() {
            let action = Action::ALL[direction];
            let gain = match step {
                Step::Loop => 1 + gain_of(self.setup, position, action),
                Step::Death => -1000,
                _ => continue,
            };
            if gain > best.0 {
                best = (gain, action);
            }
        }
        if legal >> Action::Split.number() & 1 != 0 && best.0 < 2 && self.may_split(position) {
            return Action::Split;
        }
        best.1
    }
}

/// In so many last rounds every loop that wins a cell is closed.
const LAST_ROUNDS: u16 = 8;
/// dx and dy by direction.
const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

/// Whether the cell in front of the head is a wall.
fn ray_frees(position: &Position) -> bool {
    let snake = position.acting();
    let front = snake
        .facing()
        .and_then(|direction| direction.next_from(snake.head));
    front.is_some_and(|cell| {
        Seat::BOTH
            .into_iter()
            .any(|seat| position.walls(seat).has(cell))
    })
}

/// The cells that the acting side gains over the other by an action.
pub(crate) fn gain_of(setup: &Setup, position: &Position, action: Action) -> i32 {
    let seat = position.seat();
    let lead = |of: &Position| {
        let cells = of.count_cells();
        i32::from(cells[seat]) - i32::from(cells[seat.other()])
    };
    let mut after = *position;
    after.play_action(setup, action, &mut ());
    lead(&after) - lead(position)
}

/// Foreign walls minus own walls that a ray melts now.
#[cold]
pub(crate) fn count_melted(setup: &Setup, position: &Position) -> i32 {
    gain_of(setup, position, Action::Ray)
}
