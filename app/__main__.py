"""`marionette` and `python -m app`: the command line, which may also be stopped while it is still being imported."""

import os
import sys


def run() -> int:
    # Of matrices of a few hundred rows, as `dense` has them, threads that wait for each other take longer than one
    # alone: 2.1 ms a step of 100 links on two processors, 0.6 on one. Read when numpy and scipy are loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from app.cli import main

        return main()
    except KeyboardInterrupt:
        print("marionette: stopped", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(run())
