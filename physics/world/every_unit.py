"""Every unit of machine code that figures of ordinary types need, compiled ahead: the shelf of a package.

    python -m physics.world.every_unit FOLDER [--level x86-64-v3] [--jobs 2]

The types of what entries take are the same in all figures (widths of tables are constants), so that one small world
names them all. The units are compiled in parallel; those that the cache folder holds already are taken from there.
"""

import argparse
import gc
import importlib
import os
import pkgutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import physics
from physics.compiler import store
from physics.compiler.jit import ENTRIES, Wanted
from physics.compiler.kinds import PACKS, Kind
from physics.compiler.pack import kind_of

# for glibc: to give memory back to the system and take it again costs a tenth of the time
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": "4000000000", "MALLOC_MMAP_THRESHOLD_": "4000000000"}
NEVER_IMPORTED = ("_lowering", "compiler.backend", "compiler.build_hook")  # by who only wants entries
FROM_TESTS = "q"  # problems of complementarity are made by kernels; Python makes them in tests alone


def every_unit() -> Iterator[Wanted]:
    """Yield every entry of the package with the types of its arguments."""
    for module in pkgutil.walk_packages(physics.__path__, "physics."):
        if not module.name.endswith(NEVER_IMPORTED):
            importlib.import_module(module.name)
    kinds, spaces = _kinds()
    for one in ENTRIES.values():
        if FROM_TESTS in one.takes:
            continue
        if "x" in one.takes:
            letters = {**kinds, "x": spaces[one.module]}
        else:
            letters = kinds
        yield one, tuple(letters.get(letter, letter) for letter in one.takes)


def _kinds() -> tuple[dict[str, Kind], dict[str, Kind]]:
    """Return the types of packed tuples by letter, and those of the modes' workspaces by the mode's module."""
    from physics import Body, Scene, Sphere, World
    from physics.driver.units import RUN
    from physics.solvers.modes import MODES

    ball = Body(name="ball", mass=1.0, inertia=(1.0, 1.0, 1.0), shapes=[Sphere(radius=0.5)])
    engine = World(Scene(bodies=[ball])).engine
    touch = engine.built.touch
    assert touch is not None
    packs = (*engine.packs, touch, touch.collision, touch.collision.contacts, engine.model.signals)
    by_label: dict[str, Kind] = {kind_of(p).label: kind_of(p) for p in packs}
    kinds = {letter: by_label[label] for letter, label in PACKS.items() if label in by_label}
    spaces: dict[str, Kind] = {m.answer.module: kind_of(m.make_space(engine.model)) for m in MODES.values()}  # type: ignore[attr-defined]
    return {**kinds, "r": RUN}, spaces


Named = tuple[str, str, tuple[Kind, ...]]  # an entry by module and name, as a process passes it to another


def _compile(wanted: Named) -> tuple[str, bytes]:
    """Return the label of a unit and its object code."""
    module, name, kinds = wanted
    importlib.import_module(module)
    one = ENTRIES[module, name]
    try:
        return one.label(kinds), one.object_code(kinds)
    except Exception as error:
        raise RuntimeError(f"{one.module}.{one.name} was not compiled: {error}") from error


def _begin() -> None:
    """Turn the garbage collector off in a process that compiles: it takes a tenth of the time."""
    gc.freeze()
    gc.disable()


def build(folder: Path, level: str, jobs: int) -> None:
    """Compile all units in so many processes, and write the shelf."""
    begin = time.perf_counter()
    wanted = [(one.module, one.name, kinds) for one, kinds in sorted(every_unit(), key=lambda unit: -_size(unit))]
    with ProcessPoolExecutor(jobs, initializer=_begin) as pool:
        units = dict(pool.map(_compile, wanted))
    store.write_shelf(folder, level, units)
    size = sum(map(len, units.values()))
    print(f"{len(units)} units, {size / 1e6:.1f} MB, {time.perf_counter() - begin:.0f} s")


def _size(wanted: Wanted) -> int:
    """Return about how long a unit takes to compile: by how many lines its file reaches. The longest come first."""
    return 1 if len(wanted[0].takes) > 4 else len(wanted[0].source.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile every unit of the package.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--level", default=store.processor_level(), choices=list(store.LEVELS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if os.environ.get("NUMBA_CPU_NAME") != given.level:
        # numba reads it when it is imported, and everything that it compiles then is for that processor
        names = {"NUMBA_CPU_NAME": given.level, "NUMBA_CPU_FEATURES": "", store.OFF: "0"}
        names |= KEEP_MEMORY
        sys.exit(subprocess.run([sys.executable, "-P", *sys.orig_argv[1:]], env={**os.environ, **names}).returncode)
    build(given.folder, given.level, given.jobs)


if __name__ == "__main__":
    main()
