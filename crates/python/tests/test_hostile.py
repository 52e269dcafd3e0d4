"""Every public entry point against values that nobody should pass: what comes is an ``Exception`` that says something, never PyO3's
``PanicException`` (which is none), never a mistake of Leitai. One row an entry point."""

import sys

import gymnasium
import numpy as np
import pytest

import leitai
from leitai import kob, snakego, tankcraft
from leitai.async_batch import AsyncBatch
from leitai.gym import Env, VectorEnv
from leitai.layout import read_layout
from leitai.zoo import kob_v0, snakego_v0

DEEP: list = []
for _ in range(3000):
    DEEP = [DEEP]

VALUES = [
    None, True, -1, 7, 2**63, 2**64, -(2**70), 1.5, float("nan"), float("-inf"), "", "\0", "擂台", "x" * 5000, b"\xff\0", (), [1] * 99,
    [[0], "up"], DEEP, {}, {"seat": -1, "fog": float("nan")}, {1: object()}, object(), range(3), int, lambda *_: 0, np.int64(-3),
    np.zeros(3), np.zeros((2, 2), np.int64), np.array(["a"]), np.array([2**63], np.uint64),
]  # fmt: skip

LEG = {game: game.start(seed=3) for game in (kob, snakego, tankcraft)}
BOT = kob.bot("safe")


def leg(game=kob):
    return LEG[game].clone()


def begun(env):
    env.reset(seed=1)
    return env


PARALLEL, AEC = begun(kob_v0.parallel_env()), begun(snakego_v0.raw_env())
SINGLE, MANY, BOTH = begun(Env("kob")), begun(VectorEnv("kob", 2)), leitai.SelfPlay("kob", 2)
BOTH.reset(seed=1)
GROUPS = AsyncBatch("kob", 2)
GROUPS.async_reset(seed=1)
GROUPS.recv()
OUTCOME = leitai.Rewards if hasattr(leitai, "Rewards") else leitai._leitai.Rewards
PLAYERS = {"a": "random", "b": "random"}
QUICK = {"precision": 1000, "max_pairs": 1, "explain": 0}

ENTRIES = {
    "Game": leitai.Game,
    "load": leitai.load,
    "find_rules": lambda v: leitai._leitai.find_rules("kob", v),
    "start, seed": lambda v: kob.start(seed=v),
    "start, config": lambda v: tankcraft.start(seed=1, config=v),
    "start, a choice of the config": lambda v: tankcraft.start(seed=1, config={"rounds": v, "map": v}),
    "start, record": lambda v: kob.start(record=v),
    "load, setup": lambda v: kob.load(v),
    "load, a part of the setup": lambda v: snakego.load({**leg(snakego).setup, "items": v}),
    "bot": lambda v: kob.bot(v),
    "bot, seed": lambda v: kob.bot("safe", v),
    "layout": lambda v: read_layout(leitai.Game("kob"), v),
    "config": lambda v: leitai.Game("kob").config(v),
    "step": lambda v: leg(snakego).step(v),
    "step, both": lambda v: leg().step(v, v),
    "step, one of both": lambda v: leg().step(0, v),
    "step, parts": lambda v: leg(tankcraft).step(v, [v] * 5),
    "step_against, seat": lambda v: leg().step_against(v, 0, BOT),
    "step_against, action": lambda v: leg().step_against(0, v, BOT),
    "step_against, bot": lambda v: leg().step_against(0, 0, v),
    "play_random": lambda v: leg().play_random(v),
    "play_random, steps": lambda v: leg().play_random(0, v),
    "playouts": lambda v: leg().playouts(v),
    "playouts, seed": lambda v: leg().playouts(1, v),
    "search_all": lambda v: leitai.search_all(v, leitai.PlayoutEvaluator()),
    "search_all, one of the legs": lambda v: leitai.search_all([leg(), v], leitai.PlayoutEvaluator(), simulations=1),
    "search_all, simulations": lambda v: leitai.search_all([leg()], leitai.PlayoutEvaluator(), simulations=v),
    "policies": lambda v: leitai.policies(v),
    "Network": lambda v: leitai.Network("kob", v, v, v),
    "Network, look": lambda v: leitai.Network("kob", v, [], (np.zeros((1, 4)), np.zeros(4))),
    "Network, game": lambda v: leitai.Network(v, leitai.Look(()), [], (np.zeros((1, 4)), np.zeros(4))),
    "SandboxedProgram": leitai.SandboxedProgram,
    "SandboxedProgram, more": lambda v: leitai.SandboxedProgram("x", limit=v, isolation=v),
    "SandboxedProgram, leg": lambda v: leitai.SandboxedProgram("x").choose(v, 0),
    "LadderBot": leitai.LadderBot,
    "ladder": lambda v: leitai.ladder(v, "kob"),
    "ladder, game": lambda v: leitai.ladder("a.b", v),
    "ladder, between": lambda v: leitai.ladder("a.b/chess", "kob", between=v),
    "Network.load": lambda v: leitai.Network.load(v, "kob"),
    "Network.load, game": lambda v: leitai.Network.load("ppo", v),
    "Look": lambda v: leitai.Look(v, around=v, reach=v).size(kob.layout()),
    "playouts of many": lambda v: leitai.playouts(v, 1),
    "playouts of many, count": lambda v: leitai.playouts([leg()], v),
    "is_out": lambda v: leg().is_out(v),
    "play": lambda v: leg().play(v),
    "legal": lambda v: leg().legal(v),
    "legal_actions": lambda v: leg().legal_actions(v),
    "mask": lambda v: leg(tankcraft).mask(v),
    "planes": lambda v: leg().planes(v),
    "planes, packed": lambda v: leg().planes(0, v),
    "scalars": lambda v: leg().scalars(v),
    "observe": lambda v: leg().observe(v),
    "observe_both": lambda v: leg().observe_both(False, v),
    "notation": lambda v: leg().notation(v, 0),
    "notation, seat": lambda v: leg().notation(0, v),
    "index": lambda v: leg().index(v, 0),
    "view": lambda v: leg().view(v),
    "state_text": lambda v: leg().state_text(v),
    "pixels": lambda v: leg().pixels(v),
    "message": lambda v: leg().message(v, 0),
    "message, seat": lambda v: leg().message("turn", v),
    "from_view": lambda v: leg().from_view(v),
    "from_view, a part": lambda v: leg(tankcraft).from_view({**leg(tankcraft).view(0), "tanks": v, "round": v}),
    "known_to": lambda v: leg(tankcraft).known_to(v),
    "equal legs": lambda v: leg() == v,
    "choose": lambda v: kob.bot("safe").choose(v, 0),
    "choose, seat": lambda v: kob.bot("safe").choose(leg(), v),
    "Rewards": lambda v: OUTCOME(False, v),
    "Rewards, leg": lambda v: OUTCOME(False).pay(v, True),
    "SelfPlay": lambda v: leitai.SelfPlay(v, 2),
    "SelfPlay, legs": lambda v: leitai.SelfPlay("kob", v),
    **{f"SelfPlay, {name}": lambda v, name=name: leitai.SelfPlay("kob", 2, **{name: v}) for name in (
        "config", "seed", "reward", "packed", "threads", "pool", "out")},  # fmt: skip
    "SelfPlay, reset": lambda v: BOTH.reset(v),
    "SelfPlay, step": lambda v: BOTH.step(v),
    "SelfPlay, restore": lambda v: BOTH.restore(v),
    "Env": lambda v: Env(v),
    **{f"Env, {name}": lambda v, name=name: Env("kob", **{name: v}) for name in (
        "opponent", "config", "seat", "reward", "packed", "solo_tail", "render_mode")},  # fmt: skip
    "Env, reset": lambda v: SINGLE.reset(seed=v),
    "Env, step": lambda v: begun(SINGLE).step(v),
    "VectorEnv, legs": lambda v: VectorEnv("kob", v),
    **{f"VectorEnv, {name}": lambda v, name=name: VectorEnv("kob", 2, **{name: v}) for name in (
        "opponent", "config", "seat", "reward", "packed", "autoreset_mode", "solo_tail", "max_episode_steps", "threads", "pool", "out",
        "render_mode")},  # fmt: skip
    "VectorEnv, reset": lambda v: MANY.reset(seed=v),
    "VectorEnv, reset mask": lambda v: MANY.reset(options={"reset_mask": v}),
    "VectorEnv, step": lambda v: MANY.step(v),
    "AsyncBatch, legs": lambda v: AsyncBatch("kob", v, 2),
    "AsyncBatch, group": lambda v: AsyncBatch("kob", 8, v),
    "AsyncBatch, workers": lambda v: AsyncBatch("kob", 2, workers=v),
    "AsyncBatch, reset": lambda v: AsyncBatch("kob", 2).async_reset(seed=v),
    "AsyncBatch, actions": lambda v: GROUPS.send(v, [0]),
    "AsyncBatch, environments": lambda v: GROUPS.send([0], v),
    "parallel_env": lambda v: kob_v0.parallel_env(config=v),
    "parallel_env, reset": lambda v: kob_v0.parallel_env().reset(seed=v),
    "parallel_env, step": lambda v: begun(PARALLEL).step({"player_0": v, "player_1": 0}) if PARALLEL else None,
    "raw_env, step": lambda v: (AEC.reset(seed=1), AEC.step(v)),
    "evaluate": lambda v: leitai.evaluate(v, "kob", **QUICK),
    "evaluate, game": lambda v: leitai.evaluate("safe", v, **QUICK),
    **{f"evaluate, {name}": lambda v, name=name: leitai.evaluate("random", "kob", **{**QUICK, name: v}) for name in (
        "precision", "seed", "batch", "jobs", "explain", "name")},  # fmt: skip
    "compare": lambda v: leitai.compare("kob", v, "random", max_pairs=1),
    **{f"compare, {name}": lambda v, name=name: leitai.compare("kob", "random", "random", **{"max_pairs": 1, name: v}) for name in (
        "elo0", "elo1", "alpha", "beta", "seed", "jobs")},  # fmt: skip
    "tournament": lambda v: leitai.tournament("kob", v, rounds=1),
    "tournament, player": lambda v: leitai.tournament("kob", {"a": v, "b": "random"}, rounds=1),
    "tournament, seed": lambda v: leitai.tournament("kob", PLAYERS, rounds=1, seed=v),
    "rate_field": lambda v: leitai._leitai.rate_field(v, []),
    "rate_field, pairs": lambda v: leitai._leitai.rate_field(2, v),
    "Replay": lambda v: leitai.Replay(v),
    "Replay.load": lambda v: leitai.Replay.load(v),
    "Replay.of": lambda v: leitai.Replay.of(v),
    "verify_replay": lambda v: leitai._leitai.verify_replay(v),
    "encode_leg": lambda v: leitai._leitai.encode_leg(v, 0),
    "dataset": lambda v: list(leitai.dataset(v)),
    "Pool": lambda v: leitai.Pool(v),
    "League": lambda v: Env("kob", leitai.League(main=v)),
    "Checkpoint": lambda v: leitai.Checkpoint(v, lambda path: path),
    "leg_seeds": lambda v: leitai._leitai.leg_seeds(v, v),
    "entrant_seed": lambda v: leitai._leitai.entrant_seed(v, v, v),
    "draw_member": lambda v: leitai._leitai.draw_member(1, v),
    "search": lambda v: leitai.search(v, leitai.PlayoutEvaluator(), simulations=3),
    "search, evaluator": lambda v: leitai.search(leg(), v, simulations=3),
    "search, answers": lambda v: leitai.search(leg(), lambda _: (v, v), simulations=3),
    **{f"search, {name}": lambda v, name=name: leitai.search(leg(), leitai.PlayoutEvaluator(), **{"simulations": 3, name: v}) for name in (
        "exploration", "noise")},  # fmt: skip
    "SearchTree, step": lambda v: leitai.SearchTree(leg()).step(v, v),
    "SearchTree, answer": lambda v: leitai.SearchTree(leg()).answer(v, v),
    "SearchTree, noise": lambda v: leitai.SearchTree(leg()).mix_noise(v, 0.5, 0),
    "gymnasium.make": lambda v: gymnasium.make("leitai/KOB-v0", opponent=v, disable_env_checker=True),
}  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES)
def test_whatever_is_passed_an_exception_says_so(entry):
    for value in VALUES:
        try:
            ENTRIES[entry](value)
        except leitai.InternalError as mistake:
            pytest.fail(f"{entry} of {str(value)[:80]}: {mistake}")
        except Exception as why:
            assert str(why), f"{entry} of {str(value)[:80]}: {type(why).__name__} without a word"
        except BaseException as why:
            pytest.fail(f"{entry} of {str(value)[:80]}: {type(why).__name__}, which is no Exception: {why}")


def numbers(most):
    return f"whole numbers from 0 to {most} are accepted"


TOLD = [
    (lambda: kob.start(seed=-1), ValueError, "-1 is out of range", numbers(2**64 - 1)),
    (lambda: kob.start(seed="one"), TypeError, "'one' is no whole number", numbers(2**64 - 1)),
    (lambda: leg().play_random(0, 2**32), ValueError, "4294967296", numbers(2**32 - 1)),
    (lambda: leg().mask(2), ValueError, "there is no seat 2", "0 is first, 1 is second"),
    (lambda: leg(snakego).step(6), ValueError, "[6] is out of range", "below [6]"),
    (lambda: leg(snakego).step("up"), TypeError, "an action is a number", "this is 'up'"),
    (lambda: leg(snakego).step(2**70), ValueError, str(2**70), "out of range"),
    (lambda: leitai.SelfPlay("kob", 0), ValueError, "num_envs is 0", "1 to 1048576"),
    (lambda: leitai.SelfPlay("kob", 2, threads=0), ValueError, "threads is 0", "1 to 256"),
    (lambda: leitai._leitai.rate_field(10**9, []), ValueError, "players is 1000000000", "1 to 4096"),
    (lambda: leitai.search(leg(), lambda seen: ([0], [0])), ValueError, "priors [1]", "[2, 4]"),
    (lambda: leitai.search(leg(tankcraft), leitai.PlayoutEvaluator()), ValueError, "5 parts", "one number"),
    (lambda: leitai.search(leg(), leitai.PlayoutEvaluator(), simulations=0), ValueError, "simulations is 0", "at least 1"),
]


@pytest.mark.parametrize("call, kind, value, accepted", TOLD, ids=[row[2] for row in TOLD])
def test_an_error_tells_the_value_and_what_is_accepted(call, kind, value, accepted):
    with pytest.raises(kind) as raised:
        call()
    assert value in str(raised.value) and accepted in str(raised.value)


def test_what_is_public_is_tried():
    tried = " ".join(ENTRIES)
    known = {"Policy", "Program", "serve_policy"}  # Theirs are functions and programs of the user, which other tests break.
    results = {"Dataset", "Evaluation", "GameFault", "InternalError", "Layout", "LevelRecord", "PlayedPair", "PlayerError",
               "PlayoutEvaluator", "SearchResult", "SeatRecord", "Symmetry", "TournamentResult", "Bot", "Leg", "__version__"}  # fmt: skip
    games = {"kob", "snakego", "tankcraft"}
    assert [name for name in leitai.__all__ if name not in known | results | games and name not in tried] == []
    methods = {name for name, part in vars(leitai.Leg).items() if callable(part) and not name.startswith("_")}
    assert [name for name in methods - {"clone", "render", "hash", "from_view"} if name not in tried] == []
    assert sys.getrecursionlimit() < 3000
