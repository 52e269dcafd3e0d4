#!/usr/bin/env python3
# leitai: protocol=json-lines
"""A bot to begin with: it plays the first legal action. guide.md says what the view of your game means."""
import json
import sys


def choose(view, legal, setup):
    """One of the legal actions; `view` is what you see, `setup` what was known before the game, if you may know it."""
    return legal[0]


setup = None
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        setup = message.get("setup")
    elif message["type"] == "turn":
        action = choose(message["view"], message["legal"], setup)
        print(json.dumps({"action": action}), flush=True)
