"""The kernels that a world runs: which ones it needs, how they are compiled, and the driver's tables of their
addresses."""

import gc
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from physics.compiler.helper_process import leave, share
from physics.compiler.jit import Wanted, bound, compilation_is_off, compilation_news
from physics.compiler.lazy import provide, wanted as far_entries
from physics.data.contact_tables import TouchControl
from physics.driver import needs, units
from physics.driver.run import Run
from physics.driver.step import drive

if TYPE_CHECKING:
    from physics.world.engine import Engine

MANY_YOUNG = 100_000  # objects made with the garbage collector off, from which on something has been compiled


class Program:
    """The driver's tables of addresses, and the arrays and settings for which they were made. `World.step` checks at
    every call whether they still fit. The check takes less time than a step of a small figure."""

    def __init__(self, engine: "Engine", run: Run):
        """Store `run`, the driver bound to it, and the arrays and settings of the engine for which they were made."""
        self.run = run
        self.drive = bound(drive, run)
        self.mode, self.space = engine.mode, engine.space
        self.model, self.state, self.work = engine.packs
        self.touch = engine.built.touch
        self.settings = units.settings(self.work.control)
        self.contacts = self.contact_settings()

    def contact_settings(self) -> tuple[int, int] | None:
        """Return the code of the contact method and the switch of sleeping, on which the choice of kernels depends, or
        None for a scene without shapes."""
        control = None if self.touch is None else self.touch.control
        return None if control is None else (int(control[TouchControl.METHOD]), int(control[TouchControl.SLEEPING]))

    def fits(self, engine: "Engine") -> bool:
        """Return whether the engine still has the arrays and settings for which the tables were made."""
        return (
            self.work is engine.work
            and self.mode is engine.mode
            and self.space is engine.space
            and self.model is engine.model
            and self.state is engine.state
            and self.touch is engine.built.touch
            and self.settings == units.settings(self.work.control)
            and self.contacts == self.contact_settings()
        )


class Kernels:
    """The kernels that the next step of an engine needs, and the driver's tables of them. The tables are rebuilt when
    arrays, mode or settings have changed."""

    def __init__(self, engine: "Engine"):
        """Start without tables."""
        self.engine = engine
        self.program: Program | None = None
        # the Model, the groups of kernels that it needs, and those that were provided
        self.needs: tuple[Any, set[str], set[str] | None] = None, set(), None

    def provide(self, progress: Callable[[str, int], None] | None = None) -> None:
        """Compile the lazily compiled kernels that this figure needs, unless that was done. Meanwhile a helper process
        compiles the missing kernels of the run in reverse order."""
        groups = self.groups()
        _, of_model, provided = self.needs
        if provided is None or not groups <= provided:
            share(self.entries(groups), units.redoing_entries(self.engine.packs))
            self.call(provide, progress, groups, self.engine.packs)
            self.needs = self.engine.model, of_model, groups | (provided or set())

    def groups(self) -> set[str]:
        """Return the names of the groups of lazily compiled kernels that the figure needs."""
        if self.needs[0] is not self.engine.model:
            self.needs = self.engine.model, needs.of_model(self.engine.model), None
        return needs.of_run(self.needs[1], self.engine.work.control, units.takes_rows(self.engine.built.touch))

    def entries(self, groups: set[str]) -> Iterator[Wanted]:
        """Yield all entries that a run compiles, roughly in the order of their compilation."""
        if compilation_is_off():
            return
        yield from far_entries(groups, self.engine.packs)
        packs = (*self.engine.packs, self.engine.space)
        yield from units.run_entries(self.engine.mode.answer, self.engine.work.control, packs, self.engine.built.touch)

    def program_for_now(self, progress: Callable[[str, int], None] | None = None) -> Program:
        """Return the driver's tables of addresses, rebuilt if they no longer fit."""
        if self.engine.stale:
            self.engine.note_what_is_used()
        if self.program is None or not self.program.fits(self.engine):
            touch = self.engine.built.touch
            self.provide(progress)
            packs = (*self.engine.packs, self.engine.space)
            made = self.call(units.make_run, progress, self.engine.mode.answer, self.engine.work.control, packs, touch)
            self.program = Program(self.engine, made)
            self.engine.filled = False
        return self.program

    def call(self, function: Any, progress: Callable[[str, int], None] | None, *args: Any) -> Any:
        """Call an entry, or a function that compiles several, and return its result. Compile an entry first if it is
        not compiled yet, and report that to `progress`. The garbage collector is off meanwhile, because it would take a
        tenth of the time."""
        if getattr(function, "is_compiled", False):
            return function(*args)
        collecting = gc.isenabled()
        gc.disable()
        try:
            if progress is None:
                return function(*args)
            with compilation_news(progress):
                return function(*args)
        finally:
            if collecting:
                if gc.get_count()[0] > MANY_YOUNG:
                    # what numba keeps of it is old at once: left young, it would be looked through now, for 0.9 s
                    others_froze = gc.get_freeze_count() > 0
                    gc.freeze()
                    if not others_froze:
                        gc.unfreeze()
                gc.enable()

    def compile_redoing(self, progress: Callable[[str, int], None] | None = None) -> None:
        """Compile the units that redo a rejected step. Without this call they are compiled at the first rejected step.
        Most motions have none."""
        if not compilation_is_off():
            self.call(units.provide_redoing, progress, self.program_for_now(progress).run.units, self.engine.packs)

    @property
    def uncompiled(self) -> int:
        """Number of kernels that the next step would compile because they are not in the disk cache."""
        if self.engine.stale:
            self.engine.note_what_is_used()
        if self.program is not None and self.program.fits(self.engine):
            return 0
        return sum(one.is_missing(kinds) for one, kinds in self.entries(self.groups()))

    def compile_elsewhere(self, still_wanted: Callable[[], bool] = lambda: True) -> bool:
        """Have another process compile the kernels that the next step needs, and wait for it as long as
        `still_wanted()` is true. Return whether all of them are then in the disk cache. Compiling in this process would
        stop all its threads, and keep hundreds of megabytes of memory."""
        return self.uncompiled == 0 or leave(self.entries(self.groups()), still_wanted)
