"""Sleep: which islands sleep, and how a step leaves them out.

An island is a set of bodies that trees, links, springs and contacts connect. Only those contacts count that press, or
whose gap would be less than NEAR in the step. An island on which a contact presses sleeps once none of its bodies has
moved faster than SPEED for WAIT seconds. Its velocities become zero, its poses stay the same to the last bit, and its
forces remain. All its bodies wake when an awake body joins it. All islands wake when anything is changed from outside.
An island does not sleep while a grab, a drive or a prescribed motion acts on it. No island sleeps in a medium, in the
kinematic order, or with `rattle`, `rattle4` and `rk4`.

Requests contain sleeping bodies, too, but their f, d and b are zero (task QUIET), so that their velocities stay zero.
Before the step is judged, their next state is set to the present one (task HOLD). Contacts between sleeping bodies
count as open (NEVER). When all bodies sleep, the driver only advances the time."""

from physics.compiler.table import Table
from physics.bodies import islands
from physics.compiler.jit import entry, kernel
from physics.contacts.detection import join_touching, near_in_step
from physics.data.contact_tables import NEVER, ContactBodies, ContactCounts, ContactRows, Rest, SleepTask, TouchControl
from physics.data.model_tables import Bodies, Joints, Topology
from physics.data.shape_tables import STILL
from physics.data.state_tables import DriveKind, Drives, Grabs, HardLimits, Memory
from physics.data.step_tables import SCHEME_SLEEPS, Control, Number, Order, Request
from physics.data.work_tables import Frames, LimitWork, Rows, Stops
from physics.edges.joint_forces import gather_forces
from physics.maths.vec import ZERO3, dot, load3, load9, mul_t, norm, store3

# Slower than this, with the speed of turning at the body's radius of gyration, counts as rest, m/s: heaps of ragdolls
# at rest stay below 2e-4.
SPEED = 1e-2
WAIT = 0.5  # s


class IslandState(Table):
    """Bits of an island's state: it must not sleep, because something moves it (BUSY); it has moved lately (MOVING); it
    touches something (HELD)."""

    BUSY = 1
    MOVING = 2
    HELD = 4


# ---------------------------------------------------------------- at the start of a step
@kernel
def fill_islands(m, s, w, k):
    """Write to Touch.rest how long each body has rested, and whether it sleeps in the step that starts. Stop the bodies
    that fall asleep. Count the sleeping bodies in TouchControl.ASLEEP. If no body may sleep, wake all."""
    c = k.control
    if (
        c[TouchControl.SLEEPING] == 0
        or not SCHEME_SLEEPS[w.control[Control.INTEGRATOR]]
        or w.control[Control.ORDER] != Order.DYNAMIC
        or w.control[Control.IN_MEDIUM] != 0
    ):
        if c[TouchControl.ASLEEP] != 0:
            wake_all(k)
        return
    n = m.topology.shape[0]
    join_all(m, s, w, k)
    mark_busy(m, s, w, k)
    h = w.number[Number.DT]
    for i in range(n):
        v = load3(s.velocity, i, 0)
        turn = load3(s.velocity, i, 3)
        largest = max(m.body[i, Bodies.INERTIA], max(m.body[i, Bodies.INERTIA + 1], m.body[i, Bodies.INERTIA + 2]))
        speed = dot(v, v) + dot(turn, turn) * largest / m.body[i, Bodies.MASS]
        k.rest[i, Rest.QUIET_TIME] = min(k.rest[i, Rest.QUIET_TIME] + h, WAIT) if speed < SPEED * SPEED else 0.0
        if k.rest[i, Rest.QUIET_TIME] < WAIT:
            w.island[islands.root_of(w, i), 1] |= IslandState.MOVING
    fell = 0
    c[TouchControl.ASLEEP] = 0
    for i in range(n):
        sleeps = w.island[islands.root_of(w, i), 1] == IslandState.HELD
        if sleeps:
            c[TouchControl.ASLEEP] += 1
            if k.rest[i, Rest.SLEEPS] == 0.0:
                fell = 1
                stop(m, s, w, i)
        k.rest[i, Rest.SLEEPS] = 1.0 if sleeps else 0.0
    # the contacts at hand were found with the velocities that those who have just fallen asleep had
    c[TouchControl.ALL_ASLEEP] = 1 if c[TouchControl.ASLEEP] == n and fell == 0 and w.frame.shape[0] == 0 else 0
    if c[TouchControl.ASLEEP] != 0 and not some_awake(s, w, k):
        c[TouchControl.ACTIVE] = 0


@kernel
def some_awake(s, w, k):
    """Return whether some contact of an awake body exerts a force, or comes near in this step."""
    for c in range(k.control[TouchControl.ACTIVE]):
        awake = k.rest[k.collision.contacts.who[c, ContactBodies.BODY_A], Rest.SLEEPS] == 0.0
        if awake and (k.row[c, ContactRows.AGE] > 0.0 or near_in_step(s, w, k, c)):
            return True
    return False


@kernel
def wake_all(k):
    """Wake all bodies: set Touch.rest and the counts of sleeping bodies to zero."""
    for i in range(k.rest.shape[0]):
        k.rest[i, Rest.QUIET_TIME] = 0.0
        k.rest[i, Rest.SLEEPS] = 0.0
    k.control[TouchControl.ASLEEP] = 0
    k.control[TouchControl.ALL_ASLEEP] = 0


@kernel
def join_all(m, s, w, k):
    """Write the islands to Work.island: sets of bodies that trees, links, springs, and contacts that press or come near
    connect."""
    islands.join_tied(m, w)
    join_touching(s, w, k, 0)


@kernel
def mark_busy(m, s, w, k):
    """Mark in Work.island the islands that touch something (HELD), and those that must not sleep (BUSY)."""
    contacts = k.collision.contacts
    for c in range(contacts.tally[ContactCounts.CONTACTS]):
        b = contacts.who[c, ContactBodies.BODY_B]
        if k.row[c, ContactRows.AGE] > 0.0:
            islands.mark(w, contacts.who[c, ContactBodies.BODY_A], IslandState.HELD)
        if b < -1 and b > STILL and moves(w, -2 - b) and (k.row[c, ContactRows.AGE] > 0.0 or near_in_step(s, w, k, c)):
            islands.mark(w, contacts.who[c, ContactBodies.BODY_A], IslandState.BUSY)
    for g in range(w.control[Control.GRABS]):
        if s.grab[g, Grabs.BODY] >= 0.0:
            islands.mark(w, int(s.grab[g, Grabs.BODY]), IslandState.BUSY)
    if w.control[Control.DRIVES_OFF] == 0:
        for r in range(s.drive.shape[0]):
            if s.drive[r, Drives.ON] != 0.0:
                place = int(s.drive[r, Drives.PLACE])
                islands.mark(
                    w,
                    place if s.drive[r, Drives.KIND] >= DriveKind.POINT else islands.child_of(m, place),
                    IslandState.BUSY,
                )
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        parent = m.topology[e, Topology.PARENT] if e < n else m.links[e - n, Topology.PARENT]
        if m.joint[e, Joints.SIGNAL] >= 0.0 or (parent < -1 and moves(w, -2 - parent)):
            islands.mark(w, islands.child_of(m, e), IslandState.BUSY)


@kernel
def moves(w, f):
    """Return whether the velocity of moving body f (row f of Work.frame) is not zero."""
    return norm(load3(w.frame, f, Frames.VELOCITY)) + norm(load3(w.frame, f, Frames.VELOCITY + 3)) > 0.0


@kernel
def stop(m, s, w, i):
    """Set the velocities of body i to zero. Its kinetic energy is lost: add it to Number.LOST, and subtract it from the
    energies in Work.number."""
    v = load3(s.velocity, i, 0)
    turn = mul_t(load9(w.rotation, i, 0), load3(s.velocity, i, 3))
    moment = load3(m.body, i, Bodies.INERTIA)
    lost = 0.5 * m.body[i, Bodies.MASS] * dot(v, v)
    for a in range(3):
        lost += 0.5 * moment[a] * turn[a] * turn[a]
    w.number[Number.LOST] += lost
    w.number[Number.KINETIC] -= lost
    w.number[Number.ENERGY] -= lost
    store3(s.velocity, i, 0, ZERO3)
    store3(s.velocity, i, 3, ZERO3)


# ---------------------------------------------------------------- in a step
@entry("mswk", "i")
def attend_sleepers(m, s, w, k):
    """Do the task in Control.SLEEP_TASK (ISLANDS, HOLD or QUIET). Return DONE. The driver calls this unit."""
    if w.control[Control.SLEEP_TASK] == SleepTask.ISLANDS:
        fill_islands(m, s, w, k)
    elif w.control[Control.SLEEP_TASK] == SleepTask.HOLD:
        hold(m, s, w, k)
    else:
        quiet(m, s, w, k)
    return Request.DONE


@kernel
def quiet(m, s, w, k):
    """Set f, d and b of sleeping bodies in the request to zero, and switch off their hard limits."""
    n = m.topology.shape[0]
    for i in range(n):
        if k.rest[i, Rest.SLEEPS] != 0.0:
            for a in range(w.force.shape[1]):
                w.force[i, a] = 0.0
            clear_row(w, i)
    for j in range(m.links.shape[0]):
        if k.rest[m.links[j, Topology.CHILD], Rest.SLEEPS] != 0.0:
            clear_row(w, n + j)
    for r in range(w.control[Control.STOPS]):
        if k.rest[int(w.stop[r, Stops.CHILD]), Rest.SLEEPS] != 0.0:
            w.stop[r, Stops.WANTED] = NEVER
            w.stop[r, Stops.CENTRE] = 0.0
    for l in range(s.limit.shape[0]):
        if k.rest[islands.child_of(m, int(s.limit[l, HardLimits.EDGE])), Rest.SLEEPS] != 0.0:
            w.limit[l, LimitWork.TAKEN] = 1.0


@kernel
def clear_row(w, e):
    """Set d and b of edge e to zero in Work.row."""
    store3(w.row, e, Rows.PUSH, ZERO3)
    store3(w.row, e, Rows.RIGHT_HAND_SIDE, ZERO3)
    store3(w.row, e, Rows.RIGHT_HAND_SIDE + 3, ZERO3)


@kernel
def hold(m, s, w, k):
    """Set the next poses and wrenches of sleeping bodies to the present ones, and their next velocities to zero. Keep
    the forces of their limits."""
    n = m.topology.shape[0]
    w.control[Control.MEASURED] = 0
    gather_forces(w)
    for e in range(n + m.links.shape[0]):
        i = islands.child_of(m, e)
        if k.rest[i, Rest.SLEEPS] == 0.0:
            continue
        for a in range(6):
            w.next_wrench[e, a] = s.memory[e, Memory.WRENCH + a]
        if e < n:
            for a in range(s.pose.shape[1]):
                w.next_pose[i, a] = s.pose[i, a]
            for a in range(s.velocity.shape[1]):
                w.next_velocity[i, a] = 0.0
    for l in range(s.limit.shape[0]):
        if k.rest[islands.child_of(m, int(s.limit[l, HardLimits.EDGE])), Rest.SLEEPS] != 0.0:
            w.limit[l, LimitWork.TAKEN] = 0.0
            w.limit[l, LimitWork.MEAN] = s.limit[l, HardLimits.FORCE]
