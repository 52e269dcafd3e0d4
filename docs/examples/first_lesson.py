# %% [markdown] en
# # A first lesson: three bots and a ladder
#
# Two hours, King of Bots: a bot by rules (30 minutes), a bot that searches (30), a bot that learned (40), a class ladder (20).
# Everybody needs Python 3.10 or newer and `pip install leitai`. Cells run in seconds; each ends with something to change.
# %% [markdown] zh
# # 第一课：三个智能体与一个天梯
#
# 两小时，King of Bots：按规则行动的智能体（30 分钟）、会搜索的智能体（30 分钟）、学出来的智能体（40 分钟）、全班天梯（20 分钟）。
# 需要 Python 3.10 或更新版本，并执行 `pip install leitai`。每格几秒钟就能跑完，末尾都有可以自己改的地方。
# %%
import numpy as np

import leitai
from leitai import kob

leg = kob.start(seed=7)
print(leg.render())
# %% [markdown] en
# ## 1. The game (10 minutes)
#
# Both snakes say a direction at once: 0 up, 1 right, 2 down, 3 left. Who runs into a wall, an obstacle or a body loses. Each seat sees
# the board from its own side, so one bot plays both seats. Change the numbers and see who dies, and why.
# %% [markdown] zh
# ## 1. 游戏（10 分钟）
#
# 两条蛇同时选方向：0 上、1 右、2 下、3 左。撞墙、撞障碍物或撞到蛇身就输。双方都从自己这一侧看棋盘，因此同一个智能体可以坐任一座位。
# 改改这些数字，看看谁输了、为什么。
# %%
leg.step(0, 0)
print(leg.render(), leg.outcome)
# %% [markdown] en
# ## 2. A bot by rules (30 minutes)
#
# `observation["observation"]` has a board of 0 and 1 for each name in `kob.layout().planes`. This bot takes the free cell with the most
# free neighbours. Which rule would be better? Bodies move away, heads come near: let it look at `their_head` and `own_tail`.
# %% [markdown] zh
# ## 2. 按规则行动的智能体（30 分钟）
#
# `observation["observation"]` 为 `kob.layout().planes` 中的每个名称给出一张由 0 和 1 组成的棋盘。这个智能体走向空邻格最多的空格。
# 有更好的规则吗？蛇身会移开，蛇头会靠近：让它看看 `their_head` 和 `own_tail`。
# %%
PLANE = {name: number for number, name in enumerate(kob.layout().planes)}
STEPS = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])


def look(observation):
    """The board with a border, 1 where a snake dies, and the own head on it."""
    planes = observation["observation"]
    deadly = planes[PLANE["obstacle"]] | planes[PLANE["own_body"]] | planes[PLANE["their_body"]]
    row, col = divmod(int(planes[PLANE["own_head"]].argmax()), deadly.shape[1])
    return np.pad(deadly, 2, constant_values=1), np.array([row + 2, col + 2])


def describe(observation):
    """Three numbers for each direction: is it free, how many neighbours are, how near is the other head."""
    deadly, head = look(observation)
    their = observation["observation"][PLANE["their_head"]]
    other = np.array(divmod(int(their.argmax()), their.shape[1])) + 2
    found = np.zeros((4, 3))
    for way, cell in enumerate(head + STEPS):
        free = 1 - deadly[tuple(cell)]
        around = sum(1 - deadly[tuple(cell + step)] for step in STEPS)
        found[way] = free, free * around / 3, free / (1 + abs(cell - other).sum())
    return found


def careful(observation, leg):
    free, around, near = describe(observation).T
    return int((free + around).argmax())


print(leitai.tournament("kob", {"careful": careful, "random": "random", "level1": "level1"}, rounds=5))
# %% [markdown] en
# ## 3. A bot that searches (30 minutes)
#
# `leitai.search` tries continuations: each position is valued by random games to its end. More `simulations` see more. Where does it
# still lose? Let both of you search, and plot strength against simulations.
# %% [markdown] zh
# ## 3. 会搜索的智能体（30 分钟）
#
# `leitai.search` 会试走后续局面：每个局面用随机对局下到终局来估值。`simulations` 越多看得越远。它还会在哪里输？
# 让两个人的智能体都搜索，画出强度随 simulations 变化的曲线。
# %%
class Searcher:
    def __init__(self, simulations):
        self.simulations = simulations

    def choose(self, leg, seat):
        found = leitai.search(leg, leitai.PlayoutEvaluator(playouts=2), simulations=self.simulations)
        return found.best(seat)


print(leitai.tournament("kob", {"searches": Searcher(100), "careful": careful}, rounds=3))
# %% [markdown] en
# ## 4. A bot that learned (40 minutes)
#
# A teacher's moves are recorded: the numbers of `describe`, and what the teacher chose. The student weighs the numbers so that its
# choice is likely to be the teacher's (a softmax, by gradient steps). What do the weights say? Add a number to `describe`: which one
# helps most? Seeds of training and of matches are apart: why?
# %% [markdown] zh
# ## 4. 学出来的智能体（40 分钟）
#
# 先记录老师的走法：`describe` 给出的数字，以及老师的选择。学生为这些数字求权重，使自己的选择尽可能与老师一致（softmax，梯度下降）。
# 权重说明了什么？给 `describe` 再加一个数字：哪个最有用？训练用的种子与比赛用的种子分开：为什么？
# %%
def lessons(teacher, legs, seed):
    seen, said = [], []
    for number in range(seed, seed + legs):
        leg, bots = kob.start(number), [kob.bot(teacher, number), kob.bot(teacher, number + 1)]
        while not leg.is_over:
            seen += [describe(leg.observe(seat)) for seat in (0, 1)]
            said += (now := [bot.choose(leg, seat) for seat, bot in enumerate(bots)])
            leg.step(*now)
    return np.array(seen), np.array(said)


def fit(seen, said, steps=300, rate=1.0):
    weights = np.zeros(seen.shape[2])
    for _ in range(steps):
        scores = np.exp(seen @ weights)
        likely = scores / scores.sum(1, keepdims=True)
        likely[np.arange(len(said)), said] -= 1
        weights -= rate * np.einsum("nw,nwf->f", likely, seen) / len(said)
    return weights


seen, said = lessons("safe", legs=40, seed=1000)
weights = fit(seen, said)
print("weights", weights.round(2), "agrees with the teacher in", ((seen @ weights).argmax(1) == said).mean().round(2))


def learned(observation, leg):
    return int((describe(observation) @ weights).argmax())


# %% [markdown] en
# ## 5. The class ladder (20 minutes)
#
# Everybody puts a bot in. Places come with intervals: are two bots really different, or were there too few matches?
# `leitai.evaluate` says where one stands on the scale of the game, on which level 3 has 1000.
# %% [markdown] zh
# ## 5. 全班天梯（20 分钟）
#
# 每个人放进一个智能体。名次带有区间：两个智能体真的有差别，还是比赛太少？
# `leitai.evaluate` 给出它在该游戏标尺上的位置，标尺上 3 级为 1000。
# %%
players = {"careful": careful, "learned": learned, "searches": Searcher(50), "random": "random"}
table = leitai.tournament("kob", players, rounds=3, seed=5)
print(table)
print(leitai.evaluate(learned, "kob", precision=300, max_pairs=10, explain=0))
