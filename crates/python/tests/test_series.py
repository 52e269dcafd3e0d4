"""Comparisons of built-in bots, and tournaments."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import leitai

ROOT = Path(__file__).parents[3]


def test_the_stronger_bot_is_accepted():
    result = leitai.compare("kob", "space", "random", seed=7)
    assert result["decision"] == "accepted"
    assert result["entrants"] == ["space", "random"]
    assert result["elo_interval"][0] > 0


def test_a_comparison_continues_from_its_folder(tmp_path):
    asked = {"elo0": -1.0, "elo1": 1.0, "max_pairs": 4, "folder": tmp_path}
    first = leitai.compare("kob", "safe", "safe", **asked)
    journal = (tmp_path / "journal.jsonl").read_text()
    assert first["decision"] == "undecided"
    assert leitai.compare("kob", "safe", "safe", **asked) == first
    assert (tmp_path / "journal.jsonl").read_text() == journal


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ValueError, match="is no built-in bot of kob"):
        leitai.compare("kob", "space", "./bot.py")
    with pytest.raises(ValueError, match="there is no game"):
        leitai.compare("chess", "space", "safe")
    with pytest.raises(ValueError, match="elo1"):
        leitai.compare("kob", "space", "safe", elo0=5.0, elo1=0.0)


def record_of(leg, pair):
    """A leg as the journal of `leitai compare` tells it; A is the pair's first player."""
    winner = None if leg.winner is None else "AB"[pair.players.index(leg.winner)]
    return {"winner": winner, "scores": list(leg.scores), "reason": leg.reason}


@pytest.mark.parametrize("game, bots", [("kob", ("safe", "random")), ("snakego", ("greedy", "random")), ("tankcraft", None)])
def test_a_tournament_plays_the_games_of_compare(tmp_path, game, bots):
    """Leg by leg, with bots that use chance."""
    bots = bots or tuple(name for name, _ in leitai.tankcraft.bots()[:2])
    leitai.compare(game, *bots, elo0=-0.5, elo1=0.5, max_pairs=4, seed=5, folder=tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()[1:]]
    expected = {line["number"]: line["game"] for line in lines}
    played = leitai.tournament(game, bots, rounds=4, seed=5).pairs
    assert len(expected) == 4
    for number, game in expected.items():
        pair = played[number]
        assert (list(pair.players), pair.seed) == (game["pair"], game["seed"])
        # The journal also has what tells a copy of a game.
        assert all(len(leg.pop("fingerprint")) == 16 for leg in game["legs"])
        assert [record_of(leg, pair) for leg in pair.legs] == game["legs"]


def first_legal(observation, leg):
    return int(np.flatnonzero(observation["action_mask"])[0])


class Drawn:
    """A policy whose chance comes from the leg's seed."""

    def start_leg(self, seed):
        self.random = np.random.default_rng(seed)

    def __call__(self, observation, leg):
        return self.random.choice(np.flatnonzero(observation["action_mask"]))


def test_policies_bots_and_programs_meet_and_are_rated():
    program = [sys.executable, str(ROOT / "docs/examples/first_legal.py")]
    players = {"space": "space", "drawn": Drawn(), "first": first_legal, "program": program, "again": "space"}
    seen = []
    result = leitai.tournament("kob", players, rounds=2, seed=3, notify=lambda pair, done, of: seen.append((done, of)))
    assert seen == [(done, 20) for done in range(1, 21)]
    assert not result.void and [pair.number for pair in result.pairs] == list(range(20))
    assert result == leitai.tournament("kob", players, rounds=2, seed=3)
    assert {row.name for row in result.standings[:2]} == {"space", "again"}
    assert sum(row.points for row in result.standings) == 2 * len(result.pairs)
    assert abs(sum(row.elo for row in result.standings)) < 1e-6
    best = result.standings[0]
    assert best.elo_interval[0] < best.elo < best.elo_interval[1] and best.places[0] == 1
    # The policy and the program have one mind, and play alike on the first seat; on the second the policy sees a turned board.
    policy, program = ([pair for pair in result.pairs if set(pair.players) == {0, place}] for place in (2, 3))
    assert [pair.legs[0].hash for pair in policy if pair.players[0]] == [pair.legs[0].hash for pair in program if pair.players[0]]
    assert [pair.legs[1].hash for pair in policy if not pair.players[0]] == [pair.legs[1].hash for pair in program if not pair.players[0]]
    met = result.crosstable["space"]["drawn"]
    assert sum(met["pairs"]) == 2 and met["los"] > 0.5
    assert "points" in str(result) and "again" in str(result) and "Elo/leg" in str(result)


def test_elo_is_per_leg_unless_per_match_is_asked():
    players = {"space": "space", "random": "random", "safe": "safe"}
    legs, matches = (leitai.tournament("kob", players, rounds=6, seed=3, elo_per=unit) for unit in ("leg", "match"))
    assert legs == leitai.tournament("kob", players, rounds=6, seed=3)
    assert [pair.legs for pair in legs.pairs] == [pair.legs for pair in matches.pairs]
    by_name = [{row.name: row for row in of.standings} for of in (legs, matches)]
    assert all(by_name[0][name].games == by_name[1][name].games for name in players)
    assert any(by_name[0][name].elo != by_name[1][name].elo for name in players)
    assert (legs.elo_per, matches.elo_per) == ("leg", "match") and "Elo/match" in str(matches)


def test_a_program_that_fails_loses_the_leg():
    result = leitai.tournament("kob", {"space": "space", "mute": [sys.executable, "-c", "pass"]})
    (pair,) = result.pairs
    assert [leg.winner for leg in pair.legs] == [0, 0] and {leg.reason for leg in pair.legs} == {"fault"}
    assert "mute" not in pair.legs[0].fault and "closed its output" in pair.legs[0].fault
    assert [row.faults for row in result.standings] == [0, 2]


def test_what_is_no_tournament_is_refused():
    def refused(error, match, *words, **more):
        with pytest.raises(error, match=match):
            leitai.tournament(*words, **more)

    refused(ValueError, "from 2 to 256 players, not 1", "kob", ["space"])
    refused(ValueError, "a name stands twice", "kob", ["space", "space"])
    refused(ValueError, "kob has no bot \"spice\"; it has", "kob", ["spice", "space"])
    refused(ValueError, "0 rounds of 2 players are 0 pairs", "kob", ["safe", "space"], rounds=0)
    refused(ValueError, 'elo_per="game"', "kob", ["safe", "space"], elo_per="game")
    refused(TypeError, "7 is no player", "kob", {"a": 7, "b": "space"})
    refused(leitai.PlayerError, "bad failed in round 1: ZeroDivisionError", "kob", {"bad": lambda seen, leg: 1 / 0, "b": "space"})
    refused(leitai.PlayerError, "bad or b gave no action", "kob", {"bad": lambda seen, leg: 9, "b": "space"})
