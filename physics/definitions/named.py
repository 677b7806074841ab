"""The base class of definitions that are neither bodies nor joints: drives, target springs, couplings, conditions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from physics.definitions.checks import checked_name
from physics.definitions.joints import Joint
from physics.definitions.spellings import Spelled


@dataclass(frozen=True, kw_only=True)
class Attached(metaclass=Spelled):
    """Base class of definitions that have a name, and refer to bodies and joints of the scene by name."""

    name: str

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        checked_name(f"name of a {self.kind}", self.name)

    @property
    def label(self) -> str:
        """Kind and name, as error messages write them."""
        return f"{self.kind} {self.name!r}"

    def check(self, bodies: Mapping[str, Any], joints: Mapping[str, Joint]) -> None:
        """Refuse fields that do not suit the bodies and joints of the figure."""


@dataclass(frozen=True, kw_only=True)
class Actuator(Attached):
    """Base class of drives and target springs, which pull a figure to a target; `physics.definitions.actuators` has the
    kinds."""
