"""The command line: what it reports is what the physics says, bad input says where and what, with exit code 2."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app.cli import benchmarks, main, simulate
from physics.maths.rotations import rotation_quaternion
from physics.definitions.bodies import Body
from physics.definitions.joints import Weld
from physics.definitions.scene import Scene
from physics.world.world import World
from scenes import load
from scenes.kinds.sections import Checks, GapCheck
from scenes.loading.checks import Watch
from scenes.loading.library import library_names
from scenes.loading.loader import read_scene, read_scene_text
from tests.helpers.app.command_line import run

TOP = Path(__file__).resolve().parents[3]
ARM = """marionette: 1
bodies:
  upper: {shape: {capsule: {from: [0, 0, 1], to: [0.3, 0, 1], radius: 2 cm}}}
joints:
  shoulder: {hinge: [world, upper], at: [0, 0, 1], axis: y}
"""


# ---------------------------------------------------------------- simulate
def test_simulate_reports_what_the_world_says(capsys):
    code, out, _ = run(
        capsys, "simulate", "chain", "--set", "links=12", "--set", "stiffness=1/2", "--seconds", "0.5 s",
        "--dt", "1/120", "--integrator", "implicit", "--json",
    )  # fmt: skip
    report = json.loads(out)
    world = load("chain", links=12, stiffness=0.5)
    world.use_integrator("implicit")
    world.timestep = 1.0 / 120.0
    start = world.energy().total
    world.step(60)
    assert code == (0 if simulate.all_hold(report) else 1)
    assert report["settings"] == ["links=12", "stiffness=1/2"]
    assert (report["bodies"], report["steps"], report["integrator"]) == (12, 60, "implicit")
    assert report["simulated_seconds"] == pytest.approx(0.5)
    assert report["energy_change"] == pytest.approx(world.energy().total - start, rel=1e-12)
    assert report["state_hash"] == world.state_hash()
    assert report["largest_gap"] >= world.largest_gap
    assert report["redone_steps"] == world.redone
    assert report["followed_steps"] == world.substepped
    assert report["realtime_factor"] == pytest.approx(0.5 / report["computing_seconds"])


def test_the_summary_says_the_same_as_json():
    report = {
        "scene": "chain", "settings": ["links=3"], "bodies": 3, "solver": "fused", "integrator": "trbdf2",
        "timestep": 0.004, "steps": 250, "simulated_seconds": 1.0, "realtime_factor": 500.0,
        "microseconds_per_step": 8.0, "largest_gap": 2e-12, "largest_gap_of": "chain/1", "largest_gap_unit": "rad",
        "energy_change": -0.5, "energy_of_work": 0.0, "energy_of_contacts": 0.0, "energy_of_limits": 0.0,
        "energy_of_redone_steps": 0.0, "energy_left_over": -0.5, "damped": False, "largest_kinetic_energy": 20.0,
        "followed_steps": 50, "redone_steps": 5, "frozen_substeps": 1, "written": "run.npz", "records": 61,
        "contacts": 17, "most_contacts": 40, "deepest_contact": 1.5e-4,
        "largest_displacement": 0.1234, "largest_displacement_of": "chain/2", "largest_speed": 2.5,
        "largest_speed_of": "chain/1", "largest_turning": 3.0, "largest_turning_of": "chain/0",
    }  # fmt: skip
    text = "\n".join(simulate.summary(report))
    for part in ("chain links=3: 3 bodies", "250 of 4 ms", "8 us a step, 500 times", "2e-12 rad (chain/1)",
                 "-0.5 J, -2.5 % of the largest kinetic energy",
                 "in 50 steps (20 %)", "5 (2 %)", "61 records in run.npz",
                 "17 pressing at the end, at most 40, 0.15 mm",
                 "0.123 m from its start at most (centre of chain/2), 2.5 m/s"):  # fmt: skip
        assert part in text
    assert all(len(line) <= 80 for line in text.splitlines())
    # of a figure at rest no share is shown: it would divide rounding by rounding
    assert "%" not in simulate.energy(report | {"largest_kinetic_energy": 1e-16})
    # the work of drives and the loss by dampers are no error
    driven = {"energy_change": 1.16, "energy_of_work": 3.2, "energy_of_contacts": -0.54, "energy_left_over": -1.5}
    line = "+1.16 J: work done +3.2, contacts -0.54, dampers -1.5"
    assert simulate.energy(report | driven | {"damped": True}) == line
    said = simulate.energy(report | driven)
    assert said.endswith("unexplained -1.5 (-7.5 % of the largest kinetic energy)")
    long = simulate.summary(report | driven | {"energy_of_limits": -1.0, "largest_speed_of": "a" * 30})
    assert all(len(one) <= 80 for text in long for one in text.splitlines())
    assert simulate.motion(report | {"largest_speed": 0.0}).endswith(", 3 rad/s at the end (chain/0)")
    still = report | {"largest_speed": 0.0, "largest_turning": 0.0}
    assert simulate.motion(still) == "0.123 m from its start at most (centre of chain/2), at rest at the end"


def test_the_report_says_what_moved_how_far():
    world = read_scene_text(
        "marionette: 1\nsettings: {gravity: [0, 0, 0], integrator: implicit}\nbodies:\n"
        "  still: {fixed: true, shape: {sphere: {at: [5, 0, 0], radius: 0.1}}}\n"
        "  slow: {mass: 1, shape: {sphere: {at: [0, 0, 0], radius: 0.1}}}\n"
        "  fast: {mass: 1, shape: {sphere: {at: [0, 1, 0], radius: 0.1}}}\n"
        "start: {velocities: {slow: {linear: [1, 0, 0], angular: [0, 0, 2]}, fast: {linear: [0, 3, 4]}}}\n"
    ).make_world()
    report = simulate.simulate(world, 120)
    assert report["largest_displacement"] == pytest.approx(2.5)  # 5 m/s for half a second
    assert (report["largest_displacement_of"], report["largest_speed_of"]) == ("fast", "fast")
    assert report["largest_speed"] == pytest.approx(5.0)
    assert (report["largest_turning"], report["largest_turning_of"]) == (pytest.approx(2.0), "slow")
    moved, fast = simulate.Moved(world), world.bodies["fast"]
    for place in ((0.0, 4.0, 4.0), (0.0, 1.0, 0.0)):  # there and back
        fast.position = place
        moved.take(world)
    assert moved.report(world)["largest_displacement"] > 1.0
    world.order = "kinematic"
    assert "largest_speed" not in simulate.simulate(world, 1)


def test_simulate_judges_the_checks_of_the_scene(capsys, tmp_path):
    """A bob of 1 kg that falls along a rail keeps its energy; with a damper it does not."""
    path = tmp_path / "bob.yaml"
    bob = (
        "marionette: 1\n"
        "bodies: {bob: {mass: 1, shape: {sphere: {at: [0, 0, 0], radius: 0.1}}}}\n"
        "joints: {rail: {slider: [world, bob], at: [0, 0, 0], axis: z, damping: DAMPING}}\n"
        "checks: {gap: {below: 1e-9 m, for: 0.1 s}, finite: {for: 2 s}, energy: {within: 0.5 %, for: 0.15 s}}\n"
    )
    path.write_text(bob.replace("DAMPING", "0"))
    code, out, _ = run(capsys, "simulate", str(path), "--seconds", "0.5")
    assert code == 0
    lines = [line for line in out.splitlines() if line.startswith("check")]
    assert [line[:14] for line in lines] == ["check gap     ", "check finite  ", "check energy  "]
    assert lines[0].endswith(" m, asked below 1e-09 m for 0.1 s")
    assert "holds: " in lines[0]
    assert lines[1].endswith("not reached: all numbers finite for 0.5 of 2 s")
    assert lines[2].endswith(" %, asked 0.5 % for 0.15 s")
    path.write_text(bob.replace("DAMPING", "1"))
    code, out, _ = run(capsys, "simulate", str(path), "--seconds", "0.5")
    assert code == 1
    assert "check energy   does not hold from 0.1 s: " in out
    assert max(len(line) for line in out.splitlines()[1:]) <= 80
    code, out, _ = run(capsys, "simulate", str(path), "--seconds", "0.5", "--json")
    assert code == 1
    gap, finite, energy = json.loads(out)["checks"]
    assert (gap["result"], finite["result"], energy["result"]) == ("holds", "not reached", "does not hold")
    assert gap["asked"] == {"below": 1e-9, "for": 0.1}
    # dE/dt = -c v^2, v = g t: the share c g^2 t^3 / 3 of m g^2 t^2 / 2 grows with time to 2/3 c t / m at its end
    assert energy["found"] == pytest.approx(2.0 / 3.0 * 0.15, rel=0.05)
    assert energy["first_seen_at"] <= 0.1


def test_the_gap_check_has_the_unit_of_the_gap_and_the_limit_of_the_integrator():
    """Red before: a joint that is open by 0.5 rad was open by 0.5 m, and `hernandez`, which leaves gaps to the next
    step, failed what was made for integrators that close joints; it is judged by its centimetre."""
    scene = read_scene("fourbar")
    world = scene.make_world()
    world.use_integrator("hernandez")
    watch = Watch(scene.checks, world)
    for _ in range(40):
        world.step(6)
        watch.look()
    assert "gap" not in watch.seen.failed
    assert 1e-6 < watch.seen.gap < 1e-2
    assert watch.findings()[0].asked["below"] == 1e-2
    assert scene.checks.gap.below == 1e-6
    body = Body(name="b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    tilted = World(Scene(bodies=[body], joints=[Weld(name="w", a="world", b="b", at=(0, 0, 0))]))
    tilted.place({"b": ((0.001, 0.0, 0.0), rotation_quaternion(np.array([0.0, 0.0, 0.5])))})
    watch = Watch(Checks(gap=GapCheck(**{"below": 1e-6, "for": 1.0})), tilted)
    watch.look()
    assert watch.seen.failed["gap"] == "gap: 0.5 rad at 'w' after 0.000 s, allowed: below 1e-06 rad"
    assert str(watch.findings()[0]) == "does not hold from 0 s: 0.5 rad, asked below 1e-06 rad for 1 s"


def test_check_says_how_checks_are_judged(capsys, tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text(ARM + "checks: {gap: {below: 1e-6, for: 3 s}, finite: {for: 1 s}}\n")
    code, out, err = run(capsys, "check", str(path))
    assert (code, out) == (0, f"{path}: 1 body, 1 joint, no problems\n")
    assert err == f"marionette: 2 checks (gap, finite), to be judged by `marionette simulate {path} --seconds 3`\n"
    assert json.loads(run(capsys, "check", "--json", str(path))[1])[0]["checks"] == ["gap", "finite"]


def test_what_was_pulled_to_its_place_is_said_to_rest_there(capsys, tmp_path):
    path = tmp_path / "spring.yaml"
    path.write_text(
        "marionette: 1\nsettings: {gravity: [0, 0, 0], integrator: implicit}\n"
        "bodies: {bob: {mass: 1, shape: {sphere: {at: [0, 0, 0], radius: 0.1}}}}\n"
        "drives: {pull: {body: bob, position: [1, 0, 0], stiffness: 100, damping: 20}}\n"
    )
    code, out, _ = run(capsys, "simulate", str(path), "--seconds", "3")
    assert code == 0
    assert "motion         1 m from its start at most (centre of bob), at rest at the end" in out


def test_a_whip_is_followed_and_gives_up_nothing(capsys):
    """A chain that cracks like a whip, and on which nothing else acts: its steps are followed in substeps, and none is
    redone, which took more than a joule."""
    code, out, _ = run(capsys, "simulate", "chain", "--set", "links=30", "--seconds", "2.5", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["followed_steps"] > 0
    assert report["redone_steps"] == 0
    assert report["energy_of_redone_steps"] == 0.0
    assert abs(report["energy_of_work"]) < 1e-9
    assert report["energy_change"] == pytest.approx(report["energy_left_over"])
    assert abs(report["energy_change"]) < 0.01 * report["largest_kinetic_energy"]


def test_what_redone_steps_gave_up_was_not_put_in(tmp_path, capsys):
    """A disc that turns by 100 rad a step, which no substep follows, is slowed by the last resort."""
    path = tmp_path / "disc.yaml"
    path.write_text(
        "marionette: 1\n"
        "bodies: {disc: {shape: {cylinder: {from: [0, 0, -1 cm], to: [0, 0, 1 cm], radius: 10 cm}}}}\n"
        "joints: {axle: {hinge: [world, disc], axis: [0, 0, 1], at: [0, 0, 0]}}\n"
        "start: {velocities: {disc: {angular: [0, 0, 24000]}}}\n"
    )
    _, out, _ = run(capsys, "simulate", str(path), "--seconds", "0.1", "--json")
    report = json.loads(out)
    assert report["redone_steps"] > 0
    assert report["energy_of_redone_steps"] < -1.0
    assert abs(report["energy_of_work"]) < 1e-9
    assert report["energy_change"] == pytest.approx(report["energy_of_redone_steps"] + report["energy_left_over"])
    assert f"redone steps {report['energy_of_redone_steps']:+.3g}" in simulate.energy(report)


def test_the_balance_of_energy_is_that_of_mechanics(capsys, tmp_path):
    """A force of 3 N along a rail against a damper of 2 N s/m: 3 v is put in, 2 v^2 taken, v = 1.5 (1 - exp(-2 t)) for
    a mass of 1 kg; the gap is that of the rail."""
    path = tmp_path / "rail.yaml"
    path.write_text(
        "marionette: 1\nsettings: {gravity: [0, 0, 0], timestep: 1/480}\n"
        "bodies: {bob: {mass: 1, shape: {sphere: {at: [0, 0, 0], radius: 0.1}}}}\n"
        "joints: {rail: {slider: [world, bob], at: [0, 0, 0], axis: x, damping: 2}}\n"
        "loads: {bob: {force: [3, 0, 0]}}\n"
    )
    report = json.loads(run(capsys, "simulate", str(path), "--seconds", "1", "--json")[1])
    travel = 1.5 * (1.0 - (1.0 - np.exp(-2.0)) / 2.0)
    speed = 1.5 * (1.0 - np.exp(-2.0))
    assert report["damped"]
    assert report["energy_of_work"] == pytest.approx(3.0 * travel, rel=1e-3)
    assert report["energy_left_over"] == pytest.approx(0.5 * speed**2 - 3.0 * travel, rel=1e-3)
    assert (report["energy_of_contacts"], report["energy_of_limits"]) == (0.0, 0.0)
    assert (report["largest_gap_of"], report["largest_gap_unit"]) in (("rail", "m"), ("rail", "rad"))


@pytest.mark.parametrize("suffix", ["npz", "csv"])
def test_the_trajectory_is_the_motion(capsys, tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    code, out, _ = run(
        capsys, "simulate", "chain", "--set", "links=3", "--seconds", "0.1", "--out", str(path), "--every", "6"
    )
    assert code == 0
    assert f"5 records in {path}" in out
    world = load("chain", links=3)
    expected = [world.bodies["chain/2"].position]
    for _ in range(4):
        world.step(6)
        expected.append(world.bodies["chain/2"].position)
    if suffix == "npz":
        data = np.load(path)
        times, got = data["time"], data["position"][:, list(data["bodies"]).index("chain/2")]
        assert data["quaternion"].shape == (5, 3, 4)
    else:
        rows = list(csv.DictReader(path.open()))
        times = [float(r["time"]) for r in rows]
        got = [[float(r[f"chain/2.{c}"]) for c in "xyz"] for r in rows]
    assert times == pytest.approx([k * 6 / 240 for k in range(5)])
    assert np.array_equal(np.array(got), np.array(expected))  # to the last bit, also as text


def test_a_scene_that_does_not_close_is_assembled_and_said_so(capsys):
    code, _, err = run(capsys, "simulate", "fourbar", "--seconds", "0.02")
    assert code == 0
    assert "assembled: B closed by moving" in err
    assert "mm" in err


def test_motion_that_cannot_continue_gets_one_sentence_and_exit_code_1(capsys, tmp_path):
    """A bead slides down to where its wire ends: beyond, the formula has no value."""
    scene = tmp_path / "end.yaml"
    scene.write_text(
        "marionette: 1\nbodies:\n  bead: {kind: particle, mass: 0.1, at: [0.3, 0, 1.09]}\n"
        "constraints:\n  wire: {function: [world, bead], zero: [x2 - sqrt(z2 - 1), y2]}\n"
    )
    code, out, err = run(capsys, "simulate", str(scene), "--seconds", "2")
    assert (code, out) == (1, "")
    assert "no step could be taken" in err
    assert err.count("\n") == 1


# ---------------------------------------------------------------- list, check
def test_list_names_scenes_modes_and_integrators(capsys):
    code, out, _ = run(capsys, "list")
    assert code == 0
    for word in (*library_names(), "links=30", "length=0.1 m", "fused", "trbdf2", "rattle4"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 80
    assert json.loads(run(capsys, "list", "--json")[1])["scenes"]["chain"]["parameters"]["links"] == 30


def test_check_says_where_and_what(capsys, tmp_path):
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(ARM)
    bad.write_text(ARM.replace("axis: y", "axs: y").replace("shape:", "mass: -1, shape:"))
    code, out, err = run(capsys, "check", str(good), str(bad))
    assert code == 2
    assert out == f"{good}: 1 body, 1 joint, no problems\n{bad}: 2 errors, 0 warnings\n"
    lines = err.splitlines()
    assert lines[0].endswith("bad.yaml:3:17: error: got -1, allowed: a number in kg above 0, at most 1e+12")
    assert lines[1].startswith("  |   upper: {mass: -1, shape: {capsule: {from: [0, 0, 1], to: [0.3,")
    assert len(lines[1]) <= 80
    assert lines[2] == "  | " + " " * 16 + "^"
    assert "bad.yaml:5:52: error: unknown key 'axs'; did you mean 'axis'?" in err
    assert run(capsys, "check", str(good))[0] == 0


def test_check_closes_what_is_drawn_open_and_says_what_cannot_be_closed(capsys, tmp_path):
    path = tmp_path / "open.yaml"
    loop = ARM + "  end: {ball: [world, upper], at: {world: [0.3, 0, X], upper: [0.3, 0, 1]}}\n"
    path.write_text(loop.replace("X", "1.001"))
    assert run(capsys, "check", str(path))[:2] == (2, f"{path}: 1 error, 0 warnings\n")
    path.write_text(loop.replace("[0.3, 0, X]", "[0.3*cos(0.01), 0, 1 - 0.3*sin(0.01)]"))
    code, _, err = run(capsys, "check", str(path))
    assert code == 0
    assert "assembled: end closed by moving upper 1.5 mm" in err
    path.write_text(loop.replace("X", "2"))
    code, _, err = run(capsys, "check", str(path))
    assert code == 2
    assert "open.yaml:6:3: error: joint 'end' cannot be closed" in err


def test_check_counts_joints_constraints_and_springs_apart(capsys, tmp_path):
    path = tmp_path / "ties.yaml"
    path.write_text(
        ARM + "  a: {slider: [world, upper], at: [0.3, 0, 1], axis: x}\n  b: {ball: [world, upper], at: [0, 0, 1]}\n"
        "constraints: {c: {distance: [world, upper], at: {world: [0, 1, 1], upper: [0.3, 0, 1]}}}\n"
        "springs:\n  d: {between: [world, upper], from: [0, 0, 2], stiffness: 1}\n"
        "  e: {torsion: [world, upper], stiffness: 1}\n"
    )
    _, out, _ = run(capsys, "check", str(path))
    assert out.startswith(f"{path}: 1 body, 3 joints, 1 constraint, 2 springs, ")


def test_check_as_json_is_for_editors(capsys, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(ARM.replace("axis: y", "axis: up"))
    code, out, err = run(capsys, "check", "--json", str(path))
    (result,) = json.loads(out)
    (problem,) = result["problems"]
    assert (code, err, result["ok"]) == (2, "", False)
    assert (problem["line"], problem["column"], problem["path"]) == (5, 58, "joints.shoulder.axis")
    assert problem["severity"] == "error"


def test_a_figure_says_who_asked_for_it(capsys, tmp_path):
    (tmp_path / "inner.yaml").write_text(ARM.replace("axis: y", "axis: up"))
    (tmp_path / "outer.yaml").write_text("marionette: 1\nfigures:\n  a: {use: inner.yaml}\n")
    code, _, err = run(capsys, "check", str(tmp_path / "outer.yaml"))
    assert code == 2
    assert "inner.yaml:5:58: error" in err
    assert "outer.yaml:3:12" in err.split("asked for at")[1]


# ---------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["simulate"], "SCENE"),
        (["simulat"], "did you mean 'simulate'?"),
        (["simulate", "hnd"], "did you mean 'hand'?"),
        (["hnd"], "did you mean 'hand'?"),
        (["simulate", "."], "a folder"),
        (["simulate", "hand", "--dt", "1/0"], "--dt"),
        (["simulate", "hand", "--dt", "-0.1"], "--dt"),
        (["simulate", "hand", "--dt", "3 kg"], "a unit of the kind s"),
        (["simulate", "hand", "--seconds", "soon"], "'soon'"),
        (["simulate", "hand", "--seconds", "1" * 5000], "--seconds"),
        (["simulate", "hand", "--solver", "fusd"], "did you mean 'fused'?"),
        (["simulate", "hand", "--integrator", "euler"], "trbdf2"),
        (["simulate", "hand", "--out", "run.txt"], ".npz or .csv"),
        (["simulate", "hand", "--out", "no/such/folder/run.npz"], "cannot be written"),
        (["simulate", "hand", "--every", "0"], "--every"),
        (["simulate", "hand", "--sed", "3"], "--sed"),
        (["completion", "cmd"], "bash"),
        (["check"], "SCENE"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(capsys, words, said):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("marionette: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("setting", "column", "said"),
    [
        ("link=3", 6, "did you mean 'links'?"),
        ("links", 1, "path=value"),
        ("links=", 7, "a value for 'links' is missing"),
        ("links=0", 7, "allowed: 1 to 100000"),
        ("links=2.5", 7, "a whole number"),
        ("links=many", 7, "unknown name 'many'"),
        ("mass=1e400", 6, "allowed: a number"),
        ("angle=.nan", 7, "a number"),
        ("length=[1, 2", 8, "not closed"),
        ("settings.timestp=1", 18, "did you mean 'timestep'?"),
        ("setting.timestep=1", 18, "did you mean 'settings'?"),
        ("joints.chain/31.stiffness=1", 27, "no 'chain/31' in joints"),
        ("contacts.never=1", 16, "allowed: a list of pairs of names"),
        ("a..b=1", 6, "not understood"),
    ],
)
def test_a_bad_setting_is_shown_with_its_column(capsys, setting, column, said):
    code, out, err = run(capsys, "simulate", "chain", "--set", setting)
    assert (code, out) == (2, "")
    assert said in err
    # the whole setting may be the place: a value is where it stands in the text, a count where it is used
    assert f"--set:1:{column}: error" in err or "chain.yaml:" in err
    assert "Traceback" not in err


def test_bench_without_a_checkout_says_so(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(benchmarks, "PACKAGES", tmp_path)
    code, _, err = run(capsys, "bench")
    assert code == 2
    assert "source checkout" in err


# ---------------------------------------------------------------- as a program
@pytest.mark.parametrize("module", ["app", "app.cli.main"])
def test_as_a_program_in_a_pipe(module):
    """`python -m app list | cat`: plain text."""
    done = subprocess.run([sys.executable, "-m", module, "list"], cwd=TOP, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("scenes")
    assert "\033" not in done.stdout
    assert done.stderr == ""


def test_as_a_program_it_returns_its_code(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(ARM.replace("axis: y", "axis: up"))
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "check", path], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, f"{path}: 1 error, 0 warnings\n")


def test_a_reader_that_has_gone_is_no_error_to_speak_of():
    """`python -m app list | head -0`"""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "app", "list"], cwd=TOP, stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_output_that_cannot_be_written_is_a_sentence():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "app", "list"], cwd=TOP, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "marionette: the output: No space left on device\n")


@pytest.mark.parametrize(("words", "module"), [(["list"], "click"), (["check", "chain"], "physics.world.world")])
def test_stopped_while_it_is_being_imported_it_says_so(words, module):
    """Ctrl-C in the half second before anything is seen."""
    code = (
        "import os, runpy, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background ignores it
        "class Stop:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Stop())\n"
        f"sys.argv = ['marionette', *{words}]\n"
        "runpy.run_module('app', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=TOP, capture_output=True, text=True, check=False)
    # click ends the line of a terminal that shows ^C
    assert (done.returncode, done.stdout, done.stderr.lstrip()) == (1, "", "marionette: stopped\n")


def test_stopped_in_the_middle_of_a_run_it_says_so(capsys, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "simulate", stopped)
    code, out, err = run(capsys, "simulate", "chain")
    assert (code, out, err.strip()) == (1, "", "marionette: stopped")


def test_what_could_command_the_terminal_is_not_printed(capsys, tmp_path):
    path = tmp_path / "\x1b[31mred.yaml"
    path.write_text(ARM)
    code, out, _ = run(capsys, "check", str(path))
    assert (code, out) == (0, f"{tmp_path}/.[31mred.yaml: 1 body, 1 joint, no problems\n")
    path.write_text(ARM.replace("axis: y", "axis: up"))
    code, out, err = run(capsys, "check", str(path))
    assert code == 2
    assert "\x1b" not in out + err


@pytest.mark.parametrize("words", [[], *([name] for name in main.program.commands if name != "bench")])
def test_help_fits_into_80_columns(capsys, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run(capsys, *words, "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert not any(line.endswith("...") for line in out.splitlines()[1:])  # nothing is cut off


def completed(capsys, monkeypatch, *words):
    """What bash gets when the last word is not finished."""
    monkeypatch.setenv("_MARIONETTE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(("marionette", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    with pytest.raises(SystemExit):
        main.main([])
    return [line.partition(",")[2] for line in capsys.readouterr().out.splitlines()]


def test_the_shell_completes_commands_scenes_and_parameters(capsys, monkeypatch):
    def words(*typed):
        return completed(capsys, monkeypatch, *typed)

    assert "simulate" in words("sim")
    # bash forgets what stands before the word that files are completed too, which is "hum"
    assert words("simulate", "hum") == ["hum", "humanoid30"]
    assert words("hum") == ["hum", "humanoid30"]
    assert "trbdf2" in words("simulate", "hand", "--integrator", "tr")
    assert "links=" in words("simulate", "chain", "--set", "li")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(capsys, shell):
    code, out, _ = run(capsys, "completion", shell)
    assert code == 0
    assert "_MARIONETTE_COMPLETE" in out
