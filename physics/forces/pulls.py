"""Grabs and limits as the integrators see them. A grab holds a body at a point and pulls it to a target.

A grab acts over the span t of a stage through the response G of its point (links/grabs.py has the law). This file
measures how far the point is from its target and how fast it moves, and computes its mean force over a step and its
work. For limits (links/limits.py) it stores the mean forces only.

In the kinematic order a point goes to its target at once, but no faster than POSING_SPEED and POSING_TURN allow.
"""

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.data.state_tables import POSING_SPEED, POSING_TURN, GrabKind, Grabs, HardLimits
from physics.data.step_tables import Control, Number, Order
from physics.data.work_tables import LimitWork, Pulls
from physics.maths import quat
from physics.maths.vec import ZERO3, add, add_to3, cross, dot, load3, load4, mul, norm, scale, store3, sub

MOST_TURN = 1.0  # rad of error that a grab of a pose answers to


@inline
def shortened(v, most):
    """Return the vector v, made no longer than `most`."""
    size = norm(v)
    return scale(most / size, v) if size > most else v


@inline
def grabbed_point(s, g, pose):
    """Return the position [m] of the point of grab g at `pose`, and its lever from the centre of mass."""
    b = int(s.grab[g, Grabs.BODY])
    r = mul(quat.matrix(load4(pose, b, 3)), load3(s.grab, g, Grabs.POINT))
    return add(load3(pose, b, 0), r), r


@kernel
def aim(m, s, w, pose, velocity, span, weight, first):
    """Write the offsets of all grabs from their targets at `pose`, and their rates with `velocity`, to Work.pull. The
    pulls of the coming request act for the time `span` [s]; it is 0 if the request is for accelerations. They have the
    share `weight` in the mean pulls of the step. The `first` request of a step sets these means to 0."""
    w.number[Number.SPAN] = span
    w.number[Number.WEIGHT] = weight
    for g in range(w.control[Control.GRABS]):
        if first:
            for k in range(6):
                w.pull[g, Pulls.MEAN_PULL + k] = 0.0
        if s.grab[g, Grabs.BODY] < 0.0:
            continue
        b = int(s.grab[g, Grabs.BODY])
        p, r = grabbed_point(s, g, pose)
        reach = s.grab[g, Grabs.REACH]
        farthest = s.grab[g, Grabs.SPEED] / s.grab[g, Grabs.RATE]
        most_turn = MOST_TURN
        if w.control[Control.ORDER] == Order.KINEMATIC:
            farthest = min(s.grab[g, Grabs.SPEED], POSING_SPEED) * w.number[Number.H]
            most_turn = POSING_TURN
        d = shortened(sub(p, load3(s.grab, g, Grabs.TARGET)), farthest)
        turn = ZERO3
        omega = load3(velocity, b, 3)
        if s.grab[g, Grabs.KIND] == GrabKind.POSE:
            off = quat.multiply(load4(pose, b, 3), quat.conjugate(load4(s.grab, g, Grabs.TURN)))
            turn = scale(reach, shortened(quat.logarithm(off), most_turn))
        store3(w.pull, g, Pulls.OFFSET, d)
        store3(w.pull, g, Pulls.OFFSET + 3, turn)
        store3(w.pull, g, Pulls.RATE, add(load3(velocity, b, 0), cross(omega, r)))
        store3(w.pull, g, Pulls.RATE + 3, scale(reach, omega))


@kernel
def work_between(m, s, w, pose, next_pose):
    """Return the work [J] of the mean pulls between two poses: F . (p1 - p0) + torque . log(q1 q0*)."""
    total = 0.0
    for g in range(w.control[Control.GRABS]):
        if s.grab[g, Grabs.BODY] < 0.0 or not islands.takes_part(w, int(s.grab[g, Grabs.BODY])):
            continue
        b = int(s.grab[g, Grabs.BODY])
        p0, _ = grabbed_point(s, g, pose)
        p1, _ = grabbed_point(s, g, next_pose)
        total += dot(load3(w.pull, g, Pulls.MEAN_PULL), sub(p1, p0))
        turn = quat.logarithm(quat.multiply(load4(next_pose, b, 3), quat.conjugate(load4(pose, b, 3))))
        total += dot(load3(w.pull, g, Pulls.MEAN_PULL + 3), turn)
    return total


@kernel
def forget(m, s, w):
    """Set the mean pulls in Work.pull and the mean forces in Work.limit to 0."""
    for g in range(w.control[Control.GRABS]):
        for k in range(6):
            w.pull[g, Pulls.MEAN_PULL + k] = 0.0
    for l in range(w.limit.shape[0]):
        w.limit[l, LimitWork.MEAN] = 0.0


@kernel
def clear(m, s, w):
    """Set the forces of grabs and limits in State, and Control.LIMITS_HELD, to 0 at the start of a step."""
    for g in range(w.control[Control.GRABS]):
        store3(s.grab, g, Grabs.FORCE, ZERO3)
        store3(s.grab, g, Grabs.TORQUE, ZERO3)
    w.control[Control.LIMITS_HELD] = 0
    for l in range(s.limit.shape[0]):
        s.limit[l, HardLimits.FORCE] = 0.0


@kernel
def take_back(w):
    """Subtract the work of limits in the last request from Number.STEP_WORK and LIMIT_STEP_WORK, before this request is
    solved again in another way."""
    if w.control[Control.LIMITS_ASKED] != 0:
        w.number[Number.STEP_WORK] -= w.number[Number.LIMIT_LAST_WORK]
        w.number[Number.LIMIT_STEP_WORK] -= w.number[Number.LIMIT_LAST_WORK]


@kernel
def commit(m, s, w, share):
    """Add the mean pulls of a substep, which is a `share` of the step, to State.grab, and the mean forces of limits to
    State.limit. Add the number of limits that carry a force to Control.LIMITS_HELD."""
    for g in range(w.control[Control.GRABS]):
        if s.grab[g, Grabs.BODY] < 0.0 or not islands.takes_part(w, int(s.grab[g, Grabs.BODY])):
            continue
        add_to3(s.grab, g, Grabs.FORCE, scale(share, load3(w.pull, g, Pulls.MEAN_PULL)))
        add_to3(s.grab, g, Grabs.TORQUE, scale(share, load3(w.pull, g, Pulls.MEAN_PULL + 3)))
    w.number[Number.LIMIT_WORK] += w.number[Number.LIMIT_STEP_WORK]
    w.number[Number.LIMIT_STEP_WORK] = 0.0
    for l in range(s.limit.shape[0]):
        if not islands.takes_part(w, islands.child_of(m, int(s.limit[l, HardLimits.EDGE]))):
            continue
        if w.limit[l, LimitWork.MEAN] != 0.0:
            s.limit[l, HardLimits.FORCE] += share * w.limit[l, LimitWork.MEAN]
            s.limit[l, HardLimits.AGE] += share
            w.limit[l, LimitWork.MEAN] = 0.0
            w.control[Control.LIMITS_HELD] += 1
        else:
            s.limit[l, HardLimits.AGE] = 0.0
