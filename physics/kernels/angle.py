"""Angles from their sine and cosine, inlined: a call of the library's atan2 costs as much as the rest of a spring.

atan(u)/u on |u| <= tan(pi/8) is a polynomial in u^2 of least largest relative error (Remez' exchange: 3.3e-17); other
angles are brought there by atan(n/d) = pi/4 + atan((n - d)/(n + d)) = pi/2 - atan(d/n).
"""

import math

from physics.kernels.jit import inline
from physics.kernels.lanes import choose

STEEP = math.tan(math.pi / 8.0)


@inline
def series(z):
    """atan(u)/u at z = u^2 <= tan^2(pi/8), summed in pairs: half the latency of Horner's scheme"""
    z2 = z * z
    z4 = z2 * z2
    low = (0.99999999999999996686 - z * 0.33333333333328617032) + z2 * (
        0.19999999998889259078 - z * 0.14285714183513295891
    )
    middle = (0.11111106276219410038 - z * 0.090907751522194092583) + z2 * (
        0.076899809424002415046 - z * 0.066404584271873340095
    )
    high = (0.056894592018854080732 - z * 0.043510912861047204214) + z2 * 0.021170743790222804636
    return low + z4 * (middle + z4 * high)


@inline
def reduced(y, x):
    """(offset, n, d) with atan(y/x) = offset + atan(n/d) and |n/d| <= tan(pi/8), for y, x >= 0"""
    shallow = y <= STEEP * x
    steep = x < STEEP * y
    offset = choose(shallow, 0.0, choose(steep, 0.5 * math.pi, 0.25 * math.pi))
    n = choose(shallow, y, choose(steep, -x, y - x))
    d = choose(shallow, x, choose(steep, y, y + x))
    return offset, n, d


@inline
def arctangent(y, x):
    """atan2(y, x), within 5e-16 of itself; without signs of zeros"""
    offset, n, d = reduced(abs(y), abs(x))
    u = n / choose(d > 0.0, d, 1.0)
    a = offset + u * series(u * u)
    a = choose(x < 0.0, math.pi - a, a)
    return choose(y < 0.0, -a, a)


@inline
def half_turn(s2, w):
    """h / s of an angle h with the sine s = sqrt(s2) and the cosine w >= 0; also where angle and sine vanish"""
    s = math.sqrt(s2)
    offset, n, d = reduced(s, w)
    u = n / d
    p = series(u * u)
    shallow = offset <= 0.0
    return choose(shallow, p, offset + u * p) / choose(shallow, w, s)
