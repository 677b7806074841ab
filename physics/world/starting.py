"""A world before its first step: velocities that its joints forbid, and the forces that act already."""

import warnings
from typing import Any


from physics.data.model_tables import Bodies
from physics.data.model import Floats
from physics.definitions.checks import DefinitionWarning
from physics.driver import preparations
from physics.maths.strict import norm, norms
from physics.world.touching import Contact

# Velocities that joints forbid, as shares of all: taken out above the first, said above the second (what comes from
# files has six digits). And how many bodies are named.
FORBIDDEN, SAID, MOST_NAMED = 1e-9, 1e-5, 5
TOUCHING = 1e-6  # m: what is as near at the start is held up by what it touches


def take_out_forbidden(world: Any) -> None:
    """Of the velocities that bodies start with, what their joints do not allow, in the mass metric: as little as
    possible. A warning says which velocities that were given were changed, and by how much; what motors set going
    starts with their velocity."""
    velocity, rows = world._state.velocity, world._built.body_row
    if not velocity.any() or not world._built.joint_row:
        return
    with world._aside():
        world._prepare(preparations.STOPPING)
        world._answer()
        change = world._work.velocity.copy()
    off, given = _sizes(world, change), float(_sizes(world, velocity).sum())
    if not off.sum() > FORBIDDEN * FORBIDDEN * given:
        return
    moves = velocity.any(axis=1)
    velocity[:] += change
    world._changed()
    worst = sorted(
        (name for name, row in rows.items() if moves[row] and off[row] > SAID * SAID * given),
        key=lambda name: -off[rows[name]],
    )
    if not worst:
        return
    listed = ", ".join(f"{name!r} by {_amount(change[rows[name]])}" for name in worst[:MOST_NAMED])
    more = f" and {len(worst) - MOST_NAMED} more" if len(worst) > MOST_NAMED else ""
    warnings.warn(
        "joints forbid the velocities that bodies start with; the nearest ones that they allow were taken, which "
        f"changed {listed}{more}",
        DefinitionWarning,
        stacklevel=3,
    )  # fmt: skip


def _sizes(world: Any, velocity: Floats) -> Floats:
    """Of each body m v^2 + I w^2, with its largest moment"""
    body = world._model.body
    inertia = body[:, Bodies.INERTIA : Bodies.INERTIA + 3].max(axis=1)
    speed, turning = norms(velocity[:, :3]), norms(velocity[:, 3:6])
    return body[:, Bodies.MASS] * speed * speed + inertia * turning * turning


def _amount(change: Floats) -> str:
    return f"{norm(change[:3]):.3g} m/s and {norm(change[3:6]):.3g} rad/s"


def foresee(world: Any) -> tuple[Floats, list[Contact]]:
    """Wrenches of all edges, and contacts, before the first step: those of the present accelerations, or where
    something touches those of the step that would come. Nothing is changed by it."""
    contacts: list[Contact] = []
    with world._aside():
        if touches(world):
            world.step()
            contacts = world._read_contacts(0.0)
        elif world.order == "kinematic":
            world.first_order_velocities()
        else:
            world.accelerations()
        return world._wrenches().copy(), contacts


def touches(world: Any) -> bool:
    """Whether something touches now that contacts hold apart"""
    if world._built.touch is None or world.contact_method == "none":
        return False
    world._find_contacts()
    return any(contact.depth > -TOUCHING for contact in world._read_contacts(0.0))
