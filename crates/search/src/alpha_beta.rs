//! Alpha-beta search by iterative deepening, for two sides with opposite interests that move one
//! after the other. Simultaneous moves are searched as two half-moves of which the second sees the
//! first: the value is then a lower bound for the side that moves first.
//!
//! What is inside: principal variation search, moves ordered by the transposition table, killer
//! moves and a history table, plies with a single move for free, results proven by the depth at
//! which they come.

use crate::budget::SearchBudget;
use crate::table::{TableValue, TranspositionTable};
use crate::threads::search_beside;

/// A game as alpha-beta sees it. Values are those of the side that the search is for.
pub trait AlphaBetaGame {
    /// A moment at which one side moves.
    type Node: Clone;
    /// A move of one side.
    type Move: Copy + PartialEq;

    /// Whether the side that the search is for moves here; the other side wants low values.
    fn is_own_turn(&self, node: &Self::Node) -> bool;
    /// The result for the side that the search is for, once it is certain: 1 won, 0 drawn, -1 lost.
    fn result(&self, node: &Self::Node) -> Option<i8>;
    /// The moves, always in the same order; at most [`MAX_MOVES`] are looked at. Not empty where
    /// there is no result.
    fn write_moves(&self, node: &Self::Node, moves: &mut Vec<Self::Move>);
    /// The moment after a move.
    fn play(&self, node: &Self::Node, action: Self::Move) -> Self::Node;
    /// The worth of a moment at which the search stops, within [`MAX_EVALUATION`] of 0.
    fn evaluate(&self, node: &Self::Node) -> i32;
    /// A key that tells moments apart.
    fn key(&self, node: &Self::Node) -> u64;
    /// Whether the search may stop here; not within a round of half-moves, say.
    fn may_stop(&self, _: &Self::Node) -> bool {
        true
    }
    /// The entry of the history table of a move, below [`HISTORY_SLOTS`]: equal for moves that are
    /// likely to be equally good, such as one from the same cell.
    fn history_slot(&self, node: &Self::Node, action: Self::Move) -> usize;
}

/// Most moves of a side at a time that are looked at.
pub const MAX_MOVES: usize = 64;
/// Entries of the history table.
pub const HISTORY_SLOTS: usize = 4096;
/// The largest evaluation that a game may give.
pub const MAX_EVALUATION: i32 = 900_000;
/// The value of a win now; one ply later is worth one less.
pub const WIN: i32 = 1_000_000;

/// Furthest that a line is followed, in plies.
const MAX_PLY: usize = 250;
const INFINITE: i32 = 2 * WIN;

/// How deep a search goes, and on how many threads.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// Plies with a choice in the last iteration.
    pub depth: u32,
    /// Plies by which an iteration is deeper than the one before: 2 where two half-moves make a
    /// round.
    pub step: u32,
    /// Threads that search at once; 0 counts as 1. With more than one the result depends on chance.
    pub threads: usize,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchResult<M> {
    /// The moves of both sides from the root on, as far as they are known; the first one is the
    /// best move. Empty if the root has a result already.
    pub line: Vec<M>,
    /// The value of the deepest finished iteration.
    pub value: i32,
    /// The depth of that iteration.
    pub depth: u32,
    /// Moments that were looked at.
    pub nodes: u64,
}

/// The result that a value proves, and in how many plies: 1 won, 0 drawn (never proven by a value
/// alone), -1 lost.
pub fn proven_result(value: i32) -> Option<(i8, u32)> {
    let plies = WIN - value.abs();
    (value.abs() > MAX_EVALUATION).then(|| (value.signum() as i8, plies.max(0) as u32))
}

/// What is kept from search to search of one leg: the transposition table and the order of moves.
///
/// With several threads all of them search the same root and share the table alone; every second
/// one begins an iteration deeper, so that they find out different things (lazy SMP).
pub struct AlphaBeta<M> {
    table: TranspositionTable<Found>,
    /// One a thread.
    memories: Vec<Memory<M>>,
}

/// What a thread keeps.
struct Memory<M> {
    killers: Vec<[Option<M>; 2]>,
    history: Vec<u32>,
    /// Best line from each ply on, as far as the search that runs has come.
    lines: Vec<Vec<M>>,
    moves: Vec<Vec<M>>,
}

impl<M: Copy> Memory<M> {
    fn new() -> Memory<M> {
        Memory {
            killers: vec![[None; 2]; MAX_PLY + 1],
            history: vec![0; HISTORY_SLOTS],
            lines: vec![Vec::new(); MAX_PLY + 2],
            moves: vec![Vec::new(); MAX_PLY + 1],
        }
    }

    fn prepare(&mut self) {
        self.killers.iter_mut().for_each(|pair| *pair = [None; 2]);
        self.history.iter_mut().for_each(|good| *good /= 8);
    }
}

/// A search that runs on one thread.
struct Searcher<'a, G: AlphaBetaGame> {
    game: &'a G,
    table: &'a TranspositionTable<Found>,
    memory: &'a mut Memory<G::Move>,
    budget: SearchBudget<'a>,
    nodes: u64,
    is_stopped: bool,
}

/// What the table holds of a moment.
#[derive(Clone, Copy)]
struct Found {
    value: i32,
    depth: u8,
    bound: Bound,
    /// Index in the list of moves.
    best: u8,
}

impl TableValue for Found {
    /// 24 bits of value, 8 of depth, 2 of bound, 8 of the best move.
    fn pack(self) -> u64 {
        let value = u64::from((self.value + VALUE_OFFSET) as u32);
        value | u64::from(self.depth) << 24 | (self.bound as u64) << 32 | u64::from(self.best) << 34
    }

    fn unpack(bits: u64) -> Found {
        Found {
            value: (bits & 0xff_ffff) as i32 - VALUE_OFFSET,
            depth: (bits >> 24) as u8,
            bound: match bits >> 32 & 3 {
                0 => Bound::Exact,
                1 => Bound::AtLeast,
                _ => Bound::AtMost,
            },
            best: (bits >> 34) as u8,
        }
    }
}

/// What is added to a value so that it is not negative.
const VALUE_OFFSET: i32 = 1 << 23;

#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// The values between which a search has to tell exactly.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl<M: Copy + PartialEq + Send> AlphaBeta<M> {
    /// A search whose table has 2 to the power of `table_bits` entries.
    pub fn new(table_bits: u32) -> AlphaBeta<M> {
        AlphaBeta {
            table: TranspositionTable::new(table_bits),
            memories: vec![Memory::new()],
        }
    }

    /// Searches deeper and deeper until the budget is spent, the limit of depth is reached, or the
    /// result is proven. The line is that of the last iteration, which may have been cut short
    /// after its first move: the move of a cut iteration is at least as good as the one before.
    /// With several threads it is that of the thread that came deepest, and the nodes are those of
    /// all; the budget is that of the first.
    pub fn search<G>(
        &mut self,
        game: &G,
        root: &G::Node,
        limits: SearchLimits,
        budget: SearchBudget<'_>,
    ) -> SearchResult<M>
    where
        G: AlphaBetaGame<Move = M> + Sync,
        G::Node: Sync,
    {
        self.table.age();
        if game.result(root).is_some() {
            return SearchResult::of_root(game, root);
        }
        let threads = limits.threads.max(1);
        self.memories.resize_with(threads, Memory::new);
        let (table, memories) = (&self.table, &mut self.memories);
        let Some((memory, others)) = memories.split_first_mut() else {
            return SearchResult::of_root(game, root);
        };
        let deepen = |memory: &mut Memory<M>, number: usize, budget: SearchBudget<'_>| {
            memory.prepare();
            let searcher = Searcher {
                game,
                table,
                memory,
                budget,
                nodes: 0,
                is_stopped: false,
            };
            searcher.deepen(root, limits, number % 2 == 1)
        };
        let (found, helped) = search_beside(
            others,
            |number, memory, stop| {
                let budget = SearchBudget::nodes(u64::MAX).with_stop(stop);
                deepen(memory, number + 1, budget)
            },
            || deepen(&mut *memory, 0, budget),
        );
        helped.into_iter().fold(found, SearchResult::deeper)
    }
}

impl<M> SearchResult<M> {
    /// Before a search.
    fn of_root<G: AlphaBetaGame<Move = M>>(game: &G, root: &G::Node) -> SearchResult<M> {
        SearchResult {
            line: Vec::new(),
            value: game.result(root).map_or(0, |sign| i32::from(sign) * WIN),
            depth: 0,
            nodes: 0,
        }
    }

    /// The one that came deeper, with the nodes of both.
    fn deeper(self, other: SearchResult<M>) -> SearchResult<M> {
        let nodes = self.nodes + other.nodes;
        let is_proven = |found: &SearchResult<M>| found.value.abs() > MAX_EVALUATION;
        let rank = |found: &SearchResult<M>| (is_proven(found), found.depth);
        let best = if rank(&other) > rank(&self) {
            other
        } else {
            self
        };
        SearchResult { nodes, ..best }
    }
}

impl<G: AlphaBetaGame> Searcher<'_, G> {
    /// Iterations, from the second on if this thread is `ahead`.
    fn deepen(
        mut self,
        root: &G::Node,
        limits: SearchLimits,
        ahead: bool,
    ) -> SearchResult<G::Move> {
        let mut found = SearchResult::of_root(self.game, root);
        let step = limits.step.max(1);
        let last = limits.depth.max(limits.step);
        let mut depth = if ahead && 2 * step <= last {
            2 * step
        } else {
            step
        };
        while depth <= last {
            let window = Window {
                alpha: -INFINITE,
                beta: INFINITE,
            };
            let value = self.value(root, depth, 0, window);
            if !self.memory.lines[0].is_empty() {
                found.line.clone_from(&self.memory.lines[0]);
            }
            if self.is_stopped {
                break;
            }
            (found.value, found.depth) = (value, depth);
            if value.abs() > MAX_EVALUATION {
                break;
            }
            depth += step;
        }
        if found.line.is_empty() {
            let mut moves = Vec::new();
            self.game.write_moves(root, &mut moves);
            found.line.extend(moves.first());
        }
        found.nodes = self.nodes;
        found
    }

    fn value(&mut self, node: &G::Node, depth: u32, ply: usize, window: Window) -> i32 {
        self.memory.lines[ply].clear();
        if let Some(sign) = self.game.result(node) {
            return i32::from(sign) * (WIN - ply as i32);
        }
        if (depth == 0 && self.game.may_stop(node)) || ply >= MAX_PLY {
            return self.game.evaluate(node);
        }
        let key = self.game.key(node);
        let known = self.table.get(key);
        if let Some(value) = known.and_then(|known| known.usable_value(depth, ply, window)) {
            return value;
        }
        let mut moves = std::mem::take(&mut self.memory.moves[ply]);
        moves.clear();
        self.game.write_moves(node, &mut moves);
        moves.truncate(MAX_MOVES);
        let best = known.map(|known| usize::from(known.best));
        let value = self.best_of_moves(node, &moves, best, depth, ply, window);
        self.memory.moves[ply] = moves;
        let Some((value, best)) = value else {
            return 0;
        };
        let bound = window.bound_of(value);
        self.table.insert(
            key,
            depth.min(255) as u8,
            Found {
                value: value_from_node(value, ply),
                depth: depth.min(255) as u8,
                bound,
                best: best as u8,
            },
        );
        value
    }

    /// The best value and the index of its move; `None` if the search was stopped. At the root, a
    /// stopped search keeps the line of the moves that were finished.
    fn best_of_moves(
        &mut self,
        node: &G::Node,
        moves: &[G::Move],
        known: Option<usize>,
        depth: u32,
        ply: usize,
        mut window: Window,
    ) -> Option<(i32, usize)> {
        let own = self.game.is_own_turn(node);
        let (order, count) = self.sort_moves(node, moves, known, ply);
        let depth_left = depth.saturating_sub(u32::from(moves.len() > 1));
        let mut best = (if own { -INFINITE } else { INFINITE }, 0);
        for (tried, index) in order[..count]
            .iter()
            .map(|index| usize::from(*index))
            .enumerate()
        {
            self.nodes += 1;
            self.is_stopped |= self.budget.is_spent(self.nodes);
            if self.is_stopped {
                return None;
            }
            let next = self.game.play(node, moves[index]);
            let value = self.value_of_move(&next, depth_left, ply, window, tried > 0, own);
            if self.is_stopped {
                return None;
            }
            if (own && value > best.0) || (!own && value < best.0) {
                best = (value, index);
                if own && value > window.alpha || !own && value < window.beta {
                    self.keep_line(ply, moves[index]);
                }
            }
            window = window.narrowed(best.0, own);
            if window.is_empty() {
                break;
            }
        }
        if moves.len() > 1 {
            self.reward_move(node, moves[best.1], depth, ply);
        }
        Some(best)
    }

    /// A move after the first is expected to be no better, and only that is asked first.
    fn value_of_move(
        &mut self,
        next: &G::Node,
        depth: u32,
        ply: usize,
        window: Window,
        is_later: bool,
        own: bool,
    ) -> i32 {
        if is_later && window.beta - window.alpha > 1 {
            let narrow = window.null_window(own);
            let value = self.value(next, depth, ply + 1, narrow);
            if self.is_stopped || value <= window.alpha || value >= window.beta {
                return value;
            }
            let is_no_better = if own {
                value <= narrow.alpha
            } else {
                value >= narrow.beta
            };
            if is_no_better {
                return value;
            }
        }
        self.value(next, depth, ply + 1, window)
    }

    fn keep_line(&mut self, ply: usize, action: G::Move) {
        let (before, after) = self.memory.lines.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(action);
        before[ply].extend_from_slice(&after[0]);
    }

    /// Indices of moves, the most promising first.
    fn sort_moves(
        &self,
        node: &G::Node,
        moves: &[G::Move],
        known: Option<usize>,
        ply: usize,
    ) -> ([u8; MAX_MOVES], usize) {
        let mut order = [0; MAX_MOVES];
        let mut ranks = [0u64; MAX_MOVES];
        for (index, action) in moves.iter().enumerate() {
            let killer = self.memory.killers[ply]
                .iter()
                .position(|one| *one == Some(*action));
            let rank = match (known == Some(index), killer) {
                (true, _) => 1 << 42,
                (false, Some(age)) => 1 << (41 - age),
                (false, None) => 0,
            };
            let rank = rank + u64::from(self.memory.history[self.game.history_slot(node, *action)]);
            let mut place = index;
            while place > 0 && ranks[place - 1] < rank {
                (ranks[place], order[place]) = (ranks[place - 1], order[place - 1]);
                place -= 1;
            }
            (ranks[place], order[place]) = (rank, index as u8);
        }
        (order, moves.len())
    }

    fn reward_move(&mut self, node: &G::Node, action: G::Move, depth: u32, ply: usize) {
        let killers = &mut self.memory.killers[ply];
        if killers[0] != Some(action) {
            *killers = [Some(action), killers[0]];
        }
        let good = &mut self.memory.history[self.game.history_slot(node, action)];
        *good = good.saturating_add(depth * depth);
    }
}

impl Window {
    fn narrowed(self, value: i32, own: bool) -> Window {
        if own {
            Window {
                alpha: self.alpha.max(value),
                ..self
            }
        } else {
            Window {
                beta: self.beta.min(value),
                ..self
            }
        }
    }

    fn is_empty(self) -> bool {
        self.alpha >= self.beta
    }

    fn null_window(self, own: bool) -> Window {
        if own {
            Window {
                beta: self.alpha + 1,
                ..self
            }
        } else {
            Window {
                alpha: self.beta - 1,
                ..self
            }
        }
    }

    fn bound_of(self, value: i32) -> Bound {
        if value <= self.alpha {
            Bound::AtMost
        } else if value >= self.beta {
            Bound::AtLeast
        } else {
            Bound::Exact
        }
    }
}

impl Found {
    /// The value, if it decides the question that the window asks. Proven values hold whatever the
    /// depth.
    fn usable_value(self, depth: u32, ply: usize, window: Window) -> Option<i32> {
        let is_proven = self.value.abs() > MAX_EVALUATION;
        let value = value_from_root(self.value, ply);
        let decides = match self.bound {
            // Only outside the window: inside, the line is wanted as well.
            Bound::Exact => value <= window.alpha || value >= window.beta,
            Bound::AtLeast => value >= window.beta,
            Bound::AtMost => value <= window.alpha,
        };
        let holds = u32::from(self.depth) >= depth
            || is_proven
                && (self.bound == Bound::Exact
                    || (self.value > 0) == (self.bound == Bound::AtLeast));
        (decides && holds).then_some(value)
    }
}

/// A proven value counts plies from the root; the table keeps it from the moment itself.
fn value_from_node(value: i32, ply: usize) -> i32 {
    if value.abs() > MAX_EVALUATION {
        value + value.signum() * ply as i32
    } else {
        value
    }
}

fn value_from_root(value: i32, ply: usize) -> i32 {
    if value.abs() > MAX_EVALUATION {
        value - value.signum() * ply as i32
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tic-tac-toe for the side that moves first: stones of both sides as bits.
    struct TicTacToe;

    type Stones = [u16; 2];

    const LINES: [u16; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

    fn has_line(stones: u16) -> bool {
        LINES.iter().any(|line| stones & line == *line)
    }

    impl AlphaBetaGame for TicTacToe {
        type Node = Stones;
        type Move = u8;

        fn is_own_turn(&self, node: &Stones) -> bool {
            node[0].count_ones() == node[1].count_ones()
        }
        fn result(&self, node: &Stones) -> Option<i8> {
            match (has_line(node[0]), has_line(node[1])) {
                (true, _) => Some(1),
                (_, true) => Some(-1),
                _ => (node[0] | node[1] == 0o777).then_some(0),
            }
        }
        fn write_moves(&self, node: &Stones, moves: &mut Vec<u8>) {
            moves.extend((0..9).filter(|cell| (node[0] | node[1]) >> cell & 1 == 0));
        }
        fn play(&self, node: &Stones, action: u8) -> Stones {
            let mut next = *node;
            next[usize::from(!self.is_own_turn(node))] |= 1 << action;
            next
        }
        fn evaluate(&self, _: &Stones) -> i32 {
            0
        }
        fn key(&self, node: &Stones) -> u64 {
            u64::from(node[0]) << 9 | u64::from(node[1])
        }
        fn history_slot(&self, _: &Stones, action: u8) -> usize {
            action.into()
        }
    }

    const DEEP: SearchLimits = SearchLimits {
        depth: 9,
        step: 1,
        threads: 1,
    };

    /// The value without any pruning.
    fn plain_value(node: &Stones, ply: i32) -> i32 {
        if let Some(sign) = TicTacToe.result(node) {
            return i32::from(sign) * (WIN - ply);
        }
        let mut moves = Vec::new();
        TicTacToe.write_moves(node, &mut moves);
        let values = moves
            .iter()
            .map(|action| plain_value(&TicTacToe.play(node, *action), ply + 1));
        let best = if TicTacToe.is_own_turn(node) {
            values.max()
        } else {
            values.min()
        };
        best.expect("no result, so there are moves")
    }

    #[test]
    fn every_position_has_the_value_of_the_plain_search() {
        // All positions after two stones, and after four for some; one table for all of them.
        let mut search = AlphaBeta::new(12);
        for code in 0..9u16 * 8 * 7 * 6 {
            let mut node = [0u16; 2];
            let mut rest = code;
            for left in [9, 8, 7, 6] {
                let mut moves = Vec::new();
                TicTacToe.write_moves(&node, &mut moves);
                node = TicTacToe.play(&node, moves[usize::from(rest % left)]);
                rest /= left;
                if code % 7 == 0 && left == 8 {
                    break;
                }
            }
            let found = search.search(&TicTacToe, &node, DEEP, SearchBudget::nodes(u64::MAX));
            assert_eq!(
                found.value.signum(),
                plain_value(&node, 0).signum(),
                "{node:?}"
            );
            if let Some((sign, plies)) = proven_result(found.value) {
                let (plain_sign, plain_plies) = proven_result(plain_value(&node, 0)).expect("won");
                assert_eq!((sign, plies), (plain_sign, plain_plies), "{node:?}");
                assert_eq!(
                    found.line.len(),
                    plies as usize,
                    "{node:?} {:?}",
                    found.line
                );
            }
        }
    }

    #[test]
    fn the_empty_board_is_a_draw_and_nodes_bind() {
        let mut search = AlphaBeta::new(14);
        let found = search.search(&TicTacToe, &[0, 0], DEEP, SearchBudget::nodes(u64::MAX));
        assert_eq!((found.value, found.depth), (0, 9));
        for nodes in [0, 1, 10, 100] {
            let found =
                AlphaBeta::new(4).search(&TicTacToe, &[0, 0], DEEP, SearchBudget::nodes(nodes));
            assert!(found.nodes <= nodes.max(1), "{found:?}");
            assert!(!found.line.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn threads_find_the_same_values_and_proofs() {
        let mut search = AlphaBeta::new(10);
        let three = SearchLimits { threads: 3, ..DEEP };
        for (node, value) in [
            ([0, 0], 0),
            ([0o3, 0o30], WIN - 1),
            // Two ways to win: the second side cannot stop both.
            ([0o101, 0o20], 0),
            ([0o21, 0o500], 0),
        ] {
            let alone =
                AlphaBeta::new(10).search(&TicTacToe, &node, DEEP, SearchBudget::nodes(u64::MAX));
            let found = search.search(&TicTacToe, &node, three, SearchBudget::nodes(u64::MAX));
            assert_eq!(found.value, alone.value, "{node:?}");
            assert!(value == 0 || found.value == value, "{node:?}");
            assert!(!found.line.is_empty());
        }
    }

    #[test]
    fn what_the_table_holds_survives_packing() {
        for value in [
            0,
            1,
            -1,
            WIN,
            -WIN,
            MAX_EVALUATION,
            -MAX_EVALUATION,
            WIN + 250,
        ] {
            for (bound, best) in [(Bound::Exact, 0), (Bound::AtLeast, 63), (Bound::AtMost, 7)] {
                let found = Found {
                    value,
                    depth: 250,
                    bound,
                    best,
                };
                let again = Found::unpack(found.pack());
                assert_eq!((again.value, again.depth, again.best), (value, 250, best));
                assert!(again.bound == bound && found.pack() >> 48 == 0);
            }
        }
    }

    #[test]
    fn a_game_that_is_over_has_no_line() {
        let found =
            AlphaBeta::new(4).search(&TicTacToe, &[0o7, 0o30], DEEP, SearchBudget::nodes(9));
        assert!(found.line.is_empty());
        assert_eq!(found.value, WIN);
    }
}
