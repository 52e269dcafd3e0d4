"""A trained policy in one file, which plays with NumPy alone wherever a bot is named: ``"python:NAME"``.

The file (``.npz``) holds the weights of a small network (dense layers with ReLU, a policy and a value), and as JSON what it looks at
and how it plays. Whatever trained it, it needs nothing but this package to play:

>>> import leitai
>>> leitai.policies("kob")
['alphazero', 'cloned', 'ppo']
>>> net = leitai.Network.load("ppo", "kob")
>>> net.choose(leitai.kob.start(seed=1), 0) in range(4)
True

In Python ``"python:ppo"`` or ``"python:mine.npz"`` stands for a bot in environments, evaluations and tournaments. In matches, too:
``leitai match kob python:ppo level4``. The file is a bot by itself, since it is a zip archive with a ``main.py``: ``leitai match kob
mine.npz level4``. ``python3 -m leitai.network kob ppo`` tells where a file is.
"""

from __future__ import annotations

import json
import os
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._leitai import Game, Leg
from .layout import Layout, read_layout
from .opponents import Policy

FORMAT = "leitai-policy/1"
#: The program in the file.
MAIN = """#!/usr/bin/env python3
# leitai: protocol=json-lines
import pathlib

import leitai

leitai.serve_policy(leitai.Network.load(pathlib.Path(__file__).parent))
"""
SHIPPED = Path(__file__).parent / "policies"
#: The most bytes of arrays that are read, and the most simulations of a step.
MAX_BYTES, MAX_SIMULATIONS = 1 << 28, 100_000

Array: TypeAlias = "NDArray[np.float32]"
#: A dense layer: weights ``[inputs, outputs]`` and biases ``[outputs]``.
Layer: TypeAlias = "tuple[Array, Array]"


def policies(game: str) -> list[str]:
    """The names of the policies that ship with the package for this game."""
    return sorted(file.stem.removeprefix(f"{game}-") for file in SHIPPED.glob(f"{game}-*.npz"))


def find_policy(game: str | None, name: str | os.PathLike[str]) -> Path:
    """Where the file of a policy is.

    :raises ValueError: for an unknown name
    """
    path = Path(name)
    if isinstance(name, os.PathLike) or path.suffix == ".npz":
        return path
    known = policies(game) if game is not None else []
    if name not in known:
        accepted = ", ".join(known) or "none"
        raise ValueError(f"{game or 'no game'} has no policy {name!r}; {accepted} and paths that end with .npz are accepted")
    return SHIPPED / f"{game}-{name}.npz"


@dataclass(frozen=True)
class Look:
    """What of an observation goes into a network: some planes, whole or as a window, and all scalars.

    :param planes: their names; ``own_tank_*`` is one plane with the cells of all planes whose names begin so
    :param around: the plane with the cell in the middle of the window; none: planes whole. Several planes: a row of inputs for each
        part of an action, from the window around its plane, so that the parts share the weights; then a row also tells which
        part it is, where the middle lies, and again the scalars whose names begin with the plane's
    :param reach: cells from the middle to the edge of the window. What lies off the board is 1 in the first of the planes
    :param far: a second window beside it, of as many blocks of 3 x 3 cells, each with the share of its cells
    """

    planes: tuple[str, ...]
    around: str | tuple[str, ...] | None = None
    reach: int = 0
    far: bool = False

    @property
    def middles(self) -> tuple[str, ...]:
        """The planes with the middles of windows."""
        return (self.around,) if isinstance(self.around, str) else self.around or ()

    @property
    def rows(self) -> int:
        """Rows of inputs for one observation."""
        return max(1, len(self.middles))

    def size(self, layout: Layout) -> int:
        """The number of inputs of a row."""
        cells = (1 + self.far) * (2 * self.reach + 1) ** 2 if self.middles else layout.rows * layout.cols
        return len(self.planes) * cells + len(layout.scalars) + (self._more(layout) if isinstance(self.around, tuple) else 0)

    def inputs(self, observations: Mapping[str, NDArray[Any]], layout: Layout) -> Array:
        """Dense observations ``[n, …]`` as rows of inputs, float32 ``[n, size]`` (``[n * rows, size]``, those of one observation together)."""
        planes, scalars = observations["observation"], observations["scalars"]
        seen = self._planes(planes, layout)
        if not self.middles:
            return _join([seen, scalars])
        count, (rows, cols) = len(planes), planes.shape[2:]
        index = [list(layout.planes).index(name) for name in self.middles]
        # Without such a cell it is 0, which is good enough.
        down, right = np.divmod(planes[:, index].reshape(count * self.rows, rows * cols).argmax(1), cols)
        lanes = np.repeat(np.arange(count), self.rows)
        parts = [self._window(seen, lanes, down, right), *([self._far(seen, lanes, down, right)] if self.far else []), scalars[lanes]]
        if isinstance(self.around, tuple):
            parts.append(np.stack([scalars[:, chosen] for chosen in self._of_parts(layout)], axis=1))
            parts.append(np.stack([down / rows, right / cols], axis=1))
            parts.append(np.tile(np.eye(self.rows), (count, 1)))
        return _join([part.reshape(len(lanes), -1) for part in parts])

    def check(self, game: str, layout: Layout) -> None:
        """Refuses what does not fit the game."""
        for name in (*self.planes, *self.middles):
            if not planes_of(name, layout) or (name in self.middles and name.endswith("*")):
                raise ValueError(f"{game} has no plane {name!r}; it has {', '.join(layout.planes)}")
        if isinstance(self.around, tuple) and self.rows != len(layout.parts):
            raise ValueError(f"the look has {self.rows} windows; {len(layout.parts)} are needed, one for each part of an action")
        if self.far and not self.middles:
            raise ValueError("far is True; without a window False is accepted")

    def _more(self, layout: Layout) -> int:
        return len(self._of_parts(layout)[0]) + 2 + self.rows

    def _of_parts(self, layout: Layout) -> list[list[int]]:
        """For each part the scalars that tell of it."""
        return [[at for at, name in enumerate(layout.scalars) if name.startswith(f"{middle}_")] for middle in self.middles]

    def _planes(self, planes: NDArray[Any], layout: Layout) -> NDArray[Any]:
        """The chosen ones, ``[n, planes, rows, cols]``."""
        chosen = [planes_of(name, layout) for name in self.planes]
        if all(len(one) == 1 for one in chosen):
            return planes[:, [one for (one,) in chosen]]
        return np.stack([planes[:, one].max(1) for one in chosen], axis=1)

    def _window(self, seen: NDArray[Any], lanes: NDArray[Any], down: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        count, planes, rows, cols = seen.shape
        reach = self.reach
        padded = np.zeros((count, planes, rows + 2 * reach, cols + 2 * reach), np.uint8)
        padded[:, 0] = 1
        padded[:, :, reach : reach + rows, reach : reach + cols] = seen
        windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1), axis=(2, 3))
        window: NDArray[Any] = windows[lanes, :, down, right]
        return window

    def _far(self, seen: NDArray[Any], lanes: NDArray[Any], down: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        """Blocks of 3 x 3 cells: sums around every cell, of which every third is taken."""
        count, planes, rows, cols = seen.shape
        edge = 3 * self.reach + 2
        padded = np.zeros((count, planes, rows + 2 * edge, cols + 2 * edge), np.uint8)
        padded[:, :, edge : edge + rows, edge : edge + cols] = seen
        sums = padded[:, :, :-2] + padded[:, :, 1:-1] + padded[:, :, 2:]
        sums = sums[..., :-2] + sums[..., 1:-1] + sums[..., 2:]
        side = 6 * self.reach + 1
        windows = np.lib.stride_tricks.sliding_window_view(sums, (side, side), axis=(2, 3))[..., ::3, ::3]
        far: NDArray[Any] = windows[lanes, :, down + 1, right + 1] / np.float32(9)
        return far


def planes_of(name: str, layout: Layout) -> list[int]:
    """The numbers of the planes that a name in :class:`Look` means."""
    if name.endswith("*"):
        return [number for number, known in enumerate(layout.planes) if known.startswith(name[:-1])]
    return [number for number, known in enumerate(layout.planes) if known == name]


def _join(parts: Sequence[NDArray[Any]]) -> Array:
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1, dtype=np.float32, casting="unsafe")


class Network(Policy):
    """A network that plays: an opponent, an entrant, and what :func:`leitai.serve_policy` and :func:`leitai.evaluate` take.

    :param game: the game's id
    :param look: what goes into it
    :param layers: the dense layers that policy and value share, each followed by ReLU
    :param policy: the layer of the choices, all parts in a row; of one part where the look has a row for each
    :param value: the layer of the value, one output from -1 (lost) to 1 (won); without it there is no search
    :param simulations: walks of a tree search before each step, with the network as its evaluator; 0: the likeliest choice
    :param about: how it was trained, in one sentence
    :raises ValueError: for layers that do not fit together or the game
    """

    def __init__(
        self,
        game: str,
        look: Look,
        layers: Sequence[Layer],
        policy: Layer,
        value: Layer | None = None,
        *,
        simulations: int = 0,
        about: str = "",
    ) -> None:
        super().__init__(lambda seen, _: self.act(seen).tolist(), batch=True)
        self.game, self.look, self.simulations, self.about = game, look, simulations, about
        self.layout = read_layout(Game(game))
        self.layers = [_layer(layer) for layer in layers]
        self.heads = _layer(policy), _layer(value) if value is not None else None
        self._check()

    # Looking

    def predict(self, observations: Mapping[str, NDArray[Any]]) -> tuple[Array, Array]:
        """Logits ``[n, choices]`` (``[n, parts, choices]``) and values ``[n]`` of dense observations ``[n, …]``."""
        x = self.look.inputs(observations, self.layout)
        for weights, biases in self.layers:
            x = np.maximum(x @ weights + biases, 0)
        (weights, biases), value = self.heads
        logits = (x @ weights + biases).reshape(-1, *self.layout.mask_shape)
        values = (x @ value[0] + value[1])[:, 0] if value else np.zeros(len(x), np.float32)
        return logits, values.reshape(len(logits), -1).mean(1)

    def evaluate(self, observations: Mapping[str, NDArray[Any]]) -> tuple[Array, Array]:
        """How likely each choice is, and values: an evaluator for :func:`leitai.search`."""
        logits, values = self.predict(observations)
        logits = np.where(observations["action_mask"] != 0, logits, -np.inf)
        odds = np.exp(logits - logits.max(-1, keepdims=True))
        return odds / odds.sum(-1, keepdims=True), values

    # Playing

    def act(self, observations: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
        """The likeliest choices, ``[n]`` or ``[n, parts]``, as :class:`leitai.gym.VectorEnv` takes them; without a search."""
        logits = np.where(observations["action_mask"] != 0, self.predict(observations)[0], -np.inf)
        said: NDArray[np.int64] = logits.argmax(-1)
        return said

    def choose_all(self, asked: Sequence[tuple[Leg, int]]) -> Sequence[Any]:
        """The actions of several positions, with the seats that are asked there."""
        for leg, _ in asked:
            if leg.game != self.game:
                raise ValueError(f"this policy plays {self.game}; it was asked in a leg of {leg.game}")
        if self.simulations == 0:
            return super().choose_all(asked)
        from .tree_search import search_all

        found = search_all([leg for leg, _ in asked], self.evaluate, simulations=self.simulations)
        return [one.best(seat) for one, (_, seat) in zip(found, asked)]

    def with_search(self, simulations: int) -> Network:
        """The same network with another number of simulations before each step."""
        return Network(self.game, self.look, self.layers, *self.heads, simulations=simulations, about=self.about)

    # Files

    def save(self, path: str | os.PathLike[str], *, half: bool = False) -> None:
        """Writes the file, which is a bot: ``leitai match kob mine.npz level4``.

        :param path: it ends with ``.npz``
        :param half: in 16 bits a number: half as large, and as good for playing
        """
        if not os.fspath(path).endswith(".npz"):
            raise ValueError(f"{os.fspath(path)!r} does not end with .npz")
        told = {"format": FORMAT, "game": self.game, "look": asdict(self.look), "simulations": self.simulations, "about": self.about}
        arrays = {name: array.astype(np.float16 if half else np.float32) for name, array in self._arrays().items()}
        np.savez(path, leitai=np.array(json.dumps(told)), **arrays)  # type: ignore[arg-type]
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(zipfile.ZipInfo("main.py"), MAIN)

    @staticmethod
    def load(name: str | os.PathLike[str], game: str | None = None) -> Network:
        """Reads a file, or a policy that ships with the package by its name.

        :param name: a path that ends with ``.npz``, a folder with what is in such a file, or a name in :func:`leitai.policies`
        :param game: the game that it must be for; a name needs it
        :raises FileNotFoundError: if there is no such file
        :raises ValueError: for an unknown name, a file that is none, or one of another game
        """
        path = find_policy(game, name)
        net = _read(path)
        if game not in (None, net.game):
            raise ValueError(f"{path} is a policy of {net.game}; one of {game} is needed")
        return net

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self.game, self.look, self.layers, *self.heads, self.simulations, self.about)

    def __repr__(self) -> str:
        return f"<leitai.Network of {self.game}: {self.about or 'no word about it'}>"

    def _arrays(self) -> dict[str, Array]:
        named: dict[str, Layer | None] = {f"layer{number}": layer for number, layer in enumerate(self.layers)}
        named |= {"policy": self.heads[0], "value": self.heads[1]}
        return {f"{name}.{part}": array for name, layer in named.items() if layer for part, array in zip(("weights", "biases"), layer)}

    def _check(self) -> None:
        self.look.check(self.game, self.layout)
        size, choices = self.look.size(self.layout), sum(map(len, self.layout.parts)) // self.look.rows
        if not 0 <= self.simulations <= MAX_SIMULATIONS:
            raise ValueError(f"simulations is {self.simulations}; 0 to {MAX_SIMULATIONS} are accepted")
        if self.simulations and (len(self.layout.parts) > 1 or self.heads[1] is None):
            raise ValueError(f"simulations is {self.simulations}; a search needs a value, and a game whose actions are one number")
        for number, (weights, _) in enumerate(self.layers):
            _fits(f"layer{number}", self.layers[number], size, None)
            size = weights.shape[1]
        _fits("policy", self.heads[0], size, choices)
        if self.heads[1] is not None:
            _fits("value", self.heads[1], size, 1)


def _layer(layer: tuple[ArrayLike, ArrayLike]) -> Layer:
    """In float32; arrays that have this type are not copied, so that a network may go on learning while it plays."""
    weights, biases = layer
    return np.asarray(weights, np.float32), np.asarray(biases, np.float32)


def _make(*words: Any) -> Network:
    *words, simulations, about = words  # type: ignore[assignment]
    return Network(*words, simulations=simulations, about=about)


def _fits(name: str, layer: Layer, inputs: int, outputs: int | None) -> None:
    weights, biases = layer
    wanted = weights.ndim == 2 and weights.shape[0] == inputs and biases.shape == weights.shape[1:]
    if not wanted or outputs not in (None, weights.shape[1]):
        needed = f"[{inputs}, {outputs or 'n'}] and [{outputs or 'n'}]"
        raise ValueError(f"{name} has weights {list(weights.shape)} and biases {list(biases.shape)}; {needed} are needed")
    if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
        raise ValueError(f"{name} has numbers that are not finite")


def _read(path: Path) -> Network:
    try:
        arrays = _read_arrays(path)
        told = json.loads(str(arrays.pop("leitai")[()]))
        if told["format"] != FORMAT:
            raise ValueError(f"its format is {told['format']!r}; {FORMAT!r} is read")
        layer = {name: (arrays[f"{name}.weights"], arrays[f"{name}.biases"]) for name in {one.split(".")[0] for one in arrays}}
        look = _read_look(told["look"])
        shared = [layer[f"layer{number}"] for number in range(sum(name.startswith("layer") for name in layer))]
        simulations, about = int(told["simulations"]), str(told["about"])
        return Network(str(told["game"]), look, shared, layer["policy"], layer.get("value"), simulations=simulations, about=about)
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as why:
        said = f"{why} is missing" if isinstance(why, KeyError) else str(why)
        raise ValueError(f"{path} is no policy: {said}; leitai.Network.save writes one") from why


def _read_look(told: dict[str, Any]) -> Look:
    around = told["around"]
    around = tuple(map(str, around)) if isinstance(around, list) else around
    return Look(tuple(told["planes"]), around, int(told["reach"]), bool(told.get("far", False)))


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    if path.is_dir():
        return {file.stem: np.load(file, allow_pickle=False) for file in path.glob("*.npy")}
    with zipfile.ZipFile(path) as archive:
        size = sum(part.file_size for part in archive.infolist())
    if size > MAX_BYTES:
        raise ValueError(f"it holds {size} bytes; at most {MAX_BYTES} are read")
    with np.load(path, allow_pickle=False) as found:
        return {name: found[name] for name in found.files if name != "main.py"}


def _plays_a_network(path: Path) -> bool:
    """Whether the program in this file is ours; anybody's may lie in a zip archive with this ending."""
    try:
        with zipfile.ZipFile(path) as archive:
            return b"leitai.Network" in archive.read("main.py")
    except (zipfile.BadZipFile, KeyError):
        return True


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: python3 -m leitai.network GAME NAME")
    try:
        found = find_policy(*sys.argv[1:])
        if _plays_a_network(found):
            Network.load(found, sys.argv[1])
        print(found.resolve())  # What leitai match asks for python:NAME, and of a file.
    except (OSError, ValueError) as unknown:
        print(unknown, file=sys.stderr)
        sys.exit(2)
