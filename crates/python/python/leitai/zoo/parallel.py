"""Games that ask both seats at once."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from .._leitai import Game, Leg, Rewards
from ..guest import GameLike
from ..batch import by_score
from ..layout import Layout, read_layout
from ..rendering import read_render_mode, read_state, render_leg
from ..spaces import action_space, observation_space, state_space
from . import AGENTS

FIRST, SECOND = AGENTS

#: What a step gives, by agent: observations, rewards, terminations, truncations, infos.
Stepped: TypeAlias = (
    "tuple[dict[str, dict[str, Any]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]"
)


class SimultaneousEnv(ParallelEnv[str, dict[str, Any], Any]):
    """A leg in which both seats are asked at once.

    :param game: ``"kob"``, ``"tankcraft"``, or a game file that asks both seats at once, see :func:`leitai.load`
    :param config: the game's choices, as in ``leitai match --config``
    :param reward: ``"outcome"``: 1, 0 or -1 at the end; ``"score"``: the change of the own lead in score
    :param packed: whether planes are bits in bytes, or bytes 0 and 1
    :param max_cycles: steps after which the leg is truncated; ``None``: never, it ends by itself
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4, "is_parallelizable": True}

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
        self.game = Game(game)
        self.metadata = {**self.metadata, "name": f"{self.game.id}_v0"}
        self.layout: Layout = read_layout(self.game, config)
        self.render_mode, self.max_cycles = read_render_mode(render_mode), max_cycles
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.leg: Leg | None = None
        self._config, self._packed, self._paid = config, packed, Rewards(by_score(reward))
        # PettingZoo takes an `action_mask` for a mask of single actions; the other name is used for
        # actions with several parts.
        self._mask_name = "action_mask" if len(self.layout.parts) == 1 else "action_masks"
        self._spaces = {agent: observation_space(self.layout, packed, self._mask_name) for agent in AGENTS}
        self._actions = {agent: action_space(self.layout) for agent in AGENTS}
        self.state_space = state_space(self.layout)
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._actions[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Starts a leg. With a seed it has that seed's setup, as ``leitai match --seed`` deals it."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        dealt = seed if seed is not None else int(self._random.integers(2**63))
        self.leg = self.game.start(dealt, self._config)
        self.agents = list(AGENTS)
        self._paid.begin(self.leg)
        self._steps = 0
        first, second = self.leg.observe_both(self._packed, self._mask_name)
        return {FIRST: first, SECOND: second}, {FIRST: {}, SECOND: {}}

    def step(self, actions: dict[str, Any]) -> Stepped:
        """Plays both actions: observations, rewards, terminations, truncations and infos by agent."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        leg = self._leg()
        asked = leg.seat
        if asked < 0:
            leg.step(actions[FIRST], actions[SECOND])
        else:
            leg.step(actions[AGENTS[asked]])
        self._steps += 1
        over = leg.is_over
        cut = self._steps == self.max_cycles and not over
        if over or cut:
            self.agents = []
        first, second = self._paid.pay(leg, over)
        own, other = leg.observe_both(self._packed, self._mask_name)
        return (
            {FIRST: own, SECOND: other},
            {FIRST: first, SECOND: second},
            {FIRST: over, SECOND: over},
            {FIRST: cut, SECOND: cut},
            self._ends(leg) if over else {FIRST: {}, SECOND: {}},
        )

    def _leg(self) -> Leg:
        if self.leg is None:
            raise RuntimeError("there is no leg yet; call reset")
        return self.leg

    def _ends(self, leg: Leg) -> dict[str, dict[str, Any]]:
        winner = -1 if leg.winner is None else leg.winner
        return {agent: {"scores": leg.scores, "winner": winner} for agent in AGENTS}

    def state(self) -> NDArray[np.float32]:
        """What both agents know together, float32 ``[state_space.shape[0]]``, for a critic of both: the first agent's planes and
        scalars, then the second's. Under fog it holds no more than they see."""
        return read_state(self._leg())

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board as text in the mode ``ansi``, as a picture uint8 ``[height, width, 3]`` in the mode ``rgb_array``."""
        return render_leg(self.leg, self.render_mode)

    def close(self) -> None:
        """Does nothing: nothing is open."""
