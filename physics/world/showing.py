"""The views of a world by name: of bodies, joints, couplings, drives and pins."""

from typing import Any

from physics.definitions.actuators import Drive
from physics.definitions.bodies import Body, Fixed, Massless, Particle, PlanarBody
from physics.definitions.couplings import Coupling
from physics.definitions.joints import Joint
from physics.definitions.motions import Motor
from physics.definitions.scene import Scene
from physics.world.body_views import BodyView, FixedView, Named
from physics.world.drive_views import DriveView, MediumView, TargetSpringView
from physics.world.engine import Engine
from physics.world.views import ConditionView, CouplingView, FoldedView, JointView, MotorView


def show_all(world: Any, engine: Engine, scene: Scene) -> None:
    """Set the views of a world: `bodies`, `joints`, `couplings`, `drives`, `medium` and `pins`."""
    by_name, rows = {joint.name: joint for joint in scene.joints}, engine.built.joint_row
    world.bodies = Named("bodies", {b.name: _body_view(engine, b) for b in engine.built.scene.bodies}, world)
    world.joints = Named("joints", {k: _joint_view(engine, by_name[k]) for k in by_name if k in rows}, world)
    world.couplings = Named("couplings", {c.name: _linkage_view(engine, c) for c in scene.couplings}, world)
    world.drives = Named("drives", {d.name: _drive_view(world, engine, d) for d in scene.drives}, world)
    world.medium = None if scene.medium is None else MediumView(engine)
    engine.pins_changed = lambda: show_pins(world, engine)
    show_pins(world, engine)


def show_pins(world: Any, engine: Engine) -> None:
    """Set the views of the present pins of a world."""
    world.pins = Named("pins", {k: JointView(engine, pin.joint) for k, pin in engine.pins.items()}, world)


def _body_view(engine: Engine, body: Body | Particle | PlanarBody | Massless | Fixed) -> Any:
    """Return the view of a body: a `FixedView` if no force moves it, else a `BodyView`."""
    if isinstance(body, Fixed):
        return FixedView(engine, body, engine.built.frame_row.get(body.name, -1))
    return BodyView(engine, body.name, engine.built.body_row[body.name])


def _joint_view(engine: Engine, joint: Joint) -> JointView:
    """Return the view of a joint."""
    place = engine.built.places.get(joint.name)
    if place is not None:
        return FoldedView(engine, joint, place)
    return MotorView(engine, joint) if isinstance(joint, Motor) else JointView(engine, joint)


def _linkage_view(engine: Engine, linkage: Any) -> CouplingView | ConditionView:
    """Return the view of a coupling or condition."""
    if isinstance(linkage, Coupling):
        return CouplingView(engine, linkage)
    return ConditionView(engine, linkage)


def _drive_view(world: Any, engine: Engine, drive: Any) -> DriveView | TargetSpringView:
    """Return the view of a drive or target spring."""
    if isinstance(drive, Drive):
        return DriveView(engine, drive, world.joints[drive.joint])
    return TargetSpringView(engine, drive)
