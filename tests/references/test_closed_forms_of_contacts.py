"""Contacts against solutions in closed form: bodies that roll, slide, bounce, stand and leave a wall."""

from pathlib import Path

import numpy as np
import pytest
from numpy import cos, sin, sqrt, tan

from physics.definitions.bodies import Body
from physics.definitions.scene import Scene
from physics import Sphere
from physics.world.world import World
from tests.helpers.cases.closed_forms import ORDER, G, contacts, coulomb, from_text


# ------------------------------------------------------------------------------------------------ contacts
def slope(shape: str, lean: float, friction: float, method: str, law: str) -> str:
    radius = 0.1
    x, z = radius * sin(lean), radius * cos(lean)
    shapes = {
        "sphere": f"sphere: {{at: [{x}, 0, {z}], radius: {radius}}}",
        "cylinder": f"cylinder: {{from: [{x}, -0.1, {z}], to: [{x}, 0.1, {z}], radius: {radius}}}",
    }
    return f"""
settings: {{timestep: 1/500 s, contact_method: {method}, contact_law: {law}}}
materials: {{rough: {{friction: {friction}}}}}
contacts: {{}}
bodies:
  slope: {{fixed: true, material: rough, shape: {{plane: {{at: [0, 0, 0], normal: [{sin(lean)}, 0, {cos(lean)}]}}}}}}
  wheel: {{material: rough, mass: 2, shape: {{{shapes[shape]}}}}}
"""


@pytest.mark.parametrize("integrator", ["trbdf2", "rattle", "rk4"])
@pytest.mark.parametrize("slips", [False, True])
@pytest.mark.parametrize(("shape", "k"), [("sphere", 0.4), ("cylinder", 0.5)])
@contacts
def test_a_wheel_on_a_slope(
    tmp_path: Path, shape: str, k: float, slips: bool, method: str, law: str, integrator: str
) -> None:
    """Rolling g sin(a) / (1 + k); if tan(a) > mu (1 + 1/k) it slips, g (sin(a) - mu cos(a)), r w' = mu g cos(a) / k."""
    lean, radius = np.deg2rad(35), 0.1
    most = tan(lean) / (1 + 1 / k)
    friction = 0.5 * most if slips else 2 * most
    world = from_text(tmp_path, slope(shape, lean, friction, method, law), integrator=integrator)
    world.step(250)
    if slips:
        a, turn = G * (sin(lean) - friction * cos(lean)), friction * G * cos(lean) / k / radius
    else:
        a = G * sin(lean) / (1 + k)
        turn = a / radius
    along = np.array([cos(lean), 0, -sin(lean)])
    wheel = world.bodies["wheel"]
    t = world.time
    # forces are found to 0.001 of the largest, g cos(a); places of first order are off by a h t / 2
    off = 1e-3 * G * cos(lean)
    assert wheel.velocity @ along == pytest.approx(a * t, abs=off * t)
    assert wheel.angular_velocity[1] == pytest.approx(turn * t, abs=off * t / k / radius)
    gone = (wheel.position - radius * np.array([sin(lean), 0, cos(lean)])) @ along
    assert gone == pytest.approx(a * t**2 / 2, abs=off * t**2 + a * t / 500 / 2)


@pytest.mark.parametrize("slips", [False, True])
@contacts
def test_a_wheel_under_a_torque(tmp_path: Path, slips: bool, method: str, law: str) -> None:
    """a = T r / (I + m r^2) as long as that is less than mu g, else a = mu g and w' = (T - mu m g r) / I."""
    mass, radius, torque = 3.0, 0.2, 4.0
    inertia = mass * radius**2 / 2
    rolling = torque * radius / (inertia + mass * radius**2)
    friction = (0.5 if slips else 2) * rolling / G
    text = f"""
settings: {{timestep: 1/500 s, contact_method: {method}, contact_law: {law}}}
materials: {{rubber: {{friction: {friction}}}}}
ground: {{material: rubber}}
bodies:
  wheel:
    material: rubber
    mass: {mass}
    shape: {{cylinder: {{from: [0, -0.05, {radius}], to: [0, 0.05, {radius}], radius: {radius}}}}}
loads: {{wheel: {{torque: [0, {torque}, 0]}}}}
"""
    world = from_text(tmp_path, text)
    world.step(250)
    a = friction * G if slips else rolling
    turn = (torque - friction * mass * G * radius) / inertia if slips else rolling / radius
    wheel, off = world.bodies["wheel"], 1e-3 * G * world.time
    # forces to 0.001 of the weight
    assert wheel.velocity == pytest.approx([a * world.time, 0, 0], abs=off)
    assert wheel.angular_velocity == pytest.approx([0, turn * world.time, 0], abs=off * mass * radius / inertia)


@coulomb
def test_a_sliding_block_stays_on_the_floor(tmp_path: Path, method: str) -> None:
    """Friction slows it by mu g and does not lift it: its floor carries m g, and its height stays the same."""
    friction, speed, mass = 0.4, 3.0, 2.0
    text = f"""
settings: {{contact_method: {method}}}
materials: {{wood: {{friction: {friction}}}}}
ground: {{material: wood}}
bodies: {{block: {{material: wood, mass: {mass}, shape: {{box: {{size: [0.3, 0.2, 0.1], at: [0, 0, 0.05]}}}}}}}}
start: {{velocities: {{block: {{linear: [{speed}, 0, 0]}}}}}}
"""
    world = from_text(tmp_path, text)
    block, steps = world.bodies["block"], 120
    highest, carried = 0.0, 0.0
    for _ in range(steps):
        world.step()
        highest = max(highest, block.position[2])
        carried += sum(contact.force[2] for contact in world.contacts()) / steps
    # forces to 0.001 of the weight, for half a second: that is 0.005 m/s and 1.2 mm
    assert highest == pytest.approx(0.05, abs=1e-3 * G * world.time**2 / 2)
    assert carried == pytest.approx(mass * G, rel=1e-3)


@pytest.mark.parametrize("way", [0.0, 0.6])
@pytest.mark.parametrize("solver", ["fused", "dense", "aba"])
@coulomb
def test_a_block_stops_after_its_distance(tmp_path: Path, method: str, solver: str, way: float) -> None:
    """v^2 / (2 mu g), after v / (mu g), straight on whichever way it goes; then it stands."""
    friction, speed = 0.4, 3.0
    along = np.array([cos(way), sin(way), 0])
    text = f"""
settings: {{timestep: 1/500 s, contact_method: {method}, solver: {solver}}}
materials: {{wood: {{friction: {friction}}}}}
ground: {{material: wood}}
bodies: {{block: {{material: wood, shape: {{box: {{size: [0.3, 0.2, 0.1], at: [0, 0, 0.05]}}}}}}}}
start: {{velocities: {{block: {{linear: [{speed * along[0]}, {speed * along[1]}, 0]}}}}}}
"""
    world = from_text(tmp_path, text)
    block = world.bodies["block"]
    time = speed / (friction * G)
    world.step(int(time * 500) - 5)
    # forces to 0.001 of the weight
    off = 1e-3 * G * world.time
    assert block.velocity == pytest.approx((speed - friction * G * world.time) * along, abs=off)
    assert block.angular_velocity == pytest.approx([0, 0, 0], abs=off / 0.1)
    world.step(10)
    # what it goes is off by v h / 2 at first order, and by 0.001 of the force
    distance = speed**2 / (2 * friction * G)
    stopped = block.position
    assert stopped - [0, 0, 0.05] == pytest.approx(distance * along, abs=speed / 500 / 2 + 1e-3 / friction * distance)
    world.step(250)
    assert block.position == pytest.approx(stopped, abs=1e-5)
    assert np.linalg.norm(block.velocity) < 1e-4


@pytest.mark.parametrize("integrator", list(ORDER))
@coulomb
def test_a_ball_bounces_by_e_squared(tmp_path: Path, method: str, integrator: str) -> None:
    """Heights H e^(2 n); it comes to rest after sqrt(2 H/g) (1 + e) / (1 - e)."""
    height, radius, e, h = 0.5, 0.05, 0.5, 1 / 2000
    text = f"""
settings: {{timestep: {h}, contact_method: {method}, integrator: {integrator}}}
materials: {{rubber: {{restitution: {e}}}}}
ground: {{}}
bodies: {{ball: {{material: rubber, shape: {{sphere: {{at: [0, 0, {height + radius}], radius: {radius}}}}}}}}}
"""
    world = from_text(tmp_path, text)
    ball = world.bodies["ball"]
    heights: list[float] = []
    up, rest = False, None
    while world.time < 1.2:
        world.step()
        speed = ball.velocity[2]
        if up and speed <= 0:
            heights.append(ball.position[2] - radius)
        up = speed > (0 if up else 0.05)
        if abs(speed) < 1e-3 and ball.position[2] - radius < 1e-4 and rest is None:
            rest = world.time
    fall = sqrt(2 * G * height)
    for n in range(1, 4):
        # each bounce is seen up to a step early or late, which is worth v h of height there
        assert heights[n - 1] == pytest.approx(height * e ** (2 * n), abs=2 * fall * e ** (n - 1) * h)
    # each bounce, of the ten that can be told from rest (v > g h), is late by up to h and off by g h in its speed,
    # which makes the flights after it longer or shorter by 2 h e / (1 - e) together
    assert rest == pytest.approx(sqrt(2 * height / G) * (1 + e) / (1 - e), abs=10 * (1 + 2 * e / (1 - e)) * h)
    assert ball.position[2] == pytest.approx(radius, abs=1e-4)


@pytest.mark.parametrize("slips", [False, True])
@pytest.mark.parametrize("solver", ["fused", "lagrange", "dense", "cg", "jsim", "aba"])
@coulomb
def test_a_spinning_ball_strikes_another(slips: bool, method: str, solver: str) -> None:
    """Straight on, without gravity: P = (1 + e) m v / 2. Across, friction gives m u/7 where it stops the slip u = r w
    of two equal solid balls, or mu P where that is less; both balls then turn by 5/2 of it over m r."""
    radius, mass, v, w, e = 0.1, 1.5, 2.0, 30.0, 0.8
    press = (1 + e) * mass * v / 2
    stop = mass * radius * w / 7
    friction = (0.4 if slips else 2.5) * stop / press
    rub = min(stop, friction * press)
    skin = {"friction": friction, "restitution": e}
    solid = (0.4 * mass * radius**2,) * 3
    balls = [
        Body(name=name, mass=mass, inertia=solid, position=(x, 0, 0), shapes=[Sphere(radius=radius, **skin)], **more)
        for name, x, more in (
            ("a", -0.2, {"velocity": (v, 0, 0), "angular_velocity": (0, 0, w)}),
            ("b", 0.2, {}),
        )
    ]
    world = World(Scene(bodies=balls, gravity=(0, 0, 0), timestep=1 / 1000), solver=solver)
    world.contact_method = method
    world.step(200)
    a, b = world.bodies["a"], world.bodies["b"]
    # impulses to 0.001 of the largest; contacts are found as a step begins, where the two are up to v h apart, so that
    # friction has a lever longer by half of what is to each
    off = 1e-3 * press / mass + 2 * rub / mass * (v / 1000 / 4 / radius)
    # the skin of a goes to +y where they touch: b is taken along, a thrown back, both are turned the same way
    assert a.velocity == pytest.approx([v - press / mass, -rub / mass, 0], abs=off)
    assert b.velocity == pytest.approx([press / mass, rub / mass, 0], abs=off)
    turned = 2.5 * rub / (mass * radius)
    assert a.angular_velocity == pytest.approx([0, 0, w - turned], abs=2.5 * off / radius)
    assert b.angular_velocity == pytest.approx([0, 0, -turned], abs=2.5 * off / radius)


@pytest.mark.parametrize("slips", [False, True])
@pytest.mark.parametrize("e", [0.0, 0.5])
@coulomb
def test_a_ball_thrown_on_a_floor(tmp_path: Path, slips: bool, e: float, method: str) -> None:
    """v' = e v; friction takes mu (1 + e) v from the speed along the floor, or 2/7 of it where it comes to roll."""
    radius, down, along = 0.1, 2.0, 5.0
    stop = 2 / 7 * along
    friction = (0.2 if slips else 2.0) * stop / (1 + e) / down
    rub = min(stop, friction * (1 + e) * down)
    text = f"""
settings: {{timestep: 1/1000 s, gravity: [0, 0, 0], contact_method: {method}}}
materials: {{skin: {{friction: {friction}, restitution: {e}}}}}
ground: {{material: skin}}
bodies: {{ball: {{material: skin, shape: {{sphere: {{at: [0, 0, 0.2], radius: {radius}}}}}}}}}
start: {{velocities: {{ball: {{linear: [{along}, 0, -{down}]}}}}}}
"""
    world = from_text(tmp_path, text)
    world.step(80)
    ball = world.bodies["ball"]
    # impulses to 0.001 of the largest, (1 + e) m v; the contact is found as a step begins, up to v h above the floor,
    # so that friction has a lever longer by half of that
    off = 1e-3 * (1 + e) * down + 2 * rub * (down / 1000 / 2 / radius)
    assert ball.velocity == pytest.approx([along - rub, 0, e * down], abs=off)
    assert ball.angular_velocity == pytest.approx([0, 2.5 * rub / radius, 0], abs=2.5 * off / radius)


@pytest.mark.parametrize("integrator", list(ORDER))
@contacts
def test_a_block_stands_on_a_slope(tmp_path: Path, method: str, law: str, integrator: str) -> None:
    """tan(a) < mu: the floor's forces add up to m g, in the line of the weight; nothing creeps."""
    lean, (x, y, z), mass = np.deg2rad(25), (0.3, 0.2, 0.15), 3.0
    normal, along = np.array([sin(lean), 0, cos(lean)]), np.array([cos(lean), 0, -sin(lean)])
    at = z / 2 * normal
    text = f"""
settings: {{contact_method: {method}, contact_law: {law}, integrator: {integrator}}}
materials: {{rough: {{friction: 0.6}}}}
contacts: {{}}
bodies:
  slope: {{fixed: true, material: rough, shape: {{plane: {{at: [0, 0, 0], normal: [{normal[0]}, 0, {normal[2]}]}}}}}}
  block:
    material: rough
    mass: {mass}
    shape: {{box: {{size: [{x}, {y}, {z}], at: [{at[0]}, 0, {at[2]}], rotate: {{y: {lean}}}}}}}
"""
    world = from_text(tmp_path, text)
    world.step(60)
    block = world.bodies["block"]
    before = block.position
    force, moment = np.zeros(3), np.zeros(3)
    for contact in world.contacts():
        assert contact.b == "block"
        force += contact.force
        moment += np.cross(contact.point - block.position, contact.force)
    # to 0.001 of the largest force
    assert force == pytest.approx([0, 0, mass * G], abs=1e-3 * mass * G)
    assert moment == pytest.approx([0, 0, 0], abs=1e-3 * mass * G * x)
    world.step(240)
    assert (block.position - before) @ along == pytest.approx(0.0, abs=1e-5)
    assert np.linalg.norm(block.velocity) < 1e-4


@contacts
def test_a_ladder_leaves_the_wall_at_two_thirds_of_its_height(tmp_path: Path, method: str, law: str) -> None:
    """Without friction: where sin(a) = (2/3) sin(a0), and it goes on with v = sqrt(g L) sin(a0)^(3/2) / 3."""
    length, lean, thick, mass = 2.0, np.deg2rad(65), 0.02, 4.0
    x, z = length * cos(lean) + thick, length * sin(lean) + thick
    about = mass * length**2 / 12
    text = f"""
settings: {{timestep: 1/1000 s, contact_method: {method}, contact_law: {law}}}
materials: {{ice: {{friction: 0}}}}
ground: {{material: ice}}
bodies:
  wall: {{fixed: true, material: ice, shape: {{plane: {{at: [0, 0, 0], normal: x}}}}}}
  ladder:
    material: ice
    mass: {mass}
    inertia: [{about}, {about}, {about}]
    shape: {{capsule: {{from: [{thick}, 0, {z}], to: [{x}, 0, {thick}], radius: {thick}}}}}
"""
    world = from_text(tmp_path, text)
    ladder = world.bodies["ladder"]
    left = None
    while ladder.position[2] > 0.3 * length / 2 and world.time < 3:
        world.step(2)
        at_wall = [c for c in world.contacts() if "wall" in (c.a, c.b) and np.linalg.norm(c.force) > 1e-6]
        if at_wall:
            left = None
        elif left is None:
            left = (ladder.position[2] - thick) / (length / 2)
    speed = sqrt(G * length) * sin(lean) ** 1.5 / 3
    # of first order: errors of some w h in a fall of about a radian with w^2 = 3 g / L, and the force at the wall is
    # known to 0.001 of that of the floor
    w = sqrt(3 * G / length)
    close = 2 * w / 1000 + 1e-3
    assert left == pytest.approx(2 / 3 * sin(lean), abs=2 * close)
    assert ladder.velocity[0] == pytest.approx(speed, rel=close)


@pytest.mark.parametrize("integrator", ["trbdf2", "hernandez", "rattle4", "explicit"])
@contacts
def test_a_ball_on_a_belt_comes_to_roll(tmp_path: Path, method: str, law: str, integrator: str) -> None:
    """Put down at rest on a belt of speed V, it slips for 2 V / (7 mu g) and then rolls with (2/7) V."""
    belt, friction, radius = 2.0, 0.2, 0.1
    text = f"""
settings: {{timestep: 1/500 s, contact_method: {method}, contact_law: {law}, integrator: {integrator}}}
materials: {{rubber: {{friction: {friction}}}}}
contacts: {{}}
bodies:
  belt:
    kind: moving
    material: rubber
    shape: {{box: {{size: [20, 1, 0.1], at: [0, 0, -0.05]}}}}
    position: [{{rate: {belt}}}, 0, 0]
  ball: {{material: rubber, shape: {{sphere: {{at: [0, 0, {radius}], radius: {radius}}}}}}}
"""
    world = from_text(tmp_path, text)
    ball = world.bodies["ball"]
    slip = 2 * belt / (7 * friction * G)
    world.step(int(slip * 500 * 0.8))
    # forces to 0.001 of the weight
    assert ball.velocity[0] == pytest.approx(friction * G * world.time, abs=1e-3 * G * world.time)
    world.step(int(slip * 500 * 0.6))
    assert ball.velocity[0] == pytest.approx(2 / 7 * belt, abs=1e-3 * G * slip)
    # it turns so that its skin goes with the belt: v - r w = V
    assert ball.velocity[0] - radius * ball.angular_velocity[1] == pytest.approx(belt, abs=1e-3 * belt)
    distance = friction * G * slip**2 / 2 + 2 / 7 * belt * (world.time - slip)
    assert ball.position[0] == pytest.approx(distance, abs=belt / 500 + 1e-3 * G * world.time**2)
