"""Angles from their sine and cosine, inlined: a call of the library's atan2 costs as much as the rest of a spring.

atan(u)/u on |u| <= tan(pi/8) is a polynomial in u^2 whose largest relative error is as small as possible (Remez'
exchange: 3.3e-17). Other angles are reduced to that range by atan(n/d) = pi/4 + atan((n - d)/(n + d)) = pi/2 -
atan(d/n).
"""

import math

from physics.compiler.jit import inline, rare
from physics.maths import elementary
from physics.maths.elementary import STEEP, arctangent_series
from physics.maths.lanes import both, choose


@inline
def reduced(y, x):
    """Return (offset, n, d) with atan(y/x) = offset + atan(n/d) and |n/d| <= tan(pi/8), for y, x >= 0."""
    shallow = y <= STEEP * x
    steep = x < STEEP * y
    offset = choose(shallow, 0.0, choose(steep, 0.5 * math.pi, 0.25 * math.pi))
    n = choose(shallow, y, choose(steep, -x, y - x))
    d = choose(shallow, x, choose(steep, y, y + x))
    return offset, n, d


@inline
def arctangent(y, x):
    """Return atan2(y, x) [rad], within a relative 5e-16. Signs of zeros are ignored."""
    offset, n, d = reduced(abs(y), abs(x))
    u = n / choose(d > 0.0, d, 1.0)
    a = offset + u * arctangent_series(u * u)
    a = choose(x < 0.0, math.pi - a, a)
    return choose(y < 0.0, -a, a)


@inline
def half_turn(s2, w):
    """Return h / s of an angle h with the sine s = sqrt(s2) and the cosine w >= 0, also if angle and sine are zero."""
    s = math.sqrt(s2)
    offset, n, d = reduced(s, w)
    u = n / d
    p = arctangent_series(u * u)
    shallow = offset <= 0.0
    return choose(shallow, p, offset + u * p) / choose(shallow, w, s)


@rare
def cosine_and_sine(x):
    """Return cosine and sine of one angle [rad], or of a SIMD group of four, without branches. Angles beyond 2^20 rad
    are replaced by zero."""
    n, r, rest = elementary.reduced(choose(abs(x) < elementary.NEAR, x, 0.0))
    c = elementary.near_cosine(r, rest)
    s = elementary.near_sine(r, rest)
    m = n - 4.0 * ((0.25 * n + elementary.ROUNDER) - elementary.ROUNDER)  # quarter turns: -2, -1, 0, 1 or 2
    odd = both(m * m > 0.5, m * m < 2.0)
    a = choose(odd, s, c)
    b = choose(odd, c, s)
    return choose(abs(m + 0.5) < 1.0, a, -a), choose(abs(m - 0.5) < 1.0, b, -b)
