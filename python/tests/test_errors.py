"""Errors say what the command says."""

from __future__ import annotations

from pathlib import Path

import pytest

import pliant
from conftest import CORD


def test_a_scene_error_names_the_place_and_suggests(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("duration = 1\n\nduratoin = 2\n")
    with pytest.raises(pliant.SceneError) as caught:
        pliant.load(path)
    assert str(caught.value) == f"{path}:3:1: unknown field `duratoin` (did you mean `duration`?)"
    assert (caught.value.line, caught.value.column, caught.value.file) == (3, 1, str(path))
    assert caught.value.message == "unknown field `duratoin`"
    assert caught.value.help is not None and "duration" in caught.value.help


def test_files_that_are_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(pliant.SceneError, match="no such file"):
        pliant.load(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"title = \"\xff\"\n")
    with pytest.raises(pliant.SceneError, match="UTF-8"):
        pliant.load(tmp_path / "bad.toml")


def test_an_override_that_leads_nowhere_is_named(scenes: Path) -> None:
    with pytest.raises(pliant.SceneError, match=r"--set body.wier.segments=3: there is no body named `wier`"):
        pliant.load(scenes / "winding.toml", body={"wier": {"segments": 3}})


def test_a_scene_in_code_has_lines_too() -> None:
    body = {**CORD["body"][0], "radius": -1.0}
    with pytest.raises(pliant.SceneError) as caught:
        pliant.World({**CORD, "body": [body]})
    assert caught.value.file == "<scene>" and caught.value.line is not None
    text = pliant.World(CORD).text.splitlines()
    assert "radius" in text[caught.value.line - 1]


def test_what_a_scene_has_no_place_for() -> None:
    with pytest.raises(TypeError, match="no place for"):
        pliant.World({**CORD, "title": object()})
    with pytest.raises(TypeError):
        pliant.Batch(3, 2)  # type: ignore[arg-type]


def test_kinds_of_errors() -> None:
    kinds = [pliant.SceneError, pliant.StepError, pliant.ControlError, pliant.SnapshotError, pliant.RecordError]
    assert all(issubclass(kind, pliant.PliantError) for kind in kinds)


def test_everything_public_has_a_docstring() -> None:
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        if name == "__version__":
            continue
        assert thing.__doc__, name
        if isinstance(thing, type) and thing.__module__ == "pliant":
            for member, value in vars(thing).items():
                if not member.startswith("_") and not issubclass(thing, Exception):
                    assert value.__doc__, f"{name}.{member}"
