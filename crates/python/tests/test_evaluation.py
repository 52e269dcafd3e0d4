"""Ratings of policies."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import leitai

ROOT = Path(__file__).parents[3]
FEW = {"precision": 1000, "max_pairs": 20}


class Seated:
    """A built-in bot as a policy: it sees positions and not the judge."""

    def __init__(self, game, name):
        self.game, self.name = leitai.Game(game), name

    def start_leg(self, seed):
        self.bot = self.game.bot(self.name, seed)

    def choose(self, leg, seat):
        return self.bot.choose(leg, seat)


def first_legal(observation, leg):
    return int(np.flatnonzero(observation["action_mask"])[0])


def first_legal_of_each(observations, legs):
    assert len(observations["action_mask"]) == len(legs)
    sizes.append(len(legs))
    return observations["action_mask"].argmax(axis=1)


sizes = []


@pytest.mark.parametrize("game, bot", [("kob", "safe"), ("snakego", "greedy"), ("tankcraft", None)])
def test_a_policy_has_the_rating_of_the_same_bot(game, bot, leitai_command):
    """The number of `leitai rate`, with a bot that uses chance."""
    bot = bot or leitai.tankcraft.bots()[1][0]
    few = {"precision": 1000, "max_pairs": 6 if game == "kob" else 2, "seed": 3}
    policy = leitai.evaluate(Seated(game, bot), game, explain=0, **few)
    # It "fails" because so few pairs are imprecise.
    told = json.loads(leitai_command("rate", game, bot, "--precision", 1000, "--max", few["max_pairs"], "--seed", 3, "--json", fails=True))
    for same in ("rating", "rating_interval", "status", "pairs", "levels", "distinct_games", "scale", "seed"):
        assert policy.data[same] == told[same], same
    assert leitai.evaluate(bot, game, **few).data["levels"] == told["levels"]


def test_seats_levels_and_ends_tell_the_same_legs():
    result = leitai.evaluate(first_legal, "kob", explain=2, name="first", **FEW)
    seats, levels = result.by_seat.values(), [level.record for level in result.levels]
    for part in ("wins", "draws", "losses", "points"):
        assert sum(getattr(one, part) for one in seats) == sum(getattr(one, part) for one in levels)
    assert sum(result.ends.values()) == sum(one.losses for one in seats) > 0
    assert sum(one.games for one in seats) == 2 * result.pairs
    assert result.ways and result.ways[0]["examples"]
    assert result.interval[0] < result.rating < result.interval[1]
    assert all(word in str(result) for word in ("first: ", "first seat: ", "lost in the ", result.scale))


def test_batches_and_threads_change_nothing():
    alone = leitai.evaluate(first_legal, "kob", explain=0, jobs=1, **FEW)
    sizes.clear()
    assert leitai.evaluate(first_legal_of_each, "kob", explain=0, batch=8, **FEW) == alone
    assert 1 < max(sizes) <= 8
    assert leitai.evaluate(leitai.Policy(first_legal_of_each, batch=True), "kob", explain=0, **FEW) == alone


def test_it_stops_at_the_precision_and_tells_how_far_it_is():
    seen = []
    result = leitai.evaluate(Seated("kob", "safe"), "kob", precision=150, explain=0, notify=lambda *now: seen.append(now))
    reach = (result.interval[1] - result.interval[0]) / 2
    assert (result.is_precise and reach <= 150) or result.status in ("depends-on-opponent", "no-new-games")
    assert 20 <= result.pairs <= 500 and seen == sorted(seen) and seen[-1][0] <= result.pairs


def test_a_policy_that_fails_is_no_result():
    def refused(error, match, policy, game="kob", **more):
        with pytest.raises(error, match=match):
            leitai.evaluate(policy, game, **{**FEW, **more})

    refused(leitai.PlayerError, "failed in round 1: ZeroDivisionError", lambda seen, leg: 1 / 0)
    refused(ValueError, r"\[9\]", lambda seen, leg: 9)
    refused(leitai.PlayerError, "failed in round 1: ", lambda seen: 0)
    refused(TypeError, "an action is a number", lambda seen, leg: "up")
    refused(KeyboardInterrupt, "at once", interrupt)
    refused(TypeError, "None is no policy", None)
    refused(TypeError, "True is no policy", True)
    refused(ValueError, 'kob has no bot "level99"', 99)
    refused(TypeError, "several opponents", leitai.Pool({"safe": 1}))
    refused(TypeError, "is a program; rate it with `leitai rate kob PATH`", [sys.executable, "bot.py"])
    refused(ValueError, 'kob has no bot "spice"; it has', "spice")
    refused(ValueError, 'there is no game "chess"', first_legal, game="chess")
    refused(ValueError, "precision is 0", first_legal, precision=0)
    refused(ValueError, "max_pairs is 0", first_legal, max_pairs=0)
    refused(ValueError, "batch is -1", first_legal, batch=-1)
    refused(ValueError, "jobs is 0; 1 to 256", first_legal, jobs=0)


def interrupt(observation, leg):
    raise KeyboardInterrupt("at once")


def test_an_illegal_action_loses_as_the_rules_say():
    def wild(observation, leg):
        return int(np.flatnonzero(observation["action_mask"] == 0)[-1]) if leg.round > 1 else first_legal(observation, leg)

    result = leitai.evaluate(wild, "snakego", precision=1000, max_pairs=2, explain=0)
    assert sum(one.wins for one in result.by_seat.values()) == 0 and result.data["faults"]
