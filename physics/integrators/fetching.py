"""What loops over the bodies of large figures ask for ahead of its use (`physics.maths.prefetch`): functions `of_*`
name the rows that such a loop reads or writes from body `first` on, four bodies at a time, or of one body i.
"""

from physics.compiler.jit import rare
from physics.data.model_tables import Joints
from physics.data.work_tables import Edges, Rows
from physics.edges import edges, right_hand_sides
from physics.maths.lanes import AT_ONCE
from physics.maths.prefetch import TILE, fetch_row, fetch_row_to_write, fetcher

# a column of each cache line
fetch_joint = fetcher((Joints.ANCHOR_CHILD, Joints.SOFT_CHILD))
fetch_softness = fetcher((Joints.SOFT_CHILD,))
fetch_levers = fetcher((Edges.RC,))
fetch_spring = fetcher((0, 8, 16))
fetch_push = fetcher((0, Rows.PUSH), True)
fetch_stiffness = fetcher((Rows.STIFF_BLOCK, Rows.PUSH), True)
fetch_block = fetcher((0, 8, 16), True)
fetch_stash = fetcher((0, 8), True)


# ---------------------------------------------------------------- implicit
@rare
def of_bodies(m, s, w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row(m.body, i)
        fetch_row(w.rotation, i)
        fetch_row(s.velocity, i)
        fetch_block(w.block, i)
        fetch_row_to_write(w.force, i)
        fetch_row_to_write(w.stash, i)


@rare
def of_edges(m, s, w, i):
    edges.fetch_place(m.topology, i)
    fetch_softness(m.joint, i)
    fetch_levers(w.edge, i)
    fetch_spring(w.spring, i)
    fetch_push(w.row, i)
    fetch_row(w.gap, i)
    fetch_row(s.memory, i)


@rare
def of_drift(m, s, w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row(w.velocity, i + TILE)
        fetch_row_to_write(w.next_velocity, i + TILE)
        fetch_row(m.body, i)
        fetch_row(s.pose, i)
        fetch_row(w.rotation, i)
        fetch_row_to_write(w.next_pose, i)
        fetch_row_to_write(w.next_rotation, i)
        fetch_row_to_write(w.force, i)


@rare
def of_correction(w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row(w.velocity, i)
        fetch_row_to_write(w.next_velocity, i)
        fetch_row_to_write(w.next_pose, i)
        fetch_row_to_write(w.next_rotation, i)
        fetch_row_to_write(w.gap, i)


@rare
def of_arrival(m, w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row(m.body, i)
        fetch_row_to_write(w.next_velocity, i)
        fetch_row(w.next_rotation, i)
        fetch_row_to_write(w.rotation, i)


# ---------------------------------------------------------------- trbdf2
@rare
def of_prediction(m, s, w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row(m.body, i)
        fetch_row(s.pose, i)
        fetch_row(s.velocity, i)
        fetch_row_to_write(w.rotation, i)
        fetch_row_to_write(w.next_pose, i)
        fetch_row_to_write(w.next_velocity, i)
        fetch_stash(w.stash, i)


@rare
def of_jumps(m, w, wrench, i):
    edges.fetch_place(m.topology, i)
    fetch_joint(m.joint, i)
    edges.fetch_levers(w.edge, i)
    right_hand_sides.fetch_right_hand_side(w.row, i)
    fetch_row(wrench, i)


@rare
def of_blocks(w, first):
    for i in range(first, first + AT_ONCE):
        fetch_block(w.block, i)
        fetch_row_to_write(w.force, i)


@rare
def of_springs(w, i):
    fetch_spring(w.spring, i)
    fetch_stiffness(w.row, i)


@rare
def of_middle(m, s, w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row(w.velocity, i)
        fetch_row(w.rotation, i)
        fetch_row(m.body, i)
        fetch_row(s.pose, i)
        fetch_stash(w.stash, i)
        fetch_row_to_write(w.next_pose, i)
        fetch_row_to_write(w.next_velocity, i)


@rare
def of_spring_pose(w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row_to_write(w.spring_pose, i)
        fetch_row_to_write(w.next_rotation, i)


@rare
def of_predicted_end(w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row_to_write(w.other_pose, i)


@rare
def of_end(m, w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row(w.velocity, i)
        fetch_row(w.rotation, i)
        fetch_row(m.body, i)
        fetch_stash(w.stash, i)
        fetch_row_to_write(w.next_pose, i)
        fetch_row_to_write(w.next_rotation, i)
        fetch_row_to_write(w.force, i)


@rare
def of_last(m, w, first):
    for i in range(first, first + AT_ONCE):
        fetch_row(w.velocity, i)
        fetch_row(m.body, i)
        fetch_row(w.stash, i)
        fetch_row_to_write(w.next_pose, i)
        fetch_row_to_write(w.next_rotation, i)
        fetch_row_to_write(w.next_velocity, i)
        fetch_row_to_write(w.force, i)
