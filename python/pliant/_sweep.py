"""One scene run many times with other values, on all cores or on a cluster, with the outcomes as a table."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal

from ._bundle import Bundle, pack
from ._pliant import World, __version__, load
from ._workers import Died, Processes, RayCluster, Task, Workers

_OWN = ("run", "status", "error", "attempts", "time")


def sweep(
    scene: str | os.PathLike[str] | Mapping[str, Any],
    vary: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]],
    *,
    out: str | os.PathLike[str],
    on: Literal["local", "ray"] = "local",
    measure: Sequence[str] | Mapping[str, str] | Callable[[World], Mapping[str, Any]] | None = None,
    workers: int | None = None,
    retries: int = 3,
    base: str | os.PathLike[str] | None = None,
    address: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Run a scene once for every combination of the values in `vary`, and return a `pyarrow.Table` with a row for each.

        table = pliant.sweep(
            "scenes/winding.toml",
            vary={"body.wire.radius": [0.001, 0.002], "material.silicone.young": [2e6, 4e6, 8e6]},
            measure=["body.wire.tension.max", "max gripper.hand.force.norm"],
            out="runs/winding",
        )

    `vary` has lists of values by name, as overrides of a scene, or is a list of dictionaries, one for each run. `scene`
    is a path, or a dictionary as for `World`, with `base` for the folder of its files; files that scene and values name
    (meshes, tables, URDF files with their meshes) are read once and go along, wherever runs are made.

    A run goes to the end of its scene: vary `duration` for another one.

    `measure` is a list of quantities as for `World.measure`, each as it is at the end, or with "max " or "min " before it over
    the whole run; or a dictionary of such by the name of their columns; or a function of the world at the end that
    returns numbers, text or arrays by name. It must be importable by other processes. The scene's own expectations are columns
    in any case.

    `on="local"` uses `workers` processes, as many as there are cores unless given; `on="ray"` the Ray cluster that is
    connected, or at `address`. Runs whose process or machine dies are made again, up to `retries` times; a run that fails
    by itself would fail again, and is told by its columns `status` ("done", "failed" or "lost") and `error`.

    `out` is a folder. Each outcome is there as soon as it is known, under the number of its run, so that the same call
    goes on where one was interrupted: nothing is lost, nothing is there twice. At the end it holds `results.parquet`.
    `progress` is called with the number of runs that are known and that of all.

    Functions defined in a script need `if __name__ == "__main__":` around the call, as all of Python's processes do.
    """
    arrow = _arrow()
    runs = _runs(vary)
    # a scene that is wrong in itself is told now, not by a table of failures
    World(dict(scene), base=base) if isinstance(scene, Mapping) else load(scene)
    bundle, changes = pack(scene, base, runs)
    quantities, function = _measured(measure)
    _refuse_doubles(runs, quantities)
    task = Task(bundle, quantities, function)
    with _Folder(Path(out), _manifest(bundle, runs, quantities, function), arrow) as folder:
        known = folder.known()
        pending = deque(run for run in range(len(runs)) if run not in known)
        if progress is not None:
            progress(len(runs) - len(pending), len(runs))
        if pending:
            count = workers if workers is not None else os.cpu_count() or 1
            crew: Workers
            if on == "local":
                crew = Processes(task, min(count, len(pending)))
            elif on == "ray":
                crew = RayCluster(task, address, workers)
            else:
                raise ValueError(f'expected on="local" or on="ray", got {on!r}')
            try:
                _work(crew, folder, runs, changes, pending, retries, progress)
            finally:
                crew.close()
        return folder.complete(len(runs))


def _work(
    crew: Workers,
    folder: _Folder,
    runs: list[dict[str, Any]],
    changes: list[dict[str, Any]],
    pending: deque[int],
    retries: int,
    progress: Callable[[int, int], None] | None,
) -> None:
    attempts: dict[int, int] = {}
    flying = 0
    left = len(pending)
    while pending or flying:
        while pending and (not flying or crew.room() > 0):
            run = pending.popleft()
            attempts[run] = attempts.get(run, 0) + 1
            crew.submit(run, changes[run])
            flying += 1
        for run, outcome in crew.wait():
            flying -= 1
            if isinstance(outcome, Died):
                if attempts[run] <= retries:
                    pending.append(run)
                    continue
                outcome = {"status": "lost", "error": f"{outcome.why}, {attempts[run]} times", "time": None}
            folder.keep({"run": run, **runs[run], "attempts": attempts[run], **outcome})
            left -= 1
            if progress is not None:
                progress(len(runs) - left, len(runs))


class _Folder:
    """Where outcomes are kept: a small file for each run, put there whole, and one table at the end."""

    def __init__(self, path: Path, manifest: dict[str, Any], arrow: Any) -> None:
        self._path, self._manifest, self._arrow = path, manifest, arrow
        self._parts = path / "parts"
        self._results = path / "results.parquet"
        self._lock: IO[str] | None = None

    def __enter__(self) -> _Folder:
        self._parts.mkdir(parents=True, exist_ok=True)
        self._lock = (self._path / "lock").open("w")
        _lock(self._lock, self._path)
        told = self._path / "sweep.json"
        if told.exists():
            before = json.loads(told.read_text(encoding="utf-8"))
            if before != self._manifest:
                other = [key for key in self._manifest if before.get(key) != self._manifest[key]]
                self.__exit__()
                raise ValueError(
                    f"{self._path} holds another sweep, which differs in {', '.join(other)}: "
                    "go on with what it was begun with, or choose another folder"
                )
        else:
            _put(told, lambda path: path.write_text(json.dumps(self._manifest, indent=1), encoding="utf-8"))
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _read(self) -> list[Any]:
        """All tables that are there, none with a run of another."""
        tables = []
        if self._results.exists():
            whole = self._arrow.parquet.read_table(self._results)
            # a run that is there by itself has been made again since
            newer = {int(path.stem) for path in self._parts.glob("*.parquet")}
            tables.append(whole.filter([run not in newer for run in whole["run"].to_pylist()]))
        return tables + [self._arrow.parquet.read_table(path) for path in sorted(self._parts.glob("*.parquet"))]

    def known(self) -> set[int]:
        """Runs whose outcome is known; those that were lost are made again."""
        known: set[int] = set()
        for table in self._read():
            pairs = zip(table["run"].to_pylist(), table["status"].to_pylist(), strict=True)
            known |= {run for run, status in pairs if status != "lost"}
        return known

    def keep(self, row: dict[str, Any]) -> None:
        """Keep the outcome of a run, whole or not at all."""
        table = self._arrow.Table.from_pylist([row])
        _put(self._parts / f"{row['run']:09}.parquet", lambda path: self._arrow.parquet.write_table(table, path))

    def complete(self, count: int) -> Any:
        """All outcomes as one table, in order, also as a file in place of the many."""
        table = self._arrow.concat_tables(self._read(), promote_options="permissive").sort_by("run")
        if table["run"].to_pylist() != list(range(count)):
            raise RuntimeError(f"{self._path} does not hold each of {count} runs once")
        _put(self._results, lambda path: self._arrow.parquet.write_table(table, path))
        for path in self._parts.glob("*.parquet"):
            path.unlink()
        return table


def _put(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file that is there as a whole, also on a machine that stops at any time."""
    half = path.with_suffix(".part")
    write(half)
    with half.open("rb") as file:
        os.fsync(file.fileno())
    half.replace(path)


def _lock(file: IO[str], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # where there is none, two sweeps in one folder are the user's own care
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise RuntimeError(f"another sweep is at work in {path}: wait for it, or choose another folder") from None


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError('sweeps need the package pyarrow: pip install "pliant[sweep]"') from error
    return pyarrow


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else os.fspath(value) if isinstance(value, os.PathLike) else value


def _runs(vary: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Changes of the scene, for each run."""
    if isinstance(vary, Mapping):
        for name, values in vary.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise TypeError(f"`{name}` needs a list of values, got {values!r}")
        lists = [[_plain(value) for value in values] for values in vary.values()]
        runs = [dict(zip(vary, chosen, strict=True)) for chosen in itertools.product(*lists)]
    else:
        runs = [{name: _plain(value) for name, value in run.items()} for run in vary]
    if not runs:
        raise ValueError("there is nothing to run: every name in `vary` needs at least one value")
    if names := {name for run in runs for name in run} & set(_OWN):
        raise ValueError(f"a column of its own has the name `{names.pop()}`: nothing in a scene does")
    return runs


def _measured(
    measure: Sequence[str] | Mapping[str, str] | Callable[[World], Mapping[str, Any]] | None,
) -> tuple[dict[str, str], Callable[[World], Mapping[str, Any]] | None]:
    """Quantities by the name of their column, and a function."""
    if measure is None:
        return {}, None
    if isinstance(measure, str):
        return {measure: measure}, None
    if isinstance(measure, Mapping):
        return dict(measure), None
    return ({}, measure) if callable(measure) else ({name: name for name in measure}, None)


def _refuse_doubles(runs: list[dict[str, Any]], quantities: Mapping[str, str]) -> None:
    names = {name for run in runs for name in run} | set(_OWN)
    if doubles := names & set(quantities):
        raise ValueError(f"`{doubles.pop()}` is both varied and measured: name the column of the quantity otherwise")


def _manifest(
    bundle: Bundle,
    runs: list[dict[str, Any]],
    quantities: Mapping[str, str],
    function: Callable[[World], Mapping[str, Any]] | None,
) -> dict[str, Any]:
    """What a sweep is, so that another one is not taken for it."""
    named = None if function is None else f"{function.__module__}.{getattr(function, '__qualname__', function)}"
    values = hashlib.sha256(json.dumps(runs, sort_keys=True, default=repr).encode()).hexdigest()
    return {
        "version": __version__,
        "scene and files": bundle.digest(),
        "runs": len(runs),
        "values": values,
        "measure": dict(quantities) or named,
    }
