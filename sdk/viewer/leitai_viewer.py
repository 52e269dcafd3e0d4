"""Draws on the viewer of your matches: copy this file beside your bot, then

    import leitai_viewer as viewer
    viewer.mark((3, 4), (3, 5), tone="bad")
    viewer.value(danger=0.7)

Only you see it. Cells are numbered as in the game's rules. docs/remarks.md
"""

import json
import sys


def show(**what):
    """One line to the viewer: mark, line, text, tag, value, tone together."""
    said = {key: value for key, value in what.items() if value is not None}
    print("#leitai " + json.dumps(said), file=sys.stderr, flush=True)


def mark(*cells, tone=None, text=None):
    """Marks cells; tone is accent, good or bad."""
    show(mark=[list(cell) for cell in cells], tone=tone, text=text)


def line(*cells, tone=None, text=None):
    """A line through cells, two at least."""
    show(line=[list(cell) for cell in cells], tone=tone, text=text)


def text(words):
    """A text of this turn."""
    show(text=words)


def value(**values):
    """Numbers that are plotted over the leg, each under its name."""
    show(value=values)


def tag(*tags):
    """Words to search for."""
    show(tag=list(tags))
