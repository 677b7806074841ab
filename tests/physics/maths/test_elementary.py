"""The elementary functions: against sums of their series in decimal numbers of 60 digits, compiled and in plain Python
alike, and the very bits, as every machine must find them."""

import hashlib
import json
import math
import os
import subprocess
import sys
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest

from physics.compiler.jit import compilation_is_off
from physics.maths import elementary as e
from tests.helpers.elementary import AWKWARD, compiled, fill_all, fill_inlined, inputs, samples, sizes

ROOT = Path(__file__).resolve().parents[3]
DIGITS = 60


def inverse_tangent_of(n: int) -> Decimal:
    """atan(1/n) by its series"""
    power = total = Decimal(1) / n
    k = 1
    while abs(power) > Decimal(10) ** -500:
        power /= -n * n
        k += 2
        total += power / k
    return total


def pi() -> Decimal:
    """Machin's formula, with digits enough to take the largest double modulo pi/2"""
    with localcontext(prec=420):
        return 4 * (4 * inverse_tangent_of(5) - inverse_tangent_of(239))


PI = pi()


def exact_sine_and_cosine(x: Decimal) -> tuple[Decimal, Decimal]:
    with localcontext(prec=420):
        n = (2 * x / PI).to_integral_value()
        r = x - n * PI / 2
    with localcontext(prec=DIGITS):
        r = +r
        parts = [Decimal(0), Decimal(0)]
        term = Decimal(1)
        for k in range(60):
            parts[k % 2] += term if k % 4 < 2 else -term
            term = term * r / (k + 1)
        c, s = parts
        return [(s, c), (c, -s), (-s, -c), (-c, s)][int(n) % 4]


def exact_angle(y: float, x: float) -> Decimal:
    """atan2 by Newton's method on its sine and cosine"""
    with localcontext(prec=DIGITS):
        a, r = Decimal(math.atan2(y, x)), (Decimal(x) ** 2 + Decimal(y) ** 2).sqrt()
        for _ in range(2):
            s, c = exact_sine_and_cosine(a)
            a += (Decimal(y) * c - Decimal(x) * s) / r
        return a


def off(got: float, exact: Decimal) -> float:
    """In units of the last place"""
    with localcontext(prec=DIGITS):
        return float(abs(Decimal(got) - exact) / Decimal(math.ulp(float(exact))))


@pytest.mark.parametrize("x", [samples(-1.0, 1.0), samples(-1e3, 1e3), sizes(-40, 19), sizes(20, 1023), AWKWARD],
                         ids=["small", "turns", "every size", "far", "awkward"])  # fmt: skip
def test_sine_and_cosine(x):
    exact = [exact_sine_and_cosine(Decimal(t)) for t in x]
    assert max(off(e.sine(t), s) for t, (s, _) in zip(x, exact, strict=True)) < 0.8
    assert max(off(e.cosine(t), c) for t, (_, c) in zip(x, exact, strict=True)) < 0.8
    with localcontext(prec=DIGITS):
        assert max(off(e.tangent(t), s / c) for t, (s, c) in zip(x, exact, strict=True)) < 2.5


def test_inverse_functions():
    pairs = list(zip(samples(-1.0, 1.0), sizes(-6, 6), strict=True))
    assert max(off(e.arctangent(y, x), exact_angle(y, x)) for y, x in pairs) < 2.5
    assert max(abs(Decimal(e.arctangent(y, x)) - exact_angle(y, x)) for y, x in pairs) < 5e-16
    with localcontext(prec=DIGITS):
        across = [(x, (1 - Decimal(x) ** 2).sqrt()) for x, _ in pairs]
    for x, c in across:
        for got, (u, v) in ((e.arcsine(x), (Decimal(x), c)), (e.arccosine(x), (c, Decimal(x)))):
            s, k = exact_sine_and_cosine(Decimal(got))
            with localcontext(prec=DIGITS):  # the angle between the two directions is the error
                assert abs(s * v - k * u) < 2.5 * math.ulp(abs(got))


def test_exponential_logarithm_and_power():
    with localcontext(prec=DIGITS):
        assert max(off(e.exponential(x), Decimal(x).exp()) for x in samples(-700.0, 700.0) + sizes(-50, 8)) < 0.502
        positive = [abs(x) for x in sizes(-1000, 1000)] + samples(0.5, 2.0)
        assert max(off(e.logarithm(x), Decimal(x).ln()) for x in positive) < 0.502
        powers = list(zip([abs(x) for x in sizes(-8, 8)], samples(-60.0, 60.0), strict=True))
        assert max(off(e.power(x, y), Decimal(x) ** Decimal(y)) for x, y in powers) < 0.52


def test_powers_that_are_doubles_are_exact():
    assert [e.power(x, y) for x, y in ((2.0, 10.0), (10.0, 3.0), (3.0, 4.0), (4.0, 0.5), (2.0, -1.0), (-2.0, 3.0))] == [
        1024.0, 1000.0, 81.0, 2.0, 0.5, -8.0,
    ]  # fmt: skip


def test_ends_and_what_is_no_number():
    nan, inf = math.nan, math.inf
    assert [e.exponential(x) for x in (0.0, 709.782712893384, 710.0, -746.0, inf, -inf)] == [
        1.0, 1.7976931348622732e308, inf, 0.0, inf, 0.0,
    ]  # fmt: skip
    assert [e.logarithm(x) for x in (1.0, 0.0, inf)] == [0.0, -inf, inf]
    assert [e.power(x, y) for x, y in ((0.0, 2.0), (0.0, -1.0), (-0.0, -1.0), (nan, 0.0), (1.0, nan), (-1.0, inf),
            (2.0, -inf), (-inf, 3.0), (1e300, 2.0), (1e-300, 2.0))] == [
        0.0, inf, -inf, 1.0, 1.0, 1.0, 0.0, -inf, inf, 0.0,
    ]  # fmt: skip
    for value in (e.sine(inf), e.cosine(nan), e.logarithm(-1.0), e.power(-2.0, 0.5), e.arcsine(1.1), e.arccosine(-2.0),
                  e.exponential(nan), e.power(nan, 1.0), e.arctangent(nan, 1.0), e.arctangent(1.0, nan)):  # fmt: skip
        assert math.isnan(value)
    angles = [
        e.arctangent(y, x) for y, x in ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-0.0, -1.0), (1.0, 1.0), (inf, inf))
    ]
    assert angles == [0.0, 0.5 * math.pi, math.pi, -math.pi, 0.25 * math.pi, 0.25 * math.pi]


# ---------------------------------------------------------------- bits


def test_compiled_equals_plain_python():
    plain = [
        (*e.sine_and_cosine(a), e.tangent(a), e.arctangent(a, b), e.exponential(a), e.logarithm(abs(a)),
         e.power(abs(a), b), e.arcsine(b), e.arccosine(b)) for a, b in inputs().tolist()
    ]  # fmt: skip
    assert compiled().tobytes() == np.array(plain).tobytes()


def test_those_without_branches_are_the_same():
    x = inputs()
    x = x[np.abs(x[:, 0]) < e.NEAR]
    out, other = np.zeros((len(x), 3)), np.zeros((len(x), 9))
    fill_inlined(x, out)
    fill_all(x, other)
    assert np.array_equal(out[:, :2], other[:, :2])
    assert np.abs(out[:, 2] - other[:, 3]).max() < 1e-15


BITS = "dd9a8b1e0e0c2816"


def test_the_bits_are_those_of_every_machine():
    """A digest that was found on one machine and holds on all"""
    assert hashlib.sha256(compiled().tobytes()).hexdigest()[:16] == BITS


ELSEWHERE = """
import hashlib, json
from tests.helpers.elementary import compiled
print(json.dumps(hashlib.sha256(compiled().tobytes()).hexdigest()[:16]))
"""


@pytest.mark.skipif(compilation_is_off(), reason="nothing is compiled")
def test_the_bits_are_the_same_compiled_for_a_processor_without_vector_units(tmp_path):
    environment = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == BITS
