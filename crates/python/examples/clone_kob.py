#!/usr/bin/env python3
"""Behaviour cloning on King of Bots: a small network learns from recorded matches to say what their players said. NumPy alone, a few
minutes on one core. The network, its inputs and its measuring are those of ppo_kob.py beside this file.

    python3 clone_kob.py --out agent                     records matches of a teacher in agent/replays, and learns from them
    python3 clone_kob.py --replays matches/ --winners    learns what winners said, from replays of a ladder
    leitai match kob python:agent/policy.npz random      the policy plays
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import leitai
from leitai import Replay, kob

try:
    import ppo_kob as ppo
except ModuleNotFoundError:
    raise SystemExit("ppo_kob.py must lie beside this file, which takes its network and optimiser from there") from None

#: Legs of evaluation have seeds from here on, those of training end before.
FIRST_MEASURED = 10_000

#: The share of legs that only measure what was learned.
HELD_OUT = 0.1


# Recorded matches


def record(folder: Path, teacher: str, matches: int, seed: int) -> None:
    """Plays matches of two legs, the teacher on both seats, and writes their replays."""
    folder.mkdir(parents=True, exist_ok=True)
    assert seed + matches <= FIRST_MEASURED, f"seeds from {FIRST_MEASURED} on are for measuring"
    for number in range(seed, seed + matches):
        legs = [kob.start(number, record=True) for _ in range(2)]
        for half, leg in enumerate(legs):
            bots = [kob.bot(teacher, 4 * number + 2 * half + seat) for seat in (0, 1)]
            while not leg.is_over:
                leg.step(*(bot.choose(leg, seat) for seat, bot in enumerate(bots)))
        Replay.of(legs, (teacher, teacher)).save(folder / f"{number}.json")


def read(folder: Path, winners: bool) -> list[dict[str, Any]]:
    """The legs of the replays; with ``winners`` only what the winners of legs said."""
    legs = []
    for leg in leitai.dataset(folder, game="kob"):
        chosen = leg["outcome"] > 0 if winners else np.ones(len(leg["action"]), np.bool_)
        legs.append({name: leg[name][chosen] for name in ("observation", "scalars", "action", "outcome")})
    if len(legs) < 20:
        raise SystemExit(f"{folder} has {len(legs)} legs; at least 20 are needed to learn anything")
    return legs


def join(legs: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([leg[name] for leg in legs]) for name in legs[0]}


# Learning


def learn(net: ppo.Net, adam: ppo.Adam, rate: float, x: np.ndarray, actions: np.ndarray, results: np.ndarray) -> None:
    """One step on the cross-entropy of the actions and the squared error of the predicted results."""
    log_p, value, cache = net.forward(x)
    d_logits = np.exp(log_p)
    d_logits[np.arange(len(x)), actions] -= 1
    adam.step(net.backward(d_logits / len(x), ppo.VALUE * (value - results) / len(x), cache), rate)


def train(options: argparse.Namespace) -> None:
    out = Path(options.out)
    folder = Path(options.replays) if options.replays else out / "replays"
    if not options.replays and not folder.exists():
        record(folder, options.teacher, options.matches, options.seed)
    rng = np.random.default_rng(options.seed)
    legs = read(folder, options.winners)
    kept = max(1, round(HELD_OUT * len(legs)))
    held, data = join(legs[-kept:]), join(legs[:-kept])
    layout = kob.layout()
    net = ppo.Net(rng)
    adam, curve = ppo.Adam(net.weights), [measure(net, options, 0, held)]
    for epoch in range(1, options.epochs + 1):
        order = rng.permutation(len(data["action"]))
        for part in np.array_split(order, max(1, len(order) // options.minibatch)):
            turned = layout.symmetries[rng.integers(len(layout.symmetries))]
            seen = {"observation": turned.observation(data["observation"][part]), "scalars": data["scalars"][part]}
            rate = options.rate * (1 - 0.9 * epoch / options.epochs)
            learn(net, adam, rate, ppo.LOOK.inputs(seen, layout), turned.action(data["action"][part]), data["outcome"][part].astype(np.float32))
        curve.append(measure(net, options, epoch, held))
    write(net, curve, options, folder)


def measure(net: ppo.Net, options: argparse.Namespace, epoch: int, held: dict[str, Any]) -> dict[str, Any]:
    log_p, _, _ = net.forward(ppo.LOOK.inputs(held, ppo.LAYOUT))
    point: dict[str, Any] = {"epoch": epoch, "agrees": float((log_p.argmax(1) == held["action"]).mean())}
    for opponent in options.measured:
        point[opponent] = ppo.evaluate(net.network(), opponent, options.legs, FIRST_MEASURED)
    words = "  ".join(f"{name} {100 * point[name]['win']:5.1f} %" for name in options.measured)
    print(f"epoch {epoch:3}  agrees {100 * point['agrees']:5.1f} %  legs won against  {words}", flush=True)
    return point


def write(net: ppo.Net, curve: list[dict[str, Any]], options: argparse.Namespace, folder: Path) -> None:
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    about = f"clone_kob.py, {options.epochs} epochs over {folder.name}, seed {options.seed}"
    net.network(about=about).save(out / ppo.POLICY, half=True)
    (out / "curve.json").write_text(json.dumps(curve, indent=1) + "\n")
    print(f"wrote {out}; leitai match kob python:{out / ppo.POLICY} random plays it")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Behaviour cloning on King of Bots", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--out", default="agent", help="folder for the weights and the curve")
    parser.add_argument("--replays", help="folder with replays; without it the teacher's matches are recorded")
    parser.add_argument("--winners", action="store_true", help="learn only from who won the leg")
    parser.add_argument("--teacher", default="space", help="built-in bot whose matches are recorded")
    parser.add_argument("--matches", type=int, default=3000, help="matches of two legs to record")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--minibatch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate, falling to a tenth")
    parser.add_argument("--measured", nargs="*", default=["random", "sample", "safe", "space"], help="bots of the curve")
    parser.add_argument("--legs", type=int, default=400, help="legs a point of the curve")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    train(arguments())
