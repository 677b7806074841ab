"""Values by path of a loaded scene and of a running world."""

import math

import pytest

from scenes.loading.access import apply, changed, get, is_live
from scenes.loading.loader import read_scene
from scenes.text.errors import SceneError
from scenes.text.values import Refused


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("links", 30.0),
        ("parameters.angle", math.pi / 2),
        ("settings.timestep", 1 / 240),
        ("bodies.chain/2.mass", 0.1),
        ("bodies.chain/2.shape.cylinder.radius", 0.01),
        ("joints.chain/2.stiffness", 0.0),
        ("checks.gap.below", 1e-6),
        ("checks.gap.for", 2.0),
    ],
)
def test_get(path, value):
    assert get(read_scene("chain"), path) == pytest.approx(value)


def test_get_of_groups_poses_and_what_shapes_decide():
    hand = read_scene("hand")
    assert get(hand, "groups.curls.damping") == 0.004
    assert get(hand, "groups.curls.stiffness") == pytest.approx((0.24,) * 4 + (0.12,) * 4)
    assert get(hand, "poses.fist.index_pip") == pytest.approx(math.radians(80))
    assert get(hand, "bodies.index1.mass") == hand.parts["index1"].definition.mass
    assert get(hand, "joints.index_pip.limits.0") == pytest.approx((0.0, math.radians(105)))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("lnks", "'links'"),
        ("joints.chain/99.stiffness", "no joint"),
        ("joints.chain/1.stifness", "'stiffness'"),
        ("a.b.c", "not understood"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path, said):
    with pytest.raises(Refused, match=said):
        get(read_scene("chain"), path)


def test_changed_is_the_scene_anew():
    scene = read_scene("chain", ["links=5"])
    longer = changed(changed(scene, "links", 7), "joints.chain/3.stiffness", "2 N*m/rad")
    assert (len(scene.parts), len(longer.parts)) == (5, 7)
    assert get(longer, "joints.chain/3.stiffness") == 2.0
    with pytest.raises(SceneError, match="allowed: a number in kg above 0"):
        changed(scene, "bodies.chain/1.mass", -1)


def test_live_values_go_to_the_running_world():
    scene = read_scene("hand")
    world = scene.make_world()
    assert is_live(scene, "joints.index_pip.stiffness")
    assert is_live(scene, "settings.solver")
    assert not is_live(scene, "joints.index_pip.axis")
    assert not is_live(scene, "bodies.index1.mass")
    apply(world, scene, "joints.index_pip.stiffness", "3 N*m/rad")
    assert world.joints["index_pip"].stiffness == 3.0
    apply(world, scene, "groups.curls.damping", "2*stiffness")
    assert world.joints["ring_dip"].damping == pytest.approx(0.8)
    apply(world, scene, "settings.timestep", "1/500 s")
    assert world.timestep == 0.002
    with pytest.raises(Refused, match="built anew"):
        apply(world, scene, "bodies.index1.mass", 3)
    with pytest.raises(Refused, match="a unit of the kind"):
        apply(world, scene, "joints.index_pip.stiffness", "3 N/m")
