"""Constraints by formulas in scenes: what is wrong is said at its place, figures and repeats carry them along, what was
not closed is assembled."""

import math

import pytest

from scenes.loading.loader import read_scene_text
from scenes.text.errors import SceneError
from tests.helpers.scene_text import scene_text

HEAD = """marionette: 1
parameters: {a: 0.5 m, b: 0.3, z: 2}
settings: {integrator: implicit}
bodies: {bead: {kind: particle, mass: 0.1, at: [0.5, 0, 0]}}
constraints:
"""


@pytest.mark.parametrize(
    ("entry", "place", "said"),
    [
        ("{function: [world, bead], zero: (x2/a)^2 + q2}", "(x2", "unknown name 'q2'; coordinates: x1, y1, z1"),
        ("{function: [world, bead], zero: x2 - 0.5 m}", "x2", "a formula has no unit"),
        ("{function: [world, bead], zero: abs(x2)}", "abs", "abs is not smooth"),
        ("{function: [world, bead], zero: 2 - b}", "2", "depends on no coordinate"),
        ("{function: [world, bead], zero: x2 - z}", "x2", "'z' is a coordinate here and a parameter of the scene"),
        ("{function: [world, bead], zero: [x2 - a, 5]}", "5", "got 5, allowed: a formula"),
        (
            "{function: [world, bead], zero: vx2}",
            "vx2",
            "'vx2' is a velocity: a condition on velocities is a",
        ),
        ("{function: [world, bead], zero: x2/0}", "x2", "a division by zero"),
        ("{function: [world, bead], zero: sqrt(x2 - 1)}", "sqrt", "math domain error"),
        ("{function: [world, bead], zero: [x2, 2*x2]}", "[x2", "numbers that do not depend on each other"),
        ("{function: [world, bead], zero: [x2, y2, z1, x, y, X, x]}", "[x2", "got 7 formulas, allowed: one to 6"),
        ("{function: [world, bead]}", "{", "'zero' is missing"),
        ("{function: [world, bead], zero: x2, axes: [x, x, y]}", "x, y]", "must be at right angles"),
        ("{velocity_function: [world, bead], zero: vx2^2}", "vx2", "the sum of what each velocity gives by itself"),
        ("{velocity_function: [world, bead], zero: vx2 - 1}", "vx2", "linear in the velocities"),
        ("{formula: [world, bead], zero: x2}", "formula", "it is `function`"),
        ("{condition: [bead], zero: x2}", "x2", "a coordinate of body 2, allowed: x1 to Zz1: of 1 bodies"),
        ("{condition: [bead], zero: x}", "x}", "unknown name 'x'"),
        ("{condition: [bead], zero: vx1}", "vx1", "'vx1' is a velocity: a condition on velocities is a `velocity_cond"),
        ("{velocity_condition: [bead], zero: vx1 - 1}", "vx1", "linear in the velocities"),
        ("{velocity_condition: [bead], zero: vx1*vy1}", "vx1", "the sum of what each velocity gives by itself"),
        ("{velocity_condition: [bead], zero: x1}", "x1", "linear in the velocities"),
        ("{velocity_condition: [bead], zero: vx2}", "vx2", "a coordinate of body 2, allowed: x1 to wz1: of 1 bodies"),
        ("{velocity_condition: [bead], zero: vx}", "vx}", "unknown name 'vx'"),
        ("{velocity_condition: [bad], zero: vx1}", "bad", "did you mean 'bead'?"),
        ("{velocity_condition: [world], zero: vx1}", "[", "the name of a body"),
        ("{velocity_condition: [bead], zero: vx1, force: {bead: [0, 0, 0]}}", "{bead", "a force that is not zero"),
        ("{function: [world, bead], zero: x2, force: {bead: [1, 0, 0]}}", "force", "take a `condition` of its bodies"),
        (
            "{velocity_function: [world, bead], zero: vx2, force: {bead: [1, 0, 0]}}",
            "force",
            "for other forces take a `velocity_condition` of its bodies, without the world",
        ),
        ("{condition: [bad], zero: x1}", "bad", "did you mean 'bead'?"),
        ("{condition: [world], zero: x1}", "[", "the name of a body"),
        ("{condition: [bead, bead], zero: x1}", "[", "each once"),
        ("{condition: [], zero: 1}", "1", "got 1, allowed: a formula"),
        ("{condition: [bead], zero: x1, at: {bed: [0, 0, 0]}}", "bed", "none of its bodies; did you mean 'bead'?"),
        ("{condition: [bead], zero: x1, force: {ball: [1, 0, 0]}}", "ball", "none of its bodies"),
        ("{condition: [bead], zero: x1, force: {bead: [1, 0]}}", "[1", "got 2 values, allowed: a list of 3 or 6"),
        ("{condition: [bead], zero: x1, force: [1, 0, 0]}", "[1, 0", "bodies, and of each a force"),
        ("{condition: [bead], zero: [x1, y1], force: {bead: [1, 0, 0]}}", "{bead", "allowed: shape (2, 6)"),
        ("{condition: [bead], zero: x1, force: {bead: [0, 0, 0]}}", "{bead", "a force that is not zero"),
        ("{condition: [bead], zero: x1, force_in: room}", "room", "allowed: world, body"),
        ("{condition: [bead], zero: x1, force_in: body}", "body", "forces that are numbers"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(entry, place, said):
    with pytest.raises(SceneError) as error:
        read_scene_text(f"{HEAD}  w: {entry}\n", "f.yaml")
    (problem,) = error.value.problems
    assert said in problem.message
    assert (problem.mark.line, problem.mark.column) == (5, 5 + entry.index(place))


WIRE = """marionette: 1
settings: {integrator: implicit, gravity: [0, 0, -9.81]}
bodies:
  bead: {kind: particle, mass: 0.1, at: [0.3, 0, 0.1]}
constraints:
  wire: {function: [world, bead], zero: ["(x2/0.5)^2 + (z2/0.3)^2 - 0.3^2/0.5^2 - 0.1^2/0.3^2", "y2 - x2*z2 + 0.03"]}
  slow: {velocity_function: [world, bead], zero: vx2*x2 + vz2*z2 + vy2, auxiliary: true}
"""


def test_a_figure_and_a_repeat_carry_formulas_along(tmp_path):
    (tmp_path / "wire.yaml").write_text(WIRE.replace("  slow", "  # slow"))
    text = (
        "marionette: 1\nsettings: {integrator: implicit}\nfigures:\n"
        "  plain: {use: wire.yaml}\n  put: {use: wire.yaml, at: [3, 1, 2], rotate: {z: 90 deg}}\n"
        "  other: {use: wire.yaml, at: [0, 5, 0], mirror: x}\n"
        "repeat: {row: {count: 2, step: [0, 9, 0], body: {kind: particle, mass: 0.1, at: [0.3, 0, 0.1]},\n"
        "  joint: {function: [world, this], zero: "
        '["(x2/0.5)^2 + (z2/0.3)^2 - 0.3^2/0.5^2 - 0.1^2/0.3^2", "y2 - x2*z2 + 0.03"]}, first: world}}\n'
    )
    scene = read_scene_text(text, "s.yaml", tmp_path)
    for world in (scene.make_world(), read_scene_text(scene_text(scene.definitions)).make_world()):
        world.step(120)
        x, y, z = world.bodies["plain/bead"].position
        assert abs(x - 0.3) > 0.01
        assert world.bodies["put/bead"].position == pytest.approx([3 - y, 1 + x, 2 + z], abs=1e-9)
        assert world.bodies["other/bead"].position == pytest.approx([-x, 5 + y, z], abs=1e-9)
        assert world.bodies["row/1"].position == pytest.approx([x, y + 9, z], abs=1e-9)
        assert world.largest_gap < 1e-6


def test_turning_is_mirrored_too(tmp_path):
    """A wheel that rolls, in its mirror image: speed and spin are told in the image's own left-handed axes."""
    wheel = """marionette: 1
settings: {gravity: [0, 0, 0], integrator: implicit}
bodies: {wheel: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0.2]}}
joints: {upright: {planar: [world, wheel], at: [0, 0, 0.2], normal: y}}
constraints: {rolls: {velocity_function: [world, wheel], zero: vx2 - 0.2*wy2}}
loads: {wheel: {torque: [0, 1, 0]}}
"""
    (tmp_path / "wheel.yaml").write_text(wheel)
    text = "marionette: 1\nfigures: {a: {use: wheel.yaml}, b: {use: wheel.yaml, mirror: x, at: [0, 3, 0]}}\n"
    world = read_scene_text(text + "settings: {gravity: [0, 0, 0]}\n", "s.yaml", tmp_path).make_world()
    a, b = world.bodies["a/wheel"], world.bodies["b/wheel"]
    world.step(60)
    spin = 60 / 240 / (1.0 + 0.04)
    assert a.angular_velocity[1] == pytest.approx(spin, rel=1e-6)
    assert a.velocity[0] == pytest.approx(0.2 * spin, rel=1e-6)
    assert (b.velocity[0], b.angular_velocity[1]) == pytest.approx((-a.velocity[0], -a.angular_velocity[1]))


def test_turning_of_several_is_mirrored_too(tmp_path):
    """Two wheels on one cart, driven by one, in the mirror image; a blade's force of its own goes along."""
    cart = """marionette: 1
settings: {gravity: [0, 0, 0], integrator: implicit}
bodies:
  cart: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0.2]}
  left: {mass: 1, inertia: [1, 1, 1], at: [0, 1, 0.2]}
  right: {mass: 1, inertia: [1, 1, 1], at: [0, -1, 0.2]}
constraints:
  rolls:
    velocity_condition: [cart, left, right]
    zero: [vx1 - 0.1*(wy2 + wy3), vz1]
    force: [{cart: [1, 0, 0.5], left: [0, 0, 0, 0, -0.1, 0], right: [0, 0, 0, 0, -0.1, 0]}, {cart: [0, 0.3, 1]}]
"""
    (tmp_path / "cart.yaml").write_text(cart)
    text = (
        "marionette: 1\nfigures: {a: {use: cart.yaml}, b: {use: cart.yaml, mirror: x, at: [0, 9, 0]}}\n"
        "settings: {gravity: [0, 0, 0]}\n"
    )
    scene = read_scene_text(text, "s.yaml", tmp_path)
    for world in (scene.make_world(), read_scene_text(scene_text(scene.definitions)).make_world()):
        for end, sign in (("a", 1.0), ("b", -1.0)):
            world.bodies[f"{end}/left"].applied_torque = (0.0, sign, 0.0)
        world.step(60)
        a, b = world.bodies["a/cart"], world.bodies["b/cart"]
        # v' = mu, s_1' = 1 - 0.1 mu, s_2' = -0.1 mu and v = 0.1 (s_1 + s_2): mu = 0.1 / 1.02; the second row bears
        # its lean upwards, mu / 2, and drives aside with 0.3 of that
        mu = 0.1 / 1.02
        assert a.velocity == pytest.approx([0.25 * mu, -0.25 * 0.15 * mu, 0.0], abs=1e-9)
        assert b.velocity == pytest.approx([-a.velocity[0], a.velocity[1], 0.0], abs=1e-12)
        spins = [world.bodies[f"{end}/right"].angular_velocity[1] for end in "ab"]
        assert spins == pytest.approx([-0.025 * mu, 0.025 * mu], rel=1e-9)


def test_a_formula_that_is_not_zero_as_drawn_is_closed_at_load():
    scene = read_scene_text(f"{HEAD}  w: {{function: [world, bead], zero: (x2 - 0.48)*10}}\n".replace("z: 2", "c: 2"))
    world = scene.make_world()
    assert scene.open_joints == ["w"]
    assert world.bodies["bead"].position[0] == pytest.approx(0.48, abs=1e-9)
    assert "w closed by moving" in scene.assembly()


def test_two_weights_on_one_rope_accelerate_as_atwood_says():
    text = """marionette: 1
settings: {integrator: implicit, gravity: [0, 0, -10]}
bodies:
  left: {kind: particle, mass: 1, at: [2, 0, 1]}
  right: {kind: particle, mass: 3, at: [3, 0, 1]}
constraints: {rope: {function: [left, right], zero: z1 + z2 - 2}}
"""
    world = read_scene_text(text).make_world()
    world.step(120)
    assert world.bodies["left"].velocity[2] == pytest.approx(10 * (3 - 1) / (3 + 1) * 0.5, rel=1e-9)


def test_what_is_written_is_short_and_the_same():
    scene = read_scene_text(WIRE)
    text = scene_text(scene.definitions)
    assert '["(x2 / 0.5) ^ 2.0 + (z2 / 0.3) ^ 2.0 - 0.36 - 0.1111' in text
    assert math.isclose(0.3**2 / 0.5**2, 0.36)
