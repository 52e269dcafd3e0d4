"""PettingZoo's environments with planes and scalars in one vector, for libraries that accept nothing
else."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper

from ..flat import flatten, flatten_masked, masked_space, refuse_packed
from ..layout import read_layout
from ..spaces import flat_bounds
from .._leitai import Game
from . import kob_v0, snakego_v0, tankcraft_v0
from .parallel import Stepped

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


class MaskedAEC(BaseWrapper[str, dict[str, Any], Any]):
    """SnakeGo with observations as RLlib's action masking wants them: float32 ``observations`` and ``action_mask``.

    :param parameters: those of ``leitai.zoo.snakego_v0.env``
    """

    def __init__(self, **parameters: Any) -> None:
        refuse_packed(parameters)
        super().__init__(snakego_v0.env(**parameters))
        self._space = masked_space(read_layout(Game("snakego"), parameters.get("config")))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of every agent's observations."""
        return self._space

    def observe(self, agent: str) -> dict[str, Any]:
        """The observation of the agent."""
        seen = self.env.observe(agent)
        assert seen is not None
        return flatten_masked(seen)


#: Games that ask both seats at once.
PARALLEL = {"kob": kob_v0.parallel_env, "tankcraft": tankcraft_v0.parallel_env}


class MaskedParallel(BaseParallelWrapper[str, dict[str, Any], Any]):
    """A game that asks both seats at once, with observations as RLlib's action masking wants them.

    :param game: ``"kob"`` or ``"tankcraft"``
    :param parameters: those of the game's ``parallel_env``
    """

    def __init__(self, game: str, **parameters: Any) -> None:
        if game not in PARALLEL:
            raise ValueError(f"{game!r} does not ask both seats at once; {', '.join(PARALLEL)} do")
        refuse_packed(parameters)
        super().__init__(PARALLEL[game](**parameters))
        self._space = masked_space(read_layout(Game(game), parameters.get("config")))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of every agent's observations."""
        return self._space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Starts a leg."""
        seen, infos = self.env.reset(seed=seed, options=options)
        return {agent: flatten_masked(one) for agent, one in seen.items()}, infos

    def step(self, actions: dict[str, Any]) -> Stepped:
        """Plays both actions."""
        seen, rewards, terminated, truncated, infos = self.env.step(actions)
        flat = {agent: flatten_masked(one) for agent, one in seen.items()}
        return flat, rewards, terminated, truncated, infos
