"""Tournaments and rollouts on a Ray cluster of two nodes, which run as processes of this machine."""

import os
import re
import sys
import time
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
# On a busy machine a node, or a worker of one, takes long to start.
os.environ["RAY_raylet_start_wait_time_s"] = os.environ["RAY_worker_register_timeout_seconds"] = "600"
ray = pytest.importorskip("ray", reason="Ray is not installed; ./dev python installs it")

import leitai  # noqa: E402
import leitai.ray  # noqa: E402
from leitai import SelfPlay  # noqa: E402
from leitai.gym import VectorEnv  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

ROOT = Path(__file__).parents[3]
# The nodes cannot import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])

# Ray takes 127.0.0.1 for the address of the network card; this loopback address it leaves alone.
NODE = {"num_cpus": 1, "node_ip_address": "127.0.0.2", "object_store_memory": 80_000_000}


class PatientCluster(Cluster):
    """It waits for its nodes on a busy machine, too."""

    def _wait_for_node(self, node, timeout=600):
        super()._wait_for_node(node, timeout)


@pytest.fixture(scope="module")
def cluster():
    two = PatientCluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    two.add_node(**NODE, resources={"second": 4})
    ray.init(address=two.address, log_to_driver=False)
    yield two
    ray.shutdown()
    two.shutdown()


class Drawn:
    """A policy whose chance comes from the leg's seed. It notes the node on which it plays, and keeps it until so many
    nodes play: one that starts late has its part, too."""

    def __init__(self, folder, nodes):
        self.folder, self.nodes = folder, nodes

    def start_leg(self, seed):
        self.random = np.random.default_rng(seed)
        (self.folder / f"node-{ray.get_runtime_context().get_node_id()}").touch()
        until = time.monotonic() + 900
        while len(list(self.folder.glob("node-*"))) < self.nodes and time.monotonic() < until:
            time.sleep(0.05)

    def __call__(self, observation, leg):
        return self.random.choice(np.flatnonzero(observation["action_mask"]))


class Alone(Drawn):
    """The same without a cluster."""

    def start_leg(self, seed):
        self.random = np.random.default_rng(seed)


class Deadly(Drawn):
    """Kills its process: in the first legs, as often as the folder does not say that it has, or always."""

    def __init__(self, folder, times):
        super().__init__(folder, nodes=1)
        self.times = times

    def start_leg(self, seed):
        super().start_leg(seed)
        for death in range(self.times):
            try:
                # Of two processes one dies this death.
                (self.folder / f"death-{death}").touch(exist_ok=False)
            except FileExistsError:
                continue
            os._exit(1)


PROGRAM = leitai.Program([sys.executable, str(ROOT / "docs/examples/first_legal.py")], timeout=300)


def test_a_tournament_on_two_nodes_is_that_on_one_machine(cluster, tmp_path):
    def players(drawn):
        return {"space": "space", "random": "random", "drawn": drawn, "program": PROGRAM}

    told = []
    played = leitai.ray.tournament(
        "kob", players(Drawn(tmp_path, nodes=2)), rounds=3, seed=9, pairs_a_task=2, notify=lambda pair, done, of: told.append((done, of))
    )
    assert len(list(tmp_path.glob("node-*"))) == 2, "both nodes play"
    assert told == [(done, 18) for done in range(1, 19)]
    assert played == leitai.tournament("kob", players(Alone(tmp_path, nodes=1)), rounds=3, seed=9)
    assert [pair.number for pair in played.pairs] == list(range(18))


def test_pairs_of_lost_workers_are_played_again_and_count_once(cluster, tmp_path):
    played = leitai.ray.tournament("kob", {"deadly": Deadly(tmp_path, 2), "random": "random"}, rounds=6, seed=9, pairs_a_task=3)
    assert len(list(tmp_path.glob("death-*"))) == 2
    assert played == leitai.tournament("kob", {"deadly": Alone(tmp_path, nodes=1), "random": "random"}, rounds=6, seed=9)


def test_a_pair_that_kills_its_worker_again_and_again_is_void(cluster, tmp_path):
    players = {"deadly": Deadly(tmp_path, 99), "random": "random", "space": "space"}
    played = leitai.ray.tournament("kob", players, retries=1)
    assert [pair.players for pair in played.void] == [(0, 1), (0, 2)]
    assert "lost 2 times, the last time by WorkerCrashedError" in played.void[0].void
    assert "2 pairs are void" in str(played)
    games = {row.name: sum(row.games.values()) for row in played.standings}
    assert games == {"deadly": 0, "random": 2, "space": 2}


def test_a_tournament_outlives_a_node(cluster, tmp_path):
    third = cluster.add_node(**NODE, resources={"third": 1})
    removed = []

    def remove(pair, done, of):
        if not removed and (tmp_path / f"node-{third.node_id}").exists():
            removed.append(third)
            cluster.remove_node(third, allow_graceful=False)

    played = leitai.ray.tournament("kob", {"drawn": Drawn(tmp_path, nodes=3), "random": "random"}, rounds=60, seed=2, pairs_a_task=1, notify=remove)
    assert removed, "the third node played"
    assert played == leitai.tournament("kob", {"drawn": Alone(tmp_path, nodes=1), "random": "random"}, rounds=60, seed=2)


def test_an_error_of_a_policy_is_told(cluster):
    def broken(observation, leg):
        return observation["no such thing"]

    with pytest.raises(leitai.PlayerError, match="broken failed in round 1: KeyError: 'no such thing'"):
        leitai.ray.tournament("kob", {"broken": broken, "random": "random"}, rounds=8)
    with pytest.raises(ValueError, match="retries is -1"):
        leitai.ray.tournament("kob", ["safe", "random"], retries=-1)


class Greedy:
    """A policy of a vector environment with weights: the first legal action, moved by them."""

    def __init__(self, seed):
        self.shift = 0

    def set_weights(self, weights):
        self.shift = weights

    def __call__(self, observations):
        mask = observations["action_mask"]
        actions = (np.roll(mask, self.shift, axis=-1).argmax(-1) - self.shift) % mask.shape[-1]
        return actions, {"value": observations["scalars"][..., 0]}


def rollouts_of_one_machine(game, steps, calls, opponent):
    """What one vector environment with all the legs plays."""
    policy = Greedy(0)
    if opponent is None:
        envs = SelfPlay(game, 8, seed=4, packed=True)
        seen = envs.reset(seed=4)
    else:
        envs = VectorEnv(game, 8, opponent, seat="alternate", packed=True)
        seen, _ = envs.reset(seed=4)
    for call in range(calls):
        policy.set_weights(call)
        rows = []
        for _ in range(steps):
            before = {name: array.copy() for name, array in seen.items()}
            actions, _ = policy(seen)
            seen, rewards, *_ = envs.step(actions)
            rows.append((before, actions, rewards.copy()))
        yield rows


@pytest.mark.parametrize("game, opponent", [("kob", "random"), ("snakego", "greedy"), ("kob", None), ("snakego", None)])
def test_rollouts_of_workers_are_those_of_one_vector_environment(cluster, game, opponent):
    more = {} if opponent is None else {"seat": "alternate"}
    with leitai.ray.Rollouts(game, Greedy, workers=2, num_envs=4, opponent=opponent, seed=4, packed=True, **more) as rollouts:
        for call, rows in enumerate(rollouts_of_one_machine(game, 12, 3, opponent)):
            parts = rollouts.sample(12, weights=call)
            assert [part.worker for part in parts] == [0, 1]
            for step, (seen, actions, rewards) in enumerate(rows):
                for name, array in seen.items():
                    assert np.array_equal(np.concatenate([part.observations[name][step] for part in parts]), array), (name, step)
                assert np.array_equal(np.concatenate([part.actions[step] for part in parts]), actions)
                assert np.array_equal(np.concatenate([part.rewards[step] for part in parts]), rewards)
            for part in parts:
                assert part.observations["scalars"].shape[0] == part.seats.shape[0] == 13
                assert np.array_equal(part.extras["value"], part.observations["scalars"][:-1][..., 0])
                # The step after an end begins a leg and teaches nothing.
                assert np.array_equal(~part.valid[1:], (part.terminated | part.truncated)[:-1])
                assert sum(part.legs.values()) == part.terminated.sum()


class Mortal:
    """Kills its process in the sixth step, unless another was made before."""

    def __init__(self, folder):
        (folder / f"made-{os.getpid()}").touch()
        self.steps = 0 if len(list(folder.glob("made-*"))) == 1 else -99

    def __call__(self, observations):
        self.steps += 1
        if self.steps == 6:
            os._exit(1)
        return observations["action_mask"].argmax(-1)


def test_a_lost_rollout_worker_begins_anew(cluster, tmp_path):
    with leitai.ray.Rollouts("kob", lambda seed: Mortal(tmp_path), workers=1, num_envs=2, seed=4) as rollouts:
        parts = [rollouts.sample(5)[0] for _ in range(3)]
    assert len(list(tmp_path.glob("made-*"))) == 2
    first, second, third = (part.observations["observation"] for part in parts)
    expected, _ = VectorEnv("kob", 2).reset(seed=4)
    assert np.array_equal(first[0], expected["observation"])
    assert not np.array_equal(second[0], first[-1]) and not np.array_equal(second[0], first[0]), "other legs"
    assert np.array_equal(third[0], second[-1]), "the legs go on"


def test_a_stream_takes_the_newest_weights(cluster):
    with leitai.ray.Rollouts("kob", Greedy, workers=2, num_envs=2, opponent="random") as rollouts:
        rollouts.set_weights(1)
        found, workers = [], set()
        for rollout in rollouts.stream(4):
            workers.add(rollout.worker)
            found.append(int(rollout.actions[0, 0]))
            rollouts.set_weights(2)
            if len(found) >= 8 and len(workers) == 2:
                break
        assert len(set(found)) > 1
    with pytest.raises(ValueError, match="workers is 0"):
        leitai.ray.Rollouts("kob", Greedy, workers=0)


def test_the_examples_of_the_page_run(cluster):
    """With fewer rounds and workers, on the cluster of the tests. The Chinese page has the same ones."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "learning.md").read_text(), re.DOTALL)
    first = next(number for number, block in enumerate(blocks) if "players = {" in block)
    learned = []
    names = {"np": np, "leitai": leitai, "weights": 1, "learn": lambda *arrays: learned.append(arrays)}
    changes = {'ray.init(address="auto")': "", "rounds=5,": "rounds=2,", "rounds=500": "rounds=2"}
    changes |= {"workers=8": "workers=2", "num_envs=256": "num_envs=4", "range(100)": "range(2)", "docs/examples": f"{ROOT}/docs/examples"}
    results = []
    for block in blocks[first : first + 3]:
        for old, new in changes.items():
            block = block.replace(old, new)
        exec(block, names)
        results.append(names["result"])
    assert results[0] == results[1] and len(learned) == 4
