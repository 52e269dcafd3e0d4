"""What raises when the rules of a game file fail."""

from __future__ import annotations

import json
from typing import Any


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
