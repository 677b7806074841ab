"""Pictures without a display: what is drawn, in how many calls, and what the mouse hits in it."""

import math

import numpy as np
import pytest

from app.cli.main import main
from app.render.camera import Camera
from app.render.flesh import distance, make_flesh
from app.render.look import Look, Primitive, derive_look
from app.render.picking import Picker
from app.render.picture import Studio, camera_on
from app.render.renderer import HIGH, LOW, quality_for
from app.render.skin import BONES, load_skin
from app.render.view import ASLEEP, SELECTED, make_view
from app.ui.gallery import open_scene
from physics.definitions.shapes.shape import Triangles
from tests.helpers import generators

SIZE = (320, 180)


def poses_of(scene):
    return np.array([[*b.position, *b.orientation] for b in scene.bodies])


def drawn(scene, marks=None, quality=LOW):
    look = derive_look(scene)
    studio = Studio(look, [b.name for b in scene.bodies], SIZE, quality)
    picture = studio.picture(make_view(poses_of(scene), look, marks), camera_on(look, SIZE)).astype(int)
    counts = studio.renderer.draw_calls, studio.renderer.uploaded
    studio.release()
    return picture, counts


def test_a_figure_is_seen_and_a_mark_changes_its_picture():
    scene = generators.chain(5)
    plain, _ = drawn(scene)
    marked, _ = drawn(scene, {2: SELECTED})
    assert plain.std() > 5.0
    assert np.abs(plain - marked).max() > 60


def test_what_sleeps_is_tinted_blue_and_has_no_outline():
    scene = generators.chain(5)
    plain, _ = drawn(scene)
    asleep, _ = drawn(scene, {2: ASLEEP})
    selected, _ = drawn(scene, {2: SELECTED})
    changed = np.abs(plain - asleep).max(2) > 6
    assert changed.sum() > 30
    difference = (asleep - plain)[changed]
    assert np.median(difference[:, 2] - difference[:, 0]) > 5  # less red, more blue
    assert changed.sum() < (np.abs(plain - selected).max(2) > 6).sum()


@pytest.mark.parametrize("quality", [LOW, HIGH], ids=["low", "high"])
def test_draw_calls_do_not_grow_with_the_bodies(quality):
    _, few = drawn(generators.chain(10), quality=quality)
    _, many = drawn(generators.chain(1000), quality=quality)
    assert many[0] == few[0]
    assert many[1] < 200_000  # bytes a frame


def test_quality_is_low_where_the_processor_draws():
    class Context:
        def __init__(self, name):
            self.info = {"GL_RENDERER": name}

    assert quality_for(Context("llvmpipe (LLVM 15.0.6, 256 bits)")) == LOW
    assert quality_for(Context("NVIDIA GeForce RTX 3060/PCIe/SSE2")) == HIGH


# ---------------------------------------------------------------- camera and picking
def test_a_pixel_and_its_ray_are_inverse():
    camera = Camera(target=np.array([1.0, -2.0, 0.5]), distance=4.0, size=(800, 500))
    for x, y in ((0.0, 0.0), (400.0, 250.0), (733.0, 91.0)):
        origin, direction = camera.ray(x, y)
        assert camera.pixel(origin + 3.7 * direction) == pytest.approx((x, y), abs=1e-9)
    assert camera.pixel(camera.eye + camera.backward) is None


CASES = [
    # shape, size, start, direction, distance by hand
    ("sphere", (0.5, 0.5, 0.5, 0.0), (0, -3, 0), (0, 1, 0), 2.5),
    ("sphere", (0.5, 0.5, 0.5, 0.0), (0.3, -3, 0), (0, 1, 0), 3.0 - 0.4),
    ("capsule", (0.2, 0.2, 0.2, 1.0), (3, 0, 0.5), (-1, 0, 0), 2.8),
    ("capsule", (0.2, 0.2, 0.2, 1.0), (0, 0, 5), (0, 0, -1), 3.8),
    ("cylinder", (0.2, 0.2, 1.0, 0.0), (0.1, 0, 5), (0, 0, -1), 4.0),
    ("cylinder", (0.2, 0.2, 1.0, 0.0), (0, -3, 0.9), (0, 1, 0), 2.8),
    ("box", (1.0, 0.5, 0.25, 0.0), (0.9, 0.4, 7), (0, 0, -1), 6.75),
    ("box", (1.0, 0.5, 0.25, 0.0), (1.1, 0.4, 7), (0, 0, -1), None),
    ("sphere", (0.5, 0.5, 0.5, 0.0), (0, -3, 0), (0, -1, 0), None),
    ("tile", (2.0, 2.0, 2.0, 0.0), (0.2, 0.3, 5), (0, 0, -1), 3.0),
    ("tile", (2.0, 2.0, 2.0, 0.0), (1.9, 1.9, 5), (0, 0, -1), None),
]


@pytest.mark.parametrize(("shape", "size", "start", "direction", "expected"), CASES)
def test_rays_hit_where_geometry_says(shape, size, start, direction, expected):
    tile = Triangles(np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1.0]]), np.tile([0, 0, 1.0], (3, 1)))
    look = Look({"b": [Primitive(shape, size)]}, meshes={"tile": tile})
    half = math.sqrt(0.5)
    for place, q in (((0, 0, 0), (1, 0, 0, 0)), ((2, -1, 3), (half, 0, 0, half))):
        spin = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]) if q[0] < 1 else np.eye(3)
        pose = np.array([[*place, *q]], float)
        hit = Picker(look, ["b"]).hit(pose, spin @ np.array(start, float) + place, spin @ np.array(direction, float))
        if expected is None:
            assert hit is None
        else:
            assert hit.distance == pytest.approx(expected, abs=1e-12)


def test_the_nearest_of_two_bodies_is_hit_and_joints_are_not():
    look = Look(
        {"a": [Primitive("sphere", (0.5,) * 3 + (0.0,))], "b": [Primitive("sphere", (2.0,) * 3 + (0.0,), joint="j")]}
    )
    poses = np.array([[0, 0, 0, 1, 0, 0, 0], [0, -5, 0, 1, 0, 0, 0.0]])
    assert Picker(look, ["a", "b"]).hit(poses, np.array([0, -9.0, 0]), np.array([0, 1.0, 0])).body == 0


# ---------------------------------------------------------------- the skin
def test_the_skin_is_closed_and_lies_on_the_flesh():
    """The file is what the field of the library's hand gives."""
    skin = load_skin()
    edges = np.sort(np.concatenate([skin.faces[:, [0, 1]], skin.faces[:, [1, 2]], skin.faces[:, [2, 0]]]), 1)
    unique, counts = np.unique(edges, axis=0, return_counts=True)
    assert set(counts) == {2}
    assert len(skin.vertices) - len(unique) + len(skin.faces) == 2  # Euler: one piece without handles
    v = skin.vertices[skin.faces]
    assert 3e-4 < np.einsum("ij,ij->i", v[:, 0], np.cross(v[:, 1], v[:, 2])).sum() / 6.0 < 5e-4  # m^3, outward
    assert np.allclose(skin.weights.sum(1), 1.0)
    parts = open_scene("hand").scene.parts
    ends = {}
    for bone in BONES[1:]:
        (shape,) = parts[bone].spec.shape
        ends[bone] = np.array(shape.start), np.array(shape.end)
    assert np.abs(distance(skin.vertices, make_flesh(ends))).max() < 2e-4


def test_only_the_hand_of_the_library_wears_it():
    assert [worn.bodies[0] for worn in open_scene("hand").look.skins] == ["palm"]
    assert list(open_scene("robot").look.skins) == []
    assert derive_look(generators.hand()).skins == []


# ---------------------------------------------------------------- the command
def test_render_writes_a_picture(tmp_path, capsys):
    out = tmp_path / "hand.png"
    assert main(["render", "hand", "--out", str(out), "--size", "320x180"]) == 0
    assert out.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert out.stat().st_size > 10_000


def test_render_goes_along_with_what_falls(tmp_path, monkeypatch):
    """A free figure stays where it is in the picture while it falls four metres, if its scene says so."""
    scene = tmp_path / "falling.yaml"
    text = """
marionette: 1
camera: {target: [0, 0, 1], distance: 3, azimuth: 0, elevation: 0, follow: FOLLOW}
bodies:
  ball: {at: [0, 0, 1], mass: 1 kg, look: {color: '#ff0000'}, shape: {sphere: {radius: 0.3}}}
  wall: {fixed: true, at: [0, 9, 0], shape: {sphere: {radius: 0.3}}}
"""
    monkeypatch.setattr("app.render.picture.write_png", lambda path, picture: pictures.append(picture))
    middles, pictures = {}, []
    for follow in ("true", "false"):
        scene.write_text(text.replace("FOLLOW", follow))
        for time in ("0", "0.9"):
            assert main(["render", str(scene), "--out", "ball.png", "--size", "160x90", "--seconds", time]) == 0
            red, green, blue = np.moveaxis(pictures[-1][40:50, 75:85].astype(int), 2, 0)
            middles[follow, time] = float((red - green - blue).mean())
    assert middles["true", "0"] > 0.0
    assert middles["true", "0.9"] > 0.0
    assert middles["false", "0.9"] < 0.0


def test_render_takes_parameters_as_simulate_does(tmp_path, capsys):
    pictures = []
    for words in ([], ["--set", "links=3"]):
        out = tmp_path / "chain.png"
        assert main(["render", "chain", "--out", str(out), "--size", "160x90", *words]) == 0
        pictures.append(out.read_bytes())
    assert pictures[0] != pictures[1]
    assert main(["render", "chain", "--out", str(out), "--set", "lnks=3"]) == 2
    assert "links" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["mp4", "gif"])
def test_render_writes_films(tmp_path, suffix):
    av = pytest.importorskip("av")
    out = tmp_path / f"film.{suffix}"
    assert main(["render", "hand", "--out", str(out), "--size", "160x91", "--seconds", "0.2"]) == 0
    with av.open(str(out)) as film:
        pictures = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(pictures) == 6
    assert pictures[0].shape == (90, 160, 3)


@pytest.mark.parametrize(
    "words", [["--out", "a.jpg"], ["--out", "a.png", "--size", "0x5"], ["--out", "a.png", "--size", "big"]]
)
def test_render_refuses_bad_input(words, capsys):
    assert main(["render", "hand", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
