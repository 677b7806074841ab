"""Contracts of the constraints that are no joints, at random states: bent, moving, closed.

- error and Jacobian: T (dC/dt) = T (J u) in the rows that keep a position; the others have no error.
- rows: T with the levers (or the given Jacobians) is the J u that `edges` has, whichever body is the child.
- bias: T b = -J' u along a motion that keeps the constraint.
- the wrench is that of the multipliers in every mode, as a link and in the forest.

Derivatives are differences of fourth order over a rigid motion, step 1e-4 s: rounding leaves some 1e-11 of them.
"""

import numpy as np
import pytest

from physics.data.model_tables import Topology
from physics.data.work_tables import ConstraintRows
from physics.definitions.constraints import (
    Circle, Gear, KnifeEdge, Parallel, PointOnCurve, PointOnLine, PointOnPlane, RollingDisk, Spline,
)  # fmt: skip
from physics.definitions.functions import Function, VelocityFunction
from physics.definitions.bodies import Body, Particle, PlanarBody
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Planar
from physics.definitions.scene import Scene
from physics.joints.table import CONSTRAINTS
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.edge_probe import Edge, free_velocity, moved
from tests.helpers.arrays import built_of, model_of, state_of

STEP = 1e-4
CLOSE = 1e-9

every_kind = pytest.mark.parametrize("kind", figures.CONSTRAINTS)
held = pytest.mark.parametrize("held", [False, True])
reverse = pytest.mark.parametrize("reverse", [False, True], ids=["", "reversed"])
seeds = pytest.mark.parametrize("seed", range(2))


def every_state(test):
    """Run a test for each kind, with two bodies or one on the world, in both orders, from several states."""
    return every_kind(held(reverse(seeds(test))))


def pair_of(kind, seed, held=False, reverse=False, **options):
    """Two bodies, or the world and one, tied by one constraint; `reverse` makes a the one held, or the last defined."""
    rng = np.random.default_rng(seed)
    first = figures.random_body(rng, "a", rng.uniform(-1, 1, 3))
    second = figures.random_body(rng, "b", rng.uniform(-1, 1, 3))
    if held:
        a, b = ("a", "world") if reverse else ("world", "b")
        tie = figures.random_constraint(rng, kind, "j", a, b, np.array((first if reverse else second).position))
        bodies = [first if reverse else second]
    else:
        tie = figures.random_constraint(rng, kind, "j", "a", "b", np.array(second.position))
        bodies = [second, first] if reverse else [first, second]
    return Scene(bodies=bodies, joints=[tie], gravity=(0.0, 0.0, 0.0), **options)


def random_state(kind, seed, held, reverse, speed=1.0, **options):
    return figures.in_motion(pair_of(kind, seed, held, reverse), seed, speed=speed, **options)


class Tie(Edge):
    """What `edges` says of a constraint: rows with their Jacobians, as they are or from the twists."""

    @property
    def constraint_rows(self):
        count = int(model_of(self.world).topology[self.i, Topology.ROWS])
        return self.rows[self.i, :36].reshape(6, 6)[:count]

    @property
    def kept(self):
        return self.constraint_rows[: int(model_of(self.world).topology[self.i, Topology.HOLONOMIC])]

    def across(self, velocity):
        if model_of(self.world).topology[self.i, Topology.OWN_ROWS] == 0:
            return super().across(velocity)
        rate = (
            self.rows[self.i, ConstraintRows.CHILD_ROWS : ConstraintRows.PARENT_ROWS].reshape(6, 6)
            @ velocity[self.i, :6]
        )
        if self.parent >= 0:
            rate = rate + self.rows[self.i, ConstraintRows.PARENT_ROWS :].reshape(6, 6) @ velocity[self.parent, :6]
        return rate


def derivative(world, velocity, measure):
    """d/dt of what `measure` finds in the constraint along a rigid motion"""
    pose = state_of(world).pose.copy()
    found = [measure(Tie(world, moved(pose, velocity, k * STEP, model_of(world).topology))) for k in (-2, -1, 1, 2)]
    return (8.0 * (found[2] - found[1]) - (found[3] - found[0])) / (12.0 * STEP)


@every_state
def test_slip_is_the_rate_of_the_error(kind, held, reverse, seed):
    world = random_state(kind, seed, held, reverse)
    pose = state_of(world).pose
    tie = Tie(world, pose)
    assert np.abs(tie.gap[tie.i]).max() < 1e-11
    velocity = free_velocity(world, seed)
    rate = derivative(world, velocity, lambda there: there.gap[there.i])
    slip = tie.slip(velocity)
    rows = tie.constraint_rows
    scale = max(1.0, np.abs(rows).max(), np.abs(slip).max()) ** 2
    assert np.abs(tie.kept @ (rate - slip)).max(initial=0.0) < CLOSE * scale
    if not len(tie.kept):
        assert not rate.any()
    assert np.abs(rows @ tie.across(velocity) - rows @ slip).max() < 1e-11
    assert np.abs(rows.T @ np.linalg.lstsq(rows.T, slip, rcond=None)[0] - slip).max() < 1e-11
    # the rows are at right angles to each other, which the projections on them rely on
    gram = rows @ rows.T
    assert np.abs(gram - np.diag(np.diag(gram))).max() < 1e-12


@every_state
def test_bias_is_the_rate_of_the_rows(kind, held, reverse, seed):
    world = random_state(kind, seed, held, reverse)
    velocity, pose = state_of(world).velocity.copy(), state_of(world).pose.copy()
    tie = Tie(world, pose)
    rows = tie.constraint_rows
    assert np.abs(rows @ tie.across(velocity)).max() < 1e-11
    # J u at each pose in the rows of that pose; those of a curve may turn about its tangent, but J u is zero here
    rate = derivative(world, velocity, lambda there: there.constraint_rows @ there.across(velocity))
    bias = tie.bias(velocity)
    assert held or np.linalg.norm(bias) > 1e-3
    scale = max(1.0, np.abs(rows).max(), np.linalg.norm(bias)) ** 2
    assert np.abs(rows @ bias + rate).max() < 1e-8 * scale


@every_kind
@seeds
def test_a_link_is_the_constraint_itself(kind, seed):
    """As an edge of the forest, and outside it on top of two free bodies."""
    from dataclasses import replace

    world = random_state(kind, seed, False, False)
    (tie,) = built_of(world).scene.joints
    scene = built_of(world).scene
    linked = World(replace(scene, joints=[replace(tie, auxiliary=True)]))
    for name, body in world.bodies.items():
        other = linked.bodies[name]
        other.position, other.velocity = body.position, body.velocity
        other.quaternion, other.angular_velocity = body.quaternion, body.angular_velocity
    for w in (world, linked):
        w.bodies["b"].applied_force = (1.0, 2.0, 3.0)
        w.bodies["b"].applied_torque = (0.1, -0.2, 0.3)
    a, b = world.accelerations(), linked.accelerations()
    assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()
    assert np.abs(world.joints["j"].force - linked.joints["j"].force).max() < 1e-8
    assert np.abs(world.joints["j"].torque - linked.joints["j"].torque).max() < 1e-8


@every_kind
@reverse
def test_forces_are_equal_and_opposite(kind, reverse):
    """M a less the applied loads is the constraint's force on b; its opposite acts on a, but for functions."""
    world = random_state(kind, 1, False, reverse)
    world.bodies["b"].applied_force = (3.0, -1.0, 2.0)
    world.bodies["b"].applied_torque = (1.0, 0.5, -2.0)
    a = dict(zip(world.bodies, world.accelerations(), strict=True))
    joint = world.joints["j"]
    force = world.bodies["b"].mass * a["b"][:3] - (3.0, -1.0, 2.0)
    assert np.linalg.norm(joint.force) + np.linalg.norm(joint.torque) > 1e-3
    assert np.abs(joint.force - force).max() < 1e-9 * max(1.0, np.abs(force).max())
    if "function" not in kind:
        assert np.abs(world.bodies["a"].mass * a["a"][:3] + joint.force).max() < 1e-9 * max(1.0, np.abs(force).max())


@pytest.mark.parametrize("solver", ["lagrange", "dense", "cg"])
def test_modes_agree(solver):
    """A chain of bodies of every kind of constraint in turn, all in the forest."""
    rng = np.random.default_rng(5)
    bodies = [figures.random_body(rng, "b0", np.zeros(3))]
    joints = []
    for k, kind in enumerate(figures.CONSTRAINTS, 1):
        place = rng.uniform(-1, 1, 3)
        bodies.append(figures.random_body(rng, f"b{k}", place))
        a, b = (f"b{k - 1}", f"b{k}") if k % 3 else (f"b{k}", f"b{k - 1}")
        place = np.array(bodies[k if k % 3 else k - 1].position)
        joints.append(figures.random_constraint(rng, kind, f"j{k}", a, b, place))
    scene = Scene(bodies=bodies, joints=joints)
    worlds = [World(scene), World(scene, solver=solver)]
    a, b = (w.accelerations() for w in worlds)
    assert not len(model_of(worlds[0]).links)
    assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()
    wrenches = [state_of(w).memory[:, :6].copy() for w in worlds]
    assert np.abs(wrenches[0] - wrenches[1]).max() < 1e-9 * np.abs(wrenches[0]).max()


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rattle", "rattle4", "rk4", "explicit", "hernandez"])
@every_kind
def test_motion_stays_closed(kind, integrator):
    # two gears that only their teeth hold together may come apart sideways, and are then no gears any more
    speed = 0.1 if "gear" in kind else 1.0
    world = random_state(kind, 0, False, False, speed, integrator=integrator)
    start = world.energy().total
    world.step(60)
    # what the paper's scheme leaves of a step is closed in the next one
    assert world.largest_gap < (1e-2 if integrator == "hernandez" else 1e-6)
    assert world.redone == 0
    # constraints do no work: the bodies turn at some 5 rad/s, 0.02 rad a step
    assert world.energy().total == pytest.approx(start, rel=0.1 if integrator in ("hernandez", "implicit") else 0.02)


def test_kinds_are_all_here():
    """A new constraint must join these contracts. Formulas are functions whose text is a program: test_formulas.py
    holds them to the constraints that they stand for."""
    rng = np.random.default_rng(0)
    tested = [figures.random_constraint(rng, k, "j", "a", "b", np.zeros(3)) for k in figures.CONSTRAINTS]
    assert {tie.equations or tie.kind for tie in tested} == {entry.name for entry in CONSTRAINTS} | {"function"}


def pair(kind, **changes):
    from dataclasses import replace

    tie = figures.random_constraint(np.random.default_rng(0), kind, "j", "a", "b", np.zeros(3))
    return replace(tie, **changes)


NOTHING = (0, 0, 0)
REFUSED = [
    *((kind, {key: NOTHING}, "a vector that is not zero") for kind, key in (
        ("point on plane", "normal"), ("point on line", "axis"), ("parallel", "axis"), ("perpendicular", "axis2"),
        ("gear", "axis"), ("rack", "direction"), ("rolling sphere", "normal"), ("rolling disk", "axis"),
        ("sphere in trough", "axis"), ("knife edge", "lateral"),
    )),
    *((kind, {key: value}, "a finite number > 0") for kind, key in (
        ("rack", "radius"), ("rolling sphere", "radius"), ("rolling disk", "radius"), ("sphere in trough", "radius"),
        ("sphere in trough", "trough_radius"), ("function", "length_scale"),
    ) for value in (0.0, -1.0, np.nan, "wide")),
    ("rolling sphere", {"radius": 0.3}, "height of the centre .* as drawn"),
    ("rolling disk", {"radius": 0.3}, "height of the centre .* as drawn"),
    ("sphere in trough", {"radius": 0.1}, "distance of the centre from the axis .* as drawn"),
    ("sphere in trough", {"radius": 0.8}, "less than that of the trough"),
    ("sphere in trough", {"cylinder": 1}, "True or False"),
    ("rack", {"radius": 0.31}, "from the pitch line .* as drawn"),
    ("gear", {"radii": (0.3, 0.3)}, "distance of the centres .* as drawn"),
    ("gear", {"radii": (0.3, -0.3)}, "any sum but 0"),
    ("gear", {"radii": (0.3,)}, "2 finite numbers"),
    ("gear", {"axis": (1, 2, 3)}, "at right angles"),
    ("gear", {"keeps_position": "yes"}, "True or False"),
    ("perpendicular", {"axis2": (1, 2, 3)}, "at right angles"),
    ("point on circle", {"curve": None}, "a Circle or a Spline"),
    ("point on plane", {"b": "a"}, "two different bodies"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "changes", "message"), REFUSED)
def test_refused(kind, changes, message):
    with pytest.raises(DefinitionError, match=message):
        pair(kind, **changes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Circle(center=NOTHING, normal=NOTHING, radius=1.0), "normal of a circle"),
        (lambda: Circle(center=NOTHING, normal=(0, 0, 1), radius=0.0), "radius of a circle"),
        (lambda: Spline(points=[]), "2 or more points"),
        (lambda: Spline(points=[NOTHING]), "2 or more points"),
        (lambda: Spline(points=[NOTHING, (1, 0, 0)], closed=True), "3 or more points"),
        (lambda: Spline(points=[NOTHING, NOTHING, (1, 0, 0)]), "each away from the next"),
        (lambda: Spline(points=[NOTHING, (1, 0)]), "3 finite numbers"),
    ],
)
def test_curves_refused(make, message):
    with pytest.raises(DefinitionError, match=message):
        make()


def test_particles():
    """A particle takes the point of a plane, a line or a curve, where it is itself; it has no direction to keep."""
    particle = Particle(name="b", mass=1.0, position=(1, 0, 0))
    with pytest.raises(DefinitionError, match="the place of particle 'b'"):
        Scene(bodies=[particle], joints=[PointOnLine(name="j", a=None, b="b", at=(0, 0, 0), axis=(1, 0, 0))])
    with pytest.raises(DefinitionError, match="a rigid body"):
        Scene(bodies=[particle], joints=[PointOnLine(name="j", a="b", b=None, at=(1, 0, 0), axis=(1, 0, 0))])
    with pytest.raises(DefinitionError, match="a rigid body"):
        Scene(bodies=[particle], joints=[Parallel(name="j", a=None, b="b", at=(1, 0, 0), axis=(1, 0, 0))])


# ---------------------------------------------------------------- curves and rolling in motion
@pytest.mark.parametrize("closed", [False, True])
def test_bead_on_a_spline(closed):
    """It stays on the curve, through its points, past its ends or round and round, and keeps its energy."""
    points = [(0, 0, 0.5), (1, 0, -0.2), (2, 0.3, -0.1), (2.5, 1, -0.3), (1, 1.5, -0.1)]
    bead = Particle(name="b", mass=1.0, position=points[0])
    tie = PointOnCurve(name="j", a=None, b="b", at=points[0], curve=Spline(points=points, closed=closed))
    world = World(Scene(bodies=[bead], joints=[tie]))
    world.bodies["b"].velocity = (3.0, 0.0, 0.0)
    world.assemble()
    start = world.energy().total
    places = []
    for _ in range(240):
        world.step(4)
        places.append(world.bodies["b"].position)
        assert world.largest_gap < 1e-6
    assert world.redone == 0
    assert world.energy().total == pytest.approx(start, abs=0.01 * 0.5 * 9)
    # it comes by the drawn points: never farther than half of what it goes between two looks
    near = [min(np.linalg.norm(np.array(places) - p, axis=1)) for p in points]
    assert max(near) < 0.06
    if not closed:
        # beyond the last point on a straight line
        away = np.array(places[-3:])
        assert np.linalg.norm(away[-1] - points[-1]) > 1.0
        assert np.linalg.norm(np.cross(away[1] - away[0], away[2] - away[1])) < 1e-9


def test_a_doubled_curve_is_redundant():
    """The same wire twice: the second depends on the first, is named, and changes nothing."""
    points = [(0, 0, 0.5), (1, 0, -0.2), (2, 0.3, -0.1)]
    bead = Particle(name="b", mass=1.0, position=points[0])
    wires = [
        PointOnCurve(name=n, a=None, b="b", at=points[0], curve=Spline(points=c)) for n, c in (
            ("first", points), ("second", points[::-1]),
        )
    ]  # fmt: skip
    worlds = [World(Scene(bodies=[bead], joints=wires[:k])) for k in (1, 2)]
    for world in worlds:
        world.step(60)
    assert worlds[1].redundant == ["second"]
    assert worlds[1].bodies["b"].position == pytest.approx(worlds[0].bodies["b"].position, abs=1e-6)


def test_a_rolling_wheel_keeps_its_energy_and_does_not_slip():
    """A thin wheel that leans and turns in a circle: second order keeps the energy, the rim's lowest point rests."""
    r, lean = 0.3, 0.3
    axis = np.array([np.cos(lean), 0.0, np.sin(lean)])
    centre = np.array([0.0, 0.0, r * np.cos(lean)])
    wheel = Body(name="b", mass=2.0, inertia=(0.09, 0.045, 0.045), position=centre, orientation=turn_about_y(-lean))
    roll = RollingDisk(name="j", a=None, b="b", at=(NOTHING, centre), normal=(0, 0, 1), axis=axis, radius=r)
    world = World(Scene(bodies=[wheel], joints=[roll]))
    world.bodies["b"].angular_velocity = -12.0 * axis
    world.assemble()
    start = world.energy().total
    for _ in range(10):
        world.step(24)
        body = world.bodies["b"]
        lever = world.joints["j"].anchor - body.position
        assert np.linalg.norm(body.velocity + np.cross(body.angular_velocity, lever)) < 1e-4
        assert world.joints["j"].anchor[2] == pytest.approx(0.0, abs=1e-6)
        assert world.energy().total == pytest.approx(start, rel=1e-3)
    assert world.redone == 0
    assert np.linalg.norm(world.bodies["b"].position - centre) > 0.1


def turn_about_y(angle):
    return (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)


@every_kind
def test_kinematic_order_keeps_them(kind):
    """f = m v: pulled by a force, bodies move within the constraint."""
    world = random_state(kind, 1, False, False, 0.1)
    world.order = "kinematic"
    world.bodies["b"].applied_force = (1.0, -0.5, 0.3)
    start = world.bodies["b"].position
    world.step(20)
    assert world.largest_gap < 1e-6
    assert np.linalg.norm(world.bodies["b"].position - start) > 1e-4


@every_kind
def test_impulses(kind):
    """A blow is passed on without opening the constraint, and does not add more energy than it may."""
    world = random_state(kind, 1, False, False, 0.1)
    world.bodies["b"].apply_impulse((1.0, 2.0, 0.5), (0.1, 0.0, 0.2))
    tie = Tie(world, state_of(world).pose)
    assert np.abs(tie.constraint_rows @ tie.across(state_of(world).velocity)).max() < 1e-10


Z = (0.0, 0.0, 1.0)
IN_PLANE = {
    "point on plane": lambda ends: PointOnPlane(**ends, normal=(0.6, 0.8, 0.0)),
    "point on line": lambda ends: PointOnLine(**ends, axis=(0.6, 0.8, 0.0)),
    "point on circle": lambda ends: PointOnCurve(
        **{**ends, "at": (0.9, 0.2, 0.0)}, curve=Circle(center=(0.3, 0.2, 0.0), normal=Z, radius=0.6)
    ),
    "parallel": lambda ends: Parallel(**ends, axis=(1.0, 0.0, 0.0)),
    "gear": lambda ends: Gear(**{**ends, "at": ((0.0, 0.0, 0.0), (0.9, 0.0, 0.0))}, axis=Z, radii=(0.4, 0.5)),
    "knife edge": lambda ends: KnifeEdge(**ends, lateral=(0.6, 0.8, 0.0)),
    "rolling disk": lambda ends: RollingDisk(
        **{**ends, "at": ((0.7, -0.2, 0.0), (0.9, 0.0, 0.0))}, normal=(0.0, 1.0, 0.0), axis=Z, radius=0.2
    ),
    "function": lambda ends: Function(**ends, function=in_plane_distance),
    "velocity function": lambda ends: VelocityFunction(**ends, function=in_plane_blade),
}  # fmt: skip


def in_plane_distance(xa, ra, xb, rb):
    return ((xb[0] - xa[0]) * (xb[0] - xa[0]) + (xb[1] - xa[1]) * (xb[1] - xa[1]) - 0.81,)


def in_plane_blade(xa, ra, va, wa, xb, rb, vb, wb):
    return (rb[0, 0] * vb[0] + rb[1, 0] * vb[1],)


@pytest.mark.parametrize("solver", ["fused", "lagrange", "dense", "cg"])
@pytest.mark.parametrize("kind", IN_PLANE)
def test_planar_bodies_take_them(kind, solver):
    """Two bodies in a plane, as planar ones and as rigid ones that `Planar` joints hold in it: the same motion."""
    worlds = []
    for planar in (True, False):
        bodies, joints = [], []
        for name, mass, inertia, place in (("a", 2.0, 0.3, (0.0, 0.0, 0.0)), ("b", 1.0, 0.1, (0.9, 0.0, 0.0))):
            if planar:
                bodies.append(PlanarBody(name=name, mass=mass, inertia=inertia, position=place))
            else:
                bodies.append(Body(name=name, mass=mass, inertia=(0.2, 0.2, inertia), position=place))
                plane = {"normal": Z, "axis": (1.0, 0.0, 0.0)}
                joints.append(Planar(name=f"plane {name}", a="world", b=name, at=place, **plane))
        joints.append(IN_PLANE[kind]({"name": "tie", "a": "a", "b": "b", "at": (0.9, 0.1, 0.0)}))
        gravity = (1.0, -3.0, 0.0)
        world = World(Scene(bodies=bodies, joints=joints, gravity=gravity), solver=solver, integrator="implicit")
        world.bodies["a"].angular_velocity = (0.0, 0.0, 1.0)
        world.bodies["b"].velocity = (0.2, -0.4, 0.0)
        worlds.append(world)
    first, second = worlds
    for world in worlds:
        world.step(30)
        assert world.redone == 0
        assert world.largest_gap < 1e-6
    for name in "ab":
        a, b = (w.bodies[name] for w in worlds)
        assert a.position == pytest.approx(b.position, abs=1e-6)
        assert a.angular_velocity == pytest.approx(b.angular_velocity, abs=1e-5)
        assert abs(a.position[2]) < 1e-12
    assert first.joints["tie"].force[:2] == pytest.approx(second.joints["tie"].force[:2], abs=1e-4)


@every_kind
def test_what_is_conserved_and_what_snapshots_hold(kind):
    """Two free bodies: no constraint does work, and those that look at nothing but the two keep both momenta."""
    world = random_state(kind, 2, False, False, integrator="rk4")
    energy, momentum, start = world.energy().total, world.momentum(), world.snapshot()
    world.step(20)
    assert world.redone == 0
    assert world.energy().total == pytest.approx(energy, rel=1e-6)
    if "function" not in kind:
        assert world.momentum().linear == pytest.approx(momentum.linear, abs=1e-9)
        assert world.momentum().angular == pytest.approx(momentum.angular, abs=1e-5)
    found = world.state_hash()
    world.restore(start)
    world.step(20)
    assert world.state_hash() == found
