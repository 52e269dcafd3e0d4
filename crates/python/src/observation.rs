//! Observations of a leg, as Python takes them: dense or packed planes, and scaled scalars.

use leitai_game::Seat;
use leitai_game::encode::{AnyEncodedLeg, packed};

use crate::convert::{ArrayShape, MAX_PACKED, MAX_SCALARS};

/// Writes the observation of a seat, dense or packed.
#[inline]
pub fn write_planes(
    inner: &dyn AnyEncodedLeg,
    shape: &ArrayShape,
    seat: Seat,
    packed: bool,
    out: &mut [u8],
) {
    if !packed {
        out.fill(0);
    }
    write_into_zeros(inner, shape, seat, packed, out);
}

/// The same into an array of zeros, such as a new one.
#[inline]
pub fn write_into_zeros(
    inner: &dyn AnyEncodedLeg,
    shape: &ArrayShape,
    seat: Seat,
    packed: bool,
    out: &mut [u8],
) {
    if packed {
        return inner.write_planes(seat, out);
    }
    match shape.packed {
        0..=320 => write_dense::<320>(inner, shape, seat, out),
        321..=640 => write_dense::<640>(inner, shape, seat, out),
        _ => write_dense::<MAX_PACKED>(inner, shape, seat, out),
    }
}

/// Writes dense planes from this many bytes of packed ones; clearing a larger buffer would cost as
/// much as the rest.
#[inline]
fn write_dense<const BYTES: usize>(
    inner: &dyn AnyEncodedLeg,
    shape: &ArrayShape,
    seat: Seat,
    out: &mut [u8],
) {
    let mut bits = [0; BYTES];
    let bits = &mut bits[..shape.packed];
    inner.write_planes(seat, bits);
    packed::unpack_into_zeros(bits, shape.board[1], out);
}

/// Writes the scalars of a seat, divided by their scales.
#[inline]
pub fn write_scalars(inner: &dyn AnyEncodedLeg, shape: &ArrayShape, seat: Seat, out: &mut [f32]) {
    match shape.scales.len() {
        ..=16 => write_some_scalars::<16>(inner, shape, seat, out),
        _ => write_some_scalars::<MAX_SCALARS>(inner, shape, seat, out),
    }
}

#[inline]
fn write_some_scalars<const COUNT: usize>(
    inner: &dyn AnyEncodedLeg,
    shape: &ArrayShape,
    seat: Seat,
    out: &mut [f32],
) {
    let mut numbers = [0; COUNT];
    let numbers = &mut numbers[..shape.scales.len()];
    inner.write_scalars(seat, numbers);
    for ((out, number), scale) in out.iter_mut().zip(numbers).zip(&shape.scales) {
        *out = *number as f32 * scale;
    }
}
