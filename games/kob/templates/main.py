#!/usr/bin/env python3
# leitai: protocol=json-lines
# A King of Bots bot to begin with: it goes where the most free cells can be reached.
from leitai_kob import play, value


def choose(state):
    room = {direction: state.reach(state.after(direction)) for direction in state.legal}
    best = max(room, key=room.get)
    value(room=room[best])  # plotted on the viewer of your matches
    return best


play(choose)
