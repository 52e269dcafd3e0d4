"""The card of a data set of recorded matches: what a paper says of its data, counted from the files."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._leitai import __version__
from .replay_files import PART, open_files

if TYPE_CHECKING:
    from .replay import Dataset, Replay

#: Rows of players that are written for a game.
MOST_PLAYERS = 30


@dataclass
class _Game:
    """What was counted of one game under one version of its rules."""

    matches: int = 0
    lengths: list[int] = field(default_factory=list)
    unfinished: int = 0
    won: Counter[str] = field(default_factory=Counter)
    drawn: Counter[str] = field(default_factory=Counter)
    played: Counter[str] = field(default_factory=Counter)

    def count(self, replay: Replay) -> None:
        self.matches += 1
        names = [str(entrant.get("name", "?")) for entrant in replay.data["entrants"]]
        for number in range(replay.legs):
            arrays = replay.arrays(number, packed=True)
            self.lengths.append(len(arrays["action"]))
            if not arrays["complete"]:
                self.unfinished += 1
                continue
            winner = replay.end(number).winner
            # Who sits first changes with every leg.
            seated = names if number % 2 == 0 else names[::-1]
            for seat, name in enumerate(seated):
                self.played[name] += 1
                self.won[name] += winner == seat
                self.drawn[name] += winner is None


def write_card(dataset: Dataset) -> str:
    """The card as Markdown."""
    games: defaultdict[tuple[str, str], _Game] = defaultdict(_Game)
    for name, replay in dataset.replays():
        try:
            games[replay.game, str(replay.data.get("rules", "?"))].count(replay)
        except (ValueError, KeyError, TypeError) as why:
            dataset.leave_out(name, why)
    lines = ["# Recorded matches", "", f"Source: `{dataset.source}`. Counted with Leitai {__version__} by `leitai.dataset(…).card()`."]
    for (game, rules), counted in sorted(games.items()):
        lines += ["", f"## {game}, rules {rules}", "", *_rows(counted)]
    if not games:
        lines += ["", "There is no match in it that could be read."]
    lines += ["", "## Left out", ""]
    lines += [f"- {name}: {why}" for name, why in dataset.skipped] or ["Nothing."]
    lines += ["", "## Files", "", "| file | bytes | SHA-256 |", "|---|---|---|"]
    lines += [f"| `{name}` | {size:,} | `{digest}` |" for name, size, digest in _files(dataset)]
    return "\n".join(lines) + "\n"


def _rows(counted: _Game) -> list[str]:
    lengths = sorted(counted.lengths)
    rows = [
        "| | |",
        "|---|---|",
        f"| matches | {counted.matches:,} |",
        f"| legs | {len(lengths):,}, {counted.unfinished:,} of them without an end |",
        f"| actions | {sum(lengths):,} |",
    ]
    if lengths:
        middle = lengths[len(lengths) // 2]
        rows.append(f"| actions of a leg | {lengths[0]:,} to {lengths[-1]:,}, median {middle:,} |")
    rows += ["", "| player | legs | won | drawn | lost |", "|---|---|---|---|---|"]
    for name, legs in counted.played.most_common(MOST_PLAYERS):
        won, drawn = counted.won[name], counted.drawn[name]
        rows.append(f"| {_plain(name)} | {legs:,} | {won:,} | {drawn:,} | {legs - won - drawn:,} |")
    more = len(counted.played) - MOST_PLAYERS
    if more > 0:
        rows.append(f"| {more} more | | | | |")
    return rows


def _plain(name: str) -> str:
    """A name that somebody chose, without what Markdown would make of it."""
    return "".join("\\" + sign if sign in "\\|`*_[]<>#" else " " if sign < " " else sign for sign in name)


def _files(dataset: Dataset) -> list[tuple[Any, int, str]]:
    rows = []
    for name, file in open_files(dataset.source):
        digest, size = hashlib.sha256(), 0
        while part := file.read(PART):
            digest.update(part)
            size += len(part)
        rows.append((name, size, digest.hexdigest()))
    return rows
