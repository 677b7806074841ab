"""The broad phase against all pairs, filters, and the contacts of a whole scene from step to step."""

import numpy as np
import pytest

from physics.collision.broad import make_broad
from physics.collision.collision import make_collision, run_remember, update
from physics.collision.geometry import make_geometry
from physics.data.contact_tables import ContactBodies, ContactCounts, ContactPoints
from physics.definitions.checks import DefinitionError
from physics import Box, Plane, Sphere
from physics.definitions.shapes.compound import CompoundShape
from tests.helpers.contact_scenes import SHAPES, Floats, random_pose

DT = 1.0 / 240.0
STILL = (1.0, 0.0, 0.0, 0.0)


def contacts_of(collision):
    count = collision.contacts.tally[ContactCounts.CONTACTS]
    return collision.contacts.who[:count], collision.contacts.where[:count]


def random_scene(rng, count, spread, scale=(0.1, 1.0)):
    """Spheres and boxes of very different sizes, two of them huge, a floor and a wall."""
    shapes = []
    for i in range(count):
        size = float(np.exp(rng.uniform(*np.log(scale)))) if i > 1 else 20.0
        shape = Sphere(radius=size) if i % 2 else Box(size=(2.0 * size, 1.2 * size, 0.6 * size))
        shapes.append((i, shape))
    shapes += [(-1, Plane()), (-1, Plane.facing((1, 0, 0), point=(-spread, 0, 0)))]
    poses = np.array([random_pose(rng, spread) for _ in range(count)])
    return make_geometry(shapes), poses


def overlapping(boxes: Floats) -> np.ndarray:
    low, high = boxes[:, None, :3], boxes[:, None, 3:]
    return np.all((low <= boxes[None, :, 3:]) & (boxes[None, :, :3] <= high), axis=2)


@pytest.mark.parametrize("seed", range(12))
def test_the_list_holds_all_pairs_whose_boxes_meet_and_no_others(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 150))
    geometry, poses = random_scene(rng, count, (1.0, 5.0, 30.0)[seed % 3], scale=(0.01, 2.0))
    never = {tuple(sorted(rng.choice(count, 2, replace=False).tolist())) for _ in range(count // 4)}
    collision = make_collision(geometry, never=never)
    collision = update(collision, poses, rng.normal(size=(count, 6)), DT)
    pairs = collision.broad.pair[: collision.contacts.tally[ContactCounts.PAIRS]].tolist()
    assert pairs == sorted(pairs)
    meet = overlapping(collision.broad.fat[:count])
    expected = [[i, j] for i in range(count) for j in range(i + 1, count) if meet[i, j] and (i, j) not in never]
    assert [p for p in pairs if p[1] < count] == expected


def test_everything_that_reaches_a_plane_is_found():
    rng = np.random.default_rng(1)
    geometry, poses = random_scene(rng, 60, 3.0)
    collision = update(make_collision(geometry), poses, np.zeros((60, 6)), DT)
    who, where = contacts_of(collision)
    fat = collision.broad.fat[:60]
    assert set(np.flatnonzero(collision.broad.box[:60, 2] < 0.0)) <= set(
        who[who[:, ContactBodies.SHAPE_B] == 60, ContactBodies.SHAPE_A]
    )
    assert (where[:, ContactPoints.GAP] < 0.011).all()
    assert np.isfinite(fat).all()


def test_filters():
    """Groups apart, bodies that never touch, parts of one body, shapes of the world among themselves."""
    ball = {"radius": 1.0}
    shapes = [
        (0, CompoundShape(parts=[Sphere(**ball), Sphere(**ball)])), (1, Sphere(**ball)), (2, Sphere(**ball,
        group="left")), (3, Sphere(**ball, group="right")), (-1, Sphere(**ball)), (-1, Plane(position=(0, 0, 5))),
    ]  # fmt: skip
    geometry = make_geometry(shapes, apart=[("left", "right"), ("left", "left")])
    poses = np.tile([0.0, 0, 0, *STILL], (4, 1))
    collision = update(make_collision(geometry, never=[(1, 0), (2, -1)]), poses, np.zeros((4, 6)), DT)
    found = {tuple(sorted(p)) for p in contacts_of(collision)[0][:, [0, 1]].tolist()}
    assert found == {(0, 2), (0, 3), (1, 2), (1, 3), (-1, 0), (-1, 1), (-1, 3)}


@pytest.mark.parametrize("seed", range(4))
def test_the_kept_list_gives_the_contacts_of_a_new_one(seed):
    """Bodies that fly through one another for 150 steps: contacts from the kept list and from nothing, bit for bit."""
    rng = np.random.default_rng(seed)
    names = list(SHAPES)
    count = 24
    shapes = [(i, SHAPES[names[i % 5]]) for i in range(count)] + [(-1, Plane(position=(0, 0, -1)))]
    geometry = make_geometry(shapes)
    poses = np.array([random_pose(rng, 1.2) for _ in range(count)])
    velocity = np.concatenate([rng.normal(size=(count, 3)) * (0.2, 1.0, 3.0, 10.0)[seed], np.zeros((count, 3))], axis=1)
    kept = make_collision(geometry)
    for _ in range(60):
        kept = update(kept, poses, velocity, DT)
        new = update(make_collision(geometry), poses, velocity, DT)
        for a, b in zip(contacts_of(kept), contacts_of(new), strict=True):
            assert a.tobytes() == b.tobytes()
        poses[:, :3] += DT * velocity[:, :3]
        # they turn back at the walls of a box of 3 m
        velocity[:, :3] = np.where(
            abs(poses[:, :3]) > 1.5, -np.sign(poses[:, :3]) * abs(velocity[:, :3]), velocity[:, :3]
        )
    assert 1 < kept.contacts.tally[ContactCounts.REBUILDS] < 50


def test_a_fast_body_is_seen_a_step_before_it_arrives():
    geometry = make_geometry([(0, Sphere(radius=0.1)), (-1, Plane())])
    collision = make_collision(geometry)
    fast = np.array([[0, 0, -100.0, 0, 0, 0]])
    assert update(collision, np.array([[0, 0, 0.4, *STILL]]), fast, DT).contacts.tally[ContactCounts.CONTACTS] == 1
    assert (
        update(collision, np.array([[0, 0, 0.4, *STILL]]), 0.0 * fast, DT).contacts.tally[ContactCounts.CONTACTS] == 0
    )
    # a spinning box reaches its far corner
    geometry = make_geometry([(0, Box(size=(2, 0.02, 0.02))), (-1, Plane())])
    spin = np.array([[0, 0, 0, 0, 60.0, 0]])
    assert (
        update(make_collision(geometry), np.array([[0, 0, 0.2, *STILL]]), spin, DT).contacts.tally[
            ContactCounts.CONTACTS
        ]
        > 0
    )


def test_no_contact_is_left_out_when_arrays_are_too_small():
    """600 spheres in a heap: far more pairs and contacts than the arrays are made for."""
    rng = np.random.default_rng(0)
    count = 300
    geometry = make_geometry([(i, Sphere(radius=0.3)) for i in range(count)])
    poses = np.concatenate([rng.uniform(-1, 1, (count, 3)), np.tile(STILL, (count, 1))], axis=1)
    collision = make_collision(geometry)
    small = len(collision.contacts.who)
    collision = update(collision, poses, np.zeros((count, 6)), DT)
    who, where = contacts_of(collision)
    distance = np.linalg.norm(poses[:, None, :3] - poses[None, :, :3], axis=2) - 0.6
    i, j = np.nonzero(np.triu(distance < 0.005, 1))
    assert len(i) > small
    assert who[:, [ContactBodies.SHAPE_A, ContactBodies.SHAPE_B]].tolist() == np.stack([i, j], axis=1).tolist()
    assert where[:, ContactPoints.GAP] == pytest.approx(distance[i, j], abs=1e-12)


def test_contacts_are_matched_by_shapes_and_feature():
    boxes = [(i, Box(size=(1.0, 1.0, 1.0))) for i in range(3)] + [(-1, Plane())]
    poses = np.array([[0.1 * i, 0.05 * i, 0.5 + i, *STILL] for i in range(3)])
    collision = update(make_collision(make_geometry(boxes)), poses, np.zeros((3, 6)), DT)
    assert (collision.contacts.match[:12] == -1).all()
    before = contacts_of(collision)[0].copy()
    run_remember(collision.contacts)
    # the middle box goes away
    poses[1, 0] += 5.0
    collision = update(collision, poses, np.zeros((3, 6)), DT)
    who, _ = contacts_of(collision)
    match = collision.contacts.match[: len(who)]
    assert len(who) == 4
    assert before[match].tolist() == who.tolist()
    run_remember(collision.contacts)
    poses[1, 0] -= 5.0
    collision = update(collision, poses, np.zeros((3, 6)), DT)
    who, _ = contacts_of(collision)
    match = collision.contacts.match[: len(who)]
    assert len(who) == 12
    assert (match >= 0).sum() == 4
    assert (who[match >= 0][:, ContactBodies.SHAPE_B] == 3).all()
    assert len(set(who[:4, ContactBodies.FEATURE])) == 4


@pytest.mark.parametrize(
    ("never", "margin", "what"),
    [
        ([(0, 0)], 0.01, "bodies that never touch"),
        ([(-(1 << 22), 0)], 0.01, "bodies that never touch"),
        ([], 0.0, "margin of contacts"),
    ],
)
def test_bad_settings_are_refused(never, margin, what):
    with pytest.raises(DefinitionError) as refusal:
        make_broad(make_geometry([(0, Sphere(radius=1.0))]), never, margin)
    assert refusal.value.what == what
