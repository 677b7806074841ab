"""Results of a solved request for its contacts: forces, ages and work."""

from physics.compiler.jit import kernel
from physics.contacts.law import FASTEST_PUSH
from physics.contacts.request_rows import load3_of, rate_of
from physics.data.contact_tables import NEVER, ContactRows, TouchControl, TouchNumber
from physics.data.step_tables import Control, Number
from physics.maths.vec import add, dot, load3, norm, scale, store3

# Energy is not counted by the guard below this speed of all bodies, m/s: what a tolerance on impulses leaves.
QUIET = 0.01


@kernel
def conclude(s, w, k):
    """Write the forces and ages of the contacts in this request to Touch.row, and the number of pressing contacts to
    TouchControl.PRESSING. Add the work of these contacts, and the energy that the guard allows for them, to
    Work.number. Contacts that take no part in the request keep their forces and ages."""
    x = k.number
    pressing = 0
    total = 0.0
    gain = 0.0
    pushed = 0.0
    fastest = QUIET
    for c in range(k.control[TouchControl.ACTIVE]):
        if k.row[c, ContactRows.WANTED] == NEVER:
            continue  # what it carried remains
        gamma = load3(k.row, c, ContactRows.IMPULSE)
        store3(k.row, c, ContactRows.FORCE, scale(1.0 / x[TouchNumber.SPAN], gamma))
        if gamma[0] == 0.0 and gamma[1] == 0.0 and gamma[2] == 0.0:
            k.row[c, ContactRows.AGE] = 0.0
            continue
        k.row[c, ContactRows.AGE] += 1.0
        pressing += 1
        # gamma . (u0 + u1) / 2 is what the impulse does to the kinetic energy; the pose goes on with u1 alone
        surface = load3(k.row, c, ContactRows.SURFACE)
        u = load3(k.row, c, ContactRows.RATE)
        mean = scale(0.5, add(rate_of(k.collision.contacts, k, c, s.velocity), u))
        work = dot(gamma, add(mean, surface))
        total += work
        if surface[0] == 0.0 and surface[1] == 0.0 and surface[2] == 0.0:
            pushed += max(0.0, max(work, dot(gamma, u)))
            if k.row[c, ContactRows.WANTED] != k.row[c, ContactRows.BOUNCE]:
                fastest += max(0.0, k.row[c, ContactRows.WANTED])
        else:
            gain += max(0.0, max(work, dot(gamma, add(u, surface))))
    k.control[TouchControl.PRESSING] = pressing
    # what the tolerance leaves undecided, over the distance that free fall makes in the step
    g = norm(load3_of(w.number, Number.GRAVITY))
    pushed += pressing * x[TouchNumber.TOLERANCE] * x[TouchNumber.LARGEST] * g * w.number[Number.H]
    # pushing out gives no more than all that there is would have at the sum of the vhat (of a stack they add up), at
    # most at that of one, and what lifts it in the step
    fastest = min(fastest, FASTEST_PUSH)
    mass = 0.0
    for i in range(k.block.shape[0]):
        mass += k.block[i, 0]
    gain += min(pushed, mass * fastest * (0.5 * fastest + g * w.number[Number.H]))
    most = mass * FASTEST_PUSH * (0.5 * FASTEST_PUSH + g * w.number[Number.H])
    w.number[Number.PUSH_MOST] = max(w.number[Number.PUSH_MOST], most)
    here = (w.control[Control.PHASE] << 8) + w.control[Control.TICK]
    if k.control[TouchControl.COUNTED] == here:
        # the same request once more, with a drive at its limit
        w.number[Number.STEP_CONTACT_WORK] -= x[TouchNumber.LAST_WORK]
        w.number[Number.CONTACT_GAIN] -= x[TouchNumber.LAST_GAIN]
    w.number[Number.STEP_CONTACT_WORK] += total
    w.number[Number.CONTACT_GAIN] += gain
    k.control[TouchControl.COUNTED] = here
    x[TouchNumber.LAST_WORK] = total
    x[TouchNumber.LAST_GAIN] = gain
