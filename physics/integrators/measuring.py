"""The measures by which a step is judged: gap, energies and spin. Edges and springs are filled at the pose that is
measured."""

import math

from physics.bodies import islands, kinds as body_kinds, scales
from physics.bodies.loops import sum_over_tiles
from physics.compiler.jit import kernel
from physics.data.model_tables import Topology
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control, Number, Part
from physics.data.work_tables import Springs
from physics.edges import edges, simd_groups, joint_springs
from physics.forces import rotors
from physics.maths.vec import load3, load9


@kernel
def measure(m, s, w, pose, velocity):
    """Fill and measure a state, given by `pose` and `velocity`; in a redone step measure the bodies of the present pass
    alone. Return its largest gap [m or rad], the edge of that gap, the kinetic, gravitational and elastic energy [J],
    and the largest angular speed [rad/s]."""
    x = w.number
    g = (x[Number.GRAVITY], x[Number.GRAVITY + 1], x[Number.GRAVITY + 2])
    if w.control[Control.PART] == Part.REDONE_PART:
        gap, where, kinetic, height, elastic, spin = measure_part(m, s, w, pose, velocity, g)
    elif w.control[Control.MEASURED] != 0:
        gap = x[Number.TRIAL_GAP]
        where = w.control[Control.WORST]
        elastic = x[Number.TRIAL_ELASTIC]
        kinetic = x[Number.TRIAL_KINETIC]
        spin = x[Number.TRIAL_SPIN]
        height = body_kinds.gravitational_energy(m.body, pose, g)
    else:
        gap, where, kinetic, height, elastic, spin = fill_all(m, s, w, pose, velocity, g)
    w.control[Control.MEASURED] = 0
    if pose.shape[1] > PoseColumn.SHAPE:
        elastic += scales.potential(m, w, pose)
    if w.control[Control.ARMED] != 0:
        kinetic += rotors.measure(m, w, velocity)
    return gap, where, kinetic, height, elastic, spin


@kernel
def measure_part(m, s, w, pose, velocity, g):
    """Fill edges and springs at `pose`, and measure the bodies of the present pass. g is the acceleration of gravity
    [m/s^2], for their gravitational energy. Return what `measure` returns, without the elastic energy of scales and
    without rotors."""
    kinetic = 0.0
    height = 0.0
    elastic = 0.0
    gap, where = fill_gaps(m, s, w, pose)
    if w.control[Control.SPRUNG] != 0:
        joint_springs.fill_springs(m, s, w, pose, w.rotation)
    n = pose.shape[0]
    for e in range(n + m.links.shape[0]):
        i = islands.child_of(m, e)
        if not islands.takes_part(w, i):
            continue
        flags = m.topology[e, Topology.FLAGS] if e < n else m.links[e - n, Topology.FLAGS]
        if flags != 0 and w.control[Control.SPRUNG] != 0:
            elastic += w.spring[e, Springs.POTENTIAL]
        if e < n:
            rot = load9(w.rotation, i, 0)
            kinetic += body_kinds.body_kinetic(m.topology, m.body, i, rot, load3(velocity, i, 0), load3(velocity, i, 3))
            height = body_kinds.add_gravitational(m.body, pose, g, i, i + 1, height)
    if velocity.shape[1] > PoseColumn.RATES:
        kinetic += scales.kinetic_of_part(m, w, velocity)
    return gap, where, kinetic, height, elastic, largest_spin(w, velocity)


@kernel
def fill_gaps(m, s, w, pose):
    """Fill Work.rotation, the edges and Work.gap at `pose`. Return the largest gap [m or rad] of the present pass, and
    its edge."""
    gap, where = edges.fill_edges(m, s, w, pose, w.rotation, w.gap)
    if w.control[Control.PART] != Part.REDONE_PART:
        return gap, where
    gap = 0.0
    where = -1
    for e in range(w.auxiliary.error_state.shape[0]):
        if w.auxiliary.error_state[e] == 0 and islands.takes_part(w, islands.child_of(m, e)):
            opening = edges.opening(w, e)
            if not opening <= gap:
                gap = opening
                where = e
    return gap, where


@kernel
def largest_spin(w, velocity):
    """Return the largest angular speed [rad/s] of the bodies of the present pass; infinite where a velocity is not
    finite."""
    worst = 0.0
    total = 0.0
    for i in range(velocity.shape[0]):
        if islands.takes_part(w, i):
            worst = max(worst, body_kinds.squared_spin(velocity, i))
            for k in range(velocity.shape[1]):
                total += abs(velocity[i, k])
    return math.sqrt(worst) if total < math.inf else math.inf


@kernel
def fill_all(m, s, w, pose, velocity, g):
    """Fill edges and springs at `pose`, with the acceleration g of gravity. Return what `measure` returns, without the
    elastic energy of scales and without rotors."""
    if pose.shape[1] > PoseColumn.SHAPE:
        scales.put_shape(m, pose)
    nothing = (0.0, -1, 0.0, 0.0, 0.0, 0.0)
    worst, where, kinetic, height, elastic, fastest = fill_tiles(m, s, w, nothing, pose, velocity, g)
    gap, where = edges.fill_links(m, s, w, pose, w.rotation, w.gap, worst, where)
    if w.control[Control.SPRUNG] != 0:
        elastic = joint_springs.fill_link_springs(m, s, w, pose, w.rotation, elastic)
    if velocity.shape[1] > PoseColumn.RATES:
        kinetic += scales.kinetic(m, velocity)
    return gap, where, kinetic, height, elastic, math.sqrt(fastest)


@kernel
def fill_tile(m, s, w, first, end, sums, pose, velocity, g):
    """Do the work of `fill_all` for the bodies from `first` to `end`. Return the sums so far: the largest squared gap
    and its edge, the kinetic, gravitational and elastic energy [J], and the largest squared angular speed."""
    worst, where, kinetic, height, elastic, fastest = sums
    simd_groups.fill_some_rotations(pose, w.rotation, first, end)
    kinetic, fastest = body_kinds.measure_some(m, w.rotation, velocity, first, end, kinetic, fastest)
    height = body_kinds.add_gravitational(m.body, pose, g, first, end, height)
    worst, where = edges.fill_some(m, s, w, pose, w.rotation, w.gap, first, end, worst, where)
    if w.control[Control.SPRUNG] != 0:
        elastic = joint_springs.fill_some_springs(m, s, w, pose, w.rotation, first, end, elastic)
    return worst, where, kinetic, height, elastic, fastest


fill_tiles = sum_over_tiles(fill_tile)


@kernel
def refresh(m, s, w):
    """Fill edges and springs at the present state, and write its gap and energies to Work.number. Energies that are
    already known (Control.FRESH) stay, so that the bits of a run do not depend on the number of calls."""
    c = w.control
    x = w.number
    edges.at_time(m, w, x[Number.NOW])
    fresh = c[Control.FRESH] != 0
    c[Control.MEASURED] = 0
    x[Number.GAP], c[Control.WORST], kinetic, height, elastic, spin = measure(m, s, w, s.pose, s.velocity)
    if not fresh:
        x[Number.KINETIC] = kinetic
        x[Number.GRAVITATIONAL] = height
        x[Number.ELASTIC] = elastic
        x[Number.SPIN] = spin
        x[Number.ENERGY] = kinetic + height + elastic
    c[Control.FRESH] = 1
    c[Control.FACTOR_KEPT] = 0
