"""Links that cannot be closed are released, and held again once they have come near.

A link is released (State.released) in two cases: it is open and the projection of a substep cannot close it, such as a
pin out of reach or one of two pins that contradict each other; or it keeps a figure from following prescribed motions.
A released link is no longer closed, but pulls softly (physics/forces/released.py). It is named among the
contradictions, and its gap does not count. It is held again as soon as its gap is below NEARLY."""

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.data.step_tables import Control, IslandFlag, LinkError
from physics.edges import edges, joint_springs

OPEN = 1e-6  # m or rad: a link with a larger gap stands open
NEARLY = 1e-3  # m or rad: nearer than this a link that was released is held again


@kernel
def release(m, s, w, follows):
    """Release the links that were open before a substep that cannot be closed. If the figure does not even follow
    prescribed motions (`follows` is False), release all links of islands with an open edge; those that fit are held
    again at once. Write State.released, and return whether a link is released."""
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
    """Make the islands anew, and mark in Work.island those of the present pass with an open edge in Work.gap."""
    islands.join_tied(m, w)
    for e in range(s.released.shape[0]):
        if edges.opening(w, e) > OPEN and islands.takes_part(w, islands.child_of(m, e)):
            islands.mark(w, islands.child_of(m, e), IslandFlag.OPEN)


@inline
def is_marked(m, w, e):
    """Return whether the island of edge e is marked as open in Work.island."""
    return w.island[islands.root_of(w, islands.child_of(m, e)), 1] & IslandFlag.OPEN != 0


@kernel
def hold_again(m, s, w):
    """Clear State.released of links of the present pass whose gap in Work.gap is below NEARLY."""
    n = m.topology.shape[0]
    for e in range(n, n + m.links.shape[0]):
        if s.released[e, 0] != 0.0 and edges.opening(w, e) < NEARLY and islands.takes_part(w, islands.child_of(m, e)):
            s.released[e, 0] = 0.0
