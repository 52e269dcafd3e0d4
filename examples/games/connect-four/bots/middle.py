#!/usr/bin/env python3
# leitai: protocol=json-lines
"""Plays the legal column that is nearest to the middle."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        action = min(message["legal"], key=lambda column: abs(int(column) - 4))
        print(json.dumps({"action": action}), flush=True)
