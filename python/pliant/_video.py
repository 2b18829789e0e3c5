"""Pictures of an episode as a film, for data sets. It needs the package PyAV."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CODECS = ("libsvtav1", "libx264", "mpeg4")
"""What films are written with, the first that is there; data sets of LeRobot have AV1."""
_NAMES = {"libsvtav1": "av1", "libx264": "h264", "mpeg4": "mpeg4"}
_OPTIONS = {"libsvtav1": {"crf": "30", "g": "2"}, "libx264": {"crf": "23", "g": "2"}, "mpeg4": {"g": "2"}}
"""Every second picture stands alone, so that single frames are found quickly."""


def codec() -> str:
    """The codec that films are written with; an ImportError without the package."""
    try:
        import av
    except ImportError as error:
        raise ImportError('films need the package av: pip install "pliant[video]", or take pictures="png"') from error
    return next(name for name in _CODECS if name in av.codecs_available)


def about(height: int, width: int, fps: int) -> dict[str, Any]:
    """What info.json says of a film."""
    return {
        "video.height": height,
        "video.width": width,
        "video.codec": _NAMES[codec()],
        "video.pix_fmt": "yuv420p",
        "video.is_depth_map": False,
        "video.fps": fps,
        "video.channels": 3,
        "has_audio": False,
    }


@contextmanager
def _ordinary_priority() -> Iterator[None]:
    """Give this thread its scheduling back: the encoder of AV1 takes real-time priority where it may, and keeps it, so
    that whatever this thread starts later would keep everything else from its cores."""
    if not hasattr(os, "sched_getscheduler"):
        yield
        return
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, priority)


def write(path: Path, pictures: NDArray[np.uint8], fps: int) -> None:
    """Write pictures of shape (frames, height, width, 3), at so many per second."""
    import av

    name = codec()
    path.parent.mkdir(parents=True, exist_ok=True)
    opened: Any = av.open(str(path), "w")
    with _ordinary_priority(), opened as file:
        stream = file.add_stream(name, rate=fps, options=_OPTIONS[name])
        stream.height, stream.width = pictures.shape[1:3]
        stream.pix_fmt = "yuv420p"
        for picture in pictures:
            file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        file.mux(stream.encode())
