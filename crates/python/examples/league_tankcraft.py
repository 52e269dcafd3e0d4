#!/usr/bin/env python3
"""PPO in a league on TankCraft, under fog, with NumPy alone: the policy plays built-in bots, itself, its past selves and exploiters.

    python3 league_tankcraft.py --out agent                         trains for 20 minutes; writes agent/policy.npz and the curve
    python3 league_tankcraft.py --from agent --minutes 60 --out agent    goes on
    python3 league_tankcraft.py --from agent --match level1 --legs 400   counts legs
    leitai match tankcraft python:agent/policy.npz level1

One small network drives every tank: it sees a window around its tank, a coarse one of the whole map, and the scalars; five rows
of inputs, one action each. Every tank learns from a reward of its own: mines that it captures, its way to the next one and its
death, and its share of what the side gains. In some legs the opponents are built in, first `random`, then one stronger bot after the
other (a curriculum); in the others they come from `leitai.League`: main against itself, its past selves, and exploiters, which
learn against main alone and begin anew as main each time one joined. All see what their seat sees. Optimiser and advantages are those of
ppo_kob.py beside this file. Time is CPU time of this process, so that a busy machine does not cut the training short.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leitai import League, Look, Network, tankcraft
from leitai.gym import VectorEnv
from leitai.opponents import Pool

try:
    import ppo_kob as ppo
except ModuleNotFoundError:
    raise SystemExit("ppo_kob.py must lie beside this file, which takes its network and optimiser from there") from None

LAYOUT = tankcraft.layout()
OWN = tuple(f"own_tank_{tank}" for tank in range(5))
TERRAIN, MINES = ("stone", "brick", "strong_brick"), ("own_mine", "their_mine", "free_mine")
LOOK = Look((*TERRAIN, *MINES, "own_tank_*", "their_tank_*"), around=OWN, reach=5, far=True)
PARTS, CHOICES = LAYOUT.mask_shape
TYPES, FIRE = 3, 8
HIDDEN = 160

#: Rewards of a tank: a mine captured, its death, life that its shot takes; of all: a kill more than lost, a point of the score's lead,
#: the leg. What a step nearer to the next mine pays is a matter of the stage.
CAPTURE, DEATH, HIT, KILL, POINT, LEG = 0.5, 0.3, 0.1, 0.15, 0.005, 1.0
#: The entropy's weight, which falls with the learning rate, and how many times as much it has where types are chosen, which is once a leg.
ENTROPY, CURIOUS, VALUE, EPOCHS, MINIBATCHES = 0.006, 10, 0.25, 3, 8
#: Before it learns anything it fires seldom, since there are up to 61 ways to fire and four to go, and mostly where it sees an enemy:
#: what is added to the logits of shots, and to those at an enemy.
SELDOM, AIMED = -3.0, 5.0
#: How often a tank's type is drawn while it learns, so that it comes to know all.
DRAWN = 0.1


class Stage(NamedTuple):
    """What changes while it learns; first it gets to know the game in more legs against weak bots and itself."""

    #: The stage ends after so many minutes of CPU time.
    until: float
    #: What a step nearer to the next mine pays.
    nearer: float
    #: How often a bot that is beaten is met, where the strongest is met once.
    beaten: float
    #: The share of legs against the league, once it has a past self.
    league: float


STAGES = (Stage(2.4, nearer=0.05, beaten=0.5, league=0.5), Stage(7, 0.15, 0.5, 0.5), Stage(float("inf"), 0.15, 0.15, 0.25))

#: Legs of the curve, and of a match that counts legs, have seeds from here on.
FIRST_MEASURED, FIRST_COUNTED = 10_000, 20_000
#: How many exploiters stay in the league.
EXPLOITERS = 3
STATE = "state.npz"


def index_of(names: dict[str, str], wanted: list[str]) -> list[int]:
    return [list(names).index(name) for name in wanted]


MINE_PLANES, OWN_PLANES = index_of(LAYOUT.planes, list(MINES)), index_of(LAYOUT.planes, list(OWN))
THEIR_PLANES = index_of(LAYOUT.planes, [f"their_tank_{tank}" for tank in range(5)])
PLACED = index_of(LAYOUT.scalars, [f"{tank}_placed" for tank in OWN])
STRIKERS = index_of(LAYOUT.scalars, [f"{tank}_striker" for tank in OWN])
CHOOSING = list(LAYOUT.scalars).index("choosing")
#: Rows and columns to the target of a shot.
SHOTS = np.array([[int(part) for part in name.split()[1:]] for name in LAYOUT.parts[0][FIRE:]])
KILLS = index_of(LAYOUT.scalars, ["own_kills", "their_kills"])


class Facts:
    """What rewards need of observations: where the tanks and the mines are."""

    def __init__(self, seen: dict[str, np.ndarray]) -> None:
        planes = seen["observation"].reshape(len(seen["observation"]), len(LAYOUT.planes), -1)
        self.placed = seen["scalars"][:, PLACED] > 0
        self.at = planes[:, OWN_PLANES].argmax(-1)
        self.owned = planes[:, MINE_PLANES[0]]
        self.theirs, self.ours = planes[:, THEIR_PLANES].max(1), planes[:, OWN_PLANES].max(1)
        self.attacks = 1 + (seen["scalars"][:, STRIKERS] > 0)
        self.chooses = np.asarray(seen["scalars"][:, CHOOSING] > 0)
        self.mines = np.nonzero(planes[:, MINE_PLANES].any(1))[1].reshape(len(planes), -1)
        self.kills = (seen["scalars"][:, KILLS] * [LAYOUT.scales[scalar] for scalar in KILLS] @ [1.0, -1.0]).astype(np.float32)


def pay_tanks(before: Facts, said: np.ndarray, after: Facts, leads: np.ndarray, nearer: float) -> np.ndarray:
    """Rewards ``[n, 5]`` of actions inside a leg; `leads` is the change of the score's lead, `nearer` what a step to a mine pays."""
    lanes = np.arange(len(leads))[:, None]
    stayed = before.placed & after.placed
    captured = after.placed & (after.owned[lanes, after.at] > 0) & (before.owned[lanes, after.at] == 0)
    captured &= (before.mines[:, None] == after.at[..., None]).any(-1)
    steps = (ways(before, before.at) - ways(before, after.at)) * stayed
    died = before.placed & ~after.placed
    shared: np.ndarray = POINT * leads + KILL * (after.kills - before.kills)
    paid: np.ndarray = CAPTURE * captured + nearer * steps - DEATH * died + HIT * hits(before, said) + shared[:, None]
    return paid


def hits(facts: Facts, said: np.ndarray) -> np.ndarray:
    """What shots take from the enemy, less what they take from the own side: shells land before anybody moves."""
    down, right = np.divmod(facts.at, LAYOUT.cols)
    to_down, to_right = SHOTS[np.maximum(said - FIRE, 0)].transpose(2, 0, 1)
    down, right = down + to_down, right + to_right
    on_map = (down >= 0) & (down < LAYOUT.rows) & (right >= 0) & (right < LAYOUT.cols)
    at, lanes = np.where(on_map, down * LAYOUT.cols + right, 0), np.arange(len(said))[:, None]
    found = facts.theirs[lanes, at].astype(np.int64) - facts.ours[lanes, at]
    shots: np.ndarray = found * facts.attacks * (on_map & facts.placed & (said >= FIRE) & ~facts.chooses[:, None])
    return shots


def ways(facts: Facts, at: np.ndarray) -> np.ndarray:
    """How far these cells ``[n, 5]`` are from the nearest mine that was not the own; 0 if there was none."""
    down, right = np.divmod(at, LAYOUT.cols)
    mine_down, mine_right = np.divmod(facts.mines, LAYOUT.cols)
    steps = abs(down[..., None] - mine_down[:, None]) + abs(right[..., None] - mine_right[:, None])
    open_ones = np.take_along_axis(facts.owned, facts.mines, 1)[:, None] == 0
    nearest = np.where(open_ones, steps, 99).min(-1)
    far: np.ndarray = np.where(nearest == 99, 0, nearest)
    return far


class Learner:
    """A network that learns against opponents."""

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.net = ppo.Net(self.rng, LOOK.size(LAYOUT), CHOICES, HIDDEN)
        aim(self.net.weights)
        self.adam, self.options, self.seed = ppo.Adam(self.net.weights), options, seed
        #: The same weights: it plays as the network does, whenever it is asked.
        self.policy = self.net.network("tankcraft", LOOK)
        self.nearer = STAGES[0].nearer

    def meet(self, opponents: list[tuple[Any, int]]) -> None:
        """Begins legs against these opponents, as many as their numbers say."""
        words: dict[str, Any] = {"seat": "alternate", "reward": "score", "config": {"rounds": self.options.rounds}}
        self.seed += 2
        self.envs = [VectorEnv("tankcraft", lanes, one, autoreset_mode="SameStep", **words) for one, lanes in opponents if lanes]
        self.seen = joined([env.reset(seed=1_000_000 * self.seed + 1_000 * number)[0] for number, env in enumerate(self.envs)])
        self.leads = np.zeros(len(self.seen["scalars"]), np.float32)

    def step(self, said: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Plays a step in all legs: rewards ``[n, 5]``, and where legs ended."""
        begins = np.cumsum([0, *(env.num_envs for env in self.envs)])
        told = [env.step(said[begin : begin + env.num_envs]) for begin, env in zip(begins, self.envs)]
        before, self.seen = Facts(self.seen), joined([one[0] for one in told])
        gained, ended = (np.concatenate([one[part] for one in told]) for part in (1, 2))
        self.leads += gained
        rewards = np.where(ended[:, None], LEG * np.sign(self.leads)[:, None], pay_tanks(before, said, Facts(self.seen), gained, self.nearer))
        self.leads[ended] = 0
        return rewards.astype(np.float32), ended

    def improve(self, rate: float) -> int:
        """Plays some steps in all legs, and learns from them; the number of steps."""
        rows: list[tuple[np.ndarray, ...]] = []
        for _ in range(self.options.steps):
            x, mask = LOOK.inputs(self.seen, LAYOUT), self.seen["action_mask"].reshape(-1, CHOICES) != 0
            log_p, value, _ = look_at(self.net, x, mask)
            said = (log_p + self.rng.gumbel(size=log_p.shape)).argmax(-1)
            choosing = mask[:, 0]
            drawn = choosing & (self.rng.random(len(said)) < DRAWN)
            said[drawn] = self.rng.integers(0, TYPES, drawn.sum())
            rewards, ended = self.step(said.reshape(-1, PARTS))
            chosen = np.take_along_axis(log_p, said[:, None], 1)[:, 0]
            chosen[choosing] = np.log((1 - DRAWN) * np.exp(chosen[choosing]) + DRAWN / TYPES)
            rows.append((x, mask, said, chosen, value, rewards.reshape(-1), np.repeat(ended, PARTS).astype(np.float32)))
        x, mask, said, before, values, rewards, ends = (np.stack(part) for part in zip(*rows))
        last = self.net.logits(LOOK.inputs(self.seen, LAYOUT))[1]
        gains = ppo.advantages(values, rewards, ends, last)
        story = [part.reshape(-1, *part.shape[2:]) for part in (x, mask, said, before, gains, gains + values)]
        for _ in range(EPOCHS):
            for some in np.array_split(self.rng.permutation(len(story[0])), MINIBATCHES):
                self.learn(rate, *(part[some] for part in story))
        return len(story[0]) // PARTS

    def learn(
        self, rate: float, x: np.ndarray, mask: np.ndarray, said: np.ndarray, before: np.ndarray, gains: np.ndarray, targets: np.ndarray
    ) -> None:
        """One step on the clipped objective, the value and the entropy, as ppo_kob.learn does, with masks."""
        count = len(x)
        log_p, value, cache = look_at(self.net, x, mask)
        p = np.exp(log_p)
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        at = np.arange(count), said
        ratio = np.exp(log_p[at] - before)
        free = np.where(gains > 0, ratio < 1 + ppo.CLIP, ratio > 1 - ppo.CLIP)
        slope = -(gains * ratio * free) / count
        entropy = -(p * log_p).sum(-1, keepdims=True)
        curious = np.float32(ENTROPY * rate / self.options.rate) * np.where(mask[:, :1], np.float32(CURIOUS), np.float32(1))
        d_logits = p * (curious * (log_p + entropy) / count - slope[:, None])
        d_logits[at] += slope
        gradients = self.net.backward(d_logits.astype(np.float32, copy=False), VALUE * (value - targets) / count, cache)
        self.adam.step(gradients, rate)


def aim(weights: dict[str, np.ndarray]) -> None:
    """Gives a unit of each layer to each shot: whether an enemy stands there. Learning changes it as everything else."""
    side = 2 * LOOK.reach + 1
    weights["bp"][FIRE:] = SELDOM
    for unit, (down, right) in enumerate(SHOTS):
        seen = (LOOK.planes.index("their_tank_*") * side + LOOK.reach + down) * side + LOOK.reach + right
        for layer, source in (("w1", seen), ("w2", unit)):
            weights[layer][:, unit] = 0
            weights[layer][source, unit] = 1
        weights["wp"][unit, FIRE + unit] = AIMED


def joined(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return parts[0] if len(parts) == 1 else {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def look_at(net: ppo.Net, x: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
    """Log-probabilities ``[n, choices]``, very small where the mask forbids; values; what the gradients need."""
    logits, value, cache = net.logits(x)
    return ppo.log_softmax(np.where(mask, logits, np.float32(-1e9))), value, cache


class Training:
    """Main, the exploiter and the league, in memory and on disk."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.main, self.exploiter = Learner(options, options.seed), Learner(options, options.seed + 1)
        self.league = League(main=self.main.policy, past=[], most_past=options.most_past)
        self.curve: list[dict[str, Any]] = []
        #: CPU seconds, steps of main, updates of main.
        self.spent, self.steps, self.updates = 0.0, 0, 0
        if options.continued is not None:
            self.read(Path(options.continued))
        #: The opponents of today: how many bots, how often the beaten ones, and the league's share.
        self.grade: tuple[int, float, float] | None = None

    def run(self) -> None:
        options, begun = self.options, self.spent
        limit, next_point = begun + 60 * options.minutes, begun
        while True:
            self.choose_opponents()
            if self.spent >= min(next_point, limit):
                self.measure()
                next_point += 60 * options.minutes / options.points
            if self.spent >= limit:
                break
            begin = time.process_time()
            rate = options.rate * max(0.1, 1 - (self.spent - begun) / (limit - begun))
            self.steps += self.main.improve(rate)
            self.updates += 1
            if self.is_league and self.updates % options.exploit_every == 0:
                self.exploiter.improve(rate)
            if self.updates % options.join_every == 0:
                self.join()
            self.spent += time.process_time() - begin
        print(f"wrote {options.out}; leitai match tankcraft python:{Path(options.out) / ppo.POLICY} level1 plays it")

    @property
    def is_league(self) -> bool:
        return bool(self.league.past)

    def choose_opponents(self) -> None:
        """The curriculum: the strongest bot among the opponents is the first that main does not beat clearly yet."""
        bots, last = self.options.bots, self.curve[-1] if self.curve else {}
        grade = next((number for number, bot in enumerate(bots) if last.get(bot, {"win": 0})["win"] < self.options.beaten), len(bots) - 1)
        if self.is_league and not hasattr(self.exploiter, "envs"):
            self.exploiter.meet([(self.main.policy, self.options.lanes)])
        stage = next(stage for stage in STAGES if self.spent < 60 * stage.until)
        self.main.nearer = self.exploiter.nearer = stage.nearer
        share = (stage.league if self.options.league is None else self.options.league) if self.is_league else 0.0
        if (grade, stage.beaten, share) == self.grade:
            return
        self.grade = (grade, stage.beaten, share)
        pool = Pool([(bot, stage.beaten if number < grade else 1.0) for number, bot in enumerate(bots[: grade + 1])])
        lanes = round(share * self.options.lanes)
        self.main.meet([(pool, self.options.lanes - lanes), (self.league, lanes)])

    def join(self) -> None:
        """Main as it is now is a past self, and the exploiter joins; it goes on as main."""
        if self.is_league:
            self.league.add_exploiter(copy.deepcopy(self.exploiter.policy))
            del self.league.exploiters[:-EXPLOITERS]
        self.league.add_past(copy.deepcopy(self.main.policy))
        for name, weights in self.exploiter.net.weights.items():
            weights[:] = self.main.net.weights[name]

    def measure(self) -> None:
        league = self.league
        point: dict[str, Any] = {"minutes": self.spent / 60, "steps": self.steps, "past": len(league.past), "exploiters": len(league.exploiters)}
        for bot in self.options.measured:
            point[bot] = ppo.evaluate(self.main.policy, bot, self.options.legs, FIRST_MEASURED, config={"rounds": self.options.rounds})
        words = "  ".join(f"{bot} {100 * point[bot]['win']:5.1f} %" for bot in self.options.measured)
        print(f"{self.spent / 60:6.2f} min {self.steps:10,} steps  {len(league.members):2} in the league  legs won against  {words}", flush=True)
        self.curve.append(point)
        self.write(Path(self.options.out))

    def write(self, out: Path) -> None:
        """The policy and the curve, and what `--from` needs to go on."""
        (out / "league").mkdir(parents=True, exist_ok=True)
        policy = self.main.policy
        policy.about = f"league_tankcraft.py, {self.spent / 60:.0f} minutes of CPU, {self.steps:,} steps, seed {self.options.seed}"
        policy.save(out / ppo.POLICY, half=True)
        (out / "curve.json").write_text(json.dumps(self.curve, indent=1) + "\n")
        for kind, members in (("past", self.league.past), ("exploiter", self.league.exploiters)):
            for number, member in enumerate(members):
                member.save(out / f"league/{kind}-{number}.npz", half=True)
        arrays = {f"{who}.{kind}.{name}": array for who, kind, kept in self.kept() for name, array in kept.items()}
        numbers = [self.spent, self.steps, self.updates, self.main.adam.steps, self.exploiter.adam.steps]
        np.savez(out / STATE, numbers=np.array(numbers), **arrays)  # type: ignore[arg-type]

    def kept(self) -> list[tuple[str, str, dict[str, np.ndarray]]]:
        learners = {"main": self.main, "exploiter": self.exploiter}
        return [
            (who, kind, kept)
            for who, one in learners.items()
            for kind, kept in (("weights", one.net.weights), ("mean", one.adam.mean), ("square", one.adam.square))
        ]

    def read(self, folder: Path) -> None:
        self.curve = json.loads((folder / "curve.json").read_text())
        with np.load(folder / STATE) as found:
            for who, kind, kept in self.kept():
                for name, array in kept.items():
                    array[:] = found[f"{who}.{kind}.{name}"]
            self.spent, steps, updates, main, exploiter = map(float, found["numbers"])
        self.steps, self.updates, self.main.adam.steps, self.exploiter.adam.steps = map(int, (steps, updates, main, exploiter))
        # Legs that were played are not played again.
        for learner in (self.main, self.exploiter):
            learner.seed += 100 * (1 + self.updates)
        for kind, members in (("past", self.league.past), ("exploiter", self.league.exploiters)):
            files = sorted((folder / "league").glob(f"{kind}-*.npz"), key=lambda file: int(file.stem.split("-")[1]))
            members.extend(map(Network.load, files))


def match(options: argparse.Namespace) -> None:
    policy = Network.load(Path(options.continued or options.out) / ppo.POLICY)
    counted = ppo.evaluate(policy, options.match, options.legs, FIRST_COUNTED, config={"rounds": options.rounds})
    low, high = interval(counted["win"], counted["legs"])
    print(f"against {options.match}: {counted}, won {100 * counted['win']:.1f} % [{100 * low:.1f}, {100 * high:.1f}]")


def interval(share: float, count: float) -> tuple[float, float]:
    """Wilson's interval of 95 %."""
    z = 1.96**2 / count
    middle, half = (share + z / 2) / (1 + z), (share * (1 - share) * z + z * z / 4) ** 0.5 / (1 + z)
    return middle - half, middle + half


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A league on TankCraft", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20, help="CPU time to train, without what measuring takes")
    parser.add_argument("--out", default="agent", help="folder for the policy, the curve and the state")
    parser.add_argument("--from", dest="continued", help="folder of an earlier run, which goes on")
    parser.add_argument("--match", help="only counts legs of the policy against this bot")
    bots = ["random", "level1", "level2", "level3", "level4", "level5"]
    parser.add_argument("--bots", nargs="+", default=bots, help="built-in bots, the weakest first")
    parser.add_argument("--beaten", type=float, default=0.8, help="share of legs won from which on the next bot comes")
    parser.add_argument("--most-past", type=int, default=8, help="past selves that stay in the league")
    parser.add_argument("--exploit-every", type=int, default=8, help="updates of main for one of the exploiter")
    parser.add_argument("--join-every", type=int, default=100, help="updates of main until a past self and an exploiter join")
    parser.add_argument("--measured", nargs="*", default=["random", "level1", "level2"], help="bots of the curve")
    parser.add_argument("--legs", type=int, default=40, help="legs a point of the curve")
    parser.add_argument("--points", type=int, default=10, help="points of the curve")
    parser.add_argument("--lanes", type=int, default=64, help="legs at once")
    parser.add_argument("--league", type=float, help="share of them against the league, once it has a past self; else as STAGES says")
    parser.add_argument("--steps", type=int, default=64, help="steps of each leg between two updates")
    parser.add_argument("--rounds", type=int, default=400, help="rounds of a leg at most")
    parser.add_argument("--rate", type=float, default=5e-4, help="learning rate, falling to a tenth")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    options = arguments()
    if options.match:
        match(options)
    else:
        Training(options).run()
