"""Line coverage of each crate, from what `llvm-cov export -summary-only` wrote: `./dev coverage`."""

import json
import os
import sys
from collections import defaultdict

ROOT = os.getcwd()


def crate_of(path):
    """`games/kob` for a file of its sources; None for tests, examples and what is not ours."""
    parts = os.path.relpath(path, ROOT).split(os.sep)
    if "src" not in parts or parts[0] not in ("crates", "games", "xtask"):
        return None
    return "/".join(parts[: parts.index("src")])


def main(path):
    with open(path, encoding="utf-8") as file:
        files = json.load(file)["data"][0]["files"]
    sums = defaultdict(lambda: [0, 0])
    for one in files:
        crate, lines = crate_of(one["filename"]), one["summary"]["lines"]
        for name in (crate, "all of them"):
            if crate:
                sums[name][0] += lines["covered"]
                sums[name][1] += lines["count"]
    print("| crate | lines | covered |\n|---|---|---|")
    for name, (covered, count) in sorted(sums.items(), key=lambda item: (item[0] == "all of them", item[0])):
        print(f"| {name} | {count:,} | {100 * covered / max(count, 1):.1f} % |")


main(sys.argv[1])
