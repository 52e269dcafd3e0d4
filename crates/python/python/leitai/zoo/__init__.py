"""PettingZoo: SnakeGo as an AEC environment (one decision a snake), King of Bots and TankCraft as parallel ones.

>>> from leitai.zoo import snakego_v0
>>> env = snakego_v0.env()
>>> env.reset(seed=1)
>>> env.agent_selection
'player_0'

Observations are dicts of ``observation`` (uint8 planes), ``scalars`` (float32) and ``action_mask`` (int8; for
TankCraft int8 ``[5, 69]`` under the name ``action_masks``, for PettingZoo takes an ``action_mask`` for a list of actions).

``pettingzoo.make("aec", "leitai/SnakeGo-v0")`` makes them, too, once this module or ``leitai`` is imported.
"""

from ..extras import need_library
from ..registration import register_pettingzoo

AGENTS = ["player_0", "player_1"]

need_library("pettingzoo", "zoo")
register_pettingzoo()
