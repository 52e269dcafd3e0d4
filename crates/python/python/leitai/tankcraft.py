"""TankCraft: 21 x 21, both give orders at once, with fog. An action has five parts, one a tank, each one of 69.

The first step chooses the teams (0 Striker, 1 Pioneer, 2 Sniper); after it 3 is STOP, 4 to 7 go up, down, left, right, and
8 to 68 fire at a cell near by. Every combination may be said; ``Leg.mask`` tells which choices mean something.

>>> from leitai import tankcraft
>>> leg = tankcraft.start(seed=7)
>>> leg.is_over
False
"""

from typing import Any

from ._leitai import Game
from .layout import Layout, read_layout

game = Game("tankcraft")

start = game.start
load = game.load
config = game.config
bot = game.bot
bots = game.bots


def layout(config: dict[str, Any] | None = None) -> Layout:
    """The meaning of the planes, scalars and choices of this game; the same for all legs of a config."""
    return read_layout(game, config)
