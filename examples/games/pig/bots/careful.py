"""Holds after eight points, and goes on only when the opponent is about to win."""
import json
import sys


def say(word):
    sys.stdout.buffer.write(len(word).to_bytes(4, "big") + word)
    sys.stdout.buffer.flush()


for line in sys.stdin:
    now = json.loads(line)
    me = now["you"]
    if now["player"] == me:
        enough = 8 if now["points"][1 - me] < 40 else 50 - now["points"][me]
        say(b"hold" if now["turn"] >= enough else b"roll")
