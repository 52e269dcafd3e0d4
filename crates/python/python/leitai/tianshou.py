"""Tianshou: environments whose observations include the scalars, and whose masks Tianshou's
policies respect.

Tianshou's own wrapper of PettingZoo keeps the planes and drops the rest of an observation. Here
planes and scalars are one vector. For King of Bots and SnakeGo; Tianshou has no mask for
TankCraft's actions, which have five parts.

>>> from leitai.tianshou import MaskedEnv
>>> observation, info = MaskedEnv("kob", "safe").reset(seed=1)
>>> observation["obs"].shape, observation["mask"].tolist()
((2007,), [True, True, True, True])
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .flat import flatten
from .gym import Env, Observation
from .layout import Layout
from .opponents import Opponent
from .spaces import flat_bounds


class MaskedEnv(gymnasium.Env[dict[str, NDArray[Any]], Any]):
    """:class:`leitai.gym.Env` for Tianshou: ``obs`` float32, planes and scalars in one vector, and ``mask`` bool ``[choices]``.
    Its policies look at both by themselves. The parameters are those of :class:`leitai.gym.Env`."""

    def __init__(self, game: str, opponent: Opponent = "random", **parameters: Any) -> None:
        self.env = Env(game, opponent, **parameters)
        self.observation_space: spaces.Space[Any] = spaces.Dict(
            {"obs": _vector_space(self.env.layout), "mask": spaces.MultiBinary(_choices(self.env.layout))}
        )
        self.action_space = self.env.action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Starts a leg."""
        observation, info = self.env.reset(seed=seed, options=options)
        return _seen(observation), info

    def step(self, action: Any) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Plays an action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return _seen(observation), reward, terminated, truncated, info

    def close(self) -> None:
        """Ends the opponent's program, if it is one."""
        self.env.close()


def pettingzoo_env(game: str, **parameters: Any) -> Any:
    """Both seats, one after the other, as ``tianshou.env.PettingZooEnv``: the environment of
    ``leitai.zoo`` with planes and scalars in one vector. The parameters are those of the game's
    ``env``."""
    from tianshou.env import PettingZooEnv

    from .zoo.flat import FlatAEC

    return PettingZooEnv(FlatAEC(game, **parameters))


def _seen(observation: Observation) -> dict[str, NDArray[Any]]:
    return {"obs": flatten(observation), "mask": observation["action_mask"] != 0}


def _vector_space(layout: Layout) -> spaces.Box:
    low, high = flat_bounds(layout)
    return spaces.Box(low, high, dtype=np.float32)


def _choices(layout: Layout) -> int:
    if len(layout.parts) != 1:
        parts = len(layout.parts)
        raise ValueError(f"actions have {parts} parts; Tianshou masks actions of one part, that is snakego and kob")
    return len(layout.parts[0])
