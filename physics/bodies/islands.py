"""Islands, and the parts of a world that different integrators step.

An island is a set of bodies that trees, links, springs and contacts connect. No island acts on another one. Therefore
the chosen integrator may step some islands, and `implicit` the others (`integrators/parting.py`). Each of them makes
one pass over the whole world, of which only the results of its own islands are used. A step may also be redone for some
islands only (`integrators/following.py`).

One body of each island represents it. Work.island has two columns. The first has the number of a body of the same
island; from row to row these numbers lead to the representative, whose row has its own number. The second column has
the bits `IslandFlag` of the island; only the row of the representative counts."""

from physics.compiler.jit import inline, kernel
from physics.data.model_tables import JointKind, Joints, Member, Term, Topology
from physics.data.step_tables import Control, Number, Part


@inline
def takes_part(w, i):
    """Return whether body i belongs to the part of the world that the present pass steps."""
    return w.control[Control.PART] == Part.ALL_PARTS or w.part[i] == w.control[Control.PART]


@inline
def add_work(w, i, work):
    """Add the work [J] that was done on body i in the pass of its part to Number.STEP_WORK and to row i of
    Work.given."""
    w.number[Number.STEP_WORK] += work
    w.given[i] += work


@kernel
def child_of(m, e):
    """Return the child body of edge e."""
    n = m.topology.shape[0]
    return e if e < n else m.links[e - n, Topology.CHILD]


@kernel
def root_of(w, i):
    """Return the body that represents the island of body i. Shorten the chain of bodies that leads to it in
    Work.island."""
    while w.island[i, 0] != i:
        # halve the way for those who ask next
        w.island[i, 0] = w.island[w.island[i, 0], 0]
        i = w.island[i, 0]
    return i


@kernel
def join(w, i, j):
    """Unite the islands of bodies i and j in Work.island. The representative with the lower number represents the
    result, so that the order of such calls does not matter. The flags of both are kept."""
    a = root_of(w, i)
    b = root_of(w, j)
    w.island[max(a, b), 0] = min(a, b)
    w.island[min(a, b), 1] |= w.island[max(a, b), 1]


@kernel
def mark(w, body, what):
    """Set the bits `what` (`IslandFlag`) of the island of a body in Work.island."""
    w.island[root_of(w, body), 1] |= what


@kernel
def join_tied(m, w):
    """Write the islands that trees and links form to Work.island, without flags."""
    n = m.topology.shape[0]
    for i in range(n):
        w.island[i, 0] = i
        w.island[i, 1] = 0
    for i in range(n):
        if m.topology[i, Topology.PARENT] >= 0:
            join(w, i, m.topology[i, Topology.PARENT])
    for j in range(m.links.shape[0]):
        if m.links[j, Topology.KIND] == JointKind.COUPLING:
            first = int(m.joint[n + j, Joints.TABLE])
            for r in range(first + 1, first + int(m.joint[n + j, Joints.TABLE_ROWS])):
                join(w, child_of(m, int(m.table[first, Term.EDGE])), child_of(m, int(m.table[r, Term.EDGE])))
        elif m.links[j, Topology.KIND] == JointKind.GROUP_CONDITION:
            first = int(m.joint[n + j, Joints.TABLE])
            for r in range(first, first + int(m.joint[n + j, Joints.TABLE_ROWS])):
                if m.table[r, Member.BODY] >= 0.0:
                    join(w, m.links[j, Topology.CHILD], int(m.table[r, Member.BODY]))
        elif m.links[j, Topology.PARENT] >= 0:
            join(w, m.links[j, Topology.CHILD], m.links[j, Topology.PARENT])
