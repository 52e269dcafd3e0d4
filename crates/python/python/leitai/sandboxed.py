"""A program of anybody as an opponent: any language and protocol that the arena takes, judged and in the sandbox as in a match."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ._leitai import Game, Leg
from .program import ProgramError

#: The variable of the environment that names the command ``leitai``, if it is not beside the package or in the PATH.
COMMAND = "LEITAI_BIN"


#: Before the address of an arena's ladder.
LADDER = "ladder:"


@dataclass(frozen=True)
class Reply:
    """What the judge made of an answer: as a token of a replay, ``"2"`` or ``"!TLE"``."""

    token: str
    #: What the program did wrong, if anything: ``{"round", "code", "what"}``.
    fault: dict[str, Any] | None = None
    #: Why the leg cannot be judged: the machine was too busy.
    void: str | None = None


class SandboxedProgram:
    """Any bot that the arena would take: a source file, a folder, a zip archive or an executable, in any protocol of the game.

    The command ``leitai`` builds and plays it as ``leitai match`` does: in the sandbox, by the judge's clock, with the game's limits.
    What it does wrong is played by the rules of the game, which mostly means that it loses the leg; nothing is raised for it.

    >>> bot = leitai.SandboxedProgram("./bot.cpp")           # doctest: +SKIP
    >>> env = leitai.gym.Env("kob", opponent=bot)            # doctest: +SKIP

    :param program: as in ``leitai match``, also with the name of a protocol before it: ``"saiblo:./bot.py"``
    :param limit: seconds for a turn; ``None``: the game's
    :param isolation: ``"auto"``, ``"a"``, ``"b"``, ``"c"``, ``"none"``, as in ``leitai match``
    """

    _ready: dict[str, Any]
    _process: subprocess.Popen[bytes] | None
    _log: IO[bytes] | None
    _answers: dict[int, Reply]
    _told: int
    _seat: int | None

    def __init__(self, program: str | os.PathLike[str], *, limit: float | None = None, isolation: str = "auto") -> None:
        if not isinstance(program, (str, os.PathLike)) or not os.fspath(program) or "\0" in os.fspath(program):
            raise TypeError(f"{program!r} is no program; the path of a source, a folder, an archive or an executable is")
        if isolation not in ("auto", "a", "b", "c", "none"):
            raise ValueError(f"there is no isolation {isolation!r}; there are auto, a, b, c, none")
        if limit is not None and not 0.001 <= float(limit) <= 3600:
            raise ValueError(f"limit is {limit!r}; seconds from 0.001 to 3600, or None for the game's, are accepted")
        self.program, self.isolation = os.fspath(program), isolation
        self.limit = None if limit is None else float(limit)
        self._checked: str | None = None
        self._forget()

    @property
    def name(self) -> str:
        """What it is called."""
        return self.program

    def another(self) -> SandboxedProgram:
        """The same program with a process of its own."""
        return type(self)(self.program, limit=self.limit, isolation=self.isolation)

    def check(self, game: Game) -> None:
        """Builds it, which is kept for later.

        :raises ProgramError: if it cannot be built, or this machine cannot run it
        """
        if self._checked != game.word:
            with self.another() as one:
                one.prepare(game)
                self._note(one._ready)
            self._checked = game.word

    def prepare(self, game: Game) -> None:
        """Starts what plays it."""
        if self._process is not None:
            return
        limit = [] if self.limit is None else ["--limit", f"{self.limit * 1000:.0f}ms"]
        words = [find_command(), "--lang", "en", "seat", game_word(game), self._word(), "--isolation", self.isolation, *limit]
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        self._note(self._read())

    def start(self, leg: Leg, seat: int) -> None:
        """Begins a recorded leg on this seat, also in the middle of it."""
        replies = _replies(leg)
        self.prepare(Game(leg.game))
        self._answers, self._told, self._seat = {}, len(replies.split()), seat
        self._send({"start": leg.setup, "seat": seat, "seed": leg.seed or 0, "replies": replies})

    def ask(self, leg: Leg, seat: int) -> None:
        """Tells what was played; the program begins to think."""
        if self._process is None or self._seat != seat:
            self.start(leg, seat)
        tokens = _replies(leg).split()
        if len(tokens) > self._told:
            self._send({"replies": " ".join(tokens[self._told :])})
            self._told = len(tokens)

    def choose(self, leg: Leg, seat: int, /) -> Reply:
        """The program's reply in the present position."""
        self.ask(leg, seat)
        step = len(_replies(leg).split())
        while step not in self._answers:
            line = self._read()
            if "void" in line:
                return Reply("", void=str(line["void"]))
            fault = line.get("fault")
            self._answers[line["step"]] = Reply(line["reply"], fault and {"round": leg.round, **fault})
        return self._answers[step]

    def end(self, leg: Leg, seat: int) -> None:
        """Tells how the leg ended."""
        if self._process is not None and self._seat == seat:
            self.ask(leg, seat)
        self._seat = None

    def close(self) -> None:
        """Ends the program."""
        process, log = self._process, self._log
        self._forget()
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.close()
        except OSError:
            pass  # It has ended already.
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        if log is not None:
            log.close()

    def _word(self) -> str:
        """What ``leitai`` is told to play."""
        return self.program

    def _note(self, ready: dict[str, Any]) -> None:
        """What is known once it is ready."""
        self._ready = ready

    def _forget(self) -> None:
        self._ready, self._answers, self._told = {}, {}, 0
        self._process, self._log, self._seat = None, None, None

    def _send(self, line: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(line).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as why:
            raise self._failure() from why

    def _read(self) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._failure()
        said: dict[str, Any] = json.loads(line)
        return said

    def _failure(self) -> ProgramError:
        """What ``leitai`` said when it ended."""
        process, log = self._process, self._log
        assert process is not None and log is not None
        code = process.wait()
        log.seek(0)
        text = log.read().decode(errors="replace").strip()
        self.close()
        return ProgramError(f"{self.program}: {text[-2000:] or f'leitai ended with code {code}'}")

    def __getstate__(self) -> dict[str, Any]:
        """A copy has no process: it starts its own when it is asked."""
        return {"program": self.program, "limit": self.limit, "isolation": self.isolation}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._checked = None
        self._forget()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.program!r})"

    def __enter__(self) -> SandboxedProgram:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def play_replies(leg: Leg, said: Mapping[int, Any]) -> None:
    """Plays a step: for each seat that is asked its action, or what the judge made of its program's answer."""
    seats = leg.seats
    if not any(isinstance(said[seat], Reply) for seat in seats):
        leg.step(*(said[seat] for seat in seats))
        return
    tokens = [_token(leg, seat, said[seat]) for seat in seats]
    leg.play("/".join(tokens))


def _token(leg: Leg, seat: int, said: Any) -> str:
    if not isinstance(said, Reply):
        return leg.notation(said, seat)
    if said.fault is not None and not said.token.startswith("!"):
        try:
            leg.index(said.token, seat)
        except ValueError:
            return f"!{said.fault['code']}"  # No action at all.
    return said.token


def game_word(game: Game) -> str:
    """What the command line calls the game: its id, or the path of its file."""
    return game.word.rsplit("#", 1)[0] if game.is_guest else game.word


def find_command() -> str:
    """The command ``leitai``: of ``LEITAI_BIN``, beside this Python, or in the PATH.

    :raises ProgramError: if there is none
    """
    named = os.environ.get(COMMAND)
    beside = Path(sysconfig.get_path("scripts")) / "leitai"
    found = named or (str(beside) if beside.exists() else shutil.which("leitai"))
    if not found or not Path(found).exists():
        raise ProgramError(
            f"programs in the sandbox need the command leitai, which is not at {found or beside}; wheels of a release bring it, "
            f"otherwise build it (cargo build --release --bin leitai) and name it in {COMMAND}"
        )
    return found


def _replies(leg: Leg) -> str:
    replies = leg.replies
    if replies is None:
        raise ValueError("this leg has no record, which a program in the sandbox needs; start it with record=True")
    return replies
