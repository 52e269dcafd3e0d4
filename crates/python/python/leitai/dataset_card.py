"""The card of a data set of recorded matches: what a paper says of its data, counted from the files."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from ._leitai import __version__
from .replay_files import PART

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

    def count(self, replay: Replay, number: int, arrays: dict[str, Any]) -> None:
        self.lengths.append(len(arrays["action"]))
        if not arrays["complete"]:
            self.unfinished += 1
            return
        winner = _winner(replay, number, arrays)
        names = [str(entrant.get("name", "?")) for entrant in replay.data["entrants"]]
        # Who sits first changes with every leg.
        seated = names if number % 2 == 0 else names[::-1]
        for seat, name in enumerate(seated):
            self.played[name] += 1
            self.won[name] += winner == seat
            self.drawn[name] += winner is None


def _winner(replay: Replay, number: int, arrays: dict[str, Any]) -> int | None:
    """Who won a leg, by its arrays; a leg in which nobody said an action is played again."""
    if not len(arrays["outcome"]):
        return replay.end(number).winner
    outcome, seat = int(arrays["outcome"][0]), int(arrays["seat"][0])
    return None if outcome == 0 else seat if outcome == 1 else 1 - seat


class Card:
    """What a walk through a data set counts for its card."""

    def __init__(self) -> None:
        self.games: defaultdict[tuple[str, str], _Game] = defaultdict(_Game)
        self.files: list[tuple[str, int, str]] = []

    def game_of(self, replay: Replay) -> _Game:
        return self.games[replay.game, str(replay.data.get("rules", "?"))]

    def count_match(self, replay: Replay) -> None:
        """A match; its legs come after it."""
        self.game_of(replay).matches += 1

    def count_leg(self, replay: Replay, number: int, arrays: dict[str, Any]) -> None:
        """A leg of it as arrays."""
        self.game_of(replay).count(replay, number, arrays)

    def note_file(self, name: str, file: IO[bytes]) -> None:
        """A file of the source, by its hash."""
        digest, size = hashlib.sha256(), 0
        while part := file.read(PART):
            digest.update(part)
            size += len(part)
        self.files.append((name, size, digest.hexdigest()))

    def write(self, dataset: Dataset) -> str:
        """The card as Markdown."""
        lines = ["# Recorded matches", "", f"Source: `{dataset.source}`. Counted with Leitai {__version__} by `leitai.dataset(…).card()`."]
        for (game, rules), counted in sorted(self.games.items()):
            lines += ["", f"## {game}, rules {rules}", "", *_rows(counted)]
        if not self.games:
            lines += ["", "There is no match in it that could be read."]
        lines += ["", "## Left out", ""]
        lines += [f"- {name}: {why}" for name, why in dataset.skipped] or ["Nothing."]
        lines += ["", "## Files", "", "| file | bytes | SHA-256 |", "|---|---|---|"]
        lines += [f"| `{name}` | {size:,} | `{digest}` |" for name, size, digest in self.files]
        return "\n".join(lines) + "\n"


def write_card(dataset: Dataset) -> str:
    """The card as Markdown, by one walk."""
    card = Card()
    for name, replay in dataset.replays(card.note_file):
        try:
            card.count_match(replay)
            for number in range(replay.legs):
                card.count_leg(replay, number, replay.arrays(number, packed=True))
        except (ValueError, KeyError, TypeError) as why:
            dataset.leave_out(name, why)
    return card.write(dataset)


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
