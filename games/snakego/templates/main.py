#!/usr/bin/env python3
# leitai: protocol=json-lines
# A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
from leitai_snakego import STEPS, distance, line, play, step


def choose(state):
    def worth(action):  # alive first, then a way out, then the way to the nearest item
        cell = state.after(action)
        exits = sum(state.is_free(step(cell, way)) for way in STEPS)
        nearest = min((distance(cell, item.cell) for item in state.items), default=0)
        return state.is_free(cell), exits > 0, -nearest, exits

    best = max(state.legal, key=worth)
    line(state.snake.cells[0], state.after(best))  # drawn on the viewer of your matches
    return best


play(choose)
