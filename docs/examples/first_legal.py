#!/usr/bin/env python3
# leitai: protocol=json-lines
# A bot for any game of Leitai: it says the first legal action. Start here.
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        seat = message["seat"]  # "first" or "second"; message["setup"] holds what is known before the game
    elif message["type"] == "turn":
        print(json.dumps({"action": message["legal"][0]}), flush=True)  # message["view"] is the position
    elif message["type"] == "end":
        print("I had a", message["you"], file=sys.stderr)  # stderr is the bot's own log, kept in the replay
