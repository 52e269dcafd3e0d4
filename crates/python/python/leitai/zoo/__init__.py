"""PettingZoo: SnakeGo as an AEC environment (one decision a snake), King of Bots and TankCraft as parallel ones.

>>> from leitai.zoo import snakego_v0
>>> env = snakego_v0.env()
>>> env.reset(seed=1)
>>> env.agent_selection
'player_0'

Observations are dicts of ``observation`` (uint8 planes), ``scalars`` (float32) and ``action_mask`` (int8; for
TankCraft ``[5, 69]``).
"""

AGENTS = ["player_0", "player_1"]
