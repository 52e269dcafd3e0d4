//! Whole numbers as arguments: an error tells the value and what is accepted.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::convert::repr_of;

/// A number from 0 to the largest of its type.
///
/// # Errors
/// `ValueError` for a number out of range, `TypeError` for what is no whole number.
pub fn whole<T: TryFrom<u64>>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    let number = given
        .extract()
        .ok()
        .and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| no_number::<T>(given))
}

/// The same, or `None`.
pub fn whole_or_none<T: TryFrom<u64>>(given: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    match given.is_none() {
        true => Ok(None),
        false => whole(given).map(Some),
    }
}

fn no_number<T>(given: &Bound<'_, PyAny>) -> PyErr {
    let most = u64::MAX >> (u64::BITS as usize - 8 * size_of::<T>());
    let (told, accepted) = (
        repr_of(given),
        format!("whole numbers from 0 to {most} are accepted"),
    );
    match given.hasattr("__index__") {
        Ok(true) => PyValueError::new_err(format!("{told} is out of range; {accepted}")),
        _ => PyTypeError::new_err(format!("{told} is no whole number; {accepted}")),
    }
}
