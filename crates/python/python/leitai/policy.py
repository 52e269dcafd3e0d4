"""A policy as a program, which plays in matches and on the ladder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from ._leitai import Game, Leg
from .opponents import Choosing


def serve_policy(
    choose: Callable[[dict[str, Any], Leg], Any] | Choosing,
    *,
    packed: bool = False,
    stdin: BinaryIO | None = None,
    stdout: BinaryIO | None = None,
) -> None:
    """Plays one leg over stdin and stdout, in JSON lines (docs/protocols.md), and returns at its
    end.

    ``choose(observation, leg)`` is called for every action: ``observation`` is a dict as from the
    environments, with ``observation`` (planes), ``scalars`` and ``action_mask``; ``leg`` is a
    :class:`Leg` in the current position, as far as the seat knows it, for searches with
    ``leg.clone()``. It returns an action as numbers. An object with a method ``choose(leg, seat)``, such as a
    :class:`leitai.Network`, is a policy, too.

    A whole bot, ``my_policy.py``, for ``leitai match snakego ./my_policy.py greedy``::

        #!/usr/bin/env python3
        # leitai: protocol=json-lines
        import leitai, numpy as np

        leitai.serve_policy(lambda observation, leg: np.flatnonzero(observation["action_mask"])[0])

    Output of ``choose`` goes to stderr: stdout carries the protocol.
    """
    lines = stdin or sys.stdin.buffer
    answers = stdout or sys.stdout.buffer
    printed, sys.stdout = sys.stdout, sys.stderr
    try:
        _serve(choose, packed, lines, answers)
    finally:
        sys.stdout = printed


def _serve(
    policy: Callable[[dict[str, Any], Leg], Any] | Choosing, packed: bool, lines: BinaryIO, answers: BinaryIO
) -> None:
    start: Leg | None = None
    seat = 0
    for line in lines:
        message = json.loads(line)
        kind = message.get("type")
        if kind == "start":
            start = Game(message["game"]).load(message["setup"])
            seat = ("first", "second").index(message["seat"])
        elif kind == "turn" and start is not None:
            leg = start.from_view(message["view"])
            action = policy.choose(leg, seat) if hasattr(policy, "choose") else policy(leg.observe(seat, packed), leg)
            answers.write(json.dumps({"action": leg.notation(action, seat)}).encode() + b"\n")
            answers.flush()
        elif kind == "end":
            return
