#!/usr/bin/env python3
"""Tables and a picture of a run of the peers, for README and book: nothing in them is written by hand.

    target/peers/plot/bin/python peers/report.py [peers/results/DATE.json]     the newest, if none is named
"""

from __future__ import annotations

import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

TITLES = {
    "hang": "A cable is let go from the horizontal",
    "cantilever": "A heavy cantilever comes to rest",
    "winding": "Two turns on a drum, kept taut",
    "capstan": "A cable over a drum begins to slide",
    "many": "64 cables of 40 segments on the ground",
    "knot": "A loose knot is pulled tight",
    "bar": "A soft bar, ten times as long as thick, sags by 2 %",
    "arm": "Dynamics of an arm of seven joints",
}
# what is the error of a job
ERRORS = {
    "hang": "tip after 0.3 s, over the length, against an independent solution",
    "cantilever": "tip at rest, over the length, against the heavy elastica",
    "winding": None,
    "capstan": "pull at which it slides, against the law for a cable of this thickness",
    "many": None,
    "knot": None,
    "bar": "tip, against Timoshenko's beam, of its deflection",
}


def name(row: dict) -> str:
    return f"{row['engine']} {row['how']}".strip() if row["engine"] == "Pliant" else f"{row['engine']}{', ' + row['how'] if row['how'] else ''}"


def apart(a: list, b: list) -> float:
    """The largest difference of two lists of numbers, or of lists of them."""
    return max((apart(x, y) if isinstance(x, list) else abs(x - y) for x, y in zip(a, b)), default=0.0)


def number(value: float | None, shape: str = "{:.2g}") -> str:
    return "" if value is None else shape.format(value)


def speed(row: dict) -> str:
    if row.get("ms") is None:
        return ""
    if row["job"] == "many":
        # cable-seconds in a second
        return f"{64 * 10.0 / row['ms']:.3g}"
    return f"{row['ms']:.3g}"


def step(value: float | None) -> str:
    return "none tried" if value is None else f"{1e3 * value:.3g} ms"


def table(whole: dict) -> str:
    """All rows of a run, a table for each job."""
    parts = []
    for job, title in TITLES.items():
        rows = [row for row in whole["rows"] if row["job"] == job]
        if not rows:
            continue
        unit = "cable-seconds a second" if job == "many" else "ns" if job == "arm" else "ms a 10 ms"
        columns = ["", "cells across" if job == "bar" else "segments", "step", unit]
        if job == "arm":
            columns = ["", "what", unit]
        if ERRORS.get(job):
            columns.append("error")
        if job in ("winding", "capstan", "many", "knot"):
            columns.append("deepest [mm]")
        columns.append("")
        lines = [f"**{title}**" + (f" (error: {ERRORS[job]})" if ERRORS.get(job) else ""), "", "| " + " | ".join(columns) + " |",
                 "|---" * len(columns) + "|"]  # fmt: skip
        for row in rows:
            if job == "arm":
                lines.append("| " + " | ".join([name(row), row["what"], number(row.get("ns"), "{:.0f}"), row.get("wrong") or ""]) + " |")
                continue
            # of what did not do the job no figure means anything
            good = not row.get("wrong")
            cells = [name(row), str(row["segments"]), step(row["step"]), speed(row) if row.get("ms") else ""]
            if ERRORS.get(job):
                cells.append(number(row.get("error")) if good else "")
            if "deepest [mm]" in columns:
                cells.append(number(1e3 * row["depth"]) if good and row.get("depth") is not None else "")
            cells.append(row.get("wrong") or "")
            lines.append("| " + " | ".join(cells) + " |")
        parts.append("\n".join(lines))
    if whole["steps"]:
        lines = ["**Largest step with which the free cable of 40 segments stays whole**", "", "| | step |", "|---|---|"]
        for row in whole["steps"]:
            lines.append(f"| {name(row)} | {step(row['step']) if row['step'] else 'none down to 0.02 ms'} |")
        parts.append("\n".join(lines))
    for engine, why in whole["refused"].items():
        parts.append(f"{engine} {why}.")
    return "\n\n".join(parts)


def best(whole: dict, job: str, engine: str, segments: int | None = None) -> dict | None:
    """The fastest row of an engine that does a job."""
    rows = [r for r in whole["rows"] if r["job"] == job and r["engine"] == engine and not r.get("wrong") and r.get("ms")]
    rows = [r for r in rows if segments is None or r["segments"] == segments]
    if job == "many":
        rows = [r for r in rows if "threads" not in r["changes"]]
    if engine == "Pliant":
        rows = [r for r in rows if r["changes"].get("model") == "cable"]
    return min(rows, key=lambda r: r["ms"]) if rows else None


def short(whole: dict) -> str:
    """README's table: for each job and engine the fastest set-up that does the job."""
    engines = [e for e in ("Pliant", "MuJoCo 4", "MuJoCo 3", "Rapier", "PyElastica", "Newton") if e in whole["versions"]]
    heads = ["Pliant, `cable`" if e == "Pliant" else f"{e.split()[0]} {whole['versions'][e]}" for e in engines]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(engines) + 1) + "|"]

    def line(title: str, job: str, cell) -> None:  # noqa: ANN001
        cells = []
        for engine in engines:
            row = best(whole, job, engine)
            if row is None:
                tried = [r for r in whole["rows"] if r["job"] == job and r["engine"] == engine]
                cells.append(tried[0]["wrong"] if tried and tried[0].get("wrong") else "")
            else:
                cells.append(cell(row))
        lines.append(f"| {title} | " + " | ".join(cells) + " |")

    def plain(row: dict) -> str:
        return f"{row['ms']:.2g} ms, {row['error']:.1g}, {row['segments']} segments"

    def deep(row: dict) -> str:
        return f"{row['ms']:.2g} ms, {1e3 * row['depth']:.1g} mm, {row['segments']} segments"

    line("swings freely: time for 10 ms, error of the tip / length", "hang", plain)
    line("heavy cantilever: error of the tip at rest / length", "cantilever", lambda r: f"{r['error']:.1g}, {r['segments']} segments")
    line("two turns on a drum: time for 10 ms, deepest place", "winding", deep)
    line("slides over a drum: time for 10 ms, error of the pull", "capstan", lambda r: f"{r['ms']:.2g} ms, {100 * r['error']:.2g} %")
    line("64 cables on the ground, one thread: cable-seconds a second", "many", speed)
    line("a knot is pulled tight: time for 10 ms, deepest place in itself", "knot", deep)
    cells = []
    for engine in engines:
        steps = [r["step"] for r in whole["steps"] if r["engine"] == engine and r["step"] and (engine != "Pliant" or r["how"] == "cable")]
        cells.append(step(max(steps)) if steps else "")
    lines.append("| largest step with which it stays whole, swinging freely, 40 segments | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def origin(whole: dict) -> str:
    machine = whole["machine"]
    return (
        f"From `peers/run` of {whole['date']}, one thread of {machine['processor']}, {machine['cores']} cores"
        + (f", with a load of {machine['load']} from other programs when it began" if machine["load"] > 0.3 else "")
        + "."
        + (f" {whole['note']}" if whole.get("note") else "")
    )


def picture(whole: dict, file: str) -> None:
    """Time against error, and time against depth: what lies to the lower left is better."""
    import matplotlib

    matplotlib.use("svg")
    # the same file from the same run
    matplotlib.rcParams["svg.hashsalt"] = "pliant"
    import matplotlib.pyplot as plt

    colours = {"Pliant": "#c0392b", "MuJoCo 4": "#2471a3", "MuJoCo 3": "#7fb3d5", "PyElastica": "#229954", "Newton": "#7d3c98", "Rapier": "#b9770e"}
    figure, axes = plt.subplots(1, 3, figsize=(12.0, 4.2), layout="constrained")
    shown = [("cantilever", "error", "error of the tip at rest / length", 1.0), ("winding", "depth", "deepest place in the drum [mm]", 1e3),
             ("capstan", "error", "error of the pull that slides", 1.0)]  # fmt: skip
    for axis, (job, key, label, factor) in zip(axes, shown):
        for row in whole["rows"]:
            if row["job"] != job or row.get("wrong") or not row.get("ms") or not row.get(key):
                continue
            model = row["changes"].get("model", "cable")
            marker = {"cable": "o", "chain": "s", "xpbd": "^"}[model]
            axis.plot(row["ms"], max(factor * row[key], 1e-6), marker, color=colours[row["engine"]], markersize=7)
            words = f" {row['segments']}" + (f" {model}" if row["engine"] == "Pliant" else "")
            place = (row["ms"], max(factor * row[key], 1e-6))
            axis.annotate(words, place, (4, 0), textcoords="offset points", fontsize=7, color=colours[row["engine"]], va="center")
        axis.set(xscale="log", yscale="log", title=TITLES[job], xlabel="time for 10 ms [ms]", ylabel=label)
        axis.grid(True, which="major", alpha=0.3)
        axis.margins(0.15)
    for engine, colour in colours.items():
        axes[0].plot([], [], "o", color=colour, label=f"{engine.split()[0]} {whole['versions'].get(engine) or ''}")
    figure.legend(loc="outside lower center", ncol=6, fontsize=8, frameon=False)
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


def replace(file: str, text: str) -> None:
    """What stands between the marks of a file becomes this."""
    with open(file) as opened:
        whole = opened.read()
    begin, end = "<!-- peers: made by peers/report.py -->\n", "<!-- /peers -->"
    if begin not in whole or end not in whole:
        sys.exit(f"{file} has no place for it, between {begin.strip()} and {end}")
    before, rest = whole.split(begin, 1)
    after = rest.split(end, 1)[1]
    with open(file, "w") as opened:
        opened.write(before + begin + text + "\n" + end + after)


def tell(whole: dict) -> None:
    """Put a run into README and book."""
    images = os.path.join(ROOT, "book", "src", "images")
    picture(whole, os.path.join(images, "peers.svg"))
    replace(os.path.join(ROOT, "README.md"), origin(whole) + "\n\n" + short(whole))
    replace(os.path.join(ROOT, "book", "src", "peers.md"), origin(whole) + f" {whole['seconds'] / 60:.0f} minutes.\n\n" + table(whole))


def main() -> None:
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "results", "*.json")))[-1:]
    if not files:
        sys.exit("there is no run in peers/results: peers/run makes one")
    with open(files[0]) as file:
        tell(json.load(file))


if __name__ == "__main__":
    main()
