"""Where the runs of a sweep are made: in processes of this machine, or on a Ray cluster."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ._bundle import Bundle
from ._pliant import PliantError, World, load

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess


@dataclass(frozen=True)
class Task:
    """What all runs of a sweep have in common."""

    bundle: Bundle
    measured: Mapping[str, str]
    """Quantities by the name of their column, with "max " or "min " before those that count over the whole run."""
    function: Callable[[World], Mapping[str, Any]] | None

    def run(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """One run: its columns. What goes wrong in it is one of them."""
        scene = self.bundle.unpack()
        row: dict[str, Any] = {"status": "done", "error": None}
        try:
            world = load(scene, judge=True, **changes)
            try:
                row |= self._observed(world)
            finally:
                row["time"] = world.time
            for verdict in world.verdicts():
                row[f"expect.{verdict['what']}"] = verdict["value"]
                row[f"met.{verdict['what']}"] = verdict["met"]
            if self.function is not None:
                row.update({name: _plain(value) for name, value in self.function(world).items()})
        except PliantError as error:
            row |= {"status": "failed", "error": str(error).replace(f"{scene.parent}{os.sep}", "")}
        except Exception as error:  # of the function that measures
            row |= {"status": "failed", "error": f"{type(error).__name__}: {error}"}
        return row

    def _observed(self, world: World) -> dict[str, float]:
        """Run to the end, and say what was measured."""
        choices = {"max ": max, "min ": min}
        over = {name: words for name, words in self.measured.items() if words[:4] in choices}
        most = {name: world.measure(words[4:]) for name, words in over.items()}
        while over and world.duration - world.time > 1e-6 * world.dt:
            world.run(min(world.dt, world.duration - world.time))
            for name, words in over.items():
                most[name] = choices[words[:4]](most[name], world.measure(words[4:]))
        world.run()
        return {name: most[name] if name in most else world.measure(words) for name, words in self.measured.items()}


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


@dataclass(frozen=True)
class Died:
    """A run that has no outcome: what it ran on is gone."""

    why: str


Outcome = dict[str, Any] | Died


class Workers(Protocol):
    """Runs that are under way, by their numbers."""

    def room(self) -> int:
        """How many more runs may be submitted."""

    def submit(self, run: int, changes: Mapping[str, Any]) -> None:
        """Begin a run."""

    def wait(self) -> Sequence[tuple[int, Outcome]]:
        """Outcomes of runs that have ended, at least one."""

    def close(self) -> None:
        """End what is under way."""


def _serve(connection: Connection, task: Task) -> None:
    """The life of a process: run what it is told until nobody tells any more."""
    # Ctrl-C is for the process that waits, which ends this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            connection.send(task.run(connection.recv()))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


class Processes:
    """Processes of this machine, with one run each. One that dies takes its own run with it, and no other."""

    def __init__(self, task: Task, count: int) -> None:
        # forks of a process with threads may hang
        self._context = multiprocessing.get_context("spawn")
        self._task = task
        self._count = max(1, count)
        self._idle: list[tuple[BaseProcess, Connection]] = []
        self._busy: dict[int, tuple[BaseProcess, Connection]] = {}

    def room(self) -> int:
        return self._count - len(self._busy)

    def submit(self, run: int, changes: Mapping[str, Any]) -> None:
        process, connection = self._idle.pop() if self._idle else self._start()
        try:
            connection.send(dict(changes))
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has died, which `wait` finds out
        self._busy[run] = (process, connection)

    def _start(self) -> tuple[BaseProcess, Connection]:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, self._task), daemon=True)
        process.start()
        theirs.close()
        return process, ours

    def wait(self) -> list[tuple[int, Outcome]]:
        ready = set(multiprocessing.connection.wait([connection for _, connection in self._busy.values()]))
        ended: list[tuple[int, Outcome]] = []
        for run, (process, connection) in list(self._busy.items()):
            if connection not in ready:
                continue
            del self._busy[run]
            try:
                ended.append((run, connection.recv()))
                self._idle.append((process, connection))
            except (EOFError, ConnectionResetError):
                process.join()
                connection.close()
                ended.append((run, Died(f"its process ended with exit code {process.exitcode}")))
        return ended

    def close(self) -> None:
        for process, connection in [*self._idle, *self._busy.values()]:
            connection.close()
            process.terminate()
            process.join()


class RayCluster:
    """A Ray cluster: the one that is connected or at the address, or else this machine. Nothing is left to Ray's own
    retries, so that every run that is made again is counted."""

    def __init__(self, task: Task, address: str | None, count: int | None) -> None:
        try:
            import ray
        except ImportError as error:
            raise ImportError('sweeps on Ray need the package ray: pip install "pliant[ray]"') from error
        self._ray = ray
        self._owned = not ray.is_initialized()
        if self._owned:
            ray.init(address=address, log_to_driver=False, include_dashboard=False if address is None else None)
        self._task = ray.put(task)
        self._count = count
        self._run = ray.remote(num_cpus=1, max_retries=0)(_remote)
        self._busy: dict[Any, int] = {}

    def room(self) -> int:
        # twice as many as there are cores, so that none of them waits for the next
        count = self._count or 2 * max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return count - len(self._busy)

    def submit(self, run: int, changes: Mapping[str, Any]) -> None:
        self._busy[self._run.remote(self._task, dict(changes))] = run

    def wait(self) -> list[tuple[int, Outcome]]:
        ready, _ = self._ray.wait(list(self._busy), num_returns=1)
        ended: list[tuple[int, Outcome]] = []
        for reference in ready:
            run = self._busy.pop(reference)
            try:
                ended.append((run, self._ray.get(reference)))
            except self._ray.exceptions.RayError as error:
                ended.append((run, Died(f"{type(error).__name__} of Ray")))
        return ended

    def close(self) -> None:
        for reference in self._busy:
            self._ray.cancel(reference, force=True)
        if self._owned:
            self._ray.shutdown()


def _remote(task: Task, changes: Mapping[str, Any]) -> dict[str, Any]:
    return task.run(changes)
