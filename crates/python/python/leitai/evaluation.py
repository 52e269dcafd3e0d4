"""How strong is a policy? Its rating on the game's scale, as ``leitai rate`` tells it for a bot.

>>> import leitai
>>> result = leitai.evaluate("safe", "kob", precision=200, max_pairs=30)
>>> result.scale.startswith("kob-"), result.pairs <= 30
(True, True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ._leitai import Bot, Game, Leg, rate_policy
from .guest import GameLike
from .opponents import PROGRAMS, Checkpoint, Policy, Pool, read_name
from .series import PlayerError

#: What is rated: a policy as for :func:`leitai.serve_policy`, ``choose(observation, leg)``; an object with a method
#: ``choose(leg, seat)``, such as :class:`leitai.Network`, :class:`leitai.Policy` or :class:`leitai.Checkpoint`; or the name of a built-in
#: bot, a level, or ``"python:NAME"``. With ``batch`` a policy is asked for many positions at once:
#: ``choose(observations, legs)``, with arrays ``[n, …]`` and n legs, gives n actions.
RatedPolicy: TypeAlias = "str | Callable[[dict[str, Any], Any], Any] | Any"

#: The most positions in one call of a :class:`leitai.Policy` that takes many, if nobody says how many.
POLICY_BATCH = 16


@dataclass(frozen=True)
class SeatRecord:
    """Legs in one seat."""

    wins: int
    draws: int
    losses: int

    @property
    def points(self) -> float:
        """Points: 1 for a leg won, ½ for one drawn."""
        return self.wins + self.draws / 2

    @property
    def games(self) -> int:
        """The number of legs."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class LevelRecord:
    """Legs against one level of the scale."""

    name: str
    #: The level's rating on the scale, in Elo per leg.
    rating: int
    record: SeatRecord


@dataclass(frozen=True)
class Evaluation:
    """The rating of a policy on the scale of its game.

    ``rating`` and its 95 % ``interval`` are Elo per leg on ``scale``, by ``pairs`` of legs that count; ``between`` are the levels below and
    above it. ``status`` is ``precise``, ``imprecise`` (``max_pairs`` were played), ``off-scale`` (far from all levels),
    ``depends-on-opponent`` (the levels disagree, more games would not narrow the interval) or ``no-new-games`` (only copies would follow).
    ``levels``, ``by_seat`` and ``ends`` count legs; ``ways`` are the typical ways of losing, in the words of ``leitai analyze``
    (docs/analysis.md); ``data`` is everything, as in ``leitai rate --json``.
    """

    game: str
    name: str
    #: The scale with its version, such as ``kob-2``: ratings of two scales cannot be compared.
    scale: str
    rating: float
    interval: tuple[float, float]
    status: str
    pairs: int
    #: The levels below and above the rating; ``None`` beyond the ends of the scale.
    between: tuple[str | None, str | None]
    #: Every level that was met.
    levels: tuple[LevelRecord, ...]
    #: Legs by seat, ``"first"`` and ``"second"``; empty for a built-in bot.
    by_seat: dict[str, SeatRecord]
    #: How many lost legs each rule ended; empty for a built-in bot.
    ends: dict[str, int]
    #: The typical ways of losing, the most frequent first: ``way``, ``phase``, ``legs`` and ``examples``, as in ``leitai
    #: analyze --json`` for many matches; of the first ``explain`` matches that it lost.
    ways: tuple[dict[str, Any], ...] = field(repr=False)
    data: dict[str, Any] = field(repr=False, compare=False)

    @property
    def is_precise(self) -> bool:
        """Whether the interval is as narrow as asked."""
        return self.status == "precise"

    def __str__(self) -> str:
        low, high = self.interval
        lines = [
            f"{self.name}: {self.rating:.0f} [{low:.0f}, {high:.0f}] (95 %; scale {self.scale}, Elo per leg; {self.status})",
            f"between {self.between[0] or 'nothing'} and {self.between[1] or 'nothing'}, by {self.pairs} pairs of legs",
        ]
        lines += [f"{seat} seat: {one.points:g} of {one.games}" for seat, one in self.by_seat.items()]
        lines += [f"lost in the {way['phase']}, {way['way']}: {way['legs']} legs" for way in self.ways]
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """What the engine reads of an evaluation."""

    name: str
    precision: float
    seed: int
    max_pairs: int
    jobs: int | None
    batch: int
    explain: int


def evaluate(
    policy: RatedPolicy,
    game: GameLike,
    *,
    precision: float = 40.0,
    max_pairs: int = 500,
    seed: int = 1,
    batch: int = 0,
    packed: bool = False,
    jobs: int | None = None,
    explain: int = 4,
    name: str = "policy",
    notify: Callable[[int, float, float], None] | None = None,
) -> Evaluation:
    """Rates a policy: it plays pairs of legs (one seed, seats swapped) against the levels around its strength, until its
    rating is as precise as asked. Pairs, opponents and rating are those of ``leitai rate``: the same policy as a bot gets the
    same number. Levels play on other threads while the policy thinks.

    The result does not depend on ``jobs`` and ``batch`` if the policy says the same in the same position. A policy with chance
    has a method ``start_leg(seed)``, which is called before every leg; its matches are then played one after the other.

    :param policy: see :data:`RatedPolicy`; it sees what its seat may see
    :param game: ``"snakego"``, ``"kob"`` or ``"tankcraft"``, or a game from a file whose scale ``leitai game scale`` measured
    :param precision: half the width of the 95 % interval at which it stops, in Elo: 1 to 1000
    :param max_pairs: pairs after which it stops anyway
    :param seed: the seed of the first pair; the next ones count on from it. Do not train on them
    :param batch: the most positions in one call, for a policy that takes many at once; 0: it takes one
    :param packed: whether observations have planes as bits, see :class:`leitai.gym.Env`
    :param jobs: matches at once; ``None``: as many as cores, and as a batch has positions
    :param explain: how many lost matches are analysed for the typical ways of losing; 0 saves that time
    :param name: the policy's name in the result
    :param notify: called with the pairs so far, the rating, and half the width of its interval
    :raises ValueError: for an unknown game, bot, or a number out of range
    :raises TypeError: if the policy is none of these; programs are rated by ``leitai rate``, which has a sandbox
    :raises leitai.PlayerError: if the policy fails or gives no action
    """
    if isinstance(policy, (*PROGRAMS, list)):
        raise TypeError(f"{policy!r} is a program; rate it with `leitai rate {game} PATH`, which has a sandbox")
    if isinstance(policy, Pool):
        raise TypeError(f"{policy!r} is several opponents; rate them one by one")
    if isinstance(owner := getattr(policy, "__self__", None), Policy):
        raise TypeError(f"{policy!r} is a method; give {owner!r} itself")
    if isinstance(policy, bool) or not isinstance(policy, (str, int)) and not callable(policy) and not hasattr(policy, "choose"):
        raise TypeError(f"{policy!r} is no policy; choose(observation, leg), an object with choose(leg, seat) or a bot's name is")
    if isinstance(policy, int) and not isinstance(policy, bool):
        policy = f"level{policy}"
    if isinstance(policy, str):
        policy = read_name(Game(game), policy)
    if isinstance(policy, Bot):
        raise TypeError(f"{policy!r} has played one leg; give its name {policy.name!r}")
    if batch < 0:
        raise ValueError(f"batch is {batch}; 0 (one position a call) or the most positions of a call is accepted")
    if isinstance(policy, Policy) and policy.batch:
        batch = batch or POLICY_BATCH
    if isinstance(policy, Checkpoint):
        policy.refresh()
    one_by_one = hasattr(policy, "start_leg")
    asked: Any = policy if isinstance(policy, str) else _Asked(policy, batch > 0, packed)
    options = EvaluationOptions(
        name=name,
        precision=float(precision),
        seed=seed,
        max_pairs=max_pairs,
        jobs=1 if one_by_one else jobs,
        batch=max(batch, 1),
        explain=explain,
    )
    return _read(rate_policy(game, asked, options, notify))


class _Asked:
    """Asks a policy the engine's questions."""

    def __init__(self, policy: Any, in_batches: bool, packed: bool) -> None:
        self.policy, self.in_batches, self.packed = policy, in_batches, packed

    def __call__(self, questions: list[tuple[Leg, int, int | None]]) -> list[Any]:
        known = []
        try:
            for leg, seat, begins in questions:
                if begins is not None and hasattr(self.policy, "start_leg"):
                    self.policy.start_leg(begins)
                known.append((leg.known_to(seat), leg.observe(seat, self.packed), seat))
            return self._say(known)
        except Exception as why:
            leg = questions[len(known) - 1][0]
            raise PlayerError(f"the policy failed in round {leg.round}: {type(why).__name__}: {why}") from why

    def _say(self, known: list[tuple[Leg, dict[str, Any], int]]) -> list[Any]:
        if isinstance(self.policy, Policy):
            return list(self.policy.choose_all([(leg, seat) for leg, _, seat in known]))
        if hasattr(self.policy, "choose"):
            return [self.policy.choose(leg, seat) for leg, _, seat in known]
        if not self.in_batches:
            return [self.policy(seen, leg) for leg, seen, _ in known]
        stacked = {part: np.stack([seen[part] for _, seen, _ in known]) for part in known[0][1]}
        return list(self.policy(stacked, [leg for leg, _, _ in known]))


def _record(told: dict[str, int]) -> SeatRecord:
    return SeatRecord(told["wins"], told["draws"], told["losses"])


def _read(told: dict[str, Any]) -> Evaluation:
    levels = (LevelRecord(level["name"], level["rating"], _record(level["games"])) for level in told["levels"])
    return Evaluation(
        game=told["game"],
        name=told["bot"],
        scale=told["scale"],
        rating=told["rating"],
        interval=(told["rating_interval"][0], told["rating_interval"][1]),
        status=told["status"],
        pairs=told["pairs"],
        between=(told["between"][0], told["between"][1]),
        levels=tuple(level for level in levels if level.record.games),
        by_seat={seat: _record(one) for seat, one in told.get("by_seat", {}).items()},
        ends=told.get("ends", {}),
        ways=tuple((told.get("losses") or {}).get("ways", ())),
        data=told,
    )
