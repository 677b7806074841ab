"""The elementary functions of physics/maths, compiled, at numbers of every size."""

import math
import numpy as np
from physics.compiler.jit import entry
from physics.maths import elementary as e
from physics.maths.angle import arctangent as inlined_arctangent, cosine_and_sine


def samples(low: float, high: float, count: int = 300) -> list[float]:
    """The same on every machine: 53-bit numbers of a generator of whole numbers"""
    rng = np.random.default_rng(7)
    return [low + (high - low) * int(k) * 2.0**-53 for k in rng.integers(0, 2**53, count)]


def sizes(lowest: int, highest: int, count: int = 300) -> list[float]:
    """Of both signs, and of every order of magnitude"""
    signs = [1.0, -1.0]
    return [signs[k % 2] * math.ldexp(1.0 + s, lowest + k * (highest - lowest) // count)
            for k, s in enumerate(samples(0.0, 1.0, count))]  # fmt: skip


# the double that comes nearest to a multiple of pi/2 [Payne83], multiples as near as doubles get, and the ends
AWKWARD = [
    6381956970095103.0 * 2.0**797, math.pi, 0.5 * math.pi, 355.0, 710.0 * math.pi, 1e22, 2.0**20, 2.0**1023, 5e-324,
]  # fmt: skip


@entry("tt")
def fill_all(x, out):
    for i in range(x.shape[0]):
        a, b = x[i, 0], x[i, 1]
        out[i, 0], out[i, 1] = e.sine_and_cosine(a)
        out[i, 2] = e.tangent(a)
        out[i, 3] = e.arctangent(a, b)
        out[i, 4] = e.exponential(a)
        out[i, 5] = e.logarithm(abs(a))
        out[i, 6] = e.power(abs(a), b)
        out[i, 7] = e.arcsine(b)
        out[i, 8] = e.arccosine(b)


@entry("tt")
def fill_inlined(x, out):
    for i in range(x.shape[0]):
        out[i, 1], out[i, 0] = cosine_and_sine(x[i, 0])
        out[i, 2] = inlined_arctangent(x[i, 0], x[i, 1])


def inputs() -> np.ndarray:
    a = [*samples(-20.0, 20.0, 1000), *sizes(-60, 1023, 1000), *AWKWARD]
    return np.array([a, samples(-1.0, 1.0, len(a))]).T.copy()


def compiled() -> np.ndarray:
    out = np.zeros((len(inputs()), 9))
    fill_all(inputs(), out)
    return out
