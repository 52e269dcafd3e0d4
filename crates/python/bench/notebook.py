#!/usr/bin/env python3
"""A script with cells as a Jupyter notebook, in one language.

    python3 crates/python/bench/notebook.py docs/examples/first_lesson.py --lang zh --out lesson.ipynb

A cell begins with ``# %%``, a text with ``# %% [markdown] LANG``; without a language it is in every notebook.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

MARK = re.compile(r"^# %%(?: \[(markdown)\](?: (\w+))?)?$")


def read_cells(script: str) -> list[tuple[str, str, str]]:
    """The cells: ``code`` or ``markdown``, the language or nothing, the text."""
    cells: list[tuple[str, str, list[str]]] = []
    for line in script.splitlines():
        if found := MARK.match(line):
            cells.append((found[1] or "code", found[2] or "", []))
        elif cells:
            kind, _, lines = cells[-1]
            lines.append(line.removeprefix("#").removeprefix(" ") if kind == "markdown" else line)
    return [(kind, lang, "\n".join(lines).strip("\n")) for kind, lang, lines in cells]


def make_notebook(script: str, lang: str) -> dict[str, Any]:
    """The notebook as JSON, in the format 4.5."""
    cells = []
    for number, (kind, own, text) in enumerate(read_cells(script)):
        if own in ("", lang):
            more: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
            cells.append({"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.splitlines(True), **more})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", type=Path)
    parser.add_argument("--lang", choices=("en", "zh"), default="en")
    parser.add_argument("--out", type=Path, help="the notebook; beside the script if not given")
    options = parser.parse_args()
    out = options.out or options.script.with_suffix(".ipynb")
    notebook = make_notebook(options.script.read_text(encoding="utf-8"), options.lang)
    out.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
