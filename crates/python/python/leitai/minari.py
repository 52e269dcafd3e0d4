"""Recorded matches as a data set of Minari, for libraries that learn from it (offline reinforcement learning, imitation).

>>> import leitai.minari                                                                    # doctest: +SKIP
>>> data = leitai.minari.write("matches/", "kob/ladder-v0", game="kob", author="ada")       # doctest: +SKIP
>>> data.total_episodes, data.sample_episodes(1)[0].observations["observation"].shape       # doctest: +SKIP
(1200, (31, 11, 13, 14))

An episode is one seat of one leg: what it saw and said, as in :class:`leitai.gym.Env` against the other player.
"""

from __future__ import annotations

import copy
import os
import shutil
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import gymnasium
import minari
import numpy as np
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.storage.datasets_root_dir import get_dataset_path

from ._leitai import Game, __version__
from .dataset_card import Card
from .layout import read_layout
from .registration import GAMES, register_gymnasium
from .replay import Dataset, Replay, dataset
from .spaces import action_space, observation_space

if TYPE_CHECKING:
    from minari import MinariDataset

#: The parts of an observation.
PARTS = ("observation", "scalars", "action_mask")


def write(
    source: str | os.PathLike[str] | Dataset,
    dataset_id: str,
    *,
    game: str | None = None,
    packed: bool = False,
    description: str | None = None,
    **more: Any,
) -> MinariDataset:
    """Writes a data set into Minari's folder (``MINARI_DATASETS_PATH``), one leg in memory at a time.

    Observations are those of ``Env`` (``[n + 1, …]`` with the position after the last action), actions int64 ``[n]`` (TankCraft
    ``[n, 5]``); the reward is the outcome, 1, 0 or -1, with the last action. A leg that was not played to its end is truncated,
    without a reward. A seat that said nothing has no episode.

    :param source: as :func:`leitai.dataset` takes it, or a data set of it
    :param dataset_id: Minari's, such as ``"kob/ladder-v0"``
    :param game: the game's id, where there are several
    :param packed: whether planes are bits in bytes
    :param description: what it is; without it, the card of the data set (:meth:`leitai.replay.Dataset.card`)
    :param more: what ``minari.create_dataset_from_buffers`` takes besides: ``author``, ``author_email``, ``algorithm_name``,
        ``code_permalink``, ``data_format``, …
    :raises ValueError: if there is no leg, there are several games, or boards of several sizes
    """
    if isinstance(source, Dataset):
        legs = Dataset(source.source, game or source.game, packed, source.strict)
    else:
        legs = dataset(source, game, packed=packed)
    card = Card()
    walk = legs.replays(card.note_file)
    head = next(walk, None)
    if head is None:
        raise ValueError(f"there is no replay{f' of {game}' if game else ''} in {legs.source}; {_skipped(legs)}")
    first = head[1]
    layout = read_layout(Game(first.game), first.data.get("config"))
    seen = observation_space(layout, packed)
    given = {
        "observation_space": seen,
        "action_space": action_space(layout),
        "description": description or "",
        "requirements": [f"leitai=={__version__}"],
        "jpeg_encoding": False,
        "env": _environment(first, packed),
        **more,
    }
    shape = seen["observation"].shape or ()
    # The source is read once: the card is known at its end.
    episodes = _episodes(legs, chain([head], walk), first.game, shape, card)
    folder = get_dataset_path(dataset_id)
    is_new = not folder.exists()
    try:
        data = minari.create_dataset_from_buffers(dataset_id, episodes, **given)
    except BaseException:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if description is None:
        data.storage.update_metadata({"description": card.write(legs)})
    return data


def _environment(replay: Replay, packed: bool) -> Any:
    """The environment that ``recover_environment`` of the data set makes; ``None`` for a game that came as a file."""
    name = next((name for name, game in GAMES.items() if game == replay.game), None)
    if name is None:
        return None
    register_gymnasium()
    spec = copy.deepcopy(gymnasium.spec(f"leitai/{name}-v0"))
    spec.kwargs.update(packed=packed, config=replay.data.get("config"))
    return spec


def _skipped(legs: Dataset) -> str:
    return "; ".join(f"{name}: {why}" for name, why in legs.skipped[:3]) or "it has no such files"


def _episodes(
    legs: Dataset, walk: Iterable[tuple[str, Replay]], game: str, shape: tuple[int, ...], card: Card
) -> Iterator[EpisodeBuffer]:
    for name, replay in walk:
        if replay.game != game:
            raise ValueError(f"there are matches of {', '.join(sorted((game, replay.game)))}; choose one by game=…")
        card.count_match(replay)
        for number in range(replay.legs):
            try:
                arrays = replay.arrays(number, legs.packed)
                card.count_leg(replay, number, arrays)
            except (ValueError, KeyError, TypeError) as why:
                legs.leave_out(f"{name}, leg {number}", why)
                continue
            if arrays["observation"].shape[1:] != shape:
                raise ValueError(
                    f"{name}, leg {number}: planes of {arrays['observation'].shape[1:]}, those before have {shape}; write a data set for each size"
                )
            yield from _seats(replay, number, arrays, legs.packed)


def _seats(replay: Replay, number: int, arrays: dict[str, Any], packed: bool) -> Iterator[EpisodeBuffer]:
    end = replay.end(number)
    for seat in (0, 1):
        said = np.flatnonzero(arrays["seat"] == seat)
        if not said.size:
            continue
        last = end.observe(seat, packed)
        rewards = np.zeros(said.size, np.float32)
        rewards[-1] = arrays["outcome"][said[-1]] if arrays["complete"] else 0
        over = np.zeros(said.size, np.bool_)
        over[-1] = True
        nothing = np.zeros(said.size, np.bool_)
        yield EpisodeBuffer(
            observations={part: np.concatenate([arrays[part][said], last[part][None]]) for part in PARTS},
            actions=arrays["action"][said],
            rewards=rewards,
            terminations=over if arrays["complete"] else nothing,
            truncations=nothing if arrays["complete"] else over,
            options={"seat": seat, "leg": number},
        )
