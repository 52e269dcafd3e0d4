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

:func:`pettingzoo_env` is the same for both seats: the PettingZoo environments of ``leitai.zoo``, in RLlib's own wrappers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .flat import flatten_masked, masked_space, refuse_packed
from .gym import Env


class MaskedEnv(gymnasium.Env[dict[str, NDArray[np.float32]], Any]):
    """:class:`leitai.gym.Env` as RLlib's action masking wants it: ``observations`` float32, planes and scalars in one vector, and
    ``action_mask`` float32, for TankCraft one part after the other.

    :param config: RLlib's ``env_config``: the parameters of :class:`leitai.gym.Env`, such as
        ``{"game": "kob", "opponent": "safe"}``
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        parameters = dict(config)
        refuse_packed(parameters)
        self.env = Env(**parameters)
        layout = self.env.layout
        self.observation_space: spaces.Space[Any] = masked_space(layout)
        sizes = [len(part) for part in layout.parts]
        self.action_space: spaces.Space[Any] = spaces.Discrete(sizes[0]) if len(sizes) == 1 else spaces.MultiDiscrete(sizes)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
        """Starts a leg."""
        observation, info = self.env.reset(seed=seed, options=options)
        return flatten_masked(observation), info

    def step(self, action: Any) -> tuple[dict[str, NDArray[np.float32]], float, bool, bool, dict[str, Any]]:
        """Plays an action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return flatten_masked(observation), reward, terminated, truncated, info

    def close(self) -> None:
        """Ends the opponent's program, if it is one."""
        self.env.close()


def pettingzoo_env(config: Mapping[str, Any]) -> Any:
    """Both seats, for RLlib's multi-agent training: the environment of ``leitai.zoo`` with observations as in :class:`MaskedEnv`, in
    RLlib's ``PettingZooEnv`` (SnakeGo) or ``ParallelPettingZooEnv``. The agents are ``player_0`` and ``player_1``; one policy can
    play both, because each sees the board from its own side::

        from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
        from ray.tune.registry import register_env

        register_env("leitai", pettingzoo_env)
        config = (
            PPOConfig()
            .environment("leitai", env_config={"game": "kob"})
            .multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, episode, **more: "both")
            .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": masked_module()}))
        )

    :param config: RLlib's ``env_config``: ``game``, and the parameters of the game's ``env`` or ``parallel_env``
    """
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv, PettingZooEnv

    from .zoo.flat import MaskedAEC, MaskedParallel

    parameters = dict(config)
    game = parameters.pop("game")
    if game == "snakego":
        return PettingZooEnv(MaskedAEC(**parameters))
    return ParallelPettingZooEnv(MaskedParallel(game, **parameters))


def masked_module(**parameters: Any) -> Any:
    """RLlib's PPO module with action masks, as an ``RLModuleSpec``; the parameters are those of the spec, such as
    ``model_config``. Needs Ray and PyTorch."""
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    return RLModuleSpec(module_class=ActionMaskingTorchRLModule, **parameters)
