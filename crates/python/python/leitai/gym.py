"""Gymnasium: one seat against a bot, alone (:class:`Env`) or many at once (:class:`VectorEnv`).

>>> import gymnasium, leitai.gym
>>> env = gymnasium.make("leitai/KOB-v0", opponent="safe")
>>> observation, info = env.reset(seed=1)
>>> observation["observation"].shape
(11, 13, 14)

``gymnasium.make("leitai:leitai/KOB-v0")`` does the same without an import of this module.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from .extras import need_library

need_library("gymnasium", "gym")

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from ._leitai import Batch, Bot, Game, Leg, Rewards, leg_seeds
from .guest import GameLike
from .batch import OBSERVATION, BatchOptions, Buffers, as_actions, as_mask, by_score, shared_array
from .lanes import PythonBatch
from .layout import Layout, read_layout
from .opponents import PROGRAMS, Checkpoint, Member, Opponent, Opponents, Question, play_together
from .program import Program
from .registration import register_gymnasium
from .rendering import read_render_mode, render_leg
from .sandboxed import Reply, SandboxedProgram, play_replies
from .spaces import action_space, observation_space

#: An observation: ``observation``, ``scalars`` and ``action_mask``.
Observation: TypeAlias = "dict[str, NDArray[Any]]"

SEATS: dict[str, int | None] = {"first": 0, "second": 1, "alternate": None}

#: Programs of a pool that stand by in one environment.
MOST_PROGRAMS = 4

TAILS = ("play", "truncate", "settle")


class Env(gymnasium.Env[Observation, Any]):
    """One leg after another on one seat, against an opponent.

    A step plays your action, and then the opponent's until you are asked again. An illegal action
    loses (``action_mask`` marks the legal ones; after the end it is all 1). Only ``solo_tail``
    truncates legs: they end by themselves.

    The seed of ``reset(seed=…)`` determines the setup, your seat, the opponent's random choices,
    and all of these for the legs of later calls of ``reset()``: the same as in environment 0 of a
    :class:`VectorEnv`.

    :param game: ``"snakego"``, ``"kob"`` or ``"tankcraft"``, or what :func:`leitai.load` takes or returns
    :param opponent: who plays on the other seat, see :mod:`leitai.opponents`; ``info["opponent"]`` of ``reset`` is the number of
        a pool's member
    :param config: the game's choices, as in ``leitai match --config``
    :param seat: ``"first"``, ``"second"``, or ``"alternate"``: the seed draws the seat of the first leg, every further leg
        changes it
    :param reward: ``"outcome"``: 1, 0 or -1 at the end; ``"score"``: the change of your lead in score
    :param packed: whether planes are bits in bytes, ``[planes, rows, row bytes]``, or bytes 0 and 1
    :param solo_tail: in SnakeGo, when all your snakes are dead: ``"play"``: the opponent plays on alone to the end inside your last
        step, as the rules have it, which can be hundreds of its turns; ``"truncate"``: the leg is cut off there, truncated and
        without a reward for its outcome; ``"settle"``: it ends there, by the scores as they stand; nobody wins where they are level
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    def __init__(
        self,
        game: GameLike,
        opponent: Opponent | Opponents = "random",
        *,
        config: dict[str, Any] | None = None,
        seat: str = "first",
        reward: str = "outcome",
        packed: bool = False,
        solo_tail: str = "play",
        render_mode: str | None = None,
    ) -> None:
        self.game = Game(game)
        self.layout: Layout = read_layout(self.game, config)
        self.observation_space: spaces.Space[Any] = observation_space(self.layout, packed)
        self.action_space: spaces.Space[Any] = action_space(self.layout)
        self.render_mode = read_render_mode(render_mode)
        self.leg: Leg | None = None
        self.seat = 0
        self._config, self._packed, self._rewards = config, packed, Rewards(by_score(reward))
        self._fixed_seat = read_seat(seat)
        self._tail = read_tail(solo_tail)
        self._seed: int | None = None
        self._leg_number = 0
        self._ended = True
        self._bot: Bot | None = None
        self._player: Any = None
        self._programs: dict[int, Program | SandboxedProgram] = {}
        self._fault: dict[str, Any] | None = None
        self._void: str | None = None
        self._member = 0
        # The environments of a batch share them.
        self._opponents = opponent if isinstance(opponent, Opponents) else Opponents(self.game, opponent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a leg. With a seed it has that seed's setup, as ``leitai match --seed`` deals it;
        otherwise it is the next leg after the last seed, or after a random one."""
        super().reset(seed=seed)
        if seed is not None or self._seed is None:
            self._seed = seed if seed is not None else int(self.np_random.integers(2**63))
            self._leg_number = 0
        play_together([self._begin_leg()])
        assert self.leg is not None
        info: dict[str, Any] = {"seat": self.seat, "seed": self.leg.seed}
        if len(self._opponents.pool.members) > 1:
            info["opponent"] = self._member
        return self._observe(self.leg), {**info, **self._take_fault()}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action: observation, reward, terminated, truncated, info. At the end ``info`` has
        ``scores`` and ``winner``: the seat, or -1 in a draw; ``fault`` is what a program in the sandbox did wrong in the step."""
        leg = self.leg
        if leg is None or self._ended:
            raise RuntimeError("the leg is over; call reset")
        if self._bot is not None:
            leg.step_against(self.seat, action, self._bot, self._tail != "play")
        else:
            play_together([self._play_on(leg, action)])
        reward, terminated, truncated, winner = self._end_step(leg, False)
        info: dict[str, Any] = {"scores": leg.scores, "winner": winner} if self._ended else {}
        return self._observe(leg), reward, terminated, truncated, {**info, **self._take_fault()}

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board as text in the mode ``ansi``, as a picture uint8 ``[height, width, 3]`` in the mode ``rgb_array``."""
        return render_leg(self.leg, self.render_mode)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool ``[choices]``, for TankCraft ``[5 * 69]``: what may be said now, under the name that sb3-contrib asks for."""
        if self.leg is None:
            raise RuntimeError("there is no leg yet; call reset")
        mask: NDArray[np.bool_] = self._observe(self.leg)["action_mask"].reshape(-1) != 0
        return mask | self._ended

    def close(self) -> None:
        """Ends the opponents' programs."""
        self._opponents.close()
        for program in self._programs.values():
            program.close()

    def _begin_leg(self) -> Generator[Question, Any, None]:
        """Starts the next leg of the seed."""
        assert self._seed is not None
        dealt, chance, turn = leg_seeds(self._seed, self._leg_number)
        self._leg_number += 1
        self._member, member = self._opponents.draw(chance)
        self.leg = self.game.start(dealt, self._config, record=member.needs_record)
        self.seat = turn if self._fixed_seat is None else self._fixed_seat
        self._seat_opponent(self.leg, member, chance)
        self._rewards.begin(self.leg)
        self._ended = False
        yield from self._play_on(self.leg, None)

    def _seat_opponent(self, leg: Leg, member: Member, chance: int) -> None:
        self._bot, self._player, self._fault, self._void = None, None, None, None
        if member.is_built_in:
            self._bot = self.game.bot(member.name_of_bot(), chance)
            return
        player = member.player
        if isinstance(player, PROGRAMS):
            # Each environment has a process of its own.
            player = self._program_of(self._member, player)
            player.start(leg, 1 - self.seat)
        elif hasattr(player, "start_leg"):
            player.start_leg(chance)
        if isinstance(player, Checkpoint):
            player.refresh()
        self._player = player

    def _program_of(self, member: int, player: Program | SandboxedProgram) -> Program | SandboxedProgram:
        """The process of this environment for a member of the pool; the one that was started first ends if there are too many."""
        if member not in self._programs:
            if len(self._programs) == MOST_PROGRAMS:
                self._programs.pop(next(iter(self._programs))).close()
            self._programs[member] = player.another()
        return self._programs[member]

    def _play_on(self, leg: Leg, action: Any) -> Generator[Question, Any, None]:
        """Plays your action, and the opponent's until you are asked again."""
        me, other, until_out = self.seat, 1 - self.seat, self._tail != "play"
        if self._bot is not None:
            leg.step_against(me, action, self._bot, until_out)
            return
        while not leg.is_over and self._void is None:
            asked = leg.seats
            if (me in asked and action is None) or (until_out and leg.is_out(me)):
                return
            said = (yield self._player, leg, other) if other in asked else None
            if isinstance(said, Reply):
                self._fault, self._void = said.fault or self._fault, said.void
                if said.void is not None:
                    return
            play_replies(leg, {me: action, other: said})
            action = action if asked == (other,) else None
        if isinstance(self._player, PROGRAMS):
            self._player.end(leg, other)

    def _end_step(self, leg: Leg, too_long: bool) -> tuple[float, bool, bool, int]:
        """Pays for a step: reward, terminated, truncated, the winner's seat or -1."""
        over = leg.is_over
        out = not over and self._tail != "play" and leg.is_out(self.seat)
        terminated = over or (out and self._tail == "settle")
        truncated = not terminated and (out or too_long or self._void is not None)
        self._ended = terminated or truncated
        winner = self._winner(leg) if terminated else -1
        if terminated:
            self._opponents.count(self._member, 0 if winner < 0 else 1 if winner == self.seat else -1)
        return self._rewards.pay(leg, terminated)[self.seat], terminated, truncated, winner

    def _take_fault(self) -> dict[str, Any]:
        """What a program did wrong, or why its leg could not be judged, once."""
        told = {"fault": self._fault} if self._fault is not None else {}
        self._fault = None
        return {**told, "void": self._void} if self._void is not None else told

    def _observe(self, leg: Leg) -> Observation:
        seen: Observation = leg.observe(self.seat, self._packed)
        return seen

    def _winner(self, leg: Leg) -> int:
        """The winner's seat or -1, by the current scores if the leg was settled before its end."""
        first, second = leg.scores
        winner = leg.winner if leg.is_over else leg.leader if first != second else None
        return -1 if winner is None else winner


class VectorEnv(gymnasium.vector.VectorEnv[Observation, Any, NDArray[Any]]):
    """Many legs at once, each on one seat against an opponent. Where opponents are built in, a step plays all legs in the
    engine, without the interpreter's lock and on several threads; others are asked by Python.

    Observations are ``observation`` uint8 ``[n, planes, rows, cols]`` (packed: ``[n, planes, rows, row bytes]``), ``scalars``
    float32 ``[n, scalars]`` and ``action_mask`` int8 ``[n, choices]`` (TankCraft ``[n, 5, 69]``), all 1 where a leg has ended;
    actions int64 ``[n]`` (TankCraft ``[n, 5]``). Where a leg has ended, ``info`` holds ``winner`` (the seat, -1 for nobody),
    ``scores`` ``[n, 2]`` and their mask ``_winner``; ``info["seat"]`` tells where you sit. Where a program in the sandbox did something
    wrong, ``info["fault"]`` (objects ``[n]``, with the mask ``_fault``) tells what; the leg ends as the rules say.

    :param num_envs: number of legs
    :param opponent: who plays on the other seat, see :mod:`leitai.opponents`. With a pool, ``info["opponent"]`` int64 ``[n]`` is
        the number of each environment's member
    :param seat: ``"first"``, ``"second"``, or ``"alternate"``: its seed draws where an environment sits first, and it changes with
        every leg
    :param autoreset_mode: Gymnasium's: ``NEXT_STEP`` (the step after the end begins a new leg and ignores the action),
        ``SAME_STEP`` (the step that ends a leg begins the next; ``info["final_obs"]`` holds the last observations), or
        ``DISABLED`` (you call ``reset(options={"reset_mask": terminated | truncated})``)
    :param max_episode_steps: steps after which a leg is truncated; ``None``: never
    :param threads: number of threads for a step
    :param pool: number of setups that are dealt in advance and shared by the legs; 0 deals every leg anew
    :param out: arrays to write observations into: ``{"observation", "scalars", "action_mask"}``, NumPy's or what shares memory
        with them, as PyTorch's tensors on the CPU do. What ``reset`` and ``step`` return are then these arrays, written anew by every
        step
    :param copy: whether what a step returned stays as it is; if not, the next step writes into the same arrays. Ignored with
        ``out``

    The others are those of :class:`Env`.
    """

    def __init__(
        self,
        game: GameLike,
        num_envs: int,
        opponent: Opponent = "random",
        *,
        config: dict[str, Any] | None = None,
        seat: str = "first",
        reward: str = "outcome",
        packed: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        solo_tail: str = "play",
        max_episode_steps: int | None = None,
        threads: int = 1,
        pool: int = 0,
        out: dict[str, Any] | None = None,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4, "autoreset_mode": mode}
        self.render_mode = read_render_mode(render_mode)
        self.num_envs = num_envs
        self.autoreset_mode = mode
        self.layout: Layout = read_layout(Game(game), config)
        self.single_observation_space = observation_space(self.layout, packed)
        self.single_action_space = action_space(self.layout)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps is {max_episode_steps}; at least 1, or None for no end, is accepted")
        self._opponents = Opponents(Game(game), opponent)
        self._batch = self._make_batch(game, num_envs, config, seat, reward, packed, solo_tail, max_episode_steps, threads, pool)
        same_step = mode == AutoresetMode.SAME_STEP
        self._buffers = Buffers(
            self._batch, self.layout, two_rewards=False, keep_last=same_step, out=out, fresh=copy and out is None
        )

    def _make_batch(
        self,
        game: GameLike,
        num_envs: int,
        config: dict[str, Any] | None,
        seat: str,
        reward: str,
        packed: bool,
        solo_tail: str,
        max_steps: int | None,
        threads: int,
        pool: int,
    ) -> Batch | PythonBatch:
        built_in = self._opponents.built_in
        options = BatchOptions(
            config=config,
            opponents=built_in or [("random", 1.0)],
            seat=read_seat(seat),
            by_score=by_score(reward),
            autoreset=self.autoreset_mode.value,
            threads=threads,
            pool=pool,
            packed=packed,
            tail=read_tail(solo_tail),
            max_steps=max_steps,
        )
        if built_in is not None:
            return Batch(game, num_envs, options)
        if pool:
            raise ValueError(f"pool is {pool}; setups dealt in advance are for opponents that are all built in, leave it away")
        Batch(game, num_envs, options)  # Refuses what it would refuse.
        more: dict[str, Any] = {"seat": seat, "reward": reward, "packed": packed, "solo_tail": solo_tail}
        envs = [Env(game, self._opponents, config=config, **more) for _ in range(num_envs)]
        return PythonBatch(envs, self.layout, packed, self.autoreset_mode.value, max_steps)

    @property
    def opponents_are_built_in(self) -> bool:
        """Whether the engine plays all opponents, so that Python asks none."""
        return isinstance(self._batch, Batch)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts new legs: in all environments, or where ``options["reset_mask"]`` is true. With a
        seed, environment i gets the setup of ``seed + i`` (or of ``seed[i]``), and draws all
        further seeds from it."""
        super().reset(seed=int(seed) if isinstance(seed, (int, np.integer)) else None)
        which = as_mask((options or {}).get("reset_mask"), self.num_envs)
        self._batch.reset(self._buffers.next(), which, self._seeds(seed, which))
        return self._buffers.observation, self._info()

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays a step in all environments: observations, rewards, terminated, truncated, info."""
        buffers = self._buffers
        self._batch.step(as_actions(actions, self.action_space.shape or ()), buffers.next())
        terminated, truncated = buffers.terminated.copy(), buffers.truncated.copy()
        info = self._info()
        ended = terminated | truncated
        if ended.any():
            info.update(self._ends(ended))
        if isinstance(self._batch, PythonBatch) and (faults := self._batch.take_faults()):
            info.update(faults)
        return buffers.observation, buffers.rewards.copy(), terminated, truncated, info

    def render(self) -> tuple[Any, ...] | None:
        """The boards as texts in the mode ``ansi``, as pictures uint8 ``[height, width, 3]`` in the mode ``rgb_array``."""
        if self.render_mode is None:
            return None
        draw = self._batch.render if self.render_mode == "ansi" else self._batch.pixels
        return tuple(draw(lane) for lane in range(self.num_envs))

    def action_masks(self) -> NDArray[np.bool_]:
        """bool ``[n, choices]``, for TankCraft ``[n, 5 * 69]``: the last observation's masks."""
        masks: NDArray[Any] = shared_array(self._buffers.observation["action_mask"])  # type: ignore[assignment]
        allowed: NDArray[np.bool_] = masks.reshape(self.num_envs, -1) != 0
        return allowed

    def hashes(self) -> list[int]:
        """FNV-1a 64 of every position's canonical state text."""
        return self._batch.hashes()

    def close_extras(self, **_: Any) -> None:
        """Ends the opponents' programs."""
        self._opponents.close()
        if isinstance(self._batch, PythonBatch):
            self._batch.close()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"seat": self._buffers.seats.copy()}
        if len(self._opponents.pool.members) > 1:
            info["opponent"] = np.array(self._batch.members(), np.int64)
        return info

    def _seeds(self, seed: int | list[int] | None, which: NDArray[np.bool_] | None) -> list[int] | None:
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + lane for lane in range(self.num_envs)]
        if seed is not None:
            return [int(one) for one in seed]
        if which is not None:
            return None  # These continue with their own sequence of seeds.
        return [int(one) for one in self.np_random.integers(2**63, size=self.num_envs)]

    def _ends(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        results = self._buffers.results
        ends: dict[str, Any] = {"winner": results[:, 0].copy(), "scores": results[:, 1:].copy()}
        ends.update({"_winner": ended, "_scores": ended.copy()})
        last = self._buffers.last
        if last is None:
            return ends
        final = np.full(self.num_envs, None, dtype=object)
        for lane in np.flatnonzero(ended):
            final[lane] = {name: last[name][lane].copy() for name in OBSERVATION}
        kept = {"final_obs": final, "_final_obs": ended.copy()}
        return {**kept, "final_info": ends, "_final_info": ended.copy()}


def read_seat(name: str) -> int | None:
    """Reads the name of a seat."""
    if name not in SEATS:
        raise ValueError(f"there is no seat {name!r}; there are {', '.join(SEATS)}")
    return SEATS[name]


def read_tail(name: str) -> str:
    """Reads the name of a solo tail rule."""
    if name not in TAILS:
        raise ValueError(f"there is no solo_tail {name!r}; there are {', '.join(TAILS)}")
    return name


register_gymnasium()
