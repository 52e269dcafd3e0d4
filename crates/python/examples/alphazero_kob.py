#!/usr/bin/env python3
"""AlphaZero on King of Bots from nothing, with NumPy alone: processes play with a search, a network learns what the search found.

    python3 alphazero_kob.py --minutes 50 --jobs 2 --out agent       trains; writes agent/policy.npz and the curve
    python3 alphazero_kob.py --minutes 30 --out agent --resume       goes on from there
    python3 alphazero_kob.py --out agent --match level4 --legs 400   counts legs against a built-in bot
    leitai match kob python:agent/policy.npz level4

Both seats search at once (decoupled PUCT, `leitai.search_all`), all legs of a process ask the network together. What is learned: the
visits of the search, and half of the leg's result and of the search's value. Network and inputs are those of ppo_kob.py beside this
file, with a wider layer. Seeds of training begin at 10 million, those of measuring at 10,000.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # Each process has a core.

import argparse
import json
import multiprocessing
import time
from collections import deque
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

import leitai
from leitai import Network, SearchTree, kob

try:
    import ppo_kob as ppo
except ModuleNotFoundError:
    raise SystemExit("ppo_kob.py must lie beside this file, which takes its network and optimiser from there") from None

FIRST_TRAINED, FIRST_MEASURED = 10_000_000, 10_000
HIDDEN = 256
#: Until this step of a leg choices are drawn in proportion to the visits, later to their squares.
FREE_STEPS = 4
CURVE = "curve.json"


# Self-play


class SelfPlay:
    """Legs that a process plays against itself."""

    def __init__(self, legs: int, simulations: int, seed: int) -> None:
        self.simulations, self.rng = simulations, np.random.default_rng(seed)
        self.next_seed = FIRST_TRAINED * (1 + seed)
        self.trees = [self.begin() for _ in range(legs)]
        self.stories: list[list[dict[str, Any]]] = [[] for _ in range(legs)]

    def begin(self) -> SearchTree:
        self.next_seed += 1
        return SearchTree(kob.start(self.next_seed))

    def play(self, net: Network, steps: int) -> dict[str, np.ndarray]:
        """Plays on by so many steps in each leg; gives the positions of those that ended, a row for each seat."""
        rows: list[dict[str, Any]] = []
        for _ in range(steps):
            noise = {"noise": 1.0, "seed": int(self.rng.integers(2**31))}
            found = leitai.search_all(self.trees, net.evaluate, simulations=self.simulations, **noise)  # type: ignore[arg-type]
            for number, one in enumerate(found):
                rows += self.step(number, one)
        return {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else {})}

    def step(self, number: int, found: leitai.SearchResult) -> list[dict[str, Any]]:
        """One step of a leg; at its end its rows."""
        tree, story = self.trees[number], self.stories[number]
        leg, said = tree.leg, []
        for seat in (0, 1):
            seen, policy = leg.observe(seat, packed=True), found.policies[seat]
            odds = policy if leg.round <= FREE_STEPS else policy**2 / (policy**2).sum()
            said.append(int(self.rng.choice(len(odds), p=odds)))
            row = {"observation": seen["observation"], "scalars": seen["scalars"], "policy": policy.astype(np.float32)}
            story.append({**row, "seat": seat, "value": found.values[seat]})
        tree.step(*said)
        leg = tree.leg
        if not leg.is_over:
            return []
        for row in story:
            won = 0 if leg.winner is None else 1 if leg.winner == row["seat"] else -1
            row["value"] = np.float32((won + row["value"]) / 2)
        self.trees[number], self.stories[number] = self.begin(), []
        return story


def work(pipe: Connection, legs: int, simulations: int, steps: int, seed: int) -> None:
    """A process: gets weights, gives what it played with them."""
    player = SelfPlay(legs, simulations, seed)
    while (net := pipe.recv()) is not None:
        pipe.send((time.process_time(), player.play(net, steps)))


# Learning


def learn(net: ppo.Net, adam: ppo.Adam, rate: float, data: dict[str, np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """One step on the cross-entropy with the visits and the squared error of the values; tells both."""
    turned = ppo.LAYOUT.symmetries[rng.integers(len(ppo.LAYOUT.symmetries))]
    planes = turned.observation(ppo.LAYOUT.unpack(data["observation"]))
    log_p, value, cache = net.forward(ppo.LOOK.inputs({"observation": planes, "scalars": data["scalars"]}, ppo.LAYOUT))
    policy, count = turned.mask(data["policy"]), len(value)
    adam.step(net.backward((np.exp(log_p) - policy) / count, (value - data["value"]) / count, cache), rate)
    return np.array([-(policy * log_p).sum(1).mean(), ((value - data["value"]) ** 2).mean()])


def train(options: argparse.Namespace) -> None:
    rng = np.random.default_rng(options.seed)
    net, curve = begin_or_resume(options, rng)
    adam, pipes = ppo.Adam(net.weights), start_workers(options)
    memory: deque[dict[str, np.ndarray]] = deque(maxlen=options.memory)
    before = curve[-1] if curve else {"minutes": 0, "cpu_minutes": 0, "rows": 0}
    begin, limit, rows, cpu, lost = time.monotonic(), 60 * options.minutes, before["rows"], 0.0, np.zeros(2)
    points = 0
    while (spent := time.monotonic() - begin) < limit:
        if points <= options.points * spent / limit:
            points += 1
            curve.append(measure(net, options, (before["minutes"] + spent / 60, before["cpu_minutes"] + cpu / 60), rows, lost))
            write(net, options, curve)
        for pipe in pipes:
            pipe.send(net.network())
        steps = round(options.reuse * len(memory[-1]["value"]) / options.minibatch) if memory else 0
        data = {name: np.concatenate([one[name] for one in memory]) for name in memory[-1]} if memory else {}
        for _ in range(steps):  # Meanwhile they play.
            chosen = rng.integers(len(data["value"]), size=options.minibatch)
            rate = options.rate * max(0.05, 1 - spent / limit)
            lost = 0.98 * lost + 0.02 * learn(net, adam, rate, {name: data[name][chosen] for name in data}, rng)
        played = [pipe.recv() for pipe in pipes]
        memory.extend(one for _, one in played if one)
        rows += sum(len(one["value"]) for _, one in played if one)
        cpu = time.process_time() + sum(used for used, _ in played)
    for pipe in pipes:
        pipe.send(None)
    spent = time.monotonic() - begin
    curve.append(measure(net, options, (before["minutes"] + spent / 60, before["cpu_minutes"] + cpu / 60), rows, lost))
    write(net, options, curve)
    print(f"leitai match kob python:{Path(options.out) / ppo.POLICY} level4 plays it")


def begin_or_resume(options: argparse.Namespace, rng: np.random.Generator) -> tuple[ppo.Net, list[dict[str, Any]]]:
    """Random weights, or those that were written, with their curve."""
    net = ppo.Net(rng, hidden=HIDDEN)
    if not options.resume:
        return net, []
    known = Network.load(Path(options.out) / ppo.POLICY, "kob")
    for name, (weights, biases) in zip("12pv", [*known.layers, *(head for head in known.heads if head)]):
        net.weights[f"w{name}"], net.weights[f"b{name}"] = weights, biases
    return net, json.loads((Path(options.out) / CURVE).read_text())


def start_workers(options: argparse.Namespace) -> list[Connection]:
    pipes = []
    for job in range(options.jobs):
        here, there = multiprocessing.Pipe()
        words = (there, options.legs_at_once, options.simulations, options.steps, options.jobs * options.seed + job + 100 * options.resume)
        multiprocessing.Process(target=work, args=words, daemon=True).start()
        pipes.append(here)
    return pipes


def measure(net: ppo.Net, options: argparse.Namespace, spent: tuple[float, float], rows: int, lost: np.ndarray) -> dict[str, Any]:
    """A point of the curve: the network without a search, against built-in bots. Spent are minutes by the wall and of CPU time."""
    wall, cpu = spent
    point: dict[str, Any] = {"minutes": wall, "cpu_minutes": cpu, "rows": rows, "policy_loss": lost[0], "value_loss": lost[1]}
    for opponent in options.measured:
        point[opponent] = ppo.evaluate(net.network(), opponent, options.legs // 4, FIRST_MEASURED)
    words = "  ".join(f"{name} {100 * point[name]['win']:5.1f} %" for name in options.measured)
    print(f"{wall:5.1f} min {cpu:5.1f} of CPU {rows:9,} rows  loss {lost[0]:.3f} {lost[1]:.3f}  without a search it wins  {words}", flush=True)
    return point


def write(net: ppo.Net, options: argparse.Namespace, curve: list[dict[str, Any]]) -> None:
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    last = curve[-1]
    spent = f"{last['minutes']:.0f} minutes ({last['cpu_minutes']:.0f} of CPU) on {options.jobs} processes"
    about = f"alphazero_kob.py, {spent}, {last['rows']:,} rows, seed {options.seed}"
    net.network(simulations=options.played, about=about).save(out / ppo.POLICY, half=True)
    (out / CURVE).write_text(json.dumps(curve, indent=1) + "\n")


# Counting


def count(options: argparse.Namespace) -> dict[str, int]:
    """Legs of the written policy, with its search, against a built-in bot: in pairs, a seed on each seat. All at once."""
    net = Network.load(Path(options.out) / ppo.POLICY, "kob")
    legs = [(kob.start(FIRST_MEASURED + number // 2), number % 2) for number in range(options.legs)]
    bots = [kob.bot(options.match, number) for number in range(options.legs)]
    while running := [number for number, (leg, _) in enumerate(legs) if not leg.is_over]:
        own = net.choose_all([legs[number] for number in running])
        for number, said in zip(running, own):
            leg, seat = legs[number]
            other = bots[number].choose(leg, 1 - seat)
            leg.step(*((said, other) if seat == 0 else (other, said)))
    told = {"legs": len(legs), "won": sum(leg.winner == seat for leg, seat in legs), "drawn": sum(leg.winner is None for leg, _ in legs)}
    share = (told["won"] + told["drawn"] / 2) / len(legs)
    print(f"against {options.match}, {net.simulations} simulations a step: {told}, {100 * share:.1f} % of the points")
    return told


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="AlphaZero on King of Bots", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--minutes", type=float, default=50, help="time to train")
    parser.add_argument("--jobs", type=int, default=2, help="processes that play")
    parser.add_argument("--out", default="agent", help="folder for the policy and the curve")
    parser.add_argument("--resume", action="store_true", help="go on with the policy and the curve in --out")
    parser.add_argument("--match", help="no training: count legs of the policy in --out against this bot")
    parser.add_argument("--legs", type=int, default=400, help="legs that are counted; a quarter of them for a point of the curve")
    parser.add_argument("--measured", nargs="*", default=["random", "level2", "level4"], help="bots of the curve")
    parser.add_argument("--points", type=int, default=20, help="points of the curve")
    parser.add_argument("--simulations", type=int, default=32, help="of a step in training")
    parser.add_argument("--played", type=int, default=64, help="simulations of a step in matches")
    parser.add_argument("--legs-at-once", type=int, default=64, help="of a process")
    parser.add_argument("--steps", type=int, default=32, help="steps of each leg between two sets of weights")
    parser.add_argument("--memory", type=int, default=40, help="how many portions of what a process played are learned from")
    parser.add_argument("--reuse", type=float, default=4, help="how often a row is learned from")
    parser.add_argument("--minibatch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate, falling to a twentieth")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    options = arguments()
    if options.match:
        count(options)
    else:
        train(options)
