"""Recorded matches: read, written, replayed, and as arrays."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._leitai import Game, Leg, encode_leg, find_rules, verify_replay, write_replay

if TYPE_CHECKING:
    import zipfile

#: The format of what ``leitai dataset`` writes.
EXPORT = "leitai-dataset/1"
#: Longest replay, and longest download, that is read: as the arena's own readers have it, and 1 GiB.
MAX_REPLAY = 64 << 20
MAX_DOWNLOAD = 1 << 30
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
    """The legs of many replays as arrays; see :func:`dataset`. Can be iterated repeatedly."""

    def __init__(self, source: str | os.PathLike[str], game: str | None, packed: bool, strict: bool):
        self.source, self.game, self.packed, self.strict = source, game, packed, strict
        #: What the last iteration left out: ``(name, why)``.
        self.skipped: list[tuple[str, str]] = []

    def replays(self) -> Iterator[tuple[str, Replay]]:
        """The replays with their names."""
        self.skipped = []
        for name, text in _texts(self.source):
            try:
                replay = Replay(text)
            except ValueError as why:
                self._skip(name, why)
                continue
            if self.game in (None, replay.game):
                yield name, replay

    def matches(self) -> Iterator[dict[str, Any]]:
        """The matches of archives that ``leitai dataset`` wrote, as in their ``matches.jsonl``: players, versions, result,
        limits; ``source`` is the name under which the replay's legs come, or ``None``."""
        for name, body in _bodies(self.source):
            for archive_name, archive in _exports(name, body):
                for line in archive.read("matches.jsonl").splitlines():
                    row: dict[str, Any] = json.loads(line)
                    if self.game in (None, row["game"]):
                        yield {**row, "source": row["replay"] and f"{archive_name}/{row['replay']}"}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for name, replay in self.replays():
            for leg in range(replay.legs):
                try:
                    arrays = replay.arrays(leg, self.packed)
                except ValueError as why:
                    self._skip(f"{name}, leg {leg}", why)
                    continue
                yield {**arrays, "source": name, "leg": leg, "game": replay.game}

    def _skip(self, name: str, why: Exception) -> None:
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


def _texts(source: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    for name, body in _bodies(source):
        if not (Path(name).name == "index.json" and _is_export(body)):
            yield from _cut(name, body)


def _bodies(source: str | os.PathLike[str]) -> Iterator[tuple[str, bytes]]:
    if str(source).startswith(("http://", "https://")):
        yield str(source).split("?")[0], _download(str(source))
        return
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}")
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.is_file() and file.suffix in (".json", ".jsonl", ".zip"):
            yield str(file), file.read_bytes()


def _is_export(body: bytes) -> bool:
    """Whether this is the index, or the ``dataset.json``, of what ``leitai dataset`` wrote."""
    try:
        about = json.loads(body)
    except ValueError:
        return False
    return isinstance(about, dict) and about.get("format") == EXPORT


def _exports(name: str, body: bytes) -> Iterator[tuple[str, zipfile.ZipFile]]:
    if body[:2] == b"PK":
        import zipfile  # Only archives need it.

        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            if "dataset.json" in archive.namelist() and _is_export(archive.read("dataset.json")):
                yield name, archive


def _download(url: str) -> bytes:
    import urllib.request  # Only this function needs it, and a playing policy should not wait for it.

    with urllib.request.urlopen(url, timeout=60) as answer:
        body: bytes = answer.read(MAX_DOWNLOAD + 1)
    if len(body) > MAX_DOWNLOAD:
        raise ValueError(f"{url} has more than {MAX_DOWNLOAD} bytes")
    return body


def _cut(name: str, body: bytes) -> Iterator[tuple[str, str]]:
    if body[:2] == b"PK":
        import zipfile

        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            is_export = any(True for _ in _exports(name, body))
            for entry in archive.infolist():
                if is_export and entry.filename in ("dataset.json", "matches.jsonl"):
                    continue
                if Path(entry.filename).suffix in (".json", ".jsonl") and entry.file_size <= MAX_REPLAY:
                    yield from _cut(f"{name}/{entry.filename}", archive.read(entry))
    elif name.endswith(".jsonl"):
        for number, line in enumerate(body.splitlines(), 1):
            if line.strip():
                yield f"{name}:{number}", line.decode("utf-8", "replace")
    else:
        yield name, body.decode("utf-8", "replace")
