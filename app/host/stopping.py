"""Ctrl-C and SIGTERM end the program within half a second, whatever it does.

Both raise KeyboardInterrupt in the main thread, which leaves things in order: child processes are ended, and unfinished
files are removed. But Python's main thread notices a signal only between two of its own instructions, and not during a
long call of compiled code. A thread and a process therefore watch the socket to which the system's handler writes
signals:

- a thread, which ends the process after GRACE. It can do so if the interpreter's lock is free: while kernels
compile, or during a step of a huge figure.
- a small process, forked at the start, which ends the program a little later. It can always do so: a large picture that
is drawn by software holds the lock for seconds. (The exit code is then that of a killed program.)
"""

import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn, TextIO

GRACE, MORE_GRACE = 0.15, 0.05  # s; the system takes 0.2 s more to give back the memory of a large film
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
SHOW_CURSOR = "\x1b[?25h"  # a bar of progress hides it

_said, _asked = threading.Event(), threading.Event()
_guardians: list[int] = []  # its number


def was_asked() -> bool:
    """Return whether a signal has asked the program to stop."""
    return _asked.is_set()


def say_stopped(stream: TextIO | None = None) -> None:
    """Report once that the program was stopped. Without a stream the text goes past Python's own buffer."""
    if _said.is_set():
        return
    if _asked.is_set():
        _said.set()
    if stream is None:
        _write("marionette: stopped\n")
    else:
        print("marionette: stopped", file=stream, flush=True)


def end_now() -> NoReturn:
    """End the process at once. This does not use the main thread, or locks that it may hold, or Python's own shutdown,
    which frees memory for a second or more."""
    dismiss_guardian()
    outputs = sys.modules.get("scenes.writing.outputs")
    if outputs is not None:
        outputs.remove_unfinished()
    _show_cursor()
    say_stopped()
    os._exit(1)


def dismiss_guardian() -> None:
    """End the guardian process at the end of the program. Otherwise it would stay in the list of processes on machines
    where nobody waits for orphans."""
    for number in _guardians:
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
    _guardians.clear()


def answer_signals() -> None:
    """Set up the handling of signals. It is called once, before there is another thread. If the caller makes the
    program ignore a signal (a shell's `&`, nohup), the signal stays ignored."""
    mine = [one for name in SIGNALS if (one := getattr(signal, name, None)) is not None]
    for one in mine:
        if signal.getsignal(one) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(one, _stop)
    numbers = {int(one) for one in mine}
    read, write = socket.socketpair()
    write.setblocking(False)
    if hasattr(os, "fork"):
        _start_guardian(read, write, numbers)
    signal.set_wakeup_fd(write.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(read, write, numbers), name="signals", daemon=True).start()


def _stop(number: int, frame: object) -> None:
    """Record the signal, and raise KeyboardInterrupt."""
    _asked.set()
    raise KeyboardInterrupt


def _comes(read: socket.socket, mine: set[int]) -> bool:
    """Wait for one of these signals. Return True when one comes, and False if the program ended without one. The signal
    stays in the socket for the other watcher."""
    while True:
        signals = read.recv(64, socket.MSG_PEEK)
        if not signals:
            return False
        if mine & set(signals):
            return True
        time.sleep(0.05)


def _watch(read: socket.socket, write: socket.socket, mine: set[int]) -> None:
    """End the process some time after a signal. `write` is only kept open."""
    if _comes(read, mine):
        time.sleep(GRACE)
        end_now()


def _start_guardian(read: socket.socket, write: socket.socket, mine: set[int]) -> None:
    """Fork the guardian process."""
    program = os.getpid()
    child = os.fork()
    if child:
        _guardians.append(child)
        return
    try:
        for number in mine:  # a terminal sends them to it, too
            signal.signal(number, signal.SIG_IGN)
        write.close()
        nothing = os.open(os.devnull, os.O_RDWR)
        for own in (0, 1):  # whoever reads the program's output sees its end when it ends
            os.dup2(nothing, own)
        if _comes(read, mine):
            _guard(program)
    finally:
        os._exit(0)


def _guard(program: int) -> None:
    """Kill the program some time after a signal, and remove its unfinished files."""
    end = time.monotonic() + GRACE + MORE_GRACE
    while time.monotonic() < end:
        time.sleep(0.01)
        if os.getppid() != program:
            return
    unfinished = _unfinished_of(program)
    os.kill(program, signal.SIGKILL)
    for path in unfinished:
        with suppress(OSError):
            os.unlink(path)
    _show_cursor()
    say_stopped()


def _unfinished_of(program: int) -> list[str]:
    """Return the files that the program is still writing, recognised among its open files by the names that
    `scenes.writing.outputs` gives them."""
    found: list[str] = []
    with suppress(OSError):
        folder = f"/proc/{program}/fd"
        for number in os.listdir(folder):
            with suppress(OSError):
                path = os.readlink(f"{folder}/{number}")
                if os.path.basename(path).startswith(f".{program}-") and ".part" in path:
                    found.append(path)
    return found


def _show_cursor() -> None:
    """Show the cursor of the terminal again."""
    if os.isatty(2):
        _write(f"\r\n{SHOW_CURSOR}")


def _write(text: str) -> None:
    """Write a text past Python's own buffer."""
    with suppress(OSError):
        os.write(2, text.encode())
