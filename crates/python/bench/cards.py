#!/usr/bin/env python3
"""Environment cards and the benchmark page: docs/environments.md and its Chinese sister, made from the code and from raw results
that are kept in docs/environment-results.json.

    python3 crates/python/bench/cards.py all                                   measures what today's scales lack, and writes
    python3 crates/python/bench/cards.py measure --game kob --policy python:agent/policy.npz --name mine
    python3 crates/python/bench/cards.py write                                 writes both pages
    python3 crates/python/bench/cards.py check                                 fails if they are not what it would write today

A result is raw: pairs by level, seeds, scale and rules. The pages hold nothing that is not in the code or there. Every policy of the
package (`leitai.policies`) has a row, with what its file says of its training.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import leitai
from leitai import Game, Network
from leitai.layout import Layout, read_layout
from leitai.opponents import read_name

DOCS = Path(__file__).resolve().parents[3] / "docs"
RESULTS = DOCS / "environment-results.json"
PAGES = {"en": DOCS / "environments.md", "zh": DOCS / "environments.zh.md"}
GAMES = {"snakego": ("SnakeGo", "贪吃蛇围棋 SnakeGo"), "kob": ("King of Bots", "King of Bots"), "tankcraft": ("TankCraft", "坦克大战 TankCraft")}
GYM = {"snakego": "leitai/SnakeGo-v0", "kob": "leitai/KOB-v0", "tankcraft": "leitai/TankCraft-v0"}

#: Built-in bots that have a row beside the levels and the policies of the package.
BOTS = {"snakego": ["random", "greedy"], "kob": ["random", "sample", "safe", "space"], "tankcraft": ["random"]}

#: Random legs of a measured game and the seed of the first.
RANDOM_LEGS, FIRST_SEED = 2000, 500_000

TEXT: dict[str, dict[str, str]] = {
    "title": {"en": "Environments and known results", "zh": "环境卡与已知结果"},
    "other": {"en": "[简体中文](environments.zh.md)", "zh": "[English](environments.md)"},
    "intro": {
        "en": "`crates/python/bench/cards.py write` makes this page from the code and from [raw results](environment-results.json); "
        "nothing here is typed in by hand. How to use the environments: [Learning](learning.md). How to cite: `CITATION.cff`.",
        "zh": "本页由 `crates/python/bench/cards.py write` 根据代码和[原始结果](environment-results.json)生成，没有手写的数字。"
        "环境的用法见[机器学习](learning.zh.md)，引用方式见 `CITATION.cff`。",
    },
    "rules": {"en": "Rules", "zh": "规则"},
    "asks": {"en": "Who acts", "zh": "行动方式"},
    "one": {"en": "one seat at a time (AEC)", "zh": "每次一个座位（AEC）"},
    "both": {"en": "both seats at once (Parallel)", "zh": "双方同时（Parallel）"},
    "sees": {"en": "Information", "zh": "信息"},
    "open": {"en": "both seats know everything", "zh": "双方可见全部信息"},
    "fog": {"en": "hidden: a seat sees what its tanks and the mines show", "zh": "不完全：只能看到己方坦克与矿点视野内的内容"},
    "planes": {"en": "Planes", "zh": "平面"},
    "scalars": {"en": "Scalars", "zh": "标量"},
    "of": {"en": "uint8, 0 or 1", "zh": "uint8，0 或 1"},
    "divided": {"en": "float32, each divided by its scale", "zh": "float32，各自除以其量程"},
    "action": {"en": "Action", "zh": "动作"},
    "parts": {"en": "{parts} numbers, each one of {sizes}", "zh": "{parts} 个数，各有 {sizes} 种取值"},
    "number": {"en": "one number of {sizes}", "zh": "一个数，{sizes} 种取值"},
    "symmetries": {"en": "Symmetries", "zh": "对称变换"},
    "reward": {"en": "Reward", "zh": "奖励"},
    "paid": {
        "en": "`outcome`: 1, 0 or -1 at the end; `score`: the change of the own lead in score",
        "zh": "`outcome`：终局时 1、0 或 -1；`score`：己方分数领先量的变化",
    },
    "names": {"en": "Names", "zh": "名称"},
    "random": {"en": "Random legs", "zh": "随机对局"},
    "legs": {
        "en": "{legs} legs from seed {seed} on, both seats random: {steps:.1f} steps a leg (median {median}, longest {longest}); the first "
        "seat wins {wins:.1f} % [{low:.1f}, {high:.1f}], draws {draws:.1f} %",
        "zh": "自种子 {seed} 起 {legs} 局，双方随机：平均每局 {steps:.1f} 步（中位数 {median}，最长 {longest}）；先手胜率 {wins:.1f} %"
        "［{low:.1f}，{high:.1f}］，平局 {draws:.1f} %",
    },
    "results": {"en": "Ratings on the scale {scale}", "zh": "在标尺 {scale} 上的等级分"},
    "head": {
        "en": "| policy | rating | 95 % interval | pairs | seeds from | status |",
        "zh": "| 策略 | 等级分 | 95 % 区间 | 对数 | 起始种子 | 状态 |",
    },
    "by_definition": {"en": "of the scale", "zh": "标尺自身"},
    "note": {
        "en": "Elo per leg. The rows of levels are the scale itself. Others were rated by "
        "`leitai.evaluate` against the levels around them; `imprecise` means that the pairs ran out before the interval was as narrow as "
        "asked, `depends-on-opponent` that results against different levels do not fit one rating. A rating of another scale or other rules is not shown. `python:NAME` is a policy of the package, "
        "which plays in matches under this name ([Learning](learning.md#a-policy-in-a-file)).",
        "zh": "单位为每局 Elo。各等级的行即标尺本身。其余由 `leitai.evaluate` 与实力相近的等级对局得出；`imprecise` 表示对数用尽时区间"
        "仍未窄到要求，`depends-on-opponent` 表示对不同等级的结果不合于同一个等级分。其他标尺或其他规则下的等级分不列出。`python:NAME` 是本包自带的策略，可用此名参赛（见[机器学习](learning.zh.md#文件里的策略)）。",
    },
}


def say(key: str, lang: str, **values: Any) -> str:
    return TEXT[key][lang].format(**values)


# Measuring


def measure_random(game: str) -> dict[str, Any]:
    """Statistics of random legs, which everybody can repeat: the seed of a leg is that of its chance, too."""
    lengths, wins, draws = [], 0, 0
    for seed in range(FIRST_SEED, FIRST_SEED + RANDOM_LEGS):
        leg = Game(game).start(seed)
        lengths.append(leg.play_random(seed))
        wins += leg.winner == 0
        draws += leg.winner is None
    lengths.sort()
    told = {"steps": sum(lengths) / len(lengths), "median": lengths[len(lengths) // 2], "longest": lengths[-1]}
    return {"kind": "random-legs", "legs": RANDOM_LEGS, "seed": FIRST_SEED, "wins": wins, "draws": draws, **told}


def measure_policy(options: argparse.Namespace) -> dict[str, Any]:
    wanted = {"precision": options.precision, "max_pairs": options.pairs, "seed": options.seed}
    policy = read_name(Game(options.game), options.policy)
    name, note = options.name or options.policy, policy.about if isinstance(policy, Network) else ""
    note += f"; {policy.simulations} simulations a step" if isinstance(policy, Network) and policy.simulations else ""
    rated = leitai.evaluate(policy, options.game, **wanted, explain=0, name=name)
    kept = ("rating", "rating_interval", "status", "pairs", "scale", "levels")
    return {"kind": "rating", "policy": name, "note": note, **wanted, **{key: rated.data[key] for key in kept}}


def measure_all(options: argparse.Namespace) -> None:
    """Everything that has no result on today's scale by today's rules."""
    for game in GAMES:
        kept = [one for one in read_results() if one["game"] == game and one["rules"] == Game(game).rules]
        if not any(one["kind"] == "random-legs" for one in kept):
            add_result(game, measure_random(game))
        scale = todays_scale(game)
        known = {one["policy"] for one in kept if one.get("scale") == scale}
        for policy in [*BOTS[game], *(f"python:{name}" for name in leitai.policies(game))]:
            if policy not in known:
                print(f"{game}: {policy} on {scale}", flush=True)
                add_result(game, measure_policy(argparse.Namespace(**{**vars(options), "game": game, "policy": policy, "name": None})))


@cache
def todays_scale(game: str) -> str:
    return leitai.evaluate("random", game, precision=1000, max_pairs=1, explain=0).scale


def add_result(game: str, result: dict[str, Any]) -> None:
    """Keeps a raw result, in place of an earlier one of the same policy."""
    kept = read_results()
    stamp = {"game": game, "rules": Game(game).rules, "leitai": leitai.__version__}
    key = ("kind", "policy", "scale")
    same = [one for one in kept if one["game"] == game and all(one.get(part) == result.get(part) for part in key)]
    kept = [one for one in kept if one not in same] + [{**stamp, **result}]
    RESULTS.write_text("[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in kept) + "\n]\n")


def read_results() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    return found


# Writing


def wilson(wins: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share, in percent (Wilson)."""
    z, share = 1.959964, wins / count
    middle, width = share + z * z / (2 * count), z * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    return 100 * (middle - width) / (1 + z * z / count), 100 * (middle + width) / (1 + z * z / count)


def write_page(lang: str, results: Sequence[dict[str, Any]]) -> str:
    parts = [f"# {say('title', lang)}", say("other", lang), say("intro", lang)]
    for game, titles in GAMES.items():
        own = [one for one in results if one["game"] == game and one["rules"] == Game(game).rules]
        parts += [f"## {titles[lang == 'zh']}", card(game, lang, own), ratings(game, lang, own)]
    return "\n\n".join(part for part in [*parts, say("note", lang)] if part) + "\n"


def card(game: str, lang: str, results: Sequence[dict[str, Any]]) -> str:
    found, layout = Game(game), read_layout(Game(game))
    names = {key: ", ".join(f"`{name}`" for name in short(getattr(layout, key))) for key in ("planes", "scalars")}
    rows = [
        ("names", f"`{GYM[game]}`, `leitai.zoo.{game}_v0`, `{game}`"),
        ("rules", f"[`{found.rules}`](rules/{game}{'.zh' if lang == 'zh' and (DOCS / f'rules/{game}.zh.md').exists() else ''}.md)"),
        ("asks", say(found.asks, lang)),
        ("sees", say("open" if found.is_open else "fog", lang)),
        ("planes", f"`{list(layout.planes_shape())}` {say('of', lang)}: {names['planes']}"),
        ("scalars", f"`[{len(layout.scalars)}]` {say('divided', lang)}: {names['scalars']}"),
        ("action", actions(layout, lang)),
        ("symmetries", str(len(layout.symmetries))),
        ("reward", say("paid", lang)),
    ]
    rows += [("random", random_row(one, lang)) for one in results if one["kind"] == "random-legs"]
    return "\n".join(["| | |", "|---|---|", *(f"| {say(key, lang)} | {text} |" for key, text in rows)])


def short(names: Sequence[str] | dict[str, str]) -> list[str]:
    """Names without the numbers of tanks: ``own_tank_0_life`` to ``own_tank_4_life`` are one."""
    found: dict[str, None] = {}
    for name in names:
        head, sep, rest = name.partition("_tank_")
        found[f"{head}_tank_n{rest[1:]}" if sep else name] = None
    return list(found)


def actions(layout: Layout, lang: str) -> str:
    sizes, kinds = len(layout.parts[0]), dict.fromkeys(name.split(" ")[0] for name in layout.parts[0])
    key = "number" if len(layout.parts) == 1 else "parts"
    return f"{say(key, lang, parts=len(layout.parts), sizes=sizes)}: {', '.join(f'`{kind}`' for kind in kinds)}"


def random_row(one: dict[str, Any], lang: str) -> str:
    low, high = wilson(one["wins"], one["legs"])
    shares = {key: 100 * one[key] / one["legs"] for key in ("wins", "draws")}
    return say("legs", lang, **{**one, **shares}, low=low, high=high)


def ratings(game: str, lang: str, results: Sequence[dict[str, Any]]) -> str:
    scale = todays_scale(game)
    rated = [one for one in results if one["kind"] == "rating" and one["scale"] == scale]
    if not rated:
        return ""
    rows = {one["policy"]: one for one in rated}
    lines = [(level["rating"], level_row(level, lang)) for level in rated[-1]["levels"] if level["name"] not in rows]
    lines += [(one["rating"], rating_row(one)) for one in rows.values()]
    lines.sort(key=lambda line: line[0])
    head = say("head", lang)
    return "\n".join([f"### {say('results', lang, scale=scale)}", "", head, "|---|---:|---|---:|---:|---|", *(row for _, row in lines)])


def level_row(level: dict[str, Any], lang: str) -> str:
    return f"| `{level['name']}` | {level['rating']} | | | | {say('by_definition', lang)} |"


def rating_row(one: dict[str, Any]) -> str:
    low, high = one["rating_interval"]
    note = f" ({one['note']})" if one["note"] else ""
    return f"| `{one['policy']}`{note} | {one['rating']:.0f} | [{low:.0f}, {high:.0f}] | {one['pairs']} | {one['seed']} | {one['status']} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measure = commands.add_parser("measure", help="play, and keep a raw result")
    measure.add_argument("--game", choices=GAMES, required=True)
    measure.add_argument("--policy", help="a built-in bot, or python:NAME; without it random legs are counted")
    measure.add_argument("--name", help="its name on the page")
    for one in measure, commands.add_parser("all", help="measure what today's scales lack, and write both pages"):
        one.add_argument("--precision", type=float, default=40, help="half the 95 %% interval at which it stops, in Elo")
        one.add_argument("--pairs", type=int, default=400, help="pairs after which it stops anyway")
        one.add_argument("--seed", type=int, default=700_001, help="the seed of the first pair; train on others")
    commands.add_parser("write", help="write both pages")
    commands.add_parser("check", help="fail if the pages are not what write would write")
    options = parser.parse_args()
    if options.command == "measure":
        add_result(options.game, measure_policy(options) if options.policy else measure_random(options.game))
        return
    if options.command == "all":
        measure_all(options)
    for lang, path in PAGES.items():
        page = write_page(lang, read_results())
        if options.command in ("write", "all"):
            path.write_text(page)
        elif path.read_text() != page:
            raise SystemExit(f"{path} is not what the code and the results say; run crates/python/bench/cards.py write")


if __name__ == "__main__":
    main()
