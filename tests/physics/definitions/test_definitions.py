"""Contract of definitions: every kind of bad input is a `DefinitionError` whose message says what, got and allowed."""

import math

import numpy as np
import pytest

from physics.definitions.bodies import Body, Massless, Particle
from physics.definitions.checks import DefinitionError
from physics.definitions.compound import Compound, Slide, Turn
from physics.definitions.joints import Ball, Cylindrical, Distance, Free, Hinge, Planar, Screw, Slider, Universal, Weld
from physics.definitions.limits import Limits, SoftLimits
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.arrays import state_of

NAN = math.nan
INF = math.inf


def body(name="b", **changes):
    return Body(**{"name": name, "mass": 1.0, "inertia": (1.0, 1.0, 1.0), **changes})


def hinge(**changes):
    return Hinge(**{"name": "h", "a": "world", "b": "b", "at": (0, 0, 0), "axis": (0, 0, 1), **changes})


def ball(**changes):
    return Ball(**{"name": "j", "a": "world", "b": "b", "at": (0, 0, 0), **changes})


def universal(**changes):
    axes = {"axis": (1, 0, 0), "axis2": (0, 1, 0)}
    return Universal(**{"name": "u", "a": "world", "b": "b", "at": (0, 0, 0), **axes, **changes})


def scene(*joints, bodies=None, **changes):
    return Scene(bodies=bodies or [body()], joints=joints, **changes)


def compound(*parts):
    return Compound(name="c", a=None, b="b", parts=parts)


def link(k, a, b, **changes):
    return hinge(**{"name": f"h{k}", "a": a, "b": b, **changes})


def folded(*joints, bodies=None, more=()):
    """A world with a massless body "m" """
    return World(scene(*joints, bodies=[*(bodies or [body()]), Massless(name="m"), *(Massless(name=k) for k in more)]))


def limits(**changes):
    return SoftLimits(**{"stiffness": 1.0, **changes})


def world():
    return World(scene(ball()))


def assign(name, value, thing=None):
    """Set an attribute of a world, or of something in it."""
    target = world()
    if thing is not None:
        target = thing(target)
    setattr(target, name, value)


def body_of(w):
    return w.bodies["b"]


def joint_of(w):
    return w.joints["j"]


P = Particle(name="p", mass=1.0, position=(1.0, 0.0, 0.0))

# (what is done, what the message says was wrong, what it got, what is allowed)
REFUSED = {
    # bodies
    "negative mass": (lambda: body(mass=-1.0), "mass of body 'b'", "-1.0", "> 0"),
    "no mass": (lambda: body(mass=0.0), "mass of body 'b'", "0.0", "> 0"),
    "mass in words": (lambda: body(mass="heavy"), "mass of body 'b'", "heavy", "a finite number"),
    "infinite mass": (lambda: body(mass=INF), "mass of body 'b'", "inf", "finite"),
    "mass not a number": (lambda: body(mass=NAN), "mass of body 'b'", "nan", "finite"),
    "massless particle": (lambda: Particle(name="p", mass=0.0), "mass of body 'p'", "0.0", "> 0"),
    "truth for a mass": (lambda: body(mass=True), "mass of body 'b'", "True", "a finite number"),
    "mass beyond all numbers": (lambda: body(mass=10**400), "mass of body 'b'", "000", "a finite number"),
    "mass whose square is none": (lambda: body(mass=1e200), "mass of body 'b'", "1e+200", "from 1e-50 to 1e+50"),
    "mass whose inverse is none": (lambda: body(mass=1e-320), "mass of body 'b'", "1e-320", "from 1e-50 to 1e+50"),
    "inertia whose inverse is none": (lambda: body(inertia=(1e-310,) * 3), "inertia of body 'b'", "1e-310", "positive"),
    "inertia without an order": (lambda: body(inertia={1.0, 1.2, 1.3}), "inertia of body 'b'", "1.2", "3 or 6"),
    "bytes for a place": (lambda: body(position=b"abc"), "position of body 'b'", "b'abc'", "3 finite"),
    "gravity whose square is none": (lambda: scene(gravity=(0, 0, 1e200)), "gravity", "1e+200", "at most 1e+50"),
    "place beyond all numbers": (lambda: assign("position", (0, 0, 10**400), body_of), "position", "000", "3 finite"),
    "nameless body": (lambda: body(name=""), "name of a body", "''", "not empty"),
    "body called world": (lambda: body(name="world"), "name of a body", "'world'", "not 'world'"),
    "number as a name": (lambda: body(name=3), "name of a body", "3", "a text"),
    "negative inertia": (lambda: body(inertia=(1, 1, -1)), "inertia of body 'b'", "-1.0", "positive principal"),
    "no inertia": (lambda: body(inertia=(0, 0, 0)), "inertia of body 'b'", "0.0", "positive principal"),
    "impossible inertia": (lambda: body(inertia=(1, 1, 2.1)), "inertia of body 'b'", "2.1", "triangle"),
    "impossible inertia matrix": (
        lambda: body(inertia=(1, 1, 1, 0.9, 0.9, 0.9)), "inertia of body 'b'", "0.9", "triangle",
    ),
    "two moments": (lambda: body(inertia=(1, 1)), "inertia of body 'b'", "(1, 1)", "3 or 6"),
    "one moment": (lambda: body(inertia=1.0), "inertia of body 'b'", "1.0", "3 or 6"),
    "infinite inertia": (lambda: body(inertia=(1, 1, INF)), "inertia of body 'b'", "inf", "finite"),
    "short position": (lambda: body(position=(1, 2)), "position of body 'b'", "(1, 2)", "3 finite"),
    "position not finite": (lambda: body(position=(1, 2, NAN)), "position of body 'b'", "nan", "3 finite"),
    "velocity in words": (lambda: body(velocity="fast"), "velocity of body 'b'", "fast", "3 finite"),
    "long velocity": (lambda: body(velocity=(1, 2, 3, 4)), "velocity of body 'b'", "4", "3 finite"),
    "infinite spin": (lambda: body(angular_velocity=(0, 0, INF)), "angular_velocity of body 'b'", "inf", "3 finite"),
    "quaternion too long": (lambda: body(orientation=(1, 1, 0, 0)), "orientation of body 'b'", "(1, 1", "a unit quat"),
    "quaternion of three": (lambda: body(orientation=(1, 0, 0)), "orientation of body 'b'", "(1, 0, 0)", "4 finite"),
    "particle's place": (lambda: Particle(name="p", mass=1, position=None), "position of body 'p'", "None", "3 finite"),
    # joints alone
    "zero axis": (lambda: hinge(axis=(0, 0, 0)), "axis of hinge joint 'h'", "(0, 0, 0)", "not zero"),
    "axis whose length is none": (lambda: hinge(axis=(1e200, 1e200, 0)), "axis of hinge", "1e+200", "at most 1e+50"),
    "auxiliary in words": (lambda: hinge(auxiliary="no"), "auxiliary of hinge joint 'h'", "'no'", "True or False"),
    "collide in words": (lambda: hinge(collide="no"), "collide of hinge joint 'h'", "'no'", "True or False"),
    "one number for a twist": (lambda: ball(limits=Limits(twist=1.0)), "twist in limits of ball", "1.0", "2 finite"),
    "rod and its reverse": (
        lambda: scene(
            Distance(name="d", a="b", b="c", at=((0, 0, 0), (1, 0, 0))),
            Distance(name="e", a="c", b="b", at=((1, 0, 0), (0, 0, 0))), bodies=[body(), body("c", position=(1, 0, 0))],
        ),
        "distance joint 'e'", "as 'd'", "each joint once",
    ),
    "hinge and nearly the same": (
        lambda: scene(hinge(at=(0.1, 0, 0)), hinge(name="g", at=(0.1 + 1e-16, 0, 0))),
        "hinge joint 'g'", "as 'h'", "each joint once",
    ),
    "short axis": (lambda: hinge(axis=(0, 1)), "axis of hinge joint 'h'", "(0, 1)", "3 finite"),
    "axis not finite": (lambda: hinge(axis=(0, 0, NAN)), "axis of hinge joint 'h'", "nan", "3 finite"),
    "zero slider axis": (
        lambda: Slider(name="s", a=None, b="b", axis=(0, 0, 0)), "axis of slider joint 's'", "(0, 0, 0)", "not zero",
    ),
    "zero second axis": (lambda: universal(axis2=(0, 0, 0)), "axis2 of universal joint 'u'", "(0, 0, 0)", "not zero"),
    "axes not at right angles": (
        lambda: universal(axis2=(0.1, 1, 0)), "axis2 of universal joint 'u'", "(0.1, 1, 0)", "at right angles",
    ),
    "zero twist axis": (lambda: ball(twist_axis=(0, 0, 0)), "twist_axis of ball joint 'j'", "(0, 0, 0)", "not zero"),
    "swing along twist": (
        lambda: ball(swing_axis=(0, 0, -2)), "swing_axis of ball joint 'j'", "0.0, -1.0", "not along its twist_axis",
    ),
    "nameless joint": (lambda: hinge(name=""), "name of a hinge joint", "''", "not empty"),
    "body with itself": (lambda: hinge(a="b"), "bodies of hinge joint 'h'", "'b'", "two different bodies"),
    "world with world": (lambda: hinge(b=None), "bodies of hinge joint 'h'", "'world'", "two different bodies"),
    "number for a body": (lambda: hinge(a=3), "body a of hinge joint 'h'", "3", "the name of a body"),
    "short anchor": (lambda: hinge(at=(0, 0)), "at of hinge joint 'h'", "0", "3 finite"),
    "anchor not finite": (lambda: hinge(at=(0, 0, INF)), "at of hinge joint 'h'", "inf", "3 finite"),
    "anchor missing": (lambda: hinge(at=None), "at of hinge joint 'h'", "None", "3 finite"),
    "free between bodies": (lambda: Free(name="f", a="x", b="y"), "bodies of free joint 'f'", "'x', 'y'", "'world'"),
    "rod without length": (
        lambda: Distance(name="d", a=None, b="b", at=(1, 0, 0)), "length of distance joint 'd'", "0.0", "> 0",
    ),
    "rod of negative length": (
        lambda: Distance(name="d", a=None, b="b", at=((0, 0, 0), (1, 0, 0)), length=-1),
        "length of distance joint 'd'", "-1", "> 0",
    ),
    # several axes
    "cylinder without an axis": (
        lambda: Cylindrical(name="c", a=None, b="b", axis=(0, 0, 0)), "axis of cylindrical joint 'c'", "(0, 0, 0)",
        "not zero",
    ),
    "plane with a slanted axis": (
        lambda: Planar(name="p", a=None, b="b", normal=(0, 0, 1), axis=(1, 0, 0.1)),
        "axis of planar joint 'p'", "0.1", "at right angles to its normal",
    ),
    "screw without a pitch": (
        lambda: Screw(name="s", a=None, b="b", axis=(0, 0, 1), pitch=0.0), "pitch of screw joint 's'", "0.0", "a hinge",
    ),
    "screw of pitch nan": (
        lambda: Screw(name="s", a=None, b="b", axis=(0, 0, 1), pitch=NAN), "pitch of screw joint 's'", "nan", "finite",
    ),
    "compound of nothing": (lambda: compound(), "parts of compound joint 'c'", "()", "one to three Turn and Slide"),
    "compound of four": (
        lambda: compound(*[Turn(axis=(1, 0, 0))] * 4), "parts of compound joint 'c'", "Turn", "one to three",
    ),
    "compound of words": (lambda: compound("turn"), "parts of compound joint 'c'", "'turn'", "Turn and Slide"),
    "two hinges on one line": (
        lambda: compound(Turn(axis=(1, 0, 0), at=(3, 0, 0)), Turn(axis=(-1, 0, 0))),
        "parts of compound joint 'c'", "(3.0, 0.0, 0.0)", "independent of each other",
    ),
    "three sliders in a plane": (
        lambda: compound(*[Slide(axis=v) for v in ((1, 0, 0), (0, 1, 0), (1, 1, 0))]),
        "parts of compound joint 'c'", "0.7071", "independent of each other",
    ),
    "part without an axis": (
        lambda: compound(Turn(axis=(0, 0, 0))), "axis of part 1 of compound joint 'c'", "(0, 0, 0)", "not zero",
    ),
    "part at two numbers": (
        lambda: compound(Turn(axis=(0, 0, 1), at=(0, 0))), "at of part 1 of compound joint 'c'", "(0, 0)", "3 finite",
    ),
    "negative stiffness of a part": (
        lambda: compound(Slide(axis=(0, 0, 1), stiffness=-1)), "stiffness of compound joint 'c'", "-1", ">= 0",
    ),
    "cone on a part": (
        lambda: compound(Turn(axis=(0, 0, 1), soft_limits=limits(swing=1.0))),
        "soft_limits of part 1 of compound joint 'c'", "swing=1.0", "lower and upper",
    ),
    "negative rotor": (lambda: hinge(armature=-1), "armature of hinge joint 'h'", "-1", ">= 0"),
    "rotor not a number": (lambda: hinge(armature=NAN), "armature of hinge joint 'h'", "nan", "finite"),
    "unequal rotors of a ball": (
        lambda: ball(armature=(1, 2, 1)), "armature of ball joint 'j'", "(1.0, 2.0, 1.0)", "the same about all axes",
    ),
    "rotor on a particle's ball": (
        lambda: scene(ball(b="p", at=(1, 0, 0), armature=1), bodies=[P]), "ball joint 'j'", "0", "no orientation",
    ),
    # massless bodies
    "massless and free": (lambda: folded(), "joints of massless body 'm'", "[]", "two: one on each side"),
    "massless at the end": (lambda: folded(link(0, None, "m")), "joints of massless body 'm'", "['h0']", "two"),
    "massless with branches": (
        lambda: folded(link(0, None, "m"), link(1, "m", "b"), link(2, "m", "c"), bodies=[body(), body("c")]),
        "joints of massless body 'm'", "'h2'", "two",
    ),
    "four axes through massless bodies": (
        lambda: folded(
            Planar(name="p", a=None, b="m", normal=(0, 0, 1), axis=(1, 0, 0)), link(1, "m", "b"),
        ),
        "chain of massless bodies between 'world' and 'b'", "['p', 'h1']", "3 axes at most",
    ),
    "ball and hinge through a massless body": (
        lambda: folded(Ball(name="j", a=None, b="m"), link(1, "m", "b")),
        "chain of massless bodies between 'world' and 'b'", "['j', 'h1']", "a ball joint alone",
    ),
    "rod to a massless body": (
        lambda: folded(Distance(name="d", a=None, b="m", at=((0, 0, 0), (1, 0, 0))), link(1, "m", "b")),
        "distance joint 'd' of massless body 'm'", "'distance'", "a weld, a ball",
    ),
    "free massless body": (
        lambda: folded(Free(name="f", a=None, b="m"), link(1, "m", "b")),
        "free joint 'f' of massless body 'm'", "'free'", "a body with a mass",
    ),
    "massless body drawn apart": (
        lambda: folded(link(0, None, "m", at=((0, 0, 0), (1, 0, 0))), link(1, "m", "b")),
        "at of hinge joint 'h0' of massless body 'm'", "(1.0, 0.0, 0.0)", "one point",
    ),
    "chain back to the same body": (
        lambda: folded(link(0, "b", "m"), link(1, "m", "b", at=(1, 0, 0))),
        "chain of massless bodies at 'b'", "['h0', 'h1']", "another body",
    ),
    "hinges on one line through a massless body": (
        lambda: folded(link(0, None, "m"), link(1, "m", "b", at=(0, 0, 1))),
        "parts of compound joint 'h0+h1'", "(0.0, 0.0, 1.0)", "independent of each other",
    ),
    "ring of massless bodies": (
        lambda: folded(link(0, "m", "k"), link(1, "k", "m", at=(1, 0, 0)), more=("k",)),
        "massless bodies", "['k', 'm']", "one with a mass",
    ),
    # springs and limits
    "negative stiffness": (lambda: hinge(stiffness=-1), "stiffness of hinge joint 'h'", "-1", ">= 0"),
    "stiffness not finite": (lambda: ball(stiffness=NAN), "stiffness of ball joint 'j'", "nan", "finite"),
    "negative damping": (lambda: hinge(damping=-1), "damping of hinge joint 'h'", "-1", ">= 0"),
    "stiffness in words": (lambda: hinge(stiffness="much"), "stiffness of hinge joint 'h'", "much", "a finite number"),
    "too many stiffnesses": (lambda: hinge(stiffness=(1, 2)), "stiffness of hinge joint 'h'", "(1, 2)", "1: one for"),
    "too few stiffnesses": (lambda: ball(stiffness=(1, 2)), "stiffness of ball joint 'j'", "(1, 2)", "3: one for each"),
    "rest not finite": (lambda: hinge(rest=INF), "rest of hinge joint 'h'", "inf", "a finite number"),
    "short rest": (lambda: universal(rest=(1, 2, 3)), "rest of universal joint 'u'", "(1, 2, 3)", "2: one for each"),
    "limits crossed": (
        lambda: hinge(soft_limits=limits(lower=1, upper=0)), "soft_limits of hinge joint 'h'", "(1.0,)", "not above",
    ),
    "second limits crossed": (
        lambda: universal(soft_limits=limits(lower=(0, 1), upper=(1, 0))),
        "soft_limits of universal joint 'u'", "1.0", "not above",
    ),
    "twist crossed": (
        lambda: ball(soft_limits=limits(twist=(1, 0))), "twist in soft_limits of ball joint 'j'", "1.0", "not above",
    ),
    "one twist bound": (lambda: ball(soft_limits=limits(twist=(1,))), "twist in soft_limits of", "(1,)", "2 finite"),
    "negative swing": (lambda: ball(soft_limits=limits(swing=-1)), "swing in soft_limits of ball", "-1", ">= 0"),
    "swing of a hinge": (lambda: hinge(soft_limits=limits(swing=1)), "soft_limits of hinge", "swing=1", "lower and"),
    "lower of a ball": (lambda: ball(soft_limits=limits(lower=1)), "soft_limits of ball", "lower=1", "swing and twist"),
    "negative limit stiffness": (
        lambda: hinge(soft_limits=limits(stiffness=-1)), "stiffness in soft_limits of hinge joint 'h'", "-1", ">= 0",
    ),
    "negative limit damping": (
        lambda: ball(soft_limits=limits(damping=-1)), "damping in soft_limits of ball joint 'j'", "-1", ">= 0",
    ),
    "limit not a number": (lambda: hinge(soft_limits=limits(lower=NAN)), "lower in soft_limits of", "nan", "finite"),
    # scenes
    "no bodies": (lambda: World(Scene(bodies=[])), "bodies of a scene", "0", "at least one"),
    "body twice": (lambda: scene(bodies=[body(), body()]), "name of a body", "'b'", "used once"),
    "joint twice": (lambda: scene(ball(), ball(at=(1, 0, 0))), "name of a joint", "'j'", "used once"),
    "unknown body": (
        lambda: scene(hinge(b="forearn"), bodies=[body("forearm"), body("palm")]),
        "body of hinge joint 'h'", "'forearn'", "did you mean 'forearm'?",
    ),
    "unknown body, none like it": (
        lambda: scene(hinge(b="xyzzy")), "body of hinge joint 'h'", "'xyzzy'", "the name of a body, or 'world'",
    ),
    "no body value": (lambda: scene(bodies=["b"]), "bodies", "'b'", "Body, Particle, Massless"),
    "no joint value": (lambda: scene("j"), "joints", "'j'", "joint values"),
    "doubled joint": (
        lambda: scene(ball(), ball(name="k")), "ball joint 'k'", "the same bodies and point as 'j'", "each joint once",
    ),
    "doubled joint, bodies exchanged": (
        lambda: scene(ball(), ball(name="k", a="b", b=None)),
        "ball joint 'k'", "the same bodies and point as 'j'", "each joint once",
    ),
    "doubled hinge": (
        lambda: scene(hinge(), hinge(name="k", axis=(0, 0, -2))),
        "hinge joint 'k'", "the same bodies and point as 'h'", "each joint once",
    ),
    "doubled weld": (
        lambda: scene(*(Weld(name=k, a="world", b="b") for k in "jk")),
        "weld joint 'k'", "the same bodies and point as 'j'", "each joint once",
    ),
    "doubled free joint": (
        lambda: scene(*(Free(name=k, a="world", b="b", at=(float(k), 0, 0)) for k in "12")),
        "free joint '2'", "the same body as '1'", "each joint once",
    ),
    "gravity not a number": (lambda: scene(gravity=(0, 0, NAN)), "gravity", "nan", "3 finite"),
    "gravity as one number": (lambda: scene(gravity=-9.81), "gravity", "-9.81", "3 finite"),
    "no timestep": (lambda: scene(timestep=0.0), "timestep", "0.0", "> 0"),
    "negative timestep": (lambda: scene(timestep=-0.1), "timestep", "-0.1", "> 0"),
    "timestep not a number": (lambda: scene(timestep=NAN), "timestep", "nan", "finite"),
    "particle on a hinge": (
        lambda: scene(hinge(b="p"), bodies=[P]), "body of hinge joint 'h'", "'p'", "a particle takes ball, distance",
    ),
    "particle on a weld": (
        lambda: scene(Weld(name="w", a="p", b="b"), bodies=[P, body()]), "body of weld joint 'w'", "'p'", "rigid body",
    ),
    "particle away from its ball": (
        lambda: scene(ball(b="p"), bodies=[P]), "at of ball joint 'j'", "0.0, 0.0", "the place of particle 'p'",
    ),
    "stiff ball of a particle": (
        lambda: scene(ball(b="p", at=(1, 0, 0), stiffness=1), bodies=[P]),
        "stiffness of ball joint 'j'", "1.0", "no orientation",
    ),
    "damped ball of a particle": (
        lambda: scene(ball(b="p", at=(1, 0, 0), damping=1), bodies=[P]), "ball joint 'j'", "0", "no orientation",
    ),
    "limited ball of a particle": (
        lambda: scene(ball(b="p", at=(1, 0, 0), soft_limits=limits(swing=1)), bodies=[P]),
        "ball joint 'j'", "0", "no orientation",
    ),
    # settings of a world
    "unknown solver": (lambda: World(scene(), solver="fuse"), "solver", "'fuse'", "fused"),
    "unknown integrator": (lambda: World(scene(), integrator="euler"), "integrator", "'euler'", "trbdf2, implicit"),
    "unknown solver, live": (lambda: world().use_solver("magic"), "solver", "'magic'", "fused"),
    "unknown integrator, live": (lambda: world().use_integrator("magic"), "integrator", "'magic'", "rattle"),
    "unknown order": (lambda: assign("order", "first"), "order", "'first'", "dynamic, kinematic"),
    "timestep of zero, live": (lambda: assign("timestep", 0.0), "timestep", "0.0", "> 0"),
    "timestep not finite, live": (lambda: assign("timestep", NAN), "timestep", "nan", "finite"),
    "gravity not finite, live": (lambda: assign("gravity", (0, 0, NAN)), "gravity", "nan", "3 finite"),
    "gravity of two, live": (lambda: assign("gravity", (0, 1)), "gravity", "(0, 1)", "3 finite"),
    "negative stiffness scale": (lambda: assign("stiffness_scale", -1.0), "stiffness_scale", "-1.0", ">= 0"),
    "negative friction": (lambda: assign("posing_friction", -1.0), "posing_friction", "-1.0", ">= 0"),
    "position, live": (lambda: assign("position", (0, 0, INF), body_of), "position", "inf", "3 finite"),
    "velocity, live": (lambda: assign("velocity", "fast", body_of), "velocity", "fast", "3 finite"),
    "quaternion, live": (lambda: assign("quaternion", (1, 1, 0, 0), body_of), "quaternion", "1.0", "unit quaternion"),
    "force, live": (lambda: assign("applied_force", (0, 0), body_of), "applied_force", "(0, 0)", "3 finite"),
    "torque, live": (lambda: assign("applied_torque", (0, 0, NAN), body_of), "applied_torque", "nan", "3 finite"),
    "stiffness, live": (lambda: assign("stiffness", -1.0, joint_of), "stiffness of ball joint 'j'", "-1.0", ">= 0"),
    "stiffnesses, live": (lambda: assign("stiffness", (1, 2), joint_of), "stiffness of ball", "(1, 2)", "3: one for"),
    "stiffness of a weld": (
        lambda: setattr(World(scene(Weld(name="w", a=None, b="b"))).joints["w"], "stiffness", 1.0),
        "stiffness of weld joint 'w'", "1.0", "no axis that moves",
    ),
    "stiffness of a rod": (
        lambda: setattr(
            World(scene(Distance(name="d", a=None, b="b", at=((0, 0, 0), (1, 0, 0))))).joints["d"], "damping", 1.0
        ),
        "damping of distance joint 'd'", "1.0", "no axis that moves",
    ),
    "stiffness of a particle's ball, live": (
        lambda: setattr(World(scene(ball(b="p", at=(1, 0, 0)), bodies=[P])).joints["j"], "stiffness", 1.0),
        "stiffness of ball joint 'j'", "1.0", "no orientation",
    ),
    "negative number of steps": (lambda: world().step(-1), "count of steps", "-1", "0 or more"),
    "impulse of two numbers": (
        lambda: world().bodies["b"].apply_impulse((1, 2)), "impulse", "(1, 2)", "3 finite",
    ),
    "snapshot of something else": (lambda: world().restore(b"nothing"), "snapshot", "7 bytes", "bytes made by"),
    "state not finite": (lambda: spoiled().step(), "state", "not finite", "finite poses and velocities"),
}  # fmt: skip


def spoiled():
    w = world()
    state_of(w).velocity[0, 0] = NAN
    return w


@pytest.mark.parametrize("name", REFUSED)
def test_refusal(name):
    act, what, got, allowed = REFUSED[name]
    with pytest.raises(DefinitionError) as refusal:
        act()
    message = str(refusal.value)
    assert message == f"{refusal.value.what}: got {refusal.value.got!r}, allowed: {refusal.value.allowed}"
    assert what in refusal.value.what
    assert got in repr(refusal.value.got)
    assert allowed in refusal.value.allowed


def test_stiffness_belongs_to_joints_with_axes():
    """A weld and a rod do not even take the argument."""
    with pytest.raises(TypeError, match="stiffness"):
        Weld(name="w", a=None, b="b", stiffness=1.0)
    with pytest.raises(TypeError, match="stiffness"):
        Distance(name="d", a=None, b="b", stiffness=1.0)


def test_the_good_ones_are_taken():
    """The values that the refusals vary are all right as they stand: none of the messages is about something else."""
    assert hinge(stiffness=(2.0,), soft_limits=limits(lower=0.0, upper=0.0)).stiffness == (2.0,)
    assert ball(stiffness=3.0, soft_limits=limits(swing=0.0, twist=(-1, 1))).stiffness == (3.0, 3.0, 3.0)
    assert universal(axis2=(0, 1, 5e-7)).axes == 2
    assert body(inertia=(1, 1, 2)).inertia == (1.0, 1.0, 2.0)
    assert body(inertia=(1, 1, 1, 0.1, 0.1, 0.1)).inertia[3] == 0.1
    made = World(
        scene(
            ball(b="p", at=(1, 0, 0)), Distance(name="d", a="p", b="b", at=((1, 0, 0), (0, 0, 0))), bodies=[P, body()]
        )
    )
    made.step()
    assert made.largest_gap < 1e-9
    assert World(scene(Free(name="f", a="world", b="b"))).joints == {}


def test_definitions_hold_plain_floats():
    """numpy arrays, integers and strings of digits become floats; directions become unit vectors."""
    b = body(position=np.array([1, 2, 3]), mass=np.float32(2.0))
    assert b.position == (1.0, 2.0, 3.0)
    assert type(b.mass) is float
    assert hinge(axis=(0, 0, 5)).axis == (0.0, 0.0, 1.0)
    assert body(orientation=(1.0005, 0, 0, 0)).orientation == (1.0, 0.0, 0.0, 0.0)
    assert hinge(a=None).a == "world"


def test_unknown_names_of_a_world():
    w = World(scene(ball(name="wrist"), bodies=[body("b")]))
    with pytest.raises(KeyError, match="no joint named 'wrisst'; did you mean 'wrist'"):
        w.joints["wrisst"]
    with pytest.raises(KeyError, match="no body named 'xyz'; known: b"):
        w.bodies["xyz"]


def test_snapshot_of_another_figure():
    small, large = world(), World(scene(ball(), Ball(name="k", a="b", b="c", at=(1, 0, 0)), bodies=[body(), body("c")]))
    with pytest.raises(DefinitionError, match="the same figure"):
        small.restore(large.snapshot())
    cut = small.snapshot()[:-3]
    with pytest.raises(DefinitionError, match="snapshot"):
        small.restore(cut)
