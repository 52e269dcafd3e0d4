#!/usr/bin/env python3
# leitai: protocol=json-lines
# A TankCraft bot to begin with: every tank shoots the weakest enemy in range, or goes to a mine that is not ours.
from leitai_tankcraft import fire, in_range, mark, play


def order(state, tank):
    targets = [enemy for enemy in state.enemies if in_range(tank, enemy)]
    if targets:
        weakest = min(targets, key=lambda enemy: enemy.life)
        mark(weakest.cell, tone="bad")  # drawn on the viewer of your matches
        return fire(weakest.cell)
    return state.towards(tank, [mine.cell for mine in state.mines if mine.owner != state.me])


play(["Striker", "Striker", "Pioneer", "Pioneer", "Sniper"], order)
