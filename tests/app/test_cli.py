"""The command line: what it reports is what the physics says, bad input gets one sentence and exit code 2."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import cli
from physics.world import World
from scenes import generators

TOP = Path(__file__).resolve().parents[2]


def run(capsys, *words):
    code = cli.main(list(words))
    output = capsys.readouterr()
    return code, output.out, output.err


def test_simulate_reports_what_the_world_says(capsys):
    code, out, _ = run(
        capsys, "simulate", "chain", "--set", "links=12", "--set", "stiffness=1/2", "--set", "held=true",
        "--seconds", "0.5", "--dt", "1/120", "--integrator", "implicit", "--json",
    )  # fmt: skip
    report = json.loads(out)
    world = World(generators.chain(12, stiffness=0.5), integrator="implicit")
    world.timestep = 1.0 / 120.0
    start = world.energy().total
    world.step(60)
    assert code == 0
    assert report["settings"] == {"links": 12, "stiffness": 0.5, "held": True}
    assert (report["bodies"], report["steps"], report["integrator"]) == (12, 60, "implicit")
    assert report["simulated_seconds"] == pytest.approx(0.5)
    assert report["energy_change"] == pytest.approx(world.energy().total - start, rel=1e-12)
    assert report["state_hash"] == world.state_hash()
    assert report["largest_gap"] >= world.largest_gap
    assert report["redone_steps"] == world.redone
    assert report["realtime_factor"] == pytest.approx(0.5 / report["computing_seconds"])


def test_the_summary_says_the_same_as_json():
    report = {
        "figure": "chain", "settings": {"links": 3}, "bodies": 3, "solver": "fused", "integrator": "trbdf2",
        "timestep": 0.004, "steps": 250, "simulated_seconds": 1.0, "realtime_factor": 500.0,
        "microseconds_per_step": 8.0, "largest_gap": 2e-12, "energy_change": -0.5, "largest_kinetic_energy": 20.0,
        "redone_steps": 5, "frozen_substeps": 1,
    }  # fmt: skip
    text = "\n".join(cli.summary(report))
    for part in (
        "chain links=3: 3 bodies",
        "250 of 4 ms",
        "8 us a step, 500 times",
        "2e-12",
        "-0.5 J, -2.5 %",
        "5 (2 %)",
    ):
        assert part in text
    # of a figure at rest no share is shown: it would divide rounding by rounding
    assert "%" not in cli.summary(report | {"largest_kinetic_energy": 1e-16})[4]


def test_every_figure_runs_for_a_moment(capsys):
    for name in cli.FIGURES:
        code, out, _ = run(capsys, "simulate", name, "--seconds", "0.02")
        assert code == 0
        assert out.startswith(f"{name}: ")


def test_list_names_figures_modes_and_integrators(capsys):
    code, out, _ = run(capsys, "list")
    assert code == 0
    for word in ("chain", "humanoid30", "hand", "links=30", "stiffness=100", "fused", "trbdf2", "rattle4"):
        assert word in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["simulate"], "FIGURE"),
        (["simulat"], "'simulat'"),
        (["simulate", "hnd"], "did you mean 'hand'?"),
        (["simulate", "chain", "--set", "link=3"], "did you mean 'links'?"),
        (["simulate", "chain", "--set", "links"], "NAME=VALUE"),
        (["simulate", "chain", "--set", "links=0"], "from 1 to 1000000"),
        (["simulate", "chain", "--set", "links=2.5"], "a whole number"),
        (["simulate", "chain", "--set", "links=many"], "'many'"),
        (["simulate", "tree", "--set", "levels=40"], "from 1 to 20"),
        (["simulate", "chain", "--set", "length=-1"], "length of chain"),
        (["simulate", "chain", "--set", "mass=1e400"], "a finite number"),
        (["simulate", "chain", "--set", "angle=nan"], "'nan'"),
        (["simulate", "chain", "--set", "joint=rope"], "ball, hinge"),
        (["simulate", "chain", "--set", "held=perhaps"], "true, false"),
        (["simulate", "chain", "--set", "timestep=1"], "timestep"),
        (["simulate", "hand", "--dt", "1/0"], "--dt"),
        (["simulate", "hand", "--dt", "-0.1"], "--dt"),
        (["simulate", "hand", "--seconds", "soon"], "'soon'"),
        (["simulate", "hand", "--seconds", "1" * 5000], "--seconds"),
        (["simulate", "hand", "--solver", "magic"], "fused"),
        (["simulate", "hand", "--integrator", "euler"], "trbdf2"),
        (["simulate", "hand", "--sed", "3"], "--sed"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(capsys, words, said):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("marionette: ")
    assert err.count("\n") == 1


def test_hopeless_motion_gets_one_sentence_and_exit_code_1(capsys):
    code, out, err = run(capsys, "simulate", "chain", "--dt", "1e5", "--seconds", "1e6")
    assert (code, out) == (1, "")
    assert "no step could be taken" in err
    assert err.count("\n") == 1


def test_bench_without_a_checkout_says_so(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "__file__", str(tmp_path / "app" / "cli.py"))
    code, _, err = run(capsys, "bench")
    assert code == 2
    assert "source checkout" in err


def test_as_a_program_in_a_pipe():
    """`python -m app list | cat`: plain text."""
    done = subprocess.run([sys.executable, "-m", "app", "list"], cwd=TOP, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("figures")
    assert "\033" not in done.stdout
    assert done.stderr == ""


def test_a_reader_that_has_gone_is_no_error_to_speak_of():
    """`python -m app list | head -0`"""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "app", "list"], cwd=TOP, stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")
