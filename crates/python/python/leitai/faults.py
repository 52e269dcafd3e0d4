"""What is raised for mistakes that are not the caller's: of the rules of a game file, and of Leitai."""

from __future__ import annotations

import json
from typing import Any


class InternalError(RuntimeError):
    """A mistake in Leitai, never in what was passed. The text says what to report; the object that was being played is in the
    middle of a step and of no more use. It is an ``Exception`` like others: a tournament or a training can catch it and go on."""

    def __init__(self, told: str, place: str = "", what: str = "") -> None:
        super().__init__(told, place, what)
        #: Where it happened: the game, the seed and the steps before, or what was being done.
        self.place = place
        #: What the engine says of it.
        self.what = what

    def __str__(self) -> str:
        return str(self.args[0])


class GameFault(RuntimeError):
    """The rules of a game file failed: a trap, too much fuel or memory, an answer that cannot be read. It is the game's mistake,
    never that of a policy; ``setup`` and ``replies`` lead to the position, ``function`` and ``request`` repeat the call."""

    def __init__(
        self,
        told: str,
        game: str,
        function: str,
        what: str,
        request: bytes,
        seed: int | None = None,
        setup: str | None = None,
        replies: str | None = None,
    ) -> None:
        super().__init__(told, game, function, what, request, seed, setup, replies)
        #: The game's id.
        self.game = game
        #: The export of the module that failed, such as ``leitai_game_1_step``.
        self.function = function
        #: What happened, as the end of a sentence that begins with the function.
        self.what = what
        #: The bytes that the function was asked with.
        self.request = request
        #: The seed of the leg's setup, if it has one.
        self.seed = seed
        #: The setup, for ``Game.load``; ``None`` if it was being dealt.
        self.setup: Any = None if setup is None else json.loads(setup)
        #: The replies before the failure, as in replays, for ``Leg.play``.
        self.replies = replies

    def __str__(self) -> str:
        return str(self.args[0])
