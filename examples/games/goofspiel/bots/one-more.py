#!/usr/bin/env python3
# leitai: protocol=json-lines
"""Bids one more than the prize, and its lowest card for the highest prize: beats who bids the prize itself."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        cards = sorted(int(card) for card in message["legal"])
        prize = message["view"]["prizes"][-1]
        higher = [card for card in cards if card > prize]
        print(json.dumps({"action": str(min(higher or cards))}), flush=True)
