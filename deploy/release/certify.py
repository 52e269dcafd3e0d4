"""The certificate of parity: that a program judges every game of the corpora as it was recorded, and what matches it plays.

    python3 certify.py PROGRAM FOLDER...

Each FOLDER has corpora as GAME/FILE or GAME/golden/FILE. For each file the certificate has its SHA-256 and how many of its games agree, and for
matches of built-in bots with fixed seeds the SHA-256 of every leg's states, as `leitai replay trace` prints them. It says
nothing of the machine: another one, of whatever processor, makes the same bytes. The status is 1 if a game differs.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PAIRS = {"kob": ("level3", "space"), "snakego": ("level3", "greedy"), "tankcraft": ("level3", "miner")}
SEEDS = range(1, 6)
LEGS = (1, 2)


def run(program: str, *words: str) -> bytes:
    return subprocess.run([program, *words], stdout=subprocess.PIPE, check=True).stdout


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def compare_corpus(program: str, game: str, file: Path) -> dict:
    answer = subprocess.run([program, "parity", game, str(file), "--json"], stdout=subprocess.PIPE, check=False)
    counts = json.loads(answer.stdout)
    name = f"{game}/{file.name}"
    return {"file": name, "sha256": sha256(file.read_bytes()), "games": counts["games"], "agree": counts["agree"]}


def play_match(program: str, game: str, seed: int, folder: str) -> dict:
    replay = f"{folder}/{game}-{seed}.json"
    one, two = PAIRS[game]
    run(program, "match", game, one, two, "--seed", str(seed), "--legs", str(len(LEGS)), "--replay", replay, "--json")
    legs = [sha256(run(program, "replay", "trace", replay, "--leg", str(leg))) for leg in LEGS]
    return {"game": game, "bots": [one, two], "seed": seed, "legs": legs}


def certify(program: str, folders: list[str]) -> dict:
    version = run(program, "--version").decode().split()[1]
    places = [(game, Path(folder, game)) for folder in folders for game in PAIRS]
    files = [(game, file) for game, place in places for file in sorted([*place.glob("*.json*"), *place.glob("golden/*.json*")])]
    corpora = [compare_corpus(program, game, file) for game, file in files]
    with tempfile.TemporaryDirectory() as folder:
        matches = [play_match(program, game, seed, folder) for game in PAIRS for seed in SEEDS]
    return {"format": "leitai-parity-certificate/1", "version": version, "corpora": corpora, "matches": matches}


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    certificate = certify(sys.argv[1], sys.argv[2:])
    print(json.dumps(certificate, indent=1))
    agrees = all(corpus["games"] == corpus["agree"] > 0 for corpus in certificate["corpora"])
    sys.exit(0 if certificate["corpora"] and agrees else 1)
