#!/usr/bin/env python3
"""What a second thread gains in a scene, beside what a second core of this machine could give.

    cargo build --release -p pliant-cli
    python3 peers/threads.py scenes/winding.toml --set body.wire.segments=2560

The mean step by `pliant bench` with one thread, with two, and with one thread in two runs at the same time, which share
nothing but the machine's caches, memory and clock: two threads cannot gain more than those do. Three rounds, their medians.
"""
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PLIANT = os.environ.get("PLIANT", os.path.join(ROOT, "target", "release", "pliant"))


def begin(threads):
    command = [PLIANT, "bench", *sys.argv[1:], "--json", "--threads", str(threads)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def mean(*runs):
    """Mean step [ms] of runs that go on at the same time."""
    told = [run.communicate()[0] for run in runs]
    if any(run.returncode for run in runs):
        sys.exit("pliant bench failed; say --help for what it takes")
    return statistics.mean(json.loads(text)["mean_us"] for text in told) / 1000


if len(sys.argv) < 2:
    sys.exit(__doc__)
rounds = [(mean(begin(1)), mean(begin(2)), mean(begin(1), begin(1))) for _ in range(3)]
one, two, beside = (statistics.median(column) for column in zip(*rounds))
print(f"one thread {one:.2f} ms, two {two:.2f} ms: {one / two:.2f} times as fast")
print(f"two runs of one thread at the same time {beside:.2f} ms each: two cores give {2 * one / beside:.2f} times as much")
