"""The package itself: types, examples in docstrings, the example program, the measuring script."""

import ast
import doctest
import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import leitai
from leitai import Replay, _leitai

HERE = Path(__file__).parent
PACKAGE = Path(leitai.__file__).parent


def test_the_stubs_name_what_there_is():
    stubs = ast.parse((PACKAGE / "_leitai.pyi").read_text())
    for node in stubs.body:
        if isinstance(node, ast.ClassDef):
            told = {part.name for part in node.body if isinstance(part, ast.FunctionDef)} - {"__init__"}
            found = {name for name in vars(getattr(_leitai, node.name)) if not name.startswith("__")}
            assert {name for name in told if not name.startswith("__")} == found, node.name
        elif isinstance(node, ast.FunctionDef):
            told = [one.arg for one in (*node.args.args, *node.args.kwonlyargs)]
            assert list(inspect.signature(getattr(_leitai, node.name)).parameters) == told
    named = {node.name for node in stubs.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert named == {name for name in dir(_leitai) if not name.startswith("_")}


def test_parameters_of_the_stubs_are_those_of_the_module():
    stubs = ast.parse((PACKAGE / "_leitai.pyi").read_text())
    for node in [node for node in stubs.body if isinstance(node, ast.ClassDef)]:
        for part in [part for part in node.body if isinstance(part, ast.FunctionDef)]:
            found = vars(getattr(_leitai, node.name)).get(part.name)
            if part.decorator_list or part.name.startswith("__"):
                continue
            told = [one.arg for one in (*part.args.args, *part.args.kwonlyargs)]
            assert list(inspect.signature(found).parameters) == told, f"{node.name}.{part.name}"


def test_everything_public_is_documented():
    for name in leitai.__all__:
        thing = getattr(leitai, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for part in (part for part in vars(thing) if not part.startswith("_")):
                field = part in getattr(thing, "__dataclass_fields__", {})
                assert field or inspect.getdoc(getattr(thing, part)), f"{name}.{part}"


@pytest.mark.parametrize("name", [m.name for m in pkgutil.walk_packages([str(PACKAGE)], "leitai.")])
def test_examples_in_docstrings(name):
    for module, library in (("leitai.openspiel", "pyspiel"), ("leitai.minari", "minari"), ("leitai.ray", "ray")):
        if name == module:
            pytest.importorskip(library, reason=f"{library} is not installed; ./dev python-learners installs it")
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def run(*words, cwd=None):
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path), "PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, cwd=cwd, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


TINY = {
    "ppo_kob": "--minutes 0.03 --points 1 --legs 20 --envs 16 --steps 16",
    "clone_kob": "--matches 30 --epochs 6 --minibatch 16 --legs 20 --measured random --teacher safe",
    "alphazero_kob": "--minutes 0.03 --points 1 --jobs 1 --legs 16 --legs-at-once 4 --steps 4 --simulations 6 --played 2 --measured random",
    "league_tankcraft": "--minutes 0.02 --points 1 --lanes 2 --steps 4 --rounds 6 --legs 4 --join-every 1 --exploit-every 1",
}


@pytest.mark.parametrize("example", TINY)
def test_an_example_trains_and_its_policy_plays(example, tmp_path, leitai_command):
    told = run(HERE.parent / f"examples/{example}.py", *TINY[example].split(), "--out", "agent", cwd=tmp_path)
    curve = json.loads((tmp_path / "agent/curve.json").read_text())
    assert "python:agent/policy.npz" in told and len(curve) >= 2 and curve[-1]["random"]["legs"] >= 4
    policy = leitai.Network.load(tmp_path / "agent/policy.npz")
    assert example in policy.about and (tmp_path / "agent/policy.npz").stat().st_size < 5_000_000
    match example:
        case "clone_kob":
            assert [point["epoch"] for point in curve] == list(range(7)) and curve[-1]["agrees"] > curve[0]["agrees"]
        case "alphazero_kob":
            run(HERE.parent / "examples/alphazero_kob.py", *TINY[example].split(), "--out", "agent", "--resume", cwd=tmp_path)
            assert json.loads((tmp_path / "agent/curve.json").read_text())[: len(curve)] == curve
            told = run(HERE.parent / "examples/alphazero_kob.py", "--out", "agent", "--match", "random", "--legs", 6, cwd=tmp_path)
            assert "against random, 2 simulations a step: {'legs': 6" in told
        case "league_tankcraft":
            assert curve[-1]["past"] > 2 and curve[-1]["exploiters"] > 0
            run(HERE.parent / "examples/league_tankcraft.py", *TINY[example].split(), "--out", "more", "--from", "agent", cwd=tmp_path)
            more = json.loads((tmp_path / "more/curve.json").read_text())
            assert more[: len(curve)] == curve and more[-1]["steps"] > curve[-1]["steps"] and more[-1]["exploiters"] > 0
            alone = [*TINY[example].split(), "--lanes", 1, "--league", 0, "--out", "alone"]
            run(HERE.parent / "examples/league_tankcraft.py", *alone, cwd=tmp_path)
            told = run(HERE.parent / "examples/league_tankcraft.py", "--from", "more", "--match", "random", "--legs", 4, "--rounds", 6, cwd=tmp_path)
            assert "against random: {" in told and "'legs': 4" in told
    words = ["--config", "rounds=4"] if policy.game == "tankcraft" else []
    leitai_command("match", policy.game, f"python:{tmp_path}/agent/policy.npz", "random", "--seed", 1, "--replay", tmp_path / "match.json", *words)
    replay = Replay.load(tmp_path / "match.json")
    assert replay.data["status"] == "complete" and not any(leg.get("faults") for leg in replay.data["legs"])


@pytest.mark.parametrize(
    "code, said",
    [
        ("hide('gymnasium'); import leitai.gym", "No module named 'gymnasium'; pip install 'leitai[gym]' brings it"),
        ("hide('pettingzoo'); import leitai.zoo", "No module named 'pettingzoo'; pip install 'leitai[zoo]' brings it"),
        ("sys.path.remove(EXAMPLES); sys.modules['ppo_kob'] = None; runpy.run_path(EXAMPLES + '/clone_kob.py')", "ppo_kob.py must lie beside this file"),
        ("import leitai; leitai.evaluate('spice', 'kob')", "of the package there is: python:alphazero, "),
        ("import leitai; leitai.evaluate(leitai.Network.load('ppo', 'kob').act, 'kob')", "is a method; give <leitai.Network of kob"),
        ("import leitai.gym; leitai.gym.Env('kob', leitai.Pool({'spice': 1}))", "of the package there is: python:alphazero, "),
        ("sys.argv[1:] = ['match']; sys.executable = '/none/python3'; runpy.run_module('leitai', run_name='__main__')", "/none/leitai is not there; wheels of Leitai bring it"),
    ],
)
def test_what_is_missing_is_told_with_what_to_do(code, said):
    begin = f"""
import runpy, sys
from importlib.machinery import PathFinder
EXAMPLES, find = {str(HERE.parent / "examples")!r}, PathFinder.find_spec
sys.path.append(EXAMPLES)
def hide(library):
    PathFinder.find_spec = lambda name, *more: None if name == library else find(name, *more)
"""
    told = subprocess.run([sys.executable, "-c", begin + code], capture_output=True, text=True)
    assert told.returncode == 1 and said in told.stderr


def test_a_pool_shows_its_members():
    assert repr(leitai.Pool({"safe": 2, "level4": 1})) == "Pool([('safe', 2.0), ('level4', 1.0)])"


def test_the_cards_are_what_the_code_and_the_results_say():
    run(HERE.parent / "bench/cards.py", "check")


def test_the_first_lesson_runs_from_top_to_bottom(tmp_path):
    lesson = HERE.parents[2] / "docs/examples/first_lesson.py"
    notebooks = []
    for lang in ("en", "zh"):
        run(HERE.parent / "bench/notebook.py", lesson, "--lang", lang, "--out", tmp_path / f"{lang}.ipynb")
        notebooks.append(json.loads((tmp_path / f"{lang}.ipynb").read_text(encoding="utf-8"))["cells"])
    texts = [["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"] for cells in notebooks]
    assert len(texts[0]) == len(texts[1]) == 6 and all("学" in text or "天梯" in text or "智能体" in text for text in texts[1])
    codes = [["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"] for cells in notebooks]
    assert codes[0] == codes[1] and len(codes[0]) == 6
    names = {}
    for code in codes[0]:
        exec(compile(code, str(lesson), "exec"), names)
    points = {row.name: row.points for row in names["table"].standings}
    assert points["random"] == min(points.values()) and names["weights"][0] > 0


def test_the_measuring_script_measures():
    told = run(HERE.parent / "bench/side_by_side.py", "--runs", 1, "--scale", 0.01)
    for interface in ("`Leg.step`", "PettingZoo AEC, SnakeGo", "Parallel, TankCraft", "256 at once, SnakeGo, packed"):
        assert interface in told
    assert "official Python judge" in told


def test_a_gradient_is_the_slope():
    """The example's gradients against small differences."""
    sys.path.insert(0, str(HERE.parent / "examples"))
    import numpy as np
    import ppo_kob as ppo

    rng = np.random.default_rng(3)
    net = ppo.Net(rng)
    net.weights = {name: (w + 0.1 * rng.standard_normal(w.shape)).astype(np.float64) for name, w in net.weights.items()}
    x = rng.standard_normal((16, ppo.INPUTS))
    actions, advantage, targets = rng.integers(4, size=16), rng.standard_normal(16), rng.standard_normal(16)
    before = net.forward(x)[0][np.arange(16), actions] + 0.3 * rng.standard_normal(16)

    def loss():
        log_p, value, _ = net.forward(x)
        ratio = np.exp(log_p[np.arange(16), actions] - before)
        clipped = np.clip(ratio, 1 - ppo.CLIP, 1 + ppo.CLIP)
        gain = np.minimum(ratio * advantage, clipped * advantage).mean()
        entropy = -(np.exp(log_p) * log_p).sum(1).mean()
        return -gain - ppo.ENTROPY * entropy + ppo.VALUE * 0.5 * ((value - targets) ** 2).mean()

    class Keep:
        def step(self, gradients, _):
            self.gradients = gradients

    ppo.learn(net, keep := Keep(), 0.0, x, actions, before, advantage, targets)
    for name, weights in net.weights.items():
        for _ in range(4):
            at = tuple(rng.integers(size) for size in weights.shape)
            kept, slopes = weights[at], []
            for change in (1e-6, -1e-6):
                weights[at] = kept + change
                slopes.append(loss())
            weights[at] = kept
            slope = (slopes[0] - slopes[1]) / 2e-6
            assert keep.gradients[name][at] == pytest.approx(slope, rel=1e-3, abs=1e-6), name


@pytest.mark.parametrize("page", ["learning.md", "learning.zh.md"])
def test_the_page_names_every_plane_scalar_and_kind_of_action(page):
    text = (HERE.parents[2] / "docs" / page).read_text()
    for module in (leitai.snakego, leitai.kob, leitai.tankcraft):
        layout = module.layout()
        assert f"[{', '.join(map(str, layout.planes_shape()))}]" in text
        scalars = {re.sub(r"^(own|their)_tank_\d_", "", name) for name in layout.scalars}
        planes = {re.sub(r"_tank_[123]$", "_tank_0", name) for name in layout.planes}
        for name in scalars | planes | {choice.split(" ")[0] for choice in layout.parts[0]}:
            assert f"`{name}`" in text, name


def test_the_import_leaves_out_what_nobody_asked_for():
    """`import leitai` costs NumPy and little more; that is counted in modules, because times differ from machine to machine."""
    code = "import sys, numpy; before = set(sys.modules); import leitai; print(*sorted(set(sys.modules) - before))"
    loaded = run("-c", code).split()
    assert len(loaded) < 40, loaded  # NumPy for Python 3.10 leaves some of the standard library to others.
    for heavy in ("gymnasium", "pettingzoo", "subprocess", "urllib.request", "zipfile", "selectors", "leitai.series"):
        assert heavy not in loaded
    assert "evaluate" in dir(leitai) and leitai.evaluation.evaluate is leitai.evaluate
    with pytest.raises(AttributeError, match="no attribute 'spice'"):
        leitai.spice
