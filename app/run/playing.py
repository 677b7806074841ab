"""Playing: a recording is carried out again, and its states are compared with the recorded ones."""

from collections.abc import Callable
from dataclasses import dataclass

from app.run.commands import Command, Entry
from app.run.recording import DIGITS, Key, Recording, versions
from app.run.simulation import Simulation
from physics.definitions.checks import DefinitionError
from physics.definitions.scene import Scene
from physics.world.world import CannotContinueError, World

NAMES = {"marionette": "marionette", "physics": "physics sources", "numpy": "numpy", "python": "Python"}
AT_ONCE = 240  # ticks between two looks at Ctrl-C


@dataclass(frozen=True)
class Parted:
    """Where a recording and what is played part: the last tick at which both were the same, the tick at which they were
    not, and what was found there."""

    after: int
    by: int
    what: str


class Player:
    """A recording that is being played on a simulation, which must be new."""

    def __init__(self, simulation: Simulation, recording: Recording, prepare: Callable[[Command], None] | None = None):
        """Begin before the first item. `prepare(command)` is called before each command; it may compile kernels."""
        self.simulation, self.recording, self.prepare = simulation, recording, prepare
        self.parted: Parted | None = None
        self.compared = 0  # keys that were the same
        self._next = 0
        self._same = 0  # tick of the last of them

    @property
    def done(self) -> bool:
        """Whether there is nothing more to play."""
        return self.parted is not None or self._next == len(self.recording.log)

    def go(self, ticks: int) -> None:
        """Play at most so many ticks, and the commands that are due then."""
        simulation = self.simulation
        while not self.done:
            item = self.recording.log[self._next]
            ahead = item.tick - simulation.timeline.tip
            takes = isinstance(item, Entry) and item.command.changes_state
            if ticks <= 0 and (ahead > 0 or takes):
                return
            if ahead > 0:
                count = min(ahead, ticks)
                before = simulation.timeline.tip
                simulation.step_again(count)
                ticks -= count
                if simulation.timeline.tip - before < count:
                    self._part("a step cannot be taken that was taken then")
                continue
            if ahead < 0:
                self._part("the recording goes back in time")
            elif isinstance(item, Key):
                self._compare(item)
            else:
                self._do(item.command)
                ticks -= int(takes)
            self._next += 1

    def _compare(self, key: Key) -> None:
        """Compare the present state with a recorded one."""
        if self.simulation.world.state_hash()[:DIGITS] == key.state_hash[:DIGITS]:
            self._same = key.tick
            self.compared += 1
        else:
            self._part("the state is another one")

    def _do(self, command: Command) -> None:
        """Carry out a command."""
        if self.prepare is not None:
            self.prepare(command)
        try:
            self.simulation.do(command)
        except (DefinitionError, CannotContinueError, KeyError) as error:
            self._part(f"{command.label} is refused: {error}")

    def _part(self, what: str) -> None:
        """Note where the motion parts from the recording."""
        self.parted = Parted(self._same, self.simulation.timeline.tip, what)

    def sentence(self, changed: list[str]) -> str:
        """Return a sentence about the result. `changed` are files of the scene that differ from the recorded ones."""
        parted, recording = self.parted, self.recording
        if parted is None:
            text = f"Played {recording.ticks} steps: all {self.compared} states that were compared are as recorded"
            return text if recording.ended else f"{text}; its end was never written, so up to two seconds are missing"
        far = parted.by > parted.after + 1
        place = f"between steps {parted.after} and {parted.by}" if far else f"at step {parted.by}"
        return f"It parts from the recording {place}: {parted.what} ({self.reason(changed)})"

    def reason(self, changed: list[str]) -> str:
        """Return the reason why the motion may differ from the recorded one: another version, or another scene."""
        if changed:
            return f"other scene: {', '.join(changed)} changed since"
        recorded, own = self.recording.head.get("versions", {}), versions()
        other = [f"{NAMES[k]} {recorded.get(k, 'unknown')}, now {own[k]}" for k in NAMES if recorded.get(k) != own[k]]
        if other:
            return f"other version: {'; '.join(other)}"
        if self.simulation.world.solver == "dense" and recorded.get("machine") != own["machine"]:
            return "the mode 'dense' uses LAPACK, which rounds differently on another machine"
        return "same version; the scene or the recording was changed"


def replay(
    scene: Scene, recording: Recording, make_world: Callable[[], World] | None = None, stop: int | None = None
) -> Player:
    """Play a whole recording, or up to the tick `stop`, without a window. Return the player."""
    player = Player(Simulation(scene, str(recording.head.get("scene", "")), make_world), recording)
    while not player.done and (stop is None or player.simulation.timeline.tip < stop):
        player.go(AT_ONCE)
    return player
