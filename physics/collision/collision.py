"""Collision detection of a scene: the poses of shapes, the pairs that may touch, the contact points, and their matching
with those of the last step.

    collision = make_collision(geometry, never=neighbours)
    collision = update(collision, pose, velocity, dt)      # contacts in collision.contacts

Compiled steps call `find_contacts`. If it returns a status other than DONE, an array was too small: Python code then
calls `grow` and tries again. No contact is ever left out."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from physics.collision.broad import Broad, boxes_meet, make_broad, update_pairs, with_more_pairs
from physics.collision.geometry import NO_FRAMES, Geometry, fill_places
from physics.collision.kinds import PLANE
from physics.collision.narrow import collide
from physics.collision.workspace import Workspace, make_workspace
from physics.compiler.jit import entry, kernel
from physics.compiler.pack import packed
from physics.data.contact_tables import ContactBodies, ContactCounts, ContactPoints, Found
from physics.data.arrays import array, make, nested
from physics.data.model import Floats, Ints
from physics.data.shape_tables import ShapeIndex, ShapePlace


@packed
class Contacts(NamedTuple):
    """The contact points that were found last, and those that `remember` kept from the step before."""

    who: Ints = array(("m", ContactBodies), "the bodies and shapes of each contact point", by="collision, contacts")
    where: Floats = array(("m", ContactPoints), "point, normal and gap of each contact point", by="collision")
    tally: Ints = array((ContactCounts,), "counts of the collision detection", by="collision, contacts")
    before: Ints = array(
        ("m", ContactBodies), "the bodies and shapes of the contacts that `remember` kept", by="collision"
    )
    kept: Ints = array((1,), "number of contacts that `remember` kept", by="collision")
    match: Ints = array(("m",), "row in `before` of the same contact, -1 for a new one", start=-1, by="collision")


@packed
class Collision(NamedTuple):
    """All tables of collision detection: the shapes, their poses, the broad phase, the workspace and the contacts."""

    geometry: Geometry = nested("the shapes")
    place: Floats = array(("g", ShapePlace), "origin and axes of every shape", by="collision")
    broad: Broad = nested("the broad phase")
    room: Workspace = nested("the workspace of the narrow phase")
    contacts: Contacts = nested("the contact points")


def make_collision(
    geometry: Geometry, never: Iterable[tuple[int, int]] = (), margin: float = 0.005, skin: float = 0.02
) -> Collision:
    """Return the tables of collision detection for these shapes. The other arguments are as in `make_broad`."""
    broad = make_broad(geometry, never, margin, skin)
    size = 4 * len(geometry.whole) + 16
    most_corners = int(np.diff(geometry.loop_start).max(initial=0))
    return make(
        Collision, {"g": len(geometry.whole)}, geometry=geometry, broad=broad, room=make_workspace(most_corners),
        contacts=make(Contacts, {"m": size}),
    )  # fmt: skip


def grow(collision: Collision, status: int) -> Collision:
    """Return the tables with room for one and a half times as many pairs, or contacts, as `find_contacts` has counted.
    `status` is what it returned."""
    old = collision.contacts
    if status == Found.MORE_PAIRS:
        return collision._replace(broad=with_more_pairs(collision.broad, int(old.tally[ContactCounts.PAIRS])))
    needed = int(old.tally[ContactCounts.CONTACTS])
    new = make(Contacts, {"m": needed + needed // 2})
    new.tally[:] = old.tally
    new.kept[:] = old.kept
    new.before[: len(old.before)] = old.before
    return collision._replace(contacts=new)


def update(collision: Collision, pose: Floats, velocity: Floats, dt: float, frame: Floats = NO_FRAMES) -> Collision:
    """Write the contacts at these poses to the tables, and return the tables. Replace arrays that are too small by
    larger ones. The arguments are as in `find_contacts`."""
    while True:
        status = run_find_contacts(collision, pose, velocity, frame, dt)
        if status == Found.DONE:
            return collision
        collision = grow(collision, status)


@entry("ctttf", "i")
def run_find_contacts(collision, pose, velocity, frame, dt):
    """Call `find_contacts` from Python, and return its status."""
    return find_contacts(collision, pose, velocity, frame, dt)


@kernel
def find_contacts(collision, pose, velocity, frame, dt):
    """Write all contacts to `collision.contacts`, sorted by pair of shapes. `pose` has the poses of the bodies (n, 7:
    position in m, quaternion w first), `velocity` their velocities (n, 6: linear, angular), and `frame` both for moving
    bodies. Velocities and the step dt [s] determine how wide the margins are. Return DONE, MORE_PAIRS or
    MORE_CONTACTS."""
    g = collision.geometry
    place = collision.place
    broad = collision.broad
    contacts = collision.contacts
    fill_places(g, pose, frame, place)
    status = update_pairs(g, place, velocity, frame, dt, broad, contacts.tally)
    if status != Found.DONE:
        return status
    contacts.tally[ContactCounts.CONTACTS] = 0
    for k in range(contacts.tally[ContactCounts.PAIRS]):
        i = broad.pair[k, 0]
        j = broad.pair[k, 1]
        if (
            g.whole[i, ShapeIndex.KIND] != PLANE
            and g.whole[j, ShapeIndex.KIND] != PLANE
            and not boxes_meet(broad.box, i, j)
        ):
            continue
        collide(g, place, i, j, broad.margin[i] + broad.margin[j], contacts, collision.room)
    if contacts.tally[ContactCounts.CONTACTS] > contacts.who.shape[0]:
        return Found.MORE_CONTACTS
    match_contacts(contacts)
    return Found.DONE


@kernel
def match_contacts(contacts):
    """Find for each contact k the same contact of the step before. Write its row of `contacts.before` to
    contacts.match[k], or -1 if there is none. It is the row with the same shapes and the same feature. Contacts without
    such a row get the remaining rows of the same pair of shapes, in order, so that they inherit their forces. Both
    lists are sorted by pair."""
    old = 0
    k = 0
    while k < contacts.tally[ContactCounts.CONTACTS]:
        last = k + 1
        while last < contacts.tally[ContactCounts.CONTACTS] and _order(contacts.who, k, contacts.who, last) == 0:
            last += 1
        while old < contacts.kept[0] and _order(contacts.before, old, contacts.who, k) < 0:
            old += 1
        first = old
        while old < contacts.kept[0] and _order(contacts.before, old, contacts.who, k) == 0:
            old += 1
        _match_pair(contacts, k, last, first, old)
        k = last


@kernel
def _match_pair(contacts, first, last, old_first, old_last):
    """Write contacts.match for the contacts of one pair of shapes: rows first to last - 1. Rows old_first to old_last -
    1 of `contacts.before` are the earlier contacts of this pair."""
    for k in range(first, last):
        contacts.match[k] = -1
        for m in range(old_first, old_last):
            if contacts.before[m, ContactBodies.FEATURE] == contacts.who[k, ContactBodies.FEATURE]:
                contacts.match[k] = m
                break
    for k in range(first, last):
        if contacts.match[k] >= 0:
            continue
        for m in range(old_first, old_last):
            if _is_free(contacts, m, first, last):
                contacts.match[k] = m
                break


@kernel
def _is_free(contacts, m, first, last):
    """Return whether none of the contacts first to last - 1 has row m of `contacts.before` as its match."""
    free = True
    for k in range(first, last):
        free = free and contacts.match[k] != m
    return free


@kernel
def _order(a, i, b, j):
    """Compare the pair of shapes in row i of table a with the pair in row j of table b. Return a negative number if the
    first comes before the second, zero if they are equal, and a positive number if it comes after."""
    low = min(a[i, ContactBodies.SHAPE_A], a[i, ContactBodies.SHAPE_A + 1]) - min(
        b[j, ContactBodies.SHAPE_A], b[j, ContactBodies.SHAPE_A + 1]
    )
    if low != 0:
        return low
    return max(a[i, ContactBodies.SHAPE_A], a[i, ContactBodies.SHAPE_A + 1]) - max(
        b[j, ContactBodies.SHAPE_A], b[j, ContactBodies.SHAPE_A + 1]
    )


@entry("o")
def run_remember(contacts):
    """Call `remember` from Python."""
    remember(contacts)


@kernel
def remember(contacts):
    """Copy the present contacts to `contacts.before`, and their number to `contacts.kept`. The next step matches its
    contacts with them."""
    contacts.kept[0] = contacts.tally[ContactCounts.CONTACTS]
    for k in range(contacts.tally[ContactCounts.CONTACTS]):
        for c in range(ContactBodies.WIDTH):
            contacts.before[k, c] = contacts.who[k, c]
