"""A policy plays as a program."""

import io
import json
import sys

import numpy as np
import pytest

import leitai
from leitai import Replay, kob, serve_policy

BOT = """#!/usr/bin/env python3
# leitai: protocol=json-lines
import leitai, numpy as np

def choose(observation, leg):
    print("a word for the log")
    said = [int(np.flatnonzero(one)[-1]) for one in np.atleast_2d(observation["action_mask"])]
    return said if len(said) > 1 else said[0]

leitai.serve_policy(choose)
"""


@pytest.mark.parametrize("game, opponent, config", [
    ("snakego", "greedy", []),
    ("kob", "safe", []),
    ("tankcraft", "random", ["--config", "rounds=20"]),
])
def test_a_policy_plays_a_match(game, opponent, config, tmp_path, leitai_command):
    bot, file = tmp_path / "my_policy.py", tmp_path / "match.json"
    bot.write_text(BOT)
    leitai_command("match", game, bot, opponent, "--seed", 3, "--replay", file, *config)
    replay = Replay.load(file)
    assert replay.data["status"] == "complete" and replay.legs == 2
    for number, leg in enumerate(replay.data["legs"]):
        assert not any(leg["outcome"].get("faults", [])), leg["outcome"]
        assert any("a word for the log" in log["text"] for log in leg["logs"])
        mine = number % 2
        arrays = replay.arrays(number)
        for action, mask, seat in zip(arrays["action"], arrays["action_mask"], arrays["seat"]):
            if seat == mine:
                lasts = [np.flatnonzero(part)[-1] for part in np.atleast_2d(mask)]
                assert np.atleast_1d(action).tolist() == lasts


def test_the_leg_can_be_looked_ahead_in_and_the_end_ends_it():
    start = kob.start(2)
    seen = []

    def choose(observation, leg):
        ahead = leg.clone()
        ahead.step(1, 1)
        seen.append((leg == start, ahead.round, observation["action_mask"].tolist()))
        return 2

    lines = [start.message("start", 1), start.message("turn", 1), start.message("end", 1), b"never read"]
    answers, before = io.BytesIO(), sys.stdout
    serve_policy(choose, stdin=io.BytesIO(b"".join(lines)), stdout=answers)
    assert json.loads(answers.getvalue()) == {"action": "0"}, "the second seat's down is the board's up"
    assert seen == [(True, 2, [1, 1, 1, 1])] and sys.stdout is before


def test_stdout_comes_back_after_an_error():
    def choose(observation, leg):
        raise KeyError("broken")

    start, before = kob.start(2), sys.stdout
    lines = start.message("start", 0) + start.message("turn", 0)
    with pytest.raises(KeyError):
        serve_policy(choose, stdin=io.BytesIO(lines), stdout=io.BytesIO())
    assert sys.stdout is before
    assert leitai.Program("x y 'z a'").command == ["x", "y", "z a"]
