"""Many environments that Python plays one after the other, in the form of the engine's batch: for opponents that are not all
built in. Policies among them are asked once for all environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .batch import StepArrays
from .layout import Layout
from .opponents import play_together

if TYPE_CHECKING:
    from .gym import Env


class PythonBatch:
    """Environments with a batch's methods; see ``Batch`` in ``_leitai.pyi``."""

    def __init__(self, envs: list[Env], layout: Layout, packed: bool, autoreset: str, max_steps: int | None) -> None:
        self.envs, self.layout, self.autoreset, self.max_steps = envs, layout, autoreset, max_steps
        planes, parts = layout.planes_shape(packed), [len(part) for part in layout.parts]
        self.sizes = (len(envs), 1, list(planes), len(layout.scalars), sum(parts), parts)
        self._steps = [0] * len(envs)
        for env in envs:
            env._ended = True

    def reset(self, buffers: StepArrays, which: NDArray[np.bool_] | None = None, seeds: list[int] | None = None) -> None:
        """Starts new legs: in all environments, or where ``which`` is true."""
        chosen = [lane for lane in range(len(self.envs)) if which is None or which[lane]]
        if seeds is not None and len(seeds) != len(self.envs):
            raise ValueError(f"{len(seeds)} seeds; {len(self.envs)} are needed")
        for lane in chosen if seeds is not None else ():
            assert seeds is not None
            self.envs[lane]._seed, self.envs[lane]._leg_number = seeds[lane], 0
        self._clear(buffers)
        self._begin(chosen)
        self._write(buffers)

    def step(self, actions: NDArray[np.int64], buffers: StepArrays) -> None:
        """Plays a step in every environment; one whose leg has ended begins the next."""
        over = [lane for lane, env in enumerate(self.envs) if env._ended]
        if over and self.autoreset == "Disabled":
            raise RuntimeError(
                f'environment {over[0]} is over; reset it first: reset(options={{"reset_mask": terminated | truncated}})'
            )
        running = [lane for lane, env in enumerate(self.envs) if not env._ended]
        said = actions.reshape(len(self.envs), -1)
        self._check(said, running)
        self._clear(buffers)
        self._begin(over)
        one_part = len(self.layout.parts) == 1
        legs = [self.envs[lane].leg for lane in running]
        plays = [
            self.envs[lane]._play_on(leg, int(said[lane, 0]) if one_part else said[lane].tolist())
            for lane, leg in zip(running, legs)
            if leg is not None
        ]
        play_together(plays)
        self._end_steps(running, buffers)
        self._write(buffers)

    def members(self) -> list[int]:
        """The number of each environment's opponent in its pool."""
        return [env._member for env in self.envs]

    def take_faults(self) -> dict[str, Any]:
        """What programs in the sandbox did wrong in the last step, in Gymnasium's form."""
        faults = np.array([None] * len(self.envs), dtype=object)
        for lane, env in enumerate(self.envs):
            faults[lane] = env._take_fault().get("fault")
        wrong = np.array([fault is not None for fault in faults])
        return {"fault": faults, "_fault": wrong} if wrong.any() else {}

    def hashes(self) -> list[int]:
        """The hash of every environment's position."""
        return [0 if env.leg is None else env.leg.hash() for env in self.envs]

    def render(self, lane: int) -> str:
        """An environment's board as text."""
        leg = self.envs[lane].leg
        return "" if leg is None else leg.render()

    def pixels(self, lane: int, cell: int = 16) -> NDArray[np.uint8]:
        """An environment's board as a picture."""
        leg = self.envs[lane].leg
        return np.zeros((1, 1, 3), np.uint8) if leg is None else leg.pixels(cell)

    def close(self) -> None:
        """Ends programs."""
        for env in self.envs:
            env.close()

    def _check(self, said: NDArray[np.int64], running: list[int]) -> None:
        sizes = self.sizes[5]
        bad = np.any((said < 0) | (said >= np.array(sizes)), axis=1, keepdims=True)[:, 0]
        for lane in running:
            if bad[lane]:
                raise ValueError(
                    f"the action {said[lane].tolist()} of environment {lane} is out of range: at least 0 and below {sizes}; "
                    "nothing was played"
                )

    def _begin(self, lanes: list[int]) -> None:
        for lane in lanes:
            self._steps[lane] = 0
        play_together([self.envs[lane]._begin_leg() for lane in lanes])

    def _end_steps(self, lanes: list[int], buffers: StepArrays) -> None:
        ended = []
        for lane in lanes:
            env, leg = self.envs[lane], self.envs[lane].leg
            assert leg is not None
            self._steps[lane] += 1
            too_long = self.max_steps is not None and self._steps[lane] >= self.max_steps
            reward, terminated, truncated, winner = env._end_step(leg, too_long)
            buffers.rewards[lane], buffers.terminated[lane], buffers.truncated[lane] = reward, terminated, truncated
            if env._ended:
                buffers.results[lane] = (winner, *leg.scores)
                ended.append(lane)
        if self.autoreset == "SameStep":
            for lane in ended:
                self._show(lane, buffers.last_planes, buffers.last_scalars, buffers.last_masks)
            self._begin(ended)

    def _clear(self, buffers: StepArrays) -> None:
        buffers.rewards.fill(0)
        buffers.terminated.fill(False)
        buffers.truncated.fill(False)

    def _write(self, buffers: StepArrays) -> None:
        for lane, env in enumerate(self.envs):
            buffers.seats[lane] = env.seat
            if env.leg is not None:
                self._show(lane, buffers.planes, buffers.scalars, buffers.masks)

    def _show(self, lane: int, planes: NDArray[Any], scalars: NDArray[Any], masks: NDArray[Any]) -> None:
        env = self.envs[lane]
        assert env.leg is not None
        seen = env._observe(env.leg)
        planes[lane], scalars[lane] = seen["observation"], seen["scalars"]
        masks[lane] = 1 if env._ended else seen["action_mask"]
