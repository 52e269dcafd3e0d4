"""The names of the environments in Gymnasium and PettingZoo."""

from __future__ import annotations

import sys

GAMES = {"SnakeGo": "snakego", "KOB": "kob", "TankCraft": "tankcraft"}


def register_gymnasium() -> None:
    """Registers ``leitai/SnakeGo-v0``, ``leitai/KOB-v0`` and ``leitai/TankCraft-v0``."""
    import gymnasium

    for name, game in GAMES.items():
        id = f"leitai/{name}-v0"
        if id not in gymnasium.registry:
            gymnasium.register(
                id,
                entry_point="leitai.gym:Env",
                vector_entry_point="leitai.gym:VectorEnv",
                kwargs={"game": game},
            )


def register_pettingzoo() -> None:
    """Registers the same names: all as ``"aec"``, King of Bots and TankCraft also as ``"parallel"``.
    PettingZoo has names since 1.27."""
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    for name, game in GAMES.items():
        id = f"leitai/{name}-v0"
        module = f"leitai.zoo.{game}_v0"
        if id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", id, f"{module}:env")
        if game != "snakego" and id not in pettingzoo.parallel_registry:
            pettingzoo.register("parallel", id, f"{module}:parallel_env")


def register_what_is_loaded() -> None:
    """Registers with those libraries that the program has imported, for
    ``gymnasium.make("leitai:leitai/KOB-v0")``. Importing the others would take longer than
    everything else."""
    if "gymnasium" in sys.modules:
        register_gymnasium()
    if "pettingzoo" in sys.modules:
        register_pettingzoo()
