//! Conversion between Python's values and Rust's.

use leitai_game::encode::Layout;
use leitai_game::{InvalidSetup, Seat};
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyString, PyTuple};
use serde_json::Value;

/// The most parts of an action.
pub const MAX_PARTS: usize = 8;

/// The most bytes of packed planes, and the most scalars, so that one observation fits the stack.
pub const MAX_PACKED: usize = 2048;
/// See [`MAX_PACKED`].
pub const MAX_SCALARS: usize = 128;
/// The most entries of a mask, for the same reason.
pub const MAX_MASK: usize = 512;

/// The error as Python's `ValueError`.
pub fn invalid_error(why: InvalidSetup) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// Plain data as Python's dicts, lists, texts and numbers.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?
        .call_method1("loads", (value.to_string(),))
}

/// Converts Python's plain data; fails on values that JSON cannot express.
pub fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    let text: String = value
        .py()
        .import("json")?
        .call_method1("dumps", (value,))?
        .extract()?;
    serde_json::from_str(&text)
        .map_err(|why| PyValueError::new_err(format!("not plain data: {why}")))
}

/// Converts 0 or 1 to a seat.
pub fn read_seat(number: usize) -> PyResult<Seat> {
    let seat = Seat::BOTH.get(number).copied();
    seat.ok_or_else(|| {
        PyValueError::new_err(format!(
            "there is no seat {number}; 0 is first, 1 is second"
        ))
    })
}

/// An action: one index for each part.
#[derive(Clone, Copy)]
pub struct ActionIndices {
    indices: [i64; MAX_PARTS],
    parts: usize,
}

impl ActionIndices {
    /// The indices.
    pub fn as_slice(&self) -> &[i64] {
        &self.indices[..self.parts]
    }

    /// This many zeros.
    pub fn zero_indices(parts: usize) -> ActionIndices {
        ActionIndices {
            indices: [0; MAX_PARTS],
            parts,
        }
    }

    /// The indices of so many parts.
    fn collect(
        parts: usize,
        items: impl IntoIterator<Item = PyResult<i64>>,
    ) -> PyResult<ActionIndices> {
        if parts > MAX_PARTS {
            return Err(PyValueError::new_err(format!(
                "an action with {parts} parts; no game has more than {MAX_PARTS}"
            )));
        }
        let mut said = ActionIndices::zero_indices(parts);
        for (index, item) in said.indices_mut().iter_mut().zip(items) {
            *index = item?;
        }
        Ok(said)
    }

    /// The indices, mutable.
    pub fn indices_mut(&mut self) -> &mut [i64] {
        &mut self.indices[..self.parts]
    }

    /// A number if an action has one part, else a list.
    pub fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self.as_slice() {
            [one] => Ok(one.into_pyobject(py)?.into_any()),
            many => Ok(many.to_vec().into_pyobject(py)?.into_any()),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for ActionIndices {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<ActionIndices> {
        // The most frequent types are tried first: a failed attempt costs more than a step.
        if object.is_exact_instance_of::<PyInt>()
            && let Ok(index) = object.extract::<i64>()
        {
            return ActionIndices::collect(1, [Ok(index)]);
        }
        if let Ok(many) = object.cast::<PyTuple>() {
            let items = many.iter().map(|item| read_index(&item));
            return ActionIndices::collect(many.len(), items);
        }
        if let Ok(many) = object.cast::<PyList>() {
            let items = many.iter().map(|item| read_index(&item));
            return ActionIndices::collect(many.len(), items);
        }
        // What Gymnasium's spaces sample.
        if let Ok(many) = object.cast::<PyArray1<i64>>() {
            let many = many.try_readonly()?;
            let items = many.as_array();
            return ActionIndices::collect(items.len(), items.iter().copied().map(Ok));
        }
        if let Ok(index) = object.extract::<i64>() {
            return ActionIndices::collect(1, [Ok(index)]);
        }
        if object.is_instance_of::<PyString>() {
            return Err(no_action(&object));
        }
        let many = object.len().map_err(|_| no_action(&object))?;
        let items = object.try_iter()?.map(|item| read_index(&item?));
        ActionIndices::collect(many, items)
    }
}

fn read_index(item: &Bound<'_, PyAny>) -> PyResult<i64> {
    item.extract().map_err(|_| no_action(item))
}

fn no_action(given: &Bound<'_, PyAny>) -> PyErr {
    let told = repr_of(given);
    if given.is_instance_of::<PyInt>() {
        return PyValueError::new_err(format!(
            "the action {told} is out of range: no game has so many choices"
        ));
    }
    PyTypeError::new_err(format!(
        "an action is a number, or a sequence of numbers for a game whose actions have parts; this is {told}"
    ))
}

/// A value as Python writes it, but not more than a line of it.
pub fn repr_of(given: &Bound<'_, PyAny>) -> String {
    const LONGEST: usize = 80;
    let told = given
        .repr()
        .map_or_else(|_| "?".to_owned(), |text| text.to_string());
    match told.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &told[..end]),
        None => told,
    }
}

/// Cached sizes of a layout.
#[derive(Clone, PartialEq)]
pub struct ArrayShape {
    pub planes: usize,
    /// Rows and columns.
    pub board: [usize; 2],
    /// The divisors of the scalars.
    pub scales: Vec<f32>,
    /// The number of choices of every part.
    pub parts: Vec<usize>,
    /// Bytes of all packed planes.
    pub packed: usize,
}

impl ArrayShape {
    /// The sizes of a layout.
    pub fn new(layout: &Layout) -> ArrayShape {
        assert!(layout.packed_len() <= MAX_PACKED && layout.scalars.len() <= MAX_SCALARS);
        assert!(layout.parts.len() <= MAX_PARTS && layout.mask_len() <= MAX_MASK);
        assert!(
            layout
                .parts
                .iter()
                .all(|part| part.len() == layout.parts[0].len()),
            "all parts have the same number of choices"
        );
        ArrayShape {
            planes: layout.planes.len(),
            board: [layout.rows, layout.cols],
            scales: layout
                .scalars
                .iter()
                .map(|scalar| 1.0 / scalar.scale as f32)
                .collect(),
            parts: layout.parts.iter().map(Vec::len).collect(),
            packed: layout.packed_len(),
        }
    }

    /// The shape of an observation's planes, dense or packed.
    pub fn of_planes(&self, packed: bool) -> [usize; 3] {
        let [rows, cols] = self.board;
        let width = if packed {
            leitai_game::encode::packed::row_len(cols)
        } else {
            cols
        };
        [self.planes, rows, width]
    }

    /// Bytes of an observation's planes.
    pub fn plane_bytes(&self, packed: bool) -> usize {
        self.of_planes(packed).iter().product()
    }

    /// Entries of a mask.
    pub fn mask_length(&self) -> usize {
        self.parts.iter().sum()
    }
}

/// The elements of an array; fails if it is not contiguous or has another size.
pub fn slice_mut<'a, T: Element>(
    name: &str,
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
    len: usize,
) -> PyResult<&'a mut [T]> {
    let slice = array.as_slice_mut().map_err(|_| not_contiguous(name))?;
    if slice.len() == len {
        Ok(slice)
    } else {
        Err(wrong_size(name, slice.len(), len))
    }
}

/// The same, read-only.
pub fn array_slice<'a, T: Element>(
    name: &str,
    array: &'a PyReadonlyArrayDyn<'_, T>,
    len: usize,
) -> PyResult<&'a [T]> {
    let slice = array.as_slice().map_err(|_| not_contiguous(name))?;
    if slice.len() == len {
        Ok(slice)
    } else {
        Err(wrong_size(name, slice.len(), len))
    }
}

fn not_contiguous(name: &str) -> PyErr {
    PyValueError::new_err(format!(
        "{name} must be C-contiguous; np.ascontiguousarray makes a copy that is"
    ))
}

fn wrong_size(name: &str, found: usize, wanted: usize) -> PyErr {
    PyValueError::new_err(format!("{name} has {found} elements; {wanted} are needed"))
}
