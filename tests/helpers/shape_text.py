"""Shapes, surfaces and the medium of definitions back to YAML: places and turns in the frame of their body, in numbers
that are read as the same to the last bit."""

from dataclasses import fields
from typing import Any

import numpy as np

from physics import Plane
from physics.definitions.bodies import Fixed, Particle, PlanarBody
from physics.definitions.checks import DefinitionError
from physics.definitions.medium import Fluid
from physics.maths.rotations import conjugate, matrix_of, quaternion_of
from physics.definitions.scene import Scene
from physics import Shape
from physics.definitions.shapes.compound import CompoundShape, flatten
from physics.maths.strict import product
from scenes.kinds.bodies import EVERYTHING, IDENTITY, planar_turn
from scenes.kinds.sections import GROUND
from scenes.kinds.shapes import SHAPES, in_frame, regrouped, replaced
from scenes.kinds.signals import signal_entry

COMMON = {f.name for f in fields(Shape)}  # which every shape has
SCENERY = "scenery"  # the body that gets shapes of the world other than its ground


class Surfaces:
    """Materials for the surfaces of shapes, by name."""

    def __init__(self) -> None:
        self.names: dict[tuple[float, float], str] = {(Shape.friction, Shape.restitution): ""}

    def name(self, shape: Shape) -> str:
        key = (shape.friction, shape.restitution)
        return self.names.setdefault(key, f"surface{len(self.names)}")

    def entries(self) -> dict[str, Any]:
        return {n: {"friction": f, "restitution": r} for (f, r), n in self.names.items() if n}


def simple(shape: Shape) -> list[Shape]:
    """The parts of a compound shape, in the frame of the body."""
    if not isinstance(shape, CompoundShape):
        return [shape]
    return [
        replaced(part, tuple(place.tolist()), tuple(quaternion_of(turn).tolist()))
        for part, place, turn in flatten(shape)
    ]


def material_of(shape: Shape, surfaces: Surfaces) -> dict[str, str]:
    return {"material": name} if (name := surfaces.name(shape)) else {}


def shape_entry(shape: Shape, surfaces: Surfaces, touches: bool) -> dict[str, Any]:
    own = [f.name for f in fields(shape) if f.init and f.name not in COMMON]
    entry: dict[str, Any] = {name: np.array(getattr(shape, name)).tolist() for name in own} | {"at": shape.position}
    if "rotate" in SHAPES[shape.label].key_names() and tuple(shape.orientation) != IDENTITY:
        entry["rotate"] = shape.orientation
    entry |= material_of(shape, surfaces)
    if not touches:
        entry["collide"] = False
    elif shape.group != EVERYTHING:
        entry["collide"] = shape.group
    return {shape.label: entry}


def shapes_of(body: Any, fluid: Fluid | None) -> list[tuple[Shape, bool]]:
    """The shapes of a body, and whether it touches with them; those that only feel the medium do not."""
    touching = [part for shape in getattr(body, "shapes", ()) for part in simple(shape)]
    if fluid is None or body.name not in fluid.shapes:
        return [(shape, True) for shape in touching]
    feeling = [part for shape in fluid.shapes[body.name] for part in simple(shape)]  # type: ignore[union-attr]
    left = [regrouped(shape, EVERYTHING) for shape in touching]
    out = []
    for shape in feeling:
        known = regrouped(shape, EVERYTHING)
        if known in left:
            k = left.index(known)
            out.append((touching.pop(k), True))
            left.pop(k)
        else:
            out.append((shape, False))
    if touching:
        raise DefinitionError(
            f"shapes of {body.name!r} in the medium", "other ones than those it touches with", "the same, or more"
        )
    return out


def with_shapes(entry: dict[str, Any], body: Any, fluid: Fluid | None, surfaces: Surfaces) -> dict[str, Any]:
    """The entry of a body with its shapes, in a frame at its centre of mass."""
    shapes = shapes_of(body, fluid)
    if not shapes:
        return entry
    out = dict(entry)
    if "frame" not in out and out.get("kind") not in ("particle", "planar", "moving"):
        out["frame"] = {"at": out["at"]}
        out["at"] = (0.0, 0.0, 0.0)
    elif "frame" in out and "kind" not in out:
        out["at"] = (0.0, 0.0, 0.0)
    if isinstance(body, Fixed) and out.get("kind") != "moving":
        out |= {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}  # so that its shapes do not say where it is
    if isinstance(body, Particle | PlanarBody):
        shapes = [(in_world(shape, body), touches) for shape, touches in shapes]
    return out | {"shape": [shape_entry(shape, surfaces, touches) for shape, touches in shapes]}


def in_world(shape: Shape, body: Particle | PlanarBody) -> Shape:
    """Their shapes are written in world axes."""
    turn = planar_turn(body.normal, body.angle) if isinstance(body, PlanarBody) else IDENTITY
    back = conjugate(np.array(turn))
    return in_frame(shape, -product(matrix_of(back), np.array(body.position)), back)


def is_ground(shape: Shape) -> bool:
    place = tuple(shape.position)
    return isinstance(shape, Plane) and place[:2] == (0.0, 0.0) and tuple(shape.orientation) == IDENTITY


def world_sections(scene: Scene, surfaces: Surfaces) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Sections `ground`, `contacts`, `medium`; and the shapes of the world that are no ground."""
    sections: dict[str, Any] = {}
    parts = [part for shape in scene.shapes for part in simple(shape)]
    ground = next((shape for shape in parts if is_ground(shape)), None)
    rest = [shape_entry(shape, surfaces, True) for shape in parts if shape is not ground]
    never = [list(pair) for pair in scene.never]
    of_bodies = {s.group for b in scene.bodies for s in getattr(b, "shapes", ())} | {
        s.group for s in parts if s is not ground
    }
    if ground is not None:
        sections["ground"] = {"height": ground.position[2]} | material_of(ground, surfaces)
        renamed = [[GROUND if name == ground.group else name for name in pair] for pair in never]
        if ground.group not in of_bodies:
            never = renamed
        else:
            never += [pair for pair in renamed if GROUND in pair and pair not in never]
    if never:
        sections["contacts"] = {"never": never}
    elif ground is None and (parts or any(getattr(body, "shapes", ()) for body in scene.bodies)):
        sections["contacts"] = {}
    if isinstance(scene.medium, Fluid):
        m = scene.medium
        wind = {"wind": [signal_entry(x) for x in m.wind]} if any(m.wind) else {}
        sections["medium"] = {"density": m.density, "viscosity": m.viscosity} | wind
    return sections, rest
