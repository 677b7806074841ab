"""Where only some islands touch something or lean on a limit: two passes of one step.

Contacts and limits want complementarity, which the integrators of higher order do not have: in their stages a trapezium
mirrors the velocity at an impact (physics/README.md, "In other integrators"). So what touches is stepped by `implicit`,
and the other islands by the integrator that is set:

    join, mark -> divide -> pass of the integrator (OWN_PART), without contacts -> look at limits; divide again
        -> exchange: its result is set aside -> pass of `implicit` (PRESSED_PART) -> look at contacts; divide again
        -> unite -> judged as one step

Each pass goes over the whole world, and a sum of work takes those bodies alone that belong to its part
(`parts.takes_part`). A limit that is found broken after the first pass marks its island, and the pass is made once more
where that changes the parts, so that its sums are right. Where contacts of the second pass press on bodies of the
first, as what is struck in a step may strike others in it, their islands are marked too, and both passes are made once
more. `rattle4` composes its step of five: it is not parted.
"""

from physics import drives, parts
from physics.joint_forces import gather_forces
from physics.kernels.jit import entry, inline, kernel
from physics.layout import (
    ALL_PARTS, ASIDE_PULL, ASIDE_WORK, CLIPPED, DIVIDE, DONE, DRIVE_ASIDE, DRIVE_WORK,
    EXCHANGE, GRABS, GRAB_BODY, INTEGRATOR, JOIN, LIMIT_AGE, LIMIT_EDGE, LIMIT_MEAN, MEAN_PULL, MEASURED, OWN_PART,
    PART, PARTED, PRESSED_ISLAND, PRESSED_PART, RATTLE4, SEVERAL, STEP_WORK, TASK, UNITED, WRENCH,
)  # fmt: skip

ROWS_OF_DRIVE = 9  # what was clipped, the solution, the mean effort: columns of Work.drive from CLIPPED on


@inline
def may_part(c):
    return c[SEVERAL] != 0 and c[INTEGRATOR] != RATTLE4


@entry
def attend_parts(m, s, w):
    """One task for the driver, by Work.control[TASK]. DIVIDE returns how many bodies have changed their part."""
    task = w.control[TASK]
    if task == JOIN:
        parts.join_tied(m, w)
        for l in range(s.limit.shape[0]):
            if s.limit[l, LIMIT_AGE] > 0.0:
                parts.mark(w, parts.child_of(m, int(s.limit[l, LIMIT_EDGE])), PRESSED_ISLAND)
    elif task == DIVIDE:
        return divide(w)
    elif task == EXCHANGE:
        exchange(s, w)
    else:
        unite(m, s, w)
    return DONE


@kernel
def divide(w):
    c = w.control
    first = 0
    changed = 0
    n = w.part.shape[0]
    for i in range(n):
        part = PRESSED_PART if w.island[parts.root_of(w, i), 1] & PRESSED_ISLAND else OWN_PART
        if part == PRESSED_PART:
            first += 1
        if w.part[i] != part:
            changed += 1
        w.part[i] = part
    if c[PARTED] == 0:
        changed = n
    c[PARTED] = 1 if 0 < first < n else 0
    c[PART] = OWN_PART if c[PARTED] != 0 else ALL_PARTS
    return changed


@kernel
def exchange(s, w):
    """The result of the integrator's pass is set aside: poses, velocities, wrenches, pulls, drives, work."""
    gather_forces(w)
    place = s.pose.shape[1]
    for i in range(s.pose.shape[0]):
        for k in range(place):
            w.backup[i, k] = w.next_pose[i, k]
        for k in range(s.velocity.shape[1]):
            w.backup[i, place + k] = w.next_velocity[i, k]
    for e in range(s.memory.shape[0]):
        for k in range(6):
            w.backup_memory[e, WRENCH + k] = w.next_wrench[e, k]
    for g in range(w.control[GRABS]):
        for k in range(6):
            w.pull[g, ASIDE_PULL + k] = w.pull[g, MEAN_PULL + k]
    for r in range(w.drive.shape[0]):
        for k in range(ROWS_OF_DRIVE):
            w.drive[r, DRIVE_ASIDE + k] = w.drive[r, CLIPPED + k]
    w.number[ASIDE_WORK] = w.number[STEP_WORK] + w.number[DRIVE_WORK]
    w.control[PART] = PRESSED_PART


@kernel
def unite(m, s, w):
    """The step of the integrator's part stands beside that of the other one."""
    gather_forces(w)
    place = s.pose.shape[1]
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        i = parts.child_of(m, e)
        if w.part[i] != OWN_PART:
            continue
        for k in range(6):
            w.next_wrench[e, k] = w.backup_memory[e, WRENCH + k]
        if e < n:
            for k in range(place):
                w.next_pose[i, k] = w.backup[i, k]
            for k in range(s.velocity.shape[1]):
                w.next_velocity[i, k] = w.backup[i, place + k]
    for g in range(w.control[GRABS]):
        if s.grab[g, GRAB_BODY] >= 0.0 and w.part[int(s.grab[g, GRAB_BODY])] == OWN_PART:
            for k in range(6):
                w.pull[g, MEAN_PULL + k] = w.pull[g, ASIDE_PULL + k]
    for r in range(w.drive.shape[0]):
        if w.part[drives.moved_by(m, s, r)] == OWN_PART:
            for k in range(ROWS_OF_DRIVE):
                w.drive[r, CLIPPED + k] = w.drive[r, DRIVE_ASIDE + k]
    for l in range(s.limit.shape[0]):
        if w.part[parts.child_of(m, int(s.limit[l, LIMIT_EDGE]))] == OWN_PART:
            w.limit[l, LIMIT_MEAN] = 0.0
    w.number[STEP_WORK] += w.number[ASIDE_WORK]
    c = w.control
    c[MEASURED] = 0
    c[PART] = ALL_PARTS
    c[PARTED] = 0
    c[UNITED] = 1
