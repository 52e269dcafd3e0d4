"""A Pig bot to begin with: it holds as soon as the turn is worth ten points."""
import json
import sys


def say(word):
    """Four bytes with the length, then the word."""
    sys.stdout.buffer.write(len(word).to_bytes(4, "big") + word)
    sys.stdout.buffer.flush()


for line in sys.stdin:
    now = json.loads(line)  # you, player (whose turn it is), turn (its points so far), points of both
    if now["player"] == now["you"]:
        say(b"hold" if now["turn"] >= 10 else b"roll")
