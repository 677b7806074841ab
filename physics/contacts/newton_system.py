"""Contacts in the linear system of a request: A + J^T G J and f + J^T (gamma + G u).

A contact adds 6 x 6 blocks to Work.block (n, 21: the lower triangle), and wrenches to Work.force (n, 6). They refer to
the centre of mass of the body. The block between two bodies, -C, is not part of Work.block. `add_couplings` multiplies
it by velocities."""

from physics.compiler.jit import inline, kernel
from physics.contacts.law import Piece
from physics.contacts.request_rows import point_rate
from physics.data.contact_tables import ContactBodies, ContactRows, TouchControl
from physics.data.step_tables import Number, Request
from physics.forces.request import keep_mean_pulls, keep_right_hand_side, restore_mean_pulls
from physics.maths.vec import add, add_to3, add_to_block, cross, full, load3, load6, mat_cross, scale, sym_mul
from physics.maths.whole_arrays import copy


# ---------------------------------------------------------------- the request without contacts
@kernel
def keep_request(w, k):
    """Copy A, f, d and b of the request from Work to Touch, and also the present mean pulls of grabs."""
    copy(w.block, k.block)
    keep_right_hand_side(w, k.force, k.push)
    keep_mean_pulls(w, k.pull, 0)


@kernel
def restore_pulls(w, k):
    """Copy the mean pulls of grabs back to Work. Subtract the work of limits in the previous solution, because only the
    last solution counts."""
    restore_mean_pulls(w, k.pull, 0)
    if k.control[TouchControl.NEWTONS] > 0 and k.control[TouchControl.ASKED] & Request.LIMIT_NOW:
        w.number[Number.STEP_WORK] -= w.number[Number.LIMIT_LAST_WORK]
        w.number[Number.LIMIT_STEP_WORK] -= w.number[Number.LIMIT_LAST_WORK]


# ---------------------------------------------------------------- contacts into the system
@inline
def add_at(block, i, r, g):
    """Add [1, [r]x]^T G [1, [r]x^T] to the block of body i. G is a stiffness, packed in g. It acts at the lever r from
    the centre of mass."""
    a = mat_cross(full(g), r)
    wv = (-a[0], -a[3], -a[6], -a[1], -a[4], -a[7], -a[2], -a[5], -a[8])
    b = mat_cross(wv, r)
    add_to_block(block, i, g, wv, (-b[0], -b[3], -b[4], -b[6], -b[7], -b[8]))


@inline
def push_at(force, i, r, f):
    """Add the impulse f at the lever r to row i of `force`."""
    add_to3(force, i, 0, f)
    add_to3(force, i, 3, cross(r, f))


@kernel
def add_contacts(w, k, blocks):
    """Add J^T (gamma + G u) of all contacts to Work.force. With `blocks`, also add the diagonal blocks of J^T G J to
    Work.block. List the contacts between two bodies that exert a force in Touch.pairs, and return their number."""
    coupled = 0
    for c in range(k.control[TouchControl.ACTIVE]):
        coupled = add_contact(w, k, c, coupled, blocks)
    return coupled


@inline
def add_contact(w, k, c, coupled, blocks):
    """Add J^T (gamma + G u) of contact c to Work.force. With `blocks`, also add its diagonal blocks of J^T G J to
    Work.block. If it is between two bodies, append it to Touch.pairs. `coupled` is the number of contacts there; return
    the new number. Do nothing if the contact is open."""
    if k.row[c, ContactRows.PIECE] == Piece.OPEN:
        return coupled
    who = k.collision.contacts.who
    g = load6(k.row, c, ContactRows.STIFFNESS)
    f = add(load3(k.row, c, ContactRows.IMPULSE), sym_mul(g, load3(k.row, c, ContactRows.RATE)))
    a = who[c, ContactBodies.BODY_A]
    b = who[c, ContactBodies.BODY_B]
    ra = load3(k.row, c, ContactRows.LEVER_A)
    if b < 0:
        # u counts from the surface that forces do not move
        f = add(f, sym_mul(g, load3(k.row, c, ContactRows.SURFACE)))
    else:
        k.pairs[coupled] = c
        coupled += 1
        rb = load3(k.row, c, ContactRows.LEVER_B)
        push_at(w.force, b, rb, scale(-1.0, f))
        if blocks:
            add_at(w.block, b, rb, g)
    push_at(w.force, a, ra, f)
    if blocks:
        add_at(w.block, a, ra, g)
    return coupled


@kernel
def add_couplings(k, velocity, out):
    """Add C v of the contacts in Touch.pairs to `out` (n, 6), for the velocities v in `velocity` (n, 6)."""
    who = k.collision.contacts.who
    for p in range(k.control[TouchControl.COUPLED]):
        c = k.pairs[p]
        a = who[c, ContactBodies.BODY_A]
        b = who[c, ContactBodies.BODY_B]
        g = load6(k.row, c, ContactRows.STIFFNESS)
        ra = load3(k.row, c, ContactRows.LEVER_A)
        rb = load3(k.row, c, ContactRows.LEVER_B)
        push_at(out, a, ra, sym_mul(g, point_rate(velocity, b, rb)))
        push_at(out, b, rb, sym_mul(g, point_rate(velocity, a, ra)))
