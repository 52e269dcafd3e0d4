"""Groups of legs that are sent and received, against the same legs in one batch."""

import threading
import time

import numpy as np
import pytest

from leitai import Policy
from leitai.async_batch import AsyncBatch
from leitai.gym import VectorEnv

STEPS = 40


def first_legal(observation):
    """The first legal action of each leg; of TankCraft for each tank."""
    return observation["action_mask"].argmax(axis=-1)


def expected_steps(game, **options):
    """What a batch of all environments says, step by step."""
    env = VectorEnv(game, 6, "random", seat="alternate", **options)
    observation, info = env.reset(seed=7)
    steps = [(observation, np.zeros(6), np.zeros(6, bool), np.zeros(6, bool), info)]
    for _ in range(STEPS):
        steps.append(env.step(first_legal(steps[-1][0])))
    return steps


@pytest.mark.parametrize("workers", [None, 1, 3])
@pytest.mark.parametrize("game", ["snakego", "kob", "tankcraft"])
def test_legs_are_those_of_one_batch_in_whatever_order(game, workers):
    expected = expected_steps(game)
    chance = np.random.default_rng(1)
    with AsyncBatch(game, 6, 2, "random", seat="alternate", workers=workers) as batch:
        batch.async_reset(seed=7)
        number = [0, 0, 0]
        ends = 0
        while min(number) <= STEPS:
            observation, rewards, terminated, truncated, info = batch.recv()
            ids = info["env_id"]
            group = int(ids[0]) // 2
            step = expected[min(number[group], STEPS)]
            if number[group] <= STEPS:
                for name, array in observation.items():
                    assert np.array_equal(array, step[0][name][ids]), (name, ids)
                for given, whole in zip((rewards, terminated, truncated, info["seat"]), (*step[1:4], step[4]["seat"])):
                    assert np.array_equal(given, whole[ids])
                ends += int(terminated.sum())
            number[group] += 1
            order = chance.permutation(2)
            batch.send(first_legal(observation)[order], ids[order])
    assert ends > 0 or game != "kob"


def test_a_step_is_played_while_the_learner_works():
    asked, go_on = threading.Event(), threading.Event()

    def patient(leg, seat):
        asked.set()
        assert go_on.wait(60)
        return leg.index(leg.legal(seat)[0], seat)

    with AsyncBatch("kob", 2, 1, patient) as batch:
        go_on.set()
        batch.async_reset(seed=1)
        first = batch.recv()
        second = batch.recv()
        go_on.clear()
        asked.clear()
        batch.send([0], first[-1]["env_id"])  # Returns although the opponent still thinks.
        assert asked.wait(60)
        with pytest.raises(ValueError, match="wait for actions: .%d." % second[-1]["env_id"][0]):
            batch.send([0], first[-1]["env_id"])
        go_on.set()
        assert batch.recv()[-1]["env_id"] == first[-1]["env_id"]


def test_one_policy_is_asked_by_one_group_at_a_time():
    inside, most = [], []

    def count(observation, _leg):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.001)  # Others run meanwhile, if they may.
        inside.pop()
        return first_legal(observation)

    with AsyncBatch("kob", 8, 2, Policy(count)) as batch:
        batch.async_reset(seed=1)
        for _ in range(40):
            observation, *_, info = batch.recv()
            batch.send(first_legal(observation), info["env_id"])
    assert len(most) > 50 and max(most) == 1


def test_an_error_of_a_step_comes_out_of_recv_and_a_reset_begins_again():
    def broken(leg, seat):
        raise KeyError("lost my weights")

    with AsyncBatch("kob", 2, 1, broken) as batch:
        batch.async_reset(seed=1)
        with pytest.raises(KeyError, match="lost my weights"):
            for _ in range(3):
                *_, info = batch.recv()
                batch.send([0], info["env_id"])
        batch.async_reset(seed=2)
    batch.close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"num_envs": 6, "batch_size": 4}, "num_envs is 6 and batch_size 4; num_envs has to be 1 to 1024 times"),
        ({"num_envs": 0}, "num_envs is 0"),
        ({"num_envs": 4, "batch_size": 0}, "batch_size 0"),
        ({"num_envs": 4, "workers": 0}, "workers is 0; at least 1"),
        ({"num_envs": 4, "copy": False}, "copy is not accepted here"),
    ],
)
def test_arguments_that_cannot_be(arguments, said):
    with pytest.raises(ValueError, match=said):
        AsyncBatch("kob", **arguments)


def test_calls_out_of_turn_are_refused_and_never_wait():
    batch = AsyncBatch("kob", 4, 2)
    with pytest.raises(RuntimeError, match="no group is under way; call async_reset"):
        batch.recv()
    batch.async_reset(seed=1)
    with pytest.raises(ValueError, match="none: call recv"):
        batch.send([0, 0], [0, 1])
    ids = [batch.recv()[-1]["env_id"].tolist() for _ in range(2)]
    assert sorted(ids) == [[0, 1], [2, 3]]
    for wrong in ([0, 2], [0, 0], [0], [], [7, 8], [-1, -2]):
        with pytest.raises(ValueError, match="groups that wait for actions"):
            batch.send([0] * len(wrong), wrong)
    with pytest.raises(ValueError, match="one for each of the 2 environments"):
        batch.send([0], [0, 1])
    assert batch.step([0, 0], [0, 1])[-1]["env_id"].tolist() == [0, 1]
    batch.close()
    for call in (batch.recv, batch.async_reset, lambda: batch.send([0, 0], [0, 1])):
        with pytest.raises(RuntimeError, match="closed; make another one"):
            call()
