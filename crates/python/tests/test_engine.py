"""One leg, step by step, and the hashes of the command line."""

import copy
import json
import re

import numpy as np
import pytest

import leitai
from leitai import Replay, kob, snakego, tankcraft
from leitai.processor import check_processor

GAMES = {"snakego": snakego, "kob": kob, "tankcraft": tankcraft}
BOTS = {"snakego": ("territory", "greedy"), "kob": ("space", "safe"), "tankcraft": ("miner", "random")}
CONFIG = {"tankcraft": {"rounds": 40}, "snakego": {"max_round": 60}, "kob": None}


def play(leg, bots, seats=(0, 1)):
    """Plays a leg to its end with two bots."""
    while not leg.is_over:
        leg.step(*[bots[seats[seat]].choose(leg, seat) for seat in leg.seats])
    return leg


def fnv1a(text):
    hashed = 0xCBF29CE484222325
    for byte in text.encode():
        hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
    return hashed


def state_texts(game, trace):
    """The state texts of `leitai replay trace`: TankCraft's are one line without its end, the others' begin with a letter."""
    if game == "tankcraft":
        return trace.splitlines()
    first = {"snakego": "T", "kob": "R"}[game]
    return [text for text in re.split(f"(?m)^(?={first} )", trace) if text]


@pytest.mark.parametrize("game", GAMES)
def test_same_seed_and_actions_give_the_same_hashes_as_replay_trace(game, tmp_path, leitai_command):
    config = CONFIG[game] or {}
    words = [word for key, value in config.items() for word in ("--config", f"{key}={value}")]
    file = tmp_path / "match.json"
    leitai_command("match", game, *BOTS[game], "--seed", 11, "--replay", file, *words)
    replay = Replay.load(file)
    for number in range(replay.legs):
        texts = state_texts(game, leitai_command("replay", "trace", file, "--leg", number + 1))
        again = GAMES[game].start(11, config, record=True)
        for token in replay.data["legs"][number]["replies"].split():
            said = token.split("/") if len(again.seats) == 2 else [token]
            again.step(*[again.index(word, seat) for word, seat in zip(said, again.seats)])
        assert again.is_over
        assert again.outcome["reason"] == replay.data["legs"][number]["outcome"]["reason"]
        assert len(again.checkpoints) == len(texts) > 5
        assert again.checkpoints == [fnv1a(text) for text in texts]
        assert f"{again.checkpoints[-1]:016x}" == replay.data["legs"][number]["final_hash"]
        assert again == replay.end(number)


@pytest.mark.parametrize("game", GAMES)
def test_a_match_played_here_is_a_replay_that_verifies(game, tmp_path, leitai_command):
    module, legs = GAMES[game], []
    for number in range(module.game.legs):
        seats = (0, 1) if number == 0 else (1, 0)
        bots = [module.bot(name, 5) for name in BOTS[game]]
        legs.append(play(module.start(5, CONFIG[game], record=True), bots, seats))
    Replay.of(legs, ("Anna", "Ben")).save(tmp_path / "match.json")
    assert "agrees: 2 legs" in leitai_command("replay", "verify", tmp_path / "match.json")
    Replay.of(legs[0]).save(tmp_path / "leg.json")
    assert "agrees: 1 leg," in leitai_command("replay", "verify", tmp_path / "leg.json")
    again = Replay.load(tmp_path / "match.json")
    assert again.data["entrants"][0]["name"] == "Anna" and again.data["seed"] == 5
    assert [again.end(number) == legs[number] for number in (0, 1)] == [True, True]


@pytest.mark.parametrize("game", GAMES)
def test_masks_are_what_is_legal(game):
    module = GAMES[game]
    leg, bots = module.start(3, CONFIG[game]), [module.bot("random", seed) for seed in (1, 2)]
    parts = module.layout().parts
    while not leg.is_over:
        for seat in leg.seats:
            mask = leg.mask(seat)
            assert mask.dtype == np.int8 and mask.shape == module.layout().mask_shape
            if len(parts) == 1:
                legal = [leg.notation(int(index), seat) for index in np.flatnonzero(mask)]
                assert sorted(legal) == sorted(leg.legal(seat))
            else:
                for notation in leg.legal(seat):
                    said = leg.index(notation, seat)
                    assert all(mask[part, index] for part, index in enumerate(said)), notation
        leg.step(*[bots[seat].choose(leg, seat) for seat in leg.seats])
    assert leg.mask(0).sum() == leg.mask(1).sum() == 0


@pytest.mark.parametrize("game", GAMES)
def test_copies_are_independent_and_equal(game):
    module = GAMES[game]
    leg, bots = module.start(3, CONFIG[game], record=True), [module.bot(name, 1) for name in BOTS[game]]
    for _ in range(2):
        leg.step(*[bots[seat].choose(leg, seat) for seat in leg.seats])
    for other in (leg.clone(), copy.copy(leg), copy.deepcopy(leg)):
        assert other == leg and other.hash() == leg.hash() and other.checkpoints == leg.checkpoints
        play(other, bots)
        assert other != leg and not leg.is_over
    assert module.start(3, CONFIG[game]) != module.start(4, CONFIG[game])
    assert snakego.start(1) != kob.start(1)


@pytest.mark.parametrize("game, more", [*((game, {}) for game in GAMES), ("tankcraft", {"fog": "sdk"})])
def test_a_seat_sees_in_numbers_what_its_view_says(game, more):
    """The observation of a leg equals that of the leg made from the view: it contains nothing hidden, and is a leg like
    any other."""
    module = GAMES[game]
    leg, bots = module.start(8, {**(CONFIG[game] or {}), **more}), [module.bot(name, 1) for name in BOTS[game]]
    while not leg.is_over:
        for seat in leg.seats:
            known = leg.from_view(leg.view(seat))
            for packed in (False, True):
                assert np.array_equal(known.planes(seat, packed), leg.planes(seat, packed))
            assert np.array_equal(known.scalars(seat), leg.scalars(seat))
            assert np.array_equal(known.mask(seat), leg.mask(seat))
            assert known.view(seat) == leg.view(seat)
            assert known.playouts(2).shape == (2, 3) and known.observe(1 - seat) and known.render()
        leg.step(*[bots[seat].choose(leg, seat) for seat in leg.seats])


def test_a_panic_of_the_engine_is_an_error_that_says_where():
    """A pickle is read back unchecked, so one that somebody changed makes a position that no leg reaches."""
    leg = tankcraft.start(5, {"rounds": 40})
    leg.step([0] * 5, [1] * 5)
    restore, (game, setup, seed, config, recorded, moment) = leg.__reduce__()
    position = json.loads(moment)
    position["tanks"][0]["cell"] = [0, 0]
    broken = restore(game, setup, seed, config, recorded, json.dumps(position))
    for use in (broken.render, lambda: broken.playouts(50), lambda: broken.planes(0)):
        with pytest.raises(leitai.InternalError, match="the engine failed in tankcraft, seed 5, step 1: .* report it") as raised:
            use()
        assert raised.value.place == "tankcraft, seed 5, step 1" and raised.value.what in str(raised.value)
    batch = leitai.SelfPlay("tankcraft", 1, config={"rounds": 40})
    with pytest.raises(leitai.InternalError, match="the engine failed in tankcraft, seed"):
        batch.restore([broken])
    assert leg.render(), "other legs go on"


@pytest.mark.parametrize("game", GAMES)
def test_planes_are_packed_as_the_layout_says(game):
    module = GAMES[game]
    layout = module.layout(CONFIG[game])
    leg = play(module.start(2, CONFIG[game]), [module.bot(name, 1) for name in BOTS[game]])
    dense, packed = leg.planes(1), leg.planes(1, packed=True)
    assert dense.shape == layout.planes_shape() and packed.shape == layout.planes_shape(packed=True)
    assert dense.dtype == packed.dtype == np.uint8 and dense.max() == 1
    assert np.array_equal(layout.unpack(packed), dense) and np.array_equal(layout.pack(dense), packed)
    assert leg.scalars(0).shape == (len(layout.scalars),) and leg.scalars(0).dtype == np.float32


@pytest.mark.parametrize("game", GAMES)
def test_symmetries_form_a_group_and_keep_what_they_move(game):
    module = GAMES[game]
    layout = module.layout()
    leg = module.start(6, CONFIG[game])
    bots = [module.bot(name, 1) for name in BOTS[game]]
    for _ in range(8):
        leg.step(*[bots[seat].choose(leg, seat) for seat in leg.seats])
    planes, mask = leg.planes(0), leg.mask(0)
    orbit = {one.observation(planes).tobytes() for one in layout.symmetries}
    assert len(orbit) == len(layout.symmetries) == (4 if game == "kob" else 8)
    for one in layout.symmetries:
        for other in layout.symmetries:
            assert other.observation(one.observation(planes)).tobytes() in orbit
        assert one.mask(mask).sum() == mask.sum()
        if len(layout.parts) == 1:
            assert one.mask(mask)[one.action(int(np.flatnonzero(mask)[-1]))] == 1
        else:
            action = [int(np.flatnonzero(part)[-1]) for part in mask]
            assert one.mask(mask)[np.arange(5), one.action(action)].tolist() == [1] * 5
    batch = np.stack([planes, planes])
    assert np.array_equal(layout.symmetries[1].observation(batch)[1], layout.symmetries[1].observation(planes))


def test_kob_plays_the_same_on_a_reflected_board():
    """A symmetry of the layout is one of the rules: a leg with transformed actions on the transformed map."""
    base = kob.start(3)
    setup, layout = base.setup, kob.layout()
    for one in layout.symmetries:
        cells = np.array([int(c) for c in setup["map"]])[one.cells]
        place = {int(old): divmod(new, 14) for new, old in enumerate(one.cells)}
        a, b = (list(place[row * 14 + col]) for row, col in (setup["a"], setup["b"]))
        moved = kob.load({**setup, "map": "".join(map(str, cells)), "a": a, "b": b})
        leg, bots = base.clone(), [kob.bot("space", 1), kob.bot("safe", 2)]
        while not leg.is_over:
            said = [bots[seat].choose(leg, seat) for seat in (0, 1)]
            leg.step(*said)
            moved.step(*[int(one.action(action)) for action in said])
            for seat in (0, 1):
                assert np.array_equal(one.observation(leg.planes(seat)), moved.planes(seat)), one.name
        assert moved.is_over and moved.outcome == leg.outcome


def test_both_seats_are_the_same_game():
    """The second seat sees and plays as the first one would: swapped bots win as often with the same
    seeds."""
    first, second = kob.start(1).planes(0), kob.start(1).planes(1)
    assert np.array_equal(first, second)
    leg = snakego.start(1)
    assert np.array_equal(np.argwhere(leg.planes(0)[0]), [[0, 15]])
    assert np.array_equal(np.argwhere(leg.planes(1)[0]), [[0, 15]])
    leg.step(0)
    assert leg.seat == 1 and leg.notation(0) == "3", "the second player's right is the board's left"


def test_mistakes_are_told_with_the_value_and_what_to_do():
    def refused(part, call, error=ValueError):
        with pytest.raises(error, match=part):
            call()

    leg = snakego.start(1)
    refused(r"out of range: every part must be at least 0 and below \[6\]", lambda: leg.step(6))
    refused("out of range", lambda: leg.step(-1))
    refused("1 parts; 2 were given", lambda: leg.step([1, 2]))
    refused("only seat 0 is asked", lambda: leg.step(0, 0))
    refused("an action is a number", lambda: leg.step("up"), TypeError)
    refused("both seats are asked; step takes two", lambda: kob.start(1).step(0))
    refused("say which one you mean", lambda: kob.start(1).mask())
    refused("there is no seat 2", lambda: leg.mask(2))
    refused('no action "9"', lambda: leg.index("9"))
    refused('no action "9"', lambda: leg.play("9"))
    refused("record=True", lambda: Replay.of(leg))
    refused("cannot play kob", lambda: snakego.bot("greedy").choose(kob.start(1), 0))
    refused("at least one leg", lambda: Replay.of([]))
    refused("one setup", lambda: Replay.of([snakego.start(n, record=True) for n in (1, 2)]))
    refused("missing field", lambda: snakego.load({}))
    refused("no game", lambda: leitai.Game("chess"))
    play(leg, [snakego.bot("random", n) for n in (1, 2)])
    refused("the leg is over", lambda: leg.step(0))


def test_an_illegal_action_loses():
    leg = snakego.start(1)
    leg.step(4)
    assert leg.is_over and leg.winner == 1
    assert leg.outcome == {"winner": 1, "scores": [0, 0], "reason": "illegal-action", "faults": ["IA", None]}


def test_what_a_leg_tells():
    leg = kob.start(5)
    assert (leg.game, leg.round, leg.scores, leg.winner, leg.outcome, leg.seed) == ("kob", 1, (0, 0), None, None, 5)
    assert leg.seats == (0, 1) and leg.seat == -1 and snakego.start(1).seat == 0
    assert leg.view()["you"] is None and leg.view(1)["you"] == "second"
    assert fnv1a(leg.state_text()) == leg.hash()
    assert len(leg.render().splitlines()) >= 13
    assert "kob leg" in repr(leg) and repr(kob.game) == 'Game("kob")'
    levels = [f"level{number}" for number in range(1, 11)]
    levels.insert(4, "former-level5")
    levels.insert(9, "former-level8")
    older = ["random", "sample", "safe", "space", "alphabeta"]
    assert [name for name, _ in kob.bots()] == [*older, *levels, "champion"]
    assert kob.config({"rows": 5, "cols": 5})["inner_pairs"] == 10


def test_a_processor_that_is_too_old_is_refused_in_words(tmp_path, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor : 0\nflags\t\t: fpu sse4_2 popcnt bmi1 abm movbe f16c\n")
    with pytest.raises(ImportError, match="lacks avx2, bmi2, fma, which .* target-cpu lines"):
        check_processor(str(cpuinfo))
    monkeypatch.setenv("LEITAI_ANY_PROCESSOR", "1")
    check_processor(str(cpuinfo))
    monkeypatch.delenv("LEITAI_ANY_PROCESSOR")
    check_processor(str(tmp_path / "none"))
    check_processor()


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32 - 1, 2**32, 2**63 + 12345, 2**64 - 1])
def test_the_items_of_snakego_are_those_of_cpythons_random(seed):
    """The engine's own Mersenne Twister against CPython's: by the published generator of the official judge."""
    import random

    chance, blocked, items = random.Random(seed), {}, []
    for now in range(1, 513):
        if chance.random() > 0.25:
            continue
        margin = max(0, 6 - (now - 1) // 20)
        while True:
            cell = chance.randint(margin, 15 - margin), chance.randint(margin, 15 - margin)
            if blocked.get(cell, 0) < now:
                break
        blocked[cell] = now + 16
        lengths, rays = (5, 1) if now <= 64 else (5, 2) if now <= 384 else (4, 3)
        is_ray = chance.randint(0, lengths + rays - 1) >= lengths
        items.append([*cell, now, 2, 512] if is_ray else [*cell, now, 0, chance.randint(1, 5)])
    assert snakego.start(seed).setup["items"] == items


def test_items_are_the_same_whenever_they_are_drawn():
    """A leg that was looked at late, at once, or loaded with its items given."""
    early, late = snakego.start(5), snakego.start(5)
    given = snakego.load(snakego.start(5).setup)
    assert early.setup["items"] == given.setup["items"]
    while not late.is_over:
        for leg in (early, late, given):
            assert (leg.planes(leg.seat) == late.planes(late.seat)).all()
        action = max(late.legal_actions(), key=lambda one: (one + late.round) % 4)
        for leg in (early, late, given):
            leg.step(action)
    assert early.hash(setup=True) == late.hash(setup=True) == given.hash(setup=True) and early == late
