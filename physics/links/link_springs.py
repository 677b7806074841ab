"""Springs of links in a request: the wrenches that they add to its right-hand side, and the resulting wrenches of
links.
"""

from physics.compiler.jit import kernel
from physics.data.model_tables import Topology
from physics.data.step_tables import Control
from physics.maths.vec import ZERO3, add_scaled, load3, store3
from physics.solvers import compliant


@kernel
def add_pushes(m, w):
    """Add the spring impulses M d of the links to the right-hand side f (Work.force), on child and parent."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        path = m.links[j, Topology.PATH]
        axes = compliant.spring_axes(path, m.links[j, Topology.DOFS])
        if axes > 0 and not compliant.is_slack(n + j, w.row):
            fv, fw = compliant.rest_wrench(n + j, path, axes, False, w.edge, w.row)
            compliant.add_pair(
                m.links[j, Topology.CHILD], m.links[j, Topology.PARENT], n + j, fv, fw, w.edge, w.stretch, w.force
            )


@kernel
def fill_link_wrenches(m, w):
    """Write the wrench of every link at its anchor to Work.wrench: M d plus the sum of t mu over its rows. For joints
    in the forest, add the forces of their limits."""
    a = w.auxiliary
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        e = n + j
        path = m.links[j, Topology.PATH]
        axes = compliant.spring_axes(path, m.links[j, Topology.DOFS])
        fv = ZERO3
        fw = ZERO3
        if axes > 0 and not compliant.is_slack(e, w.row):
            fv, fw = compliant.rest_wrench(e, path, axes, False, w.edge, w.row)
        store3(w.wrench, e, 0, fv)
        store3(w.wrench, e, 3, fw)
    for r in range(w.control[Control.LIMIT_ROWS]):
        if w.control[Control.ROW_COUNT] <= r and (r < w.control[Control.PULL_ROWS] or a.edge[r] < 0):
            continue  # of grabs and contacts, which are no edges
        e = a.edge[r]
        x = a.multiplier[r]
        store3(w.wrench, e, 0, add_scaled(load3(w.wrench, e, 0), x, load3(a.twist, r, 0)))
        store3(w.wrench, e, 3, add_scaled(load3(w.wrench, e, 3), x, load3(a.twist, r, 3)))
