"""A trained policy in a file: written, read, and playing wherever a bot is named."""

import copy
import io
import json
import pickle
import zipfile

import numpy as np
import pytest

import leitai
from leitai import Look, Network, SearchTree
from leitai.gym import Env, VectorEnv

GAMES = ["snakego", "kob", "tankcraft"]
LOOKS = {
    "snakego": Look(("own_wall", "their_body", "own_body"), around="acting_head", reach=3),
    "kob": Look(("obstacle", "own_body", "their_body"), around="own_head", reach=4),
    "tankcraft": Look(("stone", "own_tank_0", "their_tank_0")),
}
#: A row of inputs for each tank.
OF_TANKS = Look(("stone", "own_mine", "own_tank_*"), around=tuple(f"own_tank_{tank}" for tank in range(5)), reach=2, far=True)


def make(game, hidden=8, look=None, **more):
    """A small network with random weights."""
    rng, layout, look = np.random.default_rng(1), getattr(leitai, game).layout(), look or LOOKS[game]

    def layer(inputs, outputs):
        return rng.standard_normal((inputs, outputs)).astype(np.float32), rng.standard_normal(outputs).astype(np.float32)

    choices = sum(map(len, layout.parts)) // look.rows
    return Network(game, look, [layer(look.size(layout), hidden)], layer(hidden, choices), layer(hidden, 1), **more)


def positions(game, count=6):
    legs = [leitai.Game(game).start(seed) for seed in range(count)]
    for number, leg in enumerate(legs):
        if game == "tankcraft":
            leg.play_random(1, 3 + number)
    return [(leg, leg.seats[-1]) for leg in legs if not leg.is_over]


@pytest.mark.parametrize("how", ["file", "half", "folder", "pickle", "deepcopy"])
@pytest.mark.parametrize("game, look", [*LOOKS.items(), ("tankcraft", OF_TANKS)])
def test_a_copy_plays_the_same(game, look, how, tmp_path):
    net, file = make(game, look=look, about="a test"), tmp_path / "mine.npz"
    if how in ("pickle", "deepcopy"):
        other = copy.deepcopy(net) if how == "deepcopy" else pickle.loads(pickle.dumps(net))
    else:
        net.save(file, half=how == "half")
        zipfile.ZipFile(file).extractall(tmp_path / "unpacked")
        other = Network.load(tmp_path / "unpacked" if how == "folder" else file, game)
    asked = positions(game)
    assert other.about == "a test" and other.choose_all(asked) == net.choose_all(asked)
    assert all(leg.notation(said, seat) in leg.legal(seat) for (leg, seat), said in zip(asked, net.choose_all(asked)) if game != "tankcraft")


def test_a_window_shows_the_board_around_the_head_and_walls_beyond():
    leg, look = leitai.kob.start(seed=1), LOOKS["kob"]
    layout = leitai.kob.layout()
    seen = leg.observe(0)
    inputs = look.inputs({name: array[None] for name, array in seen.items()}, layout)[0]
    side, planes = 2 * look.reach + 1, list(layout.planes)
    window = inputs[: 3 * side * side].reshape(3, side, side)
    down, right = np.argwhere(seen["observation"][planes.index("own_head")])[0]
    for row in range(side):
        for col in range(side):
            at = (down + row - look.reach, right + col - look.reach)
            on_board = 0 <= at[0] < layout.rows and 0 <= at[1] < layout.cols
            for number, name in enumerate(look.planes):
                expected = seen["observation"][planes.index(name)][at] if on_board else name == "obstacle"
                assert window[number, row, col] == expected
    assert inputs[3 * side * side :].tolist() == seen["scalars"].tolist() and len(inputs) == look.size(layout)


def test_each_tank_has_a_window_near_and_far():
    layout, look = leitai.tankcraft.layout(), OF_TANKS
    (leg, seat), *_ = positions("tankcraft")
    seen = leg.observe(seat)
    planes, scalars = dict(zip(layout.planes, seen["observation"])), dict(zip(layout.scalars, seen["scalars"]))
    planes["own_tank_*"] = sum(planes[f"own_tank_{tank}"] for tank in range(5))
    edge = 3 * look.reach + 1 + layout.rows
    beyond = {name: np.pad(planes[name], edge) for name in look.planes}
    walls = np.pad(planes["stone"], edge, constant_values=1)
    rows = look.inputs({name: array[None] for name, array in seen.items()}, layout)
    assert rows.shape == (5, look.size(layout)) and any(scalars[f"own_tank_{tank}_placed"] for tank in range(5))
    for tank, row in enumerate(rows):
        down, right = np.argwhere(planes[f"own_tank_{tank}"])[0] if scalars[f"own_tank_{tank}_placed"] else (0, 0)
        expected = []
        for name in look.planes:
            board, at = walls if name == "stone" else beyond[name], (down + edge, right + edge)
            expected.append(board[at[0] - look.reach : at[0] + look.reach + 1, at[1] - look.reach : at[1] + look.reach + 1])
        for name in look.planes:
            blocks = beyond[name][down + edge - 7 : down + edge + 8, right + edge - 7 : right + edge + 8].reshape(5, 3, 5, 3)
            expected.append(blocks.sum((1, 3)) / 9)
        expected += [seen["scalars"], [value for name, value in scalars.items() if name.startswith(f"own_tank_{tank}_")]]
        expected += [[down / 21, right / 21], np.eye(5)[tank]]
        assert np.allclose(row, np.concatenate([np.ravel(part) for part in expected]))


def test_it_is_named_wherever_a_bot_is(tmp_path):
    make("kob").save(file := tmp_path / "mine.npz")
    word = f"python:{file}"
    together, alone = VectorEnv("kob", 2, word), Env("kob", make("kob"))
    together.reset(seed=1)
    alone.reset(seed=2)
    together.step(np.ones(2, np.int64))
    alone.step(1)
    assert together.hashes()[1] == alone.leg.hash()
    assert leitai.tournament("kob", ["random", word], rounds=1).names == ("random", word)
    rated = [leitai.evaluate(one, "kob", precision=1000, max_pairs=2, explain=0) for one in (word, make("kob"))]
    assert rated[0].data == rated[1].data


def test_a_search_looks_ahead_with_it():
    """Many positions at once are searched as each alone."""
    net = make("kob", simulations=24)
    asked = positions("kob")
    alone = [leitai.search(leg, net.evaluate, simulations=24, batch=4, seed=seed) for seed, (leg, _) in enumerate(asked)]
    together = leitai.search_all([leg for leg, _ in asked], net.evaluate, simulations=24)
    trees = leitai.search_all([SearchTree(leg) for leg, _ in asked], net.evaluate, simulations=24)
    for one, other, third in zip(alone, together, trees):
        assert all(np.array_equal(one.visits[seat], other.visits[seat]) and np.array_equal(one.visits[seat], third.visits[seat]) for seat in (0, 1))
    assert net.choose_all(asked) == [one.best(seat) for one, (_, seat) in zip(together, asked)]
    assert net.with_search(0).choose_all(asked) == make("kob").choose_all(asked)


def test_the_policies_of_the_package_are_bots(tmp_path, leitai_command):
    """By their names, in matches, too; each has at most 5 MB."""
    for game in GAMES:
        for name in leitai.policies(game):
            assert leitai.network.find_policy(game, name).stat().st_size <= 5_000_000
            short = ["--config", "rounds=4"] if game == "tankcraft" else []
            file = tmp_path / f"{game}-{name}.json"
            leitai_command("match", game, f"python:{name}", "random", "--seed", 1, "--replay", file, *short)
            replay = leitai.Replay.load(file)
            assert replay.data["status"] == "complete" and not any(leg.get("faults") for leg in replay.data["legs"])
            assert [one["name"] for one in replay.data["entrants"]] == [name, "random"]
    said = leitai_command("match", "kob", "python:spice", "random", fails=True)
    assert "kob has no policy 'spice'; " in said


def test_a_file_is_looked_at_before_the_match(tmp_path, leitai_command):
    make("kob").save(file := tmp_path / "mine.npz")
    for word in (file, f"python:{file}"):
        said = leitai_command("match", "snakego", word, "random", fails=True)
        assert "mine.npz is a policy of kob; one of snakego is needed" in said
    (tmp_path / "text.npz").write_text("text")
    assert "text.npz is no policy" in leitai_command("match", "kob", tmp_path / "text.npz", "random", fails=True)
    # Whoever packs a program of his own so may do it.
    with zipfile.ZipFile(tmp_path / "own.npz", "w") as archive:
        archive.writestr("main.py", "# leitai: protocol=json-lines\nprint()")
    assert "own" in leitai_command("match", "kob", tmp_path / "own.npz", "random", "--no-replay")


def write(changes):
    """A file with something changed."""
    make("kob").save("one.npz")
    with np.load("one.npz") as found:
        arrays = {name: found[name] for name in found.files if name != "main.py"}
    about = json.loads(str(arrays["leitai"][()]))
    for name, change in changes.items():
        if name == "about":
            arrays["leitai"] = np.array(json.dumps({**about, **change}))
        elif change is None:
            del arrays[name]
        else:
            arrays[name] = change
    np.savez("one.npz", **arrays)


@pytest.mark.parametrize("changes, part", [
    ({"leitai": None}, "'leitai' is missing"),
    ({"leitai": np.array("{")}, "one.npz is no policy: Expecting"),
    ({"leitai": np.array([object()], dtype=object)}, "no policy: .*pickle"),
    ({"about": {"format": "other/9"}}, "its format is 'other/9'; 'leitai-policy/1' is read"),
    ({"about": {"game": "chess"}}, "chess"),
    ({"about": {"look": {"planes": ["spice"], "around": None, "reach": 0}}}, "kob has no plane 'spice'; it has obstacle"),
    ({"about": {"simulations": -1}}, "simulations is -1; 0 to 100000"),
    ({"about": {"game": "tankcraft"}}, "tankcraft has no plane 'obstacle'"),
    ({"policy.weights": None}, "'policy.weights' is missing"),
    ({"policy.biases": np.zeros(3)}, r"policy has weights \[8, 4\] and biases \[3\]; \[8, 4\] and \[4\] are needed"),
    ({"layer0.weights": np.zeros((5, 8))}, r"layer0 has weights \[5, 8\] and biases \[8\]; \[248, n\] and \[n\]"),
    ({"value.weights": np.full((8, 1), np.nan)}, "value has numbers that are not finite"),
])
def test_a_file_that_is_none_is_refused(changes, part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(changes)
    with pytest.raises(ValueError, match=part):
        Network.load("one.npz")


def test_what_cannot_be_asked_for_is_refused(tmp_path, leitai_command):
    (tmp_path / "text.npz").write_text("text")
    for call, error, part in [
        (lambda: Network.load("spice", "kob"), ValueError, "kob has no policy 'spice'; "),
        (lambda: Network.load("ppo"), ValueError, "no game has no policy 'ppo'"),
        (lambda: Network.load(tmp_path / "none.npz"), FileNotFoundError, "none.npz"),
        (lambda: Network.load(tmp_path / "text.npz"), ValueError, "text.npz is no policy: File is not a zip file"),
        (lambda: Env("kob", "python:spice"), ValueError, "kob has no policy 'spice'"),
        (lambda: leitai.evaluate("python:spice", "kob"), ValueError, "kob has no policy 'spice'"),
        (lambda: make("kob").save(tmp_path / "mine.bin"), ValueError, "does not end with .npz"),
        (lambda: make("tankcraft", simulations=9), ValueError, "simulations is 9; a search needs"),
        (lambda: make("tankcraft", look=Look(("stone",), around=("own_tank_0", "own_tank_1"))), ValueError, "2 windows; 5 are needed"),
        (lambda: make("kob", look=Look(("obstacle",), around="own_*")), ValueError, r"kob has no plane 'own_\*'"),
        (lambda: make("kob", look=Look(("spice*",))), ValueError, r"kob has no plane 'spice\*'"),
        (lambda: make("kob", look=Look(("obstacle",), far=True)), ValueError, "far is True; without a window False is accepted"),
        (lambda: make("kob").choose(leitai.snakego.start(1), 0), ValueError, "plays kob; it was asked in a leg of snakego"),
        (lambda: leitai.search_all([leitai.kob.start(1)], make("kob").evaluate, batch=0), ValueError, "batch is 0"),
    ]:
        with pytest.raises(error, match=part):
            call()
    make("kob").save(tmp_path / "mine.npz")
    with pytest.raises(ValueError, match="mine.npz is a policy of kob; one of snakego is needed"):
        Network.load(tmp_path / "mine.npz", "snakego")


def test_it_plays_over_the_protocol_as_in_python():
    net, leg, answers = make("kob"), leitai.kob.start(3), io.BytesIO()
    leitai.serve_policy(net, stdin=io.BytesIO(leg.message("start", 1) + leg.message("turn", 1)), stdout=answers)
    assert json.loads(answers.getvalue())["action"] == leg.notation(net.choose(leg, 1), 1)
