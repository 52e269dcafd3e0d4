"""docs/learning.md runs as printed, in both languages: every block, in order, in one session of Python in an empty folder.

A block is left out where a comment before it says `not run` and why, or names the library that it `needs` and that is not here.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"(?:<!-- (?P<note>[^>]*) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL)
#: Words of a comment before a block.
NOT_RUN, NEEDS = "not run: ", "needs: "


def blocks(page):
    found = [match.groupdict() for match in BLOCK.finditer((ROOT / "docs" / page).read_text())]
    return [one for one in found if one["language"] == "python"]


def is_left_out(note):
    if note is None:
        return False
    if note.startswith(NEEDS):
        return any(is_missing(name) for name in note.removeprefix(NEEDS).split(", "))
    return note.startswith(NOT_RUN)


def is_missing(name):
    try:
        return importlib.util.find_spec(name) is None
    except ModuleNotFoundError:
        return True


#: What a reader has beside the page: the documents of the clone, some matches, and a learner.
BEFORE = """
from leitai import Replay, kob, program, snakego
import os
program.TIMEOUT = 300.0
os.mkdir("matches")
leg = snakego.start(3, config={"max_round": 9}, record=True)
while not leg.is_over:
    leg.step(leg.legal_actions()[0])
Replay.of(leg).save("matches/one.json")
learn, weights = lambda *_: None, None
del leg, Replay, kob, program, snakego, os
"""


def test_every_block_runs_in_order(tmp_path):
    """The other page has the same blocks."""
    os.symlink(ROOT / "docs", tmp_path / "docs")
    kept = [one["text"] for one in blocks("learning.md") if not is_left_out(one["note"])]
    assert len(kept) >= 11
    script = "\n".join(f"print('block', {number}, flush=True)\n{text}" for number, text in enumerate([BEFORE, *kept]))
    (tmp_path / "page.py").write_text(script)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "page.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=1800, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, f"{done.stdout[-300:]}\n{done.stderr[-3000:]}"


def test_both_pages_have_the_same_blocks():
    """But for their comments, and the ratings that a print may show."""
    codes = [[re.sub(r"\s*#.*", "", one["text"]) for one in blocks(page)] for page in ("learning.md", "learning.zh.md")]
    assert codes[0] == codes[1]
    notes = [[(one["note"] or "").split(":")[0] for one in blocks(page)] for page in ("learning.md", "learning.zh.md")]
    assert notes[0] == notes[1]
