"""Physical sense: what is allowed and will hurt is warned of, at its place, with the reason and the remedy; and joints
that do not close are closed when the scene is loaded, or named."""

import pytest

from scenes import load
from scenes.loading.loader import read_scene_text
from scenes.text.errors import SceneError, SceneWarning

HEAD = "marionette: 1\n"
ROD = "{shape: {capsule: {from: [0, 0, 1], to: [0.3, 0, 1], radius: 2 cm}}}"
NEXT = "{shape: {capsule: {from: [0.3, 0, 1], to: [0.6, 0, 1], radius: 2 cm}}}"
HINGE = "joints: {h: {hinge: [world, a], at: [0, 0, 1], axis: y}}\n"

CASES = {
    "coarse": (f"settings: {{timestep: 0.1}}\nbodies: {{a: {ROD}}}\n", "2:22", "needs about 1/100 s"),
    "strong gravity": (f"settings: {{gravity: [0, 0, -9810]}}\nbodies: {{a: {ROD}}}\n", "2:21", "is a unit wrong?"),
    "light steel": ("bodies: {a: {mass: 1 g, shape: {sphere: {at: [0, 0, 0], radius: 20}}}}\n", "2:10", "(water has 1000)"),
    "heavy on light": (
        f"bodies: {{a: {ROD}, b: {{mass: 10 t, shape: {{sphere: {{at: [1, 0, 1], radius: 0.7}}}}}}}}\n{HINGE[:-2]}, k: {{ball: [a, b], at: [0.3, 0, 1]}}}}\n",
        "3:58", "needs a short timestep",
    ),
    "relaxed outside its limits": (
        f"bodies: {{a: {ROD}}}\njoints: {{h: {{hinge: [world, a], at: [0, 0, 1], axis: y, stiffness: 1, rest: 90 deg, limits: [0, 45 deg], soft: {{stiffness: 9}}}}}}\n",
        "3:10", "relaxed at 1.571, outside its limits",
    ),
    "stiff and explicit": (
        f"settings: {{integrator: rk4}}\nbodies: {{a: {ROD}}}\n{HINGE.replace('axis: y', 'axis: y, stiffness: 1e6')}",
        "4:10", "use trbdf2 or implicit, or one below",
    ),
    "joint far from both": (
        f"bodies: {{a: {ROD}, b: {NEXT}}}\njoints: {{h: {{ball: [a, b], at: [0.3, 0, -1]}}}}\n", "3:10", "1.66 m or more away from both 'a' and 'b'",
    ),
    "hinge far from both": (
        f"bodies: {{a: {ROD}, b: {NEXT}}}\njoints: {{h: {{hinge: [a, b], at: [3, 0, 1], axis: y}}}}\n", "3:10", "the point of the world where they meet",
    ),
    "swing in degrees": (
        f"bodies: {{a: {ROD}}}\njoints: {{h: {{ball: [world, a], at: [0, 0, 1], swing: 4, twist: [-1, 1]}}}}\n", "3:54", "4 rad is 229 deg; did you mean 4 deg?",
    ),
    "limit in degrees": (
        f"bodies: {{a: {ROD}}}\n{HINGE.replace('axis: y', 'axis: y, limits: [0, 5]')}", "3:69", "5 rad is 286 deg; did you mean 5 deg?",
    ),
    "twist in degrees": (
        f"bodies: {{a: {ROD}}}\njoints: {{h: {{ball: [world, a], at: [0, 0, 1], twist: [-5, 1]}}}}\n", "3:55", "-5 rad is -286 deg; did you mean -5 deg?",
    ),
    "limit in degrees of a repeat": (
        "repeat: {r: {count: 3, step: [0.2, 0, 0], body: {shape: {capsule: {from: [0, 0, 1], to: [0.2, 0, 1], radius: 2 cm}}}, "
        "joint: {hinge: [previous, this], at: [0, 0, 1], axis: y, limits: [0, 5]}}}\n", "2:188", "did you mean 5 deg?",
    ),
    "rope too short": (
        f"bodies: {{a: {ROD}, b: {NEXT}}}\nconstraints: {{r: {{rope: [a, b], longest: 0.2}}}}\n", "3:15", "no longer than 0.2 m, and its ends are 0.3 m apart as drawn",
    ),
    "strut too long": (
        f"bodies: {{a: {ROD}, b: {NEXT}}}\nconstraints: {{r: {{rope: [a, b], longest: 2, shortest: 0.5}}}}\n", "3:15", "no shorter than 0.5 m",
    ),
    "coupling without room": (
        f"bodies: {{a: {ROD}, b: {NEXT}}}\n"
        "joints: {h: {hinge: [world, a], at: [0, 0, 1], axis: y, limits: [0, 45 deg]}, k: {hinge: [world, b], at: [0.6, 0, 1], axis: y, limits: [0, 45 deg]}}\n"
        "constraints: {c: {coupling: {h: 1, k: 1}}}\n", "4:15", "leaves no room to move",
    ),
    "a card that falls through the ground": (
        f"ground: {{}}\nbodies: {{a: {ROD}}}\njoints: {{h: {{planar: [world, a], at: [0, 0, 1], normal: y, axis: x}}}}\n",
        "4:10", "planar joint 'h' switches off contact between 'a' and the world",
    ),
    "a row of rods that fall through the ground": (
        "contacts: {}\nground: {height: 0.2}\n"
        "repeat: {r: {count: 3, step: [0, 1, 0], body: {shape: {sphere: {at: [0, 0, 1], radius: 0.1}}}, "
        "joint: {slider: [world, this], at: [0, 0, 1], axis: z}}}\n", "4:10", "`collide: true` (in Python",
    ),
    "a floor of a fixed body": (
        f"contacts: {{}}\nbodies: {{f: {{fixed: true, shape: {{plane: {{at: [0, 0, 0]}}}}}}, a: {ROD}}}\njoints: {{h: {{slider: [f, a], at: [0, 0, 1], axis: z}}}}\n",
        "4:10", "'a' can pass through the shapes of 'f'",
    ),
    "spinning": (
        f"bodies: {{a: {ROD}}}\nstart: {{velocities: {{a: {{angular: [500, 0, 0]}}}}}}\n", "2:10", "use one below 0.002 s",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_will_hurt_is_warned_of(name):
    text, place, words = CASES[name]
    (problem,) = read_scene_text(HEAD + text).problems
    assert problem.severity == "warning"
    assert str(problem).startswith(f"scene:{place}: warning: ")
    assert words in problem.message


def test_sound_scenes_are_not_warned_of():
    text = HEAD + f"bodies: {{a: {ROD}, b: {NEXT}}}\n{HINGE.replace('axis: y', 'axis: y, stiffness: 1e6')}"
    assert read_scene_text(text).problems == []
    assert (
        read_scene_text(text.replace("1e6", "2").replace("bodies", "settings: {integrator: rk4}\nbodies")).problems
        == []
    )


@pytest.mark.parametrize(
    "text",
    [
        # a bob on a rod that nobody drew; a hinge whose point is far along its axis; a slider has no place
        "bodies: {a: {shape: {sphere: {at: [0, 0, 0], radius: 0.05}}}}\njoints: {h: {ball: [world, a], at: [0, 0, 2]}}\n",
        f"bodies: {{a: {ROD}, b: {NEXT}}}\njoints: {{h: {{hinge: [a, b], at: [0.3, 5, 1], axis: y}}}}\n",
        f"bodies: {{a: {ROD}, b: {NEXT}}}\njoints: {{h: {{slider: [a, b], at: [9, 0, 1], axis: x}}}}\n",
        # angles that are parts of pi, or expressions, or small
        f"bodies: {{a: {ROD}}}\n{HINGE.replace('axis: y', 'axis: y, limits: [-4.712, 6.283]')}",
        f"bodies: {{a: {ROD}}}\n{HINGE.replace('axis: y', 'axis: y, limits: [-2*pi + 1, 5 rad]')}",
        f"bodies: {{a: {ROD}}}\n{HINGE.replace('axis: y', 'axis: y, limits: [-1, 3]')}",
        # without a ground, at a height over it, with the contact left on, and kept from touching anyway
        f"bodies: {{a: {ROD}}}\njoints: {{h: {{slider: [world, a], at: [0, 0, 1], axis: z}}}}\n",
        f"ground: {{}}\nbodies: {{a: {ROD}}}\n{HINGE}",
        f"ground: {{}}\nbodies: {{a: {ROD}}}\njoints: {{h: {{slider: [world, a], at: [0, 0, 1], axis: z, collide: true}}}}\n",
        f"ground: {{}}\ncontacts: {{never: [[a, ground]]}}\nbodies: {{a: {ROD}}}\njoints: {{h: {{slider: [world, a], at: [0, 0, 1], axis: z}}}}\n",
        f"ground: {{}}\ndefaults: {{body: {{collide: false}}}}\nbodies: {{a: {ROD}}}\njoints: {{h: {{slider: [world, a], at: [0, 0, 1], axis: z}}}}\n",
        # a rope that hangs through, and one as drawn by a few digits
        f"bodies: {{a: {ROD}, b: {NEXT}}}\nconstraints: {{r: {{rope: [a, b], longest: 0.4}}}}\n",
        f"bodies: {{a: {ROD}, b: {NEXT}}}\nconstraints: {{r: {{rope: [a, b], longest: 0.2999}}}}\n",
        # the difference has room, and so has the sum where one goes both ways
        *(
            f"bodies: {{a: {ROD}, b: {NEXT}}}\njoints: {{h: {{hinge: [world, a], at: [0, 0, 1], axis: y, limits: [0, 1]}}, "
            f"k: {{hinge: [world, b], at: [0.6, 0, 1], axis: y{limits}}}}}\nconstraints: {{c: {{coupling: {{h: 1, k: {k}}}}}}}\n"
            for limits, k in ((", limits: [0, 1]", -1), (", limits: [-1, 1]", 1), ("", 1))
        ),
    ],
)
def test_what_may_be_meant_is_not_warned_of(text):
    assert read_scene_text(HEAD + text).problems == []


@pytest.mark.parametrize(
    ("inertia", "good"), [("[1, 1, 1.999]", True), ("[1, 1, 2.001]", False), ("[1, 1, 1, 0.99, 0.99, 0.99]", False)]
)
def test_the_triangle_inequality_of_inertia(inertia, good):
    text = HEAD + f"bodies: {{a: {{mass: 1, at: [0, 0, 0], inertia: {inertia}}}}}\n"
    if good:
        read_scene_text(text)
        return
    with pytest.raises(SceneError, match=r"impossible inertia .* none larger than the sum of the two others"):
        read_scene_text(text)


# ---------------------------------------------------------------- assembly
def test_how_far_each_body_was_moved_is_told():
    """Drawn open by 10 mm: two equal rods, one held, share nothing; the free one comes all the way."""
    scene = read_scene_text(
        HEAD + f"bodies: {{a: {ROD}, b: {NEXT.replace('0.3, 0, 1', '0.31, 0, 1').replace('0.6', '0.61')}}}\n"
        "joints: {w: {weld: [world, a], at: [0, 0, 1]}, h: {hinge: [a, b], at: {a: [0.3, 0, 1], b: [0.31, 0, 1]}, axis: y}}\n"
    )
    world = scene.make_world()
    assert world.largest_gap < 1e-9
    assert scene.open_joints == ["h"]
    assert scene.moved["b"] == pytest.approx(0.01, abs=1e-6)
    assert scene.moved["a"] == pytest.approx(0.0, abs=1e-9)
    assert scene.assembly() == "assembled: h closed by moving b 10 mm"


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        ("rod: {distance: [world, b], at: {world: [0, 0, 5], b: [0.6, 0, 1]}, length: 1}", "constraint 'rod'"),
        ("line: {point_on_line: [world, b], at: {world: [0, 0, 5], b: [0.6, 0, 1]}, axis: x}", "constraint 'line'"),
        ("sum: {coupling: {h: 1, k: 1}, offset: 0}\n  other: {coupling: {h: 1, k: 1}, offset: 1}", "constraint '"),
    ],
)
def test_what_cannot_be_closed_is_named_with_its_line(constraint, said):
    scene = read_scene_text(
        HEAD + f"bodies: {{a: {ROD}, b: {NEXT}}}\n"
        "joints: {h: {hinge: [world, a], at: [0, 0, 1], axis: y}, k: {hinge: [a, b], at: [0.3, 0, 1], axis: y}}\n"
        f"constraints:\n  {constraint}\n"
    )
    with pytest.raises(SceneError) as caught:
        scene.make_world()
    (problem,) = caught.value.problems
    assert problem.message.startswith(f"{said}")
    assert "cannot be closed together with the others: it stays open by" in problem.message
    assert problem.mark.line in (4, 5)  # lines 5 and 6, from 0
    assert problem.mark.column == 2


# ---------------------------------------------------------------- shapes in each other
CONTACTS = "marionette: 1\nground: {}\nbodies:\n"


def overlap_of(*bodies: str, more: str = "") -> list[str]:
    """The warnings of a scene with these shapes."""
    text = CONTACTS + "".join(f"  b{k}: {{shape: {{{shape}}}}}\n" for k, shape in enumerate(bodies)) + more
    return [p.message for p in read_scene_text(text).problems]


@pytest.mark.parametrize(
    ("first", "second", "depth"),
    [
        ("sphere: {at: [0, 0, 1], radius: 0.3}", "sphere: {at: [0.3, 0.4, 1], radius: 0.3}", 100.0),
        ("box: {at: [0, 0, 1], size: [1, 1, 1]}", "sphere: {at: [0, 0.6, 1], radius: 0.2}", 100.0),
        (
            "box: {at: [0, 0, 1], size: [1, 1, 1]}",
            "box: {at: [1.1, 0, 1], size: [1, 1, 1], rotate: {z: 45 deg}}",
            107.1,
        ),
        (
            "capsule: {from: [0, 0, 1], to: [1, 0, 1], radius: 0.2}",
            "capsule: {from: [0.5, 1, 1.3], to: [0.5, -1, 1.3], radius: 0.2}",
            100.0,
        ),
        ("cylinder: {from: [0, 0, 1], to: [0, 0, 2], radius: 0.5}", "sphere: {at: [0.6, 0, 1.5], radius: 0.2}", 100.0),
        (
            "hull: {points: [[0, 0, 1], [1, 0, 1], [0, 1, 1], [0, 0, 2]]}",
            "sphere: {at: [0.2, 0.2, 0.9], radius: 0.2}",
            100.0,
        ),
    ],
)
def test_what_stands_in_each_other_is_told(first, second, depth):
    (message,) = overlap_of(first, second)
    assert "'b1' stands" in message or "'b0' stands" in message
    assert float(message.split(" mm deep")[0].rsplit(" ", 1)[1]) == pytest.approx(depth, rel=0.02)
    assert overlap_of(first, second, more="contacts: {never: [[b0, b1]]}\n") == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("sphere: {at: [0, 0, 1], radius: 0.3}", "sphere: {at: [0.36, 0.48, 1], radius: 0.3}"),
        ("box: {at: [0, 0, 1], size: [1, 1, 1]}", "box: {at: [0, 0, 2], size: [1, 1, 1]}"),
        ("box: {at: [0, 0, 1], size: [1, 1, 1]}", "sphere: {at: [0.65, 0.65, 1], radius: 0.2}"),
        (
            "capsule: {from: [0, 0, 1], to: [1, 0, 1], radius: 0.2}",
            "capsule: {from: [1.2, 1, 1.35], to: [1.2, -1, 1.35], radius: 0.2}",
        ),
        (
            "cylinder: {from: [0, 0, 1], to: [0, 0, 2], radius: 0.5}",
            "box: {at: [0.71, 0.71, 2.2], size: [1, 1, 0.5], rotate: {z: 45 deg}}",
        ),
    ],
)
def test_what_only_touches_or_passes_by_is_not(first, second):
    assert overlap_of(first, second) == []


def test_what_stands_in_the_ground_is_told():
    (message,) = overlap_of("sphere: {at: [0, 0, 0.1], radius: 0.3}")
    assert "'b0' stands 200 mm deep in the ground" in message
    assert "[b0, ground]" in message


def test_what_collides_in_a_scene_without_contacts_is_told():
    text = "marionette: 1\nbodies: {a: {collide: limb, shape: {sphere: {at: [0, 0, 1], radius: 0.1}}}}\n"
    (problem,) = read_scene_text(text).problems
    assert "nothing touches in this scene" in problem.message
    assert read_scene_text(text + "contacts: {}\n").problems == []


def test_a_hinge_far_along_its_axis_is_not_warned_of_in_a_figure_that_is_turned(tmp_path):
    (tmp_path / "inner.yaml").write_text(
        HEAD + f"bodies: {{a: {ROD}, b: {NEXT}}}\njoints: {{h: {{hinge: [a, b], at: [0.3, 5, 1], axis: y}}}}\n"
    )
    text = HEAD + "figures: {f: {use: inner.yaml, rotate: {z: 90 deg}}}\n"
    assert read_scene_text(text, folder=tmp_path).problems == []


def test_load_says_what_check_says(tmp_path):
    """With file, line and column, where nothing else is asked for."""
    file = tmp_path / "card.yaml"
    file.write_text(HEAD + CASES["a card that falls through the ground"][0])
    with pytest.warns(SceneWarning, match=r"card\.yaml:4:10: warning: planar joint 'h' switches off contact") as said:
        load(str(file))
    assert len(said) == 1  # and not once more by the physics
    assert said[0].filename == __file__
