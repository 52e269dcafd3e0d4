#!/usr/bin/env python3
# A TankCraft bot to begin with: every tank shoots whatever it sees in range, and else goes to the nearest mine that is
# not ours. It speaks the text protocol; what goes to stderr is your own log, shown beside the replay.
import sys
from collections import deque

TEAM = ["Striker", "Striker", "Pioneer", "Pioneer", "Sniper"]
RANGE = {"Striker": 3, "Pioneer": 1, "Sniper": 5}
WAYS = {"GOUP": (-1, 0), "GODOWN": (1, 0), "GOLEFT": (0, -1), "GORIGHT": (0, 1)}
SIZE = 21


def read(word):
    """Lines up to the one that begins with this word, and that line."""
    lines = []
    for line in sys.stdin:
        lines.append(line.rstrip("\n"))
        if lines[-1].split(" ")[0] in (word, "END"):
            break
    return lines


def after(lines, word, count):
    at = lines.index(word)
    return lines[at + 1 : at + 1 + count]


def first_step(start, goals, terrain, taken):
    """The first order on a shortest way to a goal, over open cells and through bricks."""
    came, queue = {start: None}, deque([start])
    while queue:
        cell = queue.popleft()
        if cell in goals and cell != start:
            while came[cell][0] != start:
                cell = came[cell][0]
            return came[cell][1], cell
        for order, (down, right) in WAYS.items():
            row, column = cell[0] + down, cell[1] + right
            inside = 1 <= row <= SIZE and 1 <= column <= SIZE
            if inside and (row, column) not in came and terrain[row - 1][column - 1] != "#" and (row, column) not in taken:
                came[(row, column)] = (cell, order)
                queue.append((row, column))
    return "STOP", start


opening = read("CHOOSE")
red = "SIDE RED" in opening
board = after(opening, "MAP", SIZE)
mines = [(r + 1, c + 1) for r in range(SIZE) for c in range(SIZE) if board[r][c] in "rbn"]
print("TEAM", *TEAM, flush=True)

while True:
    lines = read("GO")
    if not lines or lines[-1] != "GO":
        break
    terrain = after(lines, "TERRAIN", SIZE)
    owners = next(line for line in lines if line.startswith("OWNERS")).split()[1]
    tanks = [line.split()[1:] for line in lines if line.startswith("TANK ")]
    tanks = [(int(t[0]), t[1], (int(t[2]), int(t[3])), int(t[4])) for t in tanks]
    own = [tank for tank in tanks if (tank[0] < 5) == red]
    enemies = [tank for tank in tanks if (tank[0] < 5) != red and tank[2][0] > 0 and tank[3] > 0]
    goals = {mine for mine, owner in zip(mines, owners) if owner != ("R" if red else "B")}
    for _, kind, cell, life in own:
        if life <= 0:
            print("STOP")
            continue
        far = lambda enemy: abs(enemy[2][0] - cell[0]) + abs(enemy[2][1] - cell[1])
        targets = [enemy for enemy in enemies if far(enemy) <= RANGE[kind]]
        if targets:
            weakest = min(targets, key=lambda enemy: enemy[3])
            print("FIRE", *weakest[2])
            continue
        others = {tank[2] for tank in own if tank[2] != cell}
        order, step = first_step(cell, goals, terrain, others)
        brick = step != cell and terrain[step[0] - 1][step[1] - 1] in "12"
        print(f"FIRE {step[0]} {step[1]}" if brick else order)
        goals.discard(step)
    sys.stdout.flush()
