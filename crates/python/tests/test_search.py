"""Tree search from Python: what it finds, in batches and on the engine's own playouts."""

import numpy as np
import pytest

import leitai
from leitai import PlayoutEvaluator, SearchTree, kob, snakego


def uniform(seen):
    mask = seen["action_mask"]
    return mask, np.zeros(len(mask))


def near_death(seed=1):
    """A position of King of Bots in which some way of seat 0 is a death at once, and its legal ways that are none."""
    bots = [kob.bot("space", seed + seat) for seat in (0, 1)]
    leg = kob.start(seed)
    while True:
        safe = [way for way in range(4) if not dies(leg, way)]
        if 0 < len(safe) < 4:
            return leg, safe
        leg.step(*(bot.choose(leg, seat) for seat, bot in enumerate(bots)))


def dies(leg, way):
    """Whether seat 0 does not survive this way, whatever seat 1 does."""

    def is_lost(other):
        copy = leg.clone()
        copy.step(way, other)
        return copy.is_over and copy.winner != 0

    return all(is_lost(other) for other in range(4))


@pytest.mark.parametrize("evaluate", [uniform, PlayoutEvaluator(playouts=2, seed=5)], ids=["python", "playouts"])
def test_a_death_in_sight_is_avoided(evaluate):
    for seed in range(1, 5):
        leg, safe = near_death(seed)
        found = leitai.search(leg, evaluate, simulations=400)
        assert found.best(0) in safe
        assert np.isclose(found.policies[0].sum(), 1) and sorted(found.visits) == [0, 1]


@pytest.mark.parametrize("batch", [1, 16, 64])
def test_walks_are_counted_and_the_evaluator_sees_batches(batch):
    rows = []

    def evaluate(seen):
        rows.append(len(seen["scalars"]))
        assert seen["observation"].shape[1:] == snakego.layout().planes_shape()
        return uniform(seen)

    leg = snakego.start(seed=4)
    found = leitai.search(leg, evaluate, simulations=200, batch=batch)
    assert found.visits[0].sum() == 199 and max(rows) <= batch and (batch == 1 or max(rows) > batch // 2)
    assert not found.visits[0][leg.mask() == 0].any(), "only what is legal"


def test_the_rows_of_the_evaluator_are_what_the_seats_see():
    tree = SearchTree(leg := kob.start(seed=2))
    walks, seen, seats = tree.collect(5)
    assert walks == 1 and seats.tolist() == [0, 1], "before the first answer only the root is known"
    for row, seat in enumerate(seats):
        known = leg.observe(int(seat))
        assert all(np.array_equal(seen[name][row], known[name]) for name in known)


def test_values_count_for_the_seat_of_their_row():
    """Who says that seat 0 wins is believed, as good for seat 0 and bad for seat 1."""

    def evaluate(seen):
        mask = seen["action_mask"]
        return mask, np.tile([1.0, -1.0], len(mask) // 2)

    leg = kob.start(seed=2)
    found = leitai.search(leg, evaluate, simulations=2)
    assert (found.values[0], found.values[1]) == (1, -1)


def test_noise_comes_from_the_seed_and_a_tree_goes_on():
    leg = kob.start(seed=6)
    first, same, other = (leitai.search(leg, uniform, simulations=40, noise=0.3, noise_share=1, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.visits[0], same.visits[0]) and not np.array_equal(first.visits[0], other.visits[0])
    tree = SearchTree(leg)
    found = leitai.search(tree, uniform, simulations=200)
    before = len(tree)
    tree.step(found.best(0), found.best(1))
    leg.step(found.best(0), found.best(1))
    assert tree.leg == leg and len(tree) == before, "what is known behind the step is kept"


def test_an_evaluator_that_fails_leaves_the_tree_usable():
    tree = SearchTree(kob.start(seed=6))

    def fails(_):
        raise KeyError("weights")

    with pytest.raises(KeyError, match="weights"):
        leitai.search(tree, fails, simulations=9)
    assert leitai.search(tree, uniform, simulations=9).visits[0].sum() == 8


def test_playouts_of_many_legs_are_those_of_each():
    legs = [kob.start(seed) for seed in range(3)]
    ends = leitai.playouts(legs, 7, seed=2)
    assert ends.shape == (3, 7, 3)
    assert all(np.array_equal(ends[at], leg.playouts(7, 2)) for at, leg in enumerate(legs))
    with pytest.raises(ValueError, match="the leg is over"):
        legs[0].play_random()
        leitai.search(legs[0], uniform)
