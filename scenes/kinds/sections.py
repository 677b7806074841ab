"""The sections of a scene other than bodies and joints, and the table of all of them."""

from typing import Annotated, Any

from physics import CORRECTIONS, INTEGRATORS, MODES, ORDERS
from physics.world.world import COLUMNS, CONTACT_LAWS, CONTACT_METHODS, CONTACT_TOLERANCE, FEEDBACK, GREATEST_TOLERANCE
from scenes.kinds.signals import TimeFunctions
from scenes.text.errors import short
from scenes.text.schema import Inner, Model, Raw, item
from scenes.text.values import Number, Range, Refused, Rotation, Scope, Turn, Value, Vector, gather, items_of
from scenes.text.words import REFERENCE, Choice, Flag, Name, Names, Text

Vec = tuple[float, ...]
FORMAT = 1
# More than these no figure of this product has; a repeat that asks for them is a slip of the pen, or hostile.
MOST_BODIES = 200_000
# members of groups and values of poses, counted in full
MOST_MEMBERS = 500_000
MOST_PAIRS = 2_000
ANY_UNIT = "any"


class Settings(Model):
    """How the scene is simulated."""

    gravity: Annotated[Vec, Vector("m/s^2")] = item("gravity", (0.0, 0.0, -9.81), live=True)
    timestep: Annotated[float, Number("s", above=0.0, high=10.0)] = item("length of a step", 1.0 / 240.0, live=True)
    solver: Annotated[str, Choice(*MODES)] = item("solver mode", "fused", live=True)
    integrator: Annotated[str, Choice(*INTEGRATORS)] = item("integrator", "trbdf2", live=True)
    order: Annotated[str, Choice(*ORDERS)] = item("dynamic: f = m a, or kinematic: f = m v", "dynamic", live=True)
    stiffness_scale: Annotated[float, Number("", low=0.0, high=1e8)] = item(
        "multiplies the stiffness of every joint", 1.0, live=True
    )
    guard: Annotated[bool, Flag()] = item("whether rejected steps are redone in smaller ones", True, live=True)
    correction: Annotated[str, Choice(*CORRECTIONS)] = item(
        "how joints are kept closed. shake: every step closes them; feedback: gaps are closed over time; "
        "coordinates: poses are computed again from the joint coordinates",
        "shake", live=True,
    )  # fmt: skip
    feedback: Annotated[Vec, Vector("", (2,))] = item(
        "gains of the correction by feedback: ks in 1/s^2 and kd in 1/s", FEEDBACK, live=True
    )
    columns: Annotated[str, Choice(*COLUMNS)] = item(
        "how the responses of loops are found. plain: by whole solves; paths, halves (solver fused): only along the "
        "paths of their rows, with halves without the pass back to the leaves",
        "halves", live=True,
    )  # fmt: skip
    posing_friction: Annotated[float, Number("", low=0.0, high=1e9)] = item(
        "factor of the friction of joints in the kinematic order", 1.0, live=True
    )
    drives_on: Annotated[bool, Flag()] = item("whether drives act; false switches all of them off", True, live=True)
    contact_method: Annotated[str, Choice(*CONTACT_METHODS)] = item(
        "how contacts are solved. newton: for many contacts; anticipation: exactly, for few contacts; auto: chosen by "
        "their number; none: contacts are found, but have no effect",
        "newton", live=True,
    )  # fmt: skip
    contact_law: Annotated[str, Choice(*CONTACT_LAWS)] = item(
        "exact: Coulomb's law; regularised: a convex model of it, in which contacts yield and sliding bodies rise. "
        "In this model a body that strikes head-on with the speed v and restitution e gets the impulse "
        "(1 + e) m v / (1 + R m), with its effective mass m at the contact. R is 0.01 / mass against bodies that no "
        "force moves, and 0.1 / (mass of the heavier) between two bodies",
        "exact", live=True,
    )  # fmt: skip
    sleeping: Annotated[bool, Flag()] = item(
        "whether bodies that have rested on each other for half a second stay where they are at almost no cost, "
        "until something touches them or is changed",
        False, live=True,
    )  # fmt: skip
    contact_tolerance: Annotated[float, Number("", above=0.0, high=GREATEST_TOLERANCE)] = item(
        "error of the law of contact, as a share of the largest contact force; heaps and sliding chains are more "
        "accurate below the default",
        CONTACT_TOLERANCE, live=True,
    )  # fmt: skip


class Ground(Model):
    """A floor without end, solid below its surface. It switches contacts on, as `contacts` does. If a scene is used as
    a figure, its ground is left out."""

    height: Annotated[float, Number("m")] = item("how high it is", 0.0)
    material: Annotated[str | None, Name("material")] = item("name of its material", None)


class Pairs(Value):
    """Pairs of names."""

    def read(self, value: Any, scope: Scope) -> tuple[tuple[str, str], ...]:
        """Return the pairs of names, or refuse the value."""

        def pair(v: Any) -> tuple[str, str]:
            names = v if isinstance(v, list | tuple) else ()
            if len(names) != 2 or not all(isinstance(n, str) and REFERENCE.match(n) for n in names):
                raise Refused(f"got {short(v)}, allowed: two names [first, second], or one name twice")
            return (names[0], names[1])

        pairs = items_of(value, self)
        if len(pairs) > MOST_PAIRS:
            raise Refused(f"{len(pairs):,} pairs, allowed: {MOST_PAIRS:,}; name groups in the place of bodies")
        return tuple(gather(enumerate(pairs), pair))

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "a list of pairs of names, such as [[limb, limb], [head, ground]]"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        pair = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
        return {"type": "array", "items": pair, "description": self.words()}


class Contacts(Model):
    """If a scene has this section (even an empty one) or a `ground`, the shapes of bodies touch each other and scenery.
    The two bodies of a joint do not touch, unless the joint says `collide: true`; bodies with `collide: false` touch
    nothing. A joint to `world` therefore also keeps its body from touching the ground: a card in a `planar` joint falls
    through the ground. `check` and loading warn of that."""

    never: Annotated[Any, Pairs()] = item(
        "pairs that never touch, by names of groups (of `collide`, or under `groups`), bodies, figures, and "
        "`ground`; with one name twice, its members never touch each other",
        (),
    )


class Medium(Model):
    """The medium in which bodies with shapes move: air (density 1.2, viscosity 1.8e-5), water (1000, 1e-3), honey
    (1400, 10)."""

    density: Annotated[float, Number("kg/m^3", low=0.0, high=1e6)] = item(
        "density of the medium, which gives the drag of fast motion", 0.0, live=True
    )
    viscosity: Annotated[float, Number("Pa*s", low=0.0, high=1e9)] = item(
        "viscosity of the medium, which gives the drag of slow motion", 0.0, live=True
    )
    wind: Annotated[Any, TimeFunctions("m/s")] = item("its velocity; if not given, it is at rest", None, live=True)


class Camera(Model):
    """The view with which the window opens."""

    target: Annotated[Vec, Vector("m")] = item("the point in the middle of the picture", (0.0, 0.0, 0.5), live=True)
    distance: Annotated[float, Number("m", above=0.0, high=1e6)] = item(
        "distance of the eye from the target", 3.0, live=True
    )
    azimuth: Annotated[float, Number("rad")] = item("direction of the eye around z, from x", 0.7, live=True)
    elevation: Annotated[float, Number("rad", low=-1.5707963267948968, high=1.5707963267948968)] = item(
        "height of the eye over the horizon, as an angle", 0.3, live=True
    )
    follow: Annotated[bool, Flag()] = item(
        "whether the camera follows the centre of mass of all bodies, so that falling bodies stay in sight", False
    )


class Parameter(Model):
    """A number with a name, which expressions use."""

    value: Annotated[float, Number(ANY_UNIT, parameter=True)] = item(
        "its value, which may use the parameters above it; a value with a unit is converted to SI units"
    )
    range: Annotated[Any, Range(ANY_UNIT)] = item("range of its value", None)
    about: Annotated[str, Text()] = item("what it is", "")


class Repeat(Model):
    """Copies of a body, each joined to the one before: name/0, name/1, ..., name/last."""

    count: Annotated[int, Number("", low=1, high=MOST_BODIES, whole=True)] = item("how many")
    step: Annotated[Vec, Vector("m")] = item("displacement from one copy to the next", (0.0, 0.0, 0.0))
    body: Annotated[Any, Raw("a body, as under bodies", {"$entry": "bodies"})] = item(
        "the body of the first copy; expressions may use `index`, which is 0 for the first copy"
    )
    joint: Annotated[Any, Raw("a joint or constraint", {"$entry": "both"})] = item(
        "joint of each copy; `this` is the copy, and `previous` the one before", None
    )
    first: Annotated[str | None, Name("body")] = item(
        "the `previous` of the first copy; without it the first copy has no joint", None
    )


class Figure(Model):
    """Another scene as a part of this one; its names get the prefix `name/`."""

    use: Annotated[str, Text()] = item("name of a scene of the library, or a file in the folder of this one")
    at: Annotated[Vec, Vector("m")] = item("place of its origin in this scene", (0.0, 0.0, 0.0))
    rotate: Annotated[Vec, Rotation()] = item("its rotation", (1.0, 0.0, 0.0, 0.0))
    mirror: Annotated[str | None, Choice("x", "y", "z")] = item(
        "axis along which it is mirrored, before it is rotated", None
    )
    set: Annotated[Any, Raw("paths inside it, and their values", {"type": "object"})] = item(
        "values to change in it", None
    )


class Velocity(Model):
    """Velocity of a body."""

    linear: Annotated[Vec, Vector("m/s")] = item("velocity of its centre of mass", (0.0, 0.0, 0.0))
    angular: Annotated[Vec, Turn("rad/s")] = item("angular velocity, about the world's axes", (0.0, 0.0, 0.0))


class Load(Model):
    """A constant force and torque on a body, in world axes."""

    force: Annotated[Vec, Vector("N")] = item("force at its centre of mass", (0.0, 0.0, 0.0), live=True)
    torque: Annotated[Vec, Vector("N*m")] = item("torque", (0.0, 0.0, 0.0), live=True)


class Pin(Model):
    """A body that is held where it is: its whole pose, or one point of it."""

    pose: Annotated[str | None, Name("body")] = item("the body that is held with position and orientation", None)
    point: Annotated[str | None, Name("body")] = item("the body that is held at one point", None)
    at: Annotated[Vec | None, Vector("m")] = item("the point that is held; if not given, the centre of mass", None)
    cap: Annotated[float | None, Number("N", above=0.0, high=1e12)] = item(
        "the largest force of the pin; a larger load moves the body. Without it the pin is exact", None
    )


class Start(Model):
    """The state at time 0, if it is not the drawn pose at rest."""

    pose: Annotated[str | None, Name("pose")] = item("name of the pose", None)
    velocities: Annotated[
        Any, Raw("bodies and their velocities", {"type": "object", "additionalProperties": {"$model": Velocity}})
    ] = item("velocities of bodies; parts that joints forbid are removed", None)


FOR = "simulated time from the start for which the check holds"


class GapCheck(Model):
    """Joints and constraints stay closed. `hernandez` leaves the gap of each step to the next one; it is judged by its
    own limit of 1 cm if that is larger."""

    below: Annotated[float, Number("m", above=0.0)] = item(
        "bound of the largest gap, the distance (m) or angle (rad) by which a joint or constraint is open; limits, "
        "springs and contacts do not count"
    )
    duration: Annotated[float, Number("s", above=0.0, high=1e4)] = item(FOR, alias="for")


class FiniteCheck(Model):
    """All numbers stay finite, and every step can continue."""

    duration: Annotated[float, Number("s", above=0.0, high=1e4)] = item(FOR, alias="for")


class EnergyCheck(Model):
    """The energy changes little; for scenes without damping."""

    within: Annotated[float, Number("", above=0.0)] = item("largest change, as a share of the largest kinetic energy")
    duration: Annotated[float, Number("s", above=0.0, high=1e4)] = item(FOR, alias="for")


class Checks(Model):
    """What must hold in a run from the start. `marionette simulate FILE` judges the checks, reports the result of each,
    and exits with code 1 if one does not hold. `marionette check` and the window do not run them."""

    gap: Annotated[GapCheck | None, Inner(GapCheck)] = item("joints stay closed", None)
    finite: Annotated[FiniteCheck | None, Inner(FiniteCheck)] = item("everything stays finite", None)
    energy: Annotated[EnergyCheck | None, Inner(EnergyCheck)] = item("the energy hardly changes", None)


class Defaults(Model):
    """Values for entries that do not give their own."""

    body: Annotated[Any, Raw("keys of bodies", {"$entry": "any body"})] = item("for bodies", None)
    joint: Annotated[Any, Raw("keys of joints", {"$entry": "any joint"})] = item("for joints and constraints", None)


GROUND = "ground"  # as a name in `never`
GROUP = Names("body or joint", patterns=True)
INCLUDE = Names("file")

# sections with one mapping, and those with entries by name
SINGLE: dict[str, type[Model]] = {
    "settings": Settings, "camera": Camera, "defaults": Defaults, "ground": Ground, "contacts": Contacts,
    "medium": Medium, "start": Start, "checks": Checks,
}  # fmt: skip
NAMED = (
    "parameters",
    "materials",
    "bodies",
    "joints",
    "constraints",
    "springs",
    "repeat",
    "figures",
    "pins",
    "loads",
    "drives",
    "groups",
    "poses",
)
SECTIONS = {
    "marionette": f"version of the format: {FORMAT}",
    "name": "title of the scene",
    "about": "a sentence on what the scene shows",
    "include": "files whose sections are read as if they stood here",
    "parameters": "numbers with names, for expressions; they can be set from outside",
    "settings": "how the scene is simulated",
    "camera": "view with which the window opens",
    "materials": "density, colour, friction and restitution of bodies",
    "ground": "a floor that bodies touch",
    "contacts": "contacts between bodies, and pairs that never touch",
    "medium": "the medium that bodies move in: air, wind, water",
    "defaults": "values for every body or joint that does not have its own",
    "bodies": "the bodies by name",
    "joints": "the joints by name",
    "constraints": "constraints between bodies that are no joints",
    "springs": "springs and dampers between bodies",
    "repeat": "rows of copies of a body, each joined to the one before",
    "figures": "other scenes as parts of this one",
    "pins": "bodies that are held where they start",
    "drives": "motors of joints, and springs that pull bodies to places",
    "loads": "constant forces and torques, by the names of bodies",
    "groups": "names for several bodies or joints",
    "poses": "values of joints by name: angles, travels",
    "start": "the state at time 0",
    "checks": "what must hold when the scene runs",
    "overrides": "values by path, which replace those of all other sections",
}
assert set(SINGLE) | set(NAMED) <= set(SECTIONS)
