#!/usr/bin/env python3
"""Makes the meshes of the scenes harness, plug, tube, suture and states-hole: binary STL in millimetres, as CAD programs write it.

    python3 scenes/meshes/make.py                    # writes them beside this file
    python3 scenes/meshes/make.py --out DIR --flip   # elsewhere, with every triangle the other way round
    python3 scenes/meshes/make.py --throw            # prints the path of the thread in scenes/suture.toml
    python3 scenes/meshes/make.py --drums --out DIR  # the drum of scenes/winding.toml, without and with flanges: 20,000 triangles each

Needs nothing but Python. Scenes read the files with `scale = 0.001`. All meshes are closed, and their triangles run
counter-clockwise seen from outside; round walls are tangent to the circle they stand for (from the side one touches).
"""
import argparse
import math
import os
import struct
from collections import Counter


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def write(name, triangles, out, flip):
    """Checks that every edge is shared by two triangles and the volume is positive, and writes the file."""
    edges = Counter()
    volume = 0.0
    for t in triangles:
        rounded = [tuple(round(x, 6) for x in p) for p in t]
        for i in range(3):
            edges[(rounded[i], rounded[(i + 1) % 3])] += 1
        volume += dot(t[0], cross(t[1], t[2])) / 6.0
    for (a, b), count in edges.items():
        if edges.get((b, a), 0) != count:
            raise SystemExit(f"{name}: open at {a} {b}")
    if volume <= 0.0:
        raise SystemExit(f"{name}: inside out, {volume}")
    path = os.path.join(out, name + ".stl")
    with open(path, "wb") as file:
        file.write(name.encode().ljust(80, b" "))
        file.write(struct.pack("<I", len(triangles)))
        for a, b, c in triangles:
            if flip:
                b, c = c, b
            n = cross(sub(b, a), sub(c, a))
            size = math.sqrt(dot(n, n)) or 1.0
            file.write(struct.pack("<12fH", *(x / size for x in n), *a, *b, *c, 0))
    print(f"{path}: {len(triangles)} triangles, {volume:.1f} mm3, {os.path.getsize(path) / 1000:.1f} kB")


def ears(polygon):
    """Triangles (indices) of a simple polygon that runs counter-clockwise, by cutting ears."""
    def area(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    left = list(range(len(polygon)))
    found = []
    while len(left) > 3:
        best = None
        for k in range(len(left)):
            i, j, l = left[k - 1], left[k], left[(k + 1) % len(left)]
            a, b, c = polygon[i], polygon[j], polygon[l]
            if area(a, b, c) <= 1e-12:
                continue
            inside = any(
                area(a, b, polygon[m]) >= -1e-12 and area(b, c, polygon[m]) >= -1e-12 and area(c, a, polygon[m]) >= -1e-12
                for m in left if m not in (i, j, l)
            )
            if not inside:
                # the ear with the best shape
                sides = [math.dist(a, b), math.dist(b, c), math.dist(c, a)]
                quality = area(a, b, c) / max(sides) ** 2
                if best is None or quality > best[0]:
                    best = (quality, k, (i, j, l))
        found.append(best[2])
        del left[best[1]]
    found.append(tuple(left))
    return found


def walls(polygon, x0, x1):
    """The side of a polygon in (y, z), counter-clockwise seen from +x, pulled from x0 to x1."""
    triangles = []
    for k, (y, z) in enumerate(polygon):
        v, w = polygon[(k + 1) % len(polygon)]
        triangles += [((x0, y, z), (x0, v, w), (x1, v, w)), ((x0, y, z), (x1, v, w), (x1, y, z))]
    return triangles


def cap(polygon, x, forward):
    triangles = []
    for i, j, k in ears(polygon):
        t = tuple((x, *polygon[m]) for m in (i, j, k))
        triangles.append(t if forward else (t[0], t[2], t[1]))
    return triangles


def extrude(polygon, x0, x1):
    return walls(polygon, x0, x1) + cap(polygon, x1, True) + cap(polygon, x0, False)


def turned(triangles):
    """x -> z, y -> x, z -> y: what was pulled along x is pulled along z."""
    return [tuple((p[1], p[2], p[0]) for p in t) for t in triangles]


def revolve(profile, sides):
    """A closed profile of (r, z), counter-clockwise with r to the right and z up, turned about z; r may be 0."""
    triangles = []

    def at(p, k):
        angle = 2.0 * math.pi * (k % sides) / sides
        return (p[0] * math.cos(angle), p[0] * math.sin(angle), p[1])

    for i, p in enumerate(profile):
        q = profile[(i + 1) % len(profile)]
        for k in range(sides):
            a, b, c, d = at(p, k), at(p, k + 1), at(q, k + 1), at(q, k)
            if p[0] > 0.0:
                triangles.append((a, b, d) if q[0] == 0.0 else (a, b, c))
            if q[0] > 0.0:
                triangles.append((a, c, d))
    return triangles


def clip():
    """A labyrinth clip for a harness 5 mm thick, to be pressed in from above: a channel 8 mm wide along x, 24 mm long, with
    a lip on the left at one end and one on the right at the other. Between a lip and the wall opposite there are 5.2 mm,
    so that the harness gets in bent to an S, and lies straight under both lips once it is in. Lips are chamfered
    above by 45 degrees; their flat underside is 7 mm above the bottom of the channel."""
    half, wall, foot, floor = 4.0, 2.0, 0.0, 1.5
    under, lip, top = floor + 7.0, 2.8, floor + 7.0 + 0.8 + 2.8
    left = [(-half, under), (-half + lip, under), (-half + lip, under + 0.8), (-half, top)]       # of the lip
    right = [(-y, z) for y, z in reversed(left)]

    def section(lip_left, lip_right):
        points = [(-half - wall, foot), (half + wall, foot), (half + wall, top), (half, top)]
        points += right[1:3] if lip_right else []
        points += [(half, under), (half, floor), (-half, floor), (-half, under)]
        points += left[1:3] if lip_left else []
        return points + [(-half, top), (-half - wall, top)]

    plain = section(False, False)
    triangles = walls(section(True, False), -12.0, -6.0) + walls(plain, -6.0, 6.0) + walls(section(False, True), 6.0, 12.0)
    triangles += cap(section(True, False), -12.0, False) + cap(section(False, True), 12.0, True)
    triangles += cap(left, -6.0, True) + cap(right, 6.0, False)
    return triangles


def panel():
    """A sheet 340 mm by 120 mm, 3 mm thick, with round corners, its upper side at z = 0."""
    corner = 12.0
    outline = []
    for cx, cy, start in [(316.0 - corner, 60.0 - corner, 0), (-24.0 + corner, 60.0 - corner, 90),
                          (-24.0 + corner, -60.0 + corner, 180), (316.0 - corner, -60.0 + corner, 270)]:
        for k in range(7):
            angle = math.radians(start + 15.0 * k)
            outline.append((cx + corner * math.cos(angle), cy + corner * math.sin(angle)))
    return turned(extrude(outline, -3.0, 0.0))


def socket():
    """A round socket for a pin of 4 mm: a blind hole of 4.1 mm, 16 mm deep, below a chamfer of 45 degrees out to 9 mm. Its
    mouth, where the chamfer ends and the hole begins, is at z = 0."""
    sides = 64
    wide = 1.0 / math.cos(math.pi / sides)
    profile = [(0.0, -19.0), (8.0, -19.0), (8.0, 2.45), (4.5 * wide, 2.45), (2.05 * wide, 0.0), (2.05 * wide, -16.0),
               (0.0, -16.0)]
    return revolve(profile, sides)


def eyelet():
    """A disc of 40 mm, 6 mm thick, its upper side at z = 0, with a hole of 5 mm through it below a chamfer of 45 degrees out
    to 11 mm."""
    sides = 64
    wide = 1.0 / math.cos(math.pi / sides)
    profile = [(2.5 * wide, -6.0), (20.0, -6.0), (20.0, 0.0), (5.5 * wide, 0.0), (2.5 * wide, -3.0)]
    return revolve(profile, sides)


def tube():
    """A tube of 10 mm inside and 13 mm outside: 50 mm straight along x, a bend of 90 degrees with a radius of 60 mm towards z,
    and 50 mm straight along z. It begins at the origin. The inside has four times as many triangles as the outside."""
    bend, straight = 60.0, 50.0
    quarter = bend * math.pi / 2.0

    def frame(s):
        """Point, and normal towards the centre of the bend; the tangent and it lie in the plane x, z."""
        if s <= straight:
            return (s, 0.0, 0.0), (0.0, 0.0, 1.0)
        if s >= straight + quarter:
            return (straight + bend, 0.0, bend + s - straight - quarter), (-1.0, 0.0, 0.0)
        angle = (s - straight) / bend
        return ((straight + bend * math.sin(angle), 0.0, bend - bend * math.cos(angle)),
                (-math.sin(angle), 0.0, math.cos(angle)))

    def rings(radius, sides, stations):
        return [[tuple(p[i] + radius * (math.cos(2.0 * math.pi * k / sides) * n[i]
                                        + math.sin(2.0 * math.pi * k / sides) * (0.0, 1.0, 0.0)[i]) for i in range(3))
                 for k in range(sides)] for p, n in map(frame, stations)]

    def skin(all_rings, outward):
        triangles = []
        for a, b in zip(all_rings, all_rings[1:]):
            for k in range(len(a)):
                l = (k + 1) % len(a)
                two = [(a[k], b[k], b[l]), (a[k], b[l], a[l])]
                triangles += two if outward else [(p, r, q) for p, q, r in two]
        return triangles

    def stations(straights, bends):
        return ([straight * k / straights for k in range(straights)]
                + [straight + quarter * k / bends for k in range(bends)]
                + [straight + quarter + straight * k / straights for k in range(straights + 1)])

    sides = 32
    inner = rings(5.0 / math.cos(math.pi / sides), sides, stations(4, 36))
    outer = rings(6.5, sides // 2, stations(1, 18))
    triangles = skin(inner, False) + skin(outer, True)
    for ring, rim, first in [(inner[0], outer[0], True), (inner[-1], outer[-1], False)]:
        for k in range(sides // 2):
            l = (k + 1) % (sides // 2)
            i, j, m = ring[2 * k], ring[2 * k + 1], ring[(2 * k + 2) % sides]
            three = [(i, j, rim[k]), (j, rim[l], rim[k]), (j, m, rim[l])]
            triangles += three if not first else [(p, r, q) for p, q, r in three]
    if volume_of(triangles) < 0.0:
        triangles = [(p, r, q) for p, q, r in triangles]
    return triangles


def volume_of(triangles):
    return sum(dot(t[0], cross(t[1], t[2])) for t in triangles) / 6.0


def half_pin():
    """One lip of a wound: half a rod of 6 mm, 12 mm long, along z, with its flat side at x = 0 and its back at x = 3."""
    count = 24
    outline = [(3.0 * math.sin(math.pi * k / count), -3.0 * math.cos(math.pi * k / count)) for k in range(count + 1)]
    return turned(extrude(outline, -6.0, 6.0))


def throw(crossings=5):
    """The path of the scene suture [m]: two strands wound round each other about x above a pin of 6 mm, a loop round the pin, and
    two straight ends; smoothed by Catmull and Rom's spline."""
    loop, rho, half, height = 3.24, 0.4, 3.0, 3.85
    end = height + rho

    def strand(phase):
        count = 4 * crossings
        return [(-half + 2.0 * half * k / count, height + rho * math.cos(phase + math.pi * crossings * k / count),
                 rho * math.sin(phase + math.pi * crossings * k / count)) for k in range(count + 1)]

    tail = [(half + 0.6, end, 0.0), (half + 2.0, end, 0.0), (half + 4.0, end, 0.0), (10.0, end, 0.0)]
    ring = [(loop * math.cos(math.radians(a)), loop * math.sin(math.radians(a)), 0.0) for a in range(160, 381, 20)]
    low = height - rho - 0.1
    way = (tail[::-1] + strand(math.pi)[::-1] + [(-half - 0.5, low, 0.0)] + ring + [(half + 0.5, low, 0.0)]
           + strand(0.0)[::-1] + [(-x, y, z) for x, y, z in tail])
    found = [way[0]]
    for i in range(len(way) - 1):
        around = [way[max(i - 1, 0)], way[i], way[i + 1], way[min(i + 2, len(way) - 1)]]
        for k in range(3):
            t = k / 3
            p = tuple(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t ** 3)
                      for a, b, c, d in zip(*around))
            if math.dist(p, found[-1]) > 0.05:
                found.append(p)
    found.append(way[-1])
    print("path     = [")
    for i in range(0, len(found), 4):
        print("  " + ", ".join("[%.6f, %.6f, %.6f]" % tuple(x / 1e3 + 0.0 for x in p) for p in found[i:i + 4]) + ",")
    print("]")


def drum(flange=0.0):
    """The drum of scenes/winding.toml, and with flanges of this height."""
    side = [(20.0, -50.0 + 100.0 * k / 78) for k in range(79)]
    if flange > 0.0:
        side = [(20.0 + flange, -55.0), (20.0 + flange, -50.0)] + side + [(20.0 + flange, 50.0), (20.0 + flange, 55.0)]
    return revolve([(0.0, side[0][1])] + side + [(0.0, side[-1][1])], 126)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)), help="directory to write to")
    parser.add_argument("--flip", action="store_true", help="turn every triangle round, for trying out inside-out meshes")
    parser.add_argument("--throw", action="store_true", help="print the path of the scene suture instead")
    parser.add_argument("--drums", action="store_true", help="write finely meshed drums instead")
    options = parser.parse_args()
    if options.throw:
        return throw()
    os.makedirs(options.out, exist_ok=True)
    if options.drums:
        write("drum", drum(), options.out, options.flip)
        write("spool", drum(20.0), options.out, options.flip)
        return
    for name, shape in [("clip", clip), ("panel", panel), ("socket", socket), ("eyelet", eyelet), ("tube", tube), ("half-pin", half_pin)]:
        write(name, shape(), options.out, options.flip)


if __name__ == "__main__":
    main()
