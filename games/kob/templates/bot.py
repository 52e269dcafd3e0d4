#!/usr/bin/env python3
# A King of Bots bot to begin with: it goes where the most free cells can be reached.
# Each round it reads one line, MAP#my row#my column#(my steps)#your row#your column#(your steps), and prints one
# digit: 0 up, 1 right, 2 down, 3 left. What goes to stderr is your own log, shown beside the replay.
from collections import deque

ROWS, COLUMNS = 13, 14
STEPS = [(-1, 0), (0, 1), (1, 0), (0, -1)]


def grows(step):
    return step <= 10 or step % 3 == 1


def body(row, column, steps):
    """The cells of a snake from tail to head."""
    cells = deque([(row, column)])
    for number, step in enumerate(steps, start=1):
        row, column = row + STEPS[step][0], column + STEPS[step][1]
        cells.append((row, column))
        if not grows(number):
            cells.popleft()
    return cells


def reach(start, blocked):
    seen, queue = {start}, deque([start])
    while queue:
        row, column = queue.popleft()
        for down, right in STEPS:
            cell = (row + down, column + right)
            if cell not in blocked and cell not in seen:
                seen.add(cell)
                queue.append(cell)
    return len(seen)


def choose(line):
    cells, my_row, my_column, mine, your_row, your_column, yours = line.split("#")
    mine, yours = ([int(digit) for digit in steps.strip("()")] for steps in (mine, yours))
    me, you = body(int(my_row), int(my_column), mine), body(int(your_row), int(your_column), yours)
    blocked = {(at // COLUMNS, at % COLUMNS) for at, cell in enumerate(cells) if cell == "1"}
    blocked |= {(row, column) for row in (-1, ROWS) for column in range(COLUMNS)}
    blocked |= {(row, column) for row in range(ROWS) for column in (-1, COLUMNS)}
    blocked |= set(me) | set(you)
    row, column = me[-1]

    def worth(direction):
        cell = (row + STEPS[direction][0], column + STEPS[direction][1])
        return 0 if cell in blocked else reach(cell, blocked)

    return max(range(4), key=worth)


while True:
    try:
        print(choose(input()), flush=True)
    except EOFError:
        break
