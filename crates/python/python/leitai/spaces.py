"""Gymnasium's spaces of a layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .layout import Layout

#: No scalar is larger: most lie between 0 and 1, a bank of the longest snake below this.
MAX_SCALAR = 1e4


class Parts(spaces.MultiDiscrete):
    """One number for each part. Like its base class, but a mask may also be an array
    ``[parts, choices]``, as in observations."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A random action; see the base class."""
        return super().sample(_rows(mask), _rows(probability))


def _rows(mask: Any) -> Any:
    return tuple(mask) if isinstance(mask, np.ndarray) else mask


def observation_space(layout: Layout, packed: bool, mask_name: str = "action_mask") -> spaces.Dict:
    """A dict of ``observation`` (uint8 planes, dense 0 and 1 or packed bits), ``scalars`` and ``action_mask``: int8
    ``[choices]``, or ``[parts, choices]`` where actions have parts."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 255 if packed else 1, layout.planes_shape(packed), np.uint8),
            "scalars": spaces.Box(lowest_scalar(layout), MAX_SCALAR, (len(layout.scalars),), np.float32),
            mask_name: _mask_space(layout),
        }
    )


def lowest_scalar(layout: Layout) -> float:
    """What no scalar is below."""
    return -MAX_SCALAR if layout.signed else 0.0


def action_space(layout: Layout) -> spaces.Space[Any]:
    """A number, or one number a part."""
    sizes = [len(part) for part in layout.parts]
    return spaces.Discrete(sizes[0]) if len(sizes) == 1 else Parts(sizes, dtype=np.int64)


def flat_size(layout: Layout) -> int:
    """The length of a flat observation: all cells of all planes, and the scalars."""
    return int(np.prod(layout.planes_shape())) + len(layout.scalars)


def flat_bounds(layout: Layout) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The lower and the upper bounds of flat observations."""
    low = np.zeros(flat_size(layout), np.float32)
    high = np.ones_like(low)
    high[low.size - len(layout.scalars) :] = MAX_SCALAR
    low[low.size - len(layout.scalars) :] = lowest_scalar(layout)
    return low, high


def state_space(layout: Layout) -> spaces.Box:
    """The space of both seats' planes and scalars in one vector."""
    low, high = flat_bounds(layout)
    return spaces.Box(np.tile(low, 2), np.tile(high, 2), dtype=np.float32)


def _mask_space(layout: Layout) -> spaces.Space[Any]:
    """TorchRL takes no ``MultiBinary`` of a tuple."""
    shape = layout.mask_shape
    return spaces.MultiBinary(shape[0]) if len(shape) == 1 else spaces.Box(0, 1, shape, np.int8)
