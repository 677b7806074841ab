"""Constraints given by formulas: their names mean what they say, their derivatives are exact, they move as the joints
that they are."""

import math

import numpy as np
import pytest

from physics.maths import formula_program as machine
from physics.definitions.formulas import (
    COORDINATES, END, NAME, NAMES, NUMBER, OPERATIONS, VELOCITIES, Formula, Program, VelocityFormula,
)  # fmt: skip
from physics.definitions.constraints import KnifeEdge
from physics.definitions.functions import moved_state
from physics.definitions.bodies import Body
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Distance
from physics.definitions.scene import Scene
from physics.world.world import World

PLACES = {"a": (0.1, 0.2, 0.3), "b": (0.6, -0.1, 0.5)}
TURNS = {"a": (0.5, 0.5, 0.5, 0.5), "b": (0.6, 0.0, 0.8, 0.0)}
BODIES = {n: Body(name=n, mass=1.0, inertia=(0.1, 0.2, 0.25), position=PLACES[n], orientation=TURNS[n]) for n in PLACES}
AT = ((0.2, 0.2, 0.4), (0.5, 0.0, 0.4))
ORIGIN, LEFT_HANDED = np.array([0.05, 0.06, 0.07]), ((0.0, 1.0, 0.0), (0.8, 0.0, 0.6), (-0.6, 0.0, 0.8))
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
MOVED = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.2, 0.1, -0.3, -0.6, 0.3, 0.2])


def one(*words):
    """A formula in postfix: names, numbers, operations"""
    code, numbers = [], []
    for word in words:
        if isinstance(word, float):
            code.append((NUMBER, len(numbers)))
            numbers.append(word)
        else:
            code.append((NAME, NAMES.index(word)) if word in NAMES else (OPERATIONS[word], 0))
    return Program((*code, (END, 0)), tuple(numbers))


def several(*names):
    return Program(tuple(step for n in names for step in ((NAME, NAMES.index(n)), (END, 0))))


def named(frame, state, u):
    """Every named number by the definition, with matrices"""
    f = np.array(frame).T
    hand = np.linalg.det(f)
    found = {}
    turns, points, velocities = [], [], []
    for k, n in enumerate("ab"):
        x, r, v, w = state[2 * k], state[2 * k + 1], u[6 * k : 6 * k + 3], u[6 * k + 3 : 6 * k + 6]
        drawn = start()[2 * k + 1]
        e = r @ drawn.T
        arm = e @ (np.array(AT[k]) - PLACES[n])
        turns.append(e)
        points.append(x + arm)
        velocities.append(v + np.cross(w, arm))
        put(found, f"{k + 1}", f.T @ (x + arm - ORIGIN), f.T @ e @ f, f.T @ velocities[k], hand * f.T @ w)
    apart = points[1] - points[0]
    slip = velocities[1] - velocities[0] - np.cross(u[3:6], apart)
    back = f.T @ turns[0].T
    put(found, "", back @ apart, back @ turns[1] @ f, back @ slip, hand * back @ (u[9:] - u[3:6]))
    return found


def put(found, end, place, axes, velocity, spin):
    for k, c in enumerate("xyz"):
        found[c + end] = place[k]
        found[f"v{c}{end}"], found[f"w{c}{end}"] = velocity[k], spin[k]
        for axis, column in zip("XYZ", axes.T, strict=True):
            found[axis + c + end] = column[k]


def start():
    from physics.definitions.functions import drawn_state

    return (*drawn_state(BODIES["a"]), *drawn_state(BODIES["b"]))


@pytest.mark.parametrize("frame", [UPRIGHT, LEFT_HANDED])
def test_every_name_is_what_it_says(frame):
    state = moved_state(start(), MOVED)
    u = np.linspace(-1.0, 1.3, 12)
    expected = named(frame, state, u)
    assert set(expected) == set(NAMES)
    made = {"name": "f", "a": "a", "b": "b", "at": AT, "origin": ORIGIN, "frame": frame}
    for k in range(0, len(NAMES), 6):
        names = NAMES[k : k + 6]
        tie = (
            Formula(**made, program=several(*names), auxiliary=True)
            if set(names) <= set(COORDINATES)
            else VelocityFormula(**made, program=several(*names), auxiliary=True)
        )
        tie.check(BODIES)  # the derivatives are those of differences, near the drawn state and away from it
        if isinstance(tie, VelocityFormula):
            values = tie.moving_values(state, u)
        else:
            values = tie.function(*state)
        assert values == pytest.approx([expected[n] for n in names], abs=1e-14), names


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("x2", 2.0, "^", "y2", "^"), lambda x, y: (x**2) ** y),
        ((3.0, "x2", "^"), lambda x, y: 3.0**x),
        (("x2", "sqrt", "y2", "cos", "*"), lambda x, y: math.sqrt(x) * math.cos(y)),
        (("x2", "sin", "y2", "tan", "/"), lambda x, y: math.sin(x) / math.tan(y)),
        (("x2", "asin", "y2", "acos", "-"), lambda x, y: math.asin(x) - math.acos(y)),
        (("x2", "atan", "minus", "y2", "exp", "+"), lambda x, y: math.exp(y) - math.atan(x)),
        (("x2", "log", "y2", "x2", "atan2", "+"), lambda x, y: math.log(x) + math.atan2(y, x)),
    ],
)
def test_operations_and_their_derivatives(words, expected):
    """The derivative is compared with differences by `check`."""
    body = Body(name="b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.7, 0.4, 0.0))
    tie = Formula(name="f", a="world", b="b", at=((0, 0, 0), (0.7, 0.4, 0.0)), program=one(*words))
    tie.check({"b": body})
    (value,) = tie.function(*tie.drawn)
    assert value == pytest.approx(expected(0.7, 0.4), rel=1e-14)


def test_a_rod_by_a_formula_is_the_rod():
    """Between two bodies, compiled: to rounding."""
    at = ((0.1, 0.2, 0.3), (0.6, -0.1, 0.5))
    length = math.dist(*at)
    squares = [w for k, c in enumerate(("x", "y", "z")) for w in (c, 2.0, "^", *(["+"] if k else []))]
    program = one(*squares, "sqrt", length, "-")
    bodies = [BODIES["a"], Body(**{**vars(BODIES["b"]), "angular_velocity": (0.0, 2.0, 1.0)})]
    worlds = [
        World(Scene(bodies=bodies, joints=[tie]), integrator="implicit")
        for tie in (
            Formula(name="f", a="a", b="b", at=at, program=program),
            Distance(name="f", a="a", b="b", at=at, length=length),
        )
    ]
    for world in worlds:
        world.step(60)
    first, second = worlds
    for name in "ab":
        assert first.bodies[name].position == pytest.approx(second.bodies[name].position, abs=1e-9)
    assert first.momentum().linear == pytest.approx(second.momentum().linear, abs=1e-12)
    assert first.largest_gap < 1e-8


def test_a_blade_by_a_formula_is_the_knife_edge():
    body = Body(
        name="b",
        mass=2.0,
        inertia=(0.3, 0.3, 0.5),
        position=(0.3, 0, 0),
        velocity=(1, 0.3, 0),
        angular_velocity=(0, 0, 1),
    )
    at = ((0, 0, 0), (0, 0, 0))
    program = one("vx2", "Yx2", "*", "vy2", "Yy2", "*", "+", "vz2", "Yz2", "*", "+")
    worlds = [
        World(Scene(bodies=[body], joints=[tie], gravity=(0, 0, 0)), integrator="rk4")
        for tie in (
            VelocityFormula(name="f", a="world", b="b", at=at, program=program),
            KnifeEdge(name="f", a="world", b="b", at=at, lateral=(0, 1, 0)),
        )
    ]
    for world in worlds:
        world.step(120)
    assert worlds[0].bodies["b"].position == pytest.approx(worlds[1].bodies["b"].position, abs=1e-9)
    assert worlds[0].bodies["b"].position[0] > 0.5


def test_rows_that_one_body_cannot_answer_for_are_kept_out_of_the_tree():
    """Both rows are of the same turning of b, and differ by that of a: with b alone they are singular."""
    bodies = [Body(**{**vars(BODIES[n]), "angular_velocity": (0.5, 1.0, -0.7)}) for n in "ab"]
    both = Program((*several("Xy").code, *one("Zx1", "Xy2", "+").code))
    for mode in ("fused", "lagrange", "dense"):
        tie = Formula(name="f", a="a", b="b", at=AT, program=both)
        world = World(Scene(bodies=bodies, joints=[tie]), integrator="implicit", solver=mode)
        world.assemble()
        world.step(24)
        assert world.largest_gap < 1e-8
    alone = Formula(name="f", a="a", b="b", at=AT, program=several("Xy"))
    Scene(bodies=bodies, joints=[alone])
    assert (tie.auxiliary, alone.auxiliary) == (True, False)


def test_steps_call_the_machine_and_not_python(monkeypatch):
    """All formulas share one compiled function; a second one costs no compilation."""
    from physics.compiler.jit import compilation_is_off

    body = Body(name="b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    tie = Formula(name="f", a="world", b="b", at=((0, 0, 0), (0.5, 0, 0)), program=one("x2", 0.5, "-"))
    world = World(Scene(bodies=[body], joints=[tie]), integrator="implicit")
    called = []
    monkeypatch.setattr(machine, "fill", lambda *_: called.append(1))
    if not compilation_is_off():
        world.step(4)
        assert world.bodies["b"].position[0] == pytest.approx(0.5, abs=1e-12)
        assert called == []


def test_bad_formulas_are_refused():
    made = {"name": "f", "a": "a", "b": "b", "at": AT}
    with pytest.raises(DefinitionError, match="a Program of one to six"):
        Formula(**made, program=several(*COORDINATES[:7]))
    with pytest.raises(DefinitionError, match="a Program of one to six"):
        Formula(**made, program="x2")
    with pytest.raises(DefinitionError, match=r"\['vx'\].*VelocityFormula"):
        Formula(**made, program=several("vx"))
    with pytest.raises(DefinitionError, match="at right angles"):
        Formula(**made, program=several("x"), frame=((1, 0, 0), (1, 0, 0), (0, 0, 1)))
    with pytest.raises(DefinitionError, match="do not depend on each other"):
        Formula(**made, program=several("x", "x")).check(BODIES)
    with pytest.raises(DefinitionError, match=r"got \[nan\], allowed: finite numbers"):
        Formula(**made, program=one("x", "minus", 2.0, "-", "log")).check(BODIES)
    with pytest.raises(DefinitionError, match="what each velocity gives by itself"):
        VelocityFormula(**made, program=one("vx", 2.0, "^")).check(BODIES)
    assert len(COORDINATES) + len(VELOCITIES) == machine.COUNT
