"""Tree search with an evaluator of yours, such as a network: many positions in one call, with virtual loss.

>>> import leitai
>>> leg = leitai.kob.start(seed=3)
>>> found = leitai.search(leg, leitai.PlayoutEvaluator(playouts=4), simulations=64)
>>> sorted(found.policies), int(found.visits[0].sum())        # the first simulation looks at the position itself
([0, 1], 63)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._leitai import Leg, SearchTree

#: What values positions: it gets observations ``[n, …]``, one row for each seat that is asked in a position, and gives how likely
#: each choice is, ``[n, choices]``, on any scale, and what the position is worth to that seat, ``[n]``, from -1 (lost) to 1 (won).
Evaluator: TypeAlias = "Callable[[dict[str, NDArray[Any]]], tuple[ArrayLike, ArrayLike]]"


@dataclass(frozen=True)
class PlayoutEvaluator:
    """Values positions by random playouts, which the engine plays without Python; all choices are equally likely."""

    #: Playouts a position.
    playouts: int = 1
    #: All their chance.
    seed: int = 0


@dataclass(frozen=True)
class SearchResult:
    """What a search found out about a position, for every seat that is asked there."""

    #: int64 ``[choices]``: how often the search took each choice.
    visits: dict[int, NDArray[np.int64]]
    #: float32 ``[choices]``: the mean of the values behind each choice for its seat, -1 to 1; 0 without visits.
    means: dict[int, NDArray[np.float32]]
    #: What the position is worth to the seat, -1 to 1.
    values: dict[int, float]

    @property
    def policies(self) -> dict[int, NDArray[np.float64]]:
        """float64 ``[choices]``: the visits as probabilities."""
        return {seat: visits / max(visits.sum(), 1) for seat, visits in self.visits.items()}

    def best(self, seat: int | None = None) -> int:
        """The choice with most visits, the first of equals.

        :param seat: may be left out where one seat is asked
        """
        if seat is None and len(self.visits) == 1:
            (seat,) = self.visits
        if seat not in self.visits:
            raise ValueError(f"seat is {seat!r}; {' or '.join(map(str, self.visits))} is accepted, which is asked here")
        return int(self.visits[seat].argmax())


def search(
    leg: Leg | SearchTree,
    evaluate: Evaluator | PlayoutEvaluator,
    *,
    simulations: int = 200,
    batch: int = 16,
    exploration: float = 1.25,
    noise: float = 0.0,
    noise_share: float = 0.25,
    seed: int = 0,
    packed: bool = False,
) -> SearchResult:
    """Searches a position by PUCT. Where both seats are asked at once each chooses by its own statistics, without the other's
    choice; play in proportion to the visits there, since the most visited choice can be foreseen.

    :param leg: the position, of a game whose actions are one number; or a :class:`SearchTree` to go on with, which keeps what is
        known behind a step (``tree.step(…)``)
    :param evaluate: see :data:`Evaluator`
    :param simulations: walks from the root; the first one only looks at it
    :param batch: the most positions in one call of the evaluator. Walks whose value has not come count as lost meanwhile, so more
        of them at once search a little worse, and faster
    :param exploration: how much rarely visited choices are preferred; ignored for a tree, which has its own
    :param noise: the concentration of the Dirichlet noise that is mixed into the root's priors, such as 0.3; 0: none
    :param noise_share: the share of the noise
    :param seed: all chance of the noise
    :param packed: whether planes are bits in bytes
    :raises ValueError: for a leg that is over, a game whose actions have parts, numbers out of range, answers of another shape
    """
    (found,) = search_all(
        [leg],
        evaluate,
        simulations=simulations,
        batch=batch,
        exploration=exploration,
        noise=noise,
        noise_share=noise_share,
        seed=seed,
        packed=packed,
    )
    return found


def search_all(
    legs: Sequence[Leg | SearchTree],
    evaluate: Evaluator | PlayoutEvaluator,
    *,
    simulations: int = 200,
    batch: int = 4,
    exploration: float = 1.25,
    noise: float = 0.0,
    noise_share: float = 0.25,
    seed: int = 0,
    packed: bool = False,
) -> list[SearchResult]:
    """Searches many positions at once, as :func:`search` does each: one call of the evaluator looks at up to ``batch`` positions of
    every search. Self-play of a hundred legs asks a network for hundreds of rows, where a large network is fast.

    :param legs: positions, or trees to go on with
    :param seed: search number i has the noise of ``seed + i``
    :raises ValueError: as :func:`search`
    """
    for name, number in ("simulations", simulations), ("batch", batch):
        if number < 1:
            raise ValueError(f"{name} is {number}; at least 1 is accepted")
    trees = [leg if isinstance(leg, SearchTree) else SearchTree(leg, exploration) for leg in legs]
    asked = [tree.leg.seats for tree in trees]
    if not all(asked):
        raise ValueError("the leg is over; there is nothing to search")
    left = np.full(len(trees), simulations)
    if isinstance(evaluate, PlayoutEvaluator):
        for tree in trees:
            tree.search_playouts(simulations, evaluate.playouts, evaluate.seed)
        left[:] = 0
    elif noise > 0:
        left -= _ask(trees, evaluate, np.minimum(left, 1), packed)
        for number, (tree, seats) in enumerate(zip(trees, asked)):
            _mix(tree, seats, noise, noise_share, seed + number)
    while left.any():
        left -= _ask(trees, evaluate, np.minimum(left, batch), packed)  # type: ignore[arg-type]
    return [_read(tree, seats) for tree, seats in zip(trees, asked)]


def _ask(trees: Sequence[SearchTree], evaluate: Evaluator, most: NDArray[np.int64], packed: bool) -> NDArray[np.int64]:
    """One call of the evaluator; returns the walks of each tree."""
    walks, rows = np.zeros_like(most), []
    for number in np.flatnonzero(most).tolist():
        walks[number], seen, seats = trees[number].collect(int(most[number]), packed)
        if len(seats):
            rows.append((trees[number], seen))
    if rows:
        together = {part: np.concatenate([seen[part] for _, seen in rows]) for part in rows[0][1]}
        priors, values = (np.ascontiguousarray(part, dtype=np.float32) for part in evaluate(together))
        masks = together["action_mask"]
        if priors.shape != masks.shape or values.shape != masks.shape[:1]:
            raise ValueError(
                f"the evaluator gave priors {list(priors.shape)} and values {list(values.shape)}; "
                f"{list(masks.shape)} and {list(masks.shape[:1])} are needed"
            )
        begin = 0
        for tree, seen in rows:
            end = begin + len(seen["action_mask"])
            tree.answer(priors[begin:end], values[begin:end])
            begin = end
    return walks


def _mix(tree: SearchTree, seats: tuple[int, ...], noise: float, share: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    for seat in seats:
        choices = int(tree.leg.mask(seat).sum())
        tree.mix_noise(random.dirichlet([noise] * choices).astype(np.float32), share, seat)


def _read(tree: SearchTree, seats: tuple[int, ...]) -> SearchResult:
    return SearchResult(
        visits={seat: tree.visits(seat) for seat in seats},
        means={seat: tree.means(seat) for seat in seats},
        values={seat: tree.value(seat) for seat in seats},
    )
