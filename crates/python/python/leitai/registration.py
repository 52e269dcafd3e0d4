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
            _register_gymnasium(id, game)
    for id, guest in _GUESTS.items():
        known = gymnasium.registry.get(id)
        if known is not None and known.kwargs["game"] == guest.word:
            continue
        gymnasium.registry.pop(id, None)
        _register_gymnasium(id, guest.word)


def _register_gymnasium(id: str, game: str) -> None:
    import gymnasium

    entry, many = "leitai.gym:Env", "leitai.gym:VectorEnv"
    gymnasium.register(id, entry_point=entry, vector_entry_point=many, kwargs={"game": game})


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
        if not (id in pettingzoo.aec_registry and pettingzoo.aec_registry[id].kwargs == named):
            pettingzoo.aec_registry.pop(id, None)
            pettingzoo.register("aec", id, "leitai.zoo.guest:env", kwargs=named)
            pettingzoo.parallel_registry.pop(id, None)
            if guest.asks == "both":
                pettingzoo.register("parallel", id, "leitai.zoo.guest:parallel_env", kwargs=named)


def register_what_is_loaded() -> None:
    """Registers with those libraries that the program has imported, for
    ``gymnasium.make("leitai:leitai/KOB-v0")``. Importing the others would take longer than
    everything else."""
    if "gymnasium" in sys.modules:
        register_gymnasium()
    if "pettingzoo" in sys.modules:
        register_pettingzoo()
