#!/usr/bin/env python3
"""PPO on King of Bots in one file, with NumPy alone: a small network learns to play in ten minutes on one core.

    python3 ppo_kob.py --minutes 10 --out agent            trains; writes agent/policy.npz and the curve
    leitai match kob python:agent/policy.npz random        the policy plays

Inputs: a window around the own head (obstacles, bodies, heads and tails) and five numbers. Outputs:
a distribution over the four directions, and a prediction of the leg's result. Rewards are 1, 0, -1
at the end. The opponent is a built-in bot.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from leitai import Look, Network, kob
from leitai.gym import VectorEnv

POLICY = "policy.npz"

#: What the network sees: a window of 11 x 11 cells around the own head, and the five scalars.
LOOK = Look(("obstacle", "own_body", "their_body", "their_head", "own_tail", "their_tail"), around="own_head", reach=5)
LAYOUT = kob.layout()
INPUTS, ACTIONS = LOOK.size(LAYOUT), len(LAYOUT.parts[0])
HIDDEN = 128

GAMMA, LAMBDA = 0.99, 0.95
CLIP, ENTROPY, VALUE, MAX_NORM = 0.2, 0.01, 0.5, 0.5
EPOCHS, MINIBATCHES = 4, 8

#: Legs of the training have seeds from here on; those of the curve begin at 10,000, and `leitai.evaluate` plays seeds from 1 on.
FIRST_TRAINED, FIRST_MEASURED = 10_000_000, 10_000


# The network: two layers shared by policy and value


class Net:
    def __init__(self, rng: np.random.Generator, inputs: int = INPUTS, actions: int = ACTIONS, hidden: int = HIDDEN):
        def layer(inputs: int, outputs: int, gain: float) -> np.ndarray:
            a = rng.standard_normal((max(inputs, outputs), min(inputs, outputs)))
            q = np.linalg.qr(a)[0]
            return (gain * (q if inputs >= outputs else q.T)).astype(np.float32)

        self.weights = {
            "w1": layer(inputs, hidden, 2**0.5),
            "b1": np.zeros(hidden, np.float32),
            "w2": layer(hidden, hidden, 2**0.5),
            "b2": np.zeros(hidden, np.float32),
            "wp": layer(hidden, actions, 0.01),
            "bp": np.zeros(actions, np.float32),
            "wv": layer(hidden, 1, 1.0),
            "bv": np.zeros(1, np.float32),
        }

    def forward(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
        """Log-probabilities of the actions, values, and the intermediate results for the gradients."""
        logits, value, cache = self.logits(x)
        return log_softmax(logits), value, cache

    def logits(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
        w = self.weights
        h1 = np.maximum(x @ w["w1"] + w["b1"], 0)
        h2 = np.maximum(h1 @ w["w2"] + w["b2"], 0)
        return h2 @ w["wp"] + w["bp"], (h2 @ w["wv"] + w["bv"])[:, 0], (x, h1, h2)

    def backward(self, d_logits: np.ndarray, d_value: np.ndarray, cache: tuple[np.ndarray, ...]) -> dict[str, np.ndarray]:
        """Gradients of all weights, from those of logits and values."""
        w, (x, h1, h2) = self.weights, cache
        d_value = d_value[:, None]
        d2 = (d_logits @ w["wp"].T + d_value @ w["wv"].T) * (h2 > 0)
        d1 = (d2 @ w["w2"].T) * (h1 > 0)
        return {
            "w1": x.T @ d1,
            "b1": d1.sum(0),
            "w2": h1.T @ d2,
            "b2": d2.sum(0),
            "wp": h2.T @ d_logits,
            "bp": d_logits.sum(0),
            "wv": h2.T @ d_value,
            "bv": d_value.sum(0),
        }

    def network(self, game: str = "kob", look: Look = LOOK, **more: Any) -> Network:
        """The same as a policy that plays in matches."""
        w = self.weights
        return Network(game, look, [(w["w1"], w["b1"]), (w["w2"], w["b2"])], (w["wp"], w["bp"]), (w["wv"], w["bv"]), **more)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Logarithms of probabilities, over the last axis."""
    logits = logits - logits.max(-1, keepdims=True)
    log_p: np.ndarray = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return log_p


class Adam:
    def __init__(self, weights: dict[str, np.ndarray]):
        self.weights, self.steps = weights, 0
        self.mean = {name: np.zeros_like(w) for name, w in weights.items()}
        self.square = {name: np.zeros_like(w) for name, w in weights.items()}

    def step(self, gradients: dict[str, np.ndarray], rate: float) -> None:
        norm = float(np.sqrt(sum(float((g * g).sum()) for g in gradients.values())))
        scale = min(1.0, MAX_NORM / (norm + 1e-6))
        self.steps += 1
        for name, gradient in gradients.items():
            gradient = gradient * scale
            mean, square = self.mean[name], self.square[name]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            unbiased = mean / (1 - 0.9**self.steps)
            self.weights[name] -= rate * unbiased / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-5)


# PPO


def rollout(
    env: VectorEnv, net: Net, seen: np.ndarray, steps: int, rng: np.random.Generator
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Plays this many steps in all environments; returns the trajectories and the last observations."""
    count = len(seen)
    x = np.zeros((steps, count, INPUTS), np.float32)
    actions = np.zeros((steps, count), np.int64)
    log_ps, values, rewards, ends = (np.zeros((steps, count), np.float32) for _ in range(4))
    for t in range(steps):
        log_p, value, _ = net.forward(seen)
        gumbel = -np.log(-np.log(rng.random(log_p.shape) + 1e-12) + 1e-12)
        action = (log_p + gumbel).argmax(1)
        x[t], actions[t], values[t] = seen, action, value
        log_ps[t] = log_p[np.arange(count), action]
        observation, rewards[t], ends[t], _, _ = env.step(action)
        seen = LOOK.inputs(observation, LAYOUT)
    return (x, actions, log_ps, values, rewards, ends), seen


def advantages(values: np.ndarray, rewards: np.ndarray, ends: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Generalised advantage estimates; the value after the end of a leg is 0."""
    gains: np.ndarray = np.zeros_like(values)
    gain, after = np.zeros_like(last), last
    for t in reversed(range(len(values))):
        goes_on = 1 - ends[t]
        delta = rewards[t] + GAMMA * after * goes_on - values[t]
        gain = delta + GAMMA * LAMBDA * goes_on * gain
        gains[t], after = gain, values[t]
    return gains


def update(
    net: Net, adam: Adam, rate: float, story: tuple[np.ndarray, ...], gains: np.ndarray, rng: np.random.Generator
) -> None:
    x, actions, log_ps, values = (part.reshape(-1, *part.shape[2:]) for part in story[:4])
    gains, targets = gains.reshape(-1), gains.reshape(-1) + values
    for _ in range(EPOCHS):
        for chosen in np.array_split(rng.permutation(len(x)), MINIBATCHES):
            advantage = gains[chosen]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            learn(net, adam, rate, x[chosen], actions[chosen], log_ps[chosen], advantage, targets[chosen])


def learn(
    net: Net,
    adam: Adam,
    rate: float,
    x: np.ndarray,
    actions: np.ndarray,
    log_before: np.ndarray,
    advantage: np.ndarray,
    targets: np.ndarray,
) -> None:
    """One step on the sum of the clipped objective, the value loss and the entropy."""
    count = len(x)
    log_p, value, cache = net.forward(x)
    p = np.exp(log_p)
    at = np.arange(count), actions
    ratio = np.exp(log_p[at] - log_before)
    # The clipped objective has a gradient only where it is not clipped.
    free = np.where(advantage > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
    slope = -(advantage * ratio * free) / count
    d_logits = -p * slope[:, None]
    d_logits[at] += slope
    entropy = -(p * log_p).sum(1, keepdims=True)
    d_logits += ENTROPY * p * (log_p + entropy) / count
    adam.step(net.backward(d_logits, VALUE * (value - targets) / count, cache), rate)


# Training and playing


def evaluate(policy: Network, opponent: str, legs: int, seed: int, **more: Any) -> dict[str, float]:
    """Plays this many legs, half of them on each seat, always with the most likely action."""
    results = np.concatenate([play_legs(policy, opponent, seat, max(1, legs // 2), seed, **more) for seat in ("first", "second")])
    return {"win": float((results > 0).mean()), "draw": float((results == 0).mean()), "legs": len(results)}


def play_legs(policy: Network, opponent: str, seat: str, legs: int, seed: int, **more: Any) -> np.ndarray:
    """The results of this many legs on one seat: 1, 0 or -1."""
    env = VectorEnv(policy.game, legs, opponent, seat=seat, **more)
    observation, _ = env.reset(seed=seed)
    results = np.full(legs, np.nan)
    while np.isnan(results).any():
        observation, rewards, ended, _, _ = env.step(policy.act(observation))
        first = ended & np.isnan(results)
        results[first] = rewards[first]
    return results


def train(options: argparse.Namespace) -> None:
    if options.plot:
        check_matplotlib()
    rng = np.random.default_rng(options.seed)
    net = Net(rng)
    adam = Adam(net.weights)
    env = VectorEnv("kob", options.envs, options.opponent, seat="alternate", autoreset_mode="SameStep")
    observation, _ = env.reset(seed=FIRST_TRAINED + options.seed)
    seen = LOOK.inputs(observation, LAYOUT)
    begin, limit, steps, curve = time.monotonic(), 60 * options.minutes, 0, []
    next_look, trained = 0.0, 0.0
    while True:
        if trained >= next_look or trained >= limit:
            curve.append(measure(net, options, steps, trained))
            next_look = trained + limit / options.points
        if trained >= limit:
            break
        begin = time.monotonic()
        story, seen = rollout(env, net, seen, options.steps, rng)
        gains = advantages(story[3], story[4], story[5], net.forward(seen)[1])
        update(net, adam, options.rate * max(0.1, 1 - trained / limit), story, gains, rng)
        steps += options.envs * options.steps
        trained += time.monotonic() - begin
    write(net, curve, options)


def measure(net: Net, options: argparse.Namespace, steps: int, trained: float) -> dict[str, Any]:
    point: dict[str, Any] = {"minutes": trained / 60, "steps": steps}
    for opponent in options.measured:
        point[opponent] = evaluate(net.network(), opponent, options.legs, FIRST_MEASURED)
    words = "  ".join(f"{name} {100 * point[name]['win']:5.1f} %" for name in options.measured)
    print(f"{point['minutes']:5.2f} min  {steps:9,} steps  legs won against  {words}", flush=True)
    return point


def write(net: Net, curve: list[dict[str, Any]], options: argparse.Namespace) -> None:
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    about = f"ppo_kob.py against {options.opponent}, {options.minutes:g} minutes, {curve[-1]['steps']:,} steps, seed {options.seed}"
    net.network(about=about).save(out / POLICY, half=True)
    (out / "curve.json").write_text(json.dumps(curve, indent=1) + "\n")
    print(f"wrote {out}; leitai match kob python:{out / POLICY} random plays it")
    if options.plot:
        plot(curve, options)


def check_matplotlib() -> None:
    """Checks before the training that the curve can be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as why:
        raise SystemExit(f"--plot needs matplotlib ({why}): pip install matplotlib, or leave --plot away") from why


def plot(curve: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """The learning curve as a picture (needs matplotlib: the extra `plot`)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.2, 4.0))
    for opponent, style in zip(options.measured, ["-o", "--s", ":^", "-.d"]):
        axes.plot(
            [point["minutes"] for point in curve],
            [100 * point[opponent]["win"] for point in curve],
            style,
            markersize=4,
            label=f"against {opponent}",
        )
    axes.axhline(90, color="grey", linewidth=0.8)
    axes.set_xlabel(f"minutes of training against {options.opponent} (1 core, {curve[-1]['steps'] / 1e6:.1f} M steps)")
    axes.set_ylabel(f"legs won, % of {options.legs}")
    axes.set_ylim(0, 102)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(options.plot)
    print(f"wrote {options.plot}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="PPO on King of Bots", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="time to train, without what measuring takes")
    parser.add_argument("--out", default="agent", help="folder for the weights and the curve")
    parser.add_argument("--opponent", default="space", help="built-in bot to train against")
    parser.add_argument("--measured", nargs="*", default=["random", "sample", "safe", "space"], help="bots of the curve")
    parser.add_argument("--legs", type=int, default=400, help="legs a point of the curve")
    parser.add_argument("--points", type=int, default=20, help="points of the curve")
    parser.add_argument("--envs", type=int, default=128)
    parser.add_argument("--steps", type=int, default=64, help="steps an environment between two updates")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate, falling to a tenth")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", help="picture of the curve: curve.svg")
    return parser.parse_args()


if __name__ == "__main__":
    train(arguments())
