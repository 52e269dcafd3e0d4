"""A program as an opponent: any bot that speaks the house's JSON lines (docs/dialects.md)."""

from __future__ import annotations

import json
import os
import selectors
import shlex
import subprocess
import time

from ._leitai import Leg

#: Longest answer that is read, in bytes.
MAX_LINE = 1 << 16


class ProgramError(RuntimeError):
    """The program crashed, left, was too late, or said something that is no answer."""


class Program:
    """Runs a bot's program for one leg after another. It runs as you, without a sandbox: take programs that you trust.

    >>> bot = Program(["python3", "docs/examples/first_legal.py"])   # doctest: +SKIP

    :param command: what to run: a list of words, or one line that is cut as a shell does
    :param timeout: seconds for an answer
    """

    def __init__(self, command: str | list[str], timeout: float = 10.0):
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        self.timeout = timeout
        self._process: subprocess.Popen | None = None
        self._rest = b""

    def start(self, leg: Leg, seat: int) -> None:
        """Starts the program for a leg in which it sits on this seat; one that still runs is ended."""
        self.close()
        self._process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        os.set_blocking(self._process.stdout.fileno(), False)
        self._rest = b""
        self._send(leg.message("start", seat))

    def choose(self, leg: Leg, seat: int):
        """What the program says in this moment, as an action in numbers."""
        if self._process is None:
            self.start(leg, seat)
        self._send(leg.message("turn", seat))
        line = self._read()
        try:
            notation = json.loads(line)["action"]
            return leg.index(notation, seat)
        except (ValueError, KeyError, TypeError) as why:
            raise ProgramError(f"{self}: {line[:200]!r} is no answer ({why}); send {{\"action\": \"…\"}}") from why

    def end(self, leg: Leg, seat: int) -> None:
        """Tells the program how the leg ended, and lets it go."""
        if self._process is not None:
            try:
                self._send(leg.message("end", seat))
            except ProgramError:
                pass  # It may have left already; the leg is over.
            self.close()

    def close(self) -> None:
        """Ends the program, if it runs."""
        process, self._process = self._process, None
        if process is None:
            return
        process.stdin.close()
        try:
            process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _send(self, message: bytes) -> None:
        try:
            self._process.stdin.write(message)
        except OSError as why:
            raise ProgramError(f"{self}: cannot be written to ({why}){self._state()}") from why

    def _read(self) -> bytes:
        until = time.monotonic() + self.timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                left = until - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise ProgramError(f"{self}: no answer within {self.timeout:g} s")
                more = self._process.stdout.read(MAX_LINE)
                if not more:
                    raise ProgramError(f"{self}: closed its output{self._state()}")
                self._rest += more
                if len(self._rest) > MAX_LINE:
                    raise ProgramError(f"{self}: an answer longer than {MAX_LINE} bytes")
        line, self._rest = self._rest.split(b"\n", 1)
        return line

    def _state(self) -> str:
        try:
            code = self._process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            return ""
        return f"; it ended with code {code}"

    def __str__(self) -> str:
        return shlex.join(self.command)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
