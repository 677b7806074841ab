"""The parts of a `World`: its engine, its views, and the classes that step, set, read and save it."""

import math
from typing import TYPE_CHECKING

from physics.data.step_tables import Control, Number
from physics.definitions.scene import Scene
from physics.integrators import acceptance
from physics.world.counters import Counters
from physics.world.engine import Engine
from physics.world.grabs import Holding
from physics.world.placing import Placing
from physics.world.reach import missed_contacts as missed_contacts
from physics.world.readings import Readings
from physics.world.running import Runner
from physics.world.settings import FEEDBACK, ContactSettings, Settings
from physics.world.showing import show_all
from physics.world.snapshots import Snapshots
from physics.world.starting import take_out_forbidden as take_out_forbidden

if TYPE_CHECKING:
    from physics.world.world import World

# A second correction sweep is asked for above this gap, which keeps every accepted step well under 1e-6.
GAP_TOLERANCE = 3e-7
CG_TOLERANCE = 1e-12


def make_parts(world: "World", scene: Scene, guard: bool) -> None:
    """Set the engine, the parts and the views of a world."""
    world.engine = engine = Engine(scene)
    _set_numbers(engine, scene, guard)
    world._settings, world._contacts = Settings(engine), ContactSettings(engine)
    world._counters, world._readings, world._runner = Counters(engine), Readings(engine), Runner(engine)
    engine.forces.step, engine.forces.are_foreseen = world._runner.step, lambda: world.foresees
    show_all(world, engine, scene)
    world._holding, world._placing = Holding(engine, world.bodies), Placing(engine, world.bodies)
    names = [list(named) for named in (world.bodies, world.joints, world.couplings, world.drives)]
    world._snapshots = Snapshots(engine, world._settings, world._contacts, names)


def _set_numbers(engine: Engine, scene: Scene, guard: bool) -> None:
    """Write to Work.number and Work.control the settings with which a world starts."""
    x, c = engine.work.number, engine.work.control
    x[Number.DT] = scene.timestep
    x[Number.GRAVITY : Number.GRAVITY + 3] = scene.gravity
    x[Number.GAP_TOLERANCE] = GAP_TOLERANCE
    x[Number.POSING_SCALE] = 1.0
    x[Number.ENERGY] = math.nan  # not measured yet
    x[Number.CREDIT] = acceptance.MOST_CREDIT
    x[Number.LEASH] = 1.0
    x[Number.TOLERANCE] = CG_TOLERANCE
    x[Number.FEEDBACK_KS], x[Number.FEEDBACK_KD] = FEEDBACK
    c[Control.GUARD] = int(guard)
    c[Control.GEOMETRIC] = 1
