"""Drives of joints and springs to a target (`physics.definitions.actuators`) in every system: implicit, with exact
limits.

Each drive is a law for the effort u on a rate v: the rate q' of a coordinate, the relative angular velocity of a ball
joint, the velocity of a point of a body, or the angular velocity of a body. Over a stage of the span t, with T, K, C at
the pose where springs are taken,

    u = clip(z),   z = T - (C + t K) v,   T = k (q* - q) + c q*' + f*              D += t (C + t K),  d += t T

in the joint's own row, or in the body's own block, so that the tree stays as sparse as it was. `clip` is the nearest
value within the limits; for vectors, the nearest within a ball. Where z is over the limit, the law is replaced by its
tangent, and the stage is solved again, until the effort of each drive satisfies its law. This is Newton's method on a
convex and smooth energy, which is piecewise quadratic for single axes. If changing all drives at once does not
converge, one drive at a time is changed (Murty's least index). Drives that were over the limit in the last solution
begin with the tangent, so that most stages are solved once. With n = z/|z| and P = 1 - n n^T:

    axis    D += 0,  d += t u_max           vector    D += t G',  d += t (u_max n + G' v),  G' = (u_max/|z|) P G P

If MOST_SOLVES solves do not suffice (never observed), the last effort, clipped, is used as a constant in this stage.
Explicit integrators take u = clip(T - C v) at the present velocity. The work of u is added up stage by stage.

**A velocity without a gain** is a constraint with a bounded multiplier: v = v* at the end of the step if an effort
within the limits achieves it; else the effort is at the limit that brings v nearest to v*. The law is the one above
with a hard gain c; T contains the effort u0 of the last (sub)step (the method of multipliers):

    z = u0 + c (v* - v),   c = HARD u_max

Under a lasting load, therefore, v = v* and u is the load; c only determines how much v deviates while the load changes.
The law is implicit in every integrator. The explicit ones apply u0 in their stages, and the difference of u from u0 is
found together with the velocity at the end of the step (`hold`): by `explicit` in its one solve, by `rattle` in the
second kick, by `rk4` in the projection at the end.
"""

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import Bodies
from physics.data.state_tables import DriveKind, Drives
from physics.data.step_tables import Control, DriveRequest, Number, Request
from physics.data.work_tables import DriveWork, Rows
from physics.forces import geometric_stiffness, pulls
from physics.forces.drive_laws import (
    clipped, damping_of, gain, is_hard, linear_law, measure_all, rate_of, rate_of_frame, turn_all,
)  # fmt: skip
from physics.forces.request import keep_system, restore_system
from physics.maths.vec import (
    ZERO3, ZERO6, ZERO9, add_scaled, add_to3, add_to_block, clear3, cross, dot, load3, load6, load9, mul, negative,
    norm, scale, shift_block, store3, store6, sub, sym_mul,
)  # fmt: skip

MOST_SOLVES = 40
SOLVES_AT_ONCE = 8  # from then on only the first drive that is wrong takes its tangent
SHARE = 0.1  # of the inertia: geometric stiffness comes in where it exceeds that, and as far as it does
CLOSE = 1e-9  # of the limit: as near as an effort must come to its law,
ROUNDING = 1e-11  # and of what it is the difference of


# ---------------------------------------------------------------- as a force (`forces.all_forces`)
@kernel
def start(m, s, w):
    """Prepare a step or substep: set the mean efforts in Work.drive to 0, and CLIPPED and SOLVED to those of the last
    step in State.drive."""
    w.control[Control.DRIVE_ASKED] = 0
    for r in range(w.drive.shape[0]):
        store3(w.drive, r, DriveWork.MEAN_EFFORT, ZERO3)
        store3(w.drive, r, DriveWork.CLIPPED, load3(s.drive, r, Drives.CLIPPED))
        store3(w.drive, r, DriveWork.SOLVED, load3(s.drive, r, Drives.SOLVED))


@inline
def measure(m, s, w, pose, rotation):
    """Write T and K of every drive to Work.drive, at `pose` (n, place) with the signals of the stage."""
    measure_all(m, s, w, pose, rotation)


@inline
def turn(m, s, w, velocity, t):
    """Turn the measured T of the drives in Work.drive with their bodies over the time t, at the predicted `velocity`,
    before `add_implicit`."""
    turn_all(m, s, w, t, velocity)


@inline
def add_implicit(m, s, w, velocity, t, weight):
    """Add the drives to A, f, D and d of a stage of the span t [s]. Call this last before the request; `weight` is the
    share of the stage in the step."""
    put_all(m, s, w, t, weight)


@inline
def add_explicit(m, s, w, velocity, t, weight, accelerating):
    """Add t times the efforts of the drives, which have been measured, to f and d of an explicit integrator. `add_work`
    adds up their work."""
    push_all(m, s, w, velocity, t, weight)


@kernel
def hold(m, s, w, velocity, t, weight, what):
    """Add to the last request of an explicit integrator the laws of drives without a gain: the efforts that they need,
    beyond those of `add_explicit`, to hold their velocities. The request has the span t [s] (for t <= 0 nothing is
    done) and the share `weight` in the step. `velocity` is that before the request; with SPEEDS_AT_END the request is
    for a change of velocity."""
    if w.control[Control.HARD_DRIVES] != 0 and t > 0.0:
        hold_all(m, s, w, velocity, t, weight, what)


@inline
def add_work(m, s, w, velocity, weight):
    """Add the work of the efforts of a stage, at the rates of `velocity`, to the ledger; with weight 0, that of the
    mean efforts of the (sub)step."""
    work_all(m, s, w, velocity, weight)


@kernel
def account(m, s, w):
    """Return another request if an effort does not satisfy its law; else add up the work and return DONE."""
    return revise(m, s, w) if w.control[Control.DRIVE_ASKED] != 0 else Request.DONE


@kernel
def clear(m, s, w):
    """Set the mean efforts of the step in State.drive to 0."""
    clear3(s.drive, Drives.MEAN)


@kernel
def commit(m, s, w, share):
    """Add the mean efforts of an accepted (sub)step to State.drive, and store the held efforts, the clipping and the
    solved velocities, for the drives of the present pass. Then set the mean efforts of all drives in Work.drive to 0.
    `share` is not used: the efforts are already means over the (sub)step."""
    for r in range(w.drive.shape[0]):
        if not islands.takes_part(w, moved_by(m, s, r)):
            continue
        mean = load3(w.drive, r, DriveWork.MEAN_EFFORT)
        add_to3(s.drive, r, Drives.MEAN, mean)
        store3(s.drive, r, Drives.HELD, held(s, w, r, scale(w.number[Number.DT] / w.number[Number.H], mean)))
        store3(s.drive, r, Drives.CLIPPED, load3(w.drive, r, DriveWork.CLIPPED))
        store3(s.drive, r, Drives.SOLVED, load3(w.drive, r, DriveWork.SOLVED))
    forget(m, s, w)


@kernel
def forget(m, s, w):
    """Set the mean efforts of the (sub)step in Work.drive to 0."""
    clear3(w.drive, DriveWork.MEAN_EFFORT)


@inline
def held(s, w, r, mean):
    """Return the effort with which drive r begins the next substep: the `mean` effort of this substep, or the limit if
    this substep ended at it."""
    over = load3(w.drive, r, DriveWork.CLIPPED)
    if norm(over) == 0.0:
        return mean
    return clipped(s, r, scale(2.0 * (s.drive[r, Drives.HIGH] - s.drive[r, Drives.LOW]), over))[0]


# ---------------------------------------------------------------- into the system
@far("drives", "mswff")
def put_all(m, s, w, t, weight):
    """Add the present laws of all drives that are on to A, f, D and d of a stage of t seconds, with the share `weight`
    in the step. If efforts are limited, store the system without drives in Work.held_*."""
    w.number[Number.DRIVE_SPAN] = t
    w.number[Number.DRIVE_WEIGHT] = weight
    w.control[Control.DRIVE_ASKED] = 1
    w.control[Control.DRIVE_REQUEST] = DriveRequest.ALL_LAWS
    if w.control[Control.CAPPED] != 0:
        keep_system(w)
    for r in range(w.drive.shape[0]):
        if s.drive[r, Drives.ON] != 0.0:
            store3(w.drive, r, DriveWork.GIVEN_BEFORE, ZERO3)
            rate = rate_of_frame(m, s, w, r)
            store3(w.drive, r, DriveWork.FRAME_RATE, rate)
            free = load3(w.drive, r, DriveWork.ASKED_FREE)
            store3(w.drive, r, DriveWork.ASKED_FREE, add_scaled(free, gain(s, w, r, 0.0)[0], rate))
            if s.drive[r, Drives.KIND] == DriveKind.POINT:
                turn = load9(w.rotation, int(s.drive[r, Drives.PLACE]), 0)
                store3(w.drive, r, DriveWork.LEVER, mul(turn, load3(s.drive, r, Drives.POINT)))
            put(m, s, w, r, t)


@far("drives", "mswtffi")
def hold_all(m, s, w, velocity, t, weight, what):
    """Add the laws of the drives without a gain to the last request of an explicit integrator. It has the span t [s]
    and the share `weight` in the step, and follows `velocity`; `what` is its code of `DriveRequest`."""
    w.number[Number.DRIVE_SPAN] = t
    w.number[Number.DRIVE_WEIGHT] = weight
    w.control[Control.DRIVE_ASKED] = 1
    w.control[Control.DRIVE_REQUEST] = what
    keep_system(w)
    if what == DriveRequest.SPEEDS_AT_END:
        measure_all(m, s, w, w.next_pose, w.rotation)
    for r in range(w.drive.shape[0]):
        if takes_law(s, w, r):
            before = rate_of(m, s, w, r, velocity, True)
            store3(w.drive, r, DriveWork.RATE_BEFORE, before)
            store3(w.drive, r, DriveWork.GIVEN_BEFORE, load3(w.drive, r, DriveWork.STAGE_EFFORT))
            rate = rate_of_frame(m, s, w, r)
            store3(w.drive, r, DriveWork.FRAME_RATE, rate)
            known = negative(before) if what == DriveRequest.SPEEDS_AT_END else rate
            store3(
                w.drive,
                r,
                DriveWork.ASKED_FREE,
                add_scaled(load3(w.drive, r, DriveWork.ASKED_FREE), damping_of(s, r), known),
            )
            put(m, s, w, r, t)


@inline
def takes_law(s, w, r):
    """Return whether the law of drive r is part of the present request."""
    return s.drive[r, Drives.ON] != 0.0 and (w.control[Control.DRIVE_REQUEST] == DriveRequest.ALL_LAWS or is_hard(s, r))


@kernel
def put(m, s, w, r, t):
    """Add the present law of drive r to the system of a stage of t seconds."""
    g, u = linear_law(s, w, r, t)
    push = scale(t, sub(u, load3(w.drive, r, DriveWork.GIVEN_BEFORE)))
    put_law(m, s, w, r, (t * g[0], t * g[1], t * g[2], t * g[3], t * g[4], t * g[5]), push)


@kernel
def put_law(m, s, w, r, stiff, push):
    """Add D (`stiff`, packed) and d (`push`) of drive r to Work.row of its joint, or to Work.block and Work.force of
    its body. Keep both in Work.drive."""
    store6(w.drive, r, DriveWork.SHARE_D, stiff)
    store3(w.drive, r, DriveWork.SHARE_PUSH, push)
    place = int(s.drive[r, Drives.PLACE])
    kind = s.drive[r, Drives.KIND]
    if kind == DriveKind.AXIS:
        c = int(s.drive[r, Drives.AXIS])
        w.row[place, Rows.STIFF_BLOCK + c] += stiff[0]
        w.row[place, Rows.PUSH + c] += push[0]
    elif kind == DriveKind.BALL:
        for k in range(6):
            w.row[place, Rows.STIFF_BLOCK + k] += stiff[k]
        add_to3(w.row, place, Rows.PUSH, push)
    elif kind == DriveKind.POINT:
        lever = load3(w.drive, r, DriveWork.LEVER)
        vv, wv, ww = shift_block(stiff, ZERO9, geometric(m, w, r, place, lever), negative(lever))
        add_to_block(w.block, place, vv, wv, ww)
        add_to3(w.force, place, 0, push)
        add_to3(w.force, place, 3, cross(lever, push))
    else:
        add_to_block(w.block, place, ZERO6, ZERO9, stiff)
        add_to3(w.force, place, 3, push)


@inline
def geometric(m, w, r, i, lever):
    """Return the geometric stiffness, packed, of the push of drive r at its `lever` on body i; zero where it is small
    against the inertia of the body."""
    t = w.number[Number.DRIVE_SPAN]
    push = load3(w.drive, r, DriveWork.SHARE_PUSH)
    size = norm(lever)
    least = min(m.body[i, Bodies.INERTIA], min(m.body[i, Bodies.INERTIA + 1], m.body[i, Bodies.INERTIA + 2]))
    share = t * norm(push) * size
    if not share > SHARE * least:
        return ZERO6
    return geometric_stiffness.geometric_block(lever, size, push, norm(push), t * (1.0 - SHARE * least / share))


@far("drives", "mswtff")
def push_all(m, s, w, velocity, t, weight):
    """Add t clip(T - C v) of all drives to d or f, with their rates v at `velocity`. Write the efforts to Work.drive,
    and add them to its means with the share `weight`."""
    w.number[Number.DRIVE_SPAN] = 0.0
    w.number[Number.DRIVE_WEIGHT] = weight
    for r in range(w.drive.shape[0]):
        if s.drive[r, Drives.ON] == 0.0:
            continue
        if s.drive[r, Drives.KIND] == DriveKind.POINT:
            turn = load9(w.rotation, int(s.drive[r, Drives.PLACE]), 0)
            store3(w.drive, r, DriveWork.LEVER, mul(turn, load3(s.drive, r, Drives.POINT)))
        if is_hard(s, r):
            u, _ = clipped(s, r, load3(s.drive, r, Drives.HELD))
        else:
            v = rate_of(m, s, w, r, velocity, True)
            z = add_scaled(load3(w.drive, r, DriveWork.ASKED_FREE), -gain(s, w, r, 0.0)[0], v)
            u, over = clipped(s, r, z)
            store3(w.drive, r, DriveWork.CLIPPED, over)
        put_law(m, s, w, r, ZERO6, scale(t, u))
        store3(w.drive, r, DriveWork.STAGE_EFFORT, u)
        record(w, r, u)


@inline
def moved_by(m, s, r):
    """Return a body that drive r moves."""
    at = int(s.drive[r, Drives.PLACE])
    return at if s.drive[r, Drives.KIND] >= DriveKind.POINT else islands.child_of(m, at)


@inline
def record(w, r, u):
    """Add the effort u of a stage to the mean effort of drive r in Work.drive."""
    add_to3(
        w.drive,
        r,
        DriveWork.MEAN_EFFORT,
        scale(w.number[Number.DRIVE_WEIGHT] * w.number[Number.H] / w.number[Number.DT], u),
    )


@far("drives", "mswtf")
def work_all(m, s, w, velocity, weight):
    """Add the work of all drives at the rates of `velocity` to Number.DRIVE_WORK and Work.given: that of the stage with
    the share `weight`, or with weight 0 that of the mean efforts."""
    for r in range(w.drive.shape[0]):
        if s.drive[r, Drives.ON] != 0.0 and islands.takes_part(w, moved_by(m, s, r)):
            v = rate_of(m, s, w, r, velocity, True)
            if weight == 0.0:
                work = w.number[Number.DT] * dot(load3(w.drive, r, DriveWork.MEAN_EFFORT), v)
            else:
                work = weight * w.number[Number.H] * dot(load3(w.drive, r, DriveWork.STAGE_EFFORT), v)
            w.number[Number.DRIVE_WORK] += work
            w.given[moved_by(m, s, r)] += work


# ---------------------------------------------------------------- the answer
@far("drives", "msw", "i")
def revise(m, s, w):
    """Compare the answer in Work.velocity with the laws of the drives. If an effort violates its law, return the next
    request; else add up efforts and work and return DONE."""
    t = w.number[Number.DRIVE_SPAN]
    what = w.control[Control.DRIVE_REQUEST]
    if w.control[Control.CAPPED] != 0 and judge(m, s, w, t):
        restore_system(w)
        last = w.control[Control.DRIVE_ASKED] == MOST_SOLVES
        w.control[Control.DRIVE_ASKED] += 1
        for r in range(w.drive.shape[0]):
            if not takes_law(s, w, r):
                continue
            if last:
                v = load3(w.drive, r, DriveWork.SOLVED)
                u, _ = clipped(s, r, sub(load3(w.drive, r, DriveWork.ASKED_FREE), sym_mul(gain(s, w, r, t), v)))
                put_law(m, s, w, r, ZERO6, scale(t, sub(u, load3(w.drive, r, DriveWork.GIVEN_BEFORE))))
            else:
                put(m, s, w, r, t)
        if what == DriveRequest.SPEEDS_AT_END:
            return Request.ALL
        pulls.take_back(w)
        return Request.PULLED | w.control[Control.LIMITS_ASKED]
    w.control[Control.DRIVE_ASKED] = 0
    for r in range(w.drive.shape[0]):
        if takes_law(s, w, r):
            v = rate_of(m, s, w, r, w.velocity, False)
            u = given(w, r, v, t)
            record(w, r, u)
            if what == DriveRequest.SPEEDS_IN_STEP:
                continue  # `add_work` has that of the mean effort
            rate = sub(v, load3(w.drive, r, DriveWork.FRAME_RATE))
            if what != DriveRequest.ALL_LAWS:
                # an impulse, at the mean of the velocities before and after it
                before = load3(w.drive, r, DriveWork.RATE_BEFORE)
                rate = add_scaled(before, 0.5, v if what == DriveRequest.SPEEDS_AT_END else sub(rate, before))
            if islands.takes_part(w, moved_by(m, s, r)):
                work = w.number[Number.DRIVE_WEIGHT] * w.number[Number.H] * dot(u, rate)
                w.number[Number.DRIVE_WORK] += work
                w.given[moved_by(m, s, r)] += work
    return Request.DONE


@inline
def given(w, r, v, t):
    """Return the effort (d - D v) / t that the solution with the rate v has beyond GIVEN_BEFORE, of drive r in a stage
    of t seconds."""
    return scale(
        1.0 / t, sub(load3(w.drive, r, DriveWork.SHARE_PUSH), sym_mul(load6(w.drive, r, DriveWork.SHARE_D), v))
    )


@kernel
def judge(m, s, w, t):
    """Return whether the effort of some drive violates its law at the solution in Work.velocity. Write CLIPPED and
    SOLVED in Work.drive, which determine the next tangents."""
    if w.control[Control.DRIVE_ASKED] > MOST_SOLVES:
        return False
    wrong = False
    for r in range(w.drive.shape[0]):
        if not takes_law(s, w, r):
            continue
        high = s.drive[r, Drives.HIGH]
        if high - s.drive[r, Drives.LOW] > 1e300:
            continue
        v = rate_of(m, s, w, r, w.velocity, False)
        free = load3(w.drive, r, DriveWork.ASKED_FREE)
        back = sym_mul(gain(s, w, r, t), v)
        u, over = clipped(s, r, sub(free, back))
        off = sub(sub(u, load3(w.drive, r, DriveWork.GIVEN_BEFORE)), given(w, r, v, t))
        if dot(over, load3(w.drive, r, DriveWork.CLIPPED)) < 0.0:
            over = ZERO3  # from one limit to the other, by way of the law between them
        close = CLOSE * max(high, -s.drive[r, Drives.LOW]) + ROUNDING * (norm(free) + norm(back))
        if not norm(off) <= close:
            if wrong and w.control[Control.DRIVE_ASKED] > SOLVES_AT_ONCE:
                continue
            wrong = True
        store3(w.drive, r, DriveWork.CLIPPED, over)
        store3(w.drive, r, DriveWork.SOLVED, v)
    return wrong
