#!/usr/bin/env python3
"""What the parts of a cable's step take of its time, by Linux perf, and what sharing them among two threads could gain at the most.

    cargo build --release -p pliant-cli
    python3 peers/shares.py scenes/winding.toml --set body.wire.segments=2560

Samples of `pliant bench SCENE --threads 1` are counted by the file of the engine that they are in, after what was inlined there.
"""
import collections
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PLIANT = os.environ.get("PLIANT", os.path.join(ROOT, "target", "release", "pliant"))
# links or contacts that do not wait for each other
APART = {
    "residual and tangent": ("cable/joint", "cable/equations/assembly"),
    "contacts": ("cable/contact", "contact/", "cable/solver/gauss_seidel/touches", "cable/solver/gauss_seidel/projection", "math/exp", "math/log"),
}
# two chains of links, from the ends to the middle, which one core works on in turn
CHAINS = {"elimination and solution": ("cable/algebra",)}
# small helpers that are inlined everywhere: who calls them counts
SMALL = ("lanes.rs", "math.rs", "kernel.rs", "cable/algebra/block.rs", "cable/joint/three.rs")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=True, **more).stdout


def samples(data):
    """Addresses in the program, as they are in its file, with how often each was seen; and how many samples there are."""
    maps = [line for line in run("perf", "script", "-i", data, "--show-mmap-events").split("\n") if "MMAP" in line]
    here = next(line for line in maps if "r-xp" in line and PLIANT in line)
    start, rest = here.split("[")[1].split("(")
    size, offset = rest.split(")")[0], rest.split("@")[1].split()[0]
    start, size, offset = int(start, 16), int(size, 16), int(offset, 16)
    shift = 0
    for line in run("readelf", "-lW", PLIANT).split("\n"):
        part = line.split()
        if part[:1] == ["LOAD"] and int(part[1], 16) - 0x1000 < offset + 0x1000 and "E" in part[6:8]:
            shift = int(part[2], 16) - int(part[1], 16)
    all_of = [int(word, 16) for word in run("perf", "script", "-i", data, "-F", "ip").split()]
    inside = collections.Counter(ip - start + offset + shift for ip in all_of if start <= ip < start + size)
    return inside, len(all_of)


def files(addresses):
    """For each address the files of the functions that are inlined there, the innermost first."""
    text = run("addr2line", "-e", PLIANT, "-i", "-a", input="\n".join(map(hex, addresses)))
    found, at = {}, None
    for line in text.split("\n"):
        if line.startswith("0x"):
            at = int(line, 16)
            found[at] = []
        elif line:
            found[at].append(line.rsplit(":", 1)[0])
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        run("perf", "record", "-e", "cpu-clock", "-F", "999", "-o", data, PLIANT, "bench", *sys.argv[1:], "--threads", "1", "--json", cwd=ROOT)
        inside, count = samples(data)
    places, shares = files(inside), collections.Counter()
    for address, times in inside.items():
        own = [name.split("/pliant/src/", 1)[1] for name in places.get(address, []) if "/pliant/src/" in name]
        telling = [name for name in own if name not in SMALL]
        others = [name.rsplit("/src/", 1)[-1] for name in places.get(address, [])]
        name = (telling or own or others or ["?"])[0]
        groups = {**APART, **CHAINS}
        shares[next((group for group, begins in groups.items() if name.startswith(begins)), "the rest")] += times
    shares["the rest"] += count - sum(inside.values())
    for group, times in shares.most_common():
        print(f"{100 * times / count:5.1f} %  {group}")
    shared = sum(shares[group] for group in [*APART, *CHAINS]) / count
    print(f"if all but the rest took half the time on two threads: {1.0 / (1.0 - 0.5 * shared):.2f} times as fast")


if __name__ == "__main__":
    main()
