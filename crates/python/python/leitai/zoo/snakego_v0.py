"""SnakeGo as PettingZoo's AEC environment; see :class:`leitai.zoo.aec.SequentialEnv`."""

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from .aec import SequentialEnv


def raw_env(**kwargs: Any) -> SequentialEnv:
    """The bare environment: the fastest, without a check of the order of calls."""
    return SequentialEnv("snakego", **kwargs)


def env(**kwargs: Any) -> OrderEnforcingWrapper[str, dict[str, Any], Any]:
    """The environment, with PettingZoo's check of the order of calls."""
    return OrderEnforcingWrapper(raw_env(**kwargs))
