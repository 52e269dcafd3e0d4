"""Games that ask one seat at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from .._leitai import Game, Leg, Rewards
from ..guest import GameLike
from ..batch import by_score
from ..layout import Layout, read_layout
from ..rendering import read_render_mode, read_state, render_leg
from ..spaces import action_space, observation_space, state_space
from . import AGENTS


class SequentialEnv(AECEnv[str, dict[str, Any], Any]):
    """A leg in which one seat is asked at a time. An agent can be asked several times in a row: in
    SnakeGo every snake is a separate decision.

    :param game: ``"snakego"``, or a game file that asks one seat at a time, see :func:`leitai.load`
    :param config: the game's choices, as in ``leitai match --config``
    :param reward: ``"outcome"``: 1, 0 or -1 at the end; ``"score"``: the change of the own lead in score
    :param packed: whether planes are bits in bytes, or bytes 0 and 1
    :param max_cycles: decisions after which the leg is truncated; ``None``: never, it ends by itself
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "is_parallelizable": False, "render_fps": 4}

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
        super().__init__()  # type: ignore[no-untyped-call]
        self.game = Game(game)
        self.metadata = {**self.metadata, "name": f"{self.game.id}_v0"}
        self.layout: Layout = read_layout(self.game, config)
        self.render_mode, self.max_cycles = read_render_mode(render_mode), max_cycles
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.leg: Leg | None = None
        self._config, self._packed, self._paid = config, packed, Rewards(by_score(reward))
        self._spaces = {agent: observation_space(self.layout, packed) for agent in AGENTS}
        self._actions = {agent: action_space(self.layout) for agent in AGENTS}
        self.state_space = state_space(self.layout)
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a leg. With a seed it has that seed's setup, as ``leitai match --seed`` deals it."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        dealt = seed if seed is not None else int(self._random.integers(2**63))
        self.leg = self.game.start(dealt, self._config)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.leg.seat]
        self._paid.begin(self.leg)
        self._decisions = 0

    def observe(self, agent: str) -> dict[str, Any]:
        seen: dict[str, Any] = self._leg().observe(1 if agent == "player_1" else 0, self._packed)
        return seen

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        leg = self._leg()
        leg.step(action)
        self._cumulative_rewards[agent] = 0.0
        seat = leg.seat
        self._decisions += 1
        if seat < 0:
            self._finish()
        else:
            self.agent_selection = AGENTS[seat]
            self._reward()
            if self._decisions == self.max_cycles:
                self.truncations = dict.fromkeys(AGENTS, True)

    def _leg(self) -> Leg:
        if self.leg is None:
            raise RuntimeError("there is no leg yet; call reset")
        return self.leg

    def _finish(self) -> None:
        self.terminations = dict.fromkeys(AGENTS, True)
        leg = self._leg()
        ended = {"scores": leg.scores, "winner": -1 if leg.winner is None else leg.winner}
        self._reward()
        self.infos = {agent: dict(ended) for agent in AGENTS}

    def _reward(self) -> None:
        leg = self._leg()
        first, second = self._paid.pay(leg, leg.is_over)
        self.rewards = {AGENTS[0]: first, AGENTS[1]: second}
        self._accumulate_rewards()

    def state(self) -> NDArray[np.float32]:
        """What both agents know together, float32 ``[state_space.shape[0]]``, for a critic of both: the first agent's planes and
        scalars, then the second's. Under fog it holds no more than they see."""
        return read_state(self._leg())

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board as text in the mode ``ansi``, as a picture uint8 ``[height, width, 3]`` in the mode ``rgb_array``."""
        return render_leg(self.leg, self.render_mode)

    def close(self) -> None:
        """Does nothing: nothing is open."""
