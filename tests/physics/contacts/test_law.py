"""The law of one contact: projections by their optimality conditions, derivatives by differences."""

import numpy as np
import pytest

from physics.compiler.jit import entry, inline
from physics.contacts.law import (
    Piece, capped_law, cone_law, contact_argument, coulomb_law, disc_law, equality_argument, limit_law,
    wanted_velocity, within_cone,
)  # fmt: skip
from physics.maths.vec import full


@inline
def write(out, gamma, g, y):
    f = full(g)
    for k in range(3):
        out[k] = gamma[k]
        out[12 + k] = y[k]
    for k in range(9):
        out[3 + k] = f[k]


@entry("vvvvv", "i")
def run_cone(u, n, centre, setting, out):
    """setting: vhat, s, 1/R, mu. out: gamma, G in full, y"""
    mu = setting[3]
    normal = (n[0], n[1], n[2])
    y = contact_argument(
        (u[0], u[1], u[2]), normal, (centre[0], centre[1], centre[2]), setting[0], setting[1], setting[2]
    )
    gamma, g, piece = cone_law(y, normal, mu, setting[2])
    write(out, gamma, g, y)
    return piece


@entry("vvvvv", "i")
def run_capped(u, vhat, centre, setting, out):
    """setting: cap, 1/R"""
    y = equality_argument(
        (u[0], u[1], u[2]), (vhat[0], vhat[1], vhat[2]), (centre[0], centre[1], centre[2]), setting[1]
    )
    gamma, g, piece = capped_law(y, setting[0], setting[1])
    write(out, gamma, g, y)
    return piece


@entry("vvvvv", "i")
def run_disc(u, n, centre, setting, out):
    """setting: vhat, most, 1/R. out: gamma, G in full"""
    gamma, g, piece = disc_law(
        (u[0], u[1], u[2]), (n[0], n[1], n[2]), (centre[0], centre[1], centre[2]), setting[0], setting[1], setting[2]
    )
    write(out, gamma, g, gamma)
    return piece


@entry("vvvvv")
def run_coulomb(u, n, p, setting, out):
    """setting: vhat, mu, 1/R. out: gamma, and p within the cone"""
    normal, carried = (n[0], n[1], n[2]), (p[0], p[1], p[2])
    gamma = coulomb_law((u[0], u[1], u[2]), normal, carried, setting[0], setting[1], setting[2])
    inside = within_cone(carried, normal, setting[1])
    for k in range(3):
        out[k] = gamma[k]
        out[3 + k] = inside[k]


@entry("ffffv", "i")
def fill_limit(rate, centre, vhat, inverse, out):
    """out: gamma, G"""
    out[0], out[1], piece = limit_law(rate, centre, vhat, inverse)
    return piece


def run_limit(*numbers):
    out = np.zeros(2)
    piece = fill_limit(*numbers, out)
    return *out, piece


@entry("ff", "f")
def run_wanted(gap, dt):
    return wanted_velocity(gap, dt)


def cone(u, n, centre, vhat, s, inverse, mu):
    out = np.zeros(15)
    piece = run_cone(u, n, centre, np.array([vhat, s, inverse, mu]), out)
    return piece, out[:3], out[3:12].reshape(3, 3), out[12:]


def disc(u, n, centre, vhat, most, inverse):
    out = np.zeros(15)
    piece = run_disc(u, n, centre, np.array([vhat, most, inverse]), out)
    return piece, out[:3], out[3:12].reshape(3, 3)


def coulomb(u, n, p, vhat, mu, inverse):
    out = np.zeros(6)
    run_coulomb(u, n, p, np.array([vhat, mu, inverse]), out)
    return out[:3], out[3:]


def capped(u, vhat, centre, cap, inverse):
    out = np.zeros(15)
    piece = run_capped(u, vhat, centre, np.array([cap, inverse]), out)
    return piece, out[:3], out[3:12].reshape(3, 3), out[12:]


def differences(law, u, h=1e-6):
    """- d gamma / d u"""
    columns = [(law(u - h * e)[1] - law(u + h * e)[1]) / (2.0 * h) for e in np.eye(3)]
    return np.stack(columns, axis=1)


def random_contact(rng):
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    mu = rng.choice([0.0, 0.3, 0.8, 2.0])
    vhat, s, inverse = rng.normal(), rng.uniform(0, 1), np.exp(rng.uniform(-2, 5))
    centre = rng.normal(size=3) * inverse
    return n, centre, vhat, s, inverse, mu


def test_impulses_are_projections_on_the_friction_cone():
    rng = np.random.default_rng(0)
    pieces = set()
    for _ in range(2000):
        n, centre, vhat, s, inverse, mu = random_contact(rng)
        u = rng.normal(size=3) * 2.0
        piece, gamma, _, y = cone(u, n, centre, vhat, s, inverse, mu)
        pieces.add(piece)
        size = np.linalg.norm(y)
        assert y == pytest.approx(centre - inverse * (u - vhat * n + s * n), abs=1e-12 * size)
        normal = gamma @ n
        tangent = np.linalg.norm(gamma - normal * n)
        # in the cone; the rest at right angles to it, and in the polar cone
        assert tangent <= mu * normal + 1e-12 * size
        rest = y - gamma
        assert abs(rest @ gamma) < 1e-12 * size * size
        rest_t = np.linalg.norm(rest - (rest @ n) * n)
        assert rest @ n + mu * rest_t <= 1e-12 * size
        assert {Piece.OPEN: normal == 0.0, Piece.STICKING: (gamma == y).all(), Piece.SLIDING: normal > 0.0}[piece]
    assert pieces == {Piece.OPEN, Piece.STICKING, Piece.SLIDING}


def test_derivative_of_the_cone_law():
    rng = np.random.default_rng(1)
    for _ in range(500):
        n, centre, vhat, s, inverse, mu = random_contact(rng)
        u = rng.normal(size=3) * 2.0

        def law(v, of=(n, centre, vhat, s, inverse, mu)):
            return cone(v, *of)

        piece, _, g, _ = law(u)
        if any(law(u + 2e-6 * e * k)[0] != piece for e in np.eye(3) for k in (-1, 1)):
            continue  # a kink between the two points of the difference
        assert g == pytest.approx(differences(law, u), abs=1e-4 * inverse)
        assert (g == g.T).all()
        assert np.linalg.eigvalsh(g)[0] > -1e-12 * inverse


def test_the_laws_are_continuous_where_their_pieces_meet():
    """Along lines through velocity space the impulse never jumps: |d gamma| <= |d u| / R."""
    rng = np.random.default_rng(2)
    for _ in range(40):
        n, centre, vhat, s, inverse, mu = random_contact(rng)
        way = rng.normal(size=3)
        steps = np.linspace(-6.0, 6.0, 2001)
        gammas = np.array([cone(t * way, n, centre, vhat, s, inverse, mu)[1] for t in steps])
        jumps = np.linalg.norm(np.diff(gammas, axis=0), axis=1)
        assert jumps.max() <= inverse * (steps[1] - steps[0]) * np.linalg.norm(way) * (1.0 + 1e-9)


def test_friction_on_a_disc():
    """The normal impulse depends on nothing across, the one across lies on the disc or in it, G is the derivative."""
    rng = np.random.default_rng(4)
    pieces = set()
    for _ in range(500):
        n, centre, vhat, _, inverse, _ = random_contact(rng)
        most = rng.choice([0.0, 0.3, 3.0]) * inverse * rng.uniform(0.1, 1.0)
        u = rng.normal(size=3) * 2.0
        piece, gamma, g = disc(u, n, centre, vhat, most, inverse)
        pieces.add(piece)
        normal = gamma @ n
        assert normal == pytest.approx(max(0.0, centre @ n - inverse * (u @ n - vhat)), abs=1e-12 * inverse)
        across = np.linalg.norm(gamma - normal * n)
        assert across <= most * (1.0 + 1e-12) + 1e-12 * inverse
        if piece == Piece.SLIDING:
            assert across == pytest.approx(most, abs=1e-12 * inverse)

        def law(v, of=(n, centre, vhat, most, inverse)):
            return disc(v, *of)

        if any(law(u + 2e-6 * e * k)[0] != piece for e in np.eye(3) for k in (-1, 1)):
            continue
        assert g == pytest.approx(differences(law, u), abs=1e-4 * inverse)
        assert (g == g.T).all()
        assert np.linalg.eigvalsh(g)[0] > -1e-12 * inverse
    assert pieces == {Piece.OPEN, Piece.STICKING, Piece.SLIDING}


def test_what_obeys_coulombs_law_is_left_as_it_is():
    """Sticking, sliding and open contacts by the law itself; anything else is changed."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        n, _, vhat, _, inverse, mu = random_contact(rng)
        across = np.cross(n, rng.normal(size=3))
        across /= np.linalg.norm(across)
        force = inverse * rng.uniform(0.1, 2.0)
        slip = rng.uniform(0.01, 3.0)
        lawful = [
            (force * n + rng.uniform(0, mu) * force * across, vhat * n),
            (force * (n - mu * across), vhat * n + slip * across),
            (np.zeros(3), (vhat + slip) * n + rng.normal() * across),
        ]
        for p, u in lawful:
            gamma, inside = coulomb(u, n, p, vhat, mu, inverse)
            assert gamma == pytest.approx(p, abs=1e-12 * inverse)
            assert inside == pytest.approx(p, abs=1e-12 * inverse)
        for p, u in ((force * n, (vhat + slip) * n), (np.zeros(3), (vhat - slip) * n), (-force * n, vhat * n)):
            gamma, _ = coulomb(u, n, p, vhat, mu, inverse)
            assert np.linalg.norm(gamma - p) > 1e-3 * min(inverse * slip, force)
        if mu > 0.0:
            gamma, inside = coulomb(vhat * n, n, force * (n + 1.5 * mu * across), vhat, mu, inverse)
            assert gamma == pytest.approx(force * (n + mu * across), abs=1e-9 * inverse)
            assert inside == pytest.approx(gamma, abs=1e-9 * inverse)


def test_frictionless_contact_without_slip():
    """The edge of the formula: r = 0 and mu = 0."""
    n, zero = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    piece, gamma, g, _ = cone(-n, n, zero, 0.0, 0.0, 10.0, 0.0)
    assert (piece, gamma.tolist()) == (Piece.SLIDING, [0.0, 0.0, 10.0])
    assert g == pytest.approx(np.diag([0.0, 0.0, 10.0]))
    piece, gamma, g, _ = cone(n, n, zero, 0.0, 0.0, 10.0, 0.0)
    assert (piece, gamma.tolist(), g.any()) == (Piece.OPEN, [0.0, 0.0, 0.0], False)


def test_equalities_and_capped_grabs():
    rng = np.random.default_rng(3)
    pieces = set()
    for _ in range(500):
        inverse = np.exp(rng.uniform(-2, 5))
        centre, vhat, u = rng.normal(size=3) * inverse, rng.normal(size=3), rng.normal(size=3) * 2.0
        cap = rng.choice([np.inf, 0.5 * inverse, 2.0 * inverse])

        def law(v, of=(vhat, centre, cap, inverse)):
            return capped(v, *of)

        piece, gamma, g, y = law(u)
        pieces.add((piece, np.isinf(cap)))
        assert y == pytest.approx(centre - inverse * (u - vhat))
        length = np.linalg.norm(y)
        assert gamma == pytest.approx(y * min(1.0, cap / length), rel=1e-14, abs=1e-300)
        if abs(length - cap) > 1e-4 * inverse:
            assert g == pytest.approx(differences(law, u), abs=1e-4 * inverse)
    assert pieces == {(Piece.STICKING, True), (Piece.STICKING, False), (Piece.SLIDING, False)}


def test_limits():
    assert run_limit(-2.0, 0.0, 0.5, 4.0) == (10.0, 4.0, Piece.STICKING)
    assert run_limit(2.0, 0.0, 0.5, 4.0) == (0.0, 0.0, Piece.OPEN)
    # the impulse of the step before carries a row that rests
    assert run_limit(0.0, 3.0, 0.0, 4.0) == (3.0, 4.0, Piece.STICKING)


def test_wanted_velocity():
    dt = 1.0 / 240.0
    assert run_wanted(0.01, dt) == pytest.approx(-2.4)
    assert run_wanted(-0.001, dt) == pytest.approx(0.048)
    assert run_wanted(-1.0, dt) == 2.0
