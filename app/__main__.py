"""`marionette` and `python -m app`: the command line. It can be stopped while it is still being imported."""

import os
import sys


def forget_present_folder() -> None:
    """Remove the current folder from the path of modules, where `python -m` puts it first. This function must not need
    any module that is not yet loaded. Python has already looked for `app` and other modules in the current folder. In a
    folder from somebody else, use the command `marionette`, which never looks there."""
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        present = os.path.realpath(os.curdir)
    except OSError:  # it was removed
        return
    if sys.path and os.path.realpath(sys.path[0]) == present != os.path.realpath(packages):
        del sys.path[0]


def run() -> int:
    """Run the command line. Return the exit code."""
    forget_present_folder()
    from app.host import stopping
    from app.host.folder import imports_from_here

    # Of matrices of a few hundred rows, as `dense` has them, threads that wait for each other take longer than one
    # alone: 2.1 ms a step of 100 links on two processors, 0.6 on one. Read when numpy and scipy are loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = 1
    try:
        stopping.answer_signals()
        with imports_from_here():
            from app.cli.main import main

        code = main()
    except BaseException:
        # an import that was broken off may make an ImportError of it
        if not stopping.was_asked():
            stopping.dismiss_guardian()
            raise
    if stopping.was_asked():
        stopping.end_now()
    stopping.dismiss_guardian()
    return code


if __name__ == "__main__":
    sys.exit(run())
