"""Tournaments and rollouts on a Ray cluster (extra ``ray``).

Ray starts itself on this machine if there is no cluster; ``ray.init(address="auto")`` before the first call takes the cluster of
this machine. Every machine of the cluster needs the package ``leitai``, the same version::

    import ray
    import leitai.ray

    ray.init(address="auto")
    result = leitai.ray.tournament("kob", {"mine": choose, "space": "space", "safe": "safe"}, rounds=500)
    print(result)
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import ray
    from ray.exceptions import RayError, RayTaskError, TaskCancelledError
except ImportError as why:  # pragma: no cover
    raise ImportError(f"Ray cannot be imported ({why}); install it: pip install 'leitai[ray]'") from why

from ._leitai import entrant_seed
from .batch import OBSERVATION, SelfPlay
from .gym import VectorEnv
from .series import PlannedPair, PlayedPair, Player, TournamentPlan, TournamentResult, plan_tournament, play_pair, summarize

#: The most pairs of one task, and how many tasks a core gets at least if there are enough pairs.
MAX_PAIRS_A_TASK, TASKS_A_CORE = 64, 8


def tournament(
    game: str,
    players: Mapping[str, Player] | Sequence[str],
    *,
    rounds: int = 1,
    seed: int = 1,
    config: dict[str, Any] | None = None,
    elo_per: str = "leg",
    notify: Callable[[PlayedPair, int, int], None] | None = None,
    retries: int = 3,
    pairs_a_task: int | None = None,
    options: dict[str, Any] | None = None,
) -> TournamentResult:
    """Plays :func:`leitai.tournament` on a Ray cluster. The same players and seed give the same result as there, pair by pair,
    unless a player looks at a clock or draws chance of its own.

    Every pair counts once. If a worker or a machine is lost, its pairs are played again elsewhere, up to ``retries`` times; after
    that a pair is void, with the reason, and no rating counts it. An exception of a policy ends the tournament.

    :param players: as there. Functions travel to the cluster by value (cloudpickle); the file of a program must be on every machine
    :param elo_per: what Elo is about, ``"leg"`` or ``"match"``
    :param notify: called after every pair in the order of their ends, with the pair, how many are over, and how many there are
    :param retries: how often a pair is played again after a loss
    :param pairs_a_task: pairs that one task plays; by default some tasks for every core, of at most 64 pairs
    :param options: options of the tasks, such as ``{"num_cpus": 2}`` or ``{"resources": {"bots": 1}}``
    """
    plan = plan_tournament(game, players, rounds, seed, config, elo_per)
    if retries < 0:
        raise ValueError(f"retries is {retries}; 0 or more are accepted")
    pairs = plan.pairs()
    size = pairs_a_task or _choose_task_size(len(pairs))
    if size < 1:
        raise ValueError(f"pairs_a_task is {size}; 1 or more are accepted")
    given = ray.put(plan)
    remote = ray.remote(_play_pairs).options(**{"scheduling_strategy": "SPREAD", "max_retries": 0, **(options or {})})
    waiting = deque(_Task(pairs[at : at + size]) for at in range(0, len(pairs), size))
    running: dict[Any, _Task] = {}
    played: dict[int, PlayedPair] = {}
    try:
        while waiting or running:
            while waiting and len(running) < 2 * _count_cores():
                task = waiting.popleft()
                running[remote.remote(given, task.pairs)] = task
            (ended, *_), _ = ray.wait(list(running), num_returns=1)
            task = running.pop(ended)
            for pair in _take_results(ended, task, retries, waiting):
                if pair.number in played:
                    continue
                played[pair.number] = pair
                if notify is not None:
                    notify(pair, len(played), len(pairs))
    finally:
        for reference in running:
            ray.cancel(reference)
    return summarize(plan, played.values())


@dataclass
class _Task:
    """Pairs that are played one after the other on one machine."""

    pairs: list[PlannedPair]
    #: How often they were lost.
    losses: int = 0


def _play_pairs(plan: TournamentPlan, pairs: list[PlannedPair]) -> list[PlayedPair]:
    return [play_pair(plan, pair) for pair in pairs]


def _take_results(reference: Any, task: _Task, retries: int, waiting: deque[_Task]) -> list[PlayedPair]:
    """The pairs of a task that has ended. Those of a lost one wait for being played again, each alone: if one of them is what
    kills its machine, the others are not lost with it."""
    try:
        results: list[PlayedPair] = ray.get(reference)
        return results
    except RayTaskError as why:
        raise why.cause from None
    except TaskCancelledError:
        raise
    except RayError as why:
        if task.losses < retries:
            waiting.extend(_Task([pair], task.losses + 1) for pair in task.pairs)
            return []
        reason = f"lost {task.losses + 1} times, the last time by {type(why).__name__}: {str(why).strip().splitlines()[0]}"
        return [PlayedPair(pair.number, pair.players, pair.seed, void=reason) for pair in task.pairs]


def _count_cores() -> int:
    """Cores of the cluster as it is now; machines may come and go."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _choose_task_size(pairs: int) -> int:
    if not ray.is_initialized():
        ray.init()
    return max(1, min(MAX_PAIRS_A_TASK, math.ceil(pairs / (TASKS_A_CORE * _count_cores()))))


@dataclass(frozen=True)
class Rollout:
    """What one worker played in one call: ``steps`` steps of ``n`` legs at once.

    A leg that has ended begins anew in the next step, which ignores its action: ``valid`` is false there, and such a step teaches
    nothing. The observation at its beginning is the ended leg's last one.
    """

    #: The worker's number.
    worker: int
    #: ``observation``, ``scalars`` and ``action_mask``, each ``[steps + 1, n, …]``: before every step, and after the last.
    observations: dict[str, NDArray[Any]]
    #: ``[steps, n, …]``, as the environment takes them.
    actions: NDArray[np.int64]
    #: float32 ``[steps, n]``; with the learner on both seats ``[steps, n, 2]``.
    rewards: NDArray[np.float32]
    #: bool ``[steps, n]``.
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    valid: NDArray[np.bool_]
    #: int8 ``[steps + 1, n]``: the seat that observes.
    seats: NDArray[np.int8]
    #: What the policy gave beside its actions, by name, each ``[steps, n, …]``.
    extras: dict[str, NDArray[Any]] = field(default_factory=dict)
    #: Legs that ended: ``won``, ``drawn`` and ``lost`` by the learner, or by the first seat if it plays both.
    legs: dict[str, int] = field(default_factory=dict)


class Rollouts:
    """Rollout workers on a Ray cluster: each is an actor that plays many legs at once.

    Environment ``i`` of worker ``w`` is environment ``w * num_envs + i`` of one :class:`leitai.gym.VectorEnv` (or
    :class:`leitai.SelfPlay`) with this seed: spreading legs over machines changes none of them. A worker that is lost is started
    again elsewhere, with new legs.

    >>> def make_policy(seed):                                          # doctest: +SKIP
    ...     return lambda observations: observations["action_mask"].argmax(-1)
    >>> with Rollouts("kob", make_policy, workers=4, num_envs=64, opponent="safe") as rollouts:     # doctest: +SKIP
    ...     for rollout in rollouts.sample(128):
    ...         print(rollout.rewards.mean(), rollout.legs)

    :param game: ``"snakego"``, ``"kob"`` or ``"tankcraft"``
    :param make_policy: makes a worker's policy from a seed, on the worker. A policy is a function of the observations, which have an
        entry for each leg. It returns actions, or actions and a dict of further arrays (log-probabilities, values) with an entry for
        each leg. If it has a method ``set_weights``, that gets the weights of :meth:`sample`
    :param workers: number of workers; each takes one core, see ``options``
    :param num_envs: legs of each worker
    :param opponent: a built-in bot, or ``None``: the learner plays both seats (:class:`leitai.SelfPlay`)
    :param seed: the seed of the first environment
    :param retries: how often a call is made again after a loss
    :param options: options of the actors, such as ``{"num_cpus": 2}``
    :param parameters: further ones of :class:`leitai.gym.VectorEnv` or :class:`leitai.SelfPlay`, such as ``packed=True``
    """

    def __init__(
        self,
        game: str,
        make_policy: Callable[[int], Any],
        *,
        workers: int = 2,
        num_envs: int = 64,
        opponent: str | None = "random",
        seed: int = 1,
        retries: int = 3,
        options: dict[str, Any] | None = None,
        **parameters: Any,
    ) -> None:
        if workers < 1:
            raise ValueError(f"workers is {workers}; 1 or more are accepted")
        if "autoreset_mode" in parameters:
            raise ValueError("rollouts begin an ended leg in the next step; leave autoreset_mode away")
        kept = {"scheduling_strategy": "SPREAD", "num_cpus": 1, "max_restarts": -1, "max_task_retries": retries}
        actor = ray.remote(_RolloutWorker).options(**{**kept, **(options or {})})
        # Kept as long as a worker may have to be started again.
        self._shared = ray.put((game, make_policy, num_envs, opponent, parameters))
        self._workers = [actor.remote(worker, seed + worker * num_envs, self._shared) for worker in range(workers)]
        self._weights: Any = None
        self._calls = [0] * workers

    def sample(self, steps: int, weights: Any = None) -> list[Rollout]:
        """Lets every worker play this many steps, all at the same time, and returns what they played in the order of the workers.

        :param weights: for the policies' ``set_weights``; they keep them until others are given
        """
        if weights is not None:
            self.set_weights(weights)
        return [_get(one) for one in [self._ask(number, steps) for number in range(len(self._workers))]]

    def stream(self, steps: int) -> Iterator[Rollout]:
        """Without an end: what the workers played, as soon as it is there. A worker goes on while you learn, with the weights that
        :meth:`set_weights` gave last."""
        running = {self._ask(number, steps): number for number in range(len(self._workers))}
        while True:
            (ended, *_), _ = ray.wait(list(running), num_returns=1)
            number = running.pop(ended)
            running[self._ask(number, steps)] = number
            yield _get(ended)

    def set_weights(self, weights: Any) -> None:
        """The weights for the calls from now on."""
        self._weights = ray.put(weights)

    def _ask(self, number: int, steps: int) -> Any:
        call = self._calls[number]
        self._calls[number] += 1
        # A list keeps Ray from fetching the weights before the worker wants them.
        return self._workers[number].sample.remote(call, steps, [self._weights])

    def close(self) -> None:
        """Ends the workers."""
        for worker in self._workers:
            ray.kill(worker)
        self._workers = []

    def __enter__(self) -> Rollouts:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _get(reference: Any) -> Rollout:
    try:
        rollout: Rollout = ray.get(reference)
        return rollout
    except RayTaskError as why:
        raise why.cause from None


class _RolloutWorker:
    """One worker: its environments, and its policy."""

    def __init__(self, number: int, seed: int, shared: tuple[str, Callable[[int], Any], int, str | None, dict[str, Any]]) -> None:
        game, make_policy, num_envs, opponent, parameters = shared
        self.number, self.seed = number, seed
        self.envs: Any = (
            SelfPlay(game, num_envs, **{"seed": seed, **parameters})
            if opponent is None
            else VectorEnv(game, num_envs, opponent, **parameters)
        )
        self.policy = make_policy(entrant_seed(seed, 0, 0))
        self.seen: dict[str, NDArray[Any]] | None = None
        self.weights: Any = None
        self.ended = np.zeros(num_envs, np.bool_)

    def sample(self, call: int, steps: int, weights: list[Any]) -> Rollout:
        """Plays this many steps."""
        if weights[0] is not None and weights[0] != self.weights:
            self.policy.set_weights(ray.get(weights[0]))
            self.weights = weights[0]
        if self.seen is None:
            self.seen = self._begin(call)
        return self._play(steps)

    def _begin(self, call: int) -> dict[str, NDArray[Any]]:
        """The first legs. A worker that was started again after its first call gets other ones than before."""
        seed = self.seed if call == 0 else entrant_seed(self.seed, call, 1) >> 1
        began = self.envs.reset(seed=seed)
        seen: dict[str, NDArray[Any]] = began if isinstance(self.envs, SelfPlay) else began[0]
        self.seats = self._read_seats(None if isinstance(self.envs, SelfPlay) else began[1])
        return seen

    def _read_seats(self, info: dict[str, Any] | None) -> NDArray[np.int8]:
        seats: NDArray[np.int8] = self.envs.seats if info is None else info["seat"]
        return seats.copy()

    def _play(self, steps: int) -> Rollout:
        assert self.seen is not None
        seen = {name: [self.seen[name].copy()] for name in OBSERVATION}
        rows: dict[str, list[Any]] = {name: [] for name in ("actions", "rewards", "terminated", "truncated", "valid")}
        extras: dict[str, list[NDArray[Any]]] = {}
        seats, legs = [self.seats], {"won": 0, "drawn": 0, "lost": 0}
        for _ in range(steps):
            said = self.policy(self.seen)
            actions, more = said if isinstance(said, tuple) else (said, {})
            # They may be parts of the observations, which the step overwrites.
            for name, array in more.items():
                extras.setdefault(name, []).append(np.array(array))
            rows["actions"].append(np.array(actions))
            rows["valid"].append(~self.ended)
            self.seen, rewards, terminated, truncated, info = self._step(actions)
            self.ended = terminated | truncated
            self.seats = self._read_seats(info)
            for name, array in (("rewards", rewards), ("terminated", terminated), ("truncated", truncated)):
                rows[name].append(np.array(array))
            for name in OBSERVATION:
                seen[name].append(self.seen[name].copy())
            seats.append(self.seats)
            self._count_legs(legs, terminated, info)
        return Rollout(
            worker=self.number,
            observations={name: np.stack(arrays) for name, arrays in seen.items()},
            seats=np.stack(seats),
            extras={name: np.stack(arrays) for name, arrays in extras.items()},
            legs=legs,
            **{name: np.stack(arrays) for name, arrays in rows.items()},
        )

    def _step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any] | None]:
        if isinstance(self.envs, SelfPlay):
            seen, rewards, terminated = self.envs.step(actions)
            return seen, rewards, terminated.copy(), np.zeros_like(terminated), None
        seen, rewards, terminated, truncated, info = self.envs.step(actions)
        return seen, rewards, terminated, truncated, info

    def _count_legs(self, legs: dict[str, int], terminated: NDArray[np.bool_], info: dict[str, Any] | None) -> None:
        if not terminated.any():
            return
        winner = self.envs.results[:, 0] if info is None else info["winner"]
        own = 0 if info is None else info["seat"]
        drawn, won = winner < 0, winner == own
        legs["drawn"] += int((terminated & drawn).sum())
        legs["won"] += int((terminated & won).sum())
        legs["lost"] += int((terminated & ~drawn & ~won).sum())
