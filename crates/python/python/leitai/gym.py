"""Gymnasium: one seat against a bot, alone (:class:`Env`) or many at once (:class:`VectorEnv`).

>>> import gymnasium, leitai.gym
>>> env = gymnasium.make("leitai/KOB-v0", opponent="safe")
>>> observation, info = env.reset(seed=1)
>>> observation["observation"].shape
(11, 13, 14)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ._leitai import Batch, Bot, Game, Leg
from .batch import OBSERVATION, Buffers, as_actions, by_score
from .layout import Layout, read_layout
from .program import Program
from .spaces import action_space, observation_space

#: Who sits on the other seat: the name of a built-in bot, a program (:class:`Program` or its command as a list), or a
#: function of the leg and its seat that gives an action.
Opponent = str | Program | list | Callable[[Leg, int], Any]

SEATS = {"first": 0, "second": 1, "alternate": None}


class Env(gymnasium.Env):
    """One leg after another on one seat, against an opponent.

    A step plays your action, and then whatever the opponent does until you are asked again. An illegal action loses
    (``action_mask`` tells which are legal). Nothing is truncated: legs end by themselves.

    :param game: ``"snakego"``, ``"kob"`` or ``"tankcraft"``
    :param opponent: see :data:`Opponent`
    :param config: the game's choices, as in ``leitai match --config``
    :param seat: ``"first"``, ``"second"``, or ``"alternate"``: first in even legs, second in odd ones
    :param reward: ``"outcome"``: 1, 0 or -1 at the end; ``"score"``: the change of your lead in score
    :param packed: whether planes are bits in bytes, ``[planes, rows, row bytes]``, or bytes 0 and 1
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self,
        game: str,
        opponent: Opponent = "random",
        *,
        config: dict | None = None,
        seat: str = "first",
        reward: str = "outcome",
        packed: bool = False,
        render_mode: str | None = None,
    ):
        self.game = Game(game)
        self.layout: Layout = read_layout(self.game, config)
        self.observation_space = observation_space(self.layout, packed)
        self.action_space = action_space(self.layout)
        self.render_mode = render_mode
        self.leg: Leg | None = None
        self.seat = 0
        self._config, self._packed, self._by_score = config, packed, by_score(reward)
        self._fixed_seat, self._legs = read_seat(seat), 0
        self._opponent = Program(opponent) if isinstance(opponent, list) else opponent
        if isinstance(opponent, str):
            self.game.bot(opponent)  # Fails now if there is no such bot.

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begins a leg. With a seed it is that seed's setup, as ``leitai match --seed`` deals it; without one the setup is
        drawn from the environment's generator."""
        super().reset(seed=seed)
        dealt = seed if seed is not None else int(self.np_random.integers(2**63))
        self.leg = self.game.start(dealt, self._config)
        self.seat = self._legs % 2 if self._fixed_seat is None else self._fixed_seat
        self._legs += 1
        self._bot = self._seat_opponent(int(self.np_random.integers(2**63)))
        self._score = 0
        self._let_opponent_play(None)
        return self._observe(), {"seat": self.seat, "seed": dealt}

    def step(self, action):
        """Plays an action: observation, reward, terminated, False, info."""
        if self.leg is None or self.leg.is_over:
            raise RuntimeError("the leg is over; call reset")
        self._let_opponent_play(action)
        over = self.leg.is_over
        info = {"scores": self.leg.scores, "winner": self.leg.winner} if over else {}
        return self._observe(), self._reward(over), over, False, info

    def render(self) -> str | None:
        """The board as text, in the mode ``ansi``."""
        return self.leg.picture() if self.render_mode == "ansi" and self.leg is not None else None

    def close(self) -> None:
        """Ends the opponent's program, if it is one."""
        if isinstance(self._opponent, Program):
            self._opponent.close()

    def _seat_opponent(self, seed: int) -> Bot | None:
        if isinstance(self._opponent, str):
            return self.game.bot(self._opponent, seed)
        if isinstance(self._opponent, Program):
            self._opponent.start(self.leg, 1 - self.seat)
        return None

    def _let_opponent_play(self, action) -> None:
        leg, me, other = self.leg, self.seat, 1 - self.seat
        if self._bot is not None:
            leg.step_against(me, action, self._bot)
            return
        while not leg.is_over:
            asked = leg.seats
            if me in asked and action is None:
                return
            if asked == (other,):
                leg.step(self._ask(other))
            elif asked == (me,):
                leg.step(action)
                action = None
            else:
                said = self._ask(other)
                leg.step(*((action, said) if me == 0 else (said, action)))
                action = None
        if isinstance(self._opponent, Program):
            self._opponent.end(leg, other)

    def _ask(self, seat: int):
        ask = self._opponent.choose if isinstance(self._opponent, Program) else self._opponent
        return ask(self.leg, seat)

    def _observe(self) -> dict[str, Any]:
        return self.leg.observe(self.seat, self._packed)

    def _reward(self, over: bool) -> float:
        if self._by_score:
            first, second = self.leg.scores
            before, self._score = self._score, (first - second) * (1 - 2 * self.seat)
            return float(self._score - before)
        winner = self.leg.winner if over else None
        return 0.0 if winner is None else 1.0 if winner == self.seat else -1.0


class VectorEnv(gymnasium.vector.VectorEnv):
    """Many legs at once, each on one seat against a built-in bot. A step plays all of them in the engine, without the
    interpreter's lock and on as many threads as asked for.

    Observations are ``observation`` uint8 ``[n, planes, rows, cols]`` (packed: ``[n, planes, rows, row bytes]``), ``scalars``
    float32 ``[n, scalars]`` and ``action_mask`` int8 ``[n, choices]`` (TankCraft ``[n, 5, 69]``); actions int64 ``[n]`` (TankCraft ``[n, 5]``).
    Where a leg has ended, ``info`` holds ``winner`` (the seat, -1 for nobody), ``scores`` ``[n, 2]`` and their mask ``_winner``;
    ``info["seat"]`` tells where you sit.

    :param num_envs: number of legs
    :param opponent: the name of a built-in bot
    :param seat: ``"first"``, ``"second"``, or ``"alternate"``: changes with every leg
    :param autoreset_mode: Gymnasium's: ``NEXT_STEP`` (the step after the end begins a new leg and ignores the action),
        ``SAME_STEP`` (the step that ends a leg begins the next; ``info["final_obs"]`` holds the last observations), or
        ``DISABLED`` (you call ``reset(options={"reset_mask": terminated})``)
    :param threads: steps are spread over so many threads
    :param pool: deal so many setups in advance and let every leg have one of them; 0 deals every leg anew
    :param out: arrays to write observations into: ``{"observation", "scalars", "action_mask"}``. What ``reset`` and ``step``
        return are then these arrays, written anew by every step
    :param copy: whether every step returns new arrays; ignored with ``out``

    The others are those of :class:`Env`.
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        opponent: str = "random",
        *,
        config: dict | None = None,
        seat: str = "first",
        reward: str = "outcome",
        packed: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        pool: int = 0,
        out: dict[str, np.ndarray] | None = None,
        copy: bool = True,
        render_mode: str | None = None,
    ):
        mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": ["ansi"], "autoreset_mode": mode}
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.autoreset_mode = mode
        self.layout: Layout = read_layout(Game(game), config)
        self.single_observation_space = observation_space(self.layout, packed)
        self.single_action_space = action_space(self.layout)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._batch = Batch(
            game,
            num_envs,
            config=config,
            opponent=opponent,
            seat=read_seat(seat),
            by_score=by_score(reward),
            autoreset=mode.value,
            threads=threads,
            pool=pool,
            packed=packed,
        )
        same_step = mode == AutoresetMode.SAME_STEP
        self._buffers = Buffers(self._batch, self.layout, two_rewards=False, keep_last=same_step, out=out)
        self._copy = copy and out is None
        self._truncated = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begins new legs: in all environments, or where ``options["reset_mask"]`` is true. With a seed environment i gets the
        setup of ``seed + i`` (or of ``seed[i]``), and draws all further ones from it."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        which = (options or {}).get("reset_mask")
        self._batch.reset(self._buffers.all, which, self._seeds(seed, which))
        return self._observation(), {"seat": self._buffers.seats.copy()}

    def step(self, actions):
        """Plays a step everywhere: observations, rewards, terminated, truncated (never), info."""
        self._batch.step(as_actions(actions, self.action_space.shape), self._buffers.all)
        terminated = self._buffers.terminated.copy()
        info = {"seat": self._buffers.seats.copy()}
        if terminated.any():
            info.update(self._ends(terminated))
        return self._observation(), self._buffers.rewards.copy(), terminated, self._truncated.copy(), info

    def render(self) -> tuple[str, ...] | None:
        """The boards as text, in the mode ``ansi``."""
        if self.render_mode != "ansi":
            return None
        return tuple(self._batch.picture(lane) for lane in range(self.num_envs))

    def hashes(self) -> list[int]:
        """FNV-1a 64 of every position's canonical state text."""
        return self._batch.hashes()

    def _seeds(self, seed: int | list[int] | None, which: np.ndarray | None) -> list[int] | None:
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + lane for lane in range(self.num_envs)]
        if seed is not None:
            return [int(one) for one in seed]
        if which is not None:
            return None  # These go on with their own sequence of seeds.
        return [int(one) for one in self.np_random.integers(2**63, size=self.num_envs)]

    def _observation(self) -> dict[str, np.ndarray]:
        seen = self._buffers.observation
        return {name: array.copy() for name, array in seen.items()} if self._copy else seen

    def _ends(self, terminated: np.ndarray) -> dict[str, Any]:
        results = self._buffers.results
        ends = {"winner": results[:, 0].copy(), "scores": results[:, 1:].copy()}
        ends.update({"_winner": terminated.copy(), "_scores": terminated.copy()})
        if self._buffers.last is None:
            return ends
        final = np.full(self.num_envs, None, dtype=object)
        for lane in np.flatnonzero(terminated):
            final[lane] = {name: self._buffers.last[name][lane].copy() for name in OBSERVATION}
        kept = {"final_obs": final, "_final_obs": terminated.copy()}
        return {**kept, "final_info": ends, "_final_info": terminated.copy()}


def read_seat(name: str) -> int | None:
    """Reads the name of a seat."""
    if name not in SEATS:
        raise ValueError(f"there is no seat {name!r}; there are {', '.join(SEATS)}")
    return SEATS[name]


def _register() -> None:
    for name, game in {"SnakeGo": "snakego", "KOB": "kob", "TankCraft": "tankcraft"}.items():
        id = f"leitai/{name}-v0"
        if id not in gymnasium.registry:
            gymnasium.register(
                id,
                entry_point="leitai.gym:Env",
                vector_entry_point="leitai.gym:VectorEnv",
                kwargs={"game": game},
            )


_register()
