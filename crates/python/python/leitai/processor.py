"""Refuses a processor that the extension module was not compiled for, before it is loaded: it would end Python with an
illegal instruction."""

from __future__ import annotations

import os
import platform
from pathlib import Path

#: What x86-64-v3 has beside older processors, as Linux names it.
NEEDED = ("avx2", "bmi1", "bmi2", "fma", "movbe", "f16c", "abm")


def check_processor(cpuinfo: str = "/proc/cpuinfo") -> None:
    """Raises ImportError if this processor lacks instructions that the module needs."""
    if platform.machine() != "x86_64" or os.environ.get("LEITAI_ANY_PROCESSOR"):
        return
    try:
        text = Path(cpuinfo).read_text(errors="replace")
    except OSError:
        return
    flags = next((line.split(":", 1)[-1].split() for line in text.splitlines() if line.startswith("flags")), None)
    missing = [] if flags is None else [name for name in NEEDED if name not in flags]
    if missing:
        raise ImportError(
            f"this processor lacks {', '.join(missing)}, which the package leitai needs (x86-64-v3: Intel since 2013, AMD since "
            "2015); on an older one build it from its source without the target-cpu lines in .cargo/config.toml, and set "
            "LEITAI_ANY_PROCESSOR=1"
        )
