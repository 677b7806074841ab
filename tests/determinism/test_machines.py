"""The same bits on every machine, from the file on: child processes in which BLAS, numpy and the C library take the
code that they have for other processors load every scene of the library, step it and replay a recording, and find the
states of this process. What is compiled for a processor without vector units is the same too."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from physics.compiler.jit import compilation_is_off
from tests.determinism import machines

ROOT = Path(__file__).resolve().parents[2]

PLAIN_NUMPY = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
PLAIN_C = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable"
# kinds of processors, as far as libraries can be told that this is one of them
SETTINGS = {
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": PLAIN_NUMPY, "GLIBC_TUNABLES": PLAIN_C},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_SKX AVX512_ICL AVX512_SPR"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Zen": {"OPENBLAS_CORETYPE": "Zen", "GLIBC_TUNABLES": PLAIN_C},
}
GENERIC = {**SETTINGS["Prescott"], "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
STEPS = 20


def start(steps: int, recording: str, names: list[str], environment: dict[str, str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.determinism.machines", str(steps), recording, *names],
        cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def found(child: "subprocess.Popen[str]") -> dict[str, dict[str, str]]:
    out, errors = child.communicate()
    assert child.returncode == 0, errors[-2000:]
    return json.loads(out)


def differing(here: dict[str, str], there: dict[str, str]) -> list[str]:
    assert there.keys() == here.keys()
    return [name for name in here if here[name] != there[name]]


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("recordings") / "hand.mrn"
    made = machines.record()
    path.write_bytes(made.data())
    return str(path), made.state_hash


@pytest.fixture(scope="module")
def here(recording):
    hashes = machines.library_hashes(STEPS, machines.library_names())
    return {**hashes, "the recording": recording[1]}


@pytest.mark.skipif(compilation_is_off(), reason="twenty steps of every scene in plain Python take hours")
def test_every_scene_and_a_recording_are_the_same_bits_on_every_machine(here, recording):
    kinds = list(SETTINGS)
    others = []
    for pair in (kinds[:2], kinds[2:]):  # two at a time: more would wait for each other
        children = [start(STEPS, recording[0], [], SETTINGS[kind]) for kind in pair]
        others += [found(child) for child in children]
    assert {kind: differing(here, one["hashes"]) for kind, one in zip(kinds, others, strict=True)} == {
        kind: [] for kind in kinds
    }
    own = machines.own_rounding()
    if all(one["rounding"] == own for one in others):
        pytest.skip("this machine's libraries have no other code to take: the comparison says nothing")


@pytest.mark.long
@pytest.mark.skipif(compilation_is_off(), reason="nothing is compiled")
def test_kernels_for_a_processor_without_vector_units_are_the_same_bits(tmp_path):
    """Some minutes of compiling: every driver that these scenes need, once more. `test_elementary.py` has the same for
    the elementary functions alone."""
    names = ["bowl", "chain30", "domino", "fourbar", "hand", "plant", "robot", "rolling", "top"]
    child = start(STEPS, "-", names, {**GENERIC, "NUMBA_CACHE_DIR": str(tmp_path)})
    assert differing(machines.library_hashes(STEPS, names), found(child)["hashes"]) == []
