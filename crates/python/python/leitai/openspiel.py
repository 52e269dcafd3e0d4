"""OpenSpiel: SnakeGo and King of Bots as games of its Python API, for its algorithms.

>>> import leitai.openspiel, pyspiel                                                     # doctest: +SKIP
>>> state = pyspiel.load_game("leitai_snakego(seed=7)").new_initial_state()              # doctest: +SKIP

``seed`` is the setup's, as ``leitai match --seed`` deals it; ``config`` the game's choices as JSON. SnakeGo asks one player after
the other, King of Bots both at once (``pyspiel.convert_to_turn_based`` makes it turn-based). TankCraft is not here: five tanks
have too many actions together. Actions and observations are those of the package: both players see the board from their side.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from ._leitai import Game, Leg
from .layout import read_layout
from .rendering import read_view

#: More actions than a leg has.
MAX_GAME_LENGTH = 1 << 14

PARAMETERS = {"seed": 0, "config": ""}


class LeitaiGame(pyspiel.Game):  # type: ignore[misc]
    """A game of Leitai; made by ``pyspiel.load_game``."""

    def __init__(self, game: str, kind: Any, params: dict[str, Any] | None = None) -> None:
        chosen = {**PARAMETERS, **(params or {})}
        self.rules = Game(game)
        self.config = json.loads(chosen["config"]) if chosen["config"] else None
        self.layout = read_layout(self.rules, self.config)
        self.seed = int(chosen["seed"])
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.layout.parts[0]),
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MAX_GAME_LENGTH,
        )
        super().__init__(kind, info, chosen)

    def new_initial_state(self, state: Any = None) -> LeitaiState:
        """A leg before its first step."""
        if state is not None:
            raise ValueError("a leg begins with the setup of the game's seed; other states cannot be read")
        return LeitaiState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> LeitaiObserver:
        """What a player sees: planes and scalars."""
        if params:
            raise ValueError(f"observations have no parameters; these are {params}")
        return LeitaiObserver(self)


class LeitaiState(pyspiel.State):  # type: ignore[misc]
    """A position of a leg; :attr:`leg` is the :class:`leitai.Leg`."""

    def __init__(self, game: LeitaiGame) -> None:
        super().__init__(game)
        self.leg: Leg = game.rules.start(game.seed, game.config)

    def current_player(self) -> int:
        """Who is asked."""
        asked = self.leg.seats
        if not asked:
            return int(pyspiel.PlayerId.TERMINAL)
        return asked[0] if len(asked) == 1 else int(pyspiel.PlayerId.SIMULTANEOUS)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.leg.legal_actions(player)) if player in self.leg.seats else []

    def _apply_action(self, action: int) -> None:
        self.leg.step(action)

    def _apply_actions(self, actions: list[int]) -> None:
        self.leg.step(*actions)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.leg.notation(action, player)

    def is_terminal(self) -> bool:
        """Whether the leg is over."""
        return self.leg.is_over

    def rewards(self) -> list[float]:
        """What the last step paid: the same, since only the end pays."""
        return self.returns()

    def returns(self) -> list[float]:
        """1, 0 or -1 for each player at the end."""
        winner = self.leg.winner
        return [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == 0 else [-1.0, 1.0]

    def observation_tensor(self, player: int = 0) -> list[float]:
        """The player's planes and scalars."""
        return [float(one) for one in read_view(self.leg, player)]

    def __str__(self) -> str:
        return self.leg.state_text()


class LeitaiObserver:
    """Writes what a player sees into a vector: planes, then scalars."""

    def __init__(self, game: LeitaiGame) -> None:
        planes, scalars = game.layout.planes_shape(), len(game.layout.scalars)
        cells = int(np.prod(planes))
        self.tensor: NDArray[np.float32] = np.zeros(cells + scalars, np.float32)
        self.dict = {"observation": self.tensor[:cells].reshape(planes), "scalars": self.tensor[cells:]}

    def set_from(self, state: LeitaiState, player: int) -> None:
        """Writes what this player sees."""
        self.tensor[:] = read_view(state.leg, player)

    def string_from(self, state: LeitaiState, player: int) -> str:
        """What this player sees, as JSON."""
        return json.dumps(state.leg.view(player))


def _register(game: str, name: str, is_simultaneous: bool) -> None:
    kind = pyspiel.GameType(
        short_name=f"leitai_{game}",
        long_name=name,
        dynamics=getattr(pyspiel.GameType.Dynamics, "SIMULTANEOUS" if is_simultaneous else "SEQUENTIAL"),
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )
    pyspiel.register_game(kind, type(f"{name.replace(' ', '')}Game", (LeitaiGame,), {"__init__": _initializer(game, kind)}))


def _initializer(game: str, kind: Any) -> Any:
    def initialize(self: LeitaiGame, params: dict[str, Any] | None = None) -> None:
        LeitaiGame.__init__(self, game, kind, params)

    return initialize


_register("snakego", "SnakeGo", is_simultaneous=False)
_register("kob", "King of Bots", is_simultaneous=True)
