"""Mouse violence: random drags through the window's real event handlers, while everything else is done to the figure.

`python -m tests.app.ui.violence --drags 1000 --seed 3 --keep FILE` measures and adds a line to a file, `--report FILE`
makes `tests/app/ui/violence.md` of all its lines. Some of it is a test. What went wrong first in a run can be replayed:
the recording is kept beside the file. The stepper runs on the caller's thread with a clock of its own, so that a drag
takes as much simulated time on a slow machine as on a fast one.
"""

import argparse
import json
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from app.run.recorded_scene import head_of
from app.run.recording import session_of
from app.ui import actions
from physics.solvers.modes import MODES

RESULT = Path(__file__).with_name("violence.md")
FRAME = 1.0 / 60.0
SIZE = (640, 360)
HELD, RELEASED = 1e-3, 1e-6  # m: the widest gap allowed while the mouse pulls, and after
LONGEST = 0.1  # s of steps in a frame: where one takes longer, frames go on after it, as on the screen
SETTLING = 6  # frames after letting go
KINDS = (
    "pull",
    "teleport",
    "shake",
    "leave",
    "turn",
    "hold hard",
    "depth",
    "pin",
    "mode",
    "scene",
    "stiffness",
    "undo",
)
IN_A_ROW = 12  # drags in one scene
SHARE = 6.0  # s of processor time: what a scene in a mode may take of a run before the others go on without it


@dataclass
class Outcome:
    drags: Counter = field(default_factory=Counter)  # by (scene, mode)
    kinds: Counter = field(default_factory=Counter)
    held: int = 0  # drags in which a body was really held
    widest: float = 0.0  # m
    widest_after: float = 0.0  # m
    steps: int = 0
    redone: int = 0
    troubles: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(self.drags.values())


class Violence:
    """One window without a display, one stepper that is turned by hand."""

    def __init__(self, seed=0):
        import pyglet

        pyglet.options.headless = True
        from app.run.stepper import Stepper
        from app.ui.session import Session
        from tests.helpers.app.window import Hand, make_window

        self.seed, self.rng = seed, np.random.default_rng(seed)
        self.now = 0.0
        self.modes = tuple(MODES)
        self.kind = ""
        self.told = set()
        self.keep = None
        stepper = Stepper(now=lambda: self.now)
        self.session = Session(None, stepper)
        self.window = make_window(self.session, SIZE)
        self.hand = Hand(self.window, self.session)
        self.window.frame.renderer.draw = lambda *_: None  # what is drawn does not matter here
        self.hand.frames = self.frames
        self.session.shown.hide_panels = True  # for speed; soak.py has them
        self.outcome = Outcome()
        self.rows = Counter()  # by (scene, mode)

    def frames(self, count=1):
        for _ in range(count):
            self.now += FRAME
            end = time.process_time() + LONGEST
            try:
                while self.session.stepper.turn() == 0.0 and time.process_time() < end:
                    pass
            except Exception as error:  # noqa: BLE001 - each is counted, the next drag goes on
                self.trouble(f"{error!r} at {traceback.format_exc().splitlines()[-3].strip()}")
            self.window.switch_to()
            self.window.dispatch_event("on_draw")
            self.judge()

    def judge(self):
        snapshot, outcome = self.session.snapshot, self.outcome
        if snapshot is None:
            return
        if not np.isfinite(snapshot.poses).all():
            self.trouble("a pose is not finite")
        outcome.widest = max(outcome.widest, snapshot.gap)
        if snapshot.gap > HELD:
            self.trouble(f"a gap of {snapshot.gap:.2e} m")
        for message in self.session.messages:
            if message.kind == "error":
                self.trouble(message.text)
        self.session.messages.clear()

    def trouble(self, text):
        snapshot = self.session.snapshot
        mode, integrator = (snapshot.values[f"settings.{k}"] for k in ("solver", "integrator"))
        where = f"{snapshot.name} {mode} {integrator}, drag {self.outcome.count} ({self.kind})"
        if (self.outcome.count, text[:20]) not in self.told:  # once a drag
            self.told.add((self.outcome.count, text[:20]))
            self.outcome.troubles.append(f"{where}: {text}")
            simulation = self.session.stepper.simulation
            if self.keep is not None and simulation is not None:
                path = self.keep.with_name(f"{self.keep.stem}-{self.seed}-{len(self.told)}.mrn")
                opened = self.session.scenes.opened
                path.write_bytes(session_of(simulation, head_of(opened.scene, opened.source)).data())

    # ------------------------------------------------------------ one drag
    def begin_row(self, scene, mode):
        """Its random numbers are its own: a row does the same, however long the ones before were."""
        number = self.rows[scene, mode]
        self.rows[scene, mode] += 1
        self.rng = np.random.default_rng([self.seed, number, *f"{scene} {mode}".encode()])
        self.open(scene, str(mode))

    def open(self, scene, mode):
        session = self.session
        session.scenes.open(scene)
        self.frames(2)
        session.set("settings.solver", mode)
        self.frames(3)

    def drag(self, scene, mode):
        rng, hand, session = self.rng, self.hand, self.session
        self.kind = kind = KINDS[rng.integers(len(KINDS))]
        self.outcome.drags[scene, mode] += 1
        self.outcome.kinds[kind] += 1
        names = [n for n in session.snapshot.names if session.is_moved_by_forces(session.numbers[n])]
        session.selected = None
        actions.frame(session)
        place = hand.place_of(names[rng.integers(len(names))])
        x, y = place or (0.5 * SIZE[0], 0.5 * SIZE[1])  # what flew away behind the eye: then wherever it looks
        hand.move(x, y)
        hand.press()
        self.modify(kind)
        hand.move(x + 5, y)
        before = session.snapshot.tick, session.snapshot.redone
        grabbed = session.held is not None
        for step in range(rng.integers(4, 10)):
            self.act(kind, step, x, y)
            grabbed = grabbed or bool(session.snapshot.grabs)
        self.outcome.held += grabbed
        hand.modifiers = 0
        hand.release()
        if kind in ("pin", "undo", "scene"):
            hand.key("delete")
        self.frames(SETTLING)
        snapshot = session.snapshot
        self.outcome.widest_after = max(self.outcome.widest_after, snapshot.gap)
        if snapshot.gap > RELEASED:
            self.trouble(f"a gap of {snapshot.gap:.2e} m after a drag ({kind})")
        if snapshot.paused:
            hand.key("space")
        self.outcome.steps += max(snapshot.tick - before[0], 0)
        self.outcome.redone += max(snapshot.redone - before[1], 0)

    def modify(self, kind):
        from pyglet.window import key

        bits = {"turn": key.MOD_ALT, "hold hard": key.MOD_SHIFT}
        self.hand.modifiers = bits.get(kind, 0)

    def act(self, kind, step, x, y):
        """One frame or two of a drag."""
        rng, hand = self.rng, self.hand
        if kind == "teleport":
            hand.move(*(rng.normal(0.0, 20.0, 2) * SIZE))  # metres away
        elif kind == "shake":
            hand.move(x + 300 * (-1) ** step, y + rng.normal(0.0, 20.0))
            self.frames(1)  # to and fro in three frames: 20 Hz
        elif kind == "leave":
            hand.move(-2000, y) if step % 2 else self.window.dispatch_event("on_mouse_leave", -1, -1)
            self.frames(1)
        elif kind == "depth":
            hand.scroll(float(rng.integers(-12, 13)))
            hand.move(x + rng.normal(0.0, 60.0), y + rng.normal(0.0, 60.0))
        else:
            hand.move(x + rng.normal(0.0, 150.0), y + rng.normal(0.0, 100.0))
            self.meddle(kind, step)

    def meddle(self, kind, step):
        hand = self.hand
        if kind == "pin" and step == 2:
            hand.key("enter")
        elif kind == "mode":
            accepting = [mode for mode in self.modes if mode not in self.session.snapshot.refused]
            hand.key(str(1 + list(MODES).index(accepting[self.rng.integers(len(accepting))])))
        elif kind == "scene" and step == 2:
            hand.key("ctrl+r")
        elif kind == "stiffness":
            hand.key("s")
        elif kind == "undo":
            hand.key(("ctrl+z", "ctrl+y", "r", "comma", "space")[self.rng.integers(5)])

    def close(self):
        self.window.close()


def cases(modes=tuple(MODES)):
    """Scenes of the library with the modes that accept them."""
    from app.ui.gallery import names, open_scene

    out = []
    for name in names():
        refused = open_scene(name).scene.make_world().refusals
        out += [(name, mode) for mode in modes if mode not in refused]
    return out


def run(drags, seed=0, told=None, modes=tuple(MODES), keep=None):
    """So many drags, over all scenes and modes in turn. `keep`: beside this file, recordings of what went wrong."""
    violence = Violence(seed)
    violence.modes, violence.keep = modes, keep
    try:
        order = cases(modes)
        violence.rng.shuffle(order)
        every = max(1, min(IN_A_ROW, drags // len(order)))
        spent = dict.fromkeys(order, 0.0)
        while violence.outcome.count < drags:
            # ten ragdolls in `dense` take as long for one drag as a chain for a hundred: they get fewer, never none
            for case in [case for case in order if spent[case] < SHARE] or order:
                begin = time.process_time()
                violence.begin_row(*case)
                for _ in range(min(every, drags - violence.outcome.count)):
                    violence.drag(*case)
                    if spent[case] + time.process_time() - begin > SHARE:
                        break
                spent[case] += time.process_time() - begin
                if told is not None:
                    told(violence.outcome)
    finally:
        violence.close()
    return violence.outcome


def report(lines):
    """Of all runs that were kept."""
    total = {key: sum(line[key] for line in lines) for key in ("drags", "held", "steps", "redone", "seconds")}
    scenes = sorted({case.split()[0] for line in lines for case in line["cases"]})
    modes = sorted({case.split()[1] for line in lines for case in line["cases"]})
    troubles = [f"run {line['seed']}: {text}" for line in lines for text in line["troubles"]]
    text = [
        "# Mouse violence", "",
        f"`python -m tests.app.ui.violence`, runs of {lines[0]['drags']} with the seeds "
        f"{', '.join(str(line['seed']) for line in lines)}: random drags through the window's event handlers, "
        "headless, with teleports of metres, shaking at 20 Hz, leaving the window, pins, turning, changes of mode, "
        "scene and stiffness, undo and reset while a body is held.", "",
        f"- {total['drags']} drags, {total['held']} of them held a body; {total['steps']} steps in "
        f"{total['seconds']:.0f} s, {total['redone']} of them redone by the guard",
        f"- scenes: {', '.join(scenes)}", f"- modes: {', '.join(modes)}; in each scene, every one that accepts it",
        f"- widest joint gap while held {max(line['widest'] for line in lines):.1e} m (allowed {HELD:.0e}), after "
        f"{max(line['widest_after'] for line in lines):.1e} m (allowed {RELEASED:.0e})",
        f"- troubles (states that are not finite, gaps above these, errors, exceptions): {len(troubles)}", "",
        *(f"  - {trouble}" for trouble in troubles[:50]),
    ]  # fmt: skip
    return "\n".join(text).rstrip() + "\n"


def kept(outcome, seed, seconds):
    """One line of the file of results."""
    return {
        "seed": seed, "drags": outcome.count, "held": outcome.held, "steps": outcome.steps, "redone": outcome.redone,
        "seconds": round(seconds, 1), "widest": outcome.widest, "widest_after": outcome.widest_after,
        "cases": {f"{scene} {mode}": count for (scene, mode), count in outcome.drags.items()},
        "kinds": dict(outcome.kinds), "troubles": outcome.troubles,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--drags", type=int, default=500)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--report", type=Path)
    words = parser.parse_args()
    if words.report:
        RESULT.write_text(report([json.loads(line) for line in words.report.read_text().splitlines()]))
        return
    begin = time.monotonic()

    said = []

    def told(outcome):
        spent = time.monotonic() - begin
        print(outcome.count, f"{spent:.0f} s", f"{outcome.widest:.1e} {outcome.widest_after:.1e}", flush=True)
        for text in outcome.troubles[len(said) :]:
            print("   ", text, flush=True)
            said.append(text)

    outcome = run(words.drags, words.seed, told, tuple(words.modes.split(",")), words.keep)
    if words.keep:
        with words.keep.open("a") as file:
            file.write(json.dumps(kept(outcome, words.seed, time.monotonic() - begin)) + "\n")


if __name__ == "__main__":
    main()
