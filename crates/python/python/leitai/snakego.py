"""SnakeGo: 16 x 16, one snake acts at a time. An action is one of 6: go right, up, left, down; ray; split.

An illegal action loses the leg; ``Leg.mask`` marks the legal ones.

>>> from leitai import snakego
>>> leg = snakego.start(seed=7)
>>> leg.is_over
False
"""

from typing import Any

from ._leitai import Game
from .layout import Layout, read_layout

game = Game("snakego")

start = game.start
load = game.load
config = game.config
bot = game.bot
bots = game.bots


def layout(config: dict[str, Any] | None = None) -> Layout:
    """The meaning of the planes, scalars and choices of this game; the same for all legs of a config."""
    return read_layout(game, config)
