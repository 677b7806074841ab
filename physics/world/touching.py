"""The contacts that `World.contacts` returns, as they were found and solved in the last step.

Signs are those of joints. A contact is between a and b; its force acts on b, and its normal and velocity are those of b
as seen from a. In a contact with the world, a is the world. (The arrays of `physics/contacts` have a and b the other
way round.)
"""

from typing import NamedTuple

import numpy as np

from physics.contacts.law import Piece
from physics.contacts.touch import Touch
from physics.data.contact_tables import (
    METHODS, NEVER, ContactBodies, ContactCounts, ContactPoints, ContactRows, Method, TouchControl, TouchNumber,
)  # fmt: skip
from physics.data.shape_tables import ShapeIndex
from physics.data.model import Floats
from physics.definitions.spellings import Scaled, second_spelling
from physics.maths.strict import dot, norm


class Contact(NamedTuple):
    """A point where two shapes touch, or are about to."""

    a: str  # name of the one body, or "world"
    b: str  # name of the other one, which the normal points to
    point: Floats  # point half way between the two surfaces, m
    normal: Floats  # from a to b
    depth: float  # how far the shapes overlap, negative where they are apart, m
    force: Floats  # mean force on b in the step, N; the force on a is its opposite
    sliding: bool  # whether friction is at its limit
    friction: float  # coefficient of the pair
    velocity: Floats  # velocity of b's point relative to a's, m/s
    residual: float  # error of Coulomb's law with the wanted velocity of the step, m/s
    power: float  # normal force times the velocity above the wanted one, W: 0 where the two are complementary
    impulse: Floats  # impulse on b in the whole step, impacts included: force times the length of the step, N s


Contact.speed = second_spelling("speed", Scaled("velocity", 1.0), True)  # type: ignore[attr-defined]


class ContactSolution(NamedTuple):
    """How the contacts of the last step were solved."""

    method: str  # one of "newton", "anticipation"; "none" where no contact mattered
    near: int  # contacts looked at
    pressing: int  # number of those that carry a force
    iterations: int  # Newton steps; of "anticipation" answers of the solver mode that were looked at
    gradients: int  # conjugate gradient steps, of contacts between two bodies
    # largest difference of an impulse from Coulomb's law (in heaps from its convex model), N s; of "anticipation" of
    # friction from its cone
    residual: float


def read_contacts(touch: Touch, owners: dict[int, str], span: float) -> list[Contact]:
    """Return the contacts of the last step as values; `span` is the length of that step [s]."""
    contacts, row = touch.collision.contacts, touch.row
    whole = touch.collision.geometry.whole
    out = []
    for c in range(int(contacts.tally[ContactCounts.CONTACTS])):
        where = contacts.where[c]
        answered = touch.control[TouchControl.METHOD] != Method.NONE
        force = row[c, ContactRows.FORCE : ContactRows.FORCE + 3].copy() if answered else np.zeros(3)
        out.append(
            Contact(
                owners[int(whole[contacts.who[c, ContactBodies.SHAPE_B], ShapeIndex.OWNER])],
                owners[int(contacts.who[c, ContactBodies.BODY_A])],
                where[ContactPoints.POINT : ContactPoints.POINT + 3].copy(),
                where[ContactPoints.NORMAL : ContactPoints.NORMAL + 3].copy(),
                -float(where[ContactPoints.GAP]),
                force,
                bool(answered and row[c, ContactRows.PIECE] == Piece.SLIDING and force.any()),
                float(where[ContactPoints.FRICTION]),
                row[c, ContactRows.RATE : ContactRows.RATE + 3].copy() if answered else np.zeros(3),
                *(off_the_law(row[c], where, float(touch.number[TouchNumber.SPAN])) if answered else (0.0, 0.0)),
                span * force,
            )
        )
    return out


def off_the_law(row: Floats, where: Floats, span: float) -> tuple[float, float]:
    """Return |R g - P(R g - u + (vhat - mu |u_t|) n)| [m/s], which is zero if Coulomb's law holds, and the normal force
    times u_n - vhat [W]. P projects on the friction cone about the normal n with the coefficient mu; g is the impulse,
    R the inverse mass of the contact, u its relative velocity and vhat the wanted normal velocity. `row` and `where`
    are the rows of the contact, `span` is the length of the step [s]."""
    if row[ContactRows.WANTED] == NEVER or not row[ContactRows.INVERSE] > 0.0:
        return 0.0, 0.0
    n, mu, u = (
        where[ContactPoints.NORMAL : ContactPoints.NORMAL + 3],
        where[ContactPoints.FRICTION],
        row[ContactRows.RATE : ContactRows.RATE + 3],
    )
    force = row[ContactRows.FORCE : ContactRows.FORCE + 3]
    g = force * span / row[ContactRows.INVERSE]
    speed = dot(u, n)
    y = g - u + (row[ContactRows.WANTED] - mu * norm(u - speed * n)) * n
    return norm(g - on_cone(y, n, mu)), dot(force, n) * (speed - float(row[ContactRows.WANTED]))


def on_cone(y: Floats, n: Floats, mu: float) -> Floats:
    """Return the point of a friction cone that is nearest to y (contacts/law.py). The cone has the unit vector n as its
    axis, and the coefficient mu."""
    up = dot(y, n)
    along = y - up * n
    r = norm(along)
    if r <= mu * up:
        return y
    if up <= -mu * r:
        return np.zeros(3)
    return (up + mu * r) / (1.0 + mu * mu) * (n + mu / r * along if r > 0.0 else n)


def read_solution(touch: Touch) -> ContactSolution:
    """Return how the contacts of the last step were solved."""
    c = touch.control
    if c[TouchControl.ACTIVE] == 0:
        return ContactSolution("none", 0, 0, 0, 0, 0.0)
    return ContactSolution(
        METHODS[c[TouchControl.USED]],
        int(c[TouchControl.ACTIVE]),
        int(c[TouchControl.PRESSING]),
        int(c[TouchControl.NEWTONS]),
        int(c[TouchControl.GRADIENTS]),
        float(touch.number[TouchNumber.RESIDUAL]),
    )
