"""Where the machine code of this installation comes from, for `marionette doctor`: the shelf that was made when the
package was built, or the compiler of this machine."""

import os
from pathlib import Path
from typing import NamedTuple

from physics.compiler import store
from physics.compiler.jit import backend, compilation_is_off


class MachineCode(NamedTuple):
    """Where machine code is found, and what this processor can run."""

    source: str  # "shelf", "compiler" where there is no shelf, or "python" where kernels are not compiled
    shelf: Path | None  # folder of the shelf
    units: int  # on the shelf
    level: str  # of processors for which the shelf was made, such as x86-64-v3
    why_no_shelf: str  # a clause, or ""
    folder: Path | None  # in which is kept what is compiled here; None if none can be written
    kept: int  # units in this folder
    processor: str  # LLVM's name of this processor
    processor_level: str  # the highest level that it can run


def machine_code() -> MachineCode:
    """Return where machine code comes from here."""
    shelf, folder = store.open_shelf(), store.cache_folder()
    off = compilation_is_off()
    return MachineCode(
        source="python" if off else "compiler" if shelf is None else "shelf",
        shelf=None if shelf is None else shelf.folder,
        units=0 if shelf is None else len(shelf.places),
        level="" if shelf is None else shelf.level,
        why_no_shelf="NUMBA_DISABLE_JIT=1 is set" if off else store.why_no_shelf(),
        folder=folder,
        kept=0 if folder is None else sum(name.endswith(".unit") for name in os.listdir(folder)),
        processor=store.processor_name(),
        processor_level=store.processor_level(),
    )


def why_no_compiler() -> str:
    """Return why nothing can be compiled on this machine, as a text; "" if it can. This imports numba."""
    try:
        backend()
    except Exception as error:  # noqa: BLE001  a numba that does not fit raises errors of many kinds
        return f"{type(error).__name__}: {error}"
    return ""
