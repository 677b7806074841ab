"""The reduced modes `jsim` and `aba`: the same accelerations and joint wrenches as `fused` on every figure without
rods, the same answer to any system a mode may be asked, the same motion, and an independent reference for H itself.

Tolerance 1e-9 relative to the largest number of the figure (physics/README.md, solver modes).
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from physics.maths.rotations import matrix_of, quaternion_product
from physics.data.model_tables import Bodies, BodyKind, JointKind, Path, Topology
from physics.data.step_tables import INTEGRATORS, Request
from physics.data.work_tables import Edges, Rows
from physics.definitions.bodies import Body, Particle
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball, Distance, Free, Hinge, Joint
from physics.definitions.scene import Scene
from physics.driver import preparations
from physics.solvers import jsim, ltdl
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers import generators, sparse_factors
from tests.helpers.figures import MIXED, TREES, in_motion, random_body, random_tree
from tests.helpers.cases.reference_cases import read_case
from tests.helpers.arrays import built_of, model_of, state_of, work_of, space_of

REDUCED = ("jsim", "aba")
TOLERANCE = 1e-9


def with_particles(seed: int, *, held: bool) -> Scene:
    """Rigid bodies and particles tied by ball joints in every order: particle on body, body on particle, particle on
    particle, free or hung on the world."""
    rng = np.random.default_rng(seed)
    parts: list[Body | Particle] = []
    joints: list[Joint] = []
    for k in range(14):
        point = k % 3 == (0 if held else 1) or k in (6, 7)
        place = rng.uniform(-1.0, 1.0, 3)
        if k == 0:
            if held:
                joints.append(Ball(name="root", a="world", b="part0", at=place))
        else:
            p = int(rng.integers(max(0, k - 3), k))
            mate = parts[p]
            if isinstance(mate, Particle) and point:
                place = np.array(mate.position)
            at = mate.position if isinstance(mate, Particle) else place if point else (place + mate.position) / 2
            joints.append(Ball(name=f"j{k}", a=f"part{p}", b=f"part{k}", at=at))
        if point:
            parts.append(Particle(name=f"part{k}", mass=rng.uniform(0.2, 1.0), position=place))
        else:
            parts.append(random_body(rng, f"part{k}", place))
    return Scene(bodies=parts, joints=joints)


def lone_particles() -> Scene:
    return Scene(bodies=[Particle(name="p", mass=2.0), Particle(name="q", mass=1.0, position=(1.0, 0.0, 0.0))])


FIGURES: dict[str, Callable[[], Scene]] = {
    **TREES,
    "points_free": lambda: with_particles(5, held=False),
    "points_held": lambda: with_particles(6, held=True),
    "lone_particles": lone_particles,
    "chain300": lambda: generators.chain(300, angle=1.0),
    "long_hinges": lambda: generators.chain(200, joint="hinge"),
    "long": lambda: random_tree(13, 150, held=True),
    "welded": lambda: random_tree(9, 5, kinds=("weld",), held=True),
}


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference, relative to the largest number in `a`."""
    return float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-12))


@pytest.mark.parametrize("name", FIGURES)
def test_accelerations_and_wrenches(name: str) -> None:
    world = in_motion(FIGURES[name](), seed=3)
    expected = world.accelerations()
    wrenches = work_of(world).wrench.copy()
    # forces are as large as what they hold up: of the single free bodies there are none
    weight = 9.81 * model_of(world).body[:, Bodies.MASS].sum()
    for mode in REDUCED:
        world.use_solver(mode)
        work_of(world).wrench[:] = 0.0
        assert difference(expected, world.accelerations()) < TOLERANCE, mode
        assert np.abs(work_of(world).wrench - wrenches).max() < TOLERANCE * max(np.abs(wrenches).max(), weight), mode


# ---------------------------------------------------------------- any system that a mode may be asked
def random_definite(rng: np.random.Generator, size: int) -> np.ndarray:
    x = rng.normal(size=(size, size))
    return x @ x.T + 0.5 * np.eye(size)


def packed(matrix: np.ndarray) -> np.ndarray:
    """Lower triangle by rows."""
    return matrix[np.tril_indices(len(matrix))]


def fill_factor(world: World, rng: np.random.Generator, spread: float = 0.0) -> None:
    """A and D at random: A is symmetric and definite, far from any body's inertia; their sizes vary by 10^+-spread."""
    for i, t in enumerate(model_of(world).topology):
        size = 3 if t[Topology.BODY_KIND] == BodyKind.PARTICLE else 6
        scale = 10.0 ** rng.uniform(-spread, spread)
        work_of(world).block[i, : size * (size + 1) // 2] = scale * packed(random_definite(rng, size))
        work_of(world).row[i, Rows.STIFF_BLOCK : Rows.STIFF_BLOCK + 6] = (
            packed(random_definite(rng, 3)) if t[Topology.KIND] == JointKind.BALL else rng.uniform(0.0, 3.0, 6)
        )


def fill_right_side(world: World, rng: np.random.Generator) -> None:
    work = work_of(world)
    work.force[:] = rng.normal(size=work.force.shape)
    work.force[model_of(world).topology[:, Topology.BODY_KIND] == BodyKind.PARTICLE, 3:] = 0.0
    work.row[:, Rows.PUSH : Rows.PUSH + 3] = rng.normal(size=(len(work.row), 3))
    work.row[:, Rows.RIGHT_HAND_SIDE : Rows.RIGHT_HAND_SIDE + 6] = rng.normal(size=(len(work.row), 6))
    beside_point = model_of(world).topology[:, Topology.PATH] == Path.GENERAL
    work.row[beside_point, Rows.RIGHT_HAND_SIDE + 3 : Rows.RIGHT_HAND_SIDE + 6] = (
        0.0  # nothing is prescribed to a ball joint's rotation
    )


def answers(world: World, mode: str, seed: int, spread: float = 0.0) -> list[np.ndarray]:
    """Velocities and wrenches of one factor and three right-hand sides."""
    world.use_solver(mode)
    world.engine.prepare(preparations.Preparation.IMPULSE)
    rng = np.random.default_rng(seed)
    fill_factor(world, rng, spread)
    out = []
    for request in (Request.ALL, Request.SOLVE | Request.WRENCHES, Request.SOLVE | Request.WRENCHES):
        fill_right_side(world, rng)
        world.engine.answer(request=request)
        work_of(world).block[:] = np.nan  # a mode keeps what it needs of A
        out += [work_of(world).velocity.copy(), work_of(world).wrench.copy()]
    return out


@pytest.mark.parametrize("name", ["points_free", "points_held", "humanoid30", "hand_balls", "random1", "random4"])
@pytest.mark.parametrize("mode", REDUCED)
def test_any_blocks_and_many_right_sides(mode: str, name: str) -> None:
    world = in_motion(FIGURES[name](), seed=5)
    expected = answers(world, "fused", 7)
    work_of(world).wrench[:] = 0.0
    for wanted, got in zip(expected, answers(world, mode, 7), strict=True):
        assert difference(wanted, got) < TOLERANCE


@pytest.mark.parametrize("mode", REDUCED)
def test_ill_conditioned_system(mode: str) -> None:
    """Masses up to 1e8 apart on one path, with springs: H loses the digits, its refinement brings them back."""
    world = in_motion(FIGURES["long"](), seed=5)
    expected = answers(world, "fused", 8, spread=4.0)
    for wanted, got in zip(expected, answers(world, mode, 8, spread=4.0), strict=True):
        assert difference(wanted, got) < TOLERANCE
    if mode == "jsim":
        assert world.condition > 10 * jsim.REFINED_FROM


@pytest.mark.parametrize("mode", REDUCED)
def test_wrenches_only_on_request(mode: str) -> None:
    world = in_motion(FIGURES["random1"](), seed=5, solver=mode)
    world.engine.prepare(preparations.Preparation.ACCELERATIONS)
    force = work_of(world).force.copy()
    world.engine.answer(request=Request.FACTOR | Request.SOLVE)
    velocity = work_of(world).velocity.copy()
    work_of(world).wrench[:] = 1e9
    work_of(world).force[:] = force
    world.engine.answer(request=Request.SOLVE)
    assert (work_of(world).wrench == 1e9).all()
    assert (work_of(world).velocity == velocity).all()


# ---------------------------------------------------------------- motion
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("mode", REDUCED)
def test_same_motion(mode: str, integrator: str) -> None:
    """Twenty steps, each with several solves of one factor. The figure is not chaotic in so short a time: differences
    of 1e-13 a step grow by less than a thousand."""
    scene = random_tree(2, 12, held=True, stiffness=5.0)
    ends = []
    for solver in ("fused", mode):
        world = in_motion(scene, seed=1, solver=solver, integrator=integrator)
        world.step(20)
        ends.append(np.concatenate([state_of(world).pose.ravel(), state_of(world).velocity.ravel()]))
    assert difference(*ends) < TOLERANCE


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e8])
@pytest.mark.parametrize("mode", REDUCED)
def test_stiff_joints(mode: str, stiffness: float) -> None:
    """Implicit stepping: D = h C + h^2 K up to 1e3 kg m^2 in joints between bodies of 1e-2. The bound of the modes'
    agreement is max(1e-9, 10 eps D / I_min)."""
    scene = random_tree(8, 15, kinds=("ball", "hinge", "universal", "slider"), stiffness=stiffness)
    ends = []
    for solver in ("fused", mode):
        world = in_motion(scene, seed=2, speed=0.1, solver=solver, integrator="implicit")
        world.step(1)
        ends.append(state_of(world).velocity.copy())
        least = model_of(world).body[:, Bodies.INERTIA : Bodies.INERTIA + 3].min()
    d = 1.5 * stiffness * (world.timestep * 0.01 + world.timestep**2)
    assert difference(*ends) < max(TOLERANCE, 10 * np.finfo(float).eps * d / least)


@pytest.mark.parametrize("name", ["humanoid30", "points_free", "random1", "random_slider"])
@pytest.mark.parametrize("mode", REDUCED)
def test_first_order_motion(mode: str, name: str) -> None:
    """f = m v, with the posing friction in D (which free roots and particles' joints must not take)."""
    world = in_motion(FIGURES[name](), seed=4)
    next(iter(world.bodies.values())).applied_force = (3.0, -2.0, 5.0)
    expected = world.first_order_velocities()
    world.use_solver(mode)
    assert difference(expected, world.first_order_velocities()) < TOLERANCE


def test_without_compilation() -> None:
    """The same to the last bit as plain Python."""
    program = (
        "from tests.helpers.figures import random_tree, in_motion\n"
        "for mode in ('jsim', 'aba'):\n"
        "    world = in_motion(random_tree(0, 5, held=True, stiffness=3.0), solver=mode)\n"
        "    world.step(2)\n"
        "    print(world.state_hash())\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "NUMBA_DISABLE_JIT": plain},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for plain in ("0", "1")
    ]
    assert len(outputs[0]) == 2
    assert outputs[0] == outputs[1]


# ---------------------------------------------------------------- H
def motion_subspace(world: World) -> np.ndarray:
    """S, dense: six rows a body, a column a coordinate. From the levers and axes alone, one unit rate at a time."""
    topology, edge = model_of(world).topology, work_of(world).edge
    n = len(topology)
    s = np.zeros((6 * n, int(topology[:, Topology.FIRST_DOF].max() + 6)))
    used = 0
    for i, t in enumerate(topology):
        rc, rp = edge[i, Edges.RC : Edges.RC + 3], edge[i, Edges.RP : Edges.RP + 3]
        p, k = t[Topology.PARENT], t[Topology.FIRST_DOF]
        y = np.zeros((6, s.shape[1]))
        if p >= 0:
            y = s[6 * p : 6 * p + 6].copy()
            y[:3] += np.cross(y[3:].T, rp).T
        if t[Topology.KIND] == JointKind.FREE:
            y[:, k : k + 6] = np.eye(6)
        elif t[Topology.KIND] == JointKind.BALL:
            y[3:, k : k + 3] += np.eye(3)
        else:
            for c in range(t[Topology.DOFS]):
                y[:, k + c] += edge[i, Edges.AXIS + 6 * c : Edges.AXIS + 6 * c + 6]
        used = max(used, k + t[Topology.DOFS])
        y[:3] -= np.cross(y[3:].T, rc).T
        s[6 * i : 6 * i + 6] = y
    return s[:, :used]


def blocks(world: World) -> np.ndarray:
    a = np.zeros((6 * len(work_of(world).block),) * 2)
    for i, row in enumerate(work_of(world).block):
        part = np.zeros((6, 6))
        part[np.tril_indices(6)] = row
        a[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = part + np.tril(part, -1).T
    return a


def joint_stiffness(world: World) -> np.ndarray:
    t = model_of(world).topology
    d = np.zeros((int((t[:, Topology.FIRST_DOF] + np.maximum(t[:, Topology.DOFS], 0)).max()),) * 2)
    for i, row in enumerate(work_of(world).row):
        k, m = t[i, Topology.FIRST_DOF], t[i, Topology.DOFS]
        if t[i, Topology.KIND] == JointKind.BALL:
            part = np.zeros((3, 3))
            part[np.tril_indices(3)] = row[Rows.STIFF_BLOCK : Rows.STIFF_BLOCK + 6]
            d[k : k + 3, k : k + 3] = part + np.tril(part, -1).T
        elif t[i, Topology.KIND] != JointKind.FREE:
            d[k : k + m, k : k + m] = np.diag(row[Rows.STIFF_BLOCK : Rows.STIFF_BLOCK + m])
    return d


def factored_inertia(world: World) -> np.ndarray:
    """L^T D L, dense, from the factor that `jsim` keeps."""
    space = space_of(world)
    lower = sparse_factors.dense_rows(space.parent, space.start, space.h)
    d = np.diag(lower).copy()
    np.fill_diagonal(lower, 1.0)
    return lower.T @ np.diag(d) @ lower


@pytest.mark.parametrize("name", ["humanoid30", "hand_balls", "tree_free", "random0", "random3", "two_figures"])
def test_joint_space_inertia(name: str) -> None:
    """L^T D L = S^T A S + D, with random blocks."""
    world = in_motion(FIGURES[name](), seed=6, solver="jsim")
    world.engine.prepare(preparations.Preparation.IMPULSE)
    fill_factor(world, np.random.default_rng(2))
    s = motion_subspace(world)
    expected = s.T @ blocks(world) @ s + joint_stiffness(world)
    world.engine.answer(request=Request.FACTOR)
    assert difference(expected, factored_inertia(world)) < 1e-13
    # every entry outside the stored pattern is zero by the topology
    pattern = (
        sparse_factors.dense_rows(space_of(world).parent, space_of(world).start, np.ones(space_of(world).start[-1])) > 0
    )
    assert np.abs(np.tril(expected)[~pattern]).max(initial=0.0) == 0.0


def test_condition() -> None:
    """The estimate lies between a tenth of the condition and n times it: |H| <= trace(H) <= n |H|, and max |H^-1 c|
    is at most sqrt(n) |H^-1| and usually a good part of it."""
    for name in ("humanoid30", "chain30", "tree_held", "random3", "chain100"):
        world = in_motion(FIGURES[name](), seed=6, solver="jsim")
        world.accelerations()
        exact = np.linalg.cond(factored_inertia(world))
        n = len(space_of(world).parent)
        assert exact / 10 < world.condition < n**1.5 * exact, name
    assert world.condition > 1e9  # a chain of 100 ball joints needs the refinement, and gets it


# ---------------------------------------------------------------- the factor from Python
def random_parents(rng: np.random.Generator, n: int) -> list[int]:
    return [-1 if k == 0 or rng.uniform() < 0.05 else int(rng.integers(max(0, k - 6), k)) for k in range(n)]


def random_sparse(rng: np.random.Generator, parent: list[int]) -> np.ndarray:
    """Definite, with the tree's pattern: L^T L of a random L."""
    lower = np.zeros((len(parent),) * 2)
    for k, path in enumerate(sparse_factors.paths(np.array(parent))):
        lower[k, path] = 0.3 * rng.normal(size=len(path))
        lower[k, k] = rng.uniform(0.5, 2.0)
    return lower.T @ lower


@pytest.mark.parametrize("kind", ["ltdl", "ltl"])
@pytest.mark.parametrize("n", [1, 2, 17, 60])
def test_factor_and_products(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    parent = random_parents(rng, n)
    h = random_sparse(rng, parent)
    factor = sparse_factors.SparseFactor(h, parent, kind)
    lower, x = factor.lower, rng.normal(size=n)
    close = {"rtol": 1e-11, "atol": 1e-11}
    np.testing.assert_allclose(lower.T @ np.diag(factor.diagonal) @ lower, h, **close)
    if kind == "ltl":
        # L^T L is the Cholesky factor of the matrix with its coordinates in reverse
        np.testing.assert_allclose(lower, np.linalg.cholesky(h[::-1, ::-1])[::-1, ::-1].T, **close)
    np.testing.assert_allclose(factor.multiply(x), lower @ x, **close)
    np.testing.assert_allclose(factor.multiply_transposed(x), lower.T @ x, **close)
    np.testing.assert_allclose(factor.solve_lower(x), np.linalg.solve(lower, x), **close)
    np.testing.assert_allclose(factor.solve_transposed(x), np.linalg.solve(lower.T, x), **close)
    np.testing.assert_allclose(factor.solve(x), np.linalg.solve(h, x), rtol=1e-9, atol=1e-9)


def test_expanded_parents() -> None:
    """A floating body, on it a ball and a weld, on the weld a hinge; a second figure on a universal joint."""
    parent = ltdl.expanded_parents([-1, 0, 0, 2, -1], [6, 3, 0, 1, 2])
    assert parent == [-1, 0, 1, 2, 3, 4, 5, 6, 7, 5, -1, 10]


def test_bad_factors_are_refused() -> None:
    h = np.eye(3)
    with pytest.raises(DefinitionError, match="one before it"):
        sparse_factors.SparseFactor(h, [-1, 1, 0])
    with pytest.raises(DefinitionError, match="different branches"):
        sparse_factors.SparseFactor(h + 0.1, [-1, 0, 0])
    with pytest.raises(DefinitionError, match="shape"):
        sparse_factors.SparseFactor(h, [-1, 0])
    with pytest.raises(DefinitionError, match="ltdl"):
        sparse_factors.SparseFactor(h, [-1, 0, 0], "lu")


# ---------------------------------------------------------------- refusals
@pytest.mark.parametrize("mode", REDUCED)
def test_rods_are_refused(mode: str) -> None:
    world = World(MIXED["particles"]())
    said = rf"{mode}.*motion subspace.*rod0.*`auxiliary: true` \(in Python `auxiliary=True`\).*take 'fused'"
    with pytest.raises(DefinitionError, match=said):
        world.use_solver(mode)
    assert world.solver == "fused"
    world.step()


@pytest.mark.parametrize("mode", REDUCED)
def test_what_the_refusal_says_is_a_way(mode: str) -> None:
    scene = MIXED["particles"]()
    joints = [replace(joint, auxiliary=True) if isinstance(joint, Distance) else joint for joint in scene.joints]
    world = World(replace(scene, joints=joints), solver=mode)
    world.step()
    assert world.largest_gap < 1e-6


def test_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """D0 of a chain of 30 hinges is 30 * 31 / 2."""
    monkeypatch.setattr(jsim, "MOST_ENTRIES", 465)
    World(FIGURES["hinges30"](), solver="jsim")
    monkeypatch.setattr(jsim, "MOST_ENTRIES", 464)
    with pytest.raises(DefinitionError, match=r"464 entries .* 465; take 'fused' or 'aba'"):
        World(FIGURES["hinges30"](), solver="jsim")


def test_the_table() -> None:
    for mode in REDUCED:
        assert MODES[mode].reduced
        assert not MODES[mode].wants_rows


# ---------------------------------------------------------------- reference case 30
def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


CASE = read_case("30")
STATES = CASE["expected"]["states"]


def humanoid(state: dict) -> Scene:
    """Forward kinematics of the reference's links at a state: places, orientations, axes, velocities in the world."""
    rates = dict(
        zip(CASE["expected"]["joint_order"], zip(state["joint_pos"], state["v"][6:], strict=True), strict=True)
    )
    frames: dict[str, tuple[np.ndarray, ...]] = {}
    bodies: list[Body] = []
    joints: list[Joint] = [Free(name="float", a="world", b="pelvis")]
    for link in CASE["definition"]["links"]:
        name = link["name"]
        if link["parent"] is None:
            at, q = np.array(state["base_pos"]), np.array(state["base_quat"])
            v, w = np.array(state["v"][:3]), np.array(state["v"][3:6])
        else:
            at_parent, q_parent, v_parent, w_parent = frames[link["parent"]]
            arm = matrix_of(q_parent) @ link["pos"]
            angle, rate = rates[name]
            axis = matrix_of(q_parent) @ link["axis"]
            at, q = at_parent + arm, quaternion_product(q_parent, turn(np.array(link["axis"]), angle))
            v, w = v_parent + np.cross(w_parent, arm), w_parent + rate * axis
            joints.append(Hinge(name=f"to_{name}", a=link["parent"], b=name, at=at, axis=axis))
        frames[name] = at, q, v, w
        arm = matrix_of(q) @ link["com"]
        bodies.append(
            Body(
                name=name, mass=link["mass"], inertia=link["inertia"], position=at + arm, orientation=q,
                velocity=v + np.cross(w, arm), angular_velocity=w,
            )
        )  # fmt: skip
    return Scene(bodies=bodies, joints=joints, gravity=CASE["definition"]["gravity"])


def reference_coordinates(world: World, arm: np.ndarray) -> np.ndarray:
    """T with (our coordinates) = T (the reference's): the root's velocity at its centre of mass, `arm` away from its
    frame, and the hinges in the order of the bodies' rows."""
    names = ["pelvis", *CASE["expected"]["joint_order"]]
    first = [int(model_of(world).topology[built_of(world).body_row[name], Topology.FIRST_DOF]) for name in names]
    t = np.zeros((30, 30))
    t[first[0] : first[0] + 6, :6] = np.eye(6)
    t[first[0] : first[0] + 3, 3:6] = np.cross(np.eye(3), arm).T  # w -> w x arm
    for k, row in enumerate(first[1:]):
        t[row, 6 + k] = 1.0
    return t


@pytest.mark.parametrize("k", range(len(STATES)))
def test_reference_inertia_and_bias(k: int) -> None:
    """H, and the bias C in H q'' + C = tau, which is -H q'' where tau = 0."""
    state = STATES[k]
    world = World(humanoid(state), solver="jsim")
    world.accelerations()
    arm = world.bodies["pelvis"].position - state["base_pos"]
    w = np.array(state["v"][3:6])
    t = reference_coordinates(world, arm)
    h = t.T @ factored_inertia(world) @ t
    np.testing.assert_allclose(h, state["H"], rtol=1e-9, atol=1e-9 * np.abs(state["H"]).max())
    assert len(space_of(world).h) == CASE["expected"]["nnz_H_lower_incl_diag_by_topology"]
    # our acceleration of the root is its centre of mass's, which also has w x (w x arm)
    rates = np.linalg.solve(t, space_of(world).rate)
    rates[:3] -= np.cross(w, np.cross(w, arm))
    bias = np.array(state["bias"])
    np.testing.assert_allclose(-h @ rates, bias, rtol=1e-8, atol=1e-8 * np.abs(bias).max())


@pytest.mark.parametrize("k", range(len(STATES)))
@pytest.mark.parametrize("mode", ["fused", *REDUCED])
def test_reference_accelerations(mode: str, k: int) -> None:
    """Accelerations of all bodies under the hinges' torques, which the joints' wrenches have to show again."""
    state = STATES[k]
    world = World(humanoid(state), solver=mode)
    torque = dict(zip(CASE["expected"]["joint_order"], state["tau"][6:], strict=True))
    world.engine.prepare(preparations.Preparation.ACCELERATIONS)
    for name, value in torque.items():
        work_of(world).row[built_of(world).body_row[name], Rows.PUSH] += value
    world.engine.answer()
    got = world.engine.in_scene_order(work_of(world).velocity)
    expected = np.array(state["body_com_acc_world"])
    np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    for name, value in torque.items():
        row = built_of(world).body_row[name]
        axis = work_of(world).edge[row, Edges.AXIS + 3 : Edges.AXIS + 6]
        assert axis @ work_of(world).wrench[row, 3:] == pytest.approx(value, abs=1e-8)
