"""Shapes: what they refuse, their mass against integrals, the boxes around them."""

import struct

import numpy as np
import pytest
import scipy.integrate
from scipy.spatial.transform import Rotation

from physics.collision import hull
from physics.collision.bounds import middle_and_half
from physics.collision.geometry import make_geometry
from physics.collision.mass import measure_mass
from physics.compiler.jit import entry
from physics.data.shape_tables import ShapeIndex, ShapeReal
from physics.definitions.checks import DefinitionError
from physics import Box, Capsule, Cylinder, Hull, Plane, Shape, Sphere
from physics.definitions.shapes.compound import CompoundShape
from physics.maths.vec import store3
from tests.helpers.contact_scenes import SHAPES, placed, points_of_a_ball, random_pose, surface_points

DENSITY = 800.0
CUBE = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)


# ---------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Sphere(radius=0.0), "radius of a sphere"),
        (lambda: Sphere(radius=float("nan")), "radius of a sphere"),
        (lambda: Capsule(radius=0.1, length=-2.0), "length of a capsule"),
        (lambda: Capsule.between((0, 0, 1), (0, 0, 1), 0.1), "end of a capsule"),
        (lambda: Box(size=(2, 4)), "size of a box"),
        (lambda: Box(size=(2, 4, 0)), "size of a box"),
        (lambda: Cylinder(radius="wide", length=2.0), "radius of a cylinder"),
        (lambda: Sphere(radius=1.0, friction=-0.1), "friction of a sphere"),
        (lambda: Sphere(radius=1.0, restitution=1.5), "restitution of a sphere"),
        (lambda: Sphere(radius=1.0, orientation=(1, 1, 0, 0)), "orientation of a sphere"),
        (lambda: Sphere(radius=1.0, group=""), "group of a sphere"),
        (lambda: Plane.facing((0, 0, 0)), "normal of a plane"),
        (lambda: Hull(points=[(0, 0, 0), (1, 0, 0), (0, 1, 0)]), "points of a hull"),
        (lambda: Hull(points=CUBE * (1, 1, 0)), "points of a hull"),
        (lambda: Hull(points=[[np.inf, 0, 0]] * 4), "points of a hull"),
        (lambda: CompoundShape(parts=[]), "parts of a compound"),
        (lambda: CompoundShape(parts=[Plane()]), "part of a compound"),
        (lambda: measure_mass(Sphere(radius=1.0), 0.0), "density"),
        (lambda: measure_mass(Plane(), 1.0), "shape with a mass"),
        (lambda: make_geometry([(0, Plane())]), "body of a plane"),
        (lambda: make_geometry([(0, "ball")]), "shape"),
        (lambda: make_geometry([(0, Sphere(radius=1.0))], apart=[("default", "ghosts")]), "groups kept apart"),
        (lambda: make_geometry([(0, Sphere(radius=1.0, group=f"g{k}")) for k in range(70)]), "groups of shapes"),
    ],
)
def test_bad_input_is_refused(make, what):
    with pytest.raises(DefinitionError) as refusal:
        make()
    assert refusal.value.what == what


# ---------------------------------------------------------------- mass
@pytest.mark.parametrize("name", ["sphere", "capsule", "cylinder"])
def test_mass_of_solids_of_revolution(name):
    """Slices across z: mass, and moments r^2/2 about z, r^2/4 + z^2 about x."""
    shape = SHAPES[name]
    radius, half_length, _ = shape.measures
    top = {"sphere": radius, "capsule": radius + half_length, "cylinder": half_length}[name]

    def square(z):
        if name == "cylinder":
            return radius**2
        return radius**2 - max(abs(z) - (half_length if name == "capsule" else 0.0), 0.0) ** 2

    def integral(of):
        points = [-half_length, half_length] if name == "capsule" else None
        return DENSITY * np.pi * scipy.integrate.quad(of, -top, top, points=points, epsabs=1e-13)[0]

    m = measure_mass(shape, DENSITY)
    assert m.mass == pytest.approx(integral(square), rel=1e-10)
    along = integral(lambda z: square(z) ** 2 / 2.0)
    across = integral(lambda z: square(z) ** 2 / 4.0 + square(z) * z * z)
    assert m.inertia == pytest.approx(np.diag([across, across, along]), rel=1e-9, abs=1e-12)
    assert m.centre == pytest.approx(np.zeros(3))


def test_mass_of_a_box_is_that_of_its_hull_and_of_its_halves():
    box = Box(size=(0.2, 0.4, 0.6))
    expected = measure_mass(box, DENSITY)
    assert expected.mass == pytest.approx(DENSITY * 0.2 * 0.4 * 0.6)
    assert np.diag(expected.inertia) == pytest.approx(expected.mass / 3.0 * np.array([0.13, 0.10, 0.05]))
    halves = [Box(size=(0.1, 0.4, 0.6), position=(x, 0, 0)) for x in (-0.05, 0.05)]
    for other in (Hull(points=CUBE * box.measures), CompoundShape(parts=halves)):
        found = measure_mass(other, DENSITY)
        assert found.mass == pytest.approx(expected.mass, rel=1e-13)
        assert found.centre == pytest.approx(np.zeros(3), abs=1e-15)
        assert found.inertia == pytest.approx(expected.inertia, rel=1e-12, abs=1e-12)


def test_mass_of_a_tetrahedron_by_its_closed_form():
    """Corner tetrahedron with legs a: V = a^3/6, centre a/4, int x^2 = a^5/60, int xy = a^5/120 about the corner."""
    a = 0.4
    m = measure_mass(Hull(points=[(0, 0, 0), (a, 0, 0), (0, a, 0), (0, 0, a)]), DENSITY)
    assert m.mass == pytest.approx(DENSITY * a**3 / 6.0, rel=1e-13)
    assert m.centre == pytest.approx([a / 4.0] * 3, rel=1e-13)
    square = DENSITY * a**5 / 60.0 - m.mass * a * a / 16.0
    product = DENSITY * a**5 / 120.0 - m.mass * a * a / 16.0
    assert m.inertia == pytest.approx(
        3.0 * square * np.eye(3) - np.full((3, 3), product) - (square - product) * np.eye(3)
    )


def test_mass_of_a_turned_shape_turns_with_it():
    rng = np.random.default_rng(4)
    shape = SHAPES["hull"]
    pose = random_pose(rng, 1.0)
    turn = Rotation.from_quat(np.roll(pose[3:], -1)).as_matrix()
    plain = measure_mass(shape, DENSITY)
    moved = measure_mass(Hull(points=shape.points, position=pose[:3], orientation=pose[3:]), DENSITY)
    assert moved.centre == pytest.approx(pose[:3] + turn @ plain.centre, abs=1e-14)
    assert moved.inertia == pytest.approx(turn @ plain.inertia @ turn.T, rel=1e-11, abs=1e-13)


def test_compound_in_compound():
    inner = CompoundShape(
        parts=[Sphere(radius=0.1, position=(0.5, 0, 0))], position=(0, 1, 0), orientation=(0.6, 0, 0, 0.8)
    )
    m = measure_mass(CompoundShape(parts=[inner], position=(0, 0, 2)), DENSITY)
    turn = Rotation.from_quat((0, 0, 0.8, 0.6))
    assert m.centre == pytest.approx(turn.apply((0.5, 0, 0)) + np.array([0, 1, 2]), abs=1e-14)


# ---------------------------------------------------------------- mesh files
def triangles_of_a_cube():
    polyhedron = Hull(points=CUBE).polyhedron
    return polyhedron.vertex[polyhedron.triangle]


@pytest.mark.parametrize("kind", ["obj", "text.stl", "binary.stl"])
def test_hull_of_a_mesh_file(tmp_path, kind):
    path = tmp_path / f"cube.{kind}"
    triangles = triangles_of_a_cube()
    if kind == "obj":
        lines = ["# cube", "v 0 0 0 1.0"] + [f"v {x} {y} {z}" for x, y, z in CUBE] + ["vn 0 0 1", "f 1 2 3"]
        path.write_text("\n".join(lines))
    elif kind == "text.stl":
        body = "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join("vertex {} {} {}\n".format(*v) for v in t)
            + "endloop\nendfacet\n"
            for t in triangles
        )
        path.write_text(f"solid cube\n{body}endsolid cube\n")
    else:
        # a binary file whose header begins like a text file
        data = b"solid".ljust(80, b" ") + struct.pack("<I", len(triangles))
        for t in triangles:
            data += struct.pack("<12fH", 0, 0, 0, *t.ravel(), 0)
        path.write_bytes(data)
    shape = Hull.of_file(path, scale=0.5)
    assert len(shape.polyhedron.vertex) == 8
    assert [len(loop) for loop in shape.polyhedron.loop] == [4] * 6
    assert measure_mass(shape, DENSITY).mass == pytest.approx(DENSITY)


@pytest.mark.parametrize(
    ("name", "text"),
    [("m.ply", "ply"), ("m.obj", "f 1 2 3"), ("m.obj", "v 1 2"), ("m.stl", "vertex 1 2 three"), ("m.obj", "v 1 2 nan")],
)
def test_bad_mesh_files_are_refused(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DefinitionError):
        Hull.of_file(path)
    with pytest.raises(DefinitionError, match="can be read"):
        Hull.of_file(tmp_path / "none.obj")


# ---------------------------------------------------------------- polyhedra
@pytest.mark.parametrize("count", [4, 8, 30, 200])
def test_faces_of_a_hull_enclose_its_points(count):
    points = points_of_a_ball(count, seed=count)
    p = Hull(points=points).polyhedron
    assert (points @ p.plane[:, :3].T - p.plane[:, 3]).max() < 1e-12
    for plane, loop in zip(p.plane, p.loop, strict=True):
        corners = p.vertex[list(loop)]
        assert corners @ plane[:3] == pytest.approx(np.full(len(loop), plane[3]), abs=1e-9)
        # anticlockwise seen from outside
        turns = np.cross(
            np.roll(corners, -1, axis=0) - corners, np.roll(corners, -2, axis=0) - np.roll(corners, -1, axis=0)
        )
        assert (turns @ plane[:3] > 0.0).all()


@entry("gv", "i")
def support_number(g, direction):
    return hull.farthest_vertex(g, 0, (direction[0], direction[1], direction[2]))


@pytest.mark.parametrize("count", [20, 400])
def test_support_of_a_hull_by_looking_and_by_climbing(count):
    shape = Hull(points=points_of_a_ball(count, seed=1) * (1.0, 0.5, 2.0))
    g = make_geometry([(0, shape)])
    for direction in np.random.default_rng(2).normal(size=(200, 3)):
        heights = shape.polyhedron.vertex @ direction
        assert heights[support_number(g, direction)] == pytest.approx(heights.max(), rel=1e-14)


# ---------------------------------------------------------------- boxes around shapes
@entry("gtt")
def fill_bounds(g, place, out):
    middle, half = middle_and_half(g, place, 0)
    store3(out, 0, 0, middle)
    store3(out, 1, 0, half)


@pytest.mark.parametrize("name", SHAPES)
def test_boxes_around_shapes(name):
    rng = np.random.default_rng(0)
    shape = SHAPES[name]
    for _ in range(30):
        pose = random_pose(rng, 2.0)
        g, place = placed([shape], [pose])
        out = np.zeros((2, 3))
        fill_bounds(g, place, out)
        points = Rotation.from_quat(np.roll(pose[3:], -1)).apply(surface_points(shape)) + pose[:3]
        low, high = points.min(axis=0), points.max(axis=0)
        # the points are a few thousand on the surface: 1 % short of the extremes of a ball
        assert (out[0] - out[1] <= low + 1e-12).all()
        assert (out[0] + out[1] >= high - 1e-12).all()
        if name != "hull":
            assert 2.0 * out[1] == pytest.approx(high - low, rel=0.02)


def test_frames_and_materials_reach_the_arrays():
    shapes: list[tuple[int, Shape]] = [
        (1, CompoundShape(parts=[Sphere(radius=0.1, friction=0.3), Sphere(radius=0.2)], position=(1, 0, 0))),
        (-1, Plane()),
    ]
    frames = np.array([[0, 0, 0, 1, 0, 0, 0], [0, 0, 5, np.sqrt(0.5), 0, 0, np.sqrt(0.5)]], dtype=float)
    g = make_geometry(shapes, frames=frames)
    assert g.whole[:, ShapeIndex.OWNER].tolist() == [1, 1, -1]
    assert g.real[:, ShapeReal.FRICTION].tolist() == [0.3, 0.8, 0.8]
    # the frame of body 1 is turned by 90 degrees about z: x becomes y
    assert g.real[0, 3:6] == pytest.approx([0, 1, 5])
