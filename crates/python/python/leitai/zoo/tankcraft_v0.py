"""TankCraft as PettingZoo's parallel environment; see :class:`leitai.zoo.parallel.SimultaneousEnv`."""

from typing import Any

from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.env import AECEnv

from .parallel import SimultaneousEnv


def parallel_env(**kwargs: Any) -> SimultaneousEnv:
    """Both seats act at once."""
    return SimultaneousEnv("tankcraft", **kwargs)


raw_env = parallel_env


def env(**kwargs: Any) -> AECEnv[str, dict[str, Any], Any]:
    """The same with one agent after the other, by PettingZoo's conversion."""
    return parallel_to_aec(parallel_env(**kwargs))
