"""Rolls until the turn is worth 20 points, or wins."""
import json
import sys


def say(word):
    sys.stdout.buffer.write(len(word).to_bytes(4, "big") + word)
    sys.stdout.buffer.flush()


for line in sys.stdin:
    now = json.loads(line)
    me = now["you"]
    if now["player"] == me:
        say(b"hold" if now["turn"] >= min(20, 50 - now["points"][me]) else b"roll")
