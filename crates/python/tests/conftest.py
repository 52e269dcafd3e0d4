import os
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # On a busy machine more threads wait for each other.

import leitai.program  # noqa: E402
import pytest  # noqa: E402

# On a busy machine no program of a test loses by time; a test of the time asks for less.
leitai.program.TIMEOUT = 300.0

ROOT = Path(__file__).parents[3]

# What plays programs in the sandbox.
os.environ.setdefault("LEITAI_BIN", str(Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug/leitai"))


@pytest.fixture(scope="session")
def leitai_command():
    """Runs `leitai` and returns its output."""
    program = Path(os.environ["LEITAI_BIN"])
    if not program.exists():
        pytest.fail(f"{program} is not built; ./dev python builds it first")

    # The interpreter of the tests also runs the bots: it has the package and NumPy.
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def start(*words):
        words = [program, *map(str, words)]
        return subprocess.run(words, capture_output=True, text=True, timeout=1800, env=environment)

    # The sandbox shows no virtual environment to bots; the bots of the tests are our own and need
    # none.
    free = ["--isolation", "none"] if "--isolation" in start("match", "--help").stdout else []
    # On a busy machine they must not lose by time.
    free += ["--limit", "120s"]

    def run(*words, fails=False):
        done = start(*words, *(free if words[0] == "match" else []))
        assert fails == (done.returncode != 0), done.stdout + done.stderr
        return done.stdout or done.stderr

    return run
