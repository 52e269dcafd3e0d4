"""Recorded matches: read, written, replayed, and as arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from ._leitai import Game, Leg, encode_leg, find_rules, verify_replay, write_replay
from .replay_files import MAX_REPLAY, exported_matches, texts

#: Formats that are read; the last one called an entrant's protocol its dialect.
FORMATS = ("leitai-replay/2", "leitai-replay/1")


class Replay:
    """A recorded match (docs/replay-format.md). ``replay.data`` is the file as Python's dicts and lists."""

    def __init__(self, text: str):
        if len(text) > MAX_REPLAY:
            raise ValueError(f"the replay has {len(text)} characters; at most {MAX_REPLAY} are read")
        self.text = text
        self.data: dict[str, Any] = json.loads(text)
        if not isinstance(self.data, dict) or self.data.get("format") not in FORMATS:
            raise ValueError("not a replay of the format leitai-replay/2 or leitai-replay/1")

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Replay:
        """Reads a file."""
        path = Path(path)
        if path.stat().st_size > MAX_REPLAY:
            raise ValueError(f"{path} has more than {MAX_REPLAY} bytes")
        return Replay(path.read_text(encoding="utf-8"))

    @staticmethod
    def of(legs: Leg | list[Leg], names: tuple[str, str] = ("A", "B")) -> Replay:
        """The replay of recorded legs (``start(…, record=True)``) of one setup. A played first in the
        first of them, and the two changed seats after each. It is complete if it has as many legs
        as the game's matches."""
        return Replay(write_replay([legs] if isinstance(legs, Leg) else list(legs), (names[0], names[1])))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, completely or not at all."""
        path = Path(path)
        new = path.with_name(f".{path.name}.{os.getpid()}")
        new.write_text(self.text, encoding="utf-8")
        new.replace(path)

    @property
    def game(self) -> str:
        """The game's id."""
        return str(self.data["game"])

    @property
    def legs(self) -> int:
        """Number of legs."""
        return len(self.data["legs"])

    def start(self, leg: int = 0, record: bool = True) -> Leg:
        """A leg (from 0) before its first step."""
        self._tokens(leg)
        return self._game().load(self.data["setup"], self.data.get("config"), record=record)

    def walk(self, leg: int = 0) -> Iterator[tuple[Leg, str]]:
        """Replays a leg (from 0): before every step yields the leg, which advances after the yield,
        and the token of the replies: ``2``, ``1/3`` for both seats, ``!TLE`` for a fault."""
        tokens = self._tokens(leg)
        now = self.start(leg, record=False)
        for token in tokens:
            yield now, token
            now.play(token)

    def end(self, leg: int = 0) -> Leg:
        """The last position of a leg (from 0), with its complete record."""
        tokens = self._tokens(leg)
        now = self.start(leg)
        for token in tokens:
            now.play(token)
        return now

    def arrays(self, leg: int = 0, packed: bool = False) -> dict[str, Any]:
        """A leg (from 0) as arrays, one entry for every action in order:

        =================  ==========================================================================
        ``observation``    uint8 ``[n, planes, rows, cols]``, packed ``[n, planes, rows, row bytes]``
        ``scalars``        float32 ``[n, scalars]``
        ``action_mask``    int8 ``[n, choices]``, for TankCraft ``[n, 5, 69]``
        ``action``         int64 ``[n]``, for TankCraft ``[n, 5]``
        ``outcome``        int8 ``[n]``: 1 if the acting side won the leg, -1 if it lost, else 0
        ``lead``           int32 ``[n]``: its score at the end minus the other side's
        ``seat``           int8 ``[n]``: 0 first, 1 second
        ``round``          int32 ``[n]``
        ``complete``       whether the leg was played to its end
        =================  ==========================================================================
        """
        return encode_leg(self.text, leg, packed)

    def _game(self) -> Game:
        """The game under the rules of the replay, if it was loaded."""
        return find_rules(self.game, str(self.data.get("rules", "")))

    def verify(self) -> dict[str, Any]:
        """Plays the match again and compares every state, outcome and the verdict, as ``leitai replay verify`` does: ``{"legs",
        "steps", "hashes", "complete"}``.

        :raises ValueError: with the first difference, and for a replay of other rules
        :raises leitai.GameFault: if the rules of a game file fail
        """
        legs, steps, hashes, complete = verify_replay(self.text)
        return {"legs": legs, "steps": steps, "hashes": hashes, "complete": complete}

    def _tokens(self, leg: int) -> list[str]:
        if not 0 <= leg < self.legs:
            raise IndexError(f"the replay has {self.legs} legs; there is no leg {leg}")
        return str(self.data["legs"][leg]["replies"]).split()

    def __repr__(self) -> str:
        names = [entrant["name"] for entrant in self.data["entrants"]]
        return f"<replay of {self.game}, {names[0]} against {names[1]}, {self.legs} legs>"


class Dataset:
    """The legs of many replays as arrays; see :func:`dataset`. Can be iterated repeatedly. One replay is held in memory at a
    time, however large the files are."""

    def __init__(self, source: str | os.PathLike[str], game: str | None, packed: bool, strict: bool):
        self.source, self.game, self.packed, self.strict = source, game, packed, strict
        #: What the last iteration left out: ``(name, why)``.
        self.skipped: list[tuple[str, str]] = []

    def replays(self, note: Callable[[str, IO[bytes]], None] | None = None) -> Iterator[tuple[str, Replay]]:
        """The replays with their names; ``note`` is called with every file after what is in it."""
        self.skipped = []
        for name, text in texts(self.source, note):
            try:
                replay = Replay(text)
            except ValueError as why:
                self.leave_out(name, why)
                continue
            if self.game in (None, replay.game):
                yield name, replay

    def matches(self) -> Iterator[dict[str, Any]]:
        """The matches of archives that ``leitai dataset`` wrote, as in their ``matches.jsonl``: players, versions, result,
        limits; ``source`` is the name under which the replay's legs come, or ``None``."""
        for archive_name, rows in exported_matches(self.source):
            for line in rows:
                row: dict[str, Any] = json.loads(line)
                if self.game in (None, row["game"]):
                    yield {**row, "source": row["replay"] and f"{archive_name}/{row['replay']}"}

    def card(self) -> str:
        """What is in it, as Markdown: games and rules, matches, legs and actions, who played and how often each won, length of
        legs, what was left out, the files by SHA-256, and how it was made. Reads everything once.

        :raises ValueError: if ``strict`` and something is no replay
        """
        from .dataset_card import write_card

        return write_card(self)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for name, replay in self.replays():
            for leg in range(replay.legs):
                try:
                    arrays = replay.arrays(leg, self.packed)
                except ValueError as why:
                    self.leave_out(f"{name}, leg {leg}", why)
                    continue
                yield {**arrays, "source": name, "leg": leg, "game": replay.game}

    def leave_out(self, name: str, why: Exception) -> None:
        """Notes what is no replay; raises if the data set is strict."""
        if self.strict:
            raise ValueError(f"{name}: {why}") from why
        self.skipped.append((name, str(why)))


def dataset(
    source: str | os.PathLike[str], game: str | None = None, *, packed: bool = False, strict: bool = False
) -> Dataset:
    """Iterates recorded matches leg by leg as arrays, see :meth:`Replay.arrays`; ``source``, ``leg`` and ``game`` are added.

    :param source: a folder (searched to its depths), a file, or a URL of one. A file is a replay (``.json``), one replay a
        line (``.jsonl``), or an archive of such files (``.zip``).
    :param game: only replays of this game: its id. Those of game files are read once :func:`leitai.load` has loaded their rules
    :param packed: planes as bits in bytes
    :param strict: fail on what is no replay; otherwise it is left out and told in ``skipped``
    """
    return Dataset(source, game, packed, strict)
