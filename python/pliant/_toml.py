"""Scenes and overrides written in Python, as the text that the scene reader takes."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"names in a scene are text, got {key!r}")
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    # JSON escapes what TOML wants escaped, but for one character
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def value(given: Any) -> str:
    """A value as TOML: numbers, text, truth, lists, arrays, and dictionaries as inline tables."""
    if hasattr(given, "tolist"):
        given = given.tolist()
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, int):
        return str(given)
    if isinstance(given, float):
        return repr(given) if math.isfinite(given) else str(given)
    if isinstance(given, str):
        return _text(given)
    if isinstance(given, os.PathLike):
        return _text(os.fspath(given))
    if isinstance(given, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {value(inner)}" for key, inner in given.items()) + " }"
    if isinstance(given, list | tuple):
        return "[" + ", ".join(value(inner) for inner in given) + "]"
    raise TypeError(f"a scene has no place for {given!r}: expected numbers, text, lists or dictionaries")


def dumps(scene: Mapping[str, Any]) -> str:
    """A whole scene as TOML, one field on a line, so that errors name the line of `World.text`."""
    head: list[str] = []
    tables: list[str] = []
    for name, entry in scene.items():
        key = _key(name)
        if isinstance(entry, Mapping):
            own = {inner: given for inner, given in entry.items() if not isinstance(given, Mapping)}
            if own or not entry:
                tables += [f"\n[{key}]", *_lines(own)]
            for inner, table in entry.items():
                if isinstance(table, Mapping):
                    tables += [f"\n[{key}.{_key(inner)}]", *_lines(table)]
        elif isinstance(entry, list | tuple) and entry and all(isinstance(one, Mapping) for one in entry):
            for one in entry:
                tables += [f"\n[[{key}]]", *_lines(one)]
        else:
            head.append(f"{key} = {value(entry)}")
    return "\n".join([*head, *tables]) + "\n"


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    return (f"{_key(key)} = {value(inner)}" for key, inner in table.items())


def overrides(changes: Mapping[str, Any]) -> list[str]:
    """Overrides as after `--set`: names with dots, dictionaries in dictionaries flattened."""
    return list(_flat("", changes))


def _flat(path: str, changes: Mapping[str, Any]) -> Iterator[str]:
    for name, inner in changes.items():
        if not isinstance(name, str):
            raise TypeError(f"names in a scene are text, got {name!r}")
        if isinstance(inner, Mapping) and inner:
            yield from _flat(f"{path}{name}.", inner)
        else:
            yield f"{path}{name}={value(inner)}"
