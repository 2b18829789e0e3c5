"""Statistics of a data set's frames, as LeRobot keeps them: of each number, and of each channel of pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]

_QUANTILES = (0.01, 0.10, 0.50, 0.90, 0.99)


def summary(values: Values) -> Values:
    """What statistics need of an episode: all numbers, or for pictures how often a channel has a value."""
    if values.ndim < 4:
        return values.reshape(len(values), -1).astype(np.float64)
    return np.stack([np.bincount(values[..., channel].ravel(), minlength=256) for channel in range(3)])


def merged(parts: list[Values]) -> Values:
    """The same of all episodes."""
    return sum(parts[1:], parts[0]) if parts[0].dtype == np.int64 else np.concatenate(parts)


def statistics(of: Values, frames: int) -> dict[str, Any]:
    """Smallest, largest, mean, deviation and quantiles of each number, or of each channel of pictures from 0 to 1."""
    if of.dtype != np.int64:
        told = {
            "min": of.min(axis=0),
            "max": of.max(axis=0),
            "mean": of.mean(axis=0),
            "std": of.std(axis=0),
        }
        told |= {f"q{round(100 * q):02}": np.quantile(of, q, axis=0) for q in _QUANTILES}
        return {**{what: value.tolist() for what, value in told.items()}, "count": [frames]}
    values = np.arange(256) / 255.0
    share = of / of.sum(axis=1, keepdims=True)
    mean = share @ values
    below = np.cumsum(share, axis=1)
    pictures = {
        "min": [values[row > 0][0] for row in share],
        "max": [values[row > 0][-1] for row in share],
        "mean": mean,
        "std": np.sqrt(np.maximum(share @ values**2 - mean**2, 0.0)),
        **{f"q{round(100 * q):02}": [values[np.searchsorted(row, q)] for row in below] for q in _QUANTILES},
    }
    return {**{what: np.asarray(value).reshape(3, 1, 1).tolist() for what, value in pictures.items()}, "count": [frames]}
