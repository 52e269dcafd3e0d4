"""What both kinds of environments share: the game, its spaces, and the leg that is played."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .._leitai import Game, Leg, Rewards
from ..guest import GameLike
from ..batch import by_score
from ..layout import Layout, read_layout
from ..rendering import read_render_mode, read_state, render_leg
from ..spaces import action_space, observation_space, state_space
from . import AGENTS


class LegEnv:
    """A game and a leg of it."""

    metadata: dict[str, Any]

    def __init__(
        self,
        game: GameLike,
        *,
        config: dict[str, Any] | None = None,
        reward: str = "outcome",
        packed: bool = False,
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = Game(game)
        self.metadata = {**self.metadata, "name": f"{self.game.id}_v0"}
        self.layout: Layout = read_layout(self.game, config)
        self.render_mode, self.max_cycles = read_render_mode(render_mode), max_cycles
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.leg: Leg | None = None
        self._config, self._packed, self._paid = config, packed, Rewards(by_score(reward))
        self._mask_name = self._name_mask()
        self._spaces = {agent: observation_space(self.layout, packed, self._mask_name) for agent in AGENTS}
        self._actions = {agent: action_space(self.layout) for agent in AGENTS}
        self.state_space = state_space(self.layout)
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._actions[agent]

    def state(self) -> NDArray[np.float32]:
        """What both agents know together, float32 ``[state_space.shape[0]]``, for a critic of both: the first agent's planes and
        scalars, then the second's. Under fog it holds no more than they see."""
        return read_state(self._leg())

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board as text in the mode ``ansi``, as a picture uint8 ``[height, width, 3]`` in the mode ``rgb_array``."""
        return render_leg(self.leg, self.render_mode)

    def close(self) -> None:
        """Does nothing: nothing is open."""

    def _name_mask(self) -> str:
        return "action_mask"

    def _begin(self, seed: int | None) -> Leg:
        """Starts a leg: with a seed that seed's, else one of the seeds drawn from the last that was given."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        dealt = seed if seed is not None else int(self._random.integers(2**63))
        self.leg = self.game.start(dealt, self._config)
        self.agents = list(AGENTS)
        self._paid.begin(self.leg)
        return self.leg

    def _leg(self) -> Leg:
        if self.leg is None:
            raise RuntimeError("there is no leg yet; call reset")
        return self.leg

    def _ends(self) -> dict[str, dict[str, Any]]:
        """How the leg ended, for each agent."""
        leg = self._leg()
        winner = -1 if leg.winner is None else leg.winner
        return {agent: {"scores": leg.scores, "winner": winner} for agent in AGENTS}
