"""What contacts keep between steps and need in a step: the record `Touch`, how it is made and how it grows."""

from typing import NamedTuple

import numpy as np

from physics.collision.collision import Collision, grow
from physics.compiler.pack import Columns, packed
from physics.data.contact_tables import (
    ContactBodies, ContactCounts, ContactExtras, ContactKept, ContactRows, Found, Method, Rest, TouchControl,
    TouchNumber,
)  # fmt: skip
from physics.data.model import Floats, Ints, Model, Work

# impulses are found to this share of the largest
DEFAULT_TOLERANCE = 1e-3


@packed
class Touch(NamedTuple):
    """What contacts read and write in a step. Row i of `row` and `extra` belongs to row i of Contacts.who."""

    collision: Collision  # the shapes, and the contact points that were found
    row: Columns  # (m, ContactRows.WIDTH) each contact point as three rows of the present request
    extra: Columns  # (m, ContactExtras.WIDTH) columns of a contact that few steps need
    kept: Columns  # (m, ContactKept.WIDTH) forces of the contacts in Contacts.before, for a warm start
    pairs: Ints  # (m,) the contacts between two bodies that carry an impulse
    block: Columns  # (n, stride (stride + 1) / 2) A of the request without contacts
    force: Columns  # (n, stride) right-hand side f of the request without contacts
    push: Columns  # (n + k, 9) d and b of the request without contacts
    pull: Columns  # (grabs, 6) mean force and torque of each grab before the request
    start: Columns  # (n, stride) velocities of the present iteration
    without: Columns  # (n, stride) the solution without restitution
    found: Columns  # (n, stride) the solution of the linear system
    residual: Columns  # (n, stride) conjugate gradients: the residual r
    direction: Columns  # (n, stride) conjugate gradients: the search direction d
    image: Columns  # (n, stride) conjugate gradients: the product H d
    rest: Columns  # (n, Rest.WIDTH) how long each body has been slow, and whether it sleeps
    number: Floats  # (TouchNumber.WIDTH,) settings and sums of the contact methods
    control: Ints  # (TouchControl.WIDTH,) switches and counters of the contact methods


VELOCITIES = ("start", "without", "found", "residual", "direction", "image")


def make_touch(collision: Collision, model: Model, work: Work) -> Touch:
    """Returns a new record with room for the bodies and edges of `model`, and none for contacts yet."""
    touch = Touch(
        collision,
        row=np.zeros((0, ContactRows.WIDTH)),
        extra=np.zeros((0, ContactExtras.WIDTH)),
        kept=np.zeros((0, ContactKept.WIDTH)),
        pairs=np.zeros(0, np.int64),
        block=np.zeros_like(work.block),
        force=np.zeros_like(work.force),
        push=np.zeros((len(work.row), 9)),
        pull=np.zeros((len(work.pull), 6)),
        **{name: np.zeros_like(work.velocity) for name in VELOCITIES},
        rest=np.zeros((len(work.velocity), Rest.WIDTH)),
        number=np.zeros(TouchNumber.WIDTH),
        control=np.zeros(TouchControl.WIDTH, np.int64),
    )
    touch.number[TouchNumber.TOLERANCE] = DEFAULT_TOLERANCE
    touch.control[TouchControl.METHOD] = Method.NEWTON
    return _fitted(touch)


def fitted_to(touch: Touch, work: Work) -> Touch:
    """Returns the record with room for edges and grabs that have been added."""
    return touch._replace(push=np.zeros((len(work.row), 9)), pull=np.zeros((len(work.pull), 6)))


def with_more_room(touch: Touch, status: int) -> Touch:
    """Returns the record with larger arrays, after `detect_contacts` returned another status than DONE."""
    return _fitted(touch._replace(collision=grow(touch.collision, status)))


def _fitted(touch: Touch) -> Touch:
    """Returns the record with tables of rows as large as those of the contacts."""
    size = len(touch.collision.contacts.who)
    row, extra, kept = (
        np.zeros((size, ContactRows.WIDTH)),
        np.zeros((size, ContactExtras.WIDTH)),
        np.zeros((size, ContactKept.WIDTH)),
    )
    row[: len(touch.row)], kept[: len(touch.kept)] = touch.row, touch.kept
    return touch._replace(row=row, extra=extra, kept=kept, pairs=np.zeros(size, np.int64))


def warm_starts(touch: Touch) -> bytes:
    """Returns what the next step takes over from the contacts of the last step: which bodies sleep, which contacts
    there were, and their forces and ages."""
    contacts = touch.collision.contacts
    count = int(contacts.tally[ContactCounts.CONTACTS])
    if touch.control[TouchControl.REMEMBERED]:
        who, kept = contacts.before[: contacts.kept[0]], touch.kept[: contacts.kept[0]]
    else:
        who, kept = contacts.who[:count], touch.row[:count, ContactRows.FORCE : ContactRows.AGE + 1]
    return touch.rest.tobytes() + np.ascontiguousarray(who).tobytes() + np.ascontiguousarray(kept).tobytes()


def with_warm_starts(touch: Touch, data: bytes) -> Touch:
    """Returns the record with these warm starts; the contacts of the last step are forgotten."""
    slept = touch.rest.nbytes
    touch.rest[:] = np.frombuffer(data[:slept]).reshape(touch.rest.shape)
    touch.control[TouchControl.ASLEEP] = np.count_nonzero(touch.rest[:, Rest.SLEEPS])
    touch.control[TouchControl.ALL_ASLEEP] = 0
    data = data[slept:]
    count = len(data) // (8 * (ContactBodies.WIDTH + ContactKept.WIDTH))
    while len(touch.row) < count:
        touch.collision.contacts.tally[ContactCounts.CONTACTS] = count
        touch = with_more_room(touch, Found.MORE_CONTACTS)
    contacts = touch.collision.contacts
    contacts.before[:count] = np.frombuffer(data, np.int64, count * ContactBodies.WIDTH).reshape(
        count, ContactBodies.WIDTH
    )
    touch.kept[:count] = np.frombuffer(data, np.float64, offset=8 * count * ContactBodies.WIDTH).reshape(
        count, ContactKept.WIDTH
    )
    contacts.kept[0] = count
    contacts.tally[ContactCounts.CONTACTS] = 0
    touch.control[TouchControl.REMEMBERED] = 1
    return touch


def wake(touch: Touch) -> None:
    """Wakes all bodies."""
    touch.rest[:] = 0.0
    touch.control[[TouchControl.ASLEEP, TouchControl.ALL_ASLEEP]] = 0
