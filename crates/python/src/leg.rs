//! One leg for Python, step by step.

use std::sync::Arc;

use leitai_game::encode::AnyEncodedLeg;
use leitai_game::erased::{AnySink, Checkpoint, TextReplies};
use leitai_game::hash::fnv1a;
use leitai_game::render::{RenderOptions, Rendering};
use leitai_game::replay::{Recorder, parse_token};
use leitai_game::rng::{Rng, mix_seed};
use leitai_game::{BySeat, Fault, Outcome, Perspective, Reply, Seat, ToMove};
use numpy::ndarray::{ArrayView2, ArrayView3};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use serde_json::{Value, json};

use crate::bot::PyBot;
use crate::convert::{
    ActionIndices, ArrayShape, MAX_MASK, MAX_PACKED, MAX_SCALARS, from_python, invalid_error,
    read_seat, to_python,
};
use crate::engine::EngineLeg;
use crate::game_list::find_game;
use crate::known_game::KnownGame;
use crate::observation::{write_into_zeros, write_scalars};
use crate::picture::{Picture, check_cell};
use crate::whole::{whole, whole_or_none};

/// The most playouts in one call.
const MAX_PLAYOUTS: usize = 1 << 24;

/// One leg of a game, step by step.
///
/// Seats are 0 (first) and 1 (second). The seat of a method may be omitted if only one seat is
/// asked. Both seats see the board from their own side: for the second it is turned by 180 degrees,
/// and its actions with it. An action is a number, or for TankCraft a sequence of five.
#[pyclass(name = "Leg", module = "leitai._leitai")]
pub struct PyLeg {
    pub game: &'static KnownGame,
    pub inner: EngineLeg,
    pub shape: Arc<ArrayShape>,
    pub origin: SetupOrigin,
    pub record: Option<Box<LegLog>>,
}

/// The source of a leg's setup, for its replay.
#[derive(Clone, Default)]
pub struct SetupOrigin {
    pub seed: Option<u64>,
    pub config: Arc<Value>,
}

/// The record of a leg.
#[derive(Clone, Default)]
pub struct LegLog {
    pub recorder: Recorder,
    pub hashes: Vec<u64>,
}

impl AnySink for LegLog {
    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        self.recorder.on_checkpoint(at);
        self.hashes.push(at.hash());
    }
}

impl PyLeg {
    /// What a seat sees, under these names; see `observe`.
    fn observe_seat<'py>(
        &self,
        py: Python<'py>,
        seat: Seat,
        packed: bool,
        mask: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let is_open = |leg: &dyn AnyEncodedLeg| leg.to_move() == ToMove::Nobody || leg.is_out(seat);
        let planes = self.planes_of(py, seat, packed)?;
        dict.set_item(intern!(py, "observation"), planes)?;
        dict.set_item(intern!(py, "scalars"), self.scalars_of(py, seat)?)?;
        let allowed = self.mask_with(py, |leg, out| match is_open(leg) {
            true => out.fill(1),
            false => leg.write_mask(seat, out),
        })?;
        dict.set_item(mask, allowed)?;
        Ok(dict)
    }

    fn scalars_of<'py>(&self, py: Python<'py>, seat: Seat) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut numbers = [0.0; MAX_SCALARS];
        let numbers = &mut numbers[..self.shape.scales.len()];
        self.inner
            .ask(|leg| write_scalars(leg, &self.shape, seat, numbers))?;
        Ok(PyArray1::from_slice(py, numbers))
    }

    /// int8 `[choices]`, or `[parts, choices]` where actions have parts.
    fn mask_with<'py>(
        &self,
        py: Python<'py>,
        write: impl FnOnce(&dyn AnyEncodedLeg, &mut [i8]),
    ) -> PyResult<Bound<'py, PyAny>> {
        let parts = self.shape.parts.len();
        let mut mask = [0; MAX_MASK];
        let mask = &mut mask[..self.shape.mask_length()];
        self.inner.ask(|leg| write(leg, mask))?;
        if parts == 1 {
            return Ok(PyArray1::from_slice(py, mask).into_any());
        }
        // A copy of what is on the stack costs less than to borrow the elements of an array.
        let by_part = ArrayView2::from_shape([parts, self.shape.parts[0]], mask);
        let by_part = by_part.expect("all parts have the same number of choices");
        Ok(PyArray2::from_array(py, &by_part).into_any())
    }

    fn planes_of<'py>(
        &self,
        py: Python<'py>,
        seat: Seat,
        packed: bool,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let shape = self.shape.of_planes(packed);
        if packed {
            let mut bits = [0; MAX_PACKED];
            let bits = &mut bits[..self.shape.packed];
            self.inner.ask(|leg| leg.write_planes(seat, bits))?;
            let planes = ArrayView3::from_shape(shape, bits).expect("as large as the shape");
            return Ok(PyArray3::from_array(py, &planes));
        }
        let array = PyArray3::zeros(py, shape, false);
        let mut writable = array.readwrite();
        let out = writable.as_slice_mut().expect("a new array is contiguous");
        self.inner
            .ask(|leg| write_into_zeros(leg, &self.shape, seat, packed, out))?;
        Ok(array)
    }

    /// The ends of random playouts: for each the winner's seat or -1, and both scores.
    pub fn play_out(&self, py: Python<'_>, count: usize, seed: u64) -> PyResult<Vec<i32>> {
        if count > MAX_PLAYOUTS {
            let why = format!("{count} playouts; at most {MAX_PLAYOUTS} are played in one call");
            return Err(PyValueError::new_err(why));
        }
        self.inner.refuse_veiled()?;
        let ends = |leg: &dyn AnyEncodedLeg| {
            let (mut copy, mut fault) = (leg.clone_encoded(), None);
            let mut end = |number: u64| {
                copy.copy_from(leg);
                copy.play_random(
                    &mut Rng::new(mix_seed(seed.wrapping_add(number), 3)),
                    u32::MAX,
                );
                fault = fault.take().or_else(|| copy.fault());
                result_of(&*copy)
            };
            let ends = (0..count as u64).flat_map(&mut end).collect::<Vec<i32>>();
            (ends, fault)
        };
        let inner = &self.inner;
        let (ends, fault) = py.detach(|| inner.ask(ends))?;
        inner.raise_fault(fault)?;
        Ok(ends)
    }

    pub fn new(
        game: &'static KnownGame,
        inner: Box<dyn AnyEncodedLeg>,
        shape: Arc<ArrayShape>,
        origin: SetupOrigin,
        record: bool,
    ) -> PyLeg {
        let record = record.then(Box::default);
        let inner = EngineLeg::new(inner, game, origin.seed);
        PyLeg {
            game,
            inner,
            shape,
            origin,
            record,
        }
    }

    /// A leg without a record in another position of the same setup.
    fn known_leg(&self, known: Box<dyn AnyEncodedLeg>) -> PyLeg {
        PyLeg {
            game: self.game,
            inner: self.inner.with_leg(known),
            shape: self.shape.clone(),
            origin: self.origin.clone(),
            record: None,
        }
    }

    /// The given seat, or the only one that is asked.
    pub fn asked_seat(&self, number: Option<usize>) -> PyResult<Seat> {
        let asked = self.inner.ask(|leg| leg.to_move())?;
        self.seat_in(asked, number)
    }

    /// The same where these seats are asked.
    fn seat_in(&self, asked: ToMove, number: Option<usize>) -> PyResult<Seat> {
        match (number, asked) {
            (Some(number), _) => self.shown_seat(read_seat(number)?),
            (None, ToMove::One(seat)) => self.shown_seat(seat),
            (None, ToMove::Both) => Err(PyValueError::new_err(
                "both seats are asked; say which one you mean, 0 or 1",
            )),
            (None, ToMove::Nobody) => Err(PyValueError::new_err(
                "the leg is over; say which seat you mean, 0 or 1",
            )),
        }
    }

    /// The seat, unless the leg is only what the other one knows of it.
    fn shown_seat(&self, seat: Seat) -> PyResult<Seat> {
        match self.inner.veil {
            Some(veil) if veil != seat => self.inner.refuse_veiled().map(|()| seat),
            _ => Ok(seat),
        }
    }

    fn going_on(&self) -> PyResult<ToMove> {
        match self.inner.ask(|leg| leg.to_move())? {
            ToMove::Nobody => Err(PyValueError::new_err("the leg is over; start a new one")),
            asked => Ok(asked),
        }
    }

    /// Plays a step as numbers; a recorded leg plays it in notation.
    fn play_indices(&mut self, said: BySeat<Option<&[i64]>>) -> PyResult<()> {
        if self.record.is_none() {
            return self
                .inner
                .play(|leg| leg.step_indices(said))?
                .map_err(invalid_error);
        }
        let mut texts = BySeat::new(None, None);
        for seat in Seat::BOTH {
            let Some(indices) = said[seat] else { continue };
            let text = self.inner.ask(|leg| leg.write_notation(seat, indices))?;
            texts[seat] = Some(text.map_err(invalid_error)?);
        }
        self.play_text(
            &texts
                .each_ref()
                .map_values(|text| text.as_deref().map(Reply::Action)),
        )
    }

    fn play_text(&mut self, replies: &TextReplies<'_>) -> PyResult<()> {
        match &mut self.record {
            None => self.inner.play(|leg| leg.step_text(*replies, &mut ())),
            Some(record) => {
                self.inner
                    .play(|leg| leg.step_text(*replies, &mut **record))?;
                record.recorder.record_replies(replies);
                Ok(())
            }
        }
    }
}

#[pymethods]
impl PyLeg {
    /// The id of its game.
    #[getter]
    fn game(&self) -> &'static str {
        self.game.meta().id
    }

    /// The seats that are asked now: `(0,)`, `(1,)`, `(0, 1)`; `()` when the leg is over.
    #[getter]
    fn seats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match self.inner.ask(|leg| leg.to_move())? {
            ToMove::Nobody => Ok(PyTuple::empty(py)),
            ToMove::One(seat) => PyTuple::new(py, [seat.index()]),
            ToMove::Both => PyTuple::new(py, [0, 1]),
        }
    }

    /// The only seat that is asked now, or -1 if both or none are asked.
    #[getter]
    fn seat(&self) -> PyResult<i8> {
        Ok(match self.inner.ask(|leg| leg.to_move())? {
            ToMove::One(seat) => seat.index() as i8,
            _ => -1,
        })
    }

    /// Whether the leg is over.
    #[getter]
    fn is_over(&self) -> PyResult<bool> {
        self.inner.ask(|leg| leg.to_move() == ToMove::Nobody)
    }

    /// The current round, from 1.
    #[getter]
    fn round(&self) -> PyResult<u32> {
        self.inner.ask(|leg| leg.round())
    }

    /// The current scores: first, second.
    #[getter]
    fn scores(&self) -> PyResult<(i32, i32)> {
        let [first, second] = self.inner.ask(|leg| leg.scores())?.into_pair();
        Ok((first, second))
    }

    /// The winner's seat; `None` for a draw, and before the end.
    #[getter]
    fn winner(&self) -> PyResult<Option<usize>> {
        let outcome = self.inner.ask(|leg| leg.outcome())?;
        Ok(outcome.and_then(|outcome| outcome.winner).map(Seat::index))
    }

    /// The seat that would win if the leg ended here without a fault; `None` for a draw.
    #[getter]
    fn leader(&self) -> PyResult<Option<usize>> {
        let winner = self.inner.ask(|leg| leg.certain_winner())?;
        Ok(winner.map(Seat::index))
    }

    /// The seed of its setup, if it has one.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.origin.seed
    }

    /// The setup, as in replays.
    #[getter]
    fn setup<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.inner.refuse_veiled()?;
        to_python(py, &self.inner.ask(|leg| leg.setup().to_json())?)
    }

    /// How it ended, once it has: `{"winner", "scores", "reason", "faults"}`.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.inner
            .ask(|leg| leg.outcome())?
            .map(|outcome| to_python(py, &outcome_json(&outcome)))
            .transpose()
    }

    /// Of a recorded leg: FNV-1a 64 of the canonical state text at every checkpoint, as `leitai
    /// replay trace` prints them.
    #[getter]
    fn checkpoints(&self) -> Option<Vec<u64>> {
        self.record.as_ref().map(|record| record.hashes.clone())
    }

    /// Of a recorded leg: its replies, as in a replay.
    #[getter]
    fn replies(&self) -> Option<String> {
        self.record
            .as_ref()
            .map(|record| record.recorder.leg.replies.clone())
    }

    /// Plays a step: the action of the seat that is asked, or both seats' actions, first's and
    /// second's. An illegal action loses as the rules say; an index that is out of range is
    /// refused, and nothing is played.
    #[pyo3(signature = (first, second=None))]
    pub fn step(&mut self, first: ActionIndices, second: Option<ActionIndices>) -> PyResult<()> {
        let said = match (self.going_on()?, &second) {
            (ToMove::One(seat), None) => {
                BySeat::from_fn(|s| (s == seat).then_some(first.as_slice()))
            }
            (ToMove::Both, Some(second)) => {
                BySeat::new(Some(first.as_slice()), Some(second.as_slice()))
            }
            (ToMove::One(seat), Some(_)) => {
                let why = format!("only seat {} is asked; step takes one action", seat.index());
                return Err(PyValueError::new_err(why));
            }
            _ => {
                return Err(PyValueError::new_err(
                    "both seats are asked; step takes two actions",
                ));
            }
        };
        self.play_indices(said)
    }

    /// Plays an action of this seat and then what a built-in bot says on the other one, up to the
    /// moment when this seat is asked again or the leg is over. Without an action (`None`) only the
    /// bot plays, if it is asked alone. With `until_out` the bot does not play on alone once this
    /// seat `is_out`.
    #[pyo3(signature = (seat_number, action, bot, until_out=false))]
    fn step_against(
        &mut self,
        #[pyo3(from_py_with = whole)] seat_number: usize,
        action: Option<ActionIndices>,
        bot: &PyBot,
        until_out: bool,
    ) -> PyResult<()> {
        bot.check_leg(self)?;
        let seat = read_seat(seat_number)?;
        if self.record.is_some() {
            return Err(PyValueError::new_err(
                "a recorded leg is played with step; ask the bot with choose",
            ));
        }
        let mut opponent = bot.lock_bot();
        let indices = action.as_ref().map(ActionIndices::as_slice);
        self.inner
            .play(|leg| leg.step_against(seat, indices, &mut **opponent, until_out))?
            .map_err(invalid_error)
    }

    /// Plays random legal actions for all asked seats, up to the end of the leg or this many steps;
    /// returns the number of steps played. All random choices come from the seed.
    #[pyo3(signature = (seed=0, max_steps=None))]
    fn play_random(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] seed: u64,
        #[pyo3(from_py_with = whole_or_none)] max_steps: Option<u32>,
    ) -> PyResult<u32> {
        if self.record.is_some() {
            return Err(PyValueError::new_err(
                "a recorded leg is played with step; play_random keeps no record",
            ));
        }
        let (inner, most) = (&mut self.inner, max_steps.unwrap_or(u32::MAX));
        py.detach(|| inner.play(|leg| leg.play_random(&mut Rng::new(seed), most)))
    }

    /// Plays copies of the leg to their end with random legal actions, without changing the leg:
    /// int32 `[count, 3]`, the winner's seat or -1, and both scores. The random choices of playout
    /// i come from `seed + i`.
    #[pyo3(signature = (count, seed=0))]
    fn playouts<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] count: usize,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let ends = self.play_out(py, count, seed)?;
        PyArray1::from_vec(py, ends).reshape([count, 3])
    }

    /// Whether the seat will not be asked again although the leg goes on: all its snakes are dead,
    /// and only the other seat plays.
    fn is_out(&self, #[pyo3(from_py_with = whole)] seat_number: usize) -> PyResult<bool> {
        let seat = read_seat(seat_number)?;
        self.inner.ask(|leg| leg.is_out(seat))
    }

    /// Plays a token of a replay, faults included.
    fn play(&mut self, token: &str) -> PyResult<()> {
        self.going_on()?;
        let replies = self.inner.ask(|leg| read_token(leg, token))?;
        self.play_text(&replies.map_err(PyValueError::new_err)?)
    }

    /// The notation of the legal actions; one of each kind if they are too many.
    #[pyo3(signature = (seat=None))]
    fn legal(
        &self,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<Vec<String>> {
        let seat = self.asked_seat(seat)?;
        self.inner.ask_text(|leg| leg.legal_actions(seat))
    }

    /// The actions that the mask allows, as numbers in ascending order; if actions have parts, one
    /// such list for every part.
    #[pyo3(signature = (seat=None))]
    fn legal_actions<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let parts = self.shape.parts.len();
        if parts == 1 && self.shape.mask_length() <= FEW {
            let mut mask = [0; FEW];
            let mask = &mut mask[..self.shape.mask_length()];
            self.inner.ask(|leg| {
                let seat = self.seat_in(leg.to_move(), seat)?;
                leg.write_mask(seat, mask);
                PyResult::Ok(())
            })??;
            return allowed_indices::<FEW>(py, mask);
        }
        let seat = self.asked_seat(seat)?;
        let mut mask = [0; MAX_MASK];
        let mask = &mut mask[..self.shape.mask_length()];
        self.inner.ask(|leg| leg.write_mask(seat, mask))?;
        let lists = mask
            .chunks_exact(mask.len() / parts)
            .map(|part| allowed_indices::<MAX_MASK>(py, part));
        let mut lists = lists.collect::<PyResult<Vec<_>>>()?;
        if parts == 1 {
            Ok(lists.remove(0))
        } else {
            PyList::new(py, lists)
        }
    }

    /// int8 `[choices]`, for TankCraft `[5, 69]`: 1 for choices that are legal and not the same as
    /// another one; all 0 if the seat is not asked.
    #[pyo3(signature = (seat=None))]
    fn mask<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let seat = self.asked_seat(seat)?;
        self.mask_with(py, |leg, out| leg.write_mask(seat, out))
    }

    /// The observation of the seat: uint8 `[planes, rows, cols]` of 0 and 1, or packed `[planes,
    /// rows, row bytes]`, the first column in the lowest bit.
    #[pyo3(signature = (seat=None, packed=false))]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
        packed: bool,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let seat = self.asked_seat(seat)?;
        self.planes_of(py, seat, packed)
    }

    /// The observation beside the board: float32 `[scalars]`, mostly between 0 and 1.
    #[pyo3(signature = (seat=None))]
    fn scalars<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let seat = self.asked_seat(seat)?;
        self.scalars_of(py, seat)
    }

    /// Planes, scalars and mask in the form of PettingZoo and Gymnasium: `{"observation",
    /// "scalars", "action_mask"}`. When the leg is over the mask is all 1: the action does not
    /// matter then, but a masked policy needs one.
    #[pyo3(signature = (seat=None, packed=false))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
        packed: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let seat = self.asked_seat(seat)?;
        self.observe_seat(py, seat, packed, intern!(py, "action_mask"))
    }

    /// What both seats see, first and second, as from `observe`; the mask has the name that is given.
    #[pyo3(signature = (packed=false, mask="action_mask"))]
    fn observe_both<'py>(
        &self,
        py: Python<'py>,
        packed: bool,
        mask: &str,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let mask = PyString::intern(py, mask);
        let see = |seat| self.observe_seat(py, self.shown_seat(seat)?, packed, &mask);
        Ok((see(Seat::First)?, see(Seat::Second)?))
    }

    /// The notation of an action, as in replays and protocols.
    #[pyo3(signature = (action, seat=None))]
    fn notation(
        &self,
        action: ActionIndices,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<String> {
        let seat = self.asked_seat(seat)?;
        self.inner
            .ask(|leg| leg.write_notation(seat, action.as_slice()))?
            .map_err(invalid_error)
    }

    /// The action of a notation: a number, or a list of five.
    #[pyo3(signature = (notation, seat=None))]
    fn index<'py>(
        &self,
        py: Python<'py>,
        notation: &str,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let seat = self.asked_seat(seat)?;
        let mut said = ActionIndices::zero_indices(self.shape.parts.len());
        self.inner
            .ask(|leg| leg.encode_notation(seat, notation, said.indices_mut()))?
            .map_err(invalid_error)?;
        said.to_python(py)
    }

    /// The view of a seat as JSON-like data, as programs get it; without a seat everything.
    #[pyo3(signature = (seat=None))]
    fn view<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let perspective = seat
            .map(read_seat)
            .transpose()?
            .map_or(Perspective::All, Perspective::Seat);
        if self
            .inner
            .veil
            .is_some_and(|veil| perspective != Perspective::Seat(veil))
        {
            self.inner.refuse_veiled()?;
        }
        to_python(py, &self.inner.ask_text(|leg| leg.view(perspective))?)
    }

    /// The canonical state text, as `leitai replay trace` prints it: equal texts mean equal
    /// positions of one setup. With `setup` it begins with the setup as a line of JSON: then equal
    /// texts mean equal positions of any setup.
    #[pyo3(signature = (setup=false))]
    fn state_text(&self, setup: bool) -> PyResult<String> {
        self.inner.refuse_veiled()?;
        let text = self.inner.ask_text(|leg| leg.state_text())?;
        if !setup {
            return Ok(text);
        }
        self.inner
            .ask(|leg| format!("{}\n{text}", leg.setup().to_json()))
    }

    /// FNV-1a 64 of the state text, see `state_text`.
    #[pyo3(signature = (setup=false))]
    fn hash(&self, setup: bool) -> PyResult<u64> {
        if setup {
            Ok(fnv1a(self.state_text(true)?.as_bytes()))
        } else {
            self.inner.refuse_veiled()?;
            self.inner.ask(|leg| leg.hash())
        }
    }

    /// The board as text, one line for each row.
    fn render(&self) -> PyResult<String> {
        let look = RenderOptions {
            perspective: (self.inner.veil).map_or(Perspective::All, Perspective::Seat),
            ahead: 0,
        };
        let (drawn, beside) = self.inner.ask_text(|leg| {
            let drawn = leg.render_position(&look);
            (drawn.plain_board(), plain_panel(&drawn))
        })?;
        // Of a view without a board the words are all that there is.
        Ok(if drawn.trim().is_empty() {
            beside
        } else {
            drawn
        })
    }

    /// The board as a picture: uint8 `[rows * cell, cols * cell, 3]`, red, green, blue; a cell has so
    /// many pixels, 2 to 64, in each direction. Colours are by meaning, as in a terminal.
    #[pyo3(signature = (cell=16))]
    fn pixels<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] cell: usize,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        check_cell(cell)?;
        self.inner.refuse_veiled()?;
        let drawn = self.inner.ask_text(|leg| Picture::draw(leg, cell))?;
        drawn.into_array(py)
    }

    /// The message of Leitai's JSON lines to a program on this seat.
    fn message<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        #[pyo3(from_py_with = whole)] seat: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let seat = self.shown_seat(read_seat(seat)?)?;
        let mut protocol = (self.game.any)
            .make_protocol(leitai_game::protocol::JSON_LINES)
            .expect("every game has it");
        let bytes = self.inner.ask_text(|leg| match kind {
            "start" => Some(protocol.write_start(leg, seat)),
            "turn" => Some(protocol.write_question(leg, seat)),
            "end" => Some(protocol.write_end(leg, seat)),
            _ => None,
        })?;
        let bytes =
            bytes.ok_or_else(|| PyValueError::new_err(format!("there is no message {kind:?}")))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The leg in the position of a view of this setup, as far as the seat of the view knows it.
    #[pyo3(name = "from_view")]
    fn build_from_view(&self, view: &Bound<'_, PyAny>) -> PyResult<PyLeg> {
        self.inner.refuse_veiled()?;
        let view = from_python(view)?;
        let known = self.inner.ask(|leg| leg.leg_from_view(&view))?;
        Ok(self.known_leg(known.map_err(invalid_error)?))
    }

    /// The leg as this seat knows it, made from its view: what fog hides is left out (a tank whose
    /// cell the seat does not know is nowhere on the map and does not act). Legs of games without
    /// fog are copied. Of a game file with hidden facts it is a leg that tells the seat's view,
    /// observation and legal actions, and cannot be played on.
    fn known_to(&self, #[pyo3(from_py_with = whole)] seat_number: usize) -> PyResult<PyLeg> {
        let seat = self.shown_seat(read_seat(seat_number)?)?;
        if self.game.any.is_open() || self.is_over()? {
            return Ok(PyLeg {
                record: None,
                ..self.clone()?
            });
        }
        if self.game.is_guest {
            let mut veiled = self.known_leg(self.inner.ask(|leg| leg.clone_encoded())?);
            (veiled.inner.veil, veiled.origin) = (Some(seat), SetupOrigin::default());
            return Ok(veiled);
        }
        let known = self
            .inner
            .ask(|leg| leg.leg_from_view(&leg.to_leg().view(Perspective::Seat(seat))))?;
        Ok(self.known_leg(known.map_err(invalid_error)?))
    }

    /// An independent copy.
    pub fn clone(&self) -> PyResult<PyLeg> {
        Ok(PyLeg {
            game: self.game,
            inner: self.inner.copy()?,
            shape: self.shape.clone(),
            origin: self.origin.clone(),
            record: self.record.clone(),
        })
    }

    fn __copy__(&self) -> PyResult<PyLeg> {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyResult<PyLeg> {
        self.clone()
    }

    /// The setup, and the replies of a recorded leg or else the position.
    #[allow(clippy::type_complexity, reason = "a plain tuple for pickle")]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        (&'static str, String, Option<u64>, String, bool, String),
    )> {
        self.inner.refuse_veiled()?;
        let restore = py.import("leitai._leitai")?.getattr("_restore_leg")?;
        let moment = match &self.record {
            Some(record) => record.recorder.leg.replies.clone(),
            None => self.inner.ask(|leg| leg.save_state().to_string())?,
        };
        let (setup, config) = (
            self.inner.ask(|leg| leg.setup().to_json().to_string())?,
            self.origin.config.to_string(),
        );
        let recorded = self.record.is_some();
        Ok((
            restore,
            (
                self.game.word,
                setup,
                self.origin.seed,
                config,
                recorded,
                moment,
            ),
        ))
    }

    fn __eq__(&self, other: &PyLeg) -> PyResult<bool> {
        self.inner.refuse_veiled()?;
        other.inner.refuse_veiled()?;
        let same_game = self.game.meta().id == other.game.meta().id;
        let equal = self
            .inner
            .ask(|leg| other.inner.ask(|other| leg.equals_leg(other)))??;
        Ok(same_game && equal)
    }

    fn __repr__(&self) -> PyResult<String> {
        let (id, round, (first, second)) = (self.game.meta().id, self.round()?, self.scores()?);
        let over = if self.is_over()? { ", over" } else { "" };
        Ok(format!(
            "<{id} leg, round {round}, scores {first}:{second}{over}>"
        ))
    }
}

/// Unpickles a leg.
#[pyfunction]
pub fn _restore_leg(
    game: &str,
    setup: &str,
    seed: Option<u64>,
    config: &str,
    recorded: bool,
    moment: &str,
) -> PyResult<PyLeg> {
    let read = |text: &str| -> PyResult<Value> {
        serde_json::from_str(text)
            .map_err(|why| PyValueError::new_err(format!("no pickled leg: {why}")))
    };
    let game = find_game(game)?;
    let origin = SetupOrigin {
        seed,
        config: Arc::new(read(config)?),
    };
    let failed = |why| game.setup_error(seed, why);
    let source = game.setup_source(&origin.config, 0, 0).map_err(failed)?;
    let inner = source.start_leg(&read(setup)?).map_err(failed)?;
    let shape = Arc::new(ArrayShape::new(&inner.describe_layout()));
    let mut leg = PyLeg::new(game, inner, shape, origin, recorded);
    if recorded {
        moment
            .split_ascii_whitespace()
            .try_for_each(|token| leg.play(token))?;
    } else {
        let saved = read(moment)?;
        leg.inner
            .play(|leg| leg.restore_state(&saved))?
            .map_err(invalid_error)?;
    }
    Ok(leg)
}

/// The number of choices in games with few.
const FEW: usize = 16;

/// The numbers of the choices that a mask of at most this many allows.
#[inline]
fn allowed_indices<'py, const MOST: usize>(
    py: Python<'py>,
    mask: &[i8],
) -> PyResult<Bound<'py, PyList>> {
    let (mut numbers, mut count) = ([0u16; MOST], 0);
    for (number, allowed) in mask.iter().enumerate() {
        numbers[count.min(MOST - 1)] = number as u16;
        count += usize::from(*allowed != 0);
    }
    PyList::new(py, &numbers[..count])
}

/// The lines beside a board.
fn plain_panel(drawn: &Rendering) -> String {
    let lines = drawn.panel.iter().map(|line| format!("{}\n", line.text));
    lines.collect()
}

/// The winner's seat or -1, and both scores.
pub fn result_of(inner: &dyn AnyEncodedLeg) -> [i32; 3] {
    let winner = inner.outcome().and_then(|outcome| outcome.winner);
    let [first, second] = inner.scores().into_pair();
    [winner.map_or(-1, |seat| seat.index() as i32), first, second]
}

/// The replies of a token of a replay; fails on notation that no action has.
pub fn read_token<'a>(
    inner: &dyn AnyEncodedLeg,
    token: &'a str,
) -> Result<TextReplies<'a>, String> {
    let replies = parse_token(token, inner.to_move())?;
    let leg = inner.to_leg();
    let unknown = replies.iter_pairs().find_map(|(_, reply)| match reply {
        Some(Reply::Action(text)) if !leg.knows_action(text) => Some(*text),
        _ => None,
    });
    unknown.map_or(Ok(replies), |text| {
        Err(format!("there is no action {text:?}"))
    })
}

/// The outcome as in replays, but with the winner's seat as a number.
pub fn outcome_json(outcome: &Outcome) -> Value {
    json!({
        "winner": outcome.winner.map(Seat::index),
        "scores": outcome.scores,
        "reason": outcome.reason.id,
        "faults": outcome.faults.map_values(|fault| fault.map(Fault::code)),
    })
}
