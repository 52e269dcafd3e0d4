#!/usr/bin/env python3
"""Steps per second of every interface and of other libraries, in one run: the table of
docs/learning.md.

    ./dev python-bench          installs the other libraries, builds an optimised package, runs this

Everyone plays recorded actions of whole games in the same kind of loop, so that choosing actions
costs nothing. Figures are CPU time of this process, the best of several runs, with the worst as
spread; with two threads, wall time.
"""

from __future__ import annotations

import argparse
import platform
import random
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

import numpy as np

import leitai
from leitai import kob, snakego, tankcraft
from leitai.gym import Env, VectorEnv
from leitai.zoo import kob_v0, snakego_v0, tankcraft_v0

#: The official judge of SnakeGo, in process, long games: measured elsewhere, not run here.
OFFICIAL_JUDGE = 24_500


# Recorded games


def recorded(module, names: tuple[str, str], seed: int, longest: int = 10**9) -> list:
    """The actions of every step of a leg between two built-in bots: a number, or a pair in games with
    simultaneous moves."""
    leg, story = module.start(seed), []
    bots = [module.bot(name, seed + seat) for seat, name in enumerate(names)]
    while not leg.is_over and len(story) < longest:
        said = [bots[seat].choose(leg, seat) for seat in leg.seats]
        leg.step(*said)
        story.append(said[0] if len(said) == 1 else tuple(said))
    return story


def recorded_openspiel(name: str, seed: int) -> list[int]:
    import pyspiel

    state, dice, story = pyspiel.load_game(name).new_initial_state(), random.Random(seed), []
    while not state.is_terminal():
        story.append(dice.choice(state.legal_actions()))
        state.apply_action(story[-1])
    return story


# One run of each interface; each returns its number of steps


def raw(module, games: list[list]) -> int:
    for seed, story in enumerate(games):
        step = module.start(seed).step
        if isinstance(story[0], tuple):
            for first, second in story:
                step(first, second)
        else:
            for action in story:
                step(action)
    return sum(map(len, games))


def raw_masked(module, games: list[list]) -> int:
    for seed, story in enumerate(games):
        leg = module.start(seed)
        for action in story:
            leg.mask()
            leg.step(action)
    return sum(map(len, games))


def random_playouts(module, legs: int) -> int:
    """A loop as people write it: find the legal actions, choose one, step."""
    played, draw = 0, random.Random(1).random
    for seed in range(legs):
        leg = module.start(seed)
        legal, step = leg.legal_actions, leg.step
        if leg.seat < 0:
            while not leg.is_over:
                first, second = legal(0), legal(1)
                step(first[int(draw() * len(first))], second[int(draw() * len(second))])
                played += 1
        else:
            while not leg.is_over:
                actions = legal()
                step(actions[int(draw() * len(actions))])
                played += 1
    return played


def starts(module, count: int, steps: int) -> int:
    """Starts, each with so many first steps."""
    for seed in range(count):
        leg = module.start(seed)
        if steps:
            leg.play_random(seed, steps)
    return count


def legal_moves(env: VectorEnv, steps: int, dice: np.random.Generator) -> int:
    """Random legal moves, chosen in arrays."""
    seen, _ = env.reset(seed=1)
    for _ in range(steps):
        mask = seen["action_mask"]
        seen = env.step((dice.random(mask.shape) * mask).argmax(1))[0]
    return steps * env.num_envs


def native_playouts(module, legs: int) -> int:
    return sum(module.start(seed).play_random(seed) for seed in range(legs))


def openspiel_playouts(name: str, games: int) -> int:
    import pyspiel

    played, draw, game = 0, random.Random(1).random, pyspiel.load_game(name)
    for _ in range(games):
        state = game.new_initial_state()
        legal, step, over = state.legal_actions, state.apply_action, state.is_terminal
        while not over():
            actions = legal()
            step(actions[int(draw() * len(actions))])
            played += 1
    return played


def openspiel(name: str, games: list[list[int]]) -> int:
    import pyspiel

    game = pyspiel.load_game(name)
    for story in games:
        apply = game.new_initial_state().apply_action
        for action in story:
            apply(action)
    return sum(map(len, games))


def openspiel_masked(name: str, games: list[list[int]]) -> int:
    import pyspiel

    game = pyspiel.load_game(name)
    for story in games:
        state = game.new_initial_state()
        for action in story:
            state.legal_actions()
            state.apply_action(action)
    return sum(map(len, games))


def aec(env, games: list[list]) -> int:
    for seed, story in enumerate(games):
        env.reset(seed=seed)
        for action in story:
            env.last()
            env.step(action)
    return sum(map(len, games))


def parallel(env, games: list[list]) -> int:
    first, second = env.possible_agents
    for seed, story in enumerate(games):
        env.reset(seed=seed)
        for one, other in story:
            env.step({first: one, second: other})
    return sum(map(len, games))


def single(env: Env, actions: list[int]) -> int:
    env.reset(seed=1)
    over = False
    for action in actions:
        if over:
            env.reset()
        over = env.step(action)[2]
    return len(actions)


def batch(env: leitai.SelfPlay, stories: np.ndarray) -> int:
    env.reset(seed=0)  # The recorded legs.
    for actions in stories:
        env.step(actions)
    return stories.shape[0] * env.num_envs


def vector(env: VectorEnv, stories: np.ndarray) -> int:
    env.reset(seed=1)
    for actions in stories:
        env.step(actions)
    return stories.shape[0] * env.num_envs


# Measuring


class Table:
    def __init__(self, runs: int):
        self.runs, self.rows = runs, []

    def add(self, name: str, run: Callable[[], int], wall: bool = False) -> float:
        clock = time.perf_counter if wall else time.process_time
        run()
        rates = []
        for _ in range(self.runs):
            begin = clock()
            steps = run()
            rates.append(steps / (clock() - begin))
        self.rows.append((name, max(rates), min(rates)))
        print(f"{name:<72} {figure(max(rates)):>9}   (worst {figure(min(rates))})", flush=True)
        return max(rates)

    def markdown(self) -> str:
        lines = ["| interface | steps/s | worst of the runs |", "|---|---:|---:|"]
        lines += [f"| {name} | {figure(best)} | {figure(worst)} |" for name, best, worst in self.rows]
        return "\n".join(lines)


def figure(rate: float) -> str:
    return f"{rate / 1e6:.2f} M" if rate >= 1e6 else f"{rate / 1e3:.1f} k"


def installed(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"


def measure(runs: int, scale: float) -> None:
    table = Table(runs)
    legs = max(1, round(20 * scale))
    snakes = [recorded(snakego, ("greedy", "greedy"), seed) for seed in range(max(1, legs // 4))]
    kobs = [recorded(kob, ("space", "safe"), seed) for seed in range(20 * legs)]
    tanks = [recorded(tankcraft, ("miner", "miner"), seed) for seed in range(max(1, legs // 4))]
    raw_rate = table.add("SnakeGo, `Leg.step`", lambda: raw(snakego, snakes))
    table.add("SnakeGo, `Leg.mask` and `Leg.step`", lambda: raw_masked(snakego, snakes))
    table.add("King of Bots, `Leg.step`", lambda: raw(kob, kobs))
    table.add("TankCraft, `Leg.step`", lambda: raw(tankcraft, tanks))
    for title, module in ("SnakeGo", snakego), ("King of Bots", kob):
        table.add(f"{title}, random playouts in Python", lambda: random_playouts(module, 10 * legs))
        table.add(f"{title}, random playouts, `Leg.play_random`", lambda: native_playouts(module, 10 * legs))
        table.add(f"{title}, `start`", lambda: starts(module, 100 * legs, 0))
        table.add(f"{title}, `start` and a step", lambda: starts(module, 100 * legs, 1))
    table.add("TankCraft, `start` and a step", lambda: starts(tankcraft, 10 * legs, 1))
    other_raw = beside_openspiel(table, legs)
    aec_rate = table.add("PettingZoo AEC, SnakeGo, `raw_env()`, dense", lambda: aec(snakego_v0.raw_env(), snakes))
    table.add("PettingZoo AEC, SnakeGo, `raw_env()`, packed", lambda: aec(snakego_v0.raw_env(packed=True), snakes))
    table.add("PettingZoo AEC, SnakeGo, `env()`, dense", lambda: aec(snakego_v0.env(), snakes))
    other_aec = beside_connect_four(table, legs)
    kob_rate = table.add("PettingZoo Parallel, King of Bots, dense", lambda: parallel(kob_v0.parallel_env(), kobs))
    tank_rate = table.add("PettingZoo Parallel, TankCraft, dense", lambda: parallel(tankcraft_v0.parallel_env(), tanks))
    table.add("PettingZoo Parallel, TankCraft, packed", lambda: parallel(tankcraft_v0.parallel_env(packed=True), tanks))
    dice = np.random.default_rng(1)
    moves = dice.integers(4, size=round(4000 * scale) + 1).tolist()
    table.add("Gymnasium `Env`, King of Bots against `random`", lambda: single(Env("kob"), moves))
    batch_rate = batches(table, scale, dice)
    print("\n" + table.markdown() + "\n")
    ratios(raw_rate, other_raw, aec_rate, other_aec, min(kob_rate, tank_rate), batch_rate)


def beside_openspiel(table: Table, legs: int) -> float | None:
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        print("OpenSpiel is not installed; left out")
        return None
    rates = []
    for name in ("connect_four", "breakthrough", "tic_tac_toe"):
        games = [recorded_openspiel(name, seed) for seed in range(10 * legs)]
        rates.append(table.add(f"OpenSpiel, {name}, `apply_action`", lambda: openspiel(name, games)))
        table.add(f"OpenSpiel, {name}, `legal_actions` and `apply_action`", lambda: openspiel_masked(name, games))
        table.add(f"OpenSpiel, {name}, random playouts in Python", lambda: openspiel_playouts(name, 10 * legs))
    return max(rates)


def beside_connect_four(table: Table, legs: int) -> float | None:
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        print("PettingZoo's connect_four needs pygame; left out")
        return None
    games, env = [], connect_four_v3.env()
    for seed in range(legs):
        env.reset(seed=seed)
        story = []
        for agent in env.agent_iter():
            observation, _, over, cut, _ = env.last()
            if over or cut:
                break
            env.action_space(agent).seed(1000 * seed + len(story))
            story.append(int(env.action_space(agent).sample(observation["action_mask"])))
            env.step(story[-1])
        games.append(story)
    return table.add("PettingZoo AEC, connect_four_v3, `env()`", lambda: aec(env, games))


def batches(table: Table, scale: float, dice: np.random.Generator) -> float:
    lanes, long = 256, round(1000 * scale) + 1
    stories = [recorded(snakego, ("greedy", "greedy"), seed, long) for seed in range(lanes)]
    long = min(map(len, stories))
    snakes = np.array([story[:long] for story in stories]).T.copy()
    rates = []
    for threads in (1, 2):
        for packed in (True, False):
            env = leitai.SelfPlay("snakego", lanes, packed=packed, threads=threads)
            how = f"{'packed' if packed else 'dense'}, {threads} thread{'s' if threads > 1 else ''}"
            rates.append(table.add(f"256 at once, SnakeGo, {how}", lambda: batch(env, snakes), wall=threads > 1))
    moves = dice.integers(4, size=(round(2000 * scale) + 1, lanes, 2))
    duel = leitai.SelfPlay("kob", lanes, packed=True, pool=1024)
    table.add("256 at once, King of Bots, both seats, packed, random moves", lambda: batch(duel, moves))
    env = VectorEnv("kob", lanes, "random", packed=True, copy=False, pool=1024)
    ways = np.ascontiguousarray(moves[:, :, 0])
    table.add("Gymnasium `VectorEnv`, 256, King of Bots against `random`, packed", lambda: vector(env, ways))
    plain = VectorEnv("kob", lanes)
    table.add("Gymnasium `VectorEnv`, 256, King of Bots, default arguments", lambda: vector(plain, ways))
    tanks = leitai.SelfPlay("tankcraft", lanes, packed=True, pool=64)
    orders = dice.integers(3, 69, size=(round(100 * scale) + 1, lanes, 2, 5))
    table.add("256 at once, TankCraft, both seats, packed, random orders", lambda: batch(tanks, orders))
    for tail in ("truncate", "play"):
        alone = VectorEnv("snakego", lanes, "greedy", packed=True, copy=False, solo_tail=tail)
        run = lambda: legal_moves(alone, round(100 * scale) + 1, np.random.default_rng(1))  # noqa: E731, B023
        table.add(f"Gymnasium `VectorEnv`, 256, SnakeGo against `greedy`, solo_tail={tail!r}", run)
    return max(rates[0], rates[2])


def ratios(raw_rate, other_raw, aec_rate, other_aec, parallel_rate, batch_rate) -> None:
    def told(name: str, rate: float, goal: float, other: float | None, whose: str) -> None:
        beside = f"; {rate / other:.1f} x {whose}" if other else ""
        print(f"{name}: {figure(rate)}/s, goal {figure(goal)}: {'reached' if rate >= goal else 'MISSED'}{beside}")

    told("raw step", raw_rate, 1.5e6, other_raw, "OpenSpiel's fastest here")
    told("PettingZoo AEC", aec_rate, 300e3, other_aec, "connect_four")
    told("PettingZoo Parallel, the slower game", parallel_rate, 200e3, None, "")
    told("256 at once, packed", batch_rate, 5e6, None, "")
    print(f"official Python judge (measured elsewhere, not run here): {figure(OFFICIAL_JUDGE)}; "
          f"raw step {raw_rate / OFFICIAL_JUDGE:.0f} x, 256 at once {batch_rate / OFFICIAL_JUDGE:.0f} x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of everything")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the work; small for a smoke run")
    options = parser.parse_args()
    packages = ", ".join(map(installed, ("numpy", "gymnasium", "pettingzoo", "open-spiel")))
    print(f"leitai {leitai.__version__}, Python {platform.python_version()}, {packages}\n")
    measure(options.runs, options.scale)
