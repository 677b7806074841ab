"""The compiled drivers: whole steps with no Python between them, one driver for each solver mode.

An integrator knows no solver mode and a mode knows no integrator. They meet here: the integrator runs until it needs a
linear system, writes it to Work and returns a request (FACTOR, SOLVE or both); the driver has the mode answer it, and
hands control back to the integrator, until the step is done. So each integrator and each mode is compiled once.

    begin_step -> request -> answer -> advance -> request -> answer -> ... -> DONE (accepted by the guard, or redone)

Edges outside the forest are anticipated on the way from the integrator to the mode, and unknown to both.
"""

from physics import drives, edges, fill, rotors
from physics.auxiliary import anticipation
from physics.integrators import guard, implicit, kinematic, rattle, rk4, trbdf2
from physics.kernels.jit import entry, kernel
from physics.layout import (
    DONE, DT, ENERGY, FACTOR, FACTOR_KEPT, FACTORS, H, INTEGRATOR, KINEMATIC, MEASURED, NEXT, NOW, ORDER, PHASE, RATTLE,
    RATTLE4, RK4, SOLVE, SOLVES, STAGE, START_ENERGY, STATUS, STEP, STEP_WORK, SUBSTEP, TIME, TRBDF2,
)  # fmt: skip
from physics.solvers import aba, cg, dense, fused, jsim, lagrange

# rattle4: the composition of five steps s, s, 1 - 4 s, s, s [Suzuki90]
SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))


@kernel
def begin_step(m, s, w):
    """Start a step; its first request."""
    c = w.control
    x = w.number
    c[PHASE] = 0
    c[STAGE] = 0
    c[MEASURED] = 0
    c[SUBSTEP] = 0
    x[H] = x[DT]
    x[START_ENERGY] = x[ENERGY]
    x[STEP_WORK] = 0.0
    x[NOW] = x[TIME]
    x[NEXT] = x[TIME] + x[DT]
    anticipation.clear_notes(w)
    drives.start(s, w)
    if c[INTEGRATOR] == RATTLE4 and c[ORDER] != KINEMATIC:
        x[H] = SUZUKI * x[DT]
        x[NEXT] = x[NOW] + x[H]
        back_up(s, w)
    return advance(m, s, w)


@kernel
def back_up(s, w):
    n = s.velocity.shape[1]
    place = s.pose.shape[1]
    for i in range(s.pose.shape[0]):
        for k in range(place):
            w.backup[i, k] = s.pose[i, k]
        for k in range(n):
            w.backup[i, place + k] = s.velocity[i, k]
    fill.copy_rows(s.memory, w.backup_memory)


@kernel
def restore(s, w):
    n = s.velocity.shape[1]
    place = s.pose.shape[1]
    for i in range(s.pose.shape[0]):
        for k in range(place):
            s.pose[i, k] = w.backup[i, k]
        for k in range(n):
            s.velocity[i, k] = w.backup[i, place + k]
    fill.copy_rows(w.backup_memory, s.memory)


@kernel
def run_integrator(m, s, w):
    """The present integrator up to its next request."""
    c = w.control
    if c[ORDER] == KINEMATIC:
        return kinematic.advance(m, s, w)
    code = c[INTEGRATOR]
    if code == TRBDF2:
        return trbdf2.advance(m, s, w)
    if code == RK4:
        return rk4.advance(m, s, w)
    if code == RATTLE:
        return rattle.advance(m, s, w)
    if code == RATTLE4:
        while True:
            request = rattle.advance(m, s, w)
            if request != DONE or c[SUBSTEP] == 4:
                return request
            guard.commit(m, s, w)
            c[SUBSTEP] += 1
            c[STAGE] = 0
            x = w.number
            x[H] = x[DT] * (1.0 - 4.0 * SUZUKI if c[SUBSTEP] == 2 else SUZUKI)
            x[NOW] = x[NEXT]
            x[NEXT] = x[TIME] + x[DT] if c[SUBSTEP] == 4 else x[NOW] + x[H]
    return implicit.advance(m, s, w)


@kernel
def advance(m, s, w):
    """Go on to the next request of the step; DONE when the step is over."""
    c = w.control
    request = drives.revise(m, s, w)
    if request != DONE:
        return request
    if c[PHASE] == 0:
        request = run_integrator(m, s, w)
        if request != DONE:
            return request
        if not guard.judge(m, s, w):
            if c[INTEGRATOR] == RATTLE4 and c[ORDER] != KINEMATIC:
                restore(s, w)
            guard.start_redo(m, s, w)
            return guard.redo(m, s, w)
    else:
        request = guard.redo(m, s, w)
        if request != DONE:
            return request
    c[STEP] += 1
    w.number[TIME] += w.number[DT]
    w.number[NOW] = w.number[TIME]
    return DONE


@kernel
def count(request, w):
    """Bookkeeping of a request: how many factors and solves; a new factor ends the life of the kept one."""
    if request & FACTOR:
        w.control[FACTOR_KEPT] = 0
        w.control[FACTORS] += 1
    if request & SOLVE:
        w.control[SOLVES] += 1


# ---------------------------------------------------------------- one driver and one single answer for each mode
@entry
def drive_fused(steps, m, s, w, space):
    """Run whole steps; returns how many (fewer where the figure is hopeless)."""
    guard.refresh(m, s, w)
    for k in range(steps):
        request = begin_step(m, s, w)
        while request != DONE:
            count(request, w)
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                fused.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w)
        if w.control[STATUS] != 0:
            return k + 1
    return steps


@entry
def answer_fused(request, m, s, w, space):
    inner = anticipation.begin(request, m, s, w)
    while inner != DONE:
        fused.answer(inner, m, w, space)
        inner = anticipation.advance(m, s, w)


@entry
def drive_lagrange(steps, m, s, w, space):
    guard.refresh(m, s, w)
    for k in range(steps):
        request = begin_step(m, s, w)
        while request != DONE:
            count(request, w)
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                lagrange.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w)
        if w.control[STATUS] != 0:
            return k + 1
    return steps


@entry
def answer_lagrange(request, m, s, w, space):
    inner = anticipation.begin(request, m, s, w)
    while inner != DONE:
        lagrange.answer(inner, m, w, space)
        inner = anticipation.advance(m, s, w)


@entry
def drive_dense(steps, m, s, w, space):
    guard.refresh(m, s, w)
    for k in range(steps):
        request = begin_step(m, s, w)
        while request != DONE:
            count(request, w)
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                dense.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w)
        if w.control[STATUS] != 0:
            return k + 1
    return steps


@entry
def answer_dense(request, m, s, w, space):
    inner = anticipation.begin(request, m, s, w)
    while inner != DONE:
        dense.answer(inner, m, w, space)
        inner = anticipation.advance(m, s, w)


@entry
def drive_cg(steps, m, s, w, space):
    guard.refresh(m, s, w)
    for k in range(steps):
        request = begin_step(m, s, w)
        while request != DONE:
            count(request, w)
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                cg.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w)
        if w.control[STATUS] != 0:
            return k + 1
    return steps


@entry
def answer_cg(request, m, s, w, space):
    inner = anticipation.begin(request, m, s, w)
    while inner != DONE:
        cg.answer(inner, m, w, space)
        inner = anticipation.advance(m, s, w)


@entry
def drive_jsim(steps, m, s, w, space):
    guard.refresh(m, s, w)
    for k in range(steps):
        request = begin_step(m, s, w)
        while request != DONE:
            count(request, w)
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                jsim.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w)
        if w.control[STATUS] != 0:
            return k + 1
    return steps


@entry
def answer_jsim(request, m, s, w, space):
    inner = anticipation.begin(request, m, s, w)
    while inner != DONE:
        jsim.answer(inner, m, w, space)
        inner = anticipation.advance(m, s, w)


@entry
def drive_aba(steps, m, s, w, space):
    guard.refresh(m, s, w)
    for k in range(steps):
        request = begin_step(m, s, w)
        while request != DONE:
            count(request, w)
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                aba.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w)
        if w.control[STATUS] != 0:
            return k + 1
    return steps


@entry
def answer_aba(request, m, s, w, space):
    inner = anticipation.begin(request, m, s, w)
    while inner != DONE:
        aba.answer(inner, m, w, space)
        inner = anticipation.advance(m, s, w)


# ---------------------------------------------------------------- what World asks for between steps
@entry
def refresh(m, s, w):
    """Geometry, springs and energies of the present state."""
    guard.refresh(m, s, w)


@entry
def prepare_accelerations(m, s, w):
    """The system of the accelerations of the present state, for FACTOR | SOLVE."""
    guard.refresh(m, s, w)
    rk4.accelerations(m, s, w, s.pose, s.velocity, 0.0)


@entry
def prepare_first_order(m, s, w):
    """The system of the kinematic order, f = m v, for FACTOR | SOLVE."""
    guard.refresh(m, s, w)
    kinematic.assemble(m, s, w)
    edges.fill_told(m, w)


@entry
def prepare_impulse(m, s, w):
    """A = M, no stiffness, all right-hand sides zero: the caller adds f, d and b, then FACTOR | SOLVE gives the jump of
    the velocities."""
    guard.refresh(m, s, w)
    fill.fill_mass(m, w.rotation, w.block)
    edges.clear_row(w, 0)
    rotors.add_inertia(m, w)
    edges.fill_jumps(m, w, w.gap, 0.0)


@entry
def coordinates(m, s, w, out):
    """Joint coordinates of the present state, (n, 3)."""
    edges.at_time(m, w, w.number[NOW])
    fill.fill_rotations(s.pose, w.rotation)
    edges.fill_coordinates(m, s, w, s.pose, w.rotation, out)


@entry
def prepare_closing(m, s, w):
    """Newton step that closes the joints at the present pose in the mass metric, for FACTOR | SOLVE. Returns the
    gap."""
    edges.at_time(m, w, w.number[NOW])
    gap, _ = edges.fill_edges(m, s, w, s.pose, w.rotation, w.gap)
    fill.fill_mass(m, w.rotation, w.block)
    edges.clear_row(w, 0)
    rotors.add_inertia(m, w)
    edges.fill_jumps(m, w, w.gap, -1.0)
    return gap


@entry
def prepare_stopping(m, s, w):
    """The change of velocity after which the joints no longer slip, for FACTOR | SOLVE."""
    edges.at_time(m, w, w.number[NOW])
    edges.fill_edges(m, s, w, s.pose, w.rotation, w.gap)
    fill.fill_mass(m, w.rotation, w.block)
    edges.clear_row(w, 0)
    rotors.add_inertia(m, w)
    edges.fill_slips(m, s, w, s.pose, w.rotation, s.velocity, -1.0)


@entry
def move(m, s, w, velocity, t):
    """q (+) t v, and the turns counted."""
    fill.displace(m.topology, s.pose, velocity, t, s.pose)
    fill.fill_rotations(s.pose, w.rotation)
    edges.remember_turns(m, s, w, s.pose, w.rotation)
