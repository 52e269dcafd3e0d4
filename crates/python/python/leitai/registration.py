"""The names of the environments in Gymnasium and PettingZoo."""

from __future__ import annotations

import sys

from ._leitai import Game

GAMES = {"SnakeGo": "snakego", "KOB": "kob", "TankCraft": "tankcraft"}

#: The games that were loaded from files, by the names of their environments.
_GUESTS: dict[str, Game] = {}


def register_guest(game: Game) -> None:
    """Registers a game that was loaded, ``leitai/ID-v0``, with those libraries that are imported now or later."""
    if game.is_guest:
        _GUESTS[f"leitai/{game.id}-v0"] = game
        register_what_is_loaded()


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
    for id, guest in _GUESTS.items():
        known = gymnasium.registry.get(id)
        if known is not None and known.kwargs["game"] == guest.word:
            continue
        gymnasium.registry.pop(id, None)
        entry = {"entry_point": "leitai.gym:Env", "vector_entry_point": "leitai.gym:VectorEnv"}
        gymnasium.register(id, **entry, kwargs={"game": guest.word})


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
    for id, guest in _GUESTS.items():
        named = {"game": guest.word}
        for kind, registry in (("aec", pettingzoo.aec_registry), ("parallel", pettingzoo.parallel_registry)):
            if kind == "parallel" and guest.asks != "both" or id in registry and registry[id].kwargs == named:
                continue
            registry.pop(id, None)
            entry = "env" if kind == "aec" else "parallel_env"
            pettingzoo.register(kind, id, f"leitai.zoo.guest:{entry}", kwargs=named)


def register_what_is_loaded() -> None:
    """Registers with those libraries that the program has imported, for
    ``gymnasium.make("leitai:leitai/KOB-v0")``. Importing the others would take longer than
    everything else."""
    if "gymnasium" in sys.modules:
        register_gymnasium()
    if "pettingzoo" in sys.modules:
        register_pettingzoo()
