"""`World.contacts`: what touches what, as it was found and answered in the last step."""

from typing import NamedTuple

import numpy as np

from physics.contacts.layout import (
    ACTIVE, BODY_A, CONTACTS, FORCE, FRICTION, GAP, GRADIENTS, INVERSE, METHOD, METHODS, NEVER, NEWTONS, NONE,
    NORMAL, PIECE, POINT, PRESSING, RATE, RESIDUAL, SHAPE_B, SPAN, USED, WANTED,
)  # fmt: skip
from physics.contacts.law import SLIDING
from physics.contacts.touch import Touch
from physics.model import Floats
from physics.shapes.layout import OWNER


class Contact(NamedTuple):
    """A point where two shapes meet, or are about to."""

    a: str  # name of the body that the normal points to
    b: str  # of the other one, or "world"
    point: Floats  # half way between the two surfaces, m
    normal: Floats  # from b to a
    depth: float  # how far the shapes overlap, negative where they are apart, m
    force: Floats  # on a, N; that on b is its opposite
    sliding: bool  # whether friction is at its limit
    friction: float  # coefficient of the pair
    speed: Floats  # velocity of a's point relative to b's, m/s
    residual: float  # by how much speed and force are off Coulomb's law with what the step wanted of the gap, m/s
    power: float  # normal force times the speed above the wanted one, W: 0 where the two are complementary


class ContactSolution(NamedTuple):
    """How the contacts of the last step were found."""

    method: str  # one of "newton", "anticipation"; "none" where no contact mattered
    near: int  # contacts looked at
    pressing: int  # of them, those that carry a force
    iterations: int  # Newton steps; of "anticipation" answers of the solver mode that were looked at
    gradients: int  # conjugate gradient steps, of contacts between two bodies
    # largest difference of an impulse from Coulomb's law (in heaps from its convex model), N s; of "anticipation" of
    # friction from its cone
    residual: float


def read_contacts(touch: Touch, owners: dict[int, str]) -> list[Contact]:
    contacts, row = touch.collision.contacts, touch.row
    whole = touch.collision.geometry.whole
    out = []
    for c in range(int(contacts.tally[CONTACTS])):
        where = contacts.where[c]
        answered = touch.control[METHOD] != NONE
        zero = np.zeros(3)
        out.append(
            Contact(
                owners[int(contacts.who[c, BODY_A])],
                owners[int(whole[contacts.who[c, SHAPE_B], OWNER])],
                where[POINT : POINT + 3].copy(),
                where[NORMAL : NORMAL + 3].copy(),
                -float(where[GAP]),
                row[c, FORCE : FORCE + 3].copy() if answered else zero,
                bool(answered and row[c, PIECE] == SLIDING and row[c, FORCE : FORCE + 3].any()),
                float(where[FRICTION]),
                row[c, RATE : RATE + 3].copy() if answered else zero,
                *(off_the_law(row[c], where, float(touch.number[SPAN])) if answered else (0.0, 0.0)),
            )
        )
    return out


def off_the_law(row: Floats, where: Floats, span: float) -> tuple[float, float]:
    """|R g - P(R g - u + (vhat - mu |u_t|) n)|, which is zero where Coulomb's law holds, P being the projection on the
    cone of friction; and the normal force times u_n - vhat"""
    if row[WANTED] == NEVER or not row[INVERSE] > 0.0:
        return 0.0, 0.0
    n, mu, u = where[NORMAL : NORMAL + 3], where[FRICTION], row[RATE : RATE + 3]
    force = row[FORCE : FORCE + 3]
    g = force * span / row[INVERSE]
    speed = float(u @ n)
    y = g - u + (row[WANTED] - mu * np.linalg.norm(u - speed * n)) * n
    return float(np.linalg.norm(g - on_cone(y, n, mu))), float(force @ n) * (speed - float(row[WANTED]))


def on_cone(y: Floats, n: Floats, mu: float) -> Floats:
    """The point of the cone of friction nearest to y (contacts/law.py)"""
    up = float(y @ n)
    along = y - up * n
    r = float(np.linalg.norm(along))
    if r <= mu * up:
        return y
    if up <= -mu * r:
        return np.zeros(3)
    return (up + mu * r) / (1.0 + mu * mu) * (n + mu / r * along if r > 0.0 else n)


def read_solution(touch: Touch) -> ContactSolution:
    c = touch.control
    if c[ACTIVE] == 0:
        return ContactSolution("none", 0, 0, 0, 0, 0.0)
    return ContactSolution(
        METHODS[c[USED]],
        int(c[ACTIVE]),
        int(c[PRESSING]),
        int(c[NEWTONS]),
        int(c[GRADIENTS]),
        float(touch.number[RESIDUAL]),
    )
