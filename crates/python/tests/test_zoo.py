"""PettingZoo's own checkers on our environments."""

import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, seed_test

from leitai.zoo import kob_v0, snakego_v0, tankcraft_v0

AEC = {"snakego": snakego_v0.env, "kob": kob_v0.env, "tankcraft": tankcraft_v0.env}
PARALLEL = {"kob": kob_v0.parallel_env, "tankcraft": tankcraft_v0.parallel_env}

# Recommendations of PettingZoo that do not fit: observations are dicts because of the action mask,
# and TankCraft's actions have five parts.
ADVICE = [
    "Observation space for each agent probably should be",
    "Agent space for each agent probably should be",
    "Action space for each agent probably should be",
    "Observation is not a NumPy array",
]


@pytest.fixture(autouse=True)
def _only_known_advice():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    new = [str(one.message) for one in seen if not str(one.message).startswith(tuple(ADVICE))]
    assert new == []


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("reward", ["outcome", "score"])
@pytest.mark.parametrize("game", AEC)
def test_api(game, reward, packed):
    api_test(AEC[game](reward=reward, packed=packed), num_cycles=300)


@pytest.mark.parametrize("game", PARALLEL)
def test_parallel_api(game):
    parallel_api_test(PARALLEL[game](), num_cycles=300)


@pytest.mark.parametrize("game", AEC)
def test_seed(game):
    seed_test(AEC[game], num_cycles=200)


@pytest.mark.parametrize("game", PARALLEL)
def test_parallel_seed(game):
    parallel_seed_test(PARALLEL[game], num_cycles=200)


class OpenKob:
    """King of Bots on an empty board. The checker acts at random and no snake may die in four rounds;
    with this seed of the action spaces none does."""

    CONFIG = {"map": "0" * 225, "rows": 15, "cols": 15, "a": [7, 3], "b": [7, 11]}
    SEED = 0

    def parallel_env(self, max_cycles):
        return self._seeded(kob_v0.parallel_env(max_cycles=max_cycles, config=self.CONFIG))

    def env(self, max_cycles):
        return self._seeded(kob_v0.env(max_cycles=max_cycles, config=self.CONFIG))

    def _seeded(self, env):
        for n, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(self.SEED + n)
        return env


@pytest.mark.parametrize("mod", [tankcraft_v0, OpenKob()], ids=["tankcraft", "kob"])
def test_max_cycles(mod):
    max_cycles_test(mod)


def test_snakego_is_cut_after_max_cycles():
    env = snakego_v0.env(max_cycles=3)
    env.reset(seed=1)
    for _ in range(3):
        observation, _, terminated, truncated, _ = env.last()
        assert not terminated and not truncated
        env.step(int(np.flatnonzero(observation["action_mask"])[0]))
    assert all(env.truncations.values()) and not any(env.terminations.values())


def test_rewards_are_the_outcome_or_the_change_of_the_lead():
    for reward in ("outcome", "score"):
        env = snakego_v0.raw_env(reward=reward)
        for seed in range(5):
            env.reset(seed=seed)
            env.action_space("player_0").seed(seed)
            total = np.zeros(2)
            for agent in env.agent_iter():
                observation, _, terminated, _, _ = env.last()
                env.step(None if terminated else env.action_space("player_0").sample(observation["action_mask"]))
                if env.agents and not terminated:
                    total += list(env.rewards.values())
                    env.rewards = dict.fromkeys(env.rewards, 0.0)
            first, second = env.leg.scores
            lead = first - second
            won = 1 if env.leg.winner == 0 else -1
            assert total.tolist() == ([won, -won] if reward == "outcome" else [lead, -lead])


def test_the_state_is_what_both_agents_know():
    for make in (snakego_v0.env, kob_v0.parallel_env, tankcraft_v0.parallel_env):
        env = make()
        env.reset(seed=3)
        leg = env.unwrapped.leg
        planes, scalars = leg.planes(1), leg.scalars(1)
        state = env.state()
        assert state in env.unwrapped.state_space and state.shape == env.unwrapped.state_space.shape
        assert (state[-scalars.size - planes.size :] == [*planes.reshape(-1), *scalars]).all()
