"""Properties of a cable, of contact and of solids, from measurements.

    found = pliant.identify.contact("drop.csv", mass=0.05)
    found["numbers"][0]["value"], found["numbers"][0]["interval"]

Each function takes the path of a table, or its columns by name, and what is known beforehand. It returns what `pliant identify
--json` prints: numbers with their 95 % intervals (`None` where the data do not tell one), deviations, whether the theory fits.
SI units; angles in radians.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._pliant import identify as _identify
from ._pliant import identify_response as _identify_response

__all__ = ["Table", "capstan", "contact", "curl", "response", "shape", "slope", "swing"]

Table = str | os.PathLike[str] | Mapping[str, ArrayLike]


def _text(table: Table) -> str:
    if not isinstance(table, Mapping):
        return Path(table).read_text()
    columns = [np.asarray(column, dtype=float) for column in table.values()]
    if any(column.ndim != 1 or column.shape != columns[0].shape for column in columns):
        raise ValueError("columns of a table must be lists of numbers, all of one length")
    rows = [",".join(repr(float(x)) for x in row) for row in zip(*columns, strict=True)]
    return "\n".join([",".join(table), *rows]) + "\n"


def _found(kind: str, table: Table, **known: float | None) -> dict[str, Any]:
    given = {name: float(value) for name, value in known.items() if value is not None}
    found: dict[str, Any] = json.loads(_identify(kind, _text(table), given))
    return found


def capstan(
    table: Table,
    *,
    drum: float,
    radius: float,
    young: float,
    poisson: float,
    theory: Literal["classical", "power-law", "extension", "thickness"] = "extension",
) -> dict[str, Any]:
    """Friction from pulls at which a cable begins to slide over a drum: columns t0, t (N) and angle (rad) or angle_deg."""
    return _found(theory, table, drum=drum, radius=radius, young=young, poisson=poisson)


def shape(
    table: Table,
    *,
    length: float,
    mass: float,
    radius: float | None = None,
    angle: float | None = None,
    curved: bool = False,
) -> dict[str, Any]:
    """Bending stiffness from points of a cable that hangs from a clamp: columns x and z, or x, y and z (m)."""
    return _found("shape", table, length=length, mass=mass, radius=radius, angle=angle, curved=float(curved))


def swing(table: Table, *, length: float, mass: float, radius: float | None = None) -> dict[str, Any]:
    """Bending stiffness and damping from a free swing: columns t (s) and x, a displacement in any unit."""
    return _found("swing", table, length=length, mass=mass, radius=radius)


def slope(table: Table) -> dict[str, Any]:
    """Friction from a slope: a column angle (rad) or angle_deg, and for slides t (s) and s (m)."""
    return _found("slope", table)


def curl(table: Table, *, drum: float | None = None) -> dict[str, Any]:
    """Rest curvature from points of a cable that lies flat: columns x and y (m)."""
    return _found("curl", table, drum=drum)


def contact(table: Table, *, mass: float | None = None, stiffness: float | None = None) -> dict[str, Any]:
    """Stiffness and damping of contact from a press (depth, force, perhaps t) or a drop (t and height, apex, or touch)."""
    return _found("contact", table, mass=mass, stiffness=stiffness)


def response(
    table: Table,
    *,
    scene: str | os.PathLike[str] | None = None,
    body: str | None = None,
    file: str | os.PathLike[str] | None = None,
    sample: float = 0.001,
) -> dict[str, Any]:
    """Modes of a solid that is held, from blows on it.

    Columns: blow (its number), t (s), px, py, pz (where it is struck, m), fx, fy, fz (N), qx, qy, qz (a point watched, m), and some of
    ux, uy, uz (its displacement, m). With a scene that has the solid as a body of the model `response`, its responses are written to
    `file`, in samples of this length (s), for `form = "measured"`.
    """
    found: dict[str, Any] = json.loads(_identify_response(_text(table), scene, body, file, sample))
    return found
