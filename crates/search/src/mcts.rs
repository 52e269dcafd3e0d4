//! Monte-Carlo tree search for two-sided games in which one side acts at a time.
//!
//! A [`SearchTree`] keeps its nodes in a pool that is allocated once: a search allocates nothing
//! while it runs. Nodes hold no state; a search plays the actions of a path again from the root's
//! state, which costs little where a state is plain data. Actions are selected by PUCT (C. D.
//! Rosin, "Multi-armed bandits with episode context", 2011; D. Silver et al., 2016): the mean of the
//! values seen behind an action plus a bonus that falls with its visits and rises with its prior.
//!
//! Games whose next states depend on chance need all chance drawn before the search, as in
//! `leitai_game`.
//!
//! ```
//! use leitai_game::Seat;
//! use leitai_search::SearchBudget;
//! use leitai_search::mcts::{SearchTree, TreeGame};
//!
//! /// Take one or two stones; whoever takes the last one wins.
//! struct Nim;
//!
//! impl TreeGame for Nim {
//!     type State = (u8, Seat);
//!     type Action = u8;
//!
//!     fn seat_to_act(&self, state: &(u8, Seat)) -> Seat {
//!         state.1
//!     }
//!     fn list_actions(&mut self, state: &(u8, Seat), actions: &mut Vec<(u8, f32)>) {
//!         actions.extend((1..=state.0.min(2)).map(|stones| (stones, 1.0)));
//!     }
//!     fn play_action(&mut self, state: &mut (u8, Seat), stones: u8) {
//!         *state = (state.0 - stones, state.1.other());
//!     }
//!     fn estimate_value(&mut self, state: &(u8, Seat)) -> f32 {
//!         match state {
//!             (0, Seat::First) => 0.0,
//!             (0, Seat::Second) => 1.0,
//!             _ => 0.5,
//!         }
//!     }
//! }
//!
//! let mut tree = SearchTree::with_capacity(10_000);
//! let nodes = tree.search(&mut Nim, &(5, Seat::First), SearchBudget::nodes(2000));
//! assert_eq!(nodes, 2000);
//! // Five stones less two leave three, which lose.
//! assert_eq!(tree.best_action(1.0), Some(2));
//! ```

use leitai_game::Seat;

use crate::budget::SearchBudget;
use crate::threads::search_beside;

/// What a game gives to the search.
pub trait TreeGame {
    /// A state; cheap to clone.
    type State: Clone;
    /// An action; cheap to copy.
    type Action: Copy + PartialEq;

    /// The seat that acts in a state. Asked only where there are actions.
    fn seat_to_act(&self, state: &Self::State) -> Seat;

    /// Appends the actions worth trying, each with a prior: how often it is expected to be the
    /// best, on any common scale. None if the game is over.
    fn list_actions(&mut self, state: &Self::State, actions: &mut Vec<(Self::Action, f32)>);

    /// Plays one of the listed actions.
    fn play_action(&mut self, state: &mut Self::State, action: Self::Action);

    /// What the state is worth to the first seat, 0 for a loss to 1 for a win: by an evaluation, by
    /// a random playout, or by both.
    fn estimate_value(&mut self, state: &Self::State) -> f32;
}

/// Constants of the selection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selection {
    /// How much the bonus for rarely visited actions weighs.
    pub exploration: f32,
    /// What an action without visits is thought to be worth less than its parent's mean.
    pub first_play_reduction: f32,
    /// A node gets children at its visit of this number; at least 1.
    pub visits_to_expand: u32,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection {
            exploration: 1.0,
            first_play_reduction: 0.1,
            visits_to_expand: 2,
        }
    }
}

/// One node of the pool. The action is the one that led to it.
#[derive(Clone, Copy, Debug)]
struct Node<A> {
    action: Option<A>,
    prior: f32,
    visits: u32,
    /// The sum of the values that were seen, for the first seat.
    total: f32,
    /// The index of the first child; children lie side by side.
    children: u32,
    count: u16,
    /// Who acts here; meaningful once there are children.
    seat: Seat,
}

impl<A> Node<A> {
    fn new(action: Option<A>, prior: f32) -> Node<A> {
        Node {
            action,
            prior,
            visits: 0,
            total: 0.0,
            children: 0,
            count: 0,
            seat: Seat::First,
        }
    }

    /// The mean for a seat; one half without visits.
    fn mean_for(&self, seat: Seat) -> f32 {
        if self.visits == 0 {
            return 0.5;
        }
        let mean = self.total / self.visits as f32;
        match seat {
            Seat::First => mean,
            Seat::Second => 1.0 - mean,
        }
    }
}

/// What the search knows of one action at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionStatistics<A> {
    /// The action.
    pub action: A,
    /// How often the search took it.
    pub visits: u32,
    /// The mean of the values behind it, for the seat that acts at the root.
    pub mean: f32,
}

/// A tree with a pool of nodes that is allocated once.
pub struct SearchTree<A> {
    nodes: Vec<Node<A>>,
    capacity: usize,
    root: u32,
    /// Constants of the selection.
    pub selection: Selection,
    path: Vec<u32>,
    listed: Vec<(A, f32)>,
}

/// Nodes between two looks at the clock: a playout takes longer than an evaluation.
const NODES_PER_LOOK: u64 = 16;
/// Most actions that a state is expected to have; more cost an allocation.
const EXPECTED_ACTIONS: usize = 64;

impl<A: Copy + PartialEq> SearchTree<A> {
    /// A tree of at most so many nodes. Once they are used up, the search goes on without growing
    /// the tree.
    pub fn with_capacity(capacity: usize) -> SearchTree<A> {
        let capacity = capacity.clamp(1, u32::MAX as usize);
        let mut tree = SearchTree {
            nodes: Vec::with_capacity(capacity),
            capacity,
            root: 0,
            selection: Selection::default(),
            path: Vec::with_capacity(EXPECTED_ACTIONS),
            listed: Vec::with_capacity(EXPECTED_ACTIONS),
        };
        tree.clear();
        tree
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::new(None, 1.0));
        self.root = 0;
    }

    /// Makes the state after an action the root and keeps what is known behind it. Forgets
    /// everything if the action is unknown or if less than half of the pool is left.
    pub fn advance_root(&mut self, action: A) {
        let found = self.children_of(self.root).find(|child| {
            let child = &self.nodes[*child as usize];
            child.action == Some(action) && child.visits > 0
        });
        match found {
            Some(child) if self.nodes.len() <= self.capacity / 2 => self.root = child,
            _ => self.clear(),
        }
    }

    /// Searches from the root, whose state must be this one, until the budget is spent. A node is
    /// one estimated state. Returns the nodes of this search.
    pub fn search<G: TreeGame<Action = A>>(
        &mut self,
        game: &mut G,
        state: &G::State,
        budget: SearchBudget<'_>,
    ) -> u64 {
        let mut nodes: u64 = 0;
        let is_late = |nodes: u64| nodes.is_multiple_of(NODES_PER_LOOK) && budget.is_interrupted();
        while nodes == 0 || !(budget.is_spent(nodes) || is_late(nodes)) {
            self.visit_leaf(game, state.clone());
            nodes += 1;
        }
        nodes
    }

    /// Walks down to a leaf, estimates it, and adds the value to every node on the way.
    fn visit_leaf<G: TreeGame<Action = A>>(&mut self, game: &mut G, mut state: G::State) {
        self.path.clear();
        let mut at = self.root;
        loop {
            self.path.push(at);
            let node = &self.nodes[at as usize];
            let is_due = node.count == 0 && node.visits + 1 >= self.selection.visits_to_expand;
            if is_due || (node.count == 0 && at == self.root) {
                self.expand_node(game, at, &state);
            }
            if self.nodes[at as usize].count == 0 {
                break;
            }
            at = self.select_child(at);
            let action = self.nodes[at as usize].action;
            game.play_action(&mut state, action.expect("every child has an action"));
            if self.nodes[at as usize].visits == 0 {
                self.path.push(at);
                break;
            }
        }
        let value = game.estimate_value(&state);
        for at in &self.path {
            let node = &mut self.nodes[*at as usize];
            node.visits += 1;
            node.total += value;
        }
    }

    fn expand_node<G: TreeGame<Action = A>>(&mut self, game: &mut G, at: u32, state: &G::State) {
        self.listed.clear();
        game.list_actions(state, &mut self.listed);
        let fits = self.nodes.len() + self.listed.len() <= self.capacity;
        if self.listed.is_empty() || !fits {
            return;
        }
        let sum: f32 = self.listed.iter().map(|(_, prior)| prior).sum();
        let scale = if sum > 0.0 { 1.0 / sum } else { 1.0 };
        let first = self.nodes.len() as u32;
        let children = self.listed.iter();
        self.nodes
            .extend(children.map(|(action, prior)| Node::new(Some(*action), prior * scale)));
        let node = &mut self.nodes[at as usize];
        node.children = first;
        node.count = self.listed.len() as u16;
        node.seat = game.seat_to_act(state);
    }

    fn select_child(&self, at: u32) -> u32 {
        let parent = &self.nodes[at as usize];
        let bonus = self.selection.exploration * (parent.visits.max(1) as f32).sqrt();
        let unseen = parent.mean_for(parent.seat) - self.selection.first_play_reduction;
        let score = |child: u32| {
            let child = &self.nodes[child as usize];
            let mean = if child.visits == 0 {
                unseen
            } else {
                child.mean_for(parent.seat)
            };
            mean + bonus * child.prior / (1 + child.visits) as f32
        };
        let mut best = parent.children;
        let mut best_score = f32::NEG_INFINITY;
        for child in self.children_of(at) {
            let value = score(child);
            if value > best_score {
                (best, best_score) = (child, value);
            }
        }
        best
    }

    fn children_of(&self, at: u32) -> std::ops::Range<u32> {
        let node = &self.nodes[at as usize];
        node.children..node.children + u32::from(node.count)
    }

    /// The mean of the values at the root for a seat; one half before the first search.
    pub fn root_mean(&self, seat: Seat) -> f32 {
        self.nodes[self.root as usize].mean_for(seat)
    }

    /// What is known of the actions at the root, in the order in which the game lists them.
    pub fn root_statistics(
        &self,
    ) -> impl DoubleEndedIterator<Item = ActionStatistics<A>> + Clone + use<'_, A> {
        let seat = self.nodes[self.root as usize].seat;
        self.children_of(self.root).filter_map(move |child| {
            let child = &self.nodes[child as usize];
            Some(ActionStatistics {
                action: child.action?,
                visits: child.visits,
                mean: child.mean_for(seat),
            })
        })
    }

    /// The action at the root with the best mean among those that were visited at least `share`
    /// times as often as the most visited one; with a share of 1 the most visited one.
    pub fn best_action(&self, share: f32) -> Option<A> {
        best_of(self.root_statistics(), share)
    }

    /// How often the root was visited.
    pub fn root_visits(&self) -> u64 {
        u64::from(self.nodes[self.root as usize].visits)
    }

    /// The most visited actions from the root on, until nothing was visited; with a first action,
    /// the line that begins with it.
    pub fn best_line(&self, first: Option<A>) -> Vec<A> {
        let mut line = Vec::new();
        let named = |first| {
            let mut children = self.children_of(self.root);
            children.find(|child| self.nodes[*child as usize].action == Some(first))
        };
        let mut next = match first {
            Some(first) => named(first),
            None => self.most_visited(self.root),
        };
        while let Some(child) = next {
            line.extend(self.nodes[child as usize].action);
            next = self.most_visited(child);
        }
        line
    }

    /// The child with most visits, the first of equals; `None` without any.
    fn most_visited(&self, at: u32) -> Option<u32> {
        let visited = self
            .children_of(at)
            .filter(|child| self.nodes[*child as usize].visits > 0);
        visited
            .rev()
            .max_by_key(|child| self.nodes[*child as usize].visits)
    }
}

/// The action with the best mean among those that were visited at least `share` times as often as
/// the most visited one, the first of equals; `None` if none was visited.
fn best_of<A: Copy>(
    seen: impl DoubleEndedIterator<Item = ActionStatistics<A>> + Clone,
    share: f32,
) -> Option<A> {
    let seen = seen.filter(|seen| seen.visits > 0);
    let mut best = seen.clone().rev().max_by_key(|seen| seen.visits)?;
    let enough = best.visits as f32 * share;
    for other in seen {
        if other.visits as f32 >= enough && other.mean > best.mean {
            best = other;
        }
    }
    Some(best.action)
}

/// Trees of one state, each grown by a thread of its own with a chance of its own; their counts are
/// added up for the choice (root parallelisation: G. M. J.-B. Chaslot, M. H. M. Winands, H. J. van
/// den Herik, "Parallel Monte-Carlo tree search", 2008). With one thread it is a
/// [`SearchTree`].
pub struct SearchForest<A> {
    /// At least one; the first is grown by the calling thread.
    trees: Vec<SearchTree<A>>,
}

impl<A: Copy + PartialEq + Send> SearchForest<A> {
    /// Trees of at most so many nodes each.
    pub fn with_capacity(capacity: usize) -> SearchForest<A> {
        SearchForest {
            trees: vec![SearchTree::with_capacity(capacity)],
        }
    }

    /// The tree of the calling thread.
    pub fn first(&self) -> &SearchTree<A> {
        &self.trees[0]
    }

    /// The tree of the calling thread, for a search on it alone.
    pub fn first_mut(&mut self) -> &mut SearchTree<A> {
        &mut self.trees[0]
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.trees.iter_mut().for_each(SearchTree::clear);
    }

    /// [`SearchTree::advance_root`] in every tree.
    pub fn advance_root(&mut self, action: A) {
        for tree in &mut self.trees {
            tree.advance_root(action);
        }
    }

    /// Searches on so many threads (0 counts as 1) until the budget of the first one is spent.
    /// `make_game` makes the game of a thread by its number, from 0: its chance must depend on the
    /// number. Returns the nodes of all threads. With several the result depends on chance.
    pub fn search<G>(
        &mut self,
        threads: usize,
        make_game: impl Fn(usize) -> G + Sync,
        state: &G::State,
        budget: SearchBudget<'_>,
    ) -> u64
    where
        G: TreeGame<Action = A>,
        G::State: Sync,
    {
        let (capacity, selection) = (self.trees[0].capacity, self.trees[0].selection);
        let more = || SearchTree::with_capacity(capacity);
        self.trees.resize_with(threads.max(1), more);
        let Some((first, others)) = self.trees.split_first_mut() else {
            return 0;
        };
        let (nodes, helped) = search_beside(
            others,
            |number, tree, stop| {
                tree.selection = selection;
                let budget = SearchBudget::nodes(u64::MAX).with_stop(stop);
                tree.search(&mut make_game(number + 1), state, budget)
            },
            || first.search(&mut make_game(0), state, budget),
        );
        nodes + helped.into_iter().sum::<u64>()
    }

    /// [`SearchTree::root_statistics`] of all trees together.
    pub fn root_statistics(&self) -> Vec<ActionStatistics<A>> {
        let mut sums: Vec<ActionStatistics<A>> = Vec::new();
        for seen in self.trees.iter().flat_map(SearchTree::root_statistics) {
            match sums.iter_mut().find(|sum| sum.action == seen.action) {
                Some(sum) => sum.add(seen),
                None => sums.push(seen),
            }
        }
        sums
    }

    /// [`SearchTree::best_action`] of all trees together.
    pub fn best_action(&self, share: f32) -> Option<A> {
        match self.trees.as_slice() {
            [tree] => tree.best_action(share),
            _ => best_of(self.root_statistics().into_iter(), share),
        }
    }
}

impl<A> ActionStatistics<A> {
    /// Adds what another tree knows of the same action.
    fn add(&mut self, other: ActionStatistics<A>) {
        let visits = self.visits + other.visits;
        if visits > 0 {
            let sum = self.mean * self.visits as f32 + other.mean * other.visits as f32;
            self.mean = sum / visits as f32;
        }
        self.visits = visits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noughts and crosses: a bit for every cell, of the side to move and of the other.
    struct Crosses(leitai_game::Rng);

    #[derive(Clone)]
    struct Grid {
        cells: [u16; 2],
        seat: Seat,
    }

    const LINES: [u16; 8] = [0o700, 0o070, 0o007, 0o444, 0o222, 0o111, 0o421, 0o124];

    impl Grid {
        fn winner(&self) -> Option<Seat> {
            let wins = |seat: &Seat| {
                let own = self.cells[seat.index()];
                LINES.iter().any(|line| own & line == *line)
            };
            Seat::BOTH.into_iter().find(wins)
        }

        fn is_over(&self) -> bool {
            self.winner().is_some() || self.cells[0] | self.cells[1] == 0o777
        }
    }

    impl TreeGame for Crosses {
        type State = Grid;
        type Action = u8;

        fn seat_to_act(&self, grid: &Grid) -> Seat {
            grid.seat
        }
        fn list_actions(&mut self, grid: &Grid, actions: &mut Vec<(u8, f32)>) {
            if !grid.is_over() {
                let taken = grid.cells[0] | grid.cells[1];
                let free = (0..9).filter(|cell| taken >> cell & 1 == 0);
                actions.extend(free.map(|cell| (cell, 1.0)));
            }
        }
        fn play_action(&mut self, grid: &mut Grid, cell: u8) {
            grid.cells[grid.seat.index()] |= 1 << cell;
            grid.seat = grid.seat.other();
        }
        fn estimate_value(&mut self, grid: &Grid) -> f32 {
            let mut now = grid.clone();
            let mut actions = Vec::new();
            loop {
                actions.clear();
                self.list_actions(&now, &mut actions);
                if actions.is_empty() {
                    break;
                }
                let (cell, _) = actions[self.0.next_below(actions.len())];
                self.play_action(&mut now, cell);
            }
            match now.winner() {
                Some(Seat::First) => 1.0,
                Some(Seat::Second) => 0.0,
                None => 0.5,
            }
        }
    }

    fn search_grid(cells: [u16; 2], seat: Seat, nodes: u64) -> SearchTree<u8> {
        let mut tree = SearchTree::with_capacity(50_000);
        let mut game = Crosses(leitai_game::Rng::new(1));
        tree.search(&mut game, &Grid { cells, seat }, SearchBudget::nodes(nodes));
        tree
    }

    #[test]
    fn it_wins_at_once_and_prevents_the_loss() {
        let check = |cells, seat, expected| {
            let tree = search_grid(cells, seat, 2000);
            assert_eq!(tree.best_action(1.0), Some(expected), "{cells:?}");
        };
        // Two in a row: the third wins, for either seat.
        check([0o003, 0o110], Seat::First, 2);
        check([0o110, 0o003], Seat::Second, 2);
        // The other side has two in a row.
        check([0o001, 0o030], Seat::First, 5);
    }

    #[test]
    fn noughts_and_crosses_is_drawn() {
        let tree = search_grid([0, 0], Seat::First, 30_000);
        let mean = tree.root_mean(Seat::First);
        assert!((0.45..0.65).contains(&mean), "{mean}");
        assert_eq!(tree.best_action(1.0), Some(4), "the middle");
    }

    #[test]
    fn the_same_search_gives_the_same_tree() {
        let of = || -> Vec<ActionStatistics<u8>> {
            search_grid([1, 2], Seat::First, 3000)
                .root_statistics()
                .collect()
        };
        assert_eq!(of(), of());
        assert_eq!(of().iter().map(|seen| seen.visits).sum::<u32>(), 3000);
    }

    #[test]
    fn the_pool_never_grows_and_a_full_one_still_searches() {
        let mut tree = SearchTree::with_capacity(20);
        let mut game = Crosses(leitai_game::Rng::new(1));
        let start = Grid {
            cells: [0, 0],
            seat: Seat::First,
        };
        let before = tree.nodes.capacity();
        assert_eq!(
            tree.search(&mut game, &start, SearchBudget::nodes(500)),
            500
        );
        assert_eq!(tree.nodes.capacity(), before);
        assert!(tree.nodes.len() <= 20);
        assert!(tree.best_action(1.0).is_some());
    }

    #[test]
    fn a_new_root_keeps_what_is_known_behind_it() {
        let mut tree = search_grid([0, 0], Seat::First, 1000);
        let best = tree.best_action(1.0).expect("it searched");
        let line = tree.best_line(None);
        tree.advance_root(best);
        assert!(tree.root_mean(Seat::First) != 0.5);
        assert_eq!(tree.best_line(None), line[1..]);
        // An action that was never seen: everything is forgotten.
        tree.advance_root(best);
        assert_eq!(tree.best_action(1.0), None);
    }

    /// A clock that runs out after it was looked at so many times.
    struct Looks(std::cell::Cell<u32>);

    impl leitai_game::BotClock for Looks {
        fn time_left(&self) -> Option<std::time::Duration> {
            self.0.set(self.0.get().saturating_sub(1));
            Some(std::time::Duration::from_millis(self.0.get().into()))
        }
    }

    #[test]
    fn threads_grow_trees_of_their_own_and_decide_together() {
        let state = Grid {
            cells: [0o001, 0o030],
            seat: Seat::First,
        };
        let make_game = |number: usize| Crosses(leitai_game::Rng::new(number as u64 + 1));
        let mut forest = SearchForest::with_capacity(50_000);
        let looks = Looks(200.into());
        let time = std::time::Duration::from_secs(1);
        let budget = SearchBudget::clock(&looks, time, 1);
        let nodes = forest.search(3, make_game, &state, budget);
        let visits: Vec<u64> = forest.trees.iter().map(SearchTree::root_visits).collect();
        assert_eq!((visits.len(), visits.iter().sum()), (3, nodes));
        let counted = forest.root_statistics();
        let sum: u64 = counted.iter().map(|seen| u64::from(seen.visits)).sum();
        assert_eq!(sum, nodes);
        assert_eq!(
            forest.best_action(0.5),
            Some(5),
            "the other side wins there"
        );
        // What every tree knows behind the action is kept; one thread searches on.
        forest.advance_root(5);
        forest.search(1, make_game, &state, SearchBudget::nodes(10));
        assert_eq!(forest.trees.len(), 1);
    }

    #[test]
    fn one_thread_is_a_single_tree() {
        let state = Grid {
            cells: [1, 2],
            seat: Seat::First,
        };
        let mut forest = SearchForest::with_capacity(50_000);
        let budget = SearchBudget::nodes(3000);
        forest.search(0, |_| Crosses(leitai_game::Rng::new(1)), &state, budget);
        let tree = search_grid([1, 2], Seat::First, 3000);
        let alone: Vec<ActionStatistics<u8>> = tree.root_statistics().collect();
        assert_eq!(forest.root_statistics(), alone);
        assert_eq!(forest.best_action(0.3), tree.best_action(0.3));
    }

    #[test]
    fn a_finished_game_has_no_action() {
        let tree = search_grid([0o007, 0o110], Seat::Second, 10);
        assert_eq!(tree.best_action(1.0), None);
        assert_eq!(tree.root_mean(Seat::First), 1.0);
    }
}
