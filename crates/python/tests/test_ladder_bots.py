"""Opponents from a ladder, with a real arena: an author agrees, a learner trains against the bot, the author takes it back."""

import http.cookiejar
import json
import re
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

import leitai
from leitai.gym import Env, VectorEnv
from leitai.program import ProgramError
from leitai.sandboxed import find_command

ROOT = Path(__file__).parents[3]
PATIENCE = 300


#: The command where the system makes no namespaces.
WEAK = """#!/bin/sh
drop="setpriv --inh-caps=-all --ambient-caps=-all"
exec unshare --user --map-user=1000 --keep-caps sh -c "echo 0 >/proc/sys/user/max_user_namespaces && exec $drop {} \\"\\$@\\"" sh "$@"
"""


class Visitor:
    """Somebody with a browser's session."""

    def __init__(self, arena, name, **more):
        self.arena, self.csrf = arena, ""
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.csrf = self.ask("/api/register", {"name": name, "password": "correct horse battery", **more})["csrf"]
        self.token = self.ask("/api/me/tokens", {"name": "test"})["token"]

    def ask(self, path, body=None, method=None):
        headers = {"content-type": "application/json", "x-leitai-csrf": self.csrf}
        data = None if body is None else json.dumps(body).encode()
        with self.opener.open(urllib.request.Request(self.arena + path, data, headers, method=method), timeout=PATIENCE) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arena")
    words = [find_command(), "serve", "--listen", "127.0.0.1:0", "--data", str(folder), "--lang", "en", "--ladder-every", "never"]
    with open(folder / "log", "w") as log, subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True) as server:
        address = secret = None
        assert server.stdout is not None
        for line in server.stdout:
            address = address or re.search(r"http://[^\s/]+", line)
            secret = secret or re.search(r"#secret=(\S+)", line)
            if address and secret:
                break
        assert address and secret, (folder / "log").read_text()
        Visitor(address[0], "root", secret=secret[1])
        yield address[0]
        server.terminate()


def test_a_bot_of_a_ladder_is_an_opponent_while_its_author_agrees(arena, tmp_path, monkeypatch):
    ada, bob = Visitor(arena, "ada"), Visitor(arena, "bob")
    bot = ada.ask("/api/bots", {"game": "kob", "name": "hydra"})["id"]
    source = (ROOT / "docs/examples/first_legal.py").read_text()
    ada.ask(f"/api/bots/{bot}/versions", {"file_name": "first_legal.py", "code": source})
    end = time.monotonic() + PATIENCE
    while ada.ask(f"/api/bots/{bot}")["active"] != 1:
        assert time.monotonic() < end, ada.ask(f"/api/bots/{bot}")
        time.sleep(0.1)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LEITAI_SERVER", arena)
    monkeypatch.delenv("LEITAI_TOKEN", raising=False)
    ladder, one = f"ladder:{arena}/kob", f"ladder:{arena}/kob/ada/hydra"
    agree = lambda said: ada.ask(f"/api/bots/{bot}", {"fetchable": said}, "PATCH")  # noqa: E731
    with pytest.raises(ValueError, match="no bot that can be fetched"):
        Env("kob", ladder)
    agree(True)
    with pytest.raises(ProgramError, match="log in|login"):
        Env("kob", one)
    # A token of this arena goes to no other one.
    monkeypatch.setenv("LEITAI_TOKEN", bob.token)
    monkeypatch.setenv("LEITAI_SERVER", "http://localhost:1")
    with pytest.raises(ProgramError, match="log in|login"):
        Env("kob", one)
    monkeypatch.setenv("LEITAI_SERVER", arena)

    pool = leitai.ladder(f"{arena}/kob", "kob", limit=120.0)
    (hydra,) = pool.members
    assert (hydra.name, hydra.version, hydra.program) == ("ada/hydra", 1, one)
    value, low, high = hydra.rating
    assert low < value < high
    with pytest.raises(ValueError, match="a rating from 1 to 2"):
        leitai.ladder(f"{arena}/kob", "kob", between=(1, 2))
    kept = list(tmp_path.glob("leitai/opponents/*/*.py"))
    assert [path.read_text() for path in kept] == [source]
    local = leitai.SandboxedProgram(ROOT / "docs/examples/first_legal.py", limit=120.0)
    for make in (lambda who: Env("kob", who), lambda who: Env("kob", who, seat="second")):
        envs = [make(who) for who in (pool, local)]
        for _ in range(2):
            starts = [env.reset(seed=9)[0] for env in envs]
            assert (starts[0]["observation"] == starts[1]["observation"]).all()
            ends = [env.step(int(starts[0]["action_mask"].argmax())) for env in envs]
            assert (ends[0][0]["observation"] == ends[1][0]["observation"]).all() and ends[0][1:4] == ends[1][1:4]
        for env in envs:
            env.close()
    # A machine without namespaces offers isolation C at best: not enough for a stranger's program, unless somebody says so.
    weak = tmp_path / "weak"
    weak.write_text(WEAK.format(find_command()))
    weak.chmod(0o755)
    with monkeypatch.context() as there:
        there.setenv("LEITAI_BIN", str(weak))
        with pytest.raises(ProgramError, match="need isolation A or B"):
            Env("kob", one)
        Env("kob", leitai.LadderBot(one, isolation="c", limit=120.0)).close()
    many = VectorEnv("kob", 2, ladder)
    many.reset(seed=1)
    agree(False)
    many.step([0, 0])  # What was fetched goes on.
    many.close()
    with pytest.raises(ProgramError, match="cannot be fetched"):
        Env("kob", one)
