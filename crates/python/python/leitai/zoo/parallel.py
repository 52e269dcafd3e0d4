"""Games that ask both seats at once."""

from __future__ import annotations

from typing import Any, TypeAlias

from pettingzoo import ParallelEnv

from . import AGENTS
from .leg import LegEnv

FIRST, SECOND = AGENTS

#: What a step gives, by agent: observations, rewards, terminations, truncations, infos.
Stepped: TypeAlias = (
    "tuple[dict[str, dict[str, Any]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]"
)


class SimultaneousEnv(LegEnv, ParallelEnv[str, dict[str, Any], Any]):
    """A leg in which both seats are asked at once.

    :param game: ``"kob"``, ``"tankcraft"``, or a game file that asks both seats at once, see :func:`leitai.load`
    :param config: the game's choices, as in ``leitai match --config``
    :param reward: ``"outcome"``: 1, 0 or -1 at the end; ``"score"``: the change of the own lead in score
    :param packed: whether planes are bits in bytes, or bytes 0 and 1
    :param max_cycles: steps after which the leg is truncated; ``None``: never, it ends by itself
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4, "is_parallelizable": True}

    def _name_mask(self) -> str:
        # PettingZoo takes an `action_mask` for a mask of single actions; the other name is used for
        # actions with several parts.
        return "action_mask" if len(self.layout.parts) == 1 else "action_masks"

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Starts a leg. With a seed it has that seed's setup, as ``leitai match --seed`` deals it."""
        leg = self._begin(seed)
        self._steps = 0
        first, second = leg.observe_both(self._packed, self._mask_name)
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
            self._ends() if over else {FIRST: {}, SECOND: {}},
        )
