"""Bodies that a program moves: the figure is assembled around them, or the move is refused and nothing has changed."""

import math
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from physics.data.model_tables import BodyKind, Forms, Topology
from physics.definitions.motions import HingeMotor, Moving
from physics.maths.rotations import conjugate, matrix_of, quaternion_product, rotation_quaternion
from physics.definitions.bodies import Body, Particle, PlanarBody
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball, Hinge, Slider, Weld
from physics.definitions.scene import Scene
from physics.solvers.modes import MODES
from physics.world.world import CannotContinueError, World
from scenes import load
from tests.helpers.arrays import built_of, model_of, state_of

LIBRARY = sorted(path.stem for path in (Path(__file__).parents[3] / "scenes" / "library").glob("*.yaml"))
LENGTH = 1.0


def line(count, hung=True, joint=Ball):
    """Rods of a metre from the origin along x."""
    bodies = [Body(name=f"rod{k}", mass=1.0, inertia=(1e-3, 0.1, 0.1), position=(k + 0.5, 0, 0)) for k in range(count)]
    axis = {} if joint is Ball else {"axis": (0.0, 1.0, 0.0)}
    joints = [
        joint(name=f"joint{k}", a="world" if k == 0 else f"rod{k - 1}", b=f"rod{k}", at=(float(k), 0, 0), **axis)
        for k in range(0 if hung else 1, count)
    ]
    return Scene(bodies=bodies, joints=joints)


def four_bar():
    """A crank of 1, a coupler of 3, a rocker of 2 and 3 between their bearings, drawn with the crank upright."""
    crank, pivot = np.array([0.0, 0.0, 1.0]), np.array([3.0, 0.0, 0.0])
    # the point that is 3 from the crank's end and 2 from the pivot
    d = float(np.linalg.norm(pivot - crank))
    along = (pivot - crank) / d
    a = (9.0 - 4.0 + d * d) / (2.0 * d)
    knee = crank + a * along + math.sqrt(9.0 - a * a) * np.array([-along[2], 0.0, along[0]])
    ends = {"crank": (np.zeros(3), crank), "coupler": (crank, knee), "rocker": (pivot, knee)}
    bodies = [Body(name=k, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(p + q) / 2) for k, (p, q) in ends.items()]
    joints = [
        Hinge(name="O", a="world", b="crank", at=(0, 0, 0), axis=(0, 1, 0)),
        Hinge(name="A", a="crank", b="coupler", at=crank, axis=(0, 1, 0)),
        Hinge(name="B", a="coupler", b="rocker", at=knee, axis=(0, 1, 0)),
        Hinge(name="C", a="world", b="rocker", at=pivot, axis=(0, 1, 0)),
    ]
    return Scene(bodies=bodies, joints=joints)


def goes_on(world, steps=60):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        world.step(steps)
    return np.isfinite(world.poses()).all() and world.largest_gap < 1e-6


# ---------------------------------------------------------------- tied to the world
@pytest.mark.parametrize("solver", list(MODES))
@pytest.mark.parametrize(
    ("place", "moved"),
    [((1.9, 1.2, 0.4), "rod3"), ((-2.5, 0.0, 0.0), "rod3"), ((2.0, 0.0, 0.0), "rod3"), ((0, 1, 0), "rod1")],
)
def test_a_link_that_can_be_where_it_was_put_is_there_and_the_others_follow(solver, place, moved):
    """Also straight back along the chain, from where no small motion leads there."""
    world = World(line(4), solver=solver)
    world.timestep = 1e-6
    world.bodies[moved].position = place
    world.step()
    assert world.bodies[moved].position == pytest.approx(place, abs=1e-5)
    assert world.largest_gap < 1e-9
    assert np.abs(state_of(world).velocity).max() < 1e-3  # of gravity in a step: closing gives no speed
    world.timestep = 1 / 240
    assert goes_on(world)


@pytest.mark.parametrize("far", [2.6, 100.0, 1e6])
def test_a_link_out_of_reach_is_refused_with_the_nearest_place_and_nothing_changes(far):
    """Red before: no step could ever be taken again."""
    world, twin = World(line(4)), World(line(4))
    for one in (world, twin):
        one.step(7)
    world.bodies["rod3"].position = world.bodies["rod3"].position + np.array([0.0, far, 0.0])
    with pytest.raises(
        DefinitionError, match=r"position of body 'rod3'.*the nearest that was found.*set all of its bodies"
    ):
        world.step()
    assert world.state_hash() == twin.state_hash()
    world.step(60)
    twin.step(60)
    assert world.state_hash() == twin.state_hash()


def test_the_nearest_place_is_the_end_of_the_reach():
    """Of two metres of chain, 1.5 of them to the centre of the last rod: a little too far is as near as can be."""
    world = World(line(2))
    world.bodies["rod1"].position = (0.0, 1.6, 0.0)
    with pytest.warns(UserWarning, match="'rod1' ended 0.1 m and 0 rad from where it was put"):
        world.assemble()
    assert world.bodies["rod1"].position == pytest.approx([0.0, 1.5, 0.0], abs=0.01)
    assert world.largest_gap < 1e-9


def test_a_body_that_can_only_turn_goes_along_its_arc():
    world = World(line(1, joint=Hinge))
    angle = 1.1
    world.bodies["rod0"].quaternion = rotation_quaternion(np.array([0.0, angle, 0.0]))
    world.assemble()
    assert world.bodies["rod0"].position == pytest.approx(
        [0.5 * math.cos(angle), 0.0, -0.5 * math.sin(angle)], abs=1e-9
    )
    assert world.joints["joint0"].angle == pytest.approx(angle, abs=1e-9)
    world.bodies["rod0"].position = (-0.5, 0.0, 0.0)  # the other side, through no side in particular
    world.assemble()
    assert world.bodies["rod0"].position == pytest.approx([-0.5, 0.0, 0.0], abs=1e-6)
    assert abs(world.joints["joint0"].angle) == pytest.approx(math.pi, abs=1e-6)
    world.bodies["rod0"].quaternion = rotation_quaternion(np.array([1.5, 0.0, 0.0]))
    with pytest.raises(DefinitionError, match="quaternion of body 'rod0'"):
        world.assemble()
    assert world.bodies["rod0"].position == pytest.approx([-0.5, 0.0, 0.0], abs=1e-6)


def test_a_crank_takes_its_loop_along_on_its_branch():
    """The coupler and the rocker of a four-bar follow the crank round, to the angles of the cosine law."""
    world = World(four_bar())
    for angle in (0.5, 1.5, 2.5, -2.5, -1.0):
        world.bodies["crank"].position = (0.5 * math.sin(angle), 0.0, 0.5 * math.cos(angle))
        world.assemble()
        assert math.remainder(world.joints["O"].angle - angle, math.tau) == pytest.approx(0.0, abs=1e-6)
        assert world.largest_gap < 1e-9
        end = np.array([math.sin(angle), 0.0, math.cos(angle)])
        d = float(np.linalg.norm(np.array([3.0, 0.0, 0.0]) - end))
        along = (np.array([3.0, 0.0, 0.0]) - end) / d
        a = (5.0 + d * d) / (2.0 * d)
        knee = end + a * along + math.sqrt(9.0 - a * a) * np.array([-along[2], 0.0, along[0]])
        assert world.bodies["coupler"].position == pytest.approx((end + knee) / 2, abs=1e-6)


@pytest.mark.parametrize("solver", [name for name in MODES if name != "fused"])
def test_every_mode_assembles_alike_and_steps_by_itself(solver):
    """To the last bit; red before."""
    poses = []
    for name in (solver, "fused"):
        world = World(line(6), solver=name)
        world.bodies["rod5"].position = (2.9, 1.2, 0.4)
        world.assemble()
        assert world.solver == name
        poses.append(world.poses())
    assert (poses[0] == poses[1]).all()
    world.step(10)
    assert world.largest_gap < 1e-6


def test_a_move_of_many_bodies_takes_no_longer_in_dense():
    """Some 800 Newton steps of 200 links: 41 s before, as each of them was a factor of 600 rows."""
    world = load("chain", links=200)
    world.assemble()
    world.use_solver("dense")
    last = world.bodies[list(world.bodies)[-1]]
    last.position = last.position + np.array([0.3, 0.2, 0.3])  # beyond its reach
    begin = time.process_time()
    with pytest.warns(UserWarning, match="its joints allow it no nearer") as told:
        world.assemble()
    assert time.process_time() - begin < 5.0
    assert told[0].filename == __file__
    assert world.largest_gap < 1e-9


def test_a_pinned_body_stays_on_its_pin():
    world = World(line(3))
    world.pin("rod2", (3.0, 0.0, 0.0))
    world.bodies["rod2"].position = (2.0, 0.0, 0.4)
    with pytest.raises(DefinitionError, match="'rod2'"):
        world.step()
    assert goes_on(world)
    world.unpin(next(iter(world.pins)))
    world.bodies["rod2"].position = (2.0, 0.0, 0.4)
    world.assemble()
    assert world.bodies["rod2"].position == pytest.approx([2.0, 0.0, 0.4], abs=1e-6)


def test_what_hangs_on_a_moving_body_is_tied_and_a_weld_lets_nothing_move():
    cart = Moving(name="cart", position=(0.0, 0.0, 0.0))
    bob = Body(name="bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0))
    world = World(Scene(bodies=[cart, bob], joints=[Weld(name="w", a="cart", b="bob", at=(0, 0, 0))]))
    world.bodies["bob"].position = (0.0, 5.0, -1.0)
    with pytest.raises(DefinitionError, match="'bob'"):
        world.step()
    assert world.bodies["bob"].position == pytest.approx([0.0, 0.0, -1.0], abs=1e-12)


def test_planar_bodies_follow_in_their_plane():
    bodies = [
        PlanarBody(name=f"p{k}", mass=1.0, inertia=0.1, normal=(0, 1, 0), position=(k + 0.5, 0.0, 0.0))
        for k in range(3)
    ]
    joints = [
        Hinge(name=f"h{k}", a="world" if k == 0 else f"p{k - 1}", b=f"p{k}", at=(float(k), 0, 0), axis=(0, 1, 0))
        for k in range(3)
    ]
    world = World(Scene(bodies=bodies, joints=joints))
    world.bodies["p2"].position = (1.0, 0.0, 1.3)
    world.assemble()
    assert world.bodies["p2"].position == pytest.approx([1.0, 0.0, 1.3], abs=1e-6)
    assert np.abs(world.poses()[:, 1]).max() == 0.0
    assert goes_on(world)


# ---------------------------------------------------------------- free figures
@pytest.mark.parametrize("moved", ["rod0", "rod1", "rod3"])
def test_a_free_figure_goes_along_as_one(moved):
    """Position and turn of any of its bodies: a rigid motion of all, which changes no joint."""
    world = World(line(4, hung=False))
    world.bodies["rod2"].quaternion = rotation_quaternion(np.array([0.0, 0.3, 0.2]))
    world.bodies["rod2"].position = (2.4, 0.05, 0.0)
    world.bodies["rod1"].angular_velocity = (0.0, 0.4, 0.0)
    world.assemble()
    before, velocities = world.poses(), state_of(world).velocity.copy()
    turn, shift = rotation_quaternion(np.array([0.4, -1.2, 2.0])), np.array([30.0, -20.0, 5.0])
    k = list(world.bodies).index(moved)
    world.bodies[moved].position = before[k, :3] + shift
    world.bodies[moved].quaternion = quaternion_product(turn, before[k, 3:])
    world.assemble()
    for row, (old, new) in enumerate(zip(before, world.poses(), strict=True)):
        arm = matrix_of(turn) @ (old[:3] - before[k, :3])
        assert new[:3] == pytest.approx(before[k, :3] + shift + arm, abs=1e-11), row
        q = quaternion_product(new[3:], conjugate(quaternion_product(turn, old[3:])))
        assert abs(q[0]) == pytest.approx(1.0, abs=1e-12)
    assert velocities.any()
    assert goes_on(world)


def test_two_hands_of_a_free_figure_are_both_where_they_were_put():
    world = World(line(6, hung=False))
    world.bodies["rod0"].position = (10.0, 0.0, 3.0)
    world.bodies["rod5"].position = (12.0, 1.0, 3.0)
    world.assemble()
    assert world.bodies["rod0"].position == pytest.approx([10.0, 0.0, 3.0], abs=1e-6)
    assert world.bodies["rod5"].position == pytest.approx([12.0, 1.0, 3.0], abs=1e-6)
    assert world.largest_gap < 1e-9


def test_bodies_that_are_set_one_after_the_other_are_one_move():
    """Nothing is assembled in between: a pose that closes is taken to the last bit."""
    world = World(line(3))
    for k in range(3):
        world.bodies[f"rod{k}"].position = (0.0, k + 0.5, 0.0)
        world.bodies[f"rod{k}"].quaternion = rotation_quaternion(np.array([0.0, 0.0, math.pi / 2]))
    poses = world.poses()
    world.step(0)
    assert (world.poses() == poses).all()
    assert goes_on(world)


def test_other_figures_stay_where_they_are_to_the_last_bit():
    one, two = line(3), line(2)
    bodies = [
        *one.bodies,
        *(
            Body(name=f"x{b.name}", mass=1.0, inertia=(1e-3, 0.1, 0.1), position=(b.position[0], 5, 0))
            for b in two.bodies
        ),
    ]
    joints = [
        *one.joints,
        Ball(name="a", a="world", b="xrod0", at=(0, 5, 0)),
        Ball(name="b", a="xrod0", b="xrod1", at=(1, 5, 0)),
    ]
    joints.append(Slider(name="rail", a="world", b="s", at=(0, 9, 0), axis=(1, 0, 0)))
    bodies += [Body(name="s", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 9, 0)), Particle(name="p", mass=1.0)]
    world = World(Scene(bodies=bodies, joints=joints))
    world.step(30)
    kept = [built_of(world).body_row[k] for k in ("xrod0", "xrod1", "s", "p")]
    before = state_of(world).pose[kept].copy(), state_of(world).velocity[kept].copy()
    world.bodies["rod2"].position = (0.5, 1.0, 0.5)
    world.bodies["p"].position = (7.0, 7.0, 7.0)
    before[0][3, :3] = 7.0
    world.step(0)
    assert world.bodies["rod2"].position == pytest.approx([0.5, 1.0, 0.5], abs=1e-6)
    assert (state_of(world).pose[kept] == before[0]).all()
    assert (state_of(world).velocity[kept] == before[1]).all()


def test_a_snapshot_between_a_move_and_the_next_step_holds_the_move():
    world = World(line(4))
    world.bodies["rod3"].position = (1.9, 1.2, 0.4)
    twin = World(line(4))
    assert twin.state_hash() != world.state_hash()
    twin.restore(world.snapshot())
    assert twin.state_hash() == world.state_hash()
    for one in (world, twin):
        one.step(3)
    assert twin.state_hash() == world.state_hash()
    assert world.bodies["rod3"].position == pytest.approx([1.9, 1.2, 0.4], abs=0.01)


def test_moving_by_velocity_is_assembled_before_the_next_step():
    world = World(line(4))
    world.bodies["rod3"].velocity = (0.0, 0.0, 3.0)
    world.bodies["rod0"].velocity = (0.0, 0.5, 0.1)
    world.move(0.2)
    assert world.largest_gap > 0.1
    world.step(0)
    assert world.largest_gap < 1e-12
    rod = world.bodies["rod0"]
    assert np.linalg.norm(rod.velocity) > 0.1
    assert rod.velocity == pytest.approx(np.cross(rod.angular_velocity, rod.position), abs=1e-12)


@pytest.mark.parametrize("angle", [0.5, 3.0, 40.0])
def test_a_motor_whose_angle_jumps_takes_its_figure_along_after_one_refusal_at_most(angle):
    """Red before at 3 rad: no step could be taken again."""
    scene = line(3)
    motor = HingeMotor(name="joint0", a="world", b="rod0", at=(0, 0, 0), axis=(0, 1, 0), position=0.0)
    world = World(Scene(bodies=scene.bodies, joints=[motor, *scene.joints[1:]]))
    world.joints["joint0"].position = angle
    with suppress(CannotContinueError):
        world.step()
    assert goes_on(world)
    assert world.joints["joint0"].angle == pytest.approx(angle, abs=1e-9)


# ---------------------------------------------------------------- the library
@pytest.mark.parametrize("name", LIBRARY)
@pytest.mark.parametrize("far", [0.01, 2.6, 50.0])
def test_bodies_of_the_library_moved_by_program(name, far):
    """A small move, one beyond most joints and one beyond all of them; then sixty steps are taken, after one refusal at
    most. Red before: chain, plant, mass_ratio and others never stepped again."""
    world = load(name)
    start, rng = world.snapshot(), np.random.default_rng(7)
    bodies = [k for k, body in world.bodies.items() if math.isfinite(body.mass)]
    for body in bodies[:: max(1, len(bodies) // 4)]:
        world.restore(start)
        way = rng.normal(size=3)
        row = built_of(world).body_row[body]
        if model_of(world).topology[row, Topology.BODY_KIND] == BodyKind.PLANAR:
            normal = model_of(world).form[row, Forms.NORMAL : Forms.NORMAL + 3]
            way -= normal * (normal @ way)
        world.bodies[body].position = world.bodies[body].position + way * far / np.linalg.norm(way)
        with warnings.catch_warnings(), suppress(DefinitionError):
            warnings.simplefilter("ignore")
            world.step()
        assert goes_on(world), body
