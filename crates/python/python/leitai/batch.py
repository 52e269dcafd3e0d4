"""Many legs at once, in arrays that the caller may own."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._leitai import Batch, Game, Leg
from .guest import GameLike
from .layout import Layout, read_layout

#: The arrays of an observation, in the order in which the engine writes them.
OBSERVATION = ("observation", "scalars", "action_mask")


#: Bytes to a multiple of which observations are aligned.
ALIGNMENT = 64

#: Sets of arrays that are kept for being written anew.
KEPT_SETS = 3


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """Options of a batch; ``docs/learning.md`` describes them."""

    config: dict[str, Any] | None = None
    opponents: list[tuple[str, float]] = field(default_factory=list)
    seat: int | None = None
    by_score: bool = False
    autoreset: str = "NextStep"
    threads: int = 1
    pool: int = 0
    packed: bool = False
    seed: int = 0
    tail: str = "play"
    max_steps: int | None = None


class StepArrays(NamedTuple):
    """The arrays that one call of the engine writes; the last observation is empty unless legs restart
    in the same step."""

    planes: NDArray[np.uint8]
    scalars: NDArray[np.float32]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    seats: NDArray[np.int8]
    results: NDArray[np.int32]
    last_planes: NDArray[np.uint8]
    last_scalars: NDArray[np.float32]
    last_masks: NDArray[np.int8]


class Buffers:
    """The arrays that a batch writes, one entry for each environment. Observations are the caller's
    arrays, or made here.

    With ``fresh`` a returned array does not change while somebody holds a reference to it: a set of
    arrays is reused only when nobody does. New memory for every step would cost more than the step.
    """

    def __init__(
        self,
        batch: Any,
        layout: Layout,
        two_rewards: bool,
        keep_last: bool,
        out: dict[str, Any] | None,
        fresh: bool = False,
    ) -> None:
        lanes, sides, planes, scalars, _, _ = batch.sizes
        self.lanes, self.sides = lanes, sides
        lead = (lanes, sides) if sides == 2 else (lanes,)
        self.shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "observation": ((*lead, *planes), np.uint8),
            "scalars": ((*lead, scalars), np.float32),
            "action_mask": ((*lead, *layout.mask_shape), np.int8),
        }
        arrays = self._make() if out is None else self._check(out)
        #: What reset and step return: the arrays, or what the caller gave.
        self.observation: dict[str, Any] = arrays if out is None else {name: out[name] for name in OBSERVATION}
        self.sets = [arrays]
        self.rewards = np.zeros((lanes, 2) if two_rewards else lanes, np.float32)
        self.terminated = np.zeros(lanes, np.bool_)
        self.truncated = np.zeros(lanes, np.bool_)
        self.seats = np.zeros(lanes, np.int8)
        self.results = np.zeros((lanes, 3), np.int32)
        self.last = self._make() if keep_last else None
        nothing = [np.empty(0, dtype) for _, dtype in self.shapes.values()]
        last = nothing if self.last is None else [self.last[name] for name in OBSERVATION]
        self._rest = (self.rewards, self.terminated, self.truncated, self.seats, self.results, *last)
        # A stored tuple would count as a reference to the arrays.
        self._all = None if fresh else StepArrays(*arrays.values(), *self._rest)

    def next(self) -> StepArrays:
        """The arrays for the next call."""
        if self._all is not None:
            return self._all
        # The arrays last returned by this object have a reference of its own, not of the caller.
        self.observation = {}
        arrays = next((one for one in self.sets if _is_free(one)), None) or self._make()
        self.sets = [arrays, *(one for one in self.sets if one is not arrays)][:KEPT_SETS]
        self.observation = dict(arrays)
        return StepArrays(*arrays.values(), *self._rest)

    def _make(self) -> dict[str, NDArray[Any]]:
        return {name: _aligned_zeros(shape, dtype) for name, (shape, dtype) in self.shapes.items()}

    def _check(self, out: dict[str, Any]) -> dict[str, NDArray[Any]]:
        arrays = {}
        for name, (shape, dtype) in self.shapes.items():
            array = shared_array(out.get(name))
            if array is None or array.shape != shape or array.dtype != dtype:
                found = getattr(array, "shape", None), getattr(array, "dtype", None)
                raise ValueError(f"out[{name!r}] must be an array {shape} of {np.dtype(dtype)}; it is {found}")
            if not (array.flags.c_contiguous and array.flags.writeable):
                raise ValueError(f"out[{name!r}] must be C-contiguous and writable")
            arrays[name] = array
        return arrays


def _aligned_zeros(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Zeros at an address from which JAX takes them without a copy."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % ALIGNMENT
    array: NDArray[Any] = memory[begin : begin + size].view(dtype).reshape(shape)
    return array


def _references(arrays: dict[str, NDArray[Any]]) -> list[tuple[int, int]]:
    """References to each array, and to the memory below it, to which views of the array refer."""
    return [(sys.getrefcount(array), sys.getrefcount(array.base)) for array in arrays.values()]


#: What is counted where a dictionary alone refers to an array: how many the loop and the call add differs between versions of Python.
ALONE = _references({"alone": _aligned_zeros((1,), np.uint8)})[0]


def _is_free(arrays: dict[str, NDArray[Any]]) -> bool:
    """Whether only the dictionary refers to these arrays."""
    return all(array <= ALONE[0] and memory <= ALONE[1] for array, memory in _references(arrays))


def shared_array(given: Any) -> NDArray[Any] | None:
    """A NumPy array on the same memory; ``None`` if the value has none. A PyTorch tensor on the CPU
    has one."""
    if given is None or isinstance(given, np.ndarray):
        return given
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, RuntimeError):
        return None
    at = getattr(given, "data_ptr", None)
    return array if at is not None and at() == array.ctypes.data else None


class SelfPlay:
    """Many legs at once, with the learner on both seats.

    In SnakeGo one seat is asked at a time: observations are ``[n, …]`` from the side of the asked
    seat, which ``seats`` contains, and actions ``[n]``. In King of Bots and TankCraft both seats
    are asked: observations are ``[n, 2, …]``, first and second, and actions ``[n, 2]`` (TankCraft:
    ``[n, 2, 5]``). Rewards are float32 ``[n, 2]`` by seat.

    An environment whose leg has ended starts the next leg in the next step and ignores its action.

    :param game: ``"snakego"``, ``"kob"`` or ``"tankcraft"``, or what :func:`leitai.load` takes or returns
    :param num_envs: number of legs
    :param config: the game's choices, as in ``leitai match --config``
    :param seed: environment i begins with the setup of ``seed + i``, and draws every further seed from it
    :param reward: ``"outcome"``: 1, 0 or -1 at the end; ``"score"``: the change of the own score's lead over the other's
    :param packed: whether planes are bits in bytes, ``[planes, rows, row bytes]``, or bytes 0 and 1
    :param threads: number of threads for a step; useful with slow bots, dense planes or many legs
    :param pool: number of setups that are dealt in advance and shared by the legs; 0 deals every leg anew
    :param out: arrays to write observations into: ``{"observation", "scalars", "action_mask"}``; they are written by every
        step, and what ``reset`` and ``step`` return are these arrays
    """

    def __init__(
        self,
        game: GameLike,
        num_envs: int,
        *,
        config: dict[str, Any] | None = None,
        seed: int = 0,
        reward: str = "outcome",
        packed: bool = False,
        threads: int = 1,
        pool: int = 0,
        out: dict[str, Any] | None = None,
    ) -> None:
        self.num_envs = num_envs
        self.layout: Layout = read_layout(Game(game), config)
        options = BatchOptions(
            config=config,
            by_score=by_score(reward),
            threads=threads,
            pool=pool,
            packed=packed,
            seed=seed,
        )
        self._batch = Batch(game, num_envs, options)
        self._buffers = Buffers(self._batch, self.layout, two_rewards=True, keep_last=False, out=out)
        sides, parts = self._batch.sizes[1], len(self.layout.parts)
        self.action_shape = (num_envs, *((2,) if sides == 2 else ()), *((parts,) if parts > 1 else ()))

    def reset(self, seed: int | None = None) -> dict[str, Any]:
        """Starts a new leg in all environments and returns the observations; with a seed, as in a new
        object with that seed."""
        seeds = None if seed is None else [seed + lane for lane in range(self.num_envs)]
        self._batch.reset(self._buffers.next(), None, seeds)
        return self._buffers.observation

    def step(self, actions: ArrayLike) -> tuple[dict[str, Any], NDArray[np.float32], NDArray[np.bool_]]:
        """Plays a step in all environments; returns observations, rewards ``[n, 2]``, terminated
        ``[n]``. The next step overwrites the arrays."""
        self._batch.step(as_actions(actions, self.action_shape), self._buffers.next())
        return self._buffers.observation, self._buffers.rewards, self._buffers.terminated

    def save(self) -> list[Leg]:
        """Copies of all legs, for :meth:`restore` or for separate searches."""
        return self._batch.save()

    def restore(self, legs: list[Leg]) -> dict[str, Any]:
        """Continues from copies of these legs, one for each environment, and returns the observations.
        The legs come from :meth:`save` or from a search whose leaves are to be evaluated together."""
        self._batch.restore(legs, self._buffers.next())
        return self._buffers.observation

    @property
    def seats(self) -> NDArray[np.int8]:
        """int8 ``[n]``: the seat of the observation in games that ask one seat at a time, 0 or 1."""
        return self._buffers.seats

    @property
    def results(self) -> NDArray[np.int32]:
        """int32 ``[n, 3]``, valid where ``terminated``: the winner's seat or -1, and both scores."""
        return self._buffers.results

    def hashes(self) -> list[int]:
        """FNV-1a 64 of every position's canonical state text."""
        return self._batch.hashes()


def as_actions(actions: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Actions in the form of the engine: int64, contiguous. Types other than integers are refused."""
    given = np.asarray(actions)
    if given.dtype.kind not in "iu":
        raise TypeError(f"actions are whole numbers; these are {given.dtype}: choose with argmax or astype(np.int64)")
    array = np.ascontiguousarray(given, dtype=np.int64)
    if array.shape != shape:
        raise ValueError(f"actions have the shape {array.shape}; {shape} is needed")
    return array


def as_mask(which: ArrayLike | None, count: int) -> NDArray[np.bool_] | None:
    """A selection of environments, as an array of truth values or something convertible to one."""
    if which is None:
        return None
    array = np.ascontiguousarray(which)
    if array.dtype != np.bool_ or array.shape != (count,):
        raise ValueError(f"reset_mask has {array.dtype} of the shape {array.shape}; bool of ({count},) is needed")
    return array


def by_score(reward: str) -> bool:
    """Reads the name of a reward."""
    if reward not in ("outcome", "score"):
        raise ValueError(f"there is no reward {reward!r}; there are 'outcome' and 'score'")
    return reward == "score"
