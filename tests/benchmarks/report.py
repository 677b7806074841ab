"""The figures as text: tables for the terminal, and `results.md`."""

import datetime
import math
import os
import platform
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.benchmarks.bare import Bare
from tests.benchmarks.corrections import Drift
from tests.benchmarks.counts import Count
from tests.benchmarks.measure import Comparison, Growth, Result

RESULTS = Path(__file__).with_name("results.md")


@dataclass
class Report:
    comparisons: list[Comparison]
    growth: list[Growth] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)
    machine: dict[str, str] = field(default_factory=dict)
    call_overhead: float | None = None  # s, Pinocchio's
    drifts: list[Drift] = field(default_factory=list)
    bare: list[Bare] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "machine": self.machine,
            "comparisons": [c.as_json() for c in self.comparisons],
            "growth": [g.as_json() for g in self.growth],
            "bare": [b.as_json() for b in self.bare],
            "counts": [c.as_json() for c in self.counts],
            "corrections": [d.as_json() for d in self.drifts],
            "pinocchio_call_overhead": self.call_overhead,
        }


def describe_machine(peers: list[Any]) -> dict[str, str]:
    """Processor, cores, versions, date; nothing that names the machine."""
    model = platform.processor() or platform.machine()
    information = Path("/proc") / "cpuinfo"
    if information.exists():
        models = [
            line.split(":", 1)[1].strip() for line in information.read_text().splitlines() if "model name" in line
        ]
        model = models[0] if models else model
    versions = {name: version(name) for name in ("numba", "numpy")} | {peer.NAME: peer.VERSION for peer in peers}
    return {
        "processor": model,
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        "versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
        "date": datetime.date.today().isoformat(),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
    }


# ---------------------------------------------------------------- numbers as words
def duration(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "-"
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def small(value: float) -> str:
    return "-" if not math.isfinite(value) else f"{value:.0e}"


def signed(value: float) -> str:
    return "-" if not math.isfinite(value) else f"{100.0 * value:+.1g} %"


def ratio(ours: Result | None, peer: Result | None) -> str:
    return f"{peer.seconds / ours.seconds:.2f}" if ours and peer else "-"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table that reads as well in a terminal as on a page."""
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in [head, *rows]
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])


# ---------------------------------------------------------------- the tables
def first_order(comparison: Comparison) -> Result | None:
    """The default mode with the integrator that is comparable to theirs."""
    able = [r for r in comparison.results if r.name in ("fused explicit", "fused implicit") and not r.failure]
    return min(able, key=lambda r: r.seconds, default=None)


def best_mode(comparison: Comparison) -> Result | None:
    able = [r for r in comparison.results if r.ours and not r.failure and not r.name.endswith("trbdf2")]
    return min(able, key=lambda r: r.seconds, default=None)


def headline(comparisons: list[Comparison]) -> str:
    head = [
        "workload",
        "fused",
        "with",
        "fastest peer",
        "",
        "ratio",
        "best mode",
        "ratio",
        "fused trbdf2",
        "ratio",
        "the seeds'",
    ]
    rows = []
    for c in comparisons:
        ours, best, peer, second = first_order(c), best_mode(c), c.fastest(False), c.fastest(True, "fused trbdf2")
        rows.append([
            c.workload,
            duration(ours.seconds) if ours else "-", ours.name.split()[1] if ours else "-",
            duration(peer.seconds) if peer else "-", named(peer), ratio(ours, peer),
            best.name if best else "-", ratio(best, peer),
            duration(second.seconds) if second else "-", ratio(second, peer), c.paper or "-",
        ])  # fmt: skip
    return table(head, rows)


def named(result: Result | None) -> str:
    if result is None:
        return "-"
    return f"{result.name} ({result.failure})" if result.failure else result.name


def details(c: Comparison) -> str:
    head = ["engine, or our mode and integrator", "a step", "a body", "error", "gap", "energy", "redone", ""]
    rows = [
        [
            r.name, duration(r.seconds), duration(r.seconds / c.bodies) if r.seconds < 1.0 else "-", small(r.error),
            small(r.gap), signed(r.energy), str(r.redone) if r.ours else "", r.failure,
        ]
        for r in sorted(c.results, key=lambda r: r.seconds)
    ]  # fmt: skip
    title = (
        f"{c.workload}: {c.text}; {c.bodies} bodies, {c.dofs} degrees of freedom, {c.steps} steps of {c.timestep:.3g} s"
    )
    return f"{title}\n\n{table(head, rows)}"


def growth_table(growth: list[Growth]) -> str:
    head = ["mode and integrator", *(f"{n} links" for n in growth[0].links), "exponent"]
    rows = [
        [g.name, *(f"{1e9 * s / n:.0f} ns" for n, s in zip(g.links, g.seconds, strict=True)), f"{g.exponent:.3f}"]
        for g in growth
    ]
    return table(head, rows)


BARE = """\
One factor and one solve with joint wrenches, of accelerations, a body; in brackets the multiple of `fused`. The
general elimination of `lagrange` has 819 (ball) to 1889 operations a joint where `fused` has 455 (ball) and 537
(hinge): 1.8 to 3.5 times as many."""


def bare_table(bare: list[Bare]) -> str:
    modes = list(dict.fromkeys(b.mode for b in bare))
    rows = []
    for figure in dict.fromkeys(b.figure for b in bare):
        of = {b.mode: b for b in bare if b.figure == figure}
        row = [figure]
        for mode in modes:
            one = of.get(mode)
            times = f" ({one.seconds / of['fused'].seconds:.2f})" if one and mode != "fused" else ""
            row.append(f"{duration(one.seconds / one.bodies)}{times}" if one else "-")
        rows.append(row)
    return table(["figure", *(f"`{mode}`" for mode in modes)], rows)


def counts_table(counts: list[Count]) -> str:
    head = ["topology", "n", "depth", "D1", "D2", "D2 without branches"]
    return table(head, [[c.topology, *(str(v) for v in (c.n, c.depth, c.d1, c.d2, c.dense_d2))] for c in counts])


CORRECTIONS = (
    "A chain of ten ball joints falls from the side for a second. `shake` is the default, whose correction feeds back\n"
    "into the velocity; `feedback` is [Witkin97]'s ks and kd; `coordinates` rebuilds the poses from the joints'\n"
    "coordinates [Baraff96]. The last body is compared with `rattle4` at an eighth of the step.\n\n"
    "![Gaps against time, errors against the step](corrections.svg)\n\n"
    "The picture (`python -m tests.benchmarks.corrections`) has feedback with ks 900, kd 60, and with none, where the\n"
    "guard redoes steps that leave a centimetre."
)


def corrections_table(drifts: list[Drift]) -> str:
    head = ["integrator", "correction", "step", "gap", "energy", "error", "redone"]
    rows = [
        [d.integrator, d.correction, duration(d.timestep), f"{d.gap:.0e} m", signed(d.energy), f"{d.error:.0e} m",
         str(d.redone)]
        for d in drifts
    ]  # fmt: skip
    return table(head, rows)


def branch_advantage(comparisons: list[Comparison]) -> str:
    """Measured beside counted: whole steps of the reduced modes, and of `fused`, on the humanoid and on its chain."""
    by_name = {c.workload: c for c in comparisons}
    humanoid, row = by_name.get("W3 humanoid30"), by_name.get("W3 chain30")
    if not humanoid or not row:
        return ""
    parts = []
    for mode in ("jsim", "aba", "fused"):
        first, second = humanoid.fastest(True, mode), row.fastest(True, mode)
        if first and second:
            share = second.seconds / first.seconds
            parts.append(f"`{mode}` {duration(first.seconds)} and {duration(second.seconds)} ({share:.2f})")
    return (
        f"Whole steps on the humanoid and on the chain of the same links (chain over humanoid): {', '.join(parts)}.\n"
        "[Featherstone05] has 2.2 for the reduced algorithm alone, which is a part of a step."
    )


def reading(report: Report) -> str:
    """What the figures say, told from the figures."""
    pairs = [(c, first_order(c), c.fastest(False)) for c in report.comparisons]
    shares = sorted((peer.seconds / ours.seconds, c.workload) for c, ours, peer in pairs if ours and peer)
    ahead = [pair for pair in shares if pair[0] >= 1.0]
    lines = []
    if ahead:
        (least, near), (most, far) = ahead[0], ahead[-1]
        lines.append(
            f"`fused` with a first-order integrator is faster than the fastest peer on {len(ahead)} of {len(shares)} "
            f"workloads, {least:.2f} times on {near} to {most:.2f} times on {far}."
        )
    if len(ahead) < len(shares):
        listed = ", ".join(f"{name} ({share:.2f})" for share, name in shares if share < 1.0)
        lines.append(f"It is slower on {listed}.")
    results = [(c, r) for c in report.comparisons for r in c.results]
    wrong = [f"{r.name} on {c.workload} ({r.failure})" for c, r in results if r.failure and not r.ours]
    if wrong:
        lines.append(f"Peers that did not come through the motion: {'; '.join(wrong)}.")
    refused = [f"{r.name} on {c.workload} ({r.failure})" for c, r in results if r.failure and r.ours]
    if refused:
        lines.append(f"Ours without a figure: {'; '.join(refused)}.")
    redone = [f"{r.name} on {c.workload} ({r.redone} of {c.steps})" for c, r in results if r.redone]
    if redone:
        lines.append(f"Steps that our guard redid, which the least time leaves out: {'; '.join(redone)}.")
    else:
        lines.append("The guard redid none of our steps.")
    return "\n".join(f"- {line}" for line in lines)


METHOD = """\
- A step is a whole step: kinematics, forces, solve, integration, correction of the joints, guard. Ours run inside
  `world.step(n)`, MuJoCo's inside `mj_step(nstep=n)`; Pinocchio, Rapier and DART are called from Python step by step,
  there being no other way{overhead}. One thread each.
- The time is the least over many batches of about 4 ms, those of all engines interleaved, each after one step that is
  not timed. Figures of different runs are not comparable; ratios within one run are.
- All start as drawn, with the same random velocities that open no joint, and are measured in motion. `error`: the
  largest distance [m] of a body from a reference (`rattle4` with 8 steps for one; stiff figures `trbdf2` with 32, the
  hand 256) after the steps named. `gap`: the largest opening of a joint [m, or rad between the axes of a hinge].
  `energy`: its change over the largest kinetic energy, where nothing damps. Reduced coordinates have no gap by
  construction.
- The fastest peer counts even where its motion went wrong; one that is no longer finite is timed from rest.
- Rapier takes four substeps in one step (its default), so its error is that of a shorter step.
- Left out: chains beyond 300 links in MuJoCo's reduced coordinates (cubic), in Pinocchio (memory grows with the cube)
  and in DART (building takes minutes); springs with MuJoCo's `<connect>`, whose free bodies have no joints to put them
  on; our `dense`, `jsim` and `cg` where their cost is out of proportion; `explicit` where springs are stiff."""


def page(report: Report) -> str:
    """results.md"""
    m = report.machine
    call = report.call_overhead
    overhead = f" (of Pinocchio's figures at most {duration(call)} is that)" if call else ""
    parts = [
        "# Benchmarks",
        f"Written by `python -m tests.benchmarks --write` on {m['date']}: {m['processor']}, {m['cores']} cores (load "
        f"{m['load']} at the start), Python {m['python']}, {m['versions']}.",
        "## Ratios to the fastest peer",
        "Time of the peer over ours: above 1 we are faster. `fused` is the default mode, with `explicit` or\n"
        "`implicit`, the integrators that are comparable to the peers'; `trbdf2`, the default integrator, is of\n"
        "second order and beside it. The last column is what the papers measured on the machines of their time.",
        headline(report.comparisons),
        reading(report),
        "## How it was measured",
        METHOD.format(overhead=overhead),
    ]
    if report.growth:
        text = (
            "Stiff chains, the timestep 1/n seconds: time a link a step, and the exponent of n in the time of a step."
        )
        parts += ["## Growth with n", text, growth_table(report.growth)]
    if report.bare:
        parts += ["## Factor and solve alone", BARE, bare_table(report.bare)]
    if report.counts:
        text = (
            "Divisions D1 and multiply-subtracts D2 of the LTDL factor, counted while the kernel ran, and D2 of a "
            "chain of as many joints."
        )
        advantage = branch_advantage(report.comparisons)
        parts += ["## Operation counts of [Featherstone05]", text, counts_table(report.counts), advantage]
    if report.drifts:
        parts += ["## Corrections", CORRECTIONS, corrections_table(report.drifts)]
    parts += ["## Everything", *(details(c) for c in report.comparisons)]
    return "\n\n".join(part for part in parts if part) + "\n"


def terminal(report: Report) -> str:
    parts = [details(c) for c in report.comparisons]
    parts += [headline(report.comparisons), reading(report)] if report.comparisons else []
    parts += [growth_table(report.growth)] if report.growth else []
    parts += [bare_table(report.bare)] if report.bare else []
    parts += [counts_table(report.counts), branch_advantage(report.comparisons)] if report.counts else []
    parts += [corrections_table(report.drifts)] if report.drifts else []
    return "\n\n".join(part for part in parts if part)


def show(text: str, results: Path | None) -> int:
    """Print a page of results, and write it to a file where one is given. Returns the exit code of the program."""
    print(text)
    if results is not None:
        results.write_text(text + "\n")
    return 0
