"""Observations as one vector, for libraries whose networks accept nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .layout import Layout
from .spaces import MAX_SCALAR


def flat_size(layout: Layout) -> int:
    """The length of a flat observation: all cells of all planes, and the scalars."""
    return int(np.prod(layout.planes_shape())) + len(layout.scalars)


def flatten(observation: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
    """A dense observation as float32 ``[flat_size]``: planes, then scalars, without the mask."""
    planes = observation["observation"].reshape(-1)
    flat = np.empty(planes.size + observation["scalars"].size, np.float32)
    flat[: planes.size] = planes
    flat[planes.size :] = observation["scalars"]
    return flat


def flat_bounds(layout: Layout) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The lower and the upper bounds of flat observations."""
    low = np.zeros(flat_size(layout), np.float32)
    high = np.ones_like(low)
    high[low.size - len(layout.scalars) :] = MAX_SCALAR
    return low, high
