"""Boards as texts and pictures, in the modes of Gymnasium and PettingZoo."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._leitai import Leg

#: The modes: the board as text; the board as a picture.
RENDER_MODES = ("ansi", "rgb_array")


def read_render_mode(mode: str | None) -> str | None:
    """Reads the name of a mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"there is no render_mode {mode!r}; there are {', '.join(RENDER_MODES)}, and None for nothing")
    return mode


def render_leg(leg: Leg | None, mode: str | None) -> str | NDArray[np.uint8] | None:
    """The board in this mode."""
    if leg is None or mode is None:
        return None
    return leg.render() if mode == "ansi" else leg.pixels()


def read_view(leg: Leg, seat: int) -> NDArray[np.float32]:
    """What a seat sees, float32: its planes, then its scalars."""
    return np.concatenate([leg.planes(seat).reshape(-1), leg.scalars(seat)], dtype=np.float32)


def read_state(leg: Leg) -> NDArray[np.float32]:
    """What both seats know together, float32: what the first one sees, then the second."""
    return np.concatenate([read_view(leg, seat) for seat in (0, 1)])
