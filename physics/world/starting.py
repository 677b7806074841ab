"""A world before its first step: velocities that its joints forbid are removed, and the forces that already act are
found.
"""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any


from physics.data.model_tables import Bodies
from physics.data.model import Floats
from physics.definitions.checks import DefinitionWarning
from physics.data.step_tables import Control, Order
from physics.driver import preparations
from physics.maths.strict import norm, norms
from physics.world.touching import Contact

if TYPE_CHECKING:
    from physics.world.engine import Engine

# Velocities that joints forbid, as shares of all: taken out above the first, said above the second (what comes from
# files has six digits). And how many bodies are named.
FORBIDDEN, SAID, MOST_NAMED = 1e-9, 1e-5, 5
TOUCHING = 1e-6  # m: what is as near at the start is held up by what it touches


def take_out_forbidden(engine: "Engine") -> None:
    """Remove from the velocities of the definitions the part that joints forbid, with the smallest change in the mass
    metric. A warning names the bodies whose given velocities were changed, and by how much. Bodies that motors drive
    start with the motors' velocities."""
    velocity, rows = engine.state.velocity, engine.built.body_row
    if not velocity.any() or not engine.built.joint_row:
        return
    with engine.aside():
        engine.prepare(preparations.Preparation.STOPPING)
        engine.answer()
        change = engine.work.velocity.copy()
    off = _sizes(engine, change)
    given = float(_sizes(engine, velocity).sum())
    if not off.sum() > FORBIDDEN * FORBIDDEN * given:
        return
    moves: Any = velocity.any(axis=1)
    velocity[:] += change
    engine.mark_changed()
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


def _sizes(engine: "Engine", velocity: Floats) -> Floats:
    """Return m v^2 + I w^2 of each body (n,), with its largest principal moment I."""
    body = engine.model.body
    inertia = body[:, Bodies.INERTIA : Bodies.INERTIA + 3].max(axis=1)
    speed, turning = norms(velocity[:, :3]), norms(velocity[:, 3:6])
    return body[:, Bodies.MASS] * speed * speed + inertia * turning * turning


def _amount(change: Floats) -> str:
    """Return a text that states the size of a change of velocity (6,)."""
    return f"{norm(change[:3]):.3g} m/s and {norm(change[3:6]):.3g} rad/s"


def foresee(engine: "Engine", step: Callable[[], None]) -> tuple[Floats, list[Contact]]:
    """Return the wrenches of all edges, and the contacts, before the first step: those of the present accelerations, or
    of the next step if something touches. The state is not changed."""
    contacts: list[Contact] = []
    with engine.aside():
        if touches(engine):
            step()
            contacts = engine.read_contacts(0.0)
        elif engine.work.control[Control.ORDER] == Order.KINEMATIC:
            engine.first_order_velocities()
        else:
            engine.accelerations()
        return engine.forces.of_edges().copy(), contacts


def touches(engine: "Engine") -> bool:
    """Return whether some present contact may carry a force."""
    if engine.built.touch is None or engine.contact_method == "none":
        return False
    engine.find_contacts()
    return any(contact.depth > -TOUCHING for contact in engine.read_contacts(0.0))
