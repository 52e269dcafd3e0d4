"""A program as an opponent: any bot that speaks Leitai's JSON lines (docs/protocols.md)."""

from __future__ import annotations

import json
import os
import selectors
import shlex
import subprocess
import time
from typing import IO, Any

from ._leitai import Leg

#: Longest answer that is read, in bytes.
MAX_LINE = 1 << 16
#: Seconds for an answer, if no others are asked for.
TIMEOUT = 10.0


class ProgramError(RuntimeError):
    """The program crashed, exited, was too late, or sent an invalid answer."""


class Program:
    """Runs a bot's program for one leg after another. It runs as your user, without a sandbox: use
    programs that you trust.

    >>> bot = Program(["python3", "docs/examples/first_legal.py"])   # doctest: +SKIP

    :param command: what to run: a list of words, or one line that is cut as a shell does
    :param timeout: seconds for an answer, 10 by default
    """

    def __init__(self, command: str | list[str], timeout: float | None = None) -> None:
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        self.timeout = TIMEOUT if timeout is None else timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def another(self) -> Program:
        """The same program with a process of its own."""
        return type(self)(self.command, self.timeout)

    def start(self, leg: Leg, seat: int) -> None:
        """Starts the program for a leg on this seat; kills one that still runs."""
        self.close()
        process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._process = process
        _, answers = _pipes(process)
        os.set_blocking(answers.fileno(), False)
        self._rest = b""
        self._send(process, leg.message("start", seat))

    def choose(self, leg: Leg, seat: int) -> Any:
        """The program's action in the current position, as numbers."""
        if self._process is None:
            self.start(leg, seat)
        process = self._process
        assert process is not None
        self._send(process, leg.message("turn", seat))
        line = self._read(process)
        try:
            notation = json.loads(line)["action"]
            return leg.index(notation, seat)
        except (ValueError, KeyError, TypeError) as why:
            raise ProgramError(f"{self}: {line[:200]!r} is no answer ({why}); send {{\"action\": \"…\"}}") from why

    def end(self, leg: Leg, seat: int) -> None:
        """Tells the program how the leg ended, and waits for its exit."""
        if self._process is not None:
            try:
                self._send(self._process, leg.message("end", seat))
            except ProgramError:
                pass  # It may have exited already; the leg is over.
            self.close()

    def close(self) -> None:
        """Kills the program if it runs."""
        process, self._process = self._process, None
        if process is None:
            return
        questions, answers = _pipes(process)
        questions.close()
        try:
            process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        answers.close()

    def _send(self, process: subprocess.Popen[bytes], message: bytes) -> None:
        try:
            _pipes(process)[0].write(message)
        except OSError as why:
            raise ProgramError(f"{self}: cannot be written to ({why}){_state(process, self.timeout)}") from why

    def _read(self, process: subprocess.Popen[bytes]) -> bytes:
        until = time.monotonic() + self.timeout
        _, answers = _pipes(process)
        with selectors.DefaultSelector() as selector:
            selector.register(answers, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                # An answer that is there counts, even if this process stood still until the time was over.
                left = max(0.0, until - time.monotonic())
                if not selector.select(left):
                    raise ProgramError(f"{self}: no answer within {self.timeout:g} s")
                more = answers.read(MAX_LINE)
                if not more:
                    raise ProgramError(f"{self}: closed its output{_state(process, until - time.monotonic())}")
                self._rest += more
                if len(self._rest) > MAX_LINE:
                    raise ProgramError(f"{self}: an answer longer than {MAX_LINE} bytes")
        line, self._rest = self._rest.split(b"\n", 1)
        return line

    def __getstate__(self) -> dict[str, Any]:
        """A copy, also a pickled one, has no process: it starts its own when it is asked."""
        return {**self.__dict__, "_process": None, "_rest": b""}

    def __str__(self) -> str:
        return shlex.join(self.command)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """The streams to and from the program."""
    assert process.stdin is not None and process.stdout is not None
    return process.stdin, process.stdout


def _state(process: subprocess.Popen[bytes], left: float) -> str:
    """How a program ended that took away its pipes: it is waited for as long as an answer would have been. Its
    pipes close before it can be waited for, on a busy machine long before."""
    try:
        code = process.wait(timeout=max(0.2, left))
    except subprocess.TimeoutExpired:
        return ""
    return f"; it ended with code {code}"
