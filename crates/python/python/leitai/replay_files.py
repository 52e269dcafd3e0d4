"""The texts of replays in folders, files, archives and behind addresses, one at a time."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import zipfile

#: The format of what ``leitai dataset`` writes.
EXPORT = "leitai-dataset/1"
#: Longest replay, and longest download, that is read: as the arena's own readers have it, and 1 GiB.
MAX_REPLAY = 64 << 20
MAX_DOWNLOAD = 1 << 30
#: Bytes that are read at once.
PART = 1 << 20


def texts(
    source: str | os.PathLike[str], note: Callable[[str, IO[bytes]], None] | None = None
) -> Iterator[tuple[str, str]]:
    """What may be replays, by name; see :func:`leitai.dataset` for ``source``.

    :param note: is called with every file after what is in it, at its beginning again
    :raises FileNotFoundError: if there is no such file or folder
    """
    for name, file in open_files(source):
        if not (Path(name).name == "index.json" and _is_export(_start(file))):
            yield from _cut(name, file)
        if note is not None:
            file.seek(0)
            note(name, file)


def exported_matches(source: str | os.PathLike[str]) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The lines of ``matches.jsonl`` of each archive that ``leitai dataset`` wrote, by the archive's name."""
    for name, file in open_files(source):
        if _is_archive(file):
            import zipfile  # Only archives need it.

            with zipfile.ZipFile(file) as archive:
                if _is_arenas(archive):
                    with archive.open("matches.jsonl") as rows:
                        yield name, iter(rows)


def open_files(source: str | os.PathLike[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """The files that may hold replays, open for reading, by name.

    :raises FileNotFoundError: if there is no such file or folder
    """
    if str(source).startswith(("http://", "https://")):
        with _download(str(source)) as file:
            yield str(source).split("?")[0], file
        return
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}")
    for found in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if found.is_file() and found.suffix in (".json", ".jsonl", ".zip"):
            with found.open("rb") as file:
                yield str(found), file


def _download(url: str) -> IO[bytes]:
    import tempfile
    import urllib.request  # Only this function needs it, and a playing policy should not wait for it.

    file = tempfile.TemporaryFile()
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            while part := answer.read(PART):
                file.write(part)
                if file.tell() > MAX_DOWNLOAD:
                    raise ValueError(f"{url} has more than {MAX_DOWNLOAD} bytes")
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _start(file: IO[bytes]) -> bytes:
    """As much of it as a replay may have, and a byte; the file is at its beginning again."""
    body = file.read(MAX_REPLAY + 1)
    file.seek(0)
    return body


def _is_export(body: bytes) -> bool:
    """Whether this is the index, or the ``dataset.json``, of what ``leitai dataset`` wrote."""
    try:
        about = json.loads(body)
    except ValueError:
        return False
    return isinstance(about, dict) and about.get("format") == EXPORT


def _is_archive(file: IO[bytes]) -> bool:
    start = file.read(2)
    file.seek(0)
    return start == b"PK"


def _is_arenas(archive: zipfile.ZipFile) -> bool:
    names = archive.namelist()
    if "dataset.json" not in names or archive.getinfo("dataset.json").file_size > MAX_REPLAY:
        return False
    return _is_export(archive.read("dataset.json"))


def _cut(name: str, file: IO[bytes]) -> Iterator[tuple[str, str]]:
    if _is_archive(file):
        import zipfile

        with zipfile.ZipFile(file) as archive:
            about = ("dataset.json", "matches.jsonl") if _is_arenas(archive) else ()
            for entry in archive.infolist():
                if entry.filename in about:
                    continue
                if Path(entry.filename).suffix in (".json", ".jsonl") and entry.file_size <= MAX_REPLAY:
                    yield from _cut(f"{name}/{entry.filename}", io.BytesIO(archive.read(entry)))
    elif name.endswith(".jsonl"):
        for number, line in enumerate(_lines(file), 1):
            if line.strip():
                yield f"{name}:{number}", line.decode("utf-8", "replace")
    else:
        yield name, _start(file).decode("utf-8", "replace")


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file; of one that no replay can be, the beginning."""
    while line := file.readline(MAX_REPLAY + 1):
        rest = line
        while not rest.endswith(b"\n") and (rest := file.readline(PART)):
            pass
        yield line
