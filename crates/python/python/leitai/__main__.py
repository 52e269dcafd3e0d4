"""``python -m leitai``: the command ``leitai`` of the wheel that this Python has."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    program = Path(sys.executable).parent / "leitai"
    if not program.exists():
        raise SystemExit(f"{program} is not there; wheels of Leitai bring it, `pip install .` in a clone does not")
    os.execv(program, [str(program), *sys.argv[1:]])
