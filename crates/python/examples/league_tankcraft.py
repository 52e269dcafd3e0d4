#!/usr/bin/env python3
"""PPO in a league on TankCraft, under fog, with NumPy alone: the policy plays itself, its past selves and exploiters.

    python3 league_tankcraft.py --minutes 10 --out agent        trains; writes agent/policy.npz and the curve
    leitai match tankcraft python:agent/policy.npz level1

Main learns against `leitai.League`: half of its legs against itself, others against past selves (those that win are met more often)
and against exploiters, which learn against main alone and begin anew as main each time one joined the league. All see what their
seat sees. Network, optimiser and advantages are those of ppo_kob.py beside this file; an action has five parts here.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import ppo_kob as ppo

from leitai import League, Look, Network, tankcraft
from leitai.gym import VectorEnv

LAYOUT = tankcraft.layout()
LOOK = Look(tuple(LAYOUT.planes))
PARTS, CHOICES = LAYOUT.mask_shape
HIDDEN = 64
#: A point of the score's lead is so much reward.
POINT = 0.02
#: Legs of measuring have seeds from here on.
FIRST_MEASURED = 10_000
#: How many exploiters stay in the league.
EXPLOITERS = 3


class Learner:
    """A network that learns against an opponent."""

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.net = ppo.Net(self.rng, LOOK.size(LAYOUT), PARTS * CHOICES, HIDDEN)
        self.adam, self.options, self.seed = ppo.Adam(self.net.weights), options, seed
        #: The same weights: it plays as the network does, whenever it is asked.
        self.policy = self.net.network("tankcraft", LOOK)

    def meet(self, opponent: Any) -> None:
        words: dict[str, Any] = {"seat": "alternate", "reward": "score", "config": {"rounds": self.options.rounds}}
        self.env = VectorEnv("tankcraft", self.options.lanes, opponent, autoreset_mode="SameStep", **words)
        self.seen, _ = self.env.reset(seed=1_000_000 * self.seed)

    def improve(self, rate: float) -> None:
        """Plays some steps in all legs, and learns from them."""
        rows: list[tuple[np.ndarray, ...]] = []
        for _ in range(self.options.steps):
            x, mask = LOOK.inputs(self.seen, LAYOUT), self.seen["action_mask"] != 0
            log_p, value, _ = look_at(self.net, x, mask)
            said = (log_p + self.rng.gumbel(size=log_p.shape)).argmax(-1)
            self.seen, rewards, ended, _, _ = self.env.step(said)
            rows.append((x, mask, said, of_actions(log_p, said), value, POINT * rewards.astype(np.float32), ended.astype(np.float32)))
        x, mask, said, before, values, rewards, ends = (np.stack(part) for part in zip(*rows))
        last = self.net.logits(LOOK.inputs(self.seen, LAYOUT))[1]
        gains = ppo.advantages(values, rewards, ends, last)
        story = [part.reshape(-1, *part.shape[2:]) for part in (x, mask, said, before, gains, gains + values)]
        for _ in range(ppo.EPOCHS):
            for chosen in np.array_split(self.rng.permutation(len(story[0])), ppo.MINIBATCHES):
                self.learn(rate, *(part[chosen] for part in story))

    def learn(
        self, rate: float, x: np.ndarray, mask: np.ndarray, said: np.ndarray, before: np.ndarray, gains: np.ndarray, targets: np.ndarray
    ) -> None:
        """One step on the clipped objective, the value and the entropy, as ppo_kob.learn does for one part."""
        count = len(x)
        log_p, value, cache = look_at(self.net, x, mask)
        p = np.exp(log_p)
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        ratio = np.exp(of_actions(log_p, said) - before)
        free = np.where(gains > 0, ratio < 1 + ppo.CLIP, ratio > 1 - ppo.CLIP)
        slope = (-(gains * ratio * free) / count)[:, None, None]
        entropy = -(p * log_p).sum(-1, keepdims=True)
        d_logits = ((said[..., None] == np.arange(CHOICES)) - p) * slope + ppo.ENTROPY / PARTS * p * (log_p + entropy) / count
        self.adam.step(self.net.backward(d_logits.reshape(count, -1), ppo.VALUE * (value - targets) / count, cache), rate)


def look_at(net: ppo.Net, x: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
    """Log-probabilities ``[n, parts, choices]``, very small where the mask forbids; values; what the gradients need."""
    logits, value, cache = net.logits(x)
    return ppo.log_softmax(np.where(mask, logits.reshape(mask.shape), np.float32(-1e9))), value, cache


def of_actions(log_p: np.ndarray, said: np.ndarray) -> np.ndarray:
    """The log-probability of actions: the sum over their parts."""
    chosen: np.ndarray = np.take_along_axis(log_p, said[..., None], -1)[..., 0].sum(-1)
    return chosen


def train(options: argparse.Namespace) -> None:
    main, exploiter = Learner(options, options.seed), Learner(options, options.seed + 1)
    league = League(main=main.policy, past=list(options.past), most_past=options.most_past)
    main.meet(league)
    exploiter.meet(main.policy)
    curve: list[dict[str, Any]] = []
    begin, limit, rounds, joined = time.monotonic(), 60 * options.minutes, 0, 0
    while (spent := time.monotonic() - begin) < limit:
        if len(curve) <= options.points * spent / limit:
            curve.append(measure(main.policy, options, league, spent, rounds))
        rate = options.rate * max(0.1, 1 - spent / limit)
        main.improve(rate)
        if rounds % options.exploit_every == 0:
            exploiter.improve(rate)
        rounds += 1
        if rounds // options.join_every > joined:
            joined += 1
            join(league, main, exploiter)
    curve.append(measure(main.policy, options, league, time.monotonic() - begin, rounds))
    write(main.policy, options, curve)


def join(league: League, main: Learner, exploiter: Learner) -> None:
    """Main as it is now is a past self, and the exploiter joins; it goes on as main."""
    league.add_past(copy.deepcopy(main.policy))
    league.add_exploiter(copy.deepcopy(exploiter.policy))
    del league.exploiters[:-EXPLOITERS]
    for name, weights in exploiter.net.weights.items():
        weights[:] = main.net.weights[name]


def measure(policy: Network, options: argparse.Namespace, league: League, spent: float, rounds: int) -> dict[str, Any]:
    steps = rounds * options.lanes * options.steps
    point: dict[str, Any] = {"minutes": spent / 60, "steps": steps, "past": len(league.past), "exploiters": len(league.exploiters)}
    for opponent in options.measured:
        point[opponent] = ppo.evaluate(policy, opponent, options.legs, FIRST_MEASURED, config={"rounds": options.rounds})
    words = "  ".join(f"{name} {100 * point[name]['win']:5.1f} %" for name in options.measured)
    print(f"{spent / 60:5.2f} min {steps:9,} steps  {len(league.members):2} in the league  legs won against  {words}", flush=True)
    return point


def write(policy: Network, options: argparse.Namespace, curve: list[dict[str, Any]]) -> None:
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    policy.about = f"league_tankcraft.py, {options.minutes:g} minutes, {curve[-1]['steps']:,} steps, seed {options.seed}"
    policy.save(out / ppo.POLICY, half=True)
    (out / "curve.json").write_text(json.dumps(curve, indent=1) + "\n")
    print(f"wrote {out}; leitai match tankcraft python:{out / ppo.POLICY} level1 plays it")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A league on TankCraft", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="time to train, with measuring")
    parser.add_argument("--out", default="agent", help="folder for the policy and the curve")
    parser.add_argument("--past", nargs="*", default=["random", "level1"], help="built-in bots in the league from the beginning")
    parser.add_argument("--most-past", type=int, default=8, help="past selves that stay in the league")
    parser.add_argument("--exploit-every", type=int, default=3, help="updates of main for one of the exploiter")
    parser.add_argument("--join-every", type=int, default=30, help="updates of main until a past self and an exploiter join")
    parser.add_argument("--measured", nargs="*", default=["random", "level1"], help="bots of the curve")
    parser.add_argument("--legs", type=int, default=40, help="legs a point of the curve")
    parser.add_argument("--points", type=int, default=10, help="points of the curve")
    parser.add_argument("--lanes", type=int, default=32, help="legs at once")
    parser.add_argument("--steps", type=int, default=32, help="steps of each leg between two updates")
    parser.add_argument("--rounds", type=int, default=400, help="rounds of a leg at most")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate, falling to a tenth")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    train(arguments())
