//! Tree search guided by an evaluator that is asked for many states at once, such as a network.
//!
//! [`GuidedTree::collect_leaves`] walks down several times before any value is known. Until its value comes a walk counts as lost
//! for who chose on it, so that the next one goes elsewhere (virtual loss: G. M. J.-B. Chaslot, M. H. M. Winands, H. J. van den
//! Herik, "Parallel Monte-Carlo tree search", 2008). [`GuidedTree::add_evaluation`] brings priors and the value of a leaf.
//!
//! Actions are numbers. Where both seats are asked at once, each chooses by its own statistics and does not know the other's
//! choice (decoupled selection: M. J. W. Tak, M. Lanctot, M. H. M. Winands, "Monte Carlo tree search variants for simultaneous move
//! games", 2014). The choices with most visits are a plan, not an equilibrium: play them in proportion to their visits where
//! nobody may foresee them. The value of the root is the mean of the walks, which is not that of an equilibrium: walks of the two
//! seats depend on each other.

use std::ops::Range;

use leitai_game::{BySeat, Seat};

/// What a game gives to the search.
pub trait GuidedGame {
    /// A state; cheap to clone.
    type State: Clone;

    /// Appends the numbers of what a seat may choose, ascending; nothing if it is not asked.
    fn list_choices(&self, state: &Self::State, seat: Seat, choices: &mut Vec<u16>);

    /// Plays the choices of the seats that are asked.
    fn play_choices(&self, state: &mut Self::State, choices: BySeat<Option<u16>>);

    /// What an ended state is worth to the first seat, from 0 for a loss to 1 for a win; `None` while the game goes on.
    fn find_result(&self, state: &Self::State) -> Option<f32>;
}

/// What is known of one choice of one seat in one node.
#[derive(Clone, Copy)]
struct Choice {
    number: u16,
    prior: f32,
    visits: u32,
    /// Walks whose value has not come yet.
    pending: u32,
    /// The sum of the values, for the seat that chooses.
    total: f32,
}

#[derive(Clone)]
struct Node {
    stage: Stage,
    /// The choices of each seat, in [`GuidedTree::choices`].
    choices: BySeat<Range<u32>>,
    /// The first of the places in [`GuidedTree::next`], one for each pair of choices.
    next: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    New,
    /// An evaluation was asked for.
    Awaited,
    Expanded,
    /// The state has ended, with this value for the first seat.
    Ended(f32),
}

/// One step down: what either seat chose, in [`GuidedTree::choices`].
type Chosen = BySeat<Option<u32>>;

/// A state whose evaluation is asked for.
pub struct Leaf<S> {
    /// The state.
    pub state: S,
    node: u32,
    path: Vec<Chosen>,
}

enum Walk<S> {
    Leaf(Leaf<S>),
    /// It led to the end of the game, whose value is known.
    Ended,
    /// It led to a state whose evaluation was asked for already.
    Awaited,
}

/// The tree. It grows by a node for each evaluation.
pub struct GuidedTree {
    nodes: Vec<Node>,
    choices: Vec<Choice>,
    /// The node behind a pair of choices; 0 where nobody went.
    next: Vec<u32>,
    root: u32,
    /// How much the bonus for rarely visited choices weighs.
    pub exploration: f32,
}

/// What a choice without visits is thought to be worth less than the seat's mean.
const FIRST_PLAY_REDUCTION: f32 = 0.1;

impl GuidedTree {
    /// An empty tree.
    pub fn new(exploration: f32) -> GuidedTree {
        GuidedTree {
            nodes: vec![Node::NEW],
            choices: Vec::new(),
            next: Vec::new(),
            root: 0,
            exploration,
        }
    }

    /// Walks down from the root, whose state must be this one, at most so many times, and gives the leaves that are to be
    /// evaluated and the number of walks to ends of the game. It stops early where all ways lead to leaves that are awaited.
    pub fn collect_leaves<G: GuidedGame>(
        &mut self,
        game: &G,
        state: &G::State,
        most: usize,
    ) -> (Vec<Leaf<G::State>>, usize) {
        let (mut leaves, mut ended) = (Vec::new(), 0);
        while leaves.len() + ended < most {
            match self.walk_down(game, state.clone()) {
                Walk::Leaf(leaf) => leaves.push(leaf),
                Walk::Ended => ended += 1,
                Walk::Awaited => break,
            }
        }
        (leaves, ended)
    }

    fn walk_down<G: GuidedGame>(&mut self, game: &G, mut state: G::State) -> Walk<G::State> {
        let (mut at, mut path) = (self.root, Vec::new());
        loop {
            let node = &mut self.nodes[at as usize];
            match node.stage {
                Stage::Expanded => {}
                Stage::Ended(value) => {
                    self.end_walk(&path, Some(value));
                    return Walk::Ended;
                }
                Stage::Awaited => {
                    self.end_walk(&path, None);
                    return Walk::Awaited;
                }
                Stage::New => {
                    if let Some(value) = game.find_result(&state) {
                        node.stage = Stage::Ended(value);
                        continue;
                    }
                    node.stage = Stage::Awaited;
                    let node = at;
                    return Walk::Leaf(Leaf { state, node, path });
                }
            }
            let chosen = BySeat::from_fn(|seat| self.select_choice(at, seat));
            for index in chosen.into_pair().into_iter().flatten() {
                self.choices[index as usize].pending += 1;
            }
            let number = |index: u32| self.choices[index as usize].number;
            game.play_choices(&mut state, chosen.map_values(|one| one.map(number)));
            path.push(chosen);
            at = self.child_of(at, chosen);
        }
    }

    /// The choice with the best mean and bonus, the first of equals; `None` if the seat is not asked.
    fn select_choice(&self, at: u32, seat: Seat) -> Option<u32> {
        let range = self.nodes[at as usize].choices[seat].clone();
        let seen = &self.choices[range.start as usize..range.end as usize];
        let walks: u32 = seen.iter().map(|one| one.visits + one.pending).sum();
        let bonus = self.exploration * (walks.max(1) as f32).sqrt();
        let unseen = mean_of(seen) - FIRST_PLAY_REDUCTION;
        let score = |one: &Choice| {
            let walks = one.visits + one.pending;
            let mean = match walks {
                0 => unseen,
                _ => one.total / walks as f32,
            };
            mean + bonus * one.prior / (1 + walks) as f32
        };
        let scored = range.zip(seen.iter().map(score));
        let best = scored.reduce(|best, other| if other.1 > best.1 { other } else { best });
        best.map(|(index, _)| index)
    }

    /// The node behind these choices; a new one if nobody went there.
    fn child_of(&mut self, at: u32, chosen: Chosen) -> u32 {
        let node = &self.nodes[at as usize];
        let place = |seat: Seat| chosen[seat].map_or(0, |index| index - node.choices[seat].start);
        let others = node.choices[Seat::Second].len().max(1) as u32;
        let pair = place(Seat::First) * others + place(Seat::Second);
        let next = &mut self.next[(node.next + pair) as usize];
        if *next == 0 {
            *next = self.nodes.len() as u32;
            self.nodes.push(Node::NEW);
        }
        *next
    }

    /// Ends a walk, with the value for the first seat; without one as if it had not been.
    fn end_walk(&mut self, path: &[Chosen], value: Option<f32>) {
        for chosen in path {
            for (seat, index) in chosen.iter_pairs() {
                let Some(index) = *index else { continue };
                let choice = &mut self.choices[index as usize];
                choice.pending -= 1;
                if let Some(value) = value {
                    choice.visits += 1;
                    choice.total += match seat {
                        Seat::First => value,
                        Seat::Second => 1.0 - value,
                    };
                }
            }
        }
    }

    /// Brings the evaluation of a leaf: what it is worth to the first seat, 0 to 1, and how likely each seat's choices are, by
    /// their numbers and on any scale. Priors that are negative, not finite or missing count as 0; if all are, as equal.
    pub fn add_evaluation<G: GuidedGame>(
        &mut self,
        game: &G,
        leaf: Leaf<G::State>,
        priors: BySeat<&[f32]>,
        value: f32,
    ) {
        let choices = BySeat::from_fn(|seat| {
            let mut listed = Vec::new();
            game.list_choices(&leaf.state, seat, &mut listed);
            self.add_choices(&listed, priors[seat])
        });
        let pairs = choices.each_ref().map_values(|range| range.len().max(1));
        let [first, second] = pairs.into_pair();
        let node = &mut self.nodes[leaf.node as usize];
        (node.stage, node.choices) = (Stage::Expanded, choices);
        node.next = self.next.len() as u32;
        self.next.resize(self.next.len() + first * second, 0);
        self.end_walk(&leaf.path, Some(value));
    }

    fn add_choices(&mut self, listed: &[u16], priors: &[f32]) -> Range<u32> {
        let prior = |number: u16| {
            let prior = priors.get(usize::from(number)).copied().unwrap_or(0.0);
            if prior.is_finite() {
                prior.max(0.0)
            } else {
                0.0
            }
        };
        let sum: f32 = listed.iter().map(|number| prior(*number)).sum();
        let first = self.choices.len() as u32;
        self.choices.extend(listed.iter().map(|number| Choice {
            number: *number,
            prior: match sum > 0.0 {
                true => prior(*number) / sum,
                false => 1.0 / listed.len() as f32,
            },
            visits: 0,
            pending: 0,
            total: 0.0,
        }));
        first..self.choices.len() as u32
    }

    /// Gives up the evaluation of a leaf: it can be asked for again.
    pub fn give_up_leaf<S>(&mut self, leaf: &Leaf<S>) {
        self.nodes[leaf.node as usize].stage = Stage::New;
        self.end_walk(&leaf.path, None);
    }

    /// Mixes noise into a seat's priors at the root, as this share of them: a value for each of its choices, in their order.
    pub fn mix_root_priors(&mut self, seat: Seat, noise: &[f32], share: f32) {
        let range = self.root_range(seat);
        for (choice, noise) in self.choices[range].iter_mut().zip(noise) {
            choice.prior += share * (noise - choice.prior);
        }
    }

    /// A seat's choices at the root, by number: how often each was visited, and the mean of the values behind it for the seat
    /// (one half without visits).
    pub fn root_choices(&self, seat: Seat) -> impl Iterator<Item = (u16, u32, f32)> + use<'_> {
        self.choices[self.root_range(seat)]
            .iter()
            .map(|one| (one.number, one.visits, mean_of(std::slice::from_ref(one))))
    }

    /// What the root is worth to a seat, as far as its own choices tell: one half before the first visit.
    pub fn root_mean(&self, seat: Seat) -> f32 {
        mean_of(&self.choices[self.root_range(seat)])
    }

    fn root_range(&self, seat: Seat) -> Range<usize> {
        let range = &self.nodes[self.root as usize].choices[seat];
        range.start as usize..range.end as usize
    }

    /// Makes the state after these choices the root and keeps what is known behind it. No leaf may be awaited.
    pub fn advance_root(&mut self, choices: BySeat<Option<u16>>) {
        let found = BySeat::from_fn(|seat| {
            let range = self.nodes[self.root as usize].choices[seat].clone();
            let is_it = |index: &u32| Some(self.choices[*index as usize].number) == choices[seat];
            range.into_iter().find(is_it)
        });
        let is_expanded = self.nodes[self.root as usize].stage == Stage::Expanded;
        if is_expanded
            && Seat::BOTH
                .iter()
                .all(|seat| found[*seat].is_some() == choices[*seat].is_some())
        {
            self.root = self.child_of(self.root, found);
        } else {
            *self = GuidedTree::new(self.exploration);
        }
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }
}

impl Node {
    const NEW: Node = Node {
        stage: Stage::New,
        choices: BySeat::new(0..0, 0..0),
        next: 0,
    };
}

fn mean_of(seen: &[Choice]) -> f32 {
    let visits: u32 = seen.iter().map(|one| one.visits).sum();
    let total: f32 = seen.iter().map(|one| one.total).sum();
    if visits == 0 {
        0.5
    } else {
        total / visits as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stones are taken, one or two at a time; who takes the last one wins.
    struct Nim;

    impl GuidedGame for Nim {
        type State = (u16, Seat);

        fn list_choices(&self, state: &(u16, Seat), seat: Seat, choices: &mut Vec<u16>) {
            if seat == state.1 {
                choices.extend(1..=state.0.min(2));
            }
        }
        fn play_choices(&self, state: &mut (u16, Seat), choices: BySeat<Option<u16>>) {
            let stones = choices[state.1].expect("the seat to move chooses");
            *state = (state.0 - stones, state.1.other());
        }
        fn find_result(&self, state: &(u16, Seat)) -> Option<f32> {
            (state.0 == 0).then(|| if state.1 == Seat::First { 0.0 } else { 1.0 })
        }
    }

    /// Both choose a coin at once, 0 or 1: the first wins if they are equal, twice as much with 1 (values 0, 0.5 and 1).
    struct Pennies;

    impl GuidedGame for Pennies {
        type State = Option<[u16; 2]>;

        fn list_choices(&self, state: &Self::State, _: Seat, choices: &mut Vec<u16>) {
            if state.is_none() {
                choices.extend([0, 1]);
            }
        }
        fn play_choices(&self, state: &mut Self::State, choices: BySeat<Option<u16>>) {
            *state = Some(choices.into_pair().map(|one| one.expect("both choose")));
        }
        fn find_result(&self, state: &Self::State) -> Option<f32> {
            state.map(|[one, other]| {
                if one != other {
                    0.0
                } else {
                    f32::from(one + 1) / 2.0
                }
            })
        }
    }

    fn search<G: GuidedGame>(game: &G, state: &G::State, walks: usize, batch: usize) -> GuidedTree {
        let (mut tree, mut done) = (GuidedTree::new(1.25), 0);
        while done < walks {
            let (leaves, ended) = tree.collect_leaves(game, state, batch.min(walks - done));
            done += leaves.len() + ended;
            for leaf in leaves {
                tree.add_evaluation(game, leaf, BySeat::new(&[], &[]), 0.5);
            }
        }
        tree
    }

    fn visits(tree: &GuidedTree, seat: Seat) -> Vec<(u16, u32)> {
        tree.root_choices(seat)
            .map(|(number, visits, _)| (number, visits))
            .collect()
    }

    #[test]
    fn it_finds_the_winning_choice_alone_and_in_batches() {
        for batch in [1, 8, 32] {
            for (stones, best) in [(4, 1), (5, 2), (2, 2)] {
                let tree = search(&Nim, &(stones, Seat::Second), 600, batch);
                let most = visits(&tree, Seat::Second)
                    .into_iter()
                    .max_by_key(|one| one.1);
                assert_eq!(
                    most.map(|one| one.0),
                    Some(best),
                    "{stones} stones, batches of {batch}"
                );
                assert!(tree.root_mean(Seat::Second) > 0.8);
            }
        }
    }

    #[test]
    fn every_walk_is_counted_once_and_none_stays_pending() {
        let tree = search(&Nim, &(9, Seat::First), 500, 16);
        let counted: u32 = visits(&tree, Seat::First).iter().map(|one| one.1).sum();
        assert_eq!(counted, 499, "the first walk ends at the root");
        assert!(tree.choices.iter().all(|one| one.pending == 0));
    }

    #[test]
    fn seats_that_choose_at_once_mix_their_choices() {
        // The equilibrium of [[1/2, 0], [0, 1]] plays 0 in two of three cases, on both seats.
        let tree = search(&Pennies, &None, 30_000, 1);
        for seat in Seat::BOTH {
            let seen = visits(&tree, seat);
            let share = seen[0].1 as f32 / (seen[0].1 + seen[1].1) as f32;
            assert!((0.55..0.78).contains(&share), "{seat:?}: {share}");
        }
    }

    #[test]
    fn a_leaf_that_was_given_up_is_asked_for_again() {
        let mut tree = GuidedTree::new(1.25);
        let (leaves, _) = tree.collect_leaves(&Nim, &(3, Seat::First), 4);
        assert_eq!(leaves.len(), 1, "nothing else is known to be there");
        tree.give_up_leaf(&leaves[0]);
        assert_eq!(tree.collect_leaves(&Nim, &(3, Seat::First), 4).0.len(), 1);
    }

    #[test]
    fn priors_lead_and_a_new_root_keeps_what_is_known() {
        let mut tree = GuidedTree::new(1.25);
        let (leaves, _) = tree.collect_leaves(&Nim, &(9, Seat::First), 1);
        for leaf in leaves {
            tree.add_evaluation(&Nim, leaf, BySeat::new(&[0.0, 0.1, 0.9], &[]), 0.5);
        }
        let (leaves, _) = tree.collect_leaves(&Nim, &(9, Seat::First), 1);
        assert_eq!(leaves[0].state.0, 7);
        for leaf in leaves {
            tree.add_evaluation(&Nim, leaf, BySeat::new(&[], &[]), 0.5);
        }
        tree.advance_root(BySeat::new(Some(2), None));
        assert_eq!(visits(&tree, Seat::Second), [(1, 0), (2, 0)]);
        tree.advance_root(BySeat::new(Some(1), None));
        assert_eq!(
            tree.node_count(),
            1,
            "the first seat is not asked there: everything is forgotten"
        );
    }
}
