//! Tree search for Python: the tree is here, the evaluator there, asked for many positions at once.

use leitai_game::encode::AnyEncodedLeg;
use leitai_game::rng::{Rng, mix_seed};
use leitai_game::{BySeat, Seat, ToMove};
use leitai_search::guided::{GuidedGame, GuidedTree, Leaf};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::check_bounded;
use crate::convert::{ActionIndices, array_slice};
use crate::engine::{EngineLeg, run_tool};
use crate::leg::{PyLeg, SetupOrigin, result_of};
use crate::observation::{write_into_zeros, write_scalars};
use crate::whole::{whole, whole_or_none};

/// The most walks of one call, and the most playouts of a leaf.
const MAX_WALKS: usize = 1 << 20;

/// A position of the search.
struct State(Box<dyn AnyEncodedLeg>);

impl Clone for State {
    fn clone(&self) -> State {
        State(self.0.clone_encoded())
    }
}

/// Legs of games whose actions are one number.
struct LegGame {
    choices: usize,
}

impl GuidedGame for LegGame {
    type State = State;

    fn list_choices(&self, State(leg): &State, seat: Seat, choices: &mut Vec<u16>) {
        let mut mask = vec![0; self.choices];
        leg.write_mask(seat, &mut mask);
        let allowed = (0..).zip(mask).filter(|(_, allowed)| *allowed != 0);
        choices.extend(allowed.map(|(number, _)| number));
    }

    fn play_choices(&self, State(leg): &mut State, choices: BySeat<Option<u16>>) {
        let said = choices.map_values(|one| one.map(|number| [i64::from(number)]));
        let said = said
            .each_ref()
            .map_values(|one| one.as_ref().map(|one| &one[..]));
        leg.step_indices(said).expect("the mask allows it");
    }

    fn find_result(&self, State(leg): &State) -> Option<f32> {
        (leg.to_move() == ToMove::Nobody).then(|| value_of(result_of(&**leg)[0]))
    }
}

/// What a winner (0, 1, or -1 for nobody) is worth to the first seat.
fn value_of(winner: i32) -> f32 {
    match winner {
        0 => 1.0,
        1 => 0.0,
        _ => 0.5,
    }
}

/// A search tree of one position; `leitai.search` uses it.
///
/// Values are -1 for a loss, 0 for a draw, 1 for a win of the seat that is meant.
#[pyclass(name = "SearchTree", module = "leitai._leitai")]
pub struct PySearchTree {
    tree: GuidedTree,
    game: LegGame,
    root: PyLeg,
    /// The leaves whose evaluation is awaited, and the seats of their rows.
    waiting: Vec<Leaf<State>>,
    rows: Vec<Seat>,
}

impl PySearchTree {
    fn collect_leaves(&mut self, py: Python<'_>, most: usize) -> PyResult<usize> {
        self.give_up();
        check_bounded("walks", most, 1, MAX_WALKS)?;
        let state = State(self.root.inner.ask(|leg| leg.clone_encoded())?);
        let (tree, game) = (&mut self.tree, &self.game);
        let collect = || Ok(tree.collect_leaves(game, &state, most));
        let (leaves, ended) = py.detach(|| run_tool("a search", collect))?;
        self.rows = leaves.iter().flat_map(asked_seats).collect();
        let walks = leaves.len() + ended;
        self.waiting = leaves;
        Ok(walks)
    }

    /// Forgets the questions that were not answered.
    fn give_up(&mut self) {
        for leaf in self.waiting.drain(..) {
            self.tree.give_up_leaf(&leaf);
        }
        self.rows.clear();
    }

    fn write_rows<'py>(&self, py: Python<'py>, packed: bool) -> PyResult<Bound<'py, PyDict>> {
        let (shape, rows) = (&self.root.shape, self.rows.len());
        let [count, height, width] = shape.of_planes(packed);
        let mut planes = vec![0; rows * shape.plane_bytes(packed)];
        let mut scalars = vec![0.0; rows * shape.scales.len()];
        let mut masks = vec![0; rows * self.game.choices];
        let asked = self
            .waiting
            .iter()
            .flat_map(|leaf| asked_seats(leaf).map(move |seat| (leaf, seat)));
        for (row, (leaf, seat)) in asked.enumerate() {
            let part = |len: usize| row * len..(row + 1) * len;
            let leg = &*leaf.state.0;
            write_into_zeros(
                leg,
                shape,
                seat,
                packed,
                &mut planes[part(shape.plane_bytes(packed))],
            );
            write_scalars(leg, shape, seat, &mut scalars[part(shape.scales.len())]);
            leg.write_mask(seat, &mut masks[part(self.game.choices)]);
        }
        let dict = PyDict::new(py);
        let planes = PyArray1::from_vec(py, planes).reshape([rows, count, height, width])?;
        let scalars = PyArray1::from_vec(py, scalars).reshape([rows, shape.scales.len()])?;
        let masks = PyArray1::from_vec(py, masks).reshape([rows, self.game.choices])?;
        dict.set_item("observation", planes)?;
        dict.set_item("scalars", scalars)?;
        dict.set_item("action_mask", masks)?;
        Ok(dict)
    }

    fn seat(&self, number: Option<usize>) -> PyResult<Seat> {
        self.root.asked_seat(number)
    }
}

/// The seats that are asked in a leaf: its rows in the evaluator's batch.
fn asked_seats(leaf: &Leaf<State>) -> impl Iterator<Item = Seat> + use<> {
    let asked = leaf.state.0.to_move();
    Seat::BOTH
        .into_iter()
        .filter(move |seat| asked.asks_seat(*seat))
}

#[pymethods]
impl PySearchTree {
    /// A tree with this leg as its root; the leg itself is copied.
    #[new]
    #[pyo3(signature = (leg, exploration=1.25))]
    fn new(leg: &PyLeg, exploration: f32) -> PyResult<PySearchTree> {
        let id = leg.game.meta().id;
        leg.inner.refuse_veiled()?;
        if leg.shape.parts.len() != 1 {
            let parts = leg.shape.parts.len();
            return Err(PyValueError::new_err(format!(
                "actions of {id} have {parts} parts; a search takes games whose actions are one number"
            )));
        }
        if !(exploration.is_finite() && exploration >= 0.0) {
            return Err(PyValueError::new_err(format!(
                "exploration is {exploration}; a number from 0 on, such as 1.25, is accepted"
            )));
        }
        let inner = EngineLeg::new(
            leg.inner.ask(|leg| leg.clone_encoded())?,
            leg.game,
            leg.origin.seed,
        );
        Ok(PySearchTree {
            tree: GuidedTree::new(exploration),
            game: LegGame {
                choices: leg.shape.mask_length(),
            },
            root: PyLeg {
                game: leg.game,
                inner,
                shape: leg.shape.clone(),
                origin: SetupOrigin::default(),
                record: None,
            },
            waiting: Vec::new(),
            rows: Vec::new(),
        })
    }

    /// Walks down at most so many times. Returns the number of walks, the observations of the leaves, one row for every seat that is
    /// asked there, and int8 `[rows]`, the seats. Questions of before that were not answered are forgotten. No walk: all ways
    /// lead to leaves that are awaited.
    #[pyo3(signature = (most, packed=false))]
    #[allow(
        clippy::type_complexity,
        reason = "a plain tuple for the package beside"
    )]
    fn collect<'py>(
        &mut self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] most: usize,
        packed: bool,
    ) -> PyResult<(usize, Bound<'py, PyDict>, Bound<'py, PyArray1<i8>>)> {
        let walks = self.collect_leaves(py, most)?;
        let rows = run_tool("observations of a search", || self.write_rows(py, packed))?;
        let seats = self.rows.iter().map(|seat| seat.index() as i8);
        Ok((walks, rows, PyArray1::from_iter(py, seats)))
    }

    /// The answers to `collect`: float32 `[rows, choices]`, how likely each choice is, on any scale; and float32 `[rows]`, what
    /// the position is worth to the row's seat, -1 to 1.
    fn answer(
        &mut self,
        priors: PyReadonlyArrayDyn<'_, f32>,
        values: PyReadonlyArrayDyn<'_, f32>,
    ) -> PyResult<()> {
        let choices = self.game.choices;
        let priors = array_slice("priors", &priors, self.rows.len() * choices)?;
        let values = array_slice("values", &values, self.rows.len())?;
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "a value is {value}; numbers from -1 (lost) to 1 (won) are accepted"
            )));
        }
        let (mut row, mut told) = (0, Vec::new());
        for leaf in self.waiting.drain(..) {
            let (mut own, mut value) = (BySeat::new(&[][..], &[][..]), 0.0);
            let seats = asked_seats(&leaf).collect::<Vec<_>>();
            for seat in &seats {
                own[*seat] = &priors[row * choices..][..choices];
                let for_first = match seat {
                    Seat::First => values[row],
                    Seat::Second => -values[row],
                };
                value += for_first.clamp(-1.0, 1.0) / seats.len() as f32;
                row += 1;
            }
            told.push((leaf, own, 0.5 + value / 2.0));
        }
        self.rows.clear();
        let (tree, game) = (&mut self.tree, &self.game);
        run_tool("a search", || {
            for (leaf, own, value) in told {
                tree.add_evaluation(game, leaf, own, value);
            }
            Ok(())
        })
    }

    /// Searches natively: leaves are valued by so many random playouts each, all choices are equally likely. Returns the walks.
    #[pyo3(signature = (walks, playouts=1, seed=0))]
    fn search_playouts(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] walks: usize,
        #[pyo3(from_py_with = whole)] playouts: usize,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<usize> {
        check_bounded("playouts", playouts, 1, MAX_WALKS)?;
        check_bounded("walks", walks, 1, MAX_WALKS)?;
        self.give_up();
        let state = State(self.root.inner.ask(|leg| leg.clone_encoded())?);
        let (tree, game) = (&mut self.tree, &self.game);
        let search = || {
            let mut copy = state.clone();
            for walk in 0..walks {
                let (leaves, _) = tree.collect_leaves(game, &state, 1);
                for leaf in leaves {
                    let chance = mix_seed(seed, walk as u64);
                    let value = (0..playouts as u64).map(|number| {
                        copy.0.copy_from(&*leaf.state.0);
                        copy.0
                            .play_random(&mut Rng::new(mix_seed(chance, number)), u32::MAX);
                        value_of(result_of(&*copy.0)[0])
                    });
                    let value = value.sum::<f32>() / playouts as f32;
                    tree.add_evaluation(game, leaf, BySeat::new(&[], &[]), value);
                }
            }
            Ok(walks)
        };
        py.detach(|| run_tool("a search", search))
    }

    /// int64 `[choices]`: how often the search took each choice of this seat at the root.
    #[pyo3(signature = (seat=None))]
    fn visits<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut visits = vec![0; self.game.choices];
        for (number, count, _) in self.tree.root_choices(self.seat(seat)?) {
            visits[usize::from(number)] = i64::from(count);
        }
        Ok(PyArray1::from_vec(py, visits))
    }

    /// float32 `[choices]`: the mean of the values behind each choice, for this seat; 0 without visits.
    #[pyo3(signature = (seat=None))]
    fn means<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut means = vec![0.0; self.game.choices];
        for (number, _, mean) in self.tree.root_choices(self.seat(seat)?) {
            means[usize::from(number)] = 2.0 * mean - 1.0;
        }
        Ok(PyArray1::from_vec(py, means))
    }

    /// What the root is worth to this seat, -1 to 1.
    #[pyo3(signature = (seat=None))]
    fn value(&self, #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>) -> PyResult<f32> {
        Ok(2.0 * self.tree.root_mean(self.seat(seat)?) - 1.0)
    }

    /// Mixes noise into the priors of this seat at the root: float32, one number for each legal choice in ascending order.
    #[pyo3(signature = (noise, share=0.25, seat=None))]
    fn mix_noise(
        &mut self,
        noise: PyReadonlyArrayDyn<'_, f32>,
        share: f32,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<()> {
        let seat = self.seat(seat)?;
        let count = self.tree.root_choices(seat).count();
        let noise = array_slice("noise", &noise, count)?;
        if !(0.0..=1.0).contains(&share) {
            return Err(PyValueError::new_err(format!(
                "share is {share}; 0 to 1 are accepted"
            )));
        }
        self.tree.mix_root_priors(seat, noise, share);
        Ok(())
    }

    /// Plays a step of the root as `Leg.step` does, and keeps what is known behind it.
    #[pyo3(signature = (first, second=None))]
    fn step(&mut self, first: ActionIndices, second: Option<ActionIndices>) -> PyResult<()> {
        self.give_up();
        let asked = self.root.inner.ask(|leg| leg.to_move())?;
        let number = |said: &ActionIndices| {
            said.as_slice()
                .first()
                .and_then(|one| u16::try_from(*one).ok())
        };
        let choices = match (asked, &second) {
            (ToMove::One(seat), _) => BySeat::from_fn(|own| match own == seat {
                true => number(&first),
                false => None,
            }),
            (_, second) => BySeat::new(number(&first), second.as_ref().and_then(number)),
        };
        self.root.step(first, second)?;
        self.tree.advance_root(choices);
        Ok(())
    }

    /// A copy of the leg at the root.
    #[getter]
    fn leg(&self) -> PyResult<PyLeg> {
        self.root.clone()
    }

    /// The number of positions in the tree.
    fn __len__(&self) -> usize {
        self.tree.node_count()
    }
}

/// Plays copies of many legs to their ends with random legal actions: int32 `[legs, count, 3]`, the winner's seat or -1 and both
/// scores. The random choices of playout i of a leg come from `seed + i`, as in `Leg.playouts`.
#[pyfunction]
#[pyo3(signature = (legs, count, seed=0))]
pub fn playouts<'py>(
    py: Python<'py>,
    legs: Vec<PyRef<'py, PyLeg>>,
    #[pyo3(from_py_with = whole)] count: usize,
    #[pyo3(from_py_with = whole)] seed: u64,
) -> PyResult<Bound<'py, numpy::PyArray3<i32>>> {
    let mut all = Vec::new();
    for leg in &legs {
        all.extend(leg.play_out(py, count, seed)?);
    }
    PyArray1::from_vec(py, all).reshape([legs.len(), count, 3])
}
