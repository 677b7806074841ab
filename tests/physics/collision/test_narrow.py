"""Contact points of pairs of shapes: closed forms, independent gaps, symmetry, invariance, continuity, features."""

import itertools
import math

import numpy as np
import pytest
import scipy.optimize
from scipy.spatial.transform import Rotation

from physics.collision.collision import make_collision, run_remember, update
from physics.collision.geometry import make_geometry
from physics.collision.narrow import NEAREST
from physics.data.contact_tables import ContactBodies, ContactCounts, ContactPoints
from physics import Box, Capsule, Cylinder, Hull, Plane, Sphere
from tests.helpers.contact_reference import gap, support_heights
from tests.helpers.contact_scenes import SHAPES, depth, local, points_of_a_ball, random_pose, turned

PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
FLOOR = Plane()
# every gap counts as a contact
WIDE = 20.0


class Pair:
    """Two shapes on two bodies (a plane on the world); `at` gives their contacts."""

    def __init__(self, a, b, margin=WIDE):
        self.a, self.b = a, b
        self.planar = isinstance(b, Plane)
        g = make_geometry([(0, a), (-1 if self.planar else 1, b)])
        self.collision = make_collision(g, margin=margin)

    def at(self, pose_a, pose_b=(0, 0, 0, *UPRIGHT)):
        poses = np.array([pose_a, pose_b], dtype=float)
        self.collision = update(self.collision, poses, np.zeros((2, 6)), 1.0 / 240.0)
        count = self.collision.contacts.tally[ContactCounts.CONTACTS]
        return self.collision.contacts.where[:count].copy(), self.collision.contacts.who[:count].copy()


def rotation_of(pose):
    return Rotation.from_quat(np.roll(pose[3:], -1))


# ---------------------------------------------------------------- closed forms
@pytest.mark.parametrize(
    ("a", "pose", "b", "expected_gap", "normal", "points"),
    [
        (Sphere(radius=0.5), (0, 0, 0.4), FLOOR, -0.1, (0, 0, 1), [(0, 0, -0.05)]),
        (Sphere(radius=0.5), (0, 3, 0), Sphere(radius=1.0), 1.5, (0, 1, 0), [(0, 1.75, 0)]),
        (Sphere(radius=0.5), (0.3, 0, 2), Box(size=(2, 2, 2)), 0.5, (0, 0, 1), [(0.3, 0, 1.25)]),
        # the middle inside the box: out by the nearest face
        (Sphere(radius=0.5), (0.3, 0.8, 0), Box(size=(2, 2, 2)), -0.7, (0, 1, 0), [(0.3, 0.65, 0)]),
        (Sphere(radius=0.5), (4, 3, 0), Cylinder(radius=2.0, length=2.0), 2.5, (0.8, 0.6, 0), [(2.6, 1.95, 0)]),
        (Sphere(radius=0.5), (0.5, 0, 1.2), Cylinder(radius=2.0, length=2.0), -0.3, (0, 0, 1), [(0.5, 0, 0.85)]),
        (
            Capsule(radius=0.1, length=1.0, orientation=(math.sqrt(0.5), 0, math.sqrt(0.5), 0)), (0, 0, 0.1),
            FLOOR, 0.0, (0, 0, 1), [(-0.5, 0, 0), (0.5, 0, 0)],
        ),
        (
            Capsule(radius=0.1, length=1.0), (0.3, 0, 0.2), Capsule(radius=0.1, length=1.0),
            0.1, (1, 0, 0), [(0.15, 0, -0.3), (0.15, 0, 0.5)],
        ),
        (
            Capsule(radius=0.1, length=1.0), (0, 0, 1.25), Capsule(radius=0.1, length=1.0),
            0.05, (0, 0, 1), [(0, 0, 0.625)],
        ),
        (
            Box(size=(2, 4, 6)), (0, 0, 2.9), FLOOR,
            -0.1, (0, 0, 1), [(x, y, -0.05) for x in (-1, 1) for y in (-2, 2)],
        ),
        (
            Box(size=(2, 2, 2)), (0.5, 0.25, 1.9), Box(size=(2, 2, 2)),
            -0.1, (0, 0, 1), [(x, y, 0.95) for x in (-0.5, 1) for y in (-0.75, 1)],
        ),
        (
            Cylinder(radius=0.2, length=1.0, orientation=(math.sqrt(0.5), 0, math.sqrt(0.5), 0)), (0, 0, 0.2),
            FLOOR, 0.0, (0, 0, 1), [(-0.5, 0, 0), (0.5, 0, 0)],
        ),
        (
            Capsule(radius=0.1, length=1.0, orientation=(math.sqrt(0.5), 0, math.sqrt(0.5), 0)), (0.2, 0, 1.1),
            Box(size=(0.8, 2, 2)), 0.0, (0, 0, 1), [(-0.3, 0, 1), (0.4, 0, 1)],
        ),
        # a corner of the tetrahedron on the floor
        (
            Hull(points=[(0, 0, 0), (1, 0, 1), (-1, 1, 1), (0, -1, 1)]), (0, 0, 0.1), FLOOR,
            0.1, (0, 0, 1), [(0, 0, 0.05)],
        ),
        (
            Hull(points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]), (-0.2, -0.3, 1.0), Box(size=(2, 2, 2)),
            0.0, (0, 0, 1), [(-0.2, -0.3, 1), (0.8, -0.3, 1), (-0.2, 0.7, 1)],
        ),
    ],
    ids=lambda v: getattr(v, "label", None),
)  # fmt: skip
def test_closed_forms(a, pose, b, expected_gap, normal, points):
    where, who = Pair(a, b, margin=3.0 if expected_gap > 0.1 else 0.2).at((*pose, *UPRIGHT))
    assert who[:, [ContactBodies.BODY_A, ContactBodies.BODY_B]].tolist() == [[0, -1 if b is FLOOR else 1]] * len(points)
    assert where[:, ContactPoints.GAP] == pytest.approx(np.full(len(points), expected_gap), abs=1e-12)
    assert where[:, ContactPoints.NORMAL : ContactPoints.NORMAL + 3] == pytest.approx(
        np.tile(normal, (len(points), 1)), abs=1e-12
    )
    order = np.lexsort(np.round(where[:, ContactPoints.POINT : ContactPoints.POINT + 3], 9).T)
    expected = np.array(sorted(points, key=lambda p: p[::-1]), dtype=float)
    # polygons are cut 1e-9 of their size outside their edges
    assert where[order, ContactPoints.POINT : ContactPoints.POINT + 3] == pytest.approx(expected, abs=1e-8)


def test_crossed_capsules_and_edges_touch_in_one_point():
    across = (math.sqrt(0.5), 0, math.sqrt(0.5), 0)
    where, _ = Pair(Capsule(radius=0.1, length=2.0), Capsule(radius=0.1, length=2.0)).at((0, 0.3, 0.2, *across))
    assert where[:, ContactPoints.GAP] == pytest.approx([0.1])
    assert where[0, ContactPoints.POINT : ContactPoints.POINT + 3] == pytest.approx([0, 0.15, 0.2])
    # two boxes on edge, one along x, the other along y: edge against edge
    a = np.roll((Rotation.from_rotvec([0, math.pi / 4, 0])).as_quat(), 1)
    b = np.roll((Rotation.from_rotvec([math.pi / 4, 0, 0])).as_quat(), 1)
    cube = Box(size=(2, 2, 2))
    where, _ = Pair(cube, cube, margin=0.2).at((0.1, 0.2, 2 * math.sqrt(2) - 0.01, *a), (0, 0, 0, *b))
    assert where[:, ContactPoints.GAP] == pytest.approx([-0.01])
    assert where[0, ContactPoints.NORMAL : ContactPoints.NORMAL + 3] == pytest.approx([0, 0, 1], abs=1e-12)
    assert where[0, ContactPoints.POINT : ContactPoints.POINT + 3] == pytest.approx(
        [0.1, 0, math.sqrt(2) - 0.005], abs=1e-12
    )


@pytest.mark.parametrize(("angle", "count"), [(0.001, 2), (0.05, 1), (0.5, 1)])
def test_capsules_touch_along_a_line_only_where_they_are_parallel(angle, count):
    """The second one is turned about the line that joins the middles: that line is the shortest at any angle."""
    shape = Capsule(radius=0.1, length=1.0)
    turn = np.roll(Rotation.from_rotvec([0, angle, 0]).as_quat(), 1)
    where, _ = Pair(shape, shape).at((0, 0.25, 0, *UPRIGHT), (0, 0, 0, *turn))
    assert where[:, ContactPoints.GAP] == pytest.approx(np.full(count, 0.05), abs=1e-12)
    middle = where[:, ContactPoints.POINT : ContactPoints.POINT + 3].mean(axis=0)
    assert middle == pytest.approx([0, 0.125, 0], abs=1e-3)


def test_cylinder_stands_on_four_points_of_its_rim_and_leans_on_the_lowest():
    shape = Cylinder(radius=0.2, length=1.0)
    where, _ = Pair(shape, FLOOR).at((0, 0, 0.5, *UPRIGHT))
    assert where[:, ContactPoints.GAP] == pytest.approx(np.zeros(4), abs=1e-15)
    assert np.linalg.norm(where[:, :2], axis=1) == pytest.approx(np.full(4, 0.2))
    assert where[:, :2].sum(axis=0) == pytest.approx([0, 0], abs=1e-12)
    tilt = Rotation.from_rotvec([0, 0.1, 0]) * Rotation.from_rotvec([0, 0, 0.3])
    where, _ = Pair(shape, FLOOR).at((0, 0, 0.5, *np.roll(tilt.as_quat(), 1)))
    # rim: half length times cosine plus radius times sine below the middle
    assert where[:, ContactPoints.GAP].min() == pytest.approx(
        0.5 - 0.5 * math.cos(0.1) - 0.2 * math.sin(0.1), abs=1e-12
    )


def test_friction_and_restitution_of_a_pair():
    where, _ = Pair(Sphere(radius=0.5, friction=0.9, restitution=0.2), Sphere(radius=0.5, friction=0.4)).at(
        (0, 0, 1, *UPRIGHT)
    )
    assert where[0, ContactPoints.FRICTION] == pytest.approx(0.6)
    assert where[0, ContactPoints.RESTITUTION] == 0.2


# ---------------------------------------------------------------- gaps against the independent reference
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_gap_is_the_largest_separation(first, second):
    rng = np.random.default_rng(0)
    a, b = SHAPES[first], SHAPES[second]
    pair = Pair(a, b)
    for k in range(6 if "cylinder" in (first, second) else 30):
        # deep, touching and apart
        poses = random_pose(rng, 0.0), random_pose(rng, (0.1, 0.3, 0.6)[k % 3])
        where, _ = pair.at(*poses)
        assert where[:, ContactPoints.GAP].min() == pytest.approx(
            gap(a, poses[0], b, poses[1]), abs=2e-7 if "cylinder" in (first, second) else 1e-8
        )


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_normal_proves_the_gap(first, second):
    """s(n) of the contact's own normal is its gap: no separation along n is larger, and the search above shows that no
    other direction separates more."""
    rng = np.random.default_rng(1)
    a, b = SHAPES[first], SHAPES[second]
    pair = Pair(a, b)
    for k in range(300):
        poses = random_pose(rng, 0.0), random_pose(rng, (0.1, 0.3, 0.6)[k % 3])
        where, _ = pair.at(*poses)
        nearest = where[np.argmin(where[:, ContactPoints.GAP])]
        n = -nearest[None, ContactPoints.NORMAL : ContactPoints.NORMAL + 3]
        s = -support_heights(b, poses[1], -n)[0] - support_heights(a, poses[0], n)[0]
        assert nearest[ContactPoints.GAP] == pytest.approx(s, abs=2e-9)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-14)
        # all normals of a manifold are the same
        assert (where[:, ContactPoints.NORMAL : ContactPoints.NORMAL + 3] == -n).all()
        assert len(where) <= 4


@pytest.mark.parametrize("name", SHAPES)
def test_gap_to_a_plane(name):
    rng = np.random.default_rng(2)
    plane = Plane.facing((0.3, -0.2, 1.0), point=(0, 0, -0.2))
    pair = Pair(SHAPES[name], plane)
    pose_of_plane = np.array([*plane.position, *plane.orientation])
    for _ in range(100):
        pose = random_pose(rng, 0.5)
        where, who = pair.at(pose)
        assert (who[:, ContactBodies.BODY_B] == -1).all()
        assert where[:, ContactPoints.GAP].min() == pytest.approx(
            gap(plane, pose_of_plane, SHAPES[name], pose), abs=1e-12
        )


# ---------------------------------------------------------------- what must hold for any pair
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_points_lie_on_both_surfaces(first, second):
    rng = np.random.default_rng(3)
    a, b = SHAPES[first], SHAPES[second]
    pair = Pair(a, b, margin=0.05)
    checked = 0
    for _ in range(600):
        poses = random_pose(rng, 0.0), random_pose(rng, 0.35)
        where, _ = pair.at(*poses)
        if not len(where):
            continue
        nearest = where[np.argmin(where[:, ContactPoints.GAP])]
        half = 0.5 * nearest[ContactPoints.GAP] * nearest[ContactPoints.NORMAL : ContactPoints.NORMAL + 3]
        on_a, on_b = (
            nearest[ContactPoints.POINT : ContactPoints.POINT + 3] + half,
            nearest[ContactPoints.POINT : ContactPoints.POINT + 3] - half,
        )
        # the nearest pair of points may be up to 2e-5 m beside the deepest corner that stands for it
        assert depth(a, local(poses[0], on_a)[None])[0] == pytest.approx(0.0, abs=2e-5)
        assert depth(b, local(poses[1], on_b)[None])[0] == pytest.approx(0.0, abs=2e-5)
        checked += 1
    assert checked > 20


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_swapping_the_pair_flips_the_normal(first, second):
    rng = np.random.default_rng(4)
    a, b = SHAPES[first], SHAPES[second]
    forth, back = Pair(a, b), Pair(b, a)
    for _ in range(50):
        p, q = random_pose(rng, 0.0), random_pose(rng, 0.4)
        one, two = forth.at(p, q)[0], back.at(q, p)[0]
        i, j = np.argmin(one[:, ContactPoints.GAP]), np.argmin(two[:, ContactPoints.GAP])
        assert two[j, ContactPoints.GAP] == pytest.approx(one[i, ContactPoints.GAP], abs=1e-9)
        assert two[j, ContactPoints.NORMAL : ContactPoints.NORMAL + 3] == pytest.approx(
            -one[i, ContactPoints.NORMAL : ContactPoints.NORMAL + 3], abs=1e-5
        )


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_contacts_move_with_the_world(first, second):
    rng = np.random.default_rng(5)
    pair = Pair(SHAPES[first], SHAPES[second], margin=0.1)
    for _ in range(60):
        p, q = random_pose(rng, 0.0), random_pose(rng, 0.4)
        here, features = pair.at(p, q)
        r, shift = Rotation.random(rng=rng), rng.normal(size=3) * 10.0
        there, same = pair.at(turned(p, r, shift), turned(q, r, shift))
        assert len(here) == len(there)
        assert (features[:, ContactBodies.FEATURE] == same[:, ContactBodies.FEATURE]).all()
        assert there[:, ContactPoints.GAP] == pytest.approx(here[:, ContactPoints.GAP], abs=1e-8)
        # the direction of round shapes is good to the root of the rounding of their distance
        normals, points = (
            here[:, ContactPoints.NORMAL : ContactPoints.NORMAL + 3],
            here[:, ContactPoints.POINT : ContactPoints.POINT + 3],
        )
        assert there[:, ContactPoints.NORMAL : ContactPoints.NORMAL + 3] == pytest.approx(
            r.apply(normals).reshape(-1, 3), abs=1e-5
        )
        # where faces overlap without a corner, any point of the overlap is a nearest one
        named = features[:, ContactBodies.FEATURE] != NEAREST
        expected = (r.apply(points) + shift).reshape(-1, 3)
        assert there[named, ContactPoints.POINT : ContactPoints.POINT + 3] == pytest.approx(expected[named], abs=1e-5)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_gap_changes_by_no_more_than_the_motion(first, second):
    """The gap of convex bodies is 1-Lipschitz in a translation, from far away into the deep; no jump where the method
    changes from distance to depth."""
    rng = np.random.default_rng(6)
    pair = Pair(SHAPES[first], SHAPES[second])
    for _ in range(3):
        p, q = random_pose(rng, 0.0), random_pose(rng, 0.0)
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        last, at = None, None
        # fine steps about the contact, found by the first pass
        coarse = np.linspace(0.0, 1.2, 40)
        gaps = [pair.at(p, [*(s * way), *q[3:]])[0][:, ContactPoints.GAP].min() for s in coarse]
        touch = np.interp(0.0, gaps, coarse) if gaps[0] < 0.0 < gaps[-1] else 0.5
        for s in np.sort(
            np.concatenate([coarse, touch + np.linspace(-1e-6, 1e-6, 41), touch + np.linspace(-1e-2, 1e-2, 41)])
        ):
            value = pair.at(p, [*(s * way), *q[3:]])[0][:, ContactPoints.GAP].min()
            if last is not None and at is not None:
                assert abs(value - last) <= s - at + 2e-9
            last, at = value, s


def stacks():
    """Bodies at rest on one another, in general position: (upper shape, its pose, lower shape)"""
    turn = tuple(np.roll(Rotation.from_rotvec([0, 0, 0.3]).as_quat(), 1))
    lying = tuple(np.roll((Rotation.from_rotvec([0, 0, 0.2]) * Rotation.from_rotvec([0, math.pi / 2, 0])).as_quat(), 1))
    box = Box(size=(0.4, 0.6, 0.2))
    prism = Hull(
        points=[
            (x, y, z) for z in (-0.1, 0.1) for x, y in ((0.3, 0), (0.1, 0.25), (-0.2, 0.2), (-0.2, -0.2), (0.1, -0.25))
        ]
    )
    yield "box on box", box, (0.03, 0.05, 0.2, *turn), box
    yield "box on floor", box, (0.03, 0.05, 0.1, *turn), FLOOR
    yield "hull on box", prism, (0.03, 0.05, 0.2, *turn), box
    yield "hull on hull", prism, (0.03, 0.05, 0.2, *turn), prism
    yield "hull on floor", prism, (0.03, 0.05, 0.1, *turn), FLOOR
    yield "cylinder on box", Cylinder(radius=0.15, length=0.4), (0.03, 0.05, 0.3, *turn), box
    yield "cylinder on floor", Cylinder(radius=0.15, length=0.4), (0.0, 0.0, 0.2, *turn), FLOOR
    yield "lying cylinder on box", Cylinder(radius=0.15, length=0.4), (0.03, 0.05, 0.25, *lying), box
    yield "lying cylinder on floor", Cylinder(radius=0.15, length=0.4), (0.03, 0.05, 0.15, *lying), FLOOR
    yield "capsule on box", Capsule(radius=0.1, length=0.3), (0.03, 0.05, 0.2, *lying), box
    yield (
        "capsule on capsule",
        Capsule(radius=0.1, length=0.3),
        (0.12, 0.16, 0.0, *UPRIGHT),
        Capsule(radius=0.1, length=0.4),
    )


@pytest.mark.parametrize(("upper", "pose", "lower"), [s[1:] for s in stacks()], ids=[s[0] for s in stacks()])
def test_features_stay_while_a_body_trembles(upper, pose, lower):
    """A resting body that sinks, slides and turns by 1e-7 keeps every contact, and each is matched."""
    rng = np.random.default_rng(7)
    pair = Pair(upper, lower, margin=0.02)
    _, first = pair.at(pose)
    # what lies along a line touches in two points, what stands on a face in four
    assert len(first) == (2 if abs(pose[4]) + abs(pose[5]) > 0.1 or isinstance(upper, Capsule) else 4)
    for _ in range(100):
        run_remember(pair.collision.contacts)
        moved = turned(np.array(pose), Rotation.from_rotvec(1e-7 * rng.normal(size=3)), 1e-7 * rng.normal(size=3))
        where, who = pair.at(moved)
        assert sorted(who[:, ContactBodies.FEATURE]) == sorted(first[:, ContactBodies.FEATURE])
        assert sorted(pair.collision.contacts.match[: len(where)]) == list(range(len(first)))
        assert abs(where[:, ContactPoints.GAP]).max() < 1e-5


@pytest.mark.parametrize("name", ["box", "cylinder", "hull", "capsule"])
def test_manifold_covers_the_support_of_a_resting_body(name):
    """Whatever lies flat has its centre over the hull of its contact points: it would not tip over."""
    lying = Rotation.from_rotvec([0, math.pi / 2, 0]) if name == "capsule" else Rotation.identity()
    shape = SHAPES[name]
    if name == "hull":
        shape = Hull(
            points=np.concatenate(
                [points_of_a_ball(20, radius=0.3), np.array([[0.5, 0.4, -0.4], [-0.5, 0.4, -0.4], [0, -0.5, -0.4]])]
            )
        )
    pair = Pair(shape, Box(size=(4, 4, 2)), margin=0.02)
    pose = np.array(
        [
            0.1,
            0.2,
            1.0
            + support_heights(shape, np.array([0, 0, 0, *np.roll(lying.as_quat(), 1)]), np.array([[0, 0, -1.0]]))[0],
            *np.roll(lying.as_quat(), 1),
        ]
    )
    where, _ = pair.at(pose)
    assert where[:, ContactPoints.GAP] == pytest.approx(np.zeros(len(where)), abs=1e-9)
    x = where[:, :2] - pose[:2]
    # a positive combination of the points gives the middle
    weights, miss = scipy.optimize.nnls(np.vstack([x.T, np.ones(len(x))]), [0, 0, 1])
    assert miss < 1e-9, weights
