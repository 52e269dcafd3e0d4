"""The meaning of a game's numbers, and the symmetries of its board."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._leitai import Game


@dataclass(frozen=True)
class Symmetry:
    """A rotation or reflection of the board that keeps the rules. For data augmentation, transform the
    planes and the action (or the policy's probabilities) by the same symmetry; scalars do not
    change."""

    name: str
    #: int64 ``[rows * cols]``: cell i (row by row) of the new board shows what cell ``cells[i]`` of the old one did.
    cells: NDArray[np.int64]
    #: int64 ``[planes]``: plane p of the new observation is plane ``planes[p]`` of the old one.
    planes: NDArray[np.int64]
    #: For every part of an action int64 ``[choices]``: choice i becomes ``choices[part][i]``.
    choices: tuple[NDArray[np.int64], ...]

    def observation(self, planes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The transformed copy of dense planes ``[..., planes, rows, cols]``."""
        *batch, count, rows, cols = planes.shape
        flat = planes[..., self.planes, :, :].reshape(*batch, count, rows * cols)
        return flat[..., self.cells].reshape(planes.shape)

    def action(self, action: Any) -> Any:
        """The transformed action: a number, or an array ``[..., parts]`` where actions have parts."""
        if len(self.choices) == 1:
            return self.choices[0][action]
        action = np.asarray(action)
        moved = [choices[action[..., part]] for part, choices in enumerate(self.choices)]
        return np.stack(moved, axis=-1)

    def mask(self, mask: NDArray[Any]) -> NDArray[Any]:
        """The transformed mask (or probabilities) ``[..., choices]``, or ``[..., parts, choices]`` where actions have parts."""
        moved = np.empty_like(mask)
        if len(self.choices) == 1:
            moved[..., self.choices[0]] = mask
            return moved
        for part, choices in enumerate(self.choices):
            moved[..., part, choices] = mask[..., part, :]
        return moved


@dataclass(frozen=True)
class Layout:
    """The meaning of a game's numbers."""

    rows: int
    cols: int
    #: Names of the planes, with what a set bit says: ``{"own_body": "cells of your snake, …"}``.
    planes: dict[str, str]
    #: Names of the scalars, with what they count; already divided by their scale in observations.
    scalars: dict[str, str]
    #: What every scalar is divided by.
    scales: tuple[int, ...]
    #: Names of the choices of every part of an action.
    parts: tuple[tuple[str, ...], ...]
    symmetries: tuple[Symmetry, ...]
    #: Whether scalars can be below 0, as those of game files.
    signed: bool = False

    @property
    def row_bytes(self) -> int:
        """Bytes of a row of packed planes."""
        return (self.cols + 7) // 8

    def planes_shape(self, packed: bool = False) -> tuple[int, int, int]:
        """The shape of an observation's planes."""
        return len(self.planes), self.rows, self.row_bytes if packed else self.cols

    @property
    def mask_shape(self) -> tuple[int, ...]:
        """The shape of a mask: ``(choices,)``, or ``(parts, choices)`` where actions have parts."""
        return (len(self.parts[0]),) if len(self.parts) == 1 else (len(self.parts), len(self.parts[0]))

    def unpack(self, planes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Dense planes, uint8 of 0 and 1 ``[..., rows, cols]``, from packed ones
        ``[..., rows, row bytes]``."""
        return np.unpackbits(planes, axis=-1, bitorder="little", count=self.cols)

    def pack(self, planes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Packed planes, uint8 ``[..., rows, row bytes]``, from dense ones ``[..., rows, cols]``."""
        return np.packbits(planes, axis=-1, bitorder="little")


def read_layout(game: Game, config: dict[str, Any] | None = None) -> Layout:
    """The layout of a game with this config."""
    return _read(game.word, json.dumps(config, sort_keys=True))


@functools.lru_cache(maxsize=64)
def _read(game: str, config: str) -> Layout:
    told = Game(game).layout(json.loads(config))
    return Layout(
        rows=told["rows"],
        cols=told["cols"],
        planes={plane["name"]: plane["about"] for plane in told["planes"]},
        scalars={scalar["name"]: scalar["about"] for scalar in told["scalars"]},
        scales=tuple(scalar["scale"] for scalar in told["scalars"]),
        parts=tuple(tuple(part) for part in told["parts"]),
        symmetries=tuple(_symmetry(one) for one in told["symmetries"]),
        signed=told.get("signed", False),
    )


def _symmetry(told: dict[str, Any]) -> Symmetry:
    choices = tuple(np.array(part) for part in told["choices"])
    return Symmetry(told["name"], np.array(told["cells"]), np.array(told["planes"]), choices)
