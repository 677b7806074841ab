"""The benchmarks measure what they say: figures that the peers hold are ours, and so are the clocks and counts.

Nothing here is timed. What needs the peers runs for those that are installed.
"""

import math

import numpy as np
import pytest

from physics.world.world import World
from tests.helpers import generators
from tests.benchmarks import __main__ as program, bare, counts, measure, ours, peers, report
from tests.benchmarks.figure import (
    Motion, conjugate, make_figure, measure_distance, measure_energy, measure_gap, multiply, turn,
)  # fmt: skip
from tests.benchmarks.workloads import Workload

FIGURES = {
    "chain": generators.chain(10),
    "springs": generators.chain(5, stiffness=1.0, damping=0.01),
    "tree": generators.tree(3),
    "humanoid30": generators.humanoid30(),
    "chain30": generators.chain30(),
    "hand": generators.hand(stiffness=0.05, damping=1e-4),
}


# ---------------------------------------------------------------- the figure and its measures
@pytest.mark.parametrize("name", FIGURES)
def test_the_start_opens_no_joint_and_moves(name):
    """The velocities are those that the world's own projection would leave alone."""
    figure = make_figure(FIGURES[name])
    world = World(figure.scene)
    world.assemble()
    v = np.array([world.bodies[n].velocity for n in figure.names])
    w = np.array([world.bodies[n].angular_velocity for n in figure.names])
    assert np.abs(v - figure.start.v).max() < 1e-12
    assert np.abs(w - figure.start.w).max() < 1e-12
    assert np.abs(w).max() > 0.1


@pytest.mark.parametrize("name", FIGURES)
def test_measured_energy_is_the_worlds(name):
    """Two ways to the same number: here from poses with numpy, there in the kernels."""
    figure = make_figure(FIGURES[name])
    runner = ours.Ours(figure, 1 / 240, "fused", "trbdf2")
    runner.step(30)
    kinetic, total = measure_energy(figure, runner.motion())
    theirs = runner.world.energy()
    assert kinetic == pytest.approx(theirs.kinetic, rel=1e-9)
    assert total == pytest.approx(theirs.total, abs=1e-9 * (abs(theirs.total) + theirs.kinetic))


def test_measured_gap_of_a_known_opening():
    figure = make_figure(generators.humanoid30())
    start = figure.start
    assert measure_gap(figure, start) < 1e-15
    x = start.x.copy()
    x[5] += [0.0, 3e-3, 4e-3]
    assert measure_gap(figure, Motion(x, start.quat, start.v, start.w)) == pytest.approx(5e-3)
    # the last link of a limb turned by 0.2 rad across its axis, about its anchor: sin 0.2 between the axes
    i = 6
    across = np.cross(figure.axis[i], [0.3, 0.5, 0.7])
    across /= np.linalg.norm(across)
    q = np.concatenate([[math.cos(0.1)], math.sin(0.1) * across])[None]
    quat, x = start.quat.copy(), start.x.copy()
    quat[i] = multiply(q, quat[i : i + 1])[0]
    x[i] = figure.at[i] + turn(q, (start.x[i] - figure.at[i])[None])[0]
    assert figure.parent[7] != i
    assert measure_gap(figure, Motion(x, quat, start.v, start.w)) == pytest.approx(math.sin(0.2))


def test_turning_back_and_forth():
    rng = np.random.default_rng(3)
    q = rng.normal(size=(5, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    r = rng.normal(size=(5, 3))
    assert turn(conjugate(q), turn(q, r)) == pytest.approx(r)
    # a quarter turn about z takes x to y
    s = math.sqrt(0.5)
    assert turn(np.array([[s, 0, 0, s]]), np.array([[1.0, 0, 0]]))[0] == pytest.approx([0, 1, 0])


# ---------------------------------------------------------------- the peers
def test_every_installed_peer_holds_the_same_figures():
    """At 0.1 ms all engines, of first order, come within 0.2 mm of our reference after a tenth of a second. (The next
    test shows how little that is.)"""
    h, steps = 1e-4, 1000
    far = {}
    for name, scene in FIGURES.items():
        figure = make_figure(scene)
        reference = ours.make_reference(figure, h * 10, steps // 10, 4)
        for peer in peers.installed():
            for variant, options in peer.VARIANTS.items():
                if not peer.accepts(figure, **options):
                    continue
                runner = peer.Peer(figure, h, **options)
                begin = runner.motion()
                runner.step(steps)
                end = runner.motion()
                start = figure.start
                # single precision in Rapier: 1e-6
                for there, here in (
                    (begin.x, start.x),
                    (begin.quat, start.quat),
                    (begin.v, start.v),
                    (begin.w, start.w),
                ):
                    assert np.abs(there - here).max() < 1e-6
                distance = measure_distance(end, reference)
                if not (distance < 2e-4 and measure_gap(figure, end) < 1e-5):
                    far[name, variant] = distance
                runner.restart()
                assert np.abs(runner.motion().x - start.x).max() < 1e-6
    assert far == {}


def test_the_tolerance_on_peers_sees_a_small_change():
    """A spring that is 5 % too stiff is further from the reference than any peer may be."""
    figure = make_figure(generators.chain(5, stiffness=1.0, damping=0.01))
    other = make_figure(generators.chain(5, stiffness=1.05, damping=0.01))
    one, two = (ours.make_reference(f, 1e-3, 100, 4) for f in (figure, other))
    assert measure_distance(one, two) > 2e-4


# ---------------------------------------------------------------- the clock
class Clock:
    """A clock that only moves when a runner works."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


class Fake:
    """Takes `cost` a step, three times as long in every other 50 ms; remembers how far it was run."""

    def __init__(self, clock: Clock, cost: float):
        self.clock, self.cost = clock, cost
        self.calls = self.run = self.furthest = 0

    def restart(self) -> None:
        self.run = 0

    def step(self, count: int) -> None:
        self.calls += 1
        self.run += count
        self.furthest = max(self.furthest, self.run)
        busy = 3.0 if int(self.clock.now / 0.05) % 2 else 1.0
        self.clock.now += count * self.cost * busy

    def motion(self) -> Motion:
        raise AssertionError("timing looks at no motion")


def test_the_time_is_the_least_of_the_batches_within_the_window(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(measure, "time", clock)
    costs = (1e-5, 4e-4, 2e-2)
    fakes = [Fake(clock, cost) for cost in costs]
    results = [measure.Result(str(cost), True) for cost in costs]
    measure.measure_times(list(zip(results, fakes, strict=True)), 100, 0.1)
    assert [r.seconds for r in results] == pytest.approx(costs)
    assert all(fake.furthest <= 100 for fake in fakes)
    assert all(fake.calls >= 20 for fake in fakes)


def test_the_exponent_of_a_power_law():
    links = [100, 1000, 10000]
    growth = measure.Growth("made up", links, [2e-7 * n**1.07 for n in links])
    assert growth.exponent == pytest.approx(1.07)


# ---------------------------------------------------------------- counts and tables
def test_counted_operations_are_those_of_the_paper():
    """[Featherstone05]: a chain has D1 = n (n - 1) / 2 and D2 = n (n^2 - 1) / 6; in general the sums over depths."""
    found = {c.topology: c for c in counts.make_counts()}
    chain = found["chain of 30"]
    assert (chain.d1, chain.d2) == (30 * 29 // 2, 30 * (900 - 1) // 6)
    assert chain.d2 == chain.dense_d2
    for name, parents in counts.TOPOLOGIES.items():
        depth: list[int] = []
        for p in parents:
            depth.append(1 + (depth[p] if p >= 0 else 0))
        assert found[name].d1 == sum(d - 1 for d in depth)
        assert found[name].d2 == sum(d * (d - 1) // 2 for d in depth)
        assert found[name].depth == max(depth)
    humanoid = next(c for c in found.values() if "humanoid30" in c.topology)
    assert (humanoid.d1, humanoid.d2) == (219, 1039)


def test_a_small_comparison_from_end_to_end():
    workload = Workload("tiny", "a chain of three", lambda: generators.chain(3), 1 / 240, 24)
    found = measure.compare(workload, peers.installed(), ["fused"], budget=0.01)
    assert [r.name for r in found.results if r.ours] == ["fused explicit", "fused implicit", "fused trbdf2"]
    for result in found.results:
        assert result.failure == ""
        assert 0.0 < result.seconds < 0.2
        # first order at 1/240: a few millimetres in a tenth of a second; the second-order one far less
        assert result.error < 5e-3
    by_name = {r.name: r for r in found.results}
    assert by_name["fused trbdf2"].error < 0.1 * by_name["fused implicit"].error
    assert max(r.gap for r in found.results if r.ours) < 1e-6


def made_up(name: str, is_ours: bool, seconds: float, failure: str = "") -> measure.Result:
    return measure.Result(name, is_ours, seconds, 1e-3, 1e-9, -0.01, 0, failure)


def test_the_page_says_the_ratios_also_where_we_are_slower():
    fast = measure.Comparison("W1 chain 10", "a chain", 1 / 240, 60, 10, 30, "")
    fast.results = [
        made_up("fused explicit", True, 4e-6), made_up("fused implicit", True, 2e-6),
        made_up("fused trbdf2", True, 5e-6), made_up("aba implicit", True, 1e-6),
        made_up("Other", False, 6e-6), made_up("Wrong", False, 3e-6, "went astray"),
    ]  # fmt: skip
    slow = measure.Comparison("W5 hand", "a hand", 1 / 240, 60, 16, 15, "0.36 ms [Hernandez11]")
    slow.results = [made_up("fused implicit", True, 8e-6), made_up("Other", False, 2e-6)]
    growth = [measure.Growth("fused implicit", [10, 100], [1e-6, 1e-5])]
    text = report.page(report.Report([fast, slow], growth, [], report.describe_machine([]), 2e-6))
    (row,) = (line for line in text.splitlines() if line.startswith("| W1 chain 10"))
    assert [cell.strip() for cell in row.split("|")[2:11]] == [
        "2 us", "implicit", "3 us", "Wrong (went astray)", "1.50", "aba implicit", "3.00", "5 us", "0.60",
    ]  # fmt: skip
    assert "faster than the fastest peer on 1 of 2 workloads" in text
    assert "slower on W5 hand (0.25)" in text
    assert "Wrong on W1 chain 10 (went astray)" in text
    assert "at most 2 us" in text
    assert "| fused implicit      | 100 ns   | 100 ns    | 1.000    |" in text


def test_a_factor_alone_is_timed_a_body_and_beside_fused(monkeypatch):
    """Copies of a figure count as one, and all of them move as that does."""
    one, three = (World(bare.copies(generators.hand, count)) for count in (1, 3))
    assert np.array_equal(three.accelerations()[: len(one.bodies)], one.accelerations())
    monkeypatch.setattr(bare, "FIGURES", {"hand": (generators.hand, 3, ("fused", "aba"))})
    monkeypatch.setattr(bare, "ROUNDS", 2)
    (fused, aba) = bare.make_bare()
    assert (fused.mode, aba.mode, fused.bodies) == ("fused", "aba", len(one.bodies))
    assert 0.0 < fused.seconds < 0.1
    shown = [bare.Bare("x", "fused", 4e-6, 2), bare.Bare("x", "aba", 1e-5, 2), bare.Bare("y", "fused", 1e-6, 1)]
    assert report.bare_table(shown).splitlines()[2:] == [
        "| x      | 2 us    | 5 us (2.50) |",
        "| y      | 1 us    | -           |",
    ]


def test_an_unknown_workload_is_refused_by_name(capsys):
    assert program.main(["W99"]) == 2
    assert "W5 hand" in capsys.readouterr().err
