"""SnakeGo for bots in Python: `play(choose)` asks `choose` for an action whenever one of your snakes has to act.

Cells are (x, y) from the lower left, both from 0. What you draw with mark, line, text, tag and value is shown on the
viewer of your matches, to you alone. Standard output belongs to the judge: print to sys.stderr.
"""

import json
import sys
from dataclasses import dataclass

RIGHT, UP, LEFT, DOWN, RAY, SPLIT = "1", "2", "3", "4", "5", "6"
STEPS = {RIGHT: (1, 0), UP: (0, 1), LEFT: (-1, 0), DOWN: (0, -1)}


@dataclass
class Snake:
    id: int
    mine: bool
    bank: int  # cells it will still grow
    ray: bool
    cells: list  # from head to tail


@dataclass
class Item:
    cell: tuple
    type: int  # 0 grows by `param` cells, 2 brings a ray
    param: int
    expires: int  # the last round in which it lies there


class State:
    """A moment in which one of your snakes acts."""

    def __init__(self, view, legal, setup):
        self.size: tuple = (setup.get("length", 16), setup.get("width", 16))
        self.round: int = view["round"]
        self.rounds: int = view["rounds"]
        self.legal: list = legal  # actions to choose from
        self.snakes = [
            Snake(own["id"], own["seat"] == view["you"], own["bank"], own["ray"], [tuple(cell) for cell in own["cells"]])
            for own in view["snakes"]
        ]
        self.snake: Snake = next(snake for snake in self.snakes if snake.id == view["snake"])  # the one that acts
        self.items = [Item((i["x"], i["y"]), i["type"], i["param"], i["expires"]) for i in view["items"]]
        walls = [{tuple(cell) for cell in walls} for walls in view["walls"]]
        self.my_walls, self.other_walls = walls if view["you"] == "first" else walls[::-1]
        self.taken: set = set().union(*walls, *(snake.cells for snake in self.snakes))

    def after(self, action):
        """The cell of the head after an action; a ray and a split leave it where it is."""
        return step(self.snake.cells[0], action)

    def is_free(self, cell):
        """Whether it is on the board, and neither wall nor snake."""
        return 0 <= cell[0] < self.size[0] and 0 <= cell[1] < self.size[1] and cell not in self.taken


def step(cell, action):
    """The neighbour of a cell."""
    right, up = STEPS.get(action, (0, 0))
    return cell[0] + right, cell[1] + up


def distance(one, other):
    """The steps between two cells on an empty board."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def play(choose):
    """Plays a leg: `choose(state)` gives an action."""
    answer_all(lambda view, legal, setup: choose(State(view, legal, setup)))
