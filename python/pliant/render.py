"""Pictures of a world without a window: a small rasteriser in NumPy, with depth and flat shading."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._pliant import World

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

_SIDES = 6
_LIGHT = np.array([0.35, -0.45, 0.82])
_RODS = [(226, 106, 44), (44, 123, 182), (65, 158, 84), (150, 90, 170)]
_OBSTACLE, _GRIPPER, _FLOOR, _SKY = (150, 156, 164), (40, 44, 52), (222, 224, 220), (244, 246, 250)


@dataclass(frozen=True)
class Camera:
    """Where a picture is taken from: eye and target in the world [m], and the opening angle across [deg]."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    angle: float = 40.0

    def axes(self) -> tuple[Array, Array, Array]:
        """Right, up and forward in the world."""
        forward = np.subtract(self.target, self.eye)
        forward = forward / np.linalg.norm(forward)
        aside = (0.0, 0.0, 1.0) if abs(forward[2]) < 0.99 else (0.0, 1.0, 0.0)
        right = np.cross(forward, aside)
        right /= np.linalg.norm(right)
        return right, np.cross(right, forward), forward


def png(picture: Image) -> bytes:
    """A picture of shape (height, width, 3) as a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = picture.shape
    # every row begins with the number of its filter, none
    rows = np.hstack([np.zeros((height, 1), np.uint8), picture.reshape(height, 3 * width)]).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b"")


def around(world: World) -> Camera:
    """A camera that sees all bodies of a world."""
    points = np.concatenate([body.positions for body in world.bodies.values()] or [np.zeros((1, 3))])
    low, high = points.min(axis=0), points.max(axis=0)
    middle, size = 0.5 * (low + high), max(float(np.linalg.norm(high - low)), 0.05)
    eye = middle + size * np.array([0.5, -1.6, 0.8])
    return Camera((eye[0], eye[1], eye[2]), (middle[0], middle[1], middle[2]))


def picture(world: World, camera: Camera | None = None, *, width: int = 320, height: int = 240) -> Image:
    """The world as it is now, as an array of shape (height, width, 3)."""
    canvas = _Canvas(camera or around(world), width, height)
    for obstacle in world.obstacles.values():
        if obstacle.is_plane:
            canvas.plane(obstacle.position, _turned(obstacle.orientation, np.array([[0.0, 0.0, 1.0]]))[0])
    for obstacle in world.obstacles.values():
        vertices, triangles = obstacle.outline
        if len(triangles):
            placed = _turned(obstacle.orientation, vertices) + obstacle.position
            canvas.triangles(placed[triangles], _OBSTACLE)
    for number, body in enumerate(world.bodies.values()):
        colour = _RODS[number % len(_RODS)]
        facets = body.facets
        shapes = body.positions[facets] if len(facets) else _tube(body.positions, max(body.radius, 1e-4))
        canvas.triangles(shapes, colour)
    for gripper in world.grippers.values():
        canvas.triangles(_octahedron(gripper.position, 0.012 * canvas.scale), _GRIPPER)
    return canvas.colours.astype(np.uint8)


def _turned(q: Array, vectors: Array) -> Array:
    w, axis = q[0], q[1:]
    turned: Array = vectors + 2.0 * np.cross(axis, np.cross(axis, vectors) + w * vectors)
    return turned


def _octahedron(centre: Array, size: float) -> Array:
    x, y, z = np.eye(3) * size
    corners = centre + np.array([x, y, -x, -y])
    faces = [(corners[k], corners[(k + 1) % 4], centre + z) for k in range(4)]
    faces += [(corners[(k + 1) % 4], corners[k], centre - z) for k in range(4)]
    return np.array(faces)


def _tube(nodes: Array, radius: float) -> Array:
    """Triangles of a tube around a polyline."""
    along = np.gradient(nodes, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    # the axis that is farthest from every tangent, so that rings do not turn over
    aside = np.eye(3)[np.argmin(np.abs(along), axis=1)] if len(nodes) < 3 else _transported(along)
    first = np.cross(along, aside)
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-12)
    second = np.cross(along, first)
    angles = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False)
    rings = nodes[:, None] + radius * (
        np.cos(angles)[:, None] * first[:, None] + np.sin(angles)[:, None] * second[:, None]
    )
    a, b = rings[:-1], rings[1:]
    a_next, b_next = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    faces = np.concatenate([np.stack([a, a_next, b], axis=2), np.stack([a_next, b_next, b], axis=2)])
    return faces.reshape(-1, 3, 3)


def _transported(along: Array) -> Array:
    """A direction across each tangent, carried along without twist."""
    aside = np.empty_like(along)
    now = np.eye(3)[int(np.argmin(np.abs(along[0])))]
    for k, tangent in enumerate(along):
        now = now - tangent * (now @ tangent)
        length = np.linalg.norm(now)
        now = now / length if length > 1e-9 else np.eye(3)[int(np.argmin(np.abs(tangent)))]
        aside[k] = now
    return aside


class _Canvas:
    """Colours and depths of a picture in the making."""

    def __init__(self, camera: Camera, width: int, height: int) -> None:
        self.eye = np.array(camera.eye)
        self.right, self.up, self.forward = camera.axes()
        self.focal = 0.5 * width / np.tan(np.radians(0.5 * camera.angle))
        self.width, self.height = width, height
        self.scale = float(np.linalg.norm(np.subtract(camera.target, camera.eye)))
        self.colours = np.empty((height, width, 3))
        self.colours[:] = _SKY
        # inverse depth, which is linear in the picture
        self.nearness = np.zeros((height, width))

    def plane(self, point: Array, normal: Array) -> None:
        """A checkered plane, whose squares are 5 cm."""
        x = (np.arange(self.width) + 0.5 - 0.5 * self.width) / self.focal
        y = (0.5 * self.height - np.arange(self.height) - 0.5) / self.focal
        rays = self.forward + x[None, :, None] * self.right + y[:, None, None] * self.up
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = ((point - self.eye) @ normal) / (rays @ normal)
        hit = np.isfinite(depth) & (depth > 1e-3) & (depth < 50.0 * self.scale)
        places = self.eye + np.where(hit, depth, 0.0)[..., None] * rays - point
        first = np.cross(normal, (1.0, 0.0, 0.0) if abs(normal[0]) < 0.9 else (0.0, 1.0, 0.0))
        first /= np.linalg.norm(first)
        squares = np.floor(places @ first / 0.05) + np.floor(places @ np.cross(normal, first) / 0.05)
        nearer = hit & (1.0 / np.where(hit, depth, 1.0) > self.nearness)
        shade = np.where(squares % 2 == 0, 1.0, 0.94)[..., None] * np.array(_FLOOR)
        self.colours[nearer] = shade[nearer]
        # a little farther, so that what lies on it is seen
        self.nearness[nearer] = 0.999 / depth[nearer]

    def triangles(self, corners: Array, colour: tuple[int, int, int]) -> None:
        """Triangles of shape (count, 3, 3), seen from outside."""
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        sizes = np.linalg.norm(normals, axis=1)
        towards = self.eye - corners[:, 0]
        away = corners - self.eye
        depth = away @ self.forward
        seen = (sizes > 0.0) & np.all(depth > 1e-3, axis=1)
        corners, normals, sizes, towards = corners[seen], normals[seen], sizes[seen], towards[seen]
        away, depth = away[seen], depth[seen]
        # both sides are lit: cut surfaces and open meshes have two
        facing = np.sign(np.einsum("ij,ij->i", normals, towards))
        light = (normals @ _LIGHT) * facing / sizes
        shades = (0.55 + 0.45 * np.clip(light, 0.0, 1.0))[:, None] * np.array(colour)
        x = 0.5 * self.width + self.focal * (away @ self.right) / depth
        y = 0.5 * self.height - self.focal * (away @ self.up) / depth
        for k in range(len(x)):
            self._fill(x[k], y[k], 1.0 / depth[k], shades[k])

    def _fill(self, x: Array, y: Array, nearness: Array, shade: Array) -> None:
        left, right = max(int(x.min()), 0), min(int(x.max()) + 2, self.width)
        top, bottom = max(int(y.min()), 0), min(int(y.max()) + 2, self.height)
        if left >= right or top >= bottom:
            return
        area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
        if area == 0.0:
            return
        px = np.arange(left, right) + 0.5
        py = (np.arange(top, bottom) + 0.5)[:, None]
        second = ((px - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (py - y[0])) / area
        third = ((x[1] - x[0]) * (py - y[0]) - (px - x[0]) * (y[1] - y[0])) / area
        near = nearness[0] + second * (nearness[1] - nearness[0]) + third * (nearness[2] - nearness[0])
        window: tuple[Any, ...] = (slice(top, bottom), slice(left, right))
        inside = (second >= 0.0) & (third >= 0.0) & (second + third <= 1.0) & (near > self.nearness[window])
        self.nearness[window][inside] = near[inside]
        self.colours[window][inside] = shade
