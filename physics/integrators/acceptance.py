"""The guard: accept a step, or have it redone in shorter substeps.

A step is rejected in each of these cases: a number is not finite; a gap exceeds 1e-6 (1e-2 for `hernandez` and with the
correction by feedback); a body turns by more than 1 rad; a contact of a body that turns by more than 0.2 rad sinks in
by more than half a millimetre; the energy rises by more than the work done plus 10 % of the kinetic energies. In an
integrator of second order or more, a step is also rejected if an island turns by more than FAST and the step is too
coarse for it (tally.error_of), unless springs throw the island (tally.is_thrown).

The good islands of a rejected step are accepted as they are. The others are redone (`redoing.py`): in substeps of the
integrator, or of `implicit` where contacts and limits press (`following.py`). If these fail, too, the last resort
redoes the islands in other substeps (`last_resort.py`). Links that cannot be closed are released (`releasing.py`)."""

import math

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.data.contact_tables import SINKS
from physics.data.step_tables import SCHEME_OPEN_GAP, Control, Correction, IslandFlag, Number, Order, Part, Phase
from physics.data.work_tables import Tally
from physics.edges import edges
from physics.forces import all_forces
from physics.integrators import spans, tally
from physics.integrators.measuring import measure, refresh
from physics.integrators.releasing import hold_again

GAP_LIMIT = 1e-6
OPEN_GAP_LIMIT = 1e-4  # where links are taut
FEEDBACK_GAP_LIMIT = 1e-2  # of the correction by feedback, which closes gaps in time
SPIN_LIMIT = 1.0  # rad a step
FAST = 0.2  # rad a step: what turns no faster is not looked at for its error
ENERGY_SHARE = 0.1
MOST_CREDIT = 24.0  # whips' redone steps that may end too fast (last_resort.py), and what each accepted step adds
EARNED = 0.05


@kernel
def commit(m, s, w):
    """Copy the next state to State for the bodies of the present pass, and store there the forces of their grabs,
    drives and limits. Add the work [J] of the forces to Number.STEP_WORK, and hold those released links again whose
    ends have come near each other."""
    w.number[Number.STEP_WORK] += all_forces.work_done(m, s, w)
    if w.control[Control.PHASE] == Phase.WHOLE_STEP and w.control[Control.SUBSTEP] == 0:
        all_forces.clear(m, s, w)
    all_forces.commit(m, s, w, w.number[Number.H] / w.number[Number.DT])
    edges.commit(m, s, w)
    hold_again(m, s, w)


@kernel
def judge(m, s, w):
    """Measure the next state in Work.next_pose and Work.next_velocity. If it is acceptable, store its energies in
    Work.number, commit it to State and return True; else return False."""
    c = w.control
    x = w.number
    gap, worst, kinetic, height, elastic, spin = measure(m, s, w, w.next_pose, w.next_velocity)
    energy = kinetic + height + elastic
    work = x[Number.STEP_WORK] + all_forces.work_done(m, s, w)
    if c[Control.GUARD] != 0 and not is_acceptable(m, s, w, gap, kinetic, energy, spin, work):
        return False
    remember_energies(w, gap, worst, kinetic, height, elastic, spin)
    x[Number.WORK] += work
    x[Number.CONTACT_WORK] += x[Number.STEP_CONTACT_WORK]
    c[Control.FRESH] = 1
    go_on_well(w)
    commit(m, s, w)
    return True


@kernel
def is_acceptable(m, s, w, gap, kinetic, energy, spin, work):
    """Return whether the next state may be accepted, from its largest gap [m or rad], its kinetic and total energy [J],
    its largest angular speed `spin` [rad/s], and the work [J] of the step. Mark islands for which the step is too
    coarse as failed in Work.island."""
    c = w.control
    x = w.number
    accepted = gap <= gap_limit(c) and math.isfinite(energy)
    if c[Control.ORDER] != Order.KINEMATIC:
        accepted = accepted and x[Number.DT] * spin <= SPIN_LIMIT
        accepted = accepted and energy <= x[Number.ENERGY] + allowed_rise(w, work, x[Number.KINETIC] + kinetic)
        accepted = accepted and x[Number.SUNK] <= SINKS
        accepted = accepted and not (x[Number.DT] * spin > FAST and mark_coarse(m, s, w))
    return accepted


@kernel
def remember_energies(w, gap, worst, kinetic, height, elastic, spin):
    """Write energies [J], largest angular speed `spin` [rad/s] and largest gap [m or rad] of the accepted state to
    Work.number, and the edge of that gap, `worst`, to Control.WORST."""
    x = w.number
    x[Number.ELASTIC] = elastic
    x[Number.KINETIC] = kinetic
    x[Number.GRAVITATIONAL] = height
    x[Number.SPIN] = spin
    x[Number.ENERGY] = kinetic + height + elastic
    x[Number.GAP] = gap
    w.control[Control.WORST] = worst


@kernel
def go_on_well(w):
    """Set Control.STUCK to 0 and Number.LEASH to 1 after a step without the last resort, and raise Number.CREDIT by
    EARNED, up to MOST_CREDIT."""
    w.control[Control.STUCK] = 0
    w.number[Number.LEASH] = 1.0
    w.number[Number.CREDIT] = min(w.number[Number.CREDIT] + EARNED, MOST_CREDIT)


@inline
def gap_limit(c):
    """Return the largest gap [m or rad] that a step may leave with the correction and the integrator in `c`, which is
    Work.control."""
    if c[Control.CORRECTION] == Correction.FEEDBACK:
        return FEEDBACK_GAP_LIMIT
    return max(GAP_LIMIT, SCHEME_OPEN_GAP[c[Control.INTEGRATOR]])


@kernel
def allowed_rise(w, work, kinetic):
    """Return by how much the energy [J] may rise in a step in which loads do the work `work` [J]. `kinetic` [J] is the
    sum of the kinetic energies at its start and end."""
    x = w.number
    given = work + x[Number.CONTACT_GAIN] - pushed_by_limits(w)
    # what an impact takes is no measure of what others may give
    return given + ENERGY_SHARE * kinetic + 1e-9 - min(x[Number.LIMIT_STEP_WORK], 0.0)


@kernel
def mark_coarse(m, s, w):
    """Make the islands of trees and links anew, and mark in Work.island those that rotate too fast for the step as
    failed. Return whether there are any. Islands with contacts or limits are not examined, because these are solved to
    first order."""
    c = w.control
    limit = tally.limit_of(c)
    islands.join_tied(m, w)
    if limit == 0.0 or (c[Control.FIRST_ORDER] != 0 and c[Control.UNITED] == 0):
        return False
    found = False
    tally.clear(w)
    tally.add_motion(m, s, w, w.next_pose, w.next_velocity, w.number[Number.DT])
    tally.add_stored(m, w, 1.0, Tally.STORED)
    for i in range(w.tally.shape[0]):
        if (
            w.island[i, 0] == i
            and is_coarse_for(w, i, limit)
            and not (c[Control.UNITED] != 0 and w.part[i] == Part.PRESSED_PART)
        ):
            w.island[i, 1] |= IslandFlag.FAILED
            found = True
    return found


@inline
def is_coarse_for(w, r, limit):
    """Return whether the step whose sums are in Work.tally is too coarse for the island that body r represents. `limit`
    is `tally.limit_of`."""
    angle = FAST / w.number[Number.DT]
    fast = w.tally[r, Tally.FASTEST] > angle * angle
    return limit > 0.0 and fast and not tally.is_thrown(w, r, ENERGY_SHARE) and tally.error_of(w, r, limit) > 1.0


@inline
def closed_enough(c):
    """Return the largest gap [m or rad] that the last resort accepts: OPEN_GAP_LIMIT where links are taut
    (Control.TIGHT), else GAP_LIMIT. To close a line that is held straight at both ends would need unbounded forces."""
    return OPEN_GAP_LIMIT if c[Control.TIGHT] != 0 else GAP_LIMIT


@inline
def pushed_by_limits(w):
    """Return by how much the work [J] of limits in the step exceeds the work that limits and contacts together can do
    when they bring bodies back. Where limits and contacts jam a body, the work of each is a multiple of that. Return 0
    if motions are prescribed, because these may push through a limit."""
    most = w.number[Number.PUSH_MOST]
    if most == 0.0 or w.control[Control.SIGNALED] != 0:
        return 0.0
    return max(0.0, w.number[Number.LIMIT_STEP_WORK] - max(0.0, most - w.number[Number.CONTACT_GAIN]))


@kernel
def start_again(m, s, w):
    """Go back to the start of the present step, whose state is still in State: clear the sums of the step, prepare the
    forces, begin the first span of the integrator, and measure the state."""
    w.control[Control.PHASE] = Phase.WHOLE_STEP
    clear_sums(w)
    all_forces.clear(m, s, w)
    all_forces.start(m, s, w)
    spans.begin(s, w, w.number[Number.TIME], w.number[Number.DT])
    refresh(m, s, w)


@kernel
def clear_sums(w):
    """Set the sums of the present pass in Work.number to 0: those of work, CONTACT_GAIN and PUSH_MOST. Set FORCE_SCALE
    to 0, too."""
    w.number[Number.FORCE_SCALE] = 0.0
    w.number[Number.STEP_WORK] = 0.0
    w.number[Number.STEP_CONTACT_WORK] = 0.0
    w.number[Number.CONTACT_GAIN] = 0.0
    w.number[Number.PUSH_MOST] = 0.0
    w.number[Number.LIMIT_STEP_WORK] = 0.0
