"""PettingZoo's environments with planes and scalars in one vector, for libraries that accept nothing
else."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.wrappers import BaseWrapper

from ..flat import flat_bounds, flatten
from ..layout import read_layout
from .._leitai import Game
from . import kob_v0, snakego_v0

MADE = {"snakego": snakego_v0.env, "kob": kob_v0.env}


class FlatAEC(BaseWrapper[str, dict[str, Any], Any]):
    """An AEC environment whose ``observation`` is float32 ``[flat_size]``: planes, then scalars, beside its ``action_mask``.

    :param game: ``"snakego"`` or ``"kob"``
    :param parameters: those of the game's ``env``
    """

    def __init__(self, game: str, **parameters: Any) -> None:
        if game not in MADE:
            raise ValueError(f"there is no flat environment of {game!r}; there are {', '.join(MADE)}")
        super().__init__(MADE[game](**parameters))
        layout = read_layout(Game(game), parameters.get("config"))
        low, high = flat_bounds(layout)
        self._space = spaces.Dict(
            {
                "observation": spaces.Box(low, high, dtype=np.float32),
                "action_mask": spaces.MultiBinary(layout.mask_shape),
            }
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of every agent's observations."""
        return self._space

    def observe(self, agent: str) -> dict[str, Any]:
        """The observation of the agent."""
        seen = self.env.observe(agent)
        assert seen is not None
        return {"observation": flatten(seen), "action_mask": seen["action_mask"]}
