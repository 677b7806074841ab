"""Bodies that are held and pinned in a session: forces, targets, posing, and what undo and replay make of them."""

import numpy as np
import pytest

from physics.maths.rotations import quaternion_product
from app.run.commands import (
    ChangeGrab,
    Grab,
    HoldPose,
    MoveGrab,
    Pose,
    Release,
    Set,
)  # fmt: skip
from app.run.playing import replay
from app.run.recording import read_recording, session_of
from app.run.simulation import Simulation
from app.ui.gallery import open_scene
from physics.definitions.checks import DefinitionError
from tests.helpers import generators
from tests.helpers.app.simulations import hand, taken


def test_a_held_body_follows_and_the_pull_is_told():
    simulation = hand()
    point = taken(simulation, kind="point")
    tip = simulation.world.poses()[simulation.names.index("index3"), :3]
    along = tip - simulation.world.joints["index1_joint"].anchor
    along /= np.linalg.norm(along)
    target = point - 0.012 * along + np.array([0.0, 0.0, 0.03])  # in the plane in which the finger moves
    simulation.do(MoveGrab(1, tuple(target.tolist())))
    simulation.step(240)
    (held,) = simulation.held()
    assert np.linalg.norm(held.point - target) < 2e-3
    assert np.linalg.norm(held.force) > 0.1
    assert simulation.world.largest_gap < 1e-6
    simulation.do(Release(1))
    assert simulation.held() == ()


@pytest.mark.parametrize(
    ("scene", "body", "by", "follows"),
    # a finger against its own springs; an arm and the trunk of a robot
    [("hand", "index3", (0.0, 0.0, 0.02), 0.75), ("hand", "little3", (0.0, -0.01, 0.0), 0.75),
     ("robot", "forearm_l", (0.1, 0.1, 0.14), 0.95)],
)  # fmt: skip
def test_a_bare_drag_is_followed_at_once(scene, body, by, follows):
    """To 5 % of where it ends up in 0.3 s, beyond it by no more than 20 %, and most of the way to the mouse."""
    opened = open_scene(scene)
    simulation = Simulation(opened.scene.definitions, scene, opened.scene.make_world)
    simulation.world.use_integrator("implicit")
    simulation.do(Set("settings.gravity", (0.0, 0.0, 0.0)))
    simulation.step(480)
    begin = taken(simulation, body)
    simulation.do(MoveGrab(1, tuple((begin + by).tolist())))
    length, path = float(np.linalg.norm(by)), []
    for _ in range(72):
        simulation.step(1)
        path.append(float((simulation.held()[0].point - begin) @ by) / length)
    simulation.step(240)
    end = float((simulation.held()[0].point - begin) @ by) / length
    assert end > follows * length
    assert max(path) < 1.2 * end
    assert abs(path[-1] - end) < 0.05 * end


@pytest.mark.parametrize(
    ("scene", "body", "by"), [("hand", "index3", (0.0, 0.0, 0.02)), ("robot", "forearm_l", (0.1, 0.1, 0.14))]
)
def test_a_point_grab_is_there_a_second_after_the_mouse_has_stopped(scene, body, by):
    """Within a tenth of a millimetre, against springs and weight, where the body can get to."""
    opened = open_scene(scene)
    simulation = Simulation(opened.scene.definitions, scene, opened.scene.make_world)
    simulation.world.use_integrator("implicit")
    begin = taken(simulation, body)
    simulation.do(MoveGrab(1, tuple((begin + by).tolist())))
    simulation.step(480)
    target = simulation.held()[0].point.copy()  # it gets there
    simulation.do(ChangeGrab(1, kind="point"))
    for share in np.linspace(0.0, 1.0, 60):  # back and here again in a quarter of a second
        simulation.do(MoveGrab(1, tuple((target + (begin - target) * np.sin(np.pi * share)).tolist())))
        simulation.step(1)
    simulation.step(240)
    assert np.linalg.norm(simulation.held()[0].point - target) < 1e-4


def test_a_lone_body_feels_as_the_law_of_grabs_says():
    """Its own spring may be firmer than w = 30/s, within what a step resolves: a step sideways is followed as well."""
    simulation = Simulation(generators.chain(1, held=False))
    simulation.do(Set("settings.gravity", (0.0, 0.0, 0.0)))
    begin = taken(simulation, "link0")
    simulation.do(MoveGrab(1, tuple((begin + np.array([0.2, 0.0, 0.0])).tolist())))
    path = []
    for _ in range(72):
        simulation.step(1)
        path.append(simulation.held()[0].point[0] - begin[0])
    assert max(path) < 1.2 * 0.2
    assert path[-1] == pytest.approx(0.2, abs=0.05 * 0.2)


def test_a_hanging_body_is_held_by_its_weight():
    simulation = Simulation(generators.chain(1, held=False))
    taken(simulation, "link0", "point")
    simulation.step(960)
    (held,) = simulation.held()
    assert held.force == pytest.approx([0.0, 0.0, 0.1 * 9.81], rel=1e-3, abs=1e-3 * 0.981)


def test_a_pin_stays_when_the_hand_goes():
    simulation = hand()
    point = taken(simulation)
    simulation.step(10)
    simulation.do(ChangeGrab(1, pinned=True))
    (pin,) = simulation.held()
    assert pin.pinned
    assert pin.body == "index3"
    where = pin.point.copy()
    simulation.do(Set("settings.gravity", (0.0, 5.0, -20.0)))
    simulation.step(120)
    (pin,) = simulation.held()
    assert np.linalg.norm(pin.point - where) < 1e-6
    assert np.linalg.norm(where - point) < 0.05
    simulation.do(Release(1))
    assert simulation.held() == ()
    simulation.step(10)


def test_a_pin_may_hold_the_pose_or_a_point_alone():
    """As the panel of grabs offers: where the body is, the same number; a spring holds nothing, and is refused"""
    simulation = hand()
    taken(simulation)
    simulation.step(10)
    simulation.do(ChangeGrab(1, pinned=True))
    for kind in ("pose", "point"):
        simulation.do(ChangeGrab(1, kind=kind))
        (pin,) = simulation.held()
        assert (pin.number, pin.kind, pin.pinned) == (1, kind, True)
        where, turn = pin.point.copy(), simulation.world.bodies["index3"].quaternion
        simulation.do(Set("settings.gravity", (0.0, 5.0, -20.0)))
        simulation.step(60)
        assert np.linalg.norm(simulation.held()[0].point - where) < 1e-6
        assert (np.abs(simulation.world.bodies["index3"].quaternion - turn).max() < 1e-6) == (kind == "pose")
        simulation.do(Set("settings.gravity", (0.0, 0.0, -9.81)))
    with pytest.raises(DefinitionError, match="kind of a pin"):
        simulation.do(ChangeGrab(1, kind="spring"))
    assert simulation.held()[0].pinned


@pytest.mark.parametrize("mode", ["fused", "aba"])
def test_grabs_and_pins_are_rewound_and_replayed(mode):
    simulation = hand()
    simulation.do(Set("settings.solver", mode))
    point = taken(simulation)
    simulation.step(20)
    simulation.do(MoveGrab(1, tuple((point + np.array([0, 0, 0.05])).tolist())))
    simulation.do(ChangeGrab(1, kind="pose"))
    simulation.step(20)
    simulation.do(ChangeGrab(1, pinned=True))
    simulation.do(Grab(2, "thumb3", tuple(simulation.world.bodies["thumb3"].position.tolist())))
    simulation.step(20)
    end = simulation.world.state_hash()
    simulation.look_at(30)
    assert [(h.number, h.kind, h.pinned) for h in simulation.held()] == [(1, "pose", False)]
    simulation.look_at(60)
    assert simulation.world.state_hash() == end
    assert [(h.number, h.pinned) for h in simulation.held()] == [(2, False), (1, True)]
    again = replay(generators.hand(stiffness=1.0), read_recording(session_of(simulation).data()))
    assert again.parted is None
    assert again.simulation.world.state_hash() == end


def test_posing_while_paused_moves_without_time():
    simulation = hand()
    point = taken(simulation)
    simulation.do(MoveGrab(1, tuple((point + np.array([-0.01, 0, 0.02])).tolist())))
    time = simulation.world.time
    for _ in range(20):
        simulation.pose_toward(1)
    assert simulation.world.time == time
    (held,) = simulation.held()
    assert np.linalg.norm(held.point - held.target) < 5e-3
    assert simulation.world.largest_gap < 1e-6
    assert simulation.undo() == "pose"  # the whole drag at once
    assert np.linalg.norm(simulation.world.bodies["index3"].position - point) < 1e-12


def test_a_held_pose_stays_and_is_undone():
    """With the rest where it is and no gravity, nothing pulls: the springs bear nothing."""
    simulation = hand()
    simulation.do(Set("settings.gravity", (0.0, 0.0, 0.0)))
    simulation.do(Set("settings.stiff", False))
    grab = taken(simulation)
    simulation.do(MoveGrab(1, tuple(grab + np.array([0.0, 0.01, 0.03]))))
    simulation.step(120)
    simulation.do(Release(1))
    simulation.do(Pose(tuple(map(tuple, simulation.world.poses().tolist()))))
    poses = simulation.world.poses()
    rests = {k: np.array(j.rest) for k, j in simulation.world.joints.items() if j.definition.axes}
    simulation.do(HoldPose())
    assert simulation.stiff
    assert simulation.world.energy().elastic < 1e-12
    simulation.step(60)
    assert np.abs(simulation.world.poses() - poses).max() < 1e-6
    simulation.undo()
    assert all(np.allclose(simulation.world.joints[k].rest, rest, atol=1e-12) for k, rest in rests.items())
    simulation.do(Set("settings.stiff", True))
    assert simulation.world.energy().elastic > 1e-4  # the old rest is elsewhere


def test_a_body_is_turned_by_its_grab():
    simulation = hand()
    simulation.do(Set("settings.gravity", (0.0, 0.0, 0.0)))
    point = taken(simulation, "index3", "pose")
    row = simulation.names.index("index3")
    start = simulation.world.poses()[row, 3:7]
    turn = np.array([np.cos(0.15), 0.0, np.sin(0.15), 0.0])  # 0.3 rad about y, the way that the finger bends
    simulation.do(MoveGrab(1, tuple(point), tuple(quaternion_product(turn, start))))
    simulation.step(240)
    assert np.linalg.norm(simulation.held()[0].torque) > 1e-3
    after = simulation.world.poses()[row, 3:7]
    assert abs(after @ start) < np.cos(0.05)  # half of the way, or more
