"""Links that cannot be closed are released, and held again where they have come near.

A link that stands open and cannot be closed by a substep's projection (a pin out of reach, one of two that contradict
each other), or that keeps a figure from following what moves as prescribed, is released (State.released). It is no
longer closed, but pulls softly (physics/forces/released.py), is named among the contradictions, and its gap does not
count.
It is held again as soon as it is NEARLY closed.
"""

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.data.step_tables import Control, IslandFlag, LinkError
from physics.edges import edges, joint_springs

OPEN = 1e-6  # m or rad: a link with a larger gap stands open
NEARLY = 1e-3  # m or rad: nearer than this a link that was released is held again


@kernel
def release(m, s, w, follows):
    """After a substep that cannot be closed, release the links that were open before it. Where the figure does not even
    follow prescribed motions (`follows` is False), release all links of its islands that stay open; those that fit are
    held again at once. Return whether a link is released."""
    if m.links.shape[0] == 0:
        return False
    torn_along = not follows
    if torn_along:
        mark_open(m, s, w)
    edges.fill_edges(m, s, w, s.pose, w.rotation, w.gap)
    found = False
    for e in range(m.topology.shape[0], s.released.shape[0]):
        gives = is_marked(m, w, e) if torn_along else edges.opening(w, e) > OPEN
        if s.released[e, 0] == 0.0 and gives and islands.takes_part(w, islands.child_of(m, e)):
            s.released[e, 0] = 1.0
            w.auxiliary.error_state[e] = LinkError.RELEASED
            w.control[Control.RELEASED] += 1
            found = True
    joint_springs.fill_springs(m, s, w, s.pose, w.rotation)
    return found


@kernel
def mark_open(m, s, w):
    """Mark the islands of open edges."""
    islands.join_tied(m, w)
    for e in range(s.released.shape[0]):
        if edges.opening(w, e) > OPEN and islands.takes_part(w, islands.child_of(m, e)):
            islands.mark(w, islands.child_of(m, e), IslandFlag.OPEN)


@inline
def is_marked(m, w, e):
    """Return whether the island of edge e is marked as open."""
    return w.island[islands.root_of(w, islands.child_of(m, e)), 1] & IslandFlag.OPEN != 0


@kernel
def hold_again(m, s, w):
    """Hold links again that have come near enough to be closed."""
    n = m.topology.shape[0]
    for e in range(n, n + m.links.shape[0]):
        if s.released[e, 0] != 0.0 and edges.opening(w, e) < NEARLY and islands.takes_part(w, islands.child_of(m, e)):
            s.released[e, 0] = 0.0
