"""Games from files that anybody wrote (docs/game-files.md)."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TypeAlias

from ._leitai import Game
from .registration import register_guest

#: What names a game: the id of one of Leitai's, the path of a game file or folder, or the game itself.
GameLike: TypeAlias = "str | os.PathLike[str] | Game"


def load(path: str | os.PathLike[str]) -> Game:
    """Loads a game file, ``NAME.leitai-game``, or the folder of one. The game is what ``leitai.kob.game`` is for King of Bots, and
    stands wherever a game is named: ``leitai.gym.Env(game)``, ``leitai.SelfPlay(game, 64)``, ``leitai.tournament(game, …)``.

    >>> game = leitai.load("connect-four.leitai-game")            # doctest: +SKIP
    >>> leg = game.start(seed=1)                                  # doctest: +SKIP
    >>> leg.legal(), leg.view(0)["board"]                         # doctest: +SKIP

    Its numbers follow from random legs (``read_layout(game)`` names them, docs/learning.md says how). Once Gymnasium or PettingZoo
    are imported its environments have the name ``leitai/ID-v0``. A file that is loaded again is the same game unless it changed.

    :raises FileNotFoundError: if there is no such file or folder
    :raises ValueError: for what is no game file, with everything that is wrong; for a game that a judge program leads, which
        gives no positions
    :raises leitai.GameFault: if its rules fail
    """
    word = os.fspath(path)
    if os.sep in word and not Path(word).exists():
        raise FileNotFoundError(errno.ENOENT, "there is no game file or folder", word)
    game = Game(word)
    register_guest(game)
    return game
