#!/usr/bin/env python3
# leitai: protocol=json-lines
# A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
# Print answers to stdout and nothing else; what goes to stderr is your own log, shown beside the replay.
import json
import sys

MOVES = {"1": (1, 0), "2": (0, 1), "3": (-1, 0), "4": (0, -1)}  # "5" shoots a ray, "6" splits


def blocked_cells(view):
    """Cells that no head should enter: walls of both players and all snakes, but tails that will have left."""
    blocked = {tuple(cell) for walls in view["walls"] for cell in walls}
    for snake in view["snakes"]:
        blocked.update(tuple(cell) for cell in snake["cells"])
    return blocked


def free_neighbours(cell, blocked, size):
    for dx, dy in MOVES.values():
        x, y = cell[0] + dx, cell[1] + dy
        if 0 <= x < size[0] and 0 <= y < size[1] and (x, y) not in blocked:
            yield x, y


def choose(view, legal, size):
    snake = next(snake for snake in view["snakes"] if snake["id"] == view["snake"])
    head, blocked = snake["cells"][0], blocked_cells(view)
    items = [(item["x"], item["y"]) for item in view["items"]]

    def worth(action):
        x, y = head[0] + MOVES[action][0], head[1] + MOVES[action][1]
        alive = 0 <= x < size[0] and 0 <= y < size[1] and (x, y) not in blocked
        room = sum(1 for _ in free_neighbours((x, y), blocked, size))
        way = min((abs(x - item[0]) + abs(y - item[1]) for item in items), default=0)
        return alive, min(room, 1), -way, room

    moves = [action for action in legal if action in MOVES]
    return max(moves, key=worth) if moves else legal[0]


size = (16, 16)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        setup = message["setup"]  # everything that is known before the game, all coming items included
        size = (setup.get("length", 16), setup.get("width", 16))
    elif message["type"] == "turn":
        print(json.dumps({"action": choose(message["view"], message["legal"], size)}), flush=True)
    elif message["type"] == "end":
        print("that was a", message["you"], file=sys.stderr)
