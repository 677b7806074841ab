"""A step in two passes, for worlds in which only some islands touch something or press on a limit.

Contacts and limits need complementarity, which the integrators of higher order do not have: in their stages the
trapezium rule reverses the velocity at an impact (integrators/README.md). Therefore `implicit` steps the islands that
touch something or press on a limit, and the integrator of the user steps the others:

    join, mark -> divide -> pass of the integrator (OWN_PART), without contacts -> look at limits; divide again
        -> exchange: its result is set aside -> pass of `implicit` (PRESSED_PART) -> look at contacts; divide again
        -> unite -> judged as one step

Each pass solves for the whole world, and a sum of work takes only the bodies of its part (`islands.takes_part`). A
limit that is violated after the first pass marks its island. If this changes the parts, the pass is made once more, so
that its sums are right. A body that is struck in a step may strike others in the same step. If contacts of the second
pass press on bodies of the first, the islands of these bodies are marked, too, and both passes are made once more.
`rattle4` composes its step of five parts, and always has one pass."""

from physics.bodies import islands
from physics.compiler.jit import entry, inline, kernel
from physics.data.state_tables import Grabs, HardLimits, Memory
from physics.data.step_tables import SCHEME_COMPOSED, Control, IslandFlag, Number, Part, Request, PartsTask
from physics.data.work_tables import DriveWork, LimitWork, Pulls
from physics.edges.joint_forces import gather_forces
from physics.forces import drives

ROWS_OF_DRIVE = 9  # what was clipped, the solution, the mean effort: columns of Work.drive from CLIPPED on


@inline
def may_part(c):
    """Return whether a step may have two passes. A composed step has one pass, because one of its parts goes back in
    time."""
    return c[Control.SEVERAL] != 0 and not SCHEME_COMPOSED[c[Control.INTEGRATOR]]


@entry("msw", "i")
def attend_parts(m, s, w):
    """Do one task of a step in two passes, given by Control.PARTS_TASK. For DIVIDE return how many bodies have changed
    their part, for the other tasks DONE. The driver calls this unit."""
    task = w.control[Control.PARTS_TASK]
    if task == PartsTask.JOIN:
        islands.join_tied(m, w)
        for l in range(s.limit.shape[0]):
            if s.limit[l, HardLimits.AGE] > 0.0:
                islands.mark(w, islands.child_of(m, int(s.limit[l, HardLimits.EDGE])), IslandFlag.PRESSED)
    elif task == PartsTask.DIVIDE:
        return divide(w)
    elif task == PartsTask.EXCHANGE:
        exchange(s, w)
    else:
        unite(m, s, w)
    return Request.DONE


@kernel
def divide(w):
    """Write to Work.part which pass steps each body, and set Control.PARTED and PART. Return how many bodies have
    changed their part."""
    c = w.control
    first = 0
    changed = 0
    n = w.part.shape[0]
    for i in range(n):
        part = Part.PRESSED_PART if w.island[islands.root_of(w, i), 1] & IslandFlag.PRESSED else Part.OWN_PART
        if part == Part.PRESSED_PART:
            first += 1
        if w.part[i] != part:
            changed += 1
        w.part[i] = part
    if c[Control.PARTED] == 0:
        changed = n
    c[Control.PARTED] = 1 if 0 < first < n else 0
    c[Control.PART] = Part.OWN_PART if c[Control.PARTED] != 0 else Part.ALL_PARTS
    return changed


@kernel
def exchange(s, w):
    """Set the result of the integrator's pass aside: poses and velocities in Work.backup, wrenches in
    Work.backup_memory, pulls and drives in their columns ASIDE, the work in Number.ASIDE_WORK. The next pass is that of
    PRESSED_PART."""
    gather_forces(w)
    place = s.pose.shape[1]
    for i in range(s.pose.shape[0]):
        for k in range(place):
            w.backup[i, k] = w.next_pose[i, k]
        for k in range(s.velocity.shape[1]):
            w.backup[i, place + k] = w.next_velocity[i, k]
    for e in range(s.memory.shape[0]):
        for k in range(6):
            w.backup_memory[e, Memory.WRENCH + k] = w.next_wrench[e, k]
    for g in range(w.control[Control.GRABS]):
        for k in range(6):
            w.pull[g, Pulls.ASIDE_PULL + k] = w.pull[g, Pulls.MEAN_PULL + k]
    for r in range(w.drive.shape[0]):
        for k in range(ROWS_OF_DRIVE):
            w.drive[r, DriveWork.ASIDE + k] = w.drive[r, DriveWork.CLIPPED + k]
    w.number[Number.ASIDE_WORK] = w.number[Number.STEP_WORK] + w.number[Number.DRIVE_WORK]
    w.control[Control.PART] = Part.PRESSED_PART


@kernel
def unite(m, s, w):
    """Restore the result of the integrator's pass for the bodies of OWN_PART to Work, which holds that of the other
    pass, and add its work to Number.STEP_WORK."""
    gather_forces(w)
    place = s.pose.shape[1]
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        i = islands.child_of(m, e)
        if w.part[i] != Part.OWN_PART:
            continue
        for k in range(6):
            w.next_wrench[e, k] = w.backup_memory[e, Memory.WRENCH + k]
        if e < n:
            for k in range(place):
                w.next_pose[i, k] = w.backup[i, k]
            for k in range(s.velocity.shape[1]):
                w.next_velocity[i, k] = w.backup[i, place + k]
    for g in range(w.control[Control.GRABS]):
        if s.grab[g, Grabs.BODY] >= 0.0 and w.part[int(s.grab[g, Grabs.BODY])] == Part.OWN_PART:
            for k in range(6):
                w.pull[g, Pulls.MEAN_PULL + k] = w.pull[g, Pulls.ASIDE_PULL + k]
    for r in range(w.drive.shape[0]):
        if w.part[drives.moved_by(m, s, r)] == Part.OWN_PART:
            for k in range(ROWS_OF_DRIVE):
                w.drive[r, DriveWork.CLIPPED + k] = w.drive[r, DriveWork.ASIDE + k]
    for l in range(s.limit.shape[0]):
        if w.part[islands.child_of(m, int(s.limit[l, HardLimits.EDGE]))] == Part.OWN_PART:
            w.limit[l, LimitWork.MEAN] = 0.0
    w.number[Number.STEP_WORK] += w.number[Number.ASIDE_WORK]
    c = w.control
    c[Control.MEASURED] = 0
    c[Control.PART] = Part.ALL_PARTS
    c[Control.PARTED] = 0
    c[Control.UNITED] = 1
