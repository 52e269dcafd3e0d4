"""RLlib: an environment with flat observations, and a policy that respects the mask.

RLlib's own models accept no dict of planes and scalars, and they ignore masks: a policy then learns
from legs that it lost by an illegal action. :class:`MaskedEnv` and :func:`masked_module` belong
together::

    from ray.rllib.algorithms.ppo import PPOConfig
    from leitai.rllib import MaskedEnv, masked_module

    config = (
        PPOConfig()
        .environment(MaskedEnv, env_config={"game": "kob", "opponent": "safe", "seat": "alternate"})
        .rl_module(rl_module_spec=masked_module())
    )
    algorithm = config.build_algo()
    algorithm.train()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .flat import flat_bounds, flatten
from .gym import Env, Observation


class MaskedEnv(gymnasium.Env[dict[str, NDArray[np.float32]], Any]):
    """:class:`leitai.gym.Env` as RLlib's action masking wants it: ``observations`` float32, planes and scalars in one vector, and
    ``action_mask`` float32, for TankCraft one part after the other.

    :param config: RLlib's ``env_config``: the parameters of :class:`leitai.gym.Env`, such as
        ``{"game": "kob", "opponent": "safe"}``
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        parameters = dict(config)
        if parameters.get("packed"):
            raise ValueError("packed is True; a network needs dense planes, leave it away")
        self.env = Env(**parameters)
        layout = self.env.layout
        low, high = flat_bounds(layout)
        choices = sum(map(len, layout.parts))
        self.observation_space: spaces.Space[Any] = spaces.Dict(
            {
                "observations": spaces.Box(low, high, dtype=np.float32),
                "action_mask": spaces.Box(0.0, 1.0, (choices,), np.float32),
            }
        )
        sizes = [len(part) for part in layout.parts]
        self.action_space: spaces.Space[Any] = spaces.Discrete(sizes[0]) if len(sizes) == 1 else spaces.MultiDiscrete(sizes)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
        """Starts a leg."""
        observation, info = self.env.reset(seed=seed, options=options)
        return _seen(observation), info

    def step(self, action: Any) -> tuple[dict[str, NDArray[np.float32]], float, bool, bool, dict[str, Any]]:
        """Plays an action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return _seen(observation), reward, terminated, truncated, info

    def close(self) -> None:
        """Ends the opponent's program, if it is one."""
        self.env.close()


def _seen(observation: Observation) -> dict[str, NDArray[np.float32]]:
    mask = observation["action_mask"].reshape(-1).astype(np.float32)
    return {"observations": flatten(observation), "action_mask": mask}


def masked_module(**parameters: Any) -> Any:
    """RLlib's PPO module with action masks, as an ``RLModuleSpec``; the parameters are those of the spec, such as
    ``model_config``. Needs Ray and PyTorch."""
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    return RLModuleSpec(module_class=ActionMaskingTorchRLModule, **parameters)
