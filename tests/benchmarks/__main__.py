"""`python -m tests.benchmarks`: measure, and show or write what was found. One thread, about ten minutes in all."""

import argparse
import json
import os
import sys

# before numpy and the peers are loaded: one thread for everybody
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

from tests.benchmarks import bare, corrections, counts, measure, peers, report, workloads  # noqa: E402


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="marionette bench", description="Measure speed and error beside the peers.")
    parser.add_argument(
        "only", nargs="*", metavar="WORD", help="only workloads whose name contains one of these, such as W3"
    )
    parser.add_argument("--no-peers", action="store_true", help="our modes alone")
    parser.add_argument(
        "--longest",
        type=int,
        default=100000,
        metavar="N",
        help="longest chain of the growth with n (0: none; default 100000)",
    )
    parser.add_argument("--mode", action="append", help="only these solver modes")
    parser.add_argument(
        "--budget", type=float, default=0.5, metavar="S", help="seconds of timing for each row (default 0.5)"
    )
    parser.add_argument("--json", metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--write", action="store_true", help="also write tests/benchmarks/results.md")
    return parser


def main(arguments: list[str] | None = None) -> int:
    options = make_parser().parse_args(arguments)
    chosen = [w for w in workloads.WORKLOADS if not options.only or any(word in w.name for word in options.only)]
    if not chosen:
        names = ", ".join(w.name for w in workloads.WORKLOADS)
        print(f"no workload is called {' or '.join(options.only)}; there are: {names}", file=sys.stderr)
        return 2
    engines = [] if options.no_peers else peers.installed()
    machine = report.describe_machine(engines)
    comparisons = []
    for workload in chosen:
        print(f"{workload.name} ...", file=sys.stderr, flush=True)
        comparisons.append(measure.compare(workload, engines, options.mode, options.budget))
    growth = []
    links = [n for n in workloads.GROWTH if n <= options.longest and not options.only]
    if len(links) > 1:
        print("growth ...", file=sys.stderr, flush=True)
        growth = measure.measure_growth(links, tuple(options.mode or ("fused",)), options.budget)
    pinocchio = next((p for p in engines if p.NAME == "Pinocchio"), None)
    overhead = pinocchio.call_overhead() if pinocchio else None
    drifts = [] if options.only else corrections.make_corrections()
    alone = [] if options.only else bare.make_bare()
    found = report.Report(comparisons, growth, counts.make_counts(), machine, overhead, drifts, alone)
    print(report.terminal(found))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found.as_json(), file, indent=1)
    if options.write:
        report.RESULTS.write_text(report.page(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
