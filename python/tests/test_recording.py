"""Recordings, made and read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pliant


def test_a_recording_read_back_is_what_was_seen(cord: pliant.World, tmp_path: Path) -> None:
    body, hand = cord.body("cord"), cord.gripper("hand")
    cord.add_obstacle(name="floor", shape={"plane": {}}, position=[0.0, 0.0, -0.31])
    positions, tensions, wrenches, energies = [body.positions], [body.tension], [hand.wrench], [body.energy["total"]]
    with cord.record(tmp_path / "out", rate=1000.0) as recorder:
        hand.move_at([0.2, 0.0, -0.1])
        for _ in range(30):
            cord.step()
            positions.append(body.positions)
            tensions.append(body.tension)
            wrenches.append(hand.wrench)
            energies.append(body.energy["total"])
        assert recorder.folder == tmp_path / "out"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["recording.mcap", "report.html", "samples.csv"]
    recording = pliant.read(tmp_path / "out" / "recording.mcap")
    track = recording.bodies["cord"]
    assert recording.time == pytest.approx(np.arange(31) * 0.01)
    assert np.array_equal(track.positions, positions)
    assert np.array_equal(track.fields["tension"], tensions) and track.units["tension"] == "N"
    assert np.array_equal(track.energy["total"], energies)
    gripper = recording.grippers["hand"]
    assert np.array_equal(gripper.wrench, wrenches) and gripper.attached.all()
    assert gripper.orientation[-1] == pytest.approx([1.0, 0.0, 0.0, 0.0])
    assert recording.obstacles["floor"].force.shape == (31, 3)
    assert any("touches floor" in text for _, text in recording.events)
    assert recording.about["run"]["title"] == "<scene>" and recording.about["outcome"]["outcome"] == "done"
    assert "31 frames" in repr(recording)


def test_a_recording_that_was_cut_is_read_as_far_as_it_goes(cord: pliant.World, tmp_path: Path) -> None:
    with cord.record(tmp_path / "out", rate=100.0):
        cord.run(1.0)
        # as a run leaves it that is killed here
        killed = (tmp_path / "out" / "recording.mcap").read_bytes()
    whole = pliant.read(tmp_path / "out" / "recording.mcap").bodies["cord"].positions
    assert len(whole) == 101
    for number, content in enumerate([killed, killed[:-30], killed[: len(killed) // 2]]):
        path = tmp_path / f"{number}.mcap"
        path.write_bytes(content)
        track = pliant.read(path).bodies.get("cord")
        frames = 0 if track is None else len(track.time)
        assert frames > 0 or number == 2
        if track is not None:
            assert np.array_equal(track.positions, whole[:frames])


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pliant.RecordError, match="cannot be read"):
        pliant.read(tmp_path / "none.mcap")
    (tmp_path / "bad.mcap").write_bytes(b"something else")
    with pytest.raises(pliant.RecordError):
        pliant.read(tmp_path / "bad.mcap")


def test_nothing_is_overwritten_and_one_at_a_time(cord: pliant.World, tmp_path: Path) -> None:
    with cord.record(tmp_path / "out"):
        with pytest.raises(pliant.ControlError, match="already"):
            cord.record(tmp_path / "more")
        cord.step()
    with pytest.raises(pliant.RecordError):
        cord.record(tmp_path / "out")
    assert cord.finish_recording() is None
    for rate in (0.0, -1.0, float("nan")):
        with pytest.raises(pliant.ControlError):
            cord.record(tmp_path / "rate", rate=rate)


def test_worlds_and_recordings_show_themselves(cord: pliant.World, tmp_path: Path) -> None:
    page = cord._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "pliant-data" in page
    with cord.record(tmp_path / "out"):
        cord.run(0.1)
    shown = pliant.read(tmp_path / "out" / "recording.mcap")._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "pliant-data" in shown
