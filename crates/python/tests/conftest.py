import os
import subprocess
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

    def run(*words, fails=False):
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=300)
        assert fails == (done.returncode != 0), done.stdout + done.stderr
        return done.stdout

    return run
