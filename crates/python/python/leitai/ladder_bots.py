"""Opponents from the ladder of an arena: bots whose authors let others fetch them, played here in the sandbox."""

from __future__ import annotations

import json
import shlex
import subprocess
import warnings
from typing import Any

from ._leitai import Game
from .guest import GameLike
from .opponents import Pool
from .program import ProgramError
from .sandboxed import LADDER, SandboxedProgram, find_command, game_word


class LadderBot(SandboxedProgram):
    """A bot of an arena's ladder, ``ladder:ADDRESS/GAME/OWNER/BOT``: fetched once, and asked of the arena no more."""

    #: What the arena tells of it.
    facts: dict[str, Any] = {}
    #: Where it lies, once it was fetched.
    _path: str | None = None

    def __init__(self, program: str, *, limit: float | None = None, isolation: str = "auto") -> None:
        if not isinstance(program, str) or not program.startswith(LADDER):
            raise TypeError(f"{program!r} is no bot of a ladder; ladder:https://arena.example/kob/OWNER/BOT is")
        super().__init__(program, limit=limit, isolation=isolation)

    @property
    def name(self) -> str:
        """``owner/bot``."""
        bot = self.facts.get("bot", {})
        return f"{bot.get('owner')}/{bot.get('name')}" if bot else self.program

    @property
    def rating(self) -> tuple[float, float, float] | None:
        """Its rating on the ladder, and the interval with a confidence of 95 %."""
        rating = self.facts.get("rating")
        if rating is None:
            return None
        value, spread = float(rating["value"]), 1.96 * float(rating["error"])
        return value, value - spread, value + spread

    @property
    def version(self) -> int | None:
        """The number of its version."""
        return self.facts.get("number")

    def another(self) -> LadderBot:
        """The same bot with a process of its own."""
        made = type(self)(self.program, limit=self.limit, isolation=self.isolation)
        made.facts, made._path = self.facts, self._path
        return made

    def _word(self) -> str:
        return self.program if self._path is None else shlex.quote(self._path)

    def _note(self, ready: dict[str, Any]) -> None:
        super()._note(ready)
        self.facts, self._path = ready.get("bot", self.facts), ready.get("path", self._path)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "facts": self.facts}


def ladder(
    address: str, game: GameLike, *, between: tuple[float, float] | None = None, limit: float | None = None
) -> Pool:
    """All bots of an arena's ladder that can be fetched, each as likely as the others: ``pool.members`` are :class:`LadderBot`.
    They are fetched and built here, once; one that cannot be is left out with a warning.

    ``opponent="ladder:https://arena.example/kob"`` is the same. Fetching takes an account there: the token of ``leitai login``, or
    ``LEITAI_TOKEN`` with ``LEITAI_SERVER``.

    >>> pool = leitai.ladder("https://arena.example/kob", "kob", between=(1400, 1600))   # doctest: +SKIP

    :param address: the arena and the game, ``https://arena.example/kob``; of a further ladder with ``?ladder=NAME``
    :param between: the lowest and the highest rating
    :param limit: seconds for a turn; ``None``: the game's
    :raises ProgramError: if the arena does not answer
    :raises ValueError: if no bot of it can be fetched, or none has such a rating
    """
    if not isinstance(address, str):
        raise TypeError(f"{address!r} is no ladder; https://arena.example/kob is an address of one")
    word = address if address.startswith(LADDER) else LADDER + address
    bots = _list(word, Game(game), limit)
    if between is not None:
        low, high = (float(one) for one in between)
        bots = [bot for bot in bots if bot.rating is not None and low <= bot.rating[0] <= high]
    bots = [bot for bot in bots if _can_play(bot, Game(game))]
    if not bots:
        among = "" if between is None else f" with a rating from {low:g} to {high:g}"
        raise ValueError(f"{word} has no bot that can be fetched{among}; authors agree to it on the pages of their bots")
    return Pool([(bot, 1.0) for bot in bots])


def _can_play(bot: LadderBot, game: Game) -> bool:
    """Whether it can be fetched and built here; a stranger's bot that cannot is left out."""
    try:
        bot.check(game)
    except ProgramError as why:
        warnings.warn(f"{bot.name} is left out: {why}", stacklevel=3)
        return False
    return True


def _list(word: str, game: Game, limit: float | None) -> list[LadderBot]:
    if "\0" in word:
        raise ValueError(f"{word!r} is no address")
    words = [find_command(), "--lang", "en", "seat", game_word(game), word]
    done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise ProgramError(f"{word}: {done.stderr.decode(errors='replace').strip()[-2000:]}")
    told = json.loads(done.stdout)
    if "bots" not in told:
        raise ValueError(f"{word} is one bot; name it as an opponent: opponent={word!r}")
    bots = []
    for facts in told["bots"]:
        bot = LadderBot(facts["word"], limit=limit)
        bot.facts = facts
        bots.append(bot)
    return bots


def read_ladder(game: Game, word: str) -> Pool | LadderBot:
    """What ``ladder:…`` names: all bots of a ladder, or one of them."""
    path = word.split("?")[0].rstrip("/").split("/")
    if len(path) > 3 and path[-3] == game.id:
        return LadderBot(word)
    return ladder(word, game)
