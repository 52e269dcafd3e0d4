"""King of Bots: 13 x 14, both move at once. An action is one of 4: go up, right, down, left.

Every direction is legal, also a deadly one.

>>> from leitai import kob
>>> leg = kob.start(seed=7)
>>> leg.is_over
False
"""

from typing import Any

from ._leitai import Game
from .layout import Layout, read_layout

game = Game("kob")

start = game.start
load = game.load
config = game.config
bot = game.bot
bots = game.bots


def layout(config: dict[str, Any] | None = None) -> Layout:
    """The meaning of the planes, scalars and choices of this game; the same for all legs of a config."""
    return read_layout(game, config)
