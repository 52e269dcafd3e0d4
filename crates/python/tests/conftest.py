import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def leitai_command():
    """Runs `leitai` and gives what it printed."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = Path(os.environ.get("LEITAI_BIN", target / "debug/leitai"))
    if not program.exists():
        pytest.fail(f"{program} is not built; ./dev python builds it first")

    # Bots are run by the interpreter that runs the tests: it has the package and NumPy.
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def start(*words):
        words = [program, *map(str, words)]
        return subprocess.run(words, capture_output=True, text=True, timeout=300, env=environment)

    # A jail does not show a virtual environment to bots; these are our own.
    free = ["--isolation", "none"] if "--isolation" in start("match", "--help").stdout else []
    # Nor does a busy machine make them lose.
    free += ["--limit", "120s"]

    def run(*words, fails=False):
        done = start(*words, *(free if words[0] == "match" else []))
        assert fails == (done.returncode != 0), done.stdout + done.stderr
        return done.stdout

    return run
