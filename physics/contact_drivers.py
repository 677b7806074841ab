"""The compiled drivers of scenes that have shapes: those of `drivers`, with contacts between integrator and
anticipation. They are separate, because what has no shapes should not pay for compiling them.

    detect -> begin_step -> request -> newton -> anticipation -> answer -> ... -> DONE
"""

from physics import drivers
from physics.auxiliary import anticipation
from physics.contacts import newton, touch
from physics.contacts.layout import SHORT
from physics.integrators import guard
from physics.kernels.jit import entry, kernel
from physics.layout import DONE, STATUS
from physics.solvers import aba, cg, dense, fused, jsim, lagrange


@kernel
def begin_step(m, s, w, k):
    """Find the contacts and start a step; its first request. DONE where there is no room for what was found."""
    if touch.detect(m, s, w, k) != 0:
        return DONE
    touch.lend_integrator(w, k)
    return begin(drivers.begin_step(m, s, w), m, s, w, k)


@kernel
def begin(request, m, s, w, k):
    """The first request of the contact method for one of the integrator."""
    drivers.count(request, w)
    return newton.begin(request, m, s, w, k)


@kernel
def advance(m, s, w, k):
    """The next request of the contact method, or of the integrator; DONE when the step is over."""
    request = newton.advance(m, s, w, k)
    if request != DONE:
        drivers.count(request, w)
        return request
    request = drivers.advance(m, s, w)
    if request != DONE:
        return begin(request, m, s, w, k)
    touch.return_integrator(w, k)
    return DONE


@entry
def drive_fused(steps, m, s, w, space, k):
    """Run whole steps; returns how many (fewer where the figure is hopeless, or arrays of contacts are too small)."""
    guard.refresh(m, s, w)
    for n in range(steps):
        request = begin_step(m, s, w, k)
        if k.control[SHORT] != 0:
            return n
        while request != DONE:
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                fused.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w, k)
        if w.control[STATUS] != 0:
            return n + 1
    return steps


@entry
def drive_lagrange(steps, m, s, w, space, k):
    guard.refresh(m, s, w)
    for n in range(steps):
        request = begin_step(m, s, w, k)
        if k.control[SHORT] != 0:
            return n
        while request != DONE:
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                lagrange.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w, k)
        if w.control[STATUS] != 0:
            return n + 1
    return steps


@entry
def drive_dense(steps, m, s, w, space, k):
    guard.refresh(m, s, w)
    for n in range(steps):
        request = begin_step(m, s, w, k)
        if k.control[SHORT] != 0:
            return n
        while request != DONE:
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                dense.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w, k)
        if w.control[STATUS] != 0:
            return n + 1
    return steps


@entry
def drive_cg(steps, m, s, w, space, k):
    guard.refresh(m, s, w)
    for n in range(steps):
        request = begin_step(m, s, w, k)
        if k.control[SHORT] != 0:
            return n
        while request != DONE:
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                cg.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w, k)
        if w.control[STATUS] != 0:
            return n + 1
    return steps


@entry
def drive_jsim(steps, m, s, w, space, k):
    guard.refresh(m, s, w)
    for n in range(steps):
        request = begin_step(m, s, w, k)
        if k.control[SHORT] != 0:
            return n
        while request != DONE:
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                jsim.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w, k)
        if w.control[STATUS] != 0:
            return n + 1
    return steps


@entry
def drive_aba(steps, m, s, w, space, k):
    guard.refresh(m, s, w)
    for n in range(steps):
        request = begin_step(m, s, w, k)
        if k.control[SHORT] != 0:
            return n
        while request != DONE:
            inner = anticipation.begin(request, m, s, w)
            while inner != DONE:
                aba.answer(inner, m, w, space)
                inner = anticipation.advance(m, s, w)
            request = advance(m, s, w, k)
        if w.control[STATUS] != 0:
            return n + 1
    return steps
