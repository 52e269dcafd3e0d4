"""Games from files as PettingZoo's environments, AEC or Parallel by what the game is.

>>> from leitai.zoo import guest
>>> env = guest.env("connect-four.leitai-game")                   # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from .._leitai import Game
from ..guest import GameLike
from .aec import SequentialEnv
from .parallel import SimultaneousEnv


def raw_env(game: GameLike, **kwargs: Any) -> SequentialEnv | SimultaneousEnv:
    """What the game is: AEC if its first position asks one seat, Parallel if it asks both at once."""
    return SimultaneousEnv(game, **kwargs) if Game(game).asks == "both" else SequentialEnv(game, **kwargs)


def env(game: GameLike, **kwargs: Any) -> AECEnv[str, dict[str, Any], Any]:
    """One agent after the other; a game that asks both seats at once by PettingZoo's conversion."""
    made = raw_env(game, **kwargs)
    aec: AECEnv[str, dict[str, Any], Any]
    aec = parallel_to_aec(made) if isinstance(made, SimultaneousEnv) else OrderEnforcingWrapper(made)
    return aec


def parallel_env(game: GameLike, **kwargs: Any) -> SimultaneousEnv:
    """Both seats act at once.

    :raises ValueError: if the game asks one seat at a time
    """
    made = raw_env(game, **kwargs)
    if not isinstance(made, SimultaneousEnv):
        raise ValueError(f"{made.game.id} asks one seat at a time; leitai.zoo.guest.env is for it")
    return made
