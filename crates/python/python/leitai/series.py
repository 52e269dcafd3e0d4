"""Tournaments among built-in bots, policies and programs, on one machine. :mod:`leitai.ray` plays the same ones on a cluster.

>>> import leitai
>>> result = leitai.tournament("kob", ["space", "random"], rounds=2)
>>> [row.name for row in result.standings], result.standings[0].games
(['space', 'random'], {'draws': 0, 'losses': 0, 'wins': 4})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

from ._leitai import Bot, Game, Leg, entrant_seed, rate_field
from .faults import GameFault
from .guest import GameLike
from .opponents import PROGRAMS, Choosing, Pool, one_of_ladder, read_name
from .program import Program, ProgramError
from .sandboxed import LADDER, Reply, SandboxedProgram, play_replies

#: Who plays: the name of a built-in bot, a policy, or a program (:class:`leitai.SandboxedProgram`, :class:`leitai.Program` or its
#: command as a list).
#:
#: A policy is what :func:`leitai.serve_policy` takes: ``choose(observation, leg)``, a function or an object that can be called. If the
#: object has a method ``start_leg(seed)``, it is called before every leg: what draws its chance from that seed plays the same
#: everywhere.
#: An object with a method ``choose(leg, seat)`` is a player, too: :class:`leitai.Policy`, :class:`leitai.Checkpoint`.
Player: TypeAlias = "str | Program | SandboxedProgram | list[str] | Choosing | Callable[[dict[str, Any], Leg], Any]"

#: The most players of a tournament, and the most pairs.
MAX_PLAYERS, MAX_PAIRS = 256, 1_000_000


class PlayerError(RuntimeError):
    """A policy failed: this is a mistake in it, and no result."""


class VoidLeg(Exception):
    """The machine was too busy to judge a program in the sandbox."""


@dataclass(frozen=True)
class PlannedPair:
    """Two legs on one seed, with seats swapped: the first player takes the first seat in the first leg."""

    number: int
    players: tuple[int, int]
    seed: int


@dataclass(frozen=True)
class PlayedLeg:
    """A leg of a pair. Players are told by their numbers in the tournament."""

    #: Who won, or ``None`` in a draw.
    winner: int | None
    #: The scores, in the order of the pair's players.
    scores: tuple[int, int]
    #: Why it ended: the id of the rule, or ``"fault"``.
    reason: str
    #: The hash of the last position, with its setup.
    hash: int
    #: What the program of the player who lost did wrong.
    fault: str | None = None


@dataclass(frozen=True)
class PlayedPair:
    """A pair with both its legs; ``void`` says why it has none."""

    number: int
    players: tuple[int, int]
    seed: int
    legs: tuple[PlayedLeg, ...] = ()
    void: str | None = None

    def half_points(self) -> list[int]:
        """Half points of the first player in both legs: 0, 1 or 2."""
        return [1 if leg.winner is None else 2 * (leg.winner == self.players[0]) for leg in self.legs]


@dataclass(frozen=True)
class Standing:
    """The row of one player."""

    name: str
    #: Legs won, drawn and lost.
    games: dict[str, int]
    points: float
    #: The rating against the field's average in Elo per leg (or per match, as asked), its standard error, and its 95 % interval.
    elo: float
    elo_error: float
    elo_interval: tuple[float, float]
    #: The best and the worst place by strength that the results leave open.
    places: tuple[int, int]
    #: Legs that this player lost by a fault of its program.
    faults: int


@dataclass(frozen=True)
class TournamentResult:
    """What a tournament gave."""

    game: str
    names: tuple[str, ...]
    seed: int
    #: Every pair in the order of its number.
    pairs: tuple[PlayedPair, ...]
    #: The players, those with more points first.
    standings: tuple[Standing, ...]
    #: ``crosstable[a][b]``: what the player with the name ``a`` did to ``b``: ``pairs`` (how many brought 0, ½, 1, 1½ and 2 points),
    #: ``elo`` (per :attr:`elo_per`), ``elo_interval`` (95 %, ``None`` is infinite) and ``los``.
    crosstable: dict[str, dict[str, dict[str, Any]]] = field(repr=False)
    #: What Elo is about: ``"leg"`` or ``"match"``.
    elo_per: str = "leg"

    @property
    def void(self) -> tuple[PlayedPair, ...]:
        """Pairs without a result, which no rating counts."""
        return tuple(pair for pair in self.pairs if pair.void is not None)

    def __str__(self) -> str:
        width = max(map(len, (row.name for row in self.standings)))
        head = f"{'':{width}}  {'Elo/' + self.elo_per:>9}  {'95 %':>16}  {'games':>7}  {'points':>8}  places"
        lines = [_format_row(row, width) for row in self.standings]
        void = [f"{len(self.void)} pairs are void; the first: {self.void[0].void}"] if self.void else []
        return "\n".join([head, *lines, *void])


def _format_row(row: Standing, width: int) -> str:
    low, high = row.elo_interval
    games, places = sum(row.games.values()), "-".join(map(str, sorted(set(row.places))))
    interval = f"[{low:+.0f}, {high:+.0f}]"
    return f"{row.name:{width}}  {row.elo:+9.0f}  {interval:>16}  {games:>7}  {row.points:>8g}  {places:>6}"


@dataclass(frozen=True)
class TournamentPlan:
    """The pairs of a tournament: in every round everybody meets everybody."""

    game: GameLike
    players: dict[str, Player]
    rounds: int
    seed: int
    config: dict[str, Any] | None
    elo_per: str = "leg"

    def pairs(self) -> list[PlannedPair]:
        """All pairs. All of a round have its seed, ``seed`` plus its number, and two players begin alternately: the pairs of two
        players are those of :func:`leitai.compare` with the same seed."""
        met = list(combinations(range(len(self.players)), 2))
        turned = [(players if rounds % 2 == 0 else players[::-1], rounds) for rounds in range(self.rounds) for players in met]
        return [PlannedPair(number, players, (self.seed + rounds) % 2**64) for number, (players, rounds) in enumerate(turned)]


def plan_tournament(
    game: GameLike,
    players: Mapping[str, Player] | Sequence[str],
    rounds: int,
    seed: int,
    config: dict[str, Any] | None,
    elo_per: str = "leg",
) -> TournamentPlan:
    """Checks what a tournament is asked with."""
    if any(isinstance(player, Pool) for player in (players.values() if isinstance(players, Mapping) else players)):
        raise TypeError("a pool is no player of a tournament; name its members")
    named: dict[str, Player] = dict(players) if isinstance(players, Mapping) else {name: name for name in players}
    if not isinstance(players, Mapping) and len(named) < len(players):
        raise ValueError(f"a name stands twice in {list(players)}; give names: {{'a': 'space', 'b': 'space'}}")
    if not 2 <= len(named) <= MAX_PLAYERS:
        raise ValueError(f"a tournament has from 2 to {MAX_PLAYERS} players, not {len(named)}")
    count = rounds * len(named) * (len(named) - 1) // 2
    if not 1 <= count <= MAX_PAIRS:
        raise ValueError(f"{rounds} rounds of {len(named)} players are {count} pairs; there may be from 1 to {MAX_PAIRS}")
    rate_field(2, [], elo_per)  # Fails at once for an unknown unit.
    rules = Game(game)
    rules.config(config)
    for name, player in named.items():
        if isinstance(player, str) and player.startswith(LADDER):
            named[name] = one_of_ladder(rules, player)
        elif isinstance(player, str):
            named[name] = read_name(rules, player)  # Fails at once for an unknown bot.
        elif not isinstance(player, (Program, SandboxedProgram, list)) and not callable(player) and not hasattr(player, "choose"):
            raise TypeError(f"{player!r} is no player; a built-in bot's name, a policy, or a program's command as a list is")
    return TournamentPlan(game, named, rounds, seed, config, elo_per)


def tournament(
    game: GameLike,
    players: Mapping[str, Player] | Sequence[str],
    *,
    rounds: int = 1,
    seed: int = 1,
    config: dict[str, Any] | None = None,
    elo_per: str = "leg",
    notify: Callable[[PlayedPair, int, int], None] | None = None,
) -> TournamentResult:
    """Plays a round robin in this process: in every round everybody meets everybody in a pair of legs on one seed, with seats
    swapped. :func:`leitai.ray.tournament` plays the same on many machines. A :class:`leitai.Program` runs as your user, without a
    sandbox.

    :param game: ``"snakego"``, ``"kob"`` or ``"tankcraft"``, or what :func:`leitai.load` takes or returns
    :param players: names and players (see :data:`Player`), or the names of built-in bots
    :param rounds: how often everybody meets everybody
    :param seed: the seed of the first round; the next ones count on from it
    :param config: the game's choices, as in ``leitai match --config``
    :param elo_per: what Elo is about: ``"leg"`` (a draw is half a point), or ``"match"``: who took more of a pair has won it
    :param notify: called after every pair, with the pair, how many are over, and how many there are
    """
    plan = plan_tournament(game, players, rounds, seed, config, elo_per)
    pairs, played = plan.pairs(), []
    for pair in pairs:
        played.append(play_pair(plan, pair))
        if notify is not None:
            notify(played[-1], len(played), len(pairs))
    return summarize(plan, played)


def summarize(plan: TournamentPlan, played: Iterable[PlayedPair]) -> TournamentResult:
    """The result of these pairs. Ratings are those of ``leitai tournament``: by the points of all legs, a draw half a point."""
    pairs = sorted(played, key=lambda pair: pair.number)
    counted = [(*pair.players, pair.half_points()) for pair in pairs if pair.void is None]
    names = tuple(plan.players)
    rated = rate_field(len(names), counted, plan.elo_per)
    rows = [_standing(number, name, rated["rows"][number], pairs) for number, name in enumerate(names)]
    rows.sort(key=lambda row: (-row.points, -row.elo))
    table = {
        name: {other: met for other, met in zip(names, rated["crosstable"][number]) if met is not None}
        for number, name in enumerate(names)
    }
    return TournamentResult(Game(plan.game).id, names, plan.seed, tuple(pairs), tuple(rows), table, plan.elo_per)


def _standing(number: int, name: str, rated: dict[str, Any], pairs: list[PlayedPair]) -> Standing:
    lost = [leg for pair in pairs if number in pair.players for leg in pair.legs if leg.winner not in (None, number)]
    return Standing(
        name=name,
        games=rated["games"],
        points=rated["points"],
        elo=rated["elo"],
        elo_error=rated["elo_error"],
        elo_interval=(rated["elo_interval"][0], rated["elo_interval"][1]),
        places=(rated["places"][0], rated["places"][1]),
        faults=sum(leg.fault is not None for leg in lost),
    )


def play_pair(plan: TournamentPlan, pair: PlannedPair) -> PlayedPair:
    """Plays both legs of a pair."""
    try:
        legs = tuple(_play_leg(plan, pair, index) for index in (0, 1))
    except VoidLeg as why:
        return PlayedPair(pair.number, pair.players, pair.seed, void=str(why))
    return PlayedPair(pair.number, pair.players, pair.seed, legs)


def _play_leg(plan: TournamentPlan, pair: PlannedPair, index: int) -> PlayedLeg:
    """Plays one leg: the pair's first player has the first seat in the first leg, the second in the other."""
    game = Game(plan.game)
    on_seat = pair.players if index == 0 else pair.players[::-1]
    names = list(plan.players)
    seated = [
        _Seated(game, names[player], plan.players[names[player]], seat, entrant_seed(pair.seed, index, seat ^ index))
        for seat, player in enumerate(on_seat)
    ]
    leg = game.start(pair.seed, plan.config, record=any(isinstance(one.player, SandboxedProgram) for one in seated))
    guilty: int | None = None
    fault: str | None = None
    try:
        for one in seated:
            guilty = one.seat
            one.start(leg)
        while not leg.is_over:
            said: dict[int, Any] = {}
            for seat in leg.seats:
                seated[seat].ask(leg)
            for seat in leg.seats:
                guilty = seat
                said[seat] = seated[seat].choose(leg)
            try:
                play_replies(leg, said)
            except (TypeError, ValueError) as why:
                policies = " or ".join(seated[seat].name for seat in leg.seats)
                raise PlayerError(f"{policies} gave no action in round {leg.round}: {why}") from why
        guilty = None
        for one in seated:
            one.end(leg)
    except ProgramError as why:
        fault = str(why)
    finally:
        for one in seated:
            one.close()
    first, second = leg.scores
    winner = leg.winner if fault is None or guilty is None else 1 - guilty
    reason = "fault" if fault is not None else (leg.outcome or {})["reason"]
    if fault is None and winner is not None:
        fault = seated[1 - winner].fault
    return PlayedLeg(
        winner=None if winner is None else on_seat[winner],
        scores=(first, second) if index == 0 else (second, first),
        reason=reason,
        hash=leg.hash(setup=True),
        fault=fault,
    )


class _Seated:
    """A player on a seat of one leg."""

    def __init__(self, game: Game, name: str, player: Player, seat: int, seed: int) -> None:
        self.name, self.seat, self.seed = name, seat, seed
        self.player: Any = game.bot(player, seed) if isinstance(player, str) else player
        if isinstance(player, (list, Program)):
            command, timeout = (player.command, player.timeout) if isinstance(player, Program) else (player, None)
            self.player = Program(command, timeout)
        elif isinstance(player, SandboxedProgram):
            self.player = player.another()
        #: The last thing that a program in the sandbox did wrong.
        self.fault: str | None = None

    def start(self, leg: Leg) -> None:
        if isinstance(self.player, PROGRAMS):
            self.player.start(leg, self.seat)
        elif hasattr(self.player, "start_leg"):
            self.player.start_leg(self.seed)

    def ask(self, leg: Leg) -> None:
        if isinstance(self.player, SandboxedProgram):
            self.player.ask(leg, self.seat)

    def choose(self, leg: Leg) -> Any:
        if isinstance(self.player, SandboxedProgram):
            return self._judged(self.player.choose(leg, self.seat))
        if isinstance(self.player, (Bot, Program)):
            return self.player.choose(leg, self.seat)
        known = leg.known_to(self.seat)
        try:
            if hasattr(self.player, "choose"):
                return self.player.choose(known, self.seat)
            return self.player(leg.observe(self.seat), known)
        except GameFault:
            raise
        except Exception as why:
            raise PlayerError(f"{self.name} failed in round {leg.round}: {type(why).__name__}: {why}") from why

    def _judged(self, reply: Reply) -> Reply:
        if reply.void is not None:
            raise VoidLeg(f"{self.name}: {reply.void}")
        self.fault = self.fault if reply.fault is None else str(reply.fault["what"])
        return reply

    def end(self, leg: Leg) -> None:
        if isinstance(self.player, PROGRAMS):
            self.player.end(leg, self.seat)

    def close(self) -> None:
        if isinstance(self.player, PROGRAMS):
            self.player.close()
