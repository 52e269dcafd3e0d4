#!/usr/bin/env python3
# leitai: protocol=json-lines
"""A Connect Four bot to begin with: it wins if it can, else plays near the middle."""
import json
import sys


def drop(board, column, disc):
    """The board after a disc falls into the column; rows from the top, `.` is empty."""
    row = max(row for row in range(len(board)) if board[row][column] == ".")
    return [line[:column] + disc + line[column + 1 :] if here == row else line for here, line in enumerate(board)]


def has_four(board, disc):
    """Whether four discs of one kind stand in a line."""
    cells = {(r, c) for r, line in enumerate(board) for c, found in enumerate(line) if found == disc}
    steps = [(0, 1), (1, 0), (1, 1), (1, -1)]
    return any(all((r + k * a, c + k * b) in cells for k in range(4)) for r, c in cells for a, b in steps)


def choose(view, legal):
    disc = "X" if view["you"] == "first" else "O"
    for column in legal:
        if has_four(drop(view["board"], int(column) - 1, disc), disc):
            return column
    return min(legal, key=lambda column: abs(int(column) - 4))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"action": choose(message["view"], message["legal"])}), flush=True)
