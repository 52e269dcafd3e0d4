"""PyTorch, RLlib, Tianshou, SB3, TorchRL, OpenSpiel, JAX and MoviePy on our environments. They are several GB: `./dev python-learners` installs them, elsewhere these
tests are skipped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import leitai
from leitai.gym import Env, VectorEnv

# Its workers are as important as the test, and on a busy machine they take long to start.
os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0", RAY_worker_register_timeout_seconds="600")

WHY = "is not installed; ./dev python-learners installs it"


def test_a_masked_policy_of_pytorch_plays_over_the_ends_of_legs():
    torch = pytest.importorskip("torch", reason=f"PyTorch {WHY}")
    for game in ("snakego", "kob"):
        for autoreset in ("NextStep", "SameStep"):
            envs = VectorEnv(game, 16, autoreset_mode=autoreset, solo_tail="truncate")
            observations, _ = envs.reset(seed=1)
            ended = 0
            for _ in range(80):
                mask = torch.from_numpy(observations["action_mask"]).bool()
                logits = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
                policy = torch.distributions.Categorical(logits=logits, validate_args=True)
                observations, _, terminated, truncated, _ = envs.step(policy.sample())
                ended += (terminated | truncated).sum()
            assert ended > 16


def test_tensors_of_pytorch_are_written_into():
    torch = pytest.importorskip("torch", reason=f"PyTorch {WHY}")
    types = {"observation": torch.uint8, "scalars": torch.float32, "action_mask": torch.int8}
    spaces = VectorEnv("kob", 3).observation_space
    out = {name: torch.zeros(space.shape, dtype=types[name]) for name, space in spaces.items()}
    envs = VectorEnv("kob", 3, out=out)
    observations, _ = envs.reset(seed=1)
    assert all(observations[name] is tensor for name, tensor in out.items())
    expected, _ = VectorEnv("kob", 3).reset(seed=1)
    assert all(np.array_equal(out[name].numpy(), expected[name]) for name in out)
    envs.step(torch.zeros(3, dtype=torch.int64))


@pytest.mark.parametrize("game", ["kob", "snakego", "tankcraft"])
def test_rllib_trains_with_masks(game):
    ray = pytest.importorskip("ray", reason=f"RLlib {WHY}")
    pytest.importorskip("torch", reason=f"PyTorch {WHY}")
    from leitai.rllib import MaskedEnv, masked_module
    from ray.rllib.algorithms.ppo import PPOConfig

    short = {"kob": None, "snakego": {"max_round": 20}, "tankcraft": {"rounds": 8}}[game]
    config = (
        PPOConfig()
        .environment(MaskedEnv, env_config={"game": game, "opponent": "random", "seat": "alternate", "config": short})
        .env_runners(num_env_runners=0)
        .learners(num_learners=0)
        .rl_module(rl_module_spec=masked_module(model_config={"fcnet_hiddens": [16]}))
        .training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
    )
    ray.init(num_cpus=1, include_dashboard=False, ignore_reinit_error=True)
    algorithm = config.build_algo()
    try:
        told = algorithm.train()
        assert told["env_runners"]["num_env_steps_sampled"] >= 200
        obeys_the_mask(algorithm, game, short)
    finally:
        algorithm.stop()
        ray.shutdown()


@pytest.fixture(scope="module")
def two_nodes():
    """A Ray cluster of two nodes on this machine."""
    ray = pytest.importorskip("ray", reason=f"RLlib {WHY}")
    pytest.importorskip("torch", reason=f"PyTorch {WHY}")
    from ray.cluster_utils import Cluster

    # Ray takes 127.0.0.1 for the address of the network card; this loopback address it leaves alone.
    node = {"num_cpus": 1, "node_ip_address": "127.0.0.2", "object_store_memory": 100_000_000}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.mark.parametrize("game", ["kob", "snakego", "tankcraft"])
def test_rllib_trains_both_seats_on_pettingzoo_on_a_cluster(two_nodes, game):
    from leitai.rllib import masked_module, pettingzoo_env
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.tune.registry import register_env

    short = {"kob": None, "snakego": {"max_round": 20}, "tankcraft": {"rounds": 8}}[game]
    register_env("leitai", pettingzoo_env)
    module = masked_module(model_config={"fcnet_hiddens": [16]})
    config = (
        PPOConfig()
        .environment("leitai", env_config={"game": game, "config": short})
        .env_runners(num_env_runners=2)
        .learners(num_learners=0)
        .multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, episode, **more: "both")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": module}))
        .training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
    )
    algorithm = config.build_algo()
    try:
        for _ in range(3):
            told = algorithm.train()
        runners, learner = told["env_runners"], told["learners"]["both"]
        assert algorithm.env_runner_group.num_healthy_remote_workers() == 2
        assert runners["num_env_steps_sampled_lifetime"] >= 600
        assert np.isfinite(learner["total_loss"])
    finally:
        algorithm.stop()


def obeys_the_mask(algorithm, game, config):
    """Every action of the trained module is legal."""
    import torch
    from leitai.rllib import MaskedEnv

    module, env = algorithm.get_module(), MaskedEnv({"game": game, "config": config})
    parts = env.env.layout.mask_shape
    observation, _ = env.reset(seed=3)
    for _ in range(10):
        mask = observation["action_mask"].reshape(-1, parts[-1])
        batch = {name: torch.from_numpy(array[None].copy()) for name, array in observation.items()}
        logits = module.forward_inference({"obs": batch})["action_dist_inputs"].detach().numpy().reshape(mask.shape)
        action = logits.argmax(-1)
        assert mask[np.arange(len(action)), action].all()
        observation, _, over, cut, _ = env.step(action.tolist() if len(parts) > 1 else int(action[0]))
        if over or cut:
            observation, _ = env.reset()


@pytest.mark.parametrize("game", ["kob", "snakego"])
def test_tianshou_sees_the_scalars_and_obeys_the_mask(game):
    pytest.importorskip("tianshou", reason=f"Tianshou {WHY}")
    from leitai.tianshou import MaskedEnv, pettingzoo_env
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv

    def collect(make):
        envs = DummyVectorEnv([make] * 2)
        policy = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=envs.action_space[0])
        collector = Collector(policy, envs, VectorReplayBuffer(1000, 2))
        collector.reset()
        return collector.collect(n_episode=4), collector.buffer

    parameters = {"config": {"max_round": 15}} if game == "snakego" else {}
    stats, buffer = collect(lambda: MaskedEnv(game, "random", **parameters))
    size = Env(game).observation_space["observation"].shape
    scalars = Env(game).observation_space["scalars"].shape[0]
    assert stats.n_collected_episodes == 4
    assert buffer.obs.obs.shape[1] == np.prod(size) + scalars
    held = len(buffer)
    assert buffer.obs.mask[np.arange(len(buffer.act))[:1]].shape[1] == len(Env(game).layout.parts[0]) and held > 4
    for entry in buffer.sample_indices(0):
        assert buffer.obs.mask[entry][buffer.act[entry]]

    env = pettingzoo_env(game, **parameters)
    observation, _ = env.reset(seed=1)
    for _ in range(6):
        assert observation["obs"].shape == (np.prod(size) + scalars,)
        observation, _, over, cut, _ = env.step(int(np.flatnonzero(observation["mask"])[0]))
        if over or cut:
            break


def test_videos_are_recorded(tmp_path):
    pytest.importorskip("moviepy", reason=f"MoviePy {WHY}")
    import gymnasium

    env = gymnasium.wrappers.RecordVideo(Env("kob", render_mode="rgb_array"), str(tmp_path), episode_trigger=lambda _: True)
    env.reset(seed=1)
    over = False
    while not over:
        over = env.step(0)[2]
    env.close()
    assert [file.suffix for file in tmp_path.iterdir()].count(".mp4") == 1


def test_pytorch_takes_observations_without_a_copy():
    torch = pytest.importorskip("torch", reason=f"PyTorch {WHY}")
    observations, _ = VectorEnv("kob", 3).reset(seed=1)
    for array in observations.values():
        assert torch.from_dlpack(array).data_ptr() == array.ctypes.data


def test_jax_takes_observations_without_a_copy():
    jax = pytest.importorskip("jax", reason=f"JAX {WHY}")
    observations, _ = VectorEnv("kob", 3).reset(seed=1)
    for array in observations.values():
        assert jax.dlpack.from_dlpack(array, copy=False).unsafe_buffer_pointer() == array.ctypes.data


def test_openspiels_algorithms_run():
    pyspiel = pytest.importorskip("pyspiel", reason=f"OpenSpiel {WHY}")
    import leitai.openspiel  # noqa: F401
    from open_spiel.python.algorithms import mcts

    short = pyspiel.load_game("leitai_snakego", {"seed": 7, "config": '{"max_round": 6}'})
    kob = pyspiel.load_game("leitai_kob(seed=3)")
    for game in (short, kob, pyspiel.convert_to_turn_based(kob)):
        pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)
    random = np.random.RandomState(1)
    bot = mcts.MCTSBot(short, 2.0, 30, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    state = short.new_initial_state()
    while not state.is_terminal():
        action = bot.step(state) if state.current_player() == 0 else random.choice(state.legal_actions())
        state.apply_action(action)
    assert sum(state.returns()) == 0 and state.leg.is_over
    observer = short.make_py_observer()
    observer.set_from(short.new_initial_state(), 1)
    assert observer.dict["observation"].shape == (19, 16, 16) and observer.tensor.any()


def test_maskable_ppo_of_sb3_learns_a_little(capsys):
    """As the page shows it, in a shorter time."""
    pytest.importorskip("sb3_contrib", reason=f"sb3-contrib {WHY}")
    page = (Path(__file__).parents[3] / "docs/learning.md").read_text()
    block = next(part.split("```")[0] for part in page.split("```python\n") if "MaskablePPO(" in part)
    short = block.replace("50_000", "256").replace("seed=1)", "seed=1, n_steps=64, batch_size=32, n_epochs=1)")
    exec(short.replace("max_pairs=100", "max_pairs=4"), {"leitai": leitai})
    assert capsys.readouterr().out.startswith("policy: ")
    from stable_baselines3.common.env_util import make_vec_env

    assert make_vec_env(lambda: Env("kob"), 8).reset()["observation"].shape == (8, 11, 13, 14)


@pytest.mark.parametrize("game", ["kob", "snakego", "tankcraft"])
def test_torchrl_takes_the_spaces(game):
    pytest.importorskip("torchrl", reason=f"TorchRL {WHY}")
    from torchrl.envs import GymWrapper
    from torchrl.envs.utils import check_env_specs

    check_env_specs(GymWrapper(Env(game)))


def test_a_network_of_pytorch_searches_and_becomes_a_policy(tmp_path):
    torch = pytest.importorskip("torch", reason=f"PyTorch {WHY}")
    look, layout = leitai.Look(("obstacle", "own_body", "their_body"), around="own_head", reach=3), leitai.kob.layout()
    torch.manual_seed(1)
    body, policy, value = torch.nn.Linear(look.size(layout), 16), torch.nn.Linear(16, 4), torch.nn.Linear(16, 1)

    def evaluate(seen):
        with torch.no_grad():
            x = torch.relu(body(torch.from_numpy(look.inputs(seen, layout))))
            return torch.softmax(policy(x), 1).numpy(), value(x)[:, 0].numpy()

    layers = [(one.weight.T.detach().numpy(), one.bias.detach().numpy()) for one in (body, policy, value)]
    net = leitai.Network("kob", look, layers[:1], layers[1], layers[2], simulations=32)
    net.save(tmp_path / "mine.npz")
    legs = [leitai.kob.start(seed) for seed in range(4)]
    found = leitai.search_all(legs, evaluate, simulations=32)
    assert leitai.Network.load(tmp_path / "mine.npz").choose_all([(leg, 1) for leg in legs]) == [one.best(1) for one in found]


def test_a_league_learns_for_a_minute(tmp_path):
    """No library is needed, but a minute is too long for ./dev test."""
    pytest.importorskip("torch", reason=f"PyTorch {WHY}")
    example = Path(__file__).parents[1] / "examples/league_tankcraft.py"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
    words = ["--minutes", "1", "--points", "3", "--join-every", "6", "--exploit-every", "4", "--legs", "20", "--measured", "random"]
    subprocess.run([sys.executable, example, *words, "--out", tmp_path], check=True, env=environment)
    curve = json.loads((tmp_path / "curve.json").read_text())
    assert curve[-1]["past"] >= 2 and curve[-1]["exploiters"] >= 1 and curve[-1]["steps"] > 10_000
    assert curve[0]["random"]["win"] < 0.5 < 0.8 < curve[-1]["random"]["win"]


@pytest.mark.filterwarnings("ignore::UserWarning")  # It recommends an e-mail address, and the like.
@pytest.mark.parametrize("game", ["snakego", "kob", "tankcraft"])
def test_minari_reads_recorded_matches(tmp_path, monkeypatch, game):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "sets"))
    minari = pytest.importorskip("minari", reason=f"Minari {WHY}")

    import leitai.minari

    (tmp_path / "matches").mkdir()
    config = {"rounds": 12} if game == "tankcraft" else None
    module = leitai.Game(game)
    for seed in range(3):
        leg = module.start(seed, config, record=True)
        bots = [module.bot("random", seed + seat) for seat in (0, 1)]
        while not leg.is_over:
            leg.step(*(bots[seat].choose(leg, seat) for seat in leg.seats))
        leitai.Replay.of(leg).save(tmp_path / f"matches/{seed}.json")
    leitai.minari.write(tmp_path / "matches", f"{game}/random-v0", author="ada")
    data = minari.load_dataset(f"{game}/random-v0")
    assert data.total_episodes == 6 and "| matches | 3 |" in data.storage.metadata["description"]
    steps = 0
    for episode in data.iterate_episodes():
        first = {part: values[0] for part, values in episode.observations.items()}
        assert data.observation_space.contains(first) and data.action_space.contains(episode.actions[0])
        assert episode.terminations[-1] and not episode.terminations[:-1].any()
        steps += len(episode.actions)
    assert steps == data.total_steps == sum(len(leg["action"]) for leg in leitai.dataset(tmp_path / "matches"))
    env = data.recover_environment()
    observation, _ = env.reset(seed=1)
    assert data.observation_space.contains(observation)
