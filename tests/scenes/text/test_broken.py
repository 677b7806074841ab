"""Scenes with mistakes: each is reported at its line and column, all of them in one run, and nothing else is.

In the texts a » stands before every place where an error must be reported; it is taken out before reading. The words
beside it must be in the messages, in the order of the places.
"""

import time

import pytest

from scenes.loading.loader import read_scene_text
from scenes.text.errors import SceneError, excerpt

ARM = """marionette: 1
bodies:
  upper: {shape: {capsule: {from: [0, 0, 1], to: [0.3, 0, 1], radius: 2 cm}}}
  lower: {shape: {capsule: {from: [0.3, 0, 1], to: [0.6, 0, 1], radius: 2 cm}}}
"""
JOINTS = """joints:
  shoulder: {ball: [world, upper], at: [0, 0, 1]}
"""
ELBOW = "  elbow: {hinge: [upper, lower], at: [0.3, 0, 1], axis: y}\n"

CASES: dict[str, tuple[str, list[str]]] = {
    # ---------------------------------------------------------------- YAML itself
    "tab": ("marionette: 1\n»\tbodies: 3\n", ["a tab"]),
    "second colon": ("marionette: 1\nname: a »: b\n", ["second ': '"]),
    "list not closed": ("marionette: 1\nsettings: {gravity: »[0, 0, -9.81\n", ["not closed"]),
    "text not closed": ("marionette: 1\nname: »'arm\n", ["not closed"]),
    "duplicate key": (ARM + "»bodies: {}\n", ["stands here twice, first in line 2"]),
    "duplicate body": (ARM + "  »upper: {kind: particle, mass: 1, at: [0, 0, 0]}\n", ["twice"]),
    "unknown alias": ("marionette: 1\nname: »*arm\n", ["alias"]),
    "tag": (ARM + "name: »!!str arm\n", ["tag"]),
    "merge key": (ARM + "settings: {»<<: {timestep: 0.01}}\n", ["merge keys"]),
    "second document": (ARM + "»--- \nmarionette: 1\n", ["second document"]),
    "empty file": ("»", ["empty"]),
    "a list": ("»- 1\n", ["begins with `marionette: 1`"]),
    # ---------------------------------------------------------------- sections and version
    "version missing": ("»bodies: {a: {kind: particle, mass: 1, at: [0, 0, 0]}}\n", ["`marionette: 1` is missing"]),
    "version newer": (ARM.replace("marionette: 1", "marionette: »7"), ["a newer marionette is needed"]),
    "version a text": (ARM.replace("marionette: 1", "marionette: »one"), ["allowed: 1"]),
    "section misspelt": (ARM + "»jonits: {}\n", ["did you mean 'joints'?"]),
    "section of another engine": (ARM + "»floor: {}\n»wind: [1, 0, 0]\n", ["did you mean 'ground'?", "did you mean 'medium'?"]),
    "section a number": (ARM + "joints: »3\n", ["got 3, allowed: a mapping of names"]),
    "nothing in it": ("»marionette: 1\n", ["at least one body"]),
    "only scenery": ("»marionette: 1\nbodies: {a: {fixed: true, at: [0, 0, 0], shape: {sphere: {radius: 1}}}}\n", ["nothing in this scene can be moved"]),
    # ---------------------------------------------------------------- settings
    "setting misspelt": (ARM + "settings: {»gravty: [0, 0, 0]}\n", ["did you mean 'gravity'?"]),
    "gravity of two": (ARM + "settings: {gravity: »[0, 0]}\n", ["got 2 values, allowed: a list of 3 numbers in m/s^2"]),
    "timestep zero": (ARM + "settings: {timestep: »0}\n", ["above 0"]),
    "solver unknown": (ARM + "settings: {solver: »fusd}\n", ["did you mean 'fused'?"]),
    "flag a word": (ARM + "settings: {guard: »yes}\n", ["allowed: true or false"]),
    # ---------------------------------------------------------------- values
    "unit unknown": (ARM + "settings: {timestep: »1 mss}\n", ["unknown unit 'mss'; did you mean 'ms'?"]),
    "unit of another kind": (ARM + "settings: {timestep: »1 kg}\n", ["allowed: a unit of the kind s"]),
    "not a number": (ARM + "settings: {timestep: »soon}\n", ["unknown name 'soon'"]),
    "infinite": (ARM + "settings: {timestep: ».inf}\n", ["allowed: a number in s"]),
    "nan in a list": (ARM + "settings: {gravity: [0, ».nan, 0]}\n", ["a number in m/s^2"]),
    "division by zero": (ARM + "settings: {timestep: »1/0}\n", ["division by zero"]),
    "bracket missing": (ARM + "settings: {timestep: »(1 + 2}\n", ["a closing bracket is missing"]),
    "degrees without unit": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, rest: »90"), ["more than a turn; did you mean 90 deg?"]),
    # ---------------------------------------------------------------- parameters
    "parameter unknown": (ARM + "settings: {timestep: 1/»rat}\n".replace("1/»rat", "»1/rat") + "parameters: {rate: 240}\n", ["did you mean 'rate'?"]),
    "parameter out of range": (ARM + "parameters: {n: {value: »3, range: [5, 9]}}\n", ["n is 3, allowed: 5 to 9"]),
    "parameter range reversed": (ARM + "parameters: {n: {value: 3, range: »[9, 1]}}\n", ["reversed"]),
    "parameter named pi": (ARM + "parameters: {»pi: 3}\n", ["meaning of its own"]),
    "parameter in a text": (ARM + "name: »'arm of ${size}'\n", ["unknown parameter 'size'"]),
    # ---------------------------------------------------------------- bodies
    "key misspelt": (ARM.replace("lower: {shape", "lower: {»mas: 1, shape"), ["unknown key 'mas'; did you mean 'mass'?"]),
    "mass negative": (ARM.replace("lower: {shape", "lower: {mass: »-1, shape"), ["above 0"]),
    "shape unknown": (ARM.replace("lower: {shape: {capsule", "lower: {shape: {»capsul"), ["did you mean 'capsule'?"]),
    "radius missing": ("marionette: 1\nbodies: {a: {shape: {sphere: »{at: [0, 0, 0]}}}}\n", ["'radius' is missing: radius"]),
    "point on point": ("marionette: 1\nbodies: {a: {shape: {capsule: {from: [0, 0, 1], to: »[0, 0, 1], radius: 1}}}}\n", ["the same point"]),
    "flat hull": ("marionette: 1\nbodies: {a: {shape: {hull: {points: »[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}}}\n", ["one plane"]),
    "nothing of it": ("marionette: 1\nbodies: {a: »{at: [0, 0, 0]}}\n", ["'mass' is missing"]),
    "impossible inertia": ("marionette: 1\nbodies: {a: {mass: 1, at: [0, 0, 0], inertia: »[1, 1, 3]}}\n", ["none larger than the sum"]),
    "centre of mass elsewhere": ("marionette: 1\nbodies: {a: {at: »[0, 0, 1], shape: {sphere: {at: [0, 0, 0], radius: 1}}}}\n", ["leave `at` out"]),
    "particle with inertia": ("marionette: 1\nbodies: {a: {kind: particle, mass: 1, at: [0, 0, 0], inertia: »[1, 1, 1]}}\n", ["no orientation"]),
    "material unknown": (ARM.replace("lower: {shape", "lower: {material: »skni, shape") + "materials: {skin: {density: 1}}\n", ["did you mean 'skin'?"]),
    "friction of ice": (ARM + "materials: {ice: {friction: »-1}}\n", ["from 0 to 100"]),
    "too springy": (ARM + "materials: {ball: {restitution: »1.5, »mu: 2}}\n", ["from 0 to 1", "did you mean 'friction'?"]),
    "friction of a body": (ARM.replace("lower: {shape", "lower: {»friction: 1, shape"), ["it stands in a material"]),
    # ---------------------------------------------------------------- contacts
    "ground as a number": (ARM + "ground: »0\n", ["got 0, allowed: a mapping with height, material"]),
    "ground of nothing": (ARM + "ground: {material: »wod, height: »2 kg}\nmaterials: {wood: {}}\n".replace("»wod, height: »2 kg", "»wod"), ["did you mean 'wood'?"]),
    "ground too heavy": (ARM + "ground: {height: »2 kg}\n", ["a unit of the kind m"]),
    "contacts as a flag": (ARM + "contacts: »true\n", ["got true, allowed: a mapping with never"]),
    "never one list": (ARM + "contacts: {never: [»upper, »lower]}\n", ["[first, second]", "[first, second]"]),
    "never of nobody": (ARM + "contacts: {never: [[upper, »lowr], [»limb, ground]]}\n", ["did you mean 'lower'?", "no group, body or figure 'limb'"]),
    "collide with a number": (ARM.replace("lower: {shape", "lower: {collide: »3, shape"), ["true or false, or the name of a group"]),
    "collide of what stretches": (ARM.replace("lower: {shape", "lower: {kind: scaled, scale_stiffness: 9, collide: »true, shape"), ["belongs to bodies that are"]),
    "a plane that moves": (ARM.replace("lower: {shape: {capsule: {from: [0.3, 0, 1], to: [0.6, 0, 1], radius: 2 cm}}", "lower: {shape: {plane: »{at: [0, 0, 0], normal: x}}"), ["belongs to a body that is `fixed`"]),
    "a plane that faces two ways": (ARM.replace("lower: {shape: {capsule: {from: [0.3, 0, 1], to: [0.6, 0, 1], radius: 2 cm}}", "lower: {fixed: true, shape: {plane: {at: [0, 0, 0], normal: x, rotate: »{y: 1}}}"), ["both say which way"]),
    "long in two ways": (ARM.replace("radius: 2 cm}}}\n  lower", "radius: 2 cm, at: »[0, 0, 0]}}}\n  lower"), ["goes with a `length`"]),
    "material of a shape": (ARM.replace("to: [0.6, 0, 1]", "to: [0.6, 0, 1], material: »rubbr") + "materials: {rubber: {}}\n", ["did you mean 'rubber'?"]),
    "joint that collides with a name": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, collide: »arm"), ["allowed: true or false"]),
    "comma in a text": (ARM + "parameters: {n: {value: 3, about: of the staves, »from lying}}\n", ["needs quotes"]),
    # ---------------------------------------------------------------- stumbles of new users
    "a ground that is true": (ARM + "ground: »true\ncontacts: »false\n", ["write `ground: {}`", "leave it out"]),
    "one drive for two": (ARM + JOINTS + ELBOW + "drives: {m: {joint: »[shoulder, elbow], torque: 1}}\n", ["an entry for each"]),
    "a torque in Nm": (ARM + JOINTS + ELBOW + "drives: {m: {joint: elbow, torque: »20 Nm}}\n", ["did you mean 'N*m'?"]),
    "a rope from and to": (ARM + "constraints: {a: {rope: [world, upper], »from: [0, 0, 2], »to: [0, 0, 1]}}\n", ["{first: [...], second: [...]}"] * 2),
    "a velocity as a list": (ARM + "start: {velocities: {upper: »[1, 0, 0]}}\n", ["got [1, 0, 0], allowed: a mapping with linear, angular"]),
    "a body that is a number": (ARM + "  third: »3\n", ["got 3, allowed: a mapping with kind"]),
    # ---------------------------------------------------------------- stumbles of three strangers
    "root of a negative number": (ARM + "parameters:\n  rod: 25 cm\n  throw: 30 cm\n  reach: »sqrt(rod^2 - throw^2)\n", ["the square root of -0.0275 is no real number, with rod = 0.25, throw = 0.3"]),
    "power of a negative number": (ARM + "parameters: {a: -2, b: »a^0.5}\n", ["-2 to the power of 0.5 is no real number, with a = -2"]),
    "parameter from further down": (ARM + "parameters:\n  tip: »foot + 0.1\n  foot: 6 cm\n", ["'foot' is defined further down, in line 7"]),
    "parameter of itself": (ARM + "parameters: {foot: »foot + 1}\n", ["unknown name 'foot'"]),
    "colour in braces without quotes": (ARM + "materials:\n  iron: {color: »#a9793f, density: 7800}\n  wood: {density: 500}\n", ['put the colour in quotes: "#a9793f"']),
    "colour at the end of the file": (ARM + "materials: {iron: {color: »#a97}}\n", ['put the colour in quotes: "#a97"']),
    "colour in a block": (ARM + "materials:\n  iron:\n    color:» #a9793f\n", ["# begins a comment"]),
    "unit of a list": (ARM + JOINTS + "  elbow:\n    hinge: [upper, lower]\n    limits: [-30, 60] »deg\n", ["behind each number: [-30 deg, 60 deg]"]),
    "unit of a list in braces": (ARM + JOINTS + ELBOW.replace("axis: y", "limits: [-30, 60] »deg"), ["behind each number: [-30 deg, 60 deg]"]),
    "swing to two sides": (ARM + JOINTS.replace("at:", "twist_axis: x, swing: »[-40 deg, 40 deg], at:"), ["one angle, the half angle of the cone: 40 deg; two are about x and y"]),
    "twist to one side": (ARM + JOINTS.replace("at:", "twist_axis: x, twist: »60 deg, at:"), ["write [-60 deg, 60 deg], or [0, 60 deg]"]),
    "limits of one number": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, limits: »1.5"), ["write [-1.5, 1.5]"]),
    "minus and a space": (ARM + "parameters:\n  arm: 3\n  x: »- arm\n", ["a minus and a space begin an entry of a list"]),
    "minus and a space in braces": (ARM + "parameters: {arm: 3, x: »- arm}\n", ["a minus and a space begin an entry of a list"]),
    "comma of a formula in a list": (ARM + "settings: {gravity: »[0, 0, -mod(19, 10)]}\n", ['put quotes around a formula with a comma: "-mod(19, 10)"']),
    "comma of a formula for each axis": (ARM + JOINTS.replace("at:", "stiffness: »[min(1, 2), 3, 4], at:"), ['put quotes around a formula with a comma: "min(1, 2)"']),
    "comma of a formula in braces": (ARM + "settings: {timestep: »min(3, »4)}\n", ["needs quotes"] * 2),
    "repeat in a repeat": (ARM + "contacts: {never: [[bead, bead]]}\nrepeat: {rows: {count: 2, »repeat: {row: {count: 3, body: {collide: bead, shape: {sphere: {radius: 1}}}}}}}\nconstraints: {c: {rope: [rows/last, rows/0]}}\n", ["repeats do not nest"]),
    "repeat in the body of a repeat": (ARM + "contacts: {never: [[bead, bead]]}\nrepeat: {rows: {count: 2, body: {»repeat: {count: 3, body: {collide: bead}}}}}\n", ["repeats do not nest"]),
    "copy after the last": (ARM + "repeat: {row: {count: 10, step: [1, 0, 0], body: {kind: particle, mass: 1, at: [0, 0, 0]}}}\nconstraints: {c: {rope: [world, »row/10]}}\n", ["the copies of 'row' are numbered from 0 to 9"]),
    "largest torque by other names": (ARM + JOINTS + ELBOW + "drives: {m: {joint: elbow, velocity: 1, »torque_max: 1}, n: {joint: elbow, torque: 1, »max_torque: 3}, o: {joint: elbow, torque: 1, »effort_max: 3}}\n", ["did you mean 'max'?"] * 3),
    "largest torque of a joint": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, »max_torque: 3"), ["stands under `drives`"]),
    "out of range in cm": (ARM + "parameters: {throw: {value: »30 cm, range: [2 cm, 10 cm]}, arm: {value: »35 cm, range: [20, 60]}, n: {value: »3, range: [5, 9]}}\n", ["throw is 30 cm, allowed: 2 cm to 10 cm", "arm is 35 cm, allowed: 2000 cm to 6000 cm", "n is 3, allowed: 5 to 9"]),
    "out of range in degrees": (ARM + "camera: {elevation: »100 deg}\nsettings: {timestep: »20000 ms}\n", ["allowed: a number in deg from -90 to 90", "a number in ms above 0, at most 10000"]),
    "drive of a motor": (ARM + JOINTS + ELBOW.replace("hinge:", "hinge_motor:").replace("axis: y", "axis: y, velocity: 1") + "drives: {m: {joint: »elbow, torque: 1}}\n", ["make it a `hinge`"]),
    # ---------------------------------------------------------------- medium, corrections
    "air too thick": (ARM + "medium: {density: »-1, viscosity: »1 kg, wind: »3}\n", ["from 0 to 1000000", "of the kind Pa*s", "a list of 3"]),
    "correction that does not go": (ARM + "settings: {correction: »feedback}\n", ["goes with the integrators implicit, explicit, rk4"]),
    "limit of a rope": (ARM + "constraints: {a: {rope: [upper, lower], longest: ».nan}}\n", ["above 0"]),
    "limits of three": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, limits: »[0, 1, 2]"), ["got 3 values"]),
    "limits of a ball": (ARM + JOINTS.replace("at:", "»limits: [0, 1], at:"), ["did you mean 'swing'?"]),
    "swing of nothing": (ARM + JOINTS.replace("at:", "swing: »-3 deg, at:"), ["0"]),
    "two swings of a soft cone": (
        ARM + JOINTS.replace("at:", "twist_axis: x, swing: »[30 deg, 50 deg], soft: {stiffness: 3}, at:"), ["hard limits"],
    ),
    "restitution without limits": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, restitution: »0.5"), ["there are no limits"]),
    "restitution of soft limits": (
        ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, limits: [0, 1], soft: {stiffness: 3}, restitution: »0.5"), ["spring back"],
    ),
    "restitution above one": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, limits: [0, 1], restitution: »1.5"), ["from 0 to 1"]),
    "soft without limits": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, soft: »{stiffness: 3}"), ["there are no limits"]),
    "colour as a comment": (ARM + "materials: {skin: {color: »d8a48f}}\n", ["in quotes"]),
    "name of the world": ("marionette: 1\nbodies: {»world: {kind: particle, mass: 1, at: [0, 0, 0]}}\n", ["it means the world"]),
    "name with a dot": ("marionette: 1\nbodies: {»a.b: {kind: particle, mass: 1, at: [0, 0, 0]}}\n", ["is no name"]),
    # ---------------------------------------------------------------- joints
    "body unknown": (ARM + JOINTS.replace("upper", "»uper"), ["no body 'uper'; did you mean 'upper'?"]),
    "kind misspelt": (ARM + "joints: {a: {»hing: [world, upper], at: [0, 0, 1], axis: y}}\n", ["did you mean 'hinge'?"]),
    "kind missing": (ARM + "joints: {a: »{at: [0, 0, 1]}}\n", ["what kind of joint?"]),
    "two kinds": (ARM + "joints: {a: {ball: [world, upper], »weld: [world, upper], at: [0, 0, 1]}}\n", ["one kind only"]),
    "kind of another engine": (ARM + "joints: {a: {»revolute: [world, upper], axis: y, at: [0, 0, 1]}}\n", ["it is `hinge`"]),
    "kind as a value": (ARM + "joints: {a: {type: »hinge, parent: world, child: upper}}\n", ["`hinge: [first, second]`"]),
    "colour of a body": (ARM.replace("lower: {shape", "lower: {»color: '#fff', shape"), ["`look: {color: ...}`"]),
    "shape outside of shape": (ARM.replace("lower: {shape: {capsule: {from: [0.3, 0, 1], to: [0.6, 0, 1], radius: 2 cm}}", "lower: {»box: {size: [1, 1, 1]}, mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]"), ["stand under `shape`"]),
    "shape without measures": (ARM.replace("lower: {shape: {capsule: {from: [0.3, 0, 1], to: [0.6, 0, 1], radius: 2 cm}}", "lower: {shape: »sphere"), ["{sphere: {at: ..., radius: ...}}"]),
    "diameter": ("marionette: 1\nbodies: {a: {shape: {sphere: {at: [0, 0, 0], radius: 1, »diameter: 2}}}}\n", ["half of that"]),
    "gravity at the top": (ARM + "»gravity: [0, 0, 0]\n", ["stands under `settings"]),
    "units at the top": (ARM + "»units: mm\n", ["20 mm"]),
    "motor inside a hinge": (ARM + "joints: {a: {hinge: [world, upper], at: [0, 0, 1], axis: y, »motor: 3}}\n", ["stands under `drives`"]),
    "ends by other names": ("marionette: 1\nbodies: {a: {shape: {capsule: {»start: [0, 0, 0], »end: [0, 0, 1], radius: 1}}}}\n", ["did you mean 'from'?", "did you mean 'to'?"]),
    "the ground": (ARM + "joints: {a: {ball: [»ground, upper], at: [0, 0, 1]}}\n", ["did you mean 'world'?"]),
    "spring of a joint": (ARM + JOINTS + "springs: {a: {»joint: shoulder, stiffness: 3}}\n", ["the joint's own `stiffness`"]),
    "place of a body as position": (ARM.replace("lower: {shape", "lower: {position: »[0, 0, 1], shape"), ["its shapes or `at` say"]),
    "drive of nobody": (ARM + JOINTS + ELBOW + "drives: {m: {joint: »elbw, velocity: 60 rpm, max: 5}}\n", ["did you mean 'elbow'?"]),
    "drive of nothing": (ARM + JOINTS + ELBOW + "drives: {m: »{velocity: 60 rpm, max: 5}}\n", ["what is driven"]),
    "drive with a wrong unit": (ARM + JOINTS + ELBOW + "drives: {m: {joint: elbow, velocity: »60 cm/s, max: »5 N}}\n", ["of the kind rad/s", "of the kind N*m"]),
    "drive without a gain": (ARM + JOINTS + ELBOW + "drives: {m: »{joint: elbow, velocity: 60 rpm}}\n", ["'damping' is missing"]),
    "drive of a ball as a number": (ARM + JOINTS + ELBOW + "drives: {m: {joint: shoulder, position: »1, stiffness: 3}}\n", ["three values"]),
    "target spring of the world": (ARM + JOINTS + "drives: {m: {body: »world, stiffness: 3}}\n", ["no force moves"]),
    "kind too general": (ARM + "constraints: {a: {»rolling: [world, upper]}}\n", ["it is one of rolling_sphere"]),
    "part of a compound": (ARM + "joints: {a: {compound: [world, upper], at: [0, 0, 1], parts: [{turn: y, »limts: [0, 1]}, »{spin: y}]}}\n", ["did you mean 'limits'?", "{turn: axis, ...}"]),
    "parts that depend on each other": (ARM + "joints: {a: »{compound: [world, upper], at: [0, 0, 1], parts: [{turn: y}, {turn: y}]}}\n", ["independent of each other"]),
    "motor without a motion": (ARM + "joints: {a: »{hinge_motor: [world, upper], at: [0, 0, 1], axis: y}}\n", ["one of `position` and `velocity`"]),
    "motor with a wrong unit": (ARM + "joints: {a: {hinge_motor: [world, upper], at: [0, 0, 1], axis: y, velocity: {mean: »3 m/s, amplitude: 1}}}\n", ["of the kind rad/s"]),
    "motor with a misspelt wave": (ARM + "joints: {a: {hinge_motor: [world, upper], at: [0, 0, 1], axis: y, velocity: {amplitude: 1, »frequencey: 2}}}\n", ["did you mean 'frequency'?"]),
    "times that go back": (ARM + "joints: {a: {hinge_motor: [world, upper], at: [0, 0, 1], axis: y, position: {times: »[0, 2, 1], values: [0, 1, 2]}}}\n", ["each larger than the one before"]),
    "a position that jumps": (ARM + "joints: {a: {hinge_motor: [world, upper], at: [0, 0, 1], axis: y, position: »{times: [0, 1], values: [0, 1], ease: step}}}\n", ["cannot jump"]),
    "clip of nothing": (ARM + "joints: {a: {hinge_motor: [world, upper], at: [0, 0, 1], axis: y, position: {clip: »walk.csv, channel: knee}}}\n", ["no file 'walk.csv'"]),
    "curve missing": (ARM + "constraints: {a: »{point_on_curve: [world, upper], at: [0, 0, 1]}}\n", ["one of `circle` and `spline`"]),
    "gears apart": (ARM + "constraints: {a: »{gear: [upper, lower], axis: y, radii: [0.1, 0.1]}}\n", ["distance of the centres"]),
    "rod of a wrong length": (ARM + "constraints: {a: {distance: [upper, lower], length: »-1 m}}\n", ["a length above 0"]),
    "coupling of nobody": (ARM + JOINTS + ELBOW + "constraints: {c: {coupling: {»elbw: 1, »shoulder: 2, »elbow.1: 1}}}\n", ["did you mean 'elbow'?", "has no coordinates", "has 1 coordinates"]),
    "coupling with nothing": (ARM + JOINTS + ELBOW + "constraints: {c: {coupling: {elbow: »0}}}\n", ["must not be 0"]),
    "massless body at the end": ("marionette: 1\nbodies: {»a: {kind: massless}, b: {shape: {sphere: {at: [0, 0, 0], radius: 1}}}}\njoints: {j: {ball: [b, a], at: [0, 0, 1]}}\n", ["two: one on each side"]),
    "normal of a rigid body": (ARM.replace("lower: {shape", "lower: {normal: »y, shape"), ["belongs to bodies that are planar"]),
    "planar body with six": ("marionette: 1\nbodies: {a: {kind: planar, at: [0, 0, 0], mass: 1, inertia: »[1, 1, 1]}}\n", ["is one number"]),
    "scaled body without a spring": ("marionette: 1\nbodies: {a: »{kind: scaled, shape: {sphere: {at: [0, 0, 0], radius: 1}}}}\n", ["'scale_stiffness' is missing"]),
    "moving body that is nowhere": (ARM.replace("lower: {shape", "lower: »{kind: moving, shape"), ["'position' is missing"]),
    "moved by nothing": (ARM.replace("upper: {shape", "upper: {fixed: true, shape") + "joints: {a: {ball: »[world, upper], at: [0, 0, 1]}}\n", ["neither of the two can be moved"]),
    "in the wrong section": (ARM + "joints: {a: {»distance: [world, upper], at: [0, 0, 1]}}\n", ["belongs under `constraints`"]),
    "axis missing": (ARM + "joints: {a: »{hinge: [world, upper], at: [0, 0, 1]}}\n", ["'axis' is missing: the axis of rotation"]),
    "axis zero": (ARM + "joints: {a: {hinge: [world, upper], at: [0, 0, 1], axis: »[0, 0, 0]}}\n", ["must not be zero"]),
    "axis a word": (ARM + "joints: {a: {hinge: [world, upper], at: [0, 0, 1], axis: »up}}\n", ["x, y, z, -x, -y, -z or three numbers"]),
    "axes not across": (ARM + "joints: {a: {universal: [world, upper], at: [0, 0, 1], axis: y, axis2: »[1, 1, 0]}}\n", ["at right angles, and make 45 deg"]),
    "at missing": (ARM + "joints: {a: »{ball: [world, upper]}}\n", ["'at' is missing"]),
    "at of another body": (ARM + "joints: {a: {ball: [world, upper], at: {world: [0, 0, 1], »uper: [0, 0, 1]}}}\n", ["did you mean 'upper'?"]),
    "tied to itself": (ARM + "joints: {a: {ball: [upper, »upper], at: [0, 0, 1]}}\n", ["connected to itself"]),
    "one body": (ARM + "joints: {a: {ball: »[upper], at: [0, 0, 1]}}\n", ["a list of 2 names of body"]),
    "limits reversed": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, soft: {stiffness: 9}, limits: »[90 deg, 0 deg]"), ["reversed"]),
    "limits without room": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, limits: »[0, 0]"), ["no room between the limits"]),
    "rope that is shorter than short": (ARM + "constraints: {a: {rope: [upper, lower], longest: 1, shortest: »2}}\n", ["less than the longest"]),
    "distance that may be less": (ARM + "constraints: {a: {distance: [upper, lower], »at_most: 1}}\n", ["{rope: [first, second]"]),
    "stiffness negative": (ARM + JOINTS + ELBOW.replace("axis: y", "axis: y, stiffness: »-3"), ["0 or more"]),
    "stiffness of a slider": (ARM + "joints: {a: {slider: [world, upper], at: [0, 0, 1], axis: z, stiffness: »3 N*m/rad}}\n", ["a unit of the kind N/m"]),
    "joint twice": (ARM + JOINTS + "  »again: {ball: [upper, world], at: [0, 0, 1]}\n", ["the same bodies at the same point as 'shoulder'"]),
    "spring without an end": (ARM + "springs: {s: »{between: [world, lower], stiffness: 3}}\n", ["'from' is missing"]),
    "spring with a wrong unit": (ARM + "springs: {s: {between: [upper, lower], stiffness: »3 N*m/rad}}\n", ["of the kind N/m"]),
    "pin of nobody": (ARM + "pins: {p: {pose: »uper}}\n", ["did you mean 'upper'?"]),
    "pin of nothing": (ARM + "pins: {p: »{at: [0, 0, 1]}}\n", ["one of `pose: body` and `point: body`"]),
    "pin with a cap": (ARM + "pins: {p: {pose: upper, cap: »3 kg}, q: {pose: lower, cap: »0}}\n", ["of the kind N", "above 0"]),
    "particle on a hinge": ("marionette: 1\nbodies: {a: {kind: particle, mass: 1, at: [0, 0, 0]}}\njoints: {j: {hinge: [world, »a], axis: y, at: [0, 0, 0]}}\n", ["is a particle"]),
    "joint name twice": (ARM + JOINTS + "constraints: {»shoulder: {distance: [upper, lower]}}\n", ["exists already among joints"]),
    # ---------------------------------------------------------------- names of names
    "group of nobody": (ARM + JOINTS + "groups: {arm: [shoulder, »elbw]}\n", ["is no joint and no body"]),
    "pattern of nothing": (ARM + "groups: {arm: [»'finger*']}\n", ["matches nothing"]),
    "pose of nobody": (ARM + JOINTS + "poses: {up: {»sholder: {y: 1}}}\n", ["did you mean 'shoulder'?"]),
    "pose of a ball as a number": (ARM + JOINTS + "poses: {up: {shoulder: »30 deg}}\n", ["as a rotation vector"]),
    "start in no pose": (ARM + JOINTS + "poses: {up: {shoulder: {y: 1}}}\nstart: {pose: »upp}\n", ["did you mean 'up'?"]),
    "velocity of nobody": (ARM + "start: {velocities: {»uper: {linear: [1, 0, 0]}}}\n", ["did you mean 'upper'?"]),
    "velocity misspelt": (ARM + "start: {velocities: {upper: {»liner: [1, 0, 0]}}}\n", ["did you mean 'linear'?"]),
    "default misspelt": (ARM + "defaults: {joint: {»dampng: 1}}\n", ["did you mean 'damping'?"]),
    # ---------------------------------------------------------------- copies, figures, values by path
    "count of a half": ("marionette: 1\nrepeat: {c: {count: »2.5, body: {kind: particle, mass: 1, at: [0, 0, 0]}}}\n", ["a whole number"]),
    "wrong in a copy": ("marionette: 1\nrepeat: {c: {count: 9, body: {kind: particle, mass: »0, at: [0, 0, 0]}}}\n", ["above 0"]),
    "this elsewhere": (ARM + "joints: {a: {ball: [world, »this], at: [0, 0, 1]}}\n", ["only in the joint of a repeat"]),
    "use of nothing": (ARM + "figures: {a: {use: »hnad}}\n", ["did you mean 'hand'?"]),
    "use outside": (ARM + "figures: {a: {use: »../../etc/passwd.yaml}}\n", ["outside the scene's folder"]),
    "set of a figure": (ARM + "figures: {a: {use: hand, set: {»stifness: 3}}}\n".replace("»stifness: 3", "stifness: »3"), ["did you mean 'stiffness'?"]),
    "mirror across nothing": (ARM + "figures: {a: {use: hand, mirror: »left}}\n", ["x, y, z"]),
    "override of nothing": (ARM + JOINTS + "overrides: {joints.sholder.stiffness: »3}\n", ["did you mean 'shoulder'?"]),
    "override of no field": (ARM + JOINTS + "overrides: {joints.shoulder.stifness: »3}\n", ["did you mean 'stiffness'?"]),
    "override too short": (ARM + JOINTS + "overrides: {joints.shoulder: »3}\n", ["the field is missing"]),
    "figure of a pattern": (ARM + "figures: {a: {use: »'./parts.ya**'}}\n", ["no file './parts.ya**'"]),
    "include of nothing": (ARM + "include: [»parts.yaml]\n", ["no file 'parts.yaml'"]),
    "check misspelt": (ARM + "checks: {»gapp: {below: 1}}\n", ["did you mean 'gap'?"]),
    # ---------------------------------------------------------------- several at once
    "five": (
        """marionette: 1
settings: {timestep: »-1, »grvity: [0, 0, 0]}
bodies:
  a: {kind: particle, »mas: 1, at: [0, 0, 0]}
  b: {shape: {sphere: {at: [0, »zero, 0], radius: 1}}}
  c: {kind: particle, mass: 1, at: [1, 0, 0]}
constraints:
  rod: {distance: [c, »d]}
  held: {distance: [a, b]}
""",
        ["above 0", "did you mean 'gravity'?", "did you mean 'mass'?", "unknown name 'zero'", "no body 'd'"],
    ),
    "six in two lines": (
        """marionette: 1
bodies:
  a: {mass: »0, inertia: »[1, 1], at: »[0, 0], »colour: 3, density: »none, material: »3}
""",
        ["above 0", "got 2 values", "got 2 values", "unknown key", "unknown name 'none'", "the name of a material"],
    ),
}  # fmt: skip


def unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without its marks, and their lines and columns from 0."""
    places = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        while "»" in line:
            places.append((number, line.index("»")))
            line = line.replace("»", "", 1)
        lines[number] = line
    return "\n".join(lines), places


@pytest.mark.parametrize("name", CASES)
def test_every_mistake_is_reported_at_its_place(name, tmp_path):
    marked, words = CASES[name]
    text, places = unmarked(marked)
    start = time.process_time()
    with pytest.raises(SceneError) as caught:
        read_scene_text(text, "broken.yaml", tmp_path)
    spent = time.process_time() - start
    errors = [p for p in caught.value.problems if p.severity == "error"]
    assert [(p.mark.line, p.mark.column) for p in errors] == places, str(caught.value)
    for problem, word in zip(errors, words, strict=True):
        assert word in problem.message
        line, column = problem.mark.line + 1, problem.mark.column + 1
        assert str(problem).startswith(f"broken.yaml:{line}:{column}: error: ")
    if spent > 0.1:  # once more: a collection of garbage or a loaded machine is not what is measured
        start = time.process_time()
        with pytest.raises(SceneError):
            read_scene_text(text, "broken.yaml", tmp_path)
        spent = time.process_time() - start
    assert spent < 0.1


def test_there_are_enough_of_them():
    assert len(CASES) >= 60


def test_a_line_that_is_cut_says_so():
    line = "abc" * 40
    assert excerpt(line, 5) == (line[:73] + "...", 5)
    assert excerpt(line[:76], 5) == (line[:76], 5)
    text, column = excerpt(line + line, 150)
    assert text.startswith("...") and text.endswith("...") and text[column] == "a"  # noqa: PT018


def test_never_with_the_ground_of_a_scene_without_one_is_told():
    text = ARM + "joints: {elbow: {ball: [upper, lower], at: [0.3, 0, 1]}}\ncontacts: {never: [[upper, ground]]}\n"
    scene = read_scene_text(text)
    assert [p.message for p in scene.problems] == ["there is no `ground:` in this scene; `ground: {}` makes one"]
    assert read_scene_text(text + "ground: {}\n").problems == []
