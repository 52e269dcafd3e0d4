"""TankCraft for bots in Python: `play(team, order)` names five tanks, then asks `order` for each of them in every round.

Cells are (row, column) from the upper left, both from 1. What you draw with mark, line, text, tag and value is shown on
the viewer of your matches, to you alone. Standard output belongs to the judge: print to sys.stderr.
"""

import json
import sys
from dataclasses import dataclass

STEPS = {"GOUP": (-1, 0), "GODOWN": (1, 0), "GOLEFT": (0, -1), "GORIGHT": (0, 1)}
RANGE = {"Striker": 3, "Pioneer": 1, "Sniper": 5}
STOP = "STOP"


@dataclass
class Tank:
    id: int
    type: str
    cell: tuple
    life: int


@dataclass
class Mine:
    cell: tuple
    owner: str  # "R", "B", or "N" for nobody


class State:
    """A round as your side sees it."""

    def __init__(self, view, setup):
        self.round: int = view["round"]
        self.me: str = "R" if view["you"] == "first" else "B"
        self.gold: list = view["gold"]  # of red and blue
        self.terrain: list = view["terrain"]  # "." open, "#" stone, "1" and "2" bricks
        places = [(r, c) for r, row in enumerate(setup["map"], 1) for c, kind in enumerate(row, 1) if kind in "rbn"]
        self.mines = [Mine(cell, owner) for cell, owner in zip(places, view["owners"])]
        tanks = [Tank(t["id"], t["type"], tuple(t["cell"] or (0, 0)), t["life"] or 0) for t in view["tanks"]]
        self.own = [tank for tank in tanks if (tank.id < 5) == (self.me == "R")]
        self.enemies = [tank for tank in tanks if tank not in self.own and tank.life > 0 and tank.cell[0] > 0]  # seen

    def towards(self, tank, goals):
        """The order that begins a shortest way to one of these cells, through bricks too, round your other tanks."""
        goals, queue = set(goals), [(tank.cell, STOP)]
        seen = {tank.cell}.union(own.cell for own in self.own if own.life > 0)
        for cell, first in queue:
            if cell in goals and first != STOP:
                return first
            for order, (down, right) in STEPS.items():
                row, column = near = cell[0] + down, cell[1] + right
                inside = 1 <= row <= len(self.terrain) and 1 <= column <= len(self.terrain[0])
                if inside and near not in seen and self.terrain[row - 1][column - 1] != "#":
                    seen.add(near)
                    brick = self.terrain[row - 1][column - 1] in "12"
                    queue.append((near, first if first != STOP else fire(near) if brick else order))
        return STOP


def fire(cell):
    """The order to shoot at a cell."""
    return f"FIRE:{cell[0]}:{cell[1]}"


def in_range(tank, other):
    """Whether the one can hit the other."""
    return abs(tank.cell[0] - other.cell[0]) + abs(tank.cell[1] - other.cell[1]) <= RANGE[tank.type]


def play(team, order):
    """Plays a leg with five types: `order(state, tank)` gives an order for each tank of yours that is alive."""

    def decide(view, legal, setup):
        if view["round"] == 0:
            return ";".join(["Team", *team])
        state = State(view, setup)
        return ";".join(order(state, tank) if tank.life > 0 else STOP for tank in state.own)

    answer_all(decide)
