"""Who plays on the other seat: one argument everywhere."""

import copy
import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import leitai
from leitai import Checkpoint, League, Policy, Pool, SelfPlay
from leitai.gym import Env, VectorEnv
from leitai.program import ProgramError

GAMES = ["snakego", "kob", "tankcraft"]
FIRST_LEGAL = [sys.executable, str(Path(__file__).parents[3] / "docs/examples/first_legal.py")]
SHORT = {"tankcraft": {"rounds": 12}, "snakego": {"max_round": 40}}


def by_mask(observation, leg):
    """The last allowed choice of each part."""
    mask = observation["action_mask"]
    return mask.shape[-1] - 1 - mask[..., ::-1].argmax(-1)


def of_leg(leg, seat):
    return by_mask(leg.observe(seat), leg)


class Chooser:
    def choose(self, leg, seat):
        return of_leg(leg, seat)


def load(path):
    """A file with the number of the choice that is preferred."""
    wish = int(path.read_text())
    return lambda observation, leg: wish if observation["action_mask"][wish] else by_mask(observation, leg)


def opponents():
    return {
        "a name": "random",
        "a level": 1,
        "a function": of_leg,
        "an object": Chooser(),
        "a policy": Policy(by_mask),
        "batches": Policy(by_mask, batch=True),
        "a pool of bots": Pool({"random": 2, 1: 1}),
        "a mixed pool": Pool([("random", 1), (of_leg, 1)]),
        "a league": League(main=of_leg, past=["random"], exploiters=[1]),
    }


@pytest.mark.parametrize("name", opponents())
@pytest.mark.parametrize("game", GAMES)
def test_environment_i_of_a_batch_is_an_environment(game, name):
    """Leg by leg: positions, rewards, seats, members."""
    lanes, options = 3, {"seat": "alternate", "reward": "score", "config": SHORT.get(game)}
    together = VectorEnv(game, lanes, opponents()[name], **options)
    alone = [Env(game, opponents()[name], **options) for _ in range(lanes)]
    observations, infos = together.reset(seed=5)
    single = [env.reset(seed=5 + lane) for lane, env in enumerate(alone)]
    over = [False] * lanes
    for _ in range(60):
        for lane, (seen, info) in enumerate(single):
            assert all((observations[part][lane] == seen[part]).all() for part in seen)
            if "seat" in info:
                assert infos["seat"][lane] == info["seat"]
                assert "opponent" not in infos or infos["opponent"][lane] == info["opponent"]
        said = observations["action_mask"].argmax(-1)
        observations, rewards, ends, _, infos = together.step(said)
        for lane, env in enumerate(alone):
            if over[lane]:
                single[lane], over[lane], reward = env.reset(), False, 0
            else:
                seen, reward, over[lane], _, info = env.step(said[lane])
                single[lane] = seen, {}
            assert (rewards[lane], bool(ends[lane])) == (reward, over[lane])
        assert together.hashes() == [env.leg.hash() for env in alone]
    for env in (together, *alone):
        env.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("tail", ["play", "truncate", "settle"])
def test_python_plays_a_batch_as_the_engine_does(tail, mode):
    """The same bot by name and as an object."""

    class Bots:
        """A bot for each leg: only the first question of a leg begins a new one."""

        def choose(self, leg, seat):
            return leitai.snakego.bot("greedy", 0).choose(leg, seat)

    def play(opponent):
        envs = VectorEnv("snakego", 4, opponent, solo_tail=tail, autoreset_mode=mode, config=SHORT["snakego"], max_episode_steps=50)
        observations, _ = envs.reset(seed=3)
        random, seen = np.random.default_rng(1), []
        for _ in range(90):
            mask = observations["action_mask"]
            said = (random.random(mask.shape) * mask).argmax(-1)
            observations, *rest, info = envs.step(said)
            last = [] if "final_obs" not in info else [one["scalars"].tolist() for one in info["final_obs"] if one]
            seen.append((envs.hashes(), *(one.tolist() for one in rest), observations["action_mask"].tolist(), last))
            over = rest[1] | rest[2]
            if mode == "Disabled" and over.any():
                observations, _ = envs.reset(options={"reset_mask": over})
        return seen

    first, second = (leitai.snakego.bot("greedy", seed).choose(leitai.snakego.start(1)) for seed in (0, 7))
    assert first == second, "this bot uses no chance"
    assert play("greedy") == play(Bots())


def test_a_policy_is_asked_once_for_all():
    sizes = []

    def choose(observations, legs):
        sizes.append((len(legs), observations["observation"].shape[0]))
        return by_mask(observations, legs)

    envs = VectorEnv("kob", 8, Policy(choose, batch=True))
    envs.reset(seed=1)
    envs.step(np.zeros(8, np.int64))
    assert sizes == [(8, 8)]


def test_a_program_is_an_opponent_in_batches():
    envs = VectorEnv("kob", 2, FIRST_LEGAL)
    envs.reset(seed=1)
    alone = Env("kob", FIRST_LEGAL)
    alone.reset(seed=2)
    envs.step(np.ones(2, np.int64))
    alone.step(1)
    assert envs.hashes()[1] == alone.leg.hash()
    envs.close()
    alone.close()


def test_a_pool_draws_as_often_as_its_weights_say():
    envs = VectorEnv("kob", 4000, Pool({"random": 3, "safe": 1, "space": 0}), packed=True)
    _, info = envs.reset(seed=1)
    counts = np.bincount(info["opponent"], minlength=3)
    assert abs(counts[0] - 3000) < 140 and counts[2] == 0


def test_a_checkpoint_is_read_again_when_it_changes(tmp_path):
    file = tmp_path / "weights"
    file.write_text("0")
    checkpoint = Checkpoint(file, load)
    env = Env("kob", checkpoint)
    env.reset(seed=1)
    assert checkpoint.choose(env.leg, 1) == 0
    file.write_text("2")
    os.utime(file, ns=(1, 1))
    env.reset()
    assert checkpoint.choose(env.leg, 1) == 2
    with pytest.raises(FileNotFoundError):
        Checkpoint(tmp_path / "none", load)


def test_a_league_meets_those_that_win_and_keeps_its_size():
    league = League(main="level1", past=["safe", "random"], most_past=2)
    env = Env("kob", league)
    for seed in range(30):
        env.reset(seed=seed)
        over = False
        while not over:
            over = env.step(0)[2]
    counted = sum(one.wins + one.draws + one.losses for one in league.records.values())
    assert counted == 30 and set(league.records) == {0, 1, 2}
    league.records = {1: leitai.opponents.LeagueRecord(losses=99), 2: leitai.opponents.LeagueRecord(wins=99)}
    assert league.probabilities[1] > 50 * league.probabilities[2]
    league.add_past("space")
    assert league.members == ("level1", "safe", "space") and set(league.records) == {1}
    league.add_exploiter("level2")
    assert sum(league.probabilities) == pytest.approx(1) and len(league.probabilities) == 4


def test_what_is_no_opponent_is_refused():
    for make in (lambda one: Env("kob", one), lambda one: VectorEnv("kob", 2, one)):
        for opponent, error, part in [
            ("spice", ValueError, 'kob has no bot "spice"; it has'),
            (99, ValueError, 'kob has no bot "level99"; it has'),
            (True, TypeError, "True is no opponent"),
            (None, TypeError, "None is no opponent; a bot's name"),
            (Path("weights.npz"), TypeError, "a file is leitai.Checkpoint"),
            (leitai.kob.bot("safe"), TypeError, "give its name"),
            ("ladder:https://arena.example/chess", ProgramError, "is no ladder of kob"),
        ]:
            with pytest.raises(error, match=part):
                make(opponent)
    for members, part in [({}, "no members"), ({"safe": -1}, r"\[-1.0\]"), ({"safe": 0}, "one of them above 0"), ({"safe": float("nan")}, "nan")]:
        with pytest.raises(ValueError, match=part):
            Pool(members)
    with pytest.raises(ValueError, match="pool is a member"):
        Pool([(Pool({"safe": 1}), 1)])
    with pytest.raises(ValueError, match="a pool is a member of a league"):
        League(Pool({"safe": 1}))
    with pytest.raises(ValueError, match="2 actions; it was asked for 3"):
        short = VectorEnv("kob", 3, Policy(lambda seen, legs: [0, 0], batch=True))
        short.reset(seed=1)
        short.step(np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="pool is 8; setups dealt in advance"):
        VectorEnv("kob", 2, of_leg, pool=8)


@pytest.mark.parametrize("how", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))], ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("opponent", ["random", Pool({"random": 1, "level1": 1}), of_leg, None])
@pytest.mark.parametrize("game", GAMES)
def test_batches_are_copied_in_the_middle_of_legs(game, opponent, how):
    """With bots that draw chance, rewards by score, and legs that have just ended."""
    config = SHORT.get(game)
    if opponent is None:
        envs = SelfPlay(game, 5, config=config, reward="score", seed=2)
        observations = envs.reset()
    else:
        envs = VectorEnv(game, 5, opponent, config=config, reward="score", seat="alternate")
        observations, _ = envs.reset(seed=2)
    random = np.random.default_rng(1)

    def step(these, seen):
        said = (random.random(seen["action_mask"].shape) * seen["action_mask"]).argmax(-1)
        return said, these.step(said)

    for number in range(60):
        if number in (0, 11, 37):
            other = how(envs)
            assert other.hashes() == envs.hashes()
            twin_seen, mine = observations, observations
            state = random.bit_generator.state
            for _ in range(3):
                said, (twin_seen, twin_rewards, *_) = step(other, twin_seen)
            twin = (other.hashes(), twin_rewards.tolist(), {part: twin_seen[part].copy() for part in twin_seen})
            random.bit_generator.state = state
            for _ in range(3):
                said, (observations, rewards, *_) = step(envs, observations)
            assert twin[:2] == (envs.hashes(), rewards.tolist())
            assert all((twin[2][part] == observations[part]).all() for part in observations)
        _, (observations, *_) = step(envs, observations)


def test_restored_legs_are_copied_where_nobody_else_plays():
    batch = SelfPlay("snakego", 3, seed=1)
    batch.reset()
    legs = [leitai.snakego.start(seed, config={"max_round": 30}) for seed in (7, 8, 9)]
    for leg in legs:
        leg.play_random(1, 20)
    batch.restore(legs)
    batch.step(np.zeros(3, np.int64))
    assert copy.deepcopy(batch).hashes() == batch.hashes()
