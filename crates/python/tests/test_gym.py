"""Gymnasium's checker, and batches against the same legs played one by one."""

import select
import sys
import threading
import time
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import leitai.gym
import leitai.program
from leitai import Program, SelfPlay, snakego
from leitai.gym import Env, VectorEnv

GAMES = ["snakego", "kob", "tankcraft"]
FIRST_LEGAL = [sys.executable, str(Path(__file__).parents[3] / "docs/examples/first_legal.py")]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("id", ["leitai/SnakeGo-v0", "leitai/KOB-v0", "leitai/TankCraft-v0"])
def test_check_env(id, packed):
    env = gymnasium.make(id, packed=packed, disable_env_checker=True, render_mode="ansi")
    check_env(env.unwrapped)


@pytest.mark.parametrize("seat", ["first", "second", "alternate"])
@pytest.mark.parametrize("game", GAMES)
def test_a_leg_ends_and_pays(game, seat):
    env = Env(game, "random", seat=seat)
    seats, rewards = set(), set()
    for seed in range(12):
        _, info = env.reset(seed=seed)
        seats.add(info["seat"])
        env.action_space.seed(seed)
        over = False
        while not over:
            observation = env.leg.observe(env.seat)
            _, reward, over, cut, info = env.step(env.action_space.sample(observation["action_mask"]))
            assert not cut
        winner = info["winner"]
        assert reward == (0 if winner < 0 else 1 if winner == env.seat else -1)
        rewards.add(reward)
    assert seats == {"first": {0}, "second": {1}, "alternate": {0, 1}}[seat]
    assert len(rewards) > 1 or game != "kob"


@pytest.mark.parametrize("seat", ["first", "second"])
@pytest.mark.parametrize("game", GAMES)
def test_programs_and_functions_are_opponents_as_built_in_bots_are(game, seat):
    def first_legal(leg, at):
        return leg.index(leg.legal(at)[0], at)

    config = {"rounds": 12} if game == "tankcraft" else None
    outcomes = []
    for opponent in (FIRST_LEGAL, Program(FIRST_LEGAL), first_legal):
        env = Env(game, opponent, seat=seat, config=config)
        env.reset(seed=4)
        env.action_space.seed(9)
        over, hashes = False, []
        while not over:
            mask = env.leg.observe(env.seat)["action_mask"]
            over = env.step(env.action_space.sample(mask))[2]
            hashes.append(env.leg.hash())
        env.close()
        outcomes.append((env.leg.scores, hashes))
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_wrong_programs_are_told_with_what_they_did():
    def refused(source, part):
        env = Env("kob", Program([sys.executable, "-c", source]))
        with pytest.raises(RuntimeError, match=part):
            env.reset(seed=1)
            env.step(0)
        env.close()

    refused("pass", "ended with code 0|cannot be written to")
    refused("input(); input(); print('up')", "is no answer")
    refused("input(); input(); print('{\"action\": \"9\"}')", "no action")
    refused("input(); input(); print('x' * 100000)", "longer than")
    refused("input(); input(); raise SystemExit(3)", "code 3")
    refused("import os, time; input(); input(); os.close(1); time.sleep(1); os._exit(3)", "code 3")


def test_an_answer_that_is_there_counts_if_it_is_read_late(monkeypatch):
    bot, leg = Program(FIRST_LEGAL), leitai.Game("kob").start(1)
    bot.start(leg, 0)

    class Clock:
        """This process stands still until the answer is there and its time is over."""

        begun = False

        def monotonic(self):
            if not self.begun:
                self.begun = True
                return 0.0
            select.select([bot._process.stdout], [], [])
            return 1e6

    monkeypatch.setattr(leitai.program, "time", Clock())
    assert bot.choose(leg, 0) == leg.index(leg.legal(0)[0], 0)
    monkeypatch.undo()
    bot.close()


def test_wrong_arguments_are_refused_with_what_there_is():
    def refused(part, make):
        with pytest.raises((ValueError, TypeError), match=part):
            make()

    refused('no game "chess"; there are snakego, kob, tankcraft', lambda: Env("chess"))
    refused('no bot "deep".*territory', lambda: Env("snakego", "deep"))
    refused("no seat 'third'", lambda: Env("kob", seat="third"))
    refused("no reward 'money'", lambda: Env("kob", reward="money"))
    refused("num_envs is 0", lambda: VectorEnv("kob", 0))
    refused("threads is 0", lambda: VectorEnv("kob", 1, threads=0))
    refused("unknown field", lambda: VectorEnv("kob", 1, config={"speed": 3}))
    refused("max_round is 0", lambda: Env("snakego", config={"max_round": 0}).reset())
    refused("Sometimes", lambda: VectorEnv("kob", 1, autoreset_mode="Sometimes"))


def actions_of(observations, step):
    """A legal action for every environment, the same in every run."""
    chosen = []
    for lane, mask in enumerate(observations["action_mask"]):
        parts = np.atleast_2d(mask)
        chosen.append([np.flatnonzero(part)[(7 * step + lane) % part.sum()] if part.any() else 0 for part in parts])
    array = np.array(chosen)
    return array[:, 0] if array.shape[1] == 1 else array


def play(env, steps, seed=3):
    """The results of several steps."""
    observations, _ = env.reset(seed=seed)
    story = []
    for step in range(steps):
        actions = actions_of(observations, step)
        observations, rewards, terminated, truncated, info = env.step(actions)
        copies = {name: array.copy() for name, array in observations.items()}
        story.append((copies, rewards, terminated, truncated, info, env.hashes()))
    return story


@pytest.mark.parametrize("game", GAMES)
def test_threads_and_packing_change_nothing(game):
    config = {"rounds": 15} if game == "tankcraft" else None
    runs = [
        play(VectorEnv(game, 13, config=config, seat="alternate", threads=threads, packed=packed), 40)
        for threads, packed in [(1, False), (4, False), (2, True), (64, True)]
    ]
    layout = VectorEnv(game, 1, config=config).layout
    assert any(step[2].any() for step in runs[0])
    for steps in zip(*runs):
        hashes, dense = steps[0][5], steps[0][0]
        for (seen, rewards, terminated, _, _, found), packed in zip(steps, [False, False, True, True]):
            planes = layout.unpack(seen["observation"]) if packed else seen["observation"]
            assert np.array_equal(planes, dense["observation"])
            assert np.array_equal(seen["scalars"], dense["scalars"])
            assert np.array_equal(seen["action_mask"], dense["action_mask"])
            assert found == hashes
            assert np.array_equal(rewards, steps[0][1]) and np.array_equal(terminated, steps[0][2])


@pytest.mark.parametrize("game", GAMES)
def test_a_batch_deals_as_a_single_leg_does(game):
    env = VectorEnv(game, 5)
    observations, _ = env.reset(seed=100)
    for lane in range(5):
        leg = leitai.Game(game).start(100 + lane)
        assert env.hashes()[lane] == leg.hash()
        assert np.array_equal(observations["observation"][lane], leg.planes(0))
        assert np.array_equal(observations["scalars"][lane], leg.scalars(0))
        assert np.array_equal(observations["action_mask"][lane], leg.mask(0))


def test_autoreset_next_step():
    env = VectorEnv("kob", 6, autoreset_mode=AutoresetMode.NEXT_STEP)
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    before, ended = np.zeros(6, bool), 0
    for _, rewards, terminated, _, info, hashes in play(env, 40):
        assert not (before & terminated).any(), "the step after the end only resets"
        assert (rewards[before] == 0).all()
        if terminated.any():
            assert np.array_equal(info["_winner"], terminated)
            won = np.where(info["winner"] < 0, 0, np.where(info["winner"] == 0, 1, -1))
            assert np.array_equal(rewards[terminated], won[terminated])
        ended += terminated.sum()
        before = terminated
    assert ended > 6


def test_autoreset_same_step():
    env = VectorEnv("kob", 6, autoreset_mode="SameStep")
    ended = 0
    for seen, _, terminated, _, info, _ in play(env, 40):
        assert np.array_equal(info.get("_final_obs", np.zeros(6, bool)), terminated)
        for lane in np.flatnonzero(terminated):
            final = info["final_obs"][lane]
            assert final["action_mask"].all(), "nobody is asked at the end, and a masked policy needs something to say"
            assert seen["scalars"][lane, 0] == pytest.approx(1 / 128), "the next leg is in its first round"
            assert info["final_info"]["scores"][lane].sum() <= 1
        ended += terminated.sum()
    assert ended > 6


def test_autoreset_disabled():
    env = VectorEnv("kob", 4, autoreset_mode=AutoresetMode.DISABLED)
    observations, _ = env.reset(seed=3)
    for step in range(60):
        observations, _, terminated, _, _ = env.step(actions_of(observations, step))
        if terminated.any():
            kept = [h for h, over in zip(env.hashes(), terminated) if not over]
            with pytest.raises(RuntimeError, match="is over; reset it"):
                env.step(np.zeros(4, np.int64))
            observations, _ = env.reset(options={"reset_mask": terminated})
            assert [h for h, over in zip(env.hashes(), terminated) if not over] == kept
            assert (observations["action_mask"] == 1).all()
            return
    raise AssertionError("no leg ended")


def test_observations_go_into_the_callers_arrays():
    shapes = {name: space.shape for name, space in VectorEnv("kob", 3).observation_space.items()}
    types = {"observation": np.uint8, "scalars": np.float32, "action_mask": np.int8}
    whole = {name: np.full((2, *shape), 9, types[name]) for name, shape in shapes.items()}
    out = {name: array[1] for name, array in whole.items()}
    env = VectorEnv("kob", 3, out=out)
    observations, _ = env.reset(seed=1)
    assert all(observations[name] is out[name] for name in out)
    before = out["observation"].copy()
    env.step(np.zeros(3, np.int64))
    assert not np.array_equal(out["observation"], before)
    assert all((array[0] == 9).all() for array in whole.values()), "only the given part was written"
    reference, _ = VectorEnv("kob", 3).reset(seed=1)
    assert np.array_equal(before, reference["observation"])

    for wrong in [{}, {**out, "scalars": out["scalars"].astype(np.float64)}, {**out, "observation": before[:2]}]:
        with pytest.raises(ValueError, match="must be an array"):
            VectorEnv("kob", 3, out=wrong)
    with pytest.raises(ValueError, match="contiguous"):
        VectorEnv("kob", 3, out={**out, "observation": np.asfortranarray(before)})


def test_a_wrong_action_plays_nothing():
    env = VectorEnv("tankcraft", 3)
    env.reset(seed=1)
    hashes = env.hashes()
    actions = np.zeros((3, 5), np.int64)
    actions[2, 4] = 69
    with pytest.raises(ValueError, match="environment 2 is out of range"):
        env.step(actions)
    with pytest.raises(ValueError, match="shape"):
        env.step(actions[:2])
    assert env.hashes() == hashes


def test_a_pool_of_setups_is_drawn_from():
    env = VectorEnv("kob", 64, pool=4)
    observations, _ = env.reset(seed=1)
    maps = {observations["observation"][lane, 0].tobytes() for lane in range(64)}
    assert 1 < len(maps) <= 4


def test_the_interpreters_lock_is_released():
    """A step whose bots think does not keep another thread from running."""
    env = VectorEnv("kob", 3, "alphabeta", threads=2)
    observations, _ = env.reset(seed=1)
    is_stepping, stop, counted = [False], [False], [0]

    def count():
        while not stop[0]:
            counted[0] += is_stepping[0]
            time.sleep(0)

    thread = threading.Thread(target=count)
    before = sys.getswitchinterval()
    # The interpreter takes the lock away from nobody: the other thread counts only if a step gives it.
    sys.setswitchinterval(3600)
    try:
        thread.start()
        # Where both threads have one core, it need not be the turn of the other one in every step.
        for number in range(2000):
            actions = actions_of(observations, number)
            is_stepping[0] = True
            observations = env.step(actions)[0]
            is_stepping[0] = False
            if counted[0]:
                break
    finally:
        sys.setswitchinterval(before)
        stop[0] = True
        thread.join()
    assert counted[0]


@pytest.mark.parametrize("game", GAMES)
def test_self_play_is_the_single_leg(game):
    config = {"rounds": 10} if game == "tankcraft" else None
    batch = SelfPlay(game, 3, config=config, seed=20, reward="score")
    observations = batch.reset()
    legs = [leitai.Game(game).start(20 + lane, config) for lane in range(3)]
    rng, ended, paid = np.random.default_rng(5), [False] * 3, np.zeros((3, 2))
    for _ in range(60):
        actions = np.zeros(batch.action_shape, np.int64)
        for lane, leg in enumerate(legs):
            for place, seat in enumerate(leg.seats):
                said = [int(rng.choice(np.flatnonzero(part))) for part in np.atleast_2d(leg.mask(seat))]
                at = (lane, place) if len(leg.seats) == 2 else (lane,)
                actions[at] = said if len(said) > 1 else said[0]
            if len(leg.seats) == 2:
                leg.step(*actions[lane].tolist())
            elif leg.seats:
                leg.step(actions[lane])
        observations, rewards, terminated = batch.step(actions)
        for lane, leg in enumerate(legs):
            if ended[lane]:
                continue
            assert batch.hashes()[lane] == leg.hash()
            assert terminated[lane] == leg.is_over
            paid[lane] += rewards[lane]
            sides = [0, 1] if game != "snakego" else [batch.seats[lane]]
            for place, seat in enumerate(sides):
                at = (lane, place) if game != "snakego" else (lane,)
                assert np.array_equal(observations["observation"][at], leg.planes(int(seat)))
            if leg.is_over:
                ended[lane] = True
                winner = -1 if leg.winner is None else leg.winner
                assert batch.results[lane].tolist() == [winner, *leg.scores]
                lead = leg.scores[0] - leg.scores[1]
                assert paid[lane].tolist() == [lead, -lead], "as PettingZoo's environments pay"
    assert any(ended)


def test_make_vec():
    env = gymnasium.make_vec("leitai/SnakeGo-v0", num_envs=4, vectorization_mode="vector_entry_point")
    observations, _ = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    assert snakego.layout().planes_shape() == observations["observation"].shape[1:]


@pytest.mark.parametrize("game", GAMES)
def test_boards_are_pictures(game):
    """As RecordVideo takes them: one for each step, of the same size, and they change."""
    env = gymnasium.wrappers.RenderCollection(Env(game, render_mode="rgb_array"))
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(3):
        if not env.unwrapped.leg.is_over:
            env.step(env.action_space.sample(env.unwrapped.leg.observe(0)["action_mask"]))
    frames = env.render()
    layout = env.unwrapped.layout
    assert len(frames) > 1 and len({frame.tobytes() for frame in frames}) > 1
    assert all(frame.dtype == np.uint8 and frame.shape == frames[0].shape for frame in frames)
    assert sorted(frames[0].shape) == sorted([layout.rows * 16, layout.cols * 16, 3]) and len(np.unique(frames[0])) > 3
    envs = VectorEnv(game, 2, render_mode="rgb_array")
    envs.reset(seed=1)
    assert (envs.render()[0] == frames[0]).all()
    with pytest.raises(ValueError, match="cell is 65; 2 to 64 pixels"):
        env.unwrapped.leg.pixels(65)
    for make in (lambda mode: Env(game, render_mode=mode), lambda mode: VectorEnv(game, 2, render_mode=mode)):
        with pytest.raises(ValueError, match="there is no render_mode 'human'"):
            make("human")


@pytest.mark.parametrize("game", GAMES)
def test_masks_have_the_name_and_the_space_that_libraries_want(game):
    """sb3-contrib asks for `action_masks`; TorchRL makes `Binary(space.n)`, which takes a number and no tuple."""
    alone, envs = Env(game), VectorEnv(game, 2)
    seen, _ = alone.reset(seed=1)
    together, _ = envs.reset(seed=1)
    assert alone.action_masks().dtype == bool and (alone.action_masks() == (seen["action_mask"].reshape(-1) != 0)).all()
    assert (envs.action_masks()[0] == alone.action_masks()).all()
    space = alone.observation_space["action_mask"]
    assert type(space.n) is int if isinstance(space, gymnasium.spaces.MultiBinary) else isinstance(space, gymnasium.spaces.Box)
    assert seen["action_mask"] in space


@pytest.mark.parametrize("game", GAMES)
def test_observations_are_handed_on_without_copies(game):
    """By DLPack, at addresses that JAX needs for that; the tests of learners do it with PyTorch and JAX."""
    observations, _ = VectorEnv(game, 3).reset(seed=1)
    for name, array in observations.items():
        assert np.shares_memory(np.from_dlpack(array), array), name
        assert array.ctypes.data % 64 == 0, name


def test_nobody_wins_a_settled_leg_that_is_level():
    """The first seat wins a leg that ends level; but here the other one plays on alone."""
    config = {"max_round": 60}
    options = {"solo_tail": "settle", "config": config}
    wall = lambda leg, seat: leg.legal_actions(seat)[0]  # noqa: E731
    for seed in (284, 374):
        env = Env("snakego", wall, **options)
        observation, _ = env.reset(seed=seed)
        random = np.random.default_rng(seed)
        over = False
        while not over:
            observation, reward, over, _, info = env.step(random.choice(np.flatnonzero(observation["action_mask"])))
        assert not env.leg.is_over and info["scores"] == (4, 4)
        assert (reward, info["winner"]) == (0, -1)
