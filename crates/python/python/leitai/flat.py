"""Observations as one vector, for libraries whose networks accept nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .layout import Layout
from .spaces import flat_bounds, flat_size


def flatten(observation: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
    """A dense observation as float32 ``[flat_size]``: planes, then scalars, without the mask."""
    planes = observation["observation"].reshape(-1)
    flat = np.empty(planes.size + observation["scalars"].size, np.float32)
    flat[: planes.size] = planes
    flat[planes.size :] = observation["scalars"]
    return flat


def flatten_masked(observation: dict[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """A dense observation as RLlib's action masking wants it: ``observations`` and ``action_mask``, both float32 vectors."""
    mask = observation.get("action_mask", observation.get("action_masks"))
    assert mask is not None
    return {"observations": flatten(observation), "action_mask": mask.reshape(-1).astype(np.float32)}


def masked_space(layout: Layout) -> spaces.Dict:
    """The space of :func:`flatten_masked`."""
    low, high = flat_bounds(layout)
    choices = sum(map(len, layout.parts))
    return spaces.Dict(
        {
            "observations": spaces.Box(low, high, dtype=np.float32),
            "action_mask": spaces.Box(0.0, 1.0, (choices,), np.float32),
        }
    )


def refuse_packed(parameters: dict[str, Any]) -> None:
    """Refuses packed planes."""
    if parameters.get("packed"):
        raise ValueError("packed is True; a network needs dense planes, leave it away")
