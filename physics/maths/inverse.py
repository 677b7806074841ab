"""The inverse of a definite packed 3x3 matrix, accurate at any condition number."""

from physics.compiler.jit import inline, kernel
from physics.maths.lanes import all_of, choose

# Below this share of the product of the diagonal, the determinant by cofactors has lost more than three digits.
CANCELLED = 1e-3


@inline
def definite_inverse(s):
    """Return the inverse of a definite packed 3x3 matrix. If the cofactors are accurate, they give it with one
    division. Their error grows with the square of the condition number (a spring about one axis reaches 1e6). If it is
    too large, the matrix is inverted by LDL^T."""
    a, b, c, d, e, f = s
    c00 = c * f - e * e
    c10 = d * e - b * f
    c20 = b * e - c * d
    det = a * c00 + b * c10 + d * c20
    k = 1.0 / det
    found = c00 * k, c10 * k, (a * f - d * d) * k, c20 * k, (b * d - a * e) * k, (a * c - b * b) * k
    good = abs(det) > CANCELLED * abs(a * c * f)
    if all_of(good):
        return found
    better = inverse_by_factors(a, b, c, d, e, f)
    return (
        choose(good, found[0], better[0]), choose(good, found[1], better[1]), choose(good, found[2], better[2]),
        choose(good, found[3], better[3]), choose(good, found[4], better[4]), choose(good, found[5], better[5]),
    )  # fmt: skip


@kernel
def inverse_by_factors(a, b, c, d, e, f):
    """Return the packed inverse L^-T D^-1 L^-1 of the packed 3x3 matrix (a, b, c, d, e, f)."""
    i0 = 1.0 / a
    l10 = b * i0
    l20 = d * i0
    i1 = 1.0 / (c - b * l10)
    t = e - d * l10
    l21 = t * i1
    i2 = 1.0 / (f - d * l20 - t * l21)
    m20 = l10 * l21 - l20
    x20 = m20 * i2
    x21 = -l21 * i2
    return i0 + l10 * l10 * i1 + m20 * x20, m20 * x21 - l10 * i1, i1 - l21 * x21, x20, x21, i2
