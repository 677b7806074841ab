"""Nearest points in closed form, for spheres and capsules against each other, and for spheres against boxes, cylinders
and hulls.

Each function returns, in the frame of the first shape, the distance of the cores, the unit normal from the first to the
second, and the nearest points. The distance is negative if the centre of the sphere is inside the other shape."""

import math

from physics.collision.polytope import across
from physics.compiler.jit import kernel
from physics.data.shape_tables import ShapeIndex
from physics.maths.vec import ZERO3, cross, dot, load3, mul, mul_t, negative, norm, scale, sub

# Segments closer than this share of their sizes have no direction between them.
TOUCHING = 1e-12


@kernel
def between_segments(a, b, r, p):
    """Return distance, normal and nearest points of two segments along their z axes [Ericson04, 5.1.9]. Their half
    lengths are a and b. A segment of half length 0 is a point."""
    e = (r[2], r[5], r[8])
    # points (0, 0, s) and p + t e: minimise |p + t e - s z|^2 over |s| <= a, |t| <= b
    c = e[2]
    pz = p[2]
    pe = dot(p, e)
    s = 0.0
    if a > 0.0:
        # the square of the sine from the cross product, which keeps it where the segments are parallel
        sine = e[0] * e[0] + e[1] * e[1]
        if b > 0.0 and sine > 1e-20:
            s = (pz - c * pe) / sine
        else:
            # parallel: the middle of the overlap
            t0 = pz - b * abs(c)
            t1 = pz + b * abs(c)
            s = 0.5 * (max(-a, t0) + min(a, t1))
        s = max(-a, min(s, a))
    t = c * s - pe
    if t > b or t < -b:
        t = max(-b, min(t, b))
        s = max(-a, min(pz + t * c, a))
    first = (0.0, 0.0, s)
    second = (p[0] + t * e[0], p[1] + t * e[1], p[2] + t * e[2])
    d = sub(second, first)
    distance = norm(d)
    if distance > TOUCHING * (a + b + norm(p)):
        return distance, scale(1.0 / distance, d), first, second
    # the segments cross: across both of them, or across the one that there is
    n = cross((0.0, 0.0, 1.0), e)
    if dot(n, n) < 1e-12 or a == 0.0 or b == 0.0:
        n = across(e) if b > 0.0 else (across((0.0, 0.0, 1.0)) if a > 0.0 else (0.0, 0.0, 1.0))
    n = scale(1.0 / norm(n), n)
    return 0.0, n if dot(n, p) >= 0.0 else negative(n), first, second


@kernel
def ball_to_box(half, r, p):
    """Return distance, normal and nearest points of a point and a box."""
    c = negative(mul_t(r, p))
    q = (
        max(-half[0], min(c[0], half[0])),
        max(-half[1], min(c[1], half[1])),
        max(-half[2], min(c[2], half[2])),
    )
    d = sub(q, c)
    distance = norm(d)
    if distance > 0.0:
        return distance, mul(r, scale(1.0 / distance, d)), ZERO3, mul(r, d)
    best = math.inf
    face = 0
    for k in range(3):
        if half[k] - abs(c[k]) < best:
            best = half[k] - abs(c[k])
            face = k
    sign = -1.0 if c[face] >= 0.0 else 1.0
    n = (sign if face == 0 else 0.0, sign if face == 1 else 0.0, sign if face == 2 else 0.0)
    n = mul(r, n)
    return -best, n, ZERO3, scale(-best, n)


@kernel
def ball_to_cylinder(radius, half, r, p):
    """Return distance, normal and nearest points of a point and a cylinder."""
    c = negative(mul_t(r, p))
    rho = math.sqrt(c[0] * c[0] + c[1] * c[1])
    x = c[0] / rho if rho > 0.0 else 1.0
    y = c[1] / rho if rho > 0.0 else 0.0
    side = rho - radius
    top = abs(c[2]) - half
    sign = 1.0 if c[2] >= 0.0 else -1.0
    if side <= 0.0 and top <= 0.0:
        if side > top:
            n = (-x, -y, 0.0)
            distance = side
        else:
            n = (0.0, 0.0, -sign)
            distance = top
    else:
        out = max(side, 0.0)
        up = max(top, 0.0)
        distance = math.sqrt(out * out + up * up)
        n = (-x * out / distance, -y * out / distance, -sign * up / distance)
    n = mul(r, n)
    return distance, n, ZERO3, scale(distance, n)


@kernel
def ball_in_hull(g, j, r, p):
    """Return distance, normal and nearest points of a point inside hull j. They follow from the nearest face. If the
    point is outside, the distance is positive, and only a lower bound."""
    c = negative(mul_t(r, p))
    best = -math.inf
    first = g.whole[j, ShapeIndex.FIRST_FACE]
    face = first
    for f in range(first, first + g.whole[j, ShapeIndex.FACES]):
        s = dot(load3(g.plane, f, 0), c) - g.plane[f, 3]
        if s > best:
            best = s
            face = f
    n = negative(mul(r, load3(g.plane, face, 0)))
    return best, n, ZERO3, scale(best, n)
