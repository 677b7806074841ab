"""Springs of a scene: forces between two bodies that constrain nothing."""

from typing import Annotated, Any, ClassVar

from physics.definitions import springs as physics
from scenes.kinds.joints import Turning
from scenes.kinds.ties import BODIES, Tie, Vec
from scenes.text.schema import item
from scenes.text.values import Number, PerAxis, Vector
from scenes.text.words import Flag


class Spring(Tie):
    """A spring and damper between two points of two bodies."""

    kind: ClassVar[str] = "between"
    definition: ClassVar[Any] = physics.Spring
    particles: ClassVar[tuple[int, ...]] = (0, 1)
    opens: ClassVar[bool] = False
    tree: ClassVar[bool] = False

    between: Annotated[Any, BODIES] = item("its two bodies")
    start: Annotated[Vec | None, Vector("m")] = item(
        "its point on the first body; if not given, the centre of mass", None, alias="from"
    )
    end: Annotated[Vec | None, Vector("m")] = item(
        "its point on the second body; if not given, the centre of mass", None, alias="to"
    )
    stiffness: Annotated[Any, PerAxis("N/m", 1, 0.0)] = item("stiffness", live=True)
    damping: Annotated[Any, PerAxis("N*s/m", 1, 0.0)] = item("damping", 0.0, live=True)
    rest: Annotated[float | None, Number("m", low=0.0)] = item("its length when relaxed; if not given, as drawn", None)
    tension_only: Annotated[bool, Flag()] = item("it only pulls, like a rubber band", False)

    def fields(self) -> dict[str, Any]:
        """Return the fields of the definition other than names, bodies and points."""
        return {key: value for key, value in super().fields().items() if key not in ("start", "end")}


class Torsion(Turning):
    """A spring and damper for the rotation of one body relative to another, at any distance."""

    kind: ClassVar[str] = "torsion"
    definition: ClassVar[Any] = physics.TorsionSpring
    opens: ClassVar[bool] = False
    tree: ClassVar[bool] = False

    torsion: Annotated[Any, BODIES] = item("its two bodies")
