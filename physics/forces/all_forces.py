"""All forces in one table, and the kernels by which integrators, the guard and the driver call them.

A force is a file of this folder and an entry of `FORCES`. The entry names the switch that says whether the scene has
the force, and the kernels by which it takes part in a step. An integrator calls the kernels of this file, each of which
goes through the table in its order and calls those forces that the scene has. The calls are unrolled when the kernel is
compiled: with the switches off, a comparison for each force is all that remains.

    measure         T, K of each law                               at the pose where springs are taken
    assemble        implicit   A += t C + t^2 K,  f += t T         explicit   f += t F
    account         W += dt F . v                                  with the answer to the request

Joint springs, gravity and the applied loads are in the equations of the integrators themselves, with the loops over
edges and bodies (`edges.joint_springs`, `bodies.kinds`). So is geometric stiffness; each integrator leaves out a
different share of it. Rotors are not a force but inertia: each integrator has its own equations for their momenta
(`rotors.py`)."""

from collections.abc import Callable
from typing import Any, NamedTuple

from physics.bodies import kinds as body_kinds
from physics.compiler.jit import entry, inline, kernel
from physics.data.step_tables import Control, Number, Request
from physics.forces import drag, drives, pulls, released, tree_springs

Hook = Callable[..., Any] | None


class Force(NamedTuple):
    """The kernels by which a force takes part in a step. Each takes (m, s, w) and the arguments in parentheses below,
    and is None where the force has nothing to do."""

    name: str
    switch: int | None  # slot of Control that is not 0 where the scene has the force; None: it is always called
    group: str = ""  # group of its lazily compiled kernels; "": it has none
    start: Hook = None  # (): a step or substep begins; nothing of it has been asked or done
    measure: Hook = None  # (pose, rotation): its law at this pose, with the signals of the stage
    aim: Hook = None  # (pose, velocity, span, weight, first): its distances and rates for the coming request
    stiffen: Hook = None  # (): what it adds to A and D that no velocity belongs to, before geometric stiffness
    turn: Hook = None  # (velocity, t): turns what was measured with its bodies over t, at predicted velocities
    add_implicit: Hook = None  # (velocity, t, weight): its share in A, f, D, d and b of a stage of the span t, s
    add_explicit: Hook = None  # (velocity, t, weight, accelerating): its share in f, d and b at the present velocity
    hold: Hook = None  # (velocity, t, weight, what): what the last request of an explicit integrator finds implicitly
    account: Hook = None  # (): compares the answer with its law: returns another request, or adds up the work: DONE
    add_work: Hook = None  # (velocity, weight): the work of `add_explicit` at the rates of `velocity`
    add_row_work: Hook = None  # (t, wrench, velocity): the work over t seconds of rows of its own
    work_between: Hook = None  # (pose, next_pose): returns the work of what is constant in between, J
    commit: Hook = None  # (share): keeps what it did in an accepted substep, a share of the step
    forget: Hook = None  # (): removes what it did in a rejected substep
    clear: Hook = None  # (): nothing has been done in the present step


# In this order they come into the system. What comes last is accounted for first, as it may ask once more.
FORCES = (
    Force(
        "springs in the forest", Control.TREE_SPRINGS, "tree springs",
        start=tree_springs.start, stiffen=tree_springs.stiffen, account=tree_springs.account,
    ),
    Force(
        "medium", Control.IN_MEDIUM, "medium",
        start=drag.start, add_implicit=drag.add_implicit, add_explicit=drag.add_explicit, account=drag.account,
    ),
    Force(
        "drives", Control.DRIVEN, "drives",
        start=drives.start, measure=drives.measure, turn=drives.turn,
        add_implicit=drives.add_implicit, add_explicit=drives.add_explicit, hold=drives.hold,
        account=drives.account, add_work=drives.add_work,
        commit=drives.commit, forget=drives.forget, clear=drives.clear,
    ),
    Force(
        "grabs and limits", None,
        aim=pulls.aim, work_between=pulls.work_between,
        commit=pulls.commit, forget=pulls.forget, clear=pulls.clear,
    ),
    Force(
        "released links", Control.RELEASED,
        add_implicit=released.add_implicit, add_explicit=released.add_explicit, add_row_work=released.add_row_work,
    ),
    Force("applied loads", Control.LOADED, work_between=body_kinds.applied_work),
)  # fmt: skip


# Switches of the forces that look at the answers to requests: the driver calls `account` where one of them is on.
ACCOUNTED = tuple(force.switch for force in FORCES if force.account is not None and force.switch is not None)


@kernel
def are_accounted(control):
    """Return whether some force of the scene examines the answers to requests. `control` is Work.control."""
    found = False
    for switch in ACCOUNTED:
        found = found or control[switch] != 0
    return found


# ---------------------------------------------------------------- from the table to kernels
def with_hook(hook: str) -> list[tuple[Any, Any]]:
    """Return (is_on, kernel) of every force that has this hook, in the order of the table."""
    return [(is_on(force.switch), getattr(force, hook)) for force in FORCES if getattr(force, hook) is not None]


def is_on(switch: int | None) -> Any:
    """Return the kernel (w) that says whether the scene has the force with this switch."""
    if switch is None:
        return inline(lambda w: True)
    return inline(lambda w: w.control[switch] != 0)


def chained(forces: list[tuple[Any, Any]], last: Any, before: Callable[[Any, Any, Any], Any]) -> Any:
    """Return the kernel of the first of `forces`, as `with_hook` lists them. `before(is_on, kernel, others)` makes the
    kernel of a force, which calls that of the forces behind it; `last` ends the chain."""
    calls = last
    for acts, one in reversed(forces):
        calls = before(acts, one, calls)
    return calls


def each(hook: str) -> Any:
    """Return the kernel (m, s, w, *given) that calls this hook of each force that the scene has."""

    @inline
    def none_left(m, s, w, *given):
        pass

    def before(acts: Any, one: Any, others: Any) -> Any:
        @kernel
        def calls(m, s, w, *given):
            if acts(w):
                one(m, s, w, *given)
            others(m, s, w, *given)

        return calls

    return chained(with_hook(hook), none_left, before)


def sum_of_each(hook: str) -> Any:
    """Return the kernel (m, s, w, total, *given) that returns `total` plus the results of this hook of the forces that
    the scene has."""

    @inline
    def none_left(m, s, w, total, *given):
        return total

    def before(acts: Any, one: Any, others: Any) -> Any:
        @kernel
        def calls(m, s, w, total, *given):
            if acts(w):
                total += one(m, s, w, *given)
            return others(m, s, w, total, *given)

        return calls

    return chained(with_hook(hook), none_left, before)


def first_request_of(hook: str) -> Any:
    """Return the kernel (m, s, w) that calls this hook of the forces that the scene has, the last of the table first,
    until one of them returns a request. The kernel returns that request, or DONE."""

    @inline
    def none_left(m, s, w):
        return Request.DONE

    def before(acts: Any, one: Any, others: Any) -> Any:
        @kernel
        def calls(m, s, w):
            request = one(m, s, w) if acts(w) else Request.DONE
            return request if request != Request.DONE else others(m, s, w)

        return calls

    return chained(with_hook(hook)[::-1], none_left, before)


start_each = each("start")
measure_each = each("measure")
aim_each = each("aim")
stiffen_each = each("stiffen")
turn_each = each("turn")
add_implicit_each = each("add_implicit")
add_explicit_each = each("add_explicit")
hold_each = each("hold")
add_work_each = each("add_work")
add_row_work_each = each("add_row_work")
commit_each = each("commit")
forget_each = each("forget")
clear_each = each("clear")
account_each = first_request_of("account")
add_work_between = sum_of_each("work_between")


# ---------------------------------------------------------------- what an integrator calls in a stage
@kernel
def measure(m, s, w, pose, rotation):
    """Measure the law of each force at `pose` (n, place), with its matrices in `rotation` (n, 9) and the signals of the
    stage: drives write T and K to Work.drive."""
    measure_each(m, s, w, pose, rotation)


@kernel
def aim(m, s, w, pose, velocity, span, weight, first):
    """Write distances and rates of the grabs for the coming request to Work.pull. Their pulls act for the time `span`
    [s]; it is 0 if the request is for accelerations. They have the share `weight` in the mean pulls of the step. The
    `first` request of a step sets these means to 0."""
    aim_each(m, s, w, pose, velocity, span, weight, first)


@kernel
def stiffen(m, s, w):
    """Add what does not depend on velocities to A and D of a stage, before geometric stiffness: springs in the
    forest."""
    stiffen_each(m, s, w)


@kernel
def turn(m, s, w, velocity, t):
    """Turn the measured laws with their bodies over the time t [s], at the predicted `velocity` (n, stride)."""
    turn_each(m, s, w, velocity, t)


@kernel
def add_implicit(m, s, w, velocity, t, weight):
    """Add all forces, linearised at `velocity` (n, stride), to A, f, D, d and b of a stage of the span t [s]. Call this
    last before the request. The stage has the share `weight` in the step."""
    add_implicit_each(m, s, w, velocity, t, weight)


@kernel
def add_explicit(m, s, w, velocity, t, weight, accelerating):
    """Add all forces at `velocity` (n, stride), times t, to f, d and b of a stage. `accelerating` says whether its
    request is for accelerations. The stage has the share `weight` in the step."""
    add_explicit_each(m, s, w, velocity, t, weight, accelerating)


@kernel
def hold(m, s, w, velocity, t, weight, what):
    """Add to the last request of an explicit integrator the laws that its solution must satisfy: those of drives that
    hold a velocity. The request has the span t [s] and the share `weight` in the step; `what` is a code of
    `DriveRequest`."""
    hold_each(m, s, w, velocity, t, weight, what)


@kernel
def add_work(m, s, w, velocity, weight):
    """Add the work of the forces that `add_explicit` added, at the rates of `velocity` (n, stride), to the ledger."""
    add_work_each(m, s, w, velocity, weight)


@kernel
def add_row_work(m, s, w, t, wrench, velocity):
    """Add the work over t [s] of forces that are rows of the system to the ledger, from their `wrench` (n + k, 6). With
    t = 1, `wrench` holds impulses."""
    add_row_work_each(m, s, w, t, wrench, velocity)


# ---------------------------------------------------------------- the ledger of a step
@kernel
def start(m, s, w):
    """Prepare all forces for a step or substep in which nothing has been done yet, and set Number.DRIVE_WORK to 0."""
    w.number[Number.DRIVE_WORK] = 0.0
    start_each(m, s, w)


@entry("msw", "i")
def account(m, s, w):
    """Compare the answer to a request with the laws of the forces. If it does not satisfy them, return another request;
    else add up the work of the stage and return DONE. The driver calls this unit."""
    return account_each(m, s, w)


@kernel
def work_done(m, s, w):
    """Return the work [J] of all forces between the poses in State and in Work.next_pose."""
    return add_work_between(m, s, w, w.number[Number.DRIVE_WORK], s.pose, w.next_pose)


@kernel
def clear(m, s, w):
    """Set the forces of grabs, limits and drives in State to 0. State reports them for the present step."""
    clear_each(m, s, w)


@kernel
def commit(m, s, w, share):
    """Add the mean forces of an accepted (sub)step, which is a `share` of the step, to State. Set Number.DRIVE_WORK to
    0."""
    commit_each(m, s, w, share)
    w.number[Number.DRIVE_WORK] = 0.0


@kernel
def forget(m, s, w):
    """Reset the mean forces of a rejected substep in Work. Set Number.DRIVE_WORK to 0."""
    w.number[Number.DRIVE_WORK] = 0.0
    forget_each(m, s, w)
