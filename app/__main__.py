"""`marionette` and `python -m app`: the command line, which may also be stopped while it is still being imported."""

import sys


def run() -> int:
    try:
        from app.cli import main

        return main()
    except KeyboardInterrupt:
        print("marionette: stopped", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(run())
