"""The JSON Schema for editors and the reference page. Both are made from the models of the language.

`python -m scenes.writing.reference` writes them to assets/scene.schema.json and scenes/REFERENCE.md; a test compares
them with the models.
"""

from pathlib import Path
from typing import Any

from physics.definitions.shapes.drag import ACROSS, BOX, END, SPHERE
from scenes.kinds.bodies import Body, Frame, Look, Material
from scenes.kinds.constraints import Circle, Coupling, Spline
from scenes.kinds.drives import Drive, TargetSpring
from scenes.kinds.formulas import Condition, GroupCondition, VelocityCondition
from scenes.kinds.joints import PARTS
from scenes.kinds.sections import (
    FORMAT,
    SECTIONS,
    Camera,
    Checks,
    Contacts,
    Defaults,
    EnergyCheck,
    Figure,
    FiniteCheck,
    GapCheck,
    Ground,
    Load,
    Medium,
    Parameter,
    Pin,
    Repeat,
    Settings,
    Start,
    Velocity,
)  # fmt: skip
from scenes.kinds.shapes import SHAPES
from scenes.kinds.signals import FORMS, ClipPose, KeyRows
from scenes.kinds.table import TIES
from scenes.kinds.ties import Joint, Tie
from scenes.text.expressions import CONSTANTS, FUNCTIONS
from scenes.text.schema import Model, is_live
from scenes.text.units import UNITS
from scenes.writing.json_schema import default_of, json_schema, value_of

TOP = Path(__file__).resolve().parents[2]
SCHEMA_FILE = TOP / "assets" / "scene.schema.json"
PAGE_FILE = TOP / "scenes" / "REFERENCE.md"

# what `at` of a joint is when it is left out, by the `where` of its kind
PLACES = {
    "shared": "required; else the place of a particle or massless body",
    "first": "required",
    "second": "the second body's centre of mass",
    "centres": "the centres of mass",
}
PLACELESS = ("free",)


# ---------------------------------------------------------------- the reference page
CONTENTS = "(contents)"
# fields of all joints and constraints, which are explained once
COMMON = ("auxiliary", "collide")


def _shown(value: Any) -> str:
    """Return a default in the form in which the page shows it."""
    if value is None or value == () or value == "":
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[" + ", ".join(f"{v:g}" for v in value) + "]`"
    return f"`{value:.6g}`" if isinstance(value, float) else f"`{value}`"


def _common() -> str:
    """Return the table of the fields that all joints share."""
    rows = ["| field | value | default | |", "|---|---|---|---|"]
    for key in ("at", *COMMON):
        info = Joint.model_fields[key]
        default = "see each kind" if key == "at" else _shown(default_of(info))
        rows.append(f"| `{key}` | {value_of(info).words()} | {default} | {info.description} |")
    return "\n".join(rows)


HEAD = f"""# The scene language

Made from the models in `scenes/` by `python -m scenes.writing.reference`; do not edit. The [tutorial](TUTORIAL.md)
builds a hand step by step. The scenes in `scenes/library` show every section in use.

A scene is one YAML 1.2 file that begins with `marionette: {FORMAT}`. Geometry is given in world axes, with z up, at the
**drawn pose**: the pose in which the file describes the figure. `marionette check FILE` reports everything that is
wrong with a scene.

```yaml
marionette: {FORMAT}
bodies:
  upper: {{shape: {{capsule: {{from: [0, 0, 1], to: [0.3, 0, 1], radius: 2 cm}}}}}}
  lower: {{shape: {{capsule: {{from: [0.3, 0, 1], to: [0.6, 0, 1], radius: 2 cm}}}}, mass: 200 g}}
joints:
  shoulder: {{ball: [world, upper], at: [0, 0, 1]}}
  elbow: {{hinge: [upper, lower], at: [0.3, 0, 1], axis: y, stiffness: 0.5 N*m/rad, damping: 0.01}}
```

{CONTENTS}

## Values
- **Numbers** without a unit are in SI units (metres, kilograms, seconds, radians). A written unit is checked: `20 deg`,
  `5 N*m`, `2 cm`, `1/240 s`, `60 rpm`. Units: {", ".join(f"`{u}`" for u in UNITS if u != "1")}; products and powers
  like `N*m/rad`, `kg*m^2`.
- **Lengths**, and distances from the origin, are at most 1e7 m. Larger numbers are rounded by more than the gap that
  joints may have (1e-6 m).
- **Expressions** stand wherever a number does: `2*pi*radius`, `(links - 1)*0.1`. Operators are `+`, `-`, `*`, `/`, `**`
  (or `^`) and brackets; functions are
  {", ".join(f"`{f}`" for f in FUNCTIONS)};
  names are the parameters of the scene, {" and ".join(f"`{c}`" for c in CONSTANTS)}, and `index` inside a repeat.
  A parameter may use those above it.
- **A unit comes last** and belongs to the whole expression: `1/240 s`, `2*24 mm/s`, `(links + 2) cm`. A sum with a unit
  needs brackets, and no unit may stand inside an expression: for 8 cm more than `reach` write `reach + 0.08`. A
  parameter that has a unit is in SI units where it is used: with `width: 5 cm` write `width/2`. The text `width/2 cm`
  is for a plain number such as `width: 5`, and is refused otherwise.
- **Quotes** are needed where YAML would misread an expression: around an expression with a comma inside `[...]` or
  `{{...}}` (`[0, 0, "min(a, b)"]`), and where it begins with a minus and a space. `x: -arm*sin(lean)` and
  `[-2*gap, 0, 1]` need no quotes. Colours always need quotes, because `#` begins a comment.
- **Angles** above a whole turn need a unit: `140` is refused; write `140 deg`. In a list each number has its own unit:
  `[-30 deg, 60 deg]`.
- **Names** have letters, digits, `_` and `-`. A body of a figure is named as `soft/palm`, and copies of a repeat as
  `chain/0`, `chain/1`, ..., `chain/last`. `world` stands for the world.
- **Paths** name any value: `bodies.lower.mass`, `joints.elbow.stiffness`, `groups.fingers.damping`,
  `settings.timestep`. The path of a parameter is its name. `--set`, the `set` of figures, `overrides` and messages use
  paths.
- `${{name}}` puts a parameter into `name` and `about`.

In the tables, a field marked *live* can be changed while the figure moves. After a change of any other field the model
is built anew.
"""


PARAMETERS = """
A parameter is written short, `width: 5 cm`, or with a range and a description:
`beads: {value: 10, range: [2, 40], about: on each strand}`. The command line sets it by `--set width=0.06`, and a scene
that uses this one as a figure by `set`."""

BODIES = """
A body without joints moves freely and falls. `fixed` bodies and the `world` do not move."""

FRAME = """
Points, axes and moments in the frame are rotated by `rotate` about its origin, and then moved by its `at`; the centre
of mass is, too. (The `at` and `axis` of joints are always in world axes.) In this example the x axis of the frame is
the y axis of the world. The centre of mass is 0.2 m along it from [1, 0, 0], at [1, 0.2, 0]. The moment 0.3 is about
the y axis of the frame, which is the -x axis of the world.

```yaml
marionette: 1
bodies:
  plate: {frame: {at: [1, 0, 0], rotate: {z: 90 deg}}, at: [0.2, 0, 0], mass: 2, inertia: [0.1, 0.3, 0.35]}
```"""

JOINTS = f"""
A joint has two bodies, and a point `at` in the world at which it connects them. Its coordinates are 0 at the drawn
pose. An angle is the rotation of the second body relative to the first, positive by the right-hand rule about the axis;
a travel is the displacement along the axis. `rest`, `limits`, poses and the `position` of drives are such coordinates.
Joints have no dry (Coulomb) friction; `damping` slows them. Limits are hard stops, unless `soft` gives them a
stiffness.

All joints and constraints have the fields below. `at` may give a point for each body,
`{{upper: [0.3, 0, 1], lower: [0.31, 0, 1]}}`. Loading then moves the bodies until the points meet, and `check` and
`simulate` report that. It is an error where a body would have to move by more than a tenth of its figure.

{_common()}

One joint more closes a loop; it needs no mark. Loops may hold a body more often than needed (four hinges with parallel
axes in a plane, a door on two hinges): the rows that repeat others are found, and the load is shared over all joints
that carry it, in every solver. Supports that lie symmetrically carry equal loads, so that each hinge of a door carries
half of its weight. Of all forces with the same effect, the result has the smallest sum of |F|^2 + |M|^2 / r^2 over the
joints, with r a hundredth of the mean radius of gyration of the bodies; joints therefore carry by forces rather than by
moments. The motion does not depend on this choice. The solver chooses a tree of joints to work on. `auxiliary: true`
keeps a joint out of the tree, which changes speed and rounding but not the motion. The solvers `jsim` and `aba` refuse
some constraints in the tree; with `auxiliary: true` they accept them. This example has a driven crank, a rod, and a
rocker that a spring pulls:

```yaml
marionette: {FORMAT}
bodies:
  crank: {{shape: {{capsule: {{from: [0, 0, 1], to: [0, 0, 1.1], radius: 1 cm}}}}}}
  rod: {{shape: {{capsule: {{from: [0, 0, 1.1], to: [0.3, 0, 1.25], radius: 1 cm}}}}}}
  rocker: {{shape: {{capsule: {{from: [0.3, 0, 1.25], to: [0.3, 0, 1], radius: 1 cm}}}}}}
joints:
  a: {{hinge: [world, crank], at: [0, 0, 1], axis: y}}
  b: {{hinge: [crank, rod], at: [0, 0, 1.1], axis: y}}
  c: {{hinge: [rod, rocker], at: [0.3, 0, 1.25], axis: y}}
  d: {{hinge: [world, rocker], at: [0.3, 0, 1], axis: y}}
drives: {{motor: {{joint: a, velocity: 60 rpm, max: 5 N*m}}}}
springs: {{pull: {{between: [world, rocker], from: [0.6, 0, 1.2], to: [0.3, 0, 1.2], stiffness: 20, damping: 0.5}}}}
```"""

CONTACTS = """
In this example a box falls on a floor, and a ball bounces on both:

```yaml
marionette: 1
materials: {wood: {friction: 0.5}, rubber: {friction: 1, restitution: 0.7}}
ground: {height: 0, material: wood}
bodies:
  crate: {material: wood, shape: {box: {size: [0.3, 0.3, 0.3], at: [0, 0, 0.5]}}}
  ball: {material: rubber, shape: {sphere: {at: [0.05, 0, 1.5], radius: 0.1}}}
```

For a ragdoll whose limbs do not touch each other, write `collide: limb` in each of its bodies (or under
`defaults: {body: ...}`), and `contacts: {never: [[limb, limb]]}`. Each figure has its own groups, so the limbs of two
ragdolls do touch."""

CONSTRAINTS = """
`function` and `velocity_function` are for constraints that are not in this list. Their formulas stay zero. A formula
has the coordinates below (in m, m/s, rad/s), parameters and numbers. `1` is the first body and `2` the second; a name
without a number is of the second body relative to the first, in axes that rotate with the first.

- `x1 y1 z1`, `x2 y2 z2`: the point of each body (`at`, else its centre of mass); `x y z`: the vector from the point of
  the first body to that of the second.
- `Xx1 Xy1 Xz1`, `Yx1` ... `Zz1`, the same with `2`, and without a number: the present directions of the body's axes,
  which are x, y, z at the drawn pose. `Zx2` is the x component of the second body's Z axis.
- In `velocity_function` also `vx1 vy1 vz1`, the velocity of the point, and `wx1 wy1 wz1`, the angular velocity; the
  same with `2`, and without a number.

The constraint forces of both act along the gradients of the formulas. For more than two bodies, and for other forces,
there are [condition](#condition) and [velocity_condition](#velocity_condition). These count bodies only; the world is
not one of them.

This example has a bead on an ellipse, two weights on one rope over a pulley, and a wheel of radius 0.2 m that rolls
along x:

```yaml
marionette: 1
bodies:
  bead: {kind: particle, mass: 0.1, at: [0.5, 0, 0]}
  left: {kind: particle, mass: 1, at: [2, 0, 1]}
  right: {kind: particle, mass: 1.2, at: [3, 0, 1]}
  wheel: {shape: {cylinder: {from: [0, 2, 0.2], to: [0, 2.05, 0.2], radius: 0.2}}}
joints:
  upright: {planar: [world, wheel], at: [0, 2, 0.2], normal: y}
constraints:
  wire: {function: [world, bead], zero: ["(x2/0.5)^2 + (z2/0.3)^2 - 1", y2]}
  rope: {function: [left, right], zero: z1 + z2 - 2}
  rests: {function: [world, wheel], zero: z2 - 0.2}
  rolls: {velocity_function: [world, wheel], zero: vx2 - 0.2*wy2}
start: {velocities: {wheel: {linear: [1, 0, 0], angular: [0, 5, 0]}}}
```

In a figure or a repeat, coordinates count from the place of the figure or copy."""

CONDITION = """
The names of coordinates are those of `function`, with the number of the body in the list: `x1 y1 z1` to `Zz1` are of
the first body, `x3` is of the third. The list may have a single body. The example has three weights on one rope, which
slips through rings on the upper two; a bar and its load, whose common centre of mass stays on a line; and a drone that
holds its height by an inclined thruster. The thrust is as large as it has to be, `m g / 0.8`, and its horizontal part
accelerates the drone: such a `force` does work.

```yaml
marionette: 1
bodies:
  high: {kind: particle, mass: 1, at: [0.3, 0, 1.6]}
  middle: {kind: particle, mass: 2, at: [0, 0, 1.2]}
  low: {kind: particle, mass: 3, at: [0, 0, 0.2]}
  bar: {shape: {box: {size: [1, 0.1, 0.1], at: [2, 0, 1]}}, mass: 1}
  load: {shape: {sphere: {at: [2, 0, 0.5], radius: 0.1}}, mass: 3}
  drone: {shape: {box: {size: [0.3, 0.3, 0.1], at: [0, 2, 1]}}}
constraints:
  rope:
    condition: [high, middle, low]
    zero: sqrt(x1^2 + y1^2 + (z1 - 2)^2) + sqrt((x2 - x1)^2 + (y2 - y1)^2 + (z2 - z1)^2)
      + sqrt((x3 - x2)^2 + (y3 - y2)^2 + (z3 - z2)^2) - 2
  balanced: {condition: [bar, load], zero: [(x1 + 3*x2)/4 - 2, (y1 + 3*y2)/4]}
  height: {condition: [drone], zero: z1 - 1, force: {drone: [0.6, 0, 0.8]}}
```"""

VELOCITY_CONDITION = """
The names are those of `condition`, and for each body `vx1 vy1 vz1`, the velocity of its point, and `wx1 wy1 wz1`, its
angular velocity. The example is a differential: two wheels of radius 0.2 m roll at the sides of a cart. The cart moves
with the mean of their speeds, and rotates with their difference divided by 1 m. The position of the cart does not
follow from the angles of the wheels.

```yaml
marionette: 1
bodies:
  cart: {shape: {box: {size: [0.6, 0.8, 0.1], at: [0, 0, 0.2]}}, mass: 10}
  left: {shape: {cylinder: {from: [0, 0.475, 0.2], to: [0, 0.525, 0.2], radius: 0.2}}, mass: 1}
  right: {shape: {cylinder: {from: [0, -0.525, 0.2], to: [0, -0.475, 0.2], radius: 0.2}}, mass: 1}
joints:
  ground: {planar: [world, cart], at: [0, 0, 0.2], normal: z}
  turn_left: {hinge: [cart, left], at: [0, 0.5, 0.2], axis: y}
  turn_right: {hinge: [cart, right], at: [0, -0.5, 0.2], axis: y}
constraints:
  rolls:
    velocity_condition: [cart, left, right]
    zero:
      - vx1*Xx1 + vy1*Xy1 - 0.1*((wx2 + wx3)*Yx1 + (wy2 + wy3)*Yy1)
      - vx1*Yx1 + vy1*Yy1
      - wz1 - 0.2*((wx3 - wx2)*Yx1 + (wy3 - wy2)*Yy1)
drives: {motor: {joint: turn_right, torque: 0.5 N*m}}
```"""

COUPLING = """
In this example two jaws open equally. Their axes are mirrored, so that their angles are equal and the difference stays
0. With the same axis for both, their angles would be opposite, and the sum would stay 0:
`{open_left: 1, open_right: 1}`.

```yaml
marionette: 1
bodies:
  palm: {fixed: true, shape: {box: {size: [0.2, 0.04, 0.04], at: [0, 0, 0]}}}
  left: {shape: {capsule: {from: [-0.08, 0, 0], to: [-0.08, 0.15, 0], radius: 8 mm}}}
  right: {shape: {capsule: {from: [0.08, 0, 0], to: [0.08, 0.15, 0], radius: 8 mm}}}
joints:
  open_left: {hinge: [palm, left], at: [-0.08, 0, 0], axis: z}
  open_right: {hinge: [palm, right], at: [0.08, 0, 0], axis: -z}
constraints: {symmetric: {coupling: {open_left: 1, open_right: -1}}}
drives: {grip: {joint: open_left, torque: 0.01 N*m}}
```"""

INTEGRATOR = """
The order of an `integrator` is the power of the timestep with which errors in smooth motion decrease. An integrator
treats springs, dampers, drives and the medium implicitly, which is stable at any stiffness, or explicitly, which needs
a timestep below 2 / w with the frequency w [rad/s] of the fastest vibration.

| integrator | order | springs | for what |
|---|---|---|---|
| `trbdf2` | 2 | implicit | all; what vibrates or turns by more than 0.1 rad a step is damped |
| `implicit` | 1 | implicit | stiff figures in little time; it damps more |
| `hernandez` | 1 | implicit | the method of its paper: joints stay open by up to 1 cm |
| `rattle` | 2 | explicit | energy that does not drift in long runs |
| `rattle4` | 4 | explicit | the same, precisely; 5 times the time |
| `rk4` | 4 | explicit | precise smooth motion |
| `explicit` | 1 | explicit | comparison |

The order is lower in some cases: 1 for `rattle` and `rattle4` with dampers, 2 for `rattle4` with conditions on
velocities, and 1 for all integrators where contacts or limits carry a force."""

MEDIUM = f"""
The medium exerts a force F and a torque T on each simple shape. In the axes i of the shape, with the velocity u of its
centre relative to the medium, the angular velocity w of its body, the density rho and the viscosity mu:

- F_i = -(rho s c_i + mu S_i) u_i, with s = sqrt(c_1 u_1^2 + c_2 u_2^2 + c_3 u_3^2) and c_i = (C_i A_i / 2)^(2/3)
- T_i has the same form in w_i, with c_i = (M_i / 2)^(2/3) and S'_i.

Along one axis this is the drag -rho C A u^2 / 2 - mu S u, with the drag coefficient C and the projected area A. C A is

- sphere of radius r: {SPHERE} pi r^2
- box of half sizes a, b, c: {BOX} * 4 b c, {BOX} * 4 a c, {BOX} * 4 a b
- cylinder of radius r and length l: across its axis {ACROSS} * 2 r l, along it {END} pi r^2
- capsule, l between the centres of its ends: across {SPHERE} pi r^2 + {ACROSS} * 2 r l, along {SPHERE} pi r^2
- hull: {BOX} times half the sum of |n_i| dA over its faces, their projection along the axis if it is convex.

S is that of Stokes' law for slow motion. It is exact for spheres, 6 pi r, and for ellipsoids; other shapes have the S
of the ellipsoid with their half sizes. S' of a sphere is 8 pi r^3. M is the integral of C |d|^3 dA over the strips of a
face at the distance d from the axis of rotation: 0 for a sphere, {BOX} a (b^4 + c^4) for a box about the axis of a, and
for a hull with its half sizes; {ACROSS} r (l/2)^4 for cylinders and capsules across their axis, and 0 about it.

There is no buoyancy, no lift and no added mass, and shapes do not shadow each other. The medium does not act on planes,
on particles without a shape, on scaled bodies, and on bodies with a prescribed motion."""

DRIVES = """
A drive acts on a coordinate of a joint (`hinge`, `slider`, `ball`, ...) with a torque or force that `max` may limit; a
stronger load then moves the joint. A `hinge_motor` or `slider_motor` under `joints` follows its prescribed motion
exactly, with any torque that this needs. Use a motor where the motion is known, and a drive where forces matter."""

REPEAT = """
`body` and `joint` are written for the first copy, and moved by `step` from one copy to the next; the `at` of the joint
moves, too. Expressions with `index` (0 for the first copy) are computed for each copy. The first joint connects the
first copy to `first`. A repeat cannot contain a repeat: for rows of 10, `floor(index/10)` is the row, and
`"mod(index, 10)"` the place in the row.

```yaml
marionette: 1
parameters: {links: 6, length: 10 cm}
bodies:
  hook: {fixed: true, shape: {sphere: {at: [0, 0, 2], radius: 1 cm}}}
repeat:
  chain:
    count: links
    step: [0, 0, -length]
    first: hook
    body: {shape: {capsule: {from: [0, 0, 2], to: [0, 0, 2 - length], radius: (10 - index) mm}}}
    joint: {ball: [previous, this], at: [0, 0, 2]}
springs: {pull: {between: [world, chain/last], from: [1, 0, 1], to: [0, 0, 2 - links*length], stiffness: 5 N/m}}
```"""

SUMMARY = """
`marionette simulate FILE --seconds 10` runs a scene without the window; `--json` gives all numbers.

- **largest gap**: the largest gap (m or rad) of a joint or constraint in the run, and its name. A good value is 1e-6 or
  less.
- **motion**: the largest distance of a centre of mass from its place at the start, and the name of the body; the
  fastest body at the end, and its speed.
- **energy change**: the change of the sum of kinetic, elastic and gravitational energy, and its causes. *work done* is
  the work of drives, motors, loads and wind; *contacts* and *limits* are the losses by impacts and friction; *redone
  steps* is the energy that these gave up; *dampers* is the loss by damping of joints and springs and by the medium. In
  a scene without damping the rest is *unexplained*: it is the error of the integrator, and measures how good the
  timestep is.
- **substeps**: the number of steps in which a figure rotated too fast for a whole step. Such a figure is followed in
  smaller steps of the integrator, at its order, or of `implicit` where it touches something or presses on a limit; the
  other figures take the whole step. Substeps cost time and no energy. A cracking whip needs them.
- **redone steps**: the number of steps that failed in substeps, too, that springs threw by more than a radian, or that
  failed under contacts or in loops although they rotated slowly. A simpler method takes them again and loses some of
  their energy; a smaller timestep keeps it. A figure that rotates too fast even for the shortest substep is slowed to a
  radian a step; where the smaller steps would gain energy, the figure is slowed a little. *Frozen substeps* are those
  that still failed and were skipped; the figure stays where it was. Both numbers are 0 in a sound scene.
- **contacts**: the number of contact points with a force, now and at most, and the largest depth to which surfaces
  penetrated each other.
- **check**: the result of each check of the scene (see [checks](#checks)); *not reached* means that the run was shorter
  than the check asks for."""

FUNCTIONS_OF_TIME = """
The position or velocity of a motor, the length of a rod, and the position of a moving body are numbers, or functions of
time in one of these forms: `{rate: 2 rad/s}`, `{mean: 0, amplitude: 30 deg, frequency: 1 Hz}`,
`{times: [0, 1, 2], values: [0, 90 deg, 0], ease: smooth, repeat: true}`, `{clip: run.csv, channel: knee}`. Between two
values the function is straight (`linear`), comes to rest at each value (`smooth`), has a continuous acceleration
(`spline`), or is constant up to the next value (`step`). A clip is a CSV file. Its first line has the names of the
channels, of which `time` is the first; a line of numbers for each time follows. `marionette simulate --out run.csv`
writes such files."""

PROSE = {
    "groups": """
A group is a list of names of joints or bodies, or of patterns in which `*` stands for any text:
`fingers: [index1, "middle*"]`. A path such as `groups.fingers.stiffness` changes all members that have the field.""",
    "poses": """
A pose gives values to joints or groups: the angle of a hinge, the travel of a slider, the two angles of a universal
joint, the rotation vector `{x, y, z}` of a ball, all relative to the drawn pose:
`poses: {bent: {elbow: 90 deg, shoulder: {y: -30 deg}}}`. Joints without a value stay as they are drawn. Where all
joints of a loop but those that close it have values, the loop is checked, and a small gap (by rounded degrees) is
closed by moving all joints of the loop a little. Where only some joints of a loop have values, and the loop is closed
as drawn, the other joints follow, and the values are kept. A pose whose loop could be closed only by moving a body by
more than a tenth of its figure is an error.""",
    "overrides": """
Overrides are values by path, which replace all others in the file: `overrides: {joints.elbow.stiffness: 2}`. Programs
write a value here where they cannot change it in its own place.""",
}


def reference_page() -> str:
    """Return the whole reference page."""
    parts = ["## Sections", _sections()]
    for key, model in (("settings", Settings), ("camera", Camera), ("parameters", Parameter), ("materials", Material)):
        parts += [f"## {key}", *([PARAMETERS] if key == "parameters" else []), _table(model)]
        parts += [INTEGRATOR] if key == "settings" else []
    parts += [
        "## bodies",
        BODIES,
        _table(Body),
        "`frame`:",
        _table(Frame),
        FRAME,
        "`look`:",
        _table(Look),
        "### Shapes",
    ]
    for kind, model in SHAPES.items():
        parts += [f"#### {kind}", _table(model)]
    for title, kinds in TIES.items():
        parts.append(f"## {title}")
        parts += {"joints": [JOINTS], "constraints": [CONSTRAINTS]}.get(title, [])
        for kind, model in kinds.items():
            parts += [f"### {kind}", _table(model)]
            soft = model.value_of("soft")
            if soft is not None:
                parts += [f"`soft` of a {kind}:", _table(soft.model)]  # type: ignore[attr-defined]
            inside = {"compound": PARTS, "point_on_curve": {"circle": Circle, "spline": Spline}}.get(kind, {})
            for name, inner in inside.items():
                where = f"A `{name}` among the parts:" if kind == "compound" else f"`{name}`:"
                parts += [where, _table(inner)]
        if title == "constraints":
            parts += ["### coupling", _table(Coupling), COUPLING, "### condition", _table(Condition), CONDITION]
            parts += ["### velocity_condition", _table(VelocityCondition), VELOCITY_CONDITION]
    parts += [
        "## ground",
        _table(Ground),
        "## contacts",
        CONTACTS,
        _table(Contacts),
        "## medium",
        _table(Medium),
        MEDIUM,
    ]
    parts += ["## drives", DRIVES, "Of a joint:", _table(Drive), "Of a body:", _table(TargetSpring)]
    parts += ["## Functions of time", FUNCTIONS_OF_TIME]
    parts += [
        text
        for model in (*FORMS.values(), ClipPose, KeyRows)
        for text in (f"`{{{', '.join(model.key_names())}}}`:", _table(model))
    ]
    parts += [
        "## repeat",
        _table(Repeat),
        REPEAT,
        "## figures",
        _table(Figure),
        "## pins",
        _table(Pin),
        "## loads",
        _table(Load),
        "## defaults",
        _table(Defaults),
    ]
    for title, text in PROSE.items():
        parts += [f"## {title}", text]
        if title == "poses":
            parts += ["## start", _table(Start), "Each of `velocities`:", _table(Velocity), "## checks", _table(Checks)]
            for key, model in (("gap", GapCheck), ("finite", FiniteCheck), ("energy", EnergyCheck)):
                parts += [f"`{key}`:", _table(model)]
    parts += ["## What simulate says", SUMMARY]
    return "\n\n".join(part.strip() for part in [HEAD.replace(CONTENTS, _contents(parts)), *parts]) + "\n"


def _contents(parts: list[str]) -> str:
    """Return the table of contents: the sections, and the kinds of joints, constraints and springs."""
    lines: list[str] = []
    inner = ""
    for title in ["## Values", *parts]:
        level, _, words = title.partition(" ")
        link = f"[{words}](#{words.lower().replace(' ', '-')})"
        if level == "##" and "\n" not in title:
            lines.append(f"- {link}")
            inner = words if words in TIES else ""
        elif level == "###" and inner and "\n" not in title:
            lines[-1] += (": " if lines[-1].endswith(f"(#{inner})") else ", ") + link
    return "\n".join(lines)


def _sections() -> str:
    """Return the table of sections."""
    rows = [f"| `{key}` | {sentence} |" for key, sentence in SECTIONS.items()]
    return "\n".join(["| section | what it says |", "|---|---|", *rows])


def _table(model: type[Model]) -> str:
    """Return the table of the fields of a model."""
    rows = ["| field | value | default | |", "|---|---|---|---|"]
    fields = list(model.model_fields.items())
    # what must be written comes first, whichever class declares it
    if issubclass(model, Tie) or model in PARTS.values():
        fields.sort(key=lambda field: field[0] != "at" and not field[1].is_required())
    elif issubclass(model, GroupCondition):
        fields.sort(key=lambda field: not field[1].is_required())
    for name, info in fields:
        key = info.alias or name
        if key in COMMON and issubclass(model, Joint):
            continue  # said once for all
        default = "required" if info.is_required() else _shown(default_of(info))
        if key == "at" and issubclass(model, Joint) and model.kind not in PLACELESS:
            default = PLACES[model.where]
        live = " *live*" if is_live(model, key) else ""
        words, sentence = value_of(info).words(), info.description
        if key == "at" and issubclass(model, Joint):
            words, sentence = "a point, or one for each body", "where it is"
        words = words.replace("|", "\\|")
        rows.append(f"| `{key}` | {words} | {default} | {sentence}{live} |")
    text = " ".join((model.__doc__ or "").split())
    return f"{text}\n\n" + "\n".join(rows)


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json_schema(), encoding="utf-8")
    PAGE_FILE.write_text(reference_page(), encoding="utf-8")
