"""Legs in groups that are played while the learner computes, asked as EnvPool is: ``send`` and ``recv``.

>>> from leitai.async_batch import AsyncBatch
>>> with AsyncBatch("kob", num_envs=4, batch_size=2, opponent="safe") as batch:
...     batch.async_reset(seed=1)
...     observation, rewards, terminated, truncated, info = batch.recv()
...     batch.send([0, 1], info["env_id"])
>>> rewards.shape
(2,)
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from operator import index
from threading import Lock
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from .gym import Observation, VectorEnv
from .guest import GameLike
from .opponents import Opponent

#: Observations, rewards, terminated, truncated, info; each of ``batch_size`` legs.
Step: TypeAlias = "tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]"

#: Each group may have a thread.
MAX_GROUPS = 1024


class AsyncBatch:
    """``num_envs`` legs in groups of ``batch_size``, each a :class:`~leitai.gym.VectorEnv`. ``recv`` gives the group that is
    ready first, while the others are still played on threads of their own; ``send`` plays its next step. So the learner
    and the games work at the same time.

    As in EnvPool, ``info["env_id"]`` int64 ``[batch_size]`` says which environments an answer is about, and goes back with the
    actions. Other than there, an answer is always a whole group, so environments of one group are always in step.

    The legs of environment i are those of environment i of a ``VectorEnv`` with the same seed, whatever order the groups come in.

    :param game: as :class:`~leitai.gym.VectorEnv` takes it
    :param num_envs: number of legs, a multiple of ``batch_size``
    :param batch_size: legs of an answer; ``None``: half of ``num_envs``
    :param opponent: who plays on the other seats, see :mod:`leitai.opponents`. Where not all are built in, one group is played
        at a time
    :param workers: groups that are played at the same time; ``None``: all but one, at least one
    :param options: the others of :class:`~leitai.gym.VectorEnv`, but for ``out`` and ``copy``: answers stay as they are
    :raises ValueError: with what is accepted
    """

    def __init__(
        self,
        game: GameLike,
        num_envs: int,
        batch_size: int | None = None,
        opponent: Opponent = "random",
        *,
        workers: int | None = None,
        **options: Any,
    ) -> None:
        num_envs = index(num_envs)
        size = max(num_envs // 2, 1) if batch_size is None else index(batch_size)
        if num_envs < 1 or size < 1 or num_envs % size or num_envs > size * MAX_GROUPS:
            raise ValueError(
                f"num_envs is {num_envs} and batch_size {size}; num_envs has to be 1 to {MAX_GROUPS} times batch_size, a whole number"
            )
        groups = num_envs // size
        if workers is not None and index(workers) < 1:
            raise ValueError(f"workers is {workers}; at least 1, or None for all groups but one, is accepted")
        for name in {"out", "copy"} & options.keys():
            raise ValueError(f"{name} is not accepted here: every answer has arrays of its own")
        self.num_envs, self.batch_size = num_envs, size
        self._groups = [VectorEnv(game, size, opponent, **options) for _ in range(groups)]
        first = self._groups[0]
        self.layout = first.layout
        self.single_observation_space: spaces.Space[Any] = first.single_observation_space
        self.single_action_space: spaces.Space[Any] = first.single_action_space
        # Policies and programs are not made for several threads at once.
        self._turn: AbstractContextManager[Any] = nullcontext() if first.opponents_are_built_in else Lock()
        self._chance = np.random.default_rng()
        self._workers = ThreadPoolExecutor(min(workers or max(groups - 1, 1), groups), thread_name_prefix="leitai-group")
        self._playing: dict[Future[Step], int] = {}
        self._ready: deque[tuple[int, Future[Step]]] = deque()
        self._asked: set[int] = set()
        self._closed = False

    def async_reset(self, seed: int | None = None) -> None:
        """Starts new legs in all environments; what was under way is forgotten.

        :param seed: environment i gets the setup of ``seed + i``, and draws all further seeds from it; ``None``: chance
        """
        self._refuse_closed()
        wait(self._playing)
        self._playing.clear()
        self._ready.clear()
        self._asked.clear()
        first = int(self._chance.integers(2**62)) if seed is None else index(seed)
        for group, env in enumerate(self._groups):
            seeds = [first + group * self.batch_size + lane for lane in range(self.batch_size)]
            self._playing[self._workers.submit(self._begin, env, seeds)] = group

    def recv(self) -> Step:
        """Waits for a group: observations, rewards, terminated, truncated, info, as ``VectorEnv.step`` gives them; after
        ``async_reset`` rewards are 0 and nothing has ended.

        An error of a step is raised here; its group begins again with ``async_reset``.

        :raises RuntimeError: if nothing is under way
        """
        self._refuse_closed()
        if not self._ready:
            if not self._playing:
                raise RuntimeError("no group is under way; call async_reset, or send actions for what recv gave")
            done, _ = wait(self._playing, return_when=FIRST_COMPLETED)
            self._ready.extend(sorted(((self._playing.pop(one), one) for one in done), key=lambda ready: ready[0]))
        group, future = self._ready.popleft()
        observation, rewards, terminated, truncated, info = future.result()
        self._asked.add(group)
        return observation, rewards, terminated, truncated, {**info, "env_id": self._members(group)}

    def send(self, actions: ArrayLike, env_id: ArrayLike) -> None:
        """Begins a step of the group that ``recv`` gave.

        :param actions: int64 ``[batch_size]`` (TankCraft ``[batch_size, 5]``)
        :param env_id: their environments, ``info["env_id"]`` of ``recv``; in another order the actions are, too
        :raises ValueError: if these are not the environments of one group that waits for actions
        """
        self._refuse_closed()
        members = np.asarray(env_id, np.int64).reshape(-1)
        group = int(members[0]) // self.batch_size if members.size else -1
        if group not in self._asked or not np.array_equal(np.sort(members), self._members(group)):
            waiting = ", ".join(str(self._members(one).tolist()) for one in sorted(self._asked)) or "none: call recv"
            raise ValueError(f"env_id is {members.tolist()}; groups that wait for actions: {waiting}")
        said = np.asarray(actions)
        if said.shape[:1] != (self.batch_size,):
            raise ValueError(f"actions have the shape {said.shape}; one for each of the {self.batch_size} environments is needed")
        self._asked.remove(group)
        ordered = said[np.argsort(members)]
        self._playing[self._workers.submit(self._play, self._groups[group], ordered)] = group

    def step(self, actions: ArrayLike, env_id: ArrayLike) -> Step:
        """``send``, then ``recv``: most often another group."""
        self.send(actions, env_id)
        return self.recv()

    def close(self) -> None:
        """Ends what is under way, and the opponents' programs."""
        if self._closed:
            return
        self._closed = True
        self._workers.shutdown()
        for env in self._groups:
            env.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise RuntimeError("the batch is closed; make another one")

    def _members(self, group: int) -> NDArray[np.int64]:
        return np.arange(group * self.batch_size, (group + 1) * self.batch_size, dtype=np.int64)

    def _begin(self, env: VectorEnv, seeds: list[int]) -> Step:
        with self._turn:
            observation, info = env.reset(seed=seeds)
        nothing = np.zeros(self.batch_size, np.bool_)
        return observation, np.zeros(self.batch_size, np.float32), nothing, nothing.copy(), info

    def _play(self, env: VectorEnv, actions: NDArray[Any]) -> Step:
        with self._turn:
            return env.step(actions)

    def __enter__(self) -> AsyncBatch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
