"""Sine, cosine, arctangent, exponential, logarithm, power and related functions. They use IEEE additions,
multiplications, divisions and square roots only, so that they give the same bits on every machine. The functions of the
C library do not: they run other code on processors with fused multiply-add, and other libraries have other last digits.

Sine and cosine are the polynomials of [Fdlibm93] on |r| <= pi/4. The reduction r = x - n pi/2 uses the three parts of
pi/2 of [Cody80], and for large |x| the bits of 2/pi that matter [Payne83]. The results are within 0.8 units in the last
place. Tangent, arctangent, arcsine and arccosine are within 2.5 units. Exponential, logarithm and power are computed in
pairs of doubles [Dekker71] and rounded once.

Python calls these functions as they are, and kernels call them compiled (`shared`).
"""

import math

import numpy as np

from physics.compiler.jit import shared, shared_inline

# ---------------------------------------------------------------- pairs of doubles, (high, low)
SPLIT = 134217729.0  # 2^27 + 1: halves the bits of a double [Dekker71]


@shared_inline
def two_sum(a, b):
    """Return the rounded sum a + b, and its rounding error exactly."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@shared_inline
def two_product(a, b):
    """Return the rounded product a b, and its rounding error exactly, for |a|, |b| < 2^996."""
    p = a * b
    t = SPLIT * a
    a1 = t - (t - a)
    a2 = a - a1
    t = SPLIT * b
    b1 = t - (t - b)
    b2 = b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


# ---------------------------------------------------------------- sine and cosine
QUARTER = math.pi / 4.0
NEAR = 1048576.0  # 2^20: up to here n has 20 bits, and its products with parts of 33 bits are exact
ROUNDER = 6755399441055744.0  # 1.5 * 2^52: adding and taking it away rounds to a whole number
OVER = 0.6366197723675814  # 2/pi
# pi/2 in three parts of 33 bits and the rest
FIRST, SECOND, THIRD, REST = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32
HALF_PI, HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17

# 2/pi in digits of 24 bits
BITS = 24
LOWEST = 0xFFFFFF  # the bits of one digit
DIGITS = (
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921c"
    "fe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980f"
    "ef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d08"
    "56033046fc7b6babf0cfbc209af4361da9e3"
)
DIGIT = np.array([int(DIGITS[k : k + 6], 16) for k in range(0, len(DIGITS), 6)], np.int64)


@shared_inline
def reduced(x):
    """Return (n, r, rest) with x = n pi/2 + r + rest and |r| <= pi/4, for |x| < NEAR."""
    n = (x * OVER + ROUNDER) - ROUNDER
    r, more = two_sum(x - n * FIRST, -n * SECOND)
    s, rest = two_sum(r, -n * THIRD)
    low = (more + rest) - n * REST
    y = s + low
    return n, y, (s - y) + low


@shared_inline
def digit_of(i):
    """Return digit i after the point of 2/pi in base 2^24, or 0 for negative i."""
    return DIGIT[i] if i >= 0 else 0


@shared
def reduced_far(x):
    """Return (n, r, rest) as `reduced` does, for any finite x; n is determined up to multiples of 4, which are whole
    turns. Let |x| = m 2^(24 q), with the four digits m_a of m in base 2^24, and c_i the digits of 2/pi. Then |x| 2/pi
    is the sum of m_a c_i 2^(24 (q + a - i - 1)). Only the places that matter are summed."""
    fraction, exponent = math.frexp(abs(x))
    m = math.floor(fraction * 9007199254740992.0)  # 2^53
    t = (exponent - 53) % BITS
    q = (exponent - 53 - t) // BITS
    w0 = (m & LOWEST) << t
    w1 = ((m >> BITS) & LOWEST) << t
    w2 = (m >> (2 * BITS)) << t
    m0 = w0 & LOWEST
    m1 = (w0 >> BITS) + (w1 & LOWEST)
    m2 = (w1 >> BITS) + (w2 & LOWEST)
    m3 = w2 >> BITS
    carry, high, middle, low, n = 0, 0, 0, 0, 0
    for place in range(8, -1, -1):
        i = q - 1 + place
        total = carry + m0 * digit_of(i) + m1 * digit_of(i + 1) + m2 * digit_of(i + 2) + m3 * digit_of(i + 3)
        digit = total & LOWEST
        carry = total >> BITS
        if place == 0:
            n = digit & 3
        elif place <= 2:
            high |= digit << (BITS * (2 - place))
        elif place <= 4:
            middle |= digit << (BITS * (4 - place))
        elif place <= 6:
            low |= digit << (BITS * (6 - place))
    a = high * 2.0**-48
    turns = 1.0 * n
    if a >= 0.5:
        a -= 1.0
        turns += 1.0
    h, l = two_sum(a, middle * 2.0**-96)
    l += low * 2.0**-144
    p, rounded = two_product(h, HALF_PI)
    rest = rounded + (h * HALF_PI_LOW + l * HALF_PI)
    y = p + rest
    rest = (p - y) + rest
    return (-turns, -y, -rest) if x < 0.0 else (turns, y, rest)


@shared_inline
def near_sine(r, rest):
    """Return sin(r + rest) for |r| <= pi/4 [Fdlibm93, k_sin.c]."""
    z = r * r
    v = z * r
    p = 8.33333333332248946124e-03 + z * (
        -1.98412698298579493134e-04
        + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))
    )
    return r - ((z * (0.5 * rest - v * p) - rest) + v * 1.66666666666666324348e-01)


@shared_inline
def near_cosine(r, rest):
    """Return cos(r + rest) for |r| <= pi/4 [Fdlibm93, k_cos.c]."""
    z = r * r
    p = z * (
        4.16666666666666019037e-02
        + z
        * (
            -1.38888888888741095749e-03
            + z
            * (
                2.48015872894767294178e-05
                + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))
            )
        )
    )
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + (z * p - r * rest))


@shared
def sine_and_cosine(x):
    """Return sine and cosine of any number [rad]; they are nan where x is infinite."""
    if abs(x) < NEAR:
        n, r, rest = reduced(x)
    elif abs(x) < math.inf:
        n, r, rest = reduced_far(x)
    else:
        return math.nan, math.nan
    s = near_sine(r, rest)
    c = near_cosine(r, rest)
    quadrant = math.floor(n) & 3
    if quadrant == 0:
        return s, c
    if quadrant == 1:
        return c, -s
    if quadrant == 2:
        return -s, -c
    return -c, s


@shared
def sine(x):
    """Return the sine of x [rad]."""
    return sine_and_cosine(x)[0]


@shared
def cosine(x):
    """Return the cosine of x [rad]."""
    return sine_and_cosine(x)[1]


@shared
def tangent(x):
    """Return the tangent of x [rad]."""
    s, c = sine_and_cosine(x)
    return s / c


# ---------------------------------------------------------------- arctangent
STEEP = 0.41421356237309503  # tan(pi/8)


@shared_inline
def arctangent_series(z):
    """Return atan(u)/u at z = u^2 <= tan^2(pi/8). It is summed in pairs, which has half the latency of Horner's
    scheme."""
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


@shared
def arctangent(y, x):
    """Return the angle of the point (x, y) between -pi and pi [rad], as atan2 does, with the signs of zeros."""
    a, b = abs(y), abs(x)
    if a == math.inf and b == math.inf:
        a, b = 1.0, 1.0
    offset, low, n, d = 0.0, 0.0, a, b
    if a > STEEP * b:
        offset, low, n, d = 0.5 * math.pi, HALF_PI_LOW, -b, a
        if b >= STEEP * a:
            offset, low, n, d = 0.25 * math.pi, 0.5 * HALF_PI_LOW, a - b, a + b
    u = n / d if d != 0.0 else n
    angle = offset + (u * arctangent_series(u * u) + low)
    if math.copysign(1.0, x) < 0.0:
        angle = math.pi - (angle - 2.0 * HALF_PI_LOW)
    return math.copysign(angle, y)


@shared
def arcsine(x):
    """Return the angle between -pi/2 and pi/2 with the sine x [rad]."""
    return arctangent(x, math.sqrt((1.0 - x) * (1.0 + x))) if abs(x) <= 1.0 else math.nan


@shared
def arccosine(x):
    """Return the angle between 0 and pi with the cosine x [rad]."""
    return arctangent(math.sqrt((1.0 - x) * (1.0 + x)), x) if abs(x) <= 1.0 else math.nan


# ---------------------------------------------------------------- exponential, logarithm, power
# ln 2: 32 bits, whose products with exponents are exact, and the rest in two parts
LN2, LN2_MIDDLE, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10, 1.1612227229362532e-26
MOST, LEAST = 709.782712893384, -745.1332191019412  # logarithms of the largest and of half the smallest number
SQUARINGS = 8


@shared
def expanded(high, low):
    """Return e^(high + low), rounded once, for LEAST <= high <= MOST. The series of e^r is summed at r/256, and the
    result is squared eight times."""
    n = (high * 1.4426950408889634 + ROUNDER) - ROUNDER
    p, p_low = two_product(n, LN2_MIDDLE)
    r, rest = two_sum(high - n * LN2, -p)
    rest = rest - p_low - n * LN2_LOW + low
    r, rest = two_sum(r, rest)
    r *= 2.0**-SQUARINGS
    rest *= 2.0**-SQUARINGS
    # e^r - 1 = r + r^2/2 + r^3/6 ..., |r| < 0.0014: what is left out is below 2^-80
    s, s_low = two_product(r, r)
    s_low += 2.0 * r * rest
    cubic = s * r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r / 5040.0))))
    e, e_low = two_sum(r, 0.5 * s)
    e, e_low = two_sum(e, e_low + (rest + 0.5 * s_low + cubic))
    for _ in range(SQUARINGS):  # (1 + e)^2 = 1 + (2 e + e^2)
        s, s_low = two_product(e, e)
        s_low += 2.0 * e * e_low
        e, more = two_sum(2.0 * e, s)
        e_low = more + (2.0 * e_low + s_low)
    value, more = two_sum(1.0, e)
    value += more + e_low
    return math.ldexp(value, math.floor(n)) if n < 1024.0 or value < 1.0 else math.inf


@shared
def logarithm_pair(x):
    """Return high and low with ln x = high + low, for positive x = m 2^e: ln m is twice the inverse hyperbolic tangent
    of (m - 1)/(m + 1)."""
    m, e = math.frexp(x)
    if m < 0.7071067811865476:
        m *= 2.0
        e -= 1
    f = m - 1.0
    d, d_low = two_sum(m, 1.0)
    s = f / d
    p, p_low = two_product(s, d)
    s_low = (((f - p) - p_low) - s * d_low) / d
    z, z_low = two_product(s, s)
    z_low += 2.0 * s * s_low
    # area tangent of s = s + s z (1/3 + z/5 + z^2/7 ...), z < 0.0295: what is left out is below 2^-80
    q = 1.0 / 31.0
    for k in range(29, 3, -2):
        q = q * z + 1.0 / k
    t, t_low = two_sum(1.0 / 3.0, q * z)
    t_low += 1.850371707708594e-17  # what 1/3 is more than its double
    u, u_low = two_product(z, t)
    u_low += z * t_low + z_low * t
    w, w_low = two_product(s, u)
    w_low += s * u_low + s_low * u
    a, a_low = two_sum(s, w)
    a_low += s_low + w_low
    n = 1.0 * e
    p, p_low = two_product(n, LN2_MIDDLE)
    b, b_low = two_sum(n * LN2, 2.0 * a)
    c, c_low = two_sum(b, p)
    c_low += b_low + 2.0 * a_low + p_low + n * LN2_LOW
    high = c + c_low
    return high, (c - high) + c_low


@shared
def exponential(x):
    """Return e^x."""
    if x > MOST:
        return math.inf
    if x < LEAST:
        return 0.0
    return expanded(x, 0.0) if x == x else x


@shared
def logarithm(x):
    """Return the natural logarithm of x."""
    if 0.0 < x < math.inf:
        return logarithm_pair(x)[0]
    if x == 0.0:
        return -math.inf
    return x if x > 0.0 else math.nan


@shared
def power(x, y):
    """Return x^y as C's pow does: nan if x is negative and y is not a whole number."""
    if y == 0.0 or x == 1.0:
        return 1.0
    size = abs(x)
    if not size <= math.inf or not abs(y) <= math.inf:
        return math.nan
    if abs(y) == math.inf:
        return 1.0 if size == 1.0 else math.inf if (size > 1.0) == (y > 0.0) else 0.0
    whole = abs(y) >= 4503599627370496.0 or math.floor(y) == y  # 2^52: no number above has a fraction
    odd = whole and abs(y) < 9007199254740992.0 and math.floor(0.5 * y) != 0.5 * y
    sign = -1.0 if odd and math.copysign(1.0, x) < 0.0 else 1.0
    if size == 0.0 or size == math.inf:
        return sign * (math.inf if (size > 1.0) == (y > 0.0) else 0.0)
    if x < 0.0 and not whole:
        return math.nan
    if size == 1.0:
        return sign
    high, low = logarithm_pair(size)
    if y * high > MOST + 1.0:
        return sign * math.inf
    if y * high < LEAST - 1.0:
        return sign * 0.0
    p, rest = two_product(y, high)
    p, rest = two_sum(p, rest + y * low)
    if p > MOST:
        return sign * math.inf
    return sign * expanded(p, rest) if p >= LEAST else sign * 0.0
