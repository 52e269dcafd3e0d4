"""Programs side by side: what the allocator and the C library of a release cost, in CPU seconds.

    python3 measure.py [--rounds 7] PROGRAM PROGRAM …

Each PROGRAM is a `leitai` of the same commit. In each round all of them do the same work, one after the other and from another
one each time: legs of built-in levels, an analysis of a replay, and an arena that four clients ask for its page
and its lists. Told are the median and the range of the CPU seconds (user and system, of the
program and what it started), and the median of the ratio to the first program within a round; of the arena also its
largest memory.
"""

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PORT = 18474
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
# Work of the program itself.
COMMANDS = {
    "legs, SnakeGo": "match snakego level3 level4 --no-replay --matches {n} --seed {seed}",
    "legs, King of Bots": "match kob level3 level4 --no-replay --matches {n} --seed {seed}",
    "legs, TankCraft": "match tankcraft level2 level3 --no-replay --matches {n} --seed {seed}",
    "analysis": "analyze {replay} --json",
}
ADDRESSES = ["/", "/llms.txt", "/api/games", "/api/games/snakego/ladder", "/api/lobby", "/api/matches?limit=50", "/api/openapi.json", "/api/search?q=level"]


def cpu_of(words: list[str]) -> float:
    """CPU seconds of a command with all that it waited for."""
    silent = [(os.POSIX_SPAWN_OPEN, place, os.devnull, os.O_WRONLY, 0) for place in (1, 2)]
    child = os.posix_spawnp(words[0], words, os.environ, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"measure: {' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime


def read_cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_memory(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def ask(addresses: list[str], requests: int, failures: list[str]) -> None:
    line = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    for number in range(requests):
        address = addresses[number % len(addresses)]
        line.request("GET", address, headers={"Accept-Encoding": "gzip"})
        answer = line.getresponse()
        answer.read()
        if answer.status != 200:
            failures.append(f"{address}: {answer.status}")


def serve_and_ask(program: str, requests: int) -> tuple[float, float]:
    """CPU milliseconds of an arena for each request, and its largest memory in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "serve", "--listen", f"127.0.0.1:{PORT}", "--data", folder, "--slots", "0", "--no-exhibitions"]
        server = subprocess.Popen(words, **QUIET)
        try:
            await_answer(server)
            failures: list[str] = []
            ask(ADDRESSES, len(ADDRESSES) * 20, failures)
            before = read_cpu(server.pid)
            clients = [threading.Thread(target=ask, args=(ADDRESSES, requests, failures)) for _ in range(4)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            used = read_cpu(server.pid) - before
            if failures:
                raise SystemExit(f"measure: {len(failures)} requests failed, the first: {failures[0]}")
            return used * 1000 / (4 * requests), peak_memory(server.pid)
        finally:
            server.terminate()
            server.wait()


def await_answer(server: subprocess.Popen) -> None:
    for _ in range(600):
        if server.poll() is not None:
            raise SystemExit(f"measure: the arena ended with {server.returncode}")
        try:
            return ask(["/healthz"], 1, [])
        except OSError:
            time.sleep(0.1)
    raise SystemExit("measure: the arena did not open within a minute")


def measure_round(programs: list[str], turn: int, options: argparse.Namespace, replay: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    order = programs[turn % len(programs) :] + programs[: turn % len(programs)]
    for what, text in COMMANDS.items():
        words = text.format(n=options.matches, seed=turn + 1, replay=replay).split()
        found[what + ", s"] = {program: cpu_of([program, *words]) for program in order}
    arena = {program: serve_and_ask(program, options.requests) for program in order}
    found["a request, ms"] = {program: cpu for program, (cpu, _) in arena.items()}
    found["memory of the arena, MiB"] = {program: memory for program, (_, memory) in arena.items()}
    return found


def show(programs: list[str], rounds: list[dict[str, dict[str, float]]]) -> None:
    print("| what | " + " | ".join(programs) + " |\n|---|" + "---|" * len(programs))
    for what in rounds[0]:
        cells = []
        for program in programs:
            values = sorted(one[what][program] for one in rounds)
            ratio = statistics.median(one[what][program] / one[what][programs[0]] for one in rounds)
            cells.append(f"{statistics.median(values):.3g} ({values[0]:.3g}–{values[-1]:.3g}), × {ratio:.2f}")
        print(f"| {what} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--matches", type=int, default=100)
    options.add_argument("--requests", type=int, default=500, help="of each of four clients")
    options.add_argument("programs", nargs="+")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        replay = f"{folder}/replay.json"
        subprocess.run([given.programs[0], "match", "kob", "level2", "level3", "--seed", "1", "--replay", replay], check=True, **QUIET)
        rounds = []
        for turn in range(given.rounds):
            rounds.append(measure_round(given.programs, turn, given, replay))
            print(f"round {turn + 1} of {given.rounds}", file=sys.stderr, flush=True)
        show(given.programs, rounds)
        print(json.dumps({"loads": os.getloadavg()}), file=sys.stderr)


if __name__ == "__main__":
    main()
