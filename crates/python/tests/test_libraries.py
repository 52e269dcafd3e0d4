"""Behaviour with other libraries: Gymnasium's vector environments, copies, forks, registries,
PettingZoo's benchmark, types."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import leitai
from leitai import Program, Replay, SelfPlay, kob, snakego, tankcraft
from leitai.gym import Env, VectorEnv

GAMES = {"snakego": snakego, "kob": kob, "tankcraft": tankcraft}
BOTS = [(game, name) for game, module in GAMES.items() for name, _ in module.bots()]
SHORT = {"snakego": {"max_round": 12}, "kob": None, "tankcraft": {"rounds": 6}}
ROOT = Path(__file__).parents[3]


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


def python(code, fails=False, **more):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=1800, **more)
    assert fails == (done.returncode != 0), done.stdout + done.stderr
    return done.stdout + done.stderr


# Draws


def drawing_action(game, leg, seat):
    """Both sides act alike: in King of Bots they drive into the wall at once, in the others the leg is
    one round long."""
    if game == "kob":
        return 2
    legal = leg.legal_actions(seat)
    return [part[0] for part in legal] if game == "tankcraft" else legal[0]


def drawn(game):
    config = {"snakego": {"max_round": 1}, "kob": None, "tankcraft": {"rounds": 1}}[game]
    return Env(game, lambda leg, seat: drawing_action(game, leg, seat), config=config)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
@pytest.mark.parametrize("game", GAMES)
def test_draws_pass_through_gymnasiums_vector_environments(game, vector, mode):
    envs = vector([lambda: drawn(game)] * 2, autoreset_mode=mode)
    try:
        envs.reset(seed=1)
        alone, ends = drawn(game), 0
        for _ in range(6):
            alone.reset(seed=1)
            actions, over = [], False
            while not over:
                actions.append(drawing_action(game, alone.leg, 0))
                over = alone.step(actions[-1])[2]
            # Equal scores are a draw, except in SnakeGo, where the first player wins.
            winner = 0 if game == "snakego" else -1
            assert alone.leg.winner == (None if winner < 0 else winner)
            assert alone.leg.scores[0] == alone.leg.scores[1]
            for action in actions:
                _, rewards, terminated, _, info = envs.step(np.array([action, action]))
            assert terminated.all() and rewards.tolist() == [winner + 1] * 2
            told = info["final_info"] if mode == AutoresetMode.SAME_STEP else info
            assert told["winner"].tolist() == [winner] * 2 and told["winner"].dtype.kind == "i"
            ends += 1
            if mode == AutoresetMode.NEXT_STEP:
                envs.step(np.array([actions[0]] * 2))  # Starts the next legs.
        assert ends == 6
    finally:
        envs.close()


@pytest.mark.parametrize("game", GAMES)
def test_a_masked_policy_never_meets_an_empty_mask(game):
    """As torch's Categorical with masked logits, which cannot choose from a mask without a 1."""
    modes = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
    made = [VectorEnv(game, 6, config=SHORT[game], autoreset_mode=mode) for mode in modes]
    made.append(SyncVectorEnv([lambda: Env(game, config=SHORT[game])] * 6))
    for envs in made:
        observations, _ = envs.reset(seed=5)
        dice, ended = np.random.default_rng(1), 0
        for _ in range(60):
            masks = observations["action_mask"].reshape(6, -1, observations["action_mask"].shape[-1])
            assert (masks.sum(-1) > 0).all()
            actions = np.array([[dice.choice(np.flatnonzero(part)) for part in lane] for lane in masks])
            observations, _, terminated, _, _ = envs.step(actions.reshape(envs.action_space.shape))
            ended += terminated.sum()
        assert ended > 0
        envs.close()


# Copies


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_legs_and_games_can_be_copied_and_pickled(game, record, copied):
    module = GAMES[game]
    leg, dice = module.start(3, SHORT[game], record=record), np.random.default_rng(2)

    def move(*legs):
        legal = [legs[0].legal_actions(seat) for seat in legs[0].seats]
        said = [[int(dice.choice(p)) for p in one] if game == "tankcraft" else int(dice.choice(one)) for one in legal]
        for one in legs:
            one.step(*said)

    while not leg.is_over:
        other = copied(leg)
        assert other == leg and other is not leg
        assert (other.hash(), other.seed, other.round, other.scores) == (leg.hash(), 3, leg.round, leg.scores)
        assert (other.checkpoints, other.replies) == (leg.checkpoints, leg.replies)
        both = copied(other)
        move(other, both)
        assert other == both and other != leg
        move(leg)
    assert copied(leg) == leg and copied(leg).outcome == leg.outcome
    if record:
        assert Replay.of(copied(leg)).data == Replay.of(leg).data
    assert copied(module.game) == module.game and copied(module.game).start(4) == module.start(4)


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
@pytest.mark.parametrize("game, name", BOTS)
def test_environments_and_their_bots_can_be_copied_in_the_middle_of_a_leg(game, name, copied):
    env = Env(game, name, config=SHORT[game], seat="alternate")
    env.reset(seed=7)
    ahead = 0
    for step in range(3):
        other = copied(env)
        for _ in range(3):
            action = drawing_action("snakego" if game == "kob" else game, other.leg, other.seat)
            again = copied(other)
            (_, *one), (_, *two) = other.step(action), again.step(action)
            assert one == two and other.leg == again.leg
            ahead += 1
            if other.leg.is_over:
                assert copied(other).reset()[1] == other.reset()[1]
        assert env.leg != other.leg
        if env.step(drawing_action("snakego" if game == "kob" else game, env.leg, env.seat))[2]:
            env.reset()
    assert ahead == 9


def test_a_bot_knows_what_it_was_asked():
    """Bots with random choices continue with the same ones."""
    leg = snakego.start(1)
    bot = snakego.bot("random", 5)
    said = [bot.choose(leg) for _ in range(20)]
    for copied in (copy.copy, copy.deepcopy, pickled):
        assert [copied(bot).choose(leg) for _ in range(3)] == [copied(bot).choose(leg)] * 3
        other = copied(bot)
        more = [other.choose(leg) for _ in range(20)]
        fresh = snakego.bot("random", 5)
        assert [fresh.choose(leg) for _ in range(40)] == said + more
    assert len(set(said)) > 1


def test_a_copy_with_a_program_starts_a_program_of_its_own():
    program = [sys.executable, str(ROOT / "docs/examples/first_legal.py")]
    env = Env("kob", Program(program))
    env.reset(seed=3)
    other = copy.deepcopy(env)
    assert [env.step(1)[1:], env.leg.hash()] == [other.step(1)[1:], other.leg.hash()]
    env.close()
    other.close()


# Seeds


@pytest.mark.parametrize("seat, pays", [("first", "score"), ("second", "score"), ("alternate", "outcome")])
@pytest.mark.parametrize("game", GAMES)
def test_a_seed_decides_everything_alone_and_in_a_batch(game, seat, pays):
    envs = VectorEnv(game, 3, config=SHORT[game], seat=seat, reward=pays)
    alone = [Env(game, config=SHORT[game], seat=seat, reward=pays) for _ in range(3)]
    for _ in range(3):
        alone[1].reset()  # Earlier legs do not matter.
    observations, info = envs.reset(seed=40)
    told = [env.reset(seed=40 + lane)[1] for lane, env in enumerate(alone)]
    over, seats, paid = [False] * 3, set(), [0.0] * 3
    for step in range(60):
        assert envs.hashes() == [env.leg.hash() for env in alone]
        assert info["seat"].tolist() == [env.seat for env in alone]
        seats.update(info["seat"].tolist())
        masks = observations["action_mask"].reshape(3, -1, observations["action_mask"].shape[-1])
        actions = np.array([[np.flatnonzero(part)[(5 * step + lane) % part.sum()] for part in masks[lane]]
                            for lane in range(3)]).reshape(envs.action_space.shape)
        observations, rewards, terminated, _, info = envs.step(actions)
        for lane, env in enumerate(alone):
            if over[lane]:
                env.reset()
                over[lane] = False
                continue
            observation, reward, over[lane], _, _ = env.step(actions[lane])
            assert reward == rewards[lane] and over[lane] == terminated[lane]
            paid[lane] += reward
            if over[lane]:
                first, second = env.leg.scores
                lead = (first - second) * (1 - 2 * env.seat)
                won = 0 if env.leg.winner is None else 1 if env.leg.winner == env.seat else -1
                assert paid[lane] == (lead if pays == "score" else won)
                paid[lane] = 0.0
            for name, array in observation.items():
                assert np.array_equal(array, observations[name][lane]), name
    assert seats == {"first": {0}, "second": {1}, "alternate": {0, 1}}[seat]
    assert [env.reset(seed=40 + lane)[1] for lane, env in enumerate(alone)] == told


def test_the_first_seat_of_a_seed_does_not_follow_its_parity():
    env = Env("kob", seat="alternate")
    for seeds in (range(0, 64, 2), range(1, 64, 2)):
        seats = [env.reset(seed=seed)[1]["seat"] for seed in seeds]
        assert 8 < sum(seats) < 24
        assert seats == [env.reset(seed=seed)[1]["seat"] for seed in seeds]
    assert env.reset()[1]["seat"] != env.reset()[1]["seat"], "every further leg changes the seat"


# Threads and forks


def test_a_fork_after_threads_goes_on():
    """In a separate process, so that a hang there does not block the tests."""
    told = python("""
import os, warnings
import numpy as np
from leitai.gym import VectorEnv
warnings.simplefilter("ignore")  # From 3.12 on Python warns of a fork beside threads.
envs = VectorEnv("kob", 64, threads=2)
envs.reset(seed=1)
envs.step(np.zeros(64, np.int64))
child = os.fork()
for _ in range(5):
    envs.step(np.ones(64, np.int64))
told = f"{'parent' if child else 'child'} {envs.hashes()[:4]}\\n"
os.write(1, told.encode())  # A line at once: both write into one pipe.
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""")
    lines = sorted(line.split(" ", 1) for line in told.splitlines())
    assert [who for who, _ in lines] == ["child", "parent"] and lines[0][1] == lines[1][1]


# The solo tail


@pytest.mark.parametrize("tail", ["play", "truncate", "settle"])
def test_the_solo_tail_can_be_left_out(tail):
    """The snake leaves the map with its first move; the opponent would play on for 60 rounds."""
    config = {"max_round": 60}
    for opponent in ("greedy", lambda leg, seat: leg.legal_actions(seat)[0]):
        env = Env("snakego", opponent, config=config, solo_tail=tail)
        env.reset(seed=1)
        observation, reward, terminated, truncated, info = env.step(2)
        assert (terminated, truncated) == (tail != "truncate", tail == "truncate")
        assert observation["action_mask"].all() and len(info["scores"]) == 2
        with pytest.raises(RuntimeError, match="call reset"):
            env.step(0)
        if tail == "play":
            assert env.leg.is_over
        else:
            assert env.leg.round == 1 and env.leg.is_out(0) and not env.leg.is_out(1)
        if tail == "truncate":
            assert (reward, info["winner"]) == (0, -1)
    envs = VectorEnv("snakego", 2, "greedy", config=config, solo_tail=tail)
    envs.reset(seed=1)
    observations, rewards, terminated, truncated, info = envs.step(np.array([2, 0]))
    assert terminated.tolist() == [tail != "truncate", False] and truncated.tolist() == [tail == "truncate", False]
    assert observations["action_mask"][0].all() and info["_winner"].tolist() == [True, False]
    _, _, terminated, truncated, _ = envs.step(np.array([0, 0]))
    assert not terminated.any() and not truncated.any(), "the next leg has begun"


def test_a_settled_leg_is_won_by_who_leads():
    env = Env("snakego", lambda leg, seat: leg.legal_actions(seat)[0], seat="second", solo_tail="settle")
    env.reset(seed=1)
    first = env.step(0)
    assert not first[2]
    _, reward, terminated, _, info = env.step(2) if env.leg.seat == 1 else first
    assert terminated and info["scores"] == env.leg.scores
    first, second = info["scores"]
    assert info["winner"] == env.leg.leader == int(second > first)
    assert reward == (1 if second > first else -1)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_long_legs_are_cut_off(mode):
    envs = VectorEnv("snakego", 2, "greedy", max_episode_steps=3, autoreset_mode=mode)
    observations, _ = envs.reset(seed=1)
    for step in range(3):
        actions = [np.flatnonzero(mask)[0] for mask in observations["action_mask"]]
        observations, rewards, terminated, truncated, info = envs.step(actions)
        assert truncated.tolist() == [step == 2] * 2 and not terminated.any() and not rewards.any()
    told = info["final_info"] if mode == "SameStep" else info
    assert told["winner"].tolist() == [-1, -1] and told["_scores"].all()
    if mode == "Disabled":
        observations, _ = envs.reset(options={"reset_mask": [True, False]})
        with pytest.raises(RuntimeError, match="environment 1 is over"):
            envs.step(np.zeros(2, np.int64))
        return
    actions = [np.flatnonzero(mask)[0] for mask in observations["action_mask"]]
    assert not envs.step(actions)[3].any()
    made = gymnasium.make_vec("leitai/KOB-v0", num_envs=2, max_episode_steps=5)
    assert isinstance(made.unwrapped, VectorEnv)
    with pytest.raises(ValueError, match="max_episode_steps is 0"):
        VectorEnv("kob", 1, max_episode_steps=0)


# Registries


def test_gymnasium_makes_the_environments_without_an_import_of_ours():
    told = python("""
import gymnasium
for name in ("SnakeGo", "KOB", "TankCraft"):
    env = gymnasium.make(f"leitai:leitai/{name}-v0", opponent="random")
    print(env.reset(seed=1)[0]["observation"].shape)
print(gymnasium.make_vec("leitai:leitai/KOB-v0", num_envs=3).reset(seed=1)[0]["scalars"].shape)
""")
    assert told.split("\n")[:4] == ["(19, 16, 16)", "(11, 13, 14)", "(18, 21, 21)", "(3, 5)"]


@pytest.mark.parametrize("line", ["import pettingzoo, leitai", "import leitai, pettingzoo, leitai.zoo"])
def test_pettingzoo_makes_the_environments(line):
    told = python(f"""
{line}
if hasattr(pettingzoo, "make"):
    for name in ("SnakeGo", "KOB", "TankCraft"):
        env = pettingzoo.make("aec", f"leitai/{{name}}-v0", max_cycles=9)
        env.reset(seed=1)
        print(env.metadata["name"], env.agent_selection)
    for name in ("KOB", "TankCraft"):
        print(pettingzoo.make("parallel", f"leitai/{{name}}-v0").reset(seed=1)[0]["player_1"]["observation"].shape)
""")
    assert "snakego_v0 player_0" in told and "(18, 21, 21)" in told or "has no attribute 'make'" in told


def test_pettingzoos_benchmark_runs(monkeypatch, capsys):
    """The clock runs faster than real time, to shorten the five seconds."""
    from leitai.zoo import kob_v0, snakego_v0, tankcraft_v0
    from pettingzoo.test import performance_benchmark

    class Clock:
        now = 0.0

        def time(self):
            Clock.now += 0.1
            return Clock.now

    monkeypatch.setitem(performance_benchmark.__globals__, "time", Clock())
    for module in (snakego_v0, kob_v0, tankcraft_v0):
        performance_benchmark(module.env())
    assert capsys.readouterr().out.count("Finished performance benchmark") == 3


# Hashes, observations and accepted values


def test_positions_on_different_maps_have_different_hashes_with_their_setup():
    for game, module in GAMES.items():
        one, other = module.start(1), module.start(2)
        assert one.hash(setup=True) != other.hash(setup=True), game
        assert one.state_text(setup=True) != other.state_text(setup=True)
        assert one.hash(setup=True) == module.load(one.setup).hash(setup=True)
        assert one.state_text(setup=True).endswith(one.state_text())
    assert kob.start(1).hash() == kob.start(2).hash(), "the canonical text, as replays keep its hash, tells no map"


def test_a_function_sees_what_its_seat_may_see_and_changes_nothing():
    seen = []

    def opponent(leg, seat):
        hidden = [n for n, tank in enumerate(env.leg.view(seat)["tanks"][:5]) if tank["cell"] is None]
        truth, known = env.leg.view()["tanks"], leg.view()["tanks"]
        if env.leg.view()["round"] == 0:
            return [0] * 5  # Before the first round every tank is known to be on its spawn.
        seen.extend((truth[n]["cell"], known[n]["cell"]) for n in hidden if truth[n]["cell"] is not None)
        assert np.array_equal(leg.planes(seat), env.leg.planes(seat))
        said = [part[0] for part in leg.legal_actions(seat)]
        leg.step(said, said)  # Plays on the function's own copy.
        return said

    env = Env("tankcraft", opponent, config={"rounds": 8})
    env.reset(seed=2)
    over = False
    while not over:
        over = env.step([part[0] for part in env.leg.legal_actions(env.seat)])[2]
    assert len(seen) > 10 and all(truth != known for truth, known in seen)


def test_numbers_that_are_not_whole_are_refused():
    def refused(call, *said):
        with pytest.raises(TypeError, match="number"):
            call(*said)

    envs = VectorEnv("kob", 3)
    envs.reset(seed=1)
    hashes = envs.hashes()
    for actions in ([0.0, 1.0, 2.9], np.array([0.5, 1, 2]), [True, False, True], ["0", "1", "2"]):
        refused(envs.step, actions)
    assert envs.hashes() == hashes
    refused(SelfPlay("snakego", 2).step, np.zeros(2))
    for wrong in (1.0, 0.9, np.float32(1), "1"):
        refused(snakego.start(1).step, wrong)
        refused(kob.start(1).step, 0, wrong)
        env = Env("kob")
        env.reset(seed=1)
        refused(env.step, wrong)
    refused(tankcraft.start(1).step, [0.0] * 5, [0] * 5)
    envs.step([0, 1, 2])
    snakego.start(1).step(np.int8(0))


class Tensor:
    """Like a PyTorch tensor: not an array, but on the same memory as one."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array

    def data_ptr(self):
        return self.array.ctypes.data


class Elsewhere(Tensor):
    """On another device: NumPy gets a copy."""

    def data_ptr(self):
        return 0


def test_tensors_are_written_into():
    spaces = VectorEnv("kob", 3).observation_space
    arrays = {name: np.zeros(space.shape, space.dtype) for name, space in spaces.items()}
    out = {name: Tensor(array) for name, array in arrays.items()}
    envs = VectorEnv("kob", 3, out=out)
    observations, _ = envs.reset(seed=1)
    assert all(observations[name] is out[name] for name in out)
    expected, _ = VectorEnv("kob", 3).reset(seed=1)
    assert all(np.array_equal(arrays[name], expected[name]) for name in arrays)
    with pytest.raises(ValueError, match="must be an array"):
        VectorEnv("kob", 3, out={name: Elsewhere(array) for name, array in arrays.items()})


def test_what_was_returned_stays_as_it_is_while_somebody_holds_it():
    envs = VectorEnv("kob", 4)
    kept = [envs.reset(seed=1)[0]]
    kept += [envs.step(np.full(4, step % 2))[0] for step in range(8)]
    views = [one["observation"][2] for one in kept]
    copies = [one.copy() for one in views]
    del kept
    for step in range(8):
        envs.step(np.full(4, step % 4))
    assert all(np.array_equal(view, one) for view, one in zip(views, copies))
    again = VectorEnv("kob", 4, copy=False)
    again.reset(seed=1)
    assert again.step(np.zeros(4, int))[0]["observation"] is again.step(np.zeros(4, int))[0]["observation"]


# Search


@pytest.mark.parametrize("game", GAMES)
def test_legal_actions_are_the_masks_as_numbers(game):
    leg, dice = GAMES[game].start(3, SHORT[game]), np.random.default_rng(1)
    while not leg.is_over:
        for seat in leg.seats:
            expected = [np.flatnonzero(part).tolist() for part in np.atleast_2d(leg.mask(seat))]
            assert leg.legal_actions(seat) == (expected if game == "tankcraft" else expected[0])
        legal = [leg.legal_actions(seat) for seat in leg.seats]
        leg.step(*[[int(dice.choice(p)) for p in one] if game == "tankcraft" else int(dice.choice(one)) for one in legal])
    assert leg.legal_actions(0) == ([[]] * 5 if game == "tankcraft" else [])


@pytest.mark.parametrize("game", GAMES)
def test_playouts_are_random_legs_to_the_end(game):
    config = {"rounds": 60} if game == "tankcraft" else SHORT[game]
    leg = GAMES[game].start(5, config)
    ends = leg.playouts(30, seed=9)
    assert ends.shape == (30, 3) and ends.dtype == np.int32 and leg == GAMES[game].start(5, config)
    assert np.array_equal(ends, leg.playouts(30, seed=9)) and np.array_equal(ends[4:], leg.playouts(26, seed=13))
    assert len({tuple(end) for end in ends.tolist()}) > 1
    other = leg.clone()
    assert other.play_random(seed=1, max_steps=1) == 1 and other != leg
    other = leg.clone()
    assert other.play_random(max_steps=0) == 0 and other == leg
    assert other.play_random(seed=2) > 0 and other.is_over and other.outcome["faults"] == [None, None]
    assert other.play_random() == 0
    with pytest.raises(ValueError, match="recorded"):
        GAMES[game].start(5, record=True).play_random()


@pytest.mark.parametrize("game", GAMES)
def test_a_batch_goes_on_from_legs(game):
    batch = SelfPlay(game, 3, config=SHORT[game], seed=2)
    batch.reset()
    leaves = [leg.clone() for leg in batch.save()]
    for number, leg in enumerate(leaves):
        leg.play_random(seed=number, max_steps=number + 1)
    observations = batch.restore(leaves)
    assert batch.hashes() == [leg.hash() for leg in leaves]
    for lane, leg in enumerate(leaves):
        for place, seat in enumerate(leg.seats):
            at = (lane, place) if len(leg.seats) == 2 else (lane,)
            assert np.array_equal(observations["observation"][at], leg.planes(seat))
    batch.step(np.zeros(batch.action_shape, np.int64))
    assert batch.hashes() != [leg.hash() for leg in leaves]
    with pytest.raises(ValueError, match="2 legs; 3 are needed"):
        batch.restore(leaves[:2])
    other = "kob" if game != "kob" else "snakego"
    with pytest.raises(ValueError, match=f"a leg of {other}"):
        batch.restore([GAMES[other].start(1)] * 3)


# The example


def test_a_picture_without_matplotlib_is_refused_before_the_training(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('there is none')")
    example = ROOT / "crates/python/examples/ppo_kob.py"
    words = [sys.executable, example, "--minutes", "100", "--plot", "curve.svg", "--out", tmp_path / "agent"]
    path = f"{tmp_path}:{Path(leitai.__file__).parents[1]}"
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800, env={"PYTHONPATH": path}, cwd=tmp_path)
    assert done.returncode != 0 and "--plot needs matplotlib (there is none)" in done.stderr, done.stderr


# Flat observations


@pytest.mark.parametrize("game", GAMES)
def test_the_adapters_leave_nothing_out(game):
    import leitai.rllib
    import leitai.tianshou

    made = [leitai.rllib.MaskedEnv({"game": game, "opponent": "random"})]
    if game == "tankcraft":
        with pytest.raises(ValueError, match="actions have 5 parts"):
            leitai.tianshou.MaskedEnv(game)
    else:
        made.append(leitai.tianshou.MaskedEnv(game))
    for env in made:
        plain = Env(game)
        seen, _ = env.reset(seed=3)
        expected, _ = plain.reset(seed=3)
        for _ in range(4):
            vector, mask = seen.values()
            assert env.observation_space.contains(seen)
            assert np.array_equal(vector[: expected["observation"].size], expected["observation"].reshape(-1))
            assert np.array_equal(vector[expected["observation"].size :], expected["scalars"])
            assert np.array_equal(mask, expected["action_mask"].reshape(-1))
            action = drawing_action("snakego" if game == "kob" else game, plain.leg, plain.seat)
            seen, expected = env.step(action)[0], plain.step(action)[0]
            if plain.leg.is_over:
                break


def test_flat_pettingzoo_environments_pass_its_checks():
    from leitai.zoo.flat import FlatAEC
    from pettingzoo.test import api_test

    for game in ("snakego", "kob"):
        api_test(FlatAEC(game), num_cycles=50)
    with pytest.raises(ValueError, match="there is no flat environment of 'tankcraft'"):
        FlatAEC("tankcraft")


# Types

USED = '''
import gymnasium
import numpy as np
import leitai
from leitai import kob
from leitai.gym import Env, VectorEnv
from leitai.zoo import kob_v0, snakego_v0, tankcraft_v0

env = Env("kob", "safe", seat="alternate")
observation, info = env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step(1)
doubled: float = 2 * reward
envs = VectorEnv("kob", 4, threads=2)
observations, infos = envs.reset(seed=1)
observations, rewards, ended, cut, infos = envs.step(np.zeros(4, np.int64))
parallel = kob_v0.parallel_env(reward="score")
seen, _ = parallel.reset(seed=1)
tankcraft_v0.parallel_env().reset()
snakego_v0.env(packed=True).reset()
kob_v0.env()
leg = kob.start(1)
leg.step(leg.legal_actions(0)[0], 1)
wins = leg.playouts(10)[:, 0] == 0
leitai.SelfPlay("snakego", 8).step([0] * 8)
'''


def test_types_are_strict(tmp_path):
    (tmp_path / "used.py").write_text(USED)
    mypy = [sys.executable, "-m", "mypy"]
    own = subprocess.run(mypy, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert own.returncode == 0, own.stdout + own.stderr
    told = subprocess.run([*mypy, "--strict", "--cache-dir", ROOT / "target/mypy", tmp_path / "used.py"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=1800,
                          env={"MYPYPATH": str(Path(leitai.__file__).parents[1]), "PATH": "/usr/bin:/bin"})
    lines = [line for line in told.stdout.splitlines() if "used.py" in line]
    assert lines == [], told.stdout + told.stderr
