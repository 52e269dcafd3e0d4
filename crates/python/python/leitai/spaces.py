"""Gymnasium's spaces of a layout."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from .layout import Layout

#: No scalar is larger: most lie between 0 and 1, a bank of the longest snake below this.
MAX_SCALAR = 1e4

def observation_space(layout: Layout, packed: bool) -> spaces.Dict:
    """A dict of ``observation`` (uint8 planes, dense 0 and 1 or packed bits), ``scalars`` and ``action_mask``, which is a
    tuple of masks where actions have parts."""
    masks = [spaces.MultiBinary(len(part)) for part in layout.parts]
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 255 if packed else 1, layout.planes_shape(packed), np.uint8),
            "scalars": spaces.Box(0, MAX_SCALAR, (len(layout.scalars),), np.float32),
            "action_mask": masks[0] if len(masks) == 1 else spaces.Tuple(masks),
        }
    )


def flat_observation_space(layout: Layout, packed: bool) -> spaces.Dict:
    """The same with the masks of all parts in one array, as batches have it."""
    space = observation_space(layout, packed)
    return spaces.Dict({**space.spaces, "action_mask": spaces.MultiBinary(layout.mask_size)})


def action_space(layout: Layout) -> spaces.Space:
    """A number, or one number a part."""
    sizes = [len(part) for part in layout.parts]
    return spaces.Discrete(sizes[0]) if len(sizes) == 1 else spaces.MultiDiscrete(sizes, dtype=np.int64)
