"""Islands, and the parts of a world that one step takes by different methods.

An island is what hangs together: trees, the links and springs between them, and contacts that press or come near. No
island knows of the others, so the step of a world may be that of the integrator for some and one of `implicit` for
others (`integrators/parting.py`): each pass goes over the whole world, and of either only the islands of its part
count. So may a step be redone for some alone (`integrators/following.py`).
Two columns of Work.island: another body of the island, towards the one that stands for it (itself); what the
island has, in bits, at the body that stands for it.
"""

from physics.kernels.jit import inline, kernel
from physics.layout import (
    ALL_PARTS, CHILD, COUPLING, GROUP_CONDITION, KIND, MEMBER_BODY, PARENT, PART, STEP_WORK, TABLE, TABLE_ROWS,
    TERM_EDGE,
)  # fmt: skip


@inline
def takes_part(w, i):
    """Whether what body i does counts in the present pass"""
    return w.control[PART] == ALL_PARTS or w.part[i] == w.control[PART]


@inline
def add_work(w, i, work):
    """Work that is put in at body i, J, whose pass counts"""
    w.number[STEP_WORK] += work
    w.given[i] += work


@kernel
def child_of(m, e):
    n = m.topology.shape[0]
    return e if e < n else m.links[e - n, CHILD]


@kernel
def root_of(w, i):
    while w.island[i, 0] != i:
        # halve the way for those who ask next
        w.island[i, 0] = w.island[w.island[i, 0], 0]
        i = w.island[i, 0]
    return i


@kernel
def join(w, i, j):
    """The lower number stands for an island, whatever the order of joining."""
    a = root_of(w, i)
    b = root_of(w, j)
    w.island[max(a, b), 0] = min(a, b)
    w.island[min(a, b), 1] |= w.island[max(a, b), 1]


@kernel
def mark(w, body, what):
    w.island[root_of(w, body), 1] |= what


@kernel
def join_tied(m, w):
    """Islands anew: trees, and links between them"""
    n = m.topology.shape[0]
    for i in range(n):
        w.island[i, 0] = i
        w.island[i, 1] = 0
    for i in range(n):
        if m.topology[i, PARENT] >= 0:
            join(w, i, m.topology[i, PARENT])
    for j in range(m.links.shape[0]):
        if m.links[j, KIND] == COUPLING:
            first = int(m.joint[n + j, TABLE])
            for r in range(first + 1, first + int(m.joint[n + j, TABLE_ROWS])):
                join(w, child_of(m, int(m.table[first, TERM_EDGE])), child_of(m, int(m.table[r, TERM_EDGE])))
        elif m.links[j, KIND] == GROUP_CONDITION:
            first = int(m.joint[n + j, TABLE])
            for r in range(first, first + int(m.joint[n + j, TABLE_ROWS])):
                if m.table[r, MEMBER_BODY] >= 0.0:
                    join(w, m.links[j, CHILD], int(m.table[r, MEMBER_BODY]))
        elif m.links[j, PARENT] >= 0:
            join(w, m.links[j, CHILD], m.links[j, PARENT])
