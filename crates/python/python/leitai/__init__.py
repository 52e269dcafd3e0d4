"""Leitai's games for machine learning: the engines that judge the matches, at full speed.

=====================  =============================================================================================
``leitai.snakego``     SnakeGo, ``leitai.kob`` King of Bots, ``leitai.tankcraft`` TankCraft: one leg, step by step
``leitai.gym``         Gymnasium: ``Env`` against a bot, ``VectorEnv`` for many legs at once (extra ``gym``)
``leitai.zoo``         PettingZoo: ``snakego_v0``, ``kob_v0``, ``tankcraft_v0`` (extra ``zoo``)
``leitai.rllib``       RLlib, ``leitai.tianshou``: Tianshou; environments and policies that obey the mask
``leitai.SelfPlay``    many legs at once, with the learner on both seats
``leitai.serve_policy``  lets a policy play in matches and on the ladder
``leitai.Network``     a trained policy in one file that plays wherever a bot is named: ``"python:NAME"``
``leitai.load``        a game from a file that anybody wrote, in place of the name of a game
``leitai.dataset``     recorded matches as arrays
``leitai.opponents``  who plays on the other seat: bots, levels, policies, checkpoints, pools, leagues
``leitai.search``      tree search with an evaluator of yours, in batches; ``leitai.playouts`` for many legs at once
``leitai.evaluate``    how strong is a policy? Its rating on the game's scale, as ``leitai rate`` tells it
``leitai.compare``     is one built-in bot stronger than another? The test of ``leitai compare``
``leitai.tournament``  a round robin of bots, policies and programs, with ratings
``leitai.ray``         the same on a Ray cluster, and rollouts there (extra ``ray``)
=====================  =============================================================================================

Both seats see the board from their own side: for the second seat it is turned by 180 degrees, and
its actions with it. docs/learning.md describes the details.
"""

from .processor import check_processor

check_processor()  # Before the extension module is loaded.

from typing import TYPE_CHECKING, Any  # noqa: E402

from . import kob, snakego, tankcraft  # noqa: E402
from ._leitai import Bot, Game, Leg, SearchTree, __version__, compare, playouts  # noqa: E402
from .faults import GameFault, InternalError  # noqa: E402
from .guest import load  # noqa: E402
from .layout import Layout, Symmetry  # noqa: E402
from .registration import register_what_is_loaded  # noqa: E402

if TYPE_CHECKING:
    from .batch import SelfPlay
    from .evaluation import Evaluation, LevelRecord, SeatRecord, evaluate
    from .ladder_bots import LadderBot, ladder
    from .network import Look, Network, policies
    from .opponents import Checkpoint, League, Policy, Pool
    from .policy import serve_policy
    from .program import Program
    from .replay import Dataset, Replay, dataset
    from .sandboxed import SandboxedProgram
    from .series import PlayedPair, PlayerError, TournamentResult, tournament
    from .tree_search import PlayoutEvaluator, SearchResult, search, search_all

__all__ = [
    "Bot",
    "Checkpoint",
    "Dataset",
    "Evaluation",
    "Game",
    "GameFault",
    "InternalError",
    "LadderBot",
    "Layout",
    "League",
    "Leg",
    "LevelRecord",
    "Look",
    "Network",
    "PlayedPair",
    "PlayerError",
    "PlayoutEvaluator",
    "Policy",
    "Pool",
    "Program",
    "Replay",
    "SandboxedProgram",
    "SearchResult",
    "SearchTree",
    "SeatRecord",
    "SelfPlay",
    "Symmetry",
    "TournamentResult",
    "__version__",
    "compare",
    "dataset",
    "evaluate",
    "kob",
    "ladder",
    "load",
    "playouts",
    "policies",
    "search",
    "search_all",
    "serve_policy",
    "snakego",
    "tankcraft",
    "tournament",
]

#: Where the names are that are imported when somebody asks for them.
_LATER = {
    "batch": ("SelfPlay",),
    "evaluation": ("Evaluation", "LevelRecord", "SeatRecord", "evaluate"),
    "ladder_bots": ("LadderBot", "ladder"),
    "network": ("Look", "Network", "policies"),
    "opponents": ("Checkpoint", "League", "Policy", "Pool"),
    "policy": ("serve_policy",),
    "program": ("Program",),
    "replay": ("Dataset", "Replay", "dataset"),
    "sandboxed": ("SandboxedProgram",),
    "series": ("PlayedPair", "PlayerError", "TournamentResult", "tournament"),
    "tree_search": ("PlayoutEvaluator", "SearchResult", "search", "search_all"),
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _LATER:
        return import_module(f".{name}", __name__)
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})


register_what_is_loaded()
