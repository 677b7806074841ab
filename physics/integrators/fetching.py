"""Prefetches of the loops over bodies (`physics.maths.prefetch`). A function `of_*` prefetches the rows of body i that
a loop reads or writes; loops in SIMD groups call it through `physics.bodies.loops`."""

from physics.compiler.jit import rare
from physics.data.model_tables import Joints
from physics.data.work_tables import Edges, Rows
from physics.edges import edges, right_hand_sides
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
def of_bodies(m, s, w, i):
    """Prefetch the rows of body i that `implicit.assemble_bodies` reads and writes."""
    fetch_row(m.body, i)
    fetch_row(w.rotation, i)
    fetch_row(s.velocity, i)
    fetch_block(w.block, i)
    fetch_row_to_write(w.force, i)
    fetch_row_to_write(w.stash, i)


@rare
def of_edges(m, s, w, i):
    """Prefetch the rows of the inbound edge of body i that `implicit.assemble_edges` reads and writes."""
    edges.fetch_place(m.topology, i)
    fetch_softness(m.joint, i)
    fetch_levers(w.edge, i)
    fetch_spring(w.spring, i)
    fetch_push(w.row, i)
    fetch_row(w.gap, i)
    fetch_row(s.memory, i)


def of_drift(m, s, w, i):
    """Prefetch the rows of body i that `implicit.follow_bodies` reads and writes, and velocities one tile ahead."""
    fetch_row(w.velocity, i + TILE)
    fetch_row_to_write(w.next_velocity, i + TILE)
    fetch_row(m.body, i)
    fetch_row(s.pose, i)
    fetch_row(w.rotation, i)
    fetch_row_to_write(w.next_pose, i)
    fetch_row_to_write(w.next_rotation, i)
    fetch_row_to_write(w.force, i)


def of_correction(m, s, w, i):
    """Prefetch the rows of body i that `implicit.correct_bodies` reads and writes."""
    fetch_row(w.velocity, i)
    fetch_row_to_write(w.next_velocity, i)
    fetch_row_to_write(w.next_pose, i)
    fetch_row_to_write(w.next_rotation, i)
    fetch_row_to_write(w.gap, i)


def of_arrival(m, s, w, i):
    """Prefetch the rows of body i that `implicit.arrive_bodies` reads and writes."""
    fetch_row(m.body, i)
    fetch_row_to_write(w.next_velocity, i)
    fetch_row(w.next_rotation, i)
    fetch_row_to_write(w.rotation, i)


# ---------------------------------------------------------------- trbdf2
def of_prediction(m, s, w, i):
    """Prefetch the rows of body i that `trbdf2.predict_bodies` reads and writes."""
    fetch_row(m.body, i)
    fetch_row(s.pose, i)
    fetch_row(s.velocity, i)
    fetch_row_to_write(w.rotation, i)
    fetch_row_to_write(w.next_pose, i)
    fetch_row_to_write(w.next_velocity, i)
    fetch_stash(w.stash, i)


@rare
def of_right_hand_sides(m, w, wrench, i):
    """Prefetch the rows of edge i, also in `wrench`, that the loops of `trbdf2` over right-hand sides use."""
    edges.fetch_place(m.topology, i)
    fetch_joint(m.joint, i)
    edges.fetch_levers(w.edge, i)
    right_hand_sides.fetch_right_hand_side(w.row, i)
    fetch_row(wrench, i)


def of_blocks(m, s, w, i):
    """Prefetch the rows of body i that `trbdf2.assemble_bodies` writes."""
    fetch_block(w.block, i)
    fetch_row_to_write(w.force, i)


@rare
def of_springs(w, i):
    """Prefetch the rows of the spring of edge i that `trbdf2.assemble_some` reads and writes."""
    fetch_spring(w.spring, i)
    fetch_stiffness(w.row, i)


def of_middle(m, s, w, i):
    """Prefetch the rows of body i that `trbdf2.reach_middle_bodies` reads and writes."""
    fetch_row(w.velocity, i)
    fetch_row(w.rotation, i)
    fetch_row(m.body, i)
    fetch_row(s.pose, i)
    fetch_stash(w.stash, i)
    fetch_row_to_write(w.next_pose, i)
    fetch_row_to_write(w.next_velocity, i)


def of_spring_pose(m, s, w, i):
    """Prefetch the rows of body i that `trbdf2.carry_on_bodies` writes."""
    fetch_row_to_write(w.spring_pose, i)
    fetch_row_to_write(w.next_rotation, i)


def of_predicted_end(m, s, w, i):
    """Prefetch the rows of body i that `trbdf2.predict_end_bodies` writes."""
    fetch_row_to_write(w.other_pose, i)


def of_end(m, s, w, i):
    """Prefetch the rows of body i that `trbdf2.reach_end_bodies` reads and writes."""
    fetch_row(w.velocity, i)
    fetch_row(w.rotation, i)
    fetch_row(m.body, i)
    fetch_stash(w.stash, i)
    fetch_row_to_write(w.next_pose, i)
    fetch_row_to_write(w.next_rotation, i)
    fetch_row_to_write(w.force, i)


def of_last(m, s, w, i):
    """Prefetch the rows of body i that `trbdf2.correct_bodies` and the loops after it read and write."""
    fetch_row(w.velocity, i)
    fetch_row(m.body, i)
    fetch_row(w.stash, i)
    fetch_row_to_write(w.next_pose, i)
    fetch_row_to_write(w.next_rotation, i)
    fetch_row_to_write(w.next_velocity, i)
    fetch_row_to_write(w.force, i)
