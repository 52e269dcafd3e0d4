#!/usr/bin/env python3
# leitai: protocol=json-lines
"""Wins if it can, else hinders the other from winning at once, else plays near the middle."""
import json
import sys


def drop(board, column, disc):
    rows = [list(row) for row in board]
    for row in reversed(rows):
        if row[column] == ".":
            row[column] = disc
            return rows
    return rows


def wins(rows, disc):
    for y in range(6):
        for x in range(7):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(x + n * dx, y + n * dy) for n in range(4)]
                if all(0 <= a < 7 and 0 <= b < 6 and rows[b][a] == disc for a, b in cells):
                    return True
    return False


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "turn":
        continue
    board, mine = message["view"]["board"], "X" if message["view"]["you"] == "first" else "O"
    columns = sorted((int(column) - 1 for column in message["legal"]), key=lambda column: abs(column - 3))
    for disc in (mine, "XO".replace(mine, "")):
        winning = [column for column in columns if wins(drop(board, column, disc), disc)]
        if winning:
            columns = winning
            break
    print(json.dumps({"action": str(columns[0] + 1)}), flush=True)
