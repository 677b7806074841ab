"""Grabs and limits as the integrators see them. A grab holds a body at a point and pulls it to a target.

A grab acts over the span t of a stage through the response G of its point (auxiliary/grabs.py has the law). Here: how
far the point is from its target and how fast it moves, the mean force over a step, and the work that it does. Limits
(auxiliary/limits.py) need only have their mean forces kept.

In the kinematic order a point goes to its target at once, but for what a step may move: POSING_SPEED and POSING_TURN.
"""

from physics import parts
from physics.kernels import quat
from physics.kernels.jit import inline, kernel
from physics.kernels.vec import ZERO3, add, add_to3, cross, dot, load3, load4, mul, norm, scale, store3, sub
from physics.layout import (
    GRABS, GRAB_BODY, GRAB_FORCE, GRAB_KIND, GRAB_POINT, GRAB_RATE, GRAB_REACH, GRAB_SPEED, GRAB_TARGET, GRAB_TORQUE,
    GRAB_TURN, H, KINEMATIC, LIMITS_ASKED, LIMITS_HELD, LIMIT_AGE, LIMIT_EDGE, LIMIT_FORCE, LIMIT_LAST_WORK, LIMIT_MEAN,
    LIMIT_STEP_WORK, LIMIT_WORK, MEAN_PULL, ORDER, POSE_GRAB, POSING_SPEED, POSING_TURN, PULL_OFFSET, PULL_RATE, SPAN,
    STEP_WORK, WEIGHT,
)  # fmt: skip

MOST_TURN = 1.0  # rad of error that a grab of a pose answers to


@inline
def shortened(v, most):
    size = norm(v)
    return scale(most / size, v) if size > most else v


@inline
def grabbed_point(s, g, pose):
    """Place of the grabbed point at `pose`, and its lever from the centre of mass"""
    b = int(s.grab[g, GRAB_BODY])
    r = mul(quat.matrix(load4(pose, b, 3)), load3(s.grab, g, GRAB_POINT))
    return add(load3(pose, b, 0), r), r


@kernel
def measure(s, w, pose, velocity, span, weight, first):
    """Distances from the targets at `pose`, rates of the points with `velocity`. The pulls of the coming request act
    for the time `span` (0: it asks for accelerations) and have the share `weight` in its mean force."""
    w.number[SPAN] = span
    w.number[WEIGHT] = weight
    for g in range(w.control[GRABS]):
        if first:
            for k in range(6):
                w.pull[g, MEAN_PULL + k] = 0.0
        if s.grab[g, GRAB_BODY] < 0.0:
            continue
        b = int(s.grab[g, GRAB_BODY])
        p, r = grabbed_point(s, g, pose)
        reach = s.grab[g, GRAB_REACH]
        farthest = s.grab[g, GRAB_SPEED] / s.grab[g, GRAB_RATE]
        most_turn = MOST_TURN
        if w.control[ORDER] == KINEMATIC:
            farthest = min(s.grab[g, GRAB_SPEED], POSING_SPEED) * w.number[H]
            most_turn = POSING_TURN
        d = shortened(sub(p, load3(s.grab, g, GRAB_TARGET)), farthest)
        turn = ZERO3
        omega = load3(velocity, b, 3)
        if s.grab[g, GRAB_KIND] == POSE_GRAB:
            off = quat.multiply(load4(pose, b, 3), quat.conjugate(load4(s.grab, g, GRAB_TURN)))
            turn = scale(reach, shortened(quat.logarithm(off), most_turn))
        store3(w.pull, g, PULL_OFFSET, d)
        store3(w.pull, g, PULL_OFFSET + 3, turn)
        store3(w.pull, g, PULL_RATE, add(load3(velocity, b, 0), cross(omega, r)))
        store3(w.pull, g, PULL_RATE + 3, scale(reach, omega))


@kernel
def work_of_pulls(s, w, pose, next_pose):
    """Work of the mean pulls between two poses: F . (p1 - p0) + torque . log(q1 q0*)"""
    total = 0.0
    for g in range(w.control[GRABS]):
        if s.grab[g, GRAB_BODY] < 0.0 or not parts.takes_part(w, int(s.grab[g, GRAB_BODY])):
            continue
        b = int(s.grab[g, GRAB_BODY])
        p0, _ = grabbed_point(s, g, pose)
        p1, _ = grabbed_point(s, g, next_pose)
        total += dot(load3(w.pull, g, MEAN_PULL), sub(p1, p0))
        turn = quat.logarithm(quat.multiply(load4(next_pose, b, 3), quat.conjugate(load4(pose, b, 3))))
        total += dot(load3(w.pull, g, MEAN_PULL + 3), turn)
    return total


@kernel
def forget(w):
    """What was found in the present (sub)step is not done."""
    for g in range(w.control[GRABS]):
        for k in range(6):
            w.pull[g, MEAN_PULL + k] = 0.0
    for l in range(w.limit.shape[0]):
        w.limit[l, LIMIT_MEAN] = 0.0


@kernel
def clear(s, w):
    """Nothing has been pulled in this step."""
    for g in range(w.control[GRABS]):
        store3(s.grab, g, GRAB_FORCE, ZERO3)
        store3(s.grab, g, GRAB_TORQUE, ZERO3)
    w.control[LIMITS_HELD] = 0
    for l in range(s.limit.shape[0]):
        s.limit[l, LIMIT_FORCE] = 0.0


@kernel
def take_back(w):
    """The last request is made once more, in another way: what limits did in it is not done."""
    if w.control[LIMITS_ASKED] != 0:
        w.number[STEP_WORK] -= w.number[LIMIT_LAST_WORK]
        w.number[LIMIT_STEP_WORK] -= w.number[LIMIT_LAST_WORK]


@kernel
def commit(m, s, w, share):
    """The mean pulls of a substep, `share` of the step, are added to what the grabs report."""
    for g in range(w.control[GRABS]):
        if s.grab[g, GRAB_BODY] < 0.0 or not parts.takes_part(w, int(s.grab[g, GRAB_BODY])):
            continue
        add_to3(s.grab, g, GRAB_FORCE, scale(share, load3(w.pull, g, MEAN_PULL)))
        add_to3(s.grab, g, GRAB_TORQUE, scale(share, load3(w.pull, g, MEAN_PULL + 3)))
    w.number[LIMIT_WORK] += w.number[LIMIT_STEP_WORK]
    w.number[LIMIT_STEP_WORK] = 0.0
    for l in range(s.limit.shape[0]):
        if not parts.takes_part(w, parts.child_of(m, int(s.limit[l, LIMIT_EDGE]))):
            continue
        if w.limit[l, LIMIT_MEAN] != 0.0:
            s.limit[l, LIMIT_FORCE] += share * w.limit[l, LIMIT_MEAN]
            s.limit[l, LIMIT_AGE] += share
            w.limit[l, LIMIT_MEAN] = 0.0
            w.control[LIMITS_HELD] += 1
        else:
            s.limit[l, LIMIT_AGE] = 0.0
