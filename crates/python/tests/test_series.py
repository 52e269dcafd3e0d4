"""Comparisons of built-in bots."""

import pytest

import leitai


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
