"""Who plays on the other seat: one argument for :class:`leitai.gym.Env`, :class:`leitai.gym.VectorEnv` and what is built on them.

====================================  ==============================================================================
``"safe"``, ``"level4"``, ``4``       a built-in bot by its name, a level by its number
``"python:ppo"``                      a trained policy that ships with the package; ``"python:mine.npz"``: see :class:`leitai.Network`
``function(leg, seat)``               a function of the leg, as far as that seat knows it, and the seat; gives an action
``object.choose(leg, seat)``          an object with this method; with ``start_leg(seed)`` too, it is called before a leg
:class:`Policy`                       what :func:`leitai.serve_policy` takes: ``choose(observation, leg)``, also in batches
:class:`Checkpoint`                   a policy from a file, read again when the file changes
:class:`Program`, ``["./bot"]``       a program that speaks JSON lines
:class:`SandboxedProgram`             any bot that the arena takes, in the sandbox and by the judge's clock
``"ladder:https://…/kob"``            bots of an arena's ladder, in the sandbox; ``"ladder:https://…/kob/ada/hydra"`` is one
:class:`Pool`                         several of these, each with a probability
:class:`League`                       a pool of main, past selves and exploiters that grows while you train
====================================  ==============================================================================

Where all opponents are built in, a batch plays them in the engine, on several threads. Others are asked by Python; a
:class:`Policy` with ``batch=True`` is asked once for all environments whose opponent it is.

>>> from leitai.opponents import Pool
>>> Pool({"safe": 3, "level2": 1}).probabilities
(0.75, 0.25)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from ._leitai import Bot, Game, Leg, draw_member
from .program import Program
from .sandboxed import LADDER, SandboxedProgram


class Choosing(Protocol):
    """An object that plays."""

    def choose(self, leg: Leg, seat: int, /) -> Any:
        """An action for this seat, which is asked."""


#: See the module :mod:`leitai.opponents`.
Opponent: TypeAlias = "str | int | Program | SandboxedProgram | list[str] | Pool | Choosing | Callable[[Leg, int], Any]"

#: What runs in processes, of which each environment has its own.
PROGRAMS = (Program, SandboxedProgram)

#: Before the name of a trained policy, or its path.
PYTHON = "python:"

#: The share of the legs for main, past selves and exploiters, where a league has all three.
LEAGUE_SHARES = (0.5, 0.35, 0.15)


class Policy:
    """A policy as an opponent: ``choose(observation, leg)``, as :func:`leitai.serve_policy` takes it.

    :param choose: with ``batch`` it is ``choose(observations, legs)``, arrays ``[n, …]`` and n legs, and gives n actions
    :param batch: whether it takes many positions at once
    :param packed: whether planes are bits in bytes
    """

    def __init__(
        self, choose: Callable[[dict[str, Any], Any], Any], *, batch: bool = False, packed: bool = False
    ) -> None:
        self.function, self.batch, self.packed = choose, batch, packed

    def choose(self, leg: Leg, seat: int, /) -> Any:
        """The action of one position."""
        return self.choose_all([(leg, seat)])[0]

    def choose_all(self, asked: Sequence[tuple[Leg, int]]) -> Sequence[Any]:
        """The actions of several positions, with the seats that are asked there."""
        seen = [leg.observe(seat, self.packed) for leg, seat in asked]
        if not self.batch:
            return [self.function(one, leg) for one, (leg, _) in zip(seen, asked)]
        stacked = {part: np.stack([one[part] for one in seen]) for part in seen[0]}
        said: Sequence[Any] = self.function(stacked, [leg for leg, _ in asked])
        if len(said) != len(asked):
            raise ValueError(f"the policy gave {len(said)} actions; it was asked for {len(asked)}")
        return said


class Checkpoint(Policy):
    """A policy from a file, which is read again when it changes: training may write a newer one meanwhile.

    :param path: the file
    :param load: reads the file and gives ``choose(observation, leg)``; with ``batch`` ``choose(observations, legs)``
    :raises FileNotFoundError: if there is no such file
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        load: Callable[[Path], Callable[[dict[str, Any], Any], Any]],
        *,
        batch: bool = False,
        packed: bool = False,
    ) -> None:
        self.path, self.load = Path(path), load
        self._read_at = self._changed_at()
        super().__init__(load(self.path), batch=batch, packed=packed)

    def _changed_at(self) -> int:
        return self.path.stat().st_mtime_ns

    def refresh(self) -> None:
        """Reads the file if it has changed; called before every leg."""
        changed = self._changed_at()
        if changed != self._read_at:
            self.function, self._read_at = self.load(self.path), changed


class Pool:
    """Several opponents: the seed of a leg draws one, each as often as its weight says.

    :param members: opponents with their weights: a mapping ``{"safe": 2, "level4": 1}``, or pairs ``[(opponent, weight), …]``.
        A member of a pool is no pool
    :raises ValueError: without members, or for weights below 0 or all 0
    """

    def __init__(self, members: Mapping[Any, float] | Iterable[tuple[Any, float]]) -> None:
        pairs = list(members.items() if isinstance(members, Mapping) else members)
        self.members: tuple[Any, ...] = tuple(member for member, _ in pairs)
        self._weights = [float(weight) for _, weight in pairs]
        if any(isinstance(member, Pool) for member in self.members):
            raise ValueError("a pool is a member of a pool; put its members there")
        _check_weights(self._weights)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(zip(self.members, self.weights))!r})"

    @property
    def weights(self) -> list[float]:
        """The weights of the members."""
        return self._weights

    @property
    def probabilities(self) -> tuple[float, ...]:
        """How likely each member is."""
        return tuple(weight / sum(self.weights) for weight in self.weights)


def _check_weights(weights: Sequence[float]) -> None:
    if not weights:
        raise ValueError("a pool has no members; at least one is needed")
    if not all(np.isfinite(weight) and weight >= 0 for weight in weights) or sum(weights) == 0:
        raise ValueError(f"the weights of a pool are {list(weights)}; numbers from 0 on are accepted, one of them above 0")


@dataclass
class LeagueRecord:
    """Legs against one member of a league, as the environments saw them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0


@dataclass(eq=False)
class League(Pool):
    """A pool that grows while you train: the main policy itself, its past selves, and exploiters that train against it.

    Main, past selves and exploiters get :data:`LEAGUE_SHARES` of the legs, as far as there are any. Among past selves those that
    win most against the learner are met most (prioritized fictitious self-play), for which the environments count their legs in
    :attr:`records`.

    >>> league = League(main="level3")
    >>> league.add_past("level1"); league.add_past("level2")
    >>> league.members, [round(p, 2) for p in league.probabilities]
    (('level3', 'level1', 'level2'), [0.59, 0.21, 0.21])

    :param main: the current policy: mostly an object whose weights change
    """

    main: Any
    past: list[Any] = field(default_factory=list)
    exploiters: list[Any] = field(default_factory=list)
    shares: tuple[float, float, float] = LEAGUE_SHARES
    #: Legs by the number of the member.
    records: dict[int, LeagueRecord] = field(default_factory=dict)
    #: The most past selves; the oldest but the first goes. 0: no limit.
    most_past: int = 0

    def __post_init__(self) -> None:
        if any(isinstance(member, Pool) for member in (self.main, *self.past, *self.exploiters)):
            raise ValueError("a pool is a member of a league; put its members there")
        _check_weights(list(self.shares))

    @property
    def members(self) -> tuple[Any, ...]:  # type: ignore[override]
        """Main, past selves, exploiters."""
        return (self.main, *self.past, *self.exploiters)

    @property
    def weights(self) -> list[float]:
        """The weights of the members."""
        main, past, exploiters = self.shares
        hard = [self._hardness(number) for number in range(1, 1 + len(self.past))]
        each = exploiters / max(len(self.exploiters), 1)
        return [main, *(past * one / sum(hard) for one in hard), *(each for _ in self.exploiters)]

    def add_past(self, policy: Any) -> None:
        """Adds a past self: a copy of the policy, or its checkpoint."""
        self._shift(1 + len(self.past), +1)
        self.past.append(policy)
        if 0 < self.most_past < len(self.past):
            oldest = min(1, len(self.past) - 1)
            del self.past[oldest]
            self.records.pop(oldest + 1, None)
            self._shift(oldest + 2, -1)

    def add_exploiter(self, policy: Any) -> None:
        """Adds an exploiter: a policy that trains against main alone."""
        self.exploiters.append(policy)

    def count(self, member: int, won: int) -> None:
        """Counts a leg of the learner against the member with this number: 1 won, 0 drawn, -1 lost."""
        record = self.records.setdefault(member, LeagueRecord())
        record.wins += won > 0
        record.draws += won == 0
        record.losses += won < 0

    def _hardness(self, member: int) -> float:
        """How often the learner does not win, with one leg before all that was lost: a new one is met often."""
        record = self.records.get(member, LeagueRecord())
        games = record.wins + record.draws + record.losses
        return (record.losses + record.draws / 2 + 1) / (games + 1)

    def _shift(self, first: int, by: int) -> None:
        self.records = {number + by if number >= first else number: one for number, one in self.records.items()}


@dataclass
class Member:
    """An opponent that is ready for legs."""

    #: The name of a built-in bot, a program, or what has a method ``choose``.
    player: Any
    is_built_in: bool = False

    @property
    def needs_record(self) -> bool:
        """Whether it plays recorded legs only."""
        return isinstance(self.player, SandboxedProgram)

    def name_of_bot(self) -> str:
        """The name of the built-in bot."""
        assert self.is_built_in
        return str(self.player)


class _Function:
    """A function of the leg and the seat."""

    def __init__(self, function: Callable[[Leg, int], Any]) -> None:
        self.function = function

    def choose(self, leg: Leg, seat: int, /) -> Any:
        return self.function(leg, seat)


def read_member(game: Game, opponent: Any) -> Member:
    """Checks one opponent of this game.

    :raises ValueError: for an unknown bot
    :raises ProgramError: for a program in the sandbox that cannot be built
    :raises TypeError: for what is no opponent
    """
    if isinstance(opponent, bool):
        raise TypeError(f"{opponent!r} is no opponent; a level is a number from 1 on")
    if isinstance(opponent, (int, np.integer)):
        opponent = f"level{opponent}"
    if isinstance(opponent, str):
        if opponent.startswith(LADDER):
            opponent = one_of_ladder(game, opponent)
    if isinstance(opponent, str):
        opponent = read_name(game, opponent)
        if isinstance(opponent, str):
            return Member(opponent, is_built_in=True)
    if isinstance(opponent, list):
        return Member(Program(opponent))
    if isinstance(opponent, (Bot, os.PathLike)):
        more = "give its name" if isinstance(opponent, Bot) else "a file is leitai.Checkpoint(path, load), a program [path]"
        raise TypeError(f"{opponent!r} is no opponent; {more}")
    if isinstance(opponent, SandboxedProgram):
        opponent.check(game)
    if isinstance(opponent, PROGRAMS) or hasattr(opponent, "choose"):
        return Member(opponent)
    if callable(opponent):
        return Member(_Function(opponent))
    raise TypeError(
        f"{opponent!r} is no opponent; a bot's name, a level's number, a function of (leg, seat), an object with choose(leg, seat), "
        "a leitai.Policy, Checkpoint, Program, SandboxedProgram, Pool or League is"
    )


def one_of_ladder(game: Game, word: str) -> SandboxedProgram:
    """The bot that ``ladder:…/OWNER/BOT`` names."""
    from .ladder_bots import read_ladder

    found = read_ladder(game, word)
    if isinstance(found, Pool):
        raise ValueError(f"{word} is a pool of {len(found.members)} bots; name one, or take leitai.ladder(…).members")
    return found


def read_name(game: Game, name: str) -> Any:
    """The name of a built-in bot, or the network of ``python:NAME``.

    :raises ValueError: for an unknown one
    """
    if name.startswith(PYTHON):
        from .network import Network

        return Network.load(name.removeprefix(PYTHON), game.id)
    try:
        game.bot(name)
    except ValueError as unknown:
        from .network import policies

        known = ", ".join(PYTHON + one for one in policies(game.id))
        raise ValueError(f"{unknown}; of the package there is: {known}" if known else str(unknown)) from None
    return name


class Opponents:
    """What an environment's argument ``opponent`` means in a game."""

    def __init__(self, game: Game, opponent: Any) -> None:
        self.game = game
        if isinstance(opponent, str) and opponent.startswith(LADDER):
            from .ladder_bots import read_ladder

            opponent = read_ladder(game, opponent)
        self.pool = opponent if isinstance(opponent, Pool) else Pool([(opponent, 1.0)])
        self._ready: list[tuple[Any, Member]] = []
        for member in self.pool.members:
            self._member(member)

    @property
    def built_in(self) -> list[tuple[str, float]] | None:
        """The names of built-in bots with their weights; ``None`` if there are others, or may come."""
        if isinstance(self.pool, League):
            return None
        members = [self._member(member) for member in self.pool.members]
        if not all(member.is_built_in for member in members):
            return None
        return [(member.name_of_bot(), weight) for member, weight in zip(members, self.pool.weights)]

    def draw(self, chance: int) -> tuple[int, Member]:
        """The number and the member that play the leg with this opponent's seed."""
        members = self.pool.members
        number = draw_member(chance, self.pool.weights) if len(members) > 1 else 0
        return number, self._member(members[number])

    def count(self, member: int, won: int) -> None:
        """Counts a leg of the learner for a league."""
        if isinstance(self.pool, League):
            self.pool.count(member, won)

    def close(self) -> None:
        """Ends programs."""
        for _, member in self._ready:
            if isinstance(member.player, PROGRAMS):
                member.player.close()

    def _member(self, given: Any) -> Member:
        found = next((member for other, member in self._ready if other is given), None)
        if found is None:
            found = read_member(self.game, given)
            self._ready.append((given, found))
        return found


#: A question: who is asked, the leg, and the seat that is asked there.
Question: TypeAlias = "tuple[Any, Leg, int]"


def answer(questions: Sequence[Question]) -> list[Any]:
    """Asks opponents; a policy that takes many positions is asked once for all of its own."""
    said: list[Any] = [None] * len(questions)
    for player, leg, seat in questions:
        if isinstance(player, SandboxedProgram):
            player.ask(leg, seat)  # All think at the same time.
    groups: dict[int, list[int]] = {}
    for index, (player, _, _) in enumerate(questions):
        groups.setdefault(id(player), []).append(index)
    for indices in groups.values():
        player = questions[indices[0]][0]
        asked = [questions[index][1:] for index in indices]
        for index, one in zip(indices, _ask(player, asked)):
            said[index] = one
    return said


def _ask(player: Any, asked: list[tuple[Leg, int]]) -> Sequence[Any]:
    if isinstance(player, PROGRAMS):
        return [player.choose(leg, seat) for leg, seat in asked]
    known = [(leg.known_to(seat), seat) for leg, seat in asked]
    if isinstance(player, Policy):
        return player.choose_all(known)
    return [player.choose(leg, seat) for leg, seat in known]


def play_together(plays: Iterable[Generator[Question, Any, None]]) -> None:
    """Runs plays to their ends; their questions are answered together."""
    open_ones = [(play, None) for play in plays]
    while open_ones:
        waiting: list[Generator[Question, Any, None]] = []
        questions: list[Question] = []
        for play, said in open_ones:
            try:
                questions.append(play.send(said))
                waiting.append(play)
            except StopIteration:
                pass
        open_ones = list(zip(waiting, answer(questions)))
