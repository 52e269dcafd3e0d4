"""Puts the program `leitai` into a wheel of the Python package, so that `pip install leitai` brings the command too.

    python3 add_command.py WHEEL PROGRAM FOLDER

The new wheel, of the same name, is written into FOLDER; its list of files (RECORD) names the program with its hash.
"""

import base64
import csv
import hashlib
import io
import os
import sys
import time
import zipfile
from pathlib import Path


def add_command(wheel: Path, program: Path, folder: Path) -> Path:
    name, version = wheel.name.split("-")[:2]
    script = f"{name}-{version}.data/scripts/leitai"
    record = f"{name}-{version}.dist-info/RECORD"
    made = folder / wheel.name
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        if script in old.namelist():
            raise SystemExit(f"add_command: {wheel} has a command already")
        if record not in old.namelist():
            raise SystemExit(f"add_command: {wheel} is no wheel: it has no {record}")
        for entry in old.infolist():
            if entry.filename != record:
                new.writestr(entry, old.read(entry))
        code = program.read_bytes()
        when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
        new.writestr(entry_of(script, when, 0o755), code)
        new.writestr(entry_of(record, when, 0o644), with_line(old.read(record).decode(), script, code))
    return made


def entry_of(name: str, when: tuple, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, when)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def with_line(record: str, name: str, code: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(code).digest()).rstrip(b"=").decode()
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([name, f"sha256={digest}", len(code)])
    return text.getvalue() + record


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    print(add_command(*(Path(word) for word in sys.argv[1:])))
