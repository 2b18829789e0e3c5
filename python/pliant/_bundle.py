"""A scene with the files that it refers to, as one value that can be sent to another process or machine."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

from . import _toml

_unpacked: dict[str, Path] = {}


@dataclass(frozen=True)
class Bundle:
    """The text of a scene, where it lies, and every file that it names."""

    text: str
    place: str
    """Path of the scene file, relative to the folder that all is unpacked to."""
    files: dict[str, bytes]
    """Contents by path, relative likewise."""

    def digest(self) -> str:
        """A number that tells bundles apart."""
        told = hashlib.sha256()
        for part in (self.place, self.text):
            told.update(f"{len(part)} {part}".encode())
        for name in sorted(self.files):
            told.update(f"{name} {hashlib.sha256(self.files[name]).hexdigest()} ".encode())
        return told.hexdigest()

    def unpack(self) -> Path:
        """Write everything into a folder of this process, once, and say where the scene file is."""
        digest = self.digest()
        if digest not in _unpacked:
            folder = Path(tempfile.mkdtemp(prefix="pliant-scene-"))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            for name, contents in {**self.files, self.place: self.text.encode()}.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents)
            _unpacked[digest] = folder
        return _unpacked[digest] / self.place


def pack(
    scene: str | os.PathLike[str] | Mapping[str, Any],
    base: str | os.PathLike[str] | None,
    changes: list[dict[str, Any]],
) -> tuple[Bundle, list[dict[str, Any]]]:
    """A scene with its files and those that changes of it name, and these changes with names that hold where it is
    unpacked."""
    if isinstance(scene, Mapping):
        path = Path(os.path.abspath(base if base is not None else ".")) / "scene.toml"
        text = _toml.dumps(scene)
    else:
        path = Path(os.path.abspath(scene))
        # the reader of scenes tells what is wrong with it
        text = path.read_text(encoding="utf-8")
    folder = path.parent
    tables = tomllib.loads(text)
    found: dict[str, Path] = {}

    def note(name: str, folders: bool) -> str:
        """Take a file along, if the text names one; an absolute name becomes a relative one."""
        there = folder / name
        if "\0" in name or not name or not (there.is_file() or (folders and there.is_dir())):
            return name
        if there.is_file():
            found[os.path.abspath(there)] = there
        return os.path.relpath(there, folder) if os.path.isabs(name) else name

    moved = _mapped(tables, note)
    if moved != tables:
        text = _toml.dumps(moved)
    changes = [_mapped(change, note) for change in changes]
    packages = {
        name: folder / place for arm in _tables(moved, "arm") for name, place in arm.get("packages", {}).items()
    }
    for robot in [there for there in found.values() if there.suffix.lower() == ".urdf"]:
        for mesh in _meshes(robot, packages):
            found[os.path.abspath(mesh)] = mesh
    root = os.path.commonpath([str(folder), *found])
    files = {os.path.relpath(name, root): there.read_bytes() for name, there in found.items()}
    return Bundle(text, os.path.relpath(path, root), files), changes


def _mapped(value: Any, note: Callable[[str, bool], str], folders: bool = False) -> Any:
    """The same value with every text looked at; only those under `packages` may name folders."""
    if isinstance(value, Mapping):
        return {key: _mapped(inner, note, folders or str(key).endswith("packages")) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(inner, note, folders) for inner in value]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return note(value, folders) if isinstance(value, str) else value


def _tables(tables: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    entries = tables.get(kind, [])
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _meshes(robot: Path, packages: Mapping[str, Path]) -> Iterator[Path]:
    """Meshes that a URDF file names; what cannot be read is for the reader of scenes to tell."""
    try:
        tree = ElementTree.fromstring(robot.read_bytes())
    except ElementTree.ParseError:
        return
    for mesh in tree.iter("mesh"):
        name = mesh.get("filename", "")
        package, _, rest = name.removeprefix("package://").partition("/")
        if name.startswith("package://"):
            there = packages.get(package, robot.parent) / rest
        elif os.path.isabs(name.removeprefix("file://")):
            raise ValueError(
                f"{robot} names the mesh {unquote(name)} by an absolute path, which is not there on other machines: "
                "name it relative to the URDF file, or in a package"
            )
        else:
            there = robot.parent / name.removeprefix("file://")
        if there.is_file():
            yield there
