"""Many legs at once, in arrays that the caller may own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._leitai import Batch
from .layout import Layout, read_layout
from ._leitai import Game

#: The arrays of an observation, in the order in which the engine writes them.
OBSERVATION = ("observation", "scalars", "action_mask")


class Buffers:
    """The arrays that a batch writes into, one entry an environment. Observations are the caller's, or made here."""

    def __init__(
        self, batch: Batch, layout: Layout, two_rewards: bool, keep_last: bool, out: dict[str, np.ndarray] | None
    ):
        lanes, sides, planes, scalars, _, _ = batch.sizes
        self.lanes, self.sides = lanes, sides
        lead = (lanes, sides) if sides == 2 else (lanes,)
        self.shapes = {
            "observation": ((*lead, *planes), np.uint8),
            "scalars": ((*lead, scalars), np.float32),
            "action_mask": ((*lead, *layout.mask_shape), np.int8),
        }
        self.observation = self._make() if out is None else self._check(out)
        self.rewards = np.zeros((lanes, 2) if two_rewards else lanes, np.float32)
        self.terminated = np.zeros(lanes, np.bool_)
        self.seats = np.zeros(lanes, np.int8)
        self.results = np.zeros((lanes, 3), np.int32)
        self.last = self._make() if keep_last else None
        nothing = [np.empty(0, dtype) for _, dtype in self.shapes.values()]
        last = nothing if self.last is None else [self.last[name] for name in OBSERVATION]
        seen = [self.observation[name] for name in OBSERVATION]
        self.all = (*seen, self.rewards, self.terminated, self.seats, self.results, *last)

    def _make(self) -> dict[str, np.ndarray]:
        return {name: np.zeros(shape, dtype) for name, (shape, dtype) in self.shapes.items()}

    def _check(self, out: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        for name, (shape, dtype) in self.shapes.items():
            array = out.get(name)
            if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
                found = getattr(array, "shape", None), getattr(array, "dtype", None)
                raise ValueError(f"out[{name!r}] must be an array {shape} of {np.dtype(dtype)}; it is {found}")
            if not (array.flags.c_contiguous and array.flags.writeable):
                raise ValueError(f"out[{name!r}] must be C-contiguous and writable")
        return {name: out[name] for name in OBSERVATION}


class SelfPlay:
    """Many legs at once, the learner on both seats.

    In SnakeGo one seat is asked at a time: observations are ``[n, …]`` from the side of the seat that is asked now, which
    ``seats`` tells, and actions ``[n]``. In King of Bots and TankCraft both are asked: observations are ``[n, 2, …]``, first
    and second, and actions ``[n, 2]`` (TankCraft: ``[n, 2, 5]``). Rewards are float32 ``[n, 2]`` by seat.

    An environment whose leg has ended begins the next one with the next step, whose action it ignores.

    :param game: ``"snakego"``, ``"kob"`` or ``"tankcraft"``
    :param num_envs: number of legs
    :param config: the game's choices, as in ``leitai match --config``
    :param seed: environment i begins with the setup of ``seed + i``, and draws every further seed from it
    :param reward: ``"outcome"``: 1, 0 or -1 at the end; ``"score"``: the change of the own score's lead over the other's
    :param packed: whether planes are bits in bytes, ``[planes, rows, row bytes]``, or bytes 0 and 1
    :param threads: steps are spread over so many threads; worth it for bots that think, dense planes or many legs
    :param pool: deal so many setups in advance and let every leg have one of them; 0 deals every leg anew
    :param out: arrays to write observations into: ``{"observation", "scalars", "action_mask"}``; they are written by every
        step, and what ``reset`` and ``step`` return are these arrays
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        *,
        config: dict | None = None,
        seed: int = 0,
        reward: str = "outcome",
        packed: bool = False,
        threads: int = 1,
        pool: int = 0,
        out: dict[str, np.ndarray] | None = None,
    ):
        self.num_envs = num_envs
        self.layout: Layout = read_layout(Game(game), config)
        self._batch = Batch(
            game,
            num_envs,
            config=config,
            by_score=by_score(reward),
            threads=threads,
            pool=pool,
            packed=packed,
            seed=seed,
        )
        self._buffers = Buffers(self._batch, self.layout, two_rewards=True, keep_last=False, out=out)
        sides, parts = self._batch.sizes[1], len(self.layout.parts)
        self.action_shape = (num_envs, *((2,) if sides == 2 else ()), *((parts,) if parts > 1 else ()))

    def reset(self, seed: int | None = None) -> dict[str, np.ndarray]:
        """Begins a new leg everywhere and gives the observations; with a seed as if it had been made with that one."""
        seeds = None if seed is None else [seed + lane for lane in range(self.num_envs)]
        self._batch.reset(self._buffers.all, None, seeds)
        return self._buffers.observation

    def step(self, actions: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        """Plays a step everywhere: observations, rewards ``[n, 2]``, terminated ``[n]``. The arrays are written anew by the
        next step."""
        self._batch.step(as_actions(actions, self.action_shape), self._buffers.all)
        return self._buffers.observation, self._buffers.rewards, self._buffers.terminated

    @property
    def seats(self) -> np.ndarray:
        """int8 ``[n]``: whose side is shown where one seat is asked at a time, 0 or 1."""
        return self._buffers.seats

    @property
    def results(self) -> np.ndarray:
        """int32 ``[n, 3]``, where ``terminated``: the winner's seat or -1, and both scores."""
        return self._buffers.results

    def hashes(self) -> list[int]:
        """FNV-1a 64 of every position's canonical state text."""
        return self._batch.hashes()


def by_score(reward: str) -> bool:
    """Reads the name of a reward."""
    if reward not in ("outcome", "score"):
        raise ValueError(f"there is no reward {reward!r}; there are 'outcome' and 'score'")
    return reward == "score"


def as_actions(actions: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Actions as the engine wants them: int64, contiguous."""
    array = np.ascontiguousarray(actions, dtype=np.int64)
    if array.shape != shape:
        raise ValueError(f"actions have the shape {array.shape}; {shape} is needed")
    return array
