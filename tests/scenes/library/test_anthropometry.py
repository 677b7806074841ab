"""The hand and the robot against the tables that their files cite: lengths of bones, masses, centres of mass, moments.

The tables are those of A. Buryanov, V. Kotiuk, Int. J. Morphol. 28 (2010) 755-758, and of P. de Leva, J. Biomechanics
29 (1996) 1223-1230, table 4, males, as others have transcribed them in public; the papers themselves were not at hand.
"""

import numpy as np
import pytest

from physics.maths.rotations import matrix_of
from physics.definitions.bodies import inertia_matrix
from scenes.loading.loader import read_scene

# proximal, middle, distal phalanx and soft tissue at the tip, mm; of the thumb metacarpal, proximal, distal, tip
FINGERS = {
    "thumb": (46.22, 31.57, 21.67, 5.67),
    "index": (39.78, 22.38, 15.82, 3.84),
    "middle": (44.63, 26.33, 17.40, 3.95),
    "ring": (41.37, 25.65, 17.30, 3.95),
    "little": (32.57, 18.11, 15.96, 3.73),
}
JOINTS = {"thumb": ("thumb_cmc", "thumb_mcp", "thumb_ip")}
# share of the body's mass, length [m], centre of mass as a share of it from the upper end, radii of gyration about the
# sagittal, transverse and longitudinal axis as shares of it
SEGMENTS = {
    "head": (0.0694, 0.2429, 0.5002, (0.303, 0.315, 0.261)),
    "chest": (0.1596, 0.1707, 0.2999, (0.716, 0.454, 0.659)),
    "waist": (0.1633, 0.2155, 0.4502, (0.482, 0.383, 0.468)),
    "pelvis": (0.1117, 0.1457, 0.6115, (0.615, 0.551, 0.587)),
    "upper_arm_l": (0.0271, 0.2817, 0.5772, (0.285, 0.269, 0.158)),
    "forearm_l": (0.0162, 0.2689, 0.4574, (0.276, 0.265, 0.121)),
    "thigh_l": (0.1416, 0.4222, 0.4095, (0.329, 0.329, 0.149)),
    "shank_l": (0.0433, 0.4340, 0.4459, (0.255, 0.249, 0.103)),
}
UPPER = {  # joints at the upper ends
    "upper_arm_l": "shoulder_l", "forearm_l": "elbow_l", "thigh_l": "hip_l", "shank_l": "knee_l", "waist": "thorax",
    "pelvis": "spine",
}  # fmt: skip
BODY_MASS = 73.0
HAND = (0.0061, 0.0862, 0.7900, (0.628, 0.513, 0.401))


@pytest.mark.parametrize("finger", FINGERS)
def test_the_bones_of_the_hand_are_as_long_as_in_the_table(finger):
    scene = read_scene("hand")
    first, second, distal, tip = FINGERS[finger]
    names = JOINTS.get(finger) or tuple(f"{finger}_{end}" for end in ("mcp", "pip", "dip"))
    a, b, c = (np.array(scene.edges[name].definition.points[0]) for name in names)
    last = scene.parts[f"{finger}3"].shapes[0]
    end = last.length + last.radius
    assert 1e3 * np.linalg.norm(b - a) == pytest.approx(first, abs=0.2)
    assert 1e3 * np.linalg.norm(c - b) == pytest.approx(second, abs=0.2)
    assert 1e3 * end == pytest.approx(distal + tip, abs=0.2)


def test_the_hand_weighs_and_turns_as_a_hand():
    """To a tenth: the table's hand ends at a knuckle, and lies flat."""
    scene = read_scene("hand")
    share, length, centre, radii = HAND
    bodies = [part.definition for part in scene.parts.values()]
    mass = sum(d.mass for d in bodies)
    middle = sum(d.mass * np.array(d.position) for d in bodies) / mass
    inertia = np.zeros((3, 3))
    for d in bodies:
        r, turn = np.array(d.position) - middle, matrix_of(d.orientation)
        inertia += turn @ inertia_matrix(d.inertia) @ turn.T + d.mass * (r @ r * np.eye(3) - np.outer(r, r))
    assert mass == pytest.approx(share * BODY_MASS, rel=2e-3)
    assert np.linalg.norm(middle) == pytest.approx(centre * length, rel=0.1)
    sagittal, transverse, longitudinal = radii
    # it points along x, palm down
    found = np.sqrt(np.diag(inertia) / mass) / length
    assert found == pytest.approx([longitudinal, transverse, sagittal], rel=0.1)


@pytest.mark.parametrize("name", SEGMENTS)
def test_the_robot_has_the_segments_of_the_table(name):
    scene = read_scene("robot")
    share, length, centre, radii = SEGMENTS[name]
    body = scene.parts[name].definition
    assert body.mass == pytest.approx(share * BODY_MASS)
    assert np.sqrt(np.array(body.inertia) / body.mass) == pytest.approx(length * np.array(radii))
    if name in UPPER:
        upper = np.array(scene.edges[UPPER[name]].definition.points[0])
        assert upper[2] - body.position[2] == pytest.approx(centre * length, abs=6e-4)


def test_the_robot_weighs_as_a_man():
    scene = read_scene("robot")
    assert sum(part.definition.mass for part in scene.parts.values()) == pytest.approx(BODY_MASS, rel=1e-3)
    hand = [part.definition.mass for name, part in scene.parts.items() if name.startswith("right/")]
    assert sum(hand) == pytest.approx(HAND[0] * BODY_MASS, rel=1e-3)
