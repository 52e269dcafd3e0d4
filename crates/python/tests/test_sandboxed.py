"""Programs of anybody as opponents: built, judged and sandboxed by `leitai`."""

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import leitai
from leitai import Pool, Program, SandboxedProgram
from leitai.gym import Env, VectorEnv
from leitai.program import ProgramError

ROOT = Path(__file__).parents[3]
FIRST_LEGAL = str(ROOT / "docs/examples/first_legal.py")
SHORT = {"tankcraft": {"rounds": 6}, "snakego": {"max_round": 12}}
#: On a busy machine they must not lose by time.
PATIENT = {"limit": 120.0}


def play(env, seed, steps=40):
    """The learner takes its last legal action; what came of it, step by step."""
    seen, _ = env.reset(seed=seed)
    told = []
    for _ in range(steps):
        mask = seen["action_mask"]
        said = mask.shape[-1] - 1 - mask[..., ::-1].argmax(-1)
        seen, reward, ended, cut, info = env.step(said)
        told.append((env.leg.hash(), env.leg.scores, reward, ended, cut, info))
        if ended or cut:
            break
    return told


@pytest.mark.parametrize("game", ["snakego", "kob", "tankcraft"])
def test_it_plays_what_it_plays_without_a_sandbox(game):
    """On both seats; the second leg by the same processes, and one that goes on in a copy in the middle."""
    for seat in ("first", "second"):
        env = Env(game, SandboxedProgram(FIRST_LEGAL, **PATIENT), seat=seat, config=SHORT.get(game))
        free = Env(game, Program([sys.executable, FIRST_LEGAL]), seat=seat, config=SHORT.get(game))
        for seed in (1, 2):
            told = play(env, seed)
            assert told and told == play(free, seed)
            assert "fault" not in told[-1][-1]
        for one in (env, free):
            one.close()
    env = Env(game, SandboxedProgram(FIRST_LEGAL, **PATIENT), config=SHORT.get(game))
    seen, _ = env.reset(seed=3)
    env.step(seen["action_mask"].argmax(-1))
    with pickle.loads(pickle.dumps(env._player)) as other:
        if 1 in env.leg.seats:
            assert other.choose(env.leg, 1) == env._player.choose(env.leg, 1)
    env.close()


PROGRAM = """# leitai: protocol=json-lines
import json, sys, time
turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        turns += 1
        {}
        print(json.dumps({{"action": message["legal"][-1]}}), flush=True)
"""


@pytest.mark.parametrize(
    ("game", "does", "code", "part", "round"),
    [
        ("kob", "sys.exit(3)", "RE", "exit", 1),
        ("kob", "print('up', flush=True)", "PE", "up", 1),
        ("kob", "print(json.dumps({'action': 'up'}), flush=True)", "PE", "up", 1),
        ("snakego", "print(json.dumps({'action': '6'}), flush=True)", "IA", "", 1),
        ("kob", "if turns == 2: time.sleep(60)", "TLE", "200 ms", 2),
    ],
)
def test_what_it_does_wrong_loses_the_leg_and_is_told(game, does, code, part, round, tmp_path):
    (tmp_path / "bot.py").write_text(PROGRAM.format(does))
    with SandboxedProgram(tmp_path / "bot.py", limit=0.2 if code == "TLE" else 120.0) as bot:
        env = Env(game, bot)
        env.reset(seed=1)
        for number in range(1, round + 1):
            said = leitai.kob.bot("space").choose(env.leg, 0) if game == "kob" else env.leg.legal_actions()[0]
            _, reward, ended, cut, info = env.step(said)
            assert ended == (number == round), info
        assert (reward, cut, info["winner"]) == (1, False, 0)
        assert info["fault"]["code"] == code and part in info["fault"]["what"], info
        assert info["fault"]["round"] == round
        env.close()


def test_many_at_once_with_a_protocol_of_the_game_and_a_build(tmp_path):
    """A program in C++ beside built-in bots, in a pool: environment i of a batch is an environment."""
    bot = SandboxedProgram(f"botzone:{ROOT / 'docs/examples/botzone.cpp'}", **PATIENT)
    pool = Pool([("random", 1), (bot, 1)])
    together = VectorEnv("kob", 3, pool, autoreset_mode="Disabled")
    alone = [Env("kob", pool) for _ in range(3)]
    seen, info = together.reset(seed=5)
    for lane, env in enumerate(alone):
        assert env.reset(seed=5 + lane)[1]["opponent"] == info["opponent"][lane]
    assert {0, 1} == set(info["opponent"])
    said = seen["action_mask"].argmax(-1)
    _, rewards, ended, _, _ = together.step(said)
    for lane, env in enumerate(alone):
        _, reward, over, _, _ = env.step(said[lane])
        assert (rewards[lane], ended[lane], together.hashes()[lane]) == (reward, over, env.leg.hash())
        env.close()
    together.close()
    (tmp_path / "bot.py").write_text(PROGRAM.format("sys.exit(3)"))
    with_faults = VectorEnv("kob", 2, SandboxedProgram(tmp_path / "bot.py", **PATIENT))
    with_faults.reset(seed=1)
    _, rewards, ended, _, info = with_faults.step(np.zeros(2, np.int64))
    assert ended.all() and (rewards == 1).all() and info["_fault"].all() and info["fault"][1]["code"] == "RE"
    with_faults.close()


def test_two_of_them_play_a_tournament(tmp_path):
    (tmp_path / "bot.py").write_text(PROGRAM.format("sys.exit(3)"))
    players = {"good": SandboxedProgram(FIRST_LEGAL, **PATIENT), "bad": SandboxedProgram(tmp_path / "bot.py", **PATIENT)}
    result = leitai.tournament("kob", players)
    row = {row.name: row for row in result.standings}
    assert row["good"].games["wins"] == 2 and row["bad"].faults == 2
    assert "exit" in (result.pairs[0].legs[0].fault or "")


def test_what_cannot_play_is_told_at_once(tmp_path, monkeypatch):
    (tmp_path / "bot.cpp").write_text("int main( {")
    for program, part in [(tmp_path / "bot.cpp", "bot.cpp"), (tmp_path / "none.py", "none.py")]:
        with pytest.raises(ProgramError, match=part):
            Env("kob", SandboxedProgram(program))
    for program, more, error in [
        ("", {}, TypeError), (7, {}, TypeError), ("x\0", {}, TypeError), ("x", {"isolation": "jail"}, ValueError), ("x", {"limit": -1}, ValueError)
    ]:
        with pytest.raises(error):
            SandboxedProgram(program, **more)
    with pytest.raises(ValueError, match="record=True"):
        SandboxedProgram(FIRST_LEGAL).start(leitai.kob.start(seed=1), 0)
    with pytest.raises(TypeError, match="leitai rate"):
        leitai.evaluate(SandboxedProgram(FIRST_LEGAL), "kob")
    monkeypatch.setenv("LEITAI_BIN", str(tmp_path / "nowhere"))
    with pytest.raises(ProgramError, match="LEITAI_BIN"):
        Env("kob", SandboxedProgram(FIRST_LEGAL))
