#!/usr/bin/env python3
# leitai: protocol=json-lines
"""A Goofspiel bot to begin with: it bids the prize itself, or the nearest card that it has."""
import json
import sys


def choose(view, cards):
    prize = view["prizes"][-1]  # the one that is bid for
    return min(cards, key=lambda card: abs(card - prize))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        card = choose(message["view"], [int(card) for card in message["legal"]])
        print(json.dumps({"action": str(card)}), flush=True)
