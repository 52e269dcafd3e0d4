"""King of Bots for bots in Python: `play(choose)` asks `choose` for a direction in every round.

Cells are (row, column) from the upper left, both from 0. What you draw with mark, line, text, tag and value is shown on
the viewer of your matches, to you alone. Standard output belongs to the judge: print to sys.stderr.
"""

import json
import sys

UP, RIGHT, DOWN, LEFT = "0", "1", "2", "3"
STEPS = {UP: (-1, 0), RIGHT: (0, 1), DOWN: (1, 0), LEFT: (0, -1)}


class State:
    """A round before both snakes move."""

    def __init__(self, view, legal):
        self.round: int = view["round"]
        self.grows: bool = view["grows"]  # whether the tails stay in this round
        self.legal: list = legal  # directions to choose from
        bodies = {snake["seat"]: [tuple(cell) for cell in snake["cells"]] for snake in view["snakes"]}
        self.me: list = bodies.pop(view["you"])  # cells from head to tail
        self.other: list = next(iter(bodies.values()))
        walls = {(r, c) for r, line in enumerate(view["map"]) for c, kind in enumerate(line) if kind == "1"}
        self.taken: set = walls.union(self.me, self.other)

    def after(self, direction):
        """The cell of your head after a move."""
        return step(self.me[0], direction)

    def reach(self, cell):
        """How many free cells can be reached from this one, itself included; 0 if it is taken."""
        if cell in self.taken:
            return 0
        seen, found = {cell}, [cell]
        for at in found:
            near = {step(at, direction) for direction in STEPS} - self.taken - seen
            seen |= near
            found.extend(near)
        return len(found)


def step(cell, direction):
    """The neighbour of a cell."""
    return cell[0] + STEPS[direction][0], cell[1] + STEPS[direction][1]


def play(choose):
    """Plays a game: `choose(state)` gives a direction."""
    answer_all(lambda view, legal, setup: choose(State(view, legal)))
