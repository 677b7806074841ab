"""The record `Touch`, with the arrays that contacts keep between steps or need in a step: how it is made, and how it
grows."""

from typing import NamedTuple

import numpy as np

from physics.collision.collision import Collision, grow
from physics.compiler.pack import Columns, packed
from physics.data.contact_tables import (
    CONTACT_TOLERANCE, ContactBodies, ContactCounts, ContactExtras, ContactKept, ContactRows, Found, Method, Rest,
    TouchControl, TouchNumber,
)  # fmt: skip
from physics.data.arrays import array, make, nested, remade
from physics.data.model import Floats, Ints, Model, Work


@packed
class Touch(NamedTuple):
    """The arrays that contacts read and write in a step. Row i of `row` and `extra` belongs to row i of
    Contacts.who."""

    collision: Collision = nested("the shapes, and the contact points that were found")
    row: Columns = array(("m", ContactRows), "each contact point as three rows of the present request", by="contacts")
    extra: Columns = array(("m", ContactExtras), "columns of a contact that few steps need", by="contacts")
    kept: Columns = array(
        ("m", ContactKept), "forces of the contacts in Contacts.before, for a warm start", by="contacts"
    )
    pairs: Ints = array(("m",), "the contacts between two bodies that carry an impulse", by="contacts")
    block: Columns = array(
        ("n", "triangle"), "A of the request without contacts", "kg, kg m, kg m^2", frame="world", by="contacts"
    )
    force: Columns = array(
        ("n", "stride"),
        "right-hand side f of the request without contacts",
        "N, N m or N s, N m s",
        frame="world",
        by="forces",
    )
    push: Columns = array(
        ("n + k", 9), "d and b of the request without contacts", "m/s, rad/s", frame="world", by="forces"
    )
    pull: Columns = array(
        ("grabs", 6), "mean force and torque of each grab before the request", "N, N m", frame="world", by="forces"
    )
    start: Columns = array(
        ("n", "stride"), "velocities of the present iteration", "m/s, rad/s, 1/s", frame="world", by="contacts"
    )
    without: Columns = array(
        ("n", "stride"), "the solution without restitution", "m/s, rad/s, 1/s", frame="world", by="contacts"
    )
    found: Columns = array(
        ("n", "stride"), "the solution of the linear system", "m/s, rad/s, 1/s", frame="world", by="contacts"
    )
    residual: Columns = array(
        ("n", "stride"), "conjugate gradients: the residual r", "N s, N m s", frame="world", by="contacts"
    )
    direction: Columns = array(
        ("n", "stride"), "conjugate gradients: the search direction d", "m/s, rad/s, 1/s", frame="world", by="contacts"
    )
    image: Columns = array(
        ("n", "stride"), "conjugate gradients: the product -H d", "N s, N m s", frame="world", by="contacts"
    )
    rest: Columns = array(("n", Rest), "how long each body has been slow, and whether it sleeps", by="contacts")
    number: Floats = array((TouchNumber,), "settings and sums of the contact methods", by="contacts, world")
    control: Ints = array((TouchControl,), "switches and counters of the contact methods", by="contacts, world")


def make_touch(collision: Collision, model: Model, work: Work) -> Touch:
    """Return a new record for the bodies and edges of a figure, with no contacts yet."""
    touch = make(Touch, {**_sizes(work), "m": 0}, collision=collision)
    touch.number[TouchNumber.TOLERANCE] = CONTACT_TOLERANCE
    touch.control[TouchControl.METHOD] = Method.NEWTON
    return _fitted(touch)


def _sizes(work: Work) -> dict[str, int]:
    """Return the sizes of the arrays that have one row for each body, edge or grab."""
    (n, stride), triangle = work.velocity.shape, work.block.shape[1]
    return {"n": n, "k": len(work.row) - n, "stride": stride, "triangle": triangle, "grabs": len(work.pull)}


def fitted_to(touch: Touch, work: Work) -> Touch:
    """Return the record with arrays that fit the present numbers of edges and grabs."""
    return remade(touch, _sizes(work), "push", "pull")


def with_more_room(touch: Touch, status: int) -> Touch:
    """Return the record with larger arrays. `status` is what `detect_contacts` returned, and is not DONE."""
    return _fitted(touch._replace(collision=grow(touch.collision, status)))


def _fitted(touch: Touch) -> Touch:
    """Return the record with a row for each row of the arrays of contacts."""
    larger = remade(touch, {"m": len(touch.collision.contacts.who)}, "row", "extra", "kept", "pairs")
    larger.row[: len(touch.row)], larger.kept[: len(touch.kept)] = touch.row, touch.kept
    return larger


def warm_starts(touch: Touch) -> bytes:
    """Return as bytes what the next step needs from the last one: which bodies sleep, which contacts there were, and
    the forces and ages of these contacts."""
    contacts = touch.collision.contacts
    count = int(contacts.tally[ContactCounts.CONTACTS])
    if touch.control[TouchControl.REMEMBERED]:
        who, kept = contacts.before[: contacts.kept[0]], touch.kept[: contacts.kept[0]]
    else:
        who, kept = contacts.who[:count], touch.row[:count, ContactRows.FORCE : ContactRows.AGE + 1]
    return touch.rest.tobytes() + np.ascontiguousarray(who).tobytes() + np.ascontiguousarray(kept).tobytes()


def with_warm_starts(touch: Touch, data: bytes) -> Touch:
    """Return the record with the warm starts in `data`, which `warm_starts` returned. They replace the contacts of the
    last step."""
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
    """Wake all bodies: set Touch.rest and the counts of sleeping bodies to zero."""
    touch.rest[:] = 0.0
    touch.control[[TouchControl.ASLEEP, TouchControl.ALL_ASLEEP]] = 0
