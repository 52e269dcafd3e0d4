#!/usr/bin/env python3
"""The rules of the example games once more, in another language and with nothing of theirs: it records the legs in
golden/, with which `leitai game check` compares the games. Run it to write them anew."""
import json
import pathlib

MASK = (1 << 64) - 1
HERE = pathlib.Path(__file__).parent


class Chance:
    """splitmix64, as the header for C++ has it."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, count):
        spare = (1 << 64) % count
        while True:
            drawn = self.next()
            if drawn >= spare:
                return drawn % count


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value


def fold(value):
    sixteen = (value ^ value >> 16 ^ value >> 32 ^ value >> 48) & 0xFFFF
    return (sixteen ^ sixteen >> 8) & 0xFF


def leg(states, replies, outcome):
    hashes = [fnv1a(text) for text in states]
    return {
        "replies": " ".join(replies),
        "hashes": "".join(f"{fold(value):02x}" for value in hashes),
        "final_hash": f"{hashes[-1]:016x}",
        "outcome": outcome,
    }


SEATS = ("first", "second")


def by_fault(seat, code, scores):
    names = {"IA": "illegal", "TLE": "timeout", "RE": "crashed"}
    return {
        "winner": SEATS[1 - seat],
        "scores": scores,
        "reason": "fault",
        "faults": [names[code] if s == seat else None for s in (0, 1)],
        "scope": "leg",
    }


# Goofspiel ----------------------------------------------------------------------------------------


def goofspiel_setup(cards, seed):
    chance, prizes = Chance(seed), list(range(1, cards + 1))
    for i in range(cards - 1, 0, -1):
        j = chance.below(i + 1)
        prizes[i], prizes[j] = prizes[j], prizes[i]
    return {"prizes": prizes}


def goofspiel_leg(prizes, choose, fault=None):
    """`choose(seat, turn, hand)` gives a card; `fault` is (turn, seat, code)."""
    hands = [set(range(1, len(prizes) + 1)) for _ in SEATS]
    points, bids, states, replies = [0, 0], [], [], []

    def state(code=None):
        text = f"GOOFSPIEL turn {len(bids)} points {points[0]} {points[1]}\n"
        for number, prize in enumerate(prizes):
            pair = f" {bids[number][0]} {bids[number][1]}" if number < len(bids) else ""
            text += f"{prize}{pair}\n"
        return text + (code or "")

    for turn, prize in enumerate(prizes):
        said = [choose(seat, turn, hands[seat]) for seat in (0, 1)]
        if fault and fault[0] == turn:
            _, seat, code = fault
            codes = [code if s == seat else "-" for s in (0, 1)]
            # An illegal bid is a card that was spent.
            words = [str(said[s]) for s in (0, 1)]
            words[seat] = str(bids[-1][seat]) if code == "IA" else f"!{code}"
            replies.append("/".join(words))
            states.append(state(f"fault {codes[0]} {codes[1]}\n"))
            return leg(states, replies, by_fault(seat, code, list(points)))
        for seat in (0, 1):
            hands[seat].remove(said[seat])
        bids.append(said)
        if said[0] != said[1]:
            points[said[0] < said[1]] += prize
        replies.append(f"{said[0]}/{said[1]}")
        states.append(state())
    winner = None if points[0] == points[1] else SEATS[points[0] < points[1]]
    reason = "points" if winner else "equal-points"
    return leg(states, replies, {"winner": winner, "scores": points, "reason": reason, "scope": "leg"})


def goofspiel_golden():
    for number, (cards, seed, fault) in enumerate(
        [(13, 1, None), (13, 2, None), (5, 3, None), (3, 4, None), (13, 5, (6, 0, "IA")), (9, 6, (3, 1, "TLE"))]
    ):
        setup, chance = goofspiel_setup(cards, seed), Chance(1000 + seed)

        def at_random(_seat, _turn, hand):
            return sorted(hand)[chance.below(len(hand))]

        def like_prize(seat, turn, hand):
            return setup["prizes"][turn] if seat == 0 else at_random(seat, turn, hand)

        legs = [goofspiel_leg(setup["prizes"], how, fault) for how in (at_random, like_prize)]
        yield number, "goofspiel", {"cards": cards}, seed, setup, legs


# Connect Four -------------------------------------------------------------------------------------

LINES = [
    [(x + n * dx, y + n * dy) for n in range(4)]
    for x in range(7)
    for y in range(6)
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    if 0 <= x + 3 * dx < 7 and 0 <= y + 3 * dy < 6
]


def connect_four_leg(chance, fault=None):
    """Random columns; with `fault` = (move, code) the player of that move errs."""
    cells, states, replies = {}, [], []

    def state(moves, seat, code="-"):
        rows = ["".join(cells.get((x, y), ".") for x in range(7)) for y in reversed(range(6))]
        return f"CONNECT-FOUR moves {moves} seat {SEATS[seat]} fault {code}\n" + "\n".join(rows) + "\n"

    for move in range(42):
        seat = move % 2
        free = [x for x in range(7) if (x, 5) not in cells]
        full = [x for x in range(7) if x not in free]
        if fault and move >= fault[0] and (fault[1] != "IA" or full):
            said = str(full[0] + 1) if fault[1] == "IA" else f"!{fault[1]}"
            replies.append(f"{said}")
            states.append(state(move, seat, fault[1]))
            return leg(states, replies, by_fault(seat, fault[1], [0, 0]))
        x = free[chance.below(len(free))]
        y = next(y for y in range(6) if (x, y) not in cells)
        cells[x, y] = "XO"[seat]
        replies.append(str(x + 1))
        if any(all(cells.get(cell) == "XO"[seat] for cell in line) for line in LINES):
            states.append(state(move + 1, seat))
            scores = [int(s == seat) for s in (0, 1)]
            return leg(states, replies, {"winner": SEATS[seat], "scores": scores, "reason": "four", "scope": "leg"})
        states.append(state(move + 1, 1 - seat))
    return leg(states, replies, {"winner": None, "scores": [0, 0], "reason": "full", "scope": "leg"})


def full_board(seed):
    """A seed from this one on whose random leg has no winner."""
    while connect_four_leg(Chance(seed))["outcome"]["winner"]:
        seed += 1
    return seed


def connect_four_golden():
    for number, (seed, fault) in enumerate(
        [(1, None), (2, None), (3, None), (full_board(4), None), (5, (12, "IA")), (6, (3, "RE"))]
    ):
        chance = Chance(seed)
        legs = [connect_four_leg(chance, fault) for _ in (0, 1)]
        yield number, "connect-four", {}, seed, {}, legs


def verdict(legs):
    won = [0, 0]
    for number, played in enumerate(legs):
        if played["outcome"]["winner"]:
            won[SEATS.index(played["outcome"]["winner"]) ^ (number % 2)] += 1
    if won[0] != won[1]:
        return {"winner": "AB"[won[0] < won[1]], "reason": "leg-wins"}
    # By scores: A has the first seat in even legs.
    a = sum(played["outcome"]["scores"][number % 2] for number, played in enumerate(legs))
    b = sum(played["outcome"]["scores"][1 - number % 2] for number, played in enumerate(legs))
    if a != b:
        return {"winner": "AB"[a < b], "reason": "total-score"}
    return {"winner": None, "reason": "equal"}


def main():
    for golden in (goofspiel_golden, connect_four_golden):
        for number, game, config, seed, setup, legs in golden():
            replay = {
                "format": "leitai-replay/2",
                "game": game,
                "rules": f"{game}/1",
                "engine": "independent.py",
                "seed": seed,
                "config": config,
                "setup": setup,
                "entrants": [{"name": name, "kind": "imported"} for name in ("one", "other")],
                "status": "complete",
                "legs": legs,
                "verdict": verdict(legs),
            }
            path = HERE / game / "golden" / f"{number + 1}.json"
            path.write_text(json.dumps(replay) + "\n")


if __name__ == "__main__":
    main()
