"""The maximal modes `lagrange`, `dense` and `cg`: the same velocities and joint wrenches as `fused`, and as numpy on
the full system written down afresh, with the joints' springs in it.

The reference knows neither multipliers nor dual axes: its unknowns are the bodies' velocities, the whole wrench of each
joint and the rates q along its axes,

    A v - X_c^T w + X_p^T w = f,   X_c v_c - X_p v_p - N q = b,   N^T w + D q = d

A rod, or a joint of a particle, has no axes: there w = T l and T^T (X_c v_c - X_p v_p) = T^T b.
"""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from physics.data.model_tables import Bodies, BodyKind, JointKind, Path, Topology
from physics.data.step_tables import Number, Request
from physics.data.work_tables import Edges, Rows
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball
from physics.definitions.limits import SoftLimits
from physics.definitions.scene import Scene
from physics.driver import preparations
from physics.solvers.dense import MOST_ROWS
from physics.solvers.modes import MODES
from physics.world.world import CannotContinueError, World
from tests.helpers import generators
from tests.helpers import figures
from tests.helpers.figures import small_figure, three_rods
from tests.helpers.arrays import model_of, state_of, work_of, space_of

DIRECT = ("lagrange", "dense")
MAXIMAL = (*DIRECT, "cg")
# what the modes may differ by, and a direct one from the reference: eps times the condition of the worst figure
AGREE = 1e-9
EXACT = 1e-10


# ---------------------------------------------------------------- the reference
def skew(r):
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def shift(r, size):
    """The twist at a point r away from the centre of mass, from the body's velocity"""
    x = np.eye(6)
    x[:3, 3:] = -skew(r)
    return x[:, :size]


def unpacked(block, size):
    a = np.zeros((size, size))
    a[np.tril_indices(size)] = block[: size * (size + 1) // 2]
    return a + np.tril(a, -1).T


def motion(world, i) -> Any:
    """N, D and d of an edge with axes, None of one without"""
    t, row = model_of(world).topology[i], work_of(world).row[i]
    if t[Topology.PATH] == Path.BALL:
        return np.vstack([np.zeros((3, 3)), np.eye(3)]), unpacked(row[:6], 3), row[Rows.PUSH : Rows.PUSH + 3]
    if t[Topology.PATH] in (Path.HINGE, Path.AXES):
        k = t[Topology.DOFS]
        n = work_of(world).edge[i, Edges.AXIS : Edges.AXIS + 6 * k].reshape(k, 6).T
        return n, np.diag(row[:k]), row[Rows.PUSH : Rows.PUSH + k]
    return None


def reference(world):
    """(v, w) of the system that stands in Work"""
    t, work = model_of(world).topology, work_of(world)
    count = len(t)
    edges = [i for i in range(count) if t[i, Topology.KIND] != JointKind.FREE]
    axes = {i: motion(world, i) for i in edges}
    rows = {i: work.rows[i, : 6 * t[i, Topology.ROWS]].reshape(-1, 6).T for i in edges}  # T
    sizes = [int(t[i, Topology.DIM]) for i in range(count)]
    sizes += [6 if axes[i] else rows[i].shape[1] for i in edges]
    sizes += [axes[i][0].shape[1] if axes[i] else 0 for i in edges]
    at = np.cumsum([0, *sizes])
    h = np.zeros((at[-1], at[-1]))
    b = np.zeros(at[-1])
    for i in range(count):
        h[at[i] : at[i + 1], at[i] : at[i + 1]] = unpacked(work.block[i], sizes[i])
        b[at[i] : at[i + 1]] = work.force[i, : sizes[i]]
    for k, i in enumerate(edges):
        held = slice(at[count + k], at[count + k + 1])
        rates = slice(at[count + len(edges) + k], at[count + len(edges) + k + 1])
        basis = np.eye(6) if axes[i] else rows[i]
        jump = work.row[i, Rows.RIGHT_HAND_SIDE : Rows.RIGHT_HAND_SIDE + 6]
        for body, lever, sign in ((i, Edges.RC, 1.0), (t[i, Topology.PARENT], Edges.RP, -1.0)):
            if body >= 0:
                j = sign * basis.T @ shift(work.edge[i, lever : lever + 3], sizes[body])
                h[held, at[body] : at[body + 1]] = j
                h[at[body] : at[body + 1], held] = -j.T
        b[held] = basis.T @ jump
        if axes[i]:
            n, stiffness, push = axes[i]
            h[held, rates] = -n
            h[rates, held] = n.T
            h[rates, rates] = stiffness
            b[rates] = push
    x = solution(h, b)
    x += solution(h, b - h @ x)
    velocity, wrench = np.zeros((count, 6)), np.zeros((count, 6))
    for i in range(count):
        velocity[i, : sizes[i]] = x[at[i] : at[i + 1]]
    for k, i in enumerate(edges):
        part = x[at[count + k] : at[count + k + 1]]
        wrench[i] = part if axes[i] else rows[i] @ part
    return velocity, wrench


LAST: list[Any] = [None, None]  # matrix, and its factors: of several right-hand sides and modes in a row


def solution(h, b):
    if LAST[0] is None or not np.array_equal(LAST[0], h):
        LAST[:] = h, scipy.linalg.lu_factor(h)
    return scipy.linalg.lu_solve(LAST[1], b)


# ---------------------------------------------------------------- systems
def prepared(scene, seed=0, **options):
    """A world in motion with the system of its accelerations in Work, rows included."""
    world = figures.in_motion(scene, seed, **options)
    world.use_solver("lagrange")
    world.engine.prepare(preparations.Preparation.ACCELERATIONS)
    return world


def answered(world, name, request=Request.ALL):
    """(v, w) of one mode; Work's system is left as it was."""
    kept = [a.copy() for a in (work_of(world).block, work_of(world).force)]
    work_of(world).velocity[:] = work_of(world).wrench[:] = 0.0
    if world.solver != name:
        world.use_solver(name)
    world.engine.answer(request=request)
    for array, value in zip((work_of(world).block, work_of(world).force), kept, strict=True):
        array[:] = value
    return work_of(world).velocity.copy(), work_of(world).wrench.copy()


def randomise(world, rng, stiffness):
    """Random d and b (b also along single axes; a ball's angular part is zero by contract), and D of random rank and
    orientation up to `stiffness`."""
    t, row = model_of(world).topology, work_of(world).row
    for i in range(len(t)):
        row[i, Rows.PUSH : Rows.RIGHT_HAND_SIDE + 6] = rng.normal(size=9)
        row[i, : Rows.PUSH] = 0.0
        if t[i, Topology.PATH] == Path.BALL:
            row[i, Rows.RIGHT_HAND_SIDE + 3 : Rows.RIGHT_HAND_SIDE + 6] = 0.0
            turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            values = stiffness * rng.uniform(size=3) * (np.arange(3) < rng.integers(0, 4))
            row[i, : Rows.PUSH] = (turn * values @ turn.T)[np.tril_indices(3)]
        elif t[i, Topology.PATH] in (Path.HINGE, Path.AXES):
            k = t[i, Topology.DOFS]
            row[i, :k] = stiffness * rng.uniform(size=k) * rng.integers(0, 2, k)
    work_of(world).force[:] = rng.normal(size=work_of(world).force.shape)


def stiff_limit(world, stiffness):
    """10 eps dt^2 k / I_min where it is more than 1e-9: the inertia that is left beside so stiff a spring"""
    rigid = model_of(world).topology[:, Topology.BODY_KIND] == BodyKind.RIGID
    inertia = model_of(world).body[rigid, Bodies.INERTIA : Bodies.INERTIA + 3]
    return max(AGREE, 10 * np.finfo(float).eps * stiffness / inertia.min())


def assert_same(got, expected, tolerance):
    for a, b in zip(got, expected, strict=True):
        assert np.isfinite(a).all()
        assert np.abs(a - b).max() <= tolerance * max(np.abs(b).max(), 1e-30)


# ---------------------------------------------------------------- one factor and solve
@pytest.mark.parametrize("name", figures.ALL)
def test_accelerations_and_wrenches(name):
    """Every mode against a dense solve of the full system, and against each other"""
    world = prepared(figures.ALL[name](), 7)
    exact = reference(world)
    fused = answered(world, "fused")
    refused = world.refusals
    for mode in ("fused", *DIRECT, *(reduced for reduced in ("jsim", "aba") if reduced not in refused)):
        got = answered(world, mode)
        assert_same(got, exact, EXACT)
        assert_same(got, fused, AGREE)


@pytest.mark.parametrize("name", figures.ALL)
def test_accelerations_by_conjugate_gradients(name):
    world = prepared(figures.ALL[name](), 7)
    got = answered(world, "cg")
    # the error is the residual, 1e-12, times the condition of K: up to 1e4 on these figures. The residual is
    # measured, as b - K x, whose rounding is up to as many eps
    assert world.residual <= max(work_of(world).number[Number.TOLERANCE], 1e4 * np.finfo(float).eps)
    assert_same(got, reference(world), 1e-8)


@pytest.mark.parametrize("stiffness", [1e-3, 1.0, 17.4])
@pytest.mark.parametrize("name", figures.ALL)
def test_stiff_systems(name, stiffness):
    """17.4 N m s is dt^2 k at 1/240 s and k = 1e6 N m/rad."""
    world = prepared(figures.ALL[name](), 8)
    randomise(world, np.random.default_rng(3), stiffness)
    exact = reference(world)
    for mode in DIRECT:
        assert_same(answered(world, mode), exact, stiff_limit(world, stiffness))


@pytest.mark.parametrize("stiffness", [1e-3, 1.0, 17.4])
@pytest.mark.parametrize("name", figures.ALL)
def test_springs_in_the_subspace_and_between_bodies(name, stiffness):
    """`fused` has D in the joint's subspace, `lagrange` as a block between grandparents: the same."""
    world = prepared(figures.ALL[name](), 8)
    randomise(world, np.random.default_rng(3), stiffness)
    balls = model_of(world).topology[:, Topology.PATH] == Path.BALL
    work_of(world).row[balls, : Rows.PUSH] = stiffness * np.eye(3)[np.tril_indices(3)]
    assert_same(answered(world, "lagrange"), answered(world, "fused"), stiff_limit(world, stiffness))


@pytest.mark.parametrize("name", ["chain10", "hand_balls", "random0", "random1", "random_universal", "particles"])
def test_stiff_systems_by_conjugate_gradients(name):
    world = prepared(figures.ALL[name](), 8)
    randomise(world, np.random.default_rng(3), 1.0)
    got = answered(world, "cg")
    assert world.residual <= 1e-12
    assert_same(got, reference(world), 1e-7)


@pytest.mark.parametrize("mode", MAXIMAL)
@pytest.mark.parametrize("name", ["random0", "random5", "hand_balls", "tree_held", "particles_held", "two_figures"])
def test_one_factor_many_right_hand_sides(name, mode):
    world = prepared(figures.ALL[name](), 9)
    rng = np.random.default_rng(4)
    randomise(world, rng, 0.1)
    world.use_solver(mode)
    answered(world, mode, Request.FACTOR)
    stiffness = work_of(world).row[:, : Rows.PUSH].copy()
    for _ in range(4):
        randomise(world, rng, 0.0)
        work_of(world).row[:, : Rows.PUSH] = stiffness
        got = answered(world, mode, Request.SOLVE | Request.WRENCHES)
        assert_same(got, reference(world), EXACT if mode != "cg" else 1e-7)


@pytest.mark.parametrize("mode", MAXIMAL)
def test_wrenches_only_where_they_are_asked_for(mode):
    world = prepared(figures.ALL["random1"](), 9)
    velocity, wrench = answered(world, mode)
    assert wrench.any()
    other, nothing = answered(world, mode, Request.FACTOR | Request.SOLVE)
    assert np.array_equal(velocity, other)
    assert not nothing.any()


@pytest.mark.parametrize("mode", MAXIMAL)
def test_an_open_universal_joint(mode):
    """Its axes are no longer at right angles: the rates are along N, not across its other axis."""
    world = prepared(figures.random_tree(9, 6, kinds=("universal",)), 2)
    rng = np.random.default_rng(6)
    randomise(world, rng, 1.0)
    work_of(world).row[:, :2] = rng.uniform(0.2, 1.0, (6, 2))
    for i in np.flatnonzero(model_of(world).topology[:, Topology.KIND] == JointKind.UNIVERSAL):
        a = work_of(world).edge[i, Edges.AXIS + 3 : Edges.AXIS + 6]
        e = work_of(world).edge[i, Edges.AXIS + 9 : Edges.AXIS + 12]
        e[:] = np.cos(0.3) * e + np.sin(0.3) * a
        assert abs(a @ e) > 0.2
    exact = reference(world)
    assert_same(answered(world, "fused"), exact, AGREE)
    assert_same(answered(world, mode), exact, AGREE)


# ---------------------------------------------------------------- whole steps
def stiff_figures(k):
    return {
        "chain": generators.chain(10, stiffness=k, angle=1.0),
        "hand": generators.hand(stiffness=k),
        "hand_balls": generators.hand(stiffness=k, joint="ball"),
        "humanoid30": generators.humanoid30(stiffness=k),
        "held": figures.random_tree(0, 20, held=True, stiffness=k),
        "free": figures.random_tree(1, 20, stiffness=k),
        "particles": figures.random_tree(11, 6, particles=9, stiffness=k),
    }


def stepped(scene, mode, steps, **options):
    world = figures.in_motion(scene, 5, **options)
    world.use_solver(mode)
    world.step(steps)
    return world


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
@pytest.mark.parametrize("k", [0.0, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("name", stiff_figures(0.0))
def test_stiff_steps(name, k, integrator):
    scene = stiff_figures(k)[name]
    expected = stepped(scene, "fused", 4, integrator=integrator)
    for mode in DIRECT:
        world = stepped(scene, mode, 4, integrator=integrator)
        assert world.redone == expected.redone
        # positions of about 1 m, velocities of about 1 m/s at the start
        assert np.abs(state_of(world).pose - state_of(expected).pose).max() < 1e-8
        assert np.abs(state_of(world).velocity - state_of(expected).velocity).max() < 1e-8
        forces = state_of(world).memory[:, :6], state_of(expected).memory[:, :6]
        assert np.abs(forces[0] - forces[1]).max() <= 1e-7 * np.abs(forces[1]).max()


@pytest.mark.parametrize("k", [0.0, 1e3])
@pytest.mark.parametrize("name", stiff_figures(0.0))
def test_stiff_steps_by_conjugate_gradients(name, k):
    scene = stiff_figures(k)[name]
    world = stepped(scene, "cg", 4, integrator="implicit")
    expected = stepped(scene, "fused", 4, integrator="implicit")
    assert world.residual <= 1e-12
    assert np.abs(state_of(world).pose - state_of(expected).pose).max() < 1e-8


def test_anisotropic_springs_and_limits():
    """Balls with D of rank one (two axes without spring), two (a soft limit alone, which is stiff along the swing and,
    as its cone is curved, about the axis as well) and three."""
    cone = SoftLimits(stiffness=200.0, damping=1.0, swing=0.05)
    spec = (((0.0, 50.0, 0.0), None), (0.0, cone), ((9.0, 5.0, 2.0), None))
    joints = [
        Ball(name=f"j{i}", a="world" if i == 0 else f"b{i - 1}", b=f"b{i}", at=(i, 0, 0), stiffness=k, soft_limits=s)
        for i, (k, s) in enumerate(spec)
    ]
    scene = Scene(bodies=three_rods(), joints=joints)
    expected = stepped(scene, "fused", 20)
    ranks = [np.linalg.matrix_rank(unpacked(row[:6], 3), 1e-9) for row in work_of(expected).row]
    assert ranks == [1, 2, 3]
    for mode in MAXIMAL:
        world = stepped(scene, mode, 20)
        assert np.abs(state_of(world).pose - state_of(expected).pose).max() < (1e-8 if mode != "cg" else 1e-7)


def test_kinematic_order():
    """Posing friction is a D of every joint."""
    for name in ("humanoid30", "hand_balls", "random_universal", "random_slider"):
        results = []
        for mode in ("fused", *MAXIMAL):
            world = World(figures.ALL[name](), solver=mode)
            world.order = "kinematic"
            last = list(world.bodies)[-1]
            world.bodies[last].applied_force = (1.0, 0.5, -0.3)
            world.step(5)
            results.append(state_of(world).pose.copy())
        assert np.abs(results[0] - state_of(World(figures.ALL[name]())).pose).max() > 1e-6
        for pose in results[1:]:
            assert np.abs(pose - results[0]).max() < 1e-9


@pytest.mark.parametrize("name", ["hand", "humanoid30", "random0", "random3", "particles", "two_figures"])
def test_switching_the_mode_at_every_step(name):
    scene = figures.ALL[name]()
    expected = figures.in_motion(scene, 2, speed=0.5)
    world = figures.in_motion(scene, 2, speed=0.5)
    refused = world.refusals
    modes = [mode for mode in MODES if mode not in refused]
    assert len(modes) >= 4
    for k in range(100):
        world.use_solver(modes[k % len(modes)])
        world.step()
        expected.step()
    assert world.redone == expected.redone
    # 0.4 s: a rounding of 1e-12 grows by e^(rate t), 1e3 at most in these motions
    assert np.abs(state_of(world).pose - state_of(expected).pose).max() < 1e-8
    assert np.abs(state_of(world).velocity - state_of(expected).velocity).max() < 1e-6
    assert world.largest_gap < 1e-6


@pytest.mark.parametrize("mode", MAXIMAL)
def test_bodies_without_any_constraint(mode):
    scene = Scene(bodies=[figures.random_body(np.random.default_rng(k), f"b{k}", np.zeros(3)) for k in range(3)])
    expected = stepped(scene, "fused", 10)
    world = stepped(scene, mode, 10)
    np.testing.assert_allclose(state_of(world).pose, state_of(expected).pose, atol=1e-12)


@pytest.mark.parametrize("mode", MAXIMAL)
def test_springs_that_are_switched_on_while_it_runs(mode):
    """The number of compliant rows, and of grandparent blocks, changes from one factor to the next."""
    worlds = [stepped(generators.hand(stiffness=0.0, damping=0.0), m, 2) for m in (mode, "fused")]
    for stiffness in (300.0, 0.0, 5.0):
        for world in worlds:
            for joint in list(world.joints)[1::2]:
                world.joints[joint].stiffness = stiffness
            world.step(3)
        assert np.abs(state_of(worlds[0]).pose - state_of(worlds[1]).pose).max() < 1e-8


# ---------------------------------------------------------------- conjugate gradients
def test_tolerance_is_kept_and_saves_iterations():
    world = prepared(generators.chain(50, angle=1.0), 3)
    exact = reference(world)
    counts, errors = [], []
    for tolerance in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        work_of(world).number[Number.TOLERANCE] = tolerance
        got = answered(world, "cg")
        assert 0.0 < world.residual <= tolerance
        counts.append(world.iterations)
        errors.append(np.abs(got[0] - exact[0]).max() / np.abs(exact[0]).max())
    assert counts == sorted(set(counts))
    assert errors[-1] < 1e-9 < errors[0]


def test_iterations_grow_like_the_length_of_a_chain():
    """The condition of J M^-1 J^T grows with n^2, and the iterations with its root [Baraff96, section 9]."""
    counts = []
    for links in (20, 40, 80):
        world = prepared(generators.chain(links, angle=1.0), 3)
        answered(world, "cg")
        counts.append(world.iterations)
    assert 1.5 < counts[1] / counts[0] < 2.5
    assert 1.5 < counts[2] / counts[1] < 2.5


def test_preconditioner_is_exact_for_a_single_joint():
    """Block Jacobi with one block, its spring's compliance included: one iteration, and one more for rounding."""
    world = prepared(generators.chain(1), 3)
    rng = np.random.default_rng(1)
    g = rng.normal(size=(3, 3))
    work_of(world).row[0, : Rows.PUSH] = 1e-4 * (g @ g.T)[np.tril_indices(3)]  # as large as the rod's inertia
    work_of(world).row[0, Rows.PUSH : Rows.PUSH + 3] = rng.normal(size=3)
    got = answered(world, "cg")
    assert 1 <= world.iterations <= 2
    assert_same(got, reference(world), EXACT)


def test_no_more_iterations_than_allowed():
    """A tolerance that rounding cannot reach ends all the same, near the smallest residual there is."""
    world = prepared(generators.chain(30, angle=1.0), 3)
    work_of(world).number[Number.TOLERANCE] = 0.0
    got = answered(world, "cg")
    assert 0.0 < world.residual < 1e-12
    assert world.iterations <= 50 + 4 * 3 * 30
    assert_same(got, reference(world), 1e-9)


def test_nothing_to_solve_takes_no_iteration():
    world = prepared(generators.chain(5), 3)
    work_of(world).force[:] = 0.0
    work_of(world).row[:] = 0.0
    velocity, wrench = answered(world, "cg")
    assert world.iterations == 0
    assert world.residual == 0.0
    assert not velocity.any()
    assert not wrench.any()


# ---------------------------------------------------------------- trouble
@pytest.mark.parametrize("mode", MAXIMAL)
def test_a_force_that_is_no_number_is_seen(mode):
    world = prepared(generators.chain(4), 3)
    work_of(world).force[2, 0] = np.nan
    velocity, _ = answered(world, mode)
    assert np.isnan(velocity).any()


def test_dense_does_not_answer_where_there_is_no_factor():
    world = prepared(generators.chain(4), 3)
    work_of(world).block[1] *= -1.0
    velocity, _ = answered(world, "dense")
    assert space_of(world).status[0] > 0
    assert np.isnan(velocity).any()


def test_dense_refuses_what_would_not_fit():
    """A ball has three rows, and three more that its spring may need."""
    links = MOST_ROWS // 6
    World(generators.chain(links // 20), solver="dense")
    with pytest.raises(DefinitionError, match=f"at most {MOST_ROWS} rows, this one has {6 * (links + 1)}"):
        World(generators.chain(links + 1), solver="dense")


def test_loads_that_no_step_survives_are_reported_in_every_mode():
    for mode in ("fused", *MAXIMAL):
        world = World(generators.chain(3), solver=mode)
        world.bodies["link2"].applied_force = (0.0, 0.0, 1e200)
        with pytest.raises(CannotContinueError):
            world.step(3)


# ---------------------------------------------------------------- without compilation
INTERPRETED = """
from tests.helpers.figures import small_figure
from physics.world.world import World
for mode in ("lagrange", "dense", "cg"):
    world = World(small_figure(), solver=mode)
    world.step(2)
    print(mode, world.state_hash())
"""


def test_the_same_bits_without_compilation():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", INTERPRETED]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    for line in run.stdout.splitlines():
        mode, code = line.split()
        world = World(small_figure(), solver=mode)
        world.step(2)
        assert world.state_hash() == code, mode
    assert len(run.stdout.splitlines()) == len(MAXIMAL)
