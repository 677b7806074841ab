"""Simulations of the hand, for tests of the session without a window."""

from app.run.commands import (
    Grab,
    Reset,
    Set,
)  # fmt: skip
from app.run.simulation import Simulation
from physics.world.world import World
from tests.helpers import generators


def hand() -> Simulation:
    return Simulation(generators.hand(stiffness=1.0), "hand")


def run_straight(steps: int) -> str:
    world = World(generators.hand(stiffness=1.0))
    world.step(steps)
    return world.state_hash()


def session() -> Simulation:
    """Switches, branches, undo: everything that a log can hold."""
    simulation = hand()
    simulation.step(30)
    simulation.do(Set("settings.solver", "jsim"))
    simulation.do(Set("settings.stiffness_scale", 1e3, gesture=1))
    simulation.do(Set("settings.stiffness_scale", 1e4, gesture=1))
    simulation.step(25)
    simulation.undo()
    simulation.step(5)
    simulation.look_at(12)
    simulation.do(Set("settings.integrator", "implicit"))
    simulation.step(20)
    simulation.undo()
    simulation.undo()
    simulation.do(Set("joints.thumb1_joint.stiff", False))
    simulation.do(Reset())
    simulation.step(15)
    return simulation


# ---------------------------------------------------------------- grabs and pins
def taken(simulation, body="index3", kind="spring"):
    point = simulation.world.bodies[body].position
    simulation.do(Grab(1, body, tuple(point.tolist()), kind))
    return point
