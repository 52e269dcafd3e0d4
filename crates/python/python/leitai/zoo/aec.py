"""Games that ask one seat at a time."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from . import AGENTS
from .leg import LegEnv


class SequentialEnv(LegEnv, AECEnv[str, dict[str, Any], Any]):
    """A leg in which one seat is asked at a time. An agent can be asked several times in a row: in
    SnakeGo every snake is a separate decision.

    :param game: ``"snakego"``, or a game file that asks one seat at a time, see :func:`leitai.load`
    :param config: the game's choices, as in ``leitai match --config``
    :param reward: ``"outcome"``: 1, 0 or -1 at the end; ``"score"``: the change of the own lead in score
    :param packed: whether planes are bits in bytes, or bytes 0 and 1
    :param max_cycles: decisions after which the leg is truncated; ``None``: never, it ends by itself
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "is_parallelizable": False, "render_fps": 4}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a leg. With a seed it has that seed's setup, as ``leitai match --seed`` deals it."""
        leg = self._begin(seed)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[leg.seat]
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

    def _finish(self) -> None:
        self.terminations = dict.fromkeys(AGENTS, True)
        self._reward()
        self.infos = self._ends()

    def _reward(self) -> None:
        leg = self._leg()
        first, second = self._paid.pay(leg, leg.is_over)
        self.rewards = {AGENTS[0]: first, AGENTS[1]: second}
        self._accumulate_rewards()
